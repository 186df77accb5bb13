/* SPDX-License-Identifier: MIT
 *
 * Values of a command line: whole numbers, lists of strings, sizes. The command line (cli/) fills them in, and lower
 * rooms have them in their settings.
 */
#ifndef AGX_RUNNER_VALUES_H
#define AGX_RUNNER_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct string_list {
   const char **items; /* the strings belong to the caller */
   size_t count;
};

struct dimensions {
   uint32_t size[3]; /* 0,0,0: not given */
   uint32_t count;   /* numbers that were given */
};

/* Parses whole numbers in decimal or 0x; false: the text is no such number, or outside min..max. */
bool number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* Returns false when out of memory, and the list is unchanged. string_list_finish() frees the list. */
bool string_list_add(struct string_list *list, const char *item);
void string_list_finish(struct string_list *list);

#endif
