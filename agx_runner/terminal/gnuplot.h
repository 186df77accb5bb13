/* SPDX-License-Identifier: MIT
 *
 * Runs gnuplot. The script goes to its standard input, so that no file is left behind.
 */
#ifndef AGX_RUNNER_GNUPLOT_H
#define AGX_RUNNER_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Can it be started? */
bool gnuplot_is_installed(void);
/* What the script draws; free() it. NULL: gnuplot cannot be started, it failed, or it drew nothing. */
char *gnuplot_draw(const char *script, size_t script_size, size_t *size);

/* Draws the script that `write_script` writes of `data`, into the file `path`: completely or not at all. Returns an
 * exit code, after a message when it is not EXIT_OK. */
int gnuplot_write(void (*write_script)(const void *data, FILE *file), const void *data, const char *path);

#endif
