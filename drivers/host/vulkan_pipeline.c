/* SPDX-License-Identifier: MIT
 *
 * Makes the pipeline: the layouts of the descriptor sets follow from what the module says of its bindings.
 */
#include <string.h>

#include "drivers/host/vulkan.h"

VkDescriptorType vulkan_descriptor_type(const struct spirv_binding *binding)
{
   static const VkDescriptorType types[] = {
       [SPIRV_STORAGE_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
       [SPIRV_UNIFORM_BUFFER] = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
       [SPIRV_STORAGE_IMAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
       [SPIRV_TEXTURE] = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
       [SPIRV_SAMPLER] = VK_DESCRIPTOR_TYPE_SAMPLER,
       [SPIRV_SAMPLED_TEXTURE] = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
       [SPIRV_STORAGE_TEXELS] = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
       [SPIRV_TEXELS] = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
       [SPIRV_OTHER_BINDING] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
   };
   return types[binding->kind];
}

/* Whether each binding of the module is given by a layout that the request has. */
static bool check_layout(struct vulkan *vulkan)
{
   const struct spirv_interface *interface = &vulkan->interface;
   for (uint32_t i = 0; i < interface->binding_count; i++) {
      const struct spirv_binding *binding = &interface->bindings[i];
      bool found = false;
      for (uint32_t k = 0; k < vulkan->built_binding_count; k++) {
         const struct host_binding *built = &vulkan->built_bindings[k];
         found |= built->set == binding->set && built->binding == binding->binding &&
                  built->type == (uint32_t)vulkan_descriptor_type(binding);
      }
      if (!found) {
         return vulkan_refuse(vulkan, HOST_NO_BUILD,
                              "binding %u.%u (%s) has another type in the pipeline's layout, which cannot be given",
                              binding->set, binding->binding, binding->name);
      }
   }
   return true;
}

static bool check_bindings(struct vulkan *vulkan)
{
   const struct spirv_interface *interface = &vulkan->interface;
   for (uint32_t i = 0; i < interface->binding_count; i++) {
      const struct spirv_binding *binding = &interface->bindings[i];
      if (binding->kind == SPIRV_OTHER_BINDING) {
         return vulkan_refuse(
             vulkan, HOST_NO_BUILD,
             "binding %u.%u (%s) cannot be given: it is no buffer, image or sampler, or an array without a size",
             binding->set, binding->binding, binding->name);
      }
      if (binding->set >= VULKAN_SETS) {
         return vulkan_refuse(vulkan, HOST_NO_BUILD, "descriptor set %u: sets from 0 to %u can be given", binding->set,
                              VULKAN_SETS - 1);
      }
      vulkan->set_count = binding->set + 1;
   }
   for (uint32_t i = 0; i < vulkan->built_binding_count; i++) {
      const uint32_t behind = vulkan->built_bindings[i].set + 1;
      if (behind > VULKAN_SETS) {
         return vulkan_refuse(vulkan, HOST_NO_BUILD, "descriptor set %u: sets from 0 to %u can be given", behind - 1,
                              VULKAN_SETS - 1);
      }
      vulkan->set_count = behind > vulkan->set_count ? behind : vulkan->set_count;
   }
   return vulkan->built_binding_count == 0 || check_layout(vulkan);
}

/* The set's bindings: those of the request's layout, or those of the module. Returns their number. */
static uint32_t list_bindings(const struct vulkan *vulkan, uint32_t set, VkDescriptorSetLayoutBinding *bindings)
{
   const struct spirv_interface *interface = &vulkan->interface;
   uint32_t count = 0;
   for (uint32_t i = 0; i < vulkan->built_binding_count; i++) {
      const struct host_binding *built = &vulkan->built_bindings[i];
      if (built->set == set) {
         bindings[count++] = (VkDescriptorSetLayoutBinding){.binding = built->binding,
                                                            .descriptorType = (VkDescriptorType)built->type,
                                                            .descriptorCount = built->count,
                                                            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
      }
   }
   for (uint32_t i = 0; vulkan->built_binding_count == 0 && i < interface->binding_count; i++) {
      if (interface->bindings[i].set == set) {
         bindings[count++] =
             (VkDescriptorSetLayoutBinding){.binding = interface->bindings[i].binding,
                                            .descriptorType = vulkan_descriptor_type(&interface->bindings[i]),
                                            .descriptorCount = interface->bindings[i].count,
                                            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
      }
   }
   return count;
}

static bool make_set_layouts(struct vulkan *vulkan)
{
   if (!check_bindings(vulkan)) {
      return false;
   }
   for (uint32_t set = 0; set < vulkan->set_count; set++) {
      VkDescriptorSetLayoutBinding bindings[VULKAN_LAYOUT];
      const VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                    .bindingCount = list_bindings(vulkan, set, bindings),
                                                    .pBindings = bindings};
      if (!vulkan_check(vulkan, HOST_NO_BUILD,
                        vk.vkCreateDescriptorSetLayout(vulkan->device, &info, NULL, &vulkan->set_layouts[set]),
                        "vkCreateDescriptorSetLayout")) {
         return false;
      }
   }
   return true;
}

static bool make_layout(struct vulkan *vulkan)
{
   const VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                     .size = (vulkan->interface.push_bytes + 3) & ~3u};
   const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = vulkan->set_count,
                                            .pSetLayouts = vulkan->set_layouts,
                                            .pushConstantRangeCount =
                                                vulkan->has_pipeline ? vulkan->built_push_count : push.size > 0,
                                            .pPushConstantRanges = vulkan->has_pipeline ? vulkan->built_pushes : &push};
   return vulkan_check(vulkan, HOST_NO_BUILD, vk.vkCreatePipelineLayout(vulkan->device, &info, NULL, &vulkan->layout),
                       "vkCreatePipelineLayout");
}

bool vulkan_build(struct vulkan *vulkan, const void *words, size_t bytes)
{
   VkSpecializationMapEntry entries[SPIRV_SPECS];
   uint64_t values[SPIRV_SPECS];
   const struct spirv_interface *interface = &vulkan->interface;
   for (uint32_t i = 0; i < interface->spec_count; i++) {
      const struct spirv_spec *spec = &interface->specs[i];
      values[i] = spec->value;
      entries[i] = (VkSpecializationMapEntry){spec->id, i * (uint32_t)sizeof(values[0]), spec->bytes};
   }
   const VkSpecializationInfo special = {interface->spec_count, entries, sizeof(values), values};
   const VkShaderModuleCreateInfo module = {
       .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
   if (!make_set_layouts(vulkan) || !make_layout(vulkan) ||
       !vulkan_check(vulkan, HOST_NO_BUILD, vk.vkCreateShaderModule(vulkan->device, &module, NULL, &vulkan->module),
                     "vkCreateShaderModule")) {
      return false;
   }
   const VkPipelineRobustnessCreateInfoEXT robustness = {
       .sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
       .storageBuffers = (VkPipelineRobustnessBufferBehaviorEXT)vulkan->built.storage,
       .uniformBuffers = (VkPipelineRobustnessBufferBehaviorEXT)vulkan->built.uniform,
       .images = (VkPipelineRobustnessImageBehaviorEXT)vulkan->built.images};
   const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
       .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
       .requiredSubgroupSize = vulkan->built.subgroup};
   const VkComputePipelineCreateInfo pipeline = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                                 .pNext = vulkan->has_robustness ? &robustness : NULL,
                                                 .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                           .pNext = vulkan->built.subgroup > 0 ? &subgroup : NULL,
                                                           .flags = vulkan->built.flags,
                                                           .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                           .module = vulkan->module,
                                                           .pName = interface->entry,
                                                           .pSpecializationInfo = &special},
                                                 .layout = vulkan->layout};
   return vulkan_check(
       vulkan, HOST_NO_BUILD,
       vk.vkCreateComputePipelines(vulkan->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &vulkan->pipeline),
       "vkCreateComputePipelines: the driver does not compile the shader");
}
