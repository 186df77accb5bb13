/* SPDX-License-Identifier: MIT
 *
 * Finds the published figure that a benchmark's result is compared with.
 */
#include "agx_runner/results/published.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nir_kernels/mix.h"

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

/* Whether the mix contains the operations of the other one, in any order. Names of the same code count as the same
 * operation. */
static bool holds(const struct bench_mix *mix, const struct bench_mix *other)
{
   for (unsigned i = 0; i < other->count; i++) {
      unsigned count = 0;

      for (unsigned k = 0; k < mix->count; k++) {
         const bool same = strcmp(mix->items[k].operation->text, other->items[i].operation->text) == 0;
         count += same ? mix->items[k].count : 0;
      }
      if (count != other->items[i].count) {
         return false;
      }
   }
   return mix->count == other->count;
}

/* Whether it has one instruction for each operation, or only sequences that the source lists, or at least one that it
 * does not list. */
static enum reference_likeness likeness_of(const struct bench_mix *mix)
{
   enum reference_likeness likeness = REFERENCE_SAME_INSTRUCTION;

   for (unsigned i = 0; i < mix->count; i++) {
      const struct bench_operation *operation = mix->items[i].operation;
      char name[64];

      snprintf(name, sizeof(name), "%s/%s", operation->section, operation->name);
      const struct reference *row = reference_find(name);
      if (strchr(operation->text, '\n')[1] != '\0') {
         const bool listed = row != NULL && row->made_of != NULL;
         likeness = !listed                              ? REFERENCE_UNKNOWN_SEQUENCE
                    : likeness < REFERENCE_SAME_SEQUENCE ? REFERENCE_SAME_SEQUENCE
                                                         : likeness;
      }
   }
   return likeness;
}

static bool find_mix(const struct bench_mix *mix, struct published *published)
{
   char why[192];

   for (unsigned i = 0; i < reference_mix_count; i++) {
      const struct reference_mix *row = &reference_mixes[i];
      struct bench_mix other;

      if (bench_mix_parse(row->text, 0, 0, &other, why, sizeof(why)) == 0 && holds(mix, &other)) {
         published->value = row->cycles;
         published->likeness = likeness_of(mix);
         snprintf(published->row, sizeof(published->row), "mix %s", row->sequence);
         return true;
      }
   }
   return false;
}

bool published_find(const struct benchmark *benchmark, enum bench_metric metric, struct published *published)
{
   *published = (struct published){.value = NAN, .qualifier = ""};
   if (benchmark->mix != NULL) {
      return metric == BENCH_THROUGHPUT && find_mix(benchmark->mix, published);
   }
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
