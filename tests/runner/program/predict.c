/* SPDX-License-Identifier: MIT
 *
 * The closed form against the simulation, on what Mesa makes of the catalogue: the arithmetic at the beginning of each
 * basic block, run as a program of its own. Prints the figures; the median error must be below 3 %. Argument: N, to
 * take every N-th benchmark.
 */
#include "vgpu/timing/predict/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/benchmark.h"
#include "tests/vgpu/exec/rig.h"

#define CORES 8 /* of the M1 */
#define LEAST 8 /* instructions */
#define MOST 1024
#define ERRORS_MAX 4096
static const unsigned occupancies[] = {4, 24, 96}; /* simdgroups a core */
static const uint8_t stop[] = {0x88, 0x00};        /* spec/isa.md 2.8 */

struct errors {
   double of[ERRORS_MAX];
   size_t count;
};

/* Instructions from `at` on that neither branch nor wait: their bytes. */
static uint32_t arithmetic(const struct agx_program *program, uint32_t at, struct vgpu_cost *costs, size_t *count)
{
   uint32_t end = program->main_offset + program->main_size, start = at;
   struct isa_insn insn;
   for (*count = 0; at < end && *count < MOST - 1; at += insn.length) {
      isa_decode(program->set, program->code + at, end - at, &insn);
      vgpu_cost_of(&insn, &vgpu_params_default, &costs[*count]);
      if (costs[*count].kind != VGPU_COST_PLAIN || !insn.row) {
         break;
      }
      ++*count;
   }
   return at - start;
}

static void compare(const struct agx_program *program, uint32_t at, uint32_t bytes, struct vgpu_cost *costs,
                    size_t count, struct errors *errors)
{
   struct isa_insn insn;
   isa_decode(isa_set_default(), stop, sizeof(stop), &insn);
   vgpu_cost_of(&insn, &vgpu_params_default, &costs[count]);
   for (size_t o = 0; o < sizeof(occupancies) / sizeof(occupancies[0]); o++) {
      struct vgpu_prediction prediction;
      struct rig rig;
      rig_init(&rig, occupancies[o] * 32 * CORES);
      rig.launch.group[0] = 32;
      rig.launch.timing = true;
      rig.launch.half_registers = program->half_registers;
      memcpy(rig.code, program->code + at, bytes);
      memcpy(rig.code + bytes, stop, sizeof(stop));
      rig.launch.code = RIG_CODE;
      rig_run(&rig, vgpu_best_level());
      vgpu_predict(&vgpu_params_default, costs, count + 1, occupancies[o] / VGPU_SCHEDULERS, 24, &prediction);
      double error = prediction.cycles / (double)rig.outcome.cycles - 1;
      if (fabs(error) > 0.05) {
         printf(
             "%s at 0x%x, %zu instructions, %u simdgroups: predicted %.1f, simulated %llu, %+.1f %%, bound by %s%s\n",
             program->name, at, count, occupancies[o], prediction.cycles, (unsigned long long)rig.outcome.cycles,
             100 * error, vgpu_bound_names[prediction.bound],
             prediction.doubts & VGPU_DOUBT_CLOSE ? " and another as much" : "");
      }
      if (errors->count < ERRORS_MAX) {
         errors->of[errors->count++] = fabs(error);
      }
      rig_finish(&rig);
   }
}

static void blocks(const struct agx_program *program, struct errors *errors)
{
   static struct vgpu_cost costs[MOST];
   uint32_t end = program->main_offset + program->main_size;
   struct isa_insn insn;
   for (uint32_t at = program->main_offset; at < end;) {
      size_t count;
      uint32_t bytes = arithmetic(program, at, costs, &count);
      if (count >= LEAST) {
         compare(program, at, bytes, costs, count, errors);
      }
      at += bytes;
      if (at < end) {
         isa_decode(program->set, program->code + at, end - at, &insn);
         at += insn.length;
      }
   }
}

static int ascending(const void *a, const void *b)
{
   double x = *(const double *)a, y = *(const double *)b;
   return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
   static struct errors errors;
   const size_t step = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
   const struct compiler_options options = {.keep_atomics = true};
   for (size_t i = 0; step > 0 && i < bench_count(); i += step) {
      const struct benchmark *benchmark = bench_at(i);
      for (unsigned metric = 0; metric < BENCH_METRIC_COUNT; metric++) {
         struct compiler_result result;
         if (!(benchmark->metrics & 1u << metric) || !bench_is_timed(metric)) {
            continue;
         }
         if (bench_build(benchmark, &benchmark->variants[metric], &options, &result) == 0) {
            blocks(result.programs[0], &errors);
         }
         compiler_result_finish(&result);
      }
   }
   if (errors.count == 0) {
      rig_fail("no blocks");
      return rig_result();
   }
   qsort(errors.of, errors.count, sizeof(errors.of[0]), ascending);
   double median = errors.of[errors.count / 2];
   printf("%zu blocks: median error %.2f %%, 90th percentile %.2f %%, largest %.2f %%\n", errors.count, 100 * median,
          100 * errors.of[errors.count * 9 / 10], 100 * errors.of[errors.count - 1]);
   if (!(median < 0.03)) {
      rig_fail("the median error is %.2f %%", 100 * median);
   }
   return rig_result();
}
