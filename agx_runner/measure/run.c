/* SPDX-License-Identifier: MIT
 *
 * One submission: memory is reset, the commands run back to back, and only then the host looks at the answers, so that
 * the GPU does not wait between two commands. An answer is right when every word equals the host's, or is as good by
 * the benchmark's own rule.
 */
#include "agx_runner/measure/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where many outputs are right, the benchmark judges. */
static bool figure_is_right(const struct benchmark_pair *pair, unsigned index, size_t slot, struct result *result)
{
   const struct bench_io io = benchmark_pair_io(pair, index);
   char why[160] = "";

   if (isnan(pair->benchmark->figure(pair->benchmark, BENCH_CHECK, &io, benchmark_pair_output(pair, slot), why,
                                     sizeof(why)))) {
      result->check = RESULT_CHECK_FAIL;
      result_set(result, RESULT_FAIL, "%s", why);
   }
   return result->check != RESULT_CHECK_FAIL;
}

/* Does the slot hold what the side must leave? False: `result` says where it is wrong. */
static bool answer_is_right(const struct benchmark_pair *pair, unsigned index, size_t slot, struct result *result)
{
   const struct benchmark_side *side = &pair->sides[index];
   const struct benchmark *benchmark = pair->benchmark;
   const uint8_t *output = benchmark_pair_output(pair, slot);
   uint32_t got = 0, wanted = 0;

   if (benchmark->figure != NULL && bench_is_timed(pair->metric)) {
      return figure_is_right(pair, index, slot, result);
   }
   if (side->expected == NULL || memcmp(output, side->expected, pair->output_bytes) == 0) {
      return true;
   }
   const struct bench_io io = {.iterations = side->iterations, .threads = side->threads};
   size_t word = 0;
   for (; word < pair->output_bytes / sizeof(got); word++) {
      memcpy(&got, output + word * sizeof(got), sizeof(got));
      memcpy(&wanted, side->expected + word * sizeof(wanted), sizeof(wanted));
      if (got != wanted && (benchmark->accept == NULL || !benchmark->accept(benchmark, &io, got, wanted))) {
         break;
      }
   }
   if (word == pair->output_bytes / sizeof(got)) {
      return true;
   }
   result->check = RESULT_CHECK_FAIL;
   result_set(result, RESULT_FAIL, "wrong answer: output word %zu is 0x%08" PRIx32 ", expected 0x%08" PRIx32, word, got,
              wanted);
   return false;
}

/* Commands of the same pair write to different slots. */
static int assign_slots(struct run_command *commands, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      commands[i].slot = 0;
      for (size_t k = 0; k < i; k++) {
         commands[i].slot += commands[k].pair == commands[i].pair;
      }
      const int ret = benchmark_pair_reserve(commands[i].pair, commands[i].slot + 1);
      if (ret < 0) {
         return ret;
      }
   }
   return 0;
}

/* Argument blocks of all commands, one after the other; free() it. NULL: out of memory. */
static uint8_t *make_dispatches(const struct run_command *commands, size_t count, struct asahi_dispatch *dispatches)
{
   size_t bytes = 1, at = 0;

   for (size_t i = 0; i < count; i++) {
      bytes += commands[i].pair->argument_bytes;
   }
   uint8_t *blocks = calloc(1, bytes);
   for (size_t i = 0; blocks != NULL && i < count; i++) {
      dispatches[i] = benchmark_pair_dispatch(commands[i].pair, commands[i].side, commands[i].slot, blocks + at);
      at += commands[i].pair->argument_bytes;
   }
   return blocks;
}

bool run_prepare(struct run_batch *batch, struct run_command *commands, size_t count, struct result *result, bool *lost)
{
   *batch = (struct run_batch){.commands = commands, .count = count};
   const int ret = count <= ASAHI_COMMANDS_MAX ? assign_slots(commands, count) : -EINVAL;

   if (ret < 0) {
      return measure_device_failed(commands[0].pair->session, result, "buffers", ret, lost);
   }
   batch->blocks = make_dispatches(commands, count, batch->dispatches);
   return batch->blocks != NULL || measure_no_memory(result, lost);
}

bool run_submit(struct run_batch *batch, struct result *result, bool *lost, int *error)
{
   struct session *session = batch->commands[0].pair->session;
   double nanoseconds[ASAHI_COMMANDS_MAX];
   struct session_span span;
   bool right = true;
   const int ret = session_submit(session, batch->dispatches, batch->count, nanoseconds, &span);

   if (error != NULL) {
      *error = ret;
   }
   if (ret < 0) {
      return measure_device_failed(session, result, "run", ret, lost);
   }
   batch->idle_ns = span.idle;
   for (size_t i = 0; i < batch->count; i++) {
      struct run_command *command = &batch->commands[i];
      struct benchmark_side *side = &command->pair->sides[command->side];

      command->nanoseconds = side->nanoseconds = nanoseconds[i];
      side->host_nanoseconds = span.wanted / (double)batch->count;
      right = right && answer_is_right(command->pair, command->side, command->slot, result);
   }
   return right;
}

void run_finish(struct run_batch *batch)
{
   free(batch->blocks);
   batch->blocks = NULL;
}

bool run_commands(struct run_command *commands, size_t count, struct result *result, bool *lost, int *error)
{
   struct run_batch batch;

   if (error != NULL) {
      *error = 0;
   }
   const bool done = run_prepare(&batch, commands, count, result, lost) && run_submit(&batch, result, lost, error);
   run_finish(&batch);
   return done;
}

bool run_side(struct benchmark_pair *pair, unsigned side, struct result *result, bool *lost)
{
   struct run_command command = {.pair = pair, .side = side};

   return run_commands(&command, 1, result, lost, NULL);
}

bool run_unchecked(struct benchmark_pair *pair, unsigned side, double *nanoseconds, struct result *result, bool *lost)
{
   struct run_command command = {.pair = pair, .side = side};
   struct run_batch batch;
   bool done = run_prepare(&batch, &command, 1, result, lost);

   if (done) {
      const int ret = session_submit(pair->session, batch.dispatches, 1, nanoseconds, NULL);

      done = ret == 0 || measure_device_failed(pair->session, result, "run", ret, lost);
   }
   run_finish(&batch);
   return done;
}
