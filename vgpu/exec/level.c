/* SPDX-License-Identifier: MIT
 *
 * Which build of the semantics this host runs.
 */
#include "vgpu/exec/exec.h"

extern const struct vgpu_handler *const *const vgpu_handlers_plain[ISA_OP_COUNT];

static bool always(void)
{
   return true;
}

#if defined(__x86_64__)
extern const struct vgpu_handler *const *const vgpu_handlers_v3[ISA_OP_COUNT];
extern const struct vgpu_handler *const *const vgpu_handlers_v4[ISA_OP_COUNT];

/* The psABI's levels; the features of each that compilers make use of here. */
static bool has_v3(void)
{
   return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static bool has_v4(void)
{
   return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512vl");
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
