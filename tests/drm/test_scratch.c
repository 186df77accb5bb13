/* SPDX-License-Identifier: MIT
 *
 * Scratch memory: sizes and layout against spec/uapi.md 4.5, worked out by hand, and against the rule itself: every
 * simdgroup of every present core has blocks of its own, large enough and aligned.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drm/scratch.h"
#include "tests/check.h"

#define ADDRESS UINT64_C(0x1300000000)
#define HEADER_SIZE (8 + 128 * 88)

static void test_bucket(void)
{
   static const uint32_t rows[][2] = {{0, 0},  {1, 1},  {8, 1},  {9, 2},      {16, 2},     {17, 3},
                                      {32, 3}, {33, 4}, {64, 4}, {65536, 14}, {65537, 15}, {131072, 15}};
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      unsigned bucket = asahi_scratch_bucket(rows[i][0]);
      CHECK(bucket == rows[i][1], "%u words: bucket %u, not %u", rows[i][0], bucket, rows[i][1]);
   }
}

/* Blocks of 8, 32, 128, ... words; 1 to 3 of them, or one of the next size; at the top size 4. */
static void test_plan(void)
{
   static const struct {
      uint32_t dwords;
      unsigned size_class, blocks;
   } rows[] = {{1, 0, 1},     {8, 0, 1},     {9, 0, 2},     {17, 0, 3},    {24, 0, 3},    {25, 1, 1},
               {32, 1, 1},    {33, 1, 2},    {96, 1, 3},    {97, 2, 1},    {128, 2, 1},   {129, 2, 2},
               {32768, 6, 1}, {32769, 6, 2}, {98304, 6, 3}, {98305, 6, 4}, {131072, 6, 4}};
   struct drm_asahi_params_global m1 = {.num_clusters_total = 1, .num_cores_per_cluster = 8, .core_masks = {0xFF}};
   struct asahi_scratch_layout layout;

   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      int error = asahi_scratch_plan(&m1, rows[i].dwords, &layout);
      CHECK(error == 0 && layout.size_class == rows[i].size_class && layout.blocks == rows[i].blocks,
            "%u words: %u blocks of size class %u, not %u of %u", rows[i].dwords, layout.blocks, layout.size_class,
            rows[i].blocks, rows[i].size_class);
      CHECK(layout.block_bytes * layout.blocks >= (uint64_t)rows[i].dwords * 128, "%u words: too small",
            rows[i].dwords);
   }
   CHECK(asahi_scratch_plan(&m1, 0, &layout) == -ENOTSUP, "no words");
   CHECK(asahi_scratch_plan(&m1, 131073, &layout) == -ENOTSUP, "more words than blocks can hold");
   struct drm_asahi_params_global large = {.num_clusters_total = 9, .num_cores_per_cluster = 10};
   CHECK(asahi_scratch_plan(&large, 8, &layout) == -ENOTSUP, "9 clusters of 16 slots in a header of 128");
}

static uint64_t get(const uint8_t *bytes, size_t size)
{
   uint64_t value = 0;
   for (size_t i = 0; i < size; i++) {
      value |= (uint64_t)bytes[i] << 8 * i;
   }
   return value;
}

/* params, and the core slots that must be filled, in order. */
static void test_fill(const struct drm_asahi_params_global *params, const unsigned *slots, size_t cores,
                      uint32_t dwords)
{
   struct asahi_scratch_layout layout;
   CHECK(asahi_scratch_plan(params, dwords, &layout) == 0, "plan");
   CHECK(layout.size == layout.blocks_offset + cores * 128 * layout.blocks * layout.block_bytes, "size");
   CHECK(layout.lists_offset == HEADER_SIZE, "the header is %llu bytes", (unsigned long long)layout.lists_offset);
   uint8_t *out = malloc(layout.blocks_offset);
   if (!CHECK(out != NULL, "out of memory")) {
      return;
   }
   memset(out, 0xA5, layout.blocks_offset);
   asahi_scratch_fill(params, &layout, ADDRESS, out);

   CHECK(get(out, 4) == 128 && get(out + 4, 4) == 0, "subgroups");
   size_t next = 0;
   uint64_t block = ADDRESS + layout.blocks_offset, list = ADDRESS + HEADER_SIZE;
   for (unsigned slot = 0; slot < 128; slot++) {
      const uint8_t *core = out + 8 + (size_t)slot * 88;
      bool present = next < cores && slots[next] == slot;
      CHECK(get(core, 8) == (present ? list : 0), "slot %u: list at 0x%llx", slot, (unsigned long long)get(core, 8));
      for (unsigned i = 8; i < 88; i++) {
         CHECK(core[i] == 0, "slot %u: byte %u is not 0", slot, i);
      }
      if (!present) {
         continue;
      }
      next++;
      for (unsigned subgroup = 0; subgroup < 128; subgroup++, list += 16) {
         for (unsigned i = 0; i < 4; i++) {
            uint64_t expected = 0;
            if (i < layout.blocks) {
               CHECK(block % layout.block_bytes == 0, "block not aligned");
               expected = block >> 8 | (i == 0 ? (UINT64_C(1) << (layout.size_class + 1)) - 1 : 1);
               block += layout.block_bytes;
            }
            uint64_t found = get(out + (list - ADDRESS) + 4 * i, 4);
            CHECK(found == expected, "slot %u, subgroup %u, block %u: 0x%llx, not 0x%llx", slot, subgroup, i,
                  (unsigned long long)found, (unsigned long long)expected);
         }
      }
   }
   CHECK(next == cores && block == ADDRESS + layout.size, "blocks do not end with the buffer");
   free(out);
}

int main(void)
{
   test_bucket();
   test_plan();

   /* A 7-core M1 whose core 3 is fused off, and an M2 Pro of two clusters of 10, slots 16 apart. */
   const struct drm_asahi_params_global m1 = {
       .num_clusters_total = 1, .num_cores_per_cluster = 8, .core_masks = {0xF7}};
   const unsigned m1_slots[] = {0, 1, 2, 4, 5, 6, 7};
   const struct drm_asahi_params_global m2_pro = {
       .num_clusters_total = 2, .num_cores_per_cluster = 10, .core_masks = {0x3FF, 0x1FF}};
   const unsigned m2_slots[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21, 22, 23, 24};
   test_fill(&m1, m1_slots, 7, 20);
   test_fill(&m1, m1_slots, 7, 100);
   test_fill(&m2_pro, m2_slots, 19, 40);
   return check_result();
}
