/* SPDX-License-Identifier: MIT
 *
 * Measures launches by submitting the same kernel in different numbers, with different barriers. Every figure is a
 * time between two timestamps of the device, or a difference of such times.
 *
 * Invariant: the device has every figure that is reported. On a virtual device without modelled command costs, the
 * times of launches are skipped with the reason.
 */
#include "agx_runner/measure/launches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agx_runner/measure/warmup.h"
#include "agx_runner/statistics/order.h"
#include "util/random.h"
#include "agx_runner/statistics/stats.h"
#include "util/clock.h"
#include "vgpu/vgpu.h"

#define TRIES 3 /* attempts for a job that fails because of another client's GPU recovery */

bool launches_are_timed(const struct asahi_device_info *info)
{
   return !info->is_virtual || strstr(info->disturbance, VGPU_COMMANDS_COST) != NULL;
}

int launches_submit(struct session *session, const struct asahi_dispatch *dispatches, size_t count,
                    const struct asahi_cdm_options *cdm, double *ns)
{
   const struct asahi_command command = {.dispatches = dispatches, .count = count, .cdm = cdm};
   struct asahi_timing timing;
   int ret = -ECANCELED;

   for (unsigned tries = 0; ret == -ECANCELED && tries < TRIES; tries++) {
      if (session_interrupted(session)) {
         return -EINTR;
      }
      ret = asahi_submit(session->device, &command, 1, session->timeout_ns, &timing);
   }
   if (ret == 0 && ns != NULL) {
      *ns = (double)(timing.end_ns - timing.start_ns);
   }
   return ret;
}

/* Calls asahi_submit_apart(), and repeats it when another client's GPU recovery ends the jobs. */
static int try_submit_apart(struct session *session, const struct asahi_command *commands,
                            const enum asahi_queue *queues, size_t count, struct asahi_timing *timings)
{
   int ret = -ECANCELED;

   for (unsigned tries = 0; ret == -ECANCELED && tries < TRIES; tries++) {
      if (session_interrupted(session)) {
         return -EINTR;
      }
      ret = asahi_submit_apart(session->device, commands, queues, count, session->timeout_ns, timings);
   }
   return ret;
}

static struct asahi_cdm_options with_barrier(uint32_t mask)
{
   return (struct asahi_cdm_options){.barrier = mask, .texture_field = asahi_cdm_defaults.texture_field};
}

int launches_time(struct session *session, const struct asahi_dispatch *dispatch, size_t count, uint32_t mask,
                  double *times, size_t samples)
{
   struct asahi_dispatch *dispatches = calloc(count, sizeof(*dispatches));
   const struct asahi_cdm_options cdm = with_barrier(mask);
   int ret = dispatches == NULL ? -ENOMEM : 0;

   for (size_t i = 0; ret == 0 && i < count; i++) {
      dispatches[i] = *dispatch;
   }
   for (size_t i = 0; ret == 0 && i < samples; i++) {
      ret = launches_submit(session, dispatches, count, &cdm, &times[i]);
   }
   free(dispatches);
   return ret;
}

int launches_gaps(struct session *session, const struct asahi_dispatch *dispatch, size_t count, double *gaps)
{
   struct asahi_command commands[ASAHI_COMMANDS_MAX] = {{0}};
   struct asahi_timing timings[ASAHI_COMMANDS_MAX];

   if (count < 1 || count > ASAHI_COMMANDS_MAX) {
      return -EINVAL;
   }
   for (size_t i = 0; i < count; i++) {
      commands[i] = (struct asahi_command){.dispatches = dispatch, .count = 1};
   }
   const int ret = asahi_submit(session->device, commands, count, session->timeout_ns, timings);
   for (size_t i = 1; ret == 0 && i < count; i++) {
      gaps[i - 1] = (double)timings[i].start_ns - (double)timings[i - 1].end_ns;
   }
   return ret;
}

static void pause_for(double ms)
{
   struct timespec time = {.tv_nsec = (long)(ms * 1e6)};

   if (ms > 0) {
      nanosleep(&time, NULL);
   }
}

int launches_after_pause(struct session *session, const struct asahi_dispatch *dispatch, double pause_ms, double *waits,
                         double *trips, size_t samples)
{
   const struct asahi_command command = {.dispatches = dispatch, .count = 1};
   int ret = 0;

   for (size_t i = 0; ret == 0 && i < samples; i++) {
      struct asahi_timing timing;
      uint64_t before;

      ret = launches_submit(session, dispatch, 1, NULL, NULL);
      pause_for(pause_ms);
      const uint64_t start = util_clock_ns();
      ret = ret == 0 ? asahi_device_time(session->device, &before) : ret;
      ret = ret == 0 ? asahi_submit(session->device, &command, 1, session->timeout_ns, &timing) : ret;
      if (ret == 0 && trips != NULL) {
         trips[i] = (double)(util_clock_ns() - start);
      }
      if (ret == 0) {
         waits[i] = (double)timing.start_ns - (double)before;
      }
   }
   return ret;
}

/* ---- A benchmark of launches ---- */

struct launches {
   struct benchmark_pair *pair;
   const struct bench_launch *plan;
   struct result *result;
   double *values; /* one value for each sample */
   size_t samples;
   uint8_t *block;    /* the argument blocks */
   uint8_t *expected; /* NULL: the kernel writes nothing */
};

/* Returns why this device has no such figure; NULL: it has one. */
static const char *not_modelled(const struct launches *launches)
{
   const struct bench_launch *plan = launches->plan;
   const struct asahi_device_info *info = launches->pair->session->info;

   if (!info->is_virtual) {
      return NULL;
   }
   if (!plan->instructions && plan->kind != BENCH_LAUNCH_ORDER && !launches_are_timed(info)) {
      return "launches cost nothing on this virtual device: its option dvfs=command models them";
   }
   if (plan->preamble) {
      return "the model gives preambles no time";
   }
   if (plan->kind == BENCH_LAUNCH_QUEUES || plan->kind == BENCH_LAUNCH_OVERTAKEN) {
      return "a virtual device starts a job as soon as the host submits it: which jobs meet depends on the host";
   }
   if (plan->kind == BENCH_LAUNCH_ORDER && plan->barrier != asahi_cdm_defaults.barrier) {
      return "a virtual device models no stale caches";
   }
   return NULL;
}

static bool failed(struct launches *launches, int error)
{
   if (error == -EINTR) {
      launches->pair->session->lost = true;
      result_set(launches->result, RESULT_FAIL, "interrupted");
      return false;
   }
   return error == -ENOMEM ? measure_no_memory(launches->pair->session)
                           : measure_device_failed(launches->pair->session, "launches", error);
}

static bool answer_is_right(struct launches *launches)
{
   const uint8_t *output = benchmark_pair_output(launches->pair, 0);
   const size_t bytes = launches->pair->output_bytes;
   size_t at = 0;

   while (launches->expected != NULL && at < bytes && output[at] == launches->expected[at]) {
      at++;
   }
   if (launches->expected == NULL || at == bytes) {
      return true;
   }
   launches->result->check = RESULT_CHECK_FAIL;
   result_set(launches->result, RESULT_FAIL, "wrong answer: output word %zu", at / sizeof(uint32_t));
   return false;
}

/* Stores the times of `count` launches with this barrier mask in `times`, which has an entry for each sample. */
static bool time_launches(struct launches *launches, uint32_t iterations, size_t count, uint32_t mask, double *times)
{
   struct benchmark_pair *pair = launches->pair;

   pair->sides[0].iterations = iterations;
   const struct asahi_dispatch dispatch = benchmark_pair_dispatch(pair, 0, 0, launches->block);
   const int ret = launches_time(pair->session, &dispatch, count, mask, times, launches->samples);

   return ret == 0 ? iterations == 0 || answer_is_right(launches) : failed(launches, ret);
}

/* Computes the time of `count` launches less that of `less` launches with another barrier, divided by `over`. */
static bool difference(struct launches *launches, size_t count, size_t less, uint32_t less_mask, double over)
{
   const uint32_t iterations = launches->pair->benchmark->dispatch.iterations;
   double *other = calloc(launches->samples, sizeof(*other));
   const bool done = other == NULL
                         ? failed(launches, -ENOMEM)
                         : time_launches(launches, iterations, less, less_mask, other) &&
                               time_launches(launches, iterations, count, launches->plan->barrier, launches->values);

   for (size_t i = 0; done && i < launches->samples; i++) {
      launches->values[i] = (launches->values[i] - other[i]) / over;
   }
   free(other);
   return done;
}

/* Computes how many launches run concurrently. The fixed times of launches and of the command cancel: the time of a
 * loop without iterations is subtracted. */
static bool side_by_side(struct launches *launches)
{
   const uint32_t iterations = launches->pair->benchmark->dispatch.iterations;
   const uint32_t mask = launches->plan->barrier;
   const size_t count = launches->plan->count;
   double *times = calloc(4 * launches->samples, sizeof(*times));
   double *one = times, *all = one + launches->samples, *one_empty = all + launches->samples,
          *all_empty = one_empty + launches->samples;

   if (times == NULL) {
      return failed(launches, -ENOMEM);
   }
   const bool done =
       time_launches(launches, 0, 1, mask, one_empty) && time_launches(launches, iterations, 1, mask, one) &&
       time_launches(launches, 0, count, mask, all_empty) && time_launches(launches, iterations, count, mask, all);
   for (size_t i = 0; done && i < launches->samples; i++) {
      launches->values[i] = (double)count * (one[i] - one_empty[i]) / (all[i] - all_empty[i]);
   }
   free(times);
   return done;
}

/* Each sample is the median gap of one submission. */
static bool gaps(struct launches *launches)
{
   const struct asahi_dispatch dispatch = benchmark_pair_dispatch(launches->pair, 0, 0, launches->block);
   struct session *session = launches->pair->session;
   const size_t count = launches->plan->count;
   double found[ASAHI_COMMANDS_MAX];

   if (count > session->info->commands_max) {
      result_set(launches->result, RESULT_SKIP, "the device takes %u commands in a submission",
                 session->info->commands_max);
      return false;
   }
   for (size_t i = 0; i < launches->samples; i++) {
      const int ret = launches_gaps(session, &dispatch, count, found);

      if (ret < 0) {
         return failed(launches, ret);
      }
      qsort(found, count - 1, sizeof(*found), stats_compare);
      launches->values[i] = (found[(count - 1) / 2] + found[(count - 2) / 2]) / 2;
   }
   return true;
}

static bool after_pause(struct launches *launches)
{
   const struct asahi_dispatch dispatch = benchmark_pair_dispatch(launches->pair, 0, 0, launches->block);
   const int ret = launches_after_pause(launches->pair->session, &dispatch, launches->plan->pause_ms, launches->values,
                                        NULL, launches->samples);

   return ret == 0 || failed(launches, ret);
}

/* Submits `count` commands of one launch each to their queues, and checks the answer: all write the same. */
static bool submit_apart(struct launches *launches, const enum asahi_queue *queues, size_t count,
                         struct asahi_timing *timings)
{
   struct benchmark_pair *pair = launches->pair;
   pair->sides[0].iterations = pair->benchmark->dispatch.iterations;
   const struct asahi_dispatch dispatch = benchmark_pair_dispatch(pair, 0, 0, launches->block);
   const struct asahi_cdm_options cdm = with_barrier(launches->plan->barrier);
   struct asahi_command commands[ASAHI_COMMANDS_MAX] = {{0}};

   for (size_t i = 0; i < count; i++) {
      commands[i] = (struct asahi_command){.dispatches = &dispatch, .count = 1, .cdm = &cdm};
   }
   const int ret = try_submit_apart(pair->session, commands, queues, count, timings);

   return ret == 0 ? answer_is_right(launches) : failed(launches, ret);
}

/* Computes the sum of the jobs' times divided by the time that all take together. */
static bool on_two_queues(struct launches *launches)
{
   static const enum asahi_queue in_turn[2] = {ASAHI_QUEUE_MAIN, ASAHI_QUEUE_SECOND};
   const size_t count = launches->plan->count;
   enum asahi_queue queues[ASAHI_COMMANDS_MAX];
   struct asahi_timing timings[ASAHI_COMMANDS_MAX];

   for (size_t i = 0; i < count; i++) {
      queues[i] = in_turn[i % 2];
   }
   for (size_t i = 0; i < launches->samples; i++) {
      uint64_t first = UINT64_MAX, last = 0, sum = 0;

      if (!submit_apart(launches, queues, count, timings)) {
         return false;
      }
      for (size_t k = 0; k < count; k++) {
         first = timings[k].start_ns < first ? timings[k].start_ns : first;
         last = timings[k].end_ns > last ? timings[k].end_ns : last;
         sum += timings[k].end_ns - timings[k].start_ns;
      }
      launches->values[i] = (double)sum / (double)(last - first);
   }
   return true;
}

/* Computes how long the last job waits. It has medium priority and is on the main queue. */
static bool overtaken(struct launches *launches)
{
   const size_t count = launches->plan->count;
   enum asahi_queue queues[ASAHI_COMMANDS_MAX];
   struct asahi_timing timings[ASAHI_COMMANDS_MAX];

   for (size_t i = 0; i < count; i++) {
      queues[i] = launches->plan->low ? ASAHI_QUEUE_LOW : ASAHI_QUEUE_SECOND;
   }
   queues[count] = ASAHI_QUEUE_MAIN;
   for (size_t i = 0; i < launches->samples; i++) {
      if (!submit_apart(launches, queues, count + 1, timings)) {
         return false;
      }
      launches->values[i] = (double)timings[count].start_ns - (double)timings[0].start_ns;
   }
   return true;
}

/* In each round, the first launch writes output 0 from a new input; the second one reads words of it that other threads
 * wrote, and writes output 1. A wrong word was read too early. The figure is the sum over the rounds. */
static bool order(struct launches *launches)
{
   struct benchmark_pair *pair = launches->pair;
   const struct asahi_cdm_options cdm = with_barrier(launches->plan->barrier);
   const struct bench_io io = benchmark_pair_io(pair, 0);
   struct util_random random = {pair->seed};
   uint8_t *second = calloc(1, pair->argument_bytes);
   uint8_t *middle = malloc(pair->output_bytes);
   double wrong = 0;
   int ret = second == NULL || middle == NULL ? -ENOMEM : benchmark_pair_reserve(pair, 2);

   for (uint32_t round = 0; ret == 0 && round < launches->plan->count; round++) {
      for (size_t i = 0; i < io.input_bytes; i += sizeof(uint32_t)) {
         const uint32_t word = (uint32_t)util_random_next(&random);

         memcpy(io.input + i, &word, sizeof(word));
      }
      const struct asahi_dispatch both[2] = {benchmark_pair_dispatch(pair, 0, 0, launches->block),
                                             benchmark_pair_dispatch(pair, 0, 1, second)};
      const uint64_t produced = asahi_buffer_address(pair->outputs[0]);
      struct bench_io consumer = io;

      memcpy(second + pair->arguments[0].offset, &produced, sizeof(produced));
      pair->benchmark->expect(pair->benchmark, &pair->sides[0].variant, &io, middle);
      consumer.input = middle;
      pair->benchmark->expect(pair->benchmark, &pair->sides[0].variant, &consumer, launches->expected);
      ret = launches_submit(pair->session, both, 2, &cdm, NULL);
      for (size_t i = 0; ret == 0 && i < pair->output_bytes; i += sizeof(uint32_t)) {
         wrong += memcmp(benchmark_pair_output(pair, 1) + i, launches->expected + i, sizeof(uint32_t)) != 0;
      }
   }
   free(second);
   free(middle);
   if (ret < 0) {
      return failed(launches, ret);
   }
   launches->values[0] = wrong;
   if (wrong > 0 && launches->plan->barrier == asahi_cdm_defaults.barrier) {
      launches->result->check = RESULT_CHECK_FAIL;
      result_set(launches->result, RESULT_FAIL, "%.0f words were read before the previous launch had written them",
                 wrong);
      return false;
   }
   return true;
}

static bool measure_plan(struct launches *launches)
{
   const struct bench_launch *plan = launches->plan;

   switch (plan->kind) {
   case BENCH_LAUNCH_STREAM:
      return time_launches(launches, launches->pair->benchmark->dispatch.iterations, plan->count, plan->barrier,
                           launches->values);
   case BENCH_LAUNCH_EACH:
      return difference(launches, plan->count, 1, plan->barrier, (double)plan->count - 1);
   case BENCH_LAUNCH_BARRIER:
      return difference(launches, plan->count, plan->count, 0, plan->count);
   case BENCH_LAUNCH_GAP:
      return gaps(launches);
   case BENCH_LAUNCH_IDLE:
      return after_pause(launches);
   case BENCH_LAUNCH_SIDE_BY_SIDE:
      return side_by_side(launches);
   case BENCH_LAUNCH_QUEUES:
      return on_two_queues(launches);
   case BENCH_LAUNCH_OVERTAKEN:
      return overtaken(launches);
   case BENCH_LAUNCH_ORDER:
      launches->samples = 1; /* a count needs no second sample */
      return order(launches);
   }
   return false;
}

static bool start(struct launches *launches)
{
   const struct benchmark_pair *pair = launches->pair;

   launches->values = calloc(launches->samples, sizeof(*launches->values));
   launches->block = calloc(1, pair->argument_bytes + 1u);
   launches->expected = pair->benchmark->expect != NULL ? malloc(pair->output_bytes) : NULL;
   if (launches->values == NULL || launches->block == NULL ||
       (pair->benchmark->expect != NULL && launches->expected == NULL)) {
      return measure_no_memory(launches->pair->session);
   }
   if (launches->expected != NULL) {
      const struct bench_io io = benchmark_pair_io(pair, 0);

      memcpy(launches->expected, pair->initial, pair->output_bytes);
      pair->benchmark->expect(pair->benchmark, &pair->sides[0].variant, &io, launches->expected);
   }
   return true;
}

static bool summarise(struct launches *launches)
{
   struct result *result = launches->result;
   struct stats_interval interval;

   if (stats_interval(launches->values, launches->samples, &interval) < 0) {
      return measure_no_memory(launches->pair->session);
   }
   result->value = interval.median;
   result->low = interval.low;
   result->high = interval.high;
   result->check = RESULT_CHECK_PASS;
   return true;
}

/* Runs the load first, because short jobs alone do not raise the clock. Figures that follow a pause, and counts, need
 * no load. */
static bool load_first(const struct launches *launches, struct sampler *sampler)
{
   const enum bench_launch_kind kind = launches->plan->kind;

   if (sampler->session->info->settle_ns == 0 || kind == BENCH_LAUNCH_IDLE || kind == BENCH_LAUNCH_ORDER) {
      return true;
   }
   struct benchmark_pair *load = sampler_load(sampler);

   return load != NULL && warm_up(load);
}

void launches_measure(struct benchmark_pair *pair, struct sampler *sampler)
{
   struct result *result = sampler->session->result;
   const struct asahi_device_info *info = pair->session->info;
   const bool quiet = info->is_virtual && info->disturbance[0] == 0;
   struct launches launches = {.pair = pair,
                               .plan = pair->benchmark->launch,
                               .result = result,
                               .samples = quiet ? 1 : sampler->settings.samples};
   const char *why = not_modelled(&launches);

   if (why != NULL) {
      result_set(result, RESULT_SKIP, "%s", why);
   } else if (start(&launches) && load_first(&launches, sampler) && measure_plan(&launches)) {
      (void)summarise(&launches);
   }
   free(launches.values);
   free(launches.block);
   free(launches.expected);
}
