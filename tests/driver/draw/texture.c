/* SPDX-License-Identifier: MIT
 *
 * Cases of textures in fragment programs: the level of detail follows from the quad. The texture has no levels but what
 * the case draws into them by itself: it is the image of a first pass.
 */
#include "tests/driver/draw/draw.h"

static const float dark[4] = {0.1f, 0.05f, 0.2f, 1};

enum { SIDE = 64, LEVELS = 7 };

/* A checkerboard, each level in a colour of its own. */
static void fill(struct draw *draw, VkImage image, struct vulkan_buffer *buffer)
{
   uint8_t *texel = buffer->map;
   VkBufferImageCopy copies[LEVELS];
   VkDeviceSize at = 0;
   for (uint32_t level = 0; level < LEVELS; level++) {
      const uint32_t side = SIDE >> level;
      copies[level] = (VkBufferImageCopy){.bufferOffset = at,
                                          .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
                                          .imageExtent = {side, side, 1}};
      for (uint32_t i = 0; i < side * side; i++, at += 4) {
         const uint8_t on = (i / side / 4 + i % side / 4) & 1 ? 255 : 60;
         texel[at] = level & 1 ? on : 20;
         texel[at + 1] = level & 2 ? on : 40;
         texel[at + 2] = level & 4 ? on : (uint8_t)(255 - on);
         texel[at + 3] = 255;
      }
   }
   vkCmdCopyBufferToImage(draw->commands, buffer->buffer, image, VK_IMAGE_LAYOUT_GENERAL, LEVELS, copies);
   vulkan_barrier(draw->commands);
}

static VkImageView make_texture(struct draw *draw)
{
   VkDevice device = draw->vulkan.device;
   const VkImageCreateInfo create = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = VK_FORMAT_R8G8B8A8_UNORM,
                                     .extent = {SIDE, SIDE, 1},
                                     .mipLevels = LEVELS,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
   VkImage image;
   VkDeviceMemory memory;
   VkImageView made;
   VkMemoryRequirements needs;
   VK(vkCreateImage(device, &create, NULL, &image));
   vkGetImageMemoryRequirements(device, image, &needs);
   const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                            .allocationSize = needs.size,
                                            .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits)};
   VK(vkAllocateMemory(device, &allocation, NULL, &memory));
   VK(vkBindImageMemory(device, image, memory, 0));
   const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = create.format,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, LEVELS, 0, 1}};
   VK(vkCreateImageView(device, &view, NULL, &made));
   const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                         .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                         .image = image,
                                         .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, LEVELS, 0, 1}};
   vkCmdPipelineBarrier(draw->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                        NULL, 0, NULL, 1, &barrier);
   struct vulkan_buffer buffer = vulkan_buffer_create(&draw->vulkan, (size_t)SIDE * SIDE * 8);
   fill(draw, image, &buffer);
   return made;
}

/* Set 0, binding 0. */
static VkDescriptorSet make_set(struct draw *draw, VkImageView view, VkFilter filter, VkSamplerMipmapMode mode)
{
   VkDevice device = draw->vulkan.device;
   const VkSamplerCreateInfo create = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                       .magFilter = filter,
                                       .minFilter = filter,
                                       .mipmapMode = mode,
                                       .maxLod = VK_LOD_CLAMP_NONE};
   VkSampler sampler;
   VK(vkCreateSampler(device, &create, NULL, &sampler));
   const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                                                 VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
   const VkDescriptorSetLayoutCreateInfo layout = {
       .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
   VK(vkCreateDescriptorSetLayout(device, &layout, NULL, &draw->set_layout));
   const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                 .descriptorPool = draw->vulkan.descriptors,
                                                 .descriptorSetCount = 1,
                                                 .pSetLayouts = &draw->set_layout};
   VkDescriptorSet set;
   VK(vkAllocateDescriptorSets(device, &allocate, &set));
   const VkDescriptorImageInfo info = {sampler, view, VK_IMAGE_LAYOUT_GENERAL};
   const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = set,
                                       .descriptorCount = 1,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                       .pImageInfo = &info};
   vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
   return set;
}

/* number: 0 nearest of one level, 1 nearest, 2 linear, 3 trilinear. */
static void texture(struct draw *draw, const struct draw_case *one)
{
   const VkDescriptorSet set =
       make_set(draw, make_texture(draw), one->number >= 2 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                one->number == 3 ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST);
   VkPipeline pipeline = draw_pipeline_create(
       draw, &(struct draw_pipeline){.vertex = "floor.vert", .fragment = one->number ? "floor.frag" : "texel.frag"});
   draw_pass(draw, false, dark, NULL);
   draw_bind(draw, pipeline);
   vkCmdBindDescriptorSets(draw->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw->layout, 0, 1, &set, 0, NULL);
   vkCmdDraw(draw->commands, 6, 1, 0, 0);
   draw_pass_end(draw);
}

const struct draw_case draw_cases_texture[] = {
    {"texel", texture, .number = 0},
    {"texture_nearest", texture, .number = 1},
    {"texture_linear", texture, .number = 2},
    {"texture_trilinear", texture, .number = 3},
    {NULL, NULL, .width = 0},
};
