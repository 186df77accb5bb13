/* SPDX-License-Identifier: MIT
 *
 * One generated program: compiled, run on a device, and compared with the interpreter's answer.
 */
#ifndef AGX_RUNNER_FUZZ_ATTEMPT_H
#define AGX_RUNNER_FUZZ_ATTEMPT_H

#include "fuzz/opencl/kernel_memory.h"
#include "fuzz/nir/blame.h"
#include "fuzz/nir/program.h"
#include "drm/asahi.h"

enum verdict {
   VERDICT_ALIKE,
   VERDICT_DIFFERENT,
   VERDICT_UNSUPPORTED, /* agx-runner or the backend reports that it cannot compile such programs */
   VERDICT_REFUSED,     /* the front end refuses it, or makes a module that cannot be compiled */
   VERDICT_CHECKED,     /* the answer is right, but a check of the virtual device reports something */
   VERDICT_UNDEFINED,   /* the interpreter cannot tell what is right */
   VERDICT_UNHANDLED,   /* the backend reports that it has no code for it, and continues */
   VERDICT_BROKEN,      /* the device reports a fault, or a time limit */
};

/* A device with the buffers that every program uses. */
struct bench_device {
   struct asahi_device *device;
   struct asahi_buffer *outputs, *inputs, *memory;
   struct asahi_buffer *arguments; /* for kernels in OpenCL C */
   struct compiler_options options;
   struct bench_device *against; /* the device whose answers are the right ones; NULL: the interpreter's are */
   char spec[512];
   /* a check has reported something: equal reports are merged, so the next program needs a new device */
   bool reported;
   int log; /* file that receives this process's stderr; -1: none, and VERDICT_UNHANDLED is not detected */
};

/* Returns 0 or a negative errno with the reason in `why`. against: the spec of another device, or NULL. */
int bench_device_open(struct bench_device *bench, const char *spec, const char *against, char *why, size_t why_size);
/* From now on Mesa's messages on stderr are read instead of shown. Returns 0 or a negative errno. */
int bench_device_listen(struct bench_device *bench);
void bench_device_close(struct bench_device *bench);

#define ATTEMPT_WHY 256
/* What a program must store. */
union fuzz_expected {
   struct fuzz_outputs program;
   struct ocl_outputs kernel;
};
struct attempt_result {
   enum verdict verdict;
   struct fuzz_difference difference; /* the first difference */
   union fuzz_expected expected;
   struct fuzz_outputs found; /* of a program in NIR that ran */
   char why[ATTEMPT_WHY];
};

/* Compiles in this process, so that a crash of the compiler ends it. */
void attempt(struct bench_device *bench, void *program, struct attempt_result *result);
/* The result for a kernel in OpenCL C. */
int attempt_compile_kernel(const struct ocl_program *kernel, const struct compiler_options *options,
                           struct compiler_result *compiled);
void attempt_kernel(struct bench_device *bench, void *kernel, struct attempt_result *result);
/* Runs a compiled kernel: its outputs are at the start of bench->arguments, followed by its inputs (kernel_memory.h).
 * Returns 0 or a negative errno. */
int attempt_run_kernel(struct bench_device *bench, const struct ocl_program *kernel, const struct agx_program *code);
/* Finds the NIR pass that makes the kernel wrong; blame->done is false if it does not compile. */
void attempt_blame_kernel(void *kernel, const struct compiler_options *options, struct fuzz_blame *blame);
/* most bytes of all buffers of a kernel in OpenCL C */
#define KERNEL_BUFFER_BYTES (KERNEL_OUTPUT_BYTES + KERNEL_INPUT_BYTES)

/* Call it before each attempt: it discards earlier messages. */
void attempt_begin(struct bench_device *bench);
/* Return what the compiler and the device's checks report besides the answer: VERDICT_ALIKE if nothing. */
bool attempt_unhandled(const struct bench_device *bench, char *why, size_t size);
/* code: the program that ran, with its source lines; NULL: it has none. */
bool attempt_checked(struct bench_device *bench, const struct agx_program *code, char *why, size_t size);
/* Runs a compiled program. Returns 0 or a negative errno. */
int attempt_run(struct bench_device *bench, const struct fuzz_program *program, const struct agx_program *code,
                struct fuzz_outputs *found);

#endif
