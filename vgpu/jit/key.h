/* SPDX-License-Identifier: MIT
 *
 * The key of a block's or a region's code: all of the program that the text for LLVM depends on. Invariant: equal keys
 * have equal texts, in each process with the same bitcode, LLVM and sources.
 */
#ifndef VGPU_JIT_KEY_H
#define VGPU_JIT_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "vgpu/jit/shape.h"

/* Each returns the key, for free(). NULL: out of memory. */
uint8_t *vgpu_jit_block_key(const struct vgpu_llvm *llvm, const struct vgpu_block *block, size_t *size);
uint8_t *vgpu_jit_region_key(const struct vgpu_llvm *llvm, const struct vgpu_jit_region *region, size_t *size);

#endif
