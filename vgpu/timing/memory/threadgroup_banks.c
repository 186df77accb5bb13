/* SPDX-License-Identifier: MIT
 *
 * The banks of threadgroup memory: word n lies in bank n modulo their number. A bank serves one word a cycle to all
 * lanes that access it; atomics are served one lane a cycle.
 */
#include "vgpu/timing/memory/accesses.h"

#include <stdlib.h>

#include "vgpu/timing/memory/memory_params.h"
#include "util/array.h"

#define WORD 4u
#define WORDS_MOST 4u /* words of a lane */

static int compare(const void *a, const void *b)
{
   uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
   return x < y ? -1 : x > y;
}

/* Removes duplicates. Returns the new number of words. */
static unsigned distinct(uint64_t *words, unsigned count)
{
   unsigned kept = 0;
   qsort(words, count, sizeof(*words), compare);
   for (unsigned i = 0; i < count; i++) {
      if (i == 0 || words[i] != words[i - 1]) {
         words[kept++] = words[i];
      }
   }
   return kept;
}

void vgpu_access_banks(struct vgpu_accesses *accesses, const uint64_t *address, uint32_t lanes, unsigned size,
                       bool serial)
{
   uint64_t words[VGPU_LANES * (WORDS_MOST + 1)];
   uint16_t cycles[VGPU_BANKS_MOST] = {0};
   unsigned count = 0, most = 0;
   for (; lanes; lanes &= lanes - 1) {
      uint64_t at = address[__builtin_ctz(lanes)];
      for (uint64_t word = at / WORD; word <= (at + size - 1) / WORD && count < ARRAY_COUNT(words); word++) {
         words[count++] = word;
      }
   }
   if (!serial) {
      count = distinct(words, count);
   }
   for (unsigned i = 0; i < count; i++) {
      unsigned bank = (unsigned)(words[i] % accesses->banks);
      most = ++cycles[bank] > most ? cycles[bank] : most;
   }
   if (count == 0) {
      vgpu_access_none(accesses);
   } else {
      vgpu_access_append(accesses, VGPU_SPAN_FIRST | vgpu_span_make(VGPU_ACCESS_LOCAL, 0, most));
   }
}
