/* SPDX-License-Identifier: MIT
 *
 * The table of all options, and its readers: parse.c (the command line), values.c (their values) and
 * help.c (--help). Adding an option takes one row here and one field of struct options.
 */
#ifndef AGX_RUNNER_OPTIONS_TABLE_H
#define AGX_RUNNER_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agx_runner/cli/options.h"

enum option_kind {
   KIND_HELP,
   KIND_VERSION,
   KIND_STRING,
   KIND_U32,
   KIND_U64,
   KIND_CHOICE,
   KIND_SECONDS,
   KIND_CYCLES, /* as KIND_SECONDS */
   KIND_LIST,
   KIND_SIZES,
   KIND_FLAG
};

struct option_row {
   char letter; /* 0: none */
   const char *name;
   const char *metavar; /* NULL: takes nothing */
   enum option_kind kind;
   size_t field;
   unsigned commands; /* enum command_bit */
   uint64_t min, max; /* KIND_U32, KIND_U64, KIND_SIZES; KIND_SECONDS in seconds; KIND_STRING: least length */
   const char *const *choices;
   const char *initial; /* the default as the command line would give it; NULL: zero, none, empty */
   bool stays;          /* of run: not passed on to the other build of --interleave */
   const char *help;    /* --help adds the default */
};

#define OPTION_ROWS_MAX 160
extern const struct option_row option_rows[];
extern const size_t option_row_count; /* up to OPTION_ROWS_MAX */

/* Takes a row's value into the options: not of KIND_HELP and KIND_VERSION. An enum exit_code, or OPTIONS_RUN. */
int options_set(const struct option_row *row, const char *text, struct options *options);
/* Appends what the command line would say for the value that the options hold: a word "--name=value" for each, none for
 * zero, none and empty. The words are the list's: free() each. False: out of memory. */
bool options_words(const struct option_row *row, const struct options *options, struct string_list *words);

#endif
