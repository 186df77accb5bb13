/* SPDX-License-Identifier: MIT
 *
 * Blocks as host code: the interface of a compiler (vgpu/jit) for vgpu/exec, which does not include it. Invariant: a
 * program does the same with and without a compiler.
 */
#ifndef VGPU_NATIVE_H
#define VGPU_NATIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct vgpu_block;       /* vgpu/block.h */
struct vgpu_interpreted; /* vgpu/exec/simd.h */
struct vgpu_level;       /* vgpu/exec/exec.h */
struct vgpu_op;          /* vgpu/exec/simd.h */

/* A block has code of three kinds, each compiled when it is worth while. */
enum {
   VGPU_NATIVE_FULL,   /* of the block, or of the loop whose head it is, for all lanes active */
   VGPU_NATIVE_MASKED, /* the same with inactive lanes */
   /* Of a region of blocks, for any lanes: simdgroups follow the jumps in it, and each leaves it at a block of its own.
    * The code sets simd->block, and simd->ran where that block's ops have been run. */
   VGPU_NATIVE_REGION,
   VGPU_NATIVE_KINDS
};

/* Runs instead of a block's ops: fewer ops, because some are compiled together. */
struct vgpu_native_ops {
   uint32_t count;      /* of a region: 1 */
   struct vgpu_op *ops; /* in the same allocation */
};

#define VGPU_NATIVE_SET 3 /* words of a set of lane vectors */

/* The part of a block that changes while it runs. */
struct vgpu_native {
   /* By kind. NULL: none yet. Set once; the compiler's, until unbind() */
   _Atomic(struct vgpu_native_ops *) ops[VGPU_NATIVE_KINDS];
   atomic_uint_fast64_t ns[VGPU_NATIVE_KINDS];   /* of processor time that the block has taken, by samples */
   atomic_uint_fast64_t next[VGPU_NATIVE_KINDS]; /* the compiler's: from which ns on it considers the block again */
   uint64_t told[VGPU_NATIVE_KINDS];             /* the compiler's: ns that it has considered */
   uint32_t first, count; /* the compiler's: indices of the region's blocks; count 0: not known yet */
   /* The compiler's, once the first block's `known` is set: the registers, by lane vector, whose words are the same in
    * all lanes, or count up by one, whenever a simdgroup comes to the block with all lanes active. */
   bool known;
   uint64_t same[VGPU_NATIVE_SET], counts[VGPU_NATIVE_SET];
};

/* Functions are safe from several host threads. Each may set block->native->ops. */
struct vgpu_compiler {
   const struct vgpu_level *level; /* launches at another level do without */
   int64_t period;                 /* simdgroup instructions between two samples of a host thread */
   /* Called when a new program has these blocks. Its launch waits, so this must return within a few seconds. */
   void (*bind)(struct vgpu_compiler *compiler, const struct vgpu_block *blocks, uint32_t count);
   /* The uniforms of a program that does not run have other values. */
   void (*rebind)(struct vgpu_compiler *compiler, const struct vgpu_block *blocks, uint32_t count);
   /* The program is being destroyed: nothing runs the block any more. */
   void (*unbind)(struct vgpu_compiler *compiler, const struct vgpu_block *block);
   /* The block was running when a period ended, in which the host thread used `ns` of processor time. kind: of the
    * code that could run it. */
   void (*sample)(struct vgpu_compiler *compiler, const struct vgpu_block *block, unsigned kind, uint64_t ns);
   /* What a host thread interpreted in a launch, of that many simdgroups' instructions. */
   void (*count)(struct vgpu_compiler *compiler, const struct vgpu_interpreted *interpreted, uint64_t instructions);
};

#endif
