/* SPDX-License-Identifier: MIT
 *
 * Cases of triangles: one, and what the state makes of several.
 */
#include "tests/driver/draw/draw.h"

static const float grey[4] = {0.25f, 0.25f, 0.3f, 1};

static void triangle(struct draw *draw, const struct draw_case *one)
{
   (void)one;
   VkPipeline pipeline =
       draw_pipeline_create(draw, &(struct draw_pipeline){.vertex = "colour.vert", .fragment = "colour.frag"});
   draw_pass(draw, false, grey, NULL);
   draw_bind(draw, pipeline);
   vkCmdDraw(draw->commands, 3, 1, 0, 0);
   draw_pass_end(draw);
}

const struct draw_case draw_cases_triangle[] = {
    {"triangle", triangle, .width = 0},
    {NULL, NULL, .width = 0},
};
