/* SPDX-License-Identifier: MIT
 *
 * A test of compute shaders as its file has it, whatever the file's format is: shaders, the memory that they use, and
 * steps in the file's order. Invariant: a reader refuses what it does not understand, so that no step is left out.
 */
#ifndef PIGLIT_SCRIPT_H
#define PIGLIT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agx_runner/piglit/format/type.h"

enum script_api { SCRIPT_VULKAN, SCRIPT_OPENGL };
enum script_language { SCRIPT_GLSL, SCRIPT_SPIRV_ASSEMBLY };

struct script_shader {
   char *name, *text; /* the text starts with empty lines, so that messages have the file's lines */
   unsigned line;
   enum script_language language;
   char environment[32]; /* of SPIR-V's tools: "spv1.3", "vulkan1.1"; "": their default */
};

/* A scalar, a vector, or a matrix in columns. */
struct script_type {
   enum piglit_scalar scalar;
   unsigned rows, columns;
};

/* Memory that lasts for the whole test. */
struct script_memory {
   char name[64]; /* for messages, and of Amber's buffers */
   size_t size;   /* bytes; of an image: 0 */
   struct script_type type;
   bool is_value;   /* of a uniform outside of blocks, or of push constants */
   char format[24]; /* of an image, in GLSL's words; "": it is none */
   unsigned image_sizes[2];
};

/* Where the shader finds memory. */
enum script_place_kind {
   PLACE_NAME,     /* Vulkan: "set.binding" or "push"; OpenGL: a uniform's name */
   PLACE_STORAGE,  /* OpenGL's binding of a storage block */
   PLACE_UNIFORMS, /* of a uniform block */
   PLACE_COUNTERS, /* of a buffer of atomic counters */
   PLACE_IMAGE,    /* OpenGL's unit of images, or of textures */
   PLACE_TEXTURE,
};

struct script_binding {
   enum script_place_kind kind;
   char name[64];
   unsigned number;
   size_t memory;
};

struct script_pipeline {
   char *name;
   size_t shader;
   char **constants; /* "ID=VALUE" */
   size_t constant_count;
   struct script_binding *bindings;
   size_t binding_count;
};

enum script_compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE, COMPARES };

enum script_step_kind {
   STEP_WRITE,   /* bytes to memory, at an offset */
   STEP_FILL,    /* one texel's values to a whole image */
   STEP_RGBW,    /* four quarters of an image: red, green, blue, white (Piglit's piglit_rgbw_texture) */
   STEP_RUN,     /* workgroups of a pipeline */
   STEP_EXPECT,  /* values in memory, from an offset */
   STEP_TEXELS,  /* the values of one texel, or of all */
   STEP_SAME,    /* two memories are equal */
   STEP_LINKS,   /* the driver compiles the shader; nothing is launched */
   STEP_REFUSED, /* it refuses the shader */
};

struct script_step {
   enum script_step_kind kind;
   unsigned line;
   size_t memory, other; /* other: of STEP_SAME */
   size_t pipeline;      /* of STEP_RUN */
   uint32_t groups[3];
   size_t offset, stride; /* stride: bytes from one value to the next, 0: they are dense */
   uint8_t *bytes;        /* of STEP_WRITE */
   size_t size;
   enum piglit_scalar scalar; /* of the values */
   union piglit_value *values;
   size_t value_count;
   enum script_compare compare;
   double tolerance; /* the difference that counts as equal */
   bool percent;     /* it is one of the expected value */
   bool all;         /* texels */
   unsigned texel[2];
};

struct script {
   char *path;
   enum script_api api;
   struct script_shader *shaders;
   struct script_memory *memories;
   struct script_pipeline *pipelines;
   struct script_step *steps;
   size_t shader_count, memory_count, pipeline_count, step_count;
   char **extensions; /* that the driver must offer, or the test is skipped */
   size_t extension_count;
};

void script_destroy(struct script *script); /* NULL is fine */

const char *script_compare_name(enum script_compare compare); /* "EQ" */

#endif
