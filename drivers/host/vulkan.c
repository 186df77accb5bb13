/* SPDX-License-Identifier: MIT
 *
 * The host of Vulkan: makes a compute pipeline of a SPIR-V module through the loader, and dispatches it with the
 * arguments of the request (drivers/host/protocol.h). Invariant: whatever the driver refuses becomes a record of the
 * result.
 */
#include "drivers/host/vulkan.h"

#include <stdarg.h>
#include <string.h>

#include "drivers/host/formats.h"
#include "drivers/host/launches.h"

bool vulkan_refuse(struct vulkan *vulkan, enum host_refusal why, const char *format, ...)
{
   char text[1024];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(text, sizeof(text), format, arguments);
   va_end(arguments);
   host_record_write_text(vulkan->result, HOST_REFUSAL, why, text);
   return false;
}

bool vulkan_check(struct vulkan *vulkan, enum host_refusal why, VkResult result, const char *call)
{
   return result == VK_SUCCESS || vulkan_refuse(vulkan, why, "%s: error %d", call, result);
}

/* ---- Facts ---- */

/* The arguments are the elements of the bindings in their order, then the push constants. */
static bool list_arguments(struct vulkan *vulkan)
{
   const struct spirv_interface *interface = &vulkan->interface;
   for (uint32_t i = 0; i < interface->binding_count; i++) {
      for (uint32_t k = 0; k < interface->bindings[i].count; k++) {
         if (vulkan->argument_count == VULKAN_ARGUMENTS / 2) {
            return vulkan_refuse(vulkan, HOST_NO_BUILD, "the shader has more than %u bindings", VULKAN_ARGUMENTS / 2);
         }
         vulkan->elements[vulkan->argument_count++] = (struct element){&interface->bindings[i], k};
      }
   }
   if (interface->push_bytes > 0) {
      vulkan->elements[vulkan->argument_count++] = (struct element){NULL, 0};
   }
   return true;
}

enum host_argument_kind vulkan_argument_kind(const struct spirv_binding *binding)
{
   static const enum host_argument_kind kinds[] = {
       [SPIRV_STORAGE_BUFFER] = HOST_BUFFER, [SPIRV_UNIFORM_BUFFER] = HOST_BUFFER, [SPIRV_STORAGE_IMAGE] = HOST_IMAGE,
       [SPIRV_TEXTURE] = HOST_IMAGE,         [SPIRV_SAMPLER] = HOST_SAMPLER,       [SPIRV_SAMPLED_TEXTURE] = HOST_IMAGE,
       [SPIRV_STORAGE_TEXELS] = HOST_IMAGE,  [SPIRV_TEXELS] = HOST_IMAGE,          [SPIRV_OTHER_BINDING] = HOST_OTHER,
   };
   return kinds[binding->kind];
}

void vulkan_parameter(const struct vulkan *vulkan, uint32_t index, struct host_parameter *parameter)
{
   const struct element *element = &vulkan->elements[index];
   const struct spirv_binding *binding = element->binding;
   if (binding == NULL) {
      *parameter = (struct host_parameter){.kind = HOST_VALUE, .size = vulkan->interface.push_bytes, .name = "push"};
      return;
   }
   *parameter = (struct host_parameter){.kind = vulkan_argument_kind(binding),
                                        .read_only = binding->read_only,
                                        .shape = binding->shape,
                                        .format = binding->format,
                                        .reads = (uint32_t)binding->reads};
   if (binding->is_array) {
      snprintf(parameter->name, sizeof(parameter->name), "%u.%u[%u]", binding->set, binding->binding, element->index);
   } else {
      snprintf(parameter->name, sizeof(parameter->name), "%u.%u", binding->set, binding->binding);
   }
   snprintf(parameter->type, sizeof(parameter->type), "%s", binding->name);
}

static void write_facts(const struct vulkan *vulkan)
{
   struct host_facts facts = {.parameters = vulkan->argument_count, .local_bytes = UINT64_MAX};
   snprintf(facts.name, sizeof(facts.name), "%s", vulkan->interface.entry);
   memcpy(facts.group, vulkan->interface.group, sizeof(facts.group));
   host_record_write(vulkan->result, HOST_FACTS, 0, &facts, sizeof(facts));
   for (uint32_t i = 0; i < facts.parameters; i++) {
      struct host_parameter parameter;
      vulkan_parameter(vulkan, i, &parameter);
      host_record_write(vulkan->result, HOST_PARAMETER, i, &parameter, sizeof(parameter));
   }
}

/* ---- The request ---- */

static bool check_given(struct vulkan *vulkan, const struct spirv_given *given, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      bool found = given[i].is_bits;
      for (uint32_t k = 0; k < vulkan->interface.spec_count; k++) {
         found |= vulkan->interface.specs[k].id == given[i].id;
      }
      if (!found) {
         return vulkan_refuse(vulkan, HOST_BAD_REQUEST, "the shader has no specialization constant %u", given[i].id);
      }
   }
   return true;
}

/* Arrays whose size the module leaves open have that of the pipeline's layout; without one they cannot be given. */
static void size_arrays(struct vulkan *vulkan)
{
   struct spirv_interface *interface = &vulkan->interface;
   for (uint32_t i = 0; i < interface->binding_count; i++) {
      struct spirv_binding *binding = &interface->bindings[i];
      for (uint32_t k = 0; binding->count == 0 && k < vulkan->built_binding_count; k++) {
         const struct host_binding *built = &vulkan->built_bindings[k];
         if (built->set == binding->set && built->binding == binding->binding && built->count <= SPIRV_ELEMENTS) {
            binding->count = built->count;
         }
      }
      if (binding->count == 0) {
         binding->count = 1;
         binding->kind = SPIRV_OTHER_BINDING;
      }
   }
}

static bool read_module(struct vulkan *vulkan, const uint32_t *words, size_t count, const struct spirv_given *given,
                        size_t given_count)
{
   const char *wrong = spirv_read(words, count, given, given_count, &vulkan->interface);
   if (wrong != NULL) {
      return vulkan_refuse(vulkan, HOST_NO_BUILD, "the SPIR-V module is not understood: %s", wrong);
   }
   if (vulkan->interface.entry[0] == '\0') {
      return vulkan_refuse(vulkan, HOST_NO_ENTRY, "the module has no compute shader");
   }
   size_arrays(vulkan);
   if (vulkan->has_pipeline && strcmp(vulkan->built.entry, vulkan->interface.entry) != 0) {
      return vulkan_refuse(vulkan, HOST_NO_ENTRY, "the pipeline's entry point is %s, the module's first one %s",
                           vulkan->built.entry, vulkan->interface.entry);
   }
   return check_given(vulkan, given, given_count) && list_arguments(vulkan);
}

/* Takes what the request says of the pipeline. Returns whether the record was one of those. */
static bool take_pipeline(struct vulkan *vulkan, const struct host_record *record, const void *payload)
{
   if (record->kind == HOST_PIPELINE && record->size == sizeof(vulkan->built)) {
      memcpy(&vulkan->built, payload, sizeof(vulkan->built));
      vulkan->built.entry[HOST_NAME_BYTES - 1] = '\0';
      vulkan->has_pipeline = true;
   } else if (record->kind == HOST_BINDING && record->size == sizeof(struct host_binding) &&
              vulkan->built_binding_count < VULKAN_LAYOUT) {
      memcpy(&vulkan->built_bindings[vulkan->built_binding_count++], payload, sizeof(struct host_binding));
   } else if (record->kind == HOST_PUSH && record->size == sizeof(struct host_push) &&
              vulkan->built_push_count < VULKAN_PUSHES) {
      const struct host_push *push = payload;
      vulkan->built_pushes[vulkan->built_push_count++] =
          (VkPushConstantRange){VK_SHADER_STAGE_COMPUTE_BIT, push->offset, push->size};
   } else {
      return false;
   }
   return true;
}

static void serve(struct vulkan *vulkan, struct host_records *request)
{
   const struct host_record *record, *source = NULL;
   const void *payload, *words = NULL;
   struct spirv_given given[SPIRV_SPECS];
   size_t given_count = 0;
   const size_t start = request->at;
   while ((record = host_records_next(request, &payload)) != NULL) {
      if (record->kind == HOST_SOURCE && record->number == HOST_SPIRV_SHADER) {
         source = record;
         words = payload;
      } else if (record->kind == HOST_JOBS) {
         vulkan->folder = strndup(payload, record->size);
      } else if (take_pipeline(vulkan, record, payload)) {
         continue;
      } else if (record->kind == HOST_BITS && record->size == sizeof(struct host_bits) && given_count < SPIRV_SPECS) {
         const struct host_bits *bits = payload;
         given[given_count++] = (struct spirv_given){.id = bits->id, .is_bits = true, .bits = bits->bits};
      } else if (record->kind == HOST_SPECIALIZE && record->size == sizeof(struct host_specialization) &&
                 given_count < SPIRV_SPECS) {
         const struct host_specialization *special = payload;
         given[given_count++] =
             (struct spirv_given){special->id, special->is_float != 0, special->integer, special->number, false, 0};
      }
   }
   request->at = start;
   if (source == NULL) {
      vulkan_refuse(vulkan, HOST_BAD_REQUEST, "the request has no SPIR-V of Vulkan");
   } else if (read_module(vulkan, words, source->size / 4, given, given_count) && vulkan_open(vulkan) &&
              vulkan_build(vulkan, words, source->size)) {
      write_facts(vulkan);
      vulkan_serve_launches(vulkan, request);
   }
}

int main(int argc, char **argv)
{
   struct host_records request;
   struct vulkan vulkan = {.result = host_start(argc, argv, &request)};
   if (vulkan.result == NULL) {
      return 1;
   }
   serve(&vulkan, &request);
   return host_records_close(vulkan.result) ? 0 : 1;
}
