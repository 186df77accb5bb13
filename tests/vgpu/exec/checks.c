/* SPDX-License-Identifier: MIT
 *
 * The checking device on kernels that break a check and on look-alikes that do not. Each kernel has at most one fault,
 * made on purpose; the report must be of that check and at that instruction, and a look-alike must give no report. With
 * and without checks memory must be the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"

#define THREADS 128u
#define GROUP 64u
#define LOCAL_BYTES 512u

struct kernel {
   const char *name;
   unsigned check;      /* enum vgpu_check; 0: no report */
   const char *place;   /* part of the report's place: the instruction */
   const char *message; /* part of its text */
   const char *program; /* du0: input, du2: output, du4: a buffer that is freed */
};

#include "tests/vgpu/exec/checks_kernels.h"

/* A page holds more than a buffer of that many bytes. */
#define BUFFER_BYTES (THREADS * RIG_WORDS * 4)
#define FREED UINT64_C(0x1700000000)
static const struct vgpu_range ranges[] = {
    {.start = RIG_INPUT, .bytes = BUFFER_BYTES},
    {.start = RIG_OUTPUT, .bytes = BUFFER_BYTES},
    {.start = FREED, .bytes = BUFFER_BYTES, .freed = true},
};

static void launch(struct rig *rig, const struct vgpu_level *level, const struct kernel *kernel, unsigned checks,
                   struct vgpu_check_log *log)
{
   rig_init(rig, THREADS);
   rig->launch.group[0] = GROUP;
   rig->launch.threadgroup_bytes = LOCAL_BYTES;
   rig->launch.scratch_words = UINT32_MAX;
   rig->launch.spill_bucket = 4;
   rig->launch.checks = checks;
   rig->launch.log = log;
   rig->launch.ranges = ranges;
   rig->launch.range_count = sizeof(ranges) / sizeof(ranges[0]);
   memset(rig->launch.uniforms_written, 0xff, 12 * sizeof(uint16_t));
   memcpy(&rig->launch.uniforms[8], &(uint64_t){FREED}, sizeof(uint64_t));
   for (uint32_t i = 0; i < THREADS * RIG_WORDS; i++) {
      ((uint32_t *)(void *)rig->input)[i] = i * 0x9e3779b9u;
   }
   rig_program(rig, kernel->program);
   rig_run(rig, level);
}

static void print(const struct vgpu_check_log *log)
{
   for (uint32_t i = 0; i < log->count; i++) {
      const struct vgpu_check_report *report = &log->reports[i];
      fprintf(stderr, "   %u: %s: %s; lane %u, %llu times\n", report->check, report->text, report->place, report->lane,
              (unsigned long long)report->count);
   }
}

static void check_reports(const struct kernel *kernel, const struct vgpu_check_log *log)
{
   if (!kernel->check) {
      if (log->count) {
         rig_fail("%s: %u reports, expected none:", kernel->name, log->count);
         print(log);
      }
      return;
   }
   const struct vgpu_check_report *report = &log->reports[0];
   if (log->count != 1 || report->check != kernel->check || !strstr(report->place, kernel->place) ||
       !strstr(report->text, kernel->message)) {
      rig_fail("%s: %u reports, expected one of check %u, \"%s\" at \"%s\":", kernel->name, log->count, kernel->check,
               kernel->message, kernel->place);
      print(log);
   }
}

static void run(const struct vgpu_level *level, const struct kernel *kernel, struct vgpu_check_log *log)
{
   struct rig plain, checked;
   memset(log, 0, sizeof(*log));
   launch(&plain, level, kernel, 0, NULL);
   launch(&checked, level, kernel, VGPU_CHECK_ALL, log);
   if (memcmp(plain.output, checked.output, THREADS * RIG_WORDS * 4)) {
      rig_fail("%s: memory differs with checks", kernel->name);
   }
   check_reports(kernel, log);
   rig_finish(&plain);
   rig_finish(&checked);
   /* Each check alone finds its own, and no other anything. */
   for (unsigned check = 1; check < VGPU_CHECK_ALL; check *= 2) {
      memset(log, 0, sizeof(*log));
      launch(&checked, level, kernel, check, log);
      if ((log->count != 0) != (kernel->check == check)) {
         rig_fail("%s: with check %u alone %u reports", kernel->name, check, log->count);
      }
      rig_finish(&checked);
   }
}

int main(void)
{
   struct vgpu_check_log *log = malloc(sizeof(*log));
   if (!log) {
      return 1;
   }
   for (size_t l = 0; l < vgpu_level_count; l++) {
      for (size_t i = 0; vgpu_levels[l].usable() && i < sizeof(kernels) / sizeof(kernels[0]); i++) {
         run(&vgpu_levels[l], &kernels[i], log);
      }
   }
   free(log);
   return rig_result();
}
