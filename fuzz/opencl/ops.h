/* SPDX-License-Identifier: MIT
 *
 * OpenCL C's operators and functions on integers, and those on floats with an exact result: one row each. Invariant: a
 * row's `compute` follows the OpenCL C specification, and does not depend on Mesa, clang or libclc.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_OPS_H
#define AGX_RUNNER_FUZZ_OPENCL_OPS_H

#include "fuzz/opencl/program.h"

/* The types that an operation takes, where T is the type of its result. */
enum ocl_shape {
   OCL_SHAPE_1,   /* T */
   OCL_SHAPE_2,   /* T, T */
   OCL_SHAPE_3,   /* T, T, T */
   OCL_SHAPE_ABS, /* T unsigned; T or its signed type, once or twice */
   OCL_SHAPE_ABS_2,
   OCL_SHAPE_COMPARE,  /* int from two scalars; a signed vector from two vectors of that size */
   OCL_SHAPE_LOGIC,    /* the same */
   OCL_SHAPE_NOT,      /* the same with one operand */
   OCL_SHAPE_SHIFT,    /* T, T: only some bits of the count are used */
   OCL_SHAPE_SELECT,   /* T, T, an integer type of T's size */
   OCL_SHAPE_CHOOSE,   /* the same with the condition first; a scalar's condition may have any type */
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
   OCL_SHAPE_REVERSE,  /* a vector T, its components in reverse order */
   OCL_SHAPE_WIDEN,    /* a vector T, a scalar of its base */
   OCL_SHAPE_MIX,      /* int or wider: two scalars that C converts to this type */
   OCL_SHAPE_MIX_TEST, /* int: a comparison of such */
   OCL_SHAPE_SAME,     /* T, floats too */
   OCL_SHAPE_PICK,     /* a scalar integer, T, T: scalars */
   OCL_SHAPE_REAL,     /* `arity` operands of type T, a float */
   OCL_SHAPE_TEST,     /* as for comparisons, of `arity` floats */
   OCL_SHAPE_HALF_IN,  /* a float from the bits of a half */
   OCL_SHAPE_HALF_OUT, /* the bits of a half from a float */
   OCL_SHAPE_TO_FLOAT, /* a float from integers of its size: an exponent is inserted */
   OCL_SHAPES
};

/* Operands, zero-extended; from: the base type of the first operand. */
struct ocl_operands {
   uint64_t a, b, c;
   uint8_t base, from;
   uint8_t rounding; /* enum ocl_rounding */
   bool saturates;
   bool vector;
   bool rounds, nans; /* sums and products may be rounded, values may be NaN: see struct ocl_program */
};

struct ocl_op {
   const char *name;   /* for the printed shape */
   const char *format; /* $a, $b, $c are the operands, $T the result's type; print.c has the others */
   enum ocl_shape shape;
   uint8_t arity;
   uint8_t weight;
   /* computes one component; NULL: the operation is not component-wise */
   uint64_t (*compute)(const struct ocl_operands *operands);
   bool wraps; /* signed overflow is undefined */
   /* enum ocl_rounding, of conversions and vstore_half(); saturates: for conversions */
   uint8_t rounding;
   bool saturates;
   /* for floats: allowed only if the result needs no rounding, or if the kernel's results are rounded */
   bool exact;
   bool either;        /* the product may be rounded separately, or not */
   bool numbers;       /* for floats: a NaN has no result, so it is replaced by a number */
   uint8_t nan_weight; /* added to `weight` if the kernel's floats may be NaN */
   bool body;          /* `format` is the body of a function, so it is always outlined */
};

extern const struct ocl_op ocl_ops[];
extern const unsigned ocl_op_count;

/* Returns the first row of this name with this rounding. shape: OCL_SHAPES means any. ocl_op_count: there is none. */
unsigned ocl_op_find(const char *name, enum ocl_shape shape, enum ocl_rounding rounding);
/* Returns the index of as_T(). */
uint8_t ocl_op_as(void);
bool ocl_divides(const struct ocl_op *op);

/* For OCL_SHAPE_REAL: whether the result is determined. If it is not, the operation returns its first operand. */
bool ocl_real_determined(const struct ocl_op *op, const struct ocl_operands *operands);

/* Whether a NaN must not be an operand. */
bool ocl_needs_numbers(const struct ocl_op *op);

/* Whether the exact result of +, - or * overflows. */
bool ocl_overflows(const struct ocl_op *op, const struct ocl_operands *operands);

/* Reinterprets a value of type `from` as one of the same size: as_T(). */
void ocl_reinterpret(uint64_t result[OCL_WIDTH], struct ocl_type to, const uint64_t *value, struct ocl_type from);

#endif
