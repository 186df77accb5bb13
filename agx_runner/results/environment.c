/* SPDX-License-Identifier: MIT
 *
 * The version, and the variable of the compilation cache.
 */
#include "agx_runner/results/environment.h"

#include "agx_runner/terminal/runner.h"
#include "compiler/cache/cache.h"
#include "compiler/compiler.h"

int environment_version(FILE *file)
{
   fprintf(file, "agx-runner %s (Mesa %s)\n", AGX_RUNNER_VERSION, compiler_mesa_version());
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
