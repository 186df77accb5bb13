/* SPDX-License-Identifier: MIT
 *
 * Compares each value of NIR in each form that a register may hold it in.
 */
#include "fuzz/slice/match.h"

/* A value of NIR counts as identified by this number of lanes and of different numbers. */
#define ENOUGH_LANES 4
#define ENOUGH_NUMBERS 3

/* Returns the number of forms in which a register of `bits` may hold a value: its parts, or extensions. */
static unsigned form_count(unsigned bits, unsigned value_bits)
{
   return value_bits > bits ? value_bits / bits : value_bits == bits || value_bits == 1 ? 1 : 2;
}

static uint64_t in_form(unsigned form, uint64_t value, unsigned value_bits, unsigned bits)
{
   if (value_bits > bits) {
      return value >> form * bits & fuzz_mask(bits);
   }
   const bool negative = form == 1 && value >> (value_bits - 1) & 1;
   return (negative ? value | ~fuzz_mask(value_bits) : value) & fuzz_mask(bits);
}

struct agreement {
   uint64_t equal, different; /* lanes */
   uint64_t numbers[ENOUGH_NUMBERS];
   unsigned number_count; /* different numbers among the equal ones */
};

static void count_number(struct agreement *agreement, uint64_t number)
{
   for (unsigned i = 0; i < agreement->number_count; i++) {
      if (agreement->numbers[i] == number) {
         return;
      }
   }
   if (agreement->number_count < ENOUGH_NUMBERS) {
      agreement->numbers[agreement->number_count++] = number;
   }
}

/* Whether the value never changes, so that it may be loaded again wherever it is used. */
static bool is_constant(const struct fuzz_series *value)
{
   return value->count[0] != 0 && value->certainty[0] == FUZZ_EXACT && match_constant(value);
}

static void compare_lane(const struct fuzz_series *series, const struct fuzz_series *value, unsigned form,
                         uint32_t lane, bool constant, bool cut, struct agreement *agreement)
{
   const uint64_t bit = UINT64_C(1) << lane;
   const bool often = value->count[lane] == series->count[lane] || (cut && value->count[lane] > series->count[lane]);

   if (!constant && !often && value->count[lane] != 1) {
      agreement->different |= bit;
      return;
   }
   for (uint32_t i = 0; i < series->count[lane]; i++) {
      const uint32_t at = constant ? 0 : (value->count[lane] == 1 ? 0 : i) * FUZZ_LANES + lane;
      const uint64_t wanted = in_form(form, value->value[at], value->bits, series->bits);
      if (value->certainty[at] != FUZZ_EXACT) {
         continue;
      }
      if (series->value[i * FUZZ_LANES + lane] != wanted) {
         agreement->different |= bit;
         return;
      }
      agreement->equal |= bit;
      count_number(agreement, wanted);
   }
}

enum match match_values(const struct match_with *with, const struct fuzz_series *series, uint32_t *right)
{
   const struct fuzz_values *values = with->values;
   uint32_t count = 0;
   bool known = false, any = false;

   for (size_t i = 0; i < values->count; i++) {
      const struct fuzz_series *value = &values->items[i];
      const bool constant = is_constant(value);
      bool fits = false;
      for (unsigned form = 0; value->kind == with->kind && form < form_count(series->bits, value->bits); form++) {
         struct agreement agreement = {0};
         for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
            if (series->count[lane] != 0) {
               compare_lane(series, value, form, lane, constant, with->cut >> lane & 1, &agreement);
            }
         }
         fits |= agreement.different == 0 && agreement.equal != 0;
         known |= (agreement.different & with->good) == 0 && __builtin_popcountll(agreement.equal) >= ENOUGH_LANES &&
                  agreement.number_count >= ENOUGH_NUMBERS;
      }
      any |= fits;
      count += fits && !value->moved ? 1 : 0;
   }
   if (right != NULL) {
      *right = count;
   }
   return any ? MATCH_RIGHT : known ? MATCH_WRONG : MATCH_NONE;
}

bool match_constant(const struct fuzz_series *series)
{
   const uint64_t *first = NULL;

   for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
      for (uint32_t i = 0; i < series->count[lane]; i++) {
         const uint64_t *value = &series->value[i * FUZZ_LANES + lane];
         first = first != NULL ? first : value;
         if (*value != *first) {
            return false;
         }
      }
   }
   return true;
}

bool match_same(const struct fuzz_series *a, const struct fuzz_series *b)
{
   for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
      for (uint32_t i = 0; i < a->count[lane]; i++) {
         if (a->count[lane] != b->count[lane] || a->value[i * FUZZ_LANES + lane] != b->value[i * FUZZ_LANES + lane]) {
            return false;
         }
      }
   }
   return true;
}
