/* SPDX-License-Identifier: MIT
 *
 * List scheduling with several priorities, then local search. Invariants: each order that is simulated keeps all
 * dependencies; the same block, load and seed give the same order on every host.
 */
#include "agx_runner/schedule/search.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/predict/straight.h"
#include "vgpu/timing/timing_core.h"

#define LOOP_PASSES 4 /* passes through a block in a loop: enough that the first one matters little */
#define WINDOW 24u    /* most positions by which a node is moved */
#define STEPS_MOST 1500u

enum priority {
   PRIORITY_PATH,  /* the longest path to the segment's end first */
   PRIORITY_LOADS, /* memory operations first, then as PATH */
   PRIORITY_PIPES, /* an instruction for another pipe than the last one first, then as PATH */
   PRIORITY_FREE,  /* the node whose operands have been ready for longest, then the original order */
   PRIORITIES
};

struct search {
   const struct schedule_block *block;
   const struct schedule_load *load;
   struct schedule_item *items;
   struct vgpu_cost *costs;
   uint64_t *path;   /* by node: ticks to the segment's end */
   uint64_t *when;   /* by node: ticks from the segment's start until its operands are ready */
   uint32_t *before; /* by node: number of its dependencies that have not been placed */
   uint64_t issued, random, judged;
   struct schedule_order best, tried;
   struct schedule_time best_time, original_time;
};

/* ---- Simulation ---- */

static bool run(struct search *search, uint32_t count, uint32_t groups, uint64_t *ticks)
{
   const struct vgpu_straight code = {
       .costs = search->costs,
       .count = count,
       .repeat = search->block->loops ? LOOP_PASSES : 1,
       .group_simds = search->load->group_simds,
       .groups = groups,
       .level = search->load->level,
   };

   search->issued += count * code.repeat * code.group_simds * groups;
   return vgpu_straight_simulate(&vgpu_params_default, &code, ticks);
}

static bool judge_items(struct search *search, uint32_t count, struct schedule_time *time)
{
   const struct schedule_code *code = search->block->code;
   struct isa_insn wait = {0};

   for (uint32_t i = 0; i < count; i++) {
      const struct schedule_item *item = &search->items[i];

      if (item->node == SCHEDULE_NONE) {
         static const uint8_t bytes[2] = {0x38, 0};

         isa_decode(code->program->set, bytes, sizeof(bytes), &wait);
         vgpu_cost_of(&wait, &vgpu_params_default, &search->costs[i]);
      } else {
         search->costs[i] = code->blocks.costs[search->block->first + item->node];
      }
      search->costs[i].slot = item->slot;
   }
   search->judged++;
   return run(search, count, search->load->groups, &time->core) && run(search, count, 1, &time->alone);
}

static bool judge(struct search *search, const struct schedule_order *order, struct schedule_time *time)
{
   return judge_items(search, schedule_emit(search->block, order, search->items), time);
}

static bool is_better(const struct schedule_time *a, const struct schedule_time *b)
{
   return a->core < b->core || (a->core == b->core && a->alone < b->alone);
}

/* Simulates `tried`, and keeps it if it is at least as good as the best order, so that plateaus are crossed. Never
 * keeps an order that is slower than the original one for a threadgroup alone. */
static bool try(struct search *search)
{
   struct schedule_time time;

   if (!judge(search, &search->tried, &time)) {
      return false;
   }
   if (!is_better(&search->best_time, &time) && time.alone <= search->original_time.alone) {
      search->best_time = time;
      schedule_order_copy(&search->best, &search->tried, search->block->count);
   }
   return true;
}

/* ---- List scheduling ---- */

static void find_paths(struct search *search)
{
   const struct schedule_block *block = search->block;

   for (uint32_t i = block->count; i-- > 0;) {
      const struct vgpu_cost *cost = &block->code->blocks.costs[block->first + i];

      search->path[i] = cost->issue;
      for (uint32_t j = i + 1; j < block->count; j++) {
         const uint8_t why = schedule_depends(block, i, j);
         const uint64_t way = search->path[j] + (why & SCHEDULE_TRUE ? cost->latency : cost->issue);

         search->path[i] = why && way > search->path[i] ? way : search->path[i];
      }
   }
}

/* Returns a score; a larger one is issued sooner. */
static uint64_t score(const struct search *search, enum priority priority, uint32_t node, const struct vgpu_cost *last)
{
   const struct vgpu_cost *cost = &search->block->code->blocks.costs[search->block->first + node];
   const uint64_t path = search->path[node] < UINT32_MAX ? search->path[node] : UINT32_MAX;
   const uint64_t first = UINT64_C(1) << 40;

   switch (priority) {
   case PRIORITY_LOADS:
      return path + (cost->access ? first : 0);
   case PRIORITY_PIPES:
      return path + (last == NULL || last->pipe != cost->pipe ? first : 0);
   case PRIORITY_FREE:
      return first - (search->when[node] < first ? search->when[node] : first);
   default:
      return path;
   }
}

/* The node issues at `now`: computes when its results are ready, and updates the nodes that depend on it. */
static void mark_issued(struct search *search, uint32_t node, uint64_t now)
{
   const struct schedule_block *block = search->block;
   const struct vgpu_cost *cost = &block->code->blocks.costs[block->first + node];

   for (uint32_t j = node + 1; j < block->count; j++) {
      const uint8_t why = schedule_depends(block, node, j);

      search->before[j] -= why != 0;
      if (why & SCHEDULE_TRUE && now + cost->latency > search->when[j]) {
         search->when[j] = now + cost->latency;
      }
   }
}

/* Orders one segment, the positions of `order` from `from` to `end`, by the priority. */
static void list_segment(struct search *search, struct schedule_order *order, uint32_t from, uint32_t end,
                         enum priority priority)
{
   const struct schedule_block *block = search->block;
   const struct vgpu_cost *last = NULL;
   uint64_t now = 0;

   for (uint32_t at = from; at < end; at++) {
      uint32_t chosen = end;
      uint64_t best = 0;

      for (uint32_t i = at; i < end; i++) {
         const uint32_t node = order->nodes[i];
         const uint64_t value = search->before[node] == 0 ? score(search, priority, node, last) : 0;

         if (search->before[node] == 0 && (chosen == end || value > best)) {
            chosen = i;
            best = value;
         }
      }
      const uint32_t node = order->nodes[chosen];
      memmove(&order->nodes[at + 1], &order->nodes[at], (chosen - at) * sizeof(*order->nodes));
      order->nodes[at] = node;
      last = &block->code->blocks.costs[block->first + node];
      now = search->when[node] > now ? search->when[node] : now;
      mark_issued(search, node, now);
      now += last->issue;
   }
}

static bool list(struct search *search, const struct schedule_order *original, enum priority priority)
{
   const struct schedule_block *block = search->block;
   struct schedule_order *order = &search->tried;

   schedule_order_copy(order, original, block->count);
   memset(order->waits, 0, block->count);
   memset(search->when, 0, block->count * sizeof(*search->when));
   memset(search->before, 0, block->count * sizeof(*search->before));
   for (uint32_t i = 0; i < block->count; i++) {
      for (uint32_t j = i + 1; j < block->count; j++) {
         search->before[j] += schedule_depends(block, i, j) != 0;
      }
   }
   for (uint32_t from = 0, end; from < order->length; from = end) {
      const uint32_t segment = block->segment[order->nodes[from]];

      end = from + 1;
      while (segment != SCHEDULE_NONE && end < order->length && block->segment[order->nodes[end]] == segment) {
         end++;
      }
      if (segment != SCHEDULE_NONE) {
         list_segment(search, order, from, end, priority);
      }
   }
   return try(search);
}

/* ---- Local search ---- */

static uint32_t pick(struct search *search, uint32_t limit)
{
   search->random ^= search->random << 13;
   search->random ^= search->random >> 7;
   search->random ^= search->random << 17;
   return (uint32_t)(search->random >> 33) % limit;
}

/* Moves a node by up to `distance` positions, as far as its dependencies allow. Returns whether it has moved. */
static bool move(const struct schedule_block *block, struct schedule_order *order, uint32_t at, bool up,
                 uint32_t distance)
{
   const uint32_t node = order->nodes[at];
   bool moved = false;

   for (uint32_t i = 0; i < distance; i++) {
      if (at + up >= order->length || (!up && at == 0)) {
         break;
      }
      const uint32_t next = up ? at + 1 : at - 1, other = order->nodes[next];
      const uint32_t before = up ? node : other, after = up ? other : node;
      if (block->segment[other] != block->segment[node] || (before < after && schedule_depends(block, before, after))) {
         break;
      }
      order->nodes[at] = other;
      order->nodes[next] = node;
      at = next;
      moved = true;
   }
   return moved;
}

/* Changes `tried` at random. Returns false if nothing has changed. */
static bool change(struct search *search)
{
   const struct schedule_block *block = search->block;
   struct schedule_order *order = &search->tried;
   const uint32_t at = pick(search, order->length), node = order->nodes[at];
   const struct schedule_effects *effects = &schedule_node_of(block, node)->effects;

   if (block->segment[node] == SCHEDULE_NONE) {
      return false;
   }
   switch (effects->async ? pick(search, 4) : 3) {
   case 0:
      order->slots[node] ^= 1;
      return true;
   case 1:
      order->waits[node] ^= (uint8_t)(1u << pick(search, SCHEDULE_SLOTS));
      return true;
   default:
      return move(block, order, at, pick(search, 2) == 1, 1 + pick(search, WINDOW));
   }
}

static bool improve(struct search *search)
{
   for (uint32_t step = 0; step < STEPS_MOST && search->issued < search->load->budget; step++) {
      schedule_order_copy(&search->tried, &search->best, search->block->count);
      if (change(search) && !try(search)) {
         return false;
      }
   }
   return true;
}

/* ---- The search ---- */

static bool find(struct search *search, const struct schedule_order *original, struct schedule_found *found)
{
   uint32_t count = schedule_original(search->block, search->items);

   if (!judge_items(search, count, &found->original)) {
      return false;
   }
   search->original_time = found->original;
   if (search->load->budget == 0) {
      found->best = found->original;
      return true;
   }
   schedule_order_copy(&search->best, original, search->block->count);
   if (!judge(search, original, &search->best_time)) {
      return false;
   }
   find_paths(search);
   for (unsigned priority = 0; priority < PRIORITIES; priority++) {
      if (!list(search, original, (enum priority)priority)) {
         return false;
      }
   }
   if (!improve(search)) {
      return false;
   }
   found->best = search->best_time;
   return true;
}

int schedule_search(const struct schedule_block *block, const struct schedule_load *load, struct schedule_order *order,
                    struct schedule_found *found)
{
   const uint32_t most = schedule_items_most(block->count);
   struct search search = {
       .block = block,
       .load = load,
       .items = calloc(most, sizeof(*search.items)),
       .costs = calloc(most, sizeof(*search.costs)),
       .path = calloc(block->count, sizeof(*search.path)),
       .when = calloc(block->count, sizeof(*search.when)),
       .before = calloc(block->count, sizeof(*search.before)),
       .random = load->seed * UINT64_C(0x9e3779b97f4a7c15) | 1,
   };
   int code = schedule_order_init(&search.best, block);

   *found = (struct schedule_found){.judged = 0};
   if (code == EXIT_OK) {
      code = schedule_order_init(&search.tried, block);
   }
   if (code == EXIT_OK && (search.items == NULL || search.costs == NULL || search.path == NULL || search.when == NULL ||
                           search.before == NULL || !find(&search, order, found))) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   if (code == EXIT_OK) {
      found->judged = search.judged;
      found->issued = search.issued;
      if (is_better(&found->best, &found->original)) {
         schedule_order_copy(order, &search.best, block->count);
      } else {
         found->best = found->original;
      }
   }
   schedule_order_finish(&search.best);
   schedule_order_finish(&search.tried);
   free(search.items);
   free(search.costs);
   free(search.path);
   free(search.when);
   free(search.before);
   return code;
}
