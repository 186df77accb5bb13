/* SPDX-License-Identifier: MIT
 *
 * Runs gnuplot. The script goes to its standard input, so no file is left behind.
 */
#ifndef AGX_RUNNER_GNUPLOT_H
#define AGX_RUNNER_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Begins a script: an SVG of that many pixels with a white background, because its lines and texts are black and the
 * page that shows it may be dark. `more`: further words of gnuplot's `set terminal svg`; "". */
void gnuplot_terminal(FILE *script, unsigned width, unsigned height, const char *more);

/* Whether gnuplot can be started. */
bool gnuplot_is_installed(void);
/* Returns what the script draws; free() releases it. NULL: gnuplot cannot be started, failed, or drew nothing. */
char *gnuplot_draw(const char *script, size_t script_size, size_t *size);

/* Draws the script that `write_script` writes for `data` into the file `path`: completely or not at all. On dark pages
 * the picture is inverted, with its hues kept. Returns an exit code, after a message if it is not EXIT_OK. */
int gnuplot_write(void (*write_script)(const void *data, FILE *file), const void *data, const char *path);

#endif
