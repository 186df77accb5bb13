/* SPDX-License-Identifier: MIT
 *
 * Allocates the memory and makes the dispatches of the two sides of a measurement, and computes the figure from their
 * times.
 */
#include "agx_runner/measure/benchmark_pair.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/postmortem.h"
#include "agx_runner/results/published.h"
#include "nir_kernels/mix.h"
#include "util/array.h"

#define TWO_SIDED_95 1.96 /* standard deviations on either side of the mean */

bool measure_no_memory(struct session *session)
{
   result_set(session->result, RESULT_FAIL, "out of memory");
   session->lost = true;
   return false;
}

static void print_named(void *data, const char *text)
{
   const char *name = data;

   fprintf(stderr, "%s: %s\n", name, text);
}

bool measure_device_failed(struct session *session, const char *what, int error)
{
   const char *message = asahi_device_error(session->device);

   result_set(session->result, error == -ETIME ? RESULT_HANG : RESULT_FAIL, "%s: %s", what,
              message[0] != '\0' ? message : strerror(-error));
   postmortem_each(session->device, error, NULL, NULL, print_named, session->result->name);
   /* After ETIME the job may still run, so nothing that comes after it can be trusted. */
   session->lost |= error == -ENODEV || error == -ETIME || error == -ENOMEM;
   return false;
}

struct bench_occupancy benchmark_pair_occupancy(const struct benchmark_pair *pair)
{
   const struct bench_dispatch *dispatch = &pair->dispatch;

   const struct bench_occupancy timed = metric_occupancy(pair->benchmark, pair->metric);

   return pair->benchmark->mix != NULL ? pair->benchmark->mix->occupancy
          : timed.group != 0
              ? timed
              : (struct bench_occupancy){.group = dispatch->group, .half_registers = dispatch->half_registers};
}

static void free_memory(struct benchmark_pair *pair)
{
   struct asahi_device *device = pair->session->device;

   asahi_buffer_destroy(device, pair->input);
   pair->input = NULL;
   for (size_t i = 0; i < pair->output_count; i++) {
      asahi_buffer_destroy(device, pair->outputs[i]);
   }
   pair->output_count = 0;
   free(pair->initial);
   pair->initial = NULL;
   for (unsigned i = 0; i < 2; i++) {
      free(pair->sides[i].expected);
      pair->sides[i].expected = NULL;
   }
}

int benchmark_pair_reserve(struct benchmark_pair *pair, size_t slots)
{
   while (pair->output_count < slots && pair->output_count < ASAHI_COMMANDS_MAX) {
      const int ret =
          asahi_buffer_create(pair->session->device, pair->output_bytes, &pair->outputs[pair->output_count]);

      if (ret < 0) {
         return ret;
      }
      pair->output_count++;
   }
   return 0;
}

int benchmark_pair_allocate(struct benchmark_pair *pair)
{
   const uint32_t threads = pair->sides[1].threads;

   free_memory(pair);
   pair->output_bytes = threads * pair->benchmark->output_stride;
   if (pair->output_bytes < pair->benchmark->output_bytes_min) {
      pair->output_bytes = pair->benchmark->output_bytes_min;
   }
   size_t input_bytes = threads * pair->benchmark->input_stride;
   if (input_bytes < pair->benchmark->input_bytes_min) {
      input_bytes = pair->benchmark->input_bytes_min;
   }
   int ret = asahi_buffer_create(pair->session->device, input_bytes, &pair->input);
   if (ret == 0) {
      ret = benchmark_pair_reserve(pair, 1);
   }
   if (ret < 0) {
      return ret;
   }
   pair->initial = calloc(1, pair->output_bytes);
   if (pair->initial == NULL) {
      return -ENOMEM;
   }
   const struct bench_io io = benchmark_pair_io(pair, 1);
   pair->benchmark->fill(pair->benchmark, &io);
   return 0;
}

void benchmark_pair_destroy(struct benchmark_pair *pair)
{
   if (pair == NULL) {
      return;
   }
   free_memory(pair);
   if (pair->sides[1].program != pair->sides[0].program) {
      asahi_program_destroy(pair->session->device, pair->sides[1].program);
   }
   asahi_program_destroy(pair->session->device, pair->sides[0].program);
   agx_program_destroy(pair->checked);
   free(pair);
}

struct bench_io benchmark_pair_io(const struct benchmark_pair *pair, unsigned index)
{
   const struct benchmark_side *side = &pair->sides[index];

   return (struct bench_io){
       .threads = side->threads,
       .iterations = side->iterations,
       .group = benchmark_pair_occupancy(pair).group,
       .seed = pair->seed,
       .input = asahi_buffer_map(pair->input),
       .input_bytes = asahi_buffer_size(pair->input),
       .output = pair->initial,
       .output_bytes = pair->output_bytes,
   };
}

const uint8_t *benchmark_pair_output(const struct benchmark_pair *pair, size_t slot)
{
   return asahi_buffer_map(pair->outputs[slot]);
}

static void fill_arguments(const struct benchmark_pair *pair, const struct benchmark_side *side, size_t slot,
                           uint8_t *block)
{
   const struct benchmark *benchmark = pair->benchmark;

   for (unsigned i = 0; i < benchmark->argument_count; i++) {
      const uint64_t values[] = {
          [BENCH_INPUT] = asahi_buffer_address(pair->input),
          [BENCH_OUTPUT] = asahi_buffer_address(pair->outputs[slot]),
          [BENCH_ITERATIONS] = side->iterations,
          [BENCH_PARAMETER] = benchmark->parameter,
          [BENCH_FIRST] = 0,
      };
      const uint64_t value = values[benchmark->arguments[i]];
      const uint32_t word = (uint32_t)value;

      if (pair->arguments[i].size == sizeof(value)) {
         memcpy(block + pair->arguments[i].offset, &value, sizeof(value));
      } else {
         memcpy(block + pair->arguments[i].offset, &word, sizeof(word));
      }
   }
}

struct asahi_dispatch benchmark_pair_dispatch(const struct benchmark_pair *pair, unsigned index, size_t slot,
                                              uint8_t *block)
{
   const struct benchmark_side *side = &pair->sides[index];
   const struct bench_occupancy occupancy = benchmark_pair_occupancy(pair);

   fill_arguments(pair, side, slot, block);
   memcpy(asahi_buffer_map(pair->outputs[slot]), pair->initial, pair->output_bytes);
   return (struct asahi_dispatch){
       .program = side->program,
       .grid = {side->threads, 1, 1},
       .group = {occupancy.group, 1, 1},
       .work_dim = 1,
       .arguments = block,
       .argument_bytes = pair->argument_bytes,
       .extra_threadgroup_bytes = occupancy.threadgroup_bytes > pair->threadgroup_bytes
                                      ? occupancy.threadgroup_bytes - pair->threadgroup_bytes
                                      : 0,
       .half_registers = occupancy.half_registers,
       .beyond_registers = pair->beyond,
   };
}

/* Returns the index of BENCH_FIRST among the arguments; argument_count: there is none. */
static unsigned first_argument(const struct benchmark *benchmark)
{
   unsigned i = 0;

   while (i < benchmark->argument_count && benchmark->arguments[i] != BENCH_FIRST) {
      i++;
   }
   return i;
}

bool benchmark_pair_has_parts(const struct benchmark_pair *pair)
{
   return first_argument(pair->benchmark) < pair->benchmark->argument_count;
}

void benchmark_pair_set_part(const struct benchmark_pair *pair, uint32_t first, uint32_t threads,
                             struct asahi_dispatch *dispatch, uint8_t *block)
{
   memcpy(block + pair->arguments[first_argument(pair->benchmark)].offset, &first, sizeof(first));
   dispatch->grid[0] = threads;
}

double benchmark_pair_issue_cycles(const struct benchmark_pair *pair)
{
   const struct benchmark_side *a = &pair->sides[0], *b = &pair->sides[1];
   const double operations = (double)b->iterations * b->variant.repeat * b->variant.chains * b->threads -
                             (double)a->iterations * a->variant.repeat * a->variant.chains * a->threads;

   return operations / 32 / (SCHEDULERS * (double)pair->session->info->cores);
}

double benchmark_pair_chain(const struct benchmark_pair *pair)
{
   const struct benchmark_side *a = &pair->sides[0], *b = &pair->sides[1];

   return (double)b->iterations * b->variant.repeat - (double)a->iterations * a->variant.repeat;
}

double benchmark_pair_work(const struct benchmark_pair *pair)
{
   const struct benchmark_side *a = &pair->sides[0], *b = &pair->sides[1];

   return ((double)b->iterations * b->threads - (double)a->iterations * a->threads) * pair->benchmark->work;
}

double benchmark_pair_cost(const struct benchmark_pair *pair, const struct benchmark_pair_times *times)
{
   const struct bench_metric_info *metric = &bench_metrics[pair->metric];
   const struct benchmark *benchmark = pair->benchmark;
   const struct bench_sample sample = {
       .shorter_ns = times->shorter_ns,
       .longer_ns = times->longer_ns,
       .control_ns = times->control_ns,
       .clock_hz = times->clock_hz,
       .issues = benchmark_pair_issue_cycles(pair),
       .chain = benchmark_pair_chain(pair),
       .work = benchmark_pair_work(pair),
       .core_lanes = 32.0 * SCHEDULERS,
       .repetitions = metric->timing == BENCH_ONE ? benchmark->control.repetitions : published_repetitions(benchmark),
       .per_cycle = benchmark->per_cycle,
       .dispatch_work = benchmark->work,
   };

   return metric->cost(&sample);
}

/* Each timestamp has an error of up to one step, uniformly distributed, so the difference of two has the standard
 * deviation step / sqrt(6). Where times hardly differ, all samples may have the same error. More samples do not help
 * then, so the error of one sample counts. */
double benchmark_pair_resolution(const struct benchmark_pair *pair, const struct benchmark_pair_times *times,
                                 double step_ns)
{
   const double deviation = step_ns / sqrt(6), cost = benchmark_pair_cost(pair, times);
   struct benchmark_pair_times off = *times;
   double *const durations[] = {&off.shorter_ns, &off.longer_ns, &off.control_ns};
   double squares = 0;

   for (size_t i = 0; i < ARRAY_COUNT(durations); i++) {
      const double duration = *durations[i];

      if (duration > 0) {
         *durations[i] = duration + deviation;
         squares += pow(benchmark_pair_cost(pair, &off) - cost, 2);
         *durations[i] = duration;
      }
   }
   /* The mean of two differences contains four durations: its deviation is that of one duration. */
   if (times->reference_ns > 0) {
      off.clock_hz = times->clock_hz / (1 + deviation / times->reference_ns);
      squares += pow(benchmark_pair_cost(pair, &off) - cost, 2);
   }
   return TWO_SIDED_95 * sqrt(squares);
}
