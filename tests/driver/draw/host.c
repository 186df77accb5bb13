/* SPDX-License-Identifier: MIT
 *
 * What the cases of main.c share: images, passes, and the way of the pixels to the host.
 */
#include "tests/driver/draw/draw.h"

static struct draw_target make_target(struct draw *draw, VkFormat format, VkImageUsageFlags usage,
                                      VkImageAspectFlags aspect, VkSampleCountFlagBits samples)
{
   struct draw_target target = {.format = format, .aspect = aspect};
   VkDevice device = draw->vulkan.device;
   const VkImageCreateInfo create = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = format,
                                     .extent = {draw->width, draw->height, 1},
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = samples,
                                     .tiling = VK_IMAGE_TILING_OPTIMAL,
                                     .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
   VkMemoryRequirements needs;
   VK(vkCreateImage(device, &create, NULL, &target.image));
   vkGetImageMemoryRequirements(device, target.image, &needs);
   const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                            .allocationSize = needs.size,
                                            .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits)};
   VK(vkAllocateMemory(device, &allocation, NULL, &target.memory));
   VK(vkBindImageMemory(device, target.image, target.memory, 0));
   const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = target.image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = format,
                                       .subresourceRange = {aspect, 0, 1, 0, 1}};
   VK(vkCreateImageView(device, &view, NULL, &target.view));
   return target;
}

struct vulkan_buffer draw_buffer_create(struct draw *draw, size_t size)
{
   struct vulkan_buffer buffer = {.size = size};
   VkDevice device = draw->vulkan.device;
   const VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = size,
                                      .usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT};
   VkMemoryRequirements needs;
   VK(vkCreateBuffer(device, &create, NULL, &buffer.buffer));
   vkGetBufferMemoryRequirements(device, buffer.buffer, &needs);
   const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                            .allocationSize = needs.size,
                                            .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits)};
   VK(vkAllocateMemory(device, &allocation, NULL, &buffer.memory));
   VK(vkBindBufferMemory(device, buffer.buffer, buffer.memory, 0));
   VK(vkMapMemory(device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &buffer.map));
   return buffer;
}

static void to_general(VkCommandBuffer commands, const struct draw_target *target)
{
   const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT,
                                         .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                         .image = target->image,
                                         .subresourceRange = {target->aspect, 0, 1, 0, 1}};
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                        NULL, 1, &barrier);
}

void draw_begin(struct draw *draw, const struct draw_case *one)
{
   draw->samples = one->samples ? (VkSampleCountFlagBits)one->samples : VK_SAMPLE_COUNT_1_BIT;
   draw->colour = make_target(draw, one->format ? one->format : VK_FORMAT_R8G8B8A8_UNORM,
                              VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT, VK_SAMPLE_COUNT_1_BIT);
   if (draw->samples > 1) {
      draw->multisampled = make_target(draw, draw->colour.format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                       VK_IMAGE_ASPECT_COLOR_BIT, draw->samples);
   }
   if (one->second) {
      draw->second = make_target(draw, one->second, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT,
                                 VK_SAMPLE_COUNT_1_BIT);
   }
   if (one->depth) {
      const bool stencil = one->depth == VK_FORMAT_D32_SFLOAT_S8_UINT;
      draw->depth = make_target(
          draw, one->depth, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
          VK_IMAGE_ASPECT_DEPTH_BIT | (stencil ? (VkImageAspectFlags)VK_IMAGE_ASPECT_STENCIL_BIT : 0), draw->samples);
   }
   draw->pixels = vulkan_buffer_create(&draw->vulkan, (size_t)draw->width * draw->height * 4);
   draw->commands = vulkan_begin(&draw->vulkan);
   to_general(draw->commands, &draw->colour);
   if (draw->samples > 1) {
      to_general(draw->commands, &draw->multisampled);
   }
   if (one->second) {
      to_general(draw->commands, &draw->second);
   }
   if (one->depth) {
      to_general(draw->commands, &draw->depth);
   }
}

void draw_pass(struct draw *draw, bool load, const float clear[4], const VkRect2D *area)
{
   const VkAttachmentLoadOp op = load ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR;
   VkRenderingAttachmentInfo colours[2];
   const VkRenderingAttachmentInfo colour = {
       .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
       .imageView = draw->samples > 1 ? draw->multisampled.view : draw->colour.view,
       .resolveMode = draw->samples > 1 ? VK_RESOLVE_MODE_AVERAGE_BIT : VK_RESOLVE_MODE_NONE,
       .resolveImageView = draw->samples > 1 ? draw->colour.view : VK_NULL_HANDLE,
       .resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL,
       .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
       .loadOp = op,
       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
       .clearValue = {.color = {.float32 = {clear[0], clear[1], clear[2], clear[3]}}}};
   const VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                            .imageView = draw->depth.view,
                                            .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                            .loadOp = op,
                                            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                            .clearValue = {.depthStencil = {1.0f, 0}}};
   colours[0] = colours[1] = colour;
   colours[1].imageView = draw->second.view;
   const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea = area ? *area : (VkRect2D){{0, 0}, {draw->width, draw->height}},
                                 .layerCount = 1,
                                 .colorAttachmentCount = draw->second.view ? 2 : 1,
                                 .pColorAttachments = colours,
                                 .pDepthAttachment = draw->depth.view ? &depth : NULL,
                                 .pStencilAttachment =
                                     draw->depth.aspect & VK_IMAGE_ASPECT_STENCIL_BIT ? &depth : NULL};
   vkCmdBeginRendering(draw->commands, &info);
}

void draw_pass_end(struct draw *draw)
{
   vkCmdEndRendering(draw->commands);
   vulkan_barrier(draw->commands);
}

VkResult draw_end(struct draw *draw)
{
   const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                   .imageExtent = {draw->width, draw->height, 1}};
   vkCmdCopyImageToBuffer(draw->commands, draw->colour.image, VK_IMAGE_LAYOUT_GENERAL, draw->pixels.buffer, 1, &copy);
   vulkan_barrier(draw->commands);
   return vulkan_end(&draw->vulkan, draw->commands);
}

static void destroy(struct draw *draw, struct draw_target *target)
{
   vkDestroyImageView(draw->vulkan.device, target->view, NULL);
   vkDestroyImage(draw->vulkan.device, target->image, NULL);
   vkFreeMemory(draw->vulkan.device, target->memory, NULL);
}

void draw_close(struct draw *draw)
{
   destroy(draw, &draw->colour);
   destroy(draw, &draw->depth);
   destroy(draw, &draw->multisampled);
   destroy(draw, &draw->second);
   vulkan_buffer_destroy(&draw->vulkan, &draw->pixels);
   vulkan_close(&draw->vulkan);
}
