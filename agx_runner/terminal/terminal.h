/* SPDX-License-Identifier: MIT
 *
 * Queries the terminal: its width, and whether it supports control sequences.
 */
#ifndef AGX_RUNNER_TERMINAL_H
#define AGX_RUNNER_TERMINAL_H

#include <stdbool.h>

/* Whether it supports colours and erasing a line (ECMA-48). It does not if TERM is dumb, empty or missing. */
bool terminal_is_able(int fd);
/* Whether text that goes there has colour: on such a terminal, unless NO_COLOR asks for none (https://no-color.org). */
bool terminal_wants_colour(int fd);
/* 0: not known. */
unsigned terminal_columns(int fd);

#endif
