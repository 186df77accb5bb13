/* SPDX-License-Identifier: MIT
 *
 * A set of commands: the clock reference, everything that the figure needs in random order, and the clock reference
 * again. If the two references differ, the clock changed within the set.
 */
#include "agx_runner/measure/set.h"

#include <math.h>

#include "agx_runner/statistics/stats.h"

#define DRIFT_MAX 0.01 /* largest relative change of the clock within a set */

size_t set_reference_commands(const struct set_plan *plan)
{
   return plan->reference != NULL ? REFERENCE_COMMANDS : 0;
}

size_t set_lead_commands(const struct set_plan *plan)
{
   return plan->reference != NULL ? REFERENCE_COMMANDS + 1 : 0;
}

/* Appends the reference's two sides, in random order. */
static size_t add_reference(struct util_random *random, const struct set_plan *plan, struct run_command *commands)
{
   const unsigned first = util_random_below(random, 2);

   if (plan->reference == NULL) {
      return 0;
   }
   commands[0] = (struct run_command){.pair = plan->reference, .side = first};
   commands[1] = (struct run_command){.pair = plan->reference, .side = !first};
   return REFERENCE_COMMANDS;
}

void set_add(struct util_random *random, const struct set_plan *plan, struct run_command *commands,
             enum set_part *parts)
{
   const size_t first = set_lead_commands(plan), count = plan->part_count * plan->repeats;
   size_t at = first;

   if (first > 0) {
      const size_t references = add_reference(random, plan, commands);

      commands[references] = (struct run_command){.pair = plan->pairs[PART_SHORTER]};
   }

   for (enum set_part part = 0; part < PART_COUNT; part++) {
      for (unsigned i = 0; plan->pairs[part] != NULL && i < plan->repeats; i++) {
         parts[at++] = part;
      }
   }
   for (size_t i = count - 1; i > 0; i--) {
      const size_t j = util_random_below(random, (unsigned)i + 1);
      const enum set_part swap = parts[first + i];

      parts[first + i] = parts[first + j];
      parts[first + j] = swap;
   }
   for (size_t i = first; i < at; i++) {
      commands[i] = (struct run_command){.pair = plan->pairs[parts[i]], .side = set_part_side(parts[i])};
   }
   (void)add_reference(random, plan, commands + at);
}

struct set_times set_read(const struct set_plan *plan, const struct run_command *commands, const enum set_part *parts)
{
   const size_t ends = set_reference_commands(plan);
   struct set_times times = {0};

   for (enum set_part part = 0; part < PART_COUNT; part++) {
      double repeats[ASAHI_COMMANDS_MAX];
      size_t count = 0;

      for (size_t i = set_lead_commands(plan); i < plan->commands - ends; i++) {
         if (parts[i] == part) {
            repeats[count++] = commands[i].nanoseconds;
         }
      }
      times.parts[part] = count > 0 ? stats_median(repeats, count) : 0;
   }
   for (size_t i = 0; i < ends; i++) {
      const struct run_command *last = &commands[plan->commands - ends + i];

      times.reference[0][commands[i].side] = commands[i].nanoseconds;
      times.reference[1][last->side] = last->nanoseconds;
   }
   return times;
}

/* Whether the clock was constant within the set. A frame of the compositor may slow the same side of both references:
 * then both references take the same total time, but the longer side may take less than the shorter one. */
bool set_clock_held(const struct set_plan *plan, const struct set_times *times)
{
   const double first = times->reference[0][0] + times->reference[0][1];
   const double last = times->reference[1][0] + times->reference[1][1];

   return plan->reference == NULL ||
          (fabs(last / first - 1) <= DRIFT_MAX && times->reference[0][1] > times->reference[0][0] &&
           times->reference[1][1] > times->reference[1][0]);
}

struct benchmark_pair_times set_figure_times(const struct set_plan *plan, const struct set_times *times,
                                             double clock_hz, double ffma_cycles)
{
   struct benchmark_pair_times of = {
       .shorter_ns = times->parts[PART_SHORTER],
       .longer_ns = times->parts[PART_LONGER],
       .control_ns = times->parts[PART_CONTROL],
       .clock_hz = clock_hz,
   };

   if (plan->reference != NULL) {
      const double first = times->reference[0][1] - times->reference[0][0];
      const double last = times->reference[1][1] - times->reference[1][0];

      of.reference_ns = (first + last) / 2;
      of.clock_hz = ffma_cycles * benchmark_pair_issue_cycles(plan->reference) / (of.reference_ns * 1e-9);
   }
   return of;
}
