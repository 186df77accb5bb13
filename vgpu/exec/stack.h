/* SPDX-License-Identifier: MIT
 *
 * A simdgroup's scratch memory. Frames add up: a positive stack_adjust opens one, a negative one closes it, and
 * offset 0 is the start of the innermost (spec/isa.md 1.10: the recommended model).
 */
#ifndef VGPU_STACK_H
#define VGPU_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_op;
struct vgpu_simd;

/* Both raise VGPU_FAULT_SCRATCH when the launch has no scratch memory or not that much. */
bool vgpu_stack_reserve(struct vgpu_simd *simd, const struct vgpu_op *op, uint64_t words);
void vgpu_stack_adjust(struct vgpu_simd *simd, const struct vgpu_op *op, int32_t words);
/* Words a lane of a spill bucket, at most the words a lane of scratch memory: spec/uapi.md 4.5. */
uint32_t vgpu_stack_limit(uint32_t bucket, uint32_t scratch_words);

#endif
