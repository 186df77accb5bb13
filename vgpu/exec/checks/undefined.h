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

/* ---- Registers (undefined.c) ---- */

/* The undefined bits of what the instruction reads of a word with those undefined bits. */
static inline uint32_t vgpu_undefined_read_as(unsigned form, uint32_t low)
{
   switch (form) {
   case VGPU_LOW:
      return low & 0xffff;
   case VGPU_HIGH:
      return low >> 16;
   case VGPU_LOW_SIGNED:
      return (uint32_t)(int32_t)(int16_t)low;
   case VGPU_HIGH_SIGNED:
      return (uint32_t)((int32_t)low >> 16);
   case VGPU_LOW_FLOAT:
      return low & 0xffff ? UINT32_MAX : 0;
   case VGPU_HIGH_FLOAT:
      return low >> 16 ? UINT32_MAX : 0;
   default:
      return low;
   }
}

/* The undefined bits of a half register, or of a word that starts there. */
uint32_t vgpu_undefined_get(const struct vgpu_simd *simd, unsigned half, bool word, unsigned lane);
void vgpu_undefined_put(const struct vgpu_simd *simd, unsigned half, bool word, unsigned lane, uint32_t bits);
/* Those lanes of the half registers are written. */
void vgpu_undefined_define(struct vgpu_simd *simd, const struct vgpu_halves *halves, uint32_t lanes);
/* Finds the marks of the half registers anew. */
void vgpu_undefined_mark(struct vgpu_simd *simd, const struct vgpu_halves *halves);
/* The bits of element `n` of the data registers. Formats that convert: all or nothing. */
uint32_t vgpu_undefined_data(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned n, unsigned lane);
/* A source's undefined bits, of the 32 or 64 that the instruction reads. */
uint64_t vgpu_undefined_source(const struct vgpu_checked_op *checked, const struct vgpu_op *op, unsigned n,
                               const struct vgpu_simd *simd, unsigned lane);
/* Reports the first undefined half register of source `n`. use: what the instruction does with it. */
void vgpu_undefined_check_source(const struct vgpu_checked_op *checked, const struct vgpu_op *op,
                                 struct vgpu_simd *simd, unsigned n, uint32_t lanes, const char *use);
/* Another possible source of an undefined value. */
struct vgpu_origin {
   char text[VGPU_WHERE_BYTES + 64];
};
struct vgpu_origin vgpu_undefined_origin(const struct vgpu_simd *simd);

#endif
