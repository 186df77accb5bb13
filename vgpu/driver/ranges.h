/* SPDX-License-Identifier: MIT
 *
 * The exact bytes of a client's buffers in an address space, for VGPU_CHECK_BOUNDS: the uAPI itself knows whole pages
 * only. Freed buffers are remembered until others take their place.
 */
#ifndef VGPU_RANGES_H
#define VGPU_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/launch.h"

struct vgpu_ranges {
   struct vgpu_range *list;
   size_t count, capacity;
};

/* -ENOMEM. */
int vgpu_ranges_add(struct vgpu_ranges *ranges, uint64_t start, uint64_t bytes);
void vgpu_ranges_remove(struct vgpu_ranges *ranges, uint64_t start);
void vgpu_ranges_finish(struct vgpu_ranges *ranges);
/* A copy of the list: free() it. NULL: empty, or no memory. */
struct vgpu_range *vgpu_ranges_copy(const struct vgpu_ranges *ranges, size_t *count);

#endif
