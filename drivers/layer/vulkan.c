/* SPDX-License-Identifier: MIT
 *
 * A layer of Vulkan's loader that keeps the modules which a driver is given, and what it builds of them (built.c).
 * Invariant: each call goes on to the next layer as it came. Handles are not wrapped.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "drivers/layer/built.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- Instances and devices ---- */

/* The functions behind this layer. The loader's table of an object, to which its first word points, is what stands for
 * it: an instance and its physical devices, a device and its queues share one. */
struct next {
   const void *key;
   PFN_vkGetInstanceProcAddr instance; /* NULL: it is a device */
   PFN_vkGetDeviceProcAddr device;
   struct built_robustness robustness;
   PFN_vkCreateShaderModule create_module;
   PFN_vkCreateDescriptorSetLayout create_set;
   PFN_vkCreatePipelineLayout create_layout;
   PFN_vkCreateComputePipelines create_compute;
   PFN_vkCreateGraphicsPipelines create_graphics;
   PFN_vkCreateShadersEXT_ create_objects; /* NULL: the driver has none */
   struct next *before;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct next *nexts;

static const void *key_of(const void *object)
{
   return *(const void *const *)object;
}

/* One that is added stays: programs have few. The newest of a table's address counts. */
static const struct next *find(const void *object)
{
   pthread_mutex_lock(&lock);
   const struct next *next = nexts;
   while (next != NULL && next->key != key_of(object)) {
      next = next->before;
   }
   pthread_mutex_unlock(&lock);
   return next;
}

static bool add(const struct next *made)
{
   struct next *next = malloc(sizeof(*next));
   if (next == NULL) {
      return false;
   }
   *next = *made;
   pthread_mutex_lock(&lock);
   next->before = nexts;
   nexts = next;
   pthread_mutex_unlock(&lock);
   return true;
}

/* What the loader has put into the chain of an instance or a device. */
static void *link_of(const void *chain, VkStructureType type)
{
   const VkLayerInstanceCreateInfo *at = chain; /* both structures begin alike */
   while (at != NULL && !(at->sType == type && at->function == VK_LAYER_LINK_INFO)) {
      at = at->pNext;
   }
   return (void *)(uintptr_t)at;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkInstance *instance)
{
   VkLayerInstanceCreateInfo *link = link_of(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
   if (link == NULL) {
      return VK_ERROR_INITIALIZATION_FAILED;
   }
   struct next next = {.instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr};
   const PFN_vkCreateInstance create = (PFN_vkCreateInstance)next.instance(NULL, "vkCreateInstance");
   link->u.pLayerInfo = link->u.pLayerInfo->pNext;
   const VkResult result = create != NULL ? create(info, allocator, instance) : VK_ERROR_INITIALIZATION_FAILED;
   if (result == VK_SUCCESS) {
      next.key = key_of(*instance);
      return add(&next) ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
   }
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *device)
{
   VkLayerDeviceCreateInfo *link = link_of(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
   if (link == NULL) {
      return VK_ERROR_INITIALIZATION_FAILED;
   }
   struct next next = {.device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr, .robustness = built_device(info)};
   const PFN_vkCreateDevice create =
       (PFN_vkCreateDevice)link->u.pLayerInfo->pfnNextGetInstanceProcAddr(NULL, "vkCreateDevice");
   link->u.pLayerInfo = link->u.pLayerInfo->pNext;
   const VkResult result = create != NULL ? create(physical, info, allocator, device) : VK_ERROR_INITIALIZATION_FAILED;
   if (result != VK_SUCCESS) {
      return result;
   }
   next.key = key_of(*device);
#define LOOK(member, name) next.member = (PFN_##name)next.device(*device, #name)
   LOOK(create_module, vkCreateShaderModule);
   LOOK(create_set, vkCreateDescriptorSetLayout);
   LOOK(create_layout, vkCreatePipelineLayout);
   LOOK(create_compute, vkCreateComputePipelines);
   LOOK(create_graphics, vkCreateGraphicsPipelines);
#undef LOOK
   next.create_objects = (PFN_vkCreateShadersEXT_)next.device(*device, "vkCreateShadersEXT");
   return add(&next) ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* ---- What is kept ---- */

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkShaderModule *module)
{
   const VkResult result = find(device)->create_module(device, info, allocator, module);
   if (result == VK_SUCCESS) {
      built_note_module(key_of(device), *module, info);
   }
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_set(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info,
                                                 const VkAllocationCallbacks *allocator, VkDescriptorSetLayout *set)
{
   const VkResult result = find(device)->create_set(device, info, allocator, set);
   if (result == VK_SUCCESS) {
      built_note_set(key_of(device), *set, info);
   }
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_layout(VkDevice device, const VkPipelineLayoutCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkPipelineLayout *layout)
{
   const VkResult result = find(device)->create_layout(device, info, allocator, layout);
   if (result == VK_SUCCESS) {
      built_note_layout(key_of(device), *layout, info);
   }
   return result;
}

/* What is built is kept before it is built: so it is there when the driver does not survive it. */
static VKAPI_ATTR VkResult VKAPI_CALL create_compute(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                     const VkComputePipelineCreateInfo *infos,
                                                     const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
   const struct next *next = find(device);
   for (uint32_t i = 0; i < count; i++) {
      built_keep_stage(key_of(device), &next->robustness, &infos[i].stage, infos[i].layout, infos[i].pNext);
   }
   return next->create_compute(device, cache, count, infos, allocator, pipelines);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_graphics(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkGraphicsPipelineCreateInfo *infos,
                                                      const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
   const struct next *next = find(device);
   for (uint32_t i = 0; i < count; i++) {
      for (uint32_t k = 0; k < infos[i].stageCount && infos[i].pStages != NULL; k++) {
         built_keep_stage(key_of(device), &next->robustness, &infos[i].pStages[k], infos[i].layout, infos[i].pNext);
      }
   }
   return next->create_graphics(device, cache, count, infos, allocator, pipelines);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_objects(VkDevice device, uint32_t count,
                                                     const struct shader_object_info *infos,
                                                     const VkAllocationCallbacks *allocator, uint64_t *shaders)
{
   const struct next *next = find(device);
   for (uint32_t i = 0; i < count; i++) {
      built_keep_object(key_of(device), &next->robustness, &infos[i]);
   }
   return next->create_objects(device, count, infos, allocator, shaders);
}

/* ---- The loader's questions ---- */

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name);

/* The layer's own function of that name; NULL: it has none. */
static PFN_vkVoidFunction own(const char *name, bool of_device)
{
   static const struct {
      const char *name;
      PFN_vkVoidFunction function;
      bool of_device;
   } table[] = {
       {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_function, false},
       {"vkCreateInstance", (PFN_vkVoidFunction)create_instance, false},
       {"vkCreateDevice", (PFN_vkVoidFunction)create_device, false},
       {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_function, true},
       {"vkCreateShaderModule", (PFN_vkVoidFunction)create_module, true},
       {"vkCreateDescriptorSetLayout", (PFN_vkVoidFunction)create_set, true},
       {"vkCreatePipelineLayout", (PFN_vkVoidFunction)create_layout, true},
       {"vkCreateComputePipelines", (PFN_vkVoidFunction)create_compute, true},
       {"vkCreateGraphicsPipelines", (PFN_vkVoidFunction)create_graphics, true},
       {"vkCreateShadersEXT", (PFN_vkVoidFunction)create_objects, true},
   };
   for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
      if (strcmp(table[i].name, name) == 0 && (table[i].of_device || !of_device)) {
         return table[i].function;
      }
   }
   return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name)
{
   const PFN_vkVoidFunction function = own(name, false);
   const struct next *next = function == NULL && instance != NULL ? find(instance) : NULL;
   return next != NULL && next->instance != NULL ? next->instance(instance, name) : function;
}

/* A function that the driver lacks is not the layer's either. */
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name)
{
   const struct next *next = find(device);
   const PFN_vkVoidFunction theirs = next != NULL && next->device != NULL ? next->device(device, name) : NULL;
   const PFN_vkVoidFunction function = own(name, true);
   return theirs != NULL && function != NULL ? function : theirs;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
   if (interface->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT || interface->loaderLayerInterfaceVersion < 2) {
      return VK_ERROR_INITIALIZATION_FAILED;
   }
   interface->loaderLayerInterfaceVersion = 2;
   interface->pfnGetInstanceProcAddr = instance_function;
   interface->pfnGetDeviceProcAddr = device_function;
   interface->pfnGetPhysicalDeviceProcAddr = NULL;
   return VK_SUCCESS;
}
