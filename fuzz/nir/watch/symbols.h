/* SPDX-License-Identifier: MIT
 *
 * Names of this program's own functions.
 */
#ifndef COMPILER_FUZZ_WATCH_SYMBOLS_H
#define COMPILER_FUZZ_WATCH_SYMBOLS_H

#include <stddef.h>

/* Returns the function that contains a code address, without suffixes of the compiler (".constprop.0"); the address as
 * text if the program has no symbols. */
void fuzz_symbol(const void *address, char *name, size_t size);
/* Returns the source file of the static function that starts at this address, without folder and ".c"; "": not
 * known. */
void fuzz_symbol_file(const void *function, char *name, size_t size);

#endif
