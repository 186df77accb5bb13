/* SPDX-License-Identifier: MIT
 *
 * Object files of compiled blocks, which are kept between processes, and the run time of blocks that have none.
 * Invariant: code that comes from a file is what LLVM would make of the same block.
 */
#ifndef VGPU_JIT_OBJECTS_H
#define VGPU_JIT_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/store.h"
#include "util/tally.h"
#include "vgpu/jit/llvm.h"

#define VGPU_JIT_OBJECTS_MIB 128

struct vgpu_jit_objects {
   struct util_store store;
   bool kept; /* there is a store */
   bool identified;
   bool unknown;                   /* no earlier process has said which file LLVM is */
   char file[512];                 /* LLVM's, which the identity is of */
   struct util_store_key identity; /* of LLVM, the bitcode, and what writes the text for LLVM */
   struct util_store_key bitcode;  /* hash of the bitcode and of what writes the text; zero: not known yet */
   struct util_tally times;        /* ns of earlier processes, by code; as it was when it was first asked for */
   bool read_times;
   uint64_t *names; /* hashes of the functions that have files, in order */
   size_t count;
   uint64_t loaded; /* functions whose code came from a file */
   uint64_t made;   /* functions that LLVM compiled */
};

/* Keeps object files in the store, whose size AGX_RUNNER_CACHE_MIB may limit. */
void vgpu_jit_objects_open(struct vgpu_jit_objects *objects);
void vgpu_jit_objects_finish(struct vgpu_jit_objects *objects);

/* The ns of run time that earlier processes have added for the code with that hash. */
uint64_t vgpu_jit_objects_earlier(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm, uint64_t code);
/* Adds to it for later processes. The rows, by code, are sorted. */
bool vgpu_jit_objects_add_times(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm,
                                struct util_tally_row *rows, size_t count);

/* Whether earlier processes have left a file for a function of that name. Files that others write meanwhile do not
 * count. */
bool vgpu_jit_objects_have(struct vgpu_jit_objects *objects, const struct vgpu_llvm *llvm, const char *name);

/* Loads the function `name` of the block with that key (vgpu/jit/key.h). false: there is no sound file. */
bool vgpu_jit_objects_load(struct vgpu_jit_objects *objects, struct vgpu_llvm *llvm, const uint8_t *block,
                           size_t block_size, const char *name, struct vgpu_llvm_code *code);

/* Compiles it from its text (vgpu_llvm_compile()), and saves it for others: vgpu_jit_objects_load() has not found it.
 * false: reason says why. */
bool vgpu_jit_objects_make(struct vgpu_jit_objects *objects, struct vgpu_llvm *llvm, const uint8_t *block,
                           size_t block_size, const char *text, size_t size, const char *name,
                           struct vgpu_llvm_code *code, char *reason, size_t reason_size);

#endif
