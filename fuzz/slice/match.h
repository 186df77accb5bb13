/* SPDX-License-Identifier: MIT
 *
 * Whether what an instruction reads or writes is a value of the final NIR, in all lanes, each time. A register may
 * hold the value unchanged, extended, or a part of it.
 */
#ifndef AGX_RUNNER_FUZZ_MATCH_H
#define AGX_RUNNER_FUZZ_MATCH_H

#include "fuzz/nir/values.h"

enum match {
   MATCH_NONE,  /* no value of NIR: an intermediate step, or wrong */
   MATCH_WRONG, /* a value of NIR where the program is right, and something else in other lanes */
   MATCH_RIGHT, /* a value of NIR in all lanes */
};

/* The values to compare with. */
struct match_with {
   const struct fuzz_values *values;
   enum fuzz_series_kind kind; /* kind of series */
   uint64_t good;              /* lanes in which everything that the program stores is right */
   uint64_t cut;               /* lanes of which the series has only the beginning */
};
/* right: number of matching values, without those that only move bits; NULL: not needed. */
enum match match_values(const struct match_with *with, const struct fuzz_series *series, uint32_t *right);

/* Whether it was the same number in all lanes, each time. */
bool match_constant(const struct fuzz_series *series);
/* Whether both were always the same number. */
bool match_same(const struct fuzz_series *a, const struct fuzz_series *b);

#endif
