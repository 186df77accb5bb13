/* SPDX-License-Identifier: MIT
 *
 * One set of commands, which gives one sample of a figure. All commands of a set are in one submission.
 */
#ifndef AGX_RUNNER_MEASURE_SET_H
#define AGX_RUNNER_MEASURE_SET_H

#include "agx_runner/measure/run.h"
#include "util/random.h"

/* The programs that are timed besides the reference. The first two are the pair's sides. */
enum set_part { PART_SHORTER, PART_LONGER, PART_CONTROL, PART_COUNT };
#define REFERENCE_COMMANDS 2 /* number at each end of a set */

/* The composition of one set. */
struct set_plan {
   struct benchmark_pair *pairs[PART_COUNT]; /* NULL: not timed */
   struct benchmark_pair *reference;         /* NULL: the clock is assumed to be known */
   unsigned repeats;                         /* how often each part is timed in a set; the median counts */
   size_t part_count, commands;
};

struct set_times {
   double parts[PART_COUNT];
   double reference[2][2]; /* first and last reference; shorter and longer side */
};

/* The side of its pair that a part runs. */
static inline unsigned set_part_side(enum set_part part)
{
   return part == PART_LONGER;
}

/* Returns the number of reference commands at each end of a set. */
size_t set_reference_commands(const struct set_plan *plan);
/* Returns the number of commands before the first timed part: the reference, and the shorter program once, untimed. The
 * reference evicts the programs' data from the caches, so that the first program would take longer than the second. */
size_t set_lead_commands(const struct set_plan *plan);

/* Appends the commands of one set. parts[i] is the part of the i-th command, unless that is a reference. */
void set_add(struct util_random *random, const struct set_plan *plan, struct run_command *commands,
             enum set_part *parts);
/* Reads the times of a set's commands, which have run. */
struct set_times set_read(const struct set_plan *plan, const struct run_command *commands, const enum set_part *parts);
/* Whether the clock was constant within the set. */
bool set_clock_held(const struct set_plan *plan, const struct set_times *times);
/* Returns the times from which the figure is computed. clock_hz: for sets without a reference; ffma_cycles: cycles of
 * an FFMA, from which the clock is inferred. */
struct benchmark_pair_times set_figure_times(const struct set_plan *plan, const struct set_times *times,
                                             double clock_hz, double ffma_cycles);

#endif
