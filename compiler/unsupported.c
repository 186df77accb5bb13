/* SPDX-License-Identifier: MIT
 *
 * The list of the intrinsics that the backend compiles, and checks of their unsupported forms. Invariant: an intrinsic
 * that is not in the list is refused.
 */
#include "compiler/unsupported.h"

#include <errno.h>
#include <inttypes.h>

#include "compiler/lines/lines.h"
#include "compiler/api/result.h"

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

/* The missing feature and who lacks it: the rest of a sentence that starts with who. */
struct lack {
   enum refusal_who who;
   const char *what;
};

static const struct lack atomic_width = {REFUSAL_GPU, "has atomics of 32 bits only"};
static const struct lack atomic_float = {REFUSAL_MESA, "has no floating-point atomics"};
static const struct lack wrong_type = {REFUSAL_MESA, "does not take a system value of a wrong type"};
static const struct lack unknown_variable = {
    REFUSAL_MESA, "has no variable that is neither in the kernel's memory nor a system value"};
static const struct lack doubles = {REFUSAL_GPU, "has no double precision"};
static const struct lack images = {REFUSAL_RUNNER, "gives kernels no images"};
static const struct lack printing = {REFUSAL_RUNNER, "has no printf in kernels"};
static const struct lack global_variables = {REFUSAL_RUNNER, "has no program-scope variables in global memory"};
static const struct lack undefined_call = {REFUSAL_SOURCE, "a function is called that is not defined"};
static const struct lack intrinsic = {REFUSAL_MESA, "has no code for the intrinsic"}; /* its name follows */

static const struct lack *check_atomic(nir_intrinsic_instr *intr)
{
   if (intr->def.bit_size != 32) {
      return &atomic_width;
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
      return &atomic_float;
   }
}

/* A SPIR-V variable may claim to be a system value of another width; the validator accepts it. */
static bool has_wrong_width(const nir_intrinsic_instr *intr)
{
   const nir_intrinsic_info *info = &nir_intrinsic_infos[intr->intrinsic];

   return info->has_dest && info->dest_bit_sizes != 0 && (intr->def.bit_size & info->dest_bit_sizes) == 0;
}

static bool is_image(const nir_intrinsic_instr *intr)
{
   return strstr(nir_intrinsic_infos[intr->intrinsic].name, "image") != NULL;
}

static const struct lack *check_intrinsic(nir_intrinsic_instr *intr)
{
   if (has_wrong_width(intr)) {
      return &wrong_type;
   }
   switch (intr->intrinsic) {
   case nir_intrinsic_global_atomic:
   case nir_intrinsic_global_atomic_swap:
   case nir_intrinsic_shared_atomic:
   case nir_intrinsic_shared_atomic_swap:
      return check_atomic(intr);
   case nir_intrinsic_printf:
      return &printing;
   case nir_intrinsic_load_global_base_ptr:
      return &global_variables;
   default:
      break;
   }
   for (unsigned i = 0; i < ARRAY_SIZE(known); i++) {
      if (known[i] == intr->intrinsic) {
         return NULL;
      }
   }
   return is_image(intr) ? &images : &intrinsic;
}

static bool is_double(nir_alu_type type, unsigned bit_size)
{
   return nir_alu_type_get_base_type(type) == nir_type_float && bit_size == 64;
}

static const struct lack *check_alu(const nir_alu_instr *alu)
{
   const nir_op_info *info = &nir_op_infos[alu->op];

   if (is_double(info->output_type, alu->def.bit_size)) {
      return &doubles;
   }
   for (unsigned i = 0; i < info->num_inputs; i++) {
      if (is_double(info->input_types[i], nir_src_bit_size(alu->src[i].src))) {
         return &doubles;
      }
   }
   return NULL;
}

/* The backend lowers private variables. A SPIR-V variable may be an input that is no system value; the validator
 * accepts it. */
static const struct lack *check_deref(const nir_deref_instr *deref)
{
   return nir_deref_mode_is_one_of(deref, nir_var_function_temp | nir_var_shader_temp) ? NULL : &unknown_variable;
}

static const struct lack *check_instr(nir_instr *instr)
{
   switch (instr->type) {
   case nir_instr_type_alu:
      return check_alu(nir_instr_as_alu(instr));
   case nir_instr_type_intrinsic:
      return check_intrinsic(nir_instr_as_intrinsic(instr));
   case nir_instr_type_tex:
      return &images;
   case nir_instr_type_call:
      return &undefined_call;
   case nir_instr_type_deref:
      return check_deref(nir_instr_as_deref(instr));
   default:
      return NULL;
   }
}

static void refuse_at(struct compiler_result *result, const nir_instr *instr)
{
   struct compiler_source_place place;

   if (compiler_lines_find(instr, &place)) {
      compiler_refuse_at(result, place.file, place.line, place.column);
   }
}

/* The numbers of components of OpenCL's built-in variables. A SPIR-V variable may claim to be one with another number:
 * the validator accepts it, but nir_lower_system_values() asserts. */
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

static bool is_image_type(const nir_variable *variable)
{
   const struct glsl_type *type = glsl_without_array(variable->type);

   return glsl_type_is_image(type) || glsl_type_is_texture(type);
}

/* Returns the first instruction that accesses an image, in any function of the kernel. */
static const nir_instr *find_image_access(nir_shader *nir)
{
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            if (instr->type == nir_instr_type_tex ||
                (instr->type == nir_instr_type_intrinsic && is_image(nir_instr_as_intrinsic(instr)))) {
               return instr;
            }
         }
      }
   }
   return NULL;
}

static int refuse_images(nir_shader *nir, const char *what, const char *variable, struct compiler_result *result)
{
   const nir_instr *access = find_image_access(nir);

   if (access != NULL) {
      refuse_at(result, access);
   }
   return variable != NULL ? compiler_refuse(result, images.who, "gives kernels no %s, and %s is one", what, variable)
                           : compiler_refuse(result, images.who, "gives kernels no %s", what);
}

/* Returns the bytes of a variable, without overflow. */
static uint64_t size_of(const struct glsl_type *type)
{
   uint64_t elements = 1;

   while (glsl_type_is_array(type)) {
      if (__builtin_mul_overflow(elements, (uint64_t)glsl_get_length(type), &elements)) {
         return UINT64_MAX;
      }
      type = glsl_get_array_element(type);
   }
   unsigned size, align;
   uint64_t bytes;
   glsl_get_cl_type_size_align(type, &size, &align);
   return __builtin_mul_overflow(elements, (uint64_t)size, &bytes) ? UINT64_MAX : bytes;
}

/* Mesa counts bytes in 32 bits, and its passes allocate memory for each of them. A variable far beyond the backend's
 * limits must not reach them. */
#define VARIABLE_BYTES_MAX (UINT64_C(16) << 20)

static int check_size(const nir_variable *variable, struct compiler_result *result)
{
   const bool shared = variable->data.mode == nir_var_mem_shared;
   const uint64_t size = size_of(variable->type);

   if (size <= VARIABLE_BYTES_MAX) {
      return 0;
   }
   return shared ? compiler_refuse(result, REFUSAL_GPU, COMPILER_THREADGROUP_LIMIT "%s has %" PRIu64 " bytes",
                                   variable->name != NULL ? variable->name : "a variable", size)
                 : compiler_refuse(result, REFUSAL_MESA, COMPILER_PRIVATE_LIMIT "%s has %" PRIu64 " bytes",
                                   variable->name != NULL ? variable->name : "a variable", size);
}

static int check_sizes(nir_shader *nir, struct compiler_result *result)
{
   nir_foreach_variable_with_modes (variable, nir, nir_var_mem_shared | nir_var_shader_temp) {
      if (check_size(variable, result) < 0) {
         return -EINVAL;
      }
   }
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_function_temp_variable(variable, impl)
      {
         if (check_size(variable, result) < 0) {
            return -EINVAL;
         }
      }
   }
   return 0;
}

int compiler_unsupported_variable(nir_shader *nir, struct compiler_result *result)
{
   nir_foreach_variable_with_modes (variable, nir, nir_var_system_value) {
      if (has_wrong_components(variable)) {
         return compiler_refuse(result, wrong_type.who, "%s", wrong_type.what);
      }
   }
   nir_foreach_variable_in_shader (variable, nir) {
      if (is_image_type(variable)) {
         return refuse_images(nir, "images", variable->name, result);
      }
   }
   nir_foreach_variable_in_shader (variable, nir) {
      if (glsl_type_is_sampler(glsl_without_array(variable->type))) {
         return refuse_images(nir, "samplers", variable->name, result);
      }
   }
   return check_sizes(nir, result);
}

static int refuse(const struct lack *lack, const nir_instr *instr, struct compiler_result *result)
{
   refuse_at(result, instr);
   return lack == &intrinsic
              ? compiler_refuse(result, lack->who, "%s %s", lack->what,
                                nir_intrinsic_infos[nir_instr_as_intrinsic((nir_instr *)instr)->intrinsic].name)
              : compiler_refuse(result, lack->who, "%s", lack->what);
}

int compiler_unsupported(nir_shader *nir, struct compiler_result *result)
{
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            const struct lack *lack = check_instr(instr);
            if (lack != NULL) {
               return refuse(lack, instr, result);
            }
         }
      }
   }
   return 0;
}
