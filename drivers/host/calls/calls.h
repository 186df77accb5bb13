/* SPDX-License-Identifier: MIT
 *
 * Calls of OpenGL by their names: what a scene's lines say. Invariant: a word that is in no table is refused, so that
 * no scene is drawn otherwise than it is written.
 */
#ifndef DRIVERS_HOST_CALLS_H
#define DRIVERS_HOST_CALLS_H

#include <stdbool.h>

#include <GL/glcorearb.h>

#define OPENGL_CALL_WORDS 8u

/* An argument as an integer and as a float. */
struct opengl_word {
   GLint integer;
   GLfloat number;
};

/* "ONE", "-3", "0.25"; false: it is neither a constant of the table nor a number. */
bool opengl_word_read(const char *text, struct opengl_word *word);

/* Loads what the calls need. NULL, or the name of a function that the driver lacks. */
const char *opengl_calls_load(void *(*find)(const char *name));

/* Makes the call "Scissor" with its arguments; false: there is no such call, or it takes another number of them. */
bool opengl_call(const char *name, const struct opengl_word *words, unsigned count);

#endif
