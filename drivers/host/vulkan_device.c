/* SPDX-License-Identifier: MIT
 *
 * Finds and opens the device. Invariant: the library opens the loader itself, so that the host runs with any Mesa's.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/host/launches.h"
#include "drivers/host/vulkan.h"

#define MOST_DEVICES 16u

struct vulkan_functions vk;
static PFN_vkGetInstanceProcAddr get_address;
static PFN_vkCreateInstance create_instance;

static bool load(struct vulkan *vulkan)
{
   void *library = dlopen("libvulkan.so.1", RTLD_NOW);
   if (library == NULL) {
      return vulkan_refuse(vulkan, HOST_NO_LOADER, "Vulkan's loader cannot be opened: %s", dlerror());
   }
   get_address = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
   create_instance = get_address != NULL ? (PFN_vkCreateInstance)get_address(NULL, "vkCreateInstance") : NULL;
   const VkApplicationInfo application = {
       .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "agx-runner", .apiVersion = VK_API_VERSION_1_3};
   const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                      .pApplicationInfo = &application};
   if (create_instance == NULL || create_instance(&info, NULL, &vulkan->instance) != VK_SUCCESS) {
      return vulkan_refuse(vulkan, HOST_NO_DEVICE, "Vulkan's loader finds no driver");
   }
#define LOOK(name)                                                                                                     \
   vk.name = (PFN_##name)get_address(vulkan->instance, #name);                                                         \
   if (vk.name == NULL) {                                                                                              \
      return vulkan_refuse(vulkan, HOST_NO_LOADER, "Vulkan's loader has no " #name);                                   \
   }
   VULKAN_FUNCTIONS(LOOK)
#undef LOOK
   return true;
}

static bool find_device(struct vulkan *vulkan)
{
   VkPhysicalDevice devices[MOST_DEVICES];
   uint32_t count = MOST_DEVICES;
   (void)vk.vkEnumeratePhysicalDevices(vulkan->instance, &count, devices);
   for (uint32_t i = 0; i < count; i++) {
      VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
      VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                .pNext = &driver};
      vk.vkGetPhysicalDeviceProperties2(devices[i], &properties);
      if (host_takes_device(properties.properties.deviceName)) {
         char text[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE + 2 * VK_MAX_DRIVER_NAME_SIZE + 16];
         snprintf(text, sizeof(text), "%s, driver %s, %s", properties.properties.deviceName, driver.driverName,
                  driver.driverInfo);
         host_record_write_text(vulkan->result, HOST_DRIVER, 0, text);
         vulkan->physical = devices[i];
         return true;
      }
   }
   return vulkan_refuse(vulkan, HOST_NO_DEVICE, "none of %u Vulkan devices is an Apple GPU", count);
}

static bool find_family(struct vulkan *vulkan)
{
   VkQueueFamilyProperties families[MOST_DEVICES];
   uint32_t count = MOST_DEVICES;
   vk.vkGetPhysicalDeviceQueueFamilyProperties(vulkan->physical, &count, families);
   for (vulkan->family = 0; vulkan->family < count; vulkan->family++) {
      if (families[vulkan->family].queueFlags & VK_QUEUE_COMPUTE_BIT) {
         return true;
      }
   }
   return vulkan_refuse(vulkan, HOST_NO_DEVICE, "the device has no queue for compute");
}

static bool find_memory(struct vulkan *vulkan)
{
   const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
   VkPhysicalDeviceMemoryProperties memory;
   vk.vkGetPhysicalDeviceMemoryProperties(vulkan->physical, &memory);
   for (vulkan->memory_type = 0; vulkan->memory_type < memory.memoryTypeCount; vulkan->memory_type++) {
      if ((memory.memoryTypes[vulkan->memory_type].propertyFlags & wanted) == wanted) {
         return true;
      }
   }
   return vulkan_refuse(vulkan, HOST_NO_DEVICE, "the device has no memory that the host can map");
}

static bool has_extension(const struct vulkan *vulkan, const char *name)
{
   uint32_t count = 0;
   vk.vkEnumerateDeviceExtensionProperties(vulkan->physical, NULL, &count, NULL);
   VkExtensionProperties *list = calloc((size_t)count + 1, sizeof(*list));
   bool found = false;
   if (list != NULL && vk.vkEnumerateDeviceExtensionProperties(vulkan->physical, NULL, &count, list) >= 0) {
      for (uint32_t i = 0; i < count; i++) {
         found |= strcmp(list[i].extensionName, name) == 0;
      }
   }
   free(list);
   return found;
}

/* The functions of VK_EXT_host_image_copy, where the device has it. */
static void find_image_copy(struct vulkan *vulkan)
{
   struct host_image_copy *copy = &vulkan->copy;
   copy->to_image = (__typeof__(copy->to_image))vk.vkGetDeviceProcAddr(vulkan->device, "vkCopyMemoryToImageEXT");
   copy->to_memory = (__typeof__(copy->to_memory))vk.vkGetDeviceProcAddr(vulkan->device, "vkCopyImageToMemoryEXT");
   copy->transition =
       (__typeof__(copy->transition))vk.vkGetDeviceProcAddr(vulkan->device, "vkTransitionImageLayoutEXT");
}

static bool make_pool(struct vulkan *vulkan)
{
   const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = vulkan->family};
   vk.vkGetDeviceQueue(vulkan->device, vulkan->family, 0, &vulkan->queue);
   return vulkan_check(vulkan, HOST_NO_DEVICE, vk.vkCreateCommandPool(vulkan->device, &pool, NULL, &vulkan->pool),
                       "vkCreateCommandPool");
}

static bool open_device(struct vulkan *vulkan)
{
   static const char *const wanted[] = {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, HOST_IMAGE_COPY_EXTENSION};
   const float priority = 1;
   const char *extensions[3];
   const bool has_atomics = has_extension(vulkan, wanted[0]), has_copies = has_extension(vulkan, wanted[1]);
   uint32_t extension_count = 0;
   struct host_copy_features copies = {.type = (VkStructureType)HOST_COPY_FEATURES};
   struct host_features features;
   VkPhysicalDevicePipelineRobustnessFeaturesEXT robustness = {
       .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT};
   host_features_link(&features, has_atomics, has_copies ? &copies : NULL);
   vulkan->has_robustness = vulkan->has_pipeline && has_extension(vulkan, VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
   if (vulkan->has_robustness) {
      robustness.pNext = features.core.pNext;
      features.core.pNext = &robustness;
      extensions[extension_count++] = VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME;
   }
   vk.vkGetPhysicalDeviceFeatures2(vulkan->physical, &features.core);
   const char *missing = host_features_missing(&features, &vulkan->interface);
   if (missing != NULL) {
      return vulkan_refuse(vulkan, HOST_NO_FEATURE,
                           "the shader needs the capability %s, which the driver does not offer", missing);
   }
   if (has_atomics) {
      extensions[extension_count++] = wanted[0];
   }
   if (has_copies) {
      extensions[extension_count++] = wanted[1];
   }
   vulkan->has_addresses = features.v12.bufferDeviceAddress;
   const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueFamilyIndex = vulkan->family,
                                          .queueCount = 1,
                                          .pQueuePriorities = &priority};
   const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .pNext = &features.core,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &queue,
                                    .enabledExtensionCount = extension_count,
                                    .ppEnabledExtensionNames = extensions};
   if (!vulkan_check(vulkan, HOST_NO_DEVICE, vk.vkCreateDevice(vulkan->physical, &info, NULL, &vulkan->device),
                     "vkCreateDevice")) {
      return false;
   }
   if (has_copies && copies.offered) {
      find_image_copy(vulkan);
   }
   return make_pool(vulkan);
}

bool vulkan_open(struct vulkan *vulkan)
{
   return load(vulkan) && find_device(vulkan) && find_family(vulkan) && find_memory(vulkan) && open_device(vulkan);
}
