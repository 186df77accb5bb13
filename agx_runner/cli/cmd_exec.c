/* SPDX-License-Identifier: MIT
 *
 * exec and explain: one kernel, run on buffers from the command line. explain shows where its modelled time goes
 * instead of its buffers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/options.h"
#include "agx_runner/explain/explain.h"
#include "agx_runner/program/check_reports.h"
#include "agx_runner/launch/exec.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/program/postmortem.h"
#include "agx_runner/results/result.h"
#include "util/clock.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/measure/session.h"
#include "agx_runner/statistics/stats.h"
#include "vgpu/timing/memory/hierarchy.h"
#include "vgpu/vgpu.h"

/* What repetitions of a launch did. */
struct record {
   bool ended;   /* all of them, even if something was wrong with them */
   bool counted; /* by a virtual device, before and after */
   struct vgpu_counters before, after;
};

static const char *plural(uint64_t count)
{
   return count == 1 ? "" : "s";
}

static int report_soft_faults(const struct exec *exec, const struct record *record)
{
   const struct vgpu_counters *before = &record->before, *after = &record->after;
   const uint64_t loads = after->soft_fault_loads - before->soft_fault_loads;
   const uint64_t stores = after->soft_fault_stores - before->soft_fault_stores;
   const uint64_t hoisted = after->soft_fault_preamble_loads - before->soft_fault_preamble_loads;
   const char *comma = after->soft_fault_where[0] != '\0' ? ", " : "";
   char line[112];

   check_report_line(after->soft_fault_place, exec->program, line, sizeof(line));
   if (loads == hoisted && stores == 0) {
      if (loads > 0) {
         note(
             "%" PRIu64 " load%s of the preamble, from unmapped memory, read 0: 0x%" PRIx64
             "%s%s (%s%s). The compiler moves loads there that the source may never execute; so this is not counted as "
             "a failure.",
             loads, plural(loads), after->soft_fault_address, comma, after->soft_fault_where, after->soft_fault_place,
             line);
      }
      return EXIT_OK;
   }
   return complain(EXIT_FAILED,
                   "%" PRIu64 " load%s from unmapped memory read 0, and %" PRIu64
                   " store%s and atomics were lost; the first: 0x%" PRIx64 "%s%s (%s%s)",
                   loads, plural(loads), stores, plural(stores), after->soft_fault_address, comma,
                   after->soft_fault_where, after->soft_fault_place, line);
}

/* "byte 4 of buffer 0 (flags)" of an address in a buffer; of others the device has said where they lie. */
static void name_address(void *data, uint64_t address, char *text, size_t size)
{
   const struct exec *exec = data;

   text[0] = '\0';
   for (size_t i = 0; i < exec->program->argument_count; i++) {
      const struct asahi_buffer *buffer = exec->arguments[i].buffer;

      if (buffer != NULL && address - asahi_buffer_address(buffer) < asahi_buffer_size(buffer)) {
         char name[AGX_BUFFER_NAME];

         agx_program_buffer_name(exec->program, i, name);
         snprintf(text, size, "byte %" PRIu64 " of %s", address - asahi_buffer_address(buffer), name);
      }
   }
}

/* The error has the virtual device's fault record in it already. */
static int run_failed(const struct exec *exec, struct session *session, int error)
{
   const int code = error == -ENODEV || error == -EINTR ? EXIT_ABORTED : EXIT_FAILED;

   (void)complain(code, "%s: %s", agx_program_name(exec->program), asahi_device_error(session->device));
   postmortem_each(session->device, error, exec->program, name_address, postmortem_print_line, (void *)exec);
   return code;
}

static void restore_buffers(const struct exec *exec)
{
   for (size_t i = 0; i < exec->program->argument_count; i++) {
      const struct exec_argument *argument = &exec->arguments[i];

      if (argument->buffer != NULL) {
         memcpy(asahi_buffer_map(argument->buffer), argument->initial, argument->count * argument->type->size);
      }
   }
}

/* On a terminal alone: that it runs, and for how long. */
struct waiting {
   struct progress progress;
   double start;
   char name[AGX_NAME_SIZE + 40];
   const struct exec *exec;
};

static void show_waiting(void *data)
{
   struct waiting *waiting = data;

   snprintf(waiting->name, sizeof(waiting->name), "%s, running for %.0f s", agx_program_name(waiting->exec->program),
            util_clock_seconds() - waiting->start);
   progress_update(&waiting->progress, 0);
}

/* times: nanoseconds of each repetition. */
static int run_repeatedly(struct exec *exec, struct session *session, struct asahi_program *program, double *times,
                          struct record *record)
{
   const struct asahi_dispatch dispatch = {
       .program = program,
       .grid = {exec->grid[0], exec->grid[1], exec->grid[2]},
       .group = {exec->group[0], exec->group[1], exec->group[2]},
       .work_dim = exec->work_dim,
       .arguments = exec->block,
       .argument_bytes = exec->program->argument_bytes,
       .extra_threadgroup_bytes = exec->threadgroup_bytes,
       .partial = true,
   };
   const bool counts = session->info->is_virtual;
   struct waiting waiting = {.exec = exec, .start = util_clock_seconds()};
   int ret = 0;
   uint32_t done = 0;

   *record = (struct record){.ended = false};
   if (counts && asahi_device_counters(session->device, &record->before) < 0) {
      return complain(EXIT_FAILED, "%s", asahi_device_error(session->device));
   }
   progress_start_on_terminal(&waiting.progress, exec->settings->repeat);
   waiting.progress.name = waiting.name;
   session->waiting = show_waiting;
   session->waiting_data = &waiting;
   for (; ret == 0 && done < exec->settings->repeat && !session_interrupted(session); done += ret == 0) {
      restore_buffers(exec);
      waiting.progress.begun = done + 1;
      ret = session_submit(session, &dispatch, 1, &times[done], NULL);
   }
   session->waiting = NULL;
   progress_finish(&waiting.progress);
   if (ret < 0) {
      return run_failed(exec, session, ret);
   }
   if (done < exec->settings->repeat) {
      return complain(EXIT_ABORTED, "interrupted after %u of %u repetitions", done, exec->settings->repeat);
   }
   record->ended = true;
   record->counted = counts && asahi_device_counters(session->device, &record->after) == 0;
   return EXIT_OK;
}

static void print_header(const struct exec *exec, const struct session *session, double *times)
{
   const struct asahi_device_info *info = session->info;
   const uint32_t count = exec->settings->repeat;

   printf("device  %s: %s%s\n", info->path, info->name, info->is_virtual ? ", " RESULT_VIRTUAL_NOTE : "");
   printf("kernel  %s, grid %u,%u,%u in threadgroups of %u,%u,%u\n", agx_program_name(exec->program), exec->grid[0],
          exec->grid[1], exec->grid[2], exec->group[0], exec->group[1], exec->group[2]);
   const double median = stats_median(times, count) * 1e-3; /* sorts */
   if (median == 0) {
      printf("time    none: the device's timing is off\n");
   } else if (count == 1) {
      printf("time    %.3f us\n", median);
   } else {
      printf("time    %.3f us, the median of %u; %.3f to %.3f us\n", median, count, times[0] * 1e-3,
             times[count - 1] * 1e-3);
   }
}

static void print_finding(void *data, const char *text)
{
   *(bool *)data |= check_report_is_bounds(text);
   fprintf(stderr, "%s\n", text);
}

/* A canary sees less than the check of bounds: where that found something, there is one report of it. */
static int check_canaries(const struct exec *exec, const struct session *session)
{
   return exec_check_canaries(
       exec, session->info->is_virtual ? "--check names the instruction, and its line in the source"
                                       : "--check on a virtual device (--device virtual:m1) names the instruction, and "
                                         "its line in the source");
}

/* Of the device's checks and, where the jobs have ended, of soft faults and canaries: one report of one cause. */
static int report_findings(const struct exec *exec, struct session *session, const struct record *record)
{
   const char *name = agx_program_name(exec->program);
   bool bounds = false;
   const uint32_t count = check_reports_each(session->device, exec->program, print_finding, &bounds);
   const int lost = record->counted && !bounds ? report_soft_faults(exec, record) : EXIT_OK;
   const int written = record->ended && !bounds ? check_canaries(exec, session) : EXIT_OK;

   return count > 0
              ? complain(EXIT_FAILED, "%s: %u finding%s of the device's checks, above", name, count, plural(count))
          : lost != EXIT_OK ? lost
                            : written;
}

/* What was looked at, so that no finding can be told from no check. */
static void note_checked(const struct exec *exec, const struct record *record)
{
   const uint64_t instructions = record->after.instructions - record->before.instructions;
   char names[CHECK_NAMES_TEXT];

   check_names(record->after.checks, names);
   note("%s: no findings: checked %s of %" PRIu64 " simdgroup instructions, %" PRIu64 " threads",
        agx_program_name(exec->program), names, instructions,
        (uint64_t)exec->grid[0] * exec->grid[1] * exec->grid[2] * exec->settings->repeat);
}

static int run_program(struct exec *exec, struct session *session)
{
   struct asahi_program *program = NULL;
   double *times = calloc(exec->settings->repeat, sizeof(*times));
   struct record record = {.ended = false};
   int code = times == NULL ? complain(EXIT_FAILED, "out of memory") : exec_create_buffers(exec, session->device);

   if (code == EXIT_OK && asahi_program_upload(session->device, exec->program, &program) < 0) {
      code = complain(EXIT_FAILED, "upload: %s", asahi_device_error(session->device));
   }
   if (code == EXIT_OK) {
      code = run_repeatedly(exec, session, program, times, &record);
   }
   const bool json = exec->settings->format == EXEC_FORMAT_JSON;
   if (record.ended) {
      if (!json) {
         print_header(exec, session, times);
      }
      const int shown = exec_show(exec);
      code = code == EXIT_OK ? shown : code;
   }
   const int findings = report_findings(exec, session, &record);
   code = code == EXIT_OK ? findings : code;
   if (record.counted && record.after.checks != 0 && code == EXIT_OK) {
      note_checked(exec, &record);
   }
   if (record.ended) {
      const int compared = exec_compare(exec);
      code = code == EXIT_OK ? compared : code;
   }
   if (record.ended && json) {
      code = exec_write_json(exec, session->info, RESULT_VIRTUAL_NOTE, times, code);
   }
   asahi_program_destroy(session->device, program);
   free(times);
   return code;
}

/* A copy of what the buffers hold, one after the other. NULL: out of memory. */
static uint8_t *copy_buffers(const struct exec *exec, size_t *bytes)
{
   uint8_t *copy = NULL;

   *bytes = 0;
   for (int pass = 0; pass < 2; pass++) {
      size_t at = 0;

      for (size_t i = 0; i < exec->program->argument_count; i++) {
         const struct exec_argument *argument = &exec->arguments[i];

         if (argument->buffer != NULL) {
            const size_t size = argument->count * argument->type->size;

            if (copy != NULL) {
               memcpy(copy + at, asahi_buffer_map(argument->buffer), size);
            }
            at += size;
         }
      }
      *bytes = at;
      copy = pass == 0 ? malloc(at + 1) : copy;
   }
   return copy;
}

/* Runs another program on the same data. */
static int run_again(struct exec *exec, struct session *session, const struct agx_program *other, double *time)
{
   struct asahi_program *program = NULL;
   struct record record;
   int code = EXIT_OK;

   if (asahi_program_upload(session->device, other, &program) < 0) {
      code = complain(EXIT_FAILED, "upload: %s", asahi_device_error(session->device));
   }
   if (code == EXIT_OK) {
      code = run_repeatedly(exec, session, program, time, &record);
      code = code == EXIT_OK && record.counted ? report_soft_faults(exec, &record) : code;
   }
   asahi_program_destroy(session->device, program);
   return code;
}

/* A better order that was run. */
struct reordered {
   struct schedule schedule;
   double time; /* ns */
};

/* Searches an order for memory served by that level, runs it, and compares the buffers. Replaces *best by it when the
 * launch is faster. */
static int try_schedule(struct exec *exec, struct session *session, const struct explain *explain, unsigned level,
                        const uint8_t *before, struct reordered *best)
{
   struct reordered tried = {.time = 0};
   uint8_t *after = NULL;
   size_t bytes;
   int code = explain_schedule(explain, level, &tried.schedule);

   if (code == EXIT_OK && tried.schedule.program != NULL) {
      code = run_again(exec, session, tried.schedule.program, &tried.time);
      after = code == EXIT_OK ? copy_buffers(exec, &bytes) : NULL;
      if (code == EXIT_OK && after == NULL) {
         code = complain(EXIT_FAILED, "out of memory");
      } else if (code == EXIT_OK && memcmp(before, after, bytes) != 0) {
         code = complain(EXIT_FAILED, "%s: the other order leaves other values in the buffers; it is not written",
                         agx_program_name(exec->program));
      }
   }
   free(after);
   if (code == EXIT_OK && tried.schedule.program != NULL && tried.time < best->time) {
      schedule_finish(&best->schedule);
      *best = tried;
   } else {
      schedule_finish(&tried.schedule);
   }
   return code;
}

/* Keeps the better order for the explanation. An enum exit_code. */
static int keep_schedule(struct explain *explain, const struct schedule *schedule, double time, double better_time)
{
   size_t size;
   FILE *text = open_memstream(&explain->better, &size);

   explain->time = time;
   explain->better_time = better_time;
   if (text != NULL && schedule->program != NULL) {
      schedule_print(schedule, true, text);
   }
   return text == NULL || fclose(text) != 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
}

/* Searches a better order, and writes the one that the whole launch is fastest with, or the kernel as it is. All are
 * timed with the caches that a run of the kernel leaves. */
static int write_schedule(struct exec *exec, struct session *session, struct explain *explain, const char *path)
{
   size_t bytes;
   uint8_t *before = copy_buffers(exec, &bytes);
   struct reordered best = {.time = 0};
   int code =
       before == NULL ? complain(EXIT_FAILED, "out of memory") : run_again(exec, session, exec->program, &best.time);
   const double time = best.time;

   for (unsigned level = VGPU_LEVEL_L1; code == EXIT_OK && level <= VGPU_LEVEL_DRAM; level++) {
      code = try_schedule(exec, session, explain, level, before, &best);
   }
   if (code == EXIT_OK) {
      const struct agx_program *found = best.schedule.program;

      code = explain_schedule_write(found != NULL ? found : exec->program, path);
      if (code == EXIT_OK) {
         code = keep_schedule(explain, &best.schedule, time, best.time);
      }
      if (code == EXIT_OK && found != NULL) {
         fprintf(stderr, "\n%s", explain->better);
         note("%s: the same launch takes %.3f us instead of %.3f us, %.1f %% less (modelled); all %zu bytes of its "
              "buffers are equal",
              path, best.time * 1e-3, time * 1e-3, 100 * (1 - best.time / time), bytes);
      } else if (code == EXIT_OK) {
         note("%s: no order was found that makes the launch faster; this is the kernel as it is", path);
      }
   }
   schedule_finish(&best.schedule);
   free(before);
   return code;
}

/* What explaining one launch needs. */
struct explained {
   struct exec *exec;
   struct session *session;
   const struct options *options;
   const struct compiler_options *compiler;
   struct explain_plan plan;
   struct progress progress;
   struct explain explain;
};

/* Called by the device before each simulation. */
static void show_simulation(void *data, unsigned done, unsigned all)
{
   progress_update(data, (double)done / all);
}

/* Runs a program with empty caches, as the first launch. *ticks: how long it takes. */
static int time_cold(struct explained *explained, const struct agx_program *program, uint64_t *ticks)
{
   struct explain timed = {0};
   double time;

   explained->plan.plan.cold = true;
   int code = run_again(explained->exec, explained->session, program, &time);
   explained->plan.plan.cold = false;
   if (code == EXIT_OK) {
      code = explain_read(explained->session->device, program, NULL, explained->explain.group_threads, &timed);
      *ticks = explain_ticks(&timed);
   }
   explain_finish(&timed);
   return code;
}

/* Compiles a kernel without the attribute reqd_work_group_size with the launch's, and times both. Where it makes no
 * difference, or is not possible, nothing is said. */
static void try_attribute(struct explained *explained)
{
   const struct exec *exec = explained->exec;
   struct explain *explain = &explained->explain;
   struct compiler_options with = *explained->compiler;
   struct compiler_result compiled = {0};
   const char *path = explained->options->operands.items[0];
   const struct agx_program *program = exec->program;
   uint64_t after;

   if (program->workgroup_size[0] != 0 || explain->only_recorded || program->scratch_bytes <= program->array_bytes) {
      return;
   }
   memcpy(with.group, exec->group, sizeof(with.group));
   if (kernel_file_compile(path, &explained->options->program, &with, &compiled) == EXIT_OK) {
      const struct agx_program *found = kernel_select(path, &compiled, program->name);

      if (found != NULL && found->workgroup_size[0] != 0 && time_cold(explained, found, &after) == EXIT_OK) {
         explain->attribute_time = (double)after / (double)explain_ticks(explain);
         explain->attribute_registers = found->half_registers;
         explain->attribute_spills = found->scratch_bytes > found->array_bytes;
      }
   }
   compiler_result_finish(&compiled);
}

/* After the launch: reads what was recorded, tries what needs other launches, and writes. */
static int read_and_write(struct explained *explained, int ran)
{
   const struct options *options = explained->options;
   const struct exec *exec = explained->exec;
   struct explain *explain = &explained->explain;
   const int read = explain_read(explained->session->device, exec->program, &explained->plan,
                                 exec->group[0] * exec->group[1] * exec->group[2], explain);

   explain->device = explained->session->info->path;
   explain->source = options->operands.items[0];
   explain->only_recorded = options->no_simulations;
   explained->plan.plan.record_only = true; /* launches that follow are timed alone */
   const int scheduled = ran == EXIT_OK && read == EXIT_OK && options->schedule != NULL
                             ? write_schedule(explained->exec, explained->session, explain, options->schedule)
                             : EXIT_OK;
   if (read == EXIT_OK && ran == EXIT_OK) {
      try_attribute(explained);
   }
   progress_finish(&explained->progress);
   if (read == EXIT_OK) {
      explain_find(explain);
   }
   const int written =
       read == EXIT_OK ? explain_write(explain, options->explain_format, options->timeline, options->output) : read;
   ran = ran == EXIT_OK ? written : ran;
   ran = ran == EXIT_OK ? scheduled : ran;
   return ran == EXIT_OK && options->event_trace != NULL ? explain_trace(explain, options->event_trace) : ran;
}

/* The modelled time of the program by instruction. */
static int explain_program(struct exec *exec, struct session *session, const struct options *options,
                           const struct compiler_options *compiler)
{
   struct asahi_program *program = NULL;
   struct explained explained = {.exec = exec, .session = session, .options = options, .compiler = compiler};
   struct record record = {.ended = false};
   double time;
   int code = exec_create_buffers(exec, session->device);

   if (code == EXIT_OK) {
      code = explain_plan_init(&explained.plan, exec->program, options->no_simulations);
   }
   progress_start(&explained.progress, 1);
   progress_step(&explained.progress, "simulations");
   explained.plan.plan.progress = show_simulation;
   explained.plan.plan.data = &explained.progress;
   if (code == EXIT_OK && (asahi_device_plan_profile(session->device, &explained.plan.plan) < 0 ||
                           asahi_program_upload(session->device, exec->program, &program) < 0)) {
      code = complain(EXIT_FAILED, "upload: %s", asahi_device_error(session->device));
   }
   if (code == EXIT_OK) {
      code = run_repeatedly(exec, session, program, &time, &record);
      code = code == EXIT_OK && record.counted ? report_soft_faults(exec, &record) : code;
   }
   if (record.ended) {
      code = read_and_write(&explained, code);
      const int canaries = check_canaries(exec, session);
      code = code == EXIT_OK ? canaries : code;
   }
   progress_finish(&explained.progress);
   (void)asahi_device_plan_profile(session->device, NULL);
   explain_finish(&explained.explain);
   explain_plan_finish(&explained.plan);
   asahi_program_destroy(session->device, program);
   return code;
}

/* Opens the device again with another option: --check's, or explain's. */
static int reopen_device(const struct options *options, struct session *session, bool explains)
{
   const char *path = session->info->path;
   char *spec = NULL;
   int code = EXIT_OK;

   if (!session->info->is_virtual) {
      code = complain(EXIT_INVALID, "%s: only virtual devices %s what they execute; name one, as --device virtual:m1",
                      explains ? "explain" : "--check", explains ? "record" : "check");
   } else if (explains) {
      const char *name = strncmp(options->run.device, "auto", 4) == 0 ? path : options->run.device;

      spec = asprintf(&spec, "%s,profile", name) < 0 ? NULL : spec;
   } else {
      spec = check_device_spec(options->run.device, path);
   }
   if (code == EXIT_OK && spec == NULL) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   session_close(session);
   if (code == EXIT_OK) {
      code = session_open(session, spec, options->run.timeout);
   }
   free(spec);
   return code;
}

static int run_command(const struct options *options, bool explains)
{
   struct compiler_result compiled = {0};
   struct session session;
   struct exec exec = {0};
   struct exec_settings settings = options->exec;
   (void)compiler_start(); /* before the device is opened; should it fail, the compilation says so */
   int code = session_open(&session, options->run.device, options->run.timeout);

   settings.repeat = explains ? 1 : settings.repeat;
   if (code == EXIT_OK && (explains || options->check)) {
      code = reopen_device(options, &session, explains);
   }
   if (code != EXIT_OK) {
      return code;
   }
   const char *path = options->operands.items[0];
   struct compiler_options compiler_options = device_compiler_options(session.info);
   compiler_options.arguments = options->build_options;
   compiler_options.lines = session.info->is_virtual; /* for explain, findings, and the post-mortem of what hangs */
   code = kernel_file_compile(path, &options->program, &compiler_options, &compiled);
   if (code == EXIT_OK) {
      const struct agx_program *program = kernel_select(path, &compiled, options->program.kernel);

      code = program == NULL ? EXIT_INVALID : exec_init(&exec, program, &settings, options->run.seed);
   }
   if (code == EXIT_OK) {
      code = explains ? explain_program(&exec, &session, options, &compiler_options) : run_program(&exec, &session);
   }
   exec_finish(&exec, session.device);
   compiler_result_finish(&compiled);
   session_close(&session);
   return code;
}

int cmd_exec(const struct options *options)
{
   return is_saved_job(options) ? cmd_saved_job(options, SAVED_JOB_EXEC) : run_command(options, false);
}

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

static int run_static(const struct options *options, const struct compiler_options *compiler)
{
   struct explain_static_settings settings = {
       .paths = &options->operands, .program = &options->program, .compiler = compiler};

   if (options->schedule != NULL || options->schedules || options->timeline > 0 || options->event_trace != NULL) {
      return complain(EXIT_INVALID,
                      "--static runs no kernel: --schedule, --schedules, --timeline and --trace cannot go "
                      "with it");
   }
   const int code = read_trips(options->loop_counts, &settings);
   return code == EXIT_OK ? explain_static(&settings, (enum explain_format)options->explain_format, options->output)
                          : code;
}

int cmd_explain(const struct options *options)
{
   const struct compiler_options compiler = {.arguments = options->build_options};
   const struct explain_rank_settings settings = {
       .paths = &options->operands,
       .program = &options->program,
       .compiler = &compiler,
       .baseline = options->schedules_baseline,
   };

   if (options->schedules_baseline != NULL && (!options->schedules || options->loop_counts != NULL)) {
      return complain(EXIT_INVALID, "--baseline goes with --schedules only");
   }
   if (is_saved_job(options)) {
      return cmd_saved_job(options, SAVED_JOB_EXPLAIN);
   }
   if (options->loop_counts != NULL) {
      return run_static(options, &compiler);
   }
   if (options->schedules) {
      return options->schedule != NULL
                 ? complain(EXIT_INVALID, "--schedules runs no kernel: --schedule, which does, cannot go with it")
                 : explain_rank(&settings, (enum explain_format)options->explain_format, options->output);
   }
   if (options->operands.count > 1) {
      return complain(EXIT_INVALID, "explain takes one file, unless --schedules or --static is given");
   }
   return run_command(options, true);
}
