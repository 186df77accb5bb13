/* SPDX-License-Identifier: MIT
 *
 * A fuzzer is one function, called by libFuzzer (meson setup -Dfuzzers=true with clang) or, with a checked-in corpus,
 * by replay.c.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What must hold for every input. */
#define FUZZ_REQUIRE(condition)                                                                                        \
   do {                                                                                                                \
      if (!(condition)) {                                                                                              \
         fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                                \
         abort();                                                                                                      \
      }                                                                                                                \
   } while (0)

/* libFuzzer's names. What it offers itself, LLVMFuzzerMutate(), is there for the fuzzers only, not for replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#endif
