/* SPDX-License-Identifier: MIT
 *
 * The exact sizes that a client has told, for VGPU_CHECK_BOUNDS: of buffers in an address space, of which the uAPI
 * itself knows whole pages only, and of threadgroup memory, of which it knows multiples of 256 bytes. Freed buffers are
 * remembered until others take their place.
 */
#ifndef VGPU_RANGES_H
#define VGPU_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/launch.h"
#include "vgpu/vgpu.h"

struct vgpu_ranges {
   struct vgpu_range *list;
   size_t count, capacity;
};

/* Adds a buffer, or changes the size or name of one that is there. -ENOMEM. */
int vgpu_ranges_add(struct vgpu_ranges *ranges, const struct vgpu_range_request *request);
/* Adds a range, which replaces an earlier one with the same start. -ENOMEM. */
int vgpu_ranges_set(struct vgpu_ranges *ranges, uint64_t start, uint64_t bytes);
/* remember: keeps the range as a freed one, for reports. */
void vgpu_ranges_remove(struct vgpu_ranges *ranges, uint64_t start, bool remember);
void vgpu_ranges_finish(struct vgpu_ranges *ranges);
/* A copy of the list: free() it. NULL: empty, or no memory. */
struct vgpu_range *vgpu_ranges_copy(const struct vgpu_ranges *ranges, size_t *count);

#endif
