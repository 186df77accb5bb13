/* SPDX-License-Identifier: MIT
 *
 * Where a simdgroup went: all that the timing model needs of its execution. A step is a run of blocks that fall
 * through from `first` to `last`, at whose end a jump was taken (or the program ended). Loops fold: equal steps in a
 * row are one with a count, and a group of steps that comes again is followed by a step that says how often.
 */
#ifndef VGPU_PATH_H
#define VGPU_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/timing/memory/accesses.h"

struct vgpu_block;

/* No padding: arrays of steps are compared as bytes. */
struct vgpu_step {
   const struct vgpu_block *first, *last; /* both NULL: the `span` steps before come `repeat` times more */
   uint64_t repeat;                       /* how often, one after the other */
   uint64_t span;                         /* 0 unless first is NULL; no such step among those that it repeats */
};

struct vgpu_path {
   struct vgpu_step *steps;
   size_t count, capacity;
   size_t matched;                 /* steps of the last group that have come once more since */
   struct vgpu_step run;           /* being counted, not among the steps yet; repeat 0: none */
   const struct vgpu_block *start; /* of the step that is being walked */
   struct vgpu_accesses accesses;  /* memory that the instructions of the steps touched */
   bool out_of_memory;
};

void vgpu_path_begin(struct vgpu_path *path, const struct vgpu_block *entry);
/* Leaves `last` for another place than the one that follows it. */
void vgpu_path_jump(struct vgpu_path *path, const struct vgpu_block *last, const struct vgpu_block *to);
void vgpu_path_end(struct vgpu_path *path, const struct vgpu_block *last);
void vgpu_path_finish(struct vgpu_path *path);

/* A place in a path. */
struct vgpu_walk {
   const struct vgpu_step *step, *end;
   uint64_t left;  /* times that the step is still to be walked, this one included */
   uint64_t turns; /* of the group ahead, taken so far */
};

static inline void vgpu_walk_begin(struct vgpu_walk *walk, const struct vgpu_step *steps, size_t count)
{
   *walk = (struct vgpu_walk){.step = steps, .end = steps + count, .left = steps->repeat};
}

/* To the next step; false at the end. */
static inline bool vgpu_walk_next(struct vgpu_walk *walk)
{
   if (--walk->left > 0) {
      return true;
   }
   walk->step++;
   while (walk->step < walk->end && !walk->step->first) {
      if (walk->turns < walk->step->repeat) {
         walk->turns++;
         walk->step -= walk->step->span;
      } else {
         walk->turns = 0;
         walk->step++;
      }
   }
   if (walk->step == walk->end) {
      return false;
   }
   walk->left = walk->step->repeat;
   return true;
}

#endif
