/* SPDX-License-Identifier: MIT
 *
 * compare: two runs, or two folders of programs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agx_runner/compare/compare_show.h"
#include "agx_runner/cli/options.h"
#include "agx_runner/program/program_folder.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/results/store.h"

/* Where noise floors come from. */
struct known {
   struct store *store;
   const struct result_run *run;
   int64_t before; /* the later one of those compared: what is in question is no evidence */
};

static int load_file(const char *path, struct result_run *run)
{
   char message[256];
   const int ret = result_run_load(path, run, message, sizeof(message));

   return ret == 0 ? EXIT_OK : complain(ret == -ENOMEM ? EXIT_FAILED : EXIT_INVALID, "%s: %s", path, message);
}

static double floor_of(void *data, const char *name)
{
   const struct known *known = data;

   return store_floor(known->store, name, known->run->device.chip, known->run->device.is_virtual, known->before);
}

static int load(const struct options *options, struct store *store, const char *operand, struct result_run *run)
{
   struct stat status;

   if (store != NULL) {
      return store_load(store, operand, run);
   }
   return stat(operand, &status) == 0 && S_ISDIR(status.st_mode)
              ? program_folder_load(operand, &options->program, options->command_line, run)
              : load_file(operand, run);
}

static int check_pair(const struct options *options, const struct result_run *runs)
{
   if (runs[0].device.is_virtual != runs[1].device.is_virtual && !options->across) {
      return complain(
          EXIT_INVALID,
          "%s is of a virtual device, whose figures are modelled, and %s of hardware: --across compares them",
          options->operands.items[runs[1].device.is_virtual], options->operands.items[runs[0].device.is_virtual]);
   }
   if (strcmp(runs[0].device.chip, runs[1].device.chip) != 0) {
      note("the chips differ: %s and %s", runs[0].device.chip, runs[1].device.chip);
   }
   return EXIT_OK;
}

static int compare(const struct options *options, struct store *store, const struct fail_on *rules,
                   const struct result_run *runs)
{
   struct known known = {.store = store, .run = &runs[1]};
   const struct compare_show show = {.format = options->compare_format,
                                     .output = options->output,
                                     .fail_on = rules,
                                     .floor_of = store != NULL ? floor_of : NULL,
                                     .floor_data = &known};

   for (unsigned i = 0; store != NULL && i < 2; i++) {
      const int64_t id = store_find(store, options->operands.items[i]);

      known.before = id > known.before ? id : known.before;
   }
   return compare_show(&show, &runs[0], &runs[1]);
}

int cmd_compare(const struct options *options)
{
   struct result_run runs[2] = {0};
   struct store *store = NULL;
   struct fail_on rules;
   int code = fail_on_parse(&options->fail_on, &rules);

   if (code == EXIT_OK && options->store != NULL) {
      code = store_open(options->store, false, &store);
   }

   for (unsigned i = 0; code == EXIT_OK && i < 2; i++) {
      code = load(options, store, options->operands.items[i], &runs[i]);
   }
   if (code == EXIT_OK) {
      code = check_pair(options, runs);
   }
   if (code == EXIT_OK) {
      code = compare(options, store, &rules, runs);
   }
   for (unsigned i = 0; i < 2; i++) {
      result_run_finish(&runs[i]);
   }
   store_close(store);
   return code;
}
