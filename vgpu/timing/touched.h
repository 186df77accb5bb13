/* SPDX-License-Identifier: MIT
 *
 * Which cache lines of device memory a launch touches: what must at least come from memory or go there. Kept with the
 * timing model on only.
 */
#ifndef VGPU_TOUCHED_H
#define VGPU_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/hash.h"
#include "vgpu/launch.h"

#define VGPU_LINE 128u /* bytes: results/reference/core_memory.csv, Global Cache Line */
#define VGPU_PAGE_LINES (VGPU_PAGE / VGPU_LINE)

struct vgpu_touched_page {
   uint64_t number; /* of the page: address / VGPU_PAGE */
   uint64_t lines[VGPU_PAGE_LINES / 64];
};

/* A set of lines, page by page. All zero is an empty one. */
struct vgpu_touched {
   struct vgpu_touched_page *pages;
   uint32_t count, capacity;
   uint32_t last;         /* index of the page that was touched last, while count > 0 */
   struct isa_hash table; /* entries: indices of pages */
   bool out_of_memory;
};

/* Adds the lines of [va, va + bytes); bytes > 0. */
void vgpu_touched_add(struct vgpu_touched *touched, uint64_t va, uint64_t bytes);
void vgpu_touched_merge(struct vgpu_touched *into, const struct vgpu_touched *from);
uint64_t vgpu_touched_lines(const struct vgpu_touched *touched);
void vgpu_touched_finish(struct vgpu_touched *touched);

#endif
