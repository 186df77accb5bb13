/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_host_image_copy as the Vulkan specification has it, for headers that are older than the extension. With it
 * texels go to an image and back without a command of the device, so that a launch's jobs hold the launch alone.
 */
#ifndef DRIVERS_HOST_IMAGE_COPY_H
#define DRIVERS_HOST_IMAGE_COPY_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#define HOST_IMAGE_COPY_EXTENSION "VK_EXT_host_image_copy"

enum {
   HOST_COPY_FEATURES = 1000270000,
   HOST_COPY_TO_IMAGE = 1000270002,
   HOST_COPY_TO_MEMORY = 1000270003,
   HOST_COPY_TO_MEMORY_INFO = 1000270004,
   HOST_COPY_TO_IMAGE_INFO = 1000270005,
   HOST_COPY_TRANSITION = 1000270006,
   HOST_COPY_USAGE = 0x00400000, /* VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT */
};

struct host_copy_features {
   VkStructureType type;
   void *next;
   VkBool32 offered;
};

/* VkMemoryToImageCopy and VkImageToMemoryCopy, which differ in the pointer's const alone. */
struct host_copy_region {
   VkStructureType type;
   const void *next;
   void *memory;
   uint32_t row_length, image_height;
   VkImageSubresourceLayers layers;
   VkOffset3D offset;
   VkExtent3D extent;
};

/* VkCopyMemoryToImageInfo and VkCopyImageToMemoryInfo. */
struct host_copy_info {
   VkStructureType type;
   const void *next;
   VkFlags flags;
   VkImage image;
   VkImageLayout layout;
   uint32_t region_count;
   const struct host_copy_region *regions;
};

struct host_copy_transition {
   VkStructureType type;
   const void *next;
   VkImage image;
   VkImageLayout before, after;
   VkImageSubresourceRange range;
};

struct host_image_copy {
   VkResult(VKAPI_PTR *to_image)(VkDevice device, const struct host_copy_info *info);
   VkResult(VKAPI_PTR *to_memory)(VkDevice device, const struct host_copy_info *info);
   VkResult(VKAPI_PTR *transition)(VkDevice device, uint32_t count, const struct host_copy_transition *transitions);
};

#endif
