/* SPDX-License-Identifier: MIT
 *
 * What the command line asks a search with a Mesa's own driver for.
 */
#ifndef AGX_RUNNER_DRIVER_SEARCH_SETTINGS_H
#define AGX_RUNNER_DRIVER_SEARCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/find.h"

/* What the programs are, and which driver takes them. */
struct search_language {
   const char *name;   /* for agx-fuzz */
   const char *title;  /* for people: "128 kernels in GLSL" */
   const char *suffix; /* of files */
   enum mesa_api api;
   const char *again; /* the words of a command that takes a file, before the Mesa's name; NULL: none does */
   const char *needs; /* what a Mesa lacks that has no driver of that API */
};
extern const struct search_language search_opencl, search_glsl, search_draw;

struct driver_search_settings {
   const char *mesa, *device;
   const char *fuzzer;   /* agx-fuzz, which writes the kernels */
   const char *corpus;   /* folder that keeps the findings; NULL: none */
   uint64_t seed, first; /* as of fuzz */
   uint64_t count;       /* 0: no limit */
   double seconds;       /* 0: no limit */
   uint32_t jobs;        /* processes */
   bool shrink;          /* findings' kernels are made smaller */
   const struct search_language *language;
};

#endif
