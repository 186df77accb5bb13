/* SPDX-License-Identifier: MIT
 *
 * The cases that main.c draws, and what they draw with: one colour image, one depth image, dynamic rendering.
 */
#ifndef TESTS_DRIVER_DRAW_H
#define TESTS_DRIVER_DRAW_H

#include "tests/driver/vulkan.h"

struct draw_target {
   VkImage image;
   VkDeviceMemory memory;
   VkImageView view;
   VkFormat format;
   VkImageAspectFlags aspect;
};

struct draw;

struct draw_case {
   const char *name;
   void (*record)(struct draw *draw, const struct draw_case *one);
   uint32_t width, height; /* 0: 128 x 72 */
   VkFormat format;        /* of the colour image; 0: R8G8B8A8_UNORM. Four bytes a texel */
   VkFormat depth;         /* 0: none */
   unsigned samples;       /* 0: 1. More are resolved to the colour image */
   VkFormat second;        /* of another colour image; 0: there is none */
   int number;             /* the case's own */
};

struct draw {
   struct vulkan vulkan;
   const char *shaders;
   uint32_t width, height;
   struct draw_target colour, depth;
   struct draw_target second;
   struct draw_target multisampled; /* the colour image's samples; none: no view */
   VkSampleCountFlagBits samples;
   struct vulkan_buffer pixels;
   VkCommandBuffer commands;
   VkPipelineLayout layout; /* push constants of 64 bytes for both stages */
   VkDescriptorSetLayout set_layout;
};

/* For vertices and indices; it lives until the program ends. */
struct vulkan_buffer draw_buffer_create(struct draw *draw, size_t size);
void draw_begin(struct draw *draw, const struct draw_case *one);
/* A pass over the whole image, or over `area`; load: what was drawn before stays. */
void draw_pass(struct draw *draw, bool load, const float clear[4], const VkRect2D *area);
void draw_pass_end(struct draw *draw);
/* Copies the colour image and waits. */
VkResult draw_end(struct draw *draw);
void draw_close(struct draw *draw);

/* A graphics pipeline for the colour and depth images. Zero is the usual state: triangles, no culling, no blending, a
 * depth test of LESS where there is a depth image. */
struct draw_pipeline {
   const char *vertex, *fragment; /* files of SPIR-V words, without .spv; fragment NULL: none */
   VkPrimitiveTopology topology;
   bool list_is_points; /* topology 0 means it */
   bool restart;
   VkCullModeFlags cull;
   VkFrontFace front;
   bool attributes; /* location 0: vec4 position, location 1: vec4 colour, of binding 0 */
   bool blend;      /* by the source's alpha */
   bool no_depth_test, no_depth_write, stencil;
   VkCompareOp compare; /* 0: LESS */
   VkStencilOpState stencil_state;
   const VkStencilOpState *stencil_back; /* NULL: the same */
   bool bias, depth_clamp;
   VkColorComponentFlags mask; /* 0: all */
};
VkPipeline draw_pipeline_create(struct draw *draw, const struct draw_pipeline *from);
/* Binds it with a viewport and scissor of the whole image. */
void draw_bind(struct draw *draw, VkPipeline pipeline);

extern const struct draw_case draw_cases_clear[], draw_cases_triangle[], draw_cases_texture[], draw_cases_query[];

#endif
