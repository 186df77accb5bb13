/* SPDX-License-Identifier: MIT
 *
 * The small Vulkan host. Pipelines live until vulkan_reset() or vulkan_close(); equal dispatches share one.
 */
#include "tests/driver/vulkan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS 1024
#define BINDINGS 32

/* A pipeline, and what it was made for. */
static struct pipeline {
   VkPipeline pipeline;
   VkPipelineLayout layout;
   VkDescriptorSetLayout set_layout;
   VkShaderModule module;
   char shader[512];
   uint32_t push_size, binding_count;
   VkDescriptorType types[BINDINGS];
   bool present[BINDINGS], specialized;
} made[OBJECTS];
static unsigned made_count;

static void die(const char *what)
{
   fprintf(stderr, "vulkan: %s\n", what);
   exit(1);
}

void vulkan_check(VkResult result, const char *call)
{
   if (result != VK_SUCCESS) {
      fprintf(stderr, "vulkan: %s gives %d\n", call, result);
      exit(1);
   }
}

void vulkan_open(struct vulkan *vulkan)
{
   const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                          .apiVersion = VK_API_VERSION_1_3};
   const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                          .pApplicationInfo = &application};
   *vulkan = (struct vulkan){0};
   VK(vkCreateInstance(&instance, NULL, &vulkan->instance));
   uint32_t count = 1;
   VkResult result = vkEnumeratePhysicalDevices(vulkan->instance, &count, &vulkan->physical);
   if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || !count) {
      die("no device");
   }
   vkGetPhysicalDeviceProperties(vulkan->physical, &vulkan->properties);
   VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
   VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                  .pNext = &features13};
   VkPhysicalDeviceVulkan11Features features11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                  .pNext = &features12};
   VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features11};
   vkGetPhysicalDeviceFeatures2(vulkan->physical, &features);
   vulkan->pointers = features12.bufferDeviceAddress;
   const float priority = 1;
   const VkDeviceQueueCreateInfo queue = {
       .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
   const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                      .pNext = &features,
                                      .queueCreateInfoCount = 1,
                                      .pQueueCreateInfos = &queue};
   VK(vkCreateDevice(vulkan->physical, &device, NULL, &vulkan->device));
   vkGetDeviceQueue(vulkan->device, 0, 0, &vulkan->queue);
   const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
   VK(vkCreateCommandPool(vulkan->device, &pool, NULL, &vulkan->pool));
   const VkDescriptorPoolSize sizes[] = {
       {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2048},      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1024},
       {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1024},       {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 256},
       {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 256}, {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 256}};
   const VkDescriptorPoolCreateInfo descriptors = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                   .maxSets = OBJECTS,
                                                   .poolSizeCount = sizeof(sizes) / sizeof(sizes[0]),
                                                   .pPoolSizes = sizes};
   VK(vkCreateDescriptorPool(vulkan->device, &descriptors, NULL, &vulkan->descriptors));
}

void vulkan_reset(struct vulkan *vulkan)
{
   for (unsigned i = 0; i < made_count; i++) {
      vkDestroyPipeline(vulkan->device, made[i].pipeline, NULL);
      vkDestroyPipelineLayout(vulkan->device, made[i].layout, NULL);
      vkDestroyDescriptorSetLayout(vulkan->device, made[i].set_layout, NULL);
      vkDestroyShaderModule(vulkan->device, made[i].module, NULL);
   }
   made_count = 0;
   VK(vkResetDescriptorPool(vulkan->device, vulkan->descriptors, 0));
}

void vulkan_close(struct vulkan *vulkan)
{
   vulkan_reset(vulkan);
   vkDestroyDescriptorPool(vulkan->device, vulkan->descriptors, NULL);
   vkDestroyCommandPool(vulkan->device, vulkan->pool, NULL);
   vkDestroyDevice(vulkan->device, NULL);
   vkDestroyInstance(vulkan->instance, NULL);
}

static VkDeviceMemory allocate(struct vulkan *vulkan, const VkMemoryRequirements *needs)
{
   VkDeviceMemory memory;
   const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                            .flags = vulkan->pointers ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0};
   const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                            .pNext = &flags,
                                            .allocationSize = needs->size,
                                            .memoryTypeIndex = (uint32_t)__builtin_ctz(needs->memoryTypeBits)};
   VK(vkAllocateMemory(vulkan->device, &allocation, NULL, &memory));
   return memory;
}

struct vulkan_buffer vulkan_buffer_create(struct vulkan *vulkan, size_t size)
{
   struct vulkan_buffer buffer = {.size = size};
   const VkBufferCreateInfo create = {
       .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
       .size = size,
       .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                (vulkan->pointers ? (VkBufferUsageFlags)VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0),
   };
   VkMemoryRequirements needs;
   VK(vkCreateBuffer(vulkan->device, &create, NULL, &buffer.buffer));
   vkGetBufferMemoryRequirements(vulkan->device, buffer.buffer, &needs);
   buffer.memory = allocate(vulkan, &needs);
   VK(vkBindBufferMemory(vulkan->device, buffer.buffer, buffer.memory, 0));
   VK(vkMapMemory(vulkan->device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &buffer.map));
   memset(buffer.map, 0, size);
   return buffer;
}

void vulkan_buffer_destroy(struct vulkan *vulkan, struct vulkan_buffer *buffer)
{
   vkDestroyBuffer(vulkan->device, buffer->buffer, NULL);
   vkFreeMemory(vulkan->device, buffer->memory, NULL);
   *buffer = (struct vulkan_buffer){0};
}

uint64_t vulkan_buffer_address(struct vulkan *vulkan, const struct vulkan_buffer *buffer)
{
   const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                           .buffer = buffer->buffer};
   return vkGetBufferDeviceAddress(vulkan->device, &info);
}

struct vulkan_image vulkan_image_create(struct vulkan *vulkan, VkFormat format, uint32_t width, uint32_t height,
                                        VkImageTiling tiling)
{
   struct vulkan_image image = {.format = format, .width = width, .height = height};
   const VkImageCreateInfo create = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = format,
                                     .extent = {width, height, 1},
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .tiling = tiling,
                                     .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                              VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
   VkMemoryRequirements needs;
   VK(vkCreateImage(vulkan->device, &create, NULL, &image.image));
   vkGetImageMemoryRequirements(vulkan->device, image.image, &needs);
   image.memory = allocate(vulkan, &needs);
   VK(vkBindImageMemory(vulkan->device, image.image, image.memory, 0));
   if (tiling == VK_IMAGE_TILING_LINEAR) {
      const VkImageSubresource whole = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
      VkSubresourceLayout layout;
      vkGetImageSubresourceLayout(vulkan->device, image.image, &whole, &layout);
      VK(vkMapMemory(vulkan->device, image.memory, 0, VK_WHOLE_SIZE, 0, &image.map));
      image.map = (char *)image.map + layout.offset;
      image.pitch = layout.rowPitch;
   }
   const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = image.image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = format,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
   VK(vkCreateImageView(vulkan->device, &view, NULL, &image.view));
   return image;
}

void vulkan_image_destroy(struct vulkan *vulkan, struct vulkan_image *image)
{
   vkDestroyImageView(vulkan->device, image->view, NULL);
   vkDestroyImage(vulkan->device, image->image, NULL);
   vkFreeMemory(vulkan->device, image->memory, NULL);
}

void vulkan_image_general(VkCommandBuffer commands, const struct vulkan_image *image)
{
   const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                         .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                         .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                         .image = image->image,
                                         .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                        NULL, 1, &barrier);
}

struct vulkan_binding vulkan_storage(const struct vulkan_buffer *buffer)
{
   return (struct vulkan_binding){.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = buffer};
}

VkCommandBuffer vulkan_begin(struct vulkan *vulkan)
{
   VkCommandBuffer commands;
   const VkCommandBufferAllocateInfo allocation = {
       .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = vulkan->pool, .commandBufferCount = 1};
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   VK(vkAllocateCommandBuffers(vulkan->device, &allocation, &commands));
   VK(vkBeginCommandBuffer(commands, &begin));
   return commands;
}

VkResult vulkan_end(struct vulkan *vulkan, VkCommandBuffer commands)
{
   const VkFenceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   const VkSubmitInfo submit = {
       .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
   VkFence fence;
   VK(vkEndCommandBuffer(commands));
   VK(vkCreateFence(vulkan->device, &create, NULL, &fence));
   VkResult result = vkQueueSubmit(vulkan->queue, 1, &submit, fence);
   if (result == VK_SUCCESS) {
      result = vkWaitForFences(vulkan->device, 1, &fence, VK_TRUE, UINT64_C(60000000000));
   }
   vkDestroyFence(vulkan->device, fence, NULL);
   vkFreeCommandBuffers(vulkan->device, vulkan->pool, 1, &commands);
   return result;
}

void vulkan_barrier(VkCommandBuffer commands)
{
   const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                        &barrier, 0, NULL, 0, NULL);
}

static VkShaderModule load(struct vulkan *vulkan, const char *path)
{
   FILE *file = fopen(path, "rb");
   static uint32_t words[1 << 16];
   VkShaderModule module;
   if (!file) {
      perror(path);
      exit(1);
   }
   size_t count = fread(words, 4, sizeof(words) / 4, file);
   fclose(file);
   const VkShaderModuleCreateInfo create = {
       .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = count * 4, .pCode = words};
   VK(vkCreateShaderModule(vulkan->device, &create, NULL, &module));
   return module;
}

static bool present(const struct vulkan_binding *binding)
{
   return binding->buffer || binding->texels || binding->view;
}

static void write_set(struct vulkan *vulkan, VkDescriptorSet set, const struct vulkan_dispatch *dispatch)
{
   for (uint32_t i = 0; i < dispatch->binding_count; i++) {
      const struct vulkan_binding *binding = &dispatch->bindings[i];
      if (!present(binding)) {
         continue;
      }
      const VkDescriptorBufferInfo buffer = {binding->buffer ? binding->buffer->buffer : VK_NULL_HANDLE, 0,
                                             VK_WHOLE_SIZE};
      const VkDescriptorImageInfo image = {binding->sampler, binding->view, VK_IMAGE_LAYOUT_GENERAL};
      const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = set,
                                          .dstBinding = i,
                                          .descriptorCount = 1,
                                          .descriptorType = binding->type,
                                          .pBufferInfo = &buffer,
                                          .pImageInfo = &image,
                                          .pTexelBufferView = &binding->texels};
      vkUpdateDescriptorSets(vulkan->device, 1, &write, 0, NULL);
   }
}

static bool equal(const struct pipeline *pipeline, const struct vulkan_dispatch *dispatch)
{
   if (strcmp(pipeline->shader, dispatch->shader) || pipeline->push_size != dispatch->push_size ||
       pipeline->binding_count != dispatch->binding_count || pipeline->specialized || dispatch->specialization) {
      return false;
   }
   for (uint32_t i = 0; i < dispatch->binding_count; i++) {
      if (pipeline->present[i] != present(&dispatch->bindings[i]) ||
          (pipeline->present[i] && pipeline->types[i] != dispatch->bindings[i].type)) {
         return false;
      }
   }
   return true;
}

/* The pipeline of a dispatch: that of an equal one, or a new one. */
static const struct pipeline *pipeline_of(struct vulkan *vulkan, const struct vulkan_dispatch *dispatch)
{
   VkDescriptorSetLayoutBinding layout_bindings[BINDINGS];
   uint32_t layout_count = 0;
   for (unsigned i = 0; i < made_count; i++) {
      if (equal(&made[i], dispatch)) {
         return &made[i];
      }
   }
   struct pipeline *out = &made[made_count];
   if (made_count == OBJECTS || dispatch->binding_count > BINDINGS || strlen(dispatch->shader) >= sizeof(out->shader)) {
      die("too many objects, or too long a path");
   }
   made_count++;
   *out = (struct pipeline){.push_size = dispatch->push_size,
                            .binding_count = dispatch->binding_count,
                            .specialized = dispatch->specialization != NULL};
   strcpy(out->shader, dispatch->shader);
   for (uint32_t i = 0; i < dispatch->binding_count; i++) {
      out->present[i] = present(&dispatch->bindings[i]);
      out->types[i] = dispatch->bindings[i].type;
      if (out->present[i]) {
         layout_bindings[layout_count++] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                                          .descriptorType = out->types[i],
                                                                          .descriptorCount = 1,
                                                                          .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
      }
   }
   const VkDescriptorSetLayoutCreateInfo set_layout = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                       .bindingCount = layout_count,
                                                       .pBindings = layout_bindings};
   VK(vkCreateDescriptorSetLayout(vulkan->device, &set_layout, NULL, &out->set_layout));
   const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, dispatch->push_size};
   const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                              .setLayoutCount = 1,
                                              .pSetLayouts = &out->set_layout,
                                              .pushConstantRangeCount = dispatch->push_size ? 1 : 0,
                                              .pPushConstantRanges = &range};
   VK(vkCreatePipelineLayout(vulkan->device, &layout, NULL, &out->layout));
   out->module = load(vulkan, dispatch->shader);
   const VkComputePipelineCreateInfo pipeline = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                                 .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                           .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                           .module = out->module,
                                                           .pName = "main",
                                                           .pSpecializationInfo = dispatch->specialization},
                                                 .layout = out->layout};
   VK(vkCreateComputePipelines(vulkan->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &out->pipeline));
   return out;
}

void vulkan_record(struct vulkan *vulkan, VkCommandBuffer commands, const struct vulkan_dispatch *dispatch)
{
   const struct pipeline *pipeline = pipeline_of(vulkan, dispatch);
   VkDescriptorSet set;
   const VkDescriptorSetAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                   .descriptorPool = vulkan->descriptors,
                                                   .descriptorSetCount = 1,
                                                   .pSetLayouts = &pipeline->set_layout};
   VK(vkAllocateDescriptorSets(vulkan->device, &allocation, &set));
   write_set(vulkan, set, dispatch);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->layout, 0, 1, &set, 0, NULL);
   if (dispatch->push_size) {
      vkCmdPushConstants(commands, pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, dispatch->push_size,
                         dispatch->push);
   }
   if (dispatch->indirect) {
      vkCmdDispatchIndirect(commands, dispatch->indirect->buffer, 0);
   } else {
      vkCmdDispatch(commands, dispatch->groups[0], dispatch->groups[1], dispatch->groups[2]);
   }
}

void vulkan_run(struct vulkan *vulkan, const struct vulkan_dispatch *dispatch)
{
   VkCommandBuffer commands = vulkan_begin(vulkan);
   vulkan_record(vulkan, commands, dispatch);
   VK(vulkan_end(vulkan, commands));
}
