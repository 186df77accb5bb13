/* SPDX-License-Identifier: MIT
 *
 * An explanation as text: what would make the kernel faster, what is busy, and the hot blocks by instruction.
 */
#include "agx_runner/explain/explain.h"

#include <inttypes.h>
#include <stdlib.h>

#include "agx_runner/program/blocks.h"
#include "agx_runner/bands/bands.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/predict/predict.h"

#define HOT 0.05     /* fraction of the time: blocks with less are left out */
#define MOST_ROWS 64 /* most rows of a block */
#define MOST_LINES 5
#define CYCLE ((double)VGPU_PROFILE_TICKS)

static void print_header(const struct explain *explain, FILE *file)
{
   const struct vgpu_profile_sum *sum = &explain->sum;

   fprintf(file, "device  %s: %s\n", explain->device, RESULT_VIRTUAL_NOTE);
   fprintf(file,
           "kernel  %s: %.0f cycles on the core that takes longest, %" PRIu64 " simdgroups in %" PRIu64
           " threadgroups\n",
           agx_program_name(explain->program), (double)explain_ticks(explain) / CYCLE, sum->simds, sum->groups);
   const uint64_t groups = sum->groups < sum->room ? sum->groups : sum->room;
   fprintf(file, "        %" PRIu64 " simdgroups at a time, limited by %s; %" PRIu64 " half registers",
           groups * sum->group_simds, explain_limit_names[sum->limit], sum->half_registers);
   if (sum->next_half_registers > 0) {
      fprintf(file, " (with %" PRIu64 ": %" PRIu64 " simdgroups)", sum->next_half_registers,
              sum->next_room * sum->group_simds);
   }
   fprintf(file, "; %.0f %% of lanes active\n", 100 * explain_lanes(explain));
   char band[BAND_TEXT];
   error_band_text(explain_band(explain), band);
   fprintf(file, "        %s\n", band);
   if (sum->atomic_ticks > sum->ticks) {
      fprintf(file, "        atomics on one word take longer than the core, which is done after %.0f cycles\n",
              (double)sum->ticks / CYCLE);
   }
}

static void print_findings(const struct explain *explain, FILE *file)
{
   fputs("\nwhat would make it faster, by the model:\n", file);
   for (unsigned i = 0; i < explain->finding_count && i < EXPLAIN_SHOWN; i++) {
      const struct explain_finding *finding = &explain->findings[i];
      char gain[EXPLAIN_GAIN_SIZE];

      explain_gain(finding, gain, sizeof(gain));
      fprintf(file, "  %u. %s, %s: %s\n     (%s: %s)\n", i + 1, finding->name, gain, finding->advice, finding->basis,
              finding->basis_text);
   }
   if (explain->only_recorded) {
      fputs("  nothing was simulated (--no-simulations)\n", file);
   } else if (explain->finding_count == 0) {
      fputs("  nothing that the model knows of\n", file);
   }
}

static void print_bounds(const struct explain *explain, FILE *file)
{
   uint64_t issue = 0, stalls[VGPU_STALLS] = {0};

   for (size_t i = 0; i < explain->count; i++) {
      issue += explain->rows[i].issue;
      for (unsigned k = 0; k < VGPU_STALLS; k++) {
         stalls[k] += explain->rows[i].stalls[k];
      }
   }
   fputs("\nbusy, of the core's time:\n", file);
   fprintf(file, "  %-19s %5.1f %%\n", "issue", 100 * (double)issue / VGPU_SCHEDULERS / (double)explain->sum.ticks);
   for (unsigned i = 0; i < VGPU_PROFILE_PIPES; i++) {
      if (explain->sum.pipes[i] > 0) {
         fprintf(file, "  %-19s %5.1f %%\n", explain_pipe_names[i], 100 * explain_pipe_use(explain, i));
      }
   }
   for (unsigned i = 0; i < VGPU_PROFILE_LEVELS; i++) {
      if (explain->sum.levels[i] > 0) {
         fprintf(file, "  %-19s %5.1f %%\n", explain_level_names[i], 100 * explain_level_use(explain, i));
      }
   }
   const double time = (double)explain->sum.simd_time / 100;
   fprintf(file, "\nsimdgroups' time: issue %.1f %%", (double)issue / time);
   for (unsigned k = 0; k < VGPU_STALLS; k++) {
      if (stalls[k] > 0) {
         fprintf(file, ", %s %.1f %%", explain_stall_names[k], (double)stalls[k] / time);
      }
   }
   fputs("\n", file);
}

/* total: the stalls of all rows; a stall that never occurs has no column. */
static void print_row(const struct explain *explain, const struct vgpu_profile_row *row, const uint64_t *total,
                      FILE *file)
{
   const double times = row->executions > 0 ? (double)row->executions * CYCLE : CYCLE;
   char text[160], line[EXPLAIN_LINE_SIZE];

   explain_instruction(explain, row->address, text, sizeof(text));
   fprintf(file, "  %04" PRIx64 " %6.1f %9" PRIu64 " %5.1f %7.2f", row->address,
           100 * (double)explain_row_time(row) / (double)explain->sum.simd_time, row->executions, row->lanes,
           (double)row->issue / times);
   for (unsigned k = 0; k < VGPU_STALLS; k++) {
      if (total[k] == 0) {
         continue;
      }
      if (row->stalls[k] > 0) {
         fprintf(file, " %9.2f", (double)row->stalls[k] / times);
      } else {
         fprintf(file, " %9s", ".");
      }
   }
   if (explain->program->line_count > 0) {
      explain_line_text(explain, row->address, line, sizeof(line));
      fprintf(file, "  %6s", line);
   }
   fprintf(file, "  %s", text);
   if (row->source_time > 0) {
      fprintf(file, "  <- %04" PRIx64, row->source);
   }
   fputs("\n", file);
}

static int by_time(const void *a, const void *b)
{
   const struct explain_source_line *const *x = a, *const *y = b;

   return ((*x)->time < (*y)->time) - ((*x)->time > (*y)->time);
}

/* Prints the lines of the kernel's file that take most of the time. */
static void print_lines(const struct explain *explain, FILE *file)
{
   struct explain_source source;

   if (explain->program->line_count == 0 || !explain_read_source(explain, &source)) {
      return;
   }
   const struct explain_source_line **order = calloc(source.count + 1, sizeof(*order));
   for (size_t i = 0; order != NULL && i < source.count; i++) {
      order[i] = &source.lines[i];
   }
   if (order != NULL) {
      qsort(order, source.count, sizeof(*order), by_time);
      fprintf(file, "\nlines of %s with the most time (~ most of it is of instructions whose line is inferred):\n",
              explain->source);
      for (size_t i = 0; i < source.count && i < MOST_LINES && order[i]->time > 0; i++) {
         fprintf(file, "  %s%5zu %6.1f %%  %s\n", *explain_line_mark(order[i]) ? "~" : " ",
                 (size_t)(order[i] - source.lines) + 1, 100 * (double)order[i]->time / (double)explain->sum.simd_time,
                 order[i]->text);
      }
   }
   free(order);
   explain_source_finish(&source);
}

static void print_block(const struct explain *explain, const struct blocks *code, const struct explain_block *block,
                        const uint64_t *total, FILE *file)
{
   const struct blocks_occupancy occupancy = blocks_occupancy(explain->program);
   struct vgpu_prediction prediction;

   vgpu_predict(&vgpu_params_default, code->costs + block->first, block->end - block->first, occupancy.scheduler,
                occupancy.most, &prediction);
   fprintf(file,
           "\nblock at 0x%04" PRIx64 ": %.1f %% of the time, bound by %s at full occupancy\n  addr  time %%     count "
           "lanes   issue",
           block->address, 100 * (double)block->time / (double)explain->sum.simd_time,
           vgpu_bound_names[prediction.bound]);
   for (unsigned k = 0; k < VGPU_STALLS; k++) {
      if (total[k] > 0) {
         fprintf(file, " %9s", explain_stall_names[k]);
      }
   }
   fputs(explain->program->line_count > 0 ? "    line\n" : "\n", file);
   for (size_t i = block->row; i < block->row_end && i < block->row + MOST_ROWS; i++) {
      print_row(explain, &explain->rows[i], total, file);
   }
   if (block->row_end > block->row + MOST_ROWS) {
      fprintf(file, "  ... and %zu more instructions; --format json has all\n",
              block->row_end - block->row - MOST_ROWS);
   }
}

/* Prints the blocks, the hottest first. */
static int print_blocks(const struct explain *explain, const struct blocks *code, FILE *file)
{
   uint64_t total[VGPU_STALLS] = {0};
   size_t count;
   struct explain_block *blocks = explain_blocks(explain, code, &count);

   if (blocks == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < explain->count; i++) {
      for (unsigned k = 0; k < VGPU_STALLS; k++) {
         total[k] += explain->rows[i].stalls[k];
      }
   }
   fprintf(file,
           "\ncycles of each execution, in the blocks with at least %.0f %% of the time; <- the instruction waited "
           "for most%s:\n",
           100 * HOT, explain->program->line_count > 0 ? "; ~ a line inferred from the instructions around" : "");
   for (size_t i = 0; i < count && (i == 0 || (double)blocks[i].time >= HOT * (double)explain->sum.simd_time); i++) {
      print_block(explain, code, &blocks[i], total, file);
   }
   free(blocks);
   return EXIT_OK;
}

int explain_text(const struct explain *explain, FILE *file)
{
   const struct agx_program *program = explain->program;
   struct blocks code;
   int result = EXIT_OK;

   print_header(explain, file);
   print_findings(explain, file);
   print_lines(explain, file);
   if (blocks_decode(program, program->main_offset, program->main_size, &code)) {
      result = print_blocks(explain, &code, file);
      print_bounds(explain, file);
   } else {
      result = complain(EXIT_FAILED, "out of memory");
   }
   blocks_finish(&code);
   return result;
}
