/* SPDX-License-Identifier: MIT
 *
 * Which bits of a result are determined if an operand is not: a pass turns byte stores into loads, masks and stores of
 * words, the rest of which may never have been written. Invariant: a known bit does not depend on unknown bits of
 * operands.
 */
#include "fuzz/nir/interpreter.h"
#include "compiler/nir/nir_constant_expressions.h"
#include "fuzz/nir/ops.h"

/* For one component of an operand. */
static uint64_t known_of(const struct operands *operands, unsigned i, unsigned c)
{
   const uint8_t certainty = operands->certainty[i][c];

   return certainty == FUZZ_EXACT ? UINT64_MAX : certainty == FUZZ_UNDEFINED ? operands->known[i][c] : 0;
}

/* Evaluates the op on masks of unknown bits: a bit of the result is unknown if one of these reaches it. */
static uint64_t known_where_moved(const nir_alu_instr *alu, const struct operands *operands, unsigned moved, unsigned c)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   nir_const_value open[NIR_ALU_MAX_INPUTS][NIR_MAX_VEC_COMPONENTS], *pointers[NIR_ALU_MAX_INPUTS];
   nir_const_value result[NIR_MAX_VEC_COMPONENTS] = {{0}};

   for (unsigned i = 0; i < info->num_inputs; i++) {
      for (unsigned k = 0; k < operands->components[i]; k++) {
         const uint64_t known = known_of(operands, i, k);
         if (i >= moved && known != UINT64_MAX) {
            return 0;
         }
         open[i][k] = i < moved ? nir_const_value_for_raw_uint(~known, operands->bits[i]) : operands->value[i][k];
      }
      pointers[i] = &open[i][info->input_sizes[i] == 0 ? c : 0];
   }
   nir_eval_const_opcode(alu->op == nir_op_inot ? nir_op_mov : alu->op, result,
                         info->output_size == 0 ? 1 : alu->def.num_components, operands->width, pointers, 0);
   return ~nir_const_value_as_uint(result[info->output_size == 0 ? 0 : c], alu->def.bit_size);
}

uint64_t fuzz_known_bits(const nir_alu_instr *alu, const struct operands *operands, unsigned c)
{
   const unsigned moved = fuzz_op_moves(alu->op);

   if (nir_op_is_vec(alu->op)) {
      return known_of(operands, c, 0);
   }
   if (alu->op == nir_op_bcsel) {
      return known_of(operands, 0, c) == UINT64_MAX ? known_of(operands, operands->value[0][c].b ? 1 : 2, c) : 0;
   }
   if (moved != 0) {
      return known_where_moved(alu, operands, moved, c);
   }
   if (alu->op != nir_op_iand && alu->op != nir_op_ior && alu->op != nir_op_ixor) {
      return 0;
   }
   const uint64_t a = nir_const_value_as_uint(operands->value[0][c], operands->bits[0]),
                  b = nir_const_value_as_uint(operands->value[1][c], operands->bits[1]);
   const uint64_t of_a = known_of(operands, 0, c), of_b = known_of(operands, 1, c), both = of_a & of_b;
   return both | (alu->op == nir_op_iand  ? (of_a & ~a) | (of_b & ~b)
                  : alu->op == nir_op_ior ? (of_a & a) | (of_b & b)
                                          : 0);
}
