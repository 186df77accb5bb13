/* SPDX-License-Identifier: MIT
 *
 * The lines and words of a program test, and the one message that an error in it leaves.
 */
#ifndef PIGLIT_TEXT_H
#define PIGLIT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct piglit_reader {
   const char *path;
   const char *next, *end; /* what is still to be read */
   unsigned line;          /* of `next`, from 1 */
   char *message;
   size_t message_size;
};

/* Leaves "FILE:LINE: text" and returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int piglit_error(struct piglit_reader *reader, unsigned line, const char *format,
                                                       ...);
__attribute__((format(printf, 3, 0))) int piglit_verror(struct piglit_reader *reader, unsigned line, const char *format,
                                                        va_list arguments);
int piglit_no_memory(struct piglit_reader *reader); /* the same with -ENOMEM */

/* The next logical line without comment, in `*text` (which the caller frees): a key whose value ends in "\" goes on
 * in the next line. *line is where it began. 1; 0 at the end; or a negative errno. */
int piglit_read_line(struct piglit_reader *reader, char **text, unsigned *line);

/* "[ section name ]": cuts *text to the name. */
bool piglit_split_section(char *text, char **name);
/* "key : value". */
bool piglit_split_key(char *text, char **key, char **value);
bool piglit_is_blank(const char *text);
/* The text without the white space around it; what stands behind is cut off. */
char *piglit_trim(char *text);

/* The next word of *text, NUL-terminated in place; "" at the end. */
char *piglit_next_word(char **text);

/* A whole file. 0 or a negative errno. The text has a NUL behind its `*size` bytes. */
int piglit_read_file(const char *path, char **text, size_t *size);
/* The path of `name`, which stands in the file `path`: beside it unless it is absolute. NULL: no memory. */
char *piglit_path_beside(const char *path, const char *name);

#endif
