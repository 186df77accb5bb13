/* SPDX-License-Identifier: MIT
 *
 * One of Piglit's OpenCL program tests as its file has it: a program, its build options, and the tests to run with it.
 * A .program_test file is the configuration; a .cl file has it in a comment that starts with "/" "*!". So has a .comp
 * file of fuzz --write, whose argument N is the buffer at binding N.
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
   PIGLIT_ULP,      /* at most value.u units in the last place of the expected value */
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
   /* `size` bytes; NULL: written as NULL, or an image or sampler, which no device supports */
   uint8_t *data;
   struct piglit_tolerance tolerance; /* of arg_out */
};

struct piglit_arguments {
   struct piglit_argument *list;
   size_t count;
};

/* How a kernel is launched, and the expected result: [config] holds the defaults of all [test] sections. */
struct piglit_launch {
   uint32_t dimensions;
   uint64_t global_size[3];
   uint64_t local_size[3];
   bool local_size_null; /* the implementation chooses */
   uint64_t global_offset[3];
   bool expect_test_fail;
   char *kernel_name; /* NULL: not specified */
};

struct piglit_test {
   char *name; /* NULL: not specified */
   unsigned line;
   struct piglit_launch launch;
   struct piglit_arguments in, out;
};

struct piglit_file {
   char *path;
   bool configured;                          /* the file has a [config], so it is a test */
   char *name;                               /* NULL: not specified */
   int64_t clc_version_min, clc_version_max; /* 12: OpenCL C 1.2; 0: not specified */
   char *platform_regex, *device_regex;
   char *require_platform_extensions, *require_device_extensions;
   char *build_options;
   bool expect_build_fail;
   bool need_image_support;
   struct piglit_launch launch;

   char *source_name; /* name in messages: the file that contains the source */
   char *source;      /* NULL: the program is a binary, which no device accepts */
   size_t source_size;

   struct piglit_test *tests;
   size_t test_count;
};

/* Reads a .cl or .program_test file. A .cl file without a configuration is no test, and only its source is read.
 * Returns 0, or a negative errno with one line "FILE:LINE: what is wrong" in message. Memory is bounded by the file's
 * size and by the size of its buffers, at most 1 GiB each. */
int piglit_file_load(const char *path, struct piglit_file **out, char *message, size_t message_size);
/* The same for text in memory; files that it names are searched beside `path`. The file's name decides which of the two
 * formats it has. */
int piglit_file_parse(const char *path, const char *text, size_t size, struct piglit_file **out, char *message,
                      size_t message_size);
void piglit_file_destroy(struct piglit_file *file); /* NULL is fine */

#endif
