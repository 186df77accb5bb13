/* SPDX-License-Identifier: MIT
 *
 * What the hardware punishes in straight-line code, for the assembler's warnings.
 */
#ifndef ISA_HAZARDS_H
#define ISA_HAZARDS_H

#include "isa/isa.h"

/* Asynchronous results that have not arrived, by half register. Zeroed: none. */
struct isa_hazards {
   bool pending;       /* any */
   uint8_t slot[256];  /* 1 + scoreboard slot; 0: no pending result */
   unsigned line[256]; /* of the instruction that writes it */
};

/* Call this where control may come from elsewhere: no result is then known to be pending. */
void isa_hazards_reset(struct isa_hazards *hazards);

/* The operand (index for isa_operand_at) that a warning is about, and its text; NULL: nothing to warn of. */
struct isa_hazard {
   unsigned target;
   char text[200];
};
#define ISA_HAZARDS_MAX 9
/* Takes the next instruction, of line `line`; returns how many warnings there are. */
unsigned isa_hazards_next(struct isa_hazards *hazards, const struct isa_insn *insn, unsigned line,
                          struct isa_hazard found[ISA_HAZARDS_MAX]);

#endif
