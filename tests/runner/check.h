/* SPDX-License-Identifier: MIT
 *
 * Checks that say what failed and let the rest go on.
 */
#ifndef TESTS_RUNNER_CHECK_H
#define TESTS_RUNNER_CHECK_H

#include <stdio.h>

#define CHECK(failures, condition, ...)                                                                                \
   do {                                                                                                                \
      if (!(condition)) {                                                                                              \
         fprintf(stderr, "%s:%d: %s is false: ", __FILE__, __LINE__, #condition);                                      \
         fprintf(stderr, __VA_ARGS__);                                                                                 \
         fputc('\n', stderr);                                                                                          \
         (*(failures))++;                                                                                              \
      }                                                                                                                \
   } while (0)

#endif
