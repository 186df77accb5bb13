/* SPDX-License-Identifier: MIT
 *
 * Sums by key, to which processes add: one entry of a store (util/store.h). Invariant: two processes that add at the
 * same time lose nothing. Without an entry, or with a damaged one, all sums are 0.
 */
#ifndef UTIL_TALLY_H
#define UTIL_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/store.h"

/* Most keys of a tally. When there are more, the half with the least sums is removed, and the other sums are halved:
 * so what nobody adds to any more goes. */
#define UTIL_TALLY_ROWS 2048u
#define UTIL_TALLY_REMOVE UINT64_MAX /* to be added: removes the key */

struct util_tally_row {
   uint64_t key, sum;
};

/* All zero: no sums. */
struct util_tally {
   struct util_tally_row *rows; /* by key, each once */
   size_t count;
};

/* Reads the sums as they are now. */
void util_tally_load(struct util_tally *tally, const struct util_store *store, const struct util_store_key *key);
void util_tally_finish(struct util_tally *tally);
uint64_t util_tally_sum(const struct util_tally *tally, uint64_t key);

/* Adds the rows' sums to those of the store. The rows are sorted; no key may be there twice. false: the entry stays as
 * it is. */
bool util_tally_add(const struct util_store *store, const struct util_store_key *key, struct util_tally_row *rows,
                    size_t count);

#endif
