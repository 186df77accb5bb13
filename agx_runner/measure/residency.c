/* SPDX-License-Identifier: MIT */
#include "agx_runner/measure/residency.h"

#include <string.h>

#define LANES 32
#define LATER 1.5 /* times the time of one threadgroup: some had to wait for others */
#define TRIES 5   /* where the clock may change: the least of so many times */
#define ITERATIONS_MAX (1u << 22)
static const struct {
   double virtual_ns, hardware_ns;
} target = {8e3, 2e5};

static bool is_quiet(const struct pair *pair)
{
   return pair->session->info->is_virtual && pair->session->info->disturbance[0] == 0;
}

/* Runs `groups` threadgroups of `threads` each; *nanoseconds is 0 where the device gives no time. */
static bool run(struct pair *pair, uint32_t threads, uint32_t groups, double *nanoseconds, struct result *result,
                bool *lost)
{
   const unsigned tries = is_quiet(pair) ? 1 : TRIES;

   pair->once.group = threads;
   pair->sides[0].threads = threads * groups;
   for (unsigned i = 0; i < tries; i++) {
      double once;

      if (!pair_run(pair, 0, &once, result, lost)) {
         return false;
      }
      *nanoseconds = i == 0 || once < *nanoseconds ? once : *nanoseconds;
   }
   for (uint32_t thread = 0; thread < pair->sides[0].threads; thread++) {
      uint32_t word;

      memcpy(&word, pair_output(pair) + (size_t)thread * sizeof(word), sizeof(word));
      if (word != pair->sides[0].iterations) {
         result->check = RESULT_CHECK_FAIL;
         result_set(result, RESULT_FAIL, "wrong answer: thread %u counted %u of %u iterations", thread, word,
                    pair->sides[0].iterations);
         return false;
      }
   }
   return true;
}

/* The largest group of threads, a multiple of a simdgroup's, that the device runs. */
static bool find_threads(struct pair *pair, uint32_t most, double *value, struct result *result, bool *lost)
{
   uint32_t good = 0, bad = most / LANES + 1;

   pair->beyond = true;
   while (bad - good > 1) {
      const uint32_t simds = good + (bad - good) / 2;
      double nanoseconds;

      if (run(pair, simds * LANES, 1, &nanoseconds, result, lost)) {
         good = simds;
      } else if (*lost || result->check == RESULT_CHECK_FAIL) {
         return false;
      } else {
         bad = simds;
      }
   }
   *value = (double)good * LANES;
   if (good > 0) {
      result_set(result, RESULT_PASS, "%s",
                 bad <= most / LANES && !pair->session->info->is_virtual
                     ? "more is refused by agx-runner itself, not by the device"
                     : "");
   }
   return good > 0;
}

/* So many iterations that one threadgroup takes the target's time. */
static bool choose_iterations(struct pair *pair, uint32_t threads, double *one, struct result *result, bool *lost)
{
   const double wanted = pair->session->info->is_virtual ? target.virtual_ns : target.hardware_ns;

   for (;;) {
      if (!run(pair, threads, 1, one, result, lost)) {
         return false;
      }
      if (*one <= 0) {
         result_set(result, RESULT_SKIP, "the device's timing is off: answers only");
         return false;
      }
      if (*one >= wanted || pair->sides[0].iterations >= ITERATIONS_MAX) {
         return true;
      }
      pair->sides[0].iterations *= 2;
   }
}

/* The most threadgroups, on all cores, that take no longer than one does. */
static bool find_simds(struct pair *pair, uint32_t threads, uint32_t most, double *value, struct result *result,
                       bool *lost)
{
   uint32_t good = 1, bad = most + 1;
   double one, nanoseconds;

   if (!choose_iterations(pair, threads, &one, result, lost)) {
      return false;
   }
   while (bad - good > 1) {
      const uint32_t groups = good + (bad - good) / 2;

      /* One again just before: a clock that has changed since has then done so for both. */
      if ((!is_quiet(pair) && !run(pair, threads, 1, &one, result, lost)) ||
          !run(pair, threads, groups, &nanoseconds, result, lost)) {
         return false;
      }
      if (nanoseconds < LATER * one) {
         good = groups;
      } else {
         bad = groups;
      }
   }
   if (bad > most) {
      result_set(result, RESULT_FAIL, "%u threadgroups take no longer than one: there is no limit to be seen", good);
      return false;
   }
   *value = (double)good * threads / LANES / pair->session->info->cores;
   return true;
}

void resident_measure(struct pair *pair, struct result *result, bool *lost)
{
   const struct bench_once most = pair->once;
   double value;

   if (pair->benchmark->once.groups == 1 ? find_threads(pair, most.group, &value, result, lost)
                                         : find_simds(pair, most.group, most.groups, &value, result, lost)) {
      result->value = result->low = result->high = value;
      result->check = RESULT_CHECK_PASS;
   }
}
