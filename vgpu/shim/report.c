/* SPDX-License-Identifier: MIT
 *
 * A report is JSON objects, one in a line of the file: "open" when a process opens its device, "fault" for each
 * distinct fault when it happens, "close" with everything when the process ends by exit(). The line of "open" has
 * counters and spaces behind them: it is written again after each job, so that a process that was killed has left what
 * it did. All other lines are only ever appended.
 */
#include "vgpu/shim/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/host_threads.h"
#include "vgpu/jit/jit.h"
#include "vgpu/shim/next.h"
#include "vgpu/shim/post_mortem.h"
#include "util/array.h"
#include "util/clock.h"
#include "util/text.h"

#define MOST_PROGRAMS 1000u
#define MOST_REPORTS 20u
#define MOST_CAUSES 12u                /* of interpreted instructions */
#define REPORT_BYTES ((size_t)1 << 19) /* more than these take */
#define OPEN_BYTES 2048u               /* of the line of "open" */
#define MOST_FAULTS 64u                /* distinct ones */

static struct vgpu_device *reported;

/* The faults so far. The device's lock guards them. */
static struct {
   off_t open_line;  /* place of the line in the file; -1: it could not be written */
   uint64_t counted; /* of device->faults */
   uint64_t other;   /* that are not kept, because there are too many distinct ones */
   unsigned count;
   struct {
      char text[sizeof(((struct vgpu_device *)0)->fault)];
      uint64_t times;
   } distinct[MOST_FAULTS];
} faults;

static const char *report_path(void)
{
   const char *path = getenv("AGX_VGPU_REPORT");
   return path && *path ? path : NULL;
}

/* Opens the file, which is created if it is missing. -1, with a message: it cannot be; or there is none to write. */
static int open_report(int flags)
{
   const char *path = report_path();
   int fd = path ? NEXT(open)(path, O_WRONLY | O_CLOEXEC | O_CREAT | flags, 0666) : -1;
   if (path && fd < 0) {
      fprintf(stderr, "libagx-vgpu: AGX_VGPU_REPORT=%s: %s\n", path, strerror(errno));
   }
   return fd;
}

/* Appends the line. Returns its place in the file; -1: it was not written. */
static off_t write_line(const struct util_text *text)
{
   int fd = open_report(O_APPEND);
   if (fd < 0) {
      return -1;
   }
   off_t end = -1;
   if (write(fd, text->bytes, text->length) == (ssize_t)text->length) {
      end = lseek(fd, 0, SEEK_CUR);
   } else {
      fprintf(stderr, "libagx-vgpu: AGX_VGPU_REPORT=%s: %s\n", report_path(), strerror(errno));
   }
   NEXT(close)(fd);
   return end < 0 ? -1 : end - (off_t)text->length;
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
   shim_add_string(text, name);
}

static void add_counters(struct util_text *text, const struct vgpu_device *device)
{
   const struct vgpu_counters *counters = &device->counters;
   util_text_add(text,
                 ", \"commands\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"cycles\": %" PRIu64
                 ", \"resource_faults\": %" PRIu64 ", \"soft_fault_loads\": %" PRIu64
                 ", \"soft_fault_stores\": %" PRIu64 ", \"faults\": %" PRIu64 ", \"check_reports\": %" PRIu64,
                 counters->jobs, counters->instructions, counters->cycles, counters->resource_faults,
                 device->soft.loads, device->soft.stores, device->faults,
                 (uint64_t)device->checks.count + device->checks.dropped);
   util_text_add(text, ", \"soft_fault_place\": ");
   shim_add_string(text, device->soft.place);
   util_text_add(text, ", \"last_fault\": ");
   shim_add_string(text, counters->last_fault);
}

/* The line of "open", OPEN_BYTES long. */
static void make_open_line(const struct vgpu_device *device, char bytes[OPEN_BYTES])
{
   struct util_text text = {bytes, OPEN_BYTES, 0};
   start_line(&text, "open");
   util_text_add(&text, ", \"chip\": ");
   shim_add_string(&text, device->chip->marketing);
   add_counters(&text, device);
   util_text_add(&text, "}");
   memset(bytes + text.length, ' ', OPEN_BYTES - 1 - text.length);
   bytes[OPEN_BYTES - 1] = '\n';
}

/* A fault without the number of its launch, which is another one each time. */
static const char *without_launch(char text[sizeof(faults.distinct[0].text)])
{
   char *launch = strstr(text, "launch "), *rest = launch ? strstr(launch, ": ") : NULL;
   if (rest && strspn(launch + strlen("launch "), "0123456789") == (size_t)(rest - launch) - strlen("launch ")) {
      memmove(launch, rest + 2, strlen(rest + 2) + 1);
   }
   return text;
}

/* Says it where somebody sees it: in the report, or else on stderr. */
static void tell_fault(const char *fault)
{
   char bytes[OPEN_BYTES];
   struct util_text text = {bytes, sizeof(bytes), 0};
   if (!report_path()) {
      fprintf(stderr, "libagx-vgpu: fault: %s\n", fault);
      return;
   }
   start_line(&text, "fault");
   util_text_add(&text, ", \"fault\": ");
   shim_add_string(&text, fault);
   util_text_add(&text, "}\n");
   write_line(&text);
}

static void count_fault(const char *device_fault)
{
   char text[sizeof(faults.distinct[0].text)];
   snprintf(text, sizeof(text), "%s", device_fault);
   without_launch(text);
   unsigned i = 0;
   while (i < faults.count && strcmp(faults.distinct[i].text, text)) {
      i++;
   }
   if (i == MOST_FAULTS) {
      faults.other++;
      return;
   }
   if (i == faults.count) {
      faults.count++;
      snprintf(faults.distinct[i].text, sizeof(faults.distinct[i].text), "%s", text);
      tell_fault(text);
   }
   faults.distinct[i].times++;
}

static void job_ended(struct vgpu_device *device)
{
   char bytes[OPEN_BYTES];
   if (device->faults > faults.counted) {
      faults.counted = device->faults;
      count_fault(device->fault);
   }
   if (faults.open_line < 0) {
      return;
   }
   make_open_line(device, bytes);
   int fd = open_report(0);
   if (fd < 0 || pwrite(fd, bytes, OPEN_BYTES, faults.open_line) != (ssize_t)OPEN_BYTES) {
      faults.open_line = -1;
   }
   if (fd >= 0) {
      NEXT(close)(fd);
   }
}

void shim_report_open(struct vgpu_device *device)
{
   char bytes[OPEN_BYTES];
   struct util_text text = {bytes, OPEN_BYTES, OPEN_BYTES};
   reported = device;
   memset(&faults, 0, sizeof(faults));
   pthread_mutex_lock(&device->lock);
   make_open_line(device, bytes);
   faults.open_line = write_line(&text);
   device->job_ended = job_ended;
   pthread_mutex_unlock(&device->lock);
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
   shim_add_string(lines->text, line);
   lines->any = true;
}

/* Writes the instruction, the first thread that executed it, and the count. */
static void add_place(struct util_text *text, const struct vgpu_check_report *report)
{
   char place[320];
   snprintf(place, sizeof(place),
            "%s; lane %" PRIu32 ", thread %" PRIu32 ",%" PRIu32 ",%" PRIu32 " of threadgroup %" PRIu32 ",%" PRIu32
            ",%" PRIu32 "; %" PRIu64 " %s",
            report->place, report->lane, report->thread[0], report->thread[1], report->thread[2],
            report->threadgroup[0], report->threadgroup[1], report->threadgroup[2], report->count,
            report->count == 1 ? "time" : "times");
   shim_add_string(text, place);
}

struct cause {
   const char *name;
   uint64_t instructions;
};

static int by_instructions(const void *left, const void *right)
{
   const struct cause *a = left, *b = right;
   return (a->instructions < b->instructions) - (a->instructions > b->instructions);
}

/* Processor time of the device's threads: a client that waits in a loop counts for nothing. */
static uint64_t device_ns(const struct vgpu_device *device)
{
   clockid_t clock;
   return vgpu_host_threads_ns(device->host) +
          (pthread_getcpuclockid(device->worker, &clock) ? 0 : util_clock_of(clock));
}

/* What the interpreter executed beside compiled blocks, the largest causes first. */
static void add_interpreted(struct util_text *text, const struct vgpu_device *device)
{
   struct vgpu_jit_statistics compiled;
   vgpu_jit_read_statistics(device->compiler, &compiled);
   const struct vgpu_interpreted *interpreted = &compiled.interpreted;
   struct cause causes[ISA_OP_COUNT + 3] = {{"blocks not compiled", interpreted->waiting},
                                            {"blocks not compiled, with inactive lanes", interpreted->masked},
                                            {"results that only the interpreter settles", interpreted->again}};
   for (unsigned i = 0; i < ISA_OP_COUNT; i++) {
      causes[3 + i] = (struct cause){vgpu_jit_operation_name(i), interpreted->ops[i]};
   }
   qsort(causes, ARRAY_COUNT(causes), sizeof(causes[0]), by_instructions);
   util_text_add(text,
                 ", \"compiled_functions\": %" PRIu64 ", \"loaded_functions\": %" PRIu64 ", \"compile_ns\": %" PRIu64
                 ", \"device_ns\": %" PRIu64 ", \"executed\": %" PRIu64 ", \"interpreted\": [",
                 compiled.made, compiled.loaded, compiled.ns, device_ns(device), compiled.executed);
   for (unsigned i = 0; i < MOST_CAUSES && causes[i].instructions > 0; i++) {
      util_text_add(text, "%s{\"cause\": \"%s\", \"instructions\": %" PRIu64 "}", i ? ", " : "", causes[i].name,
                    causes[i].instructions);
   }
   util_text_add(text, "]");
}

static void report_close(struct vgpu_device *device, struct util_text *text)
{
   start_line(text, "close");
   pthread_mutex_lock(&device->lock);
   add_counters(text, device);
   util_text_add(text, ", \"distinct_faults\": [");
   for (unsigned i = 0; i < faults.count; i++) {
      util_text_add(text, "%s{\"times\": %" PRIu64 ", \"fault\": ", i ? ", " : "", faults.distinct[i].times);
      shim_add_string(text, faults.distinct[i].text);
      util_text_add(text, "}");
   }
   util_text_add(text, "], \"other_faults\": %" PRIu64 ", \"postmortem\": [", faults.other);
   struct lines lines = {.text = text};
   vgpu_postmortem_print(&device->postmortem, NULL, add_line, &lines);
   util_text_add(text, "], \"post_mortem\": ");
   shim_add_post_mortem(text, &device->postmortem);
   util_text_add(text, ", \"checks\": [");
   for (size_t i = 0; i < device->checks.count && i < MOST_REPORTS; i++) {
      util_text_add(text, "%s", i ? ", " : "");
      shim_add_string(text, device->checks.reports[i].text);
   }
   util_text_add(text, "], \"check_places\": [");
   for (size_t i = 0; i < device->checks.count && i < MOST_REPORTS; i++) {
      util_text_add(text, "%s", i ? ", " : "");
      add_place(text, &device->checks.reports[i]);
   }
   util_text_add(text, "], \"programs\": [");
   for (size_t i = 0; i < device->programs.count && i < MOST_PROGRAMS; i++) {
      const struct vgpu_program_use *use = &device->programs.items[i];
      util_text_add(text,
                    "%s{\"code\": %" PRIu64 ", \"stage\": \"%s\", \"launches\": %" PRIu64 ", \"faults\": %" PRIu64
                    ", \"threads\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"cycles\": %" PRIu64 "}",
                    i ? ", " : "", use->code, use->stage, use->launches, use->faults, use->threads, use->instructions,
                    use->cycles);
   }
   util_text_add(text, "], \"program_count\": %zu", device->programs.count);
   add_interpreted(text, device);
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
