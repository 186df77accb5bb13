/* SPDX-License-Identifier: MIT
 *
 * agx-runner merge: the results of a run's shards as one run. Invariant: shards are of one device and one Mesa, and no
 * result is in two of them.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agx_runner/cli/suite/suite.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/piglit/report.h"
#include "agx_runner/report/formats.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

struct merge_options {
   struct command_line line;
   uint32_t format;
   const char *output;
};

static const struct output_offer offers[] = {
    {FORMAT_SUMMARY, NULL}, {FORMAT_JSON, NULL}, {FORMAT_CSV, NULL},
    {FORMAT_JUNIT, NULL},   {FORMAT_TAP, NULL},  {FORMAT_MARKDOWN, NULL},
};
static const struct output_formats formats = {offers, ARRAY_COUNT(offers), sizeof(offers[0])};

#define FIELD(member) .field = offsetof(struct merge_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &formats,
           .initial = "summary", .help = "summary, json, csv, junit, tap or markdown"), FIELD(format)},
   {&option_output, FIELD(output)},
   {0},
};
/* clang-format on */

/* A folder of --results has its run in results.json. */
static int load(const char *path, struct result_run *run)
{
   char inside[PATH_MAX], message[512];
   struct stat status;
   if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
      if (snprintf(inside, sizeof(inside), "%s/results.json", path) >= (int)sizeof(inside)) {
         return complain(EXIT_INVALID, "%s: the path is too long", path);
      }
      path = inside;
   }
   return result_run_load(path, run, message, sizeof(message)) == 0 ? EXIT_OK
                                                                    : complain(EXIT_INVALID, "%s: %s", path, message);
}

static int check_same(const char *first_path, const struct result_run *first, const char *path,
                      const struct result_run *run)
{
   const struct {
      const char *what, *before, *here;
   } words[] = {{"device", first->device.name, run->device.name},
                {"device", first->device.path, run->device.path},
                {"Mesa", first->mesa, run->mesa}};
   for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
      if (strcmp(words[i].before, words[i].here) != 0) {
         return complain(EXIT_INVALID, "%s is of another run than %s: its %s is %s, the other's is %s", path,
                         first_path, words[i].what, words[i].here, words[i].before);
      }
   }
   return EXIT_OK;
}

/* Moves the results. */
static int append(struct result_run *whole, struct result_run *part)
{
   for (size_t i = 0; i < part->count; i++) {
      struct result *result = result_add(whole, part->results[i].name);
      if (result == NULL) {
         return complain(EXIT_FAILED, "out of memory");
      }
      result_finish(result);
      *result = part->results[i];
      result_init(&part->results[i], "");
   }
   return EXIT_OK;
}

static int by_name(const void *a, const void *b)
{
   const struct result *left = a, *right = b;
   return strcmp(left->name, right->name);
}

static int check_twice(const struct result_run *run)
{
   for (size_t i = 1; i < run->count; i++) {
      if (strcmp(run->results[i - 1].name, run->results[i].name) == 0) {
         return complain(EXIT_INVALID, "%s is in two of the files: shards of one run have no result in common",
                         run->results[i].name);
      }
   }
   return EXIT_OK;
}

static int collect(const struct string_list *paths, struct result_run *whole)
{
   int code = load(paths->items[0], whole);
   if (code != EXIT_OK) {
      return code;
   }
   for (size_t i = 1; code == EXIT_OK && i < paths->count; i++) {
      struct result_run part;
      code = load(paths->items[i], &part);
      if (code == EXIT_OK) {
         code = check_same(paths->items[0], whole, paths->items[i], &part);
         code = code == EXIT_OK ? append(whole, &part) : code;
         result_run_finish(&part);
      }
   }
   if (whole->count > 0) {
      qsort(whole->results, whole->count, sizeof(*whole->results), by_name);
   }
   code = code == EXIT_OK ? check_twice(whole) : code;
   if (code != EXIT_OK) {
      result_run_finish(whole);
   }
   return code;
}

static double seconds_of(const struct result_run *run)
{
   double sum = 0;
   for (size_t i = 0; i < run->count; i++) {
      sum += run->results[i].seconds > 0 ? run->results[i].seconds : 0;
   }
   return sum;
}

static int write_merged(const struct merge_options *options, const struct result_run *run)
{
   struct output output;
   int code = output_open(&output, options->output);
   if (code == EXIT_OK) {
      const int ret = options->format == FORMAT_SUMMARY ? piglit_write_summary(run, true, seconds_of(run), output.file)
                                                        : run_write(run, options->format, output.file);
      code = ret < 0 ? complain(EXIT_FAILED, "out of memory") : output_commit(&output);
   }
   output_discard(&output);
   return code;
}

static int cmd_merge(const void *given)
{
   const struct merge_options *options = given;
   struct result_run run;
   int code = collect(&options->line.operands, &run);
   if (code != EXIT_OK) {
      return code;
   }
   code = write_merged(options, &run);
   for (size_t i = 0; code == EXIT_OK && i < run.count; i++) {
      code = result_status_is_bad(run.results[i].status) ? EXIT_FAILED : EXIT_OK;
   }
   result_run_finish(&run);
   return code;
}

const struct command command_merge = {
    .name = "merge",
    .operands = "RESULTS...",
    .operands_min = 1,
    .operands_max = UINT_MAX,
    .summary = "join the results of a run's shards: files of --format json, or folders of --results",
    .rows = rows,
    .size = sizeof(struct merge_options),
    .run = cmd_merge,
};
