/* SPDX-License-Identifier: MIT
 *
 * What the command line asks a fuzzing run for.
 */
#ifndef AGX_RUNNER_FUZZ_SETTINGS_H
#define AGX_RUNNER_FUZZ_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "agx_runner/terminal/values.h"

/* Which programs are generated. */
enum fuzz_language { FUZZ_ALL, FUZZ_NIR, FUZZ_OPENCL, FUZZ_GLSL, FUZZ_DRAW };

#define FUZZ_TRY_SECONDS 60
#define FUZZ_IDLE_SECONDS 300

struct fuzz_settings {
   const char *device;
   const char *against;             /* another device, instead of the interpreter; NULL: none */
   const char *known;               /* file of signatures of known findings; NULL: none */
   const char *corpus;              /* folder; NULL: none */
   const struct string_list *files; /* programs to try instead of generated ones; NULL or empty: none */
   const char *output;              /* NULL: stdout */
   const char *write;               /* folder that gets the kernels, which are not tried; NULL: none */
   const char *mesa;                /* whose driver compiles; NULL or "linked": the compiler inside */
   uint64_t seed;
   uint64_t first;    /* number of the first program of the seed */
   uint64_t count;    /* programs; 0: no limit */
   double seconds;    /* 0: no limit */
   uint32_t jobs;     /* 0: one a core */
   uint32_t format;   /* enum output_format: text, json or markdown */
   uint32_t language; /* enum fuzz_language */
   /* Limits of what workers do, 0: FUZZ_TRY_SECONDS and FUZZ_IDLE_SECONDS. */
   double try_seconds;  /* limit of processor time for one try of a program */
   double idle_seconds; /* in which a worker neither runs nor is ready to run */
   bool shrink;         /* findings of another Mesa are shrunk; with `write`: what standard input says to fail is */
   bool no_repairs;     /* all kernels in OpenCL C without agx-runner's repairs of compiler faults */
};

#endif
