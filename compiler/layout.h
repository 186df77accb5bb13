/* SPDX-License-Identifier: MIT
 *
 * The uniforms that are set when a kernel starts. This alone determines where it finds its arguments:
 * - a block of at most COMPILER_DIRECT_BYTES that is read at constant offsets only is copied into the first uniforms;
 * - any other block stays in memory, and its 64-bit address is in the first four uniforms.
 * Then follow, if the kernel needs them, struct agx_dispatch_block and the address of the constants. The uniforms
 * above belong to Mesa: the preamble's results and promoted constants.
 */
#ifndef COMPILER_LAYOUT_H
#define COMPILER_LAYOUT_H

#include "compiler/nir/nir.h"

#include "isa/program.h"

/* Memory instructions read their base address from the lower 256 half uniforms only (spec/isa.md 1.2): half of those
 * are left to Mesa's preamble. */
#define COMPILER_DIRECT_BYTES 256

/* arguments, dispatch block, constants' address, promoted constants */
#define COMPILER_MAX_RANGES 4

struct compiler_layout {
   struct agx_uniform_range ranges[COMPILER_MAX_RANGES];
   unsigned count;
   unsigned end; /* half uniforms used so far */
};

/* Lays out the values that `nir` reads, and replaces the reads (load_kernel_input, load_constant_base_ptr and the
 * system values of struct agx_dispatch_block) by loads of uniforms. `argument_bytes` is a multiple of 4. */
void compiler_layout_lower(nir_shader *nir, uint32_t argument_bytes, struct compiler_layout *layout);

#endif
