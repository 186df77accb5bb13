/* SPDX-License-Identifier: MIT
 *
 * Reads a test of shaders, whatever its format is.
 */
#ifndef PIGLIT_SCRIPT_LOAD_H
#define PIGLIT_SCRIPT_LOAD_H

#include "agx_runner/piglit/script/script.h"

#define SCRIPT_SUFFIXES ".shader_test, .vk_shader_test, .amber"
/* Whether the file's name is that of such a test: the suffixes are rows of one table. */
bool script_is_one(const char *path);
/* Reads the file, which script_is_one(). 0, or a negative errno with one line in message; -EINVAL: it is "FILE:LINE:
 * what is not understood". */
int script_load(const char *path, struct script **out, char *message, size_t message_size);
/* The same of text in memory, with a zero byte behind it. */
int script_parse(const char *path, const char *text, size_t size, struct script **out, char *message,
                 size_t message_size);

#endif
