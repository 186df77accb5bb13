/* SPDX-License-Identifier: MIT
 *
 * Patterns for names like "float/fadd32/latency": globs in which `*` also matches a slash. A pattern that matches a
 * name up to a slash selects everything below it: "float", "float/f*16". With a leading `!` a pattern excludes.
 */
#ifndef AGX_RUNNER_PATTERN_H
#define AGX_RUNNER_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* One pattern without its `!`. */
bool pattern_matches(const char *pattern, const char *name);

/* Whether any including pattern matches (or there is none), and no excluding one. */
bool pattern_selects(const char *const *patterns, size_t count, const char *name);

#endif
