/* SPDX-License-Identifier: MIT
 *
 * One run of a program that a device gets wrong: from the wrong store back through the instructions that it depends on,
 * until their results are values of the final NIR.
 */
#ifndef AGX_RUNNER_FUZZ_SLICE_H
#define AGX_RUNNER_FUZZ_SLICE_H

#include "compiler/fuzz/values.h"

#define GUILT_MOST 6 /* instructions that are marked: of more than that, none is */

/* Which instructions are wrong. */
struct guilt {
   uint32_t count;              /* 1: that one; more: one of them; 0: not known */
   uint32_t offset[GUILT_MOST]; /* of the instructions in the program's code, bytes, rising */
};

struct asahi_device; /* drm/asahi.h */

struct slice_input {
   const struct agx_program *code; /* what ran last */
   struct fuzz_addresses addresses;
   uint32_t output, lane; /* what is wrong, as in struct fuzz_difference */
   struct fuzz_outputs expected, found;
   struct fuzz_values values; /* of the final NIR */
};

/* The instructions of which one is wrong. False: the device has no trace, or the trace has no room for the run. */
bool slice_find(struct asahi_device *device, const struct slice_input *input, struct guilt *guilt);

#endif
