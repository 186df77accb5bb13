/* SPDX-License-Identifier: MIT */
#include "agx_runner/comparison.h"

#include <math.h>
#include <stdio.h>

#define REPETITIONS 1440 /* of the control kernel, for what has no row (agx_runner/reference.py) */

static bool find_control(const struct benchmark *benchmark, struct comparison *comparison)
{
   const struct reference_control *control =
       reference_control_find(benchmark->control.bits, benchmark->control.repetitions);

   if (control == NULL) {
      return false;
   }
   comparison->value = control->cycles;
   comparison->qualifier = control->qualifier;
   snprintf(comparison->row, sizeof(comparison->row), "control kernel, %u bits, %u repetitions", control->bits,
            control->repetitions);
   return true;
}

static bool find_row(const struct benchmark *benchmark, enum bench_metric metric, struct comparison *comparison)
{
   const struct reference *reference = benchmark->reference != NULL ? reference_find(benchmark->reference) : NULL;
   static const char *const what[] = {
       [BENCH_THROUGHPUT] = "throughput", [BENCH_LATENCY] = "adjusted latency", [BENCH_RAW_LATENCY] = "raw latency"};

   if (reference == NULL) {
      return false;
   }
   comparison->value = metric == BENCH_THROUGHPUT ? reference->throughput
                       : metric == BENCH_LATENCY  ? reference->latency
                                                  : reference->raw_latency;
   comparison->qualifier = metric == BENCH_THROUGHPUT ? reference->throughput_qualifier
                           : metric == BENCH_LATENCY  ? reference->latency_qualifier
                                                      : "";
   comparison->likeness = reference_likeness(reference, benchmark->codegen.sequence != NULL, benchmark->codegen.listed);
   comparison->made_of = reference->made_of;
   snprintf(comparison->row, sizeof(comparison->row), "%s, %s", reference->name, what[metric]);
   return !isnan(comparison->value);
}

bool comparison_find(const struct benchmark *benchmark, enum bench_metric metric, struct comparison *comparison)
{
   *comparison = (struct comparison){.value = NAN, .qualifier = ""};
   return metric == BENCH_CONTROL       ? find_control(benchmark, comparison)
          : metric <= BENCH_RAW_LATENCY ? find_row(benchmark, metric, comparison)
                                        : false;
}

unsigned comparison_repetitions(const struct benchmark *benchmark)
{
   const struct reference *reference = benchmark->reference != NULL ? reference_find(benchmark->reference) : NULL;

   return reference != NULL ? reference->repetitions : REPETITIONS;
}
