/* SPDX-License-Identifier: MIT
 *
 * Compiling in a worker process. The parent process sees the signal that ends it; this file adds the stage and the
 * kernel as the last line on stderr. The signal handlers call only async-signal-safe functions.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "compiler/stage.h"
#include "util/array.h"

#define STACK_BYTES 65536 /* clang overflows its stack on deeply nested source */

static struct compiler_progress progress = {.stage = COMPILER_STAGE_DONE};

static void write_text(const char *text)
{
   const ssize_t written = write(STDERR_FILENO, text, strlen(text));

   (void)written;
}

/* Prints the stage. The handler is removed before it runs (SA_RESETHAND), so sending the signal again ends the
 * process. */
static void tell_stage(int signal)
{
   if (progress.stage != COMPILER_STAGE_DONE) {
      write_text("\nthe compiler crashed in ");
      write_text(compiler_stage_name(progress.stage));
      write_text(progress.kernel[0] != '\0' ? ", kernel " : "");
      write_text(progress.kernel);
      write_text("\n");
   }
   raise(signal);
}

int compiler_set_worker(void)
{
   static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};
   static char stack[STACK_BYTES];
   const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
   struct sigaction action = {.sa_handler = tell_stage, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK | SA_NODEFER};

   if (sigaltstack(&alternate, NULL) < 0) {
      return -errno;
   }
   sigemptyset(&action.sa_mask);
   for (size_t i = 0; i < ARRAY_COUNT(signals); i++) {
      if (sigaction(signals[i], &action, NULL) < 0) {
         return -errno;
      }
   }
   compiler_stage_set(&progress);
   compiler_set_in_process(true);
   return 0;
}
