/* SPDX-License-Identifier: MIT
 *
 * Queries the terminal: its width, and whether it supports control sequences.
 */
#include "agx_runner/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is_able(int fd)
{
   const char *kind = getenv("TERM");

   return isatty(fd) == 1 && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

bool terminal_wants_colour(int fd)
{
   const char *no_colour = getenv("NO_COLOR");

   return terminal_is_able(fd) && (no_colour == NULL || no_colour[0] == '\0');
}

unsigned terminal_columns(int fd)
{
   struct winsize size;

   return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
