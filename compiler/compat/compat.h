/* SPDX-License-Identifier: MIT
 *
 * What differs between the Mesas that the compiler is built with. Each section has a function of ours, in the form of
 * Mesa 25.0 (COMPAT_OLD) and in the later one (COMPAT_NEW). choose.py compiles the sections with Mesa's headers when
 * the build is configured, and writes the chosen forms to compat_config.h. Invariant: both forms do the same; the
 * comment in front of a section says what changed, and is the message if neither form compiles.
 */
#ifndef COMPILER_COMPAT_H
#define COMPILER_COMPAT_H

#define COMPAT_OLD 1
#define COMPAT_NEW 2

#include "compiler/compat/compat_config.h"

#include "asahi/compiler/agx_compile.h"
#include "compiler/nir/nir_builder.h"
#include "compiler/spirv/nir_spirv.h"

/* ---- Passes ---- */

/* nir_copy_prop() became nir_opt_copy_prop() */
#if COMPAT_COPY_PROP == COMPAT_OLD
static inline bool compat_copy_prop(nir_shader *nir)
{
   return nir_copy_prop(nir);
}
#elif COMPAT_COPY_PROP == COMPAT_NEW
static inline bool compat_copy_prop(nir_shader *nir)
{
   return nir_opt_copy_prop(nir);
}
#endif

/* nir_opt_peephole_select() takes a struct in place of numbers */
#if COMPAT_PEEPHOLE_SELECT == COMPAT_OLD
static inline bool compat_peephole_select(nir_shader *nir, unsigned limit, bool indirect_loads, bool expensive_alu)
{
   return nir_opt_peephole_select(nir, limit, indirect_loads, expensive_alu);
}
#elif COMPAT_PEEPHOLE_SELECT == COMPAT_NEW
static inline bool compat_peephole_select(nir_shader *nir, unsigned limit, bool indirect_loads, bool expensive_alu)
{
   const nir_opt_peephole_select_options options = {
       .limit = limit, .indirect_load_ok = indirect_loads, .expensive_alu_ok = expensive_alu};

   return nir_opt_peephole_select(nir, &options);
}
#endif

/* nir_lower_vars_to_scratch() takes no modes */
#if COMPAT_VARS_TO_SCRATCH == COMPAT_OLD
static inline bool compat_vars_to_scratch(nir_shader *nir, int bytes, glsl_type_size_align_func size_align)
{
   return nir_lower_vars_to_scratch(nir, nir_var_function_temp, bytes, size_align, size_align);
}
#elif COMPAT_VARS_TO_SCRATCH == COMPAT_NEW
static inline bool compat_vars_to_scratch(nir_shader *nir, int bytes, glsl_type_size_align_func size_align)
{
   return nir_lower_vars_to_scratch(nir, bytes, size_align, size_align);
}
#endif

/* nir_lower_indirect_derefs() became nir_lower_indirect_derefs_to_if_else_trees() */
#if COMPAT_INDIRECT_DEREFS == COMPAT_OLD
static inline bool compat_indirect_derefs(nir_shader *nir, nir_variable_mode modes)
{
   return nir_lower_indirect_derefs(nir, modes, UINT32_MAX);
}
#elif COMPAT_INDIRECT_DEREFS == COMPAT_NEW
static inline bool compat_indirect_derefs(nir_shader *nir, nir_variable_mode modes)
{
   return nir_lower_indirect_derefs_to_if_else_trees(nir, modes, UINT32_MAX);
}
#endif

/* nir_metadata_preserve() became nir_progress(), whose kept metadata counts only if there was progress */
#if COMPAT_PROGRESS == COMPAT_OLD
static inline bool compat_progress(bool progress, nir_function_impl *impl, nir_metadata kept)
{
   nir_metadata_preserve(impl, progress ? kept : nir_metadata_all);
   return progress;
}
#elif COMPAT_PROGRESS == COMPAT_NEW
static inline bool compat_progress(bool progress, nir_function_impl *impl, nir_metadata kept)
{
   return nir_progress(progress, impl, kept);
}
#endif

/* ---- Definitions and uses ---- */

/* nir_def.parent_instr became nir_def_instr() */
#if COMPAT_DEF_INSTR == COMPAT_OLD
static inline nir_instr *compat_def_instr(nir_def *def)
{
   return def->parent_instr;
}
#elif COMPAT_DEF_INSTR == COMPAT_NEW
static inline nir_instr *compat_def_instr(nir_def *def)
{
   return nir_def_instr(def);
}
#endif

/* nir_def_rewrite_uses_after() with an instruction became nir_def_rewrite_uses_after_instr() */
#if COMPAT_REWRITE_USES == COMPAT_OLD
static inline void compat_rewrite_uses_after(nir_def *def, nir_def *by, nir_instr *after)
{
   nir_def_rewrite_uses_after(def, by, after);
}
#elif COMPAT_REWRITE_USES == COMPAT_NEW
static inline void compat_rewrite_uses_after(nir_def *def, nir_def *by, nir_instr *after)
{
   nir_def_rewrite_uses_after_instr(def, by, after);
}
#endif

/* ---- Loads and stores ---- */

/* nir_load_global() takes the alignment as an index, behind the address */
#if COMPAT_LOAD_GLOBAL == COMPAT_OLD
static inline nir_def *compat_load_global(nir_builder *b, nir_def *address, unsigned align, unsigned components,
                                          unsigned bits)
{
   return nir_load_global(b, address, align, components, bits);
}
#elif COMPAT_LOAD_GLOBAL == COMPAT_NEW
static inline nir_def *compat_load_global(nir_builder *b, nir_def *address, unsigned align, unsigned components,
                                          unsigned bits)
{
   return nir_load_global(b, components, bits, address, .align_mul = align);
}
#endif

/* nir_store_global() takes the value before the address, the alignment and the mask as indices */
#if COMPAT_STORE_GLOBAL == COMPAT_OLD
static inline void compat_store_global(nir_builder *b, nir_def *address, unsigned align, nir_def *value,
                                       nir_component_mask_t mask)
{
   nir_store_global(b, address, align, value, mask);
}
#elif COMPAT_STORE_GLOBAL == COMPAT_NEW
static inline void compat_store_global(nir_builder *b, nir_def *address, unsigned align, nir_def *value,
                                       nir_component_mask_t mask)
{
   nir_store_global(b, value, address, .write_mask = mask, .align_mul = align);
}
#endif

/* nir_build_load_global_constant() became nir_load_global_constant() */
#if COMPAT_LOAD_CONSTANT == COMPAT_OLD
static inline nir_def *compat_load_global_constant(nir_builder *b, const nir_def *like, nir_def *address,
                                                   enum gl_access_qualifier access, unsigned mul, unsigned offset)
{
   return nir_build_load_global_constant(b, like->num_components, like->bit_size, address, .access = access,
                                         .align_mul = mul, .align_offset = offset);
}
#elif COMPAT_LOAD_CONSTANT == COMPAT_NEW
static inline nir_def *compat_load_global_constant(nir_builder *b, const nir_def *like, nir_def *address,
                                                   enum gl_access_qualifier access, unsigned mul, unsigned offset)
{
   return nir_load_global_constant(b, like->num_components, like->bit_size, address, .access = access, .align_mul = mul,
                                   .align_offset = offset);
}
#endif

/* ---- The front end and the AGX backend ---- */

/* spirv_to_nir() takes no number of specialization constants */
#if COMPAT_SPIRV_TO_NIR == COMPAT_OLD
static inline nir_shader *compat_kernel_to_nir(const uint32_t *words, size_t count, const char *name,
                                               const struct spirv_to_nir_options *options,
                                               const nir_shader_compiler_options *nir_options)
{
   return spirv_to_nir(words, count, NULL, 0, MESA_SHADER_KERNEL, name, options, nir_options);
}
#elif COMPAT_SPIRV_TO_NIR == COMPAT_NEW
static inline nir_shader *compat_kernel_to_nir(const uint32_t *words, size_t count, const char *name,
                                               const struct spirv_to_nir_options *options,
                                               const nir_shader_compiler_options *nir_options)
{
   return spirv_to_nir(words, count, NULL, MESA_SHADER_KERNEL, name, options, nir_options);
}
#endif

/* agx_preprocess_nir() takes no libagx */
#if COMPAT_PREPROCESS == COMPAT_OLD
static inline void compat_agx_preprocess(nir_shader *nir)
{
   agx_preprocess_nir(nir, NULL);
}
#elif COMPAT_PREPROCESS == COMPAT_NEW
static inline void compat_agx_preprocess(nir_shader *nir)
{
   agx_preprocess_nir(nir);
}
#endif

/* agx_compile_shader_nir() takes no callback for statistics */
#if COMPAT_AGX_COMPILE == COMPAT_OLD
static inline void compat_agx_compile(nir_shader *nir, struct agx_shader_key *key, struct agx_shader_part *part)
{
   agx_compile_shader_nir(nir, key, NULL, part);
}
#elif COMPAT_AGX_COMPILE == COMPAT_NEW
static inline void compat_agx_compile(nir_shader *nir, struct agx_shader_key *key, struct agx_shader_part *part)
{
   agx_compile_shader_nir(nir, key, part);
}
#endif

/* compiler/lines uses internals of Mesa 25.0: places that are instructions, and the libagx of a key. The build leaves
 * out the lines where it finds the later form. */
#if COMPAT_LINES == COMPAT_OLD
static inline bool compat_has_lines(const nir_instr *instr, const struct agx_shader_key *key)
{
   return instr->type == nir_instr_type_debug_info && key->libagx == NULL;
}
#elif COMPAT_LINES == COMPAT_NEW
static inline bool compat_has_lines(const nir_instr *instr, const struct agx_shader_key *key)
{
   return instr == NULL && key == NULL;
}
#endif

#endif
