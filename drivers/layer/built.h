/* SPDX-License-Identifier: MIT
 *
 * The texts of the Vulkan layer: what a driver is asked to build, as files of lines (docs/suites/collecting.md).
 */
#ifndef DRIVERS_LAYER_BUILT_H
#define DRIVERS_LAYER_BUILT_H

#include <vulkan/vulkan.h>

#include "drivers/layer/shader_object.h"

/* What accesses out of bounds do where a pipeline does not say it: enum VkPipelineRobustness... of the device. */
struct built_robustness {
   unsigned storage, uniform, images;
};

/* What the features that a device is created with mean for its pipelines. */
struct built_robustness built_device(const VkDeviceCreateInfo *info);

/* Keeps the module and notes its hash. owner: the device. */
void built_note_module(const void *owner, VkShaderModule module, const VkShaderModuleCreateInfo *info);
void built_note_set(const void *owner, VkDescriptorSetLayout set, const VkDescriptorSetLayoutCreateInfo *info);
void built_note_layout(const void *owner, VkPipelineLayout layout, const VkPipelineLayoutCreateInfo *info);

/* Keeps a stage of a pipeline. chain: what hangs at the pipeline. */
void built_keep_stage(const void *owner, const struct built_robustness *robustness,
                      const VkPipelineShaderStageCreateInfo *stage, VkPipelineLayout layout, const void *chain);
/* The same of a shader object: its code is asked of a pipeline with this stage alone. */
void built_keep_object(const void *owner, const struct built_robustness *robustness,
                       const struct shader_object_info *info);

#endif
