/* SPDX-License-Identifier: MIT
 *
 * The command line of a test program that is a table of cases: PROGRAM SHADERS [CASE...] | --list. Each case gets a
 * Vulkan device of its own.
 */
#ifndef TESTS_DRIVER_CASES_H
#define TESTS_DRIVER_CASES_H

#include "tests/driver/vulkan.h"
#include "tests/check.h"

struct driver_case {
   const char *name;
   void (*test)(struct vulkan *vulkan);
   bool by_name; /* runs only when it is named */
};

/* The folder of the shaders' SPIR-V, SHADERS. NULL before cases_main(). */
extern const char *cases_shaders;

/* Runs the named cases, or all that need no naming, and prints a line for each. Exit code of the program: that of
 * check_result(), or 79 without arguments. */
int cases_main(int argc, char **argv, const struct driver_case *cases, size_t count);

#endif
