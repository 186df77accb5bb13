/* SPDX-License-Identifier: MIT
 *
 * The kernels of a survey on the device: compiled from one OpenCL C source, uploaded, with one input and one output
 * buffer.
 */
#ifndef AGX_RUNNER_SURVEY_KERNELS_H
#define AGX_RUNNER_SURVEY_KERNELS_H

#include "agx_runner/measure/session.h"
#include "agx_runner/survey/sheet.h"

enum survey_kernel {
   SURVEY_COPY,      /* output[i] = input[i] */
   SURVEY_EMPTY,     /* does nothing */
   SURVEY_LOOP,      /* loops input[0] times, then stores once */
   SURVEY_INCREMENT, /* output[i] = output[i] + 1 */
   SURVEY_FORWARD,   /* output[i] = input[j] + 1, where another thread wrote input[j] */
   SURVEY_COUNT,     /* counts its threads in output[0] */
   SURVEY_STACK_1,   /* uses a private array of 1, 4 or 16 KiB with indices from input[] */
   SURVEY_STACK_4,
   SURVEY_STACK_16,
   SURVEY_KERNELS
};

#define SURVEY_WORDS 4096 /* 32-bit words of a buffer */

struct survey_kernels {
   struct session *session;
   struct asahi_buffer *input, *output;
   struct asahi_program *programs[SURVEY_KERNELS];
   struct asahi_dispatch dispatches[SURVEY_KERNELS]; /* with buffers; the caller sets grid and group */
   uint64_t arguments[2];                            /* input, output */
   uint64_t swapped[2];                              /* output, input */
};

/* Compiles the kernels, with or without bit 45 in device atomics. Returns 0 or a negative errno;
 * compiler_result_finish() must follow. */
int survey_kernels_compile(struct session *session, bool coherent_atomics, struct compiler_result *compiled);
/* Compiles and uploads. Returns 0 or a negative errno; if the compiler refuses the kernels, it prints the compiler's
 * messages and the sheet has the reason. survey_kernels_finish() must follow. */
int survey_kernels_init(struct survey_kernels *kernels, struct session *session, struct sheet *sheet);
/* The same, with bit 45 of device atomics as requested instead of what is assumed for the chip. */
int survey_kernels_init_coherent(struct survey_kernels *kernels, struct session *session, bool coherent_atomics,
                                 struct sheet *sheet);
void survey_kernels_finish(struct survey_kernels *kernels);

/* Returns the dispatch of `threads` threads in threadgroups of `group`. */
struct asahi_dispatch survey_dispatch(const struct survey_kernels *kernels, enum survey_kernel kernel, uint32_t threads,
                                      uint32_t group);
uint32_t *survey_input(const struct survey_kernels *kernels);
uint32_t *survey_output(const struct survey_kernels *kernels);

/* Runs about half a second of load on hardware to raise the clock; does nothing if the clock does not change. */
int survey_warm_up(const struct survey_kernels *kernels);
/* Waits without submitting work, for less than a second. */
void survey_pause(double ms);
/* Measures once how many iterations of SURVEY_LOOP one simdgroup executes in about `ns`. */
int survey_iterations(const struct survey_kernels *kernels, double ns, uint32_t *iterations);

#endif
