/* SPDX-License-Identifier: MIT
 *
 * precision/: how far results are from the exact ones, in units in the last place. precision.c has the kernels,
 * precision_io.c the inputs and the host's side.
 *
 * A half-precision function gets every input there is; a single-precision one a million, three quarters of them where
 * the function has something to compute (struct precision), the rest from every sign and exponent, the special values
 * among them.
 */
#ifndef NIR_KERNELS_PRECISION_H
#define NIR_KERNELS_PRECISION_H

#include "nir_kernels/benchmark.h"

enum precision_function {
   PRECISION_RCP,
   PRECISION_RSQRT,
   PRECISION_LOG2,
   PRECISION_EXP2,
   PRECISION_SIN,
   PRECISION_SQRT,
   PRECISION_DIV,
};

struct precision {
   enum precision_function function;
   uint8_t bits;   /* 16 or 32 */
   double allowed; /* BENCH_CHECK fails beyond so many units in the last place; 0: no limit is known */
   double within;  /* larger arguments are not judged; 0: all are */
   bool coarse;    /* the last place is that of a half, where the exact result is smaller */
   bool ordinary;  /* of a division: judged only where all numbers, 1 / y too, are normal */
};

#define PRECISION_INPUT_STRIDE 8
void precision_fill(const struct benchmark *benchmark, const struct bench_io *io);
double precision_figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                        const uint8_t *output, char *why, size_t why_size);

#endif
