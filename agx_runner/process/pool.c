/* SPDX-License-Identifier: MIT */
#include "agx_runner/process/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/process/slot.h"
#include "agx_runner/terminal/runner.h"

#define KERNEL_LOG "/dev/kmsg"
#define MESSAGE_PREFIX "agx-runner: "

/* Memory that a process leaves its findings in. */
struct execute_shared {
   struct asahi_device_info info;
   bool opened;
};

/* ---- Does the device still work? ---- */

static int check_life(void *data, int reports)
{
   const char *device = data;
   char *spec, why[300];

   if (asprintf(&spec, "%s%s", device, asahi_spec_is_virtual(device) ? ",scope=check" : "") < 0) {
      return EXIT_FAILED;
   }
   if (uapi_check(spec, why, sizeof(why))) {
      child_report(reports, "works");
   } else {
      child_report(reports, "broken %s", why);
   }
   return EXIT_OK;
}

/* The device did not survive the test. */
static void lose_device(struct execution *execution, struct batch *batch, size_t index, unsigned try, const char *why)
{
   struct outcome *outcome = &execution->outcomes[index];
   const struct result *result = outcome->tries > 1 ? &outcome->last : &outcome->first;
   char before[160];

   snprintf(before, sizeof(before), "%s: %.120s", result_status_names[result->status], result->reason);
   batch->current = index;
   batch->worker.try = try;
   outcome->tries--; /* what takes its place follows */
   batch_record(execution, batch, RESULT_HANG, "the device did not come back: %.90s (%.120s)", why, before);
   execute_stop(execution, EXIT_LOST, "the GPU no longer works after %s: %s", execution->selection->items[index].name,
                why);
}

static void check_device(struct execution *execution, size_t index, unsigned try)
{
   struct batch batch = {.current = BATCH_NONE, .failed = BATCH_NONE};
   enum ending ending;
   char why[300];

   const bool gone = batch_run(execution, &batch, check_life, (void *)execution->device, &ending);
   if (execution->code == EXIT_OK && !batch.works) {
      if (!gone) {
         snprintf(why, sizeof(why), "a process that runs a trivial job is stuck in the kernel");
      } else if (ending != ENDING_CLOSED) {
         snprintf(why, sizeof(why), "a trivial job did not end");
      } else if (batch.broken[0] != '\0') {
         snprintf(why, sizeof(why), "%s", batch.broken);
      } else {
         child_describe_end(&batch.child, why, sizeof(why));
      }
      lose_device(execution, &batch, index, try, why);
   }
   child_finish(&batch.child);
}

/* ---- A batch ---- */

/* What the process left unfinished. */
static void settle(struct execution *execution, struct batch *batch, enum ending ending, bool gone)
{
   const struct run_settings *settings = execution->settings;
   const char *last = batch->child.last;
   char end[300];

   if (batch->current == BATCH_NONE && !batch->heard && ending != ENDING_RUN) {
      batch->current = batch->worker.items[0];
   }
   if (batch->current == BATCH_NONE) {
      return;
   }
   if (ending == ENDING_RUN) {
      if (execution->journal != NULL && execution->code == EXIT_ABORTED) {
         (void)journal_append(execution->journal, "interrupted %zu", batch->current);
      }
      return;
   }
   if (!gone) {
      batch_record(execution, batch, RESULT_HANG, "its process cannot be ended: it is stuck in the kernel");
      execute_stop(execution, EXIT_LOST, "a process is stuck in the kernel");
   } else if (batch->unopened) {
      const bool ours = !strncmp(last, MESSAGE_PREFIX, strlen(MESSAGE_PREFIX));

      batch_record(execution, batch, RESULT_FAIL, "the device cannot be opened: %s",
                   ours ? last + strlen(MESSAGE_PREFIX) : last);
   } else if (ending == ENDING_LATE) {
      batch_record(execution, batch, RESULT_TIMEOUT, "no end after %g s", settings->test_timeout);
   } else if (ending == ENDING_IDLE) {
      batch_record(execution, batch, RESULT_TIMEOUT, "nothing was heard of it for %g s", settings->idle_timeout);
   } else {
      child_describe_end(&batch->child, end, sizeof(end));
      batch_record(execution, batch, RESULT_CRASH, "%s", end);
   }
}

static void run_batch(struct execution *execution, const size_t *items, size_t count, unsigned try)
{
   struct batch batch = {
       .worker = {.settings = execution->settings,
                  .selection = execution->selection,
                  .device = execution->device,
                  .journal = execution->journal,
                  .items = items,
                  .count = count,
                  .try = try},
       .current = BATCH_NONE,
       .failed = BATCH_NONE,
   };
   enum ending ending;

   const bool gone = batch_run(execution, &batch, worker_live, &batch.worker, &ending);
   settle(execution, &batch, ending, gone);
   child_finish(&batch.child);
   if (batch.failed != BATCH_NONE && execution->code == EXIT_OK) {
      check_device(execution, batch.failed, try);
   }
}

/* ---- The whole ---- */

/* What hung is left alone: the next time it may take the machine with it. */
static bool wants_another_try(const struct execution *execution, const struct outcome *outcome)
{
   return outcome->tries > 0 && outcome->tries <= execution->settings->reruns &&
          outcome->first.status != RESULT_INVALID && outcome->first.status != RESULT_HANG &&
          outcome->first.status != RESULT_INCOMPLETE && verdict_is_surprise(execution->expectations, &outcome->first) &&
          (outcome->tries == 1 || result_status_is_bad(outcome->last.status));
}

int execute_all(struct execution *execution)
{
   const struct selection *selection = execution->selection;
   size_t *items = calloc(selection->count + 1, sizeof(*items));
   size_t missing = 0;

   if (items == NULL) {
      execute_stop(execution, EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < selection->count; i++) {
      missing += execution->outcomes[i].tries == 0;
   }
   progress_start(&execution->progress, missing);
   for (size_t i = 0; i < selection->count && execution->code == EXIT_OK;) {
      struct outcome *outcome = &execution->outcomes[i];
      size_t count = 0;

      for (size_t j = i; j < selection->count && execution->outcomes[j].tries == 0 &&
                         (j == i || selected_together(&selection->items[i], &selection->items[j]));
           j++) {
         items[count++] = j;
      }
      if (count > 0) {
         run_batch(execution, items, count, 1);
      } else if (wants_another_try(execution, outcome)) {
         run_batch(execution, &i, 1, outcome->tries + 1);
      } else {
         i++;
      }
   }
   progress_finish(&execution->progress);
   free(items);
   return execution->code;
}

static int probe_life(void *data, int reports)
{
   struct execution *execution = data;
   struct session session;
   const int code = session_open(&session, execution->settings->device, execution->settings->timeout);

   (void)reports;
   if (code == EXIT_OK) {
      execution->shared->info = *session.info;
      execution->shared->opened = true;
      session_close(&session);
   }
   return code;
}

static int probe(struct execution *execution)
{
   struct batch batch = {.current = BATCH_NONE, .failed = BATCH_NONE};
   enum ending ending;

   const bool gone = batch_run(execution, &batch, probe_life, execution, &ending);
   const int status = batch.child.status;
   if (execution->code == EXIT_OK && !execution->shared->opened) {
      if (gone && ending == ENDING_CLOSED && WIFEXITED(status) && WEXITSTATUS(status) != EXIT_OK) {
         execution->code = WEXITSTATUS(status); /* it has said why */
      } else {
         execution->code =
             complain(EXIT_FAILED, "%s: the process that opens it did not survive", execution->settings->device);
      }
   } else if (execution->code != EXIT_OK) {
      complain(execution->code, "%s", execution->why);
   }
   child_finish(&batch.child);
   return execution->code;
}

static int open_signals(void)
{
   sigset_t signals;

   sigemptyset(&signals);
   sigaddset(&signals, SIGINT);
   sigaddset(&signals, SIGTERM);
   sigaddset(&signals, SIGHUP);
   /* A full pipe's end, or a full file, is an error where it is written. */
   signal(SIGPIPE, SIG_IGN);
   signal(SIGXFSZ, SIG_IGN);
   return sigprocmask(SIG_BLOCK, &signals, NULL) < 0 ? -1 : signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

int execute_start(struct execution *execution)
{
   execution->kmsg = (struct kmsg){-1, -1};
   execution->started = child_now();
   execution->code = EXIT_OK;
   execution->signals = open_signals();
   void *shared = mmap(NULL, sizeof(*execution->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   if (execution->signals < 0 || shared == MAP_FAILED) {
      return complain(EXIT_FAILED, "cannot set up the run: %s", strerror(errno));
   }
   execution->shared = shared;
   int code = probe(execution);
   if (code != EXIT_OK) {
      return code;
   }
   const struct asahi_device_info *info = execute_info(execution);
   execution->device = strcmp(execution->settings->device, "auto") == 0 ? info->path : execution->settings->device;
   if (!info->is_virtual && !kmsg_open(&execution->kmsg, KERNEL_LOG)) {
      note(KERNEL_LOG " cannot be read (%s): failures come without the kernel's word", strerror(errno));
   }
   return EXIT_OK;
}

const struct asahi_device_info *execute_info(const struct execution *execution)
{
   return &execution->shared->info;
}

void execute_finish(struct execution *execution)
{
   if (execution->shared != NULL) {
      kmsg_close(&execution->kmsg);
      munmap(execution->shared, sizeof(*execution->shared));
      close(execution->signals);
   }
   execution->shared = NULL;
}
