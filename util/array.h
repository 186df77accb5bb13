/* SPDX-License-Identifier: MIT
 *
 * Arrays that grow. Invariant: a size is checked for overflow before memory is asked for, and an array that cannot grow
 * stays as it is.
 *
 * The caller holds the array, its count and, for ARRAY_RESERVE, its capacity, as plain members of its own struct: the
 * array starts as NULL with a count and capacity of 0, and ends with free(). Counts and capacities are uint32_t, size_t
 * or another unsigned type of these sizes.
 *
 *    if (!ARRAY_RESERVE(list->items, list->capacity, list->count + 1)) {
 *       return -ENOMEM;
 *    }
 *    list->items[list->count++] = item;
 */
#ifndef UTIL_ARRAY_H
#define UTIL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Elements of an array whose size the compiler knows. */
#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Room for `wanted` elements in all. The capacity at least doubles, so that n additions cost O(n). New elements are
 * not initialised. false: out of memory, or the capacity would not fit its type. */
#define ARRAY_RESERVE(array, capacity, wanted)                                                                         \
   util_array_reserve(&(array), &(capacity), sizeof(capacity), (wanted), sizeof(*(array)))

/* Room for one element behind `count` ones, for arrays that keep no capacity: it is the next power of two. Only for
 * arrays that nothing else allocates. false: out of memory; the array is as before. */
#define ARRAY_RESERVE_ONE(array, count) util_array_reserve_one(&(array), (count), sizeof(*(array)))

/* What the macros call: `array` is the address of the pointer to the elements, `capacity` that of an unsigned number of
 * 4 or 8 bytes, `size` that of an element. */
bool util_array_grow(void *array, void *capacity, size_t capacity_size, size_t wanted, size_t size);
bool util_array_reserve_one(void *array, size_t count, size_t size);

static inline size_t util_array_capacity(const void *capacity, size_t capacity_size)
{
   uint32_t narrow;
   uint64_t wide;
   if (capacity_size == sizeof(narrow)) {
      memcpy(&narrow, capacity, sizeof(narrow));
      return narrow;
   }
   memcpy(&wide, capacity, sizeof(wide));
   return (size_t)wide;
}

static inline bool util_array_reserve(void *array, void *capacity, size_t capacity_size, size_t wanted, size_t size)
{
   return wanted <= util_array_capacity(capacity, capacity_size) ||
          util_array_grow(array, capacity, capacity_size, wanted, size);
}

#endif
