/* SPDX-License-Identifier: MIT
 *
 * The hash table of this project: from a key's hash to the number of an entry in an array that the caller keeps.
 *
 * The table stores hashes and entry numbers, no keys. The caller compares keys, so that one table serves names,
 * addresses and blobs alike. Open addressing with linear probing; at most half of the slots are used. There is no
 * removal. Entry numbers stay the same when the table grows.
 *
 *    uint32_t entry;
 *    for (struct util_hash_probe probe = util_hash_find(&table, hash); util_hash_next(&probe, &entry);) {
 *       if (keys_are_equal(&array[entry], key)) {
 *          return &array[entry];
 *       }
 *    }
 */
#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct util_hash_slot {
   uint32_t hash;
   uint32_t entry; /* entry number + 1; 0: the slot is free */
};

/* All zero: an empty table. */
struct util_hash {
   struct util_hash_slot *slots;
   uint32_t capacity; /* 0, or a power of two */
   uint32_t count;
};

struct util_hash_probe {
   const struct util_hash *table;
   uint32_t hash, at;
};

/* FNV-1a of some bytes. */
static inline uint32_t util_hash_bytes(const void *bytes, size_t size)
{
   const uint8_t *byte = (const uint8_t *)bytes;
   uint32_t hash = 2166136261u;
   for (size_t i = 0; i < size; i++) {
      hash = (hash ^ byte[i]) * 16777619u;
   }
   return hash ^ hash >> 15;
}

/* The hash of an address or another 64-bit key. */
static inline uint32_t util_hash_u64(uint64_t key)
{
   return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static inline void util_hash_finish(struct util_hash *table)
{
   free(table->slots);
   *table = (struct util_hash){NULL, 0, 0};
}

/* A probe over all entries that were added with this hash. */
static inline struct util_hash_probe util_hash_find(const struct util_hash *table, uint32_t hash)
{
   return (struct util_hash_probe){table, hash, hash};
}

/* The next entry; false: there is none. The table must not change while a probe runs over it. */
static inline bool util_hash_next(struct util_hash_probe *probe, uint32_t *entry)
{
   const struct util_hash *table = probe->table;
   if (table->capacity == 0) {
      return false;
   }
   for (;;) {
      const struct util_hash_slot *slot = &table->slots[probe->at++ & (table->capacity - 1)];
      if (slot->entry == 0) {
         return false;
      }
      if (slot->hash == probe->hash) {
         *entry = slot->entry - 1;
         return true;
      }
   }
}

static inline void util_hash_put(struct util_hash *table, struct util_hash_slot slot)
{
   uint32_t at = slot.hash;
   while (table->slots[at & (table->capacity - 1)].entry != 0) {
      at++;
   }
   table->slots[at & (table->capacity - 1)] = slot;
}

/* Makes room for `count` entries in total. false: out of memory or too many entries; the table is as before. */
static inline bool util_hash_reserve(struct util_hash *table, uint32_t count)
{
   struct util_hash bigger = {NULL, table->capacity != 0 ? table->capacity : 16, table->count};
   if (count > UINT32_MAX / 4) {
      return false;
   }
   while (bigger.capacity / 2 < count) {
      bigger.capacity *= 2;
   }
   if (bigger.capacity == table->capacity) {
      return true;
   }
   bigger.slots = (struct util_hash_slot *)calloc(bigger.capacity, sizeof(*bigger.slots));
   if (bigger.slots == NULL) {
      return false;
   }
   for (uint32_t i = 0; i < table->capacity; i++) {
      if (table->slots[i].entry != 0) {
         util_hash_put(&bigger, table->slots[i]);
      }
   }
   free(table->slots);
   *table = bigger;
   return true;
}

/* Adds an entry whose key is not in the table yet. false: out of memory; the table is as before. */
static inline bool util_hash_add(struct util_hash *table, uint32_t hash, uint32_t entry)
{
   if (!util_hash_reserve(table, table->count + 1)) {
      return false;
   }
   util_hash_put(table, (struct util_hash_slot){hash, entry + 1});
   table->count++;
   return true;
}

#endif
