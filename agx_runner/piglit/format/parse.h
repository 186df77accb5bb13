/* SPDX-License-Identifier: MIT
 *
 * Internals that the parts of the program test parser share.
 */
#ifndef PIGLIT_PARSE_H
#define PIGLIT_PARSE_H

#include "agx_runner/piglit/format/program_test.h"
#include "agx_runner/piglit/format/text.h"

struct piglit_parser {
   struct piglit_reader reader;
   unsigned line; /* the line that is being parsed */
   struct piglit_file *file;
   struct piglit_test *test; /* NULL: in [config] */
};

/* Parses "0 buffer int[4] 1 2 3 4 tolerance 1", and adds it to the test's arguments. Returns 0, or a negative errno
 * with a message. */
int piglit_parse_argument(struct piglit_parser *parser, char *value, bool in);
void piglit_arguments_finish(struct piglit_arguments *arguments);

/* Parses "name: value" of the current section. */
int piglit_parse_key(struct piglit_parser *parser, const char *name, char *value);
/* Replaces *string by a copy of `value`. */
int piglit_set_string(struct piglit_parser *parser, char **string, const char *value);
/* Reports an error if the file already has its program: each has one. */
int piglit_claim_program(struct piglit_parser *parser);

/* Reports that `word` is no `what` ("section"), and which of the names it may have meant. Returns -EINVAL. */
int piglit_unknown(struct piglit_parser *parser, const char *what, const char *word, const char *const *names,
                   size_t count);

bool piglit_is_null(const char *word); /* NULL or null */
/* Accepts false, 0, true, 1; reports an error otherwise. */
int piglit_parse_bool(struct piglit_parser *parser, const char *word, bool *value);
int piglit_parse_unsigned(struct piglit_parser *parser, const char *word, uint64_t *value);

#endif
