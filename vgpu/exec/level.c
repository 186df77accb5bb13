/* SPDX-License-Identifier: MIT
 *
 * Which build of the semantics this host runs.
 */
#include "vgpu/exec/cpu.h"
#include "vgpu/exec/exec.h"

extern const struct vgpu_handler *const *const vgpu_handlers_plain[ISA_OP_COUNT];

static bool always(void)
{
   return true;
}

#if defined(__x86_64__)
extern const struct vgpu_handler *const *const vgpu_handlers_v3[ISA_OP_COUNT];
extern const struct vgpu_handler *const *const vgpu_handlers_v4[ISA_OP_COUNT];

static bool has_v3(void)
{
   const struct vgpu_cpu cpu = vgpu_cpu_read();
   return vgpu_cpu_has_level(&cpu, 3);
}

static bool has_v4(void)
{
   const struct vgpu_cpu cpu = vgpu_cpu_read();
   return vgpu_cpu_has_level(&cpu, 4);
}
#endif

const struct vgpu_level vgpu_levels[] = {
#if defined(__x86_64__)
    {"x86-64-v4", has_v4, vgpu_handlers_v4},
    {"x86-64-v3", has_v3, vgpu_handlers_v3},
#endif
    {"plain", always, vgpu_handlers_plain},
};
const size_t vgpu_level_count = sizeof(vgpu_levels) / sizeof(vgpu_levels[0]);

const struct vgpu_level *vgpu_best_level(void)
{
   const struct vgpu_level *level = vgpu_levels;
   while (!level->usable()) {
      level++;
   }
   return level;
}
