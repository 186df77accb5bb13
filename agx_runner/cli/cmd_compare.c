/* SPDX-License-Identifier: MIT
 *
 * compare: pairs of runs or of folders of programs, and findings of other programs, as one list.
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

static int check_pair(const struct options *options, const char *const *names, const struct result_run *runs)
{
   if (runs[0].device.is_virtual != runs[1].device.is_virtual && !options->across) {
      return complain(
          EXIT_INVALID,
          "%s is of a virtual device, whose figures are modelled, and %s of hardware: --across compares them",
          names[runs[1].device.is_virtual], names[runs[0].device.is_virtual]);
   }
   if (strcmp(runs[0].device.chip, runs[1].device.chip) != 0) {
      note("the chips differ: %s and %s", runs[0].device.chip, runs[1].device.chip);
   }
   return EXIT_OK;
}

static int check_operands(const struct options *options)
{
   const size_t count = options->operands.count;

   if (count == 0 && options->findings.count == 0) {
      return complain(EXIT_INVALID, "compare: A is missing (agx-runner compare --help)");
   }
   if (count % 2 != 0) {
      return count == 1 ? complain(EXIT_INVALID, "compare: B is missing (agx-runner compare --help)")
                        : complain(EXIT_INVALID, "compare: '%s' has nothing to be compared with: each pair is A and B",
                                   options->operands.items[count - 1]);
   }
   if (options->store != NULL && count != 2) {
      return complain(EXIT_INVALID, "compare: --store compares two runs");
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
                                     .findings = &options->findings,
                                     .floor_of = store != NULL ? floor_of : NULL,
                                     .floor_data = &known};

   for (unsigned i = 0; store != NULL && i < 2; i++) {
      const int64_t id = store_find(store, options->operands.items[i]);

      known.before = id > known.before ? id : known.before;
   }
   return compare_show(&show, runs, options->operands.count / 2);
}

int cmd_compare(const struct options *options)
{
   const size_t count = options->operands.count;
   struct result_run *runs = calloc(count + 2, sizeof(*runs));
   struct store *store = NULL;
   struct fail_on rules;
   int code = runs == NULL ? complain(EXIT_FAILED, "out of memory") : check_operands(options);

   if (code == EXIT_OK) {
      code = fail_on_parse(&options->fail_on, &rules);
   }
   if (code == EXIT_OK && options->store != NULL) {
      code = store_open(options->store, false, &store);
   }
   for (size_t i = 0; code == EXIT_OK && i < count; i++) {
      code = load(options, store, options->operands.items[i], &runs[i]);
   }
   for (size_t i = 0; code == EXIT_OK && i < count; i += 2) {
      code = check_pair(options, &options->operands.items[i], &runs[i]);
   }
   if (code == EXIT_OK) {
      code = compare(options, store, &rules, runs);
   }
   for (size_t i = 0; runs != NULL && i < count; i++) {
      result_run_finish(&runs[i]);
   }
   free(runs);
   store_close(store);
   return code;
}
