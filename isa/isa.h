/* SPDX-License-Identifier: MIT
 *
 * Instruction sets as tables, and what reads them. One exists: AGX2 (G13 = M1 family, G14 = M2 family).
 *
 * isa/table_*.c hold one row an instruction (struct isa_opcode). The decoder, the encoder, the printer,
 * the parser, the virtual GPU's dispatch and its timing all read that row; there is no second list.
 * Facts and their confidence: docs/spec/isa.md, whose sections each row names in `source`.
 */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISA_MAX_LENGTH 12 /* bytes of the longest instruction (texture operations) */
#define ISA_MAX_SOURCES 6

/* enum isa_op, what an instruction does, and enum isa_timing, what a scheduler and a pipe see of it. Both are derived
 * from the rows (isa/derive.py): an operation or a class exists when a row names it. Several rows may share an
 * operation (the reductions differ in ISA_MOD_REDUCE only). The virtual GPU has one semantic function for each
 * operation (vgpu/exec/semantics.h), and the timing model one row for each class (vgpu/timing/timing_params.c); neither
 * compiles while one is missing. Classes are named as the rows of results/reference/instr.csv where there is one.
 *
 * Operands by operation, where the order is not plain:
 *    IADD    dst = src0 + (NEGATE ? -1 : 1) * src1 << SHIFT
 *    IMADD   dst = src0 * src1 + (NEGATE ? -1 : 1) * src2 << SHIFT
 *    BITOP   ISA_MOD_TRUTH: bit 0 ~a&~b, 1 a&~b, 2 ~a&b, 3 a&b
 *    BFI, BFEIL, EXTR, SHLHI, SHRHI    src0 a, src1 b, src2 shift; ISA_MOD_BITS: the mask's width, 0: the whole word
 *    ASR, ASRH    src0 a, src1 shift
 *    ICMPSEL, FCMPSEL    dst = COND(src0, src1) ? src2 : src3
 *    IF, ELSE, WHILE    src0, src1, ISA_MOD_COND, ISA_MOD_INVERT, ISA_MOD_NEST
 *    SHUFFLE    src0 data, src1 lane operand
 *    MATRIX     dst, src0 to src2: pairs (count 2)
 *    memory     src0 base, src1 index, src2 data of stores and atomics; dst is what a load or a returning atomic writes
 *    UNIFORM_STORE    dst 1 to 4 uniform halves (size 16, count), src0 as many half registers; no mask
 *    STACK_LOAD, STACK_STORE    src1 byte offset
 *    STACK_ADJUST    src0: signed 32-bit words
 *    STATE_LOAD    texture or sampler state from memory: dst, src0 base, src1 offset
 *    TEXTURE_LOAD, TEXTURE_SAMPLE    dst, src0 texture, src1 sampler, src2 coordinates, src3 level, src5 descriptors
 *    IMAGE_WRITE    src0 image, src2 coordinates, src3 level, src4 data, src5 descriptors
 *    IMAGE_WRITE_BLOCK    src0 image, src2 coordinates, src4 offset in threadgroup memory, src5 descriptors
 *    TILE_LOAD, TILE_STORE    dst or src0 data, src1 coordinates, src2 samples
 *    ITER, ITER_PROJECTED, COEFFICIENT_LOAD    dst, src0 first coefficient, src1 that of 1/w, src2 sample
 *    VARYING_STORE    src0 word, src1 its index in the vertex's outputs
 *    SAMPLE_MASK    src0 target, src1 live; ZS_EMIT    src0 samples, src1 depth, stencil or both
 * UNKNOWN is decoded and named, not executed by the virtual GPU. */
#ifndef ISA_DERIVE
#include "isa/derived.h"
#endif

/* The effect of an instruction on control flow. */
enum isa_flow {
   ISA_FLOW_NEXT,
   ISA_FLOW_EXEC,     /* goes on, and changes the exec mask */
   ISA_FLOW_JUMP,     /* to ISA_MOD_TARGET, or goes on */
   ISA_FLOW_CALL,     /* to ISA_MOD_TARGET */
   ISA_FLOW_CALL_REG, /* to src0 */
   ISA_FLOW_RETURN,   /* to src0 */
   ISA_FLOW_WAIT,     /* goes on when ISA_MOD_SLOT is done */
   ISA_FLOW_BARRIER,  /* continues when all simdgroups of the threadgroup have reached it */
   ISA_FLOW_STOP,
   ISA_FLOW_TRAP,
};

enum isa_operand_kind {
   ISA_NONE,
   ISA_REG,       /* value: half-register index, 0..255 (rNl = 2N, rNh and up = 2N + 1) */
   ISA_UNIFORM,   /* value: half-uniform index, 0..511 */
   ISA_IMM,       /* value: the integer meant (already sign-extended where the field is signed) */
   ISA_FLOAT_IMM, /* value: the 8-bit minifloat, see isa_minifloat() */
   ISA_SR,        /* value: special register number */
   ISA_TEXTURE_STATE,
   ISA_SAMPLER_STATE,
   ISA_COEFFICIENT,
};

struct isa_operand {
   uint8_t kind;  /* enum isa_operand_kind */
   uint8_t size;  /* bits of one element: 16, 32 or 64 */
   uint8_t count; /* consecutive elements, 1 unless a vector or a matrix pair */
   bool abs : 1;  /* float modifiers: abs first, then neg */
   bool neg : 1;
   bool sx : 1;      /* integer: sign-extend from the operand's own size; index: sign-extend */
   bool cache : 1;   /* "$": no functional effect */
   bool discard : 1; /* "^": last use */
   /* Encodings that mean the same as the one without them (spec/isa.md 2.0). They change nothing but the bytes. */
   bool wide : 1; /* ".wide": the type says 64 bits where the hardware reads 32, or 32 where it writes 16 */
   bool odd : 1;  /* ".odd": the number's lowest bit is set where the hardware reads whole registers */
   int32_t value;
};

/* The numbers of an instruction that are not operands. Absent ones are 0. */
enum isa_mod {
   ISA_MOD_COND,     /* enum isa_icond or isa_fcond */
   ISA_MOD_INVERT,   /* condition negated */
   ISA_MOD_SATURATE, /* bool */
   ISA_MOD_NEGATE,   /* isub, imsub */
   ISA_MOD_SHIFT,    /* left shift of the last addend; memory: of the index */
   ISA_MOD_NEST,
   ISA_MOD_TRUTH,
   ISA_MOD_BITS,
   ISA_MOD_CONVERT, /* spec/isa.md 2.5 */
   ISA_MOD_ROUND,   /* 0 rtz, 1 rte */
   ISA_MOD_SHUFFLE, /* enum isa_shuffle */
   ISA_MOD_ROTATE,
   ISA_MOD_QUAD,   /* bool: within the quad, not the simdgroup */
   ISA_MOD_REDUCE, /* enum isa_reduce */
   ISA_MOD_FORMAT, /* enum isa_format */
   ISA_MOD_MASK,   /* component mask, bit i = component i */
   ISA_MOD_SLOT,   /* scoreboard slot: 0 a, 1 b */
   ISA_MOD_COHERENCY,
   ISA_MOD_ATOMIC, /* enum isa_atomic */
   ISA_MOD_TARGET, /* branch: signed bytes from the instruction's start */
   ISA_MOD_CACHE,  /* exec mask stack: r0l's cache hint */
   ISA_MOD_KILL,   /* ends helper threads */
   /* Textures and images. */
   ISA_MOD_DIM,      /* index into isa_names_dim */
   ISA_MOD_LOD_MODE, /* index into isa_names_lod_mode */
   ISA_MOD_GATHER,   /* index into isa_names_gather */
   ISA_MOD_SPARSE,
   ISA_MOD_SHADOW,    /* compares with a reference value */
   ISA_MOD_OFFSET,    /* texel offset */
   ISA_MOD_QUERY_LOD, /* gives the level of detail, not the texel */
   ISA_MOD_EXPLICIT_COORDS,
   /* Fragments. */
   ISA_MOD_PIXEL_OFFSET,  /* of the tile buffer, in bytes */
   ISA_MOD_INTERPOLATION, /* enum of kind_graphics.c */
   ISA_MOD_FORWARD,
   ISA_MOD_ELIDE,
   ISA_MOD_ZS,     /* index into isa_names_zs */
   ISA_MOD_NUMBER, /* numbers of instructions that are not understood */
   ISA_MOD_NUMBER2,
   ISA_MOD_NUMBER3,
   ISA_MOD_NONE,    /* always 0: for words that stand for no number */
   ISA_MOD_EXTRA,   /* bits of unknown meaning, XORed with their usual value: 0 in all usual code */
   ISA_MOD_IGNORED, /* bits that the hardware is known to ignore: 0 in all usual code */
   ISA_MOD_COUNT
};

/* clang-format off */
enum isa_icond { ISA_UEQ = 0, ISA_ULT = 1, ISA_UGT = 2, ISA_SEQ = 4, ISA_SLT = 5, ISA_SGT = 6 };
enum isa_fcond {
   ISA_FEQ = 0, ISA_FLT = 1, ISA_FGT = 2, ISA_FLTN = 3, ISA_FGE = 5, ISA_FLE = 6, ISA_FGTN = 7
};
enum isa_shuffle { ISA_SHUFFLE_INDEX = 0, ISA_SHUFFLE_XOR = 1, ISA_SHUFFLE_UP = 2, ISA_SHUFFLE_DOWN = 3 };
enum isa_reduce { /* the encoding's numbers */
   ISA_REDUCE_AND = 0, ISA_REDUCE_FADD = 1, ISA_REDUCE_OR = 2, ISA_REDUCE_FMUL = 3, ISA_REDUCE_XOR = 4,
   ISA_REDUCE_FMIN = 5, ISA_REDUCE_FMAX = 7, ISA_REDUCE_IADD = 16, ISA_REDUCE_SMIN = 20,
   ISA_REDUCE_SMAX = 22, ISA_REDUCE_UMIN = 28, ISA_REDUCE_UMAX = 30
};
enum isa_format {
   ISA_FORMAT_I8, ISA_FORMAT_I16, ISA_FORMAT_I32, ISA_FORMAT_F16, ISA_FORMAT_U8NORM, ISA_FORMAT_S8NORM,
   ISA_FORMAT_U16NORM, ISA_FORMAT_S16NORM, ISA_FORMAT_RGB10A2, ISA_FORMAT_SRGBA8 = 10,
   ISA_FORMAT_RG11B10F = 12, ISA_FORMAT_RGB9E5 = 13, ISA_FORMAT_RG11B10F_RTZ = 14, ISA_FORMAT_RGB9E5_RTZ = 15
};
enum isa_atomic {
   ISA_ATOMIC_ADD, ISA_ATOMIC_SUB, ISA_ATOMIC_XCHG, ISA_ATOMIC_CMPXCHG, ISA_ATOMIC_UMIN, ISA_ATOMIC_IMIN,
   ISA_ATOMIC_UMAX, ISA_ATOMIC_IMAX, ISA_ATOMIC_AND, ISA_ATOMIC_OR, ISA_ATOMIC_XOR,
   ISA_ATOMIC_UMIN64, /* G14 only: no encoding of the 4-bit field, rows of their own (spec 4.3) */
   ISA_ATOMIC_UMAX64
};

/* clang-format on */

struct isa_opcode; /* one row; isa/table.h shows its members to the room's own files */

/* An instruction set: its rows. Programs and chips name their set, and callers pass it on to the decoder. Another
 * generation of GPUs is another set; no caller changes. */
struct isa_set;
extern const struct isa_set isa_set_agx2; /* G13 and G14 */
/* The set of code whose chip is not known. */
const struct isa_set *isa_set_default(void);
const struct isa_set *isa_set_find(const char *name); /* NULL: there is none of that name */
const char *isa_set_name(const struct isa_set *set);  /* "agx2" */

struct isa_insn {
   const struct isa_set *set;    /* the set that `row` belongs to */
   const struct isa_opcode *row; /* NULL: these bytes are no known instruction (".byte") */
   uint8_t op;                   /* enum isa_op; ISA_OP_UNKNOWN when row is NULL */
   uint8_t length;               /* bytes taken, 2..12; when row is NULL: the bytes of the .byte line */
   uint8_t bytes[ISA_MAX_LENGTH];
   struct isa_operand dst;
   struct isa_operand src[ISA_MAX_SOURCES];
   int32_t mod[ISA_MOD_COUNT];
};

/* Decodes the instruction at code[0]. Never reads past `size`, never fails: bytes that are no instruction (or
 * a last instruction cut short) give row == NULL and the length after which a listing goes on. size >= 1. */
void isa_decode(const struct isa_set *set, const uint8_t *code, size_t size, struct isa_insn *insn);

/* Encodes insn (set, row, dst, src, mod, and `length` as a wish: 0 the shortest form that holds it, else that
 * length) into code[ISA_MAX_LENGTH]. Returns the length in bytes, or -EINVAL when an operand does not fit;
 * then *why names the operand and what is legal. */
int isa_encode(const struct isa_insn *insn, uint8_t *code, char *why, size_t why_size);

enum isa_syntax { ISA_SYNTAX_MESA, ISA_SYNTAX_APPLEGPU };

/* One line of assembly without address or newline. Returns the length that the text has (snprintf's rule). */
int isa_print(const struct isa_insn *insn, enum isa_syntax syntax, char *text, size_t size);

/* The timing class of the instruction: its row's, refined by the size of the operands if the row says so. */
enum isa_timing isa_timing_class(const struct isa_insn *insn);

/* "fadd32", "simd_sum_f16": the class's name in lower case. */
const char *isa_timing_name(enum isa_timing timing);

/* Facts of a row. */
const char *isa_name(const struct isa_insn *insn); /* Mesa's mnemonic, "fadd"; ".byte" without a row */
/* The half register after the last that it names or implies: r0l of what works on the exec mask, r1 of calls, the
 * expected value of a compare-and-exchange, which follows the new one. 0: none. */
unsigned isa_registers_end(const struct isa_insn *insn);
enum isa_flow isa_flow(const struct isa_insn *insn);
/* The bytes of code from its first one on, at most `most`, up to an instruction after which only a jump continues, and
 * to whose successor nothing jumps. (isa/extent.c) */
uint32_t isa_code_extent(const struct isa_set *set, const uint8_t *code, uint32_t most);
bool isa_is_branch(const struct isa_insn *insn); /* ISA_MOD_TARGET is a branch target */
/* Whether only a jump can reach the next instruction. */
bool isa_is_end(const struct isa_insn *insn);
/* Half registers that an instruction uses without naming them: r0l of what works on the exec mask, r1 of calls. */
struct isa_implicit {
   uint8_t first, halves; /* halves 0: none */
   bool read;             /* and written; else written only */
};
struct isa_implicit isa_implicit(const struct isa_insn *insn);
bool isa_is_async(const struct isa_insn *insn); /* its result waits for `wait` on ISA_MOD_SLOT */

/* The value of an 8-bit float immediate: spec/isa.md 3.1. */
float isa_minifloat(uint8_t bits);

#endif
