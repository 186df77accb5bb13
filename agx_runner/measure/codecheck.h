/* SPDX-License-Identifier: MIT
 *
 * Looks at the machine code that will run, not at what was asked for: is the instruction under test there as often as
 * the figure takes for granted, and nothing else besides?
 */
#ifndef AGX_RUNNER_CODECHECK_H
#define AGX_RUNNER_CODECHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nir_kernels/benchmark.h"

/* What was looked at: the loop's body, from the target of the backward branch to its end, or all of the main
 * program. */
struct codecheck_body {
   uint32_t start, end; /* bytes into the code */
   unsigned loops;      /* backward branches in the main program */
   unsigned found;      /* instructions under test */
   unsigned others;
};
void codecheck_count(const struct agx_program *program, const struct bench_codegen *codegen,
                     struct codecheck_body *body);

/* Checks the programs of two variants: each holds what it should, and they differ in nothing but that. False: `why`
 * says what is wrong. *found is that of the first that is wrong, else of the first. */
bool codecheck_pair(const struct benchmark *benchmark, const struct bench_variant variants[2],
                    const struct agx_program *const programs[2], unsigned *expected, unsigned *found, char *why,
                    size_t why_size);

#endif
