/* SPDX-License-Identifier: MIT
 *
 * Runs sides of benchmark pairs as the commands of one submission, one after the other, and checks each answer. A
 * dispatch that is split into several commands (benchmark_pair.part_threads) takes a submission for each, and its time
 * is their sum.
 */
#ifndef AGX_RUNNER_MEASURE_RUN_H
#define AGX_RUNNER_MEASURE_RUN_H

#include "agx_runner/measure/benchmark_pair.h"

struct run_command {
   struct benchmark_pair *pair;
   unsigned side;
   size_t slot; /* index of the pair's output; run_commands() assigns it */
   /* iterations instead of the side's, for a run whose answer is not checked; 0: the side's */
   uint32_t unchecked_iterations;
   double nanoseconds; /* time of the device; 0: it gives none */
};

/* Commands whose memory is prepared. */
struct run_batch {
   struct run_command *commands;
   size_t count;
   struct asahi_dispatch dispatches[ASAHI_COMMANDS_MAX];
   uint8_t *blocks; /* argument blocks */
   double idle_ns;  /* how long the device was idle before the commands started */
};

/* Prepares the memory of `count` commands, at most asahi_device_info.commands_max, and resets the outputs. Returns
 * false if the session's result has a reason. run_finish() must follow in either case. */
bool run_prepare(struct run_batch *batch, struct run_command *commands, size_t count);
/* Submits the commands in this order. Answers are checked when all have ended. Returns false if the session's result
 * has a reason. *error (may be NULL): the device's error, 0 if the device did not fail. */
bool run_submit(struct run_batch *batch, int *error);
/* Runs the commands again without resetting memory or checking answers, and fills in their times. Returns 0, the
 * device's error, or -EINTR if the user wants to stop. */
int run_again(struct run_batch *batch);
/* Writes such an error to the session's result. Returns false. */
bool run_failed(struct session *session, int error);
void run_finish(struct run_batch *batch);

/* Calls run_prepare(), run_submit() and run_finish(). */
bool run_commands(struct run_command *commands, size_t count, int *error);
/* The same for one command. */
bool run_side(struct benchmark_pair *pair, unsigned side);
/* Runs a dispatch that can be split: one threadgroup, then the next two, then four, and so on, while twice as many
 * would take less than half of most_ns. Sets part_threads so that no command takes more than about half of most_ns, and
 * checks the answer. The result is skipped if a part takes longer than most_ns. On a virtual device the dispatch ends,
 * unchecked, when part_threads is known. */
bool run_growing(struct benchmark_pair *pair, double most_ns);
/* Like run_side(), but without a check of the answer, because the grid is only a part of the benchmark's. */
bool run_unchecked(struct benchmark_pair *pair, unsigned side, double *nanoseconds);

#endif
