/* SPDX-License-Identifier: MIT
 *
 * Lists of the numbers that a value had.
 */
#include "fuzz/nir/values.h"

#include <string.h>

#define MOST_TIMES 4096 /* most numbers of a lane: longer lists are truncated */

bool fuzz_series_add(struct fuzz_series *series, uint32_t lane, uint64_t value, uint8_t certainty)
{
   const uint32_t time = series->count[lane];

   if (time == series->capacity) {
      const uint32_t capacity = series->capacity == 0 ? 1 : 2 * series->capacity;
      if (capacity > MOST_TIMES) {
         return false;
      }
      uint64_t *values = realloc(series->value, (size_t)capacity * FUZZ_LANES * sizeof(*values));
      series->value = values != NULL ? values : series->value;
      uint8_t *certainties = values != NULL ? realloc(series->certainty, (size_t)capacity * FUZZ_LANES) : NULL;
      if (certainties == NULL) {
         return false;
      }
      series->certainty = certainties;
      series->capacity = capacity;
   }
   series->value[time * FUZZ_LANES + lane] = value;
   series->certainty[time * FUZZ_LANES + lane] = certainty;
   series->count[lane]++;
   return true;
}

void fuzz_series_finish(struct fuzz_series *series)
{
   free(series->value);
   free(series->certainty);
   *series = (struct fuzz_series){0};
}

void fuzz_values_finish(struct fuzz_values *values)
{
   for (size_t i = 0; i < values->count; i++) {
      fuzz_series_finish(&values->items[i]);
   }
   free(values->items);
   *values = (struct fuzz_values){0};
}
