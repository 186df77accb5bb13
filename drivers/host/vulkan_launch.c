/* SPDX-License-Identifier: MIT
 *
 * Launches: what the request gives becomes objects of the device, which are bound and dispatched. Invariant: each
 * repetition starts from the contents of the request.
 */
#include <stdlib.h>
#include <string.h>

#include "drivers/host/formats.h"
#include "drivers/host/launches.h"
#include "drivers/host/vulkan.h"

#define PROBE_BUFFER_BYTES 4096u
#define PROBE_WIDTH 16u /* of each size of an image */
#define PUSH_BYTES 4096u

/* The objects that the launches of a request need. */
struct launching {
   struct vulkan *vulkan;
   struct given given[VULKAN_ARGUMENTS];
   struct host_address addresses[VULKAN_ADDRESSES];
   uint32_t places[VULKAN_ADDRESSES]; /* the arguments that the addresses go to */
   uint32_t address_count;
   uint8_t push[PUSH_BYTES];
};

/* ---- Memory ---- */

bool vulkan_allocate(struct vulkan *vulkan, const VkMemoryRequirements *needs, bool addressed, VkDeviceMemory *memory,
                     uint8_t **mapped)
{
   const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                            .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
   const bool fits = (needs->memoryTypeBits >> vulkan->memory_type & 1) != 0;
   const uint32_t any = (uint32_t)__builtin_ctz(needs->memoryTypeBits | 1u << 31);
   const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .pNext = addressed ? &flags : NULL,
                                      .allocationSize = needs->size,
                                      .memoryTypeIndex = fits ? vulkan->memory_type : any};
   void *pointer = NULL;
   if (!vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkAllocateMemory(vulkan->device, &info, NULL, memory),
                     "vkAllocateMemory") ||
       (mapped != NULL &&
        !vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkMapMemory(vulkan->device, *memory, 0, VK_WHOLE_SIZE, 0, &pointer),
                      "vkMapMemory"))) {
      return false;
   }
   if (mapped != NULL) {
      *mapped = pointer;
   }
   return true;
}

bool vulkan_make_buffer(struct vulkan *vulkan, struct given *given, VkBufferUsageFlags usage)
{
   const bool addressed = vulkan->has_addresses;
   const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = given->argument.size,
                                    .usage = usage | (addressed ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0)};
   VkMemoryRequirements needs;
   VkDeviceMemory memory;
   if (!vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkCreateBuffer(vulkan->device, &info, NULL, &given->buffer),
                     "vkCreateBuffer")) {
      return false;
   }
   vk.vkGetBufferMemoryRequirements(vulkan->device, given->buffer, &needs);
   return vulkan_allocate(vulkan, &needs, addressed, &memory, &given->mapped) &&
          vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkBindBufferMemory(vulkan->device, given->buffer, memory, 0),
                       "vkBindBufferMemory");
}

/* ---- Bindings ---- */

static bool make_sets(struct vulkan *vulkan)
{
   VkDescriptorPoolSize sizes[SPIRV_OTHER_BINDING];
   for (uint32_t kind = 0; kind < SPIRV_OTHER_BINDING; kind++) {
      const struct spirv_binding binding = {.kind = kind};
      sizes[kind] = (VkDescriptorPoolSize){vulkan_descriptor_type(&binding), VULKAN_ARGUMENTS};
   }
   const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .maxSets = VULKAN_SETS,
                                            .poolSizeCount = SPIRV_OTHER_BINDING,
                                            .pPoolSizes = sizes};
   VkDescriptorPool pool;
   if (vulkan->set_count == 0) {
      return true;
   }
   if (!vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkCreateDescriptorPool(vulkan->device, &info, NULL, &pool),
                     "vkCreateDescriptorPool")) {
      return false;
   }
   const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                 .descriptorPool = pool,
                                                 .descriptorSetCount = vulkan->set_count,
                                                 .pSetLayouts = vulkan->set_layouts};
   return vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkAllocateDescriptorSets(vulkan->device, &allocate, vulkan->sets),
                       "vkAllocateDescriptorSets");
}

static bool make_object(struct vulkan *vulkan, struct given *given, const struct spirv_binding *binding)
{
   switch (binding->kind) {
   case SPIRV_STORAGE_BUFFER:
   case SPIRV_UNIFORM_BUFFER:
      return vulkan_make_buffer(vulkan, given, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
   case SPIRV_STORAGE_TEXELS:
   case SPIRV_TEXELS:
      return vulkan_make_texels(vulkan, given, binding);
   case SPIRV_SAMPLER:
      return vulkan_make_sampler(vulkan, given);
   case SPIRV_SAMPLED_TEXTURE:
      return vulkan_make_image(vulkan, given, binding) && vulkan_make_sampler(vulkan, given);
   default:
      return vulkan_make_image(vulkan, given, binding);
   }
}

static bool bind(struct vulkan *vulkan, struct given *given, const struct element *element)
{
   const struct spirv_binding *binding = element->binding;
   const bool set = binding->kind == SPIRV_SAMPLER
                        ? given->has_sampler
                        : given->set && given->argument.kind == vulkan_argument_kind(binding);
   if (!set) {
      return vulkan_refuse(vulkan, HOST_NO_LAUNCH, "binding %u.%u (%s) is not given", binding->set, binding->binding,
                           binding->name);
   }
   if (given->has_sampler && binding->kind != SPIRV_SAMPLER && binding->kind != SPIRV_SAMPLED_TEXTURE) {
      return vulkan_refuse(vulkan, HOST_NO_LAUNCH, "binding %u.%u (%s) takes no sampler: it is not sampled",
                           binding->set, binding->binding, binding->name);
   }
   if (!make_object(vulkan, given, binding)) {
      return false;
   }
   const VkDescriptorBufferInfo buffer = {given->buffer, 0, VK_WHOLE_SIZE};
   const VkDescriptorImageInfo image = {given->sampled_with, given->view, VK_IMAGE_LAYOUT_GENERAL};
   const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = vulkan->sets[binding->set],
                                       .dstBinding = binding->binding,
                                       .dstArrayElement = element->index,
                                       .descriptorCount = 1,
                                       .descriptorType = vulkan_descriptor_type(binding),
                                       .pBufferInfo = &buffer,
                                       .pImageInfo = &image,
                                       .pTexelBufferView = &given->texels};
   vk.vkUpdateDescriptorSets(vulkan->device, 1, &write, 0, NULL);
   return true;
}

/* Creates the buffers of bindings, and those that are reached by address only. */
static bool bind_all(struct launching *launching)
{
   struct vulkan *vulkan = launching->vulkan;
   for (uint32_t i = 0; i < vulkan->argument_count; i++) {
      if (vulkan->elements[i].binding != NULL && !bind(vulkan, &launching->given[i], &vulkan->elements[i])) {
         return false;
      }
   }
   for (uint32_t i = vulkan->argument_count; i < VULKAN_ARGUMENTS; i++) {
      if (launching->given[i].set &&
          !vulkan_make_buffer(vulkan, &launching->given[i], VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)) {
         return false;
      }
   }
   return true;
}

/* ---- Contents ---- */

/* The push constants are the last argument; NULL: the shader has none. */
static const struct given *push_of(const struct launching *launching)
{
   const uint32_t count = launching->vulkan->argument_count;
   return launching->vulkan->interface.push_bytes > 0 ? &launching->given[count - 1] : NULL;
}

static bool write_address(struct launching *launching, uint32_t index)
{
   struct vulkan *vulkan = launching->vulkan;
   const struct host_address *address = &launching->addresses[index];
   struct given *place = &launching->given[launching->places[index]];
   const struct given *buffer = &launching->given[address->buffer];
   uint8_t *bytes = place == push_of(launching) ? launching->push : place->mapped;
   const uint64_t size = place->argument.size;
   if (!vulkan->has_addresses) {
      return vulkan_refuse(vulkan, HOST_NO_LAUNCH, "the driver does not offer bufferDeviceAddress");
   }
   if (buffer->buffer == VK_NULL_HANDLE || bytes == NULL || size < sizeof(uint64_t) ||
       address->offset > size - sizeof(uint64_t)) {
      return vulkan_refuse(vulkan, HOST_BAD_REQUEST, "the address of argument %u has no place in argument %u",
                           address->buffer, launching->places[index]);
   }
   const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                           .buffer = buffer->buffer};
   const uint64_t value = vk.vkGetBufferDeviceAddress(vulkan->device, &info);
   memcpy(bytes + address->offset, &value, sizeof(value));
   return true;
}

/* Fills in all values of the request, then the addresses of buffers. */
static bool fill(struct launching *launching)
{
   struct vulkan *vulkan = launching->vulkan;
   for (uint32_t i = 0; i < VULKAN_ARGUMENTS; i++) {
      const struct given *given = &launching->given[i];
      if (given->mapped != NULL) {
         memcpy(given->mapped, given->bytes, given->argument.size);
      } else if (given->on_device != VK_NULL_HANDLE &&
                 !vulkan_write_image(vulkan, given, vulkan->elements[i].binding)) {
         return false;
      }
   }
   const struct given *push = push_of(launching);
   if (push != NULL) {
      memcpy(launching->push, push->bytes, push->argument.size < PUSH_BYTES ? push->argument.size : PUSH_BYTES);
   }
   for (uint32_t i = 0; i < launching->address_count; i++) {
      if (!write_address(launching, i)) {
         return false;
      }
   }
   return true;
}

static bool write_results(struct launching *launching)
{
   struct vulkan *vulkan = launching->vulkan;
   bool good = true;
   for (uint32_t i = 0; good && i < VULKAN_ARGUMENTS; i++) {
      struct given *given = &launching->given[i];
      const size_t size = given->argument.size;
      const bool image = given->on_device != VK_NULL_HANDLE;
      uint8_t *bytes = image || given->mapped != NULL ? malloc(size + 1) : NULL;
      if (bytes == NULL) {
         continue;
      }
      if (image) {
         good = vulkan_read_image(vulkan, given, vulkan->elements[i].binding, bytes);
      } else {
         memcpy(bytes, given->mapped, size);
      }
      host_record_write(vulkan->result, HOST_AFTER, i, bytes, size);
      free(given->left);
      given->left = bytes;
   }
   return good;
}

/* ---- The launch ---- */

/* The grid in workgroups in a buffer. */
static bool dispatch_indirectly(struct vulkan *vulkan, VkCommandBuffer commands, const uint32_t groups[3])
{
   struct given grid = {.argument = {.kind = HOST_BUFFER, .size = 3 * sizeof(uint32_t)}};
   if (!vulkan_make_buffer(vulkan, &grid, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT)) {
      return false;
   }
   memcpy(grid.mapped, groups, 3 * sizeof(uint32_t));
   vk.vkCmdDispatchIndirect(commands, grid.buffer, 0);
   return true;
}

static bool record(struct launching *launching, const struct host_launch *launch, VkCommandBuffer *commands)
{
   struct vulkan *vulkan = launching->vulkan;
   const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = vulkan->pool,
                                                 .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                 .commandBufferCount = 1};
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   const uint32_t *group = vulkan->interface.group;
   const uint32_t groups[] = {launch->grid[0] / group[0], launch->grid[1] / group[1], launch->grid[2] / group[2]};
   const uint32_t push_bytes = (vulkan->interface.push_bytes + 3) & ~3u;
   if (!vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkAllocateCommandBuffers(vulkan->device, &allocate, commands),
                     "vkAllocateCommandBuffers") ||
       !vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkBeginCommandBuffer(*commands, &begin), "vkBeginCommandBuffer")) {
      return false;
   }
   vk.vkCmdBindPipeline(*commands, VK_PIPELINE_BIND_POINT_COMPUTE, vulkan->pipeline);
   if (vulkan->set_count > 0) {
      vk.vkCmdBindDescriptorSets(*commands, VK_PIPELINE_BIND_POINT_COMPUTE, vulkan->layout, 0, vulkan->set_count,
                                 vulkan->sets, 0, NULL);
   }
   if (push_bytes > 0) {
      vk.vkCmdPushConstants(*commands, vulkan->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, launching->push);
   }
   if (launch->indirect && !dispatch_indirectly(vulkan, *commands, groups)) {
      return false;
   }
   if (!launch->indirect) {
      vk.vkCmdDispatch(*commands, groups[0], groups[1], groups[2]);
   }
   return vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkEndCommandBuffer(*commands), "vkEndCommandBuffer");
}

static bool check_launch(const struct launching *launching, const struct host_launch *launch)
{
   struct vulkan *vulkan = launching->vulkan;
   const uint32_t *group = vulkan->interface.group;
   const struct given *push = push_of(launching);
   for (unsigned i = 0; i < 3; i++) {
      if (group[i] == 0 || launch->grid[i] % group[i] != 0) {
         return vulkan_refuse(vulkan, HOST_NO_LAUNCH,
                              "a grid of %u,%u,%u threads: Vulkan launches whole workgroups, of %u,%u,%u",
                              launch->grid[0], launch->grid[1], launch->grid[2], group[0], group[1], group[2]);
      }
   }
   return push == NULL || push->set || vulkan_refuse(vulkan, HOST_NO_LAUNCH, "the push constants are missing");
}

static bool submit(struct vulkan *vulkan, VkCommandBuffer commands, struct host_launched *launched)
{
   const VkSubmitInfo info = {
       .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
   launched->first_job = host_count_jobs(vulkan->folder);
   if (!vulkan_check(vulkan, HOST_NO_LAUNCH, vk.vkQueueSubmit(vulkan->queue, 1, &info, VK_NULL_HANDLE),
                     "vkQueueSubmit")) {
      return false;
   }
   /* A job that faults may lose the device; what it has left in memory counts all the same. */
   launched->error = vk.vkQueueWaitIdle(vulkan->queue);
   launched->jobs = host_count_jobs(vulkan->folder) - launched->first_job;
   launched->repeats++;
   return true;
}

static bool launch_all(struct launching *launching, const struct host_launch *request)
{
   struct vulkan *vulkan = launching->vulkan;
   struct host_launched launched = {.error = 0};
   VkCommandBuffer commands;
   bool good = check_launch(launching, request) && make_sets(vulkan) && bind_all(launching) && fill(launching) &&
               record(launching, request, &commands);
   do {
      good = good && fill(launching) && submit(vulkan, commands, &launched);
   } while (good && launched.error == 0 && launched.repeats < request->repeat);
   if (good) {
      host_record_write(vulkan->result, HOST_LAUNCHED, 0, &launched, sizeof(launched));
   }
   return good && write_results(launching);
}

/* ---- Probes ---- */

static struct host_image probe_image(const struct spirv_binding *binding)
{
   static const uint32_t sizes[HOST_SHAPES] = {1, 2, 2, 3, 3, 3, 3, 1};
   const bool cube = binding->shape == HOST_CUBE || binding->shape == HOST_CUBE_ARRAY;
   struct host_image image = {.format = binding->format, .dimensions = sizes[binding->shape], .size = {1, 1, 1}};
   for (uint32_t i = 0; i < image.dimensions; i++) {
      image.size[i] = i == 2 && cube ? 6 : PROBE_WIDTH;
   }
   if (image.format == HOST_NO_FORMAT) {
      image.format = host_format_for(binding->reads);
   }
   return image;
}

static bool probe_argument(struct launching *launching, uint32_t index)
{
   struct vulkan *vulkan = launching->vulkan;
   struct given *given = &launching->given[index];
   struct host_parameter parameter;
   vulkan_parameter(vulkan, index, &parameter);
   given->set = true;
   given->has_sampler = parameter.kind == HOST_SAMPLER;
   given->argument.kind = parameter.kind;
   given->argument.size = parameter.kind == HOST_BUFFER ? PROBE_BUFFER_BYTES : parameter.size;
   if (parameter.kind == HOST_IMAGE) {
      given->image = probe_image(vulkan->elements[index].binding);
      given->argument.size = (uint64_t)given->image.size[0] * given->image.size[1] * given->image.size[2] *
                             host_format_bytes(given->image.format);
   }
   uint8_t *bytes = calloc(1, given->argument.size + 1);
   if (bytes == NULL) {
      return vulkan_refuse(vulkan, HOST_NO_LAUNCH, "out of memory");
   }
   host_fill_marker(bytes, given->argument.size, 0, index);
   given->bytes = bytes;
   host_record_write_two(vulkan->result, HOST_MARKER, index, &given->argument, sizeof(given->argument), bytes,
                         given->argument.size);
   return true;
}

static void probe(struct vulkan *vulkan)
{
   struct launching *launching = calloc(1, sizeof(*launching));
   struct host_launch request = {.dimensions = 3};
   bool good = launching != NULL;
   host_record_write(vulkan->result, HOST_PROBED, 0, "", 0);
   memcpy(request.grid, vulkan->interface.group, sizeof(request.grid));
   for (uint32_t i = 0; good && i < vulkan->argument_count; i++) {
      launching->vulkan = vulkan;
      good = probe_argument(launching, i);
   }
   if (good) {
      launching->vulkan = vulkan;
      launch_all(launching, &request);
   }
   for (uint32_t i = 0; launching != NULL && i < vulkan->argument_count; i++) {
      free((void *)(uintptr_t)launching->given[i].bytes);
      free(launching->given[i].left);
   }
   free(launching);
}

/* ---- The request ---- */

static void take_argument(struct given *given, const uint8_t *payload, size_t size)
{
   struct host_argument argument;
   memcpy(&argument, payload, sizeof(argument));
   payload += sizeof(argument);
   size -= sizeof(argument);
   if (argument.kind == HOST_SAMPLER && size >= sizeof(given->sampler)) {
      memcpy(&given->sampler, payload, sizeof(given->sampler));
      given->has_sampler = true;
      return;
   }
   if (argument.kind == HOST_IMAGE && size >= sizeof(given->image)) {
      memcpy(&given->image, payload, sizeof(given->image));
      payload += sizeof(given->image);
      size -= sizeof(given->image);
   }
   given->argument = argument;
   given->bytes = payload;
   given->set = argument.size <= size && (argument.kind != HOST_IMAGE || host_format(given->image.format) != NULL);
}

static void take_address(struct launching *launching, uint32_t number, const struct host_address *address)
{
   if (launching->address_count < VULKAN_ADDRESSES && number < VULKAN_ARGUMENTS && address->buffer < VULKAN_ARGUMENTS) {
      launching->places[launching->address_count] = number;
      launching->addresses[launching->address_count++] = *address;
   }
}

/* The contents before the next launch are what the last one has left. */
static void keep(struct given *given)
{
   if (given->left != NULL) {
      free(given->kept);
      given->bytes = given->kept = given->left;
      given->left = NULL;
   }
}

bool vulkan_serve_launches(struct vulkan *vulkan, struct host_records *request)
{
   struct launching *launching = calloc(1, sizeof(*launching));
   const struct host_record *record;
   const void *payload;
   bool good = launching != NULL;
   while (good && (record = host_records_next(request, &payload)) != NULL) {
      launching->vulkan = vulkan;
      if (record->kind == HOST_ARGUMENT && record->number < VULKAN_ARGUMENTS &&
          record->size >= sizeof(struct host_argument)) {
         take_argument(&launching->given[record->number], payload, record->size);
      } else if (record->kind == HOST_KEEP && record->number < VULKAN_ARGUMENTS) {
         keep(&launching->given[record->number]);
      } else if (record->kind == HOST_ADDRESS && record->size == sizeof(struct host_address)) {
         take_address(launching, record->number, payload);
      } else if (record->kind == HOST_LAUNCH && record->size == sizeof(struct host_launch)) {
         good = launch_all(launching, payload);
      } else if (record->kind == HOST_PROBE) {
         probe(vulkan);
      }
   }
   for (uint32_t i = 0; launching != NULL && i < VULKAN_ARGUMENTS; i++) {
      free(launching->given[i].left);
      free(launching->given[i].kept);
   }
   free(launching);
   return good;
}
