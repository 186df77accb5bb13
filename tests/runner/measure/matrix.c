/* SPDX-License-Identifier: MIT
 *
 * matrix/ on the virtual device: rows agree with the published intervals, and a wrong answer or a wrong map is found.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/measure.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/matrix/matrix.h"
#include "tests/runner/check.h"

static struct benchmark find(const char *name)
{
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->group, "matrix") && !strcmp(bench_at(i)->name, name)) {
         return *bench_at(i);
      }
   }
   fprintf(stderr, "no benchmark matrix/%s\n", name);
   exit(EXIT_FAILURE);
}

static struct result measure(struct session *session, const struct benchmark *benchmark, enum bench_metric metric)
{
   const struct measure_settings settings = {.samples = 9, .seed = 1};
   struct measure state;
   struct result result;
   char why[160];

   result_init(&result, benchmark->name);
   if (!measure_start(&state, session, &settings, why, sizeof(why))) {
      exit(EXIT_FAILURE);
   }
   (void)measure_benchmark(&state, benchmark, metric, &result);
   measure_finish(&state);
   return result;
}

/* results/reference/matrix.csv and instr.csv; what the rows beside measure follows from the pipes of the model. */
static void test_rates(unsigned *failures, struct session *session)
{
   static const struct {
      const char *name;
      enum bench_metric metric;
      double cycles;
   } rows[] = {
       {"fmadd-mixed-chains16-simds24", BENCH_THROUGHPUT, 16.5},
       {"fmadd-f16-chains16-simds24", BENCH_THROUGHPUT, 17},
       {"fmadd-f32-chains16-simds24", BENCH_THROUGHPUT, 18},
       {"fmadd-f16", BENCH_LATENCY, 34},
       {"fmadd-f32", BENCH_LATENCY, 36},
       {"fmadd-f32-chains1-simds4", BENCH_THROUGHPUT, 36},
       {"beside-ffma16", BENCH_THROUGHPUT, 16.5 + 16},
       {"beside-imul4", BENCH_THROUGHPUT, 16.5},
   };

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      const struct benchmark benchmark = find(rows[i].name);
      struct result result = measure(session, &benchmark, rows[i].metric);

      CHECK(failures, result.status == RESULT_PASS && fabs(result.value / rows[i].cycles - 1) < 0.02,
            "%s: %g, not %g: %s", rows[i].name, result.value, rows[i].cycles, result.reason);
      result_finish(&result);
   }
}

static void (*expect)(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                      uint8_t *expected);

static void expect_other(const struct benchmark *benchmark, const struct bench_variant *variant,
                         const struct bench_io *io, uint8_t *expected)
{
   expect(benchmark, variant, io, expected);
   expected[2] ^= 1;
}

static void test_wrong_answer(unsigned *failures, struct session *session)
{
   struct benchmark benchmark = find("fmadd-f32");

   expect = benchmark.expect;
   benchmark.expect = expect_other;
   struct result result = measure(session, &benchmark, BENCH_LATENCY);

   CHECK(failures, result.status == RESULT_FAIL && strstr(result.reason, "wrong answer") != NULL, "%s", result.reason);
   result_finish(&result);
}

int main(void)
{
   struct session session;
   unsigned failures = 0;

   if (session_open(&session, "virtual:m1", 60) != EXIT_OK) {
      return EXIT_FAILURE;
   }
   test_rates(&failures, &session);
   test_wrong_answer(&failures, &session);
   session_close(&session);
   return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
