/* SPDX-License-Identifier: MIT
 *
 * The option that docs/adding-an-option.md adds is complete with its row and its field: default, value, range, help,
 * what completions see, and the word for the other build of --interleave. The sources are those of the program,
 * compiled with files that adding_row.py made.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/options.h"
#include "agx_runner/terminal/runner.h"
#include "tests/runner/check.h"

/* `run` alone: the code of the commands has nothing to do with options. */
const struct command commands[] = {{"run", COMMAND_RUN, "[PATTERN...]", 0, 9, "run benchmarks", NULL}};
const unsigned command_count = 1;

int command_version(FILE *file)
{
   return fputs("agx-runner\n", file) < 0 ? EXIT_FAILED : EXIT_OK;
}

static int parse(char **words, int count, struct options *options)
{
   return options_parse(&commands[0], count, words, options);
}

static void see(void *data, const struct option_view *option)
{
   *(bool *)data |= strcmp(option->name, "rounds") == 0 && strcmp(option->metavar, "N") == 0;
}

static void test_value(unsigned *failures)
{
   char *given[] = {"run", "--rounds=7", NULL};
   struct options options;
   struct string_list words = {0};
   bool forwarded = false;

   CHECK(failures, parse(given, 2, &options) == OPTIONS_RUN && options.rounds == 7, "%u", options.rounds);
   CHECK(failures, options_forward(&commands[0], &options, &words) == EXIT_OK, "forward");
   for (size_t i = 0; i < words.count; i++) {
      forwarded |= strcmp(words.items[i], "--rounds=7") == 0;
   }
   CHECK(failures, forwarded, "not passed on");
   options_forward_finish(&words);
   options_finish(&options);
}

static void test_others(unsigned *failures)
{
   char *none[] = {"run", NULL}, *bad[] = {"run", "--rounds=0", NULL};
   struct options options;

   CHECK(failures, parse(none, 1, &options) == OPTIONS_RUN && options.rounds == 1, "%u", options.rounds);
   options_finish(&options);
   CHECK(failures, parse(bad, 2, &options) == EXIT_INVALID, "0 rounds");
   options_finish(&options);
}

static void test_help(unsigned *failures)
{
   char *text = NULL;
   size_t size;
   FILE *file = open_memstream(&text, &size);
   bool seen = false;

   if (file == NULL) {
      exit(EXIT_FAILURE);
   }
   options_help(&commands[0], file);
   if (fclose(file) != 0) {
      exit(EXIT_FAILURE);
   }
   CHECK(failures, strstr(text, "--rounds") != NULL && strstr(text, "number of rounds [default: 1]") != NULL, "%s",
         text);
   free(text);
   options_each(&commands[0], see, &seen);
   CHECK(failures, seen, "completions");
}

int main(void)
{
   unsigned failures = 0;

   test_value(&failures);
   test_others(&failures);
   test_help(&failures);
   return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
