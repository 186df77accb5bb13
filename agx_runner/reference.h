/* SPDX-License-Identifier: MIT
 *
 * The published figures of results/reference/instr.csv, built in (reference.py makes the table).
 */
#ifndef AGX_RUNNER_REFERENCE_H
#define AGX_RUNNER_REFERENCE_H

/* NAN: the source has none. */
struct reference {
   const char *name;                                   /* "float/FADD32" */
   double throughput;                                  /* cycles */
   double latency;                                     /* the source's adjusted latency, cycles */
   char throughput_qualifier[3], latency_qualifier[3]; /* "<", "<=", ">=", "~" or "" */
};

extern const struct reference reference_table[];
extern const unsigned reference_count;
#define REFERENCE_SOURCE "philipturner/metal-benchmarks, README of 2024-09-22, M1 Max through Metal"

/* The row of that name, or NULL. */
const struct reference *reference_find(const char *name);

#endif
