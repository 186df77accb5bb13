/* SPDX-License-Identifier: MIT
 *
 * The worker processes of the fuzzer, and the memory that they share with their parent. Where a worker is stands in
 * that memory, so that its crash names the program that it was compiling, and the pass.
 */
#ifndef AGX_RUNNER_FUZZ_WORKER_H
#define AGX_RUNNER_FUZZ_WORKER_H

#include <sys/types.h>

#include "fuzz/attempt/attempt.h"
#include "fuzz/settings/settings.h"
#include "compiler/stage.h"

#define FUZZ_JOBS 64
#define FUZZ_REFUSALS 64
#define FUZZ_KIND 160 /* bytes of a kind of message: refusal_kind() */
#define FUZZ_SHAPES 192

enum fuzz_phase { PHASE_IDLE, PHASE_ATTEMPT, PHASE_COMPILE, PHASE_SHRINK, PHASE_DONE };

struct fuzz_progress {
   uint64_t index;                 /* of the program that it is at */
   struct compiler_progress stage; /* of its compilation */
   uint32_t phase;
   uint64_t kernels; /* of the programs, those in OpenCL C */
   uint64_t programs, expressions, refused, undefined, different, repeated;
   uint64_t compiled;                    /* small programs, beside the others: they are compiled and no more */
   uint64_t unstable, unstable_index;    /* programs that failed once and not again, and the last of them */
   char unstable_why[160];               /* how that failed */
   uint64_t kernels_untried;             /* of those in OpenCL C: refused, or without a determined answer */
   char refusal[160], indeterminate[96]; /* the last one of each */
};

/* What is known of a rule. */
#define FUZZ_RULES 8192
enum fuzz_rule_state {
   RULE_UNTRIED,
   RULE_IMPOSSIBLE, /* its pattern has an op or a width that no program may have */
   RULE_TRIED,      /* programs held its pattern, and its pass did not change them */
   RULE_FIRED,      /* its pass changed a program that held its pattern */
};

/* What a worker sends for each program that fails, once it is shrunk. */
struct fuzz_report {
   uint64_t index;
   enum verdict verdict;
   uint32_t stage;                    /* enum compiler_stage: of a crash */
   char crashed[64];                  /* the pass that crashed, or the function of a library; "": not known */
   uint64_t crash_site;               /* where in it: fuzz_crash_site() */
   struct fuzz_difference difference; /* of the shrunk program */
   char why[ATTEMPT_WHY];
   struct fuzz_program program;
   bool opencl; /* `kernel` is what fails, and `program` is empty */
   struct ocl_difference kernel_difference;
   struct ocl_program kernel;
};

/* What is left of a worker that crashes. */
#define FUZZ_CRASHERS 16
struct fuzz_remains {
   struct fuzz_crash crash;   /* its call stack */
   struct fuzz_report report; /* in PHASE_ATTEMPT and PHASE_COMPILE the program that it tried; in PHASE_SHRINK the
                                 smallest that fails */
   struct fuzz_report tried;  /* in PHASE_SHRINK: the program that it tried */
   bool resume;               /* the next worker goes on shrinking `report` */
   uint32_t crashers;         /* programs that have crashed while this one was shrunk; they are not tried again */
   uint64_t crasher[FUZZ_CRASHERS];
};
/* What a crasher is known by. */
uint64_t fuzz_report_hash(const struct fuzz_report *report);

struct fuzz_shared {
   uint8_t rules[FUZZ_RULES]; /* enum fuzz_rule_state */
   uint32_t stop;
   uint32_t lock;
   uint32_t shape_count;
   struct compiler_options options; /* of the device: workers set it when they have opened it */
   struct fuzz_progress workers[FUZZ_JOBS];
   struct fuzz_remains remains[FUZZ_JOBS];
   struct fuzz_program shapes[FUZZ_SHAPES]; /* shrunk programs */
   uint32_t refusal_count;
   char refusals[FUZZ_REFUSALS][FUZZ_KIND]; /* kinds of messages of the front end; one kernel of each is shrunk */
};

/* Makes program `index` of a run: sets `opencl`, and `program` or `kernel`. */
void fuzz_program_of(const struct fuzz_settings *settings, uint64_t index, struct fuzz_report *report);
/* The life of worker `number` of `jobs`: starts at program `first`, writes reports to `pipe`. Returns its exit code. */
int fuzz_worker_live(const struct fuzz_settings *settings, struct fuzz_shared *shared, uint32_t number, uint32_t jobs,
                     uint64_t first, int pipe);

#endif
