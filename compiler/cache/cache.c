/* SPDX-License-Identifier: MIT
 *
 * The compilation cache's keys, and its place. Invariant: an error in this file never fails a compilation; it costs an
 * entry.
 */
#include "compiler/cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

/* One cache for the process, like the compile service. */
static struct {
   bool on;
   struct util_store store;
   struct compiler_cache_counts counts;
} cache;

const char *compiler_cache_wrong_limit(void)
{
   const char *text = getenv(COMPILER_CACHE_VARIABLE);
   uint64_t mib;

   return util_store_limit(text, COMPILER_CACHE_MIB, &mib) ? NULL : text;
}

void compiler_cache_set(bool on)
{
   uint64_t mib;

   (void)util_store_limit(getenv(COMPILER_CACHE_VARIABLE), COMPILER_CACHE_MIB, &mib);
   cache.counts = (struct compiler_cache_counts){0};
   cache.on =
       on && util_store_open(&cache.store, "compiler", "AGXC 1\n", mib << 20) && compiler_cache_environment() != NULL;
}

bool compiler_cache_is_on(void)
{
   return cache.on;
}

struct compiler_cache_counts compiler_cache_counts(void)
{
   return cache.counts;
}

struct util_store_key compiler_cache_key(const struct compiler_cache_bytes *parts, size_t count)
{
   const struct util_store_key identity = compiler_cache_identity();
   const char *environment = compiler_cache_environment();
   XXH3_state_t *state = XXH3_createState();

   if (state == NULL || environment == NULL) {
      XXH3_freeState(state);
      cache.on = false;
      return identity;
   }
   XXH3_128bits_reset(state);
   XXH3_128bits_update(state, &identity, sizeof(identity));
   XXH3_128bits_update(state, environment, strlen(environment) + 1);
   for (size_t i = 0; i < count; i++) {
      XXH3_128bits_update(state, &parts[i].size, sizeof(parts[i].size));
      if (parts[i].size > 0) {
         XXH3_128bits_update(state, parts[i].data, parts[i].size);
      }
   }
   const XXH128_hash_t hash = XXH3_128bits_digest(state);
   XXH3_freeState(state);
   return (struct util_store_key){hash.low64, hash.high64};
}

bool compiler_cache_load(const struct util_store_key *key, uint8_t **bytes, size_t *size)
{
   *bytes = NULL;
   if (!cache.on) {
      return false;
   }
   const bool found = util_store_load(&cache.store, key, bytes, size);
   *(found ? &cache.counts.hits : &cache.counts.misses) += 1;
   return found;
}

void compiler_cache_store(const struct util_store_key *key, const void *bytes, size_t size)
{
   if (cache.on) {
      cache.counts.stores += util_store_save(&cache.store, key, bytes, size);
   }
}
