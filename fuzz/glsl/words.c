/* SPDX-License-Identifier: MIT
 *
 * The table of operations as GLSL writes them. Invariant: a row computes what the row of that name in ocl_ops does.
 */
#include "fuzz/glsl/words.h"

#include <string.h>

#include "util/array.h"

const char *glsl_type_name(struct ocl_type type)
{
#define NAMES(scalar, vector)                                                                                          \
   {                                                                                                                   \
      [1] = scalar, [2] = vector "2", [3] = vector "3", [4] = vector "4"                                               \
   }
   static const char *const names[OCL_BASES][5] = {
       NAMES("int8_t", "i8vec"),     NAMES("uint8_t", "u8vec"), NAMES("int16_t", "i16vec"), NAMES("uint16_t", "u16vec"),
       NAMES("int", "ivec"),         NAMES("uint", "uvec"),     NAMES("int64_t", "i64vec"), NAMES("uint64_t", "u64vec"),
       NAMES("float16_t", "f16vec"), NAMES("float", "vec"),
   };

   return names[type.base][type.width];
}

/* vector: NULL means the same text. */
static const struct row {
   const char *name, *scalar, *vector;
} rows[] = {
    {"add", "$T($a + $b)", NULL},
    {"sub", "$T($a - $b)", NULL},
    {"mul", "$T($a * $b)", NULL},
    {"neg", "$T(-$a)", NULL},
    {"inv", "$T(~$a)", NULL},
    {"and", "$T($a & $b)", NULL},
    {"or", "$T($a | $b)", NULL},
    {"xor", "$T($a ^ $b)", NULL},
    {"div", "$T($a / $d)", NULL},
    {"mod", "$T($a % $d)", NULL},
    {"shl", "$T($p << (int($b) & $k))", "($a << ($b & $T($m)))"},
    {"shr", "$T($p >> (int($b) & $k))", "($a >> ($b & $T($m)))"},
    {"lt", "($a < $b ? 1 : 0)", "$T(-$T(lessThan($a, $b)))"},
    {"le", "($a <= $b ? 1 : 0)", "$T(-$T(lessThanEqual($a, $b)))"},
    {"gt", "($a > $b ? 1 : 0)", "$T(-$T(greaterThan($a, $b)))"},
    {"ge", "($a >= $b ? 1 : 0)", "$T(-$T(greaterThanEqual($a, $b)))"},
    {"eq", "($a == $b ? 1 : 0)", "$T(-$T(equal($a, $b)))"},
    {"ne", "($a != $b ? 1 : 0)", "$T(-$T(notEqual($a, $b)))"},
    {"land", "($a != $I(0) && $b != $I(0) ? 1 : 0)", "$T(-($T(notEqual($a, $I(0))) & $T(notEqual($b, $I(0)))))"},
    {"lor", "($a != $I(0) || $b != $I(0) ? 1 : 0)", "$T(-($T(notEqual($a, $I(0))) | $T(notEqual($b, $I(0)))))"},
    {"lnot", "($a == $I(0) ? 1 : 0)", "$T(-$T(equal($a, $I(0))))"},
    {"abs", "$T(max($a, $I(-$a)))", NULL},
    {"abs_diff", "$T($T(max($a, $b)) - $T(min($a, $b)))", NULL},
    {"hadd", "$T(($a & $b) + (($a ^ $b) >> $T(1)))", NULL},
    {"rhadd", "$T(($a | $b) - (($a ^ $b) >> $T(1)))", NULL},
    {"max", "max($a, $b)", NULL},
    {"min", "min($a, $b)", NULL},
    {"popcount", "$T(bitCount($N($U($a))))", NULL},
    {"clz", "$T($M($m) - findMSB($N($U($a))))", NULL},
    {"ctz", "$T(min($N(findLSB($N($U($a)))), $N($n)))", NULL},
    {"rotate", "$T(($U($a) << ($U($b) & $U($m))) | ($U($a) >> ($U(-$U($b)) & $U($m))))", NULL},
    {"clamp", "clamp($a, min($b, $c), max($b, $c))", NULL},
    {"bitselect", "$T(($a & ~$c) | ($b & $c))", NULL},
    {"select", "(int($c != $J(0)) != 0 ? $b : $a)", "mix($a, $b, lessThan($S($c), $S(0)))"},
    {"choose", "($a != $I(0) ? $b : $c)", "mix($c, $b, lessThan($S($a), $S(0)))"},
    {"mul_hi", "$T(($W($a) * $W($b)) >> $W($n))", NULL},
    {"mix_add", "$T($T($a) + $T($b))", NULL},
    {"mix_sub", "$T($T($a) - $T($b))", NULL},
    {"mix_mul", "$T($T($a) * $T($b))", NULL},
    {"mix_and", "$T($T($a) & $T($b))", NULL},
    {"mix_xor", "$T($T($a) ^ $T($b))", NULL},
    {"mix_div", "$T($T($a) / $d)", NULL},
    {"mix_mod", "$T($T($a) % $d)", NULL},
    {"wide_add", "$T($a + $T($b))", NULL},
    {"wide_mul", "$T($a * $T($b))", NULL},
    {"wide_and", "$T($a & $T($b))", NULL},
    {"wide_shl", "$T($a << ($T($b) & $T($m)))", NULL},
    {"wide_shr", "$T($a >> ($T($b) & $T($m)))", NULL},
    {"wide_max", "max($a, $T($b))", NULL},
    {"wide_min", "min($a, $T($b))", NULL},
    {"packed", "$a", NULL},
    {"aligned", "$a", NULL},
    {"pick", "($a != $I(0) ? $b : $c)", NULL},
    {"real_add", "($a + $b)", NULL},
    {"real_sub", "($a - $b)", NULL},
    {"real_mul", "($a * $b)", NULL},
    {"fma", "fma($a, $b, $c)", NULL},
    {"mad", "($a * $b + $c)", NULL},
    {"real_neg", "(-$a)", NULL},
    {"fabs", "abs($a)", NULL},
    {"floor", "floor($a)", NULL},
    {"ceil", "ceil($a)", NULL},
    {"trunc", "trunc($a)", NULL},
    {"rint", "roundEven($a)", NULL},
    {"step", "step($a, $b)", NULL},
    {"isless", "($a < $b ? 1 : 0)", "$T(-$T(lessThan($a, $b)))"},
    {"islessequal", "($a <= $b ? 1 : 0)", "$T(-$T(lessThanEqual($a, $b)))"},
    {"isgreater", "($a > $b ? 1 : 0)", "$T(-$T(greaterThan($a, $b)))"},
    {"isgreaterequal", "($a >= $b ? 1 : 0)", "$T(-$T(greaterThanEqual($a, $b)))"},
    {"isequal", "($a == $b ? 1 : 0)", "$T(-$T(equal($a, $b)))"},
    {"isnotequal", "($a != $b ? 1 : 0)", "$T(-$T(notEqual($a, $b)))"},
    {"not_less", "(!($a < $b) ? 1 : 0)", "$T(-$T(not(lessThan($a, $b))))"},
    {"not_lessequal", "(!($a <= $b) ? 1 : 0)", "$T(-$T(not(lessThanEqual($a, $b))))"},
    {"not_greater", "(!($a > $b) ? 1 : 0)", "$T(-$T(not(greaterThan($a, $b))))"},
    {"not_greaterequal", "(!($a >= $b) ? 1 : 0)", "$T(-$T(not(greaterThanEqual($a, $b))))"},
    {"to_float", "$F($Q(($a & $I($G)) | $I($E)))", NULL},
    {"any", "($a < $I(0) ? 1 : 0)", "(any(lessThan($a, $I(0))) ? 1 : 0)"},
    {"all", "($a < $I(0) ? 1 : 0)", "(all(lessThan($a, $I(0))) ? 1 : 0)"},
    {"as", "$T($a)", NULL},
    {"convert", "$T($a)", NULL},
};

static const struct row *row_of(const struct ocl_op *op)
{
   for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
      if (strcmp(rows[i].name, op->name) == 0) {
         return &rows[i];
      }
   }
   return NULL;
}

bool glsl_has(const struct ocl_op *op)
{
   return row_of(op) != NULL;
}

/* Conversions whose number may be out of range compare it first, and give the nearest number. */
static const char *conversion(const struct ocl_node *node, uint8_t from)
{
   if (ocl_real(from) && !ocl_real(node->type.base)) {
      return node->guard == OCL_OTHER || !ocl_signed(node->type.base)
                 ? "(float($a) >= $h ? $T($x) : float($a) <= $l ? $T($y) : $T($a))"
                 : "$T($a)";
   }
   return node->guard == OCL_OTHER ? "$T(roundEven($a))" : "$T($a)"; /* no denormal half */
}

/* What evaluate.c computes in place of an operation that has no result. */
static const char *other(const struct ocl_op *op, const struct ocl_node *node)
{
   if (op->shape == OCL_SHAPE_REAL) {
      return "$a";
   }
   if (op->shape != OCL_SHAPE_DIVIDE || node->type.width != 1) {
      return "$T($T($a) ^ $T($b))";
   }
   return op->name[0] == 'd' ? "($b == $T(0) || $b == $T(-1) ? $a : $T($a / $b))"
                             : "($b == $T(0) || $b == $T(-1) ? $a : $T($a % $b))";
}

const char *glsl_format(const struct ocl_op *op, const struct ocl_node *node, struct ocl_type first)
{
   if (op->shape == OCL_SHAPE_CONVERT) {
      return conversion(node, first.base);
   }
   if (op->shape == OCL_SHAPE_AS && ocl_real(first.base)) {
      return first.base == OCL_HALF ? "$T(float16BitsToUint16($a))" : "$T(floatBitsToUint($a))";
   }
   if (node->guard == OCL_OTHER) {
      return other(op, node);
   }
   if (op->shape == OCL_SHAPE_ABS && !ocl_signed(first.base)) {
      return "$T($a)";
   }
   const struct row *row = row_of(op);
   const bool vector = row != NULL && row->vector != NULL && (node->type.width != 1 || first.width != 1);
   return row == NULL ? NULL : vector ? row->vector : row->scalar;
}
