/* SPDX-License-Identifier: MIT
 *
 * The buckets that make the rows of table_*.c one table.
 */
#include "isa/rows.h"

/* Where bit 6 is not part of the opcode (saturation, the low bit of an atomic's operation), a bucket stands twice. */
/* clang-format off */
const struct isa_opcode *const isa_buckets[128] = {
   [0x00] = isa_rows_00, [0x02] = isa_rows_02, [0x04] = isa_rows_04, [0x05] = isa_rows_05, [0x08] = isa_rows_08,
   [0x09] = isa_rows_09, [0x0a] = isa_rows_0a, [0x0c] = isa_rows_0c, [0x0e] = isa_rows_0e, [0x10] = isa_rows_10,
   [0x11] = isa_rows_11, [0x12] = isa_rows_12, [0x14] = isa_rows_14, [0x15] = isa_rows_15, [0x16] = isa_rows_16,
   [0x19] = isa_rows_19, [0x1a] = isa_rows_1a, [0x1c] = isa_rows_1c, [0x1e] = isa_rows_1e, [0x20] = isa_rows_20,
   [0x21] = isa_rows_21, [0x22] = isa_rows_22, [0x25] = isa_rows_25, [0x26] = isa_rows_26, [0x28] = isa_rows_28,
   [0x29] = isa_rows_29, [0x2a] = isa_rows_2a, [0x2d] = isa_rows_2d, [0x2e] = isa_rows_2e, [0x30] = isa_rows_30,
   [0x31] = isa_rows_31, [0x32] = isa_rows_32, [0x35] = isa_rows_35, [0x36] = isa_rows_36, [0x38] = isa_rows_38,
   [0x3a] = isa_rows_3a, [0x3e] = isa_rows_3e, [0x40] = isa_rows_40, [0x41] = isa_rows_41, [0x42] = isa_rows_42,
   [0x45] = isa_rows_45, [0x48] = isa_rows_48, [0x49] = isa_rows_49, [0x4a] = isa_rows_0a, [0x4c] = isa_rows_4c,
   [0x4e] = isa_rows_0e, [0x51] = isa_rows_51, [0x52] = isa_rows_52, [0x55] = isa_rows_15, [0x56] = isa_rows_16,
   [0x58] = isa_rows_58, [0x5a] = isa_rows_1a, [0x5e] = isa_rows_1e, [0x61] = isa_rows_61, [0x62] = isa_rows_62,
   [0x65] = isa_rows_65, [0x66] = isa_rows_26, [0x68] = isa_rows_68, [0x69] = isa_rows_69, [0x6a] = isa_rows_2a,
   [0x6d] = isa_rows_6d, [0x6f] = isa_rows_6f, [0x71] = isa_rows_71, [0x72] = isa_rows_72, [0x75] = isa_rows_75,
   [0x76] = isa_rows_36, [0x7a] = isa_rows_3a, [0x7e] = isa_rows_7e,
};
/* clang-format on */

/* The first row of the first bucket at or after `at` that did not stand at an earlier place. */
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

/* The place of the bucket that holds row. */
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
