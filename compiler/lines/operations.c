/* SPDX-License-Identifier: MIT
 *
 * Names of OpenCL C operations for which the GPU has no instruction, from SPIR-V. Invariant: an operation that is not
 * in the table needs a few instructions only.
 */
#include "compiler/lines/table.h"

#include <string.h>

#include "compiler/spirv/OpenCL.std.h"
#include "compiler/spirv/spirv.h"
#include "util/array.h"

#define SPIRV_HEADER_WORDS 5

/* functions of OpenCL.std */
static const struct {
   enum OpenCLstd_Entrypoints function;
   const char *name;
} functions[] = {
    {OpenCLstd_Acos, "acos"},
    {OpenCLstd_Acosh, "acosh"},
    {OpenCLstd_Acospi, "acospi"},
    {OpenCLstd_Asin, "asin"},
    {OpenCLstd_Asinh, "asinh"},
    {OpenCLstd_Asinpi, "asinpi"},
    {OpenCLstd_Atan, "atan"},
    {OpenCLstd_Atan2, "atan2"},
    {OpenCLstd_Atanh, "atanh"},
    {OpenCLstd_Atanpi, "atanpi"},
    {OpenCLstd_Atan2pi, "atan2pi"},
    {OpenCLstd_Cbrt, "cbrt"},
    {OpenCLstd_Cos, "cos"},
    {OpenCLstd_Cosh, "cosh"},
    {OpenCLstd_Cospi, "cospi"},
    {OpenCLstd_Erfc, "erfc"},
    {OpenCLstd_Erf, "erf"},
    {OpenCLstd_Exp, "exp"},
    {OpenCLstd_Exp2, "exp2"},
    {OpenCLstd_Exp10, "exp10"},
    {OpenCLstd_Expm1, "expm1"},
    {OpenCLstd_Fmod, "fmod"},
    {OpenCLstd_Fract, "fract"},
    {OpenCLstd_Frexp, "frexp"},
    {OpenCLstd_Hypot, "hypot"},
    {OpenCLstd_Ilogb, "ilogb"},
    {OpenCLstd_Ldexp, "ldexp"},
    {OpenCLstd_Lgamma, "lgamma"},
    {OpenCLstd_Lgamma_r, "lgamma_r"},
    {OpenCLstd_Log, "log"},
    {OpenCLstd_Log2, "log2"},
    {OpenCLstd_Log10, "log10"},
    {OpenCLstd_Log1p, "log1p"},
    {OpenCLstd_Logb, "logb"},
    {OpenCLstd_Modf, "modf"},
    {OpenCLstd_Nextafter, "nextafter"},
    {OpenCLstd_Pow, "pow"},
    {OpenCLstd_Pown, "pown"},
    {OpenCLstd_Powr, "powr"},
    {OpenCLstd_Remainder, "remainder"},
    {OpenCLstd_Remquo, "remquo"},
    {OpenCLstd_Rootn, "rootn"},
    {OpenCLstd_Rsqrt, "rsqrt"},
    {OpenCLstd_Sin, "sin"},
    {OpenCLstd_Sincos, "sincos"},
    {OpenCLstd_Sinh, "sinh"},
    {OpenCLstd_Sinpi, "sinpi"},
    {OpenCLstd_Sqrt, "sqrt"},
    {OpenCLstd_Tan, "tan"},
    {OpenCLstd_Tanh, "tanh"},
    {OpenCLstd_Tanpi, "tanpi"},
    {OpenCLstd_Tgamma, "tgamma"},
    {OpenCLstd_Half_cos, "half_cos"},
    {OpenCLstd_Half_divide, "half_divide"},
    {OpenCLstd_Half_exp, "half_exp"},
    {OpenCLstd_Half_log, "half_log"},
    {OpenCLstd_Half_powr, "half_powr"},
    {OpenCLstd_Half_sin, "half_sin"},
    {OpenCLstd_Half_sqrt, "half_sqrt"},
    {OpenCLstd_Half_tan, "half_tan"},
    {OpenCLstd_Native_sin, "native_sin"},
    {OpenCLstd_Native_cos, "native_cos"},
    {OpenCLstd_Native_tan, "native_tan"},
    {OpenCLstd_Native_recip, "native_recip"},
    {OpenCLstd_Native_divide, "native_divide"},
    {OpenCLstd_Half_recip, "half_recip"},
    {OpenCLstd_Native_powr, "native_powr"},
    {OpenCLstd_SMul_hi, "mul_hi"},
    {OpenCLstd_UMul_hi, "mul_hi"},
};

/* operators, by the width of their result */
static const struct {
   SpvOp op;
   unsigned bits;
   const char *name;
} operators[] = {
    {SpvOpUDiv, 64, "64-bit division"},
    {SpvOpSDiv, 64, "64-bit division"},
    {SpvOpUMod, 64, "64-bit remainder"},
    {SpvOpSRem, 64, "64-bit remainder"},
    {SpvOpSMod, 64, "64-bit remainder"},
    {SpvOpIMul, 64, "64-bit multiplication"},
    {SpvOpShiftLeftLogical, 64, "64-bit shift"},
    {SpvOpShiftRightLogical, 64, "64-bit shift"},
    {SpvOpShiftRightArithmetic, 64, "64-bit shift"},
    {SpvOpConvertFToU, 64, "conversion to 64 bits"},
    {SpvOpConvertFToS, 64, "conversion to 64 bits"},
    {SpvOpUDiv, 0, "integer division"},
    {SpvOpSDiv, 0, "integer division"},
    {SpvOpUMod, 0, "integer remainder"},
    {SpvOpSRem, 0, "integer remainder"},
    {SpvOpSMod, 0, "integer remainder"},
    {SpvOpFDiv, 0, "division"},
    {SpvOpFRem, 0, "remainder"},
    {SpvOpFMod, 0, "remainder"},
};

static uint32_t length_of(const uint32_t *words, size_t count, size_t word)
{
   const uint32_t length = words[word] >> SpvWordCountShift;

   return length <= count - word ? length : 0;
}

/* Returns the bits of a number of that type, or of a vector's element; 0: unknown. */
static unsigned bits_of(const uint32_t *words, size_t count, uint32_t type)
{
   uint32_t length;

   for (size_t i = SPIRV_HEADER_WORDS; i < count && (length = length_of(words, count, i)) > 0; i += length) {
      const uint32_t op = words[i] & SpvOpCodeMask;

      if (op == SpvOpFunction) {
         break;
      }
      if (length < 3 || words[i + 1] != type) {
         continue;
      }
      if (op == SpvOpTypeInt || op == SpvOpTypeFloat) {
         return words[i + 2];
      }
      /* the element's type is defined before the vector's */
      if (op == SpvOpTypeVector && words[i + 2] < type) {
         return bits_of(words, i, words[i + 2]);
      }
   }
   return 0;
}

const char *compiler_lines_operation(const uint32_t *words, size_t count, size_t word)
{
   const uint32_t length = word < count ? length_of(words, count, word) : 0;
   const uint32_t op = length > 0 ? words[word] & SpvOpCodeMask : 0;

   if (op == SpvOpExtInst && length >= 5) {
      for (size_t i = 0; i < ARRAY_COUNT(functions); i++) {
         if (words[word + 4] == (uint32_t)functions[i].function) {
            return functions[i].name;
         }
      }
   }
   for (size_t i = 0; i < ARRAY_COUNT(operators) && length >= 3; i++) {
      if (op == (uint32_t)operators[i].op &&
          (operators[i].bits == 0 || bits_of(words, count, words[word + 1]) == operators[i].bits)) {
         return operators[i].name;
      }
   }
   return NULL;
}
