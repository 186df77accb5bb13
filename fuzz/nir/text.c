/* SPDX-License-Identifier: MIT
 *
 * A program as text in the style of Mesa's NIR printer: one node a line, with the values that it reads in one lane.
 */
#include <inttypes.h>

#include "fuzz/nir/ops.h"
#include "fuzz/nir/program.h"
#include "fuzz/nir/registers.h"

static void print_source(FILE *file, const struct fuzz_program *program, const struct fuzz_source *source)
{
   const bool vector = program->nodes[source->node].components > 1;

   fprintf(file, " %%%u", source->node);
   if (vector) {
      fprintf(file, ".%c", "xyzw"[source->component & 3]);
   }
}

void fuzz_print(FILE *file, const void *data, uint32_t lane)
{
   const struct fuzz_program *program = data;

   if (program->registers >= FUZZ_REGISTER_FILES) {
      fprintf(file, "   with %u registers of 16 bits\n", program->registers);
   } else if (program->registers != FUZZ_REGISTERS_ALL) {
      fprintf(file, "   with AGX_MESA_DEBUG=%s\n", fuzz_registers_name(program->registers));
   }
   for (uint32_t i = 0; i < program->count; i++) {
      const struct fuzz_node *node = &program->nodes[i];
      if (fuzz_is_value(node)) {
         fprintf(file, "   %%%u: %u bit%s =", i, node->bits, node->components > 1 ? " vector" : "");
      } else {
         fprintf(file, "  ");
      }
      fprintf(file, " %s%s", fuzz_op_name(node), node->kind == FUZZ_ALU && node->exact ? " (exact)" : "");
      for (unsigned s = 0; s < fuzz_source_count(node); s++) {
         fputs(s != 0 ? "," : "", file);
         print_source(file, program, &node->sources[s]);
      }
      if (node->kind == FUZZ_CONST) {
         fprintf(file, " 0x%" PRIx64, node->value);
      } else if (node->kind == FUZZ_INPUT) {
         fprintf(file, " %u (0x%" PRIx64 ")", node->slot, program->input[node->slot][lane]);
      } else if (node->kind == FUZZ_UNIFORM) {
         fprintf(file, " %u (0x%" PRIx64 ")", node->slot, program->uniform[node->slot]);
      } else if (node->kind == FUZZ_SET || node->kind == FUZZ_GET) {
         fprintf(file, " variable %u", node->slot);
      } else if (node->kind == FUZZ_LOAD || node->kind == FUZZ_STORE) {
         fprintf(file, ", %s memory + %" PRIu64, node->op == FUZZ_THREADGROUP ? "threadgroup" : "device", node->value);
         if (node->slot != 0) {
            fprintf(file, ", aligned to %u", 1u << (node->slot - 1));
         }
      } else if (node->kind == FUZZ_LOOP && node->value != 0) {
         fprintf(file, ", counter %" PRIu64 "%s", node->value / 2, node->value % 2 != 0 ? ", tested at the end" : "");
      } else if (node->kind == FUZZ_SUBGROUP || node->kind == FUZZ_EXCHANGE || node->kind == FUZZ_ATOMIC ||
                 node->kind == FUZZ_COMBINE) {
         fprintf(file, " [%u, %" PRIu64 "]", node->op, node->value);
      }
      fputc('\n', file);
   }
}
