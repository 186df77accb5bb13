/* SPDX-License-Identifier: MIT
 *
 * Asks for each try of the shrinker over standard output and input. Invariant: a kernel that fails in another way (a
 * crash instead of a wrong answer) counts as one that passes, so that the smallest one shows the fault of the first.
 */
#include "fuzz/program/shrink_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "fuzz/language.h"
#include "fuzz/opencl/arguments.h"
#include "fuzz/program/write_kernels.h"
#include "fuzz/worker.h"

struct conversation {
   const struct fuzz_settings *settings;
   const struct language *language;
   union fuzz_expected *expected;
   bool differs; /* the failure that is looked for is a wrong answer */
   int code;
   unsigned argument, element; /* of the last answer that differed */
};

/* Returns whether the kernel fails, and sets `differs`. */
static bool ask(struct conversation *talk, void *kernel, bool *differs)
{
   char line[128], word[16] = "";
   if (talk->code != EXIT_OK || !talk->language->evaluate(kernel, talk->expected)) {
      return false;
   }
   talk->code = fuzz_write_kernel(talk->settings, talk->settings->first, kernel, talk->expected);
   if (talk->code == EXIT_OK) {
      printf("try\n");
      fflush(stdout);
      if (fgets(line, sizeof(line), stdin) == NULL) {
         talk->code = complain(EXIT_FAILED, "--shrink: nobody says whether the kernel fails");
      } else if (sscanf(line, "%15s %u %u", word, &talk->argument, &talk->element) < 1) {
         talk->code = complain(EXIT_FAILED, "--shrink: no answer is '%s'", line);
      }
   }
   *differs = strcmp(word, SHRINK_DIFFERS) == 0;
   return *differs || strcmp(word, SHRINK_BREAKS) == 0;
}

static bool fails(void *kernel, void *data)
{
   struct conversation *talk = data;
   bool differs;
   return ask(talk, kernel, &differs) && differs == talk->differs;
}

/* Where the kernel's answer is wrong, by the argument that is. */
static struct fuzz_difference difference_of(const struct conversation *talk, const void *kernel)
{
   struct fuzz_difference difference = {.output = OCL_OUTPUTS};
   if (talk->language == &language_draw) {
      return difference;
   }
   const struct ocl_program *program = kernel;
   struct ocl_arguments list;
   ocl_list_arguments(program, &list);
   if (talk->differs && talk->argument < list.count && list.item[talk->argument].kind == OCL_OUTPUT) {
      difference.output = list.item[talk->argument].slot;
      difference.lane = talk->element < program->lanes ? talk->element : 0;
   }
   return difference;
}

static int shrink(struct conversation *talk, void *kernel)
{
   if (!ask(talk, kernel, &talk->differs)) {
      return talk->code != EXIT_OK ? talk->code : complain(EXIT_FAILED, "--shrink: the kernel does not fail");
   }
   const struct fuzz_difference difference = difference_of(talk, kernel);
   talk->language->shrink(kernel, talk->differs ? &difference : NULL, fails, talk);
   if (talk->code == EXIT_OK && talk->language->evaluate(kernel, talk->expected)) {
      talk->code = fuzz_write_kernel(talk->settings, talk->settings->first, kernel, talk->expected);
   }
   return talk->code;
}

int fuzz_shrink_kernel(const struct fuzz_settings *settings)
{
   struct conversation talk = {
       .settings = settings, .language = language_of_driver(settings), .expected = calloc(1, sizeof(*talk.expected))};
   void *kernel = calloc(1, talk.language->bytes);
   int code = EXIT_FAILED;
   if (kernel == NULL || talk.expected == NULL) {
      (void)complain(EXIT_FAILED, "out of memory");
   } else {
      talk.language->generate(kernel, settings, settings->first, fuzz_seed_of(settings, settings->first));
      code = shrink(&talk, kernel);
   }
   free(kernel);
   free(talk.expected);
   return code;
}
