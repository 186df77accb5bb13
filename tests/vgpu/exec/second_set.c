/* SPDX-License-Identifier: MIT
 *
 * A chip of another generation (tests/isa/second_set.h): the virtual GPU decodes with the set of its chip, and runs the
 * same semantics. Code of one set faults on a chip of the other.
 */
#include <stdio.h>
#include <string.h>

#include "tests/isa/second_set.h"
#include "tests/vgpu/exec/rig.h"
#include "vgpu/exec/simd.h"

#define THREADS 64

static const char kernel[] = "mov r1, sr80\n"
                             "iadd r8, r1, 7\n"
                             "store r8, du2, r1, lsl 2, i32, x, a\n";

static void load(struct rig *rig, const struct vgpu_chip *chip, const char *end)
{
   char text[256];

   snprintf(text, sizeof(text), "%s%s\n", kernel, end);
   rig_init(rig, THREADS);
   rig->launch.chip = chip;
   rig_program(rig, text);
}

int main(void)
{
   const struct vgpu_chip *chip = vgpu_chip_find("m1");
   struct vgpu_chip other = *chip;
   struct rig rig;

   second_set_init();
   other.set = &second_set;
   load(&rig, &other, "halt");
   rig_run(&rig, vgpu_best_level());
   for (uint32_t i = 0; i < THREADS; i++) {
      if (*rig_out(&rig, i) != i + 7) {
         rig_fail("thread %u: %u\n", i, *rig_out(&rig, i));
      }
   }
   rig.launch.chip = chip;
   vgpu_core_run(&rig.launch, &rig.outcome);
   if (rig.outcome.fault != VGPU_FAULT_INSTRUCTION) {
      rig_fail("the m1 runs halt: fault %d\n", (int)rig.outcome.fault);
   }
   rig_finish(&rig);
   return rig_result();
}
