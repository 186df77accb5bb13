/* SPDX-License-Identifier: MIT
 *
 * The cache of blocks, by their contents: their run time and their code.
 */
#ifndef VGPU_JIT_KEPT_H
#define VGPU_JIT_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash.h"
#include "vgpu/jit/llvm.h"
#include "vgpu/native.h"

/* Instructions of a block that are compiled together. */
struct vgpu_jit_run {
   uint32_t first, count;
   uint32_t instructions; /* count, and those of a loop's body */
   struct vgpu_llvm_code code;
};

/* What is known of a block with all lanes active, or with some inactive. */
struct vgpu_jit_code {
   uint64_t ns;      /* run time by samples */
   uint64_t earlier; /* and that of earlier processes, while no file had its code */
   uint64_t told;    /* of ns, what later processes have been told */
   bool gains;       /* compiling it is worth while at some time */
   bool settled;     /* compiled, or refused by LLVM */
   bool looked;      /* for it in the files of earlier processes */
   struct vgpu_jit_run *runs;
   uint32_t run_count;
};

struct vgpu_jit_entry {
   uint8_t *key;
   size_t key_size;
   uint64_t hash;
   uint32_t users; /* number of programs' blocks that use its code, plus one while it is being compiled */
   uint64_t used;  /* the number of the last look-up */
   bool fresh;     /* what earlier processes have told of it has not been asked for */
   struct vgpu_jit_code code[VGPU_NATIVE_KINDS];
};

struct vgpu_jit_kept {
   struct util_hash table;
   struct vgpu_jit_entry **entries; /* max_blocks; NULL: none is known yet */
   uint32_t count, max_blocks;
   uint32_t instructions, max_instructions; /* compiled, of all entries */
   uint64_t look_ups;
   uint64_t freed;         /* entries with code that were replaced */
   struct vgpu_llvm *llvm; /* whose code it is */
};

/* Returns the entry with that key, and makes it if it is new. Takes ownership of the key, which malloc() allocated.
 * NULL: there is no room, or no memory. */
struct vgpu_jit_entry *vgpu_jit_find(struct vgpu_jit_kept *kept, uint8_t *key, size_t size);
/* Makes room for that many more of each: removes the least recently used entries without users. Returns false if there
 * are not enough. */
bool vgpu_jit_make_room(struct vgpu_jit_kept *kept, uint32_t blocks, uint32_t instructions);
void vgpu_jit_free_code(struct vgpu_jit_kept *kept, struct vgpu_jit_code *code);
void vgpu_jit_kept_finish(struct vgpu_jit_kept *kept);

#endif
