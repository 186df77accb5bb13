/* SPDX-License-Identifier: MIT
 *
 * exec of a saved job: runs it, and prints the buffers that it changed, from the first changed word on. A client's
 * buffers have no type, so words are printed as u32. Timestamps do not count as changes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/postmortem.h"
#include "agx_runner/replay/image.h"
#include "agx_runner/replay/job_run.h"
#include "agx_runner/replay/replay.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

#define PAGE ((uint64_t)DRM_ASAHI_PAGE_SIZE)
#define WORDS_SHOWN 64u /* of a buffer, unless all of it is asked for */
#define WORDS_A_LINE 8u

/* The range of a buffer from the first changed byte to the last. */
struct change {
   uint64_t bytes, first, last; /* bytes 0: nothing changed */
};

static struct change find_change(const struct replay *replay, uint32_t buffer, uint8_t *image)
{
   const uint8_t *seen = replay->buffers[buffer].bytes;
   struct change change = {.bytes = 0};
   for (uint64_t page = 0; page < replay->job->buffers[buffer].size; page += PAGE) {
      replay_image(replay, buffer, page, PAGE, false, image);
      for (uint64_t at = memcmp(seen + page, image, PAGE) == 0 ? PAGE : 0; at < PAGE; at++) {
         if (seen[page + at] != image[at]) {
            change.first = change.bytes++ == 0 ? page + at : change.first;
            change.last = page + at;
         }
      }
   }
   return change;
}

static void print_words(const struct replay *replay, uint32_t buffer, uint64_t first, uint64_t end, uint64_t most)
{
   const uint8_t *bytes = replay->buffers[buffer].bytes;
   const uint64_t start = first / 4 / WORDS_A_LINE * WORDS_A_LINE, count = (end + 3) / 4 - start;
   const uint64_t shown = count < most ? count : most;
   for (uint64_t i = 0; i < shown; i++) {
      uint32_t word;
      memcpy(&word, bytes + (start + i) * 4, sizeof(word));
      if (i % WORDS_A_LINE == 0) {
         printf("%s%8" PRIu64 ":", i == 0 ? "" : "\n", start + i);
      }
      printf(" %" PRIu32, word);
   }
   putchar('\n');
   if (shown < count) {
      printf("%8s  (%" PRIu64 " more: --print %" PRIu32 ")\n", "...", count - shown, buffer);
   }
}

static void print_heading(const struct replay *replay, uint32_t buffer, const struct change *change)
{
   printf("\nbuffer %" PRIu32 " at 0x%" PRIx64 ", u32[%llu]", buffer, saved_job_address(replay->job, buffer, 0),
          (unsigned long long)replay->job->buffers[buffer].size / 4);
   if (change->bytes > 0) {
      printf(": %" PRIu64 " bytes changed, from byte %" PRIu64 " to %" PRIu64, change->bytes, change->first,
             change->last);
   }
   putchar('\n');
}

static int print_changed(const struct replay *replay)
{
   uint8_t *image = malloc(PAGE);
   bool any = false;
   if (image == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (uint32_t i = 0; i < replay->job->buffer_count; i++) {
      const struct change change = find_change(replay, i, image);
      if (change.bytes > 0) {
         any = true;
         print_heading(replay, i, &change);
         print_words(replay, i, change.first, change.last + 1, WORDS_SHOWN);
      }
   }
   if (!any) {
      printf("\nno buffer was changed\n");
   }
   free(image);
   return EXIT_OK;
}

/* Parses a buffer named as "N" or "N=REST"; *rest is behind the sign. */
static int parse_buffer(const struct job_run *run, const char *option, const char *text, uint32_t *buffer,
                        const char **rest)
{
   char *end;
   errno = 0;
   const unsigned long number = strtoul(text, &end, 10);
   if (*text < '0' || *text > '9' || errno != 0 || (*end != '\0' && *end != '=') || (*end == '=') != (rest != NULL)) {
      return complain(EXIT_INVALID, "--%s %s: expected %s", option, text,
                      rest != NULL ? "N=FILE" : "a buffer's number");
   }
   if (number >= run->job.buffer_count) {
      return complain(EXIT_INVALID, "--%s %s: the job has %zu buffers, from 0 on", option, text, run->job.buffer_count);
   }
   *buffer = (uint32_t)number;
   if (rest != NULL) {
      *rest = end + 1;
   }
   return EXIT_OK;
}

static int check_shows(const struct job_run *run, const struct job_exec_settings *settings)
{
   uint32_t buffer;
   const char *file;
   int code = EXIT_OK;
   for (size_t i = 0; code == EXIT_OK && i < settings->prints->count; i++) {
      code = parse_buffer(run, "print", settings->prints->items[i], &buffer, NULL);
   }
   for (size_t i = 0; code == EXIT_OK && i < settings->dumps->count; i++) {
      code = parse_buffer(run, "dump", settings->dumps->items[i], &buffer, &file);
   }
   return code;
}

static int dump(const struct job_run *run, uint32_t buffer, const char *path)
{
   struct output output;
   int code = output_open(&output, path);
   if (code == EXIT_OK) {
      /* A short write shows in the stream's error, which the commit reports. */
      (void)!fwrite(run->replay.buffers[buffer].bytes, 1, run->job.buffers[buffer].size, output.file);
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}

static int show(const struct job_run *run, const struct job_exec_settings *settings)
{
   int code = settings->prints->count == 0 ? print_changed(&run->replay) : EXIT_OK;
   uint32_t buffer;
   const char *file;
   for (size_t i = 0; i < settings->prints->count; i++) {
      if (parse_buffer(run, "print", settings->prints->items[i], &buffer, NULL) == EXIT_OK) {
         print_heading(&run->replay, buffer, &(struct change){.bytes = 0});
         print_words(&run->replay, buffer, 0, run->job.buffers[buffer].size, UINT64_MAX);
      }
   }
   for (size_t i = 0; code == EXIT_OK && i < settings->dumps->count; i++) {
      code = parse_buffer(run, "dump", settings->dumps->items[i], &buffer, &file);
      code = code == EXIT_OK ? dump(run, buffer, file) : code;
   }
   return code;
}

static void print_header(const struct job_run *run)
{
   const struct asahi_device_info *info = asahi_device_get_info(run->device);
   struct vgpu_counters counters = {0};
   printf("device  %s: %s%s\n", info->path, info->name,
          info->is_virtual ? ", modelled: no measurement of hardware" : "");
   printf("job     %s: %zu command%s, saved on %s\n", run->settings->path, run->job.command_count,
          run->job.command_count == 1 ? "" : "s", run->job.info);
   if (info->is_virtual && asahi_device_counters(run->device, &counters) == 0 && counters.cycles > 0 &&
       counters.clock_hz > 0) {
      printf("time    %.3f us of launches (modelled)\n", (double)counters.cycles * 1e6 / (double)counters.clock_hz);
   }
}

/* Only a virtual device counts them; preambles execute loads before their conditions, and read 0. */
static int report_soft_faults(const struct job_run *run)
{
   struct vgpu_counters counters = {0};
   if (!asahi_device_get_info(run->device)->is_virtual || asahi_device_counters(run->device, &counters) < 0 ||
       (counters.soft_fault_loads == counters.soft_fault_preamble_loads && counters.soft_fault_stores == 0)) {
      return EXIT_OK;
   }
   return complain(EXIT_FAILED,
                   "%" PRIu64 " loads from unmapped memory read 0, and %" PRIu64
                   " stores and atomics were lost; the first: 0x%" PRIx64 " (%s)",
                   counters.soft_fault_loads, counters.soft_fault_stores, counters.soft_fault_address,
                   counters.soft_fault_place);
}

int job_exec(const struct job_settings *settings, const struct job_exec_settings *exec)
{
   struct job_run run;
   int code = job_run_read(&run, settings);
   if (code == EXIT_OK) {
      code = check_shows(&run, exec);
   }
   if (code == EXIT_OK && exec->check && !asahi_spec_is_virtual(job_run_device(&run))) {
      code =
          complain(EXIT_INVALID, "%s: only virtual devices check what they execute; name one, as --device virtual:m1",
                   job_run_device(&run));
   }
   if (code == EXIT_OK) {
      code = job_run_submit(&run, exec->check && strstr(job_run_device(&run), ",check=") == NULL ? ",check=all" : "");
   }
   if (code == EXIT_OK) {
      print_header(&run);
      code = show(&run, exec);
      fflush(stdout);
      const int findings = replay_findings(settings->path, &run.replay);
      code = code == EXIT_OK ? findings : code;
      const int lost = report_soft_faults(&run);
      code = code == EXIT_OK ? lost : code;
      if (run.replay.error != 0) {
         code =
             complain(EXIT_FAILED, "%s: the job ended with %s%s%s", settings->path, asahi_errno_name(-run.replay.error),
                      run.replay.fault[0] != '\0' ? ": " : "", run.replay.fault);
         vgpu_postmortem_print(&run.replay.postmortem, NULL, postmortem_print_line, NULL);
      }
   }
   job_run_finish(&run);
   return code;
}
