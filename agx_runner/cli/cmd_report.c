/* SPDX-License-Identifier: MIT
 *
 * report: writes a run, with its history, as an HTML page.
 */
#include <errno.h>
#include <stdlib.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/report/report.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/terminal/runner.h"

struct report_options {
   struct command_line line;
   const char *store;            /* file of runs; NULL: none */
   const char *sweep;            /* table of a sweep; NULL: none */
   struct string_list explained; /* pages of explain */
   const char *output;           /* NULL: stdout */
   const char *compiler;         /* compiler_choose(): of the code that the page shows */
};

#define FIELD(member) .field = offsetof(struct report_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {&option_store, FIELD(store)},
   {OPTION(.name = "sweep", .metavar = "FILE.csv", .kind = KIND_STRING, .min = 1,
           .help = "show the curves of this table of `sweep ilp`"), FIELD(sweep)},
   {OPTION(.name = "explained", .metavar = "FILE.html", .kind = KIND_LIST,
           .help = "add this page of `explain --format html`, which shows where a kernel's cycles go"),
    FIELD(explained)},
   {&option_compiler, FIELD(compiler)},
   {&option_output, FIELD(output)},
   {0},
};
/* clang-format on */

/* Messages are printed; an enum exit_code. */
static int read_pages(const struct string_list *paths, struct report_pages *pages)
{
   int code = EXIT_OK;

   for (size_t i = 0; i < paths->count && code == EXIT_OK; i++) {
      uint8_t *text = NULL;
      size_t size;

      code = file_read(paths->items[i], &text, &size);
      const int ret = code == EXIT_OK ? report_pages_add(pages, (const char *)text) : 0;
      if (ret == -EINVAL) {
         code = complain(EXIT_INVALID, "%s: not a page of this version's `explain --format html`", paths->items[i]);
      } else if (ret < 0) {
         code = complain(EXIT_FAILED, "out of memory");
      }
      free(text);
   }
   return code;
}

static int write_report(const struct report_options *options, const struct result_run *run,
                        const struct history *history)
{
   struct output output = {0};
   struct report_pages pages = {0};
   uint8_t *sweep = NULL;
   size_t size;
   int code = read_pages(&options->explained, &pages);

   if (code == EXIT_OK && options->sweep != NULL) {
      code = file_read(options->sweep, &sweep, &size);
   }
   if (code == EXIT_OK) {
      code = output_open(&output, options->output);
   }
   if (code == EXIT_OK) {
      const struct report_extras extras = {.history = history, .sweep = (const char *)sweep, .pages = &pages};
      const int ret = report_write(run, &extras, output.file);

      code = ret == -EINVAL ? complain(EXIT_INVALID, "%s: not a table of `sweep ilp`", options->sweep)
             : ret < 0      ? complain(EXIT_FAILED, "out of memory")
                            : output_commit(&output);
   }
   free(sweep);
   report_pages_finish(&pages);
   output_discard(&output);
   return code;
}

/* The run that the operand names, and all that the store knows. */
static int report_from_store(const struct report_options *options, const char *name)
{
   const struct string_list all = {0};
   struct history history = {0};
   struct result_run run = {0};
   struct store *store;
   int code = store_open(options->store, false, &store);

   if (code == EXIT_OK) {
      code = store_load(store, name, &run);
   }
   if (code == EXIT_OK) {
      code = history_read(store, &all, &history);
   }
   if (code == EXIT_OK) {
      code = write_report(options, &run, &history);
   }
   history_finish(&history);
   result_run_finish(&run);
   store_close(store);
   return code;
}

static int cmd_report(const void *data)
{
   const struct report_options *options = data;
   const char *operand = options->line.operands.count > 0 ? options->line.operands.items[0] : NULL;
   struct result_run run;
   char message[256];

   int code = compiler_choose(options->compiler);
   if (code != EXIT_OK) {
      return code;
   }
   if (options->store != NULL) {
      return report_from_store(options, operand != NULL ? operand : "latest");
   }
   if (operand == NULL) {
      return complain(EXIT_INVALID, "report: FILE is missing (agx-runner report --help)");
   }
   const int ret = result_run_load(operand, &run, message, sizeof(message));
   if (ret < 0) {
      return complain(ret == -ENOMEM ? EXIT_FAILED : EXIT_INVALID, "%s: %s", operand, message);
   }
   code = write_report(options, &run, NULL);
   result_run_finish(&run);
   return code;
}

const struct command command_report = {
    .name = "report",
    .operands = "FILE|RUN",
    .operands_min = 0,
    .operands_max = 1,
    .summary = "write a result file, or a run of a store with its history, as an HTML page",
    .rows = rows,
    .size = sizeof(struct report_options),
    .run = cmd_report,
};
