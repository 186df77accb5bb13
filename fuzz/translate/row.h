/* SPDX-License-Identifier: MIT
 *
 * Translates an op of NIR by its row in the table of ops (fuzz_op_in_opencl()).
 */
#ifndef AGX_RUNNER_FUZZ_TRANSLATE_ROW_H
#define AGX_RUNNER_FUZZ_TRANSLATE_ROW_H

#include "fuzz/translate/emit.h"

/* Returns the operation of OpenCL C with this name in that table; ocl_op_count: none. */
unsigned translate_find_op(const char *name);
/* Translates component t->component of the node by its row of that table. */
uint16_t translate_row(struct translation *t, const char *row);

#endif
