/* SPDX-License-Identifier: MIT
 *
 * What a sequence is made of follows ../results/reference/README.md's source: its list of sequences where it gives the
 * instructions, else what AGX needs for it. The published figures are of Apple's compiler output, so where that is
 * known to differ from the best code (a 64-bit addition is one AGX instruction, and four there), the output counts.
 */
#include "nir_kernels/operations.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/array.h"

#define LISTED "as the source lists it (sequences.csv)"
#define ALIAS "the source's other name of the same code"

#define F16(op_)                                                                                                       \
   {                                                                                                                   \
      ISA_OP_##op_, 16, 1                                                                                              \
   }
#define F32(op_)                                                                                                       \
   {                                                                                                                   \
      ISA_OP_##op_, 32, 1                                                                                              \
   }
#define CMPSEL(name_, section_, bits_, op_, text_)                                                                     \
   {                                                                                                                   \
      section_, name_, 1, 0, text_, {{ISA_OP_##op_, bits_, 1}}, NULL                                                   \
   }

/* State lo, hi; operand k, l; scratch carry. */
#define ADD64                                                                                                          \
   "iadd r@0, r@0, r@k\ncsel r@2, r@0, r@k, 1, 0, ult\niadd r@1, r@1, r@l\niadd r@1, r@1, r@2\n",                      \
   {                                                                                                                   \
      {ISA_OP_IADD, 32, 3}, F32(ICMPSEL)                                                                               \
   }

/* State lo, hi; operand k, l; `first` makes the product of the low words in @2. */
#define MUL64(first)                                                                                                   \
   first "imadd r@3, r@1, r@k, r@3\nimadd r@1, r@0, r@l, r@3\nmov r@0, r@2\n",                                         \
   {                                                                                                                   \
      {ISA_OP_IMADD, 64, 1}, {ISA_OP_IMADD, 32, 2}, F32(BITOP)                                                         \
   }

/* Range reduction, then the two halves of the sine. */
#define SIN32_TEXT                                                                                                     \
   "fmul r@1, r@0, r@k\n"                                                                                              \
   "trunc r@2, r@1\n"                                                                                                  \
   "fadd r@1, r@1, r@2.neg\n"                                                                                          \
   "ffma r@1, r@1, r@l, r@m\n"                                                                                         \
   "sinr r@2, r@1\n"                                                                                                   \
   "sinc r@0, r@2\n"
#define SIN32_PARTS                                                                                                    \
   {                                                                                                                   \
      F32(FMUL), F32(TRUNC), F32(FADD), F32(FFMA), F32(SIN_PT_1), F32(SIN_PT_2)                                        \
   }

#define INCLUSIVE "an exclusive scan, then the operation with the lane's own value (spec/isa.md 4.7b)"

/* Products across lanes: there is no such reduction, so the lanes are halved again and again. */
#define BUTTERFLY "a shuffle and a multiplication a step: no reduction multiplies integers"
#define PRODUCT16(distance, quad) "shuffle r@1l, r@0l, " #distance ", " quad "xor\nimul r@0l, r@0l, r@1l\n"
#define PRODUCT32(distance, quad) "shuffle r@1, r@0, " #distance ", " quad "xor\nimul r@0, r@0, r@1\n"

/* clang-format off */
static const struct bench_operation operations[] = {
   /* ---- Floats, single instructions ---- */
   {"float", "FADD16", 1, 0, "hadd r@0l, r@0l, r@kl\n", {F16(HADD)}, NULL},
   {"float", "FMUL16", 1, 0, "hmul r@0l, r@0l, r@kl\n", {F16(HMUL)}, NULL},
   {"float", "FFMA16", 1, 0, "hfma r@0l, r@0l, r@kl, r@ll\n", {F16(HFMA)}, NULL},
   {"float", "FADD32", 1, 0, "fadd r@0, r@0, r@k\n", {F32(FADD)}, NULL},
   {"float", "FMUL32", 1, 0, "fmul r@0, r@0, r@k\n", {F32(FMUL)}, NULL},
   {"float", "FFMA32", 1, 0, "ffma r@0, r@0, r@k, r@l\n", {F32(FFMA)}, NULL},
   {"float", "CONVERT(F->I32)", 1, 0, "f_to_s32 r@0, r@0, rtz\n", {F32(CONVERT)}, NULL},
   {"", "CONVERT(I32->F)", 1, 0, "s32_to_f r@0, r@0, rte\n", {F32(CONVERT)}, NULL},
   {"float", "RINT32", 1, 0, "rint r@0, r@0\n", {F32(RINT)}, NULL},
   {"float", "TRUNC32", 1, 0, "trunc r@0, r@0\n", {F32(TRUNC)}, NULL},
   {"", "FLOOR32", 1, 0, "floor r@0, r@0\n", {F32(FLOOR)}, NULL},
   {"", "CEIL32", 1, 0, "ceil r@0, r@0\n", {F32(CEIL)}, NULL},
   {"float", "RECIP16", 1, 0, "rcp r@0l, r@0l\n", {F16(RCP)}, NULL},
   {"float", "RECIP32", 1, 0, "rcp r@0, r@0\n", {F32(RCP)}, NULL},
   {"float", "RSQRT16", 1, 0, "rsqrt r@0l, r@0l\n", {F16(RSQRT)}, NULL},
   {"float", "RSQRT32", 1, 0, "rsqrt r@0, r@0\n", {F32(RSQRT)}, NULL},
   {"float", "Precise RSQRT32", 1, 0, "rsqrt r@0, r@0\n", {F32(RSQRT)}, NULL},
   {"float", "SIN_PT_1", 1, 0, "sinr r@0, r@0\n", {F32(SIN_PT_1)}, NULL},
   {"float", "SIN_PT_2", 1, 0, "sinc r@0, r@0\n", {F32(SIN_PT_2)}, NULL},
   {"float", "EXP2_16", 1, 0, "exp2 r@0l, r@0l\n", {F16(EXP2)}, NULL},
   {"float", "LOG2_16", 1, 0, "log2 r@0l, r@0l\n", {F16(LOG2)}, NULL},
   {"float", "EXP2_32", 1, 0, "exp2 r@0, r@0\n", {F32(EXP2)}, NULL},
   {"float", "LOG2_32", 1, 0, "log2 r@0, r@0\n", {F32(LOG2)}, NULL},
   {"float", "Precise EXP2_32", 1, 0, "exp2 r@0, r@0\n", {F32(EXP2)}, NULL},
   {"float", "Precise LOG2_32", 1, 0, "log2 r@0, r@0\n", {F32(LOG2)}, NULL},
   CMPSEL("FMAX32", "float", 32, FCMPSEL, "csel r@0, r@0, r@k, r@0, r@k, fgtn\n"),
   CMPSEL("FMIN32", "float", 32, FCMPSEL, "csel r@0, r@0, r@k, r@0, r@k, fltn\n"),
   CMPSEL("FCMPSEL16", "float", 16, FCMPSEL, "csel r@0l, r@0l, r@kl, r@0l, r@ll, flt\n"),
   CMPSEL("FCMPSEL32", "float", 32, FCMPSEL, "csel r@0, r@0, r@k, r@0, r@l, flt\n"),

   /* ---- Floats, sequences ---- */
   {"float", "FRACT32", 1, 1, "trunc r@1, r@0\nfadd r@0, r@0, r@1.neg\n", {F32(TRUNC), F32(FADD)}, LISTED},
   {"float", "FMEDIAN32", 1, 2,
    "csel r@1, r@0, r@k, r@0, r@k, fltn\ncsel r@2, r@0, r@k, r@0, r@k, fgtn\n"
    "csel r@2, r@2, r@l, r@2, r@l, fltn\ncsel r@0, r@1, r@2, r@1, r@2, fgtn\n", {{ISA_OP_FCMPSEL, 32, 4}},
    "max(min(a, b), min(max(a, b), c)); the published 3.65 is less than four instructions can take"},
   {"float", "DIV16", 1, 1, "rcp r@1l, r@0l\nhmul r@0l, r@1l, r@kl\n", {F16(RCP), F16(HMUL)}, "as DIV32"},
   {"float", "DIV32", 1, 1, "rcp r@1, r@0\nfmul r@0, r@1, r@k\n", {F32(RCP), F32(FMUL)}, LISTED},
   {"float", "SQRT16", 1, 1, "rsqrt r@1l, r@0l\nhmul r@0l, r@0l, r@1l\n", {F16(RSQRT), F16(HMUL)}, "as SQRT32"},
   {"float", "SQRT32", 1, 1, "rsqrt r@1, r@0\nfmul r@0, r@0, r@1\n", {F32(RSQRT), F32(FMUL)}, "x times 1 / sqrt(x)"},
   {"float", "SIN16", 1, 2,
    "hmul r@1l, r@0l, r@kl\ntrunc r@2l, r@1l\nhadd r@1l, r@1l, r@2l.neg\nhfma r@1l, r@1l, r@ll, r@ml\n"
    "sinr r@2l, r@1l\nsinc r@0l, r@2l\n", {F16(HMUL), F16(TRUNC), F16(HADD), F16(HFMA), F16(SIN_PT_1), F16(SIN_PT_2)},
    "as SIN32"},
   {"float", "SIN32", 1, 2, SIN32_TEXT, SIN32_PARTS, LISTED},
   {"float", "COS32", 1, 2, SIN32_TEXT, SIN32_PARTS, LISTED},
   {"", "TRIG_REDUCE", 1, 2,
    "fmul r@1, r@0, r@k\ntrunc r@2, r@1\nfadd r@1, r@1, r@2.neg\nffma r@0, r@1, r@l, r@m\n",
    {F32(FMUL), F32(TRUNC), F32(FADD), F32(FFMA)}, LISTED},
   {"float", "EXPE_32", 1, 1, "fmul r@1, r@0, r@k\nexp2 r@0, r@1\n", {F32(FMUL), F32(EXP2)}, "2^(x * log2 e)"},
   {"float", "EXP10_32", 1, 1, "fmul r@1, r@0, r@k\nexp2 r@0, r@1\n", {F32(FMUL), F32(EXP2)}, "2^(x * log2 10)"},
   {"float", "LOGE_32", 1, 1, "log2 r@1, r@0\nfmul r@0, r@1, r@k\n", {F32(LOG2), F32(FMUL)}, "log2(x) * ln 2"},
   {"float", "LOG10_32", 1, 1, "log2 r@1, r@0\nfmul r@0, r@1, r@k\n", {F32(LOG2), F32(FMUL)}, "log2(x) * log10 2"},

   /* ---- Integers, single instructions ---- */
   {"int", "IADD16", 1, 0, "iadd r@0l, r@0l, r@kl\n", {F16(IADD)}, NULL},
   {"int", "IMUL16", 1, 0, "imul r@0l, r@0l, r@kl\n", {F16(IMADD)}, NULL},
   {"int", "IMAD16", 1, 0, "imadd r@0l, r@0l, r@kl, r@ll\n", {F16(IMADD)}, NULL},
   {"int", "IMUL(16x16=32)", 1, 0, "imul r@0, r@0l, r@kl\n", {F32(IMADD)}, NULL},
   {"int", "IMAD((16x16=32)+32)", 1, 0, "imadd r@0, r@0l, r@kl, r@l\n", {F32(IMADD)}, NULL},
   {"int", "IADD32", 1, 0, "iadd r@0, r@0, r@k\n", {F32(IADD)}, NULL},
   {"int", "IMUL32", 1, 0, "imul r@0, r@0, r@k\n", {F32(IMADD)}, NULL},
   {"int", "IMAD32", 1, 0, "imadd r@0, r@0, r@k, r@l\n", {F32(IMADD)}, NULL},
   {"int", "IMULHI32", 2, 0, "imul dr@0, r@1, r@k\n", {{ISA_OP_IMADD, 64, 1}}, NULL},
   {"int", "IMUL(32x32=64)", 2, 0, "imul dr@0, r@0, r@k\n", {{ISA_OP_IMADD, 64, 1}}, NULL},
   {"int", "IADDSAT32", 1, 0, "iadd r@0, r@0, r@k, sat\n", {F32(IADD)}, NULL},
   {"int", "BITEXTRACT32", 1, 0, "bfeil r@0, 0, r@0, 3, 9\n", {F32(BFEIL)}, NULL},
   {"int", "BITINSERT32", 1, 0, "bfi r@0, r@0, r@k, 4, 8\n", {F32(BFI)}, NULL},
   {"int", "BITWISE32", 1, 0, "xor r@0, r@0, r@k\n", {F32(BITOP)}, NULL},
   {"int", "BITREV32", 1, 0, "bitrev r@0, r@0\n", {F32(BITREV)}, NULL},
   {"int", "BITINTERLEAVE16", 1, 0, "intl r@0, r@0l, r@kl\n", {F32(INTL)}, NULL},
   {"int", "POPCOUNT32", 1, 0, "popcnt r@0, r@0\n", {F32(POPCOUNT)}, NULL},
   CMPSEL("IMAX32", "int", 32, ICMPSEL, "csel r@0, r@0, r@k, r@0, r@k, sgt\n"),
   CMPSEL("IMIN32", "int", 32, ICMPSEL, "csel r@0, r@0, r@k, r@0, r@k, slt\n"),
   CMPSEL("ICMPSEL16", "int", 16, ICMPSEL, "csel r@0l, r@0l, r@kl, r@0l, r@ll, ult\n"),
   CMPSEL("ICMPSEL32", "int", 32, ICMPSEL, "csel r@0, r@0, r@k, r@0, r@l, ult\n"),
   {"", "REG_MOVE", 1, 1, "mov r@1, r@0\n", {F32(BITOP)}, NULL},
   {"", "IMMEDIATE_MOVE32", 1, 0, "ldimm r@0, 42\n", {F32(MOV_IMM)}, NULL},

   /* ---- Integers, sequences ---- */
   {"int", "IMADHI16", 1, 1, "imul r@1, r@0l, r@kl\nmov r@0l, r@1h\n", {F32(IMADD), F16(BITOP)}, LISTED},
   {"int", "BITWISE32 + ADD32", 1, 0, "xor r@0, r@0, r@k\niadd r@0, r@0, r@l\n", {F32(BITOP), F32(IADD)}, LISTED},
   {"int", "BITINSERT32 + ADD32", 1, 2,
    "and r@1, r@0, r@k\nbfi r@2, 0, r@0, 4, 8\nor r@0, r@1, r@2\niadd r@0, r@0, r@l\n",
    {{ISA_OP_BITOP, 32, 2}, F32(BFI), F32(IADD)},
    "BITINSERT32 may not be one instruction, says the source: optimal repetitions of 240 to 360 ask for four to six"},
   {"int", "BITREV16", 1, 1, "bitrev r@1, r@0l\nmov r@0l, r@1h\n", {F32(BITREV), F16(BITOP)},
    "the high half of the reversed word"},
   {"int", "BITROTATE32", 1, 2, "shl r@1, r@0, r@k\nshr r@2, r@0, r@l\nor r@0, r@1, r@2\n",
    {F32(BFI), F32(BFEIL), F32(BITOP)}, "two shifts and an or: one extr would do, in half of the published 8.20"},
   {"int", "RHADD16", 1, 1, "iadd r@1, r@0l, r@kl\niadd r@1, r@1, 1\nshr r@0, r@1, 1\n",
    {{ISA_OP_IADD, 32, 2}, F32(BFEIL)}, "in 32 bits"},
   {"int", "RHADD32", 1, 3,
    "xor r@1, r@0, r@k\nand r@2, r@0, r@k\nshr r@3, r@1, 1\nand r@1, r@1, 1\niadd r@2, r@2, r@3\n"
    "iadd r@0, r@2, r@1\n",
    {{ISA_OP_BITOP, 32, 3}, F32(BFEIL), {ISA_OP_IADD, 32, 2}},
    "(a & b) + ((a ^ b) >> 1) + ((a ^ b) & 1): five or six instructions, by the optimal repetitions of 240"},
   {"int", "CLZ32", 1, 2, "ffs r@1, r@0\niadd r@2, r@k, r@1.neg\ncsel r@0, r@0, 0, r@k, r@2, ieq\n",
    {F32(FFS), F32(IADD), F32(ICMPSEL)}, "31 less the highest bit's number, and 32 for 0"},
   {"int", "LSHIFT32", 1, 1, "and r@1, r@k, 31\nshl r@0, r@0, r@1\n", {F32(BITOP), F32(BFI)},
    "masks the amount first: 720 repetitions fill the instruction cache with two instructions each"},
   {"int", "RSHIFT32", 1, 1, "bfeil r@1, 0, r@0, r@k, 9\nshr r@0, r@1, r@k\n", {{ISA_OP_BFEIL, 32, 2}},
    "two operations of the complex unit, by the published 7.89; one AGX instruction would do"},
   {"int", "ABSDIFF32", 1, 2, "iadd r@1, r@0, r@k.neg\niadd r@2, r@k, r@0.neg\ncsel r@0, r@0, r@k, r@1, r@2, sgt\n",
    {{ISA_OP_IADD, 32, 2}, F32(ICMPSEL)}, "both differences, and a select: what Mesa makes of abs_diff, too"},
   {"int", "IADD(32+32=64)", 1, 2, "iadd r@0, r@0, r@k\ncsel r@1, r@0, r@k, 1, 0, ult\nldimm r@2, 0\n",
    {F32(IADD), F32(ICMPSEL), F32(MOV_IMM)}, LISTED},
   {"int", "IADD(64+32=64)", 2, 1, "iadd r@0, r@0, r@k\ncsel r@2, r@0, r@k, 1, 0, ult\niadd r@1, r@1, r@2\n",
    {{ISA_OP_IADD, 32, 2}, F32(ICMPSEL)}, LISTED},
   {"int", "IADD(64+64=64)", 2, 1, ADD64, LISTED},
   {"int", "IADD64", 2, 1, ADD64, ALIAS},
   {"int", "IMUL(64x64=64)", 2, 2, MUL64("imul dr@2, r@0, r@k\n"), "one 32x32=64 product and two of 32 bits"},
   {"int", "IMUL64", 2, 2, MUL64("imul dr@2, r@0, r@k\n"), ALIAS},
   {"int", "IMADHI32", 2, 0, "imul dr@0, r@0, r@k\niadd r@0, r@1, r@l\n", {{ISA_OP_IMADD, 64, 1}, F32(IADD)},
    "the high half of the product, and an addition"},
   {"int", "IMAD((32x32=32)+64)", 2, 2,
    "imul r@2, r@0, r@k\niadd r@0, r@0, r@2\ncsel r@3, r@0, r@2, 1, 0, ult\niadd r@1, r@1, r@3\n",
    {F32(IMADD), {ISA_OP_IADD, 32, 2}, F32(ICMPSEL)}, "IMUL32, then IADD(64+32=64)"},
   {"int", "IMAD((32x32=64)+64)", 2, 0, "imadd dr@0, r@0, r@k, dr@0\n", {{ISA_OP_IMADD, 64, 1}},
    "one AGX instruction: the 64-bit addition fuses at no cost (pipelines.md)"},
   {"int", "IMAD((64x64=64)+64)", 2, 2, MUL64("imadd dr@2, r@0, r@k, dr@m\n"),
    "as IMUL64, and the 64-bit addition fuses"},
   {"int", "IMAD64", 2, 2, MUL64("imadd dr@2, r@0, r@k, dr@m\n"), ALIAS},

   /* ---- Across lanes ---- */
#define CROSS(section_, name_, bits_, op_, text_) {section_, name_, 1, 0, text_, {{ISA_OP_##op_, bits_, 1}}, NULL}
   CROSS("simd", "BALLOT", 32, ICMP_BALLOT, "ballot r@0, r@0, 0, ine\n"),
   CROSS("simd", "ICMP_BALLOT", 32, ICMP_BALLOT, "ballot r@0, r@0, r@k, ult\n"),
   CROSS("simd", "FCMP_BALLOT", 32, FCMP_BALLOT, "ballot r@0, r@0, r@k, flt\n"),
   CROSS("simd", "BROADCAST32", 32, SHUFFLE, "shuffle r@0, r@0, 1\n"),
   CROSS("simd", "SHUFFLE_ROTATE32", 32, SHUFFLE, "shuffle r@0, r@0, 1, up, rotate\n"),
   CROSS("simd", "SHUFFLE_NOROTATE32", 32, SHUFFLE, "shuffle r@0, r@0, 1, up\n"),
   CROSS("simd", "SUM<F16>", 16, REDUCE, "simd r@0l, r@0l, fadd\n"),
   CROSS("simd", "SUM<F32>", 32, REDUCE, "simd r@0, r@0, fadd\n"),
   CROSS("simd", "SUM<I16>", 16, REDUCE, "simd r@0l, r@0l, iadd\n"),
   CROSS("simd", "SUM<I32>", 32, REDUCE, "simd r@0, r@0, iadd\n"),
   CROSS("simd", "PRODUCT<F16>", 16, REDUCE, "simd r@0l, r@0l, fmul\n"),
   CROSS("simd", "PRODUCT<F32>", 32, REDUCE, "simd r@0, r@0, fmul\n"),
   CROSS("simd", "BITWISE_REDUCE16", 16, REDUCE, "simd r@0l, r@0l, xor\n"),
   CROSS("simd", "BITWISE_REDUCE32", 32, REDUCE, "simd r@0, r@0, xor\n"),
   CROSS("simd", "PREFIX_ESUM<F32>", 32, PREFIX, "simd r@0, r@0, prefix, fadd\n"),
   CROSS("simd", "PREFIX_ESUM<I32>", 32, PREFIX, "simd r@0, r@0, prefix, iadd\n"),
   CROSS("simd", "PREFIX_EPROD<F32>", 32, PREFIX, "simd r@0, r@0, prefix, fmul\n"),
   {"simd", "PREFIX_ISUM<F32>", 1, 1, "simd r@1, r@0, prefix, fadd\nfadd r@0, r@1, r@0\n", {F32(PREFIX), F32(FADD)},
    INCLUSIVE},
   {"simd", "PREFIX_ISUM<I32>", 1, 1, "simd r@1, r@0, prefix, iadd\niadd r@0, r@1, r@0\n", {F32(PREFIX), F32(IADD)},
    INCLUSIVE},
   {"simd", "PREFIX_IPROD<F32>", 1, 1, "simd r@1, r@0, prefix, fmul\nfmul r@0, r@1, r@0\n", {F32(PREFIX), F32(FMUL)},
    INCLUSIVE},
   {"simd", "PRODUCT<I16>", 1, 1, PRODUCT16(1, "") PRODUCT16(2, "") PRODUCT16(4, "") PRODUCT16(8, "") PRODUCT16(16, ""),
    {{ISA_OP_SHUFFLE, 16, 5}, {ISA_OP_IMADD, 16, 5}}, BUTTERFLY},
   {"simd", "PRODUCT<I32>", 1, 1, PRODUCT32(1, "") PRODUCT32(2, "") PRODUCT32(4, "") PRODUCT32(8, "") PRODUCT32(16, ""),
    {{ISA_OP_SHUFFLE, 32, 5}, {ISA_OP_IMADD, 32, 5}}, BUTTERFLY},
   {"simd", "MATMUL<8x8xF16>", 1, 0, "simd_matrix_fmadd16 r@0l_r@0h, r@kl_r@kh, r@ll_r@lh, r@0l_r@0h\n",
    {{ISA_OP_MATRIX, 16, 1}}, NULL},
   {"simd", "MATMUL<8x8xF32>", 2, 0, "simd_matrix_fmadd32 r@0_r@1, r@k_r@l, r@m_r@n, r@0_r@1\n",
    {{ISA_OP_MATRIX, 32, 1}}, NULL},
   CROSS("quad", "BROADCAST32", 32, SHUFFLE, "shuffle r@0, r@0, 1, quad\n"),
   CROSS("quad", "SHUFFLE_ROTATE32", 32, SHUFFLE, "shuffle r@0, r@0, 1, quad, up, rotate\n"),
   CROSS("quad", "SHUFFLE_DOWNUP32", 32, SHUFFLE, "shuffle r@0, r@0, 1, quad, down\n"),
   CROSS("quad", "SHUFFLE_RANDOM_SAME32", 32, SHUFFLE, "shuffle r@0, r@0, r@kl, quad\n"),
   CROSS("quad", "SHUFFLE_RANDOM_DIFF32", 32, SHUFFLE, "shuffle r@0, r@0, r@kl, quad\n"),
   CROSS("quad", "SUM<F16>", 16, REDUCE, "quad r@0l, r@0l, fadd\n"),
   CROSS("quad", "SUM<I16>", 16, REDUCE, "quad r@0l, r@0l, iadd\n"),
   CROSS("quad", "PRODUCT<F16>", 16, REDUCE, "quad r@0l, r@0l, fmul\n"),
   CROSS("quad", "BITWISE_REDUCE16", 16, REDUCE, "quad r@0l, r@0l, xor\n"),
   CROSS("quad", "BALLOT", 32, ICMP_BALLOT, "ballot r@0, r@0, 0, ine, quad\n"),
   CROSS("quad", "ICMP_BALLOT", 32, ICMP_BALLOT, "ballot r@0, r@0, r@k, ult, quad\n"),
   CROSS("quad", "FCMP_BALLOT", 32, FCMP_BALLOT, "ballot r@0, r@0, r@k, flt, quad\n"),
   CROSS("quad", "SUM<F32>", 32, REDUCE, "quad r@0, r@0, fadd\n"),
   CROSS("quad", "SUM<I32>", 32, REDUCE, "quad r@0, r@0, iadd\n"),
   CROSS("quad", "PRODUCT<F32>", 32, REDUCE, "quad r@0, r@0, fmul\n"),
   CROSS("quad", "BITWISE_REDUCE32", 32, REDUCE, "quad r@0, r@0, xor\n"),
   CROSS("quad", "PREFIX_ESUM<F32>", 32, PREFIX, "quad r@0, r@0, prefix, fadd\n"),
   CROSS("quad", "PREFIX_ESUM<I32>", 32, PREFIX, "quad r@0, r@0, prefix, iadd\n"),
   CROSS("quad", "PREFIX_EPROD<F32>", 32, PREFIX, "quad r@0, r@0, prefix, fmul\n"),
   {"quad", "PREFIX_ISUM<F32>", 1, 1, "quad r@1, r@0, prefix, fadd\nfadd r@0, r@1, r@0\n", {F32(PREFIX), F32(FADD)},
    INCLUSIVE},
   {"quad", "PREFIX_ISUM<I32>", 1, 1, "quad r@1, r@0, prefix, iadd\niadd r@0, r@1, r@0\n", {F32(PREFIX), F32(IADD)},
    INCLUSIVE},
   {"quad", "PREFIX_IPROD<F32>", 1, 1, "quad r@1, r@0, prefix, fmul\nfmul r@0, r@1, r@0\n", {F32(PREFIX), F32(FMUL)},
    INCLUSIVE},
   {"quad", "PRODUCT<I16>", 1, 1, PRODUCT16(1, "quad, ") PRODUCT16(2, "quad, "),
    {{ISA_OP_SHUFFLE, 16, 2}, {ISA_OP_IMADD, 16, 2}}, BUTTERFLY},
   {"quad", "PRODUCT<I32>", 1, 1, PRODUCT32(1, "quad, ") PRODUCT32(2, "quad, "),
    {{ISA_OP_SHUFFLE, 32, 2}, {ISA_OP_IMADD, 32, 2}}, BUTTERFLY},

   /* ---- Rows that only say how long something takes ---- */
#define UNKNOWN(section_, name_) {section_, name_, 0, 0, NULL, {{0, 0, 0}}, "the source does not say what it is made of"}
   UNKNOWN("float", "CONVERT(F->I64)"),
   UNKNOWN("float", "ROUND_INF"),
   UNKNOWN("float", "FREXP"),
   UNKNOWN("float", "FMEDIAN16"),
   UNKNOWN("float", "SINPI16"),
   UNKNOWN("float", "SINPI32"),
   UNKNOWN("float", "Precise RECIP32"),
   UNKNOWN("float", "Precise DIV32"),
   UNKNOWN("float", "Precise SQRT32"),
   UNKNOWN("float", "Precise SIN32"),
   UNKNOWN("float", "Precise SINPI32"),
   UNKNOWN("int", "IMULHI64"),
   UNKNOWN("simd", "SHUFFLE_RANDOM_SAME32"),
   UNKNOWN("simd", "SHUFFLE_RANDOM_DIFF32"),
};
/* clang-format on */

#define NAME_MAX_LENGTH 64
#define NEAREST 3

size_t bench_operation_count(void)
{
   return ARRAY_COUNT(operations);
}

const struct bench_operation *bench_operation_at(size_t index)
{
   return index < bench_operation_count() ? &operations[index] : NULL;
}

static bool is(const char *text, size_t length, const char *name)
{
   return strlen(name) == length && strncasecmp(text, name, length) == 0;
}

const struct bench_operation *bench_operation_find(const char *name, size_t length)
{
   for (size_t i = 0; i < bench_operation_count(); i++) {
      const size_t section = strlen(operations[i].section);
      const bool qualified = section > 0 && length > section + 1 && name[section] == '/' &&
                             strncasecmp(name, operations[i].section, section) == 0;

      if (is(name, length, operations[i].name) ||
          (qualified && is(name + section + 1, length - section - 1, operations[i].name))) {
         return &operations[i];
      }
   }
   return NULL;
}

/* Insertions, deletions and replacements from one to the other; case does not count. */
static unsigned distance(const char *a, size_t a_length, const char *b)
{
   unsigned row[NAME_MAX_LENGTH + 1];
   const size_t b_length = strlen(b);

   for (unsigned j = 0; j <= b_length; j++) {
      row[j] = j;
   }
   for (unsigned i = 0; i < a_length; i++) {
      unsigned diagonal = row[0];

      row[0] = i + 1;
      for (size_t j = 0; j < b_length; j++) {
         const unsigned replaced = diagonal + (strncasecmp(&a[i], &b[j], 1) != 0);
         const unsigned least = row[j] < row[j + 1] ? row[j] : row[j + 1];

         diagonal = row[j + 1];
         row[j + 1] = least + 1 < replaced ? least + 1 : replaced;
      }
   }
   return row[b_length];
}

void bench_operation_nearest(const char *name, size_t length, char *text, size_t size)
{
   const size_t compared = length < NAME_MAX_LENGTH ? length : NAME_MAX_LENGTH;
   bool taken[ARRAY_COUNT(operations)] = {false};
   size_t used = 0;

   text[0] = '\0';
   for (unsigned n = 0; n < NEAREST; n++) {
      unsigned least = 0;
      size_t best = bench_operation_count();

      for (size_t i = 0; i < bench_operation_count(); i++) {
         const unsigned far = distance(name, compared, operations[i].name);

         if (!taken[i] && (best == bench_operation_count() || far < least)) {
            best = i;
            least = far;
         }
      }
      taken[best] = true;
      const int written = snprintf(text + used, size - used, "%s%s", n > 0 ? ", " : "", operations[best].name);
      used = written < 0 || (size_t)written >= size - used ? size - 1 : used + (size_t)written;
   }
}
