/* SPDX-License-Identifier: MIT
 *
 * --fail-on: which differences make `compare` fail.
 */
#ifndef AGX_RUNNER_GATE_H
#define AGX_RUNNER_GATE_H

#include "agx_runner/compare/compare.h"
#include "agx_runner/terminal/values.h"

struct gate {
   bool armed;         /* something was asked for: then answers count too */
   double worse, hurt; /* shares, "3 %" is 0.03; NAN: not asked for */
   bool missing;
};

/* "worse", "worse:3%", "hurt:1%", "missing", "answers". An enum exit_code. */
int gate_parse(const struct string_list *words, struct gate *gate);
/* EXIT_OK, or EXIT_FAILED with a message for the first that it stops at, changed answers before all else, and
 * their number. */
int gate_check(const struct gate *gate, const struct comparison *comparison);

#endif
