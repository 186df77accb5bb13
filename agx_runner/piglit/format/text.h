/* SPDX-License-Identifier: MIT
 *
 * The lines and words of a program test, and the error message that a malformed one gives.
 */
#ifndef PIGLIT_TEXT_H
#define PIGLIT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct piglit_reader {
   const char *path;
   const char *next, *end; /* the text that has not been read */
   unsigned line;          /* number of the line at `next`, from 1 */
   char *message;
   size_t message_size;
};

/* Sets the message "FILE:LINE: text" and returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int piglit_error(struct piglit_reader *reader, unsigned line, const char *format,
                                                       ...);
__attribute__((format(printf, 3, 0))) int piglit_verror(struct piglit_reader *reader, unsigned line, const char *format,
                                                        va_list arguments);
int piglit_no_memory(struct piglit_reader *reader); /* the same with -ENOMEM */

/* Reads the next logical line without its comment into `*text` (which the caller frees): a key whose value ends in "\"
 * continues in the next line. *line is its first line. Returns 1; 0 at the end; or a negative errno. */
int piglit_read_line(struct piglit_reader *reader, char **text, unsigned *line);

/* Parses "[ section name ]": cuts *text to the name. */
bool piglit_split_section(char *text, char **name);
/* Parses "key : value". */
bool piglit_split_key(char *text, char **key, char **value);
bool piglit_is_blank(const char *text);
/* Removes the white space around the text, in place. */
char *piglit_trim(char *text);

/* Returns the next word of *text, NUL-terminated in place; "" at the end. */
char *piglit_next_word(char **text);

/* Reads a whole file. Returns 0 or a negative errno. The text has a NUL behind its `*size` bytes. */
int piglit_read_file(const char *path, char **text, size_t *size);
/* Returns the path of `name`, which occurs in the file `path`: relative to its folder unless it is absolute. NULL: out
 * of memory. */
char *piglit_path_beside(const char *path, const char *name);

#endif
