/* SPDX-License-Identifier: MIT
 *
 * Leaves out the backend's optimizations one at a time, the last one first. Invariant: a pass is blamed only if the
 * program is right without it whatever registers there are.
 */
#include "fuzz/backend_blame.h"

#include "fuzz/nir/registers.h"
#include "util/array.h"

/* If the program is wrong without the pass as soon as there are other registers, the pass only changed which of them
 * are used, or what is spilled. */
static bool is_cure(backend_try *try_again, void *data, unsigned pass)
{
   static const uint32_t registers[] = {0, FUZZ_REGISTERS_TIGHT, FUZZ_REGISTERS_FEW, FUZZ_REGISTERS_LEAST};

   for (unsigned i = 0; i < ARRAY_COUNT(registers); i++) {
      const struct backend_trial trial = {.skip = pass, .registers = registers[i]};
      const enum verdict verdict = try_again(&trial, data);
      if (i == 0 ? verdict != VERDICT_ALIKE : verdict == VERDICT_DIFFERENT) {
         return false;
      }
   }
   return true;
}

unsigned backend_blame(backend_try *try_again, void *data, bool *phis)
{
   const unsigned none = fuzz_backend_pass_count();
   const struct backend_trial second = {.skip = none, .phis_in_registers = true};

   *phis = false;
   for (unsigned pass = 0; pass < none; pass++) {
      if (is_cure(try_again, data, pass)) {
         return pass;
      }
   }
   *phis = try_again(&second, data) == VERDICT_ALIKE;
   return none;
}
