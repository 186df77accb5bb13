/* SPDX-License-Identifier: MIT
 *
 * Where code ends whose size nobody has told. Invariant: execution that begins at the first byte, and jumps only where
 * branches say, does not leave the code.
 */
#include "isa/isa.h"

uint32_t isa_code_extent(const struct isa_set *set, const uint8_t *code, uint32_t most)
{
   int64_t furthest = 0;
   uint32_t at = 0;
   while (at < most) {
      struct isa_insn insn;
      isa_decode(set, code + at, most - at, &insn);
      if (insn.row == NULL) {
         break; /* the launch ends with a fault there, if it gets there */
      }
      if (isa_is_branch(&insn) && (int64_t)at + insn.mod[ISA_MOD_TARGET] > furthest) {
         furthest = (int64_t)at + insn.mod[ISA_MOD_TARGET];
      }
      at += insn.length;
      if (isa_is_end(&insn) && (int64_t)at > furthest) {
         break;
      }
   }
   return at < most ? at : most;
}
