/* SPDX-License-Identifier: MIT
 *
 * Checks the machine code that will run, whatever was requested: the instruction under test must occur as often as the
 * figure assumes, and nothing else may be added.
 */
#ifndef AGX_RUNNER_CODECHECK_H
#define AGX_RUNNER_CODECHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nir_kernels/benchmark.h"

/* The code that was checked: the loop's body, from the target of the backward branch to its end, or all of the main
 * program. */
struct codecheck_body {
   uint32_t start, end; /* byte offsets into the code */
   unsigned loops;      /* backward branches in the main program */
   unsigned found;      /* number of instructions under test */
   unsigned others;
};
void codecheck_count(const struct agx_program *program, const struct bench_codegen *codegen,
                     struct codecheck_body *body);

/* Checks that the programs of two variants have the expected instructions and differ in nothing else. On failure it
 * returns false, and `why` has the reason. *found describes the first variant that is wrong, or the first one. */
bool codecheck_pair(const struct benchmark *benchmark, const struct bench_variant variants[2],
                    const struct agx_program *const programs[2], unsigned *expected, unsigned *found, char *why,
                    size_t why_size);

#endif
