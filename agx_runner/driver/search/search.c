/* SPDX-License-Identifier: MIT
 *
 * The processes of a search. Each gets one part after the other, and reports the text of its findings in lines.
 * Invariant: what a part has found is printed as a whole, when the part has ended.
 */
#include "agx_runner/driver/search/search.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/driver/search/batch.h"
#include "agx_runner/driver/search/part.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "drivers/find.h"
#include "process/child/child.h"
#include "process/child/interrupt.h"
#include "process/child/watch.h"
#include "util/clock.h"
#include "util/text.h"

#define JOBS 64u          /* processes, at most */
#define GRACE_SECONDS 2.0 /* for a process that is asked to end */

const struct search_language search_opencl = {
    "opencl",    "kernels in OpenCL C",       "cl",
    MESA_OPENCL, "agx-runner piglit --mesa ", "it has no OpenCL driver, which takes the kernels"};
const struct search_language search_glsl = {
    "glsl", "kernels in GLSL", "comp", MESA_VULKAN, NULL, "it has no Vulkan driver, which takes the shaders"};
const struct search_language search_draw = {"draw",
                                            "scenes",
                                            "scene",
                                            MESA_OPENGL,
                                            "agx-runner fuzz --language draw --mesa ",
                                            "it has no OpenGL driver, which draws the scenes"};

struct job {
   struct child child;
   bool running;
   uint64_t first, count; /* its part */
   char *text;            /* what it has reported of that */
   size_t size;
   FILE *lines; /* writes the text */
};

struct search {
   const struct driver_search_settings *settings;
   struct mesa mesa;
   char folder[SEARCH_PATH];
   struct job jobs[JOBS];
   uint32_t job_count;
   uint64_t given; /* kernels that are in parts */
   uint64_t tried, refused, findings;
   double started;
   struct progress progress;
   int code;
};

/* ---- In the process ---- */

/* The text in lines with a blank in front, then the numbers of the part. */
static void report_part(int reports, char *text, const struct search_part *part, int code)
{
   for (char *line = text, *end; line != NULL && (end = strchr(line, '\n')) != NULL; line = end + 1) {
      *end = '\0';
      child_report(reports, " %s", line);
   }
   child_report(reports, "end %d %" PRIu64 " %" PRIu64 " %" PRIu64, code, part->tried, part->refused, part->findings);
}

static int live(void *data, int orders, int reports)
{
   const struct search *search = data;
   uint64_t first, count;
   FILE *in = fdopen(orders, "r");
   while (in != NULL && fscanf(in, "%" SCNu64 " %" SCNu64, &first, &count) == 2) { /* "end" is no number */
      char *text = NULL;
      size_t size;
      struct search_part part = {.settings = search->settings,
                                 .version = search->mesa.version,
                                 .folder = search->folder,
                                 .out = open_memstream(&text, &size)};
      int code = part.out != NULL ? search_part_run(&part, first, count) : complain(EXIT_FAILED, "out of memory");
      code = part.out != NULL && fclose(part.out) != 0 ? complain(EXIT_FAILED, "out of memory") : code;
      report_part(reports, text, &part, code);
      free(text);
   }
   return EXIT_OK;
}

/* ---- In the runner ---- */

static void show_progress(struct search *search)
{
   const struct driver_search_settings *settings = search->settings;
   const double passed = util_clock_seconds() - search->started;
   const double by_time = settings->seconds > 0 ? passed / settings->seconds : 0;
   const double by_count = settings->count > 0 ? (double)search->tried / (double)settings->count : 0;
   const double fraction = by_time > by_count ? by_time : by_count;
   progress_update(&search->progress, fraction < 1 ? fraction : 1);
}

static void end_job(struct search *search, struct job *job, enum child_end how)
{
   char why[256];
   (void)child_stop(&job->child, how, GRACE_SECONDS);
   if (how == CHILD_ENDS && job->child.status != 0) {
      child_describe_end(&job->child, why, sizeof(why));
      search->code = complain(EXIT_FAILED, "fuzz: a process that had no part left: %s", why);
   }
   child_finish(&job->child);
   if (job->lines != NULL) {
      fclose(job->lines);
   }
   free(job->text);
   job->running = false;
   const struct search_part part = {.settings = search->settings, .folder = search->folder};
   search_part_remove(&part, job->first, job->count);
}

/* Gives the process its next part, or ends it. */
static void give(struct search *search, struct job *job)
{
   const struct driver_search_settings *settings = search->settings;
   const bool late = settings->seconds > 0 && util_clock_seconds() - search->started >= settings->seconds;
   const uint64_t left = settings->count > 0 ? settings->count - search->given : SEARCH_PART;
   job->count = 0;
   if (late || left == 0 || search->code != EXIT_OK || interrupt_requested()) {
      child_order(&job->child, "end");
      end_job(search, job, CHILD_ENDS);
      return;
   }
   job->first = settings->first + search->given;
   job->count = left < SEARCH_PART ? left : SEARCH_PART;
   search->given += job->count;
   job->lines = open_memstream(&job->text, &job->size);
   if (job->lines == NULL) {
      search->code = complain(EXIT_FAILED, "out of memory");
   }
   child_order(&job->child, "%" PRIu64 " %" PRIu64, job->first, job->count);
}

/* Prints what the part has found. */
static void take_part(struct search *search, struct job *job, const char *line)
{
   uint64_t tried = 0, refused = 0, findings = 0;
   int code = EXIT_FAILED;
   (void)sscanf(line, "end %d %" SCNu64 " %" SCNu64 " %" SCNu64, &code, &tried, &refused, &findings);
   fclose(job->lines);
   job->lines = NULL;
   if (job->size > 0) {
      progress_finish(&search->progress);
      fputs(job->text, stdout);
      fflush(stdout);
   }
   free(job->text);
   job->text = NULL;
   search->tried += tried;
   search->refused += refused;
   search->findings += findings;
   search->code = search->code == EXIT_OK ? code : search->code;
   const struct search_part part = {.settings = search->settings, .folder = search->folder};
   search_part_remove(&part, job->first, job->count);
   give(search, job);
}

static void read_reports(struct search *search, struct job *job)
{
   char why[256];
   const bool open = child_read_reports(&job->child);
   for (char *line; job->running && (line = child_take_line(&job->child)) != NULL; free(line)) {
      if (line[0] != ' ') {
         take_part(search, job, line);
      } else if (job->lines != NULL) {
         fprintf(job->lines, "%s\n", line + 1);
      }
   }
   if (!open && job->running) {
      (void)child_stop(&job->child, CHILD_ENDS, GRACE_SECONDS);
      child_describe_end(&job->child, why, sizeof(why));
      search->code = complain(EXIT_FAILED, "fuzz: the process for programs %" PRIu64 " to %" PRIu64 ": %s", job->first,
                              job->first + job->count - 1, why);
      end_job(search, job, CHILD_KILLED);
   }
}

static uint32_t running(const struct search *search)
{
   uint32_t count = 0;
   for (uint32_t i = 0; i < search->job_count; i++) {
      count += search->jobs[i].running;
   }
   return count;
}

/* Waits for what the processes report. */
static void wait_for_jobs(struct search *search)
{
   struct child_watch watches[JOBS];
   for (uint32_t i = 0; i < search->job_count; i++) {
      struct job *job = &search->jobs[i];
      watches[i] = (struct child_watch){.child = job->running ? &job->child : NULL};
   }
   (void)child_watch(watches, search->job_count, -1, NULL, 200);
   for (uint32_t i = 0; i < search->job_count; i++) {
      if (watches[i].reported) {
         read_reports(search, &search->jobs[i]);
      }
   }
}

static void start_jobs(struct search *search)
{
   const uint32_t wanted = search->settings->jobs < JOBS ? search->settings->jobs : JOBS;
   for (uint32_t i = 0; search->code == EXIT_OK && i < wanted; i++) {
      struct job *job = &search->jobs[i];
      const int error = child_start(&job->child, live, search);
      search->job_count++;
      if (error < 0) {
         search->code = complain(EXIT_FAILED, "fuzz: a process cannot be started: %s", strerror(-error));
         return;
      }
      job->running = true;
      give(search, job);
   }
}

static int run(struct search *search)
{
   static const char name[] = "generated kernels";
   void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a process that has died is met when its reports are read */
   search->started = util_clock_seconds();
   progress_start(&search->progress, 1);
   progress_step(&search->progress, name);
   start_jobs(search);
   while (running(search) > 0 && !interrupt_requested()) {
      wait_for_jobs(search);
      show_progress(search);
   }
   for (uint32_t i = 0; i < search->job_count; i++) {
      if (search->jobs[i].running) {
         end_job(search, &search->jobs[i], CHILD_KILLED);
      }
   }
   progress_finish(&search->progress);
   signal(SIGPIPE, before);
   return interrupt_requested() ? complain(EXIT_ABORTED, "interrupted") : search->code;
}

/* Describes the Mesa; an enum exit_code. */
static int find_mesa(const struct driver_search_settings *settings, struct mesa *mesa)
{
   mesa_describe(settings->mesa, mesa);
   if (mesa->why[0] != '\0' || mesa->drivers[settings->language->api][0] == '\0') {
      return complain(EXIT_INVALID, "--mesa %s: %s", settings->mesa,
                      mesa->why[0] != '\0' ? mesa->why : settings->language->needs);
   }
   return EXIT_OK;
}

int driver_search_files(const struct driver_search_settings *settings, const struct string_list *files)
{
   struct mesa mesa;
   size_t wrong = 0;
   int code = find_mesa(settings, &mesa);
   for (size_t i = 0; code == EXIT_OK && i < files->count; i++) {
      struct batch_test test = {.scene = NULL};
      code = util_has_suffix(files->items[i], ".scene")
                 ? driver_batch_load(files->items[i], &test)
                 : complain(EXIT_INVALID, "%s: --language draw takes files whose names end in .scene", files->items[i]);
      code = code == EXIT_OK ? driver_batch_run(settings->mesa, settings->device, &test, 1) : code;
      if (code == EXIT_OK && test.verdict != BATCH_RIGHT) {
         printf("%s: %s\n", files->items[i], test.why);
         wrong++;
      }
      driver_batch_unload(&test);
   }
   if (code == EXIT_OK) {
      printf("Mesa %s: %zu scenes, %zu findings\n", mesa.version, files->count, wrong);
   }
   return code == EXIT_OK && wrong > 0 ? EXIT_FAILED : code;
}

int driver_search(const struct driver_search_settings *settings)
{
   static struct search search; /* the jobs make it large */
   const char *temporary = getenv("TMPDIR");
   search = (struct search){.settings = settings};
   const struct search_language *language = settings->language;
   const int found = find_mesa(settings, &search.mesa);
   if (found != EXIT_OK) {
      return found;
   }
   snprintf(search.folder, sizeof(search.folder), "%s/agx-runner-fuzz-XXXXXX", temporary != NULL ? temporary : "/tmp");
   if (mkdtemp(search.folder) == NULL) {
      return complain(EXIT_FAILED, "%s: %s", search.folder, strerror(errno));
   }
   interrupt_defer(); /* until the folder is gone */
   const int code = run(&search);
   rmdir(search.folder);
   interrupt_settle();
   printf("Mesa %s: %" PRIu64 " %s, %" PRIu64 " findings, %" PRIu64 " refused by the driver\n", search.mesa.version,
          search.tried, language->title, search.findings, search.refused);
   return code == EXIT_OK && search.findings > 0 ? EXIT_FAILED : code;
}
