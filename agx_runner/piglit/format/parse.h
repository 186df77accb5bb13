/* SPDX-License-Identifier: MIT
 *
 * What the parts of the program test reader share.
 */
#ifndef PIGLIT_PARSE_H
#define PIGLIT_PARSE_H

#include "agx_runner/piglit/format/program_test.h"
#include "agx_runner/piglit/format/text.h"

struct piglit_parser {
   struct piglit_reader reader;
   unsigned line; /* that is being parsed */
   struct piglit_file *file;
   struct piglit_test *test; /* NULL: in [config] */
};

/* "0 buffer int[4] 1 2 3 4 tolerance 1": added to the test's arguments. 0 or a negative errno with the message. */
int piglit_parse_argument(struct piglit_parser *parser, char *value, bool in);
void piglit_arguments_finish(struct piglit_arguments *arguments);

/* "name: value" of the section that the parser is in. */
int piglit_parse_key(struct piglit_parser *parser, const char *name, char *value);
/* Puts a copy of `value` in the place of *string. */
int piglit_set_string(struct piglit_parser *parser, char **string, const char *value);
/* An error if the file has its program already: there is one in each. */
int piglit_claim_program(struct piglit_parser *parser);

/* Says that `word` is no `what` ("section"), and which of the names it may have meant. -EINVAL. */
int piglit_unknown(struct piglit_parser *parser, const char *what, const char *word, const char *const *names,
                   size_t count);

bool piglit_is_null(const char *word); /* NULL or null */
/* false, 0, true, 1; an error otherwise. */
int piglit_parse_bool(struct piglit_parser *parser, const char *word, bool *value);
int piglit_parse_unsigned(struct piglit_parser *parser, const char *word, uint64_t *value);

#endif
