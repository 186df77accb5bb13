/* SPDX-License-Identifier: MIT
 *
 * Runs one submission: memory is reset, the commands run back to back, and the host checks the answers only when all
 * have ended, so that the GPU does not wait between two commands. An answer is right if every word equals the host's,
 * or if the benchmark's own rule accepts it.
 */
#include "agx_runner/measure/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If several outputs are right, the benchmark decides. */
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

/* Whether the slot has the side's answer. If not, `result` tells where it is wrong. */
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

/* Gives each command of the same pair another slot. */
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

/* Makes the argument blocks of all commands, one after the other; free() releases them. Returns NULL when out of
 * memory. */
static uint8_t *make_dispatches(const struct run_command *commands, size_t count, struct asahi_dispatch *dispatches)
{
   size_t bytes = 1, at = 0;

   for (size_t i = 0; i < count; i++) {
      bytes += commands[i].pair->argument_bytes;
   }
   uint8_t *blocks = calloc(1, bytes);
   for (size_t i = 0; blocks != NULL && i < count; i++) {
      struct benchmark_side *side = &commands[i].pair->sides[commands[i].side];
      const uint32_t iterations = side->iterations;

      if (commands[i].unchecked_iterations != 0) {
         side->iterations = commands[i].unchecked_iterations;
      }
      dispatches[i] = benchmark_pair_dispatch(commands[i].pair, commands[i].side, commands[i].slot, blocks + at);
      side->iterations = iterations;
      at += commands[i].pair->argument_bytes;
   }
   return blocks;
}

bool run_prepare(struct run_batch *batch, struct run_command *commands, size_t count)
{
   *batch = (struct run_batch){.commands = commands, .count = count};
   const int ret = count <= ASAHI_COMMANDS_MAX ? assign_slots(commands, count) : -EINVAL;

   if (ret < 0) {
      return measure_device_failed(commands[0].pair->session, "buffers", ret);
   }
   batch->blocks = make_dispatches(commands, count, batch->dispatches);
   return batch->blocks != NULL || measure_no_memory(batch->commands[0].pair->session);
}

/* Submits the threads of one command from `first` on. */
static int submit_part(struct run_batch *batch, size_t index, uint32_t first, uint32_t threads, double *nanoseconds,
                       struct session_span *span)
{
   const struct benchmark_pair *pair = batch->commands[index].pair;
   struct asahi_dispatch *dispatch = &batch->dispatches[index];

   if (pair->part_threads != 0) {
      uint8_t *block = batch->blocks + ((const uint8_t *)dispatch->arguments - batch->blocks);

      benchmark_pair_set_part(pair, first, threads, dispatch, block);
   }
   return session_submit(pair->session, dispatch, 1, nanoseconds, span);
}

/* Makes a submission for each part of each command. -EINTR: the user wants to stop. */
static int submit_in_parts(struct run_batch *batch, double *nanoseconds, struct session_span *span)
{
   *span = (struct session_span){0};
   for (size_t i = 0; i < batch->count; i++) {
      const struct benchmark_pair *pair = batch->commands[i].pair;
      const uint32_t threads = pair->sides[batch->commands[i].side].threads;
      const uint32_t part = pair->part_threads != 0 ? pair->part_threads : threads;

      nanoseconds[i] = 0;
      for (uint32_t first = 0; first < threads; first += part) {
         struct session_span own;
         double time;
         const int ret =
             session_interrupted(pair->session)
                 ? -EINTR
                 : submit_part(batch, i, first, threads - first < part ? threads - first : part, &time, &own);

         if (ret < 0) {
            return ret;
         }
         span->idle = i == 0 && first == 0 ? own.idle : span->idle;
         span->wanted += own.wanted;
         nanoseconds[i] += time;
      }
   }
   return 0;
}

static bool has_parts(const struct run_batch *batch)
{
   bool found = false;

   for (size_t i = 0; i < batch->count; i++) {
      found = found || batch->commands[i].pair->part_threads != 0;
   }
   return found;
}

static int submit(struct run_batch *batch, double *nanoseconds, struct session_span *span)
{
   struct session *session = batch->commands[0].pair->session;

   return has_parts(batch) ? submit_in_parts(batch, nanoseconds, span)
                           : session_submit(session, batch->dispatches, batch->count, nanoseconds, span);
}

int run_again(struct run_batch *batch)
{
   double nanoseconds[ASAHI_COMMANDS_MAX];
   struct session_span span;
   const int ret = session_interrupted(batch->commands[0].pair->session) ? -EINTR : submit(batch, nanoseconds, &span);

   for (size_t i = 0; ret == 0 && i < batch->count; i++) {
      batch->commands[i].nanoseconds = nanoseconds[i];
   }
   return ret;
}

bool run_failed(struct session *session, int error)
{
   struct result *result = session->result;

   if (error != -EINTR) {
      return measure_device_failed(session, "run", error);
   }
   result_set(result, RESULT_FAIL, "interrupted");
   session->lost = true;
   return false;
}

bool run_submit(struct run_batch *batch, int *error)
{
   struct result *result = batch->commands[0].pair->session->result;
   struct session *session = batch->commands[0].pair->session;
   double nanoseconds[ASAHI_COMMANDS_MAX];
   struct session_span span;
   bool right = true;
   const int ret = submit(batch, nanoseconds, &span);

   if (error != NULL) {
      *error = ret;
   }
   if (ret < 0) {
      return run_failed(session, ret);
   }
   batch->idle_ns = span.idle;
   for (size_t i = 0; i < batch->count; i++) {
      struct run_command *command = &batch->commands[i];
      struct benchmark_side *side = &command->pair->sides[command->side];

      command->nanoseconds = nanoseconds[i];
      if (command->unchecked_iterations != 0) {
         continue;
      }
      side->nanoseconds = nanoseconds[i];
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

bool run_commands(struct run_command *commands, size_t count, int *error)
{
   struct run_batch batch;

   if (error != NULL) {
      *error = 0;
   }
   const bool done = run_prepare(&batch, commands, count) && run_submit(&batch, error);
   run_finish(&batch);
   return done;
}

bool run_side(struct benchmark_pair *pair, unsigned side)
{
   struct run_command command = {.pair = pair, .side = side};

   return run_commands(&command, 1, NULL);
}

/* Returns the size of equal parts that take at most `most_ns` each; 0: one part is enough. */
static uint32_t choose_part(const struct benchmark_pair *pair, double ns_a_thread, double most_ns)
{
   const uint32_t threads = pair->sides[0].threads, group = pair->dispatch.group;
   const double whole = ns_a_thread * threads;

   if (whole <= most_ns) {
      return 0;
   }
   const uint32_t groups = threads / group;
   const uint32_t parts = whole / most_ns < groups ? (uint32_t)ceil(whole / most_ns) : groups;
   return (groups + parts - 1) / parts * group;
}

/* On a virtual device only the size of the parts is needed: the host would emulate the whole dispatch once more, and
 * every sample's answer is checked. The times of the whole dispatch are then extrapolated. */
static bool grow(struct run_batch *batch, double most_ns)
{
   struct result *result = batch->commands[0].pair->session->result;
   struct benchmark_pair *pair = batch->commands[0].pair;
   struct benchmark_side *side = &pair->sides[0];
   double ns_a_thread = 0;
   uint32_t first = 0;
   bool more = true;

   side->nanoseconds = side->host_nanoseconds = 0;
   pair->part_threads = pair->dispatch.group;
   while (more) {
      struct session_span span;
      uint32_t threads;
      double time;

      threads = side->threads - first < pair->part_threads ? side->threads - first : pair->part_threads;
      const int ret = session_interrupted(pair->session) ? -EINTR : submit_part(batch, 0, first, threads, &time, &span);
      if (ret < 0) {
         return run_failed(pair->session, ret);
      }
      if (time > most_ns) {
         result_set(result, RESULT_SKIP,
                    "%u of %u threadgroups take %.1f ms: a command of more than %.0f ms could freeze a desktop",
                    threads / pair->dispatch.group, pair->dispatch.groups, 1e-6 * time, 1e-6 * most_ns);
         return false;
      }
      side->nanoseconds += time;
      side->host_nanoseconds += span.wanted;
      const bool grows = 2 * time <= most_ns / 2;
      if (threads == pair->part_threads) {
         ns_a_thread = time / threads;
         pair->part_threads *= grows ? 2 : 1;
      }
      first += threads;
      more = first < side->threads && (grows || !pair->session->info->is_virtual);
   }
   side->nanoseconds *= (double)side->threads / first;
   side->host_nanoseconds *= (double)side->threads / first;
   pair->part_threads = choose_part(pair, ns_a_thread, most_ns / 2);
   if (first < side->threads) {
      return true;
   }
   const bool right = answer_is_right(pair, 0, 0, result);

   result->check = right ? RESULT_CHECK_PASS : result->check;
   return right;
}

bool run_growing(struct benchmark_pair *pair, double most_ns)
{
   struct run_command command = {.pair = pair};
   struct run_batch batch;
   const bool done = run_prepare(&batch, &command, 1) && grow(&batch, most_ns);

   run_finish(&batch);
   return done;
}

bool run_unchecked(struct benchmark_pair *pair, unsigned side, double *nanoseconds)
{
   struct run_command command = {.pair = pair, .side = side};
   struct run_batch batch;
   bool done = run_prepare(&batch, &command, 1);

   if (done) {
      const int ret = session_submit(pair->session, batch.dispatches, 1, nanoseconds, NULL);

      done = ret == 0 || measure_device_failed(pair->session, "run", ret);
   }
   run_finish(&batch);
   return done;
}
