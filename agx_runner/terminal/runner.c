/* SPDX-License-Identifier: MIT
 *
 * Prints error messages and notes on stderr.
 */
#include "agx_runner/terminal/runner.h"

#include <stdarg.h>
#include <stdio.h>

static void print(const char *format, va_list arguments)
{
   fflush(stdout);
   fputs("agx-runner: ", stderr);
   vfprintf(stderr, format, arguments);
   fputc('\n', stderr);
}

int complain(int code, const char *format, ...)
{
   va_list arguments;

   va_start(arguments, format);
   print(format, arguments);
   va_end(arguments);
   return code;
}

void note(const char *format, ...)
{
   va_list arguments;

   va_start(arguments, format);
   print(format, arguments);
   va_end(arguments);
}
