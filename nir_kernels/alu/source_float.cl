/* SPDX-License-Identifier: MIT
 *
 * The chains of float_source.c. `native_` functions are what the source of the reference figures calls fast, the others
 * what it calls precise.
 */
#include "source.clh"

#define ADD(x, a) (x + a)
#define XOR(x, a) (x ^ a)

static uint to_i64(uint x)
{
   const long whole = (long)as_float(x);

   return ((uint)whole ^ (uint)(whole >> 32)) & 0x7fffff;
}
#define TO_I64(x, a, b) to_i64(x)
CHAIN_WITH(to_i64, u32, 4, 8, TO_I64, XOR)

static float mantissa_and_exponent(float x)
{
   int exponent;
   const float mantissa = frexp(x, &exponent);

   return mantissa + (float)exponent;
}
#define FRACT(x, a, b) (x - floor(x))
#define FREXP(x, a, b) mantissa_and_exponent(x)
#define ROUND(x, a, b) round(x)
CHAIN_WITH(fract32, f32, 8, 16, FRACT, ADD)
CHAIN_WITH(frexp32, f32, 2, 4, FREXP, ADD)
CHAIN_WITH(round32, f32, 4, 8, ROUND, ADD)

#define MEDIAN(x, a, b) fmax(fmin(x, a), fmin(fmax(x, a), b))
CHAIN(median32, f32, 4, 8, MEDIAN)

#define DIV(x, a, b) native_divide(b, x)
#define SQRT(x, a, b) native_sqrt(x)
#define SIN(x, a, b) native_sin(x)
#define COS(x, a, b) native_cos(x)
#define SINPI(x, a, b) native_sin((x + a) * M_PI_F)
#define EXP(x, a, b) native_exp(x)
#define LOG(x, a, b) native_log(x)
#define EXP10(x, a, b) native_exp10(x)
#define LOG10(x, a, b) native_log10(x)
CHAIN_WITH(div32, f32, 8, 16, DIV, ADD)
CHAIN_WITH(sqrt32, f32, 8, 16, SQRT, ADD)
CHAIN_WITH(sin32, f32, 4, 8, SIN, ADD)
CHAIN_WITH(cos32, f32, 4, 8, COS, ADD)
CHAIN(sinpi32, f32, 4, 8, SINPI)
CHAIN_WITH(exp32, f32, 8, 16, EXP, ADD)
CHAIN_WITH(log32, f32, 8, 16, LOG, ADD)
CHAIN_WITH(exp10_32, f32, 8, 16, EXP10, ADD)
CHAIN_WITH(log10_32, f32, 8, 16, LOG10, ADD)
