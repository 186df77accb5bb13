/* SPDX-License-Identifier: MIT
 *
 * Finds what the compiler reads or writes outside of its allocations.
 */
#ifndef COMPILER_FUZZ_WATCH_HEAP_H
#define COMPILER_FUZZ_WATCH_HEAP_H

#include <stdbool.h>

/* From now on, in this process, the AGX compiler's allocations of FUZZ_HEAP_LEAST bytes or more stand before memory
 * that is not mapped: an access behind the end is SIGSEGV, whatever the heap looks like. The same after they are freed.
 * False: no address space for it, and nothing is changed. */
#define FUZZ_HEAP_LEAST 1024
bool fuzz_heap_guard(void);

#endif
