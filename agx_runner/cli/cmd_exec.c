/* SPDX-License-Identifier: MIT
 *
 * exec and explain: run one kernel on buffers from the command line. explain shows where its modelled time goes
 * instead of its buffers.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/program_rows.h"
#include "agx_runner/driver/launch.h"
#include "agx_runner/explain/explain.h"
#include "agx_runner/program/check_reports.h"
#include "agx_runner/launch/exec.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/program/postmortem.h"
#include "agx_runner/replay/job_commands.h"
#include "agx_runner/replay/job_file.h"
#include "agx_runner/results/result.h"
#include "util/clock.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/measure/session.h"
#include "agx_runner/statistics/stats.h"
#include "vgpu/timing/memory/hierarchy.h"
#include "vgpu/vgpu.h"
#include "util/array.h"

/* Options that exec and explain share: a kernel, and the settings of its launch. */
struct launch_options {
   struct command_line line;
   struct source_options source;
   struct exec_settings exec;
   const char *device;
   uint64_t seed;
   double timeout; /* time limit of a submission, seconds */
};

struct exec_options {
   struct launch_options launch;
   bool check; /* all checks of a virtual device */
};

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

/* Records of a repeated launch. */
struct record {
   bool ended;   /* all repetitions ended, even if with errors */
   bool counted; /* a virtual device counted instructions before and after */
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

/* Writes "byte 4 of buffer 0 (flags)" for an address in a buffer; the device has described other addresses. */
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

/* the error text contains the virtual device's fault record */
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

/* Progress on a terminal: that the kernel runs, and for how long. */
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
   const double median = stats_median(times, count) * 1e-3; /* stats_median() sorts */
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

/* Checks canaries. They detect less than the check of bounds: if that found something, there is only its report. */
static int check_canaries(const struct exec *exec, const struct session *session)
{
   return exec_check_canaries(
       exec, session->info->is_virtual ? "--check names the instruction, and its line in the source"
                                       : "--check on a virtual device (--device virtual:m1) names the instruction, and "
                                         "its line in the source");
}

/* Reports findings of the device's checks and, if the jobs have ended, of soft faults and canaries: one report of each
 * cause. */
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

/* Prints what was checked, so that a run without findings differs from one without checks. */
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
   const bool json = exec->settings->format == FORMAT_JSON;
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

/* Returns a copy of the buffers' contents, one after the other. NULL: out of memory. */
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

/* Searches an order for memory served by that level, runs it, and compares the buffers. Replaces *best by it if the
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
         code = complain(EXIT_FAILED, "%s: the new order gives other values in the buffers, and is not written",
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

/* Stores the better order in the explanation. Returns an enum exit_code. */
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

/* Searches a better order, and writes the one with the fastest launch, or the kernel unchanged. All are timed with the
 * caches that a run of the kernel leaves. */
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
         note("%s: no order makes the launch faster; the kernel is written unchanged", path);
      }
   }
   schedule_finish(&best.schedule);
   free(before);
   return code;
}

/* State to explain one launch. */
struct explained {
   struct exec *exec;
   struct session *session;
   const struct explain_options *options;
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

/* Runs a program with empty caches, as the first launch. *ticks: its time. */
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

/* Compiles a kernel that lacks the attribute reqd_work_group_size with that of the launch, and times both. Prints
 * nothing if it makes no difference or is not possible. */
static void try_attribute(struct explained *explained)
{
   const struct exec *exec = explained->exec;
   struct explain *explain = &explained->explain;
   struct compiler_options with = *explained->compiler;
   struct compiler_result compiled = {0};
   const char *path = explained->options->launch.line.operands.items[0];
   const struct agx_program *program = exec->program;
   uint64_t after;

   if (program->workgroup_size[0] != 0 || explain->only_recorded || program->scratch_bytes <= program->array_bytes) {
      return;
   }
   memcpy(with.group, exec->group, sizeof(with.group));
   if (kernel_file_compile(path, &explained->options->launch.source.program, &with, &compiled) == EXIT_OK) {
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
   const struct explain_options *options = explained->options;
   const struct exec *exec = explained->exec;
   struct explain *explain = &explained->explain;
   const int read = explain_read(explained->session->device, exec->program, &explained->plan,
                                 exec->group[0] * exec->group[1] * exec->group[2], explain);

   explain->device = explained->session->info->path;
   explain->source = options->launch.line.operands.items[0];
   explain->only_recorded = options->no_simulations;
   explained->plan.plan.record_only = true; /* later launches are timed alone */
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
       read == EXIT_OK ? explain_write(explain, (enum output_format)options->format, options->timeline, options->output)
                       : read;
   ran = ran == EXIT_OK ? written : ran;
   ran = ran == EXIT_OK ? scheduled : ran;
   return ran == EXIT_OK && options->trace != NULL ? explain_trace(explain, options->trace) : ran;
}

/* The modelled time of the program by instruction. */
static int explain_program(struct exec *exec, struct session *session, const struct explain_options *options,
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

/* Opens the device again with another option: of exec --check, or explain's. */
static int reopen_device(const struct launch_options *options, struct session *session, bool explains)
{
   const char *path = session->info->path;
   char *spec = NULL;
   int code = EXIT_OK;

   if (!session->info->is_virtual) {
      code = complain(EXIT_INVALID, "%s: only virtual devices %s what they execute; name one, as --device virtual:m1",
                      explains ? "explain" : "--check", explains ? "record" : "check");
   } else if (explains) {
      const char *name = strncmp(options->device, "auto", 4) == 0 ? path : options->device;

      spec = asprintf(&spec, "%s,profile", name) < 0 ? NULL : spec;
   } else {
      spec = check_device_spec(options->device, path);
   }
   if (code == EXIT_OK && spec == NULL) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   session_close(session);
   if (code == EXIT_OK) {
      code = session_open(session, spec, options->timeout);
   }
   free(spec);
   return code;
}

/* Runs the kernel. explain: what explain is asked for; NULL: it is exec. check: exec --check. */
static int run_launch(const struct launch_options *options, const struct explain_options *explain, bool check)
{
   struct compiler_result compiled = {0};
   struct session session;
   struct exec exec = {0};
   struct exec_settings settings = options->exec;
   (void)compiler_start(); /* before the device is opened; should it fail, the compilation says so */
   int code = session_open(&session, options->device, options->timeout);

   settings.repeat = explain != NULL ? 1 : settings.repeat;
   if (code == EXIT_OK && (explain != NULL || check)) {
      code = reopen_device(options, &session, explain != NULL);
   }
   if (code != EXIT_OK) {
      return code;
   }
   const char *path = options->line.operands.items[0];
   const struct program_settings *program_settings = &options->source.program;
   struct compiler_options compiler_options = device_compiler_options(session.info);
   compiler_options.arguments = options->source.build_options;
   compiler_options.lines = session.info->is_virtual; /* for explain, findings, and the post-mortem of what hangs */
   code = kernel_file_compile(path, program_settings, &compiler_options, &compiled);
   if (code == EXIT_OK) {
      const struct agx_program *program = kernel_select(path, &compiled, program_settings->kernel);

      code = program == NULL ? EXIT_INVALID : exec_init(&exec, program, &settings, options->seed);
   }
   if (code == EXIT_OK) {
      code =
          explain != NULL ? explain_program(&exec, &session, explain, &compiler_options) : run_program(&exec, &session);
   }
   exec_finish(&exec, session.device);
   compiler_result_finish(&compiled);
   session_close(&session);
   return code;
}

/* What was given that goes with kernels alone, not with a saved job; NULL: nothing. */
static const char *kernels_option(const struct launch_options *options)
{
   const struct {
      const char *name;
      bool given;
   } table[] = {
       {"--buf", options->exec.buffers.count > 0}, {"--arg", options->exec.values.count > 0},
       {"--push", options->exec.push != NULL},     {"--local", options->exec.locals.count > 0},
       {"--grid", options->exec.grid.count > 0},   {"--group", options->exec.group.count > 0},
       {"--repeat", options->exec.repeat > 1},     {"--options", options->source.build_options != NULL},
   };
   for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
      if (table[i].given) {
         return table[i].name;
      }
   }
   return NULL;
}

static struct job_settings job_settings(const struct launch_options *options, const char *output)
{
   return (struct job_settings){.path = options->line.operands.items[0],
                                .device = options->device,
                                .seconds = options->timeout,
                                .program = &options->source.program,
                                .output = output};
}

/* The same launch through the drivers of the Mesa that --mesa names. */
static struct driver_launch_settings driver_settings(const struct launch_options *options, bool check)
{
   return (struct driver_launch_settings){.path = options->line.operands.items[0],
                                          .build_options = options->source.build_options,
                                          .program = &options->source.program,
                                          .exec = &options->exec,
                                          .device = options->device,
                                          .seed = options->seed,
                                          .check = check};
}

/* ---- exec ---- */

static int exec_saved_job(const struct exec_options *options)
{
   const struct job_settings settings = job_settings(&options->launch, NULL);
   const int code = job_check_command(&options->launch.line.operands, kernels_option(&options->launch));

   return code != EXIT_OK ? code
                          : job_exec(&settings, &(struct job_exec_settings){.prints = &options->launch.exec.prints,
                                                                            .dumps = &options->launch.exec.dumps,
                                                                            .check = options->check});
}

static int cmd_exec(const void *data)
{
   const struct exec_options *options = data;
   const char *path = options->launch.line.operands.items[0];

   if (saved_job_is(path)) {
      return exec_saved_job(options);
   }
   if (kernel_file_has_driver(path, &options->launch.source.program)) {
      const struct driver_launch_settings settings = driver_settings(&options->launch, options->check);
      return driver_exec(&settings);
   }
   return run_launch(&options->launch, NULL, options->check);
}

/* Arguments and grid: of struct exec_settings. */
#define FIELD(member) .field = offsetof(struct exec_settings, member)
/* clang-format off */
static const struct option_row launch_rows[] = {
   {OPTION(.letter = 'b', .name = "buf", .metavar = "N=TYPE[COUNT]:INIT", .kind = KIND_LIST,
           .help = "argument N, a number from 0 or a name (of a Vulkan shader SET.BINDING), is a buffer. TYPE: f16 f32 f64 u8 i8 u16 i16 u32 i32 u64 i64; "
                   "INIT: a number, random, iota, a list as 1,2,3, or @FILE [default: 0]. N=null: a null pointer"),
    FIELD(buffers)},
   {OPTION(.letter = 'a', .name = "arg", .metavar = "N=VALUE", .kind = KIND_LIST,
           .help = "value of argument N; vectors as 1,2,3,4; structs as i32:1,f32[2]:0.5,1; or @FILE"), FIELD(values)},
   {OPTION(.name = "push", .metavar = "VALUE", .kind = KIND_STRING, .min = 1,
           .help = "the push constants of a Vulkan shader (--mesa), as a struct's value of --arg: f32:2.0,u32:7"),
    FIELD(push)},
   {OPTION(.name = "local", .metavar = "N=BYTES", .kind = KIND_LIST,
           .help = "argument N points to BYTES of threadgroup memory"), FIELD(locals)},
   {OPTION(.letter = 'g', .name = "grid", .metavar = "X[,Y[,Z]]", .kind = KIND_SIZES, .min = 1, .max = UINT32_MAX,
           .help = "number of threads; required. If it is no multiple of the threadgroup's, the last threadgroups are "
                   "smaller"),
    FIELD(grid)},
   {OPTION(.letter = 't', .name = "group", .metavar = "X[,Y[,Z]]", .kind = KIND_SIZES, .min = 1, .max = 1024,
           .help = "threads of a threadgroup, at most 1024 [default: what the kernel requires, else up to 256 along X]"),
    FIELD(group)},
   {0},
};
/* clang-format on */
#undef FIELD

static const struct output_offer exec_offers[] = {{FORMAT_TEXT, NULL}, {FORMAT_JSON, NULL}};
static const struct output_formats exec_formats = {exec_offers, ARRAY_COUNT(exec_offers), sizeof(exec_offers[0])};

#define FIELD(member) .field = offsetof(struct exec_options, member)
/* clang-format off */
static const struct option_row exec_rows[] = {
   {&option_device, FIELD(launch.device)},
   {&option_seed, FIELD(launch.seed)},
   {&option_kernel, FIELD(launch.source.program.kernel)},
   {.group = launch_rows, FIELD(launch.exec)},
   {OPTION(.name = "dump", .metavar = "N=FILE", .kind = KIND_LIST, .help = "write buffer N to a file after the run"),
    FIELD(launch.exec.dumps)},
   {OPTION(.letter = 'p', .name = "print", .metavar = "N", .kind = KIND_LIST,
           .help = "print buffer N after the run [default: the beginning of every buffer that the kernel may write]"),
    FIELD(launch.exec.prints)},
   {OPTION(.letter = 'e', .name = "expect", .metavar = "N=VALUES", .kind = KIND_LIST,
           .help = "fail unless buffer N has these values after the run: VALUES as INIT of --buf"),
    FIELD(launch.exec.expects)},
   {OPTION(.name = "tolerance", .metavar = "NULP|PART", .kind = KIND_STRING, .min = 1,
           .help = "tolerance of floats for --expect: 4ulp, or 1e-5 of the expected value [default: the same bits]"),
    FIELD(launch.exec.tolerance)},
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &exec_formats,
           .initial = "text", .help = "text, or json: with all elements of the buffers"), FIELD(launch.exec.format)},
   {OPTION(.letter = 'r', .name = "repeat", .metavar = "N", .kind = KIND_U32, .min = 1, .max = 1000000, .initial = "1",
           .help = "run the kernel N times, each time from the same inputs, and print the times"),
    FIELD(launch.exec.repeat)},
   {&option_timeout, FIELD(launch.timeout)},
   {.group = source_rows, FIELD(launch.source)},
   {&option_check, FIELD(check)},
   {0},
};
/* clang-format on */
#undef FIELD

const struct command command_exec = {
    .name = "exec",
    .operands = "FILE.cl|FILE.spv|FILE.agx|JOB.agxjob",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "run one kernel with the given buffers and arguments, or a saved job",
    .rows = exec_rows,
    .size = sizeof(struct exec_options),
    .run = cmd_exec,
};

/* ---- explain ---- */

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
   const struct job_settings settings = job_settings(&options->launch, options->output);
   const char *option = kernels_option(&options->launch);

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
   const struct driver_launch_settings settings = driver_settings(&options->launch, false);
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
                                                                       : run_launch(&options->launch, options, false);
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
