/* SPDX-License-Identifier: MIT
 *
 * Which optimization of the backend makes a program wrong, where NIR is right to the end.
 */
#ifndef AGX_RUNNER_FUZZ_BACKEND_BLAME_H
#define AGX_RUNNER_FUZZ_BACKEND_BLAME_H

#include "fuzz/attempt/attempt.h"

/* How the program is compiled and run once more. */
struct backend_trial {
   unsigned skip;          /* pass that is left out (fuzz/nir/blame.h); fuzz_backend_pass_count(): none is */
   uint32_t registers;     /* in place of the program's (fuzz/nir/registers.h); 0: its own */
   bool phis_in_registers; /* the constants of phis are, as when agx-runner compiles a kernel a second time */
};

/* What becomes of it; VERDICT_BROKEN: it does not come to its end. */
typedef enum verdict backend_try(const struct backend_trial *trial, void *data);

/* The pass without which the program is right; fuzz_backend_pass_count(): there is none. Then *phis says whether the
 * program is right with the constants of phis in registers (docs/mesa-bugs.md, F16). */
unsigned backend_blame(backend_try *try_again, void *data, bool *phis);

#endif
