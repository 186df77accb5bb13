/* SPDX-License-Identifier: MIT
 *
 * Bisection for the most threads that run at once. A refusal counts only if it means the limit; any other failure ends
 * the search.
 */
#include "agx_runner/measure/residency.h"

#include <errno.h>
#include <string.h>

#include "agx_runner/measure/run.h"
#include "vgpu/vgpu.h"

#define LANES 32
#define WAITING 1.5 /* this multiple of the time of one threadgroup means that some waited for others */
#define TRIES 5     /* runs of which the least time counts, where the clock may change */
#define ITERATIONS_MAX (1u << 22)
static const struct {
   double virtual_ns, hardware_ns;
} target = {8e3, 2e5};

static bool is_quiet(const struct benchmark_pair *pair)
{
   return pair->session->info->is_virtual && pair->session->info->disturbance[0] == 0;
}

/* Why a run was not completed. */
enum residency_refusal {
   REFUSED_NOT,       /* it ran, and its answer is right */
   REFUSED_BY_CLIENT, /* the client would not send so much to any device */
   REFUSED_BY_DEVICE, /* a core does not have enough resources */
   REFUSED_OTHERWISE, /* a failure unrelated to the limit: the session's result has it */
};

static uint64_t resource_faults(const struct benchmark_pair *pair)
{
   struct vgpu_counters counters = {0};

   return asahi_device_counters(pair->session->device, &counters) == 0 ? counters.resource_faults : 0;
}

static enum residency_refusal run_once(struct benchmark_pair *pair)
{
   struct run_command command = {.pair = pair};
   const uint64_t before = resource_faults(pair);
   int error;

   if (run_commands(&command, 1, &error)) {
      return REFUSED_NOT;
   }
   return error == -EINVAL                                  ? REFUSED_BY_CLIENT
          : error == -EIO && resource_faults(pair) > before ? REFUSED_BY_DEVICE
                                                            : REFUSED_OTHERWISE;
}

static bool answer_counts(const struct benchmark_pair *pair, struct result *result)
{
   for (uint32_t thread = 0; thread < pair->sides[0].threads; thread++) {
      uint32_t word;

      memcpy(&word, benchmark_pair_output(pair, 0) + (size_t)thread * sizeof(word), sizeof(word));
      if (word != pair->sides[0].iterations) {
         result->check = RESULT_CHECK_FAIL;
         result_set(result, RESULT_FAIL, "wrong answer: thread %u counted %u of %u iterations", thread, word,
                    pair->sides[0].iterations);
         return false;
      }
   }
   return true;
}

/* Runs `groups` threadgroups of `threads` each. *nanoseconds: the least time of all tries; 0: the device gives no
 * time. */
static enum residency_refusal run(struct benchmark_pair *pair, uint32_t threads, uint32_t groups, double *nanoseconds)
{
   struct result *result = pair->session->result;
   const unsigned tries = is_quiet(pair) ? 1 : TRIES;

   pair->dispatch.group = threads;
   pair->sides[0].threads = threads * groups;
   for (unsigned i = 0; i < tries; i++) {
      const enum residency_refusal refusal = run_once(pair);

      if (refusal != REFUSED_NOT) {
         return refusal;
      }
      const double once = pair->sides[0].nanoseconds;
      *nanoseconds = i == 0 || once < *nanoseconds ? once : *nanoseconds;
   }
   return answer_counts(pair, result) ? REFUSED_NOT : REFUSED_OTHERWISE;
}

/* Finds the largest group of threads, in multiples of a simdgroup, that the device runs. If only the client refuses
 * more, the figure is a lower bound. */
static bool find_threads(struct benchmark_pair *pair, uint32_t most, double *value)
{
   struct result *result = pair->session->result;
   uint32_t good = 0, bad = most / LANES + 1;
   bool device_refused = false;

   pair->beyond = true;
   while (bad - good > 1) {
      const uint32_t simds = good + (bad - good) / 2;
      double nanoseconds;
      const enum residency_refusal refusal = run(pair, simds * LANES, 1, &nanoseconds);

      if (refusal == REFUSED_OTHERWISE) {
         return false;
      }
      if (refusal == REFUSED_NOT) {
         good = simds;
      } else {
         bad = simds;
         device_refused = refusal == REFUSED_BY_DEVICE;
      }
   }
   if (good == 0) {
      return false;
   }
   *value = (double)good * LANES;
   result->lower_bound = !device_refused;
   result_set(result, RESULT_PASS, "%s", device_refused ? "" : "a lower bound: agx-runner requests no more than that");
   return true;
}

/* Chooses the iterations for which one threadgroup takes the target time. */
static bool choose_iterations(struct benchmark_pair *pair, uint32_t threads, double *one)
{
   struct result *result = pair->session->result;
   const double wanted = pair->session->info->is_virtual ? target.virtual_ns : target.hardware_ns;

   for (;;) {
      if (run(pair, threads, 1, one) != REFUSED_NOT) {
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

/* Finds the most threadgroups, on all cores, that take no longer than one. */
static bool find_simds(struct benchmark_pair *pair, uint32_t threads, uint32_t most, double *value)
{
   struct result *result = pair->session->result;
   uint32_t good = 1, bad = most + 1;
   double one, nanoseconds;

   if (!choose_iterations(pair, threads, &one)) {
      return false;
   }
   while (bad - good > 1) {
      const uint32_t groups = good + (bad - good) / 2;

      /* measure one again just before, so that a clock change affects both */
      if ((!is_quiet(pair) && run(pair, threads, 1, &one) != REFUSED_NOT) ||
          run(pair, threads, groups, &nanoseconds) != REFUSED_NOT) {
         return false;
      }
      if (nanoseconds < WAITING * one) {
         good = groups;
      } else {
         bad = groups;
      }
   }
   if (bad > most) {
      result_set(result, RESULT_FAIL, "%u threadgroups take no longer than one: no limit was found", good);
      return false;
   }
   *value = (double)good * threads / LANES / pair->session->info->cores;
   return true;
}

void residency_measure(struct benchmark_pair *pair)
{
   struct result *result = pair->session->result;
   const struct bench_dispatch most = pair->dispatch;
   double value;

   if (pair->benchmark->dispatch.groups == 1 ? find_threads(pair, most.group, &value)
                                             : find_simds(pair, most.group, most.groups, &value)) {
      result->value = result->low = result->high = value;
      result->check = RESULT_CHECK_PASS;
   }
}
