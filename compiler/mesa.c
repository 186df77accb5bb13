/* SPDX-License-Identifier: MIT
 *
 * Mesa's initialisation, its compiler options, libclc and version. Invariant: each process-wide object is made once
 * and lives until the end of the process.
 */
#include "compiler/mesa.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "asahi/compiler/agx_compile.h"
#include "compiler/clc/nir_clc_helpers.h"
#include "compiler/glsl_types.h"
#include "compiler/nir/nir_builder.h"
#include "git_sha1.h"

#include "compiler/api/compiler.h"

static nir_shader_compiler_options nir_options[2]; /* by keep_atomics */

/* Mesa interns types in a table that lives while somebody holds a reference. It is held until the end of the process,
 * because libclc's shader refers to it. */
void compiler_mesa_init(void)
{
   static bool done;

   if (done) {
      return;
   }
   done = true;
   glsl_type_singleton_init_or_ref();
   for (unsigned i = 0; i < ARRAY_SIZE(nir_options); i++) {
      nir_options[i] = agx_nir_options;
      /* In 25.0.7 nir_opt_algebraic recombines this operation after nir_lower_pack has split it, and the AGX compiler
       * has no code for it: as_ulong(ushort4) ends the process. */
      nir_options[i].lower_pack_64_4x16 = true;
   }
}

const nir_shader_compiler_options *compiler_nir_options(bool keep_atomics)
{
   return &nir_options[keep_atomics];
}

struct spirv_to_nir_options compiler_spirv_options(void)
{
   return (struct spirv_to_nir_options){
       .environment = NIR_SPIRV_OPENCL,
       /* One format for everything that a generic pointer can point to: the two bits above the address name the
        * memory. */
       .shared_addr_format = nir_address_format_62bit_generic,
       .global_addr_format = nir_address_format_62bit_generic,
       .temp_addr_format = nir_address_format_62bit_generic,
       .constant_addr_format = nir_address_format_64bit_global,
       /* as the hardware does (spec/isa.md 3.2), so that constant folding gives the same results */
       .float_controls_execution_mode = FLOAT_CONTROLS_DENORM_FLUSH_TO_ZERO_FP32 | FLOAT_CONTROLS_DENORM_PRESERVE_FP16 |
                                        FLOAT_CONTROLS_ROUNDING_MODE_RTE_FP16 | FLOAT_CONTROLS_ROUNDING_MODE_RTE_FP32,
       .skip_os_break_in_debug_build = true,
       .printf = true, /* so that compiler_unsupported() can refuse printf */
   };
}

/* LLVM 22's libclc calls this function in sin(), cos(), tan() and remquo(), but its SPIR-V does not define it. The
 * function returns its argument, with zero in place of a denormal number if the device has none. Arithmetic on the
 * device flushes denormal numbers itself (spec/isa.md 3.2), so the argument alone is right. */
#define FLUSH_DENORMAL "_Z37__clc_flush_denormal_if_not_supported"

static void define_missing(nir_shader *libclc)
{
   nir_foreach_function (function, libclc) {
      if (function->impl == NULL && function->num_params == 2 &&
          !strncmp(function->name, FLUSH_DENORMAL, strlen(FLUSH_DENORMAL))) {
         nir_builder b = nir_builder_at(nir_before_impl(nir_function_impl_create(function)));
         nir_deref_instr *result =
             nir_build_deref_cast(&b, nir_load_param(&b, 0), nir_var_function_temp, function->params[0].type, 0);
         nir_store_deref(&b, result, nir_load_param(&b, 1), ~0u);
      }
   }
}

/* Mesa copies each function of libclc that takes a pointer to global memory, and makes the pointer of the copy generic.
 * The calls in the copy still go to functions for global memory: frexp(half4) of LLVM 19's libclc calls frexp(half2).
 * They belong to the copies of those (docs/mesa-bugs.md, F32). */
static void call_generic_copies(nir_shader *libclc)
{
   nir_foreach_function_impl (impl, libclc) {
      if (strstr(impl->function->name, "U3AS4") == NULL) {
         continue;
      }
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            nir_call_instr *call = instr->type == nir_instr_type_call ? nir_instr_as_call(instr) : NULL;
            char *name = call != NULL ? strdup(call->callee->name) : NULL;
            char *space = name != NULL ? strstr(name, "U3AS1") : NULL;

            if (space != NULL) {
               space[4] = '4';
               nir_function *copy = nir_shader_get_function_for_name(libclc, name);
               call->callee = copy != NULL ? copy : call->callee;
            }
            free(name);
         }
      }
   }
}

const nir_shader *compiler_libclc(void)
{
   static nir_shader *libclc;

   if (libclc == NULL) {
      const struct spirv_to_nir_options options = compiler_spirv_options();
      libclc = nir_load_libclc_shader(64, NULL, &options, compiler_nir_options(false), false);
      if (libclc != NULL) {
         define_missing(libclc);
         call_generic_copies(libclc);
      }
   }
   return libclc;
}

static void *load_libclc(void *unused)
{
   (void)compiler_libclc(); /* if it is missing, a compilation reports it */
   return unused;
}

/* Loads in a thread, so that malloc() takes the memory from another arena. Loading leaves holes in some thousand pages,
 * and a forked process that allocated from those holes would copy each page that it touches. */
void compiler_prepare(void)
{
   static bool done;
   pthread_t thread;

   if (done) {
      return;
   }
   done = true;
   compiler_mesa_init();
   if (pthread_create(&thread, NULL, load_libclc, NULL) != 0) {
      (void)load_libclc(NULL);
      return;
   }
   (void)pthread_join(thread, NULL);
}

const char *compiler_mesa_version(void)
{
   return PACKAGE_VERSION MESA_GIT_SHA1;
}

/* compiler_options.keep_atomics. Mesa's AGX compiler always runs nir_opt_uniform_atomics, which turns an atomic of many
 * lanes on one word into a reduction and one atomic, and has no option to disable it. So the linker redirects that call
 * to this function (--wrap in meson.build), and the address of a shader's options, whose contents are equal, tells
 * whether the pass runs.
 *
 * In Mesa 25.0.7 the pass finds atomics on threadgroup memory only: those on device memory have become AGX's own
 * intrinsics before it runs and do not change. */
bool __real_nir_opt_uniform_atomics(nir_shader *nir, bool fs_atomics_predicated);
bool __wrap_nir_opt_uniform_atomics(nir_shader *nir, bool fs_atomics_predicated);

bool __wrap_nir_opt_uniform_atomics(nir_shader *nir, bool fs_atomics_predicated)
{
   return nir->options != compiler_nir_options(true) && __real_nir_opt_uniform_atomics(nir, fs_atomics_predicated);
}
