/* SPDX-License-Identifier: MIT
 *
 * util/array.h: what an array holds survives its growth, additions stay cheap in number, and a size that overflows is
 * refused before memory is touched.
 */
#include "util/array.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>

static void expect(bool good, const char *what, size_t number)
{
   if (!good) {
      printf("%s: %zu\n", what, number);
      check_failures++;
   }
}

static void kept_capacity(void)
{
   uint32_t *items = NULL, capacity = 0, count = 0, moves = 0;
   while (count < 100000) {
      const uint32_t before = capacity;
      expect(ARRAY_RESERVE(items, capacity, count + 1), "cannot grow", count);
      expect(capacity > count, "no room behind", count);
      moves += capacity != before;
      items[count] = count;
      count++;
   }
   for (uint32_t i = 0; i < count; i++) {
      expect(items[i] == i, "lost", i);
   }
   expect(moves <= 17, "an array of 100000 elements grew this often", moves);
   expect(ARRAY_RESERVE(items, capacity, 5) && capacity >= count, "a smaller wish shrinks it", capacity);

   size_t wide = 0;
   char *bytes = NULL;
   expect(ARRAY_RESERVE(bytes, wide, 1000) && wide >= 1000, "a wish beyond twice the capacity", wide);
   free(bytes);
   free(items);
}

static void refusals(void)
{
   struct {
      char large[4096];
   } *items = NULL;
   size_t capacity = 0;
   expect(ARRAY_RESERVE(items, capacity, 2), "two", 2);
   items[1].large[4095] = 7;
   const size_t before = capacity;
   const void *at = items;
   expect(!ARRAY_RESERVE(items, capacity, SIZE_MAX / 4096 + 2), "a size that wraps", capacity);
   expect(!ARRAY_RESERVE(items, capacity, SIZE_MAX), "the largest count", capacity);
   expect(items == at && capacity == before && items[1].large[4095] == 7, "a refusal changes the array", capacity);

   uint32_t narrow = UINT32_MAX;
   uint8_t *none = NULL;
   expect(!ARRAY_RESERVE(none, narrow, (size_t)UINT32_MAX + 1), "a capacity that does not fit its type", narrow);
   expect(none == NULL && narrow == UINT32_MAX, "a refusal changes the capacity", narrow);
   expect(!util_array_reserve_one(&items, SIZE_MAX / 2 + 1, sizeof(*items)), "one more than twice of which wraps", 0);
   expect(items == at, "a refusal moves the array", 0);
   free(items);
}

static void derived_capacity(void)
{
   uint64_t *items = NULL;
   for (size_t count = 0; count < 5000; count++) {
      expect(ARRAY_RESERVE_ONE(items, count), "no room for one", count);
      items[count] = count; /* AddressSanitizer and valgrind see a place that is not there */
   }
   for (size_t i = 0; i < 5000; i++) {
      expect(items[i] == i, "lost", i);
   }
   /* After elements were taken from the end. */
   for (size_t count = 3; count < 40; count++) {
      expect(ARRAY_RESERVE_ONE(items, count), "no room for one again", count);
      items[count] = count;
   }
   free(items);
}

int main(void)
{
   static const short three[3];
   expect(ARRAY_COUNT(three) == 3, "a count", ARRAY_COUNT(three));
   kept_capacity();
   refusals();
   derived_capacity();
   return check_failures != 0;
}
