/* SPDX-License-Identifier: MIT
 *
 * What the search and the triage need of a language in which programs are generated: one table of functions for each.
 * A `program` is a struct fuzz_program, for OpenCL C and GLSL a struct ocl_program, for drawing a struct draw_scene.
 */
#ifndef AGX_RUNNER_FUZZ_LANGUAGE_H
#define AGX_RUNNER_FUZZ_LANGUAGE_H

#include "fuzz/attempt/attempt.h"
#include "fuzz/settings/settings.h"
#include "fuzz/slice/slice.h"

struct language {
   const char *name;   /* in JSON */
   const char *title;  /* for people */
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
   void (*shrink)(void *program, const struct fuzz_difference *difference, fuzz_fails *fails, void *data);
   /* Which pass of NIR makes it wrong, in this process. */
   void (*blame)(void *program, const struct compiler_options *options, struct fuzz_blame *blame);
   /* Which instruction is wrong, in this process. */
   void (*slice)(const char *spec, const void *program, const struct fuzz_difference *difference,
                 struct culprits *culprits);
   /* Computes what a program must store, where that needs no compiler, and completes the program. Returns false if it
    * has no end. NULL: it needs the compiler, and comes with the attempt. */
   bool (*evaluate)(void *program, union fuzz_expected *expected);
   size_t outputs, registers;             /* where in a program their number is, a uint32_t; enum fuzz_registers */
   uint32_t (*size)(const void *program); /* operations: what a smaller program has less of */
   /* What it does in one line, without data. */
   void (*shape)(const void *program, char *text, size_t size);
   /* Whether a shrunk program holds the whole of another one. */
   bool (*contains)(const void *large, const void *small);
   /* The first difference of an attempt from output `first` on whose output holds none of the shapes (shrunk programs).
    * False: there is none. NULL: outputs have no shapes of their own. */
   bool (*next_difference)(const void *program, const struct attempt_result *result, uint32_t first,
                           const struct fuzz_program *shapes, uint32_t count, struct fuzz_difference *difference);
   /* Notes which rules of Mesa the program has reached: enum fuzz_rule_state of each. NULL: it holds none. */
   void (*cover)(const void *program, uint8_t *rules);
   /* What another implementation says of the program's wrong answer. NULL: there is none. */
   void (*second_opinion)(const void *program, const struct fuzz_difference *difference, char *text, size_t size);
   bool translated; /* to OpenCL C, if it is a finding */
   bool slow;       /* a search for a smaller program that crashes has a limit of time, because each try takes long */
   /* For people. NULL: as write(). */
   void (*print)(FILE *file, const void *program, uint32_t lane);
   /* As a file that the fuzzer, or `agx-runner piglit`, takes. */
   void (*write)(FILE *file, const void *program, const union fuzz_expected *expected, const char *title);
};

/* Of language_glsl and language_draw: what fuzz --mesa needs, to generate, evaluate, shrink and write. */
extern const struct language language_nir, language_opencl, language_glsl, language_draw;

/* The languages that the compiler inside takes, by number: what has all zeros is a program in NIR. */
enum language_number { LANGUAGE_NIR, LANGUAGE_OPENCL, LANGUAGES };

static inline const struct language *language_of(uint32_t number)
{
   return number == LANGUAGE_OPENCL ? &language_opencl : &language_nir;
}

static inline uint32_t language_outputs(const struct language *language, const void *program)
{
   return *(const uint32_t *)((const char *)program + language->outputs);
}

/* The language of kernels that are written for a driver. */
static inline const struct language *language_of_driver(const struct fuzz_settings *settings)
{
   return settings->language == FUZZ_GLSL   ? &language_glsl
          : settings->language == FUZZ_DRAW ? &language_draw
                                            : &language_opencl;
}

#endif
