/* SPDX-License-Identifier: MIT
 *
 * Arguments that are found in an argument block by their bytes (agx_runner/driver/block.h). The blocks are laid out
 * here by hand, as OpenCL's rules of alignment say.
 */
#include "agx_runner/driver/block.h"

#include <string.h>

#include "tests/check.h"
#include "util/array.h"

#define ABSENT UINT32_MAX

static const uint8_t marks[] = {0x91, 0xa2, 0xb3, 0xc4, 0xd5, 0xe6, 0xf7, 0x88, 0x12, 0x23, 0x34, 0x45,
                                0x56, 0x67, 0x78, 0x89, 0x9a, 0xab, 0xbc, 0xcd, 0xde, 0xef, 0xf1, 0x82};

/* An argument of `size` bytes from marks[mark]; size 0: threadgroup memory. at: where it lies, ABSENT: nowhere. */
struct argument {
   uint32_t mark, size, at;
};

static void check(const char *name, const struct argument *arguments, size_t count)
{
   uint8_t block[128] = {0};
   struct driver_placed placed[8] = {{.bytes = NULL}};
   unsigned expected = 0;

   for (size_t i = 0; i < count; i++) {
      const struct argument *argument = &arguments[i];
      placed[i].bytes = argument->size > 0 ? marks + argument->mark : NULL;
      placed[i].size = argument->size;
      if (argument->at != ABSENT && argument->size > 0) {
         memcpy(block + argument->at, marks + argument->mark, argument->size);
         expected++;
      }
   }
   const unsigned found = driver_block_place(block, sizeof(block), placed, count);
   CHECK(found == expected, "%s: %u found, not %u", name, found, expected);
   for (size_t i = 0; i < count; i++) {
      const uint32_t at = placed[i].found ? placed[i].offset : ABSENT;
      CHECK(at == arguments[i].at, "%s: argument %zu at %d, not at %d", name, i, (int)at, (int)arguments[i].at);
   }
}

int main(void)
{
   const struct argument all[] = {{0, 8, 0}, {8, 4, 8}, {12, 4, 12}, {16, 8, 16}};
   const struct argument aligned[] = {{0, 4, 0}, {8, 16, 16}, {4, 1, 32}, {6, 2, 34}, {16, 8, 40}};
   const struct argument left_out[] = {{0, 8, ABSENT}, {8, 4, 0}, {12, 4, ABSENT}, {16, 8, 8}};
   const struct argument locals[] = {{0, 8, 0}, {0, 0, 8}, {0, 0, 16}, {8, 4, 24}};
   const struct argument none[] = {{0, 8, ABSENT}, {8, 4, ABSENT}};
   /* The second threadgroup pointer is not read: what follows lies where it would be, and is no offset. */
   const struct argument one_local[] = {{0, 8, 0}, {0, 0, 8}, {0, 0, ABSENT}, {8, 8, 16}};

   check("all", all, ARRAY_COUNT(all));
   check("aligned", aligned, ARRAY_COUNT(aligned));
   check("left out", left_out, ARRAY_COUNT(left_out));
   check("locals", locals, ARRAY_COUNT(locals));
   check("one local", one_local, ARRAY_COUNT(one_local));
   check("none", none, ARRAY_COUNT(none));

   /* A block that ends within an argument. */
   struct driver_placed placed = {.bytes = marks, .size = 8};
   CHECK(driver_block_place(marks, 7, &placed, 1) == 0 && !placed.found, "found past the end");
   return check_result();
}
