/* SPDX-License-Identifier: MIT
 *
 * What a SPIR-V module of a compute shader says of its interface: entry points, bindings, push constants,
 * specialization constants and the workgroup's size.
 */
#ifndef DRIVERS_HOST_SPIRV_H
#define DRIVERS_HOST_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPIRV_BINDINGS 64u
#define SPIRV_ELEMENTS 64u /* of an array of bindings */
#define SPIRV_SPECS 64u
#define SPIRV_NAME 64u
#define SPIRV_CAPABILITIES 64u

enum spirv_binding_kind {
   SPIRV_STORAGE_BUFFER,
   SPIRV_UNIFORM_BUFFER,
   SPIRV_STORAGE_IMAGE,
   SPIRV_TEXTURE, /* an image that is sampled or fetched */
   SPIRV_SAMPLER,
   SPIRV_SAMPLED_TEXTURE, /* both in one */
   SPIRV_STORAGE_TEXELS,  /* a buffer of texels */
   SPIRV_TEXELS,          /* likewise, to be read */
   SPIRV_OTHER_BINDING,
};

struct spirv_binding {
   uint32_t set, binding;
   enum spirv_binding_kind kind;
   bool read_only, is_array;
   uint32_t count;  /* of an array's elements, 0 if the module does not say it; else 1 */
   uint32_t shape;  /* of an image: enum host_shape */
   uint32_t format; /* of an image: that it must have; HOST_NO_FORMAT: any */
   char reads;      /* of an image: 'f' floats, 'i' and 'u' integers */
   char name[SPIRV_NAME];
};

struct spirv_spec {
   uint32_t id, bytes; /* of the constant's type; of a bool: 4, as Vulkan has it */
   bool is_float;
   uint64_t value; /* the default, then what was given: bits of the constant's type */
};

struct spirv_interface {
   char entry[256]; /* of the first compute shader; "": there is none */
   uint32_t group[3];
   struct spirv_binding bindings[SPIRV_BINDINGS];
   struct spirv_spec specs[SPIRV_SPECS];
   uint32_t binding_count, spec_count;
   uint32_t capabilities[SPIRV_CAPABILITIES], capability_count; /* by the specification's numbers; the first ones */
   uint32_t push_bytes;                                         /* up to a multiple of the largest scalar in them */
};

/* A specialization constant's value from outside: a number as the user wrote it. */
struct spirv_given {
   uint32_t id;
   bool is_float;
   int64_t integer;
   double number;
   bool is_bits; /* bits of the constant's type instead, and a module without the constant takes none */
   uint64_t bits;
};

/* Reads the module, with these specialization constants. Returns NULL, or what is wrong with it, in words. */
const char *spirv_read(const uint32_t *words, size_t count, const struct spirv_given *given, size_t given_count,
                       struct spirv_interface *interface);

#endif
