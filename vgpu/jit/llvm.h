/* SPDX-License-Identifier: MIT
 *
 * LLVM: loaded when something is first compiled, because that takes 0.1 s, and not linked. One instance serves one
 * device and one level of the host's vector instructions. Not safe from several threads at once.
 */
#ifndef VGPU_JIT_LLVM_H
#define VGPU_JIT_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vgpu/jit/object.h"

struct vgpu_llvm;

/* level: its name, as struct vgpu_level has it. NULL: bitcode for the level is missing; the reason is in message. */
struct vgpu_llvm *vgpu_llvm_create(const char *level, char *message, size_t message_size);
void vgpu_llvm_destroy(struct vgpu_llvm *llvm); /* NULL is fine */

/* Loads LLVM, once. Compiling needs it, and elsewhere than on x86-64 loading code does. false: it is missing; the
 * reason is in message. */
bool vgpu_llvm_open(struct vgpu_llvm *llvm, char *message, size_t message_size);
bool vgpu_llvm_is_open(const struct vgpu_llvm *llvm);

/* Whether the bitcode has a function of that name. */
bool vgpu_llvm_has(const struct vgpu_llvm *llvm, const char *name);
/* Room for what callers find out from it: zeros at first. */
#define VGPU_LLVM_NOTES 65536u
uint8_t *vgpu_llvm_notes(const struct vgpu_llvm *llvm);
/* Words of a host vector; the attributes that a function needs to inline the bitcode, once LLVM is open. */
unsigned vgpu_llvm_width(const struct vgpu_llvm *llvm);
const char *vgpu_llvm_attributes(const struct vgpu_llvm *llvm);

/* LLVM's file: "" before it is open, or where that is not known. */
const char *vgpu_llvm_file(const struct vgpu_llvm *llvm);
/* What an object file depends on beside the text: the bitcode; version, file and passes of LLVM, and the level. file:
 * as vgpu_llvm_file() said, here or in an earlier process. */
const char *vgpu_llvm_bitcode(const struct vgpu_llvm *llvm, size_t *size);
void vgpu_llvm_describe(const struct vgpu_llvm *llvm, const char *file, char *text, size_t size);

/* A function, and what its memory is freed by. */
struct vgpu_llvm_code {
   void *address;             /* NULL: none */
   struct vgpu_object object; /* on x86-64 */
   void *tracker;             /* of LLVM's linker, elsewhere */
   size_t bytes;              /* of the object file */
};
/* Compiles the function `name` of a module in LLVM's text form, linked with the bitcode, to an object file, which
 * free() releases; text ends with a zero byte behind its size. false: the reason is in message. */
bool vgpu_llvm_compile(struct vgpu_llvm *llvm, const char *text, size_t size, const char *name, uint8_t **object,
                       size_t *object_size, char *message, size_t message_size);
/* Loads such an object file. No other one that is loaded may have a function of that name. */
bool vgpu_llvm_load(struct vgpu_llvm *llvm, const uint8_t *object, size_t size, const char *name,
                    struct vgpu_llvm_code *code, char *message, size_t message_size);
/* Nothing may run it. All code must be freed before its instance. */
void vgpu_llvm_free(struct vgpu_llvm *llvm, struct vgpu_llvm_code *code);

#endif
