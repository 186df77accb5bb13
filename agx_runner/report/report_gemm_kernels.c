/* SPDX-License-Identifier: MIT
 *
 * Beside the GEMM table: for each kernel at its fastest, and for each block shape of a sweep, what bounds its inner
 * loop by the timing model, its tile, its occupancy, and the bytes that it loads.
 *
 * Invariant: a row's code is the measured code, or the row says that it is not.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/measure.h"
#include "agx_runner/program/blocks.h"
#include "agx_runner/report/report.h"
#include "nir_kernels/matrix/gemm.h"
#include "vgpu/timing/predict/predict.h"

/* The GEMM's benchmark that a result is of; NULL: of none. */
static const struct benchmark *find(const struct result *result)
{
   char name[RESULT_NAME_MAX];

   for (size_t i = 0; i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);

      if (gemm_of(benchmark) != NULL) {
         metric_name(benchmark, BENCH_DISPATCH, name, sizeof(name));
         if (!strcmp(name, result->name)) {
            return benchmark;
         }
      }
   }
   return NULL;
}

static bool has_passed(const struct result *result)
{
   return result->status == RESULT_PASS && result->check == RESULT_CHECK_PASS && result->value > 0;
}

/* Is there no faster result of the same kernel and inputs? Of two alike, the first is the fastest. */
static bool is_fastest(const struct result_run *run, size_t index, const struct gemm *gemm)
{
   for (size_t i = 0; i < run->count; i++) {
      const struct benchmark *benchmark = has_passed(&run->results[i]) ? find(&run->results[i]) : NULL;
      const struct gemm *other = benchmark != NULL ? gemm_of(benchmark) : NULL;

      if (other != NULL && other->kernel == gemm->kernel && !strcmp(gemm_inputs_name(other), gemm_inputs_name(gemm)) &&
          (run->results[i].value > run->results[index].value ||
           (i < index && !(run->results[i].value < run->results[index].value)))) {
         return false;
      }
   }
   return true;
}

/* The block that stands in most loops; of several, the longest. */
static uint32_t inner_loop(const struct blocks *blocks)
{
   uint32_t best = 0;

   for (uint32_t first = 0; first < blocks->count; first = blocks_end(blocks, first)) {
      const bool deeper = blocks->depth[first] > blocks->depth[best];

      if (deeper || (blocks->depth[first] == blocks->depth[best] &&
                     blocks_end(blocks, first) - first > blocks_end(blocks, best) - best)) {
         best = first;
      }
   }
   return best;
}

static void write_code(const struct agx_program *program, FILE *file)
{
   const struct blocks_occupancy occupancy = blocks_occupancy(program);
   struct vgpu_prediction prediction;
   struct blocks blocks;

   if (!blocks_decode(program, program->main_offset, program->main_size, &blocks) || blocks.count == 0) {
      fputs("<td colspan=\"4\">out of memory</td>", file);
      blocks_finish(&blocks);
      return;
   }
   const uint32_t first = inner_loop(&blocks), count = blocks_end(&blocks, first) - first;
   vgpu_predict(&vgpu_params_default, blocks.costs + first, count, occupancy.scheduler, occupancy.most, &prediction);
   fprintf(file, "<td class=\"num\">%u</td><td class=\"num\">%u</td><td>%s</td><td>", program->half_registers,
           occupancy.core, vgpu_bound_names[prediction.bound]);
   for (unsigned r = 0; r < VGPU_BOUND_CHAIN; r++) {
      if (r != VGPU_BOUND_TURN && prediction.use[r] > 0) {
         fprintf(file, "%s %.0f, ", vgpu_bound_names[r], prediction.use[r]);
      }
   }
   fprintf(file, "%s %.0f</td>", vgpu_bound_names[VGPU_BOUND_CHAIN],
           prediction.bounds[VGPU_BOUND_CHAIN] / occupancy.scheduler);
   blocks_finish(&blocks);
}

static void write_row(const struct result_run *run, const struct result *result, const struct benchmark *benchmark,
                      FILE *file)
{
   const struct gemm *gemm = gemm_of(benchmark);
   const struct compiler_options options = benchmark_compiler_options(benchmark, &run->device);
   struct bench_variant variants[2];
   struct compiler_result compiled;
   const struct gemm_tile tile = gemm_tile(gemm);

   fprintf(file, "<tr><td>%s</td><td class=\"num\">%.3f</td><td class=\"num\">%ux%u</td>", benchmark->name,
           result->value, tile.rows, tile.columns);
   metric_variants(benchmark, BENCH_DISPATCH, variants);
   if (bench_build(benchmark, &variants[0], &options, &compiled) == 0 &&
       agx_program_hash(compiled.programs[0]) == result->program_hash) {
      write_code(compiled.programs[0], file);
   } else {
      fputs("<td colspan=\"4\">this agx-runner makes other code of it</td>", file);
   }
   compiler_result_finish(&compiled);
   fprintf(file, "<td class=\"num\">%.0f</td><td class=\"num\">%.0f</td></tr>\n", gemm_bytes_loaded(gemm),
           gemm_bytes_least(gemm));
}

void report_gemm_kernels(const struct result_run *run, FILE *file)
{
   bool headed = false;

   for (size_t i = 0; i < run->count; i++) {
      const struct benchmark *benchmark = has_passed(&run->results[i]) ? find(&run->results[i]) : NULL;

      if (benchmark == NULL || !(gemm_is_shape(run->results[i].name) || is_fastest(run, i, gemm_of(benchmark)))) {
         continue;
      }
      if (!headed) {
         fputs("<h3>Kernels</h3>\n<p class=\"soft\">Each kernel at its fastest, and each other shape of blocks and "
               "tiles. Tile: rows and "
               "columns of D that a simdgroup (direct), a threadgroup (tiled, local) or a thread (naive) computes. "
               "Occupancy, and what bounds the inner loop: by the timing model, as explain computes it; cycles of one "
               "pass that a simdgroup takes of each resource, the chain's divided by the simdgroups of a scheduler. "
               "Bytes loaded: by all threads, every repetition counted; least: A, B and D once</p>\n"
               "<table><tr><th>kernel</th><th>TFLOP/s</th><th>tile</th><th>half registers</th>"
               "<th>simdgroups a core</th><th>bound by</th><th>cycles a pass</th><th>bytes loaded</th>"
               "<th>least</th></tr>\n",
               file);
         headed = true;
      }
      write_row(run, &run->results[i], benchmark, file);
   }
   fputs(headed ? "</table>\n" : "", file);
}
