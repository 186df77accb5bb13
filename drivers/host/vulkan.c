/* SPDX-License-Identifier: MIT
 *
 * The host of Vulkan: makes a compute pipeline of a SPIR-V module through the loader, and dispatches it with the
 * buffers and push constants of the request (drivers/host/protocol.h). Like the host of OpenCL it opens the loader
 * itself and links with nothing else. Invariant: whatever the driver refuses becomes a record of the result.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/host/capabilities.h"
#include "drivers/host/launches.h"
#include "drivers/host/records.h"
#include "drivers/host/spirv.h"

#define MOST_DEVICES 16u
#define MOST_SETS 8u
#define MOST_SPECS SPIRV_SPECS
#define MOST_ARGUMENTS (SPIRV_BINDINGS + 1) /* the push constants are the last one */
#define PROBE_BUFFER_BYTES 4096u

#define INSTANCE_FUNCTIONS(X)                                                                                          \
   X(vkEnumeratePhysicalDevices)                                                                                       \
   X(vkGetPhysicalDeviceProperties2)                                                                                   \
   X(vkGetPhysicalDeviceFeatures2)                                                                                     \
   X(vkGetPhysicalDeviceMemoryProperties)                                                                              \
   X(vkGetPhysicalDeviceQueueFamilyProperties)                                                                         \
   X(vkEnumerateDeviceExtensionProperties)                                                                             \
   X(vkCreateDevice)                                                                                                   \
   X(vkGetDeviceQueue)                                                                                                 \
   X(vkCreateShaderModule)                                                                                             \
   X(vkCreateDescriptorSetLayout)                                                                                      \
   X(vkCreatePipelineLayout)                                                                                           \
   X(vkCreateComputePipelines)                                                                                         \
   X(vkCreateDescriptorPool)                                                                                           \
   X(vkAllocateDescriptorSets)                                                                                         \
   X(vkUpdateDescriptorSets)                                                                                           \
   X(vkCreateBuffer)                                                                                                   \
   X(vkGetBufferMemoryRequirements)                                                                                    \
   X(vkAllocateMemory)                                                                                                 \
   X(vkBindBufferMemory)                                                                                               \
   X(vkMapMemory)                                                                                                      \
   X(vkCreateCommandPool)                                                                                              \
   X(vkAllocateCommandBuffers)                                                                                         \
   X(vkBeginCommandBuffer)                                                                                             \
   X(vkCmdBindPipeline)                                                                                                \
   X(vkCmdBindDescriptorSets)                                                                                          \
   X(vkCmdPushConstants)                                                                                               \
   X(vkCmdDispatch)                                                                                                    \
   X(vkEndCommandBuffer)                                                                                               \
   X(vkQueueSubmit)                                                                                                    \
   X(vkQueueWaitIdle)

static PFN_vkGetInstanceProcAddr get_address;
static PFN_vkCreateInstance create_instance;
static struct {
#define POINTER(name) PFN_##name name;
   INSTANCE_FUNCTIONS(POINTER)
#undef POINTER
} vk;

/* An argument, and its buffer on the device. */
struct given {
   bool set;
   struct host_argument argument;
   const uint8_t *bytes;
   VkBuffer buffer;
   uint8_t *mapped;
};

struct host {
   FILE *result;
   char *folder; /* of saved jobs; NULL: none are saved */
   struct spirv_interface interface;
   VkInstance instance;
   VkPhysicalDevice physical;
   VkDevice device;
   VkQueue queue;
   uint32_t family, memory_type;
   VkShaderModule module;
   VkDescriptorSetLayout set_layouts[MOST_SETS];
   VkDescriptorSet sets[MOST_SETS];
   uint32_t set_count;
   VkPipelineLayout layout;
   VkPipeline pipeline;
   VkCommandPool pool;
};

__attribute__((format(printf, 3, 4))) static bool refuse(struct host *host, enum host_refusal why, const char *format,
                                                         ...)
{
   char text[1024];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(text, sizeof(text), format, arguments);
   va_end(arguments);
   host_record_write_text(host->result, HOST_REFUSAL, why, text);
   return false;
}

/* Refuses what a call of Vulkan's did not return. */
static bool check(struct host *host, enum host_refusal why, VkResult result, const char *call)
{
   return result == VK_SUCCESS || refuse(host, why, "%s: error %d", call, result);
}

/* ---- The driver ---- */

static bool load(struct host *host)
{
   void *library = dlopen("libvulkan.so.1", RTLD_NOW);
   if (library == NULL) {
      return refuse(host, HOST_NO_LOADER, "Vulkan's loader cannot be opened: %s", dlerror());
   }
   get_address = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
   create_instance = get_address != NULL ? (PFN_vkCreateInstance)get_address(NULL, "vkCreateInstance") : NULL;
   const VkApplicationInfo application = {
       .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "agx-runner", .apiVersion = VK_API_VERSION_1_3};
   const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                      .pApplicationInfo = &application};
   if (create_instance == NULL || create_instance(&info, NULL, &host->instance) != VK_SUCCESS) {
      return refuse(host, HOST_NO_DEVICE, "Vulkan's loader finds no driver");
   }
#define LOOK(name)                                                                                                     \
   vk.name = (PFN_##name)get_address(host->instance, #name);                                                           \
   if (vk.name == NULL) {                                                                                              \
      return refuse(host, HOST_NO_LOADER, "Vulkan's loader has no " #name);                                            \
   }
   INSTANCE_FUNCTIONS(LOOK)
#undef LOOK
   return true;
}

static bool find_device(struct host *host)
{
   VkPhysicalDevice devices[MOST_DEVICES];
   uint32_t count = MOST_DEVICES;
   (void)vk.vkEnumeratePhysicalDevices(host->instance, &count, devices);
   for (uint32_t i = 0; i < count; i++) {
      VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
      VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                .pNext = &driver};
      vk.vkGetPhysicalDeviceProperties2(devices[i], &properties);
      if (strncmp(properties.properties.deviceName, "Apple", 5) == 0) {
         char text[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE + 2 * VK_MAX_DRIVER_NAME_SIZE + 16];
         snprintf(text, sizeof(text), "%s, driver %s, %s", properties.properties.deviceName, driver.driverName,
                  driver.driverInfo);
         host_record_write_text(host->result, HOST_DRIVER, 0, text);
         host->physical = devices[i];
         return true;
      }
   }
   return refuse(host, HOST_NO_DEVICE, "none of %u Vulkan devices is an Apple GPU", count);
}

static bool find_family(struct host *host)
{
   VkQueueFamilyProperties families[MOST_DEVICES];
   uint32_t count = MOST_DEVICES;
   vk.vkGetPhysicalDeviceQueueFamilyProperties(host->physical, &count, families);
   for (host->family = 0; host->family < count; host->family++) {
      if (families[host->family].queueFlags & VK_QUEUE_COMPUTE_BIT) {
         return true;
      }
   }
   return refuse(host, HOST_NO_DEVICE, "the device has no queue for compute");
}

static bool find_memory(struct host *host)
{
   const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
   VkPhysicalDeviceMemoryProperties memory;
   vk.vkGetPhysicalDeviceMemoryProperties(host->physical, &memory);
   for (host->memory_type = 0; host->memory_type < memory.memoryTypeCount; host->memory_type++) {
      if ((memory.memoryTypes[host->memory_type].propertyFlags & wanted) == wanted) {
         return true;
      }
   }
   return refuse(host, HOST_NO_DEVICE, "the device has no memory that the host can map");
}

static bool has_extension(const struct host *host, const char *name)
{
   uint32_t count = 0;
   vk.vkEnumerateDeviceExtensionProperties(host->physical, NULL, &count, NULL);
   VkExtensionProperties *list = calloc((size_t)count + 1, sizeof(*list));
   bool found = false;
   if (list != NULL && vk.vkEnumerateDeviceExtensionProperties(host->physical, NULL, &count, list) >= 0) {
      for (uint32_t i = 0; i < count; i++) {
         found |= strcmp(list[i].extensionName, name) == 0;
      }
   }
   free(list);
   return found;
}

/* Opens the device with all features that it has, so that any shader may use them. */
static bool open_device(struct host *host)
{
   const float priority = 1;
   const char *atomics = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
   const bool has_atomics = has_extension(host, atomics);
   struct host_features features;
   host_features_link(&features, has_atomics);
   vk.vkGetPhysicalDeviceFeatures2(host->physical, &features.core);
   const char *missing = host_features_missing(&features, &host->interface);
   if (missing != NULL) {
      return refuse(host, HOST_NO_BUILD, "the shader needs the capability %s, which the driver does not offer",
                    missing);
   }
   const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueFamilyIndex = host->family,
                                          .queueCount = 1,
                                          .pQueuePriorities = &priority};
   const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .pNext = &features.core,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &queue,
                                    .enabledExtensionCount = has_atomics,
                                    .ppEnabledExtensionNames = &atomics};
   if (!check(host, HOST_NO_DEVICE, vk.vkCreateDevice(host->physical, &info, NULL, &host->device), "vkCreateDevice")) {
      return false;
   }
   const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = host->family};
   vk.vkGetDeviceQueue(host->device, host->family, 0, &host->queue);
   return check(host, HOST_NO_DEVICE, vk.vkCreateCommandPool(host->device, &pool, NULL, &host->pool),
                "vkCreateCommandPool");
}

/* ---- The pipeline ---- */

static VkDescriptorType descriptor_type(const struct spirv_binding *binding)
{
   return binding->kind == SPIRV_UNIFORM_BUFFER ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static bool make_set_layouts(struct host *host)
{
   const struct spirv_interface *interface = &host->interface;
   for (uint32_t i = 0; i < interface->binding_count; i++) {
      const struct spirv_binding *binding = &interface->bindings[i];
      if (binding->kind == SPIRV_OTHER_BINDING) {
         return refuse(host, HOST_NO_BUILD,
                       "binding %u.%u (%s) is no buffer: images, samplers and arrays of bindings cannot be given yet",
                       binding->set, binding->binding, binding->name);
      }
      if (binding->set >= MOST_SETS) {
         return refuse(host, HOST_NO_BUILD, "descriptor set %u: sets from 0 to %u can be given", binding->set,
                       MOST_SETS - 1);
      }
      host->set_count = binding->set + 1;
   }
   for (uint32_t set = 0; set < host->set_count; set++) {
      VkDescriptorSetLayoutBinding bindings[SPIRV_BINDINGS];
      VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                              .pBindings = bindings};
      for (uint32_t i = 0; i < interface->binding_count; i++) {
         if (interface->bindings[i].set == set) {
            bindings[info.bindingCount++] =
                (VkDescriptorSetLayoutBinding){.binding = interface->bindings[i].binding,
                                               .descriptorType = descriptor_type(&interface->bindings[i]),
                                               .descriptorCount = 1,
                                               .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
         }
      }
      if (!check(host, HOST_NO_BUILD,
                 vk.vkCreateDescriptorSetLayout(host->device, &info, NULL, &host->set_layouts[set]),
                 "vkCreateDescriptorSetLayout")) {
         return false;
      }
   }
   return true;
}

static bool make_layout(struct host *host)
{
   const VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                     .size = (host->interface.push_bytes + 3) & ~3u};
   const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = host->set_count,
                                            .pSetLayouts = host->set_layouts,
                                            .pushConstantRangeCount = push.size > 0,
                                            .pPushConstantRanges = &push};
   return check(host, HOST_NO_BUILD, vk.vkCreatePipelineLayout(host->device, &info, NULL, &host->layout),
                "vkCreatePipelineLayout");
}

static bool build(struct host *host, const struct host_record *source, const void *words)
{
   VkSpecializationMapEntry entries[MOST_SPECS];
   uint64_t values[MOST_SPECS];
   const struct spirv_interface *interface = &host->interface;
   for (uint32_t i = 0; i < interface->spec_count; i++) {
      const struct spirv_spec *spec = &interface->specs[i];
      values[i] = spec->value;
      entries[i] = (VkSpecializationMapEntry){spec->id, i * (uint32_t)sizeof(values[0]), spec->bytes};
   }
   const VkSpecializationInfo special = {interface->spec_count, entries, sizeof(values), values};
   const VkShaderModuleCreateInfo module = {
       .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = source->size, .pCode = words};
   if (!make_set_layouts(host) || !make_layout(host) ||
       !check(host, HOST_NO_BUILD, vk.vkCreateShaderModule(host->device, &module, NULL, &host->module),
              "vkCreateShaderModule")) {
      return false;
   }
   const VkComputePipelineCreateInfo pipeline = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                                 .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                           .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                           .module = host->module,
                                                           .pName = interface->entry,
                                                           .pSpecializationInfo = &special},
                                                 .layout = host->layout};
   return check(host, HOST_NO_BUILD,
                vk.vkCreateComputePipelines(host->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &host->pipeline),
                "vkCreateComputePipelines: the driver does not compile the shader");
}

/* ---- Facts ---- */

static uint32_t argument_number(const struct spirv_binding *binding)
{
   return binding->set << 16 | binding->binding;
}

static uint32_t argument_count(const struct host *host)
{
   return host->interface.binding_count + (host->interface.push_bytes > 0);
}

/* The arguments are the bindings in their order, then the push constants. */
static void read_parameter(const struct host *host, uint32_t index, struct host_parameter *parameter, uint32_t *number)
{
   const struct spirv_interface *interface = &host->interface;
   if (index == interface->binding_count) {
      *parameter = (struct host_parameter){.kind = HOST_VALUE, .size = interface->push_bytes};
      *number = HOST_PUSH;
      snprintf(parameter->name, sizeof(parameter->name), "push");
      return;
   }
   const struct spirv_binding *binding = &interface->bindings[index];
   *parameter = (struct host_parameter){.kind = binding->kind == SPIRV_OTHER_BINDING ? HOST_OTHER : HOST_BUFFER,
                                        .read_only = binding->read_only};
   *number = argument_number(binding);
   snprintf(parameter->name, sizeof(parameter->name), "%u.%u", binding->set, binding->binding);
   snprintf(parameter->type, sizeof(parameter->type), "%s", binding->name);
}

static void write_facts(const struct host *host)
{
   struct host_facts facts = {.parameters = argument_count(host), .local_bytes = UINT64_MAX};
   snprintf(facts.name, sizeof(facts.name), "%s", host->interface.entry);
   memcpy(facts.group, host->interface.group, sizeof(facts.group));
   host_record_write(host->result, HOST_FACTS, 0, &facts, sizeof(facts));
   for (uint32_t i = 0; i < facts.parameters; i++) {
      struct host_parameter parameter;
      uint32_t number;
      read_parameter(host, i, &parameter, &number);
      host_record_write(host->result, HOST_PARAMETER, number, &parameter, sizeof(parameter));
   }
}

/* ---- Launches ---- */

static bool make_buffer(struct host *host, struct given *given)
{
   const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = given->argument.size,
                                    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT};
   VkMemoryRequirements needs;
   VkDeviceMemory memory;
   void *mapped;
   if (!check(host, HOST_NO_LAUNCH, vk.vkCreateBuffer(host->device, &info, NULL, &given->buffer), "vkCreateBuffer")) {
      return false;
   }
   vk.vkGetBufferMemoryRequirements(host->device, given->buffer, &needs);
   const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                          .allocationSize = needs.size,
                                          .memoryTypeIndex = host->memory_type};
   if (!check(host, HOST_NO_LAUNCH, vk.vkAllocateMemory(host->device, &allocate, NULL, &memory), "vkAllocateMemory") ||
       !check(host, HOST_NO_LAUNCH, vk.vkBindBufferMemory(host->device, given->buffer, memory, 0),
              "vkBindBufferMemory") ||
       !check(host, HOST_NO_LAUNCH, vk.vkMapMemory(host->device, memory, 0, VK_WHOLE_SIZE, 0, &mapped),
              "vkMapMemory")) {
      return false;
   }
   given->mapped = mapped;
   return true;
}

static bool make_sets(struct host *host)
{
   const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SPIRV_BINDINGS},
                                         {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SPIRV_BINDINGS}};
   const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .maxSets = MOST_SETS,
                                            .poolSizeCount = 2,
                                            .pPoolSizes = sizes};
   VkDescriptorPool pool;
   if (host->set_count == 0) {
      return true;
   }
   if (!check(host, HOST_NO_LAUNCH, vk.vkCreateDescriptorPool(host->device, &info, NULL, &pool),
              "vkCreateDescriptorPool")) {
      return false;
   }
   const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                 .descriptorPool = pool,
                                                 .descriptorSetCount = host->set_count,
                                                 .pSetLayouts = host->set_layouts};
   return check(host, HOST_NO_LAUNCH, vk.vkAllocateDescriptorSets(host->device, &allocate, host->sets),
                "vkAllocateDescriptorSets");
}

static bool bind_buffers(struct host *host, struct given *given)
{
   for (uint32_t i = 0; i < host->interface.binding_count; i++) {
      const struct spirv_binding *binding = &host->interface.bindings[i];
      if (!given[i].set || given[i].argument.kind != HOST_BUFFER) {
         return refuse(host, HOST_NO_LAUNCH, "binding %u.%u has no buffer", binding->set, binding->binding);
      }
      if (!make_buffer(host, &given[i])) {
         return false;
      }
      const VkDescriptorBufferInfo buffer = {given[i].buffer, 0, VK_WHOLE_SIZE};
      const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = host->sets[binding->set],
                                          .dstBinding = binding->binding,
                                          .descriptorCount = 1,
                                          .descriptorType = descriptor_type(binding),
                                          .pBufferInfo = &buffer};
      vk.vkUpdateDescriptorSets(host->device, 1, &write, 0, NULL);
   }
   return true;
}

static bool record(struct host *host, const struct host_launch *launch, const struct given *push,
                   VkCommandBuffer *commands)
{
   const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = host->pool,
                                                 .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                 .commandBufferCount = 1};
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   const uint32_t *group = host->interface.group;
   if (!check(host, HOST_NO_LAUNCH, vk.vkAllocateCommandBuffers(host->device, &allocate, commands),
              "vkAllocateCommandBuffers") ||
       !check(host, HOST_NO_LAUNCH, vk.vkBeginCommandBuffer(*commands, &begin), "vkBeginCommandBuffer")) {
      return false;
   }
   vk.vkCmdBindPipeline(*commands, VK_PIPELINE_BIND_POINT_COMPUTE, host->pipeline);
   if (host->set_count > 0) {
      vk.vkCmdBindDescriptorSets(*commands, VK_PIPELINE_BIND_POINT_COMPUTE, host->layout, 0, host->set_count,
                                 host->sets, 0, NULL);
   }
   if (push->set) {
      uint8_t bytes[4096] = {0};
      const uint32_t size = (host->interface.push_bytes + 3) & ~3u;
      memcpy(bytes, push->bytes, push->argument.size < sizeof(bytes) ? push->argument.size : sizeof(bytes));
      vk.vkCmdPushConstants(*commands, host->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, bytes);
   }
   vk.vkCmdDispatch(*commands, launch->grid[0] / group[0], launch->grid[1] / group[1], launch->grid[2] / group[2]);
   return check(host, HOST_NO_LAUNCH, vk.vkEndCommandBuffer(*commands), "vkEndCommandBuffer");
}

static bool check_launch(struct host *host, const struct host_launch *launch, const struct given *push)
{
   const uint32_t *group = host->interface.group;
   for (unsigned i = 0; i < 3; i++) {
      if (group[i] == 0 || launch->grid[i] % group[i] != 0) {
         return refuse(host, HOST_NO_LAUNCH,
                       "a grid of %u,%u,%u threads: Vulkan launches whole workgroups, of %u,%u,%u", launch->grid[0],
                       launch->grid[1], launch->grid[2], group[0], group[1], group[2]);
      }
   }
   return push->set == (host->interface.push_bytes > 0) ||
          refuse(host, HOST_NO_LAUNCH, "the push constants are missing");
}

static bool launch_all(struct host *host, const struct host_launch *request, struct given *given)
{
   struct host_launched launched = {.error = 0};
   const struct given *push = &given[host->interface.binding_count];
   VkCommandBuffer commands;
   bool good = check_launch(host, request, push) && make_sets(host) && bind_buffers(host, given) &&
               record(host, request, push, &commands);
   do {
      for (uint32_t i = 0; good && i < host->interface.binding_count; i++) {
         memcpy(given[i].mapped, given[i].bytes, given[i].argument.size);
      }
      launched.first_job = host_count_jobs(host->folder);
      const VkSubmitInfo submit = {
          .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
      good = good &&
             check(host, HOST_NO_LAUNCH, vk.vkQueueSubmit(host->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
      if (good) {
         /* A job that faults may lose the device; what it has left in memory counts all the same. */
         launched.error = vk.vkQueueWaitIdle(host->queue);
         launched.jobs = host_count_jobs(host->folder) - launched.first_job;
         launched.repeats++;
      }
   } while (good && launched.error == 0 && launched.repeats < request->repeat);
   if (good) {
      host_record_write(host->result, HOST_LAUNCHED, 0, &launched, sizeof(launched));
      for (uint32_t i = 0; i < host->interface.binding_count; i++) {
         host_record_write(host->result, HOST_AFTER, argument_number(&host->interface.bindings[i]), given[i].mapped,
                           given[i].argument.size);
      }
   }
   return good;
}

static void probe(struct host *host)
{
   const uint32_t count = argument_count(host);
   struct given given[MOST_ARGUMENTS] = {0};
   uint8_t *bytes = calloc((size_t)count + 1, PROBE_BUFFER_BYTES);
   struct host_launch request = {.dimensions = 3};
   host_record_write(host->result, HOST_PROBED, 0, "", 0);
   for (uint32_t i = 0; bytes != NULL && i < count; i++) {
      struct host_parameter parameter;
      uint32_t number;
      read_parameter(host, i, &parameter, &number);
      given[i].set = true;
      given[i].argument.kind = parameter.kind;
      given[i].argument.size = parameter.kind == HOST_BUFFER ? PROBE_BUFFER_BYTES : parameter.size;
      given[i].bytes = bytes + (size_t)i * PROBE_BUFFER_BYTES;
      host_fill_marker(bytes + (size_t)i * PROBE_BUFFER_BYTES, given[i].argument.size, 0, i);
      host_record_write_two(host->result, HOST_MARKER, number, &given[i].argument, sizeof(given[i].argument),
                            given[i].bytes, given[i].argument.size);
   }
   memcpy(request.grid, host->interface.group, sizeof(request.grid));
   if (bytes != NULL) {
      launch_all(host, &request, given);
   }
   free(bytes);
}

/* ---- The request ---- */

static struct given *find_given(struct host *host, struct given *given, uint32_t number)
{
   for (uint32_t i = 0; i < host->interface.binding_count; i++) {
      if (argument_number(&host->interface.bindings[i]) == number) {
         return &given[i];
      }
   }
   return number == HOST_PUSH ? &given[host->interface.binding_count] : NULL;
}

static bool serve_launches(struct host *host, struct host_records *request)
{
   struct given given[MOST_ARGUMENTS] = {0};
   const struct host_record *record;
   const void *payload;
   bool good = true;
   while (good && (record = host_records_next(request, &payload)) != NULL) {
      struct given *one = record->kind == HOST_ARGUMENT ? find_given(host, given, record->number) : NULL;
      if (one != NULL && record->size >= sizeof(one->argument)) {
         memcpy(&one->argument, payload, sizeof(one->argument));
         one->bytes = (const uint8_t *)payload + sizeof(one->argument);
         one->set = true;
      } else if (record->kind == HOST_LAUNCH && record->size == sizeof(struct host_launch)) {
         good = launch_all(host, payload, given);
      } else if (record->kind == HOST_PROBE) {
         probe(host);
      }
   }
   return good;
}

static bool check_given(struct host *host, const struct spirv_given *given, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      bool found = false;
      for (uint32_t k = 0; k < host->interface.spec_count; k++) {
         found |= host->interface.specs[k].id == given[i].id;
      }
      if (!found) {
         return refuse(host, HOST_BAD_REQUEST, "the shader has no specialization constant %u", given[i].id);
      }
   }
   return true;
}

static void serve(struct host *host, struct host_records *request)
{
   const struct host_record *record, *source = NULL;
   const void *payload, *words = NULL;
   struct spirv_given given[MOST_SPECS];
   size_t given_count = 0;
   const size_t start = request->at;
   while ((record = host_records_next(request, &payload)) != NULL) {
      if (record->kind == HOST_SOURCE && record->number == HOST_SPIRV_SHADER) {
         source = record;
         words = payload;
      } else if (record->kind == HOST_JOBS) {
         host->folder = strndup(payload, record->size);
      } else if (record->kind == HOST_SPECIALIZE && record->size == sizeof(struct host_specialization) &&
                 given_count < MOST_SPECS) {
         const struct host_specialization *special = payload;
         given[given_count++] =
             (struct spirv_given){special->id, special->is_float != 0, special->integer, special->number};
      }
   }
   request->at = start;
   if (source == NULL) {
      refuse(host, HOST_BAD_REQUEST, "the request has no SPIR-V of Vulkan");
      return;
   }
   const char *wrong = spirv_read(words, source->size / 4, given, given_count, &host->interface);
   if (wrong != NULL) {
      refuse(host, HOST_NO_BUILD, "the SPIR-V module is not understood: %s", wrong);
   } else if (host->interface.entry[0] == '\0') {
      refuse(host, HOST_NO_ENTRY, "the module has no compute shader");
   } else if (check_given(host, given, given_count) && load(host) && find_device(host) && find_family(host) &&
              find_memory(host) && open_device(host) && build(host, source, words)) {
      write_facts(host);
      serve_launches(host, request);
   }
}

int main(int argc, char **argv)
{
   struct host_records request;
   struct host host = {.result = host_start(argc, argv, &request)};
   if (host.result == NULL) {
      return 1;
   }
   serve(&host, &request);
   return host_records_close(host.result) ? 0 : 1;
}
