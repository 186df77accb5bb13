/* SPDX-License-Identifier: MIT
 *
 * The end of every compilation: NIR becomes a struct agx_program.
 */
#ifndef COMPILER_BACKEND_H
#define COMPILER_BACKEND_H

#include "compiler/nir/nir.h"

#include "compiler/api/compiler.h"

struct compiler_kernel {
   const char *name;
   const struct agx_argument *arguments;
   size_t argument_count;
};

/* Consumes `nir`: a compute shader, one entry point with everything inlined, no variables except function temporaries,
 * arguments as load_kernel_input. Adds a program to the result, or the reason why there is none. Returns 0, -EINVAL
 * with result->why, -ENOMEM, or, on a first try (compiler_set_second_try()), -ENOSPC: the spilled values fill their
 * memory. */
int compiler_backend(nir_shader *nir, const struct compiler_kernel *kernel, const struct compiler_options *options,
                     struct compiler_result *result);

/* Refuses a program whose spilled values fill their memory. -EINVAL, with result->why. */
int compiler_refuse_spills(struct compiler_result *result);

#endif
