/* SPDX-License-Identifier: MIT
 *
 * Images, buffers of texels, and samplers. Invariant: an image's contents go through the host's memory alone
 * (VK_EXT_host_image_copy), so that the jobs of a launch are those of the shader.
 */
#include <string.h>

#include "drivers/host/formats.h"
#include "drivers/host/vulkan.h"

#define ROW(name, element, count, reads, spirv, vulkan, order, type) VK_FORMAT_##vulkan,
static const VkFormat formats[] = {HOST_FORMATS(ROW)};
#undef ROW

/* Vulkan's types of each shape. layers: which of the three sizes counts layers; NO_LAYERS: none. */
#define NO_LAYERS 3u
static const struct {
   VkImageType type;
   VkImageViewType view;
   uint32_t sizes, layers;
   const char *text;
} shapes[HOST_SHAPES] = {
    [HOST_1D] = {VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, 1, NO_LAYERS, "WIDTH"},
    [HOST_1D_ARRAY] = {VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 2, 1, "WIDTH,LAYERS"},
    [HOST_2D] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 2, NO_LAYERS, "WIDTH,HEIGHT"},
    [HOST_2D_ARRAY] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 3, 2, "WIDTH,HEIGHT,LAYERS"},
    [HOST_3D] = {VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 3, NO_LAYERS, "WIDTH,HEIGHT,DEPTH"},
    [HOST_CUBE] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, 3, 2, "WIDTH,WIDTH,6"},
    [HOST_CUBE_ARRAY] = {VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 3, 2, "WIDTH,WIDTH,LAYERS"},
    [HOST_TEXELS] = {VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, 1, NO_LAYERS, "WIDTH"},
};

/* Vulkan leaves undefined what a shader reads from an image of another format than it declares. */
static bool check_image(struct vulkan *vulkan, const struct given *given, const struct spirv_binding *binding)
{
   const struct host_image *image = &given->image;
   const struct host_format *format = host_format(image->format);
   if (image->dimensions != shapes[binding->shape].sizes) {
      return vulkan_refuse(vulkan, HOST_NO_LAUNCH, "image %u.%u (%s) takes the sizes %s", binding->set,
                           binding->binding, binding->name, shapes[binding->shape].text);
   }
   if (binding->format != HOST_NO_FORMAT && binding->format != image->format) {
      return vulkan_refuse(vulkan, HOST_NO_LAUNCH, "image %u.%u (%s) is of format %s in the shader, and given as %s",
                           binding->set, binding->binding, binding->name, host_format(binding->format)->name,
                           format->name);
   }
   if (binding->reads != format->reads) {
      return vulkan_refuse(vulkan, HOST_NO_LAUNCH, "image %u.%u (%s) has %s in the shader, and %s has others",
                           binding->set, binding->binding, binding->name,
                           binding->reads == 'f'   ? "floats"
                           : binding->reads == 'i' ? "signed integers"
                                                   : "unsigned integers",
                           format->name);
   }
   const uint32_t layers = shapes[binding->shape].layers < NO_LAYERS ? image->size[shapes[binding->shape].layers] : 1;
   const bool cube = binding->shape == HOST_CUBE || binding->shape == HOST_CUBE_ARRAY;
   if (cube && (image->size[0] != image->size[1] || layers % 6 != 0 || (binding->shape == HOST_CUBE && layers != 6))) {
      return vulkan_refuse(vulkan, HOST_NO_LAUNCH, "image %u.%u (%s) is a cube: %s, in layers of six a cube",
                           binding->set, binding->binding, binding->name, shapes[binding->shape].text);
   }
   return true;
}

static VkImageCreateInfo image_info(const struct given *given, const struct spirv_binding *binding)
{
   const uint32_t *size = given->image.size, layers = shapes[binding->shape].layers;
   const bool cube = binding->shape == HOST_CUBE || binding->shape == HOST_CUBE_ARRAY;
   const VkImageUsageFlags usage =
       binding->kind == SPIRV_STORAGE_IMAGE ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
   return (VkImageCreateInfo){
       .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
       .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
       .imageType = shapes[binding->shape].type,
       .format = formats[given->image.format],
       .extent = {size[0], layers != 1 ? size[1] : 1, layers == NO_LAYERS ? size[2] : 1},
       .mipLevels = 1,
       .arrayLayers = layers < NO_LAYERS ? size[layers] : 1,
       .samples = VK_SAMPLE_COUNT_1_BIT,
       .tiling = VK_IMAGE_TILING_OPTIMAL,
       .usage = usage | HOST_COPY_USAGE,
   };
}

static bool make_view(struct vulkan *vulkan, struct given *given, const struct spirv_binding *binding)
{
   const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = given->on_device,
                                       .viewType = shapes[binding->shape].view,
                                       .format = formats[given->image.format],
                                       .subresourceRange = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                                            .levelCount = VK_REMAINING_MIP_LEVELS,
                                                            .layerCount = VK_REMAINING_ARRAY_LAYERS}};
   return vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkCreateImageView(vulkan->device, &info, NULL, &given->view),
                       "vkCreateImageView");
}

static bool move_to_general(struct vulkan *vulkan, const struct given *given)
{
   const struct host_copy_transition transition = {
       .type = (VkStructureType)HOST_COPY_TRANSITION,
       .image = given->on_device,
       .before = VK_IMAGE_LAYOUT_UNDEFINED,
       .after = VK_IMAGE_LAYOUT_GENERAL,
       .range = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .levelCount = 1, .layerCount = VK_REMAINING_ARRAY_LAYERS}};
   return vulkan_check(vulkan, HOST_NO_LAUNCH, vulkan->copy.transition(vulkan->device, 1, &transition),
                       "vkTransitionImageLayoutEXT");
}

bool vulkan_make_image(struct vulkan *vulkan, struct given *given, const struct spirv_binding *binding)
{
   VkMemoryRequirements needs;
   VkImageFormatProperties properties;
   VkDeviceMemory memory;
   if (!check_image(vulkan, given, binding)) {
      return false;
   }
   if (vulkan->copy.to_image == NULL || vulkan->copy.to_memory == NULL || vulkan->copy.transition == NULL) {
      return vulkan_refuse(vulkan, HOST_NO_LAUNCH,
                           "the driver does not offer " HOST_IMAGE_COPY_EXTENSION ", which images are given with");
   }
   const VkImageCreateInfo info = image_info(given, binding);
   if (vk.vkGetPhysicalDeviceImageFormatProperties(vulkan->physical, info.format, info.imageType, info.tiling,
                                                   info.usage, info.flags, &properties) != VK_SUCCESS) {
      return vulkan_refuse(vulkan, HOST_NO_LAUNCH, "image %u.%u (%s): the driver does not offer %s images of format %s",
                           binding->set, binding->binding, binding->name,
                           binding->kind == SPIRV_STORAGE_IMAGE ? "storage" : "sampled",
                           host_format(given->image.format)->name);
   }
   if (!vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkCreateImage(vulkan->device, &info, NULL, &given->on_device),
                     "vkCreateImage")) {
      return false;
   }
   vk.vkGetImageMemoryRequirements(vulkan->device, given->on_device, &needs);
   return vulkan_allocate(vulkan, &needs, false, &memory, NULL) &&
          vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkBindImageMemory(vulkan->device, given->on_device, memory, 0),
                       "vkBindImageMemory") &&
          make_view(vulkan, given, binding) && move_to_general(vulkan, given);
}

bool vulkan_make_texels(struct vulkan *vulkan, struct given *given, const struct spirv_binding *binding)
{
   const VkBufferUsageFlags usage = binding->kind == SPIRV_TEXELS ? VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT
                                                                  : VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
   if (!check_image(vulkan, given, binding) || !vulkan_make_buffer(vulkan, given, usage)) {
      return false;
   }
   const VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                        .buffer = given->buffer,
                                        .format = formats[given->image.format],
                                        .range = VK_WHOLE_SIZE};
   return vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkCreateBufferView(vulkan->device, &info, NULL, &given->texels),
                       "vkCreateBufferView");
}

bool vulkan_make_sampler(struct vulkan *vulkan, struct given *given)
{
   static const VkSamplerAddressMode modes[HOST_ADDRESSINGS] = {
       [HOST_CLAMP] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
       [HOST_REPEAT] = VK_SAMPLER_ADDRESS_MODE_REPEAT,
       [HOST_MIRROR] = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
       [HOST_BORDER] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
   };
   const struct host_sampler *sampler = &given->sampler;
   const VkSamplerAddressMode mode = modes[sampler->addressing % HOST_ADDRESSINGS];
   const VkFilter filter = sampler->linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
   const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                     .magFilter = filter,
                                     .minFilter = filter,
                                     .addressModeU = mode,
                                     .addressModeV = mode,
                                     .addressModeW = mode,
                                     .borderColor = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
                                     .unnormalizedCoordinates = sampler->unnormalized != 0};
   return vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkCreateSampler(vulkan->device, &info, NULL, &given->sampled_with),
                       "vkCreateSampler");
}

/* ---- Contents ---- */

static struct host_copy_region whole(const struct given *given, const struct spirv_binding *binding, uint32_t type,
                                     void *memory)
{
   const VkImageCreateInfo info = image_info(given, binding);
   return (struct host_copy_region){.type = (VkStructureType)type,
                                    .memory = memory,
                                    .layers = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .layerCount = info.arrayLayers},
                                    .extent = info.extent};
}

bool vulkan_write_image(struct vulkan *vulkan, const struct given *given, const struct spirv_binding *binding)
{
   const struct host_copy_region region = whole(given, binding, HOST_COPY_TO_IMAGE, (void *)(uintptr_t)given->bytes);
   const struct host_copy_info info = {.type = (VkStructureType)HOST_COPY_TO_IMAGE_INFO,
                                       .image = given->on_device,
                                       .layout = VK_IMAGE_LAYOUT_GENERAL,
                                       .region_count = 1,
                                       .regions = &region};
   return vulkan_check(vulkan, HOST_NO_LAUNCH, vulkan->copy.to_image(vulkan->device, &info), "vkCopyMemoryToImageEXT");
}

bool vulkan_read_image(struct vulkan *vulkan, const struct given *given, const struct spirv_binding *binding,
                       uint8_t *bytes)
{
   const struct host_copy_region region = whole(given, binding, HOST_COPY_TO_MEMORY, bytes);
   const struct host_copy_info info = {.type = (VkStructureType)HOST_COPY_TO_MEMORY_INFO,
                                       .image = given->on_device,
                                       .layout = VK_IMAGE_LAYOUT_GENERAL,
                                       .region_count = 1,
                                       .regions = &region};
   return vulkan_check(vulkan, HOST_NO_LAUNCH, vulkan->copy.to_memory(vulkan->device, &info), "vkCopyImageToMemoryEXT");
}
