/* SPDX-License-Identifier: MIT
 *
 * As much of a Vulkan host as compute tests need: one device, one queue, buffers and images, a pipeline for each
 * dispatch. A call that fails ends the program with its name.
 */
#ifndef TESTS_DRIVER_VULKAN_H
#define TESTS_DRIVER_VULKAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define VK(call) vulkan_check(call, #call)

struct vulkan {
   VkInstance instance;
   VkPhysicalDevice physical;
   VkDevice device;
   VkQueue queue;
   VkCommandPool pool;
   VkDescriptorPool descriptors;
   VkPhysicalDeviceProperties properties;
   bool pointers; /* the device has bufferDeviceAddress */
};

struct vulkan_buffer {
   VkBuffer buffer;
   VkDeviceMemory memory;
   void *map; /* all memory of this driver is the host's too */
   size_t size;
};

struct vulkan_image {
   VkImage image;
   VkDeviceMemory memory;
   VkImageView view;
   VkFormat format;
   uint32_t width, height;
   void *map; /* of linear images, else NULL */
   size_t pitch;
};

/* What a shader finds at a binding of set 0: the binding's number is the index. Without any object: nothing. */
struct vulkan_binding {
   VkDescriptorType type;
   const struct vulkan_buffer *buffer; /* of buffers */
   VkBufferView texels;                /* of texel buffers */
   VkImageView view;                   /* of images, in layout GENERAL */
   VkSampler sampler;
};

struct vulkan_dispatch {
   const char *shader; /* file of SPIR-V words */
   const struct vulkan_binding *bindings;
   uint32_t binding_count;
   const void *push;
   uint32_t push_size;
   uint32_t groups[3];
   const struct vulkan_buffer *indirect; /* three words instead of groups; NULL: none */
   const VkSpecializationInfo *specialization;
};

void vulkan_check(VkResult result, const char *call);
void vulkan_open(struct vulkan *vulkan);
void vulkan_close(struct vulkan *vulkan);
/* Frees the pipelines and descriptor sets of all dispatches so far. */
void vulkan_reset(struct vulkan *vulkan);
/* What a shader finds in a pointer to the buffer. */
uint64_t vulkan_buffer_address(struct vulkan *vulkan, const struct vulkan_buffer *buffer);
struct vulkan_buffer vulkan_buffer_create(struct vulkan *vulkan, size_t size);
void vulkan_buffer_destroy(struct vulkan *vulkan, struct vulkan_buffer *buffer);
struct vulkan_image vulkan_image_create(struct vulkan *vulkan, VkFormat format, uint32_t width, uint32_t height,
                                        VkImageTiling tiling);
/* From undefined to layout GENERAL. */
void vulkan_image_general(VkCommandBuffer commands, const struct vulkan_image *image);
void vulkan_image_destroy(struct vulkan *vulkan, struct vulkan_image *image);
struct vulkan_binding vulkan_storage(const struct vulkan_buffer *buffer);

/* One command buffer, begun and then submitted and waited for; vulkan_end() gives the result of the wait. */
VkCommandBuffer vulkan_begin(struct vulkan *vulkan);
void vulkan_record(struct vulkan *vulkan, VkCommandBuffer commands, const struct vulkan_dispatch *dispatch);
void vulkan_barrier(VkCommandBuffer commands); /* everything before, everything after */
VkResult vulkan_end(struct vulkan *vulkan, VkCommandBuffer commands);
/* The three for one dispatch. */
void vulkan_run(struct vulkan *vulkan, const struct vulkan_dispatch *dispatch);

#endif
