/* SPDX-License-Identifier: MIT
 *
 * struct agx_program: machine code and all that the hardware must be told to run it. Whatever makes code
 * makes this (compiler/, the assembler); whatever runs code takes this (drm/, by way of it the virtual GPU).
 */
#ifndef ISA_PROGRAM_H
#define ISA_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

/* The uniform file: 512 half words, the same for all lanes (spec/isa.md 1.2). */
#define AGX_UNIFORM_HALVES 512
/* Bytes of a kernel's name, its closing zero counted. */
#define AGX_NAME_SIZE 256
/* Threadgroup memory that the hardware can give one threadgroup, bytes (spec/isa.md 1.9, Metal's limit). */
#define AGX_THREADGROUP_BYTES 32768
#define AGX_THREADGROUP_THREADS 1024u

/* Where the initial value of a range of uniforms comes from. */
enum agx_uniform_source {
   AGX_UNIFORM_ARGUMENTS,         /* the argument block of the dispatch, from byte `offset` */
   AGX_UNIFORM_CONSTANTS,         /* `constants` of the program, from byte `offset` */
   AGX_UNIFORM_DISPATCH,          /* struct agx_dispatch_block, from byte `offset` */
   AGX_UNIFORM_ARGUMENTS_ADDRESS, /* the 64-bit GPU address of the argument block (4 halves) */
   AGX_UNIFORM_CONSTANTS_ADDRESS, /* the 64-bit GPU address of `constants` (4 halves) */
};

struct agx_uniform_range {
   uint16_t start;  /* half uniforms; even */
   uint16_t size;   /* half uniforms, > 0 */
   uint32_t source; /* enum agx_uniform_source */
   uint32_t offset; /* bytes, a multiple of 4 */
};

/* What a kernel can ask of its dispatch. Filled by drm/ for each dispatch. */
struct agx_dispatch_block {
   uint32_t workgroups[3];    /* offset 0: grid in workgroups */
   uint32_t work_dim;         /* 12: 1..3 */
   uint32_t global_offset[3]; /* 16: OpenCL's get_global_offset */
   uint32_t pad0;
   uint32_t global_size[3]; /* 32: threads */
   uint32_t pad1;
   uint32_t local_size[3]; /* 48: threads of a workgroup */
   uint32_t pad2;
};

enum agx_argument_kind {
   AGX_ARGUMENT_BUFFER, /* a 64-bit GPU address (global or constant pointer) */
   AGX_ARGUMENT_LOCAL,  /* a threadgroup pointer, of `size` bytes; the pointee's size is set at launch */
   AGX_ARGUMENT_VALUE,  /* `size` bytes by value */
   /* Of a driver's programs, which get at them by state that the driver sets: nothing in the block counts. */
   AGX_ARGUMENT_IMAGE,
   AGX_ARGUMENT_SAMPLER,
   AGX_ARGUMENT_KINDS,
};

struct agx_argument {
   uint32_t kind;   /* enum agx_argument_kind */
   uint32_t offset; /* bytes into the argument block */
   uint32_t size;   /* bytes in the argument block */
   bool read_only;  /* a pointer that the kernel only reads: const or constant */
   char name[32];   /* empty when unknown; longer names are cut */
   char type[32];   /* the source language's type name, "float4"; empty when unknown */
};

/* The source line of an instruction, where the compiler was asked for lines (compiler_options.lines). */
struct agx_line {
   uint32_t offset;    /* of the instruction: bytes into code */
   uint32_t line;      /* from 1 */
   uint32_t column;    /* from 1; 0: unknown */
   uint32_t file;      /* its name: bytes into line_files */
   uint32_t operation; /* likewise, "64-bit division" or "sincos", where the source has one there that the compiler
                          makes several instructions of; 0: none */
   bool inferred;      /* the line of the instructions around it, not the compiler's word */
};

struct agx_program {
   char name[AGX_NAME_SIZE]; /* the kernel's name */

   const struct isa_set *set; /* what the code is in */
   uint8_t *code;             /* main program and preamble; uploaded whole, 128-byte aligned */
   size_t code_size;
   uint32_t main_offset; /* bytes into code; a multiple of 128 unless it is 0 */
   uint32_t main_size;   /* bytes */
   bool has_preamble;
   uint32_t preamble_offset;
   uint32_t preamble_size;

   uint16_t half_registers;          /* 16-bit registers that main uses, 1..256 */
   uint16_t preamble_half_registers; /* 0 without a preamble */
   uint16_t uniform_halves;          /* uniforms that are read or written: "push count", 0..512 */

   struct agx_uniform_range *uniforms;
   size_t uniform_count;
   uint8_t *constants;
   size_t constants_size; /* bytes */

   uint32_t argument_bytes; /* size of the argument block */
   struct agx_argument *arguments;
   size_t argument_count;

   uint32_t threadgroup_bytes;      /* static threadgroup memory */
   uint32_t scratch_bytes;          /* per thread, main */
   uint32_t array_bytes;            /* of these, from byte 0 on: private arrays, not spilled registers */
   uint32_t preamble_scratch_bytes; /* per thread, preamble */
   uint32_t workgroup_size[3];      /* required size, or 0,0,0: any */
   struct agx_line *lines; /* in the order of offsets within main and preamble each; not all instructions have one */
   size_t line_count;
   char *line_files; /* names, each with its closing zero */
   size_t line_files_size;

   bool uses_atomics; /* device atomics: bit 45 of their encoding depends on the chip class */
};

/* The program's name for messages: "(no name)" where it has none. */
const char *agx_program_name(const struct agx_program *program);

/* The name of a buffer or image argument in messages: "buffer 1 (in)", or "buffer 1" if it has no name. */
#define AGX_BUFFER_NAME 64
void agx_program_buffer_name(const struct agx_program *program, size_t index, char text[AGX_BUFFER_NAME]);

struct agx_program *agx_program_create(void);          /* of isa_set_default(), else zeroed; NULL: out of memory */
void agx_program_destroy(struct agx_program *program); /* NULL is fine */
/* A deep copy; NULL: out of memory. */
struct agx_program *agx_program_copy(const struct agx_program *program);
/* The line of the instruction at that byte of code; NULL: it has none. */
const struct agx_line *agx_program_line(const struct agx_program *program, uint32_t offset);
/* The name of the source's operation there; NULL: none. */
const char *agx_program_line_operation(const struct agx_program *program, const struct agx_line *line);
/* The name of the line's file, as the compiler was given it. */
const char *agx_program_line_file(const struct agx_program *program, const struct agx_line *line);
/* NULL when the fields agree with each other (ranges inside their arrays, alignments, limits), else what is
 * wrong, in words. */
const char *agx_program_check(const struct agx_program *program);
/* XXH3 of the code and of every field that reaches the hardware. */
uint64_t agx_program_hash(const struct agx_program *program);

#endif
