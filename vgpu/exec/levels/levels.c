/* SPDX-License-Identifier: MIT
 *
 * The table of levels. This room lies above the semantics, the checks and the post-mortem: execution gets all of them
 * from a row of this table, and includes none of them.
 */
#include "vgpu/exec/levels/levels.h"

#include <string.h>

#include "util/array.h"
#include "vgpu/exec/checks/checks.h"
#include "vgpu/exec/levels/cpu.h"
#include "vgpu/exec/postmortem/postmortem.h"

#define LEVEL_DECLARE(build)                                                                                           \
   extern const struct vgpu_handler *const *const vgpu_handlers_##build[ISA_OP_COUNT];                                 \
   extern const struct vgpu_lane_checks vgpu_lane_checks_##build;                                                      \
   extern const struct vgpu_rows vgpu_rows_##build;

/* Which levels there are, says vgpu/meson.build. */
#if defined(VGPU_HAS_V4)
LEVEL_DECLARE(v4)

static bool has_v4(void)
{
   const struct vgpu_cpu cpu = vgpu_cpu_read();
   return vgpu_cpu_has_level(&cpu, 4);
}
#endif

#if defined(VGPU_HAS_V3)
LEVEL_DECLARE(v3)

static bool has_v3(void)
{
   const struct vgpu_cpu cpu = vgpu_cpu_read();
   return vgpu_cpu_has_level(&cpu, 3);
}
#endif

#if defined(VGPU_HAS_PLAIN)
LEVEL_DECLARE(plain)

static bool always(void)
{
   return true;
}
#endif

#define LEVEL(name, usable, build)                                                                                     \
   {                                                                                                                   \
      name, usable, vgpu_handlers_##build, &vgpu_lane_checks_##build, &vgpu_rows_##build, &vgpu_check_hooks,           \
          &vgpu_postmortem_hooks                                                                                       \
   }

const struct vgpu_level vgpu_levels[] = {
#if defined(VGPU_HAS_V4)
    LEVEL("x86-64-v4", has_v4, v4),
#endif
#if defined(VGPU_HAS_V3)
    LEVEL("x86-64-v3", has_v3, v3),
#endif
#if defined(VGPU_HAS_PLAIN)
    LEVEL("plain", always, plain),
#endif
};
const size_t vgpu_level_count = ARRAY_COUNT(vgpu_levels);

const struct vgpu_level *vgpu_best_level(void)
{
   const struct vgpu_level *level = vgpu_levels;
   while (!level->usable()) {
      level++;
   }
   return level;
}

const struct vgpu_level *vgpu_find_level(const char *name)
{
   for (size_t i = 0; i < vgpu_level_count; i++) {
      if (!strcmp(vgpu_levels[i].name, name)) {
         return vgpu_levels[i].usable() ? &vgpu_levels[i] : NULL;
      }
   }
   return NULL;
}
