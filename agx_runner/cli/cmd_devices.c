/* SPDX-License-Identifier: MIT
 *
 * devices: what --device can be, and how fast the clock of one is. with-device: another program on one. replay:
 * the jobs of such a program again.
 */
#include <limits.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/measure/measure.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/replay/replay.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/with_device/with_device.h"
#include "drm/asahi.h"
#include "drivers/find.h"
#include "drm/operating_points.h"
#include "util/array.h"

#define CANDIDATES_MAX 64
#define CLOCK_SAMPLES 9

static int list_devices(void)
{
   struct asahi_candidate candidates[CANDIDATES_MAX];
   size_t count = asahi_candidates(candidates, CANDIDATES_MAX);

   count = count > CANDIDATES_MAX ? CANDIDATES_MAX : count;
   for (size_t i = 0; i < count; i++) {
      printf("%-24s %-9s %s\n", candidates[i].path, candidates[i].usable ? "usable" : "-", candidates[i].description);
   }
   printf("\nGPU buffers are pinned memory: on hardware a process of agx-runner takes at most %.1f GiB, half of this "
          "machine's memory.\n",
          (double)asahi_memory_limit() / (UINT64_C(1) << 30));
   printf("Figures of virtual devices come from a model; they are not measurements of hardware.\n");
   return EXIT_OK;
}

static void print_mhz(const char *what, double hz)
{
   printf("%-24s %9.1f MHz\n", what, hz * 1e-6);
}

static void print_points(const struct asahi_device_info *info, double hz)
{
   const uint64_t *points = info->operating_points;
   const size_t count = info->operating_point_count;

   if (count == 0) {
      printf("%-24s %s\n", "operating points",
             info->is_virtual ? "none: the clock does not follow the load" : "none in the device tree");
      return;
   }
   for (size_t i = 0; i < count; i++) {
      print_mhz(i == 0 ? "operating points" : "", (double)points[i]);
   }
   print_mhz("nearest", (double)asahi_operating_point_nearest(points, count, hz));
}

static int show_clock(struct session *session)
{
   const struct measure_settings settings = {.samples = CLOCK_SAMPLES, .seed = 1, .clock = MEASURE_CLOCK_INFER};
   const struct asahi_device_info *info = session->info;
   struct sampler sampler;
   struct result result;
   char why[240];

   result_init(&result, "clock");
   if (!sampler_start(&sampler, session, &settings, why, sizeof(why))) {
      return complain(EXIT_INVALID, "%s", why);
   }
   session_set_result(session, &result);
   const double hz = sampler_clock(&sampler);
   int code = EXIT_OK;
   if (hz <= 0) {
      code = complain(EXIT_FAILED, "%s: %s", info->path, result.reason);
   } else {
      printf("%s: %s%s\n", info->path, info->name, info->is_virtual ? " (virtual, modelled)" : "");
      print_mhz("clock under load", hz);
      if (sampler.idle_ns > 0) {
         note("the host was too busy to submit in time: the GPU had no work for %.1f ms before the clock was measured. "
              "Under load without a pause it may be higher: try again when the machine is idle",
              sampler.idle_ns * 1e-6);
      }
      print_mhz("named by the kernel", info->max_frequency_khz * 1e3);
      print_points(info, hz);
   }
   result_finish(&result);
   sampler_finish(&sampler);
   return code;
}

struct devices_options {
   struct command_line line;
   const char *device;
   bool clock;
   double timeout; /* time limit of a submission, seconds */
};

#define FIELD(member) .field = offsetof(struct devices_options, member)
/* clang-format off */
static const struct option_row devices_rows[] = {
   {&option_device, FIELD(device)},
   {OPTION(.name = "clock", .kind = KIND_FLAG,
           .help = "instead of the list, measure the clock of --device and compare it with the device tree's"),
    FIELD(clock)},
   {&option_timeout, FIELD(timeout)},
   {0},
};
/* clang-format on */
#undef FIELD

static int cmd_devices(const void *data)
{
   const struct devices_options *options = data;
   struct session session = {0};

   if (!options->clock) {
      return list_devices();
   }
   int code = session_open(&session, options->device, options->timeout);
   if (code == EXIT_OK) {
      code = show_clock(&session);
   }
   session_close(&session);
   return code;
}

const struct command command_devices = {
    .name = "devices",
    .operands = "",
    .operands_min = 0,
    .operands_max = 0,
    .summary = "list the devices, and why some cannot be opened",
    .rows = devices_rows,
    .size = sizeof(struct devices_options),
    .run = cmd_devices,
};

struct with_device_options {
   struct command_line line;
   const char *device, *record; /* record: a folder; NULL: none */
   const char *mesa;            /* whose drivers the program uses; NULL: those that it finds itself */
   struct with_device_settings settings;
};

#define FIELD(member) .field = offsetof(struct with_device_options, member)
/* clang-format off */
static const struct option_row with_device_rows[] = {
   {&option_device, FIELD(device)},
   {OPTION(.name = "stats", .kind = KIND_FLAG,
           .help = "list the programs that were launched: launches, threads, instructions, modelled cycles; and which "
                   "instructions the host interpreted instead of running compiled code"),
    FIELD(settings.stats)},
   {OPTION(.name = "ignore-faults", .kind = KIND_FLAG,
           .help = "exit with the program's status even if jobs faulted or checks found something [default: with 98 "
                   "where the program's is 0]"), FIELD(settings.ignore_faults)},
   {OPTION(.name = "trace", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
           .help = "save each job with the memory that it needs in this folder, for replay"), FIELD(settings.trace)},
   {OPTION(.name = "collect", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
           .help = "keep each program that is launched, of every stage, once in this folder, for corpus, compare and "
                   "disasm, and the sources that the driver is given in its folder sources"), FIELD(settings.collect)},
   {OPTION(.name = "post-mortem", .metavar = "OUT.json", .kind = KIND_STRING, .min = 1,
           .help = "write the last fault of each process to this file: job, command, stage, draw, pixels or vertices, "
                   "instruction, registers"), FIELD(settings.post_mortem)},
   {OPTION(.name = "record", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
           .help = "use the machine's own GPU, and save the jobs that the program submits (not yet run on hardware)"),
           FIELD(record)},
   {OPTION(.name = "mesa", .metavar = "WHICH", .kind = KIND_STRING, .min = 1,
           .help = "let the program use the drivers of this Mesa (agx-runner mesas) [default: those that it finds]"),
    FIELD(mesa)},
   {0},
};
/* clang-format on */
#undef FIELD

/* The program's words behind those that choose the Mesa. The caller frees both lists. */
static int choose_mesa(const struct with_device_options *options, struct mesa *mesa, char ***start,
                       struct string_list *words)
{
   bool good = true;

   if (options->mesa != NULL) {
      mesa_describe(options->mesa, mesa);
      if (mesa->kind == MESA_LINKED || mesa->why[0] != '\0') {
         return complain(EXIT_INVALID, "with-device: --mesa %s: %s", options->mesa,
                         mesa->why[0] != '\0' ? mesa->why : "the linked compiler has no drivers");
      }
      *start = mesa_start(mesa);
      good = *start != NULL;
   }
   for (size_t i = 0; good && *start != NULL && (*start)[i] != NULL; i++) {
      good = string_list_add(words, (*start)[i]);
   }
   for (size_t i = 0; good && i < options->line.operands.count; i++) {
      good = string_list_add(words, options->line.operands.items[i]);
   }
   return good ? EXIT_OK : complain(EXIT_FAILED, "out of memory");
}

static int run_with_mesa(const struct with_device_options *options)
{
   struct string_list words = {.count = 0};
   struct with_device_settings settings = options->settings;
   struct mesa mesa = {.kind = MESA_LINKED};
   char **start = NULL;
   int code = choose_mesa(options, &mesa, &start, &words);

   settings.driver = mesa.version[0] != '\0' ? mesa.version : NULL;
   if (code == EXIT_OK) {
      code = options->record != NULL ? with_device_record(&words, options->record)
                                     : with_device_run(options->device, &words, &settings);
   }
   mesa_start_finish(start);
   string_list_finish(&words);
   return code;
}

static int cmd_with_device(const void *data)
{
   const struct with_device_options *options = data;

   if (options->record != NULL) {
      return strcmp(options->device, "auto") == 0 && !options->settings.stats && options->settings.trace == NULL &&
                     options->settings.collect == NULL && options->settings.post_mortem == NULL
                 ? run_with_mesa(options)
                 : complain(EXIT_INVALID, "with-device: --record uses the machine's own GPU: --device, --stats, "
                                          "--trace, --collect and --post-mortem cannot be combined with it");
   }
   return run_with_mesa(options);
}

const struct command command_with_device = {
    .name = "with-device",
    .operands = "[--] COMMAND [ARGUMENT...]",
    .operands_min = 1,
    .operands_max = UINT_MAX,
    .summary = "run any program with a virtual GPU as its render node, and report its launches",
    .rows = with_device_rows,
    .size = sizeof(struct with_device_options),
    .starts_program = true,
    .run = cmd_with_device,
};

struct replay_options {
   struct command_line line;
   const char *device;
   double timeout; /* time limit of a submission, seconds */
};

#define FIELD(member) .field = offsetof(struct replay_options, member)
static const struct option_row replay_rows[] = {
    {&option_device, FIELD(device)},
    {&option_timeout, FIELD(timeout)},
    {0},
};

static int cmd_replay(const void *data)
{
   const struct replay_options *options = data;

   return replay_run(options->device, &options->line.operands, options->timeout);
}

const struct command command_replay = {
    .name = "replay",
    .operands = "JOB.agxjob|DIR...",
    .operands_min = 1,
    .operands_max = UINT_MAX,
    .summary = "run saved jobs again (with-device --trace or --record), and compare the memory that they leave",
    .rows = replay_rows,
    .size = sizeof(struct replay_options),
    .run = cmd_replay,
};
