/* SPDX-License-Identifier: MIT
 *
 * Cases of what a pass gives besides one image: occlusion queries, whose counts become the first texels of the picture,
 * and a second image, whose left half replaces that of the first one.
 */
#include "tests/driver/draw/draw.h"

static const float dark[4] = {0.1f, 0.05f, 0.2f, 1};

/* number: 1 counts exactly. */
static void query(struct draw *draw, const struct draw_case *one)
{
   const VkQueryPoolCreateInfo create = {
       .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_OCCLUSION, .queryCount = 2};
   VkQueryPool pool;
   VK(vkCreateQueryPool(draw->vulkan.device, &create, NULL, &pool));
   struct vulkan_buffer counts = vulkan_buffer_create(&draw->vulkan, 16);
   VkPipeline pipeline =
       draw_pipeline_create(draw, &(struct draw_pipeline){.vertex = "colour.vert", .fragment = "discard.frag"});
   const VkRect2D part = {{30, 20}, {50, 30}};
   vkCmdResetQueryPool(draw->commands, pool, 0, 2);
   draw_pass(draw, false, dark, NULL);
   draw_bind(draw, pipeline);
   vkCmdBeginQuery(draw->commands, pool, 0, one->number ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
   vkCmdSetScissor(draw->commands, 0, 1, &part);
   vkCmdDraw(draw->commands, 3, 1, 0, 0);
   vkCmdEndQuery(draw->commands, pool, 0);
   draw_bind(draw, pipeline);
   vkCmdBeginQuery(draw->commands, pool, 1, one->number ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
   vkCmdDraw(draw->commands, 3, 1, 0, 0); /* no nearer than the first */
   vkCmdEndQuery(draw->commands, pool, 1);
   draw_pass_end(draw);
   vkCmdCopyQueryPoolResults(draw->commands, pool, 0, 2, counts.buffer, 0, 8,
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
   vulkan_barrier(draw->commands);
   const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {4, 1, 1}};
   vkCmdCopyBufferToImage(draw->commands, counts.buffer, draw->colour.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
   vulkan_barrier(draw->commands);
}

/* number: 1 blends. */
static void targets(struct draw *draw, const struct draw_case *one)
{
   VkPipeline pipeline = draw_pipeline_create(
       draw, &(struct draw_pipeline){.vertex = "colour.vert", .fragment = "targets.frag", .blend = one->number != 0});
   draw_pass(draw, false, dark, NULL);
   draw_bind(draw, pipeline);
   vkCmdDraw(draw->commands, 3, 1, 0, 0);
   draw_pass_end(draw);
   const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
   const VkImageCopy copy = {
       .srcSubresource = layers, .dstSubresource = layers, .extent = {draw->width / 2, draw->height, 1}};
   vkCmdCopyImage(draw->commands, draw->second.image, VK_IMAGE_LAYOUT_GENERAL, draw->colour.image,
                  VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
   vulkan_barrier(draw->commands);
}

const struct draw_case draw_cases_query[] = {
    {"query_count", query, .depth = VK_FORMAT_D32_SFLOAT, .number = 1},
    {"targets", targets, .second = VK_FORMAT_R8G8B8A8_UNORM},
    {"targets_blend", targets, .second = VK_FORMAT_R8G8B8A8_UNORM, .number = 1},
    {NULL, NULL, .width = 0},
};
