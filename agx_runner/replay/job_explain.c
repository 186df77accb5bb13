/* SPDX-License-Identifier: MIT
 *
 * disasm and explain of a saved job. A profile is of one launch, so explain runs the job once for each program.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/count.h"
#include "agx_runner/program/program_file.h"
#include "agx_runner/replay/job_run.h"
#include "agx_runner/terminal/runner.h"

/* Reads the programs of a job that has run; the one that --kernel names must be among them. */
static int read_programs(struct job_run *run, struct job_programs *programs)
{
   const char *path = run->settings->path, *kernel = run->settings->program->kernel;
   const int code = job_programs_read(&run->replay, path, programs);
   bool found = kernel == NULL;
   for (size_t i = 0; i < programs->count; i++) {
      found |= kernel != NULL && strcmp(kernel, programs->list[i].program->name) == 0;
   }
   for (size_t i = 0; i < programs->stage_count; i++) {
      found |= kernel != NULL && strcmp(kernel, programs->stages[i].program->name) == 0;
   }
   if (code != EXIT_OK || found) {
      return code;
   }
   (void)complain(EXIT_INVALID, "%s: no program at '%s'; its programs:", path, kernel);
   for (size_t i = 0; i < programs->count; i++) {
      fprintf(stderr, "  %s\n", programs->list[i].program->name);
   }
   for (size_t i = 0; i < programs->stage_count; i++) {
      fprintf(stderr, "  %s\n", programs->stages[i].program->name);
   }
   return EXIT_INVALID;
}

/* Prints how the job ended: its programs exist even after a fault. */
static void tell_fault(const struct job_run *run)
{
   if (run->replay.error != 0) {
      note("%s: the job ends with %s%s%s", run->settings->path, asahi_errno_name(-run->replay.error),
           run->replay.fault[0] != '\0' ? ": " : "", run->replay.fault);
   }
}

static int write_listing(const struct job_settings *settings, const struct job_programs *programs)
{
   const size_t count = programs->count + programs->stage_count;
   struct compiler_result all = {.programs = calloc(count, sizeof(*all.programs)), .count = count};
   const enum program_form form = program_form(settings->program, settings->output, PROGRAM_LISTING);
   int code = EXIT_OK;
   if (all.programs == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < programs->count; i++) {
      all.programs[i] = programs->list[i].program;
   }
   for (size_t i = 0; i < programs->stage_count; i++) {
      all.programs[programs->count + i] = programs->stages[i].program;
   }
   if (form == PROGRAM_TEXT) {
      code = complain(EXIT_INVALID,
                      "%s: the uniforms of a job's program come from its client's memory, which .agx cannot express",
                      settings->path);
   } else {
      code = program_files_write(settings->path, &all, form, settings->program, settings->output);
   }
   free(all.programs);
   return code;
}

int job_disasm(const struct job_settings *settings)
{
   struct job_run run;
   struct job_programs programs = {.count = 0};
   int code = job_run_read(&run, settings);
   if (code == EXIT_OK) {
      code = job_run_submit(&run, ",timing=off");
   }
   if (code == EXIT_OK) {
      code = read_programs(&run, &programs);
   }
   if (code == EXIT_OK) {
      tell_fault(&run);
      code = write_listing(settings, &programs);
   }
   job_programs_finish(&programs);
   job_run_finish(&run);
   return code;
}

static int by_cycles(const void *a, const void *b)
{
   const struct job_program *x = a, *y = b;
   return x->cycles != y->cycles ? (x->cycles < y->cycles) - (x->cycles > y->cycles)
                                 : (x->number > y->number) - (x->number < y->number);
}

/* Runs the job again, with a profile of that program's longest launch. */
static int explain_one(struct job_run *run, const struct job_programs *programs, const struct job_program *program,
                       const struct job_explain_settings *settings)
{
   const struct vgpu_launch_info *launch = &program->longest;
   struct explain explain = {0};
   char options[48];
   if (launch->faulted) {
      return complain(EXIT_FAILED, "%s: program %s: its launch ended with a fault, so that there is no time to explain",
                      run->settings->path, program->program->name);
   }
   snprintf(options, sizeof(options), ",profile=%" PRIu32, program->number);
   int code = job_run_submit(run, options);
   if (code != EXIT_OK) {
      return code;
   }
   code = explain_read(run->device, program->program, NULL, launch->group[0] * launch->group[1] * launch->group[2],
                       &explain);
   if (code == EXIT_OK) {
      explain.device = job_run_device(run);
      explain_find(&explain);
      if (settings->format == FORMAT_TEXT && run->settings->output == NULL) {
         printf("program %s: launch %" PRIu32 " of %" PRIu64 ", grid %" PRIu32 ",%" PRIu32 ",%" PRIu32
                " in threadgroups of %" PRIu32 ",%" PRIu32 ",%" PRIu32 "; %" PRIu64
                " launch%s of it, %.1f %% of the job's cycles (modelled)\n\n",
                program->program->name, program->number + 1, programs->launches, launch->grid[0], launch->grid[1],
                launch->grid[2], launch->group[0], launch->group[1], launch->group[2], program->launches,
                program->launches == 1 ? "" : "es", 100.0 * (double)program->cycles / (double)programs->cycles);
      }
      code = explain_write(&explain, settings->format, settings->timeline, run->settings->output);
   }
   if (code == EXIT_OK && settings->event_trace != NULL) {
      code = explain_trace(&explain, settings->event_trace);
   }
   explain_finish(&explain);
   return code;
}

/* A file, a page and JSON hold one program. */
static int check_choice(const struct job_run *run, const struct job_programs *programs,
                        const struct job_explain_settings *settings)
{
   const struct job_settings *job = run->settings;
   const bool only_text = settings->format == FORMAT_TEXT && job->output == NULL && settings->event_trace == NULL;
   const bool names_stage = job->program->kernel != NULL && strchr(job->program->kernel, ':') != NULL;
   if (!only_text && (programs->count == 0 || names_stage)) {
      return complain(EXIT_INVALID,
                      "%s: no time of a render pass's programs is modelled: only the text on stdout has them",
                      job->path);
   }
   if (programs->count == 1 || job->program->kernel != NULL || only_text) {
      return EXIT_OK;
   }
   (void)complain(EXIT_INVALID, "%s: it launches %zu programs, and a file holds one: choose with --kernel", job->path,
                  programs->count);
   for (size_t i = 0; i < programs->count; i++) {
      fprintf(stderr, "  %s\n", programs->list[i].program->name);
   }
   return EXIT_INVALID;
}

/* What is modelled of a program of a render pass: the time of its arithmetic and loads where each simdgroup runs
 * straight through, as the table of `corpus` has it. */
static void tell_instructions(const struct agx_program *program)
{
   struct program_stats stats = {.known = false};
   if (program_stats_of(program, &stats) == 0 && stats.known) {
      printf(
          "  as a compute program: %.1f cycles of a scheduler for each simdgroup, %.1f for one alone (modelled; loads "
          "hit the L1, outputs and tiles take no time%s)\n",
          stats.values[PROGRAM_CYCLES], stats.values[PROGRAM_LATENCY],
          stats.values[PROGRAM_LOOPS] > 0 ? ", each loop has ten turns" : "");
   }
   program_stats_finish(&stats);
}

/* The programs of render passes: no time of a launch is claimed. */
static void tell_stages(const struct job_run *run, const struct job_programs *programs)
{
   for (size_t i = 0; i < programs->stage_count && run->settings->output == NULL; i++) {
      const struct job_program *stage = &programs->stages[i];
      const char *kernel = run->settings->program->kernel;
      if (kernel == NULL || strcmp(kernel, stage->program->name) == 0) {
         printf("program %s: first launch of %" PRIu32 " threads, %" PRIu64 " instructions of simdgroups; "
                "cycles: not modelled\n",
                stage->program->name, stage->longest.grid[0], stage->longest.instructions);
         tell_instructions(stage->program);
      }
   }
   if (programs->stage_count > 0 && run->settings->output == NULL) {
      printf("the frame: not modelled (geometry, tiling, rasterising, and what programs wait for)\n");
   }
}

int job_explain(const struct job_settings *settings, const struct job_explain_settings *explain)
{
   struct job_run run;
   struct job_programs programs = {.count = 0};
   int code = job_run_read(&run, settings);
   if (code == EXIT_OK && !asahi_spec_is_virtual(job_run_device(&run))) {
      code =
          complain(EXIT_INVALID, "%s: only virtual devices explain what they execute; name one, as --device virtual:m1",
                   job_run_device(&run));
   }
   if (code == EXIT_OK) {
      code = job_run_submit(&run, "");
   }
   if (code == EXIT_OK) {
      code = read_programs(&run, &programs);
   }
   if (code == EXIT_OK && explain->name != NULL && programs.count == 1) {
      snprintf(programs.list[0].program->name, sizeof(programs.list[0].program->name), "%s", explain->name);
   }
   if (code == EXIT_OK) {
      tell_fault(&run);
      qsort(programs.list, programs.count, sizeof(*programs.list), by_cycles);
      code = check_choice(&run, &programs, explain);
   }
   bool first = true;
   for (size_t i = 0; code == EXIT_OK && i < programs.count; i++) {
      const struct job_program *program = &programs.list[i];
      if (settings->program->kernel == NULL || strcmp(settings->program->kernel, program->program->name) == 0) {
         if (!first) {
            putchar('\n');
         }
         first = false;
         code = explain_one(&run, &programs, program, explain);
      }
   }
   if (code == EXIT_OK && explain->format == FORMAT_TEXT) {
      tell_stages(&run, &programs);
   }
   job_programs_finish(&programs);
   job_run_finish(&run);
   return code;
}
