/* SPDX-License-Identifier: MIT
 *
 * The path of a simdgroup: all that the timing model needs of its execution. A step is a run of blocks that fall
 * through from `first` to `last`, where a jump was taken or the program ended. Loops are compressed: equal consecutive
 * steps are one step with a count, and a group of steps that repeats is followed by a step that says how often.
 */
#ifndef VGPU_PATH_H
#define VGPU_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/timing/memory/accesses.h"

struct vgpu_block;

/* The struct has no padding, because arrays of steps are compared as bytes. */
struct vgpu_step {
   const struct vgpu_block *first, *last; /* both NULL: the previous `span` steps are repeated `repeat` more times */
   uint64_t repeat;                       /* how many times in a row */
   uint64_t span;                         /* 0 unless first is NULL; none of the repeated steps has a span itself */
};

struct vgpu_path {
   struct vgpu_step *steps;
   size_t count, capacity;
   size_t matched; /* steps of the last group that have been repeated so far */
   /* the run that is being counted, which is not among the steps yet; repeat 0: none */
   struct vgpu_step run;
   const struct vgpu_block *start; /* start of the step that is being recorded */
   struct vgpu_accesses accesses;  /* memory that the instructions of the steps accessed */
   bool out_of_memory;
};

void vgpu_path_begin(struct vgpu_path *path, const struct vgpu_block *entry);
/* Jumps from `last` to a block that does not follow it. */
void vgpu_path_jump(struct vgpu_path *path, const struct vgpu_block *last, const struct vgpu_block *to);
void vgpu_path_end(struct vgpu_path *path, const struct vgpu_block *last);
void vgpu_path_finish(struct vgpu_path *path);

/* A position in a path. */
struct vgpu_walk {
   const struct vgpu_step *step, *end;
   uint64_t left;  /* times that the step is still to be walked, including this one */
   uint64_t turns; /* repetitions of the enclosing group that are done */
};

static inline void vgpu_walk_begin(struct vgpu_walk *walk, const struct vgpu_step *steps, size_t count)
{
   *walk = (struct vgpu_walk){.step = steps, .end = steps + count, .left = steps->repeat};
}

/* Advances to the next step. Returns false at the end. */
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
