/* SPDX-License-Identifier: MIT
 *
 * The part of VK_EXT_shader_object that the layer needs, which Vulkan headers of Debian 12 do not have.
 */
#ifndef DRIVERS_LAYER_SHADER_OBJECT_H
#define DRIVERS_LAYER_SHADER_OBJECT_H

#include <vulkan/vulkan.h>

#define SHADER_OBJECT_SPIRV 1u   /* of code_type */
#define SHADER_OBJECT_VARYING 2u /* of flags: subgroups of a size that varies */
#define SHADER_OBJECT_FULL 4u    /* of flags: full subgroups */

struct shader_object_info {
   VkStructureType type;
   const void *chain;
   VkFlags flags;
   VkShaderStageFlagBits stage;
   VkShaderStageFlags next_stage;
   uint32_t code_type;
   size_t code_size;
   const void *code;
   const char *name;
   uint32_t set_count;
   const VkDescriptorSetLayout *sets;
   uint32_t push_count;
   const VkPushConstantRange *pushes;
   const VkSpecializationInfo *constants;
};

typedef VkResult(VKAPI_PTR *PFN_vkCreateShadersEXT_)(VkDevice device, uint32_t count,
                                                     const struct shader_object_info *infos,
                                                     const VkAllocationCallbacks *allocator, uint64_t *shaders);

#endif
