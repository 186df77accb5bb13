/* SPDX-License-Identifier: MIT
 *
 * An answer is right when every word equals the host's, or is as good by the benchmark's own rule.
 */
#include "agx_runner/measure/answer.h"

#include <inttypes.h>
#include <math.h>
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

bool answer_is_right(const struct benchmark_pair *pair, unsigned index, size_t slot, struct result *result)
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
