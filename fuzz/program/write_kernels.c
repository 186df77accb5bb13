/* SPDX-License-Identifier: MIT
 *
 * Writes generated kernels as Piglit tests. Invariant: kernel N in OpenCL C is the one that a run with --language
 * opencl tries as its program N.
 */
#include "fuzz/program/write_kernels.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "fuzz/language.h"
#include "fuzz/worker.h"

int fuzz_write_kernel(const struct fuzz_settings *settings, uint64_t number, const void *kernel,
                      const union fuzz_expected *expected)
{
   const struct language *language = language_of_driver(settings);
   char path[4096], title[64];
   snprintf(path, sizeof(path), "%s/%" PRIu64 "%s", settings->write, number, language->suffix);
   snprintf(title, sizeof(title), "seed %" PRIu64 " program %" PRIu64, settings->seed, number);
   FILE *file = fopen(path, "w");
   if (file == NULL) {
      return complain(EXIT_FAILED, "%s: %s", path, strerror(errno));
   }
   language->write(file, kernel, expected, title);
   const bool written = !ferror(file);
   return fclose(file) == 0 && written ? EXIT_OK : complain(EXIT_FAILED, "%s: it could not be written", path);
}

static int write_one(const struct fuzz_settings *settings, uint64_t number, void *kernel, union fuzz_expected *expected)
{
   const struct language *language = language_of_driver(settings);

   memset(kernel, 0, language->bytes);
   language->generate(kernel, settings, number, fuzz_seed_of(settings, number));
   return language->evaluate(kernel, expected) ? fuzz_write_kernel(settings, number, kernel, expected) : EXIT_OK;
}

int fuzz_write_kernels(const struct fuzz_settings *settings)
{
   void *kernel = calloc(1, language_of_driver(settings)->bytes);
   union fuzz_expected *expected = calloc(1, sizeof(*expected));
   int code = kernel != NULL && expected != NULL ? EXIT_OK : complain(EXIT_FAILED, "out of memory");
   for (uint64_t i = 0; code == EXIT_OK && i < settings->count; i++) {
      code = write_one(settings, settings->first + i, kernel, expected);
   }
   free(kernel);
   free(expected);
   return code;
}
