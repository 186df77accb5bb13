/* SPDX-License-Identifier: MIT
 *
 * How measuring uses the device: a sample's commands are in one submission, a clock that changes within a sample is
 * noticed, the load comes right before the samples, and devices whose time cannot be trusted give no figure. The linker
 * puts the functions below in front of asahi_submit(), clock_gettime() and warm_up(): the first counts, and bends the
 * timestamps; the second lets the host's clock run ahead of them; during the third, the device can say that it is no
 * model.
 */
#include "agx_runner/measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agx_runner/measure/warmup.h"
#include "agx_runner/terminal/runner.h"
#include "tests/check.h"
#include "tests/runner/measure/measure_one.h"
#include "util/array.h"

#define CALLS_MAX 4096
#define SAMPLE_COMMANDS 7 /* with the clock inferred */
#define SETTLE_NS 100e6

static struct {
   unsigned calls;
   size_t commands[CALLS_MAX];
   double device_ns[CALLS_MAX]; /* of all commands */
   double host_advance_ns;      /* CLOCK_MONOTONIC is so much ahead */
   double host_per_device;      /* it advances by so much for each nanosecond of the commands' timestamps */
   size_t slow_command;         /* with more than 8 commands: this one, and those after it, take longer; 0: none */
   double slow_by;
   unsigned slow_calls; /* so many such submissions */
   bool loading;        /* the load is being submitted */
   double pause_ns;     /* submissions with samples start so much later */
   bool real_load;      /* the device of the load says that it is no model */
} spy;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
   const int ret = __real_clock_gettime(clock, now);
   const double ns = (double)now->tv_nsec + spy.host_advance_ns;

   if (ret == 0 && clock == CLOCK_MONOTONIC && spy.host_advance_ns > 0) {
      now->tv_sec += (time_t)(ns / 1e9);
      now->tv_nsec = (long)fmod(ns, 1e9);
   }
   return ret;
}

int __real_asahi_submit(struct asahi_device *device, const struct asahi_command *commands, size_t count,
                        uint64_t timeout_ns, struct asahi_timing *timings);
int __wrap_asahi_submit(struct asahi_device *device, const struct asahi_command *commands, size_t count,
                        uint64_t timeout_ns, struct asahi_timing *timings);

int __wrap_asahi_submit(struct asahi_device *device, const struct asahi_command *commands, size_t count,
                        uint64_t timeout_ns, struct asahi_timing *timings)
{
   const int ret = __real_asahi_submit(device, commands, count, timeout_ns, timings);
   const bool slow = count > 8 && spy.slow_command != 0 && spy.slow_calls > 0;
   double sum = 0, at = 0;

   for (size_t i = 0; ret == 0 && timings != NULL && i < count; i++) {
      double length = (double)(timings[i].end_ns - timings[i].start_ns);

      length *= slow && i >= spy.slow_command ? spy.slow_by : 1;
      at = i == 0 ? (double)timings[0].start_ns + (count % 7 == 0 && !spy.loading ? spy.pause_ns : 0) : at;
      timings[i].start_ns = (uint64_t)at;
      timings[i].end_ns = (uint64_t)(at += length);
      sum += length;
   }
   spy.host_advance_ns += sum * spy.host_per_device;
   spy.slow_calls -= slow;
   if (spy.calls < CALLS_MAX) {
      spy.commands[spy.calls] = count;
      spy.device_ns[spy.calls++] = sum;
   }
   return ret;
}

bool __real_warm_up(struct benchmark_pair *load);
bool __wrap_warm_up(struct benchmark_pair *load);

bool __wrap_warm_up(struct benchmark_pair *load)
{
   struct asahi_device_info *info = (struct asahi_device_info *)(uintptr_t)load->session->info;

   const bool is_virtual = info->is_virtual;

   info->is_virtual = is_virtual && !spy.real_load;
   spy.loading = true;
   const bool agree = __real_warm_up(load);
   spy.loading = false;
   info->is_virtual = is_virtual;
   return agree;
}

static void reset_spy(void)
{
   memset(&spy, 0, sizeof(spy));
}

static const struct benchmark *find(const char *group, const char *name)
{
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->group, group) && !strcmp(bench_at(i)->name, name)) {
         return bench_at(i);
      }
   }
   fprintf(stderr, "no benchmark %s/%s\n", group, name);
   exit(EXIT_FAILURE);
}

/* What a test changes of the device it measures on. */
static struct asahi_device_info *info_of(struct session *session)
{
   return (struct asahi_device_info *)(uintptr_t)session->info;
}

static void open_session(struct session *session)
{
   if (session_open(session, "virtual:m1,caches=cold", 60) != EXIT_OK) {
      exit(EXIT_FAILURE);
   }
}

static struct result measure_row(struct session *session, const struct benchmark *benchmark, enum bench_metric metric,
                                 enum measure_clock clock)
{
   const struct measure_settings settings = {.samples = 9, .seed = 1, .clock = clock};

   return measure_one_with(session, benchmark, metric, &settings);
}

static size_t commands_in_large(unsigned *submissions)
{
   size_t commands = 0;

   *submissions = 0;
   for (unsigned i = 0; i < spy.calls; i++) {
      if (spy.commands[i] > 2) {
         commands += spy.commands[i];
         (*submissions)++;
      }
   }
   return commands;
}

static void test_one_submission(void)
{
   struct session session;
   unsigned submissions;

   open_session(&session);
   reset_spy();
   struct result result = measure_row(&session, find("float", "ffma32"), BENCH_LATENCY, MEASURE_CLOCK_AUTO);
   size_t commands = commands_in_large(&submissions);
   CHECK(result.sample_count == 9 && commands == 18, "%zu samples, %zu commands", result.sample_count, commands);
   CHECK(submissions == 1, "%u submissions", submissions);
   const double known = result.value;
   result_finish(&result);

   /* With the clock inferred, each of the samples has a reference of two commands before and after it, and an untimed
    * one of its own. */
   reset_spy();
   result = measure_row(&session, find("float", "ffma32"), BENCH_LATENCY, MEASURE_CLOCK_INFER);
   commands = commands_in_large(&submissions);
   CHECK(commands == 63 && fabs(result.value / known - 1) < 0.01, "%zu commands, %g cycles, known %g", commands,
         result.value, known);
   CHECK(result.clock_states[0] == '\0', "%s", result.clock_states);
   const double inferred = result.value;
   for (unsigned i = 0; i < spy.calls; i++) {
      CHECK(spy.commands[i] <= 2 || spy.commands[i] % 7 == 0, "a sample in two submissions");
   }
   result_finish(&result);

   /* The clock falls by 5 % in the middle of a sample: that one is discarded, and the others still fit each other. */
   reset_spy();
   spy.slow_command = 4;
   spy.slow_by = 1.05;
   spy.slow_calls = 1;
   result = measure_row(&session, find("float", "ffma32"), BENCH_LATENCY, MEASURE_CLOCK_INFER);
   CHECK(result.discarded == 1 && result.sample_count == 9, "%u discarded, %zu samples", result.discarded,
         result.sample_count);
   CHECK(fabs(result.value / inferred - 1) < 0.005 && fabs(result.high / inferred - 1) < 0.01,
         "%g to %g, %g without that step", result.low, result.high, inferred);
   result_finish(&result);

   /* The clock steps between two samples: nothing is discarded, and the two states are named. */
   reset_spy();
   spy.slow_command = 28;
   spy.slow_by = 1.25;
   spy.slow_calls = 1;
   result = measure_row(&session, find("float", "ffma32"), BENCH_LATENCY, MEASURE_CLOCK_INFER);
   CHECK(result.discarded == 0 && strstr(result.clock_states, " MHz (5 samples), 12") != NULL, "%u: %s",
         result.discarded, result.clock_states);
   result_finish(&result);

   info_of(&session)->commands_max = 5;
   result = measure_row(&session, find("float", "ffma32"), BENCH_LATENCY, MEASURE_CLOCK_INFER);
   CHECK(result.status == RESULT_FAIL && strstr(result.reason, "7 commands") != NULL, "%s", result.reason);
   result_finish(&result);
   session_close(&session);
}

/* `devices --clock` says when the load had ended before the clock was measured. A sample is seven commands. */
static void test_idle(void)
{
   const struct measure_settings settings = {.samples = 1, .seed = 1, .clock = MEASURE_CLOCK_INFER};
   struct session session;
   struct sampler sampler;
   struct result result;
   char why[240];

   open_session(&session);
   info_of(&session)->settle_ns = 1000000;
   info_of(&session)->commands_max = SAMPLE_COMMANDS;
   reset_spy();
   spy.pause_ns = 30e6;
   result_init(&result, "clock");
   session_set_result(&session, &result);
   const bool started = sampler_start(&sampler, &session, &settings, why, sizeof(why));
   const double hz = started ? sampler_clock(&sampler) : 0;
   CHECK(hz > 0, "%s", result.reason);
   CHECK(sampler.idle_ns >= spy.pause_ns, "idle for %g ns", sampler.idle_ns);
   sampler_finish(&sampler);
   result_finish(&result);
   session_close(&session);
}

/* The device time of the load right before a submission, ns. Its submissions are longer than those of samples. */
static double load_before(unsigned submission)
{
   double load = 0;

   for (unsigned i = submission; i > 0 && spy.device_ns[i - 1] > 4e6; i--) {
      load += spy.device_ns[i - 1];
   }
   return load;
}

/* With submissions of one sample, each has a load of its own. It must last as long as the device takes to settle, which
 * is longer than the three submissions that a load has in any case. */
static void test_warm_up(void)
{
   const struct measure_settings settings = {.samples = 1, .seed = 1, .clock = MEASURE_CLOCK_INFER};
   struct session session;
   unsigned samples = 0;

   open_session(&session);
   info_of(&session)->settle_ns = (uint64_t)SETTLE_NS;
   info_of(&session)->commands_max = SAMPLE_COMMANDS;
   reset_spy();
   struct result result = measure_one_with(&session, find("float", "ffma32"), BENCH_LATENCY, &settings);
   CHECK(result.status == RESULT_PASS, "%s", result.reason);
   for (unsigned i = 0; i < spy.calls; i++) {
      if (spy.commands[i] == SAMPLE_COMMANDS && spy.device_ns[i] < 4e6) {
         CHECK(load_before(i) >= SETTLE_NS, "%.1f ms of load right before a sample", load_before(i) * 1e-6);
         samples++;
      }
   }
   CHECK(samples > 0, "no samples");
   result_finish(&result);

   /* The host's clock runs at least ten times as fast as the timestamps of a device that says it is no model. */
   reset_spy();
   spy.host_per_device = 10;
   spy.real_load = true;
   result = measure_one_with(&session, find("float", "ffma32"), BENCH_LATENCY, &settings);
   CHECK(result.status == RESULT_FAIL && strstr(result.reason, "times the rate of CLOCK_MONOTONIC") != NULL, "%s",
         result.reason);
   result_finish(&result);
   session_close(&session);

   const struct session_span shorter = {.device = 10e6, .host = 11e6}, longer = {.device = 40e6, .host = 41.5e6};
   CHECK(fabs(warm_up_clock_ratio(&shorter, &longer) - 30 / 30.5) < 1e-9, "ratio %g",
         warm_up_clock_ratio(&shorter, &longer));
}

static void test_refusals(void)
{
   const struct measure_settings nominal = {.samples = 9, .clock = MEASURE_CLOCK_NOMINAL};
   struct session session;
   struct measure measure;
   char why[240] = "";

   open_session(&session);
   CHECK(measure_start(&measure, &session, &nominal, why, sizeof(why)), "%s", why);
   measure_finish(&measure);
   info_of(&session)->max_frequency_khz = 1000000;
   CHECK(!measure_start(&measure, &session, &nominal, why, sizeof(why)) && strstr(why, "1,000,000 kHz") != NULL,
         "the kernel's constant was taken for a clock: %s", why);

   /* A benchmark that says its programs' length itself, and a counter too slow for it. */
   reset_spy();
   info_of(&session)->timestamp_step_ns = 1e5;
   struct result result = measure_row(&session, find("memory", "chase-1k"), BENCH_LATENCY, MEASURE_CLOCK_AUTO);
   CHECK(result.status == RESULT_FAIL && strstr(result.reason, "step by 100000.0 ns") != NULL, "%s", result.reason);
   result_finish(&result);
   session_close(&session);

   /* A virtual device whose timestamps step says so, and its programs are long enough. */
   if (session_open(&session, "virtual:m1,dvfs=counter", 60) != EXIT_OK) {
      exit(EXIT_FAILURE);
   }
   reset_spy();
   CHECK(fabs(info_of(&session)->timestamp_step_ns - 125 / 3.0) < 1e-9, "the step is %g ns",
         info_of(&session)->timestamp_step_ns);
   result = measure_row(&session, find("float", "ffma32"), BENCH_LATENCY, MEASURE_CLOCK_AUTO);
   CHECK(result.status == RESULT_PASS, "%s", result.reason);
   result_finish(&result);
   session_close(&session);
}

/* Where the client itself asks for no more, the figure is a lower bound; a fault of another kind is no limit. */
static void test_residency(void)
{
   struct session session;

   open_session(&session);
   reset_spy();
   struct result result = measure_row(&session, find("occupancy", "threads-256"), BENCH_RESIDENCY, MEASURE_CLOCK_AUTO);
   CHECK(result.status == RESULT_PASS && result.value == 384 && !result.lower_bound, "%g: %s", result.value,
         result.reason);
   info_of(&session)->is_virtual = false; /* as the client sees hardware: it refuses what the table does not allow */
   result = measure_row(&session, find("occupancy", "threads-256"), BENCH_RESIDENCY, MEASURE_CLOCK_AUTO);
   CHECK(result.status == RESULT_PASS && result.value == 384 && result.lower_bound, "%g: %s", result.value,
         result.reason);
   info_of(&session)->is_virtual = true;
   session_close(&session);

   if (session_open(&session, "virtual:m1,inject=fault@3", 60) != EXIT_OK) {
      exit(EXIT_FAILURE);
   }
   result = measure_row(&session, find("occupancy", "threads-256"), BENCH_RESIDENCY, MEASURE_CLOCK_AUTO);
   CHECK(result.status == RESULT_FAIL && isnan(result.value), "%g: %s", result.value, result.reason);
   session_close(&session);
}

/* A small GEMM on the device whose clock steps between 0.6, 0.7 ... 1 of the chip's (clock=wander). The steps that each
 * seed gives follow from the samples' own times over that of a device whose clock holds still: the clock that the
 * runner infers beside each sample, and the states that it names, must be those. No more sets are taken for the
 * difference between two states. */
static void test_gemm_clock_states(void)
{
   static const struct {
      const char *device;
      unsigned steps; /* that its samples fall into */
   } rows[] = {{"virtual:m1,clock=wander,seed=2", 1},
               {"virtual:m1,clock=wander,seed=7", 2},
               {"virtual:m1,clock=wander,seed=8", 2}};
   const struct benchmark *benchmark = find("matrix", "gemm-mixed-local-64");
   struct session session;

   if (session_open(&session, "virtual:m1", 60) != EXIT_OK) {
      exit(EXIT_FAILURE);
   }
   reset_spy();
   struct result result = measure_row(&session, benchmark, BENCH_DISPATCH, MEASURE_CLOCK_AUTO);
   const double steady = result.value, steady_mhz = 1278;
   CHECK(result.status == RESULT_PASS, "%s", result.reason);
   result_finish(&result);
   session_close(&session);

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      unsigned counts[11] = {0}, steps = 0, lowest = 0, highest = 0, named[2];
      double mhz[2];

      if (session_open(&session, rows[i].device, 60) != EXIT_OK) {
         exit(EXIT_FAILURE);
      }
      result = measure_row(&session, benchmark, BENCH_DISPATCH, MEASURE_CLOCK_AUTO);
      CHECK(result.status == RESULT_PASS && result.sample_count == 9, "%s: %zu samples: %s", rows[i].device,
            result.sample_count, result.reason);
      for (size_t k = 0; k < result.sample_count; k++) {
         const unsigned step = (unsigned)fmin(fmax(round(10 * result.samples[k] / steady), 0), 10);

         lowest = steps == 0 || step < lowest ? step : lowest;
         highest = step > highest ? step : highest;
         steps += counts[step]++ == 0;
      }
      CHECK(steps == rows[i].steps, "%s: %u clocks", rows[i].device, steps);
      if (rows[i].steps == 1) {
         CHECK(result.clock_states[0] == '\0', "%s: %s", rows[i].device, result.clock_states);
      } else if (sscanf(result.clock_states, "%lf MHz (%u samples), %lf MHz (%u)", &mhz[0], &named[0], &mhz[1],
                        &named[1]) == 4) {
         CHECK(named[0] == counts[lowest] && named[1] == counts[highest], "%s: %u at %u and %u at %u, not %s",
               rows[i].device, counts[lowest], lowest, counts[highest], highest, result.clock_states);
         CHECK(fabs(mhz[0] / (lowest * 0.1 * steady_mhz) - 1) < 0.02 &&
                   fabs(mhz[1] / (highest * 0.1 * steady_mhz) - 1) < 0.02,
               "%s: %s", rows[i].device, result.clock_states);
      } else {
         CHECK(false, "%s: states '%s'", rows[i].device, result.clock_states);
      }
      result_finish(&result);
      session_close(&session);
   }
}

/* The same GEMM where commands have fixed times, so that its rate is not in proportion to the clock, and where the
 * clock follows the load: each submission of samples comes 3 ms after the load, finds the GPU off, however long the
 * load was, starts at its lowest clock and ends at the next one. The states that are named are the device's own, and no
 * more sets are taken for them.
 */
static void test_gemm_states_named(void)
{
   static const double tenths[] = {766.8, 894.6, 1022.4, 1150.2, 1278}; /* clock=wander: 0.6 to 1 of 1278 MHz */
   static const double points[] = {396, 528};                           /* the two lowest operating points of an M1 */
   static const struct {
      const char *device;
      const double *mhz;
      size_t mhz_count, samples;
   } rows[] = {{"virtual:m1,clock=wander,dvfs=command,seed=2", tenths, ARRAY_COUNT(tenths), 9},
               {"virtual:m1,clock=wander,dvfs=command,seed=8", tenths, ARRAY_COUNT(tenths), 9},
               {"virtual:m1,dvfs=real,hosttime=3ms", points, ARRAY_COUNT(points), 36}};

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      struct session session;
      unsigned states = 0, sum = 0;

      if (session_open(&session, rows[i].device, 60) != EXIT_OK) {
         exit(EXIT_FAILURE);
      }
      reset_spy();
      info_of(&session)->settle_ns = info_of(&session)->settle_ns > 0; /* the shortest load */
      struct result result =
          measure_row(&session, find("matrix", "gemm-mixed-local-64"), BENCH_DISPATCH, MEASURE_CLOCK_AUTO);
      CHECK(result.status == RESULT_PASS && result.sample_count == rows[i].samples, "%s: %zu samples: %s",
            rows[i].device, result.sample_count, result.reason);
      for (const char *at = result.clock_states; at != NULL && *at != '\0'; states++) {
         unsigned samples = 0;
         double mhz = 0;
         bool known = false;

         CHECK(sscanf(at, "%lf MHz (%u", &mhz, &samples) == 2, "%s: %s", rows[i].device, at);
         for (size_t k = 0; k < rows[i].mhz_count; k++) {
            known = known || fabs(mhz / rows[i].mhz[k] - 1) < 0.02;
         }
         CHECK(known, "%s: the device has no such clock: %s", rows[i].device, result.clock_states);
         sum += samples;
         at = strstr(at, ", ");
         at = at != NULL ? at + 2 : NULL;
      }
      CHECK(states == 2 && sum == rows[i].samples, "%s: '%s'", rows[i].device, result.clock_states);
      result_finish(&result);
      session_close(&session);
   }
}

int main(void)
{

   test_one_submission();
   test_warm_up();
   test_idle();
   test_refusals();
   test_residency();
   test_gemm_clock_states();
   test_gemm_states_named();
   return check_result();
}
