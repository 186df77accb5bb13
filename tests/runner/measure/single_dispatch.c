/* SPDX-License-Identifier: MIT
 *
 * Metrics that are no times, on virtual devices: what is right passes, what is spoiled does not, and errors come out as
 * they were put in.
 */
#include "agx_runner/measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/derived.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/precision/precision.h"
#include "tests/check.h"
#include "tests/runner/measure/measure_one.h"
#include "util/array.h"

static struct benchmark find(const char *group, const char *name)
{
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->group, group) && !strcmp(bench_at(i)->name, name)) {
         return *bench_at(i);
      }
   }
   fprintf(stderr, "no benchmark %s/%s\n", group, name);
   exit(EXIT_FAILURE);
}

static struct result measure(struct session *session, const struct benchmark *benchmark, enum bench_metric metric)
{
   return measure_one(session, benchmark, metric, 9);
}

static const struct benchmark *unlike;

static void expect_unlike(const struct benchmark *benchmark, const struct bench_variant *variant,
                          const struct bench_io *io, uint8_t *expected)
{
   (void)benchmark;
   unlike->expect(unlike, variant, io, expected);
}

/* Kernels pass, and do not against the answer of another kind. */
static void test_checks(struct session *session)
{
   static const char *const pairs[][3] = {
       {"simd", "shuffle-up32-uniform", "shuffle-down32-uniform"},
       {"simd", "shuffle-xor16-divergent-inactive", "shuffle-rotate16-divergent-inactive"},
       {"simd", "shuffle-index32-divergent", "shuffle-index32-uniform"},
       {"quad", "shuffle-up32-immediate", "shuffle-rotate32-immediate"},
       {"simd", "reduce-fmin32", "reduce-fmax32"},
       {"simd", "exclusive-iadd32-inactive", "inclusive-iadd32-inactive"},
       {"simd", "reduce-smin16-inactive", "reduce-umin16-inactive"},
       {"simd", "reduce-and32", "reduce-and32-inactive"},
       {"simd", "vote-any", "vote-all"},
       {"quad", "exclusive-or32", "exclusive-xor32"},
       {"simd", "ballot32", "ballot32-inactive"},
   };

   for (size_t i = 0; i < ARRAY_COUNT(pairs); i++) {
      const struct benchmark right = find(pairs[i][0], pairs[i][1]), other = find(pairs[i][0], pairs[i][2]);
      struct benchmark spoiled = right;
      struct result result = measure(session, &right, BENCH_CHECK);

      CHECK(result.status == RESULT_PASS && result.check == RESULT_CHECK_PASS && isnan(result.value), "%s: %s",
            right.name, result.reason);
      unlike = &other;
      spoiled.expect = expect_unlike;
      result = measure(session, &spoiled, BENCH_CHECK);
      CHECK(result.status == RESULT_FAIL && strstr(result.reason, "wrong answer") != NULL,
            "%s against the answer of %s: %s", right.name, other.name, result.reason);
   }
}

/* The instruction counts in checks, too. */
static void test_check_counts(struct session *session)
{
   struct benchmark fewer = find("simd", "shuffle-up32-uniform");

   fewer.variants[BENCH_CHECK].repeat--;
   const struct result result = measure(session, &fewer, BENCH_CHECK);
   CHECK(result.status == RESULT_INVALID, "%s", result.reason);
}

/* What a kernel that is off by so many units would leave. */
static double error_of(const struct benchmark *benchmark, enum bench_metric metric, int units, uint32_t special)
{
   const uint32_t threads = 1u << 16;
   struct bench_io io = {.threads = threads, .seed = 1, .input_bytes = 8 * threads, .output_bytes = 4 * threads};
   char why[160] = "";

   io.input = malloc(io.input_bytes);
   io.output = calloc(1, io.output_bytes);
   if (io.input == NULL || io.output == NULL) {
      exit(EXIT_FAILURE);
   }
   benchmark->fill(benchmark, &io);
   for (uint32_t i = 0; i < threads; i++) {
      float x, y;
      uint32_t word;

      memcpy(&x, io.input + 8 * i, sizeof(x));
      y = sqrtf(x);
      memcpy(&word, &y, sizeof(word));
      word += isnormal(y) && isnormal(x) ? (uint32_t)units : 0;
      word = isnan(y) && special != 0 ? special : word;
      memcpy(io.output + 4 * i, &word, sizeof(word));
   }
   const double error = benchmark->figure(benchmark, metric, &io, io.output, why, sizeof(why));
   free(io.input);
   free(io.output);
   return error;
}

/* sqrtf() of the host's C library rounds exactly: at most half a unit. */
static void test_precision(struct session *session)
{
   const struct benchmark root = find("precision", "sqrt32"), rcp = find("precision", "rcp16");
   const double exact = error_of(&root, BENCH_MAX_ERROR, 0, 0), off = error_of(&root, BENCH_MAX_ERROR, 3, 0);
   const double mean = error_of(&root, BENCH_MEAN_ERROR, 3, 0);

   CHECK(exact > 0.49 && exact <= 0.5, "of exact roots: %g ulp", exact);
   /* Across a power of 2 the three are six of the exact result's. */
   CHECK(off > 3.4 && off <= 6.5, "of roots 3 units too high: %g ulp", off);
   CHECK(mean > 1 && mean < 3.1, "the mean: %g ulp", mean);
   CHECK(error_of(&root, BENCH_CHECK, 3, 0) >= 0, "errors are no wrong special values");
   CHECK(isnan(error_of(&root, BENCH_CHECK, 0, 0x3f800000)), "the root of -1 is no number");
   const struct result result = measure(session, &rcp, BENCH_MAX_ERROR);
   CHECK(result.status == RESULT_PASS && fabs(result.value - 0.5) < 0.01 && !strcmp(result.unit, "ulp"),
         "rcp16, which the virtual device rounds exactly: %g %s: %s", result.value, result.unit, result.reason);
}

/* results/reference/occupancy_registers.csv. */
static void test_resident(struct session *session)
{
   static const struct {
      const char *name;
      double value;
   } rows[] = {{"threads-104", 1024}, {"threads-112", 896}, {"threads-184", 576}, {"threads-256", 384},
               {"simds-104", 96},     {"simds-160", 60},    {"simds-256", 36}};

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      const struct benchmark benchmark = find("occupancy", rows[i].name);
      const struct result result = measure(session, &benchmark, BENCH_RESIDENCY);

      CHECK(result.status == RESULT_PASS && result.value == rows[i].value, "%s: %g, published %g: %s", rows[i].name,
            result.value, rows[i].value, result.reason);
   }
   /* Found, not looked up: threads of a kernel that is given more registers than the row's name says. */
   struct benchmark other = find("occupancy", "simds-104");
   other.dispatch.half_registers = 208;
   const struct result result = measure(session, &other, BENCH_RESIDENCY);
   CHECK(result.value == 48, "208 half registers: %g simdgroups: %s", result.value, result.reason);
}

static void test_atomic64(const char *device, enum result_status native)
{
   const struct benchmark instruction = find("atomic", "umax64"), emulation = find("atomic", "umax64-emulated");
   struct benchmark spoiled = emulation;
   struct session session;

   if (session_open(&session, device, 30) != EXIT_OK) {
      exit(EXIT_FAILURE);
   }
   struct result result = measure(&session, &instruction, BENCH_CHECK);
   CHECK(result.status == native, "%s: umax64: %s", device, result.reason);
   result = measure(&session, &emulation, BENCH_CHECK);
   CHECK(result.status == RESULT_PASS, "%s: umax64-emulated: %s", device, result.reason);
   spoiled.kernel = "umin64";
   result = measure(&session, &spoiled, BENCH_CHECK);
   CHECK(result.status == RESULT_FAIL && strstr(result.reason, "wrong answer") != NULL,
         "%s: the minimum for the maximum: %s", device, result.reason);
   session_close(&session);
}

static void fill_nothing(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark, (void)io;
}

static double any_answer(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                         const uint8_t *output, char *why, size_t why_size)
{
   (void)benchmark, (void)metric, (void)io, (void)output, (void)why, (void)why_size;
   return 0;
}

/* launch/stack.cl with one buffer for what it reads and what it writes: what a check finds names the file's line, and
 * the kernel is the same without checks. */
static void test_lines(void)
{
   static const struct benchmark racing = {
       .group = "test",
       .name = "racing",
       .metrics = 1u << BENCH_CHECK,
       .source = "stack",
       .kernel = "stack_256",
       .arguments = {BENCH_OUTPUT, BENCH_OUTPUT, BENCH_ITERATIONS},
       .argument_count = 3,
       .variants = {[BENCH_CHECK] = {1, 1, 1}},
       .dispatch = {.group = 64, .groups = 2, .iterations = 1},
       .input_stride = 4,
       .output_stride = 4,
       .fill = fill_nothing,
       .figure = any_answer,
   };
   static const char *const devices[] = {"virtual:m1,check=all", "virtual:m1", "virtual:m1,check=all,check=off"};
   uint64_t hashes[ARRAY_COUNT(devices)];

   for (unsigned i = 0; i < ARRAY_COUNT(devices); i++) {
      struct session session;

      if (session_open(&session, devices[i], 30) != EXIT_OK) {
         exit(EXIT_FAILURE);
      }
      CHECK(session.checks == (i == 0), "%s: %d", devices[i], session.checks);
      const struct result result = measure(&session, &racing, BENCH_CHECK);
      const bool right = i == 0 ? result.status == RESULT_FAIL && !strncmp(result.reason, "races: ", 7) &&
                                      strstr(result.reason, "stack.cl:20; lane ") != NULL
                                : result.status == RESULT_PASS;
      CHECK(right, "%s: %s", devices[i], result.reason);
      hashes[i] = result.program_hash;
      session_close(&session);
   }
   CHECK(hashes[0] == hashes[1] && hashes[0] == hashes[2], "lines change the program");
}

static void add(struct result_run *run, const char *name, double value)
{
   struct result *result = result_add(run, name);

   if (result == NULL) {
      exit(EXIT_FAILURE);
   }
   result->value = result->low = result->high = value;
}

static void test_derived(void)
{
   struct result_run run = {0};

   add(&run, "atomic/umax64-few/rate", 10);
   add(&run, "atomic/umax64-emulated-few/rate", 4);
   add(&run, "occupancy/threads-104/residency", 1024);
   add(&run, "occupancy/threads-128/residency", 832);
   add(&run, "occupancy/threads-152/residency", 640);
   add(&run, "occupancy/threads-208/residency", 512);
   const bool added = derived_add(&run) && derived_add(&run); /* the second time there is nothing to add */
   CHECK(added && run.count == 8, "%zu results", run.count);
   CHECK(run.results[6].value == 2.5 && run.results[6].reference == 2.5, "ratio %g", run.results[6].value);
   /* 1024 threads of 104 half registers are 208 KiB; 640 + 128 of 152 would have been 228. */
   CHECK(run.results[7].value == 208 && run.results[7].high == 228, "register file %g to %g KiB", run.results[7].low,
         run.results[7].high);
   result_run_finish(&run);
}

int main(void)
{
   struct session session;

   if (session_open(&session, "virtual:m1", 30) != EXIT_OK) {
      return EXIT_FAILURE;
   }
   test_checks(&session);
   test_check_counts(&session);
   test_precision(&session);
   test_resident(&session);
   session_close(&session);
   test_atomic64("virtual:m1", RESULT_SKIP);
   test_atomic64("virtual:m1-max", RESULT_SKIP);
   test_atomic64("virtual:m2", RESULT_PASS);
   test_derived();
   test_lines();
   return check_result();
}
