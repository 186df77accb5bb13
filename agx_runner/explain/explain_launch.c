/* SPDX-License-Identifier: MIT
 *
 * Explains a launch: what the device recorded, a better order of the instructions, and the attribute that would help.
 * Invariant: an order that gives other values in the buffers is not written.
 */
#include "agx_runner/explain/explain_launch.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/explain/explain.h"
#include "agx_runner/explain/launch_run.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/memory/hierarchy.h"

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
      code = launch_run_again(exec, session, tried.schedule.program, &tried.time);
      after = code == EXIT_OK ? launch_copy_buffers(exec, &bytes) : NULL;
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
   uint8_t *before = launch_copy_buffers(exec, &bytes);
   struct reordered best = {.time = 0};
   int code = before == NULL ? complain(EXIT_FAILED, "out of memory")
                             : launch_run_again(exec, session, exec->program, &best.time);
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
   const struct explain_launch_settings *settings;
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
   int code = launch_run_again(explained->exec, explained->session, program, &time);
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
   struct compiler_options with = *explained->settings->compiler;
   struct compiler_result compiled = {0};
   const char *path = explained->settings->path;
   const struct agx_program *program = exec->program;
   uint64_t after;

   if (program->workgroup_size[0] != 0 || explain->only_recorded || program->scratch_bytes <= program->array_bytes) {
      return;
   }
   memcpy(with.group, exec->group, sizeof(with.group));
   if (kernel_file_compile(path, explained->settings->program, &with, &compiled) == EXIT_OK) {
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
   const struct explain_launch_settings *settings = explained->settings;
   const struct exec *exec = explained->exec;
   struct explain *explain = &explained->explain;
   const int read = explain_read(explained->session->device, exec->program, &explained->plan,
                                 exec->group[0] * exec->group[1] * exec->group[2], explain);

   explain->device = explained->session->info->path;
   explain->source = settings->path;
   explain->only_recorded = settings->no_simulations;
   explained->plan.plan.record_only = true; /* later launches are timed alone */
   const int scheduled = ran == EXIT_OK && read == EXIT_OK && settings->schedule != NULL
                             ? write_schedule(explained->exec, explained->session, explain, settings->schedule)
                             : EXIT_OK;
   if (read == EXIT_OK && ran == EXIT_OK) {
      try_attribute(explained);
   }
   progress_finish(&explained->progress);
   if (read == EXIT_OK) {
      explain_find(explain);
   }
   const int written =
       read == EXIT_OK ? explain_write(explain, settings->format, settings->timeline, settings->output) : read;
   ran = ran == EXIT_OK ? written : ran;
   ran = ran == EXIT_OK ? scheduled : ran;
   return ran == EXIT_OK && settings->trace != NULL ? explain_trace(explain, settings->trace) : ran;
}

int explain_launch(struct exec *exec, struct session *session, const struct explain_launch_settings *settings)
{
   struct asahi_program *program = NULL;
   struct explained explained = {.exec = exec, .session = session, .settings = settings};
   struct launch_record record = {.ended = false};
   double time;
   int code = exec_create_buffers(exec, session->device);

   if (code == EXIT_OK) {
      code = explain_plan_init(&explained.plan, exec->program, settings->no_simulations);
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
      code = launch_run_repeatedly(exec, session, program, &time, &record);
      code = code == EXIT_OK && record.counted ? launch_report_soft_faults(exec, &record) : code;
   }
   if (record.ended) {
      code = read_and_write(&explained, code);
      const int canaries = launch_check_canaries(exec, session);
      code = code == EXIT_OK ? canaries : code;
   }
   progress_finish(&explained.progress);
   (void)asahi_device_plan_profile(session->device, NULL);
   explain_finish(&explained.explain);
   explain_plan_finish(&explained.plan);
   asahi_program_destroy(session->device, program);
   return code;
}
