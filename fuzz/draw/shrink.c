/* SPDX-License-Identifier: MIT
 *
 * Makes a scene smaller: groups of lines are left out, half of them first, then single ones, until no line can go.
 * Invariant: the scene fails at all times. A scene without a line that it needs is refused, which is no failure.
 */
#include "fuzz/draw/draw.h"

#include <string.h>

/* Copies the scene without the lines from `first` on. */
static void without(struct draw_scene *to, const struct draw_scene *from, uint32_t first, uint32_t count)
{
   uint32_t line = 0;
   to->length = to->lines = 0;
   for (uint32_t i = 0; i < from->length; i++) {
      const bool kept = line < first || line >= first + count;
      if (kept) {
         to->text[to->length++] = from->text[i];
      }
      if (from->text[i] == '\n') {
         to->lines += kept;
         line++;
      }
   }
   to->text[to->length] = '\0';
}

/* Returns whether a group of that many lines could go. */
static bool leave_out(struct draw_scene *scene, uint32_t count, fuzz_fails *fails, void *data)
{
   static struct draw_scene next;
   bool any = false;
   for (uint32_t first = scene->lines; first > 0;) { /* what is drawn last is least likely to be needed */
      const uint32_t now = first < count ? first : count;
      first -= now;
      without(&next, scene, first, now);
      if (next.lines > 0 && fails(&next, data)) {
         *scene = next;
         any = true;
      }
   }
   return any;
}

void draw_shrink(void *program, const struct fuzz_difference *difference, fuzz_fails *fails, void *data)
{
   struct draw_scene *scene = program;
   (void)difference;
   for (uint32_t count = scene->lines / 2; count > 1; count /= 2) {
      (void)leave_out(scene, count, fails, data);
   }
   while (leave_out(scene, 1, fails, data)) {
   }
}
