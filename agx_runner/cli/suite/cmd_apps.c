/* SPDX-License-Identifier: MIT
 *
 * agx-runner apps: real applications on a virtual GPU with a Mesa's drivers, run by the same runner of processes as
 * `piglit`. Invariant: the folder in which cases work is removed whether the run ends well or not.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agx_runner/apps/work.h"
#include "agx_runner/cli/suite/suite.h"
#include "agx_runner/cli/shared/kept.h"
#include "agx_runner/cli/shared/shard.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/piglit/device.h"
#include "agx_runner/piglit/report.h"
#include "agx_runner/report/formats.h"
#include "agx_runner/runs/work_run.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/place.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/with_device/with_device.h"
#include "process/child/call.h"
#include "drivers/find.h"
#include "util/array.h"
#include "util/clock.h"

#define DEFAULT_MESA "sid"

struct apps_options {
   struct kept_options kept; /* of the settings: device, reruns, run_timeout, results */
   uint32_t jobs;
   bool check, list, fetch;
   const char *mesa, *expect, *shard, *collect;
   double timeout; /* of a case, seconds */
};

static const struct output_offer offers[] = {
    {FORMAT_SUMMARY, NULL}, {FORMAT_JSON, NULL}, {FORMAT_CSV, NULL},
    {FORMAT_JUNIT, NULL},   {FORMAT_TAP, NULL},  {FORMAT_MARKDOWN, NULL},
};
static const struct output_formats formats = {offers, ARRAY_COUNT(offers), sizeof(offers[0])};

#define FIELD(member) .field = offsetof(struct apps_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {&option_device, FIELD(kept.run.device)},
   {OPTION(.name = "mesa", .metavar = "WHICH", .kind = KIND_STRING, .min = 1, .variable = MESA_VARIABLE,
           .help = "a folder of ci/mesa-get, or with \":software\" behind it its drivers for the processor "
                   "[default: " DEFAULT_MESA "]"), FIELD(mesa)},
   {OPTION(.name = "list", .kind = KIND_FLAG,
           .help = "print the applications, or the cases of those that are named, and run nothing"), FIELD(list)},
   {OPTION(.name = "fetch", .kind = KIND_FLAG,
           .help = "fetch missing packages with ci/mesa-get into the Mesa's folder"), FIELD(fetch)},
   {&option_shard, FIELD(shard)},
   {OPTION(.name = "collect", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
           .help = "keep each program that is launched, and the sources, once in this folder, as with-device does"), FIELD(collect)},
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &formats,
           .initial = "summary", .help = "summary, json, csv, junit, tap or markdown"), FIELD(kept.format)},
   {OPTION(.letter = 'j', .name = "jobs", .metavar = "N", .kind = KIND_U32, .min = 1, .max = 1024, .initial = "1",
           .help = "number of worker processes"), FIELD(jobs)},
   {&option_check, FIELD(check)},
   {OPTION(.name = "timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .max = 86400, .initial = "600",
           .help = "limit of a case: the time that its processes work or sleep"), FIELD(timeout)},
   {&option_expect, FIELD(expect)},
   {&option_results, FIELD(kept.run.results)},
   {&option_resume, FIELD(kept.resume)},
   {&option_reruns, FIELD(kept.run.reruns)},
   {&option_run_timeout, FIELD(kept.run.run_timeout)},
   {&option_output, FIELD(kept.output)},
   {0},
};
/* clang-format on */

/* ---- The list ---- */

static void print_applications(const struct mesa *mesa)
{
   for (size_t i = 0; i < application_count; i++) {
      const struct application *application = &applications[i];
      char why[MESA_PATH];
      printf("%-14s %s; answers: %s\n", application->name, application->what, application->answers);
      if (application_lacks(application, mesa, why, sizeof(why))) {
         printf("%-14s cannot run: %s\n", "", why);
      }
   }
}

/* ---- Packages ---- */

/* The suite whose Mesa the folder has, as its program says: "... with Mesa of sid: run PROGRAM". */
static bool read_suite(const struct mesa *mesa, char suite[64])
{
   char path[MESA_PATH + 8], line[512];
   bool found = false;
   snprintf(path, sizeof(path), "%s/run", mesa->path);
   FILE *file = fopen(path, "r");
   while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
      const char *at = strstr(line, "with Mesa of ");
      found = at != NULL && sscanf(at, "with Mesa of %63[a-z0-9-]", suite) == 1;
   }
   if (file != NULL) {
      fclose(file);
   }
   return found;
}

struct fetching {
   const char *program, *suite, *folder, *packages; /* packages NULL: the program takes the folder alone */
};

static void fetch_packages(void *data)
{
   const struct fetching *fetching = data;
   struct string_list words = {.count = 0};
   char *text = fetching->packages != NULL ? strdup(fetching->packages) : NULL, *rest = text;
   bool good = (text != NULL || fetching->packages == NULL) && string_list_add(&words, fetching->program);
   for (char *name; good && (name = strsep(&rest, " ")) != NULL;) {
      good = string_list_add(&words, "--add") && string_list_add(&words, name);
   }
   good = good && (text == NULL || string_list_add(&words, fetching->suite)) &&
          string_list_add(&words, fetching->folder) && string_list_add(&words, NULL);
   if (good && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
      execv(fetching->program, (char **)words.items);
      complain(EXIT_FAILED, "%s: %s", fetching->program, strerror(errno));
   }
   _exit(EXIT_FAILED);
}

/* Runs a program of ci/. packages: what ci/mesa-get is told to add; NULL: it is another program. */
static int fetch_by(const char *script, const char *packages, const struct application *application,
                    const struct mesa *mesa)
{
   char program[PLACE_PATH], built[64], suite[64], why[200];
   const struct place place = {NULL, built, "libexec"};
   struct call_limits limits = {.work = 1800, .idle = 600};
   snprintf(built, sizeof(built), "../ci/%s", script);
   if (!place_look(&place, program) || !read_suite(mesa, suite)) {
      return complain(EXIT_FAILED, "%s: --fetch needs agx-runner's source tree, whose ci/%s fetches packages",
                      application->name, script);
   }
   struct fetching fetching = {program, suite, mesa->path, packages};
   const struct call_fate fate = call_run(fetch_packages, &fetching, &limits);
   if (fate.end == CALL_DONE || (fate.end == CALL_EXITED && fate.number == 0)) {
      return EXIT_OK;
   }
   call_describe(&fate, &limits, why, sizeof(why));
   return complain(EXIT_FAILED, "%s: its packages could not be fetched: %s", application->name, why);
}

static int fetch(const struct application *application, const struct mesa *mesa)
{
   const int code = fetch_by("mesa-get", application->packages, application, mesa);
   return code == EXIT_OK && application->setup != NULL ? fetch_by(application->setup, NULL, application, mesa) : code;
}

static int need(const struct apps_options *options, const struct application *application, const struct mesa *mesa)
{
   char why[MESA_PATH];
   if (application_lacks(application, mesa, why, sizeof(why)) && options->fetch) {
      const int code = fetch(application, mesa);
      if (code != EXIT_OK) {
         return code;
      }
   }
   return application_lacks(application, mesa, why, sizeof(why))
              ? complain(EXIT_INVALID, "%s: %s", application->name, why)
              : EXIT_OK;
}

/* ---- The cases ---- */

/* "clblast", or "clblast@gemm". */
static const struct application *named(const char *operand)
{
   char name[64];
   snprintf(name, sizeof(name), "%.*s", (int)strcspn(operand, "@"), operand);
   return application_find(name);
}

static int add_named(const struct apps_options *options, const struct mesa *mesa, const char *device,
                     struct app_units *units)
{
   int code = EXIT_OK;
   for (size_t i = 0; code == EXIT_OK && i < options->kept.line.operands.count; i++) {
      const char *operand = options->kept.line.operands.items[i];
      const struct application *application = named(operand);
      const size_t before = units->count;
      if (application == NULL) {
         return complain(EXIT_INVALID, "'%s' is no application: agx-runner apps --list prints them", operand);
      }
      code = need(options, application, mesa);
      code = code == EXIT_OK ? app_units_add(units, application, operand, mesa, device) : code;
      if (code == EXIT_OK && units->count == before) {
         code = complain(EXIT_INVALID, "%s: no case has that name: agx-runner apps --list %s prints them", operand,
                         application->name);
      }
   }
   return code;
}

/* Without operands: all that this Mesa's folder has the packages of. */
static int add_all(const struct apps_options *options, const struct mesa *mesa, const char *device,
                   struct app_units *units)
{
   int code = EXIT_OK;
   for (size_t i = 0; code == EXIT_OK && i < application_count; i++) {
      char why[MESA_PATH];
      if (options->fetch || !application_lacks(&applications[i], mesa, why, sizeof(why))) {
         code = need(options, &applications[i], mesa);
         code = code == EXIT_OK ? app_units_add(units, &applications[i], NULL, mesa, device) : code;
      } else {
         note("%s is left out: %s", applications[i].name, why);
      }
   }
   return code;
}

static int collect(const struct apps_options *options, const struct mesa *mesa, const char *device,
                   struct app_units *units)
{
   struct shard shard;
   int code = shard_parse(options->shard, &shard);
   if (code == EXIT_OK) {
      code = (options->kept.line.operands.count > 0 ? add_named : add_all)(options, mesa, device, units);
   }
   if (code == EXIT_OK) {
      app_units_shard(units, shard.number, shard.of);
      code = units->count > 0 ? EXIT_OK : complain(EXIT_INVALID, "there is no case to run");
   }
   return code;
}

/* ---- The run ---- */

struct apps_report {
   const struct apps_options *options;
   double start;
};

static int write_results(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct apps_report *report = data;
   const struct apps_options *options = report->options;
   (void)whole;
   const int ret =
       options->kept.format == FORMAT_SUMMARY
           ? piglit_write_summary(run, options->expect != NULL, util_clock_seconds() - report->start, output->file)
           : run_write(run, options->kept.format, output->file);
   return ret < 0 ? complain(EXIT_FAILED, "out of memory") : output_commit(output);
}

static int choose_mesa(const struct apps_options *options, struct mesa *mesa, struct mesa *software)
{
   char name[MESA_PATH + sizeof(MESA_SOFTWARE)];
   mesa_describe(options->mesa != NULL ? options->mesa : DEFAULT_MESA, mesa);
   if (mesa->why[0] != '\0') {
      return complain(EXIT_INVALID, "--mesa %s: %s", mesa->name, mesa->why);
   }
   snprintf(name, sizeof(name), "%s" MESA_SOFTWARE, mesa->path);
   mesa_describe(name, software);
   return software->why[0] == '\0' ? EXIT_OK : complain(EXIT_INVALID, "--mesa %s: %s", name, software->why);
}

static bool make_folder(char folder[64])
{
   const char *temporary = getenv("TMPDIR");
   return snprintf(folder, 64, "%s/agx-runner-apps-XXXXXX", temporary != NULL ? temporary : "/tmp") < 64 &&
          mkdtemp(folder) != NULL;
}

/* One cache of Mesa's for all cases: without it each one that uses OpenCL compiles libclc anew, for seconds. */
static bool share_cache(const char *folder)
{
   char path[96];
   return snprintf(path, sizeof(path), "%s/mesa-cache", folder) < (int)sizeof(path) && mkdir(path, 0700) == 0 &&
          setenv("MESA_SHADER_CACHE_DIR", path, 1) == 0;
}

static int execute_units(const struct apps_options *options, const struct run_settings *settings, struct work_run *run,
                         const struct mesa *mesa)
{
   char *spec = NULL;
   int code = work_run_prepare(run);
   code = code == EXIT_OK ? work_run_open(run) : code;
   if (code == EXIT_OK) {
      result_run_set_mesa(&run->results, mesa->name, mesa->version);
   }
   if (code == EXIT_OK && run->needed) {
      spec = piglit_device_spec(settings->device, &run->info, work_run_processes(run), options->check);
      if (spec != NULL && options->collect != NULL) {
         char *longer = with_device_folder(spec, "--collect", "collect", options->collect);
         free(spec);
         spec = longer;
         if (spec == NULL || !with_device_set_driver(mesa->version)) {
            code = complain(EXIT_FAILED, "--collect %s: programs cannot be collected there", options->collect);
         }
         code = code == EXIT_OK ? with_device_keep_sources(options->collect) : code;
      }
      run->pool.device = spec;
      code = code != EXIT_OK ? code : spec == NULL ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
   }
   if (code == EXIT_OK) {
      const struct apps_report format = {options, util_clock_seconds()};
      const struct work_report report = {.path = options->kept.output, .write = write_results, .data = &format};
      code = work_run_execute(run, &report);
   }
   if (options->collect != NULL) {
      with_device_drop_sources(options->collect);
   }
   work_run_finish(run);
   free(spec);
   return code;
}

/* dir: NULL, or open. */
static int execute(const void *given, struct results_dir *dir)
{
   const struct apps_options *options = given;
   struct app_units units = {.count = 0};
   struct expectations *expectations = NULL;
   struct run_settings settings = options->kept.run;
   struct mesa mesa, software;
   char folder[64] = "";

   settings.device = strcmp(settings.device, "auto") == 0 ? "virtual:m1" : settings.device;
   settings.timeout = settings.test_timeout = settings.idle_timeout = options->timeout;
   int code = asahi_spec_is_virtual(settings.device)
                  ? choose_mesa(options, &mesa, &software)
                  : complain(EXIT_INVALID, "apps: %s: only virtual devices can be given to programs", settings.device);
   code = code == EXIT_OK ? work_run_load_folder(options->expect, &expectations) : code;
   code = code == EXIT_OK ? collect(options, &mesa, settings.device, &units) : code;
   if (code == EXIT_OK && (!make_folder(folder) || !share_cache(folder))) {
      code = complain(EXIT_FAILED, "%s: %s", folder, strerror(errno));
   }
   if (code == EXIT_OK) {
      struct app_work data = {.units = &units, .mesa = &mesa, .software = &software, .folder = folder};
      const struct work work = app_work(&data);
      struct work_run run = {.settings = &settings,
                             .work = &work,
                             .expectations = expectations,
                             .dir = dir,
                             .command_line = options->kept.line.text,
                             .jobs = options->jobs};
      code = execute_units(options, &settings, &run, &mesa);
      app_remove_tree(folder);
   }
   app_units_finish(&units);
   expectations_destroy(expectations);
   return code;
}

static int list(const struct apps_options *options)
{
   struct app_units units = {.count = 0};
   struct mesa mesa, software;
   int code = choose_mesa(options, &mesa, &software);
   if (code == EXIT_OK && options->kept.line.operands.count == 0) {
      print_applications(&mesa);
      return EXIT_OK;
   }
   code = code == EXIT_OK ? collect(options, &mesa, "virtual:m1", &units) : code;
   for (size_t i = 0; code == EXIT_OK && i < units.count; i++) {
      puts(units.items[i].name);
   }
   app_units_finish(&units);
   return code;
}

static int cmd_apps(const void *given)
{
   const struct apps_options *options = given;
   return options->list ? list(options) : kept_run(&command_apps, options, execute);
}

const struct command command_apps = {
    .name = "apps",
    .operands = "[NAME[@CASE]...]",
    .operands_min = 0,
    .operands_max = UINT_MAX,
    .summary = "run real applications with a Mesa's drivers, and judge their answers",
    .rows = rows,
    .size = sizeof(struct apps_options),
    .run = cmd_apps,
};
