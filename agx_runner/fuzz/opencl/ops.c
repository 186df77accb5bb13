/* SPDX-License-Identifier: MIT
 *
 * The table of OpenCL C's integer operations (OpenCL C 3.0, sections 6.4 and 6.15.3 to 6.15.6), and how each computes
 * one component. Invariant: operands and results are zero-extended to 64 bits.
 */
#include "agx_runner/fuzz/opencl/ops.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

static wide number(const struct ocl_operands *o, uint64_t value)
{
   return ocl_signed(o->base) ? (wide)ocl_sext(o->base, value) : (wide)value;
}

static uint64_t clamped(uint8_t base, wide value)
{
   const wide most = ocl_signed(base) ? (wide)(ocl_mask(base) >> 1) : (wide)ocl_mask(base);
   const wide least = ocl_signed(base) ? -most - 1 : 0;

   return (uint64_t)(value < least ? least : value > most ? most : value) & ocl_mask(base);
}

static uint64_t truth(const struct ocl_operands *o, bool value)
{
   return !value ? 0 : o->vector ? ocl_mask(o->base) : 1;
}

static wide from_number(const struct ocl_operands *o, uint64_t value)
{
   return ocl_signed(o->from) ? (wide)ocl_sext(o->from, value) : (wide)value;
}

#define A number(o, o->a)
#define B number(o, o->b)
#define C number(o, o->c)
#define FROM_A from_number(o, o->a)
#define FROM_B from_number(o, o->b)
#define BITS ocl_bits(o->base)
/* A shift takes the count's low bits. A scalar operand was promoted to at least 32 bits. */
#define COUNT (unsigned)(o->b & (o->vector || BITS > 32 ? BITS - 1 : 31))
/* The result's own bits. */
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
COMPUTE(lt, truth(o, FROM_A < FROM_B))
COMPUTE(le, truth(o, FROM_A <= FROM_B))
COMPUTE(gt, truth(o, FROM_A > FROM_B))
COMPUTE(ge, truth(o, FROM_A >= FROM_B))
COMPUTE(eq, truth(o, o->a == o->b))
COMPUTE(ne, truth(o, o->a != o->b))
COMPUTE(land, truth(o, o->a != 0 && o->b != 0))
COMPUTE(lor, truth(o, o->a != 0 || o->b != 0))
COMPUTE(lnot, truth(o, o->a == 0))
COMPUTE(abs, FROM_A < 0 ? -FROM_A : FROM_A)
COMPUTE(abs_diff, FROM_A < FROM_B ? FROM_B - FROM_A : FROM_A - FROM_B)
COMPUTE(add_sat, clamped(o->base, A + B))
COMPUTE(sub_sat, clamped(o->base, A - B))
COMPUTE(hadd, (A + B) >> 1)
COMPUTE(rhadd, (A + B + 1) >> 1)
COMPUTE(max, A > B ? o->a : o->b)
COMPUTE(min, A < B ? o->a : o->b)
COMPUTE(popcount, __builtin_popcountll(o->a))
COMPUTE(clz, o->a == 0 ? BITS : (unsigned)__builtin_clzll(o->a) - (64 - BITS))
COMPUTE(ctz, o->a == 0 ? BITS : (unsigned)__builtin_ctzll(o->a))
COMPUTE(rotate, o->a << (o->b & (BITS - 1)) | o->a >> (-o->b & (BITS - 1)))
COMPUTE(bitselect, (o->a & ~o->c) | (o->b & o->c))
COMPUTE(convert, FROM_A)
COMPUTE(convert_sat, clamped(o->base, FROM_A))
COMPUTE(mul24, A *B)
COMPUTE(mad24, A *B + C)
/* Between the smaller and the larger of the other two: no order of them is undefined. */
COMPUTE(clamp, A<(B < C ? B : C) ? (B < C ? o->b : o->c) : A>(B < C ? C : B) ? (B < C ? o->c : o->b) : o->a)
/* A vector's lane is chosen by the condition's highest bit, a scalar by any. */
COMPUTE(select, (o->vector ? o->c >> (BITS - 1) : o->c != 0) ? o->b : o->a)
COMPUTE(choose, (o->vector ? o->a >> (BITS - 1) : o->a != 0) ? o->b : o->c)

/* Products of 64 bits need 128 unsigned ones. */
static uwide product(const struct ocl_operands *o)
{
   return ocl_signed(o->base) ? (uwide)(A * B) : (uwide)o->a * o->b;
}

COMPUTE(mul_hi, product(o) >> BITS)
COMPUTE(mad_hi, (uint64_t)(product(o) >> BITS) + o->c)

static uint64_t compute_mad_sat(const struct ocl_operands *o)
{
   if (ocl_signed(o->base)) {
      return clamped(o->base, A * B + C);
   }
   const uwide sum = product(o) + o->c;
   return sum > ocl_mask(o->base) ? ocl_mask(o->base) : (uint64_t)sum;
}

static uint64_t compute_upsample(const struct ocl_operands *o)
{
   return (o->a << BITS / 2 | o->b) & ocl_mask(o->base);
}

#define ROW(label, text, form, count, often, ...)                                                                      \
   {                                                                                                                   \
      .name = #label, .format = text, .shape = OCL_SHAPE_##form, .arity = count, .weight = often,                      \
      .compute = compute_##label, __VA_ARGS__                                                                          \
   }
#define WHOLE(label, text, form, count, often)                                                                         \
   {                                                                                                                   \
      .name = #label, .format = text, .shape = OCL_SHAPE_##form, .arity = count, .weight = often                       \
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
    ROW(convert, "convert_$T($a)", CONVERT, 1, 5),
    ROW(convert_sat, "convert_$T_sat($a)", CONVERT, 1, 8),
    ROW(convert, "($T)$a", CAST, 1, 4),
    WHOLE(as, "as_$T($a)", AS, 1, 5),
    WHOLE(swizzle, "", SWIZZLE, 1, 6),
    WHOLE(build, "", BUILD, 4, 5),
    WHOLE(insert, "", INSERT, 2, 4),
    WHOLE(shuffle, "shuffle($a, $b)", SHUFFLE, 2, 3),
    WHOLE(shuffle2, "shuffle2($a, $b, $c)", SHUFFLE2, 3, 3),
    WHOLE(any, "any($a)", ANY, 1, 2),
    WHOLE(all, "all($a)", ANY, 1, 2),
};
const unsigned ocl_op_count = sizeof(ocl_ops) / sizeof(ocl_ops[0]);

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
