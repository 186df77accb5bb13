/* SPDX-License-Identifier: MIT
 *
 * The chains of int_source.c.
 */
#include "source.clh"

#define XOR(x, a) (x ^ a)

#define MAD_HI(x, a, b) mad_hi(x, a, b)
#define XOR_ADD(x, a, b) ((x ^ a) + b)
#define INSERT_ADD(x, a, b) (((x & 0xfffff00f) | (x & 0xff) << 4) + b)
#define ROTATE(x, a, b) rotate(x, a)
#define RHADD(x, a, b) rhadd(x, a)
#define CLZ(x, a, b) clz(x)
#define SHL(x, a, b) (x << a)
#define SHR(x, a, b) (x >> a)
#define ABS_DIFF(x, a, b) abs_diff(x, a)
CHAIN(mad_hi16, u16, 4, 8, MAD_HI)
CHAIN(xor_add32, u32, 8, 16, XOR_ADD)
CHAIN(insert_add32, u32, 8, 16, INSERT_ADD)
CHAIN(rotate32, u32, 8, 16, ROTATE)
CHAIN(rhadd16, u16, 4, 8, RHADD)
CHAIN(rhadd32, u32, 4, 8, RHADD)
CHAIN_WITH(clz32, u32, 8, 16, CLZ, XOR)
CHAIN_WITH(shl32, u32, 8, 16, SHL, XOR)
CHAIN_WITH(shr32, u32, 8, 16, SHR, XOR)
CHAIN(abs_diff32, u32, 8, 16, ABS_DIFF)
CHAIN(mad_hi32, u32, 8, 16, MAD_HI)

#define ADD_32_32(x, a, b) ((ulong)((uint)x ^ (uint)(x >> 32)) + (uint)a)
#define ADD_64_32(x, a, b) (x + (uint)a)
#define ADD_64_64(x, a, b) (x + a)
#define MUL_64_64(x, a, b) (x * a)
/* The factor folds both words of the sum: with the low word alone the high words would be dead code. */
#define FOLD(x) ((uint)x ^ (uint)(x >> 32))
#define MAD_32_64(x, a, b) ((ulong)(FOLD(x) * (uint)a) + b)
#define MAD_32_WIDE(x, a, b) ((ulong)FOLD(x) * (uint)a + b)
#define MAD_64_64(x, a, b) (x * a + b)
#define MUL_HI(x, a, b) (mul_hi(x, a) ^ b)
CHAIN(add_32_32, u64, 4, 8, ADD_32_32)
CHAIN(add_64_32, u64, 8, 16, ADD_64_32)
CHAIN(add_64_64, u64, 8, 16, ADD_64_64)
CHAIN(mul_64_64, u64, 4, 8, MUL_64_64)
CHAIN(mad_32_64, u64, 4, 8, MAD_32_64)
CHAIN(mad_32_wide, u64, 4, 8, MAD_32_WIDE)
CHAIN(mad_64_64, u64, 4, 8, MAD_64_64)
CHAIN(mul_hi_64, u64, 2, 4, MUL_HI)
