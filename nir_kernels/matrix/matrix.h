/* SPDX-License-Identifier: MIT
 *
 * What the files of matrix/ share: the three forms of simd_matrix_fmadd, the published layout of an operand, and how
 * generators name register pairs.
 */
#ifndef NIR_KERNELS_MATRIX_MATRIX_H
#define NIR_KERNELS_MATRIX_MATRIX_H

#include <stdint.h>
#include <stdio.h>

#include "nir_kernels/benchmark.h"

#define MATRIX_LANES 32u
#define MATRIX_SIZE 8u      /* rows and columns of an operand */
#define MATRIX_ELEMENTS 64u /* two a lane */

/* docs/spec/isa.md 4.8: A times B plus C. A and B have one size, C and D another or the same. */
enum matrix_form_id { MATRIX_F16, MATRIX_MIXED, MATRIX_F32, MATRIX_FORMS };

struct matrix_form {
   const char *name;        /* "f16": of benchmarks */
   const char *instruction; /* as the disassembler names it */
   const char *what;        /* "f16 x f16 + f32" */
   uint8_t factor_bits, sum_bits;
};
extern const struct matrix_form matrix_forms[MATRIX_FORMS];

/* Row and first column of the two neighbouring elements that a lane holds: the map that two authors found on M1. */
static inline unsigned matrix_row(unsigned lane)
{
   return (lane >> 4 & 1) * 4 + (lane >> 1 & 3);
}

static inline unsigned matrix_column(unsigned lane)
{
   return (lane >> 3 & 1) * 4 + (lane & 1) * 2;
}

/* A pair of registers as text: 16 bits "r4l_r4h", 32 bits "r4_r5". */
struct matrix_pair {
   char text[24];
};
struct matrix_pair matrix_pair(unsigned reg, unsigned bits);

/* The instruction of a form, one line. The arguments are 32-bit registers. */
void matrix_put_fmadd(FILE *file, const struct matrix_form *form, unsigned d, unsigned a, unsigned b, unsigned c);

/* Element `index` (0 or 1) of a pair of words, as a number. */
double matrix_element(const uint32_t words[2], unsigned bits, unsigned index);
/* Two numbers as a pair of words: 16 bits take the first word. */
void matrix_set_pair(uint32_t words[2], unsigned bits, double first, double second);

/* A text that generators write to. matrix_text_end() returns it, and the caller free()s it. NULL: out of memory. */
struct matrix_text {
   FILE *file;
   char *text;
   size_t size;
};
bool matrix_text_begin(struct matrix_text *text);
char *matrix_text_end(struct matrix_text *text);

/* A number from -n to n that follows from the seed and the index. */
int matrix_small(uint64_t seed, uint64_t index, int n);

#endif
