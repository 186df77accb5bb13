/* SPDX-License-Identifier: MIT
 *
 * Measures energy. First the machine idles and the rail is read; then the dispatch is submitted repeatedly, without
 * checking answers, and the rail is read again. Energy of one dispatch = (busy power - idle power) * time /
 * dispatches. The SMC averages its readings over about a second, so each of the two begins with a time that is not
 * read.
 *
 * Invariant: an energy is reported only if the GPU was busy for most of the time. Otherwise it would be the host's,
 * which prepares submissions.
 */
#include "agx_runner/power/energy.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "agx_runner/measure/run.h"
#include "util/clock.h"
#include "util/array.h"

#define RAIL "Total System Power"
#define SUBMISSION_NS 50e6             /* of dispatches in one submission */
#define COMMANDS_MAX 16u               /* the same */
#define MEMORY_MAX ((size_t)256 << 20) /* of their outputs */
#define BUSY_PART_MIN 0.5

bool energy_start(struct energy_meter *meter, const char *hwmon, char *why, size_t why_size)
{
   struct power_rails rails;

   *meter =
       (struct energy_meter){.lead_seconds = 1, .idle_seconds = 2, .busy_seconds = 3, .busy_part_min = BUSY_PART_MIN};
   if (!power_find(&rails, hwmon, why, why_size)) {
      return false;
   }
   meter->rail = rails.rails[0];
   for (unsigned i = 0; i < rails.count; i++) {
      if (!strcmp(rails.rails[i].label, RAIL)) {
         meter->rail = rails.rails[i];
      }
   }
   return true;
}

/* The work while the rail is read. */
struct work {
   struct session *session;
   struct run_batch *batch; /* NULL: nothing, the machine idles */
   size_t submissions;
   double device_ns, seconds; /* of them */
};

/* Works for `seconds`. Returns 0, or the device's error; -EINTR: the user wants to stop. */
static int work_for(struct work *work, double seconds)
{
   const double begun = util_clock_seconds(), end = begun + seconds;
   int ret = 0;

   work->submissions = 0;
   work->device_ns = 0;

   while (ret == 0 && util_clock_seconds() < end) {
      if (work->batch == NULL) {
         (void)nanosleep(&(struct timespec){.tv_nsec = POWER_INTERVAL_MS * 1000000l / 10}, NULL);
         ret = session_interrupted(work->session) ? -EINTR : 0;
         continue;
      }
      ret = run_again(work->batch);
      for (size_t i = 0; ret == 0 && i < work->batch->count; i++) {
         work->device_ns += work->batch->commands[i].nanoseconds;
      }
      work->submissions += ret == 0;
   }
   work->seconds = util_clock_seconds() - begun;
   return ret;
}

/* Mean power in watts; `readings` 0: the rail could not be read. */
static int read_power(const struct energy_meter *meter, struct work *work, double seconds, double *watts,
                      unsigned *readings)
{
   struct power_rails rails = {.rails = {meter->rail}, .count = 1};
   int ret = work_for(work, meter->lead_seconds);

   power_read(&rails); /* at least one reading, however late the monitor begins */
   struct power_monitor *monitor = ret == 0 ? power_start(&rails) : NULL;
   ret = ret == 0 ? work_for(work, seconds) : ret;
   power_stop(monitor, &rails);
   *readings = rails.rails[0].readings;
   *watts = *readings > 0 ? rails.rails[0].sum / *readings : 0;
   return ret;
}

/* Returns the longer program, whose loop has the larger share. A metric that is not timed by two programs has one. */
static unsigned side_of(const struct benchmark_pair *pair)
{
   return pair->metric == BENCH_DISPATCH ? 0 : 1;
}

/* The operations of one dispatch of that program: instructions of all threads, or the benchmark's units of work. 0: the
 * metric has no energy. */
static double operations_of(const struct benchmark_pair *pair, const char *unit)
{
   const struct benchmark_side *side = &pair->sides[side_of(pair)];
   const double turns = (double)side->iterations * side->threads;
   const double instructions = turns * side->variant.repeat * side->variant.chains;

   switch (pair->metric) {
   case BENCH_DISPATCH:
      return pair->benchmark->work * (unit[0] == 'T' ? 1e3 : 1);
   case BENCH_RATE: /* one a cycle and core counts instructions */
      return pair->benchmark->per_cycle ? instructions : turns * pair->benchmark->work;
   case BENCH_THROUGHPUT:
      return instructions;
   case BENCH_LATENCY:
      return turns * side->variant.repeat;
   default:
      return 0;
   }
}

/* How many dispatches a submission takes. */
static size_t commands_of(const struct benchmark_pair *pair)
{
   const double limits[] = {SUBMISSION_NS / pair->sides[side_of(pair)].nanoseconds,
                            (double)MEMORY_MAX / (double)pair->output_bytes, (double)pair->session->info->commands_max};
   double count = COMMANDS_MAX;

   for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
      count = fmin(count, limits[i]);
   }
   return count > 1 ? (size_t)count : 1;
}

static int measure(const struct energy_meter *meter, struct benchmark_pair *pair, struct run_batch *batch,
                   struct result_energy *energy)
{
   struct work idle = {.session = pair->session}, busy = {.session = pair->session, .batch = batch};
   unsigned idle_readings = 0, busy_readings = 0;
   int ret = read_power(meter, &idle, meter->idle_seconds, &energy->idle_w, &idle_readings);

   ret = ret == 0 ? read_power(meter, &busy, meter->busy_seconds, &energy->busy_w, &busy_readings) : ret;
   if (ret < 0 || idle_readings == 0 || busy_readings == 0) {
      return ret;
   }
   energy->readings = busy_readings;
   energy->dispatches = (double)(busy.submissions * batch->count);
   energy->seconds = busy.seconds;
   energy->busy_part = busy.device_ns * 1e-9 / busy.seconds;
   energy->joules = energy->busy_part >= meter->busy_part_min && energy->dispatches > 0
                        ? (energy->busy_w - energy->idle_w) * busy.seconds / energy->dispatches
                        : NAN;
   return 0;
}

void energy_measure(void *data, struct benchmark_pair *pair)
{
   struct result *result = pair->session->result;
   const struct energy_meter *meter = data;
   struct run_command commands[COMMANDS_MAX];
   struct run_batch batch;

   const unsigned side = side_of(pair);
   struct result_energy energy = {.operations = operations_of(pair, result->unit)};
   if (energy.operations == 0 || result->status != RESULT_PASS || !(pair->sides[side].nanoseconds > 0)) {
      return;
   }
   const size_t count = commands_of(pair);
   for (size_t i = 0; i < count; i++) {
      commands[i] = (struct run_command){.pair = pair, .side = side};
   }
   snprintf(energy.rail, sizeof(energy.rail), "%s", meter->rail.label);
   if (run_prepare(&batch, commands, count)) {
      const int ret = measure(meter, pair, &batch, &energy);

      if (ret == 0) {
         result->energy = energy;
      } else {
         (void)run_failed(pair->session, ret);
      }
   }
   run_finish(&batch);
}
