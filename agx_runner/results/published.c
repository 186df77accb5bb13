/* SPDX-License-Identifier: MIT
 *
 * Finds the published figure that a benchmark's result is compared with.
 */
#include "agx_runner/results/published.h"

#include <math.h>
#include <stdio.h>

#define REPETITIONS 1440 /* of the control kernel, for what has no row (agx_runner/results/reference.py) */

static bool find_control(const struct benchmark *benchmark, struct published *published)
{
   const struct reference_control *control =
       reference_control_find(benchmark->control.bits, benchmark->control.repetitions);

   if (control == NULL) {
      return false;
   }
   published->value = control->cycles;
   published->qualifier = control->qualifier;
   snprintf(published->row, sizeof(published->row), "control kernel, %u bits, %u repetitions", control->bits,
            control->repetitions);
   return true;
}

static bool find_row(const struct benchmark *benchmark, enum bench_metric metric, struct published *published)
{
   const struct reference *reference = benchmark->reference != NULL ? reference_find(benchmark->reference) : NULL;
   static const char *const what[] = {
       [BENCH_THROUGHPUT] = "throughput", [BENCH_LATENCY] = "adjusted latency", [BENCH_RAW_LATENCY] = "raw latency"};

   if (reference == NULL) {
      return false;
   }
   published->value = metric == BENCH_THROUGHPUT ? reference->throughput
                      : metric == BENCH_LATENCY  ? reference->latency
                                                 : reference->raw_latency;
   published->qualifier = metric == BENCH_THROUGHPUT ? reference->throughput_qualifier
                          : metric == BENCH_LATENCY  ? reference->latency_qualifier
                                                     : "";
   published->likeness = reference_likeness(reference, benchmark->codegen.sequence != NULL, benchmark->codegen.listed);
   published->made_of = reference->made_of;
   snprintf(published->row, sizeof(published->row), "%s, %s", reference->name, what[metric]);
   return !isnan(published->value);
}

bool published_find(const struct benchmark *benchmark, enum bench_metric metric, struct published *published)
{
   *published = (struct published){.value = NAN, .qualifier = ""};
   return metric == BENCH_CONTROL ? find_control(benchmark, published)
          : metric == BENCH_THROUGHPUT || metric == BENCH_LATENCY || metric == BENCH_RAW_LATENCY
              ? find_row(benchmark, metric, published)
              : false;
}

unsigned published_repetitions(const struct benchmark *benchmark)
{
   const struct reference *reference = benchmark->reference != NULL ? reference_find(benchmark->reference) : NULL;

   return reference != NULL ? reference->repetitions : REPETITIONS;
}
