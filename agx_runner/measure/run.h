/* SPDX-License-Identifier: MIT
 *
 * Runs sides of benchmark pairs as the commands of one submission, one after the other, and checks what each left. A
 * dispatch of several commands (benchmark_pair.part_threads) takes a submission for each, and its time is their sum.
 */
#ifndef AGX_RUNNER_MEASURE_RUN_H
#define AGX_RUNNER_MEASURE_RUN_H

#include "agx_runner/measure/benchmark_pair.h"

struct run_command {
   struct benchmark_pair *pair;
   unsigned side;
   size_t slot;                   /* of the pair's outputs; run_commands() hands them out */
   uint32_t unchecked_iterations; /* instead of the side's: the answer is not looked at; 0: the side's */
   double nanoseconds;            /* by the device; 0: it gives no time */
};

/* Commands whose memory is ready. */
struct run_batch {
   struct run_command *commands;
   size_t count;
   struct asahi_dispatch dispatches[ASAHI_COMMANDS_MAX];
   uint8_t *blocks; /* of arguments */
   double idle_ns;  /* how long the device had nothing to do before they started */
};

/* Gets the memory of count commands ready, at most asahi_device_info.commands_max: outputs are reset. False: `result`
 * says why. run_finish() must follow in either case. */
bool run_prepare(struct run_batch *batch, struct run_command *commands, size_t count, struct result *result,
                 bool *lost);
/* Submits them in this order. Answers are checked when all have ended. False: `result` says why. *error (may be NULL):
 * what the device said, 0 if it was not the device that failed. */
bool run_submit(struct run_batch *batch, struct result *result, bool *lost, int *error);
/* The same without a reset of memory and without a look at the answers; the commands' times are filled. 0, what the
 * device says, or -EINTR: the user wants to stop. */
int run_again(struct run_batch *batch);
/* Writes such an error to `result`. Returns false. */
bool run_failed(const struct session *session, int error, struct result *result, bool *lost);
void run_finish(struct run_batch *batch);

/* All three. */
bool run_commands(struct run_command *commands, size_t count, struct result *result, bool *lost, int *error);
/* The same of one command. */
bool run_side(struct benchmark_pair *pair, unsigned side, struct result *result, bool *lost);
/* Runs a dispatch that can be several commands: one threadgroup, then the next two, then four, and so on, while twice
 * as many would take less than half of most_ns. Sets part_threads, so that no command takes more than about half of
 * most_ns, and checks the answer. A part that takes longer than most_ns ends it: the result is skipped. On a virtual
 * device the dispatch ends, unchecked, when part_threads is known. */
bool run_growing(struct benchmark_pair *pair, double most_ns, struct result *result, bool *lost);
/* The same as run_side() without a look at the answer: of a grid that is a part of the benchmark's. */
bool run_unchecked(struct benchmark_pair *pair, unsigned side, double *nanoseconds, struct result *result, bool *lost);

#endif
