/* SPDX-License-Identifier: MIT
 *
 * The pattern around a buffer. Each word is a signalling NaN that differs from word to word, and so is its lower half
 * as a 16-bit NaN: arithmetic quiets it, so that even "y[i] += 0" is detected. Only a copy of the very value, or an
 * integer to which 0 is added, is not. No byte is one that kernels often write: zero, a small number, a letter, all
 * ones.
 */
#include "agx_runner/launch/canary.h"

/* Returns the pattern's byte at that distance from a multiple of 4. The pattern may start at any byte. */
static uint8_t pattern(size_t offset)
{
   const uint32_t mixed =
       (uint32_t)(offset / 4 + 1) * UINT32_C(0x9e3779b1); /* its upper bits differ from word to word */
   const uint8_t bytes[] = {
       (uint8_t)(0x81 + (mixed >> 26)),
       (uint8_t)(0x7c | (mixed >> 25 & 1) | (mixed >> 17 & 0x80)),
       (uint8_t)(0x81 + (mixed >> 18 & 63) % 62),
       0x7f,
   };

   return bytes[offset % 4];
}

static void fill(uint8_t *bytes, size_t count, size_t offset)
{
   for (size_t i = 0; i < count; i++) {
      bytes[i] = pattern(offset + i);
   }
}

/* first and last count from `bytes`. */
static struct canary_damage compare(const uint8_t *bytes, size_t count, size_t offset)
{
   struct canary_damage damage = {0};

   for (size_t i = 0; i < count; i++) {
      if (bytes[i] != pattern(offset + i)) {
         damage.first = damage.bytes == 0 ? i : damage.first;
         damage.last = i;
         damage.bytes++;
      }
   }
   return damage;
}

void canary_fill(struct asahi_buffer *buffer)
{
   uint8_t *map = asahi_buffer_map(buffer);
   const size_t before = asahi_buffer_before(buffer);

   if (before > 0) {
      fill(map - before, before, 0);
   }
   fill(map + asahi_buffer_size(buffer), asahi_buffer_behind(buffer), asahi_buffer_size(buffer));
}

struct canary_damage canary_before(struct asahi_buffer *buffer)
{
   const uint8_t *map = asahi_buffer_map(buffer);
   const size_t before = asahi_buffer_before(buffer);
   struct canary_damage damage = compare(map - before, before, 0);

   damage.first = before - damage.first;
   damage.last = before - damage.last;
   return damage;
}

struct canary_damage canary_behind(struct asahi_buffer *buffer)
{
   const uint8_t *map = asahi_buffer_map(buffer);
   const size_t size = asahi_buffer_size(buffer);
   struct canary_damage damage = compare(map + size, asahi_buffer_behind(buffer), size);

   damage.first += size;
   damage.last += size;
   return damage;
}
