/* SPDX-License-Identifier: MIT
 *
 * The kernels of a survey on the device: compiled from one OpenCL C source, uploaded, with one input and one output
 * buffer.
 */
#ifndef AGX_RUNNER_SURVEY_KERNELS_H
#define AGX_RUNNER_SURVEY_KERNELS_H

#include "agx_runner/measure/session.h"

enum survey_kernel {
   SURVEY_COPY,      /* output[i] = input[i] */
   SURVEY_EMPTY,     /* does nothing */
   SURVEY_LOOP,      /* input[0] iterations of a loop, then one store */
   SURVEY_INCREMENT, /* output[i] = output[i] + 1 */
   SURVEY_FORWARD,   /* output[i] = input[i] + 1, of other threads */
   SURVEY_COUNT,     /* counts its threads in output[0] */
   SURVEY_STACK_1,   /* a private array of 1, 4 and 16 KiB, indexed by input[] */
   SURVEY_STACK_4,
   SURVEY_STACK_16,
   SURVEY_KERNELS
};

#define SURVEY_WORDS 4096 /* 32-bit words of a buffer */

struct survey_kernels {
   struct session *session;
   struct asahi_buffer *input, *output;
   struct asahi_program *programs[SURVEY_KERNELS];
   struct asahi_dispatch dispatches[SURVEY_KERNELS]; /* with buffers; grid and group are the caller's to set */
   uint64_t arguments[2];                            /* input, output */
   uint64_t swapped[2];                              /* output, input */
};

/* Compiles the kernels, whose device atomics have bit 45 or not. 0 or a negative errno; compiler_result_finish() must
 * follow. */
int survey_kernels_compile(struct session *session, bool coherent_atomics, struct compiler_result *compiled);
/* Compiles and uploads. 0 or a negative errno; messages are printed. survey_kernels_finish() must follow. */
int survey_kernels_init(struct survey_kernels *kernels, struct session *session);
/* The same, with bit 45 of device atomics as asked for and not as the chip is thought to want it. */
int survey_kernels_init_coherent(struct survey_kernels *kernels, struct session *session, bool coherent_atomics);
void survey_kernels_finish(struct survey_kernels *kernels);

/* The dispatch of `threads` threads in threadgroups of `group`. */
struct asahi_dispatch survey_dispatch(const struct survey_kernels *kernels, enum survey_kernel kernel, uint32_t threads,
                                      uint32_t group);
uint32_t *survey_input(const struct survey_kernels *kernels);
uint32_t *survey_output(const struct survey_kernels *kernels);

/* About half a second of load on hardware, so that the clock is high; nothing where the clock does not change. */
int survey_warm_up(const struct survey_kernels *kernels);
/* Without work, less than a second. */
void survey_pause(double ms);
/* Iterations of SURVEY_LOOP that one simdgroup takes about `ns` for, by one measurement. */
int survey_iterations(const struct survey_kernels *kernels, double ns, uint32_t *iterations);

#endif
