/* SPDX-License-Identifier: MIT
 *
 * A report is one JSON object in one line of the file, which is only ever appended to: "open" when a process opens its
 * device, "close" with its counters when it ends by exit(). A process that was killed leaves the first line alone.
 */
#include "vgpu/shim/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/shim/next.h"
#include "util/text.h"

#define MOST_PROGRAMS 1000u
#define MOST_REPORTS 20u
#define REPORT_BYTES ((size_t)1 << 19) /* more than these take */

static struct vgpu_device *reported;

static void add_string(struct util_text *text, const char *string)
{
   util_text_add(text, "\"");
   for (; *string; string++) {
      unsigned char c = (unsigned char)*string;
      if (c == '"' || c == '\\') {
         util_text_add(text, "\\%c", c);
      } else if (c < 32) {
         util_text_add(text, "\\u%04x", c);
      } else {
         util_text_add(text, "%c", c);
      }
   }
   util_text_add(text, "\"");
}

static void write_line(const struct util_text *text)
{
   const char *path = getenv("AGX_VGPU_REPORT");
   int fd = path && *path ? NEXT(open)(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
   if (fd < 0) {
      return;
   }
   if (write(fd, text->bytes, text->length) != (ssize_t)text->length) {
      fprintf(stderr, "libagx-vgpu: %s: %s\n", path, strerror(errno));
   }
   NEXT(close)(fd);
}

static void start_line(struct util_text *text, const char *event)
{
   char name[256] = "";
   int fd = NEXT(open)("/proc/self/comm", O_RDONLY | O_CLOEXEC);
   ssize_t length = fd < 0 ? 0 : read(fd, name, sizeof(name) - 1);
   if (fd >= 0) {
      NEXT(close)(fd);
   }
   name[length > 0 ? length - (name[length - 1] == '\n') : 0] = '\0';
   util_text_add(text, "{\"event\": \"%s\", \"pid\": %ld, \"program\": ", event, (long)getpid());
   add_string(text, name);
}

void shim_report_open(struct vgpu_device *device)
{
   char bytes[1024];
   struct util_text text = {bytes, sizeof(bytes), 0};
   reported = device;
   start_line(&text, "open");
   util_text_add(&text, ", \"chip\": ");
   add_string(&text, device->chip->marketing);
   util_text_add(&text, "}\n");
   write_line(&text);
}

void shim_report_forked(void)
{
   reported = NULL;
}

struct lines {
   struct util_text *text;
   bool any;
};

static void add_line(void *data, const char *line)
{
   struct lines *lines = data;
   util_text_add(lines->text, "%s", lines->any ? ", " : "");
   add_string(lines->text, line);
   lines->any = true;
}

/* The instruction, who was the first to execute it, and how often it happened. */
static void add_place(struct util_text *text, const struct vgpu_check_report *report)
{
   char place[320];
   snprintf(place, sizeof(place),
            "%s; lane %" PRIu32 ", thread %" PRIu32 ",%" PRIu32 ",%" PRIu32 " of threadgroup %" PRIu32 ",%" PRIu32
            ",%" PRIu32 "; %" PRIu64 " %s",
            report->place, report->lane, report->thread[0], report->thread[1], report->thread[2],
            report->threadgroup[0], report->threadgroup[1], report->threadgroup[2], report->count,
            report->count == 1 ? "time" : "times");
   add_string(text, place);
}

static void report_close(struct vgpu_device *device, struct util_text *text)
{
   start_line(text, "close");
   pthread_mutex_lock(&device->lock);
   const struct vgpu_counters *counters = &device->counters;
   util_text_add(text,
                 ", \"commands\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"cycles\": %" PRIu64
                 ", \"resource_faults\": %" PRIu64 ", \"soft_fault_loads\": %" PRIu64
                 ", \"soft_fault_stores\": %" PRIu64,
                 counters->jobs, counters->instructions, counters->cycles, counters->resource_faults,
                 device->soft.loads, device->soft.stores);
   util_text_add(text, ", \"soft_fault_place\": ");
   add_string(text, device->soft.place);
   util_text_add(text, ", \"last_fault\": ");
   add_string(text, counters->last_fault);
   util_text_add(text, ", \"postmortem\": [");
   struct lines lines = {.text = text};
   vgpu_postmortem_print(&device->postmortem, NULL, add_line, &lines);
   util_text_add(text, "], \"faults\": %" PRIu64 ", \"checks\": [", device->faults);
   for (size_t i = 0; i < device->checks.count && i < MOST_REPORTS; i++) {
      util_text_add(text, "%s", i ? ", " : "");
      add_string(text, device->checks.reports[i].text);
   }
   util_text_add(text, "], \"check_places\": [");
   for (size_t i = 0; i < device->checks.count && i < MOST_REPORTS; i++) {
      util_text_add(text, "%s", i ? ", " : "");
      add_place(text, &device->checks.reports[i]);
   }
   util_text_add(text, "], \"check_reports\": %" PRIu64 ", \"programs\": [",
                 (uint64_t)device->checks.count + device->checks.dropped);
   for (size_t i = 0; i < device->programs.count && i < MOST_PROGRAMS; i++) {
      const struct vgpu_program_use *use = &device->programs.items[i];
      util_text_add(text,
                    "%s{\"code\": %" PRIu64 ", \"launches\": %" PRIu64 ", \"faults\": %" PRIu64
                    ", \"threads\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"cycles\": %" PRIu64 "}",
                    i ? ", " : "", use->code, use->launches, use->faults, use->threads, use->instructions, use->cycles);
   }
   util_text_add(text, "], \"program_count\": %zu", device->programs.count);
   pthread_mutex_unlock(&device->lock);
   util_text_add(text, "}\n");
}

static __attribute__((destructor)) void at_exit(void)
{
   struct util_text text = {malloc(REPORT_BYTES), REPORT_BYTES, 0};
   if (reported && text.bytes) {
      report_close(reported, &text);
      write_line(&text);
   }
   free(text.bytes);
}
