/* SPDX-License-Identifier: MIT
 *
 * Chooses how long the two programs of a benchmark pair run. Invariant: no size that is chosen here lets a command
 * exceed LENGTH_COMMAND_NS_MAX at the clock at which it was tried.
 */
#include "agx_runner/measure/length.h"

#include <math.h>

#include "agx_runner/statistics/stats.h"

/* Target time of side 0: long compared with the resolution of timestamps and with jitter. Modelled time has no jitter
 * unless an option asks for it, and costs the host work. */
static const struct {
   double virtual_ns, crowded_ns, disturbed_ns, hardware_ns;
} target = {8e3, 32e3, 32e3, 2e6};

/* With more threads at once, as on all cores of a chip with 16, the loads before the loop take most of 8 us, and
 * overlap with the arithmetic of other simdgroups. */
#define CROWD 32768u

#define FIRST_ITERATIONS 8
#define FIRST_MIX_ITERATIONS 2 /* even, as all sizes are, so that twice the passes take half the iterations */
#define ITERATIONS_MAX (1u << 22)
#define THREADS_MAX (1u << 24)
#define SIZE_ATTEMPTS 12
/* Iterations of the control kernel's loop. The source's control kernel takes the same time for every number of
 * repetitions (results/reference/calibration.csv: 1,685 cycles for 120 and for 1,440), so its loop has a fixed number
 * of iterations. That number is not published; 12 is a guess. */
#define CONTROL_ITERATIONS 12
#define LOOP_MIN 8      /* least ratio of the loop's time to that of the rest of the program */
#define COLD_FACTOR 3.5 /* largest ratio of the highest operating point to the lowest (vgpu/timing/chip.c) */

#define SPAN_MARGIN 1.25 /* margin above the span that is refused, because samples differ */

/* Programs that are run to try a length. */
enum probe { PROBE_SHORTER, PROBE_DOUBLED, PROBE_LONGER, PROBE_KINDS };
_Static_assert(LENGTH_PROBES % PROBE_KINDS == 0, "as many of each kind");

static bool allocate(struct benchmark_pair *pair)
{
   const int ret = benchmark_pair_allocate(pair);

   return ret == 0 || measure_device_failed(pair->session, "buffers", ret);
}

/* Returns how many threads run at once. */
static uint32_t resident_threads(const struct benchmark_pair *pair)
{
   const struct bench_occupancy occupancy = benchmark_pair_occupancy(pair);

   return occupancy.group * occupancy.threadgroups_per_core * pair->session->info->cores;
}

/* Sets iterations and threads of both sides for `size`: iterations, or threads for each lane that runs at once. */
static void set_size(struct benchmark_pair *pair, uint32_t size)
{
   const uint32_t resident = resident_threads(pair);

   for (unsigned i = 0; i < 2; i++) {
      const bool threads = pair->benchmark->scale == BENCH_SCALE_THREADS;
      const uint32_t factor = i == 1 && pair->benchmark->scale != BENCH_SCALE_REPEAT ? 2 : 1;

      pair->sides[i].iterations = threads ? 1 : (size + size % 2) * factor;
      pair->sides[i].threads = resident * (threads ? size * factor : 1);
   }
}

static void set_single(struct benchmark_pair *pair)
{
   const struct bench_dispatch *dispatch = &pair->dispatch;

   const bool scaled = bench_is_timed(pair->metric) && pair->metric != BENCH_DISPATCH;

   for (unsigned i = 0; i < 2; i++) {
      const uint32_t factor = scaled && i == 1 ? 2 : 1;

      pair->sides[i].iterations =
          dispatch->iterations * (pair->benchmark->scale == BENCH_SCALE_ITERATIONS ? factor : 1);
      pair->sides[i].threads =
          dispatch->group * dispatch->groups * (pair->benchmark->scale == BENCH_SCALE_THREADS ? factor : 1);
   }
}

/* Whether the difference of both sides in ns is enough steps of the timestamps' counter. */
static bool span_is_long(const struct benchmark_pair *pair, double span)
{
   return span >= SPAN_MARGIN * LENGTH_STEPS_MIN * pair->session->info->timestamp_step_ns;
}

/* Whether the loop takes long enough compared with what comes before and after it. If it does not, the loads before the
 * loop overlap with the arithmetic of other simdgroups, and the difference of both sides is too small by up to a third.
 * The total time is not enough to tell: on a GPU that has just powered up, a short program takes as long as a longer
 * one does later. Each length runs twice, so that another client's work is not mistaken for the program's. If
 * timestamps step, the difference of both sides must be enough steps, too. Skipped for a virtual device with exact
 * times: its programs stay short, because the host emulates them. */
static bool is_long(struct benchmark_pair *pair, bool *enough)
{
   struct benchmark_side *side = &pair->sides[0];
   const uint32_t iterations = side->iterations;
   double times[2][2];

   *enough = true;
   for (unsigned i = 0; i < 4; i++) {
      side->iterations = iterations * (1 + i % 2);
      if (!run_side(pair, 0)) {
         return false;
      }
      times[i / 2][i % 2] = side->nanoseconds;
   }
   side->iterations = iterations;
   for (unsigned i = 0; i < 2; i++) {
      const double loop = times[i][1] - times[i][0], rest = times[i][0] - loop;

      *enough = *enough && loop >= LOOP_MIN * rest;
   }
   if (*enough && pair->session->info->timestamp_step_ns > 1) {
      if (!run_side(pair, 1)) {
         return false;
      }
      *enough = span_is_long(pair, pair->sides[1].nanoseconds - times[1][0]);
   }
   return true;
}

/* Whether times have noise or step. */
static bool is_noisy(const struct asahi_device_info *info)
{
   return !info->is_virtual || info->disturbance[0] != 0 || info->timestamp_step_ns > 1;
}

/* Returns the target time of side 0. */
static double wanted_time(const struct benchmark_pair *pair)
{
   const struct asahi_device_info *info = pair->session->info;

   return !info->is_virtual                ? target.hardware_ns
          : is_noisy(info)                 ? target.disturbed_ns
          : resident_threads(pair) > CROWD ? target.crowded_ns
                                           : target.virtual_ns;
}

/* Whether this file chooses the length of the programs. */
bool length_is_chosen(const struct benchmark_pair *pair)
{
   return bench_is_timed(pair->metric) && pair->metric != BENCH_DISPATCH && !pair->benchmark->dispatch_timed &&
          bench_metrics[pair->metric].timing != BENCH_ONE;
}

static uint32_t first_size(const struct benchmark_pair *pair)
{
   return pair->benchmark->scale == BENCH_SCALE_THREADS ? 1
          : pair->benchmark->mix != NULL                ? FIRST_MIX_ITERATIONS
                                                        : FIRST_ITERATIONS;
}

/* Doubles the length of side 0, beginning with `size`, until it takes the target time. */
static bool choose_size_from(struct benchmark_pair *pair, uint32_t size)
{
   struct result *result = pair->session->result;
   const bool threads = pair->benchmark->scale == BENCH_SCALE_THREADS;
   const struct asahi_device_info *info = pair->session->info;
   const double wanted = wanted_time(pair);
   /* If times have noise or step, sizes are powers of two times the first size, so that most runs choose the same one.
    * What a loop costs depends a little on its length. */
   const bool noisy = is_noisy(info);
   const uint32_t first = first_size(pair);

   for (unsigned attempt = 0; attempt < SIZE_ATTEMPTS; attempt++) {
      set_size(pair, size);
      if (((threads || attempt == 0) && !allocate(pair)) || !run_side(pair, 0)) {
         return false;
      }
      const double nanoseconds = pair->sides[0].nanoseconds;
      if (2 * nanoseconds > LENGTH_COMMAND_NS_MAX) {
         result_set(result, RESULT_FAIL, "a command would take %.1f ms: more than %.0f ms could freeze a desktop",
                    2e-6 * nanoseconds, 1e-6 * LENGTH_COMMAND_NS_MAX);
         return false;
      }
      bool enough = nanoseconds >= (noisy ? M_SQRT1_2 : 0.8) * wanted;
      if (enough && noisy && !threads && !is_long(pair, &enough)) {
         return false;
      }
      if (enough) {
         break;
      }
      const double factor = fmax(wanted / (nanoseconds > 1 ? nanoseconds : 1), 2);
      const double limit = threads ? (double)THREADS_MAX / pair->sides[0].threads * size : ITERATIONS_MAX;
      const double next =
          noisy ? first * exp2(round(log2(size * fmin(factor, 16) / first))) : (double)size * fmin(factor, 16) + 1;
      if (nanoseconds <= 0 || next > limit) {
         break;
      }
      size = (uint32_t)next;
   }
   return true;
}

/* On hardware, runs one threadgroup of a whole dispatch, then twice as many, and so on. Refuses a grid whose half takes
 * more than half of LENGTH_COMMAND_NS_MAX. The time of threadgroups beyond those that run at once is extrapolated. */
static bool is_short_dispatch(struct benchmark_pair *pair)
{
   struct result *result = pair->session->result;
   const uint32_t threads = pair->sides[0].threads;
   bool is_short = true;

   for (uint32_t groups = 1; is_short && groups < pair->dispatch.groups; groups *= 2) {
      double nanoseconds;

      pair->sides[0].threads = pair->dispatch.group * groups;
      if (!run_unchecked(pair, 0, &nanoseconds)) {
         return false;
      }
      is_short = 2 * nanoseconds <= LENGTH_COMMAND_NS_MAX;
      if (!is_short) {
         result_set(result, RESULT_SKIP,
                    "%u of %u threadgroups take %.1f ms: a command of more than %.0f ms could freeze a desktop", groups,
                    pair->dispatch.groups, 1e-6 * nanoseconds, 1e-6 * LENGTH_COMMAND_NS_MAX);
      }
   }
   pair->sides[0].threads = threads;
   return is_short;
}

void length_add_probes(struct benchmark_pair *pair, struct run_command *probes)
{
   const struct benchmark_side *sides = pair->sides;
   const struct run_command each[PROBE_KINDS] = {
       [PROBE_SHORTER] = {.pair = pair, .unchecked_iterations = sides[0].iterations},
       [PROBE_DOUBLED] = {.pair = pair, .unchecked_iterations = 2 * sides[0].iterations},
       [PROBE_LONGER] = {.pair = pair, .side = 1, .unchecked_iterations = sides[1].iterations},
   };

   for (unsigned i = 0; i < LENGTH_PROBES; i++) {
      probes[i] = each[i % PROBE_KINDS];
   }
}

static double probe_time(const struct run_command *probes, enum probe probe)
{
   double times[LENGTH_PROBES / PROBE_KINDS];

   for (unsigned i = 0; i < LENGTH_PROBES / PROBE_KINDS; i++) {
      times[i] = probes[PROBE_KINDS * i + probe].nanoseconds;
   }
   return stats_median(times, LENGTH_PROBES / PROBE_KINDS);
}

bool length_is_enough(struct benchmark_pair *pair, const struct run_command *probes)
{
   const double time = probe_time(probes, PROBE_SHORTER), loop = probe_time(probes, PROBE_DOUBLED) - time;
   const double span = probe_time(probes, PROBE_LONGER) - time;

   pair->sides[0].nanoseconds = time;
   return time >= M_SQRT1_2 * wanted_time(pair) && span_is_long(pair, span) &&
          (pair->benchmark->scale == BENCH_SCALE_THREADS || loop >= LOOP_MIN * (time - loop));
}

bool length_grow(struct benchmark_pair *pair, bool *grown)
{
   struct benchmark_side *side = &pair->sides[0];
   const bool threads = pair->benchmark->scale == BENCH_SCALE_THREADS;
   const uint32_t size = threads ? side->threads / resident_threads(pair) : side->iterations;
   const double factor = fmax(exp2(round(log2(wanted_time(pair) / side->nanoseconds))), 2);

   *grown = side->nanoseconds > 0 && 2 * factor * COLD_FACTOR * side->nanoseconds <= LENGTH_COMMAND_NS_MAX &&
            factor * size <= (threads ? (double)THREADS_MAX / side->threads * size : ITERATIONS_MAX);
   if (!*grown) {
      return true;
   }
   set_size(pair, (uint32_t)(factor * size));
   return !threads || allocate(pair);
}

bool length_choose(struct benchmark_pair *pair)
{
   if (length_is_chosen(pair)) {
      return choose_size_from(pair, first_size(pair));
   }
   if (!bench_is_timed(pair->metric) || pair->metric == BENCH_DISPATCH || pair->benchmark->dispatch_timed) {
      set_single(pair);
   } else {
      set_size(pair, CONTROL_ITERATIONS);
   }
   const bool whole =
       pair->metric == BENCH_DISPATCH && !pair->session->info->is_virtual && !benchmark_pair_has_parts(pair);
   return allocate(pair) && (!whole || is_short_dispatch(pair));
}

bool length_span_is_enough(const struct benchmark_pair *pair, double span, struct result *result)
{
   const double step = pair->session->info->timestamp_step_ns;

   if (bench_metrics[pair->metric].timing == BENCH_ONE || span >= LENGTH_STEPS_MIN * step) {
      return true;
   }
   result_set(result, RESULT_FAIL,
              "a difference of %.2f us between the two programs is below %.2f us: timestamps step by %.1f ns",
              1e-3 * span, 1e-3 * LENGTH_STEPS_MIN * step, step);
   return false;
}
