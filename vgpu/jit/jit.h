/* SPDX-License-Identifier: MIT
 *
 * The compiler of hot blocks: finds them, and compiles them once for all launches of a device. New code replaces the
 * least recently used code.
 */
#ifndef VGPU_JIT_JIT_H
#define VGPU_JIT_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/exec/simd.h"
#include "vgpu/native.h"

enum vgpu_jit_mode {
   VGPU_JIT_OFF,
   VGPU_JIT_AUTO, /* compile a block once its run time exceeds its compile time */
   VGPU_JIT_ON,   /* compile every block before it runs, for up to 3 s a program; then as VGPU_JIT_AUTO: for tests */
};

struct vgpu_jit_statistics {
   uint64_t blocks, instructions; /* compiled */
   uint64_t masked;               /* of these blocks, those compiled for inactive lanes: a block may count twice */
   uint64_t regions;              /* of blocks that are one function each; blocks counts all of theirs */
   uint64_t memory;               /* of these instructions, those that access memory */
   uint64_t shared;               /* parts of regions for which the code of another one does */
   uint64_t consecutive;          /* runs that have a loop for simdgroups one after the other in the grid */
   uint64_t freed;                /* blocks whose code was replaced */
   uint64_t refused;              /* blocks that LLVM failed to compile, or for which programs in use leave no room */
   uint64_t code_bytes;           /* of object files */
   uint64_t ns;                   /* spent on compiling, by CLOCK_THREAD_CPUTIME_ID */
   bool opened;                   /* LLVM is loaded */
   uint64_t made;                 /* functions that LLVM compiled, */
   uint64_t loaded;               /* and those that an earlier process had left in a file */
   uint64_t executed;             /* simdgroups' instructions of all launches, */
   struct vgpu_interpreted interpreted; /* and those of them that were interpreted */
   char reason[128];                    /* why there is no compiler, or why the last block was refused; or "" */
};

/* NULL: VGPU_JIT_OFF, out of memory, or a build without LLVM. */
struct vgpu_compiler *vgpu_jit_create(enum vgpu_jit_mode mode, const struct vgpu_level *level);
/* Keeps the code in files for other processes, and takes it from there (vgpu/jit/objects.h). NULL is fine. */
void vgpu_jit_keep(struct vgpu_compiler *compiler);
/* Sets the limits of blocks and compiled instructions, for tests, before the first launch. NULL is fine. */
void vgpu_jit_limit(struct vgpu_compiler *compiler, uint32_t blocks, uint32_t instructions);
/* Sets the ns of processor time for which VGPU_JIT_ON compiles before a program runs, for tests. NULL is fine. */
void vgpu_jit_limit_bind(struct vgpu_compiler *compiler, uint64_t ns);
/* All programs must have been destroyed. NULL is fine. */
void vgpu_jit_destroy(struct vgpu_compiler *compiler);
/* NULL is fine: all zero. */
void vgpu_jit_read_statistics(struct vgpu_compiler *compiler, struct vgpu_jit_statistics *statistics);

/* The name of an operation (enum isa_op), in capitals. */
const char *vgpu_jit_operation_name(unsigned operation);

/* Whether this build has a compiler. */
bool vgpu_jit_built(void);

#endif
