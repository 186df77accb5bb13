/* SPDX-License-Identifier: MIT
 *
 * Writes what the timing model predicts for each basic block of a program.
 */
#include "agx_runner/program/predict.h"

#include <inttypes.h>

#include "agx_runner/program/blocks.h"
#include "agx_runner/bands/bands.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/predict/predict.h"

/* By how much the model errs in figures of this kind. */
static void print_band(const struct vgpu_prediction *prediction, unsigned simds, FILE *file)
{
   const bool memory =
       prediction->bound == (enum vgpu_bound)VGPU_PIPE_DEVICE || prediction->bound == (enum vgpu_bound)VGPU_PIPE_LOCAL;
   const bool few = simds * VGPU_SCHEDULERS <= BAND_FEW_MOST;
   char band[BAND_TEXT];

   error_band_text(memory ? BAND_BANDWIDTH : few ? BAND_FEW_SIMDGROUPS : BAND_ARITHMETIC, band);
   fprintf(file, "    %s\n", band);
}

static void print_block(const struct blocks *code, uint32_t first, uint32_t end, unsigned simds, unsigned most,
                        FILE *file)
{
   struct vgpu_prediction prediction;

   vgpu_predict(&vgpu_params_default, code->costs + first, end - first, simds, most, &prediction);
   fprintf(file, "  block at 0x%04" PRIx32 ", %" PRIu32 " instructions: bound by %s\n", code->at[first] - code->start,
           end - first, vgpu_bound_names[prediction.bound]);
   fprintf(file, "    each simdgroup %9.2f cycles in a loop; all %u of a scheduler once %9.2f cycles\n",
           prediction.each, simds, prediction.cycles);
   for (unsigned r = 0; r < VGPU_BOUND_CHAIN; r++) {
      if (prediction.use[r] > 0) {
         fprintf(file, "    %-18s %9.2f cycles each, %9.2f for all\n", vgpu_bound_names[r], prediction.use[r],
                 prediction.bounds[r]);
      }
   }
   fprintf(file, "    %-18s %9.2f cycles, shared by %u: %.2f each\n", vgpu_bound_names[VGPU_BOUND_CHAIN],
           prediction.bounds[VGPU_BOUND_CHAIN], simds, prediction.bounds[VGPU_BOUND_CHAIN] / simds);
   print_band(&prediction, simds, file);
   for (unsigned i = 0; i < VGPU_DOUBTS; i++) {
      if (prediction.doubts & 1u << i) {
         fprintf(file, "    the simulation may differ: %s\n", vgpu_doubt_texts[i]);
      }
   }
}

static void print_blocks(const struct blocks *code, const struct blocks_occupancy *occupancy, FILE *file)
{
   for (uint32_t first = 0, end; first < code->count && !blocks_is_padding(code, first); first = end) {
      end = blocks_end(code, first);
      print_block(code, first, end, occupancy->scheduler, occupancy->most, file);
   }
}

static int print_program(const struct agx_program *program, FILE *file)
{
   const struct blocks_occupancy occupancy = blocks_occupancy(program);
   struct blocks code;
   int result = EXIT_OK;

   fprintf(file, "%s: %u half registers, %" PRIu32 " simdgroups a core, %u a scheduler (modelled)\n",
           agx_program_name(program), program->half_registers, occupancy.core, occupancy.scheduler);
   if (blocks_decode(program, program->main_offset, program->main_size, &code)) {
      print_blocks(&code, &occupancy, file);
   } else {
      result = complain(EXIT_FAILED, "out of memory");
   }
   blocks_finish(&code);
   return result;
}

int predict_write(const struct compiler_result *compiled, const char *path)
{
   struct output output;
   int code = output_open(&output, path);

   for (size_t i = 0; code == EXIT_OK && i < compiled->count; i++) {
      code = print_program(compiled->programs[i], output.file);
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}
