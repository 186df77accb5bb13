/* SPDX-License-Identifier: MIT
 *
 * The parent of a fuzzing run: starts workers, collects what they report, replaces those that crash. Invariant: this
 * process compiles no program, so that its forks start with a Mesa that has read libclc at most.
 */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/corpus.h"
#include "fuzz/crash.h"
#include "fuzz/finding.h"
#include "fuzz/judge.h"
#include "fuzz/report.h"
#include "fuzz/translate_finding.h"
#include "util/clock.h"
#include "agx_runner/terminal/runner.h"

#define CRASHES_SHRUNK 3 /* of crashes in one place: each attempt costs a process */
#define PATIENCE 0.8     /* seconds that workers and judges may go on after an interruption */
#define SITES_SHRUNK 8   /* findings of one pass, where the next crashes at another instruction */

/* Set by the first SIGINT or SIGTERM, which ends the search with a report. The second one ends the process. */
static volatile sig_atomic_t interrupted;

struct fuzz {
   const struct fuzz_settings *settings;
   struct fuzz_shared *shared;
   struct findings findings;
   struct fuzz_report *report;
   uint32_t jobs, running;
   struct judge judges[FUZZ_JOBS]; /* one for each worker: it looks into what that worker found last */
   pid_t pids[FUZZ_JOBS];
   int pipes[FUZZ_JOBS];
   double started;
   bool unopened;
};

static void interrupt(int signal)
{
   if (interrupted) {
      _exit(EXIT_ABORTED);
   }
   interrupted = signal;
}

/* A signal that is ignored (nohup, a script's background) stays so. */
static void listen_to(int signal)
{
   const struct sigaction action = {.sa_handler = interrupt};
   struct sigaction before;

   if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
      (void)sigaction(signal, &action, NULL);
   }
}

static bool start_worker(struct fuzz *fuzz, uint32_t number, uint64_t first)
{
   int ends[2];

   if (pipe(ends) < 0) {
      return false;
   }
   fflush(NULL);
   const pid_t pid = fork();
   if (pid == 0) {
      (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
      (void)signal(SIGINT, SIG_IGN); /* a terminal sends it to all processes: the parent asks workers to stop */
      (void)signal(SIGTERM, SIG_IGN);
      close(ends[0]);
      _exit(fuzz_worker_live(fuzz->settings, fuzz->shared, number, fuzz->jobs, first, ends[1]));
   }
   close(ends[1]);
   if (pid < 0) {
      close(ends[0]);
      return false;
   }
   fuzz->pids[number] = pid;
   fuzz->pipes[number] = ends[0];
   fuzz->running++;
   return true;
}

/* Whether a crash is not looked into, because it is in the same place as others that were: then it counts as one of
 * these. What crashes elsewhere in the same pass is looked into more often: it may be another fault. */
static bool often_seen(struct fuzz *fuzz)
{
   const struct fuzz_report *report = fuzz->report;
   struct finding *last = NULL;
   uint64_t times = 0, sites = 0;
   bool new_site = true;

   for (size_t i = 0; report->crashed[0] != '\0' && i < fuzz->findings.count; i++) {
      struct finding *finding = fuzz->findings.items[i];
      if (finding->kind == FINDING_CRASH && finding->report.stage == report->stage &&
          finding->report.opencl == report->opencl && strcmp(finding->report.crashed, report->crashed) == 0) {
         const bool same = finding->report.crash_site == report->crash_site;
         times += finding->times;
         sites++;
         last = same || new_site ? finding : last;
         new_site = new_site && !same;
      }
   }
   const bool often = new_site ? sites >= SITES_SHRUNK : times >= CRASHES_SHRUNK;
   if (often) {
      last->times++;
   }
   return often;
}

/* The judge of a worker looks into the report's program. signal: it crashed; 0: it did not. */
static void look_into(struct fuzz *fuzz, uint32_t number, int signal)
{
   const int ret = judge_start(&fuzz->judges[number], &fuzz->findings, fuzz->settings, &fuzz->shared->options,
                               fuzz->report, signal);

   if (ret < 0) {
      (void)complain(EXIT_FAILED, "fuzz: program %" PRIu64 " fails and was not looked into: %s", fuzz->report->index,
                     strerror(-ret));
   }
}

/* The report's program crashed in a worker, which has left its call stack behind. A smaller program must crash in the
 * same place, alone in a process. */
static void take_crash(struct fuzz *fuzz, uint32_t number, const struct fuzz_crash *crash, int signal)
{
   (void)fuzz_crash_place(crash, fuzz->report->crashed, sizeof(fuzz->report->crashed));
   fuzz->report->crash_site = fuzz_crash_site(crash);
   if (!often_seen(fuzz)) {
      look_into(fuzz, number, signal);
   }
}

/* A worker crashed while it shrank a program that fails in another way. The next one goes on, without the program that
 * crashed. A program that cannot be shrunk so is a finding as large as it is. */
static void take_shrunk(struct fuzz *fuzz, struct fuzz_remains *remains)
{
   if (remains->crashers < FUZZ_CRASHERS && fuzz->shared->stop == 0) {
      remains->crasher[remains->crashers++] = fuzz_report_hash(&remains->tried);
      remains->resume = true;
      return;
   }
   *fuzz->report = remains->report;
   struct compiler_options options;
   if (findings_try(fuzz->settings, fuzz->report, &options) == NULL &&
       findings_add(&fuzz->findings, fuzz->settings, fuzz->report, NULL)) {
      fuzz_report_finding(stderr, fuzz->findings.items[fuzz->findings.count - 1]);
   }
}

/* What a crashed worker was at. */
static void take_remains(struct fuzz *fuzz, uint32_t number, int signal)
{
   struct fuzz_remains *remains = &fuzz->shared->remains[number];
   struct fuzz_progress *progress = &fuzz->shared->workers[number];
   const bool shrinking = progress->phase == PHASE_SHRINK;

   *fuzz->report = shrinking ? remains->tried : remains->report;
   fuzz->report->stage = progress->stage.stage;
   if (progress->phase == PHASE_ATTEMPT) { /* the worker counts a program when it has tried it */
      progress->programs++;
      progress->kernels += fuzz->report->opencl ? 1 : 0;
      progress->expressions += fuzz->report->opencl ? fuzz->report->kernel.outputs : fuzz->report->program.outputs;
   }
   take_crash(fuzz, number, &remains->crash, signal);
   remains->resume = false;
   if (shrinking) {
      take_shrunk(fuzz, remains);
   }
}

/* Reads one report whole. False: the worker is gone. */
static bool read_report(int pipe, struct fuzz_report *report)
{
   char *bytes = (char *)report;

   for (size_t got = 0; got < sizeof(*report);) {
      const ssize_t count = read(pipe, bytes + got, sizeof(*report) - got);
      if (count < 0 && errno == EINTR) {
         continue;
      }
      if (count <= 0) {
         return false;
      }
      got += (size_t)count;
   }
   return true;
}

/* A worker is gone: by itself, or by a crash, after which another one goes on behind the program that it had. */
static void end_worker(struct fuzz *fuzz, uint32_t number)
{
   struct fuzz_progress *progress = &fuzz->shared->workers[number];
   int status = 0;

   while (waitpid(fuzz->pids[number], &status, 0) < 0 && errno == EINTR) {
   }
   close(fuzz->pipes[number]);
   fuzz->pipes[number] = -1;
   fuzz->running--;
   fuzz->unopened |= WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED;
   if (WIFSIGNALED(status) && progress->phase != PHASE_DONE && WTERMSIG(status) != SIGKILL) {
      const uint64_t index = progress->index;
      take_remains(fuzz, number, WTERMSIG(status));
      if (fuzz->shared->stop == 0) {
         (void)start_worker(fuzz, number, index + fuzz->jobs);
      }
   }
}

static void hear(struct fuzz *fuzz, uint32_t number)
{
   if (!read_report(fuzz->pipes[number], fuzz->report)) {
      end_worker(fuzz, number);
   } else {
      look_into(fuzz, number, 0);
   }
}

static void stop_workers(struct fuzz *fuzz)
{
   if (interrupted && fuzz->shared->stop == 0) {
      fputs("fuzz: interrupted. The report is of what was tried so far; a second interrupt ends without it.\n", stderr);
   }
   __atomic_store_n(&fuzz->shared->stop, 1, __ATOMIC_RELAXED);
}

/* After an interruption nothing is waited for that takes longer: the report names what was not looked into. */
static void end_late_processes(const struct fuzz *fuzz)
{
   for (uint32_t i = 0; i < fuzz->jobs; i++) {
      if (fuzz->judges[i].pid != 0) {
         kill(fuzz->judges[i].pid, SIGKILL);
      }
      if (fuzz->pipes[i] >= 0 && fuzz->pids[i] > 0) {
         kill(fuzz->pids[i], SIGKILL);
      }
   }
}

static bool is_judging(const struct fuzz *fuzz)
{
   bool any = false;

   for (uint32_t i = 0; i < fuzz->jobs; i++) {
      any |= fuzz->judges[i].pid != 0;
   }
   return any;
}

/* A worker is not listened to while its last report is looked into: it goes on, and waits when it has the next one. */
static void run_workers(struct fuzz *fuzz)
{
   double late = 0; /* after an interruption */

   while (fuzz->running != 0 || is_judging(fuzz)) {
      struct pollfd fds[FUZZ_JOBS];
      const double left = fuzz->settings->seconds - (util_clock_seconds() - fuzz->started);

      if (interrupted || (fuzz->settings->seconds > 0 && left <= 0)) {
         stop_workers(fuzz);
      }
      if (interrupted) {
         late = late != 0 ? late : util_clock_seconds() + PATIENCE;
         if (util_clock_seconds() > late) {
            end_late_processes(fuzz);
         }
      }
      for (uint32_t i = 0; i < fuzz->jobs; i++) {
         const struct judge *judge = &fuzz->judges[i];
         fds[i] = (struct pollfd){.fd = judge->pid != 0 ? judge->pipe : fuzz->pipes[i], .events = POLLIN};
      }
      if (poll(fds, fuzz->jobs, 200) > 0) {
         for (uint32_t i = 0; i < fuzz->jobs; i++) {
            if (fds[i].fd < 0 || fds[i].revents == 0) {
               continue;
            }
            if (fuzz->judges[i].pid != 0) {
               judge_finish(&fuzz->judges[i], &fuzz->findings);
            } else {
               hear(fuzz, i);
            }
         }
      }
   }
}

static void sum_up(const struct fuzz *fuzz, struct fuzz_summary *summary)
{
   *summary = (struct fuzz_summary){.settings = fuzz->settings,
                                    .findings = &fuzz->findings,
                                    .rules = fuzz->shared->rules,
                                    .seconds = util_clock_seconds() - fuzz->started};
   for (uint32_t i = 0; i < fuzz->jobs; i++) {
      const struct fuzz_progress *progress = &fuzz->shared->workers[i];
      summary->programs += progress->programs;
      summary->kernels += progress->kernels;
      summary->expressions += progress->expressions;
      summary->compiled += progress->compiled;
      summary->refused += progress->refused;
      summary->kernels_untried += progress->kernels_untried;
      summary->undefined += progress->undefined;
      summary->different += progress->different;
      summary->repeated += progress->repeated;
      summary->unstable += progress->unstable;
      if (progress->unstable != 0) {
         summary->unstable_index = progress->unstable_index;
         summary->unstable_why = progress->unstable_why;
      }
      summary->refusal = progress->refusal[0] != '\0' ? progress->refusal : summary->refusal;
      summary->indeterminate = progress->indeterminate[0] != '\0' ? progress->indeterminate : summary->indeterminate;
   }
}

static int finish(struct fuzz *fuzz)
{
   struct fuzz_summary summary;
   int code = EXIT_OK;

   translate_findings(&fuzz->findings, fuzz->settings, &interrupted);
   if (code == EXIT_OK && fuzz->settings->corpus != NULL) {
      code = corpus_save(fuzz->settings->corpus, &fuzz->findings);
   }
   sum_up(fuzz, &summary);
   if (code == EXIT_OK) {
      code = fuzz_report_write(&summary);
   }
   for (size_t i = 0; code == EXIT_OK && i < fuzz->findings.count; i++) {
      code = fuzz->findings.items[i]->known ? EXIT_OK : EXIT_FAILED;
   }
   code = code == EXIT_OK && summary.unstable != 0 ? EXIT_FAILED : code;
   if (fuzz->unopened && summary.programs == 0) {
      return EXIT_FAILED;
   }
   if (interrupted) {
      return EXIT_ABORTED;
   }
   /* No finding means nothing where nothing was tried. */
   return code == EXIT_OK && fuzz_untried(&summary, stderr) ? EXIT_SKIPPED : code;
}

/* The files of the command line, and those of the corpus. */
static int try_files(struct fuzz *fuzz)
{
   const struct fuzz_settings *settings = fuzz->settings;
   int code = EXIT_OK;

   for (size_t i = 0; settings->files != NULL && i < settings->files->count; i++) {
      const int one = corpus_replay(settings, settings->files->items[i], &fuzz->findings);
      code = code != EXIT_OK ? code : one;
   }
   return code == EXIT_OK && settings->corpus != NULL
              ? corpus_replay_folder(settings, settings->corpus, &fuzz->findings)
              : code;
}

static int search(struct fuzz *fuzz)
{
   const struct fuzz_settings *settings = fuzz->settings;
   const bool replay = settings->files != NULL && settings->files->count != 0;

   if (settings->language != FUZZ_NIR && !replay) {
      compiler_prepare(); /* most forks of this process compile OpenCL C */
   }
   const int code = try_files(fuzz); /* a signal ends it without a report */
   listen_to(SIGINT);
   listen_to(SIGTERM);
   for (uint32_t i = 0; !replay && i < fuzz->jobs; i++) {
      fuzz->pipes[i] = -1;
      if (!start_worker(fuzz, i, settings->first + i)) {
         (void)complain(EXIT_FAILED, "cannot start a worker: %s", strerror(errno));
      }
   }
   run_workers(fuzz);
   const int finished = finish(fuzz);
   return code != EXIT_OK ? code : finished;
}

int fuzz_run(const struct fuzz_settings *settings)
{
   struct fuzz fuzz = {.settings = settings, .started = util_clock_seconds()};
   const long cores = sysconf(_SC_NPROCESSORS_ONLN);

   fuzz.jobs = settings->jobs != 0 ? settings->jobs : cores > 0 ? (uint32_t)cores : 1;
   fuzz.jobs = fuzz.jobs < FUZZ_JOBS ? fuzz.jobs : FUZZ_JOBS;
   fuzz.report = calloc(1, sizeof(*fuzz.report));
   fuzz.shared = mmap(NULL, sizeof(*fuzz.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   if (fuzz.report == NULL || fuzz.shared == MAP_FAILED) {
      free(fuzz.report);
      return complain(EXIT_FAILED, "out of memory");
   }
   (void)signal(SIGPIPE, SIG_IGN);
   int code = settings->known != NULL ? findings_load_known(&fuzz.findings, settings->known) : EXIT_OK;
   code = code == EXIT_OK ? search(&fuzz) : code;
   findings_finish(&fuzz.findings);
   for (uint32_t i = 0; i < fuzz.jobs; i++) {
      judge_close(&fuzz.judges[i]);
   }
   munmap(fuzz.shared, sizeof(*fuzz.shared));
   free(fuzz.report);
   return code;
}
