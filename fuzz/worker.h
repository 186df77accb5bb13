/* SPDX-License-Identifier: MIT
 *
 * The worker processes of the fuzzer, and the memory that they share with their parent. Where a worker is stands in
 * that memory, so that its crash names the program that it was compiling, and the pass.
 */
#ifndef AGX_RUNNER_FUZZ_WORKER_H
#define AGX_RUNNER_FUZZ_WORKER_H

#include <sys/types.h>

#include "compiler/api/stage.h"
#include "fuzz/coverage.h"
#include "fuzz/language.h"
#include "fuzz/settings/settings.h"
#include "process/child/call.h"

static inline struct call_limits fuzz_limits(const struct fuzz_settings *settings)
{
   return (struct call_limits){.work = settings->try_seconds > 0 ? settings->try_seconds : FUZZ_TRY_SECONDS,
                               .idle = settings->idle_seconds > 0 ? settings->idle_seconds : FUZZ_IDLE_SECONDS};
}

#define FUZZ_JOBS 64
#define FUZZ_REFUSALS 64
#define FUZZ_KIND 160 /* bytes of a kind of message: refusal_kind() */
#define FUZZ_SHAPES 192

enum fuzz_phase {
   PHASE_OPEN, /* it opens the device */
   PHASE_GENERATE,
   PHASE_ATTEMPT, /* the program is compiled, run and compared */
   PHASE_TRIED,   /* the program is counted */
   PHASE_COMPILE, /* small programs */
   PHASE_SHRINK,  /* until the program that fails is handed over */
   PHASE_DONE,
};

/* What is counted. All members are uint64_t: fuzz_counts_add(). */
struct fuzz_counts {
   uint64_t tried[LANGUAGES];   /* programs */
   uint64_t untried[LANGUAGES]; /* of these, those that were refused, or have no determined answer */
   uint64_t expressions, refused, undefined, different, repeated;
   uint64_t compiled; /* small programs, beside the others: they are compiled and no more */
   uint64_t unstable; /* programs that failed once and not again */
};

static inline void fuzz_counts_add(struct fuzz_counts *sum, const struct fuzz_counts *counts)
{
   for (size_t i = 0; i < sizeof(*sum) / sizeof(uint64_t); i++) {
      ((uint64_t *)sum)[i] += ((const uint64_t *)counts)[i];
   }
}

struct fuzz_progress {
   uint64_t index;                 /* of the program that it is at */
   struct compiler_progress stage; /* of its compilation */
   uint32_t phase;
   uint32_t trying;  /* in PHASE_SHRINK: a program is compiled, run and compared */
   uint32_t waiting; /* for the runner, who still has the report before: no limit counts */
   uint64_t steps;   /* that it has begun: each has the limits of fuzz_limits() for itself */
   struct fuzz_counts counts;
   uint64_t unstable_index;              /* the last program that failed once and not again */
   char unstable_why[160];               /* how that failed */
   char refusal[160], indeterminate[96]; /* the last one of each */
};

/* A program that fails: how, and where. A worker hands it over once it is shrunk. */
struct fuzz_report {
   uint64_t index;
   enum verdict verdict;
   struct call_fate fate;             /* of the process that had the program, where it did not come to its end */
   uint32_t phase;                    /* enum fuzz_phase: of that process, but PHASE_ATTEMPT wherever it tried one */
   uint32_t stage;                    /* enum compiler_stage: the same */
   char crashed[64];                  /* the pass that crashed, or the function of a library; "": not known */
   uint64_t crash_site;               /* where in it: fuzz_crash_site() */
   struct fuzz_difference difference; /* of the shrunk program */
   char why[ATTEMPT_WHY];
   uint32_t language; /* enum language_number: `program` or `kernel` */
   union {
      struct fuzz_program program;
      struct ocl_program kernel;
   };
};

static inline const struct language *fuzz_language(const struct fuzz_report *report)
{
   return language_of(report->language);
}

/* What is left of a worker that is lost. */
#define FUZZ_CRASHERS 16
struct fuzz_crash_record {
   struct fuzz_crash crash;   /* its call stack */
   struct fuzz_report report; /* in PHASE_ATTEMPT and PHASE_COMPILE the program that it tried; in PHASE_SHRINK the
                                 smallest that fails */
   struct fuzz_report tried;  /* in PHASE_SHRINK: the program that it tried */
   struct fuzz_report shrunk; /* what the worker hands over */
   bool resume;               /* the next worker goes on shrinking `report` */
   uint32_t resumed;          /* so many workers have gone on with it */
   uint32_t crashers;         /* programs that have crashed while this one was shrunk; they are not tried again */
   uint64_t crasher[FUZZ_CRASHERS];
};
/* What a crasher is known by. */
uint64_t fuzz_report_hash(const struct fuzz_report *report);

struct fuzz_shared {
   uint8_t rules[FUZZ_RULES]; /* enum fuzz_rule_state */
   uint32_t stop;
   uint32_t lock; /* number of the worker that holds it, + 1; 0: none */
   uint32_t shape_count;
   struct compiler_options options;         /* of the device: workers set it when they have opened it */
   struct fuzz_program shapes[FUZZ_SHAPES]; /* shrunk programs */
   uint32_t refusal_count;
   char refusals[FUZZ_REFUSALS][FUZZ_KIND]; /* kinds of messages of the front end; one kernel of each is shrunk */
   struct {
      struct fuzz_progress progress;
      struct fuzz_crash_record record;
   } workers[]; /* one for each job */
};

/* The seed of program `index`. */
uint64_t fuzz_seed_of(const struct fuzz_settings *settings, uint64_t index);
/* Makes program `index` of a run: sets `language`, and `program` or `kernel`. */
void fuzz_program_of(const struct fuzz_settings *settings, uint64_t index, struct fuzz_report *report);

struct fuzz_worker {
   const struct fuzz_settings *settings;
   struct fuzz_shared *shared;
   uint32_t number, jobs;
   uint64_t first; /* program to start at; the next ones are `jobs` apart */
};
/* The life of a worker, for child_start(); data: a struct fuzz_worker. It reports one line, "failed INDEX", when its
 * `shrunk` is a new report, and waits for one line of orders before it writes the next one there. Returns its exit
 * code. */
int fuzz_worker_live(void *data, int orders, int reports);
/* The worker is gone: what it locked is free. */
void fuzz_worker_unlock(struct fuzz_shared *shared, uint32_t number);

#endif
