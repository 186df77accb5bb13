/* SPDX-License-Identifier: MIT
 *
 * Counts what is known of a program without running it. Padding behind the end does not count.
 */
#include "agx_runner/program/count.h"

#include <errno.h>

#include "agx_runner/program/blocks.h"
#include "isa/listing.h"
#include "vgpu/timing/predict.h"

#define LOOP_WEIGHT 10 /* iterations of a loop of unknown length: the usual guess of compilers */
#define LOOP_DEPTH_MAX 6

static double weight(unsigned depth)
{
   double factor = 1;

   for (unsigned i = 0; i < depth && i < LOOP_DEPTH_MAX; i++) {
      factor *= LOOP_WEIGHT;
   }
   return factor;
}

static int predict(const struct agx_program *program, struct program_stats *stats)
{
   const struct blocks_occupancy occupancy = blocks_occupancy(program);
   struct vgpu_prediction prediction;
   struct blocks blocks;
   double *values = stats->values;

   values[PROGRAM_OCCUPANCY] = occupancy.core;
   if (!blocks_decode(program, program->main_offset, program->main_size, &blocks)) {
      blocks_finish(&blocks);
      return -ENOMEM;
   }
   for (uint32_t first = 0, end; first < blocks.count && !blocks_is_padding(&blocks, first); first = end) {
      const double times = weight(blocks.depth[first]);

      end = blocks_end(&blocks, first);
      vgpu_predict(&vgpu_params_default, blocks.costs + first, end - first, occupancy.scheduler, occupancy.most,
                   &prediction);
      values[PROGRAM_CYCLES] += times * prediction.each;
      vgpu_predict(&vgpu_params_default, blocks.costs + first, end - first, 1, occupancy.most, &prediction);
      values[PROGRAM_LATENCY] += times * prediction.cycles;
   }
   blocks_finish(&blocks);
   return 0;
}

static int count(const struct agx_program *program, uint32_t offset, uint32_t size, struct program_stats *stats)
{
   struct isa_stats counts;
   const int ret = isa_count(program->code + offset, size, &counts);

   if (ret == 0) {
      stats->values[PROGRAM_INSTRUCTIONS] += (double)(counts.instructions - counts.padding);
      stats->values[PROGRAM_BYTES] += size;
      stats->values[PROGRAM_LOOPS] += (double)counts.loops;
   }
   return ret;
}

int program_stats_of(const struct agx_program *program, struct program_stats *stats)
{
   *stats = (struct program_stats){.known = true};
   stats->values[PROGRAM_HALF_REGISTERS] = program->half_registers;
   stats->values[PROGRAM_SCRATCH] = program->scratch_bytes;
   stats->values[PROGRAM_UNIFORMS] = program->uniform_halves;
   int ret = count(program, program->main_offset, program->main_size, stats);
   if (ret == 0 && program->has_preamble) {
      ret = count(program, program->preamble_offset, program->preamble_size, stats);
   }
   if (ret == 0) {
      ret = predict(program, stats);
   }
   if (ret < 0) {
      *stats = (struct program_stats){0};
   }
   return ret;
}
