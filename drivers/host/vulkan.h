/* SPDX-License-Identifier: MIT
 *
 * The parts of the host of Vulkan: the device, the pipeline, what is bound to it, and launches. They share one struct.
 */
#ifndef DRIVERS_HOST_VULKAN_H
#define DRIVERS_HOST_VULKAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "drivers/host/capabilities.h"
#include "drivers/host/host_image_copy.h"
#include "drivers/host/protocol.h"
#include "drivers/host/records.h"
#include "drivers/host/spirv.h"

#define VULKAN_SETS 8u
#define VULKAN_ARGUMENTS 256u /* the elements of bindings, then the push constants, then buffers behind addresses */
#define VULKAN_ADDRESSES 64u
#define VULKAN_LAYOUT 256u /* bindings of a layout that the request gives */
#define VULKAN_PUSHES 16u

#define VULKAN_FUNCTIONS(X)                                                                                            \
   X(vkEnumeratePhysicalDevices)                                                                                       \
   X(vkGetPhysicalDeviceProperties2)                                                                                   \
   X(vkGetPhysicalDeviceFeatures2)                                                                                     \
   X(vkGetPhysicalDeviceMemoryProperties)                                                                              \
   X(vkGetPhysicalDeviceQueueFamilyProperties)                                                                         \
   X(vkGetPhysicalDeviceImageFormatProperties)                                                                         \
   X(vkEnumerateDeviceExtensionProperties)                                                                             \
   X(vkCreateDevice)                                                                                                   \
   X(vkGetDeviceProcAddr)                                                                                              \
   X(vkGetDeviceQueue)                                                                                                 \
   X(vkCreateShaderModule)                                                                                             \
   X(vkCreateDescriptorSetLayout)                                                                                      \
   X(vkCreatePipelineLayout)                                                                                           \
   X(vkCreateComputePipelines)                                                                                         \
   X(vkCreateDescriptorPool)                                                                                           \
   X(vkAllocateDescriptorSets)                                                                                         \
   X(vkUpdateDescriptorSets)                                                                                           \
   X(vkCreateBuffer)                                                                                                   \
   X(vkCreateBufferView)                                                                                               \
   X(vkCreateImage)                                                                                                    \
   X(vkCreateImageView)                                                                                                \
   X(vkCreateSampler)                                                                                                  \
   X(vkGetBufferMemoryRequirements)                                                                                    \
   X(vkGetImageMemoryRequirements)                                                                                     \
   X(vkGetBufferDeviceAddress)                                                                                         \
   X(vkAllocateMemory)                                                                                                 \
   X(vkBindBufferMemory)                                                                                               \
   X(vkBindImageMemory)                                                                                                \
   X(vkMapMemory)                                                                                                      \
   X(vkCreateCommandPool)                                                                                              \
   X(vkAllocateCommandBuffers)                                                                                         \
   X(vkBeginCommandBuffer)                                                                                             \
   X(vkCmdBindPipeline)                                                                                                \
   X(vkCmdBindDescriptorSets)                                                                                          \
   X(vkCmdPushConstants)                                                                                               \
   X(vkCmdDispatch)                                                                                                    \
   X(vkCmdDispatchIndirect)                                                                                            \
   X(vkEndCommandBuffer)                                                                                               \
   X(vkQueueSubmit)                                                                                                    \
   X(vkQueueWaitIdle)

struct vulkan_functions {
#define POINTER(name) PFN_##name name;
   VULKAN_FUNCTIONS(POINTER)
#undef POINTER
};
extern struct vulkan_functions vk;

/* An argument, and what the device has of it. */
struct given {
   bool set, has_sampler;
   struct host_argument argument;
   struct host_image image;
   struct host_sampler sampler;
   const uint8_t *bytes; /* of the buffer, the value or the texels */
   uint8_t *left, *kept; /* what the last launch has left; what `bytes` are, if the request keeps it */
   VkBuffer buffer;
   VkBufferView texels;
   uint8_t *mapped;
   VkImage on_device;
   VkImageView view;
   VkSampler sampled_with;
};

/* Which element of which binding an argument is. */
struct element {
   const struct spirv_binding *binding; /* NULL: the push constants */
   uint32_t index;
};

struct vulkan {
   FILE *result;
   char *folder; /* of saved jobs; NULL: none are saved */
   struct spirv_interface interface;
   struct element elements[VULKAN_ARGUMENTS];
   uint32_t argument_count; /* of elements[], the push constants among them */

   /* How an application has built the shader, where the request says it. */
   bool has_pipeline, has_robustness;
   struct host_pipeline built;
   struct host_binding built_bindings[VULKAN_LAYOUT];
   VkPushConstantRange built_pushes[VULKAN_PUSHES];
   uint32_t built_binding_count, built_push_count;

   VkInstance instance;
   VkPhysicalDevice physical;
   VkDevice device;
   VkQueue queue;
   uint32_t family, memory_type;
   bool has_addresses;
   struct host_image_copy copy; /* functions; NULL: the driver does not offer them */

   VkShaderModule module;
   VkDescriptorSetLayout set_layouts[VULKAN_SETS];
   VkDescriptorSet sets[VULKAN_SETS];
   uint32_t set_count;
   VkPipelineLayout layout;
   VkPipeline pipeline;
   VkCommandPool pool;
};

/* Writes a refusal. Returns false, for callers that give up. */
__attribute__((format(printf, 3, 4))) bool vulkan_refuse(struct vulkan *vulkan, enum host_refusal why,
                                                         const char *format, ...);
/* Refuses what a call of Vulkan's did not return. */
bool vulkan_check(struct vulkan *vulkan, enum host_refusal why, VkResult result, const char *call);

/* Opens the loader, and the device with all features that it has, so that any shader may use them. */
bool vulkan_open(struct vulkan *vulkan);

/* Makes the pipeline of the module's compute shader. */
bool vulkan_build(struct vulkan *vulkan, const void *words, size_t bytes);
VkDescriptorType vulkan_descriptor_type(const struct spirv_binding *binding);

/* Makes what the argument is given on the device; each refuses what the driver does not take. name: for messages. */
bool vulkan_make_buffer(struct vulkan *vulkan, struct given *given, VkBufferUsageFlags usage);
bool vulkan_make_image(struct vulkan *vulkan, struct given *given, const struct spirv_binding *binding);
bool vulkan_make_texels(struct vulkan *vulkan, struct given *given, const struct spirv_binding *binding);
bool vulkan_make_sampler(struct vulkan *vulkan, struct given *given);
/* Memory of the device for what needs it. mapped: NULL: it need not be mapped. */
bool vulkan_allocate(struct vulkan *vulkan, const VkMemoryRequirements *needs, bool addressed, VkDeviceMemory *memory,
                     uint8_t **mapped);
/* The texels go to the image, and back. */
bool vulkan_write_image(struct vulkan *vulkan, const struct given *given, const struct spirv_binding *binding);
bool vulkan_read_image(struct vulkan *vulkan, const struct given *given, const struct spirv_binding *binding,
                       uint8_t *bytes);

/* The kind of argument that a binding takes. */
enum host_argument_kind vulkan_argument_kind(const struct spirv_binding *binding);
/* Says what an argument is. */
void vulkan_parameter(const struct vulkan *vulkan, uint32_t index, struct host_parameter *parameter);

/* The launches of a request, in their order. */
bool vulkan_serve_launches(struct vulkan *vulkan, struct host_records *request);

#endif
