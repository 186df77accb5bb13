/* SPDX-License-Identifier: MIT
 *
 * Runs a launch. Invariant: each repetition starts from the initial contents of the buffers.
 */
#include "agx_runner/explain/launch_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/check_reports.h"
#include "agx_runner/program/postmortem.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "util/clock.h"

static const char *plural(uint64_t count)
{
   return count == 1 ? "" : "s";
}

int launch_report_soft_faults(const struct exec *exec, const struct launch_record *record)
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

int launch_run_repeatedly(struct exec *exec, struct session *session, struct asahi_program *program, double *times,
                          struct launch_record *record)
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

   *record = (struct launch_record){.ended = false};
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

int launch_check_canaries(const struct exec *exec, const struct session *session)
{
   return exec_check_canaries(
       exec, session->info->is_virtual ? "--check names the instruction, and its line in the source"
                                       : "--check on a virtual device (--device virtual:m1) names the instruction, and "
                                         "its line in the source");
}

uint8_t *launch_copy_buffers(const struct exec *exec, size_t *bytes)
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

int launch_run_again(struct exec *exec, struct session *session, const struct agx_program *other, double *time)
{
   struct asahi_program *program = NULL;
   struct launch_record record;
   int code = EXIT_OK;

   if (asahi_program_upload(session->device, other, &program) < 0) {
      code = complain(EXIT_FAILED, "upload: %s", asahi_device_error(session->device));
   }
   if (code == EXIT_OK) {
      code = launch_run_repeatedly(exec, session, program, time, &record);
      code = code == EXIT_OK && record.counted ? launch_report_soft_faults(exec, &record) : code;
   }
   asahi_program_destroy(session->device, program);
   return code;
}
