/* SPDX-License-Identifier: MIT
 *
 * One test of a search, and what came of it.
 */
#ifndef AGX_RUNNER_DRIVER_SEARCH_TEST_H
#define AGX_RUNNER_DRIVER_SEARCH_TEST_H

#include <stddef.h>
#include <stdint.h>

#include "agx_runner/piglit/format/program_test.h"

enum batch_verdict {
   BATCH_RIGHT,
   BATCH_WRONG,   /* an output is not as expected */
   BATCH_REFUSED, /* the driver does not compile or launch it */
   BATCH_FAULT,   /* the device reports a fault or a finding of its checks */
   BATCH_CRASH,   /* the driver crashed, or did not end */
};

struct batch_test {
   struct piglit_file *file; /* its first test counts; its arguments are values and buffers */
   uint8_t *shader;          /* what GLSL was compiled to; NULL: the file's source is OpenCL C */
   size_t shader_size;
   char *scene; /* to be drawn, instead of all these; NULL: none */
   enum batch_verdict verdict;
   char why[300];
};

#endif
