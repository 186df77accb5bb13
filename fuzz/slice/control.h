/* SPDX-License-Identifier: MIT
 *
 * Checks whether each lane takes the branches that the ifs of the final NIR demand.
 */
#ifndef AGX_RUNNER_FUZZ_CONTROL_H
#define AGX_RUNNER_FUZZ_CONTROL_H

#include "fuzz/slice/trace.h"
#include "fuzz/nir/values.h"

#define CONTROL_RIGHT UINT32_MAX

/* Finds the first instruction at which a lane takes another branch than NIR: returns its byte offset in the code.
 * Everything that such a lane does later is removed from the trace, and the lane is set in `cut`. good: lanes in which
 * everything that the program stores is right. CONTROL_RIGHT: there is none, or the branches cannot be identified. */
uint32_t control_cut(const struct agx_program *code, struct trace *trace, const struct fuzz_values *values,
                     uint64_t good, uint64_t *cut);

#endif
