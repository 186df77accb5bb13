/* SPDX-License-Identifier: MIT
 *
 * The slow path of arrays that grow. A pointer to an array of any type is read and written as bytes: void ** would be
 * another type than the caller's.
 */
#include "util/array.h"

#include <stdlib.h>

#define FIRST 16u /* elements that an array gets at first */

static bool resize(void *array, size_t capacity, size_t size)
{
   void *items;
   size_t bytes;
   if (__builtin_mul_overflow(capacity, size, &bytes)) {
      return false;
   }
   memcpy(&items, array, sizeof(items));
   void *resized = realloc(items, bytes); /* not reallocarray(): a linker wrap of malloc() sees this one */
   if (resized != NULL) {
      memcpy(array, &resized, sizeof(resized));
   }
   return resized != NULL;
}

bool util_array_grow(void *array, void *capacity, size_t capacity_size, size_t wanted, size_t size)
{
   const size_t most = capacity_size == sizeof(uint32_t) ? UINT32_MAX : SIZE_MAX;
   const size_t now = util_array_capacity(capacity, capacity_size);
   size_t next = now > most / 2 ? most : now * 2;
   next = next > FIRST ? next : FIRST;
   next = next > wanted ? next : wanted;
   if (wanted > most || !resize(array, next, size)) {
      return false;
   }
   const uint32_t narrow = (uint32_t)next;
   const uint64_t wide = next;
   memcpy(capacity, capacity_size == sizeof(narrow) ? (const void *)&narrow : &wide, capacity_size);
   return true;
}

bool util_array_reserve_one(void *array, size_t count, size_t size)
{
   if ((count & (count - 1)) != 0) {
      return true;
   }
   return count <= SIZE_MAX / 2 && resize(array, count == 0 ? 1 : count * 2, size);
}
