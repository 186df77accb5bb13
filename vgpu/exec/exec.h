/* SPDX-License-Identifier: MIT
 *
 * Semantics: what each operation does, and the handlers in as many builds as the host has levels of vector
 * instructions.
 */
#ifndef VGPU_EXEC_H
#define VGPU_EXEC_H

#include <stdbool.h>
#include <stddef.h>

#include "isa/isa.h"
#include "vgpu/exec/simd.h"

struct vgpu_level {
   const char *name;
   bool (*usable)(void);                              /* on this host */
   const struct vgpu_handler *const *const *handlers; /* by enum isa_op, then by variant */
};

/* Best first; the last is usable everywhere. */
extern const struct vgpu_level vgpu_levels[];
extern const size_t vgpu_level_count;
const struct vgpu_level *vgpu_best_level(void);

/* vgpu_core_run() with a level of the caller's choice. */
void vgpu_core_run_level(const struct vgpu_launch *launch, const struct vgpu_level *level,
                         struct vgpu_outcome *outcome);

#endif
