/* SPDX-License-Identifier: MIT
 *
 * Writes down pipelines. Invariant: a file has all that the driver's code of a stage depends on as far as the program
 * says it: module, entry, constants, layout, robustness. Two pipelines that are asked for alike are one file.
 */
#include "drivers/layer/built.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/layer/keep.h"

/* Kinds of handles. */
#define MODULE 'm'
#define SET 's'
#define LAYOUT 'l'

/* The structure of that type in a chain; NULL: there is none. */
static const void *chained(const void *chain, VkStructureType type)
{
   const VkBaseInStructure *at = chain;
   while (at != NULL && at->sType != type) {
      at = at->pNext;
   }
   return at;
}

/* ---- Robustness ---- */

struct built_robustness built_device(const VkDeviceCreateInfo *info)
{
   const VkPhysicalDeviceFeatures2 *all = chained(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
   const VkPhysicalDeviceRobustness2FeaturesEXT *second =
       chained(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
   const VkPhysicalDeviceVulkan13Features *third =
       chained(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
   const VkPhysicalDeviceImageRobustnessFeatures *images =
       chained(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES);
   const VkPhysicalDeviceFeatures *core = all != NULL ? &all->features : info->pEnabledFeatures;
   const bool buffers2 = second != NULL && second->robustBufferAccess2;
   const bool buffers = core != NULL && core->robustBufferAccess;
   const bool images1 = (third != NULL && third->robustImageAccess) || (images != NULL && images->robustImageAccess);
   const unsigned of_buffers = buffers2  ? VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT
                               : buffers ? VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT
                                         : VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT;
   const unsigned of_images = second != NULL && second->robustImageAccess2
                                  ? VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2_EXT
                              : images1 ? VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_EXT
                                        : VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DISABLED_EXT;
   return (struct built_robustness){of_buffers, of_buffers, of_images};
}

/* What holds for a stage: what hangs at the stage counts instead of what hangs at its pipeline, and what it leaves open
 * is as the device has it. */
static struct built_robustness robustness_of(const struct built_robustness *device, const void *of_stage,
                                             const void *of_pipeline)
{
   const VkStructureType type = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT;
   const VkPipelineRobustnessCreateInfoEXT *said = chained(of_stage, type);
   struct built_robustness robustness = *device;
   said = said != NULL ? said : chained(of_pipeline, type);
   if (said != NULL) {
      robustness.storage = said->storageBuffers != 0 ? said->storageBuffers : device->storage;
      robustness.uniform = said->uniformBuffers != 0 ? said->uniformBuffers : device->uniform;
      robustness.images = said->images != 0 ? said->images : device->images;
   }
   return robustness;
}

/* ---- Modules and layouts ---- */

void built_note_module(const void *owner, VkShaderModule module, const VkShaderModuleCreateInfo *info)
{
   char hash[KEEP_HASH];
   (void)keep_file(info->pCode, info->codeSize, ".spv", hash);
   keep_note(MODULE, owner, (uint64_t)module, strdup(hash));
}

/* Lines "BINDING TYPE COUNT", where the binding follows the set's number. */
void built_note_set(const void *owner, VkDescriptorSetLayout set, const VkDescriptorSetLayoutCreateInfo *info)
{
   struct keep_text text;
   keep_start(&text);
   for (uint32_t i = 0; text.file != NULL && i < info->bindingCount; i++) {
      const VkDescriptorSetLayoutBinding *binding = &info->pBindings[i];
      fprintf(text.file, "%u %u %u\n", binding->binding, (unsigned)binding->descriptorType, binding->descriptorCount);
   }
   keep_note(SET, owner, (uint64_t)set, keep_end(&text));
}

/* The lines of a layout. free() them; NULL: out of memory. */
static char *layout_text(const void *owner, uint32_t set_count, const VkDescriptorSetLayout *sets, uint32_t push_count,
                         const VkPushConstantRange *pushes)
{
   struct keep_text text;
   keep_start(&text);
   for (uint32_t i = 0; text.file != NULL && i < set_count; i++) {
      char *set = keep_noted(SET, owner, (uint64_t)sets[i]), *rest = set;
      for (char *line; rest != NULL && (line = strsep(&rest, "\n")) != NULL && *line != '\0';) {
         fprintf(text.file, "binding %u %s\n", i, line);
      }
      free(set);
   }
   for (uint32_t i = 0; text.file != NULL && i < push_count; i++) {
      fprintf(text.file, "push %u %u\n", pushes[i].offset, pushes[i].size);
   }
   return keep_end(&text);
}

void built_note_layout(const void *owner, VkPipelineLayout layout, const VkPipelineLayoutCreateInfo *info)
{
   keep_note(LAYOUT, owner, (uint64_t)layout,
             layout_text(owner, info->setLayoutCount, info->pSetLayouts, info->pushConstantRangeCount,
                         info->pPushConstantRanges));
}

/* ---- Stages ---- */

static const char *stage_name(VkShaderStageFlagBits stage)
{
   static const struct {
      VkShaderStageFlagBits stage;
      const char *name;
   } names[] = {
       {VK_SHADER_STAGE_COMPUTE_BIT, "compute"},
       {VK_SHADER_STAGE_VERTEX_BIT, "vertex"},
       {VK_SHADER_STAGE_FRAGMENT_BIT, "fragment"},
       {VK_SHADER_STAGE_GEOMETRY_BIT, "geometry"},
       {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, "tessellation-control"},
       {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, "tessellation-evaluation"},
   };
   for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
      if (names[i].stage == stage) {
         return names[i].name;
      }
   }
   return "other";
}

/* The hash of the stage's module, which hangs at the stage itself where there is no handle. free() it; NULL: the driver
 * alone knows it. */
static char *module_of(const void *owner, const VkPipelineShaderStageCreateInfo *stage)
{
   const VkShaderModuleCreateInfo *own = chained(stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
   char hash[KEEP_HASH];
   if (stage->module != VK_NULL_HANDLE) {
      return keep_noted(MODULE, owner, (uint64_t)stage->module);
   }
   if (own == NULL) {
      return NULL;
   }
   (void)keep_file(own->pCode, own->codeSize, ".spv", hash);
   return strdup(hash);
}

static void write_constants(const VkSpecializationInfo *constants, FILE *file)
{
   for (uint32_t i = 0; constants != NULL && i < constants->mapEntryCount; i++) {
      const VkSpecializationMapEntry *entry = &constants->pMapEntries[i];
      uint64_t value = 0;
      if (entry->size <= sizeof(value) && entry->offset + entry->size <= constants->dataSize) {
         memcpy(&value, (const uint8_t *)constants->pData + entry->offset, entry->size);
         fprintf(file, "constant %u %zu 0x%llx\n", entry->constantID, entry->size, (unsigned long long)value);
      }
   }
}

/* bindings: the lines of the layout; NULL: not known. */
static void keep_stage(const void *owner, const struct built_robustness *robustness,
                       const VkPipelineShaderStageCreateInfo *stage, const char *bindings, const void *chain)
{
   const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *subgroup =
       chained(stage->pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
   const struct built_robustness effective = robustness_of(robustness, stage->pNext, chain);
   char *module = module_of(owner, stage), suffix[64];
   struct keep_text text;
   keep_start(&text);
   if (module != NULL && text.file != NULL) {
      fprintf(text.file, "agx-built 1\napi vulkan\nstage %s\nsource %s.spv\nentry %s\n", stage_name(stage->stage),
              module, stage->pName);
      fprintf(text.file, "robustness %u %u %u\n", effective.storage, effective.uniform, effective.images);
      if (subgroup != NULL) {
         fprintf(text.file, "subgroup %u\n", subgroup->requiredSubgroupSize);
      }
      if (stage->flags != 0) {
         fprintf(text.file, "flags %u\n", (unsigned)stage->flags);
      }
      write_constants(stage->pSpecializationInfo, text.file);
      fputs(bindings != NULL ? bindings : "", text.file);
      snprintf(suffix, sizeof(suffix), ".%s.built", stage_name(stage->stage));
      keep_end_file(&text, suffix);
   } else {
      free(keep_end(&text));
   }
   free(module);
}

void built_keep_stage(const void *owner, const struct built_robustness *robustness,
                      const VkPipelineShaderStageCreateInfo *stage, VkPipelineLayout layout, const void *chain)
{
   char *bindings = keep_noted(LAYOUT, owner, (uint64_t)layout);
   keep_stage(owner, robustness, stage, bindings, chain);
   free(bindings);
}

void built_keep_object(const void *owner, const struct built_robustness *robustness,
                       const struct shader_object_info *info)
{
   const VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .pNext = info->chain,
                                            .codeSize = info->code_size,
                                            .pCode = info->code};
   const VkPipelineShaderStageCreateInfo stage = {
       .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
       .pNext = &module,
       .flags = (info->flags & SHADER_OBJECT_VARYING ? VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT
                                                     : 0u) |
                (info->flags & SHADER_OBJECT_FULL ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0u),
       .stage = info->stage,
       .pName = info->name,
       .pSpecializationInfo = info->constants};
   if (info->code_type == SHADER_OBJECT_SPIRV) {
      char *bindings = layout_text(owner, info->set_count, info->sets, info->push_count, info->pushes);
      keep_stage(owner, robustness, &stage, bindings, NULL);
      free(bindings);
   }
}
