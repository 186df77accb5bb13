/* SPDX-License-Identifier: MIT
 *
 * Computes static counts of a program. Padding behind the end does not count.
 */
#include "agx_runner/program/count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/blocks.h"
#include "isa/listing.h"
#include "vgpu/timing/predict/predict.h"
#include "util/array.h"

#define LOOP_WEIGHT 10 /* iterations of a loop of unknown length: the usual assumption of compilers */
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
   const int ret = isa_count(program->set, program->code + offset, size, &counts);

   if (ret == 0) {
      stats->values[PROGRAM_INSTRUCTIONS] += (double)(counts.instructions - counts.padding);
      stats->values[PROGRAM_BYTES] += size;
      stats->values[PROGRAM_LOOPS] += (double)counts.loops;
   }
   return ret;
}

/* ---- How often each instruction is there ---- */

/* In the order of names. */
struct tally {
   struct {
      const char *name;
      unsigned count;
   } * rows;
   size_t size;
};

static int tally_add(struct tally *tally, const char *name)
{
   size_t at = 0;
   int order = 1;

   while (at < tally->size && (order = strcmp(tally->rows[at].name, name)) < 0) {
      at++;
   }
   if (at == tally->size || order != 0) {
      if (!ARRAY_RESERVE_ONE(tally->rows, tally->size)) {
         return -ENOMEM;
      }
      memmove(&tally->rows[at + 1], &tally->rows[at], (tally->size - at) * sizeof(tally->rows[0]));
      tally->rows[at].name = name;
      tally->rows[at].count = 0;
      tally->size++;
   }
   tally->rows[at].count++;
   return 0;
}

static int tally_part(struct tally *tally, const struct agx_program *program, uint32_t offset, uint32_t size)
{
   struct blocks blocks;
   int ret = blocks_decode(program, offset, size, &blocks) ? 0 : -ENOMEM;

   for (uint32_t first = 0, end; ret == 0 && first < blocks.count && !blocks_is_padding(&blocks, first); first = end) {
      end = blocks_end(&blocks, first);
      for (uint32_t i = first; ret == 0 && i < end; i++) {
         struct isa_insn insn;

         isa_decode(program->set, program->code + blocks.at[i], blocks.at[i + 1] - blocks.at[i], &insn);
         ret = tally_add(tally, isa_name(&insn));
      }
   }
   blocks_finish(&blocks);
   return ret;
}

/* NULL: out of memory. */
static char *write_mnemonics(const struct agx_program *program)
{
   struct tally tally = {NULL, 0};
   char *text = NULL;
   size_t size;
   int ret = tally_part(&tally, program, program->main_offset, program->main_size);

   if (ret == 0 && program->has_preamble) {
      ret = tally_part(&tally, program, program->preamble_offset, program->preamble_size);
   }
   FILE *file = ret == 0 ? open_memstream(&text, &size) : NULL;
   for (size_t i = 0; file != NULL && i < tally.size; i++) {
      fprintf(file, "%s%s %u", i > 0 ? " " : "", tally.rows[i].name, tally.rows[i].count);
   }
   free(tally.rows);
   if (file != NULL && fclose(file) != 0) {
      free(text);
      text = NULL;
   }
   return text;
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
   if (ret == 0) {
      stats->mnemonics = write_mnemonics(program);
      ret = stats->mnemonics != NULL ? 0 : -ENOMEM;
   }
   if (ret < 0) {
      program_stats_finish(stats);
   }
   return ret;
}
