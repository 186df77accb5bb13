/* SPDX-License-Identifier: MIT
 *
 * Source that clang refuses may be right and only ask for what is missing here, or for a newer OpenCL C.
 */
#ifndef COMPILER_GAPS_H
#define COMPILER_GAPS_H

#include "compiler/front_end/diagnostics.h"
#include "compiler/front_end/front_end.h"

/* Says in the log why compiler_front_end_run() gave nothing: in one line what is missing and who lacks it; or, where
 * the source is wrong, clang's messages. result->why is what that function left there, and becomes what the log says.
 */
void compiler_gaps_explain(const char *name, const char *source, const struct compiler_front_end *front_end,
                           const struct compiler_options *options, const struct compiler_diagnostics *diagnostics,
                           struct compiler_result *result);

#endif
