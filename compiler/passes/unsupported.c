/* SPDX-License-Identifier: MIT
 *
 * The list of the intrinsics that the backend compiles, and checks of the forms that it does not. Invariant: an
 * intrinsic that is not in the list is refused.
 */
#include "compiler/passes/unsupported.h"

/* The intrinsics that agx_compile.c emits for a compute shader, and those that its passes turn into such. */
static const nir_intrinsic_op known[] = {
    nir_intrinsic_ballot,
    nir_intrinsic_ballot_bit_count_exclusive,
    nir_intrinsic_ballot_bit_count_inclusive,
    nir_intrinsic_ballot_bit_count_reduce,
    nir_intrinsic_ballot_bitfield_extract,
    nir_intrinsic_ballot_find_lsb,
    nir_intrinsic_ballot_find_msb,
    nir_intrinsic_barrier,
    nir_intrinsic_copy_deref,
    nir_intrinsic_ddx,
    nir_intrinsic_ddx_coarse,
    nir_intrinsic_ddx_fine,
    nir_intrinsic_ddy,
    nir_intrinsic_ddy_coarse,
    nir_intrinsic_ddy_fine,
    nir_intrinsic_deref_mode_is,
    nir_intrinsic_elect,
    nir_intrinsic_exclusive_scan,
    nir_intrinsic_first_invocation,
    nir_intrinsic_inclusive_scan,
    nir_intrinsic_inverse_ballot,
    nir_intrinsic_last_invocation,
    nir_intrinsic_load_active_subgroup_count_agx,
    nir_intrinsic_load_active_subgroup_invocation_agx,
    nir_intrinsic_load_agx,
    nir_intrinsic_load_constant_agx,
    nir_intrinsic_load_core_id_agx,
    nir_intrinsic_load_deref,
    nir_intrinsic_load_global,
    nir_intrinsic_load_global_constant,
    nir_intrinsic_load_global_invocation_id,
    nir_intrinsic_load_local_invocation_id,
    nir_intrinsic_load_local_invocation_index,
    nir_intrinsic_load_num_subgroups,
    nir_intrinsic_load_preamble,
    nir_intrinsic_load_scratch,
    nir_intrinsic_load_shared,
    nir_intrinsic_load_subgroup_eq_mask,
    nir_intrinsic_load_subgroup_ge_mask,
    nir_intrinsic_load_subgroup_gt_mask,
    nir_intrinsic_load_subgroup_id,
    nir_intrinsic_load_subgroup_invocation,
    nir_intrinsic_load_subgroup_le_mask,
    nir_intrinsic_load_subgroup_lt_mask,
    nir_intrinsic_load_subgroup_size,
    nir_intrinsic_load_workgroup_id,
    nir_intrinsic_load_workgroup_size,
    nir_intrinsic_quad_ballot_agx,
    nir_intrinsic_quad_broadcast,
    nir_intrinsic_quad_swap_diagonal,
    nir_intrinsic_quad_swap_horizontal,
    nir_intrinsic_quad_swap_vertical,
    nir_intrinsic_quad_vote_all,
    nir_intrinsic_quad_vote_any,
    nir_intrinsic_read_first_invocation,
    nir_intrinsic_read_invocation,
    nir_intrinsic_reduce,
    nir_intrinsic_rotate,
    nir_intrinsic_shuffle,
    nir_intrinsic_shuffle_down,
    nir_intrinsic_shuffle_up,
    nir_intrinsic_shuffle_xor,
    nir_intrinsic_store_agx,
    nir_intrinsic_store_deref,
    nir_intrinsic_store_global,
    nir_intrinsic_store_scratch,
    nir_intrinsic_store_shared,
    nir_intrinsic_vote_all,
    nir_intrinsic_vote_any,
    nir_intrinsic_vote_feq,
    nir_intrinsic_vote_ieq,
};

static const char *check_atomic(nir_intrinsic_instr *intr)
{
   if (intr->def.bit_size != 32) {
      return "atomics of another width than 32 bits";
   }
   switch (nir_intrinsic_atomic_op(intr)) {
   case nir_atomic_op_iadd:
   case nir_atomic_op_imin:
   case nir_atomic_op_umin:
   case nir_atomic_op_imax:
   case nir_atomic_op_umax:
   case nir_atomic_op_iand:
   case nir_atomic_op_ior:
   case nir_atomic_op_ixor:
   case nir_atomic_op_xchg:
   case nir_atomic_op_cmpxchg:
      return NULL;
   default:
      return "floating-point atomics";
   }
}

static const char wrong_type[] = "a system value of a wrong type";

/* A SPIR-V variable may claim to be a system value of another width, and the validator lets it. */
static bool has_wrong_width(const nir_intrinsic_instr *intr)
{
   const nir_intrinsic_info *info = &nir_intrinsic_infos[intr->intrinsic];

   return info->has_dest && info->dest_bit_sizes != 0 && (intr->def.bit_size & info->dest_bit_sizes) == 0;
}

static const char *check_intrinsic(nir_intrinsic_instr *intr)
{
   if (has_wrong_width(intr)) {
      return wrong_type;
   }
   switch (intr->intrinsic) {
   case nir_intrinsic_global_atomic:
   case nir_intrinsic_global_atomic_swap:
   case nir_intrinsic_shared_atomic:
   case nir_intrinsic_shared_atomic_swap:
      return check_atomic(intr);
   case nir_intrinsic_printf:
      return "printf";
   case nir_intrinsic_load_global_base_ptr:
      return "program-scope variables in global memory";
   default:
      break;
   }
   for (unsigned i = 0; i < ARRAY_SIZE(known); i++) {
      if (known[i] == intr->intrinsic) {
         return NULL;
      }
   }
   if (strstr(nir_intrinsic_infos[intr->intrinsic].name, "image") != NULL) {
      return "images";
   }
   return nir_intrinsic_infos[intr->intrinsic].name;
}

static bool is_double(nir_alu_type type, unsigned bit_size)
{
   return nir_alu_type_get_base_type(type) == nir_type_float && bit_size == 64;
}

static const char *check_alu(const nir_alu_instr *alu)
{
   const nir_op_info *info = &nir_op_infos[alu->op];

   if (is_double(info->output_type, alu->def.bit_size)) {
      return "double precision";
   }
   for (unsigned i = 0; i < info->num_inputs; i++) {
      if (is_double(info->input_types[i], nir_src_bit_size(alu->src[i].src))) {
         return "double precision";
      }
   }
   return NULL;
}

/* The backend lowers private variables. A SPIR-V variable may be an input that is no system value, and the validator
 * lets it. */
static const char *check_deref(const nir_deref_instr *deref)
{
   return nir_deref_mode_is_one_of(deref, nir_var_function_temp | nir_var_shader_temp)
              ? NULL
              : "a variable that is neither in the kernel's memory nor a system value";
}

static const char *check_instr(nir_instr *instr)
{
   switch (instr->type) {
   case nir_instr_type_alu:
      return check_alu(nir_instr_as_alu(instr));
   case nir_instr_type_intrinsic:
      return check_intrinsic(nir_instr_as_intrinsic(instr));
   case nir_instr_type_tex:
      return "images";
   case nir_instr_type_call:
      return "a call of a function that is not defined";
   case nir_instr_type_deref:
      return check_deref(nir_instr_as_deref(instr));
   default:
      return NULL;
   }
}

/* The components of OpenCL's built-in variables. A SPIR-V variable may claim to be one with other components: the
 * validator lets it, and nir_lower_system_values() asserts that it does not. */
static const struct {
   gl_system_value location;
   unsigned components;
} system_values[] = {
    {SYSTEM_VALUE_NUM_WORKGROUPS, 3},
    {SYSTEM_VALUE_WORKGROUP_SIZE, 3},
    {SYSTEM_VALUE_WORKGROUP_ID, 3},
    {SYSTEM_VALUE_LOCAL_INVOCATION_ID, 3},
    {SYSTEM_VALUE_GLOBAL_INVOCATION_ID, 3},
    {SYSTEM_VALUE_BASE_GLOBAL_INVOCATION_ID, 3},
    {SYSTEM_VALUE_GLOBAL_GROUP_SIZE, 3},
    {SYSTEM_VALUE_LOCAL_INVOCATION_INDEX, 1},
    {SYSTEM_VALUE_GLOBAL_INVOCATION_INDEX, 1},
    {SYSTEM_VALUE_WORK_DIM, 1},
    {SYSTEM_VALUE_SUBGROUP_SIZE, 1},
    {SYSTEM_VALUE_SUBGROUP_ID, 1},
    {SYSTEM_VALUE_SUBGROUP_INVOCATION, 1},
    {SYSTEM_VALUE_NUM_SUBGROUPS, 1},
};

static bool has_wrong_components(const nir_variable *variable)
{
   for (size_t i = 0; i < ARRAY_SIZE(system_values); i++) {
      if (variable->data.location == (int)system_values[i].location) {
         return glsl_get_vector_elements(variable->type) != system_values[i].components;
      }
   }
   return false;
}

const char *compiler_unsupported_variable(nir_shader *nir)
{
   nir_foreach_variable_with_modes (variable, nir, nir_var_system_value) {
      if (has_wrong_components(variable)) {
         return wrong_type;
      }
   }
   nir_foreach_variable_in_shader (variable, nir) {
      const struct glsl_type *type = glsl_without_array(variable->type);
      if (glsl_type_is_image(type) || glsl_type_is_sampler(type) || glsl_type_is_texture(type)) {
         return "images";
      }
   }
   return NULL;
}

const char *compiler_unsupported(nir_shader *nir)
{
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            const char *reason = check_instr(instr);
            if (reason != NULL) {
               return reason;
            }
         }
      }
   }
   return NULL;
}
