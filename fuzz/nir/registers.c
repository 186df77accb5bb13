/* SPDX-License-Identifier: MIT
 *
 * Sets the flags of AGX_MESA_DEBUG that Mesa's register allocator reads, in a pass that always runs before it, and
 * overrides the number of registers that a threadgroup leaves to a thread (--wrap in meson.build). Invariant: flags
 * that other passes read are those of the environment, which each compilation reads again.
 */
#include "fuzz/nir/registers.h"

#include "asahi/compiler/agx_debug.h"

static const struct {
   const char *name;
   int bits;
} files[FUZZ_REGISTER_FILES] = {
    [FUZZ_REGISTERS_ALL] = {"", 0},
    [FUZZ_REGISTERS_TIGHT] = {"demand", AGX_DBG_DEMAND},
    [FUZZ_REGISTERS_FEW] = {"spill", AGX_DBG_SPILL},
};

/* One for the process, like Mesa's own state. */
static uint32_t chosen = FUZZ_REGISTERS_ALL;

const char *fuzz_registers_name(uint32_t registers)
{
   return registers < FUZZ_REGISTER_FILES ? files[registers].name : "limit";
}

bool fuzz_registers_valid(uint32_t registers)
{
   return registers < FUZZ_REGISTER_FILES || (registers >= FUZZ_REGISTERS_LEAST && registers <= FUZZ_REGISTERS_MOST &&
                                              registers % FUZZ_REGISTERS_STEP == 0);
}

void fuzz_registers_set(uint32_t registers)
{
   chosen = fuzz_registers_valid(registers) ? registers : FUZZ_REGISTERS_ALL;
}

struct agx_context;
extern int agx_compiler_debug;
void __real_agx_lower_uniform_sources(struct agx_context *context);
void __wrap_agx_lower_uniform_sources(struct agx_context *context);

void __wrap_agx_lower_uniform_sources(struct agx_context *context)
{
   agx_compiler_debug |= files[chosen < FUZZ_REGISTER_FILES ? chosen : FUZZ_REGISTERS_TIGHT].bits;
   __real_agx_lower_uniform_sources(context);
}

unsigned __real_agx_max_registers_for_occupancy(unsigned occupancy);
unsigned __wrap_agx_max_registers_for_occupancy(unsigned occupancy);

unsigned __wrap_agx_max_registers_for_occupancy(unsigned occupancy)
{
   const unsigned most = __real_agx_max_registers_for_occupancy(occupancy);

   return chosen >= FUZZ_REGISTERS_LEAST && chosen < most ? chosen : most;
}
