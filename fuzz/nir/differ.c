/* SPDX-License-Identifier: MIT
 *
 * Compares two sets of outputs. Invariant: undetermined values never differ.
 */
#include <math.h>
#include <string.h>

#include "util/half_float.h"
#include "util/u_math.h"

#include "fuzz/nir/program.h"

static bool is_nan(uint64_t value, unsigned bits)
{
   return bits == 16   ? (value & 0x7fff) > 0x7c00
          : bits == 32 ? (value & 0x7fffffff) > 0x7f800000
                       : (value & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

/* Whether the values agree within one part in 64, or within 1/64: rounding in another order changes far less, a wrong
 * term far more. */
static bool is_close(uint64_t a, uint64_t b, unsigned bits)
{
   const float x = bits == 16 ? _mesa_half_to_float((uint16_t)a) : uif((uint32_t)a);
   const float y = bits == 16 ? _mesa_half_to_float((uint16_t)b) : uif((uint32_t)b);

   return (bits != 16 && bits != 32) || fabsf(x - y) <= MAX2(fabsf(x), 1.0f) / 64;
}

static bool alike(const struct fuzz_outputs *expected, const struct fuzz_outputs *found, uint32_t output, uint32_t lane,
                  uint64_t mask)
{
   const uint64_t a = expected->value[output][lane] & mask, b = found->value[output][lane] & mask;
   const unsigned bits = expected->bits[output];

   if (expected->certainty[output][lane] >= FUZZ_DERIVED) {
      return true;
   }
   if (found->certainty[output][lane] == FUZZ_UNDEFINED) {
      return expected->certainty[output][lane] == FUZZ_CLOSE;
   }
   return a == b || (expected->certainty[output][lane] == FUZZ_ANY_NAN && is_nan(b, bits)) ||
          (expected->certainty[output][lane] == FUZZ_CLOSE && is_close(a, b, bits));
}

bool fuzz_lane_differs(const struct fuzz_outputs *expected, const struct fuzz_outputs *found, uint32_t output,
                       uint32_t lane)
{
   if (output == FUZZ_OUTPUTS) {
      return !expected->memory_undefined && !found->memory_undefined &&
             memcmp(expected->memory[lane], found->memory[lane], FUZZ_MEMORY) != 0;
   }
   const unsigned bits = expected->bits[output];
   return bits != 0 && !alike(expected, found, output, lane, fuzz_mask(bits));
}

bool fuzz_differ_from(const struct fuzz_outputs *expected, const struct fuzz_outputs *found, uint32_t first,
                      struct fuzz_difference *difference)
{
   for (uint32_t output = first; output <= FUZZ_OUTPUTS; output++) {
      for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
         if (fuzz_lane_differs(expected, found, output, lane)) {
            *difference = (struct fuzz_difference){.output = output, .lane = lane};
            if (output < FUZZ_OUTPUTS) {
               difference->expected = expected->value[output][lane] & fuzz_mask(expected->bits[output]);
               difference->found = found->value[output][lane] & fuzz_mask(expected->bits[output]);
            }
            return true;
         }
      }
   }
   return false;
}

bool fuzz_differ(const struct fuzz_outputs *expected, const struct fuzz_outputs *found,
                 struct fuzz_difference *difference)
{
   return fuzz_differ_from(expected, found, 0, difference);
}
