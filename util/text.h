/* SPDX-License-Identifier: MIT
 *
 * Text in memory of a fixed size. Invariant: the text ends with a zero byte, and what does not fit is cut.
 * Text that grows without a limit is open_memstream()'s.
 */
#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* `bytes` has room for size bytes, at least one; `length` of them, and a zero byte, are the text. */
struct util_text {
   char *bytes;
   size_t size, length;
};

/* Adds what printf would print. false: it was cut, or could not be formatted. */
__attribute__((format(printf, 2, 3))) bool util_text_add(struct util_text *text, const char *format, ...);

/* The same behind the string that an array of `size` bytes holds. */
__attribute__((format(printf, 3, 4))) bool util_append(char *bytes, size_t size, const char *format, ...);

bool util_has_suffix(const char *text, const char *suffix);

#endif
