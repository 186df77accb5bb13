/* SPDX-License-Identifier: MIT
 *
 * Records the path of a simdgroup and compresses its loops. Invariant: walking the path visits the recorded blocks in
 * their order, however it was compressed.
 */
#include "vgpu/timing/path/path.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define MAX_SPAN 8u /* most steps of a repeated group that is recognized */
/* most steps of a path: a program that never repeats itself fails here, before it fills memory */
#define MAX_STEPS (1u << 24)

static bool same(const struct vgpu_step *a, const struct vgpu_step *b, size_t count)
{
   return !memcmp(a, b, count * sizeof(*a));
}

static void append(struct vgpu_path *path, struct vgpu_step step)
{
   if (path->count == MAX_STEPS || !ARRAY_RESERVE(path->steps, path->capacity, path->count + 1)) {
      path->out_of_memory = true;
      return;
   }
   path->steps[path->count++] = step;
}

/* Returns the group that the last step repeats, or NULL if that is an ordinary step. */
static const struct vgpu_step *last_group(const struct vgpu_path *path)
{
   const struct vgpu_step *last = path->count ? &path->steps[path->count - 1] : NULL;
   return last && !last->first ? last - last->span : NULL;
}

/* Expands a repetition that began but ended differently. */
static void spell_out(struct vgpu_path *path)
{
   size_t at = path->matched ? (size_t)(last_group(path) - path->steps) : 0;
   for (; path->matched > 0; path->matched--, at++) {
      append(path, path->steps[at]);
   }
}

/* Turns the last steps into a repeated group if they occur twice. */
static void fold(struct vgpu_path *path)
{
   for (size_t span = 2; span <= MAX_SPAN && 2 * span <= path->count; span++) {
      const struct vgpu_step *last = path->steps + path->count - span;
      if (!last->first || !(last - span)->first) {
         return; /* groups do not contain groups */
      }
      if (same(last - span, last, span)) {
         path->count -= span;
         append(path, (struct vgpu_step){.repeat = 1, .span = span});
         return;
      }
   }
}

static void commit(struct vgpu_path *path)
{
   if (path->run.repeat == 0 || path->out_of_memory) {
      return;
   }
   const struct vgpu_step *group = last_group(path);
   if (group && same(&group[path->matched], &path->run, 1)) {
      if (++path->matched == path->steps[path->count - 1].span) {
         path->steps[path->count - 1].repeat++;
         path->matched = 0;
      }
      return;
   }
   spell_out(path);
   append(path, path->run);
   fold(path);
}

static void count_step(struct vgpu_path *path, const struct vgpu_block *last)
{
   if (path->run.first == path->start && path->run.last == last) {
      path->run.repeat++;
      return;
   }
   commit(path);
   path->run = (struct vgpu_step){.first = path->start, .last = last, .repeat = 1};
}

void vgpu_path_begin(struct vgpu_path *path, const struct vgpu_block *entry)
{
   path->count = 0;
   path->matched = 0;
   path->run = (struct vgpu_step){0};
   path->start = entry;
   path->accesses.count = 0;
}

void vgpu_path_jump(struct vgpu_path *path, const struct vgpu_block *last, const struct vgpu_block *to)
{
   count_step(path, last);
   path->start = to;
}

void vgpu_path_end(struct vgpu_path *path, const struct vgpu_block *last)
{
   count_step(path, last);
   commit(path);
   spell_out(path);
}

void vgpu_path_finish(struct vgpu_path *path)
{
   free(path->steps);
   vgpu_accesses_finish(&path->accesses);
}
