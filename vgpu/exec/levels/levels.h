/* SPDX-License-Identifier: MIT
 *
 * The builds of the semantics, one for each level of the host's vector instructions, and the choice of one.
 */
#ifndef VGPU_LEVELS_H
#define VGPU_LEVELS_H

#include <stddef.h>

#include "vgpu/exec/exec.h"

/* Best first; the last is usable everywhere. */
extern const struct vgpu_level vgpu_levels[];
extern const size_t vgpu_level_count;
const struct vgpu_level *vgpu_best_level(void);
/* The level of that name. NULL: this host has none. */
const struct vgpu_level *vgpu_find_level(const char *name);

#endif
