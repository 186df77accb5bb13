/* SPDX-License-Identifier: MIT
 *
 * A benchmark that docs/adding-a-benchmark.md adds: it is in the catalogue, its code is accepted and a code with a
 * repetition less is not, and it gets its figures. adding.py and adding_block.py make the files that hold it.
 *
 *    adding GROUP NAME THROUGHPUT LATENCY    the published figures in cycles
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/codecheck.h"
#include "agx_runner/measure/measure.h"
#include "agx_runner/terminal/runner.h"
#include "tests/check.h"

static const struct benchmark *find(const char *group, const char *name)
{
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->group, group) && !strcmp(bench_at(i)->name, name)) {
         return bench_at(i);
      }
   }
   return NULL;
}

/* The two programs of the metric; the first with so many repetitions less than the check is told. */
static bool accepted(const struct benchmark *benchmark, enum bench_metric metric, unsigned less)
{
   const struct compiler_options options = {.keep_atomics = true};
   struct bench_variant meant[2], built;
   struct compiler_result results[2] = {0};
   unsigned expected, found;
   char why[256];

   metric_variants(benchmark, metric, meant);
   built = meant[0];
   built.repeat -= less;
   bool good = bench_build(benchmark, &built, &options, &results[0]) == 0 &&
               bench_build(benchmark, &meant[1], &options, &results[1]) == 0;
   if (good) {
      const struct agx_program *const programs[2] = {results[0].programs[0], results[1].programs[0]};
      good = codecheck_pair(benchmark, meant, programs, &expected, &found, why, sizeof(why));
   }
   compiler_result_finish(&results[0]);
   compiler_result_finish(&results[1]);
   return good;
}

int main(int argc, char **argv)
{
   if (argc != 5) {
      return EXIT_FAILURE;
   }
   const struct benchmark *benchmark = find(argv[1], argv[2]);
   struct session session;
   struct measure measure;

   if (benchmark == NULL) {
      fprintf(stderr, "no %s/%s\n", argv[1], argv[2]);
      return EXIT_FAILURE;
   }
   if (session_open(&session, "virtual:m1", 30) != EXIT_OK) {
      return EXIT_FAILURE;
   }
   const struct measure_settings settings = {.samples = 9, .seed = 1};
   char why[160];
   if (!measure_start(&measure, &session, &settings, why, sizeof(why))) {
      return EXIT_FAILURE;
   }
   for (enum bench_metric metric = BENCH_THROUGHPUT; metric <= BENCH_LATENCY; metric++) {
      const double published = atof(argv[metric == BENCH_THROUGHPUT ? 3 : 4]);
      struct result result;

      CHECK(accepted(benchmark, metric, 0), "%s", bench_metrics[metric].name);
      CHECK(!accepted(benchmark, metric, 1), "%s, a repetition less", bench_metrics[metric].name);
      result_init(&result, argv[2]);
      (void)measure_benchmark(&measure, benchmark, metric, &result);
      CHECK(result.status == RESULT_PASS && fabs(result.value / published - 1) < 0.02, "%s: %g, %s",
            bench_metrics[metric].name, result.value, result.reason);
      result_finish(&result);
   }
   measure_finish(&measure);
   session_close(&session);
   return check_result();
}
