/* SPDX-License-Identifier: MIT
 *
 * The NIR passes between spirv_to_nir and the backend, for one OpenCL kernel. Invariant: the backend gets one function
 * without variables, derefs, or system values that it does not know.
 */
#include "compiler/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/set.h"

#include "compiler/backend.h"
#include "compiler/compat/compat.h"
#include "compiler/lines/lines.h"
#include "compiler/mesa.h"
#include "compiler/api/result.h"
#include "compiler/api/stage.h"
#include "compiler/passes/mangled.h"
#include "compiler/passes/functions.h"
#include "compiler/unsupported.h"

/* The tag of threadgroup memory in nir_address_format_62bit_generic: the upper word of such a pointer. */
#define LOCAL_POINTER_TAG 0x40000000

/* ---- Messages of spirv_to_nir ---- */

/* Capabilities of OpenCL that it does not accept, in words. */
static const struct {
   const char *capability, *words;
} capabilities[] = {
    {"SpvCapabilityPipes", "pipes"},
    {"SpvCapabilityDeviceEnqueue", "device enqueue (blocks that kernels enqueue)"},
    {"SpvCapabilitySubgroupDispatch", "device enqueue by subgroups"},
    {"SpvCapabilityPipeStorage", "pipes"},
    {"SpvCapabilityFunctionPointersINTEL", "function pointers"},
};

static void refuse_message(struct compiler_result *result, const char *text)
{
   static const char no_function[] = "Can't find clc function ", no_capability[] = "Unimplemented SPIR-V capability: ";
   static const char no_initializer[] = "Initializer for CrossWorkgroup variable";
   char name[REFUSAL_FUNCTION];

   if (strncmp(text, no_function, strlen(no_function)) == 0) {
      compiler_demangle(text + strlen(no_function), name, sizeof(name));
      compiler_refuse(result, REFUSAL_LIBCLC, "has no %s", name);
      return;
   }
   if (strncmp(text, no_capability, strlen(no_capability)) == 0) {
      text += strlen(no_capability);
      for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++) {
         const size_t length = strlen(capabilities[i].capability);
         if (strncmp(text, capabilities[i].capability, length) == 0 && text[length] == ' ') {
            compiler_refuse(result, REFUSAL_SPIRV_TO_NIR, "has no %s", capabilities[i].words);
         }
      }
      compiler_refuse(result, REFUSAL_SPIRV_TO_NIR, "does not take the capability %.*s", (int)strcspn(text, " "), text);
   }
   if (strncmp(text, no_initializer, strlen(no_initializer)) == 0) {
      compiler_refuse(result, REFUSAL_SPIRV_TO_NIR,
                      "has no program-scope variables in global memory with an initializer (a block is one)");
   }
   compiler_refuse(result, REFUSAL_SPIRV_TO_NIR, "says: %s", text);
}

struct spirv_log {
   struct compiler_result *result;
   const uint32_t *words; /* the module */
   size_t count;
};

/* Parses a message, which has one line for each of: a heading, in some builds the place in Mesa, the error, the byte of
 * the module, and the place in the source if that is known. */
static void log_spirv(void *data, enum nir_spirv_debug_level level, size_t offset, const char *message)
{
   static const char place[] = "in SPIR-V source file ";
   const struct spirv_log *log = data;
   struct compiler_result *result = log->result;
   char text[REFUSAL_WHAT], *comma;
   unsigned line, column;

   if (level < NIR_SPIRV_DEBUG_LEVEL_ERROR) {
      return;
   }
   for (const char *at = message; *at != '\0'; at += strcspn(at, "\n")) {
      at += strspn(at, "\n ");
      snprintf(text, sizeof(text), "%.*s", (int)strcspn(at, "\n"), at);
      if (strncmp(text, place, strlen(place)) == 0 && (comma = strrchr(text, ',')) != NULL) {
         *comma = '\0';
         char *other = strrchr(text, ',');
         if (other != NULL && sscanf(other, ", line %u", &line) == 1 && sscanf(comma + 1, " col %u", &column) == 1) {
            *other = '\0';
            compiler_refuse_at(result, text + strlen(place), line, column);
         }
      } else if (text[0] != '\0' && strncmp(text, "In file ", strlen("In file ")) != 0 &&
                 text[strlen(text) - 1] != ':' && strstr(text, "bytes into the SPIR-V binary") == NULL) {
         refuse_message(result, text);
      }
   }
   if (result->why.function[0] == '\0') {
      compiler_function_of_byte(log->words, log->count, offset, &result->why);
   }
}

/* ---- Passes ---- */

/* Far more rounds of passes than kernels need: 8 in a sample of the corpus. */
#define ROUNDS_MAX 128u

static bool has_disjoint_cast(const nir_shader *nir)
{
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            if (instr->type == nir_instr_type_deref && nir_instr_as_deref(instr)->modes == 0) {
               return true;
            }
         }
      }
   }
   return false;
}

/* nir_opt_deref reports progress without end where a pointer to one kind of memory is cast to another kind
 * (docs/mesa-bugs.md, F32). */
static int refuse_endless(const nir_shader *nir, struct compiler_result *result)
{
   if (has_disjoint_cast(nir)) {
      return compiler_refuse(
          result, REFUSAL_MESA,
          "does not finish this kernel: a pointer to one address space becomes a pointer to another");
   }
   return compiler_refuse(result, REFUSAL_MESA, "does not finish this kernel: its NIR passes never stop changing it");
}

/* Returns 0 or -EINVAL. */
static int optimize(nir_shader *nir, struct compiler_result *result)
{
   bool progress = true;

   for (unsigned round = 0; progress; round++) {
      if (round == ROUNDS_MAX) {
         return refuse_endless(nir, result);
      }
      progress = false;
      NIR_PASS(progress, nir, nir_split_var_copies);
      NIR_PASS(progress, nir, nir_lower_var_copies);
      NIR_PASS(progress, nir, nir_lower_vars_to_ssa);
      NIR_PASS(progress, nir, compat_copy_prop);
      NIR_PASS(progress, nir, nir_opt_copy_prop_vars);
      NIR_PASS(progress, nir, nir_opt_dead_write_vars);
      NIR_PASS(progress, nir, nir_opt_deref);
      NIR_PASS(progress, nir, nir_opt_remove_phis);
      NIR_PASS(progress, nir, nir_opt_dce);
      NIR_PASS(progress, nir, nir_opt_dead_cf);
      NIR_PASS(progress, nir, nir_opt_cse);
      NIR_PASS(progress, nir, nir_opt_if, nir_opt_if_optimize_phi_true_false);
      NIR_PASS(progress, nir, compat_peephole_select, 8, true, true);
      NIR_PASS(progress, nir, nir_opt_phi_precision);
      NIR_PASS(progress, nir, nir_opt_algebraic);
      NIR_PASS(progress, nir, nir_opt_constant_folding);
      NIR_PASS(progress, nir, nir_opt_undef);
      NIR_PASS(progress, nir, nir_opt_loop_unroll);
   }
   return 0;
}

/* A walk along calls. All called functions are inlined, so a cycle of calls would never end. */
struct walk {
   const nir_function **path; /* from the kernel to the current function */
   unsigned depth;
   struct set *done; /* functions from which no cycle can be reached */
};

static void refuse_at(struct compiler_result *result, const nir_instr *instr)
{
   struct compiler_source_place place;

   if (compiler_lines_find(instr, &place)) {
      compiler_refuse_at(result, place.file, place.line, place.column);
   }
}

/* Reports "even calls odd, which calls even": `first` is the callee's index in the path. */
static int refuse_recursion(const struct walk *walk, unsigned first, const nir_call_instr *call,
                            struct compiler_result *result)
{
   char chain[REFUSAL_WHAT / 2] = "";

   for (unsigned i = first; i < walk->depth; i++) {
      const size_t used = strlen(chain);
      const bool last = i + 1 == walk->depth;

      snprintf(chain + used, sizeof(chain) - used, "%s calls %s", i == first ? walk->path[i]->name : ", which",
               !last                      ? walk->path[i + 1]->name
               : walk->depth - first == 1 ? "itself"
                                          : walk->path[first]->name);
   }
   refuse_at(result, &call->instr);
   return compiler_refuse(result, REFUSAL_LANGUAGE, "has no recursion, and %s", chain);
}

static int check_calls(struct walk *walk, const nir_function *function, struct compiler_result *result)
{
   if (function->impl == NULL || _mesa_set_search(walk->done, function) != NULL) {
      return 0;
   }
   walk->path[walk->depth++] = function;
   nir_foreach_block (block, function->impl) {
      nir_foreach_instr (instr, block) {
         if (instr->type != nir_instr_type_call) {
            continue;
         }
         const nir_call_instr *call = nir_instr_as_call(instr);
         for (unsigned i = 0; i < walk->depth; i++) {
            if (walk->path[i] == call->callee) {
               return refuse_recursion(walk, i, call, result);
            }
         }
         if (check_calls(walk, call->callee, result) < 0) {
            return -EINVAL;
         }
      }
   }
   walk->depth--;
   _mesa_set_add(walk->done, function);
   return 0;
}

static int check_recursion(nir_shader *nir, const nir_function *entry, struct compiler_result *result)
{
   struct walk walk = {.path = calloc(exec_list_length(&nir->functions) + 1, sizeof(*walk.path)),
                       .done = _mesa_pointer_set_create(NULL)};
   const int ret = walk.path != NULL && walk.done != NULL ? check_calls(&walk, entry, result) : -ENOMEM;

   free(walk.path);
   _mesa_set_destroy(walk.done, NULL);
   return ret;
}

#define CALLS_MAX 8

/* Returns the first call of a function; NULL: there is none. */
static const nir_instr *find_call(nir_shader *nir, const nir_function *callee)
{
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            if (instr->type == nir_instr_type_call && nir_instr_as_call(instr)->callee == callee) {
               return instr;
            }
         }
      }
   }
   return NULL;
}

/* Reports an undefined function. OpenCL's own functions are mangled like C++, and so are those that the source declares
 * as overloadable. libclc's functions call each other, but have no lines: the reported place is the call that leads
 * there. */
static int refuse_undefined(nir_shader *nir, const nir_function *function, struct compiler_result *result)
{
   static const char inside[] = "__clc_";
   const nir_function *callee = function;
   char name[REFUSAL_FUNCTION];

   for (unsigned i = 0; i < CALLS_MAX && callee != NULL && result->why.line == 0; i++) {
      const nir_instr *call = find_call(nir, callee);

      if (call != NULL) {
         refuse_at(result, call);
      }
      callee = call != NULL ? nir_cf_node_get_function(&call->block->cf_node)->function : NULL;
   }
   compiler_demangle(function->name, name, sizeof(name));
   const bool internal = strncmp(name, inside, strlen(inside)) == 0;
   return strncmp(function->name, "_Z", 2) == 0
              ? compiler_refuse(result, REFUSAL_LIBCLC, "has no body of %s%s", name + (internal ? strlen(inside) : 0),
                                internal ? "" : ", nor has the source")
              : compiler_refuse(result, REFUSAL_SOURCE, "function %s is not defined, only declared", name);
}

/* Inlines all functions, including libclc's. */
static int inline_all(nir_shader *nir, struct compiler_result *result)
{
   int ret = check_recursion(nir, nir_shader_get_entrypoint(nir)->function, result);

   if (ret < 0) {
      return ret;
   }
   /* initializers belong at the top of their own function, not of the one that it is inlined into */
   NIR_PASS(_, nir, nir_lower_variable_initializers, nir_var_function_temp);
   NIR_PASS(_, nir, nir_lower_returns);
   nir_link_shader_functions(nir, compiler_libclc());
   nir_foreach_function (function, nir) {
      if (function->impl == NULL && !function->is_entrypoint) {
         return refuse_undefined(nir, function, result);
      }
   }
   ret = optimize(nir, result); /* each function once, not each of its copies */
   if (ret < 0) {
      return ret;
   }
   NIR_PASS(_, nir, nir_inline_functions);
   nir_remove_non_entrypoints(nir);
   return 0;
}

static nir_variable *loaded_variable(nir_intrinsic_instr *intr, nir_variable_mode mode)
{
   if (intr->intrinsic != nir_intrinsic_load_deref) {
      return NULL;
   }
   nir_deref_instr *deref = nir_src_as_deref(intr->src[0]);
   return deref->deref_type == nir_deref_type_var && deref->modes == mode ? deref->var : NULL;
}

/* get_global_id() includes the dispatch's offset. 32 bits suffice: no grid has more threads, and Mesa folds a 32-bit
 * index into a load or store. */
static bool lower_global_id(nir_builder *b, nir_intrinsic_instr *intr, UNUSED void *data)
{
   const nir_variable *variable = loaded_variable(intr, nir_var_system_value);

   if (variable == NULL || variable->data.location != SYSTEM_VALUE_GLOBAL_INVOCATION_ID) {
      return false;
   }
   nir_deref_instr *deref = nir_src_as_deref(intr->src[0]);
   b->cursor = nir_before_instr(&intr->instr);
   nir_def *id = nir_iadd(b, nir_load_global_invocation_id(b, 32), nir_load_base_global_invocation_id(b, 32));
   nir_def_replace(&intr->def, nir_u2uN(b, id, intr->def.bit_size));
   nir_deref_instr_remove_if_unused(deref); /* nir_lower_system_values() removes the variable */
   return true;
}

/* Returns the kernel argument of a uniform variable. NULL: none. spirv_to_nir also makes uniform variables without a
 * location that are not arguments (images, samplers). */
static const struct clc_kernel_arg *argument_of(const nir_variable *variable, const struct clc_kernel_info *info)
{
   if (variable == NULL || variable->data.location < 0 || (size_t)variable->data.location >= info->num_args) {
      return NULL;
   }
   return &info->args[variable->data.location];
}

/* A local pointer argument holds a byte offset in its lower word; this adds the tag of the memory that it points to. */
static bool tag_local_pointers(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const struct clc_kernel_info *info = data;
   const struct clc_kernel_arg *arg = argument_of(loaded_variable(intr, nir_var_uniform), info);

   if (arg == NULL || arg->address_qualifier != CLC_KERNEL_ARG_ADDRESS_LOCAL) {
      return false;
   }
   b->cursor = nir_after_instr(&intr->instr);
   nir_def *pointer =
       nir_pack_64_2x32_split(b, nir_unpack_64_2x32_split_x(b, &intr->def), nir_imm_int(b, LOCAL_POINTER_TAG));
   compat_rewrite_uses_after(&intr->def, pointer, compat_def_instr(pointer));
   return true;
}

/* Atomics apply to global and local memory. Mesa must assume that a generic pointer may also point to private memory,
 * for which it has no code. */
static bool restrict_atomics(nir_builder *b, nir_intrinsic_instr *intr, void *on_private)
{
   const nir_variable_mode allowed = nir_var_mem_global | nir_var_mem_shared;

   if (intr->intrinsic != nir_intrinsic_deref_atomic && intr->intrinsic != nir_intrinsic_deref_atomic_swap) {
      return false;
   }
   nir_deref_instr *deref = nir_src_as_deref(intr->src[0]);
   nir_variable_mode modes = deref->modes & allowed;
   if (modes == 0) {
      *(bool *)on_private = true;
   }
   if (modes == 0 || modes == deref->modes) {
      return false;
   }
   b->cursor = nir_before_instr(&intr->instr);
   nir_deref_instr *cast = nir_build_deref_cast(b, &deref->def, modes, deref->type, 0);
   nir_src_rewrite(&intr->src[0], &cast->def);
   return true;
}

static const nir_variable_mode private_memory = nir_var_function_temp | nir_var_shader_temp;

/* Arrays above this many bytes are in scratch memory, smaller ones in registers with selects, as in agx_compile.c. */
#define REGISTER_ARRAY_BYTES 256

static void arrays_to_scratch(nir_shader *nir)
{
   NIR_PASS(_, nir, nir_lower_vars_to_ssa);
   NIR_PASS(_, nir, compat_vars_to_scratch, REGISTER_ARRAY_BYTES, glsl_get_natural_size_align_bytes);
   NIR_PASS(_, nir, compat_indirect_derefs, nir_var_function_temp);
   NIR_PASS(_, nir, nir_lower_vars_to_ssa);
}

/* A kernel's pointers have 64 bits, and so have the offsets that Mesa computes for its large private arrays; the stack
 * instructions take 32. */
static bool narrow_scratch_offset(nir_builder *b, nir_intrinsic_instr *intr, UNUSED void *data)
{
   bool store = intr->intrinsic == nir_intrinsic_store_scratch;

   if (!store && intr->intrinsic != nir_intrinsic_load_scratch) {
      return false;
   }
   nir_src *offset = &intr->src[store ? 1 : 0];
   if (nir_src_bit_size(*offset) == 32) {
      return false;
   }
   b->cursor = nir_before_instr(&intr->instr);
   nir_src_rewrite(offset, nir_u2u32(b, offset->ssa));
   return true;
}

/* Whether there are pointers that may point to private memory, other than variables and their parts. */
static bool has_private_pointers(nir_shader *nir)
{
   nir_foreach_block (block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr (instr, block) {
         if (instr->type == nir_instr_type_deref && nir_instr_as_deref(instr)->deref_type == nir_deref_type_cast &&
             (nir_instr_as_deref(instr)->modes & private_memory) != 0) {
            return true;
         }
      }
   }
   return false;
}

/* Turns every pointer and private variable into addresses, registers and scratch: Mesa's backend cannot always put the
 * variables that it creates itself into registers, and then fails. For a generic pointer, all memories that it may
 * point to must be laid out and lowered together. */
static void lower_pointers(nir_shader *nir)
{
   nir->info.shared_size = 0;
   nir->scratch_size = 0;
   NIR_PASS(_, nir, nir_opt_dce);
   if (!has_private_pointers(nir)) {
      arrays_to_scratch(nir); /* one by one, because the pass handles variables only */
   }
   NIR_PASS(_, nir, nir_remove_dead_variables, private_memory | nir_var_mem_shared, NULL);
   /* the remaining private variables have their address taken */
   NIR_PASS(_, nir, nir_lower_vars_to_explicit_types, nir_var_mem_generic, glsl_get_cl_type_size_align);
   NIR_PASS(_, nir, nir_lower_explicit_io, nir_var_mem_generic, nir_address_format_62bit_generic);
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, narrow_scratch_offset, nir_metadata_control_flow, NULL);
   /* A kernel's pointers have 64 bits, a compute shader's 32; there are none left, and 32-bit variables are simpler. */
   nir->info.stage = MESA_SHADER_COMPUTE;
   NIR_PASS(_, nir, nir_lower_scratch_to_var);
   arrays_to_scratch(nir);
}

/* Program-scope constants become the program's constant data. */
static int lower_constants(nir_shader *nir)
{
   NIR_PASS(_, nir, nir_remove_dead_variables, nir_var_mem_constant, NULL);
   NIR_PASS(_, nir, nir_lower_vars_to_explicit_types, nir_var_mem_constant, glsl_get_cl_type_size_align);
   if (nir->constant_data_size == 0) {
      return 0;
   }
   nir->constant_data = rzalloc_size(nir, nir->constant_data_size);
   if (nir->constant_data == NULL) {
      return -ENOMEM;
   }
   nir_gather_explicit_io_initializers(nir, nir->constant_data, nir->constant_data_size, nir_var_mem_constant);
   return 0;
}

static void lower_system_values(nir_shader *nir)
{
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, lower_global_id, nir_metadata_control_flow, NULL);
   NIR_PASS(_, nir, nir_lower_system_values);
   NIR_PASS(_, nir, nir_lower_compute_system_values,
            &(nir_lower_compute_system_values_options){
                .has_base_global_invocation_id = true, .has_global_size = true, .global_id_is_32bit = true});
}

static int lower_memory(nir_shader *nir, const struct clc_kernel_info *info, struct compiler_result *result)
{
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, tag_local_pointers, nir_metadata_control_flow, (void *)info);
   /* a vector of three has the memory layout of one of four, which LLVM relies on */
   NIR_PASS(_, nir, nir_lower_vec3_to_vec4, nir_var_mem_generic | nir_var_mem_constant | nir_var_uniform);
   int ret = lower_constants(nir);
   if (ret < 0) {
      return ret;
   }
   /* The first layout allows copies of memory to become copies of values; lower_pointers() omits what is unused after
    * that. Arguments are laid out once: their variables stay, used or not. */
   NIR_PASS(_, nir, nir_lower_vars_to_explicit_types, nir_var_mem_generic | nir_var_uniform,
            glsl_get_cl_type_size_align);
   NIR_PASS(_, nir, nir_opt_memcpy);
   ret = optimize(nir, result);
   if (ret < 0) {
      return ret;
   }
   NIR_PASS(_, nir, nir_lower_memcpy);
   ret = optimize(nir, result);
   if (ret < 0) {
      return ret;
   }

   bool atomics_on_private = false;
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, restrict_atomics, nir_metadata_control_flow, &atomics_on_private);
   if (atomics_on_private) {
      return compiler_refuse(result, REFUSAL_MESA, "has no atomics on private memory");
   }
   NIR_PASS(_, nir, nir_lower_explicit_io, nir_var_mem_constant, nir_address_format_64bit_global);
   NIR_PASS(_, nir, nir_lower_explicit_io, nir_var_uniform, nir_address_format_32bit_offset_as_64bit);
   lower_pointers(nir);
   NIR_PASS(_, nir, nir_lower_convert_alu_types, NULL);
   NIR_PASS(_, nir, nir_opt_idiv_const, 16);
   return optimize(nir, result);
}

static void cut(char *to, size_t size, const char *from)
{
   snprintf(to, size, "%s", from != NULL ? from : "");
}

/* Returns NULL when out of memory. */
static struct agx_argument *make_arguments(nir_shader *nir, const struct clc_kernel_info *info)
{
   struct agx_argument *arguments = calloc(info->num_args + 1, sizeof(*arguments));

   if (arguments == NULL) {
      return NULL;
   }
   nir_foreach_variable_with_modes (variable, nir, nir_var_uniform) {
      const struct clc_kernel_arg *arg = argument_of(variable, info);
      unsigned size, align;

      if (arg == NULL) {
         continue;
      }
      struct agx_argument *argument = &arguments[variable->data.location];
      glsl_get_cl_type_size_align(variable->type, &size, &align);
      argument->offset = variable->data.driver_location;
      argument->size = size;
      argument->kind = arg->address_qualifier == CLC_KERNEL_ARG_ADDRESS_PRIVATE ? AGX_ARGUMENT_VALUE
                       : arg->address_qualifier == CLC_KERNEL_ARG_ADDRESS_LOCAL ? AGX_ARGUMENT_LOCAL
                                                                                : AGX_ARGUMENT_BUFFER;
      argument->read_only =
          argument->kind == AGX_ARGUMENT_BUFFER && (arg->address_qualifier == CLC_KERNEL_ARG_ADDRESS_CONSTANT ||
                                                    (arg->type_qualifier & CLC_KERNEL_ARG_TYPE_CONST) != 0);
      cut(argument->name, sizeof(argument->name), arg->name);
      cut(argument->type, sizeof(argument->type), arg->type_name);
   }
   return arguments;
}

static nir_shader *read_kernel(const uint32_t *words, size_t count, const char *name,
                               const struct compiler_options *options, struct compiler_result *result)
{
   struct spirv_to_nir_options spirv_options = compiler_spirv_options();
   struct spirv_log log = {.result = result, .words = words, .count = count};

   spirv_options.clc_shader = compiler_libclc();
   spirv_options.debug.func = log_spirv;
   spirv_options.debug.private_data = &log;
   spirv_options.debug_info = options->lines && compiler_lines_start(words, count);
   nir_shader *nir =
       compat_kernel_to_nir(words, count, name, &spirv_options, compiler_nir_options(options->keep_atomics));
   if (nir != NULL && spirv_options.debug_info) {
      compiler_lines_strip(nir);
   }
   if (nir != NULL) {
      const bool any = nir->info.workgroup_size[0] == 0 && options->group[0] != 0;
      for (unsigned i = 0; any && i < 3; i++) {
         nir->info.workgroup_size[i] = (uint16_t)options->group[i];
      }
      nir->info.workgroup_size_variable = nir->info.workgroup_size[0] == 0;
   }
   return nir;
}

static int lower_kernel(nir_shader *nir, const struct clc_kernel_info *info, struct compiler_result *result)
{
   int ret = inline_all(nir, result);
   if (ret < 0) {
      return ret;
   }
   NIR_PASS(_, nir, nir_scale_fdiv);
   NIR_PASS(_, nir, nir_lower_variable_initializers, nir_var_function_temp | nir_var_shader_temp);
   lower_system_values(nir);
   ret = optimize(nir, result);
   return ret == 0 ? lower_memory(nir, info, result) : ret;
}

static int compile_kernel(const uint32_t *words, size_t count, const struct clc_kernel_info *info,
                          const struct compiler_options *options, struct compiler_result *result)
{
   compiler_stage(COMPILER_STAGE_NIR);
   nir_shader *nir = read_kernel(words, count, info->name, options, result);
   if (nir == NULL) {
      return compiler_refuse(result, REFUSAL_SPIRV_TO_NIR, "does not take the module"); /* the module is valid */
   }

   int ret = compiler_unsupported_variable(nir, result);
   if (ret == 0) {
      ret = lower_kernel(nir, info, result);
   }
   if (ret < 0) {
      ralloc_free(nir);
      return ret;
   }
   struct agx_argument *arguments = make_arguments(nir, info);
   if (arguments == NULL) {
      ralloc_free(nir);
      return -ENOMEM;
   }
   NIR_PASS(_, nir, nir_remove_dead_variables, nir_var_uniform, NULL);

   const struct compiler_kernel kernel = {.name = info->name, .arguments = arguments, .argument_count = info->num_args};
   ret = compiler_backend(nir, &kernel, options, result);
   free(arguments);
   return ret;
}

int compiler_kernel(const uint32_t *words, size_t count, const struct clc_kernel_info *info,
                    const struct compiler_options *options, struct compiler_result *result)
{
   const int ret = compile_kernel(words, count, info, options, result);

   if (ret == -EINVAL) {
      snprintf(result->why.kernel, sizeof(result->why.kernel), "%s", info->name);
      compiler_function_of_line(words, count, &result->why);
   }
   compiler_lines_stop();
   return ret;
}
