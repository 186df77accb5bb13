/* SPDX-License-Identifier: MIT
 *
 * The chains of float_source.c that are about full precision.
 */
#include "source.clh"

#define ADD(x, a) (x + a)
#define RSQRT(x, a, b) rsqrt(x)
#define EXP2(x, a, b) exp2(x)
#define LOG2(x, a, b) log2(x)
#define RECIP(x, a, b) (1.0f / x)
#define DIV(x, a, b) (b / x)
#define SQRT(x, a, b) sqrt(x)
#define SIN(x, a, b) sin(x)
#define SINPI(x, a, b) sinpi(x + a)
CHAIN_WITH(rsqrt32, f32, 4, 8, RSQRT, ADD)
CHAIN_WITH(exp2_32, f32, 2, 4, EXP2, ADD)
CHAIN_WITH(log2_32, f32, 2, 4, LOG2, ADD)
CHAIN_WITH(recip32, f32, 4, 8, RECIP, ADD)
CHAIN_WITH(div32, f32, 4, 8, DIV, ADD)
CHAIN_WITH(sqrt32, f32, 4, 8, SQRT, ADD)
CHAIN_WITH(sin32, f32, 1, 1, SIN, ADD)
CHAIN(sinpi32, f32, 1, 2, SINPI)
