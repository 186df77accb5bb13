/* SPDX-License-Identifier: MIT
 *
 * What the search and the triage need of a language in which programs are generated: one table of functions for each.
 * A `program` is a struct fuzz_program or a struct ocl_program, as the table says.
 */
#ifndef AGX_RUNNER_FUZZ_LANGUAGE_H
#define AGX_RUNNER_FUZZ_LANGUAGE_H

#include "fuzz/attempt/attempt.h"
#include "fuzz/settings/settings.h"
#include "fuzz/slice/slice.h"

/* Whether a program fails in the way that is looked for. */
typedef bool language_fails(void *program, void *data);

struct language {
   const char *name;   /* in JSON */
   const char *prefix; /* of shapes */
   const char *suffix; /* of files */
   size_t bytes;       /* of a program */

   /* Program `index` of a run. The same seed gives the same one. */
   void (*generate)(void *program, const struct fuzz_settings *settings, uint64_t index, uint64_t seed);
   /* Compiles and runs it, in this process, and compares. */
   void (*attempt)(struct bench_device *bench, void *program, struct attempt_result *result);
   /* Compiles it in this process. What compiler_nir() returns. */
   int (*compile)(void *program, const struct compiler_options *options, struct compiler_result *result);
   /* Changes a program that fails into a smaller one that fails. difference: where it fails; NULL: everywhere. */
   void (*shrink)(void *program, const struct fuzz_difference *difference, language_fails *fails, void *data);
   /* Which pass of NIR makes it wrong, in this process. */
   void (*blame)(void *program, const struct compiler_options *options, struct fuzz_blame *blame);
   /* Which instruction is wrong, in this process. */
   void (*slice)(const char *spec, const void *program, const struct fuzz_difference *difference,
                 struct culprits *culprits);
   /* Computes what a program must store, where that needs no compiler, and completes the program. */
   void (*evaluate)(void *program, union fuzz_expected *expected);
   uint32_t (*outputs)(const void *program);
   uint32_t *(*registers)(void *program); /* enum fuzz_registers */
   uint32_t (*size)(const void *program); /* operations: what a smaller program has less of */
   /* What it does in one line, without data. */
   void (*shape)(const void *program, char *text, size_t size);
   /* Whether a shrunk program holds the whole of another one. */
   bool (*contains)(const void *large, const void *small);
   /* For people. */
   void (*print)(FILE *file, const void *program, const union fuzz_expected *expected, uint32_t lane);
   /* As a file that the fuzzer, or `agx-runner piglit`, takes. */
   void (*write)(FILE *file, const void *program, const union fuzz_expected *expected, const char *title);
};

extern const struct language language_nir, language_opencl;

#endif
