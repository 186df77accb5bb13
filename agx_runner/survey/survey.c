/* SPDX-License-Identifier: MIT
 *
 * Runs those steps of a survey that have no result yet, one process each, and writes the journal.
 */
#include "agx_runner/survey/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agx_runner/survey/assemble.h"
#include "agx_runner/survey/benchmarks.h"
#include "agx_runner/survey/step.h"
#include "agx_runner/terminal/runner.h"
#include "process/child/child.h"
#include "util/file.h"

#define STEP_GRACE_SECONDS 10
#define LOCK_TRIES 150
#define DEFAULT_RUN "run" /* the step */
#define RUN_SUFFIX ".run" /* suffix of the folder with the journal of a step's `run` */
#define WARNING "agx-runner: warning: "
#define NOT_ASKED "not asked for: the step may cause a GPU fault"

struct survey {
   const struct survey_settings *settings;
   char device[256]; /* the spec that "auto" was resolved to */
   char folder[256];
   long long started; /* seconds since 1970 */
   uint64_t seed;
   int journal;
   char boot[64];
   bool hazardous, is_virtual;
   uint32_t generation; /* generation of the chip */
   size_t partial;      /* steps of this run that were interrupted */
};

/* ---- The folder ---- */

static bool step_path(const struct survey *survey, const char *step, const char *suffix, char *path, size_t size)
{
   return (size_t)snprintf(path, size, "%s/steps/%s%s", survey->folder, step, suffix) < size;
}

static void read_boot(char *boot, size_t size)
{
   FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

   snprintf(boot, size, "unknown");
   if (file != NULL) {
      if (fgets(boot, (int)size, file) != NULL) {
         boot[strcspn(boot, "\n")] = '\0';
      }
      fclose(file);
   }
}

static int journal_line(const struct survey *survey, const char *what, const char *step)
{
   char line[256];
   const int length = snprintf(line, sizeof(line), "%s %s %s\n", what, step, survey->boot);

   if (write(survey->journal, line, (size_t)length) != length || fsync(survey->journal) < 0) {
      return complain(EXIT_FAILED, "%s/journal: %s", survey->folder, strerror(errno));
   }
   return EXIT_OK;
}

/* Whether the step was begun under another boot and did not end: then the machine restarted during it. */
static bool took_machine_down(const struct survey *survey, const struct survey_step *step)
{
   char path[512], line[256], what[16], name[64], boot[64], last[64] = "";
   bool begun = false;

   snprintf(path, sizeof(path), "%s/journal", survey->folder);
   FILE *file = fopen(path, "re");
   while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
      if (strchr(line, '\n') != NULL && sscanf(line, "%15s %63s %63s", what, name, boot) == 3 &&
          !strcmp(name, step->name)) {
         begun = !strcmp(what, "begin");
         snprintf(last, sizeof(last), "%s", boot);
      }
   }
   if (file != NULL) {
      fclose(file);
   }
   return begun && strcmp(last, survey->boot) != 0;
}

/* survey.txt: written once, read when the survey is resumed */
static int open_facts(struct survey *survey)
{
   char path[512], line[300];
   unsigned long long seed;

   snprintf(path, sizeof(path), "%s/survey.txt", survey->folder);
   FILE *file = fopen(path, "re");
   if (file != NULL) {
      const bool good =
          fgets(line, sizeof(line), file) != NULL && fscanf(file, "%llu %lld", &seed, &survey->started) == 2;

      fclose(file);
      line[strcspn(line, "\n")] = '\0';
      if (!good) {
         return complain(EXIT_INVALID, "%s: this is not the folder of a survey", path);
      }
      if (strcmp(line, survey->device) != 0 || seed != survey->settings->seed) {
         return complain(EXIT_INVALID, "%s: a survey of %s with --seed %llu was begun there; name another folder", path,
                         line, seed);
      }
      survey->seed = seed;
      note("%s: continuing the survey that was begun there", survey->folder);
      return EXIT_OK;
   }
   survey->started = (long long)time(NULL);
   survey->seed = survey->settings->seed;
   snprintf(line, sizeof(line), "%s\n%llu %lld\n", survey->device, (unsigned long long)survey->seed, survey->started);
   const int ret = util_replace_file(path, line, strlen(line));
   if (ret != 0) {
      return complain(EXIT_FAILED, "%s: %s", path, strerror(-ret));
   }
   return EXIT_OK;
}

static int open_folder(struct survey *survey)
{
   char path[512];
   bool locked;

   snprintf(path, sizeof(path), "%s/steps", survey->folder);
   if ((mkdir(survey->folder, 0777) < 0 && errno != EEXIST) || (mkdir(path, 0777) < 0 && errno != EEXIST)) {
      return complain(EXIT_FAILED, "%s: %s", path, strerror(errno));
   }
   snprintf(path, sizeof(path), "%s/journal", survey->folder);
   survey->journal = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
   if (survey->journal < 0) {
      return complain(EXIT_FAILED, "%s: %s", path, strerror(errno));
   }
   /* the processes of a survey that was just killed may take a moment to end */
   for (unsigned tries = 0; !(locked = flock(survey->journal, LOCK_EX | LOCK_NB) == 0) && tries < LOCK_TRIES; tries++) {
      nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
   }
   if (!locked) {
      return complain(EXIT_FAILED, "%s: another survey is using it", survey->folder);
   }
   return open_facts(survey);
}

/* ---- One step ---- */

static volatile sig_atomic_t interrupted; /* in the survey's process or in a step's */

static void on_signal(int number)
{
   (void)number;
   interrupted = 1;
}

struct life {
   const struct survey *survey;
   const struct survey_step *step;
};

static bool redirect(const char *path)
{
   const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
   const bool done = fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0 && dup2(fd, STDERR_FILENO) >= 0;

   if (fd >= 0) {
      close(fd);
   }
   return done;
}

static int measure_step(const struct life *life, struct sheet *sheet)
{
   struct session session;

   if (life->step->measure == NULL) {
      const struct survey *survey = life->survey;
      char results[512], earlier[512], run_folder[512], seed[32], timeout[40], ffma[40];
      const struct survey_benchmarks run = {.device = survey->device,
                                            .options = {seed, timeout, ffma},
                                            .folder = run_folder,
                                            .results = results,
                                            .earlier = earlier,
                                            .interrupted = &interrupted};

      snprintf(seed, sizeof(seed), "--seed=%llu", (unsigned long long)survey->seed);
      snprintf(timeout, sizeof(timeout), "--timeout=%.17g", survey->settings->timeout);
      snprintf(ffma, sizeof(ffma), "--ffma-cycles=%.17g", survey->settings->ffma_cycles);
      step_path(survey, life->step->name, RUN_SUFFIX, run_folder, sizeof(run_folder));
      step_path(survey, life->step->name, ".results.json", results, sizeof(results));
      step_path(survey, DEFAULT_RUN, ".json", earlier, sizeof(earlier));
      const int ret = survey_run_benchmarks(&run, life->step, sheet);
      if (ret == -EINTR) {
         return EXIT_ABORTED;
      }
      if (ret < 0) {
         sheet_status(sheet, "failed", "%s", strerror(-ret));
      }
      return EXIT_OK;
   }
   const int code = session_open(&session, life->survey->device, life->survey->settings->timeout);
   if (code != EXIT_OK) {
      return code;
   }
   const int ret = life->step->measure(&session, sheet);
   if (ret == -EINTR) {
      session_close(&session);
      return EXIT_ABORTED;
   }
   if (ret < 0 && !sheet_is(sheet, "failed")) { /* the step has not said why */
      const char *why = asahi_device_error(session.device);

      sheet_status(sheet, "failed", "%s", why[0] != '\0' ? why : strerror(-ret));
   }
   session_close(&session);
   return EXIT_OK;
}

/* Runs in the step's process. */
static int live(void *data, int orders, int reports)
{
   const struct life *life = data;
   struct sheet sheet;
   char log[512], path[512];

   (void)orders, (void)reports;
   step_path(life->survey, life->step->name, ".log", log, sizeof(log));
   step_path(life->survey, life->step->name, ".json", path, sizeof(path));
   if (!redirect(log) || !sheet_init(&sheet)) {
      return EXIT_FAILED;
   }
   int code = measure_step(life, &sheet);
   if (code == EXIT_ABORTED) {
      sheet_status(&sheet, "partial", "interrupted");
   }
   if ((code == EXIT_OK || code == EXIT_ABORTED) && sheet_write(&sheet, path) < 0) {
      code = EXIT_FAILED;
   }
   sheet_finish(&sheet);
   return code;
}

/* Sets status and reason of a step's result, which keeps its contents or gets those of its run's journal. */
static int record(const struct survey *survey, const struct survey_step *step, const char *status, const char *reason)
{
   struct sheet sheet;
   char path[512], run_folder[512];
   int ret = -ENOMEM;

   step_path(survey, step->name, ".json", path, sizeof(path));
   step_path(survey, step->name, RUN_SUFFIX, run_folder, sizeof(run_folder));
   if (sheet_load(&sheet, path) || sheet_init(&sheet)) {
      if (!sheet_has_results(&sheet)) {
         (void)sheet_take_journal(&sheet, run_folder);
      }
      sheet_status(&sheet, status, "%s", reason);
      ret = sheet_write(&sheet, path);
      sheet_finish(&sheet);
   }
   return ret < 0 ? complain(EXIT_FAILED, "%s: %s", path, strerror(-ret)) : EXIT_OK;
}

/* Whether the step must run: it was left out before and is selected now, or it was interrupted. */
static bool is_due(const struct survey *survey, const char *path)
{
   struct sheet sheet;

   if (!sheet_load(&sheet, path)) {
      return true;
   }
   const bool due = sheet_is(&sheet, "partial") || (survey->hazardous && sheet_reason_is(&sheet, NOT_ASKED));
   sheet_finish(&sheet);
   return due;
}

/* Call it after the process has ended. Returns false if it wrote no result. */
static bool wrote_sheet(const char *path, const struct timespec *before)
{
   struct stat file;

   return stat(path, &file) == 0 && (file.st_mtim.tv_sec != before->tv_sec || file.st_mtim.tv_nsec != before->tv_nsec);
}

/* Waits for the process. Returns false if it exceeded the step's limit. */
static bool wait_for_step(struct child *child, double limit)
{
   struct pollfd pipe = {.fd = child->output, .events = POLLIN};

   while (child_read_output(child)) {
      if (child_seconds(child) > limit || interrupted) {
         return false;
      }
      poll(&pipe, 1, 200);
   }
   return true;
}

/* Prints the warnings of a step, which are in its log. */
static void show_warnings(const char *log)
{
   char line[512];
   FILE *file = fopen(log, "re");

   while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
      if (strncmp(line, WARNING, strlen(WARNING)) == 0) {
         fputs(line, stderr);
      }
   }
   if (file != NULL) {
      fclose(file);
   }
}

static int run_step(struct survey *survey, const struct survey_step *step)
{
   struct life life = {survey, step};
   struct child child;
   char path[512], why[300];
   struct stat before = {0};

   step_path(survey, step->name, ".json", path, sizeof(path));
   if (stat(path, &before) == 0 && !is_due(survey, path)) {
      return EXIT_OK;
   }
   if (took_machine_down(survey, step)) {
      return record(survey, step, "failed", "the machine restarted during this step; it was not tried again");
   }
   if (survey_step_may_fault(step, survey->generation) && !survey->hazardous) {
      return record(survey, step, "skipped", NOT_ASKED);
   }
   fprintf(stderr, "survey: %-12s %s\n", step->name, step->question);
   int code = journal_line(survey, "begin", step->name);
   if (code != EXIT_OK) {
      return code;
   }
   int ret = child_start(&child, live, &life);
   if (ret < 0) {
      return complain(EXIT_FAILED, "a process for step %s: %s", step->name, strerror(-ret));
   }
   if (survey->is_virtual) {
      child_count_work(&child, 0);
   }
   const double limit = survey->settings->step_timeout > 0 ? survey->settings->step_timeout : step->limit;
   const bool ended = wait_for_step(&child, limit);
   /* wait for a job in flight */
   if (!child_stop(&child, ended ? CHILD_ENDS : CHILD_ASKED, STEP_GRACE_SECONDS)) {
      child_finish(&child);
      return complain(EXIT_LOST, "step %s cannot be ended: reboot, then start the survey again in %s", step->name,
                      survey->folder);
   }
   child_describe_end(&child, why, sizeof(why));
   child_finish(&child);
   if (interrupted) {
      (void)record(survey, step, "partial", "interrupted");
      return complain(EXIT_ABORTED, "interrupted; what was measured is kept. agx-runner survey --resume %s continues",
                      survey->folder);
   }
   if (!ended) {
      snprintf(why, sizeof(why), "it exceeded its limit of %g s; what was measured until then is kept", limit);
      code = record(survey, step, "partial", why);
   } else if (!wrote_sheet(path, &before.st_mtim)) {
      code = record(survey, step, "failed", why);
   }
   survey->partial += is_due(survey, path);
   step_path(survey, step->name, ".log", path, sizeof(path));
   show_warnings(path);
   return code == EXIT_OK ? journal_line(survey, "end", step->name) : code;
}

/* ---- The whole ---- */

static bool wanted(const struct survey_settings *settings, const char *name)
{
   bool found = settings->steps == NULL || settings->step_count == 0;

   for (size_t i = 0; i < settings->step_count; i++) {
      found |= !strcmp(settings->steps[i], name);
   }
   return found;
}

static int check_names(const struct survey_settings *settings)
{
   for (size_t i = 0; i < settings->step_count; i++) {
      size_t k = 0;

      while (k < survey_step_count && strcmp(survey_steps[k].name, settings->steps[i]) != 0) {
         k++;
      }
      if (k == survey_step_count) {
         return complain(EXIT_INVALID, "a survey has no step '%s' (agx-runner survey --steps lists them)",
                         settings->steps[i]);
      }
   }
   return EXIT_OK;
}

/* these times are estimates: nobody has run a survey on hardware */
#define TIME_ON_HARDWARE "45 to 60 minutes on hardware are likely; the default run alone may need 12 to 90"
#define STUTTER                                                                                                        \
   "Before its samples each figure keeps the GPU busy for a second: a desktop on this machine stutters for 12 "        \
   "minutes "                                                                                                          \
   "and more. Work from a text console or ssh, or leave the machine alone"

static void list_steps(void)
{
   static const char marks[] = {[SURVEY_SAFE] = ' ', [SURVEY_TRIED_ON_G13] = '+', [SURVEY_MAY_FAULT] = '*'};

   printf(
       "A survey runs these steps in this order, each in a process of its own. None needs root. %s.\n"
       "%s.\n"
       "Steps marked * may cause a GPU fault: the kernel then resets the GPU, and other programs may lose their work.\n"
       "So may those marked + on other chips than G13 (M1 family), where nobody has tried them. These steps run with\n"
       "--hazardous, or after a question on the terminal.\n\n",
       TIME_ON_HARDWARE, STUTTER);
   for (size_t i = 0; i < survey_step_count; i++) {
      printf(" %c %-13s %s\n", marks[survey_steps[i].risk], survey_steps[i].name, survey_steps[i].question);
   }
   printf("\nThe archive holds figures, facts of the machine (chip, kernel, firmware, operating points, memory) and "
          "logs;\n"
          "no user or host name, no serial number.\n");
}

static bool ask(void)
{
   char answer[16] = "";

   if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
      return false;
   }
   fprintf(stderr,
           "Run the steps that may cause a GPU fault, too? Save your work first, and be ready to log in by ssh. "
           "[y/N] ");
   return fgets(answer, sizeof(answer), stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y');
}

/* Opens the device once in this process to get its name, before any step opens it. */
static int resolve_device(struct survey *survey, char *chip, size_t chip_size)
{
   struct asahi_device *device;
   char why[1280] = "";
   const int ret = asahi_device_open(survey->settings->device, &device, why, sizeof(why));

   if (ret < 0) {
      return complain(EXIT_INVALID, "%s", why[0] != '\0' ? why : strerror(-ret));
   }
   const struct asahi_device_info *info = asahi_device_get_info(device);
   snprintf(survey->device, sizeof(survey->device), "%s", info->path);
   snprintf(chip, chip_size, "%s", info->chip);
   /* the steps cannot harm a virtual device */
   survey->hazardous = survey->settings->hazardous || info->is_virtual;
   survey->is_virtual = info->is_virtual;
   survey->generation = info->generation;
   if (!strcmp(survey->settings->device, "auto") && why[0] != '\0') {
      note("%s", why);
   }
   asahi_device_close(device);
   return EXIT_OK;
}

/* Reads the device and the seed of the survey in that folder. */
static int read_begun(const char *folder, struct survey_settings *settings, char device[256])
{
   char path[512];
   unsigned long long seed;

   snprintf(path, sizeof(path), "%s/survey.txt", folder);
   FILE *file = fopen(path, "re");
   const bool good = file != NULL && fgets(device, 256, file) != NULL && fscanf(file, "%llu", &seed) == 1;
   if (file != NULL) {
      fclose(file);
   }
   if (!good) {
      return complain(EXIT_INVALID, "%s: this is not the folder of a survey that was begun", path);
   }
   device[strcspn(device, "\n")] = '\0';
   settings->device = device;
   settings->seed = seed;
   settings->folder = folder;
   return EXIT_OK;
}

static void say_partial(const struct survey *survey)
{
   if (survey->partial > 0) {
      printf("%zu steps ended early: agx-runner survey --resume %s continues them, and writes the archive again\n",
             survey->partial, survey->folder);
   }
}

int survey_run(const struct survey_settings *asked)
{
   struct survey_settings begun = *asked;
   const struct survey_settings *settings = &begun;
   struct survey survey = {.settings = settings, .journal = -1};
   char device[256];
   char chip[32], archive[320], date[32];
   struct sigaction action = {.sa_handler = on_signal};

   if (settings->list) {
      list_steps();
      return EXIT_OK;
   }
   int code = settings->resume != NULL ? read_begun(settings->resume, &begun, device) : EXIT_OK;
   code = code == EXIT_OK ? check_names(settings) : code;
   code = code == EXIT_OK ? resolve_device(&survey, chip, sizeof(chip)) : code;
   if (code != EXIT_OK) {
      return code;
   }
   if (settings->folder != NULL) {
      snprintf(survey.folder, sizeof(survey.folder), "%s", settings->folder);
   } else {
      snprintf(survey.folder, sizeof(survey.folder), "survey-%s", chip);
   }
   read_boot(survey.boot, sizeof(survey.boot));
   if (!survey.is_virtual) {
      note(TIME_ON_HARDWARE);
      note(STUTTER);
   }
   code = open_folder(&survey);
   survey.hazardous = code == EXIT_OK && (survey.hazardous || ask());
   sigaction(SIGINT, &action, NULL);
   sigaction(SIGTERM, &action, NULL);
   for (size_t i = 0; code == EXIT_OK && i < survey_step_count; i++) {
      if (wanted(settings, survey_steps[i].name)) {
         code = run_step(&survey, &survey_steps[i]);
      }
   }
   if (code == EXIT_OK) {
      const time_t started = (time_t)survey.started;
      struct tm utc;

      strftime(date, sizeof(date), "%Y%m%d", gmtime_r(&started, &utc));
      snprintf(archive, sizeof(archive), "survey-%s-%s.tar.zst", chip, date);
      code = survey_assemble(survey.folder, survey.device, survey.started,
                             settings->output != NULL ? settings->output : archive);
      say_partial(&survey);
   }
   if (survey.journal >= 0) {
      close(survey.journal);
   }
   return code;
}
