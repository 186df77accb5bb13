/* SPDX-License-Identifier: MIT
 *
 * Access to the state that Mesa keeps for the whole process.
 */
#ifndef COMPILER_MESA_H
#define COMPILER_MESA_H

#include "compiler/nir/nir.h"
#include "compiler/spirv/nir_spirv.h"

/* Must be called before any other use of Mesa; may be called repeatedly. */
void compiler_mesa_init(void);

/* Returns the options with which to make a shader. Those that keep atomics differ in their address only, which
 * nir_opt_uniform_atomics compares. */
const nir_shader_compiler_options *compiler_nir_options(bool keep_atomics);

/* Returns the options to read SPIR-V: the address formats that Mesa's AGX compiler expects. */
struct spirv_to_nir_options compiler_spirv_options(void);

/* Returns libclc, the functions of OpenCL C, as a shader to link with. The first call reads it from the distribution's
 * SPIR-V. NULL: it is not installed. */
const nir_shader *compiler_libclc(void);

#endif
