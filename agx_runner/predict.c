/* SPDX-License-Identifier: MIT */
#include "agx_runner/predict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/output.h"
#include "agx_runner/runner.h"
#include "vgpu/predict.h"
#include "vgpu/timing.h"

#define DEFAULT_GROUP 256 /* threads, where the kernel requires no number */

/* A part of a program, decoded. */
struct code {
   uint32_t start, count;
   uint32_t *at; /* bytes into the code, one more than there are instructions */
   bool *leader; /* a block begins there */
   struct vgpu_cost *costs;
};

static void code_finish(struct code *code)
{
   free(code->at);
   free(code->leader);
   free(code->costs);
}

/* An instruction after which another block begins. */
static bool ends_block(const struct isa_insn *insn)
{
   return isa_is_branch(insn) || insn->op == ISA_OP_STOP || insn->op == ISA_OP_TRAP || insn->op == ISA_OP_RET;
}

static bool code_decode(const struct agx_program *program, uint32_t start, uint32_t size, struct code *code)
{
   const uint32_t most = size / 2 + 1; /* no instruction is shorter */
   struct isa_insn insn;

   *code = (struct code){.start = start,
                         .at = calloc(most + 1, sizeof(*code->at)),
                         .leader = calloc(most + 1, sizeof(*code->leader)),
                         .costs = calloc(most, sizeof(*code->costs))};
   if (code->at == NULL || code->leader == NULL || code->costs == NULL) {
      return false;
   }
   code->leader[0] = true;
   for (uint32_t at = start; at < start + size; at += insn.length) {
      isa_decode(program->code + at, start + size - at, &insn);
      code->at[code->count] = at;
      vgpu_cost_of(&insn, &code->costs[code->count++]);
      code->leader[code->count] = ends_block(&insn);
   }
   code->at[code->count] = start + size;
   for (uint32_t i = 0; i < code->count; i++) {
      isa_decode(program->code + code->at[i], code->at[i + 1] - code->at[i], &insn);
      for (uint32_t j = 0; isa_is_branch(&insn) && j < code->count; j++) {
         code->leader[j] |= (int64_t)code->at[j] == (int64_t)code->at[i] + insn.mod[ISA_MOD_TARGET];
      }
   }
   return true;
}

static void print_block(const struct code *code, uint32_t first, uint32_t end, unsigned simds, unsigned most,
                        FILE *file)
{
   struct vgpu_prediction prediction;

   vgpu_predict(code->costs + first, end - first, simds, most, &prediction);
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
   for (unsigned i = 0; i < VGPU_DOUBTS; i++) {
      if (prediction.doubts & 1u << i) {
         fprintf(file, "    may take longer: %s\n", vgpu_doubt_texts[i]);
      }
   }
}

/* All blocks up to the first that only traps. */
static void print_blocks(const struct code *code, unsigned simds, unsigned most, FILE *file)
{
   for (uint32_t first = 0, end; first < code->count; first = end) {
      for (end = first + 1; end < code->count && !code->leader[end]; end++) {
      }
      if (code->costs[first].kind == VGPU_COST_STOP && first > 0 && code->costs[first - 1].kind == VGPU_COST_STOP) {
         return;
      }
      print_block(code, first, end, simds, most, file);
   }
}

static unsigned per_scheduler(uint32_t simds)
{
   return simds > VGPU_SCHEDULERS ? simds / VGPU_SCHEDULERS : 1;
}

static int print_program(const struct agx_program *program, FILE *file)
{
   struct vgpu_launch launch = {
       .half_registers = program->half_registers,
       .threadgroup_bytes = program->threadgroup_bytes,
       .group = {DEFAULT_GROUP, 1, 1},
   };
   struct code code;
   int result = EXIT_OK;

   if (program->workgroup_size[0] != 0) {
      memcpy(launch.group, program->workgroup_size, sizeof(launch.group));
   }
   const struct vgpu_residency residency = vgpu_timing_residency(&launch);
   launch = (struct vgpu_launch){.half_registers = 1, .group = {32, 1, 1}};
   const unsigned most = per_scheduler(vgpu_timing_residency(&launch).simds);
   fprintf(file, "%s: %u half registers, %" PRIu32 " simdgroups a core, %u a scheduler (modelled)\n", program->name,
           program->half_registers, residency.simds, per_scheduler(residency.simds));
   if (code_decode(program, program->main_offset, program->main_size, &code)) {
      print_blocks(&code, per_scheduler(residency.simds), most, file);
   } else {
      result = complain(EXIT_FAILED, "out of memory");
   }
   code_finish(&code);
   return result;
}

int predict_write(const struct options *options, const struct compiler_result *compiled)
{
   struct output output;
   int code = output_open(&output, options->output);

   for (size_t i = 0; code == EXIT_OK && i < compiled->count; i++) {
      code = print_program(compiled->programs[i], output.file);
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}
