/* SPDX-License-Identifier: MIT
 *
 * The types of the arguments of a Piglit program test: OpenCL C's scalars and vectors as they are in memory, and the
 * text of their values.
 */
#ifndef PIGLIT_TYPE_H
#define PIGLIT_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum piglit_scalar {
   PIGLIT_CHAR,
   PIGLIT_UCHAR,
   PIGLIT_SHORT,
   PIGLIT_USHORT,
   PIGLIT_INT,
   PIGLIT_UINT,
   PIGLIT_LONG,
   PIGLIT_ULONG,
   PIGLIT_HALF,
   PIGLIT_FLOAT,
   PIGLIT_DOUBLE,
   PIGLIT_SCALARS,
};

enum piglit_number { PIGLIT_SIGNED, PIGLIT_UNSIGNED, PIGLIT_FLOATING };

struct piglit_type {
   enum piglit_scalar scalar;
   unsigned components; /* 1, 2, 3, 4, 8 or 16 */
};

/* A value in the widest type of its kind. */
union piglit_value {
   int64_t i;
   uint64_t u;
   double f;
};

const char *piglit_scalar_name(enum piglit_scalar scalar);
size_t piglit_scalar_size(enum piglit_scalar scalar); /* bytes */
enum piglit_number piglit_scalar_number(enum piglit_scalar scalar);
/* Returns the stored bits of a floating-point mantissa, else 0. */
unsigned piglit_scalar_mantissa(enum piglit_scalar scalar);
/* Returns the exponent of its smallest normal number, as frexp() defines it. */
int piglit_scalar_minimum_exponent(enum piglit_scalar scalar);

/* Parses "uint", "float4". Returns false if it is no type. */
bool piglit_type_parse(const char *word, struct piglit_type *type);
/* Returns the bytes from one element to the next: three components take the room of four (OpenCL C 6.1.5). */
size_t piglit_type_stride(struct piglit_type type);

/* Parses one number in Piglit's notation: decimal, 0x hexadecimal and octal integers; floats, hexadecimal ones
 * included, nan and inf. Returns NULL, or what is wrong with it. An integer that is too large for its type is
 * truncated, as by a C cast. */
const char *piglit_value_parse(const char *word, enum piglit_scalar scalar, union piglit_value *value);

void piglit_value_store(void *memory, enum piglit_scalar scalar, union piglit_value value);
union piglit_value piglit_value_load(const void *memory, enum piglit_scalar scalar);

/* Rounds to the nearest half, ties to even. */
uint16_t piglit_half_from_double(double value);
double piglit_half_to_double(uint16_t half);

#endif
