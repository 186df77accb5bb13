/* SPDX-License-Identifier: MIT
 *
 * What Mesa's AGX backend cannot compile. It checks by assertions that are not there in a release build, so it is
 * asked here first.
 */
#ifndef COMPILER_UNSUPPORTED_H
#define COMPILER_UNSUPPORTED_H

#include "compiler/nir/nir.h"

/* NULL when the backend takes the shader, else what it cannot do, in words. `nir` has everything inlined. */
const char *compiler_unsupported(nir_shader *nir);

#endif
