/* SPDX-License-Identifier: MIT
 *
 * compare: two runs, or two folders of programs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agx_runner/compare.h"
#include "agx_runner/gate.h"
#include "agx_runner/output.h"
#include "agx_runner/program_folder.h"
#include "agx_runner/runner.h"

static int load_file(const char *path, struct result_run *run)
{
   char message[256];
   const int ret = result_run_load(path, run, message, sizeof(message));

   return ret == 0 ? EXIT_OK : complain(ret == -ENOMEM ? EXIT_FAILED : EXIT_INVALID, "%s: %s", path, message);
}

static int load(const struct options *options, const char *operand, struct result_run *run)
{
   struct stat status;

   return stat(operand, &status) == 0 && S_ISDIR(status.st_mode) ? program_folder_load(operand, options, run)
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

static int compare(const struct options *options, const struct gate *gate, const struct result_run *runs)
{
   struct comparison comparison;
   struct output output = {0};
   int code =
       compare_runs(&runs[0], &runs[1], NULL, NULL, &comparison) < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;

   if (code == EXIT_OK) {
      code = output_open(&output, options->output);
   }
   if (code == EXIT_OK) {
      code = compare_write(&comparison, &runs[0], &runs[1], options->compare_format, output.file) < 0
                 ? complain(EXIT_FAILED, "out of memory")
                 : output_commit(&output);
   }
   if (code == EXIT_OK) {
      code = gate_check(gate, &comparison);
   }
   output_discard(&output);
   comparison_finish(&comparison);
   return code;
}

int cmd_compare(const struct options *options)
{
   struct result_run runs[2] = {0};
   struct gate gate;
   int code = gate_parse(&options->fail_on, &gate);

   for (unsigned i = 0; code == EXIT_OK && i < 2; i++) {
      code = load(options, options->operands.items[i], &runs[i]);
   }
   if (code == EXIT_OK) {
      code = check_pair(options, runs);
   }
   if (code == EXIT_OK) {
      code = compare(options, &gate, runs);
   }
   for (unsigned i = 0; i < 2; i++) {
      result_run_finish(&runs[i]);
   }
   return code;
}
