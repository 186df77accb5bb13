/* SPDX-License-Identifier: MIT
 *
 * What became of a file: the record of its tests, and the text that Piglit's own tester would have printed.
 */
#ifndef PIGLIT_RESULT_H
#define PIGLIT_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include "agx_runner/piglit/run.h"

struct piglit_subtest {
   char *name;
   bool begun, ended;
   enum piglit_status status;
   char *reason; /* NULL: none */
};

struct piglit_result {
   char *path;
   char *name; /* piglit_test_name() */
   bool done;
   enum piglit_status status;
   char *reason;
   double seconds;
   struct piglit_subtest *subtests;
   size_t count;
   FILE *stream; /* writes `text` while the file runs */
   char *text;
   size_t text_size;
   bool no_memory; /* something of it is lost */
};

int piglit_result_init(struct piglit_result *result, const char *path); /* 0 or -ENOMEM */
void piglit_result_finish(struct piglit_result *result);

/* A sink that records into the result. */
struct piglit_sink piglit_result_sink(struct piglit_result *result);
/* The file is at its end. Tests that have not ended get its status. */
void piglit_result_done(struct piglit_result *result, enum piglit_status status, const char *reason, double seconds);

/* Piglit's protocol: what its framework reads from a test's output. */
void piglit_print_subtest(FILE *out, const char *name, enum piglit_status status);
void piglit_print_result(FILE *out, enum piglit_status status);

#endif
