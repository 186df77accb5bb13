/* SPDX-License-Identifier: MIT
 *
 * The layout of a matrix operand, found by products alone.
 */
#ifndef NIR_KERNELS_MATRIX_LAYOUT_H
#define NIR_KERNELS_MATRIX_LAYOUT_H

#include "nir_kernels/matrix/matrix.h"

#define MATRIX_LAYOUT_NAME "layout" /* of the benchmark whose dispatch finds it */

/* A place is 2 * lane + which of the pair's registers. */
struct matrix_layout {
   uint8_t row[MATRIX_ELEMENTS], column[MATRIX_ELEMENTS]; /* by place */
};

/* Finds the layout from that dispatch's output. False: A, B, C and D share no layout; `why` has the contradiction.
 * Products cannot tell the order of rows, so rows are numbered in the order of the diagonal's places. */
bool matrix_layout_find(const uint8_t *output, struct matrix_layout *layout, char *why, size_t why_size);
/* Is it the published map? */
bool matrix_layout_is_published(const struct matrix_layout *layout);
/* The lane and register of each element, by rows: "0.0 0.1 1.0 ...". */
#define MATRIX_LAYOUT_TEXT (MATRIX_ELEMENTS * sizeof("31.1"))
void matrix_layout_text(const struct matrix_layout *layout, char text[MATRIX_LAYOUT_TEXT]);
/* The way back. False: not every place stands there once. */
bool matrix_layout_parse(const char *text, struct matrix_layout *layout);
/* The 8 x 8 matrix, each element with its lane and register. */
void matrix_layout_print(const struct matrix_layout *layout, FILE *file);

#endif
