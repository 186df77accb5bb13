/* SPDX-License-Identifier: MIT
 *
 * compiler_options.keep_atomics. Mesa's AGX compiler always runs nir_opt_uniform_atomics, which turns an atomic of
 * many lanes on one word into a reduction and one atomic, and has no switch for it. So the linker sends that one
 * call here (--wrap in meson.build), and the address of a shader's options, whose content is the same either way,
 * says whether the pass runs.
 *
 * As of Mesa 25.0.7 the pass finds atomics on threadgroup memory alone: those on device memory have become AGX's own
 * intrinsics before it runs and stay as they are, asked or not.
 */
#include "compiler/mesa.h"

bool __real_nir_opt_uniform_atomics(nir_shader *nir, bool fs_atomics_predicated);
bool __wrap_nir_opt_uniform_atomics(nir_shader *nir, bool fs_atomics_predicated);

bool __wrap_nir_opt_uniform_atomics(nir_shader *nir, bool fs_atomics_predicated)
{
   return nir->options != compiler_nir_options(true) && __real_nir_opt_uniform_atomics(nir, fs_atomics_predicated);
}
