/* SPDX-License-Identifier: MIT
 *
 * The state that Mesa keeps for the whole process. All of it lives behind these functions.
 */
#ifndef COMPILER_MESA_H
#define COMPILER_MESA_H

#include "compiler/nir/nir.h"
#include "compiler/spirv/nir_spirv.h"

/* Before any other use of Mesa. May be called any number of times. */
void compiler_mesa_init(void);

/* The options to make a shader with. Those that keep atomics differ in their address only: nir_opt_uniform_atomics is
 * asked at it. */
const nir_shader_compiler_options *compiler_nir_options(bool keep_atomics);

/* How SPIR-V is read: the address formats that Mesa's AGX compiler expects. */
struct spirv_to_nir_options compiler_spirv_options(void);

/* libclc, the functions of OpenCL C, as a shader to link with: read from the distribution's SPIR-V at the first
 * call and kept. NULL when it is not installed. */
const nir_shader *compiler_libclc(void);

#endif
