/* SPDX-License-Identifier: MIT
 *
 * What Mesa's AGX backend cannot compile. It checks by assertions that are not there in a release build, so it is
 * asked here first.
 */
#ifndef COMPILER_UNSUPPORTED_H
#define COMPILER_UNSUPPORTED_H

#include "compiler/nir/nir.h"

/* The same for a shader as spirv_to_nir made it: an argument or variable that no later step can handle, such as an
 * image. */
const char *compiler_unsupported_variable(nir_shader *nir);

/* NULL when the backend takes the shader, else what it cannot do, in words. `nir` has everything inlined. */
const char *compiler_unsupported(nir_shader *nir);

#endif
