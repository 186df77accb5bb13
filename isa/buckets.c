/* SPDX-License-Identifier: MIT
 *
 * The buckets that make the rows of table_*.c one table, and the bits that each row's fields cover (row_bits.h).
 */
#include "isa/rows.h"
#include "isa/row_bits.h"

/* clang-format off */
#define BUCKET(at, rows) [at] = rows,
const struct isa_opcode *const isa_buckets[128] = {ISA_BUCKETS(BUCKET)};
/* clang-format on */

/* The first row of the first bucket at or after `at` that no earlier index has. */
static const struct isa_opcode *first_row_from(unsigned at)
{
   for (; at < 128; at++) {
      bool seen = at >= 64 && isa_buckets[at] == isa_buckets[at - 64];
      if (isa_buckets[at] != NULL && !seen) {
         return isa_buckets[at];
      }
   }
   return NULL;
}

/* The index of the bucket that contains row. */
static unsigned bucket_of(const struct isa_opcode *row)
{
   unsigned at = (unsigned)row->match & 0x3f;
   for (const struct isa_opcode *other = isa_buckets[at]; other != NULL && other->name != NULL; other++) {
      if (other == row) {
         return at;
      }
   }
   return at + 64;
}

const struct isa_opcode *isa_next_row(const struct isa_opcode *row)
{
   if (row == NULL) {
      return first_row_from(0);
   }
   return row[1].name != NULL ? row + 1 : first_row_from(bucket_of(row) + 1);
}
