/* SPDX-License-Identifier: MIT
 *
 * Detects accesses of the compiler outside of its allocations.
 */
#ifndef COMPILER_FUZZ_WATCH_HEAP_H
#define COMPILER_FUZZ_WATCH_HEAP_H

#include <stdbool.h>

/* From now on, in this process, allocations of the AGX compiler of FUZZ_HEAP_LEAST bytes or more are followed by
 * unmapped memory: an access past their end, or after they are freed, is SIGSEGV. Returns false, without any change, if
 * there is no address space for it. */
#define FUZZ_HEAP_LEAST 1024
bool fuzz_heap_guard(void);

#endif
