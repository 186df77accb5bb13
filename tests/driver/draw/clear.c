/* SPDX-License-Identifier: MIT
 *
 * Cases of passes that clear, load and store, and draw nothing.
 */
#include "tests/driver/draw/draw.h"

static const float red[4] = {0.9f, 0.2f, 0.4f, 1}, blue[4] = {0.1f, 0.3f, 0.8f, 0.5f};

static void clear(struct draw *draw, const struct draw_case *one)
{
   (void)one;
   draw_pass(draw, false, red, NULL);
   draw_pass_end(draw);
}

/* A second pass that only clears a part: the rest is loaded. */
static void part(struct draw *draw, const struct draw_case *one)
{
   clear(draw, one);
   draw_pass(draw, false, blue, &(VkRect2D){{13, 21}, {50, 37}});
   draw_pass_end(draw);
}

const struct draw_case draw_cases_clear[] = {
    {"clear", clear, .width = 0},
    {"clear_srgb", clear, .format = VK_FORMAT_R8G8B8A8_SRGB},
    {"clear_bgra", clear, .format = VK_FORMAT_B8G8R8A8_UNORM},
    {"clear_rg16f", clear, .format = VK_FORMAT_R16G16_SFLOAT},
    {"clear_rgb10a2", clear, .format = VK_FORMAT_A2B10G10R10_UNORM_PACK32},
    {"clear_r32f", clear, .format = VK_FORMAT_R32_SFLOAT},
    {"clear_small", clear, .width = 7, .height = 3},
    {"clear_part", part, .width = 0},
    {NULL, NULL, .width = 0},
};
