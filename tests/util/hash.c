/* SPDX-License-Identifier: MIT
 *
 * util/hash.h against a plain array: entries are found again after every growth, also where all hashes collide.
 */
#include "util/hash.h"
#include "tests/check.h"

#include <stdio.h>

static void expect(bool good, const char *what, unsigned number)
{
   if (!good) {
      printf("%s: %u\n", what, number);
      check_failures++;
   }
}

/* Keys 0..count-1, key i as entry i. `mask` cuts the hash: 0 makes all of them collide. */
static void fill(uint32_t count, uint32_t mask)
{
   struct util_hash table = {0};
   for (uint32_t key = 0; key < count; key++) {
      expect(util_hash_add(&table, util_hash_u64(key) & mask, key), "cannot be added", key);
   }
   expect(table.count == count, "wrong count", table.count);
   expect((table.capacity & (table.capacity - 1)) == 0 && table.capacity >= 2 * count, "wrong capacity",
          table.capacity);
   for (uint32_t key = 0; key < count; key++) {
      uint32_t entry, seen = 0, others = 0;
      for (struct util_hash_probe probe = util_hash_find(&table, util_hash_u64(key) & mask);
           util_hash_next(&probe, &entry);) {
         seen += entry == key;
         others += entry != key;
         expect(entry < count && (util_hash_u64(entry) & mask) == (util_hash_u64(key) & mask), "another hash", entry);
      }
      expect(seen == 1, "not found once", key);
      expect(mask != 0 || others == count - 1, "colliding entries are missing", key);
   }
   util_hash_finish(&table);
   expect(table.slots == NULL && table.count == 0, "not empty after finish", count);
}

int main(void)
{
   struct util_hash none = {0};
   struct util_hash_probe probe = util_hash_find(&none, 7);
   uint32_t entry;
   expect(!util_hash_next(&probe, &entry), "an empty table has an entry", 7);
   expect(!util_hash_reserve(&none, UINT32_MAX / 2), "a capacity that does not fit 32 bits", 0);

   fill(1, UINT32_MAX);
   fill(9, UINT32_MAX);
   fill(10000, UINT32_MAX);
   fill(300, 0);
   fill(2000, 7);

   expect(util_hash_bytes("", 0) == (2166136261u ^ 2166136261u >> 15), "FNV-1a's start", 0);
   expect(util_hash_bytes("ab", 2) != util_hash_bytes("ba", 2), "order does not count", 0);
   return check_failures != 0;
}
