/* SPDX-License-Identifier: MIT
 *
 * Reports of the checks: equal findings are one report with a count, and there is a bounded number of them.
 */
#include "vgpu/exec/checks/checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vgpu/exec/fault.h"
#include "vgpu/exec/checks/log.h"

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

void vgpu_check_found(const struct vgpu_simd *simd, const struct vgpu_op *op, enum vgpu_check check, unsigned lane,
                      uint64_t address, const char *format, ...)
{
   struct vgpu_check_log *log = simd->worker->launch->log;
   if (!log) {
      return;
   }
   for (uint32_t i = 0; i < log->count; i++) {
      if (log->keys[i].format == format && log->keys[i].instruction == op->address) {
         log->reports[i].count++;
         return;
      }
   }
   if (log->count == VGPU_CHECK_REPORTS) {
      log->dropped++;
      return;
   }
   struct vgpu_check_report *report = &log->reports[log->count];
   log->keys[log->count].format = format;
   log->keys[log->count].instruction = op->address;
   log->count++;
   fill(report, simd, op, check, lane, address);
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(report->text, sizeof(report->text), format, arguments);
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
