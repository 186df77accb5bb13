/* SPDX-License-Identifier: MIT
 *
 * matrix/ on the virtual device: rows agree with the published intervals, every GEMM kernel is right, a wrong element
 * or a wrong map is found, and the example file is what the generator writes.
 *
 * --write: writes that file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/measure.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/agx_text.h"
#include "nir_kernels/matrix/layout.h"
#include "nir_kernels/matrix/small_float.h"
#include "tests/check.h"
#include "tests/runner/measure/measure_one.h"
#include "vgpu/vgpu.h"
#include "util/array.h"

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
   return measure_one(session, benchmark, metric, 9);
}

/* results/reference/matrix.csv and instr.csv; what the rows beside measure follows from the pipes of the model. */
static void test_rates(struct session *session)
{
   static const struct {
      const char *name;
      enum bench_metric metric;
      double cycles;
      double more; /* part by which it may be longer, beyond the usual */
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

      CHECK(result.status == RESULT_PASS && result.value > 0.98 * rows[i].cycles &&
                result.value < (1.02 + rows[i].more) * rows[i].cycles,
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

static void test_wrong_answer(struct session *session)
{
   struct benchmark benchmark = find("fmadd-f32");

   expect = benchmark.expect;
   benchmark.expect = expect_other;
   struct result result = measure(session, &benchmark, BENCH_LATENCY);

   CHECK(result.status == RESULT_FAIL && strstr(result.reason, "wrong answer") != NULL, "%s", result.reason);
   result_finish(&result);
}

/* ---- GEMM ---- */

/* Of each form: f16, mixed, f32. */
static const char *const gemm_kernels[] = {
    "naive-64",
    "tiled-64",
    "local-64",
    "direct-64",
    "local-128",
    "naive-33x65x97",
    "direct-33x65x97",
    "direct-100x60x129",
    "naive-100x60x129",
    "local-33x65x97",
    "tiled-33x65x97",
    "local-100x60x129",
    "tiled-100x60x129",
    "local-250x333x127",
    "tiled-250x333x127",
    "local-100x60x129-nt",
    "local-100x60x129-tn",
    "local-100x60x129-tt",
    "tiled-100x60x129-nt",
    "tiled-100x60x129-tn",
    "tiled-100x60x129-tt",
    "local-100x60x129-tile-32x32",
    "local-100x60x129-tile-32x64",
    "local-100x60x129-tile-64x32",
    "tiled-100x60x129-tile-32x64",
    "tiled-100x60x129-tile-128x64",
    "tiled-100x60x129-tile-64x128",
};

static const char *const gemm_others[] = {
    "gemm-e4m3-direct-64",
    "gemm-e5m2-direct-64",
    "gemm-e4m3-direct-33x65x97",
    "gemm-e5m2-direct-33x65x97",
    "gemm-e4m3-local-64",
    "gemm-e5m2-local-64",
    "gemm-e4m3-local-33x65x97",
    "gemm-e5m2-local-33x65x97",
    "gemm-e4m3-local-100x60x129",
    "gemm-e5m2-local-100x60x129",
    "gemm-fused-64",
    "gemm-fused-128",
    "epilogue-bias-64",
    "epilogue-gelu-64",
    "gemm-int8-blocked-64",
    "gemm-int8-blocked-36x52x100",
    "attention-flash-64",
    "attention-flash-256",
    "attention-softmax-64",
    "attention-softmax-512",
    "gemm-mixed-local-256x64x256",
};

static void test_dispatch(struct session *session, const char *name)
{
   const struct benchmark benchmark = find(name);
   struct result result = measure(session, &benchmark, BENCH_DISPATCH);

   CHECK(result.status == RESULT_PASS && result.check == RESULT_CHECK_PASS && result.value > 0, "%s: %s", name,
         result.reason);
   result_finish(&result);
}

static void test_gemm_right(struct session *session)
{
   static const char *const forms[] = {"f16", "mixed", "f32"};

   for (size_t i = 0; i < ARRAY_COUNT(gemm_others); i++) {
      test_dispatch(session, gemm_others[i]);
   }
   for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
      for (size_t j = 0; j < ARRAY_COUNT(gemm_kernels); j++) {
         char name[64];

         snprintf(name, sizeof(name), "gemm-%s-%s", forms[i], gemm_kernels[j]);
         test_dispatch(session, name);
      }
   }
}

/* ---- GEMM of 8-bit codes ---- */

static enum small_format codes_format;

static uint8_t code_at(unsigned i, unsigned j)
{
   return (uint8_t)(64 * i + j);
}

/* A: every code four times and more; in the last row alone such as are no number. B: the identity. */
static void fill_codes(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   memset(io->input, 0, io->input_bytes);
   memset(io->output, 0xff, io->output_bytes);
   for (unsigned i = 0; i < 64; i++) {
      for (unsigned j = 0; j < 64; j++) {
         const uint8_t code = code_at(i, j);
         const bool number = isfinite(small_value(codes_format, code));

         io->input[64 * i + j] = number ? code : 0;
      }
      io->input[64 * 64 + 64 * i + i] = (uint8_t)small_code(codes_format, 1);
   }
   io->input[64 * 63 + 1] = (uint8_t)small_code(codes_format, NAN);
}

/* D is the codes' values by the format's definition, and NaN in all of the last row. */
static double codes_figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                           const uint8_t *output, char *why, size_t why_size)
{
   (void)benchmark;
   (void)metric;
   (void)io;
   for (unsigned i = 0; i < 64; i++) {
      for (unsigned j = 0; j < 64; j++) {
         const double value = small_value(codes_format, code_at(i, j)), wanted = isfinite(value) ? value : 0;
         float got;

         memcpy(&got, output + (64 * i + j) * sizeof(got), sizeof(got));
         if (i == 63 ? !isnan(got) : (double)got != wanted) {
            snprintf(why, why_size, "D[%u][%u] of code 0x%02x is %g, not %g", i, j, code_at(i, j), (double)got, wanted);
            return NAN;
         }
      }
   }
   return 0;
}

/* The GEMMs of 8-bit floats widen every code to its value, also the signs, the denormals and NaN. */
static void test_gemm_codes(struct session *session)
{
   static const struct {
      const char *name;
      enum small_format format;
   } rows[] = {{"gemm-e4m3-direct-64", SMALL_E4M3},
               {"gemm-e5m2-direct-64", SMALL_E5M2},
               {"gemm-e4m3-local-64", SMALL_E4M3},
               {"gemm-e5m2-local-64", SMALL_E5M2}};

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      struct benchmark benchmark = find(rows[i].name);

      codes_format = rows[i].format;
      benchmark.fill = fill_codes;
      benchmark.figure = codes_figure;
      struct result result = measure(session, &benchmark, BENCH_DISPATCH);
      CHECK(result.status == RESULT_PASS && result.check == RESULT_CHECK_PASS, "%s: %s", rows[i].name, result.reason);
      result_finish(&result);
   }
}

static double (*figure)(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                        const uint8_t *output, char *why, size_t why_size);
static size_t spoiled_at;

/* The right answer with one bit changed. */
static double spoiled_figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                             const uint8_t *output, char *why, size_t why_size)
{
   uint8_t *copy = malloc(io->output_bytes);
   double value = 0;

   if (copy != NULL) {
      memcpy(copy, output, io->output_bytes);
      copy[spoiled_at] ^= 0x10;
      value = figure(benchmark, metric, io, copy, why, why_size);
   }
   free(copy);
   return value;
}

/* Each of the three checks finds its fault: element by element, by probes, and in the padding. */
static void test_gemm_wrong(struct session *session)
{
   static const struct {
      const char *name, *reason;
      size_t at;
   } rows[] = {
       {"gemm-mixed-direct-64", "D[1][3] is", 64 * 4 + 3 * 4 + 2},
       {"gemm-mixed-local-256", "D x is not A (B x)", 200 * 256 * 4 + 17 * 4 + 2},
       {"gemm-fused-64", "D[1][3] is", 64 * 4 + 3 * 4 + 2},
       {"epilogue-gelu-64", "element 67 is", 64 * 4 + 3 * 4 + 2},
       {"gemm-int8-blocked-64", "row 1 of D is wrong", 64 * 4 + 3 * 4 + 2},
       {"gemm-mixed-direct-33x65x97", "padding of row 2", 2 * 72 * 4 + 66 * 4},
   };

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      struct benchmark benchmark = find(rows[i].name);

      figure = benchmark.figure;
      benchmark.figure = spoiled_figure;
      spoiled_at = rows[i].at;
      struct result result = measure(session, &benchmark, BENCH_DISPATCH);
      CHECK(result.status == RESULT_FAIL && strstr(result.reason, rows[i].reason) != NULL, "%s: %s", rows[i].name,
            result.reason);
      result_finish(&result);
   }
}

/* 1024 x 1024 x 1024 multiply-adds at 512 an instruction and 16.5 cycles, on the schedulers of all cores. Issue 20 asks
 * for 85 %; docs/matrix.md has the figures of 2048 and 4096, too. */
static void test_gemm_fast(struct session *session)
{
   const struct benchmark benchmark = find("gemm-mixed-local-1024");
   struct result result = measure(session, &benchmark, BENCH_DISPATCH);
   const double bound =
       2 * 512 / 16.5 * SCHEDULERS * (double)session->info->cores * (double)session->info->clock_hz * 1e-12;

   CHECK(result.status == RESULT_PASS && result.value >= 0.85 * bound && result.value <= bound, "%g of %g TFLOP/s: %s",
         result.value, bound, result.reason);
   result_finish(&result);
}

/* ---- Layout, numerics, conversions ---- */

/* The products of another layout: the published one with two lanes exchanged, or with one product too many. */
static void test_layout(void)
{
   const size_t words = MATRIX_ELEMENTS * MATRIX_ELEMENTS * MATRIX_ELEMENTS;
   float *output = calloc(words, sizeof(*output));
   uint8_t place[MATRIX_SIZE][MATRIX_SIZE];
   struct matrix_layout layout;
   char why[160];

   if (output == NULL) {
      exit(EXIT_FAILURE);
   }
   for (unsigned p = 0; p < MATRIX_ELEMENTS; p++) {
      const unsigned lane = p / 2 == 3 ? 12 : p / 2 == 12 ? 3 : p / 2;
      place[matrix_row(lane)][matrix_column(lane) + p % 2] = (uint8_t)p;
   }
   for (unsigned i = 0; i < 512; i++) {
      const unsigned row = i / 64, k = i / 8 % 8, column = i % 8;
      const unsigned simdgroup = place[row][k] * MATRIX_ELEMENTS + place[k][column];
      output[simdgroup * MATRIX_ELEMENTS + place[row][column]] = 1;
   }
   CHECK(matrix_layout_find((const uint8_t *)output, &layout, why, sizeof(why)) && layout.row[6] == matrix_row(12) &&
             layout.column[7] == matrix_column(12) + 1 && !matrix_layout_is_published(&layout),
         "two lanes exchanged: %s", why);
   output[5] += 1;
   CHECK(!matrix_layout_find((const uint8_t *)output, &layout, why, sizeof(why)), "one product too many");
   free(output);
}

/* Rows that must hold for the model (docs/matrix.md), and one that must not. */
static void test_checks(struct session *session)
{
   static const struct {
      const char *name;
      enum bench_metric metric;
      bool differs;
   } rows[] = {
       {"layout", BENCH_CHECK, false},
       {"layout-c", BENCH_CHECK, false},
       {"over-c", BENCH_CHECK, false},
       {"over-a", BENCH_WRONG, true},
       {"over-b", BENCH_WRONG, true},
       {"over-half-a", BENCH_WRONG, true},
       {"inactive", BENCH_WRONG, false},
       {"numerics-mixed-ascending", BENCH_WRONG, false},
       {"numerics-mixed-descending", BENCH_WRONG, true},
       {"numerics-f16-each-step", BENCH_WRONG, true},
       {"numerics-f16-wide", BENCH_WRONG, false},
       {"convert-e4m3-to-f16", BENCH_CHECK, false},
       {"convert-e5m2-to-f16", BENCH_CHECK, false},
       {"convert-bf16-to-f32", BENCH_CHECK, false},
       {"convert-f16-to-e4m3", BENCH_CHECK, false},
       {"convert-f16-to-e5m2", BENCH_CHECK, false},
       {"convert-f32-to-bf16", BENCH_CHECK, false},
   };

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      const struct benchmark benchmark = find(rows[i].name);
      struct result result = measure(session, &benchmark, rows[i].metric);

      CHECK(result.status == RESULT_PASS && (rows[i].differs ? result.value > 0 : !(result.value > 0)), "%s: %g, %s",
            rows[i].name, result.value, result.reason);
      result_finish(&result);
   }
}

/* OCP 8-bit Floating Point Specification 1.0, tables 1 and 2, and ties between codes. */
static void test_small_floats(void)
{
   static const struct {
      enum small_format format;
      uint16_t code;
      double value;
   } values[] = {
       {SMALL_E4M3, 0x7e, 448},     {SMALL_E4M3, 0x01, 0x1p-9},      {SMALL_E4M3, 0x07, 0.875 * 0x1p-6},
       {SMALL_E4M3, 0x08, 0x1p-6},  {SMALL_E4M3, 0xb8, -1},          {SMALL_E5M2, 0x7b, 57344},
       {SMALL_E5M2, 0x01, 0x1p-16}, {SMALL_E5M2, 0x04, 0x1p-14},     {SMALL_E5M2, 0xfc, -INFINITY},
       {SMALL_BF16, 0x3f80, 1},     {SMALL_BF16, 0xc049, -3.140625},
   };
   static const struct {
      enum small_format format;
      double value;
      uint16_t code;
   } codes[] = {
       {SMALL_E4M3, 464, 0x7e},          {SMALL_E4M3, INFINITY, 0x7e},   {SMALL_E4M3, -1e9, 0xfe},
       {SMALL_E4M3, 0x1p-10, 0},         {SMALL_E4M3, 0x1.8p-9, 2},      {SMALL_E4M3, 1.0625, 0x38},
       {SMALL_E4M3, 1.1875, 0x3a},       {SMALL_E5M2, 61440, 0x7b},      {SMALL_E5M2, 1.125, 0x3c},
       {SMALL_E5M2, 1.375, 0x3e},        {SMALL_BF16, 0x1.01p0, 0x3f80}, {SMALL_BF16, 0x1.03p0, 0x3f82},
       {SMALL_BF16, 0x1.ffp127, 0x7f80},
   };

   for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
      CHECK(small_value(values[i].format, values[i].code) == values[i].value, "0x%x is %g", values[i].code,
            small_value(values[i].format, values[i].code));
   }
   for (size_t i = 0; i < ARRAY_COUNT(codes); i++) {
      CHECK(small_code(codes[i].format, codes[i].value) == codes[i].code, "%g is 0x%x", codes[i].value,
            small_code(codes[i].format, codes[i].value));
   }
   CHECK(isnan(small_value(SMALL_E4M3, 0x7f)) && isnan(small_value(SMALL_E5M2, 0x7d)), "NaN");
}

/* ---- The example ---- */

static const char heading[] =
    "// SPDX-License-Identifier: MIT\n"
    "// D = A B with simd_matrix_fmadd32: A and B are 64 x 64 in f16, one behind the other in the input; D is f32.\n"
    "// A simdgroup computes 32 x 32: 128 threads. Written by nir_kernels/matrix/gemm_direct.c; the test `runner "
    "matrix`\n"
    "// compares.\n";

static char *example_text(void)
{
   const struct benchmark benchmark = find("gemm-mixed-direct-64");
   char *text = benchmark.text(&benchmark, &benchmark.variants[BENCH_DISPATCH]), *whole = NULL;

   if (text == NULL || asprintf(&whole, "%s%s", heading, text) < 0) {
      exit(EXIT_FAILURE);
   }
   free(text);
   return whole;
}

static void test_example(bool write)
{
   char *wanted = example_text(), *got = calloc(1, strlen(wanted) + 2);
   FILE *file = fopen(EXAMPLE, write ? "w" : "r");

   if (file == NULL || got == NULL) {
      perror(EXAMPLE);
      exit(EXIT_FAILURE);
   }
   if (write) {
      fputs(wanted, file);
   } else {
      const size_t read = fread(got, 1, strlen(wanted) + 1, file);

      CHECK(read == strlen(wanted) && strcmp(got, wanted) == 0, "%s is not what the generator writes: --write",
            EXAMPLE);
   }
   if (fclose(file) != 0) {
      perror(EXAMPLE);
      check_failures++;
   }
   free(wanted);
   free(got);
}

/* An attention whose weights are those of a twice as large scale: the check must see it, in either kernel. */
static char *(*attention_text)(const struct benchmark *benchmark, const struct bench_variant *variant);

static char *scaled_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   char *text = attention_text(benchmark, variant), *constant = text != NULL ? strstr(text, "0x3e38aa3b") : NULL;

   if (constant == NULL) {
      free(text);
      return NULL;
   }
   memcpy(constant, "0x3eb8aa3b", 10);
   return text;
}

static void test_attention_wrong(struct session *session)
{
   static const char *const names[] = {"attention-flash-64", "attention-softmax-64"};

   for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
      struct benchmark benchmark = find(names[i]);

      attention_text = benchmark.text;
      benchmark.text = scaled_text;
      struct result result = measure(session, &benchmark, BENCH_DISPATCH);
      CHECK(result.status == RESULT_FAIL && strstr(result.reason, ", expected ") != NULL, "%s: %s", names[i],
            result.reason);
      result_finish(&result);
   }
}

/* A loop of 3 million iterations, 10 cycles or more each: longer than 10 ms at the 1.278 GHz of an M1. */
static char *long_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   (void)benchmark;
   (void)variant;
   return strdup(AGX_BEGIN("long") "   ldimm    r3, 3000000\n   ldimm    r0l, 0\n   ldimm    r1, 0\nloop:\n"
                                   "   iadd     r1, r1, 1\n   while    r1, r3, 1, ult\n   jmp_any  loop\n"
                                   "   pop_exec 1\n" AGX_END);
}

/* A device that is not virtual gets no command of more than 20 ms: the grid grows from one threadgroup on. Of a kernel
 * that cannot be run in parts. */
static void test_long_dispatch(struct session *session)
{
   const struct asahi_device_info *own = session->info;
   struct asahi_device_info info = *own;
   struct benchmark benchmark = find("gemm-f16-local-128");

   info.is_virtual = false;
   session->info = &info;
   struct result result = measure(session, &benchmark, BENCH_DISPATCH);
   CHECK(result.status == RESULT_PASS && result.check == RESULT_CHECK_PASS, "%s", result.reason);
   result_finish(&result);
   benchmark.text = long_text;
   benchmark.codegen = (struct bench_codegen){.instruction = NULL};
   result = measure(session, &benchmark, BENCH_DISPATCH);
   CHECK(result.status == RESULT_SKIP && strstr(result.reason, "1 of 4 threadgroups take") != NULL, "%s: %s",
         result_status_names[result.status], result.reason);
   result_finish(&result);
   session->info = own;
}

/* A loop of `delay_iterations` iterations; then each thread stores its number in the whole grid. */
static unsigned delay_iterations;

static char *delay_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   char *text = NULL;

   (void)benchmark;
   (void)variant;
   return asprintf(&text,
                   AGX_BEGIN_PART("delay") "   ldimm    r3, %u\n   ldimm    r0l, 0\n   ldimm    r1, 0\nloop:\n"
                                           "   iadd     r1, r1, 1\n   while    r1, r3, 1, ult\n   jmp_any  loop\n"
                                           "   pop_exec 1\n   store    r2, du2, r2, i32, x, a\n" AGX_END,
                   delay_iterations) < 0
              ? NULL
              : text;
}

/* The same, but that all commands take the first one's part. */
static char *repeated_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   char *text = delay_text(benchmark, variant), *at = text != NULL ? strstr(text, "r2, r2, u4") : NULL;

   if (at != NULL) {
      memcpy(at, "r2, r2, 0 ", 10);
   }
   return text;
}

static double numbers_figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                             const uint8_t *output, char *why, size_t why_size)
{
   (void)benchmark;
   (void)metric;
   for (uint32_t i = 0; i < io->threads; i++) {
      uint32_t number;

      memcpy(&number, output + i * sizeof(number), sizeof(number));
      if (number != i) {
         snprintf(why, why_size, "thread %u is %u", i, number);
         return NAN;
      }
   }
   return 0;
}

/* A dispatch of 4 threadgroups, of which each takes the time of `iterations` iterations: in one command, in several,
 * refused, and with an answer that only a whole dispatch gives. */
static void test_parts(struct session *session)
{
   struct benchmark benchmark = find("gemm-mixed-local-128");

   CHECK(find("gemm-mixed-local-2048").arguments[2] == BENCH_FIRST, "2048 is one command");
   benchmark.text = delay_text;
   benchmark.figure = numbers_figure;
   benchmark.arguments[2] = BENCH_FIRST;
   benchmark.codegen = (struct bench_codegen){.instruction = NULL};
   /* A virtual device's first run ends when the size of the parts is known: here with the first one. */
   static const struct {
      unsigned iterations;
      bool is_virtual;
      unsigned grown, commands; /* of the first run and of the sample */
   } rows[] = {{1000, true, 3, 1}, {200000, true, 1, 2}, {200000, false, 4, 2}};
   const struct asahi_device_info *own = session->info;
   struct asahi_device_info info = *own;
   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      struct vgpu_counters before, after;

      delay_iterations = rows[i].iterations;
      info.is_virtual = rows[i].is_virtual;
      session->info = &info;
      CHECK(asahi_device_counters(session->device, &before) == 0, "no counters");
      struct result result = measure_one(session, &benchmark, BENCH_DISPATCH, 1);
      session->info = own;
      CHECK(asahi_device_counters(session->device, &after) == 0, "no counters");
      const double ms = result.value > 0 ? benchmark.work / result.value * 1e-6 : 0;
      CHECK(result.status == RESULT_PASS && result.check == RESULT_CHECK_PASS, "%s", result.reason);
      CHECK(after.jobs - before.jobs == rows[i].grown + rows[i].commands, "%u iterations: %llu commands, %g ms",
            rows[i].iterations, (unsigned long long)(after.jobs - before.jobs), ms);
      /* The time is the sum of the commands': each has the loop's, whose iterations take 30 to 45 cycles of 1.278 GHz.
       */
      const double each = rows[i].iterations / 1.278e6 * rows[i].commands;
      CHECK(ms > 30 * each && ms < 45 * each, "%u iterations: %g ms", rows[i].iterations, ms);
      result_finish(&result);
   }
   delay_iterations = 200000;
   benchmark.text = repeated_text;
   struct result result = measure(session, &benchmark, BENCH_DISPATCH);
   CHECK(result.status == RESULT_FAIL && strcmp(result.reason, "thread 256 is 4294967295") == 0, "%s", result.reason);
   result_finish(&result);
   delay_iterations = 1000000;
   benchmark.text = delay_text;
   result = measure(session, &benchmark, BENCH_DISPATCH);
   CHECK(result.status == RESULT_SKIP && strstr(result.reason, "1 of 4 threadgroups take") != NULL, "%s: %s",
         result_status_names[result.status], result.reason);
   result_finish(&result);
}

/* A large benchmark may execute more instructions than a virtual device allows a job; the next one may not. */
static void test_large_budget(struct session *session)
{
   static const struct {
      uint64_t budget; /* of the device, before; 0: its default */
      bool large, passes;
   } rows[] = {{1000, false, false}, {1000, true, true}, {0, false, true}};

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      struct benchmark benchmark = find("gemm-mixed-local-64");

      benchmark.large = rows[i].large;
      CHECK(rows[i].budget == 0 || asahi_device_set_budget(session->device, rows[i].budget) == 0, "budget");
      struct result result = measure(session, &benchmark, BENCH_DISPATCH);
      CHECK((result.status == RESULT_PASS) == rows[i].passes, "row %zu: %s", i, result.reason);
      result_finish(&result);
   }
}

int main(int argc, char **argv)
{
   struct session session;

   if (session_open(&session, "virtual:m1", 60) != EXIT_OK) {
      return EXIT_FAILURE;
   }
   test_example(argc > 1 && strcmp(argv[1], "--write") == 0);
   test_layout();
   test_small_floats();
   test_checks(&session);
   test_gemm_right(&session);
   test_gemm_codes(&session);
   test_gemm_wrong(&session);
   test_gemm_fast(&session);
   test_attention_wrong(&session);
   test_long_dispatch(&session);
   test_parts(&session);
   test_large_budget(&session);
   test_rates(&session);
   test_wrong_answer(&session);
   session_close(&session);
   return check_result();
}
