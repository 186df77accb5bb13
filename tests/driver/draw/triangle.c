/* SPDX-License-Identifier: MIT
 *
 * Cases of triangles: one, and what the state makes of several.
 */
#include <string.h>

#include "tests/driver/draw/draw.h"

static const float grey[4] = {0.25f, 0.25f, 0.3f, 1};

/* Push constants of the shaders. */
struct push {
   float scale[4], move[4]; /* of positions */
   float colour[4];
   float other[4];
};
static const struct push plain = {.scale = {1, 1, 1, 1}, .colour = {1, 1, 1, 1}};

static void push(struct draw *draw, const struct push *constants)
{
   vkCmdPushConstants(draw->commands, draw->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                      sizeof(*constants), constants);
}

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

/* ---- Vertex buffers ---- */

struct vertex {
   float at[4], colour[4];
};

/* What a case draws. */
struct mesh {
   struct draw_pipeline pipeline;
   unsigned indices; /* 0: not indexed */
   bool wide, deep;
   bool centred; /* corners are pixel centres: edges go through others */
   unsigned instances, first, base;
};

/* Vertices that a seed moves, on a grid of so many columns. */
static struct vulkan_buffer make_vertices(struct draw *draw, unsigned count, unsigned columns, uint32_t seed,
                                          const struct mesh *mesh)
{
   struct vulkan_buffer buffer = draw_buffer_create(draw, count * sizeof(struct vertex));
   struct vertex *vertices = buffer.map;
   for (unsigned i = 0; i < count; i++) {
      float random[6];
      for (unsigned k = 0; k < 6; k++) {
         seed = seed * 1664525u + 1013904223u;
         random[k] = (float)(seed >> 8) / (float)(1u << 24);
      }
      const float w = mesh->deep ? 0.5f + 2 * random[2] : 1;
      float x = ((float)(i % columns) + 0.6f * random[0]) / ((float)columns * 0.55f) - 0.95f;
      float y = ((float)(i / columns) + 0.6f * random[1]) / ((float)((count + columns - 1) / columns) * 0.55f) - 0.95f;
      if (mesh->centred) { /* 128 x 72 pixels */
         x = ((float)(i % columns * 20 + i / columns * 3) + 5.5f) / 64 - 1;
         y = ((float)(i / columns * 17 + i % columns * 2) + 4.5f) / 36 - 1;
      }
      vertices[i] = (struct vertex){{x * w, y * w, random[3] * w, w},
                                    {random[3], random[4], random[5], 0.25f + 0.5f * random[0]}};
   }
   return buffer;
}

static struct vulkan_buffer make_indices(struct draw *draw, unsigned count, unsigned vertices, bool restart, bool wide)
{
   struct vulkan_buffer buffer = draw_buffer_create(draw, count * 4);
   for (unsigned i = 0; i < count; i++) {
      const bool cut = restart && i % 7 == 6;
      const uint32_t index = (i * 5 + i / 3) % vertices;
      if (wide) {
         ((uint32_t *)buffer.map)[i] = cut ? UINT32_MAX : index;
      } else {
         ((uint16_t *)buffer.map)[i] = (uint16_t)(cut ? UINT16_MAX : index);
      }
   }
   return buffer;
}

/* What a case draws from a vertex buffer; `number` of the case is its index here. */
enum { COUNT = 24 };
/* Of triangles that face away, in the case with two sides. */
static const VkStencilOpState of_back = {VK_STENCIL_OP_INCREMENT_AND_WRAP,
                                         VK_STENCIL_OP_ZERO,
                                         VK_STENCIL_OP_KEEP,
                                         VK_COMPARE_OP_GREATER_OR_EQUAL,
                                         0x0f,
                                         0xff,
                                         3};

static const struct mesh meshes[] = {
    [0] = {.pipeline = {.topology = 0}},
    [1] = {.pipeline = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP}},
    [2] = {.pipeline = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN}},
    [3] = {.pipeline = {.topology = 0}, .indices = 36},
    [4] = {.pipeline = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .restart = true}, .indices = 40},
    [5] = {.pipeline = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .restart = true},
           .indices = 40,
           .wide = true},
    [6] = {.pipeline = {.topology = 0, .cull = VK_CULL_MODE_BACK_BIT}},
    [7] = {.pipeline = {.topology = 0, .cull = VK_CULL_MODE_FRONT_BIT}},
    [8] = {.pipeline = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                        .cull = VK_CULL_MODE_BACK_BIT,
                        .front = VK_FRONT_FACE_CLOCKWISE}},
    [9] = {.pipeline = {.topology = 0}, .deep = true},
    [10] = {.pipeline = {.topology = 0}, .instances = 3},
    [11] = {.pipeline = {.topology = 0}, .first = 3},
    [12] = {.pipeline = {.topology = 0}, .indices = 30, .base = 4},
    [13] = {.pipeline = {.topology = 0, .blend = true}, .deep = true},
    [14] = {.pipeline = {.topology = 0, .mask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_B_BIT}},
    [15] = {.pipeline = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                         .fragment = "flat.frag",
                         .vertex = "flat.vert"}},
    [16] = {.pipeline = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,
                         .fragment = "flat.frag",
                         .vertex = "flat.vert"}},
    [17] = {.pipeline = {.topology = 0, .fragment = "linear.frag", .vertex = "linear.vert"}, .deep = true},
    [18] = {.pipeline = {.topology = 0, .fragment = "discard.frag"}},
    [19] = {.pipeline = {.topology = 0, .fragment = "derive.frag"}, .deep = true},
    [20] = {.pipeline = {.topology = 0, .fragment = "coordinate.frag"}, .deep = true},
    [21] = {.pipeline = {.topology = 0, .fragment = "facing.frag"}},
    [22] = {.pipeline = {.topology = 0, .fragment = "depth.frag"}, .deep = true},
    [23] = {.pipeline = {.topology = 0, .bias = true}, .deep = true},
    [24] = {.pipeline = {.topology = 0, .compare = VK_COMPARE_OP_LESS_OR_EQUAL, .no_depth_write = true}, .deep = true},
    [25] = {.pipeline = {.topology = 0,
                         .stencil = true,
                         .stencil_state = {VK_STENCIL_OP_INVERT, VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                           VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_EQUAL, 0xff, 0xff, 0}},
            .deep = true},
    [26] = {.pipeline = {.topology = 0, .vertex = "clip.vert"}, .deep = true},
    [27] = {.pipeline = {.topology = 0, .depth_clamp = true, .compare = VK_COMPARE_OP_LESS_OR_EQUAL}, .deep = true},
    [28] = {.pipeline = {.topology = 0}, .deep = true},
    [32] = {.pipeline = {.topology = 0, .blend = true}, .indices = 36, .centred = true},
    [29] = {.pipeline = {.list_is_points = true, .vertex = "point.vert", .fragment = "point.frag"}, .deep = true},
    [33] = {.pipeline = {.topology = 0,
                         .stencil = true,
                         .stencil_state = {VK_STENCIL_OP_INVERT, VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                           VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_EQUAL, 0xff, 0xff, 0},
                         .stencil_back = &of_back},
            .deep = true},
    [30] = {.pipeline = {.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST}},
    [31] = {.pipeline = {.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP}},
};

static void draw_mesh(struct draw *draw, const struct mesh *mesh, const struct push *constants, uint32_t seed)
{
   struct draw_pipeline from = mesh->pipeline;
   from.attributes = true;
   from.vertex = from.vertex ? from.vertex : "mesh.vert";
   from.fragment = from.fragment ? from.fragment : "colour.frag";
   VkPipeline pipeline = draw_pipeline_create(draw, &from);
   struct vulkan_buffer vertices = make_vertices(draw, COUNT, 6, seed, mesh);
   const VkDeviceSize start = 0;
   const unsigned instances = mesh->instances ? mesh->instances : 1;
   draw_bind(draw, pipeline);
   push(draw, constants);
   vkCmdBindVertexBuffers(draw->commands, 0, 1, &vertices.buffer, &start);
   if (mesh->indices) {
      struct vulkan_buffer indices = make_indices(draw, mesh->indices, COUNT - mesh->base, from.restart, mesh->wide);
      vkCmdBindIndexBuffer(draw->commands, indices.buffer, 0, mesh->wide ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16);
      vkCmdDrawIndexed(draw->commands, mesh->indices, instances, 0, (int32_t)mesh->base, 0);
   } else {
      vkCmdDraw(draw->commands, COUNT - mesh->first, instances, mesh->first, 0);
   }
}

static void mesh(struct draw *draw, const struct draw_case *one)
{
   draw_pass(draw, false, grey, NULL);
   draw_mesh(draw, &meshes[one->number], &plain, 17u + (uint32_t)one->number);
   draw_pass_end(draw);
}

/* Two meshes one over the other, then a second pass that goes on with what was stored. */
static void layers(struct draw *draw, const struct draw_case *one)
{
   struct push small = plain;
   draw_pass(draw, false, grey, NULL);
   draw_mesh(draw, &meshes[one->number], &plain, 3);
   draw_mesh(draw, &meshes[one->number], &plain, 4);
   draw_pass_end(draw);
   small.scale[0] = small.scale[1] = 0.7f;
   draw_pass(draw, true, grey, NULL);
   draw_mesh(draw, &meshes[one->number], &small, 5);
   draw_pass_end(draw);
}

/* Larger than the screen on all sides, and behind the eye. */
static void clipped(struct draw *draw, const struct draw_case *one)
{
   struct push large = plain;
   if (one->number == 9) {
      large.move[3] = -0.8f; /* some w are negative */
   } else if (one->number >= 27) {
      large.move[2] = 0.8f; /* some depths lie behind the far plane */
   } else {
      large.scale[0] = large.scale[1] = 300; /* beyond the guard band */
   }
   draw_pass(draw, false, grey, NULL);
   draw_mesh(draw, &meshes[one->number], &large, 11);
   draw_pass_end(draw);
}

static void scissors(struct draw *draw, const struct draw_case *one)
{
   const VkRect2D scissor = {{17, 9}, {61, 40}};
   const VkViewport viewport = {10, 5, 100, 50, 0.2f, 0.9f};
   VkPipeline pipeline =
       draw_pipeline_create(draw, &(struct draw_pipeline){.vertex = "colour.vert", .fragment = "colour.frag"});
   draw_pass(draw, false, grey, NULL);
   draw_bind(draw, pipeline);
   if (one->number) {
      vkCmdSetViewport(draw->commands, 0, 1, &viewport);
   } else {
      vkCmdSetScissor(draw->commands, 0, 1, &scissor);
   }
   vkCmdDraw(draw->commands, 3, 1, 0, 0);
   draw_pass_end(draw);
}

#define DEPTH .depth = VK_FORMAT_D32_SFLOAT
#define STENCIL .depth = VK_FORMAT_D32_SFLOAT_S8_UINT
const struct draw_case draw_cases_triangle[] = {
    {"triangle", triangle, .width = 0},
    {"triangle_bgra", triangle, .format = VK_FORMAT_B8G8R8A8_UNORM},
    {"triangle_srgb", triangle, .format = VK_FORMAT_R8G8B8A8_SRGB},
    {"triangle_large", triangle, .width = 700, .height = 390},
    {"scissor", scissors, .number = 0},
    {"viewport", scissors, .number = 1},
    {"list", mesh, .number = 0},
    {"strip", mesh, .number = 1},
    {"fan", mesh, .number = 2},
    {"indexed", mesh, .number = 3},
    {"restart16", mesh, .number = 4},
    {"restart32", mesh, .number = 5},
    {"cull_back", mesh, .number = 6},
    {"cull_front", mesh, .number = 7},
    {"cull_strip", mesh, .number = 8},
    {"perspective", mesh, .number = 9},
    {"instanced", mesh, .number = 10},
    {"first_vertex", mesh, .number = 11},
    {"base_vertex", mesh, .number = 12},
    {"write_mask", mesh, .number = 14},
    {"flat_strip", mesh, .number = 15},
    {"flat_fan", mesh, .number = 16},
    {"linear", mesh, .number = 17},
    {"discard", mesh, .number = 18},
    {"derivatives", mesh, .number = 19},
    {"coordinates", mesh, .number = 20},
    {"facing", mesh, .number = 21},
    {"clip_distance", mesh, .number = 26},
    {"edges", mesh, .number = 32},
    {"points", mesh, .number = 29},
    {"lines", mesh, .number = 30},
    {"line_strip", mesh, .number = 31},
    {"blend", layers, .number = 13},
    {"large_triangles", clipped, .number = 2},
    {"behind", clipped, .number = 9},
    {"depth", layers, .number = 9, DEPTH},
    {"depth16", layers, .number = 9, .depth = VK_FORMAT_D16_UNORM},
    {"depth_large", layers, .number = 9, DEPTH, .width = 300, .height = 200},
    {"depth_discard", layers, .number = 18, DEPTH},
    {"depth_written", layers, .number = 22, DEPTH},
    {"depth_bias", layers, .number = 23, DEPTH},
    {"depth_not_written", layers, .number = 24, DEPTH},
    {"depth_clamp", clipped, .number = 27, DEPTH},
    {"depth_clip", clipped, .number = 28, DEPTH},
    {"stencil", layers, .number = 25, STENCIL},
    {"stencil_two_sided", layers, .number = 33, STENCIL},
    {"samples4", mesh, .number = 1, .samples = 4},
    {"samples4_depth", layers, .number = 9, .samples = 4, DEPTH},
    {"samples4_blend", layers, .number = 13, .samples = 4},
    {NULL, NULL, .width = 0},
};
