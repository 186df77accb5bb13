/* SPDX-License-Identifier: MIT
 *
 * What is known about the lanes of registers at each block of a program, whatever way a simdgroup took to it.
 */
#ifndef VGPU_JIT_FACTS_FLOW_H
#define VGPU_JIT_FACTS_FLOW_H

#include <stdint.h>

struct vgpu_block;

/* Sets what is known (enum vgpu_jit_fact) about each register, facts[VGPU_JIT_VECTORS] by lane vector, of a simdgroup
 * that comes to that op of the block with all lanes active. The first call for a program analyses all of its blocks;
 * one host thread at a time may call it. */
void vgpu_jit_facts_at(const struct vgpu_block *block, uint32_t index, uint8_t *facts);

#endif
