/* SPDX-License-Identifier: MIT
 *
 * The instruction sets. The buckets make the rows of table_*.c one table; row_bits.h has the bits that each row's
 * fields cover.
 */
#include "isa/rows.h"
#include "isa/row_bits.h"

#include <string.h>

#include "util/array.h"

/* clang-format off */
#define BUCKET(at, rows) [at] = rows,
static const struct isa_opcode *const buckets[ISA_BUCKETS_MAX] = {ISA_BUCKETS(BUCKET)};
/* clang-format on */

const struct isa_set isa_set_agx2 = {.name = "agx2", .buckets = buckets, .row_bits = isa_row_bits};

static const struct isa_set *const sets[] = {&isa_set_agx2};

const struct isa_set *isa_set_default(void)
{
   return sets[0];
}

const struct isa_set *isa_set_find(const char *name)
{
   for (size_t i = 0; i < ARRAY_COUNT(sets); i++) {
      if (strcmp(sets[i]->name, name) == 0) {
         return sets[i];
      }
   }
   return NULL;
}

const char *isa_set_name(const struct isa_set *set)
{
   return set->name;
}

/* Returns the first row of the first bucket at or after `at`. A bucket that is at the index 64 before, too, is skipped:
 * it was returned there. */
static const struct isa_opcode *first_row_from(const struct isa_set *set, unsigned at)
{
   for (; at < ISA_BUCKETS_MAX; at++) {
      bool seen = at >= 64 && set->buckets[at] == set->buckets[at - 64];
      if (set->buckets[at] != NULL && !seen) {
         return set->buckets[at];
      }
   }
   return NULL;
}

/* The index of the bucket that contains row. */
static unsigned bucket_of(const struct isa_set *set, const struct isa_opcode *row)
{
   unsigned at = (unsigned)row->match & 0x3f;
   for (const struct isa_opcode *other = set->buckets[at]; other != NULL && other->name != NULL; other++) {
      if (other == row) {
         return at;
      }
   }
   return at + 64;
}

const struct isa_opcode *isa_next_row(const struct isa_set *set, const struct isa_opcode *row)
{
   if (row == NULL) {
      return first_row_from(set, 0);
   }
   return row[1].name != NULL ? row + 1 : first_row_from(set, bucket_of(set, row) + 1);
}
