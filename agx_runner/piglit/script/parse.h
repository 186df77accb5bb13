/* SPDX-License-Identifier: MIT
 *
 * What the readers of all formats share: the file's lines and words, and the parts of the script that is built.
 */
#ifndef PIGLIT_SCRIPT_PARSE_H
#define PIGLIT_SCRIPT_PARSE_H

#include "agx_runner/piglit/format/text.h"
#include "agx_runner/piglit/script/script.h"

#define SCRIPT_WORDS 4096u /* of one line */
#define SCRIPT_MOST_BYTES ((size_t)1 << 28)

struct script_parser {
   struct piglit_reader reader;
   struct script *script;
   unsigned line; /* that is being parsed */
   char *text;    /* of that line; words point into it */
   char **words;  /* SCRIPT_WORDS + 1, the last one of the line is followed by NULL */
   size_t count;
};

/* Readers: a whole file each. 0 or a negative errno with a message. */
int script_parse_amber(struct script_parser *parser);
int script_parse_piglit(struct script_parser *parser);
int script_parse_vkrunner(struct script_parser *parser);

/* Takes the next line, which may have no words. 1; 0 at the end; or a negative errno. */
int script_take_line(struct script_parser *parser);
/* Takes the next line that has words, likewise. */
int script_next_line(struct script_parser *parser);
/* Takes the line as it is; NULL: the file ends. The text is the file's, of *length bytes. */
const char *script_raw_line(struct script_parser *parser, size_t *length);
/* "FILE:LINE: text" of the line that is being parsed; -EINVAL. */
__attribute__((format(printf, 2, 3))) int script_refuse(struct script_parser *parser, const char *format, ...);
bool script_word_is(const struct script_parser *parser, size_t index, const char *text);
/* The number in a word, at most `most`. */
int script_number(struct script_parser *parser, size_t index, uint64_t most, uint64_t *number);
/* The words from `first` on, `count` of them, as values. */
int script_values(struct script_parser *parser, size_t first, size_t count, enum piglit_scalar scalar,
                  union piglit_value **values);

/* Each adds one, with the parser's line; NULL: out of memory. */
struct script_shader *script_add_shader(struct script_parser *parser, const char *name);
struct script_memory *script_add_memory(struct script_parser *parser);
struct script_pipeline *script_add_pipeline(struct script_parser *parser, const char *name);
struct script_step *script_add_step(struct script_parser *parser, enum script_step_kind kind);
struct script_binding *script_add_binding(struct script_pipeline *pipeline);
bool script_add_text(char ***list, size_t *count, const char *text);

/* Adds a step that writes the values, dense or a stride apart. */
int script_add_write(struct script_parser *parser, size_t memory, size_t offset, enum piglit_scalar scalar,
                     const union piglit_value *values, size_t count, size_t stride);
/* Sets the shader's text: the `length` bytes at `text`, which the line `line` starts with; `first` stands before. */
int script_set_text(struct script_parser *parser, struct script_shader *shader, const char *first, const char *text,
                    size_t length, unsigned line);

/* GLSL's name of a type: "uvec4", "float16_t", "mat2x3". */
bool script_type_parse(const char *word, struct script_type *type);
/* "==" or "EQ". */
bool script_compare_parse(const char *word, enum script_compare *compare);

#endif
