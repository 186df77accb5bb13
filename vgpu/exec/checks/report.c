/* SPDX-License-Identifier: MIT
 *
 * Reports of the checks: equal findings are one report with a count, and there is a bounded number of them.
 */
#include "vgpu/exec/checks/checks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vgpu/exec/fault.h"
#include "vgpu/exec/checks/log.h"
#include "vgpu/stage.h"

struct vgpu_register_name vgpu_name_half(unsigned half, bool word)
{
   struct vgpu_register_name name;
   snprintf(name.text, sizeof(name.text), "r%u%s", half / 2 % 128, word ? "" : half & 1 ? "h" : "l");
   return name;
}

static void fill(struct vgpu_check_report *report, const struct vgpu_simd *simd, const struct vgpu_op *op,
                 enum vgpu_check check, unsigned lane, uint64_t address)
{
   *report = (struct vgpu_check_report){.count = 1, .address = address, .check = check, .lane = lane};
   for (unsigned d = 0; d < 3; d++) {
      report->thread[d] = simd->ids[d * VGPU_LANES + lane];
      report->threadgroup[d] = simd->group->position[d];
   }
   vgpu_place_print(simd->worker, op, report->place, sizeof(report->place));
}

/* The place of a new report; NULL: there is one, which counts now once more, or no room. */
static struct vgpu_check_report *claim(struct vgpu_check_log *log, const char *format, uint64_t instruction)
{
   for (uint32_t i = 0; log && i < log->count; i++) {
      if (log->keys[i].format == format && log->keys[i].instruction == instruction) {
         log->reports[i].count++;
         return NULL;
      }
   }
   if (!log || log->count == VGPU_CHECK_REPORTS) {
      if (log) {
         log->dropped++;
      }
      return NULL;
   }
   log->keys[log->count].format = format;
   log->keys[log->count].instruction = instruction;
   return &log->reports[log->count++];
}

void vgpu_check_note(struct vgpu_check_log *log, enum vgpu_check check, uint64_t address, const char *place,
                     const char *text)
{
   struct vgpu_check_report *report = claim(log, place, address);
   if (report) {
      *report = (struct vgpu_check_report){.count = 1, .address = address, .check = check};
      snprintf(report->place, sizeof(report->place), "%s", place);
      snprintf(report->text, sizeof(report->text), "%s", text);
   }
}

/* "fragment program of draw 3, pixel 12, 40: ", or "" of a compute program. Returns the length. */
static size_t name_stage(const struct vgpu_simd *simd, unsigned lane, char *text, size_t size)
{
   const struct vgpu_launch *launch = simd->worker->launch;
   const struct vgpu_stage *stage = launch->stage;
   int length = 0;
   text[0] = '\0';
   if (!stage || simd->worker->uniforms) {
      return 0;
   }
   const uint64_t thread = simd->group->number * launch->group[0] + simd->index * VGPU_LANES + lane;
   length = stage->draw == VGPU_NO_DRAW ? snprintf(text, size, "%s program", stage->name)
                                        : snprintf(text, size, "%s program of draw %" PRIu64, stage->name, stage->draw);
   if (stage->kind == VGPU_STAGE_FRAGMENT) {
      length += snprintf(text + length, size - (size_t)length, ", pixel %u, %u", stage->fragments[thread].x,
                         stage->fragments[thread].y);
   } else if (stage->kind == VGPU_STAGE_VERTEX) {
      length += snprintf(text + length, size - (size_t)length, ", vertex %" PRIu32 " of instance %" PRIu32,
                         stage->vertices[thread], stage->instances[thread]);
   }
   return (size_t)length + (size_t)snprintf(text + length, size - (size_t)length, ": ");
}

void vgpu_check_found(const struct vgpu_simd *simd, const struct vgpu_op *op, enum vgpu_check check, unsigned lane,
                      uint64_t address, const char *format, ...)
{
   struct vgpu_check_report *report = claim(simd->worker->launch->log, format, op->address);
   if (!report) {
      return;
   }
   fill(report, simd, op, check, lane, address);
   va_list arguments;
   va_start(arguments, format);
   const size_t before = name_stage(simd, lane, report->text, sizeof(report->text));
   vsnprintf(report->text + before, sizeof(report->text) - before, format, arguments);
   va_end(arguments);
}

/* Addresses are reused by later programs, so compare the place too. */
static struct vgpu_check_report *find_equal(struct vgpu_check_log *log, const struct vgpu_check_log *from, uint32_t n)
{
   for (uint32_t i = 0; i < log->count; i++) {
      if (log->keys[i].format == from->keys[n].format && !strcmp(log->reports[i].place, from->reports[n].place)) {
         return &log->reports[i];
      }
   }
   return NULL;
}

void vgpu_check_log_move(struct vgpu_check_log *to, struct vgpu_check_log *from)
{
   for (uint32_t n = 0; n < from->count; n++) {
      struct vgpu_check_report *equal = find_equal(to, from, n);
      if (equal) {
         equal->count += from->reports[n].count;
      } else if (to->count == VGPU_CHECK_REPORTS) {
         to->dropped += from->reports[n].count;
      } else {
         to->keys[to->count] = from->keys[n];
         to->reports[to->count++] = from->reports[n];
      }
   }
   to->dropped += from->dropped;
   from->count = 0;
   from->dropped = 0;
}
