/* SPDX-License-Identifier: MIT
 *
 * A Mesa's own drivers as the compiler: the programs are those that the driver submits.
 */
#ifndef AGX_RUNNER_DRIVER_COMPILE_H
#define AGX_RUNNER_DRIVER_COMPILE_H

#include "agx_runner/program/program_settings.h"
#include "compiler/api/compiler.h"

/* A kernel_file_compiler: compiles with the drivers of settings->mesa, on a virtual M1. Of compiler_options it knows
 * the build options alone: programs of drivers have no source lines. */
int driver_compile(const char *path, const struct program_settings *settings,
                   const struct compiler_options *compiler_options, struct compiler_result *result);
/* The same with a module of OpenCL. */
int driver_compile_module(const struct compiler_module *module, const struct program_settings *settings,
                          struct compiler_result *result);

#endif
