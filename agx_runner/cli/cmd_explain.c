/* SPDX-License-Identifier: MIT
 *
 * explain: where the modelled time of a kernel's launch goes, or without a run, of all kernels of files and folders.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/launch_options.h"
#include "agx_runner/explain/explain.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/replay/job_file.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

struct explain_options {
   struct launch_options launch;
   uint32_t format;   /* enum output_format */
   uint32_t timeline; /* simdgroups; 0: none */
   bool no_simulations;
   const char *trace;    /* file; NULL: none */
   const char *schedule; /* file for the better order; NULL: none */
   bool schedules;       /* rank kernels, run none */
   const char *baseline; /* file of another compiler's --schedules; NULL: none */
   const char *trips;    /* "N,...": argument of --static; NULL: the kernel is run */
   const char *output;   /* NULL: stdout */
};

/* "N,..." to the counts of the settings. */
static int read_trips(const char *text, struct explain_static_settings *settings)
{
   const char *at = text;

   do {
      char *end;

      errno = 0;
      const unsigned long count = strtoul(at, &end, 10);
      if (*at < '0' || *at > '9' || errno != 0 || count < 1 || count > UINT32_MAX || (*end != ',' && *end != '\0') ||
          settings->trip_count == EXPLAIN_TRIPS) {
         return complain(EXIT_INVALID, "--static '%s': expected up to %d loop counts from 1 on, as 100 or 16,100", text,
                         EXPLAIN_TRIPS);
      }
      settings->trips[settings->trip_count++] = (uint32_t)count;
      at = end + (*end == ',');
   } while (at[-1] == ',');
   return EXIT_OK;
}

static int run_static(const struct explain_options *options, const struct compiler_options *compiler)
{
   struct explain_static_settings settings = {
       .paths = &options->launch.line.operands, .program = &options->launch.source.program, .compiler = compiler};

   if (options->schedule != NULL || options->schedules || options->timeline > 0 || options->trace != NULL) {
      return complain(
          EXIT_INVALID,
          "--static runs no kernel: --schedule, --schedules, --timeline and --trace cannot be combined with it");
   }
   const int code = read_trips(options->trips, &settings);
   return code == EXIT_OK ? explain_static(&settings, (enum output_format)options->format, options->output) : code;
}

static int explain_saved_job(const struct explain_options *options)
{
   const struct job_settings settings = launch_job_settings(&options->launch, options->output);
   const char *option = launch_kernels_option(&options->launch);

   option = option != NULL              ? option
            : options->schedule != NULL ? "--schedule"
            : options->schedules        ? "--schedules"
            : options->trips != NULL    ? "--static"
                                        : NULL;
   const int code = job_check_command(&options->launch.line.operands, option);
   return code != EXIT_OK
              ? code
              : job_explain(&settings, &(struct job_explain_settings){.format = (enum output_format)options->format,
                                                                      .timeline = options->timeline,
                                                                      .event_trace = options->trace});
}

static int explain_driver(const struct explain_options *options)
{
   const struct driver_launch_settings settings = launch_driver_settings(&options->launch, false);
   const char *mesa = settings.program->mesa;

   if (options->schedule != NULL) {
      return complain(EXIT_INVALID,
                      "--schedule runs another order of the program, which a driver does not: write the program with "
                      "compile --mesa %s -o FILE.agx, and give that file",
                      mesa);
   }
   return driver_explain(&settings, options->launch.timeout,
                         &(struct job_explain_settings){.format = (enum output_format)options->format,
                                                        .timeline = options->timeline,
                                                        .event_trace = options->trace},
                         options->output);
}

static int explain_kernel(const struct explain_options *options)
{
   const struct explain_launch_settings settings = {.path = options->launch.line.operands.items[0],
                                                    .program = &options->launch.source.program,
                                                    .format = (enum output_format)options->format,
                                                    .timeline = options->timeline,
                                                    .no_simulations = options->no_simulations,
                                                    .trace = options->trace,
                                                    .schedule = options->schedule,
                                                    .output = options->output};

   return launch_run(&options->launch, &settings, false);
}

static int cmd_explain(const void *data)
{
   const struct explain_options *options = data;
   const struct string_list *operands = &options->launch.line.operands;
   const struct compiler_options compiler = {.arguments = options->launch.source.build_options};
   const struct explain_rank_settings settings = {
       .paths = operands,
       .program = &options->launch.source.program,
       .compiler = &compiler,
       .baseline = options->baseline,
   };

   if (options->baseline != NULL && (!options->schedules || options->trips != NULL)) {
      return complain(EXIT_INVALID, "--baseline needs --schedules");
   }
   if (saved_job_is(operands->items[0])) {
      return explain_saved_job(options);
   }
   if (options->trips != NULL) {
      return run_static(options, &compiler);
   }
   if (options->schedules) {
      return options->schedule != NULL
                 ? complain(EXIT_INVALID,
                            "--schedules runs no kernel: --schedule, which does, cannot be combined with it")
                 : explain_rank(&settings, (enum output_format)options->format, options->output);
   }
   if (operands->count > 1) {
      return complain(EXIT_INVALID, "explain takes one file, unless --schedules or --static is given");
   }
   return kernel_file_has_driver(operands->items[0], settings.program) ? explain_driver(options)
                                                                       : explain_kernel(options);
}

static const struct output_offer explain_offers[] = {{FORMAT_TEXT, NULL}, {FORMAT_JSON, NULL}, {FORMAT_HTML, NULL}};
static const struct output_formats explain_formats = {explain_offers, ARRAY_COUNT(explain_offers),
                                                      sizeof(explain_offers[0])};

#define FIELD(member) .field = offsetof(struct explain_options, member)
/* clang-format off */
static const struct option_row explain_rows[] = {
   {&option_device, FIELD(launch.device)},
   {&option_seed, FIELD(launch.seed)},
   {&option_kernel, FIELD(launch.source.program.kernel)},
   {.group = launch_rows, FIELD(launch.exec)},
   {&option_timeout, FIELD(launch.timeout)},
   {.group = source_rows, FIELD(launch.source)},
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &explain_formats,
           .initial = "text",
           .help = "text, json, or html: a page with stall bars, the timeline as a picture, and the source beside the "
                   "code"), FIELD(format)},
   {OPTION(.name = "timeline", .metavar = "N", .kind = KIND_U32, .min = 1, .max = 32,
           .help = "show how N simdgroups of a scheduler pass through the hottest block, cycle by cycle [default: none; "
                   "4 in html]"), FIELD(timeline)},
   {OPTION(.name = "no-simulations", .kind = KIND_FLAG,
           .help = "do not simulate what would make the launch faster: takes less time, but gives no findings"),
    FIELD(no_simulations)},
   {OPTION(.name = "trace", .metavar = "OUT.json", .kind = KIND_STRING, .min = 1,
           .help = "write every issue and stall of the core as a trace for Perfetto or chrome://tracing"), FIELD(trace)},
   {OPTION(.name = "schedule", .metavar = "OUT.agx", .kind = KIND_STRING, .min = 1,
           .help = "search a better order of the instructions, run it on the same data, and write it when all buffers "
                   "are equal"), FIELD(schedule)},
   {OPTION(.name = "static", .metavar = "N,...", .kind = KIND_STRING, .min = 1,
           .help = "run nothing: show bounds and cycles of all kernels of the files and folders. Outer loops are "
                   "assumed to run N times, each level of inner loops as often as the next number says"), FIELD(trips)},
   {OPTION(.name = "schedules", .kind = KIND_FLAG,
           .help = "run nothing: rank the kernels of all files and folders by the time that their order of "
                   "instructions loses"), FIELD(schedules)},
   {OPTION(.name = "baseline", .metavar = "FILE.json", .kind = KIND_STRING, .min = 1,
           .help = "with --schedules: compare with another compiler's --schedules --format json, and list the kernels "
                   "that are ordered better or worse; exit with 98 if their sum is 1 % longer"), FIELD(baseline)},
   {&option_output, FIELD(output)},
   {0},
};
/* clang-format on */

const struct command command_explain = {
    .name = "explain",
    .operands = "FILE.cl|FILE.spv|FILE.agx|JOB.agxjob",
    .operands_min = 1,
    .operands_max = UINT_MAX,
    .summary = "run one kernel, or a saved job, on a virtual device, and show where its modelled time goes and what "
               "would make it faster",
    .rows = explain_rows,
    .size = sizeof(struct explain_options),
    .run = cmd_explain,
};
