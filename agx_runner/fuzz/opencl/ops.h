/* SPDX-License-Identifier: MIT
 *
 * OpenCL C's operators and functions on integers: one row each. Invariant: a row's `compute` follows the OpenCL C
 * specification, and nothing that Mesa, clang or libclc contains.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_OPS_H
#define AGX_RUNNER_FUZZ_OPENCL_OPS_H

#include "agx_runner/fuzz/opencl/program.h"

/* Which types an operation takes, T being the type of its result. */
enum ocl_shape {
   OCL_SHAPE_1,   /* T */
   OCL_SHAPE_2,   /* T, T */
   OCL_SHAPE_3,   /* T, T, T */
   OCL_SHAPE_ABS, /* T unsigned; T or its signed type, once or twice */
   OCL_SHAPE_ABS_2,
   OCL_SHAPE_COMPARE,  /* int of two scalars; a signed vector of two vectors of that size */
   OCL_SHAPE_LOGIC,    /* the same */
   OCL_SHAPE_NOT,      /* the same, of one */
   OCL_SHAPE_SHIFT,    /* T, T: of the count, some bits only are taken */
   OCL_SHAPE_SELECT,   /* T, T, an integer type of T's size */
   OCL_SHAPE_CHOOSE,   /* the same with the condition first; a scalar's condition has any type */
   OCL_SHAPE_CONVERT,  /* any base */
   OCL_SHAPE_CAST,     /* a scalar of any base */
   OCL_SHAPE_AS,       /* any type of T's size */
   OCL_SHAPE_UPSAMPLE, /* two halves */
   OCL_SHAPE_24,       /* T, T: int or uint, of 24 bits */
   OCL_SHAPE_24_3,     /* T, T, T */
   OCL_SHAPE_DIVIDE,   /* T, T: not by 0, not least / -1 */
   OCL_SHAPE_SWIZZLE,  /* a vector */
   OCL_SHAPE_BUILD,    /* parts */
   OCL_SHAPE_INSERT,   /* T, a component */
   OCL_SHAPE_SHUFFLE,  /* a vector, unsigned numbers of components */
   OCL_SHAPE_SHUFFLE2, /* two vectors, unsigned numbers of components */
   OCL_SHAPE_ANY,      /* int of a signed type */
};

/* Operands, zero-extended; from: the base of the first operand. */
struct ocl_operands {
   uint64_t a, b, c;
   uint8_t base, from;
   bool vector;
};

struct ocl_op {
   const char *name;   /* for shapes */
   const char *format; /* $a, $b, $c stand for the operands, $T for the result's type */
   enum ocl_shape shape;
   uint8_t arity;
   uint8_t weight;
   uint64_t (*compute)(const struct ocl_operands *operands); /* of one component; NULL: not by component */
   bool wraps;                                               /* signed overflow is undefined */
};

extern const struct ocl_op ocl_ops[];
extern const unsigned ocl_op_count;

/* The exact result of +, - and *, for the test of overflow. */
bool ocl_overflows(const struct ocl_op *op, const struct ocl_operands *operands);

#endif
