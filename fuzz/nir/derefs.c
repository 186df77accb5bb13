/* SPDX-License-Identifier: MIT
 *
 * Variables and pointers in NIR that has not been lowered. Invariant: a pointer's value is an address in the memory of
 * interpret.c; a private variable gets its place when it is first named, with OpenCL C's layout.
 */
#include "fuzz/nir/interpreter.h"

#include "util/hash_table.h"
#include "util/u_math.h"

static uint64_t private_address(struct interpreter *run, const nir_variable *variable, unsigned lane)
{
   struct hash_entry *entry = _mesa_hash_table_search(run->variables, variable);

   if (entry == NULL) {
      const uint64_t offset = align64(run->private_bytes, glsl_get_cl_alignment(variable->type));
      run->private_bytes = offset + glsl_get_cl_size(variable->type);
      if (variable->constant_initializer != NULL || run->private_bytes > FUZZ_PRIVATE_BYTES) {
         fuzz_fail(run, "a variable with an initializer, or too many of them");
      }
      (void)fuzz_unwritten_region(run, REGION_PRIVATE);
      entry = _mesa_hash_table_insert(run->variables, variable, (void *)(uintptr_t)(offset + 1));
   }
   return FUZZ_PRIVATE_BASE + (uint64_t)lane * FUZZ_PRIVATE_BYTES + (uintptr_t)entry->data - 1;
}

static uint64_t variable_address(struct interpreter *run, const nir_deref_instr *deref, unsigned lane)
{
   const unsigned location = (unsigned)deref->var->data.location;

   if (deref->modes == nir_var_function_temp) {
      return private_address(run, deref->var, lane);
   }
   if (deref->modes != nir_var_uniform || run->memory->argument_offset == NULL ||
       location >= run->memory->argument_count) {
      fuzz_fail(run, "a variable that the interpreter does not know");
   }
   return FUZZ_ARGUMENT_BASE + run->memory->argument_offset[location];
}

static uint64_t field_offset(const struct glsl_type *type, unsigned field)
{
   uint64_t offset = 0;

   for (unsigned i = 0;; i++) {
      const struct glsl_type *part = glsl_get_struct_field(type, i);
      offset = glsl_type_is_packed(type) ? offset : align64(offset, glsl_get_cl_alignment(part));
      if (i == field) {
         return offset;
      }
      offset += glsl_get_cl_size(part);
   }
}

static uint64_t deref_address(struct interpreter *run, const nir_deref_instr *deref, unsigned lane)
{
   if (deref->deref_type == nir_deref_type_var) {
      return variable_address(run, deref, lane);
   }
   const uint64_t parent = fuzz_lane_value(run, deref->parent, lane)->u64;
   uint64_t stride;

   fuzz_require_certain(run, deref->parent, lane, "address");
   switch (deref->deref_type) {
   case nir_deref_type_cast:
      return parent;
   case nir_deref_type_array:
   case nir_deref_type_ptr_as_array:
      fuzz_require_certain(run, deref->arr.index, lane, "index");
      stride = nir_deref_instr_array_stride((nir_deref_instr *)(uintptr_t)deref);
      stride = stride != 0 ? stride : glsl_get_cl_size(deref->type);
      return parent + (uint64_t)nir_const_value_as_int(*fuzz_lane_value(run, deref->arr.index, lane),
                                                       deref->arr.index.ssa->bit_size) *
                          stride;
   case nir_deref_type_struct:
      return parent +
             field_offset(nir_deref_instr_parent((nir_deref_instr *)(uintptr_t)deref)->type, deref->strct.index);
   default:
      fuzz_fail(run, "a pointer that the interpreter does not know");
   }
}

void fuzz_point(struct interpreter *run, const nir_deref_instr *deref, lane_mask mask)
{
   struct lanes *lanes = fuzz_define(run, &deref->def);

   FOREACH_LANE(lane, mask)
   {
      lanes->values[lane].u64 = deref_address(run, deref, lane);
   }
}
