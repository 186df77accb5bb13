/* SPDX-License-Identifier: MIT
 *
 * A command's option table: its rows, and what they are made of. Parsing (parse.c), values (values.c) and --help
 * (help.c) read it; nothing in this room names an option of a command. A new option is one row of its command's table
 * and one field of its command's struct.
 */
#ifndef AGX_RUNNER_OPTIONS_ROWS_H
#define AGX_RUNNER_OPTIONS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agx_runner/terminal/format.h"
#include "agx_runner/terminal/values.h"

/* The kind of an option's value, which gives the type of its field. */
enum option_kind {
   KIND_HELP, /* no field, as KIND_VERSION */
   KIND_VERSION,
   KIND_STRING,  /* const char * */
   KIND_U32,     /* uint32_t */
   KIND_U64,     /* uint64_t */
   KIND_CHOICE,  /* uint32_t: the place of a name in `choices` */
   KIND_FORMAT,  /* uint32_t: an enum output_format, one of `formats` */
   KIND_SECONDS, /* double */
   KIND_CYCLES,  /* double */
   KIND_PERCENT, /* double: a fraction, given as "0.5%" */
   KIND_LIST,    /* struct string_list: the option may be given several times */
   KIND_SIZES,   /* struct dimensions: one to three numbers */
   KIND_FLAG     /* bool */
};

/* The description of an option, independent of the struct that its value goes to. Commands share it by reference. */
struct option_info {
   char letter; /* 0: none */
   const char *name;
   const char *metavar; /* NULL: takes nothing */
   enum option_kind kind;
   uint64_t min, max;          /* KIND_U32, KIND_U64, KIND_SIZES; KIND_SECONDS in seconds; KIND_STRING: least length */
   const char *const *choices; /* for KIND_CHOICE; NULL ends them */
   const struct output_formats *formats; /* for KIND_FORMAT */
   const char *initial;                  /* the default as the command line would give it; NULL: zero, none, empty */
   const char *variable;                 /* environment variable that gives another default; NULL: none */
   const char *help;                     /* --help adds the default. NULL: the list of the formats */
};

/* One row of a table: an option and the place of its value, or a table that several commands share. A row without
 * both ends the table. */
struct option_row {
   const struct option_info *option;
   size_t field;                   /* offset in the command's struct of the value, or of the group's struct */
   const struct option_row *group; /* rows whose fields are places in the group's struct */
};

/* An option of one command alone, as the first value of its row. */
#define OPTION(...)                                                                                                    \
   &(const struct option_info)                                                                                         \
   {                                                                                                                   \
      __VA_ARGS__                                                                                                      \
   }

/* ---- For the readers of the table ---- */

struct command;

/* The rows of a command, those of groups in their place, --help and --version last. */
#define OPTIONS_MAX 64
struct option_list {
   struct option_row rows[OPTIONS_MAX]; /* no groups */
   size_t count;
};
void options_list(const struct command *command, struct option_list *list);

/* The names that a value may be: of KIND_CHOICE and KIND_FORMAT, NULL behind the last one. */
const char *option_choice(const struct option_info *option, size_t index);

/* Returns the option's description for --help and completions. text: a buffer for a list of formats. */
#define OPTION_FORMATS_TEXT 240
const char *option_help(const struct option_info *option, char text[OPTION_FORMATS_TEXT]);

/* Takes a row's value into the command's struct: not of KIND_HELP and KIND_VERSION. An enum exit_code, or OPTIONS_RUN.
 */
int options_set(const struct option_row *row, const char *text, void *options);

#endif
