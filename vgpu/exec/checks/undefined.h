/* SPDX-License-Identifier: MIT
 *
 * The definedness of threadgroup memory and stacks, for the check of undefined values: 1 is undefined.
 */
#ifndef VGPU_CHECKS_UNDEFINED_H
#define VGPU_CHECKS_UNDEFINED_H

#include "vgpu/exec/checks/checks.h"

/* The bits of one element at a lane's address, 4 bytes at most. */
uint32_t vgpu_undefined_read(struct vgpu_simd *simd, const struct vgpu_touch *touch, unsigned lane, uint64_t address);
void vgpu_undefined_write(struct vgpu_simd *simd, const struct vgpu_touch *touch, unsigned lane, uint64_t address,
                          uint32_t bits);

/* The common cases, for all lanes at once. Each returns false if the lanes must be looked at one by one. */
/* Whether all bytes that the instruction reads are defined. */
bool vgpu_undefined_reads_none(const struct vgpu_simd *simd, const struct vgpu_touch *touch);
/* Marks all bytes that the instruction writes as defined; otherwise does nothing. */
bool vgpu_undefined_write_none(const struct vgpu_simd *simd, const struct vgpu_touch *touch);

#endif
