/* SPDX-License-Identifier: MIT
 *
 * A cache (vgpu/timing/memory/cache.h) holds what a plain list holds that moves each line to its front when it is used:
 * the same lines are there, the same ones are replaced and dropped, and entries keep what was written to them. Random
 * lines, in caches of several shapes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/timing/memory/cache.h"

#define STEPS 20000
#define SETS_MOST 48
#define TAG_MOST 4000 /* of the lines that are used */

static const struct shape {
   uint32_t lines, ways;
} shapes[] = {{1, 1}, {7, 1}, {5, 8}, {64, 8}, {96, 16}, {48, 3}, {128, 64}, {200, 100}};

/* A set, the most recently used line first. */
struct list {
   struct {
      uint64_t line, turn;
      uint8_t dirty;
   } lines[VGPU_CACHE_WAYS];
   uint32_t count;
};

static uint32_t below(uint32_t limit)
{
   return rig_random() % limit;
}

/* Returns whether the line was there. It is the first one afterwards, with that turn. */
static bool use_list(struct list *list, uint32_t ways, uint64_t line, uint64_t turn, struct vgpu_cache_victim *victim,
                     uint64_t *old_turn)
{
   uint32_t at = 0;
   *victim = (struct vgpu_cache_victim){0};
   while (at < list->count && list->lines[at].line != line) {
      at++;
   }
   const bool found = at < list->count;
   uint8_t dirty = found ? list->lines[at].dirty : 0;
   *old_turn = found ? list->lines[at].turn : 0;
   if (!found && list->count == ways) {
      at = ways - 1;
      *victim = (struct vgpu_cache_victim){.line = list->lines[at].line, .dirty = list->lines[at].dirty};
   } else if (!found) {
      list->count++;
   }
   memmove(list->lines + 1, list->lines, at * sizeof(*list->lines));
   dirty |= (uint8_t)(turn % 3 == 0);
   list->lines[0].line = line;
   list->lines[0].turn = turn;
   list->lines[0].dirty = dirty;
   return found;
}

static void drop_list(struct list *list, uint64_t first, uint64_t end)
{
   uint32_t kept = 0;
   for (uint32_t i = 0; i < list->count; i++) {
      if (list->lines[i].line < first || list->lines[i].line >= end) {
         list->lines[kept++] = list->lines[i];
      }
   }
   list->count = kept;
}

static void use(const struct vgpu_cache *cache, struct list *lists, uint64_t turn)
{
   struct vgpu_cache_victim victim, expected;
   const uint64_t line = below(4) ? below(2 * cache->sets * cache->ways) : below(TAG_MOST);
   uint64_t old_turn;
   const bool there = use_list(&lists[line % cache->sets], cache->ways, line, turn, &expected, &old_turn);
   struct vgpu_cache_entry *entry = vgpu_cache_use(cache, line, &victim);
   if ((entry->valid != 0) != there || entry->turn != old_turn) {
      rig_fail("%u ways, line %" PRIu64 ": valid %u, turn %" PRIu64 ", not %u, %" PRIu64, cache->ways, line,
               entry->valid, entry->turn, there, old_turn);
   }
   if (victim.dirty != expected.dirty || (victim.dirty && victim.line != expected.line)) {
      rig_fail("%u ways, line %" PRIu64 " replaces dirty line %" PRIu64 " (%u), not %" PRIu64 " (%u)", cache->ways,
               line, victim.line, victim.dirty, expected.line, expected.dirty);
   }
   entry->valid = 1;
   entry->turn = turn;
   entry->dirty |= (uint8_t)(turn % 3 == 0);
}

static void test(const struct shape *shape)
{
   static struct list lists[SETS_MOST];
   struct vgpu_cache cache;
   if (!vgpu_cache_init(&cache, shape->lines, shape->ways) || cache.sets > SETS_MOST) {
      rig_fail("a cache of %u lines is not made", shape->lines);
      vgpu_cache_finish(&cache);
      return;
   }
   memset(lists, 0, sizeof(lists));
   for (uint64_t turn = 1; turn < STEPS; turn++) {
      const uint32_t what = below(2000);
      if (what == 0) {
         vgpu_cache_empty(&cache);
         memset(lists, 0, sizeof(lists));
      } else if (what < 20) {
         const uint64_t first = below(2 * cache.sets * cache.ways), end = first + 1 + below(2 * cache.sets);
         vgpu_cache_drop(&cache, first, end);
         for (uint32_t set = 0; set < cache.sets; set++) {
            drop_list(&lists[set], first, end);
         }
      } else {
         use(&cache, lists, turn);
      }
   }
   vgpu_cache_finish(&cache);
}

int main(void)
{
   for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
      test(&shapes[i]);
   }
   return rig_result();
}
