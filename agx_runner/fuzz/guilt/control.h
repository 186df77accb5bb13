/* SPDX-License-Identifier: MIT
 *
 * Whether each lane takes the branches that the ifs of the final NIR let it take.
 */
#ifndef AGX_RUNNER_FUZZ_CONTROL_H
#define AGX_RUNNER_FUZZ_CONTROL_H

#include "agx_runner/fuzz/guilt/slice.h"

#define CONTROL_RIGHT UINT32_MAX

/* The first instruction at which a lane takes another branch than NIR: its offset in the code, bytes. From there on
 * what such a lane does says nothing: it is taken out of the trace, and the lane is `cut`. CONTROL_RIGHT: there is
 * none, or the instructions cannot be told apart. */
uint32_t control_cut(struct slice_input *input);

#endif
