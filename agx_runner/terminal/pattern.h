/* SPDX-License-Identifier: MIT
 *
 * Patterns on names like "float/fadd32/latency": globs, of which `*` also matches a slash. One that matches the
 * beginning of a name up to a slash selects all below it: "float", "float/f*16". With `!` in front a pattern excludes.
 */
#ifndef AGX_RUNNER_PATTERN_H
#define AGX_RUNNER_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* One pattern without its `!`. */
bool pattern_matches(const char *pattern, const char *name);

/* Any including pattern (or none given), and no excluding one. */
bool pattern_selects(const char *const *patterns, size_t count, const char *name);

#endif
