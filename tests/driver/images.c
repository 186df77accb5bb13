/* SPDX-License-Identifier: MIT
 *
 * Images in compute, through Vulkan: copies, samplers, storage images. images.py runs it with two drivers and compares
 * what it prints: a line "case NAME RULE", then the words that the case left. RULE: how the answers may differ.
 *
 *   images SHADERS [--driver ICD.json] [PART-OF-A-NAME...]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/driver/vulkan.h"

#define LAYOUT VK_IMAGE_LAYOUT_GENERAL
#define BUFFER_BYTES (1u << 20)

static const char *shaders;
static char **chosen;
static int chosen_count;

static bool is_chosen(const char *name)
{
   bool any = chosen_count == 0;
   for (int i = 0; i < chosen_count; i++) {
      any |= strstr(name, chosen[i]) != NULL;
   }
   return any;
}

/* ---- Formats and their data ---- */

enum data { ANY, SMALL_FLOATS, SHARED_EXPONENT, HALVES, FLOATS, DEPTHS };
static const struct format {
   const char *name;
   VkFormat format;
   unsigned bytes;
   enum data data;
} formats[] = {
    {"r8", VK_FORMAT_R8_UNORM, 1, ANY},
    {"r16ui", VK_FORMAT_R16_UINT, 2, ANY},
    {"r16", VK_FORMAT_R16_UNORM, 2, ANY},
    {"rg8", VK_FORMAT_R8G8_UNORM, 2, ANY},
    {"r5g6b5", VK_FORMAT_R5G6B5_UNORM_PACK16, 2, ANY},
    {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, 4, ANY},
    {"bgra8", VK_FORMAT_B8G8R8A8_UNORM, 4, ANY},
    {"srgba8", VK_FORMAT_R8G8B8A8_SRGB, 4, ANY},
    {"rgb10a2", VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, ANY},
    {"rg11b10f", VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, SMALL_FLOATS},
    {"rgb9e5", VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4, SHARED_EXPONENT},
    {"rg16f", VK_FORMAT_R16G16_SFLOAT, 4, HALVES},
    {"r32ui", VK_FORMAT_R32_UINT, 4, ANY},
    {"rgba16", VK_FORMAT_R16G16B16A16_UNORM, 8, ANY},
    {"rg32ui", VK_FORMAT_R32G32_UINT, 8, ANY},
    {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT, 16, FLOATS},
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static const struct format *find_format(const char *name)
{
   const struct format *found = NULL;
   for (size_t i = 0; i < FORMATS; i++) {
      found = strcmp(formats[i].name, name) ? found : &formats[i];
   }
   return found;
}

static uint32_t state;

static uint32_t draw(void)
{
   state = state * 1664525u + 1013904223u;
   return state >> 8 ^ state << 13;
}

/* Numbers, not NaN; so that a copy may go through a conversion and back. */
static uint32_t draw_word(enum data data)
{
   const uint32_t bits = draw();
   const float value = (float)(bits & 0xffff) / 16384 - 2;
   uint32_t word;
   switch (data) {
   case SMALL_FLOATS:
      return bits & ~(1u << 10 | 1u << 21 | 1u << 31);
   case SHARED_EXPONENT:
      return bits | 256;
   case HALVES:
      return bits & 0xbbffbbff;
   case FLOATS:
      memcpy(&word, &value, sizeof(word));
      return word;
   default:
      return bits;
   }
}

static const struct format depths[] = {{"d32f", VK_FORMAT_D32_SFLOAT, 4, DEPTHS},
                                       {"d16", VK_FORMAT_D16_UNORM, 2, DEPTHS}};

static void fill_depths(void *bytes, const struct format *format, size_t size)
{
   for (size_t i = 0; i < size / format->bytes; i++) {
      const float value = (float)(draw() & 1023) / 1023;
      if (format->bytes == 4) {
         memcpy((char *)bytes + 4 * i, &value, 4);
      } else {
         ((uint16_t *)bytes)[i] = (uint16_t)lrintf(value * 65535);
      }
   }
}

static void fill(void *bytes, size_t size, const struct format *format)
{
   if (format->data == DEPTHS) {
      fill_depths(bytes, format, size);
      return;
   }
   for (size_t i = 0; i < size / 4; i++) {
      const uint32_t word = draw_word(format->data);
      memcpy((char *)bytes + 4 * i, &word, 4);
   }
}

/* ---- Images ---- */

struct shape {
   const char *name;
   VkImageType type;
   uint32_t width, height, depth, layers, levels;
   VkImageViewType view;
   VkImageUsageFlags usage;
};

#define PLAIN (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)
static const struct shape shapes[] = {
    {"2d", VK_IMAGE_TYPE_2D, 37, 19, 1, 1, 1, VK_IMAGE_VIEW_TYPE_2D, PLAIN},
    {"large", VK_IMAGE_TYPE_2D, 150, 70, 1, 1, 1, VK_IMAGE_VIEW_TYPE_2D, PLAIN},
    {"target", VK_IMAGE_TYPE_2D, 70, 45, 1, 1, 1, VK_IMAGE_VIEW_TYPE_2D, PLAIN | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT},
    {"layers", VK_IMAGE_TYPE_2D, 33, 21, 1, 5, 1, VK_IMAGE_VIEW_TYPE_2D_ARRAY, PLAIN},
    {"levels", VK_IMAGE_TYPE_2D, 45, 26, 1, 1, 5, VK_IMAGE_VIEW_TYPE_2D, PLAIN},
    {"both", VK_IMAGE_TYPE_2D, 24, 40, 1, 3, 4, VK_IMAGE_VIEW_TYPE_2D_ARRAY, PLAIN},
    {"3d", VK_IMAGE_TYPE_3D, 12, 9, 7, 1, 1, VK_IMAGE_VIEW_TYPE_3D, PLAIN},
    {"1d", VK_IMAGE_TYPE_1D, 50, 1, 1, 1, 1, VK_IMAGE_VIEW_TYPE_1D, PLAIN},
    {"cube", VK_IMAGE_TYPE_2D, 16, 16, 1, 6, 3, VK_IMAGE_VIEW_TYPE_CUBE, PLAIN},
    {"cubes", VK_IMAGE_TYPE_2D, 8, 8, 1, 12, 1, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, PLAIN},
};

static const struct shape *find_shape(const char *name)
{
   const struct shape *found = NULL;
   for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
      found = strcmp(shapes[i].name, name) ? found : &shapes[i];
   }
   return found;
}

struct picture {
   const struct shape *shape;
   const struct format *format;
   VkImage image;
   VkDeviceMemory memory;
   VkImageView view;
};

static bool supported(struct vulkan *vulkan, const struct shape *shape, VkFormat format)
{
   VkImageFormatProperties properties;
   return vkGetPhysicalDeviceImageFormatProperties(vulkan->physical, format, shape->type, VK_IMAGE_TILING_OPTIMAL,
                                                   shape->usage, 0, &properties) == VK_SUCCESS;
}

static VkImageAspectFlags aspect(const struct format *format)
{
   return format->data == DEPTHS ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

static VkImageSubresourceRange whole(const struct picture *picture)
{
   return (VkImageSubresourceRange){aspect(picture->format), 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
}

static struct picture picture_create(struct vulkan *vulkan, const struct shape *shape, const struct format *format)
{
   struct picture picture = {.shape = shape, .format = format};
   const bool cube = shape->view == VK_IMAGE_VIEW_TYPE_CUBE || shape->view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
   const VkImageCreateInfo create = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                                     .imageType = shape->type,
                                     .format = format->format,
                                     .extent = {shape->width, shape->height, shape->depth},
                                     .mipLevels = shape->levels,
                                     .arrayLayers = shape->layers,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .tiling = VK_IMAGE_TILING_OPTIMAL,
                                     .usage = shape->usage};
   VkMemoryRequirements needs;
   VK(vkCreateImage(vulkan->device, &create, NULL, &picture.image));
   vkGetImageMemoryRequirements(vulkan->device, picture.image, &needs);
   const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                            .allocationSize = needs.size,
                                            .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits)};
   VK(vkAllocateMemory(vulkan->device, &allocation, NULL, &picture.memory));
   VK(vkBindImageMemory(vulkan->device, picture.image, picture.memory, 0));
   if (shape->usage & (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT)) {
      const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                          .image = picture.image,
                                          .viewType = shape->view,
                                          .format = format->format,
                                          .subresourceRange = whole(&picture)};
      VK(vkCreateImageView(vulkan->device, &view, NULL, &picture.view));
   }
   return picture;
}

static void picture_destroy(struct vulkan *vulkan, struct picture *picture)
{
   vkDestroyImageView(vulkan->device, picture->view, NULL);
   vkDestroyImage(vulkan->device, picture->image, NULL);
   vkFreeMemory(vulkan->device, picture->memory, NULL);
}

static void general(VkCommandBuffer commands, const struct picture *picture)
{
   const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                         .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                         .newLayout = LAYOUT,
                                         .image = picture->image,
                                         .subresourceRange = whole(picture)};
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                        NULL, 1, &barrier);
}

static uint32_t at_level(uint32_t size, uint32_t level)
{
   return size >> level ? size >> level : 1;
}

/* One region for each level: all of it. Returns the bytes in the buffer. */
static size_t make_regions(const struct picture *picture, VkBufferImageCopy *regions)
{
   const struct shape *shape = picture->shape;
   size_t offset = 0;
   for (uint32_t level = 0; level < shape->levels; level++) {
      const VkExtent3D extent = {at_level(shape->width, level), at_level(shape->height, level),
                                 at_level(shape->depth, level)};
      regions[level] = (VkBufferImageCopy){.bufferOffset = offset,
                                           .imageSubresource = {aspect(picture->format), level, 0, shape->layers},
                                           .imageExtent = extent};
      offset += (size_t)extent.width * extent.height * extent.depth * shape->layers * picture->format->bytes;
      offset = (offset + 15) / 16 * 16;
   }
   return offset;
}

static void print_words(const void *bytes, size_t size)
{
   for (size_t i = 0; i < size / 4; i++) {
      uint32_t word;
      memcpy(&word, (const char *)bytes + 4 * i, 4);
      printf("%08x%c", word, i % 16 == 15 || i + 1 == size / 4 ? '\n' : ' ');
   }
}

static void begin_case(const char *name, const char *rule)
{
   printf("case %s %s\n", name, rule);
   fflush(stdout);
   state = 12345;
}

/* The device's pipelines and sets go after each case. */
static void end_case(struct vulkan *vulkan)
{
   vulkan_reset(vulkan);
}

/* ---- Copies ---- */

/* From a buffer to an image, to another one, and back into a buffer; the last two in parts, too. */
static void copy_case(struct vulkan *vulkan, const struct shape *shape, const struct format *format)
{
   char name[64];
   snprintf(name, sizeof(name), "copy-%s-%s", shape->name, format->name);
   if (!is_chosen(name) || !supported(vulkan, shape, format->format)) {
      return;
   }
   begin_case(name, "exact");
   struct vulkan_buffer from = vulkan_buffer_create(vulkan, BUFFER_BYTES),
                        to = vulkan_buffer_create(vulkan, BUFFER_BYTES);
   struct picture first = picture_create(vulkan, shape, format), second = picture_create(vulkan, shape, format);
   VkBufferImageCopy regions[16];
   const size_t size = make_regions(&first, regions);
   fill(from.map, size, format);
   VkCommandBuffer commands = vulkan_begin(vulkan);
   general(commands, &first);
   general(commands, &second);
   vkCmdCopyBufferToImage(commands, from.buffer, first.image, LAYOUT, shape->levels, regions);
   vulkan_barrier(commands);
   vkCmdCopyBufferToImage(commands, from.buffer, second.image, LAYOUT, shape->levels, regions);
   vulkan_barrier(commands);
   /* A part in the middle of the first level, to elsewhere in the second image. */
   const VkImageCopy part = {.srcSubresource = {aspect(format), 0, 0, shape->layers},
                             .srcOffset = {3, shape->height > 4 ? 2 : 0, 0},
                             .dstSubresource = {aspect(format), 0, 0, shape->layers},
                             .dstOffset = {1, shape->height > 4 ? 1 : 0, shape->depth > 1 ? 1 : 0},
                             .extent = {shape->width - 5, shape->height > 4 ? shape->height - 3 : 1,
                                        shape->depth > 1 ? shape->depth - 2 : 1}};
   vkCmdCopyImage(commands, first.image, LAYOUT, second.image, LAYOUT, 1, &part);
   vulkan_barrier(commands);
   vkCmdCopyImageToBuffer(commands, second.image, LAYOUT, to.buffer, shape->levels, regions);
   vulkan_barrier(commands);
   /* A region with rows of its own length, behind the rest. */
   const VkBufferImageCopy rows = {.bufferOffset = size,
                                   .bufferRowLength = shape->width + 3,
                                   .bufferImageHeight = shape->height,
                                   .imageSubresource = {aspect(format), 0, shape->layers - 1, 1},
                                   .imageOffset = {2, 0, 0},
                                   .imageExtent = {shape->width - 4, shape->height, 1}};
   vkCmdCopyImageToBuffer(commands, second.image, LAYOUT, to.buffer, 1, &rows);
   VK(vulkan_end(vulkan, commands));
   print_words(to.map, size + (size_t)(shape->width + 3) * shape->height * format->bytes);
   picture_destroy(vulkan, &first);
   picture_destroy(vulkan, &second);
   vulkan_buffer_destroy(vulkan, &from);
   vulkan_buffer_destroy(vulkan, &to);
   end_case(vulkan);
}

/* ---- Clears ---- */

/* All of an image, and one level and layer of it in another colour. The driver makes render commands of it. */
static void clear_case(struct vulkan *vulkan, const char *shape_name, const char *format_name, VkImageUsageFlags usage)
{
   char name[64];
   struct shape shape = *find_shape(shape_name);
   const struct format *format = find_format(format_name);
   snprintf(name, sizeof(name), "clear-%s-%s%s", shape_name, format_name,
            usage & VK_IMAGE_USAGE_STORAGE_BIT ? "-storage" : "");
   shape.usage |= usage;
   if (!is_chosen(name) || !supported(vulkan, &shape, format->format)) {
      return;
   }
   begin_case(name, "exact");
   struct vulkan_buffer to = vulkan_buffer_create(vulkan, BUFFER_BYTES);
   struct picture picture = picture_create(vulkan, &shape, format);
   VkBufferImageCopy regions[16];
   const size_t size = make_regions(&picture, regions);
   const bool integer = strstr(format_name, "ui") != NULL;
   const VkClearColorValue floats = {.float32 = {0.2f, 0.4f, 0.6f, 0.8f}}, words = {.uint32 = {7, 77, 777, 7777}};
   const VkClearColorValue others = {.float32 = {1, 0, 0.25f, 1}}, other_words = {.uint32 = {1, 2, 3, 4}};
   const VkImageSubresourceRange all = whole(&picture),
                                 last = {all.aspectMask, shape.levels - 1, 1, shape.layers - 1, 1};
   VkCommandBuffer commands = vulkan_begin(vulkan);
   general(commands, &picture);
   vkCmdClearColorImage(commands, picture.image, LAYOUT, integer ? &words : &floats, 1, &all);
   vulkan_barrier(commands);
   if (shape.levels > 1 || shape.layers > 1) {
      vkCmdClearColorImage(commands, picture.image, LAYOUT, integer ? &other_words : &others, 1, &last);
      vulkan_barrier(commands);
   }
   vkCmdCopyImageToBuffer(commands, picture.image, LAYOUT, to.buffer, shape.levels, regions);
   vulkan_barrier(commands);
   /* Some texels of the cleared image are replaced. */
   const VkBufferImageCopy few = {.bufferOffset = size,
                                  .imageSubresource = {all.aspectMask, 0, 0, 1},
                                  .imageOffset = {5, 3, 0},
                                  .imageExtent = {6, 5, 1}};
   VkBufferImageCopy again = regions[0];
   again.bufferOffset = 2 * size;
   fill((char *)to.map + size, size, format);
   vkCmdCopyBufferToImage(commands, to.buffer, picture.image, LAYOUT, 1, &few);
   vulkan_barrier(commands);
   vkCmdCopyImageToBuffer(commands, picture.image, LAYOUT, to.buffer, 1, &again);
   VK(vulkan_end(vulkan, commands));
   print_words(to.map, 3 * size);
   picture_destroy(vulkan, &picture);
   vulkan_buffer_destroy(vulkan, &to);
   end_case(vulkan);
}

/* A render pass that clears its target and draws nothing; a second one keeps what is there. */
static void pass_case(struct vulkan *vulkan, const char *shape_name, const char *format_name)
{
   char name[64];
   struct shape shape = *find_shape(shape_name);
   const struct format *format = find_format(format_name);
   snprintf(name, sizeof(name), "pass-%s-%s", shape_name, format_name);
   shape.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
   if (!is_chosen(name) || !supported(vulkan, &shape, format->format)) {
      return;
   }
   begin_case(name, "exact");
   struct vulkan_buffer to = vulkan_buffer_create(vulkan, BUFFER_BYTES);
   struct picture picture = picture_create(vulkan, &shape, format);
   VkBufferImageCopy regions[16];
   const size_t size = make_regions(&picture, regions);
   VkRenderingAttachmentInfo target = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = picture.view,
                                       .imageLayout = LAYOUT,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                       .clearValue = {.color = {.float32 = {0.2f, 0.4f, 0.6f, 0.8f}}}};
   const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea = {.extent = {shape.width, shape.height}},
                                 .layerCount = shape.layers,
                                 .colorAttachmentCount = 1,
                                 .pColorAttachments = &target};
   VkCommandBuffer commands = vulkan_begin(vulkan);
   general(commands, &picture);
   vkCmdBeginRendering(commands, &info);
   vkCmdEndRendering(commands);
   vulkan_barrier(commands);
   target.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
   vkCmdBeginRendering(commands, &info);
   vkCmdEndRendering(commands);
   vulkan_barrier(commands);
   vkCmdCopyImageToBuffer(commands, picture.image, LAYOUT, to.buffer, shape.levels, regions);
   VK(vulkan_end(vulkan, commands));
   print_words(to.map, size);
   picture_destroy(vulkan, &picture);
   vulkan_buffer_destroy(vulkan, &to);
   end_case(vulkan);
}

/* ---- Samplers ---- */

struct sampling {
   const char *name, *shader, *shape, *format;
   const char *rule;
   VkFilter filter;
   VkSamplerMipmapMode mips;
   VkSamplerAddressMode wrap;
   bool compares;
};
#define NEAREST VK_FILTER_NEAREST
#define LINEAR VK_FILTER_LINEAR
#define MIPS_NEAREST VK_SAMPLER_MIPMAP_MODE_NEAREST
#define MIPS_LINEAR VK_SAMPLER_MIPMAP_MODE_LINEAR
#define EDGE VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE
#define REPEAT VK_SAMPLER_ADDRESS_MODE_REPEAT
#define MIRROR VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT
#define BORDER VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER

static const struct sampling samplings[] = {
    {"2d-nearest", "sample_2d", "levels", "rgba8", "near", NEAREST, MIPS_NEAREST, EDGE, false},
    {"2d-linear", "sample_2d", "2d", "rgba8", "near", LINEAR, MIPS_NEAREST, EDGE, false},
    {"2d-repeat", "sample_2d", "2d", "rgba8", "near", LINEAR, MIPS_NEAREST, REPEAT, false},
    {"2d-mirror", "sample_2d", "2d", "rgba8", "near", LINEAR, MIPS_NEAREST, MIRROR, false},
    {"2d-border", "sample_2d", "2d", "rgba8", "near", LINEAR, MIPS_NEAREST, BORDER, false},
    {"2d-mips", "sample_2d", "levels", "rgba8", "near", LINEAR, MIPS_LINEAR, EDGE, false},
    {"2d-srgb", "sample_2d", "2d", "srgba8", "near", LINEAR, MIPS_NEAREST, EDGE, false},
    {"2d-rgb10a2", "sample_2d", "2d", "rgb10a2", "near", LINEAR, MIPS_NEAREST, EDGE, false},
    {"2d-rg11b10f", "sample_2d", "2d", "rg11b10f", "relative", NEAREST, MIPS_NEAREST, EDGE, false},
    {"2d-rgb9e5", "sample_2d", "2d", "rgb9e5", "relative", NEAREST, MIPS_NEAREST, EDGE, false},
    {"2d-r16", "sample_2d", "2d", "r16", "near", LINEAR, MIPS_NEAREST, EDGE, false},
    {"2d-rgba32f", "sample_2d", "2d", "rgba32f", "near", NEAREST, MIPS_NEAREST, EDGE, false},
    {"2d-bgra8", "sample_2d", "2d", "bgra8", "near", NEAREST, MIPS_NEAREST, EDGE, false},
    {"2d-target", "sample_2d", "target", "rgba8", "near", NEAREST, MIPS_NEAREST, EDGE, false},
    {"1d", "sample_1d", "1d", "rgba8", "near", LINEAR, MIPS_NEAREST, EDGE, false},
    {"layers", "sample_layers", "layers", "rgba8", "near", LINEAR, MIPS_NEAREST, EDGE, false},
    {"both", "sample_layers", "both", "rgba8", "near", NEAREST, MIPS_NEAREST, EDGE, false},
    {"3d", "sample_3d", "3d", "rgba8", "near", LINEAR, MIPS_NEAREST, EDGE, false},
    {"cube-nearest", "sample_cube", "cube", "rgba8", "most", NEAREST, MIPS_NEAREST, EDGE, false},
    {"cube-linear", "sample_cube", "cube", "rgba8", "most", LINEAR, MIPS_LINEAR, EDGE, false},
    {"cubes", "sample_cubes", "cubes", "rgba8", "most", NEAREST, MIPS_NEAREST, EDGE, false},
    {"gather", "gather", "2d", "rgba8", "near", NEAREST, MIPS_NEAREST, EDGE, false},
    {"offsets", "offsets", "2d", "rgba8", "near", NEAREST, MIPS_NEAREST, EDGE, false},
    {"gradients", "gradients", "levels", "rgba8", "coarse", LINEAR, MIPS_LINEAR, EDGE, false},
    {"fetch", "fetch", "both", "rgba8", "near", NEAREST, MIPS_NEAREST, EDGE, false},
    {"shadow-d32f", "shadow", "2d", "d32f", "near", LINEAR, MIPS_NEAREST, EDGE, true},
    {"shadow-d16", "shadow", "2d", "d16", "near", NEAREST, MIPS_NEAREST, EDGE, true},
};

static const struct format *format_of(const struct sampling *sampling)
{
   return !strcmp(sampling->format, "d32f")  ? &depths[0]
          : !strcmp(sampling->format, "d16") ? &depths[1]
                                             : find_format(sampling->format);
}

/* Fills an image from a buffer, then runs a shader with it that leaves 64 x 16 texels. */
static void run_shader(struct vulkan *vulkan, const char *shader, struct picture *picture, VkDescriptorType type,
                       VkSampler sampler)
{
   char path[512];
   struct vulkan_buffer from = vulkan_buffer_create(vulkan, BUFFER_BYTES), to = vulkan_buffer_create(vulkan, 1 << 16);
   VkBufferImageCopy regions[16];
   const size_t size = make_regions(picture, regions);
   fill(from.map, size, picture->format);
   snprintf(path, sizeof(path), "%s/%s.spv", shaders, shader);
   const struct vulkan_binding bindings[] = {{.type = type, .view = picture->view, .sampler = sampler},
                                             vulkan_storage(&to)};
   const struct vulkan_dispatch dispatch = {
       .shader = path, .bindings = bindings, .binding_count = 2, .groups = {1, 16, 1}};
   VkCommandBuffer commands = vulkan_begin(vulkan);
   general(commands, picture);
   vkCmdCopyBufferToImage(commands, from.buffer, picture->image, LAYOUT, picture->shape->levels, regions);
   vulkan_barrier(commands);
   vulkan_record(vulkan, commands, &dispatch);
   if (picture->shape->usage & VK_IMAGE_USAGE_STORAGE_BIT) {
      vulkan_barrier(commands);
      vkCmdCopyImageToBuffer(commands, picture->image, LAYOUT, from.buffer, picture->shape->levels, regions);
   }
   VK(vulkan_end(vulkan, commands));
   print_words(to.map, 64 * 16 * 16);
   if (picture->shape->usage & VK_IMAGE_USAGE_STORAGE_BIT) {
      /* What was stored; what was loaded stands above. Drivers round to 16 bits in f32, or exactly. */
      begin_case(shader, picture->format->format == VK_FORMAT_R16G16B16A16_UNORM ? "halves" : "exact");
      print_words(from.map, size);
   }
   vulkan_buffer_destroy(vulkan, &from);
   vulkan_buffer_destroy(vulkan, &to);
}

static void sample_case(struct vulkan *vulkan, const struct sampling *sampling)
{
   char name[64];
   snprintf(name, sizeof(name), "sample-%s", sampling->name);
   struct shape shape = *find_shape(sampling->shape);
   const struct format *format = format_of(sampling);
   if (!is_chosen(name) || !supported(vulkan, &shape, format->format)) {
      return;
   }
   begin_case(name, sampling->rule);
   const VkSamplerCreateInfo create = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                       .magFilter = sampling->filter,
                                       .minFilter = sampling->filter,
                                       .mipmapMode = sampling->mips,
                                       .addressModeU = sampling->wrap,
                                       .addressModeV = sampling->wrap,
                                       .addressModeW = sampling->wrap,
                                       .compareEnable = sampling->compares,
                                       .compareOp = VK_COMPARE_OP_LESS,
                                       .maxLod = VK_LOD_CLAMP_NONE,
                                       .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
   VkSampler sampler;
   VK(vkCreateSampler(vulkan->device, &create, NULL, &sampler));
   struct picture picture = picture_create(vulkan, &shape, format);
   run_shader(vulkan, sampling->shader, &picture, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sampler);
   picture_destroy(vulkan, &picture);
   vkDestroySampler(vulkan->device, sampler, NULL);
   end_case(vulkan);
}

/* ---- Storage images ---- */

static const struct {
   const char *name, *shader, *shape, *format, *rule;
} storages[] = {
    {"2d-rgba8", "store_rgba8", "2d", "rgba8", "near"},
    {"2d-rgba16", "store_rgba16", "2d", "rgba16", "near"},
    {"2d-rgb10a2", "store_rgb10a2", "2d", "rgb10a2", "near"},
    {"2d-rg11b10f", "store_rg11b10f", "2d", "rg11b10f", "near"},
    {"layers", "store_layers", "layers", "r32ui", "exact"},
    {"3d", "store_3d", "3d", "r32ui", "exact"},
    {"cube", "store_cube", "cube", "r32ui", "exact"},
    {"2d-r16", "store_r16", "2d", "r16", "near"},
};

static void storage_case(struct vulkan *vulkan, size_t i)
{
   char name[64];
   snprintf(name, sizeof(name), "storage-%s", storages[i].name);
   struct shape shape = *find_shape(storages[i].shape);
   const struct format *format = find_format(storages[i].format);
   shape.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
   shape.levels = 1;
   if (!is_chosen(name) || !supported(vulkan, &shape, format->format)) {
      return;
   }
   begin_case(name, storages[i].rule);
   struct picture picture = picture_create(vulkan, &shape, format);
   run_shader(vulkan, storages[i].shader, &picture, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_NULL_HANDLE);
   picture_destroy(vulkan, &picture);
   end_case(vulkan);
}

int main(int argc, char **argv)
{
   struct vulkan vulkan;
   int at = 2;
   if (argc > 3 && !strcmp(argv[2], "--driver")) {
      setenv("VK_DRIVER_FILES", argv[3], 1);
      setenv("VK_ICD_FILENAMES", argv[3], 1);
      at = 4;
   }
   if (argc < 2) {
      fprintf(stderr, "images SHADERS [--driver ICD.json] [PART-OF-A-NAME...]\n");
      return 79;
   }
   shaders = argv[1];
   chosen = argv + at;
   chosen_count = argc > at ? argc - at : 0;
   vulkan_open(&vulkan);
   fprintf(stderr, "%s\n", vulkan.properties.deviceName);
   for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
      for (size_t k = 0; k < FORMATS; k++) {
         copy_case(&vulkan, &shapes[i], &formats[k]);
      }
      for (size_t k = 0; k < sizeof(depths) / sizeof(depths[0]); k++) {
         copy_case(&vulkan, &shapes[i], &depths[k]);
      }
   }
   static const char *const cleared[] = {"2d", "large", "layers", "levels", "both", "3d", "cube"};
   for (size_t i = 0; i < sizeof(cleared) / sizeof(cleared[0]); i++) {
      clear_case(&vulkan, cleared[i], "rgba8", VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
      clear_case(&vulkan, cleared[i], "r32ui", VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_STORAGE_BIT);
   }
   static const char *const passed[] = {"rgba8", "bgra8", "srgba8", "rgb10a2", "rg16f", "rgba32f", "r8"};
   for (size_t k = 0; k < sizeof(passed) / sizeof(passed[0]); k++) {
      pass_case(&vulkan, "2d", passed[k]);
   }
   pass_case(&vulkan, "large", "rgba8");
   pass_case(&vulkan, "layers", "rgba8");
   for (size_t k = 0; k < FORMATS; k++) {
      clear_case(&vulkan, "2d", formats[k].name, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
   }
   for (size_t i = 0; i < sizeof(samplings) / sizeof(samplings[0]); i++) {
      sample_case(&vulkan, &samplings[i]);
   }
   for (size_t i = 0; i < sizeof(storages) / sizeof(storages[0]); i++) {
      storage_case(&vulkan, i);
   }
   vulkan_close(&vulkan);
   return 0;
}
