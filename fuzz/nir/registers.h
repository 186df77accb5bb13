/* SPDX-License-Identifier: MIT
 *
 * The number of registers that the backend may use. With few of them, small programs show faults that otherwise need
 * hundreds of values.
 */
#ifndef COMPILER_FUZZ_REGISTERS_H
#define COMPILER_FUZZ_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

enum fuzz_registers {
   FUZZ_REGISTERS_ALL,
   FUZZ_REGISTERS_TIGHT, /* as many as are live at once: AGX_MESA_DEBUG=demand */
   FUZZ_REGISTERS_FEW,   /* a dozen of 32 bits, so that most programs spill: AGX_MESA_DEBUG=spill */
   FUZZ_REGISTER_FILES,
   /* A larger number is a limit: that many 16-bit registers, a multiple of FUZZ_REGISTERS_STEP, of which as many are
    * used as are live at once. Only the shrinker makes such programs. Mesa's own smallest limit is 24. */
   FUZZ_REGISTERS_LEAST = 24,
   FUZZ_REGISTERS_MOST = 256,
   FUZZ_REGISTERS_STEP = 8 /* Mesa aligns its limit to this */
};

/* Whether a program may have this number. */
bool fuzz_registers_valid(uint32_t registers);

/* Returns "demand" or "spill", the flag of AGX_MESA_DEBUG; "limit", for which Mesa has none; "" for all registers. */
const char *fuzz_registers_name(uint32_t registers);
/* Applies in this process until another number is set. */
void fuzz_registers_set(uint32_t registers);

#endif
