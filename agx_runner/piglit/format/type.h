/* SPDX-License-Identifier: MIT
 *
 * The types that a Piglit program test gives its arguments: OpenCL C's scalars and vectors as they lie in memory,
 * and the text of their values.
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
unsigned piglit_scalar_mantissa(enum piglit_scalar scalar);    /* stored bits of a floating one, else 0 */
int piglit_scalar_minimum_exponent(enum piglit_scalar scalar); /* of its normal numbers, as frexp() counts */

/* "uint", "float4". False when it is no type. */
bool piglit_type_parse(const char *word, struct piglit_type *type);
/* Bytes from one element to the next: three components take the room of four (OpenCL C 6.1.5). */
size_t piglit_type_stride(struct piglit_type type);

/* One number, as Piglit writes it: decimal, 0x hexadecimal and octal integers; floats with hexadecimal ones, nan and
 * inf. NULL, or what is wrong with it. An integer too large for its type is cut to it, as a C cast does. */
const char *piglit_value_parse(const char *word, enum piglit_scalar scalar, union piglit_value *value);

void piglit_value_store(void *memory, enum piglit_scalar scalar, union piglit_value value);
union piglit_value piglit_value_load(const void *memory, enum piglit_scalar scalar);

/* Nearest half, ties to even. */
uint16_t piglit_half_from_double(double value);
double piglit_half_to_double(uint16_t half);

#endif
