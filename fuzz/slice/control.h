/* SPDX-License-Identifier: MIT
 *
 * Whether each lane takes the branches that the ifs of the final NIR let it take.
 */
#ifndef AGX_RUNNER_FUZZ_CONTROL_H
#define AGX_RUNNER_FUZZ_CONTROL_H

#include "fuzz/slice/trace.h"
#include "fuzz/nir/values.h"

#define CONTROL_RIGHT UINT32_MAX

/* The first instruction at which a lane takes another branch than NIR: its offset in the code, bytes. What such a lane
 * does behind it says nothing: it is taken out of the trace, and the lane is set in `cut`. good: lanes in which all
 * that the program stores is right. CONTROL_RIGHT: there is none, or the instructions cannot be told apart. */
uint32_t control_cut(const struct agx_program *code, struct trace *trace, const struct fuzz_values *values,
                     uint64_t good, uint64_t *cut);

#endif
