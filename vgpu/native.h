/* SPDX-License-Identifier: MIT
 *
 * Blocks as host code: what vgpu/exec asks of a compiler (vgpu/jit), which it does not include. Invariant: a program
 * does the same with a compiler and without one.
 */
#ifndef VGPU_NATIVE_H
#define VGPU_NATIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct vgpu_block; /* vgpu/block.h */
struct vgpu_level; /* vgpu/exec/exec.h */
struct vgpu_op;    /* vgpu/exec/simd.h */

/* What runs instead of a block's ops when all lanes are active: fewer, because some are compiled together. */
struct vgpu_native_ops {
   uint32_t count;
   struct vgpu_op *ops; /* in the same allocation */
};

/* The part of a block that changes while it runs. */
struct vgpu_native {
   _Atomic(struct vgpu_native_ops *) ops; /* NULL: none yet. Set once; the compiler's, until unbind() */
   atomic_uint_fast64_t ns;               /* of processor time that the block has taken, by samples */
};

/* Functions are safe from several host threads. Each may set block->native->ops. */
struct vgpu_compiler {
   const struct vgpu_level *level; /* launches at another level do without */
   int64_t period;                 /* simdgroup instructions between two samples of a host thread */
   bool timed;                     /* launches with the timing model, too */
   /* A new program has these blocks. Its launch waits, so that this ends after a few seconds at most. */
   void (*bind)(struct vgpu_compiler *compiler, const struct vgpu_block *blocks, uint32_t count);
   /* The program goes: nothing runs the block any more. */
   void (*unbind)(struct vgpu_compiler *compiler, const struct vgpu_block *block);
   /* This block ran when a period ended, which took the host thread so many ns of processor time. */
   void (*sample)(struct vgpu_compiler *compiler, const struct vgpu_block *block, uint64_t ns);
};

#endif
