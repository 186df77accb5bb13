/* SPDX-License-Identifier: MIT
 *
 * Reads a profile, and plans its contents. Invariant: each figure comes from the profile or from simulations of the
 * same launch.
 */
#include "agx_runner/explain/explain.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "isa/isa.h"
#include "vgpu/timing/timing_params.h"
#include "vgpu/vgpu.h"

_Static_assert(VGPU_PIPES == VGPU_PROFILE_PIPES, "a pipe without a name");

const char *const explain_stall_names[VGPU_STALLS] = {
    [VGPU_STALL_OPERAND] = "operand", [VGPU_STALL_PIPE] = "pipe",           [VGPU_STALL_MEMORY] = "memory",
    [VGPU_STALL_SLOT] = "slot",       [VGPU_STALL_CONTROL] = "control",     [VGPU_STALL_FETCH] = "fetch",
    [VGPU_STALL_BARRIER] = "barrier", [VGPU_STALL_SCHEDULER] = "scheduler",
};
const char *const explain_pipe_names[VGPU_PROFILE_PIPES] = {
    [VGPU_PIPE_CROSS] = "cross-lane pipe",    [VGPU_PIPE_FAST] = "fast pipe",
    [VGPU_PIPE_COMPLEX] = "complex pipe",     [VGPU_PIPE_CONTROL] = "control pipe",
    [VGPU_PIPE_LOCAL] = "threadgroup memory", [VGPU_PIPE_DEVICE] = "device memory port",
};
const char *const explain_level_names[VGPU_PROFILE_LEVELS] = {"L1", "L2", "last cache", "DRAM"};
const char *const explain_limit_names[VGPU_LIMIT_GRID + 1] = {
    [VGPU_LIMIT_THREADS] = "the threads that a core can hold",
    [VGPU_LIMIT_REGISTERS] = "registers",
    [VGPU_LIMIT_LOCAL] = "threadgroup memory",
    [VGPU_LIMIT_GRID] = "the size of the grid",
};

double explain_lanes(const struct explain *explain)
{
   const double all = (double)explain->sum.instructions * 32;

   return all > 0 ? (double)explain->sum.thread_instructions / all : 1;
}

double explain_pipe_use(const struct explain *explain, unsigned pipe)
{
   const double copies = pipe < VGPU_PIPE_OWN ? VGPU_SCHEDULERS : 1;

   return (double)explain->sum.pipes[pipe] / copies / (double)explain->sum.ticks;
}

double explain_level_use(const struct explain *explain, unsigned level)
{
   return (double)explain->sum.levels[level] / (double)explain->sum.ticks;
}

uint64_t explain_ticks(const struct explain *explain)
{
   const struct vgpu_profile_sum *sum = &explain->sum;

   return sum->atomic_ticks > sum->ticks ? sum->atomic_ticks : sum->ticks;
}

uint64_t explain_row_time(const struct vgpu_profile_row *row)
{
   uint64_t time = row->issue;

   for (unsigned i = 0; i < VGPU_STALLS; i++) {
      time += row->stalls[i];
   }
   return time;
}

void explain_instruction(const struct explain *explain, uint64_t address, char *text, size_t size)
{
   const struct agx_program *program = explain->program;
   struct isa_insn insn;

   if (address >= program->main_size) {
      snprintf(text, size, "?");
      return;
   }
   isa_decode(program->set, program->code + program->main_offset + address, (size_t)(program->main_size - address),
              &insn);
   (void)isa_print(&insn, ISA_SYNTAX_MESA, text, size);
}

/* ---- Plans ---- */

/* Returns the part of the operation at that line; 0: there is no room for another part. */
static uint32_t part_of(struct explain_plan *plan, const struct agx_program *program, const struct agx_line *line)
{
   for (uint32_t i = 0; i < VGPU_PROFILE_PARTS; i++) {
      struct explain_part *part = &plan->parts[i];

      if (part->name == NULL) {
         *part = (struct explain_part){agx_program_line_operation(program, line), line, 1};
         plan->last[i] = line;
      }
      if (part->line->operation == line->operation) {
         const struct agx_line *last = plan->last[i];

         part->lines += last->line < line->line || last->file != line->file;
         plan->last[i] = last->line < line->line ? line : last;
         return i + 1;
      }
   }
   return VGPU_PROFILE_NO_PART;
}

int explain_plan_init(struct explain_plan *plan, const struct agx_program *program, bool record_only)
{
   const uint64_t start = program->main_offset, end = start + program->main_size;
   struct isa_insn insn;

   *plan = (struct explain_plan){.plan = {.array_bytes = program->array_bytes, .record_only = record_only}};
   plan->ranges = calloc(program->line_count + 1, sizeof(*plan->ranges));
   if (plan->ranges == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < program->line_count; i++) {
      const struct agx_line *line = &program->lines[i];
      const bool named =
          agx_program_line_operation(program, line) != NULL && line->offset >= start && line->offset < end;
      const uint32_t part = named ? part_of(plan, program, line) : VGPU_PROFILE_NO_PART;

      if (part != VGPU_PROFILE_NO_PART) {
         isa_decode(program->set, program->code + line->offset, (size_t)(end - line->offset), &insn);
         plan->ranges[plan->plan.range_count++] = (struct vgpu_profile_range){
             .start = line->offset - start, .end = line->offset - start + insn.length, .part = part};
      }
   }
   plan->plan.ranges = plan->ranges;
   return EXIT_OK;
}

void explain_plan_finish(struct explain_plan *plan)
{
   free(plan->ranges);
   *plan = (struct explain_plan){0};
}

/* ---- Reading ---- */

static int read_events(struct asahi_device *device, struct explain *explain)
{
   struct vgpu_profile_request request;

   for (uint32_t group = 0;; group++) {
      if (asahi_device_profile(device, group, &request) < 0) {
         return complain(EXIT_FAILED, "%s", asahi_device_error(device));
      }
      if (explain->events == NULL) {
         explain->events = calloc(request.events_total + 1, sizeof(*explain->events));
         explain->events_dropped = request.events_dropped;
      }
      if (explain->events == NULL) {
         return complain(EXIT_FAILED, "out of memory");
      }
      if (request.event_count == 0) {
         return EXIT_OK;
      }
      memcpy(explain->events + explain->event_count, request.events, request.event_count * sizeof(*explain->events));
      explain->event_count += request.event_count;
   }
}

int explain_read(struct asahi_device *device, const struct agx_program *program, const struct explain_plan *plan,
                 uint32_t group_threads, struct explain *explain)
{
   struct vgpu_profile_request request;

   *explain = (struct explain){.program = program, .group_threads = group_threads};
   if (asahi_device_profile(device, 0, &request) < 0) {
      return complain(EXIT_FAILED, "%s", asahi_device_error(device));
   }
   if (request.sum.launches == 0 || request.sum.failed || request.sum.ticks == 0) {
      return complain(EXIT_FAILED, "%s: no time was recorded; is the device's timing off?", agx_program_name(program));
   }
   explain->sum = request.sum;
   explain->rows = calloc(request.total, sizeof(*explain->rows));
   if (explain->rows == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (; explain->count < request.total; explain->count++) {
      if (asahi_device_profile(device, (uint32_t)explain->count, &request) < 0) {
         return complain(EXIT_FAILED, "%s", asahi_device_error(device));
      }
      explain->rows[explain->count] = request.row;
   }
   if (plan != NULL) {
      memcpy(explain->parts, plan->parts, sizeof(explain->parts));
   }
   return read_events(device, explain);
}

void explain_finish(struct explain *explain)
{
   free(explain->rows);
   free(explain->events);
   free(explain->better);
   *explain = (struct explain){0};
}

int explain_write(const struct explain *explain, enum output_format format, unsigned timeline, const char *path)
{
   struct output output;
   int code = output_open(&output, path);

   if (code == EXIT_OK) {
      code = format == FORMAT_JSON   ? explain_json(explain, output.file)
             : format == FORMAT_HTML ? explain_html(explain, timeline > 0 ? timeline : EXPLAIN_PAGE_SIMDS, output.file)
                                     : explain_text(explain, output.file);
   }
   if (code == EXIT_OK && format == FORMAT_TEXT && timeline > 0) {
      code = explain_timeline(explain, timeline, output.file);
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}
