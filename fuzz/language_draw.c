/* SPDX-License-Identifier: MIT
 *
 * Scenes for an OpenGL driver (fuzz --mesa): what is right is what llvmpipe draws, so nothing is evaluated here.
 */
#include "fuzz/draw/draw.h"
#include "fuzz/language.h"

static void generate(void *program, const struct fuzz_settings *settings, uint64_t index, uint64_t seed)
{
   (void)settings;
   (void)index;
   draw_generate(program, seed);
}

static bool evaluate(void *program, union fuzz_expected *expected)
{
   (void)program;
   (void)expected;
   return true;
}

static void write_scene(FILE *file, const void *program, const union fuzz_expected *expected, const char *title)
{
   const struct draw_scene *scene = program;
   (void)expected;
   fprintf(file, "# %s\n%s", title, scene->text);
}

const struct language language_draw = {
    .name = "draw",
    .title = "scenes",
    .prefix = "scene: ",
    .suffix = ".scene",
    .bytes = sizeof(struct draw_scene),
    .generate = generate,
    .evaluate = evaluate,
    .shrink = draw_shrink,
    .write = write_scene,
};
