/* SPDX-License-Identifier: MIT
 *
 * Where a simdgroup went: all that the timing model needs of its execution. A step is a run of blocks that fall
 * through from `first` to `last`, at whose end a jump was taken (or the program ended).
 */
#ifndef VGPU_PATH_H
#define VGPU_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_block;

struct vgpu_step {
   const struct vgpu_block *first, *last;
   uint64_t repeat; /* how often, one after the other */
};

struct vgpu_path {
   struct vgpu_step *steps;
   size_t count, capacity;
   const struct vgpu_block *start; /* of the step that is being walked */
   bool out_of_memory;
};

void vgpu_path_begin(struct vgpu_path *path, const struct vgpu_block *entry);
/* Leaves `last` for another place than the one that follows it. */
void vgpu_path_jump(struct vgpu_path *path, const struct vgpu_block *last, const struct vgpu_block *to);
void vgpu_path_end(struct vgpu_path *path, const struct vgpu_block *last);
void vgpu_path_finish(struct vgpu_path *path);

#endif
