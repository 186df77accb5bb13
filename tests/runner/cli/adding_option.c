/* SPDX-License-Identifier: MIT
 *
 * The option that docs/adding-an-option.md adds is complete with its row and its field: default, value, range, help,
 * and what completions see. The table is that of the program, compiled with files that adding_row.py made.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/run_options.h"
#include "agx_runner/terminal/runner.h"
#include "tests/check.h"

/* `run` without its code, which has nothing to do with options. */
static const struct command command = {
    .name = "run",
    .operands = "[PATTERN...]",
    .operands_max = 9,
    .summary = "run benchmarks",
    .rows = run_rows,
    .size = sizeof(struct run_options),
};

static int parse(char **words, int count, struct run_options *options)
{
   return options_parse(&command, count, words, options);
}

static void test_value(void)
{
   char *given[] = {"run", "--rounds=7", NULL};
   struct run_options options;

   CHECK(parse(given, 2, &options) == OPTIONS_RUN && options.rounds == 7, "%u", options.rounds);
   options_finish(&command, &options);
}

static void test_others(void)
{
   char *none[] = {"run", NULL}, *bad[] = {"run", "--rounds=0", NULL};
   struct run_options options;

   CHECK(parse(none, 1, &options) == OPTIONS_RUN && options.rounds == 1, "%u", options.rounds);
   options_finish(&command, &options);
   CHECK(parse(bad, 2, &options) == EXIT_INVALID, "0 rounds");
   options_finish(&command, &options);
}

static void test_help(void)
{
   char *text = NULL;
   size_t size;
   FILE *file = open_memstream(&text, &size);
   struct option_list list;
   bool seen = false;

   if (file == NULL) {
      exit(EXIT_FAILURE);
   }
   options_help(&command, file);
   if (fclose(file) != 0) {
      exit(EXIT_FAILURE);
   }
   CHECK(strstr(text, "--rounds") != NULL && strstr(text, "number of rounds [default: 1]") != NULL, "%s", text);
   free(text);
   options_list(&command, &list);
   for (size_t i = 0; i < list.count; i++) {
      seen |= strcmp(list.rows[i].option->name, "rounds") == 0 && strcmp(list.rows[i].option->metavar, "N") == 0;
   }
   CHECK(seen, "completions");
}

int main(void)
{

   test_value();
   test_others();
   test_help();
   return check_result();
}
