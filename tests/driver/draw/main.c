/* SPDX-License-Identifier: MIT
 *
 * Draws one case with a Vulkan driver and writes its pixels: draw SHADERS CASE OUTPUT | --list. OUTPUT gets rows of
 * four bytes a pixel. The same program draws with lavapipe, whose pixels are what drawing.py expects. Invariant: a case
 * has no answer of its own, and draws the same on every conformant driver but for rounding.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/driver/draw/draw.h"

static struct draw_case const *const lists[] = {draw_cases_clear, draw_cases_triangle, draw_cases_texture,
                                                draw_cases_query, NULL};

static const struct draw_case *find(const char *name)
{
   for (size_t list = 0; lists[list]; list++) {
      for (const struct draw_case *one = lists[list]; one->name; one++) {
         if (!strcmp(one->name, name)) {
            return one;
         }
      }
   }
   return NULL;
}

static int list_all(void)
{
   for (size_t list = 0; lists[list]; list++) {
      for (const struct draw_case *one = lists[list]; one->name; one++) {
         puts(one->name);
      }
   }
   return 0;
}

int main(int argc, char **argv)
{
   if (argc == 2 && !strcmp(argv[1], "--list")) {
      return list_all();
   }
   const struct draw_case *one = argc == 4 ? find(argv[2]) : NULL;
   if (!one) {
      fprintf(stderr, "draw SHADERS CASE OUTPUT | --list\n");
      return 2;
   }
   struct draw draw = {
       .shaders = argv[1], .width = one->width ? one->width : 128, .height = one->height ? one->height : 72};
   vulkan_open(&draw.vulkan);
   draw_begin(&draw, one);
   one->record(&draw, one);
   FILE *file = fopen(argv[3], "wb");
   if (!file || draw_end(&draw) != VK_SUCCESS ||
       fwrite(draw.pixels.map, 4, (size_t)draw.width * draw.height, file) != (size_t)draw.width * draw.height) {
      fprintf(stderr, "draw: %s was not drawn\n", one->name);
      return 1;
   }
   fclose(file);
   draw_close(&draw);
   return 0;
}
