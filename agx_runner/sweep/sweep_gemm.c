/* SPDX-License-Identifier: MIT
 *
 * The cells of sweep gemm are the GEMMs of the catalogue. They run like the tests of `run`. This file selects them,
 * and writes their results as a table and as a plot. Invariant: a figure is shown only beside a passed check.
 */
#include "agx_runner/sweep/sweep_gemm.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/ilp/sweep.h"
#include "agx_runner/terminal/gnuplot.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/matrix/gemm.h"
#include "util/array.h"

#define GROUP "matrix/"
#define METRIC "/dispatch"
/* Floating-point operations of a core in a cycle: 4 schedulers, 32 lanes, 2 for a multiply-add. */
#define CORE_OPERATIONS 256.0

static const char *const inputs_names[] = {"f16", "mixed", "f32", "e4m3", "e5m2", "fused"};
#define KERNELS 4u

static double flops(const struct gemm *gemm)
{
   return 2.0 * gemm->m * gemm->n * gemm->k;
}

/* "512" for a square, "33x65x97" for m x n x k. */
static void size_name(const struct gemm *gemm, char *text, size_t size)
{
   if (gemm->m == gemm->n && gemm->n == gemm->k) {
      snprintf(text, size, "%u", gemm->m);
   } else {
      snprintf(text, size, "%ux%ux%u", gemm->m, gemm->n, gemm->k);
   }
}

/* BLAS letters: "nt" has B transposed in memory. */
static const char *operands_name(const struct gemm *gemm)
{
   static const char *const names[2][2] = {{"nn", "nt"}, {"tn", "tt"}};

   return names[gemm->transposed_a][gemm->transposed_b];
}

/* ---- Selection ---- */

enum word_kind { WORD_INPUTS, WORD_KERNEL, WORD_SIZE, WORD_OPERANDS, WORD_KINDS };

static bool word_is(const struct gemm *gemm, enum word_kind kind, const char *word)
{
   char size[40];

   size_name(gemm, size, sizeof(size));
   return !strcmp(word, kind == WORD_INPUTS     ? gemm_inputs_name(gemm)
                        : kind == WORD_KERNEL   ? gemm_kernel_names[gemm->kernel]
                        : kind == WORD_OPERANDS ? operands_name(gemm)
                                                : size);
}

/* Returns the kind of a word; WORD_KINDS: no cell has it. */
static enum word_kind kind_of(const char *word)
{
   for (size_t i = 0; i < bench_count(); i++) {
      const struct gemm *gemm = gemm_of(bench_at(i));

      for (enum word_kind kind = 0; gemm != NULL && kind < WORD_KINDS; kind++) {
         if (word_is(gemm, kind, word)) {
            return kind;
         }
      }
   }
   return WORD_KINDS;
}

/* Whether a word of this kind names the cell; `otherwise` if there is no word of the kind. */
static bool is_named(const struct gemm *gemm, enum word_kind kind, const char *const *words, size_t count,
                     bool otherwise)
{
   bool some = false;

   for (size_t i = 0; i < count; i++) {
      if (word_is(gemm, kind, words[i])) {
         return true;
      }
      some = some || kind_of(words[i]) == kind;
   }
   return !some && otherwise;
}

static bool is_wanted(const struct benchmark *benchmark, const char *const *words, size_t count, bool full)
{
   const struct gemm *gemm = gemm_of(benchmark);

   return gemm != NULL && is_named(gemm, WORD_INPUTS, words, count, true) &&
          is_named(gemm, WORD_KERNEL, words, count, true) && is_named(gemm, WORD_OPERANDS, words, count, true) &&
          is_named(gemm, WORD_SIZE, words, count, full || !benchmark->large);
}

/* Lists the full names of the selected cells, which `names` stores. Returns false when out of memory. */
static bool list_wanted(char (*names)[RESULT_NAME_MAX], struct string_list *list, const char *const *words,
                        size_t count, bool full)
{
   bool added = true;

   for (size_t i = 0; added && i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);

      if (is_wanted(benchmark, words, count, full)) {
         snprintf(names[list->count], sizeof(names[0]), GROUP "%s" METRIC, benchmark->name);
         added = string_list_add(list, names[list->count]);
      }
   }
   return added;
}

int sweep_gemm_select(struct selection *selection, const char *const *words, size_t count, bool full)
{
   struct string_list list = {0};
   int code = EXIT_OK;

   *selection = (struct selection){0};
   for (size_t i = 0; i < count; i++) {
      if (kind_of(words[i]) == WORD_KINDS) {
         return complain(EXIT_INVALID,
                         "sweep gemm: '%s' is no form (f16, mixed, f32, e4m3, e5m2, fused), no kernel (naive, tiled, "
                         "local, direct), no size (64, 33x65x97) and no order of operands (nn, nt, tn, tt)",
                         words[i]);
      }
   }
   char(*names)[RESULT_NAME_MAX] = calloc(bench_count(), sizeof(*names));
   if (names == NULL || !list_wanted(names, &list, words, count, full)) {
      code = complain(EXIT_FAILED, "out of memory");
   } else if (list.count == 0) {
      code = complain(EXIT_INVALID, "sweep gemm: no cell has all of these");
   } else {
      code = selection_make(selection, &list, &(struct selection_scope){0});
   }
   string_list_finish(&list);
   free(names);
   return code;
}

/* ---- Results ---- */

/* Returns the GEMM of a result; NULL: there is none. */
static const struct gemm *gemm_of_result(const struct result *result)
{
   const size_t group = strlen(GROUP), metric = strlen(METRIC), length = strlen(result->name);

   if (length < group + metric || strncmp(result->name, GROUP, group) != 0 ||
       strcmp(result->name + length - metric, METRIC) != 0) {
      return NULL;
   }
   for (size_t i = 0; i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);
      const struct gemm *gemm = gemm_of(benchmark);

      if (gemm != NULL && strlen(benchmark->name) == length - group - metric &&
          strncmp(benchmark->name, result->name + group, length - group - metric) == 0) {
         return gemm;
      }
   }
   return NULL;
}

static double clock_of(const struct result_run *run, const struct result *result)
{
   return (double)(result->clock_hz != 0 ? result->clock_hz : run->device.clock_hz);
}

/* Returns the ceiling in TFLOP/s; NAN: no clock is known. */
static double ceiling_of(const struct result_run *run, const struct result *result)
{
   const double clock = clock_of(run, result);

   return clock > 0 ? CORE_OPERATIONS * run->device.cores * clock * 1e-12 : NAN;
}

static void write_clock(const struct result_run *run, const struct result *result, FILE *file)
{
   if (result->clock_states[0] != '\0') {
      fprintf(file, ",\"%s\"", result->clock_states);
   } else if (clock_of(run, result) > 0) {
      fprintf(file, ",\"%.0f MHz\"", clock_of(run, result) * 1e-6);
   } else {
      fputc(',', file);
   }
}

static const char *check_name(const struct result *result)
{
   return result->check == RESULT_CHECK_PASS ? "pass" : result->check == RESULT_CHECK_FAIL ? "fail" : "none";
}

/* A field in quotes; quotes within are doubled. */
static void write_quoted(const char *text, FILE *file)
{
   fputc('"', file);
   for (; *text != '\0'; text++) {
      fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, file);
   }
   fputc('"', file);
}

static void write_row(const struct result_run *run, const struct result *result, const struct gemm *gemm, FILE *file)
{
   const bool passed = result->status == RESULT_PASS && result->check == RESULT_CHECK_PASS && result->value > 0;
   const double milliseconds = 1e-9 * flops(gemm), ceiling = ceiling_of(run, result);
   const struct gemm_tile tile = gemm_tile(gemm);
   char size[40];

   size_name(gemm, size, sizeof(size));
   write_quoted(run->device.path, file);
   fprintf(file, ",%s,%s,%s,%s,%s,%ux%u,%016" PRIx64 ",%s,%zu", sweep_kind_name(run->device.is_virtual),
           gemm_inputs_name(gemm), gemm_kernel_names[gemm->kernel], size, operands_name(gemm), tile.rows, tile.columns,
           result->program_hash, check_name(result), result->sample_count);
   write_clock(run, result, file);
   if (passed) {
      /* the higher rate is the shorter time */
      fprintf(file, ",%.6g,%.6g,%.6g,%.5g", milliseconds / result->value, milliseconds / result->high,
              milliseconds / result->low, result->value);
   } else {
      fputs(",,,,", file);
   }
   if (passed && !isnan(ceiling)) {
      fprintf(file, ",%.4f", result->value / ceiling);
   } else {
      fputc(',', file);
   }
   fprintf(file, ",%.0f,%.0f,%s,", gemm_bytes_loaded(gemm), gemm_bytes_least(gemm),
           result_status_names[result->status]);
   write_quoted(result->reason, file);
   fputc('\n', file);
}

void sweep_gemm_csv(const struct result_run *run, FILE *file)
{
   fputs("device,kind,form,kernel,size,operands,tile,program,check,samples,clock_state,ms,ms_low,ms_high,tflops,"
         "ceiling_fraction,bytes_loaded,bytes_least,status,reason\n",
         file);
   for (size_t i = 0; i < run->count; i++) {
      const struct gemm *gemm = gemm_of_result(&run->results[i]);

      if (gemm != NULL) {
         write_row(run, &run->results[i], gemm, file);
      }
   }
}

/* ---- The plot ---- */

/* Writes the square cells of one form and kernel, in the default tile shape. */
static unsigned write_block(const struct result_run *run, const char *inputs, unsigned kernel, FILE *file)
{
   unsigned count = 0;

   fprintf(file, "$%s_%u << E\n", inputs, kernel);
   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];
      const struct gemm *gemm = gemm_of_result(result);

      if (gemm != NULL && result->status == RESULT_PASS && result->check == RESULT_CHECK_PASS &&
          gemm->kernel == kernel && !strcmp(gemm_inputs_name(gemm), inputs) && gemm->m == gemm->n &&
          gemm->n == gemm->k && !gemm_is_shape(result->name) && !strcmp(operands_name(gemm), "nn")) {
         fprintf(file, "%u %.6g\n", gemm->m, result->value);
         count++;
      }
   }
   fputs("nan nan\nE\n", file); /* gnuplot rejects a block without numbers */
   return count;
}

static void write_panel(const struct result_run *run, const char *inputs, FILE *file)
{
   const double ceiling = CORE_OPERATIONS * run->device.cores * (double)run->device.clock_hz * 1e-12;

   fprintf(file, "set title '%s'\nplot ", inputs);
   if (ceiling > 0) {
      fprintf(file, "%.6g with lines dt 2 lc rgb '#888888' title 'ALU ceiling', ", ceiling);
   }
   for (unsigned k = 0; k < KERNELS; k++) {
      fprintf(file, "$%s_%u using 1:2 with linespoints lc %u pt 7 ps 0.4 title '%s'%s", inputs, k, k + 1,
              gemm_kernel_names[k], k + 1 < KERNELS ? ", " : "\n");
   }
}

static void write_script(const void *data, FILE *file)
{
   const struct result_run *run = data;
   bool drawn[ARRAY_COUNT(inputs_names)] = {false};
   unsigned panels = 0;

   for (unsigned i = 0; i < ARRAY_COUNT(inputs_names); i++) {
      for (unsigned k = 0; k < KERNELS; k++) {
         drawn[i] |= write_block(run, inputs_names[i], k, file) > 0;
      }
      panels += drawn[i];
   }
   gnuplot_terminal(file, 1200, panels > 3 ? 800 : 440, "");
   fprintf(file,
           "set logscale x 2\nset xrange [56:4608]\nset yrange [0:*]\n"
           "set xlabel 'size'\nset ylabel 'TFLOP/s'\nset grid\nset key top left\n"
           "set multiplot layout %u,%u title \"GEMM on %s (%s): one whole dispatch, answers checked\" noenhanced\n",
           panels > 3 ? 2 : 1,
           panels > 3   ? 3
           : panels > 0 ? panels
                        : 1,
           run->device.path, sweep_kind_name(run->device.is_virtual));
   for (unsigned i = 0; i < ARRAY_COUNT(inputs_names); i++) {
      if (drawn[i]) {
         write_panel(run, inputs_names[i], file);
      }
   }
   fputs("unset multiplot\n", file);
}

int sweep_gemm_plot(const struct result_run *run, const char *path)
{
   return gnuplot_write(write_script, run, path);
}
