/* SPDX-License-Identifier: MIT
 *
 * Measuring, on the virtual device: a figure only with the right code and the right answer.
 */
#include "agx_runner/measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "tests/check.h"
#include "util/array.h"

static struct benchmark find(const char *name)
{
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->name, name)) {
         return *bench_at(i);
      }
   }
   fprintf(stderr, "no benchmark %s\n", name);
   exit(EXIT_FAILURE);
}

/* A new result in `run`. */
static struct result *measure(struct session *session, struct result_run *run, const struct benchmark *benchmark,
                              enum bench_metric metric, bool infer_clock)
{
   struct result *result = result_add(run, "test");
   const struct measure_settings settings = {
       .samples = 9, .seed = 1, .clock = infer_clock ? MEASURE_CLOCK_INFER : MEASURE_CLOCK_AUTO};
   struct measure state;
   char why[160];

   if (result == NULL || !measure_start(&state, session, &settings, why, sizeof(why))) {
      exit(EXIT_FAILURE);
   }
   (void)measure_benchmark(&state, benchmark, metric, result);
   measure_finish(&state);
   return result;
}

static void test_clock(struct session *session, struct result_run *run)
{
   const struct benchmark benchmark = find("ffma32");
   const double known = measure(session, run, &benchmark, BENCH_LATENCY, false)->value;
   const struct result *result = measure(session, run, &benchmark, BENCH_LATENCY, true);

   CHECK(result->status == RESULT_PASS && fabs(result->value / known - 1) < 0.02,
         "inferred clock: %g cycles, known clock: %g: %s", result->value, known, result->reason);
   CHECK(fabs((double)result->clock_hz / (double)session->info->clock_hz - 1) < 0.02, "inferred %g Hz of %g",
         (double)result->clock_hz, (double)session->info->clock_hz);
}

/* The virtual device's model was made from the published figures: they are the second source for the arithmetic. */
static void test_figures(struct session *session, struct result_run *run)
{
   static const char *const names[] = {"fadd32", "ffma16", "imul32", "icmpsel32", "shuffle32", "ballot"};

   for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
      const struct benchmark benchmark = find(names[i]);

      for (enum bench_metric metric = BENCH_THROUGHPUT; metric <= BENCH_LATENCY; metric++) {
         const struct result *result = measure(session, run, &benchmark, metric, false);

         CHECK(fabs(result->value / result->reference - 1) < 0.03, "%s %s: %g, published %g: %s", names[i],
               bench_metrics[metric].name, result->value, result->reference, result->reason);
      }
   }
}

/* Twice the operations in the loop: the same cost of each. */
static void test_scale(struct session *session, struct result_run *run)
{
   struct benchmark benchmark = find("fmul32");

   for (enum bench_metric metric = BENCH_THROUGHPUT; metric <= BENCH_LATENCY; metric++) {
      const double once = measure(session, run, &benchmark, metric, false)->value;

      benchmark.variants[metric].repeat *= 2;
      benchmark.variants[metric].steps *= 2;
      const double twice = measure(session, run, &benchmark, metric, false)->value;
      CHECK(once > 0.5 && fabs(twice / once - 1) < 0.02, "%s: %g, with bodies twice as long %g",
            bench_metrics[metric].name, once, twice);
   }
}

/* The source's rows: a raw latency is the adjusted one and what the control kernel takes for each of 1440. */
static void test_raw_latency(struct session *session, struct result_run *run)
{
   static const struct {
      const char *name, *control;
   } rows[] = {{"fadd32", "loop32-1440"}, {"fadd16", "loop16-1440"}, {"rcp32", "loop32-1440"}};

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      const struct benchmark benchmark = find(rows[i].name), control = find(rows[i].control);
      const double adjusted = measure(session, run, &benchmark, BENCH_LATENCY, false)->value;
      const double share = measure(session, run, &control, BENCH_CONTROL, false)->value;
      const double raw = measure(session, run, &benchmark, BENCH_RAW_LATENCY, false)->value;

      CHECK(share > 0.1 && fabs(raw - adjusted - share) < 0.01, "%s: raw %g, adjusted %g, control %g", rows[i].name,
            raw, adjusted, share);
   }

   /* An empty loop's whole time, over half as many. */
   struct benchmark control = find("loop32-1440");
   const double once = measure(session, run, &control, BENCH_CONTROL, false)->value;
   control.control.repetitions *= 10; /* whose loop is ten times as long */
   const double ten = measure(session, run, &control, BENCH_CONTROL, false)->value;
   CHECK(ten < once && ten > 0.1, "control: %g, ten times as long %g", once, ten);
}

static void expect_wrong(const struct benchmark *benchmark, const struct bench_variant *variant,
                         const struct bench_io *io, uint8_t *expected)
{
   (void)benchmark, (void)variant;
   memset(expected, 0x5a, io->output_bytes);
}

static void test_gates(struct session *session, struct result_run *run)
{
   struct benchmark wrong = find("iadd32"), folded = find("iadd32"), absent = find("saxpy");
   const struct result *result;

   wrong.expect = expect_wrong;
   result = measure(session, run, &wrong, BENCH_LATENCY, false);
   CHECK(result->status == RESULT_FAIL && result->check == RESULT_CHECK_FAIL && isnan(result->value) &&
             result->sample_count == 0 && strstr(result->reason, "expected 0x5a5a5a5a") != NULL,
         "wrong answer: %s", result->reason);

   folded.codegen.instruction = "ffma";
   folded.codegen.op = ISA_OP_FFMA;
   result = measure(session, run, &folded, BENCH_THROUGHPUT, false);
   CHECK(result->status == RESULT_INVALID && isnan(result->value) && result->expected == 64 && result->found == 0 &&
             !strcmp(result->reason, "invalid codegen: expected 64 ffma, found 0"),
         "wrong code: %s", result->reason);

   absent.kernel = "no_such_kernel";
   result = measure(session, run, &absent, BENCH_RATE, false);
   CHECK(result->status == RESULT_FAIL && isnan(result->value), "absent kernel: %s", result->reason);
}

int main(void)
{
   struct result_run run = {0};
   struct session session;

   if (session_open(&session, "virtual:m1,caches=cold", 30) != EXIT_OK) {
      return EXIT_FAILURE;
   }
   result_run_init(&run, session.info, "test", 1);
   test_clock(&session, &run);
   test_figures(&session, &run);
   test_scale(&session, &run);
   test_raw_latency(&session, &run);
   test_gates(&session, &run);
   result_run_finish(&run);
   session_close(&session);

   /* Without time there are answers, and no figure. */
   if (session_open(&session, "virtual:m1,timing=off", 30) == EXIT_OK) {
      const struct benchmark benchmark = find("fadd32");
      const struct result *result;

      result_run_init(&run, session.info, "test", 1);
      result = measure(&session, &run, &benchmark, BENCH_LATENCY, false);
      CHECK(result->status == RESULT_SKIP && result->check == RESULT_CHECK_PASS && isnan(result->value),
            "timing=off: %s", result->reason);
      result_run_finish(&run);
      session_close(&session);
   }
   return check_result();
}
