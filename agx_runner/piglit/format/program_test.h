/* SPDX-License-Identifier: MIT
 *
 * One of Piglit's OpenCL program tests as it stands in its file: a program, how to build it, and the tests to run
 * with it. A .program_test file is the configuration; a .cl file carries it in a comment that starts with "/" "*!".
 */
#ifndef PIGLIT_PROGRAM_TEST_H
#define PIGLIT_PROGRAM_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agx_runner/piglit/format/type.h"

enum piglit_argument_kind { PIGLIT_VALUE, PIGLIT_BUFFER, PIGLIT_IMAGE, PIGLIT_SAMPLER };

enum piglit_tolerance_kind {
   PIGLIT_EXACT,
   PIGLIT_ABSOLUTE, /* the difference is at most `value` */
   PIGLIT_ULP,      /* at most value.u units in the last place of what is expected */
};

struct piglit_tolerance {
   enum piglit_tolerance_kind kind;
   union piglit_value value;
};

/* arg_in or arg_out. */
struct piglit_argument {
   enum piglit_argument_kind kind;
   unsigned line;
   uint32_t index;
   struct piglit_type type; /* values, buffers, images */
   size_t length;           /* elements: 1 for a value */
   size_t size;             /* bytes */
   uint8_t *data;           /* `size` bytes; NULL: written as NULL, or an image or sampler, which no device here has */
   struct piglit_tolerance tolerance; /* arg_out */
};

struct piglit_arguments {
   struct piglit_argument *list;
   size_t count;
};

/* How a kernel is launched, and what must come of it: [config] holds the defaults of all [test] sections. */
struct piglit_launch {
   uint32_t dimensions;
   uint64_t global_size[3];
   uint64_t local_size[3];
   bool local_size_null; /* the implementation chooses */
   uint64_t global_offset[3];
   bool expect_test_fail;
   char *kernel_name; /* NULL: not said */
};

struct piglit_test {
   char *name; /* NULL: not said */
   unsigned line;
   struct piglit_launch launch;
   struct piglit_arguments in, out;
};

struct piglit_file {
   char *path;
   bool configured;                          /* it says that it is a test: there is a [config] */
   char *name;                               /* NULL: not said */
   int64_t clc_version_min, clc_version_max; /* 12: OpenCL C 1.2; 0: not said */
   char *platform_regex, *device_regex;
   char *require_platform_extensions, *require_device_extensions;
   char *build_options;
   bool expect_build_fail;
   bool need_image_support;
   struct piglit_launch launch;

   char *source_name; /* in messages: the file that the source stands in */
   char *source;      /* NULL: the program is a binary, which no device here takes */
   size_t source_size;

   struct piglit_test *tests;
   size_t test_count;
};

/* Reads a .cl or .program_test file. A .cl file without a configuration is no test, and its source is all that is read.
 * 0, or a negative errno with one line "FILE:LINE: what is wrong" in message. Memory is bounded by the file's size and
 * by what its buffers ask for, at most 1 GiB each. */
int piglit_file_load(const char *path, struct piglit_file **out, char *message, size_t message_size);
/* The same of text in memory; files that it names are looked up beside `path`. The file's name decides which of the
 * two forms it is. */
int piglit_file_parse(const char *path, const char *text, size_t size, struct piglit_file **out, char *message,
                      size_t message_size);
void piglit_file_destroy(struct piglit_file *file); /* NULL is fine */

#endif
