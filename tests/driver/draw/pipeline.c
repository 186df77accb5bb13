/* SPDX-License-Identifier: MIT
 *
 * Graphics pipelines for the cases of main.c. They live until the program ends.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/driver/draw/draw.h"

static VkShaderModule load(struct draw *draw, const char *name)
{
   char path[512];
   static uint32_t words[1 << 16];
   snprintf(path, sizeof(path), "%s/%s.spv", draw->shaders, name);
   FILE *file = fopen(path, "rb");
   const size_t count = file ? fread(words, 4, sizeof(words) / 4, file) : 0;
   if (!count) {
      fprintf(stderr, "draw: no shader %s\n", path);
      exit(1);
   }
   fclose(file);
   VkShaderModule module;
   const VkShaderModuleCreateInfo create = {
       .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = 4 * count, .pCode = words};
   VK(vkCreateShaderModule(draw->vulkan.device, &create, NULL, &module));
   return module;
}

static void make_layout(struct draw *draw)
{
   const VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 64};
   const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                              .setLayoutCount = draw->set_layout ? 1 : 0,
                                              .pSetLayouts = &draw->set_layout,
                                              .pushConstantRangeCount = 1,
                                              .pPushConstantRanges = &push};
   if (!draw->layout) {
      VK(vkCreatePipelineLayout(draw->vulkan.device, &layout, NULL, &draw->layout));
   }
}

VkPipeline draw_pipeline_create(struct draw *draw, const struct draw_pipeline *from)
{
   make_layout(draw);
   const VkPipelineShaderStageCreateInfo stages[2] = {
       {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = VK_SHADER_STAGE_VERTEX_BIT,
        .module = load(draw, from->vertex),
        .pName = "main"},
       {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
        .module = from->fragment ? load(draw, from->fragment) : VK_NULL_HANDLE,
        .pName = "main"}};
   const VkVertexInputBindingDescription binding = {0, 32, VK_VERTEX_INPUT_RATE_VERTEX};
   const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                           {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
   const VkPipelineVertexInputStateCreateInfo input = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                       .vertexBindingDescriptionCount = from->attributes,
                                                       .pVertexBindingDescriptions = &binding,
                                                       .vertexAttributeDescriptionCount = from->attributes ? 2 : 0,
                                                       .pVertexAttributeDescriptions = attributes};
   const VkPipelineInputAssemblyStateCreateInfo assembly = {
       .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
       .topology = from->topology || from->list_is_points ? from->topology : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
       .primitiveRestartEnable = from->restart};
   const VkPipelineViewportStateCreateInfo viewport = {
       .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
   const VkPipelineRasterizationStateCreateInfo rasterization = {
       .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
       .depthClampEnable = from->depth_clamp,
       .cullMode = from->cull,
       .frontFace = from->front,
       .depthBiasEnable = from->bias,
       .depthBiasConstantFactor = 16,
       .depthBiasSlopeFactor = 1,
       .lineWidth = 1};
   const VkPipelineMultisampleStateCreateInfo samples = {
       .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = draw->samples};
   const VkPipelineDepthStencilStateCreateInfo depth = {
       .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
       .depthTestEnable = draw->depth.view && !from->no_depth_test,
       .depthWriteEnable = !from->no_depth_write,
       .depthCompareOp = from->compare ? from->compare : VK_COMPARE_OP_LESS,
       .stencilTestEnable = from->stencil,
       .front = from->stencil_state,
       .back = from->stencil_back ? *from->stencil_back : from->stencil_state};
   const VkPipelineColorBlendAttachmentState blend = {.blendEnable = from->blend,
                                                      .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
                                                      .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                      .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                      .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
                                                      .colorWriteMask = from->mask ? from->mask : 15};
   const VkPipelineColorBlendAttachmentState blends[2] = {blend, blend};
   const VkFormat formats[2] = {draw->colour.format, draw->second.format};
   const uint32_t targets = draw->second.view ? 2 : 1;
   const VkPipelineColorBlendStateCreateInfo blending = {.sType =
                                                             VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                         .attachmentCount = targets,
                                                         .pAttachments = blends};
   const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
   const VkPipelineDynamicStateCreateInfo dynamic = {
       .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, .dynamicStateCount = 2, .pDynamicStates = states};
   const VkPipelineRenderingCreateInfo rendering = {
       .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
       .colorAttachmentCount = targets,
       .pColorAttachmentFormats = formats,
       .depthAttachmentFormat = draw->depth.format,
       .stencilAttachmentFormat =
           draw->depth.aspect & VK_IMAGE_ASPECT_STENCIL_BIT ? draw->depth.format : VK_FORMAT_UNDEFINED};
   const VkGraphicsPipelineCreateInfo create = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                .pNext = &rendering,
                                                .stageCount = from->fragment ? 2 : 1,
                                                .pStages = stages,
                                                .pVertexInputState = &input,
                                                .pInputAssemblyState = &assembly,
                                                .pViewportState = &viewport,
                                                .pRasterizationState = &rasterization,
                                                .pMultisampleState = &samples,
                                                .pDepthStencilState = &depth,
                                                .pColorBlendState = &blending,
                                                .pDynamicState = &dynamic,
                                                .layout = draw->layout};
   VkPipeline pipeline;
   VK(vkCreateGraphicsPipelines(draw->vulkan.device, VK_NULL_HANDLE, 1, &create, NULL, &pipeline));
   return pipeline;
}

void draw_bind(struct draw *draw, VkPipeline pipeline)
{
   const VkViewport viewport = {0, 0, (float)draw->width, (float)draw->height, 0, 1};
   const VkRect2D scissor = {{0, 0}, {draw->width, draw->height}};
   vkCmdBindPipeline(draw->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
   vkCmdSetViewport(draw->commands, 0, 1, &viewport);
   vkCmdSetScissor(draw->commands, 0, 1, &scissor);
}
