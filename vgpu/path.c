/* SPDX-License-Identifier: MIT */
#include "vgpu/path.h"

#include <stdlib.h>

void vgpu_path_begin(struct vgpu_path *path, const struct vgpu_block *entry)
{
   path->count = 0;
   path->start = entry;
}

static void append(struct vgpu_path *path, const struct vgpu_block *last)
{
   struct vgpu_step *top = path->count ? &path->steps[path->count - 1] : NULL;
   if (top && top->first == path->start && top->last == last) {
      top->repeat++;
      return;
   }
   if (path->count == path->capacity) {
      size_t capacity = path->capacity * 2 + 16;
      struct vgpu_step *grown = realloc(path->steps, capacity * sizeof(*grown));
      if (!grown) {
         path->out_of_memory = true;
         return;
      }
      path->steps = grown;
      path->capacity = capacity;
   }
   path->steps[path->count++] = (struct vgpu_step){.first = path->start, .last = last, .repeat = 1};
}

void vgpu_path_jump(struct vgpu_path *path, const struct vgpu_block *last, const struct vgpu_block *to)
{
   append(path, last);
   path->start = to;
}

void vgpu_path_end(struct vgpu_path *path, const struct vgpu_block *last)
{
   append(path, last);
}

void vgpu_path_finish(struct vgpu_path *path)
{
   free(path->steps);
}
