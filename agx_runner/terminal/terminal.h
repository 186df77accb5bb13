/* SPDX-License-Identifier: MIT
 *
 * Asks what the terminal can do: its width, and whether it takes control sequences.
 */
#ifndef AGX_RUNNER_TERMINAL_H
#define AGX_RUNNER_TERMINAL_H

#include <stdbool.h>

/* Does it understand colours and the erasing of a line (ECMA-48)? Not where TERM is dumb, empty or missing. */
bool terminal_is_able(int fd);
/* Whether text that goes there has colour: on such a terminal, unless NO_COLOR asks for none (https://no-color.org). */
bool terminal_wants_colour(int fd);
/* 0: not known. */
unsigned terminal_columns(int fd);

#endif
