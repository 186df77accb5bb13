/* SPDX-License-Identifier: MIT
 *
 * Puts constants that reach phis into registers. Invariant: every value stays the same.
 */
#include "compiler/passes/phi_constants.h"

#include "compiler/compat/compat.h"

/* Makes a 32-bit 0 that no pass recognizes as 0: a threadgroup has at most 1,024 threads. */
static nir_def *make_hidden_zero(nir_builder *b)
{
   return nir_ushr_imm(b, nir_load_local_invocation_index(b), 16);
}

/* Computes value + zero, in 16 bits if the value has 8, because the backend cannot add bytes. */
static nir_def *add_zero(nir_builder *b, nir_def *value, nir_def *zero)
{
   const unsigned bits = MAX2(value->bit_size, 16);
   nir_def *zeros = nir_replicate(b, nir_u2uN(b, zero, bits), value->num_components);

   return nir_u2uN(b, nir_iadd(b, nir_u2uN(b, value, bits), zeros), value->bit_size);
}

#define DEPTH 8 /* most nested operations that are examined */

/* Whether it is a constant, or computed from constants alone, so that a later pass folds it. */
static bool becomes_constant(nir_src source, unsigned depth)
{
   if (nir_src_is_const(source) || depth == DEPTH || compat_def_instr(source.ssa)->type != nir_instr_type_alu) {
      return nir_src_is_const(source);
   }
   const nir_alu_instr *alu = nir_instr_as_alu(compat_def_instr(source.ssa));
   for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++) {
      if (!becomes_constant(alu->src[i].src, depth + 1)) {
         return false;
      }
   }
   return true;
}

bool compiler_phi_constants(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_builder b = nir_builder_at(nir_before_impl(impl));
   nir_def *zero = NULL;

   nir_foreach_block (block, impl) {
      nir_foreach_phi(phi, block)
      {
         if (phi->def.bit_size < 8) {
            continue;
         }
         nir_foreach_phi_src(source, phi)
         {
            if (!becomes_constant(source->src, 0)) {
               continue;
            }
            if (zero == NULL) {
               b.cursor = nir_before_impl(impl);
               zero = make_hidden_zero(&b);
            }
            b.cursor = nir_after_block_before_jump(source->pred);
            nir_src_rewrite(&source->src, add_zero(&b, source->src.ssa, zero));
         }
      }
   }
   return compat_progress(zero != NULL, impl, nir_metadata_control_flow);
}
