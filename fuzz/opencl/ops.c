/* SPDX-License-Identifier: MIT
 *
 * The table of OpenCL C's operations (OpenCL C 3.0, sections 6.2 to 6.4 and 6.15.2 to 6.15.8), and how each computes
 * one component. Invariant: operands and results are zero-extended to 64 bits.
 */
#include <math.h>
#include <string.h>

#include "fuzz/opencl/ops.h"
#include "util/array.h"

typedef ocl_wide wide;
typedef unsigned __int128 uwide;

static uint64_t truth(const struct ocl_operands *o, bool value)
{
   return !value ? 0 : o->vector ? ocl_mask(o->base) : 1;
}

/* Compares the first two operands: less than 0, 0, more than 0. */
static int order(const struct ocl_operands *o)
{
   if (ocl_real(o->from)) {
      const long double a = ocl_real_value(o->from, o->a), b = ocl_real_value(o->from, o->b);
      return (a > b) - (a < b);
   }
   const wide a = ocl_integer(o->from, o->a), b = ocl_integer(o->from, o->b);
   return (a > b) - (a < b);
}

/* Whether neither is a NaN. */
static bool ordered(const struct ocl_operands *o)
{
   return !ocl_real(o->from) || (!isnan(ocl_real_value(o->from, o->a)) && !isnan(ocl_real_value(o->from, o->b)));
}

/* The alternative form of a conversion to a float (evaluate.c) rounds to an integer first. */
static uint64_t compute_convert(const struct ocl_operands *o)
{
   const bool whole = ocl_real(o->base) && ocl_real(o->from) && o->saturates;
   const uint64_t value =
       whole ? ocl_real_round(o->from, ocl_round(ocl_real_value(o->from, o->a), OCL_TO_EVEN), OCL_TO_EVEN) : o->a;

   return ocl_convert(o->base, o->from, value, (enum ocl_rounding)o->rounding, o->saturates);
}

#define A ocl_integer(o->base, o->a)
#define B ocl_integer(o->base, o->b)
#define C ocl_integer(o->base, o->c)
#define FROM_A ocl_integer(o->from, o->a)
#define FROM_B ocl_integer(o->from, o->b)
#define BITS ocl_bits(o->base)
/* A shift uses the count's low bits. A scalar operand was promoted to at least 32 bits. */
#define COUNT (unsigned)(o->b & (o->vector || BITS > 32 ? BITS - 1 : 31))
/* Truncates the result to its own bits. */
#define COMPUTE(name, expression)                                                                                      \
   static uint64_t compute_##name(const struct ocl_operands *o)                                                        \
   {                                                                                                                   \
      return (uint64_t)(expression)&ocl_mask(o->base);                                                                 \
   }

COMPUTE(add, o->a + o->b)
COMPUTE(sub, o->a - o->b)
COMPUTE(mul, o->a * o->b)
COMPUTE(neg, -o->a)
COMPUTE(inv, ~o->a)
COMPUTE(and, o->a & o->b)
COMPUTE(or, o->a | o->b)
COMPUTE(xor, o->a ^ o->b)
COMPUTE(div, o->b == 0 ? 0 : (uint64_t)(A / B))
COMPUTE(mod, o->b == 0 ? 0 : (uint64_t)(A % B))
COMPUTE(shl, o->a << COUNT)
COMPUTE(shr, A >> COUNT)
COMPUTE(lt, truth(o, ordered(o) && order(o) < 0))
COMPUTE(le, truth(o, ordered(o) && order(o) <= 0))
COMPUTE(gt, truth(o, ordered(o) && order(o) > 0))
COMPUTE(ge, truth(o, ordered(o) && order(o) >= 0))
COMPUTE(eq, truth(o, ordered(o) && order(o) == 0))
COMPUTE(ne, truth(o, !ordered(o) || order(o) != 0))
COMPUTE(less_or_greater, truth(o, ordered(o) && order(o) != 0))
COMPUTE(land, truth(o, o->a != 0 && o->b != 0))
COMPUTE(lor, truth(o, o->a != 0 || o->b != 0))
COMPUTE(lnot, truth(o, o->a == 0))
COMPUTE(abs, FROM_A < 0 ? -FROM_A : FROM_A)
COMPUTE(abs_diff, FROM_A < FROM_B ? FROM_B - FROM_A : FROM_A - FROM_B)
COMPUTE(add_sat, ocl_clamp(o->base, A + B))
COMPUTE(sub_sat, ocl_clamp(o->base, A - B))
COMPUTE(hadd, (A + B) >> 1)
COMPUTE(rhadd, (A + B + 1) >> 1)
COMPUTE(max, A > B ? o->a : o->b)
COMPUTE(min, A < B ? o->a : o->b)
COMPUTE(popcount, __builtin_popcountll(o->a))
COMPUTE(clz, o->a == 0 ? BITS : (unsigned)__builtin_clzll(o->a) - (64 - BITS))
COMPUTE(ctz, o->a == 0 ? BITS : (unsigned)__builtin_ctzll(o->a))
COMPUTE(rotate, o->a << (o->b & (BITS - 1)) | o->a >> (-o->b & (BITS - 1)))
COMPUTE(bitselect, (o->a & ~o->c) | (o->b & o->c))
COMPUTE(mul24, A *B)
COMPUTE(mad24, A *B + C)
/* Clamps between the smaller and the larger of the other two, which is always defined. */
COMPUTE(clamp, A<(B < C ? B : C) ? (B < C ? o->b : o->c) : A>(B < C ? C : B) ? (B < C ? o->c : o->b) : o->a)
/* A vector's component is chosen by the condition's highest bit, a scalar by any bit. */
COMPUTE(select, (o->vector ? o->c >> (BITS - 1) : o->c != 0) ? o->b : o->a)
COMPUTE(choose, (o->vector ? o->a >> (BITS - 1) : o->a != 0) ? o->b : o->c)

COMPUTE(same, o->a)
COMPUTE(pick, o->a != 0 ? o->b : o->c)
COMPUTE(ordered, truth(o, ordered(o)))
COMPUTE(unordered, truth(o, !ordered(o)))
COMPUTE(isnan, truth(o, ocl_is_nan(o->from, o->a)))
COMPUTE(not_lt, truth(o, !ordered(o) || order(o) >= 0))
COMPUTE(not_le, truth(o, !ordered(o) || order(o) > 0))
COMPUTE(not_gt, truth(o, !ordered(o) || order(o) <= 0))
COMPUTE(not_ge, truth(o, !ordered(o) || order(o) < 0))
COMPUTE(boolean, o->a != 0)
COMPUTE(finite, truth(o, isfinite(ocl_real_value(o->from, o->a))))
COMPUTE(infinite, truth(o, isinf(ocl_real_value(o->from, o->a))))
COMPUTE(normal, truth(o, ocl_real_normal(o->from, o->a) && ocl_real_value(o->from, o->a) != 0))
COMPUTE(signbit, truth(o, o->a >> (ocl_bits(o->from) - 1) & 1))
COMPUTE(vload_half, ocl_real_round(OCL_FLOAT, ocl_real_value(OCL_HALF, o->a), OCL_TO_EVEN))
COMPUTE(vstore_half, ocl_real_round(OCL_HALF, ocl_real_value(OCL_FLOAT, o->a), (enum ocl_rounding)o->rounding))
COMPUTE(to_float, o->base == OCL_HALF ? (o->a & 0xbfff) | 0x2000 : (o->a & 0xbfffffff) | 0x3c000000)

/* For floats. The sign of a zero counts. */
#define RA ocl_real_value(o->base, o->a)
#define RB ocl_real_value(o->base, o->b)
#define RC ocl_real_value(o->base, o->c)
#define SIGN (UINT64_C(1) << (BITS - 1))
#define REAL(name, expression) COMPUTE(real_##name, ocl_real_round(o->base, expression, OCL_TO_EVEN))

REAL(add, RA + RB)
REAL(sub, RA - RB)
REAL(mul, RA *RB)
REAL(fma, ocl_sum(RA *RB, RC))
/* the nearest integer to a quotient */
REAL(div, isinf(RA / RB) || isnan(RA / RB) ? RA : ocl_round(RA / RB, OCL_TO_EVEN))
REAL(floor, floorl(RA))
REAL(ceil, ceill(RA))
REAL(trunc, truncl(RA))
REAL(rint, isinf(RA) ? RA : ocl_round(RA, OCL_TO_EVEN))
REAL(round, roundl(RA))
REAL(sign, isnan(RA) ? 0 : RA > 0 ? 1 : RA < 0 ? -1 : RA)
REAL(step, RB < RA ? 0 : 1)
COMPUTE(real_neg, o->a ^ SIGN)
COMPUTE(real_abs, o->a & ~SIGN)
COMPUTE(real_copysign, (o->a & ~SIGN) | (o->b & SIGN))
COMPUTE(real_min, RB < RA || isnan(RA) ? o->b : o->a)
COMPUTE(real_max, RA < RB || isnan(RA) ? o->b : o->a)

/* Whether all quotients that OpenCL C allows (2.5 ulp) have the same nearest integer. */
static bool divides_alike(const struct ocl_operands *o)
{
   const long double quotient = RA / RB, error = 2.5L * ldexpl(1, o->base == OCL_HALF ? -10 : -23);

   return ocl_round(quotient * (1 - error), OCL_TO_EVEN) == ocl_round(quotient * (1 + error), OCL_TO_EVEN);
}

/* Whether the result is not denormal, and not so small that it was a denormal before it was rounded. A long double has
 * more than twice the bits of a float, so rounding to it first changes nothing; ocl_sum() does the same for a product
 * and a sum. */
static bool rounded_alike(const struct ocl_op *op, const struct ocl_operands *o)
{
   const uint64_t result = op->compute(o), values[] = {o->a, o->b, o->c, result};
   const uint64_t least = o->base == OCL_HALF ? 0x0400 : 0x00800000;

   for (unsigned i = 0; i < 4; i++) {
      const long double value = ocl_real_value(o->base, values[i]);
      if (!ocl_real_normal(o->base, values[i]) && !isinf(value) && !(o->nans && isnan(value))) {
         return false;
      }
   }
   if (op->either) {
      const uint64_t product = ocl_real_round(o->base, RA * RB, OCL_TO_EVEN);
      const uint64_t sum = ocl_real_round(o->base, ocl_real_value(o->base, product) + RC, OCL_TO_EVEN);
      if (sum != result && !(ocl_is_nan(o->base, sum) && ocl_is_nan(o->base, result))) {
         return false;
      }
   }
   return (result & ~SIGN) != least;
}

/* Whether a sum or product needs no rounding in its type. Which of two zeros min() returns is not defined. */
bool ocl_real_determined(const struct ocl_op *op, const struct ocl_operands *o)
{
   if (op->compute == compute_real_min || op->compute == compute_real_max) {
      return o->a == o->b || RA != RB;
   }
   if (op->compute == compute_real_div) {
      return ocl_real_normal(o->base, o->a) && ocl_real_normal(o->base, o->b) && RB != 0 && divides_alike(o);
   }
   if (!op->exact) {
      return true;
   }
   if (o->rounds) {
      return rounded_alike(op, o);
   }
   const bool fused = op->compute == compute_real_fma;
   const long double a = op->compute == compute_real_mul || fused ? RA * RB : RA;
   const long double b = fused ? RC : op->compute == compute_real_add ? RB : op->compute == compute_real_sub ? -RB : 0;
   const long double sum = op->compute == compute_real_mul ? a : a + b;
   const uint64_t result = op->compute(o), part = ocl_real_round(o->base, a, OCL_TO_EVEN);

   return ocl_real_normal(o->base, o->a) && ocl_real_normal(o->base, o->b) && ocl_real_normal(o->base, o->c) &&
          ocl_real_normal(o->base, result) && ocl_real_value(o->base, result) == sum && sum - a == b && sum - b == a &&
          ocl_real_normal(o->base, part) && ocl_real_value(o->base, part) == a;
}

/* 64-bit products need 128 bits */
static uwide product(const struct ocl_operands *o)
{
   return ocl_signed(o->base) ? (uwide)(A * B) : (uwide)o->a * o->b;
}

COMPUTE(mul_hi, product(o) >> BITS)
COMPUTE(mad_hi, (uint64_t)(product(o) >> BITS) + o->c)

static uint64_t compute_mad_sat(const struct ocl_operands *o)
{
   if (ocl_signed(o->base)) {
      return ocl_clamp(o->base, A * B + C);
   }
   const uwide sum = product(o) + o->c;
   return sum > ocl_mask(o->base) ? ocl_mask(o->base) : (uint64_t)sum;
}

static uint64_t compute_upsample(const struct ocl_operands *o)
{
   return (o->a << BITS / 2 | o->b) & ocl_mask(o->base);
}

#define ROW(label, ...) NAMED(#label, label, __VA_ARGS__)
#define NAMED(title, label, text, form, count, often, ...)                                                             \
   {                                                                                                                   \
      .name = title, .format = text, .shape = OCL_SHAPE_##form, .arity = count, .weight = often,                       \
      .compute = compute_##label, __VA_ARGS__                                                                          \
   }
#define WHOLE(label, text, form, count, often)                                                                         \
   {                                                                                                                   \
      .name = #label, .format = text, .shape = OCL_SHAPE_##form, .arity = count, .weight = often                       \
   }
#define WHOLE_BODY(label, text, form, count, often)                                                                    \
   {                                                                                                                   \
      .name = #label, .format = text, .shape = OCL_SHAPE_##form, .arity = count, .weight = often, .body = true         \
   }

const struct ocl_op ocl_ops[] = {
    ROW(add, "($a + $b)", 2, 2, 4, .wraps = true),
    ROW(sub, "($a - $b)", 2, 2, 4, .wraps = true),
    ROW(mul, "($a * $b)", 2, 2, 4, .wraps = true),
    ROW(neg, "(-$a)", 1, 1, 2, .wraps = true),
    ROW(inv, "(~$a)", 1, 1, 2),
    ROW(and, "($a & $b)", 2, 2, 3),
    ROW(or, "($a | $b)", 2, 2, 3),
    ROW(xor, "($a ^ $b)", 2, 2, 3),
    ROW(div, "($a / $b)", DIVIDE, 2, 2),
    ROW(mod, "($a % $b)", DIVIDE, 2, 2),
    ROW(shl, "($a << $b)", SHIFT, 2, 4),
    ROW(shr, "($a >> $b)", SHIFT, 2, 5),
    ROW(lt, "($a < $b)", COMPARE, 2, 2),
    ROW(le, "($a <= $b)", COMPARE, 2, 2),
    ROW(gt, "($a > $b)", COMPARE, 2, 2),
    ROW(ge, "($a >= $b)", COMPARE, 2, 2),
    ROW(eq, "($a == $b)", COMPARE, 2, 2),
    ROW(ne, "($a != $b)", COMPARE, 2, 2),
    ROW(land, "($a && $b)", LOGIC, 2, 1),
    ROW(lor, "($a || $b)", LOGIC, 2, 1),
    ROW(lnot, "(!$a)", NOT, 1, 1),
    ROW(abs, "abs($a)", ABS, 1, 4),
    ROW(abs_diff, "abs_diff($a, $b)", ABS_2, 2, 6),
    ROW(add_sat, "add_sat($a, $b)", 2, 2, 3),
    ROW(sub_sat, "sub_sat($a, $b)", 2, 2, 3),
    ROW(hadd, "hadd($a, $b)", 2, 2, 3),
    ROW(rhadd, "rhadd($a, $b)", 2, 2, 3),
    ROW(max, "max($a, $b)", 2, 2, 3),
    ROW(min, "min($a, $b)", 2, 2, 3),
    ROW(popcount, "popcount($a)", 1, 1, 3),
    ROW(clz, "clz($a)", 1, 1, 4),
    ROW(ctz, "ctz($a)", 1, 1, 4),
    ROW(rotate, "rotate($a, $b)", 2, 2, 5),
    ROW(bitselect, "bitselect($a, $b, $c)", 3, 3, 3),
    ROW(clamp, "clamp($a, min($b, $c), max($b, $c))", 3, 3, 3),
    ROW(mul_hi, "mul_hi($a, $b)", 2, 2, 4),
    ROW(mad_hi, "mad_hi($a, $b, $c)", 3, 3, 4),
    ROW(mad_sat, "mad_sat($a, $b, $c)", 3, 3, 5),
    ROW(mul24, "mul24($a, $b)", 24, 2, 4),
    ROW(mad24, "mad24($a, $b, $c)", 24_3, 3, 4),
    ROW(upsample, "upsample($a, $b)", UPSAMPLE, 2, 5),
    ROW(select, "select($a, $b, $c)", SELECT, 3, 4),
    ROW(choose, "($a ? $b : $c)", CHOOSE, 3, 4),
    ROW(convert, "convert_$T$S($a)", CONVERT, 1, 5, .rounding = OCL_BY_TYPE),
    ROW(convert, "convert_$T$S$R($a)", CONVERT, 1, 2, .rounding = OCL_TO_EVEN),
    ROW(convert, "convert_$T$S$R($a)", CONVERT, 1, 2, .rounding = OCL_TO_ZERO),
    ROW(convert, "convert_$T$S$R($a)", CONVERT, 1, 2, .rounding = OCL_UP),
    ROW(convert, "convert_$T$S$R($a)", CONVERT, 1, 2, .rounding = OCL_DOWN),
    NAMED("convert_sat", convert, "convert_$T_sat($a)", CONVERT, 1, 6, .rounding = OCL_BY_TYPE, .saturates = true),
    NAMED("convert_sat", convert, "convert_$T_sat$R($a)", CONVERT, 1, 2, .saturates = true),
    NAMED("convert_sat", convert, "convert_$T_sat$R($a)", CONVERT, 1, 1, .rounding = OCL_TO_ZERO, .saturates = true),
    NAMED("convert_sat", convert, "convert_$T_sat$R($a)", CONVERT, 1, 1, .rounding = OCL_UP, .saturates = true),
    NAMED("convert_sat", convert, "convert_$T_sat$R($a)", CONVERT, 1, 1, .rounding = OCL_DOWN, .saturates = true),
    ROW(convert, "($T)$a", CAST, 1, 4, .rounding = OCL_BY_TYPE),
    NAMED("mix_add", add, "($a + $b)", MIX, 2, 2, .wraps = true),
    NAMED("mix_sub", sub, "($a - $b)", MIX, 2, 2, .wraps = true),
    NAMED("mix_mul", mul, "($a * $b)", MIX, 2, 2, .wraps = true),
    NAMED("mix_and", and, "($a & $b)", MIX, 2, 1),
    NAMED("mix_xor", xor, "($a ^ $b)", MIX, 2, 1),
    NAMED("mix_div", div, "($a / $b)", MIX, 2, 1),
    NAMED("mix_mod", mod, "($a % $b)", MIX, 2, 1),
    NAMED("mix_lt", lt, "($a < $b)", MIX_TEST, 2, 1),
    NAMED("mix_ge", ge, "($a >= $b)", MIX_TEST, 2, 1),
    NAMED("mix_eq", eq, "($a == $b)", MIX_TEST, 2, 1),
    NAMED("bool", boolean, "(bool)($a)", MIX_TEST, 1, 1),
    NAMED("wide_add", add, "($a + $b)", WIDEN, 2, 1, .wraps = true),
    NAMED("wide_mul", mul, "($a * $b)", WIDEN, 2, 1, .wraps = true),
    NAMED("wide_and", and, "($a & $b)", WIDEN, 2, 1),
    NAMED("wide_shl", shl, "($a << $b)", WIDEN, 2, 1),
    NAMED("wide_shr", shr, "($a >> $b)", WIDEN, 2, 1),
    NAMED("wide_max", max, "max($a, $b)", WIDEN, 2, 1),
    NAMED("wide_min", min, "min($a, $b)", WIDEN, 2, 1),
    NAMED("packed", same,
          "struct __attribute__((packed)) { uchar p; $T x; } s, t; s.p = 1; s.x = a; t = s; return t.x;", SAME, 1, 1,
          .body = true),
    NAMED("aligned", same,
          "struct { uchar p; $T x __attribute__((aligned(32))); } s[2]; s[1].x = a; s[0] = s[1]; return s[0].x;", SAME,
          1, 1, .body = true),
    ROW(pick, "$T x = b, y = c; $T *p = a ? &x : &y; return *p;", PICK, 3, 2, .body = true),
    NAMED("real_add", real_add, "($a + $b)", REAL, 2, 4, .exact = true),
    NAMED("real_sub", real_sub, "($a - $b)", REAL, 2, 3, .exact = true),
    NAMED("real_mul", real_mul, "($a * $b)", REAL, 2, 4, .exact = true),
    NAMED("real_div", real_div, "rint($a / $b)", REAL, 2, 4),
    NAMED("fma", real_fma, "fma($a, $b, $c)", REAL, 3, 2, .exact = true),
    NAMED("mad", real_fma, "mad($a, $b, $c)", REAL, 3, 2, .exact = true, .either = true),
    NAMED("real_neg", real_neg, "(-$a)", REAL, 1, 2),
    NAMED("fabs", real_abs, "fabs($a)", REAL, 1, 2),
    NAMED("floor", real_floor, "floor($a)", REAL, 1, 2),
    NAMED("ceil", real_ceil, "ceil($a)", REAL, 1, 2),
    NAMED("trunc", real_trunc, "trunc($a)", REAL, 1, 2),
    NAMED("rint", real_rint, "rint($a)", REAL, 1, 2),
    NAMED("round", real_round, "round($a)", REAL, 1, 2),
    NAMED("sign", real_sign, "sign($a)", REAL, 1, 1),
    NAMED("step", real_step, "step($a, $b)", REAL, 2, 1, .numbers = true),
    NAMED("copysign", real_copysign, "copysign($a, $b)", REAL, 2, 2, .numbers = true),
    NAMED("fmin", real_min, "fmin($a, $b)", REAL, 2, 2, .nan_weight = 12),
    NAMED("fmax", real_max, "fmax($a, $b)", REAL, 2, 2, .nan_weight = 12),
    NAMED("real_min", real_min, "min($a, $b)", REAL, 2, 1, .numbers = true),
    NAMED("real_max", real_max, "max($a, $b)", REAL, 2, 1, .numbers = true),
    NAMED("isless", lt, "isless($a, $b)", TEST, 2, 1),
    NAMED("islessequal", le, "islessequal($a, $b)", TEST, 2, 1),
    NAMED("isgreater", gt, "isgreater($a, $b)", TEST, 2, 1),
    NAMED("isgreaterequal", ge, "isgreaterequal($a, $b)", TEST, 2, 1),
    NAMED("isequal", eq, "isequal($a, $b)", TEST, 2, 1),
    NAMED("isnotequal", ne, "isnotequal($a, $b)", TEST, 2, 1),
    NAMED("islessgreater", less_or_greater, "islessgreater($a, $b)", TEST, 2, 1),
    NAMED("isordered", ordered, "isordered($a, $b)", TEST, 2, 1, .nan_weight = 6),
    NAMED("isunordered", unordered, "isunordered($a, $b)", TEST, 2, 1, .nan_weight = 6),
    NAMED("isnan", isnan, "isnan($a)", TEST, 1, 1, .nan_weight = 6),
    NAMED("isfinite", finite, "isfinite($a)", TEST, 1, 1),
    NAMED("isinf", infinite, "isinf($a)", TEST, 1, 1),
    NAMED("isnormal", normal, "isnormal($a)", TEST, 1, 1),
    ROW(signbit, "signbit($a)", TEST, 1, 1, .numbers = true),
    NAMED("not_less", not_lt, "(!($a < $b))", TEST, 2, 0, .nan_weight = 10),
    NAMED("not_lessequal", not_le, "(!($a <= $b))", TEST, 2, 0, .nan_weight = 10),
    NAMED("not_greater", not_gt, "(!($a > $b))", TEST, 2, 0, .nan_weight = 10),
    NAMED("not_greaterequal", not_ge, "(!($a >= $b))", TEST, 2, 0, .nan_weight = 10),
    ROW(to_float, "as_$T(($I)(($a & ($I)$M) | ($I)$E))", TO_FLOAT, 1, 4),
    ROW(vload_half, "return vload_half$W(0, (const half *)&a);", HALF_IN, 1, 2, .body = true),
    NAMED("vloada_half", vload_half, "return vload$V_half$W(0, (const half *)&a);", HALF_IN, 1, 1, .body = true),
    ROW(vstore_half, "$T r; vstore_half$W(a, 0, (half *)&r); return r;", HALF_OUT, 1, 1, .body = true),
    ROW(vstore_half, "$T r; vstore_half$W_rte(a, 0, (half *)&r); return r;", HALF_OUT, 1, 1, .body = true),
    ROW(vstore_half, "$T r; vstore_half$W_rtz(a, 0, (half *)&r); return r;", HALF_OUT, 1, 1, .body = true,
        .rounding = OCL_TO_ZERO),
    ROW(vstore_half, "$T r; vstore_half$W_rtp(a, 0, (half *)&r); return r;", HALF_OUT, 1, 1, .body = true,
        .rounding = OCL_UP),
    ROW(vstore_half, "$T r; vstore$V_half$W_rtn(a, 0, (half *)&r); return r;", HALF_OUT, 1, 1, .body = true,
        .rounding = OCL_DOWN),
    WHOLE(as, "as_$T($a)", AS, 1, 5),
    WHOLE(swizzle, "", SWIZZLE, 1, 6),
    WHOLE(build, "", BUILD, 4, 5),
    WHOLE(insert, "", INSERT, 2, 4),
    WHOLE(shuffle, "shuffle($a, $b)", SHUFFLE, 2, 3),
    WHOLE(shuffle2, "shuffle2($a, $b, $c)", SHUFFLE2, 3, 3),
    WHOLE_BODY(union, "union { $I x; $T y; } u; u.x = a; return u.y;", AS, 1, 2),
    WHOLE_BODY(bytes, "$T r; for (int j = 0; j < (int)sizeof(r); j++) ((uchar *)&r)[j] = ((uchar *)&a)[j]; return r;",
               AS, 1, 2),
    WHOLE_BODY(reverse, "$T r; for (int j = 0; j < $N; j++) (($B *)&r)[j] = (($B *)&a)[$N - 1 - j]; return r;", REVERSE,
               1, 2),
    WHOLE(any, "any($a)", ANY, 1, 2),
    WHOLE(all, "all($a)", ANY, 1, 2),
};
const unsigned ocl_op_count = ARRAY_COUNT(ocl_ops);

unsigned ocl_op_find(const char *name, enum ocl_shape shape, enum ocl_rounding rounding)
{
   unsigned number = 0;

   while (number < ocl_op_count &&
          (strcmp(ocl_ops[number].name, name) != 0 || (shape != OCL_SHAPES && ocl_ops[number].shape != shape) ||
           ocl_ops[number].rounding != rounding)) {
      number++;
   }
   return number;
}

bool ocl_needs_numbers(const struct ocl_op *op)
{
   return op->numbers || op->shape == OCL_SHAPE_AS || op->shape == OCL_SHAPE_HALF_OUT;
}

uint8_t ocl_op_as(void)
{
   return (uint8_t)ocl_op_find("as", OCL_SHAPE_AS, OCL_TO_EVEN);
}

bool ocl_divides(const struct ocl_op *op)
{
   return op->compute == compute_div || op->compute == compute_mod;
}

/* Scalars below 32 bits are promoted to int, components of vectors are not. */
bool ocl_overflows(const struct ocl_op *op, const struct ocl_operands *o)
{
   const bool promoted = !o->vector && BITS < 32;

   if (!ocl_signed(o->base) && !promoted) {
      return false;
   }
   const wide result = op->compute == compute_add   ? A + B
                       : op->compute == compute_sub ? A - B
                       : op->compute == compute_mul ? A * B
                                                    : -A;
   const wide most = promoted ? INT32_MAX : (wide)(ocl_mask(o->base) >> 1);
   return result > most || result < -most - 1;
}
