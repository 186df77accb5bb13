/* SPDX-License-Identifier: MIT
 *
 * Float operations that cannot give a denormal that was rounded up, because one of their sources is a large constant.
 * Their results need no test for it (vgpu/exec/semantics/frame.h).
 */
#ifndef VGPU_JIT_FACTS_CERTAIN_H
#define VGPU_JIT_FACTS_CERTAIN_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_op;

/* A source whose magnitude, as the bits of a float, is at least `least`. */
struct vgpu_certain {
   unsigned source;
   uint32_t least;
};

/* vectors: the code's constants. false: there is no such source now. A uniform may have another value in another
 * launch. */
bool vgpu_jit_is_certain(const struct vgpu_op *op, const uint32_t *vectors, struct vgpu_certain *certain);
/* Whether it depends on a uniform's value whether the op is certain. */
bool vgpu_jit_certain_by_uniform(const struct vgpu_op *op);
/* Whether the op's result needs the test where the op is not certain. */
bool vgpu_jit_suspects(const struct vgpu_op *op);

#endif
