/* SPDX-License-Identifier: MIT
 *
 * Source that clang refuses may be correct and need a feature that is missing here, or a newer OpenCL C.
 */
#ifndef COMPILER_GAPS_H
#define COMPILER_GAPS_H

#include "compiler/front_end/diagnostics.h"
#include "compiler/front_end/front_end.h"

/* Explains in the log why compiler_front_end_run() failed: in one line the missing feature and who lacks it; or, if the
 * source is wrong, clang's messages. On entry result->why is that function's; on return it matches the log. */
void compiler_gaps_explain(const char *name, const char *source, const struct compiler_front_end *front_end,
                           const struct compiler_options *options, const struct compiler_diagnostics *diagnostics,
                           struct compiler_result *result);

#endif
