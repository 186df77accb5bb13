/* SPDX-License-Identifier: MIT
 *
 * devices: what --device can be, and how fast the clock of one is. with-device: another program on one. replay,
 * and saved jobs as the operand of disasm, explain and exec: a job has its buffers, arguments and grid, so options that
 * give a kernel these are refused.
 */

#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/options.h"
#include "agx_runner/measure/measure.h"
#include "agx_runner/replay/job_commands.h"
#include "agx_runner/replay/job_file.h"
#include "agx_runner/replay/replay.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/with_device/with_device.h"
#include "drm/asahi.h"
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

static int show_clock(const struct options *options, struct session *session)
{
   const struct measure_settings settings = {
       .samples = CLOCK_SAMPLES, .seed = options->run.seed, .clock = MEASURE_CLOCK_INFER};
   const struct asahi_device_info *info = session->info;
   struct sampler sampler;
   struct result result;
   char why[240];
   bool lost = false;

   result_init(&result, "clock");
   if (!sampler_start(&sampler, session, &settings, why, sizeof(why))) {
      return complain(EXIT_INVALID, "%s", why);
   }
   const double hz = sampler_clock(&sampler, &result, &lost);
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

int cmd_devices(const struct options *options)
{
   struct session session = {0};

   if (!options->show_clock) {
      return list_devices();
   }
   int code = session_open(&session, options->run.device, options->run.timeout);
   if (code == EXIT_OK) {
      code = show_clock(options, &session);
   }
   session_close(&session);
   return code;
}

int cmd_with_device(const struct options *options)
{
   if (options->record != NULL) {
      return strcmp(options->run.device, "auto") == 0 && !options->stats && options->trace == NULL
                 ? with_device_record(&options->operands, options->record)
                 : complain(EXIT_INVALID, "with-device: --record has no virtual device: --device, --stats and --trace "
                                          "cannot go with it");
   }
   return with_device_run(options->run.device, &options->operands, options->stats, options->trace);
}

/* ---- Saved jobs ---- */

#define DISASM_SECONDS 60 /* it has no --timeout */

int cmd_replay(const struct options *options)
{
   return replay_run(options->run.device, &options->operands, options->run.timeout);
}

bool is_saved_job(const struct options *options)
{
   return options->operands.count > 0 && saved_job_is(options->operands.items[0]);
}

/* What goes with kernels alone; NULL: nothing of it is given. */
static const char *kernels_option(const struct options *options)
{
   const struct {
      const char *name;
      bool given;
   } table[] = {
       {"--buf", options->exec.buffers.count > 0},    {"--arg", options->exec.values.count > 0},
       {"--local", options->exec.locals.count > 0},   {"--grid", options->exec.grid.count > 0},
       {"--group", options->exec.group.count > 0},    {"--repeat", options->exec.repeat > 1},
       {"--options", options->build_options != NULL}, {"--schedule", options->schedule != NULL},
       {"--schedules", options->schedules},           {"--static", options->loop_counts != NULL},
   };
   for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
      if (table[i].given) {
         return table[i].name;
      }
   }
   return NULL;
}

int cmd_saved_job(const struct options *options, enum saved_job_command command)
{
   const struct job_settings settings = {
       .path = options->operands.items[0],
       .device = command == SAVED_JOB_DISASM ? "auto" : options->run.device,
       .seconds = command == SAVED_JOB_DISASM ? DISASM_SECONDS : options->run.timeout,
       .program = &options->program,
       .output = options->output,
   };
   const char *option = kernels_option(options);
   if (option != NULL) {
      return complain(EXIT_INVALID, "%s: a saved job has its own program, buffers and grid: %s cannot go with it",
                      settings.path, option);
   }
   if (options->operands.count > 1) {
      return complain(EXIT_INVALID, "%s: one saved job at a time; replay takes several", settings.path);
   }
   switch (command) {
   case SAVED_JOB_DISASM:
      return job_disasm(&settings);
   case SAVED_JOB_EXPLAIN:
      return job_explain(&settings,
                         &(struct job_explain_settings){.format = (enum explain_format)options->explain_format,
                                                        .timeline = options->timeline,
                                                        .event_trace = options->event_trace});
   default:
      return job_exec(&settings, &(struct job_exec_settings){.prints = &options->exec.prints,
                                                             .dumps = &options->exec.dumps,
                                                             .check = options->check});
   }
}
