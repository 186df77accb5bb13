/* SPDX-License-Identifier: MIT
 *
 * 2^x and log2 x: the exact value rounded once to f32 (spec/isa.md 3.4). They are computed as doubles by separate
 * products and sums, so that hosts with and without a fused multiply-add have the same bits. The functions are those of
 * powers_of.h for two host vectors, and for one value, which compiled runs have where it is the same in all lanes.
 *
 * tests/vgpu/exec/powers.c compares all f32 values.
 */
#ifndef VGPU_POWERS_H
#define VGPU_POWERS_H

#include "vgpu/exec/semantics/vector.h"

/* (2^r - 1) / r for |r| <= 1/2, to 2^-63 */
static const double vgpu_exp2_terms[] = {0x1.c4a29327a2bc7p-36, 0x1.e9ec1fcf3594fp-32, 0x1.e4cf10debf449p-28,
                                         0x1.b524ebd138334p-24, 0x1.62c02242b87a1p-20, 0x1.ffcbfc6da6edep-17,
                                         0x1.430912f86b7dbp-13, 0x1.5d87fe78a3f9cp-10, 0x1.3b2ab6fba4e79p-7,
                                         0x1.c6b08d704a0c6p-5,  0x1.ebfbdff82c58fp-3,  0x1.62e42fefa39efp-1};

/* log2((1 + s) / (1 - s)) is s * (c + s * s * p(s * s)); c = 2 / ln 2 in two parts. The terms of p: */
static const double vgpu_log2_terms[] = {0x1.82a9bc9c3621fp-3, 0x1.880b5b8229032p-3, 0x1.c69b9fe6cb5a1p-3,
                                         0x1.0c9a6ec5fe8aap-2, 0x1.484b1401c307fp-2, 0x1.a61762a786459p-2,
                                         0x1.2776c50ef9c70p-1, 0x1.ec709dc3a03fdp-1};

/* Adding it rounds a double to an integer, which its last bits then hold. */
#define VGPU_ROUNDER 0x1.8p52

#define VGPU_ABREAST 2 /* host vectors side by side, because each sum of a polynomial waits for the one before */

#define POWERS(name) vgpu_##name
#define POWERS_WIDTH VGPU_WIDTH
#define POWERS_HALF (VGPU_WIDTH / 2)
#define POWERS_ABREAST VGPU_ABREAST
#include "vgpu/exec/semantics/powers_of.h"

#define POWERS(name) vgpu_one_##name
#define POWERS_WIDTH 2
#define POWERS_HALF 2
#define POWERS_ABREAST 1
#include "vgpu/exec/semantics/powers_of.h"

/* The bits of one value's. */
VGPU_INLINE uint32_t vgpu_exp2_of_one(float x, bool odd)
{
   vgpu_one_vf both[1] = {{x, x}};
   vgpu_one_exp2(both, odd);
   return ((vgpu_one_vu)both[0])[0];
}

VGPU_INLINE uint32_t vgpu_log2_of_one(float x, bool odd)
{
   vgpu_one_vf both[1] = {{x, x}};
   vgpu_one_log2(both, odd);
   return ((vgpu_one_vu)both[0])[0];
}

#endif
