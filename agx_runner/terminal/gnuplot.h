/* SPDX-License-Identifier: MIT
 *
 * Runs gnuplot. The script goes to its standard input, so that no file is left behind.
 */
#ifndef AGX_RUNNER_GNUPLOT_H
#define AGX_RUNNER_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Begins a script: an SVG of so many pixels, with a white background, since its lines and texts are black and the page
 * that shows it may be dark. `more`: further words of gnuplot's `set terminal svg`; "". */
void gnuplot_terminal(FILE *script, unsigned width, unsigned height, const char *more);

/* Can it be started? */
bool gnuplot_is_installed(void);
/* What the script draws; free() it. NULL: gnuplot cannot be started, it failed, or it drew nothing. */
char *gnuplot_draw(const char *script, size_t script_size, size_t *size);

/* Draws the script that `write_script` writes of `data`, into the file `path`: completely or not at all. A reader whose
 * pages are dark sees the picture inverted, with its hues kept. Returns an exit code, after a message when it is not
 * EXIT_OK. */
int gnuplot_write(void (*write_script)(const void *data, FILE *file), const void *data, const char *path);

#endif
