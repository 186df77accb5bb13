/* SPDX-License-Identifier: MIT
 *
 * The parent of a fuzzing run: starts workers, collects what they report, replaces those that are lost. Invariants:
 * this process compiles no program, so that its forks start with a Mesa that has read libclc at most; a worker that is
 * lost is a finding, and the program that it had is counted.
 */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/corpus.h"
#include "fuzz/crash.h"
#include "fuzz/finding.h"
#include "fuzz/triage.h"
#include "fuzz/report.h"
#include "fuzz/translate_finding.h"
#include "process/child/watch.h"
#include "util/clock.h"
#include "util/cores.h"
#include "agx_runner/terminal/runner.h"

#define CRASHES_SHRUNK 3 /* crashes at one place that are shrunk: each try costs a process */
#define PATIENCE 0.8     /* seconds that workers and triage may go on after an interruption */
#define SITES_SHRUNK 8   /* the same at different instructions of one pass */
#define LOST_UNOPENED 3  /* workers lost in a row before they tried a program, after which none is started */
#define IDLE_GRACE 2.0   /* seconds that an idle worker has for saying where it is */

/* Set by the first SIGINT or SIGTERM, which ends the search with a report. The second one ends the process. */
static volatile sig_atomic_t interrupted;

struct slot {
   bool running;
   bool owed;     /* the worker waits for an order, once its last report is looked into */
   bool idle;     /* it was ended for being idle */
   bool canceled; /* it was ended because the run ends */
   struct child child;
   struct triage triage; /* looks into what the worker found last */
   uint64_t first;       /* where it starts */
   uint64_t steps;       /* its last step */
   double rested;        /* child_idle_seconds() when that began */
   unsigned lost;        /* workers that were lost before they tried a program */
};

struct fuzz {
   const struct fuzz_settings *settings;
   struct fuzz_shared *shared;
   struct findings findings;
   struct fuzz_report *report;
   struct slot slots[FUZZ_JOBS]; /* one for each job */
   uint32_t jobs, running;
   double started;
   bool unopened;
   bool searched;
   bool failed; /* not all programs were tried */
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

static void start_worker(struct fuzz *fuzz, uint32_t number, uint64_t first)
{
   struct slot *slot = &fuzz->slots[number];
   struct fuzz_worker worker = {fuzz->settings, fuzz->shared, number, fuzz->jobs, first};
   const int error = child_start(&slot->child, fuzz_worker_live, &worker);

   slot->first = first;
   slot->running = error == 0;
   slot->owed = slot->idle = false;
   slot->steps = UINT64_MAX;
   if (error < 0) {
      fuzz->failed = true;
      (void)complain(EXIT_FAILED, "fuzz: cannot start a worker: %s", strerror(-error));
      return;
   }
   child_count_work(&slot->child, 0);
   fuzz->running++;
}

/* Whether enough crashes or hangs at this place were looked into: then it counts as one of them. Other places in the
 * same pass are looked into more often, because they may be other faults. */
static bool often_seen(struct fuzz *fuzz)
{
   const struct fuzz_report *report = fuzz->report;
   struct finding *last = NULL;
   uint64_t times = 0, sites = 0;
   bool new_site = true;

   for (size_t i = 0; report->crashed[0] != '\0' && i < fuzz->findings.count; i++) {
      struct finding *finding = fuzz->findings.items[i];
      if (finding->kind == finding_kind_of(report) && finding->report.stage == report->stage &&
          finding->report.language == report->language && strcmp(finding->report.crashed, report->crashed) == 0) {
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

/* Starts triage of the report's program. */
static void look_into(struct fuzz *fuzz, uint32_t number)
{
   const int ret =
       triage_start(&fuzz->slots[number].triage, &fuzz->findings, fuzz->settings, &fuzz->shared->options, fuzz->report);

   if (ret < 0) {
      fuzz->failed = true;
      (void)complain(EXIT_FAILED, "fuzz: program %" PRIu64 " fails and was not looked into: %s", fuzz->report->index,
                     strerror(-ret));
   }
}

/* A worker was lost while it shrank a program. The next worker continues, and skips the smaller program that crashed or
 * hung. After too many losses the program is a finding as large as it is. */
static void take_shrunk(struct fuzz *fuzz, struct fuzz_crash_record *record, bool by_program)
{
   const bool more = by_program ? record->crashers < FUZZ_CRASHERS : record->resumed++ < LOST_UNOPENED;

   if (more && fuzz->shared->stop == 0) {
      if (by_program) {
         record->crasher[record->crashers++] = fuzz_report_hash(&record->tried);
      }
      record->resume = true;
      return;
   }
   *fuzz->report = record->report;
   struct compiler_options options;
   if (findings_try(fuzz->settings, fuzz->report, false, &options) == NULL &&
       findings_add(&fuzz->findings, fuzz->settings, fuzz->report, NULL)) {
      fuzz_report_finding(stderr, fuzz->findings.items[fuzz->findings.count - 1]);
   }
}

/* Makes a report of the program that a lost worker was at, and starts its triage. The call stack that the worker left,
 * if there is one, names the place. */
static void take_record(struct fuzz *fuzz, uint32_t number, struct call_fate fate)
{
   struct fuzz_crash_record *record = &fuzz->shared->workers[number].record;
   struct fuzz_progress *progress = &fuzz->shared->workers[number].progress;
   const bool shrinking = progress->phase == PHASE_SHRINK;
   const bool by_program = fate.end == CALL_CRASHED || fate.end == CALL_LATE;

   if (progress->phase == PHASE_GENERATE || progress->phase == PHASE_ATTEMPT) { /* the worker had not counted it */
      progress->counts.tried[record->report.language]++;
      progress->counts.expressions += language_outputs(fuzz_language(&record->report), &record->report.program);
   }
   *fuzz->report = shrinking && progress->trying ? record->tried : record->report;
   fuzz->report->fate = fate;
   fuzz->report->phase = shrinking && progress->trying ? PHASE_ATTEMPT : progress->phase;
   fuzz->report->stage = progress->stage.stage;
   fuzz->report->why[0] = '\0';
   (void)fuzz_crash_place(&record->crash, fuzz->report->crashed, sizeof(fuzz->report->crashed));
   fuzz->report->crash_site = fate.end == CALL_CRASHED ? fuzz_crash_site(&record->crash) : 0;
   if (!often_seen(fuzz)) {
      look_into(fuzz, number);
   }
   record->resume = false;
   if (shrinking) {
      take_shrunk(fuzz, record, by_program && progress->trying);
   }
}

/* Starts another worker behind the program that a lost one was at. */
static void replace_worker(struct fuzz *fuzz, uint32_t number, struct call_fate fate)
{
   struct slot *slot = &fuzz->slots[number];
   struct fuzz_progress *progress = &fuzz->shared->workers[number].progress;
   uint64_t next = progress->index + fuzz->jobs;

   if (progress->phase == PHASE_OPEN) { /* it had none */
      char how[64];
      const struct call_limits limits = fuzz_limits(fuzz->settings);
      call_describe(&fate, &limits, how, sizeof(how));
      (void)complain(EXIT_FAILED, "fuzz: a worker was lost before it tried a program: %s", how);
      fuzz->failed = true;
      next = slot->first;
      slot->lost++;
   } else {
      slot->lost = 0;
      take_record(fuzz, number, fate);
   }
   if (fuzz->shared->stop == 0 && slot->lost < LOST_UNOPENED) {
      start_worker(fuzz, number, next);
   }
}

/* Handles the end of a worker's process. */
static void end_worker(struct fuzz *fuzz, uint32_t number)
{
   struct slot *slot = &fuzz->slots[number];

   const bool gone = child_stop(&slot->child, CHILD_ENDS, 0);
   struct call_fate fate = gone ? call_fate_of(slot->child.status) : (struct call_fate){CALL_IDLE, 0};
   child_finish(&slot->child);
   slot->running = false;
   fuzz->running--;
   fuzz_worker_unlock(fuzz->shared, number);
   if (fate.end == CALL_EXITED && fate.number == EXIT_SKIPPED) {
      fuzz->unopened = true;
   } else if (!slot->canceled && fuzz->shared->workers[number].progress.phase != PHASE_DONE) {
      fate.end = slot->idle ? CALL_IDLE : fate.end == CALL_DONE ? CALL_EXITED : fate.end;
      replace_worker(fuzz, number, fate);
   }
}

/* Reads what a worker reports: one line for each program that fails. */
static void read_reports(struct fuzz *fuzz, uint32_t number)
{
   struct slot *slot = &fuzz->slots[number];
   const bool open = child_read_reports(&slot->child);
   char *line = child_take_line(&slot->child);

   if (line != NULL) { /* the next one comes when this one is looked into */
      *fuzz->report = fuzz->shared->workers[number].record.shrunk;
      if (strtoull(line + strlen("failed "), NULL, 10) != fuzz->report->index) {
         fuzz->failed = true;
         (void)complain(EXIT_FAILED, "fuzz: a finding is lost, because the worker wrote program %" PRIu64 " over it",
                        fuzz->report->index);
      }
      slot->owed = true;
      look_into(fuzz, number);
   } else if (!open) {
      end_worker(fuzz, number);
   }
   free(line);
}

/* Ends the triage of a worker's report: the worker may hand over the next one. */
static void end_triage(struct fuzz *fuzz, uint32_t number)
{
   struct slot *slot = &fuzz->slots[number];

   triage_finish(&slot->triage, &fuzz->findings);
   if (slot->owed && slot->running) {
      child_order(&slot->child, "next");
   }
   slot->owed = false;
}

/* Ends a worker that is idle for too long in one step. Its wait for a triage does not count. Its processor time is
 * limited in its own process. */
static void limit_worker(struct fuzz *fuzz, uint32_t number)
{
   struct slot *slot = &fuzz->slots[number];
   const struct fuzz_progress *progress = &fuzz->shared->workers[number].progress;
   const double rested = child_idle_seconds(&slot->child);

   if (slot->idle) {
      return;
   }
   if ((progress->waiting && slot->triage.busy) || progress->steps != slot->steps) {
      slot->steps = progress->steps;
      slot->rested = rested;
   } else if (rested - slot->rested > fuzz_limits(fuzz->settings).idle) {
      slot->idle = true;
      (void)child_stop_idle(&slot->child, IDLE_GRACE);
   }
}

static void stop_workers(struct fuzz *fuzz)
{
   if (interrupted && fuzz->shared->stop == 0) {
      fputs("fuzz: interrupted. The report is of what was tried so far; a second interrupt ends without it.\n", stderr);
   }
   __atomic_store_n(&fuzz->shared->stop, 1, __ATOMIC_RELAXED);
}

/* Kills the workers and triages that still run a while after an interruption. */
static void end_late_processes(struct fuzz *fuzz)
{
   for (uint32_t i = 0; i < fuzz->jobs; i++) {
      struct slot *slot = &fuzz->slots[i];
      if (slot->triage.busy && !slot->triage.canceled) {
         slot->triage.canceled = true;
         (void)child_stop(&slot->triage.child, CHILD_KILLED, 0);
      }
      if (slot->running && !slot->canceled) {
         slot->canceled = true;
         (void)child_stop(&slot->child, CHILD_KILLED, 0);
      }
   }
}

static bool is_in_triage(const struct fuzz *fuzz)
{
   bool any = false;

   for (uint32_t i = 0; i < fuzz->jobs; i++) {
      any |= fuzz->slots[i].triage.busy;
   }
   return any;
}

/* During the triage of a worker's report its further reports are not read: the worker goes on, and waits when it has
 * another one. */
static void wait_for_reports(struct fuzz *fuzz)
{
   struct child_watch watches[2 * FUZZ_JOBS];

   for (uint32_t i = 0; i < fuzz->jobs; i++) {
      struct slot *slot = &fuzz->slots[i];
      watches[2 * i] = (struct child_watch){.child = slot->triage.busy ? &slot->triage.child : NULL};
      watches[2 * i + 1] =
          (struct child_watch){.child = slot->running ? &slot->child : NULL, .ignored = slot->triage.busy};
   }
   (void)child_watch(watches, 2 * fuzz->jobs, -1, NULL, 200);
   for (uint32_t i = 0; i < fuzz->jobs; i++) {
      if (watches[2 * i].reported) {
         end_triage(fuzz, i);
      } else if (watches[2 * i + 1].reported) {
         read_reports(fuzz, i);
      }
   }
}

static void run_workers(struct fuzz *fuzz)
{
   double late = 0; /* after an interruption */

   while (fuzz->running != 0 || is_in_triage(fuzz)) {
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
      wait_for_reports(fuzz);
      for (uint32_t i = 0; i < fuzz->jobs; i++) {
         if (fuzz->slots[i].running) {
            limit_worker(fuzz, i);
         }
         if (fuzz->slots[i].triage.busy) {
            triage_limit(&fuzz->slots[i].triage, fuzz->settings);
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
      const struct fuzz_progress *progress = &fuzz->shared->workers[i].progress;
      fuzz_counts_add(&summary->counts, &progress->counts);
      summary->unstable = progress->counts.unstable != 0 ? progress : summary->unstable;
      summary->refusal = progress->refusal[0] != '\0' ? progress->refusal : summary->refusal;
      summary->indeterminate = progress->indeterminate[0] != '\0' ? progress->indeterminate : summary->indeterminate;
   }
   for (uint32_t language = 0; language < LANGUAGES; language++) {
      summary->programs += summary->counts.tried[language];
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
   code = code == EXIT_OK && summary.counts.unstable != 0 ? EXIT_FAILED : code;
   const uint64_t wanted = fuzz->settings->count;
   if (fuzz->searched && wanted != 0 && fuzz->shared->stop == 0 && summary.programs < wanted) {
      code = complain(EXIT_FAILED, "fuzz: %" PRIu64 " of %" PRIu64 " programs were tried: workers were lost",
                      summary.programs, wanted);
   }
   if (fuzz->failed || fuzz->unopened) {
      code = EXIT_FAILED;
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
   fuzz->searched = !replay;
   for (uint32_t i = 0; !replay && i < fuzz->jobs; i++) {
      start_worker(fuzz, i, settings->first + i);
   }
   run_workers(fuzz);
   const int finished = finish(fuzz);
   return code != EXIT_OK ? code : finished;
}

int fuzz_run(const struct fuzz_settings *settings)
{
   struct fuzz fuzz = {.settings = settings, .started = util_clock_seconds()};

   fuzz.jobs = settings->jobs != 0 ? settings->jobs : util_cores();
   fuzz.jobs = fuzz.jobs < FUZZ_JOBS ? fuzz.jobs : FUZZ_JOBS;
   fuzz.report = calloc(1, sizeof(*fuzz.report));
   const size_t shared_bytes = sizeof(*fuzz.shared) + fuzz.jobs * sizeof(fuzz.shared->workers[0]);
   fuzz.shared = mmap(NULL, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   if (fuzz.report == NULL || fuzz.shared == MAP_FAILED) {
      free(fuzz.report);
      return complain(EXIT_FAILED, "out of memory");
   }
   (void)signal(SIGPIPE, SIG_IGN);
   int code = settings->known != NULL ? findings_load_known(&fuzz.findings, settings->known) : EXIT_OK;
   code = code == EXIT_OK ? search(&fuzz) : code;
   findings_finish(&fuzz.findings);
   for (uint32_t i = 0; i < fuzz.jobs; i++) {
      triage_close(&fuzz.slots[i].triage);
   }
   munmap(fuzz.shared, shared_bytes);
   free(fuzz.report);
   return code;
}
