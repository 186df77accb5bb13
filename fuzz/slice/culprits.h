/* SPDX-License-Identifier: MIT
 *
 * Finds the wrong instruction of the machine code, if the final NIR is right and no optimization of the backend is to
 * blame: the fault is in instruction selection, register allocation, packing or the device.
 */
#ifndef AGX_RUNNER_FUZZ_CULPRITS_H
#define AGX_RUNNER_FUZZ_CULPRITS_H

#include "fuzz/attempt/attempt.h"
#include "fuzz/slice/slice.h"

/* Runs the program, which differs as `difference` says, several times on a virtual device with checks (`spec` has
 * check=); the other lanes get other inputs. Leaves count 0 if the device has no trace. It compiles in this process, in
 * which no NIR pass can be blamed afterwards. */
void slice_program(const char *spec, const void *program, const struct fuzz_difference *difference,
                   struct culprits *culprits);
/* The same for a kernel in OpenCL C. One of a single lane is launched for each lane that it might have. */
void slice_kernel(const char *spec, const void *kernel, const struct fuzz_difference *difference,
                  struct culprits *culprits);

/* For both: runs once with inputs derived from `seed`; 0: its own. Returns false if the run does not show the fault, or
 * cannot be followed. */
struct slice_subject {
   struct bench_device bench;
   const struct agx_program *code;
   const struct fuzz_final *final;
   const void *what, *difference;
   bool (*run)(struct slice_subject *subject, uint64_t seed, struct slice_input *input);
   void (*compile)(void *subject); /* fills `compiled`, which is empty */
   struct compiler_result compiled;
};
/* Finds the instructions on which all runs agree. `what`, `difference`, `run` and `compile` must be set. */
void slice_agree(const char *spec, struct slice_subject *subject, struct culprits *culprits);

#endif
