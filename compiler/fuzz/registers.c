/* SPDX-License-Identifier: MIT
 *
 * Sets the switches of AGX_MESA_DEBUG that Mesa's register allocator reads, in a pass that always runs before it
 * (--wrap in meson.build). Invariant: the switches that other passes read are those of the environment, which each
 * compilation reads anew.
 */
#include "compiler/fuzz/registers.h"

#include "asahi/compiler/agx_debug.h"

static const struct {
   const char *name;
   int bits;
} files[FUZZ_REGISTER_FILES] = {
    [FUZZ_REGISTERS_ALL] = {"", 0},
    [FUZZ_REGISTERS_TIGHT] = {"demand", AGX_DBG_DEMAND},
    [FUZZ_REGISTERS_FEW] = {"spill", AGX_DBG_SPILL},
};

/* One for the process, as Mesa's own state is. */
static uint32_t chosen = FUZZ_REGISTERS_ALL;

const char *fuzz_registers_name(uint32_t registers)
{
   return registers < FUZZ_REGISTER_FILES ? files[registers].name : "";
}

void fuzz_registers_set(uint32_t registers)
{
   chosen = registers < FUZZ_REGISTER_FILES ? registers : FUZZ_REGISTERS_ALL;
}

struct agx_context;
extern int agx_compiler_debug;
void __real_agx_lower_uniform_sources(struct agx_context *context);
void __wrap_agx_lower_uniform_sources(struct agx_context *context);

void __wrap_agx_lower_uniform_sources(struct agx_context *context)
{
   agx_compiler_debug |= files[chosen].bits;
   __real_agx_lower_uniform_sources(context);
}
