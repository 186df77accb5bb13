/* SPDX-License-Identifier: MIT
 *
 * The version, the variable of the compilation cache, and which agx-compile compiles: a wrong one is told at once where
 * the command line names it, else by the first compilation, as most commands need none.
 */
#include "agx_runner/results/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agx_runner/terminal/place.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"
#include "compiler/cache/cache.h"

int environment_version(FILE *file)
{
   fprintf(file, "agx-runner %s\n", AGX_RUNNER_VERSION);
   return EXIT_OK;
}

int environment_check(void)
{
   const char *limit = compiler_cache_wrong_limit();

   return limit == NULL
              ? EXIT_OK
              : complain(EXIT_INVALID,
                         COMPILER_CACHE_VARIABLE "=%s: expected a whole number of MiB, 0 for no compilation cache",
                         limit);
}

static const struct place place = {"AGX_RUNNER_COMPILER", "compiler/program/agx-compile", AGX_RUNNER_LIBEXECDIR};

static void choose_default(void)
{
   static char path[PLACE_PATH];

   if (path[0] == '\0') {
      const bool found = place_look(&place, path);

      if (!found && !AGX_RUNNER_MESA && getenv(place.variable) == NULL) {
         snprintf(path, sizeof(path),
                  "this agx-runner was built without Mesa: name an agx-compile with --compiler or AGX_RUNNER_COMPILER");
      }
      compiler_set_program(found ? path : NULL, path);
   }
}

int compiler_choose(const char *program)
{
   const char *why;

   struct stat status;

   if (program == NULL) {
      choose_default();
      return EXIT_OK;
   }
   if (stat(program, &status) < 0) {
      return complain(EXIT_INVALID, "--compiler: %s: %s", program, strerror(errno));
   }
   if (!S_ISREG(status.st_mode) || access(program, X_OK) < 0) {
      return complain(EXIT_INVALID, "--compiler: %s: not a program that can be run", program);
   }
   compiler_set_program(program, NULL);
   if (compiler_connect(&why) < 0) {
      return complain(EXIT_INVALID, "--compiler: %s", why);
   }
   /* agx-runners that this one starts, as survey does, use it too */
   char *path = compiler_used() == 0 ? realpath(program, NULL) : NULL;
   if (path != NULL) {
      setenv(place.variable, path, 1);
   }
   free(path);
   return EXIT_OK;
}
