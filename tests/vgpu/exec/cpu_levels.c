/* SPDX-License-Identifier: MIT
 *
 * The processor features that each x86-64 level asks for: prints them for cpu_levels.py, after checking that a
 * processor that lacks any one of them is not taken for one of that level.
 */
#include <stdio.h>
#include <string.h>

#include "vgpu/exec/levels/cpu.h"
#include "vgpu/exec/levels/levels.h"

int main(void)
{
   struct vgpu_cpu all;
   memset(&all, 0xff, sizeof(all));
   int failures = !vgpu_cpu_has_level(&all, 3) || !vgpu_cpu_has_level(&all, 4);
   for (size_t i = 0; i < vgpu_cpu_feature_count; i++) {
      const struct vgpu_cpu_feature *feature = &vgpu_cpu_features[i];
      struct vgpu_cpu masked = all;
      masked.registers[feature->which] &= ~(UINT32_C(1) << feature->bit);
      if (vgpu_cpu_has_level(&masked, 4) || vgpu_cpu_has_level(&masked, 3) != (feature->level > 3)) {
         fprintf(stderr, "register %u without bit %u (%s) still has its level\n", feature->which, feature->bit,
                 feature->macro);
         failures++;
      }
      if (*feature->macro) {
         printf("%u %s\n", feature->level, feature->macro);
      }
   }
   for (size_t i = 0; i < vgpu_level_count; i++) {
      failures += vgpu_find_level(vgpu_levels[i].name) != (vgpu_levels[i].usable() ? &vgpu_levels[i] : NULL);
   }
   failures += vgpu_find_level("x86-64-v") != NULL;
   return failures != 0;
}
