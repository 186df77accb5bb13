/* SPDX-License-Identifier: MIT
 *
 * Sums that are kept between processes. Invariant: an entry's rows are sorted by key, and there are at most
 * UTIL_TALLY_ROWS.
 */
#include "util/tally.h"

#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
   const struct util_tally_row *one = a, *other = b;
   return (one->key > other->key) - (one->key < other->key);
}

static int largest_first(const void *a, const void *b)
{
   const struct util_tally_row *one = a, *other = b;
   return (one->sum < other->sum) - (one->sum > other->sum);
}

/* Whether these bytes are rows as they were saved. */
static bool are_rows(const void *bytes, size_t size)
{
   const struct util_tally_row *rows = bytes;
   const size_t count = size / sizeof(*rows);
   bool sound = bytes && size % sizeof(*rows) == 0 && count <= UTIL_TALLY_ROWS;
   for (size_t i = 1; sound && i < count; i++) {
      sound = rows[i - 1].key < rows[i].key;
   }
   return sound;
}

void util_tally_load(struct util_tally *tally, const struct util_store *store, const struct util_store_key *key)
{
   uint8_t *bytes = NULL;
   size_t size;
   util_tally_finish(tally);
   if (util_store_load(store, key, &bytes, &size) && are_rows(bytes, size)) {
      tally->rows = (struct util_tally_row *)bytes;
      tally->count = size / sizeof(*tally->rows);
   } else {
      free(bytes);
   }
}

void util_tally_finish(struct util_tally *tally)
{
   free(tally->rows);
   *tally = (struct util_tally){.count = 0};
}

uint64_t util_tally_sum(const struct util_tally *tally, uint64_t key)
{
   const struct util_tally_row wanted = {.key = key};
   const struct util_tally_row *row =
       tally->count > 0 ? bsearch(&wanted, tally->rows, tally->count, sizeof(wanted), by_key) : NULL;
   return row ? row->sum : 0;
}

struct additions {
   const struct util_tally_row *rows;
   size_t count;
};

static uint64_t sum_of(uint64_t before, uint64_t added)
{
   return added > UINT64_MAX - 1 - before ? UINT64_MAX - 1 : before + added;
}

/* Both in order of keys. Returns the number of rows in `out`. */
static size_t merge(const struct util_tally_row *before, size_t count, const struct additions *added,
                    struct util_tally_row *out)
{
   size_t made = 0;
   for (size_t i = 0, n = 0; i < count || n < added->count;) {
      const bool old = n == added->count || (i < count && before[i].key <= added->rows[n].key);
      const bool new = i == count || (n < added->count && added->rows[n].key <= before[i].key);
      const uint64_t more = new ? added->rows[n].sum : 0;
      out[made].key = old ? before[i].key : added->rows[n].key;
      out[made].sum = sum_of(old ? before[i].sum : 0, more);
      made += more != UTIL_TALLY_REMOVE;
      i += old;
      n += new;
   }
   return made;
}

static size_t drop_least(struct util_tally_row *rows, size_t count)
{
   if (count <= UTIL_TALLY_ROWS) {
      return count;
   }
   qsort(rows, count, sizeof(*rows), largest_first);
   count = UTIL_TALLY_ROWS / 2;
   for (size_t i = 0; i < count; i++) {
      rows[i].sum /= 2;
   }
   qsort(rows, count, sizeof(*rows), by_key);
   return count;
}

static uint8_t *add(void *data, const uint8_t *bytes, size_t *size)
{
   const struct additions *added = data;
   const size_t before = are_rows(bytes, *size) ? *size / sizeof(struct util_tally_row) : 0;
   struct util_tally_row *rows = calloc(before + added->count + 1, sizeof(*rows));
   if (rows) {
      *size = drop_least(rows, merge((const struct util_tally_row *)bytes, before, added, rows)) * sizeof(*rows);
   }
   return (uint8_t *)rows;
}

bool util_tally_add(const struct util_store *store, const struct util_store_key *key, struct util_tally_row *rows,
                    size_t count)
{
   struct additions added = {.rows = rows, .count = count};
   if (count == 0) {
      return false;
   }
   qsort(rows, count, sizeof(*rows), by_key);
   return util_store_change(store, key, add, &added);
}
