/* SPDX-License-Identifier: MIT
 *
 * Finds loops by their backward jumps. Invariant: an instruction that only counts iterations is the loop's jump, an
 * addition of a number to a register that only the loop's conditions read, or a condition that depends only on such
 * registers and on values that the loop does not change.
 */
#include "vgpu/timing/loops.h"

#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "vgpu/block.h"
#include "vgpu/timing/cost.h"
#include "vgpu/timing/memory/intern.h"
#include "vgpu/timing/path/path.h"
#include "util/array.h"

#define HALVES 256
/* address offset between the copies of an unrolled loop: larger than any program */
#define COPIES (UINT64_C(1) << 40)
#define NESTING 0 /* r0l, which each condition reads and writes (spec/isa.md 1.4) */

/* ---- Lists of addresses ---- */

struct list {
   const void **items;
   size_t count, capacity;
   bool failed;
};

static int by_value(const void *a, const void *b)
{
   const uintptr_t x = (uintptr_t) * (void *const *)a, y = (uintptr_t) * (void *const *)b;
   return (x > y) - (x < y);
}

static void sort(struct list *list)
{
   size_t kept = 0;
   if (list->count > 0) {
      qsort(list->items, list->count, sizeof(*list->items), by_value);
   }
   for (size_t i = 0; i < list->count; i++) {
      if (kept == 0 || list->items[kept - 1] != list->items[i]) {
         list->items[kept++] = list->items[i];
      }
   }
   list->count = kept;
}

/* Appends an item. A full list drops its duplicates before it grows. */
static void add(struct list *list, const void *item)
{
   if (list->count == list->capacity) {
      sort(list);
      if (list->count * 2 >= list->capacity && !ARRAY_RESERVE(list->items, list->capacity, list->capacity + 1)) {
         list->failed = true;
         return;
      }
   }
   list->items[list->count++] = item;
}

static bool has(const void *const *items, size_t count, const void *item)
{
   return count > 0 && bsearch(&item, items, count, sizeof(*items), by_value);
}

/* ---- Loops ---- */

static void find_blocks(struct list *blocks, const struct vgpu_blob *paths, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      const struct vgpu_step *step = paths[i].data, *end = step + paths[i].size / sizeof(*step);
      for (; step < end; step++) {
         for (const struct vgpu_block *block = step->first; block; block = block->next) {
            add(blocks, block);
            if (block == step->last || blocks->failed) {
               break;
            }
         }
      }
   }
   sort(blocks);
}

static bool jumps_back(const struct vgpu_block *block)
{
   return block->control == VGPU_JUMP_ANY && block->target && block->target->address <= block->address;
}

static bool is_innermost(const struct list *blocks, const struct vgpu_block *end)
{
   for (size_t i = 0; i < blocks->count; i++) {
      const struct vgpu_block *other = blocks->items[i];
      if (other != end && jumps_back(other) && other->target->address >= end->target->address &&
          other->address < end->address) {
         return false;
      }
   }
   return true;
}

static bool is_within(const struct vgpu_block *block, const struct vgpu_block *end)
{
   return block->address >= end->target->address && block->address <= end->address;
}

/* The instructions that write and read the half registers of a loop. */
struct uses {
   const struct isa_insn *writer[HALVES]; /* the last writer */
   uint32_t writers[HALVES];
   uint32_t readers[HALVES]; /* readers other than the writer itself and conditions */
};

static void count_uses(const struct vgpu_block *block, struct uses *uses)
{
   for (uint32_t i = 0; i < block->length; i++) {
      const struct vgpu_cost *cost = &block->costs[i];
      const bool condition = isa_flow(&block->insns[i]) == ISA_FLOW_EXEC;
      for (unsigned k = 0; k < cost->write_count; k++) {
         uses->writer[cost->writes[k]] = &block->insns[i];
         uses->writers[cost->writes[k]]++;
      }
      for (unsigned k = 0; k < cost->read_count; k++) {
         const bool own = memchr(cost->writes, cost->reads[k], cost->write_count) != NULL;
         uses->readers[cost->reads[k]] += !own && !condition;
      }
   }
}

/* Whether the instruction adds a number to a register that nothing else in the loop writes. */
static bool is_counter(const struct uses *uses, const struct isa_insn *insn, const struct vgpu_cost *cost)
{
   bool same = insn->op == ISA_OP_IADD && insn->dst.kind == ISA_REG && cost->write_count > 0;
   unsigned others = 0;
   for (unsigned n = 0; n < 2; n++) {
      const struct isa_operand *source = &insn->src[n];
      others += source->kind == ISA_IMM || source->kind == ISA_UNIFORM;
   }
   for (unsigned k = 0; k < cost->read_count; k++) {
      same = same && memchr(cost->writes, cost->reads[k], cost->write_count);
   }
   for (unsigned k = 0; k < cost->write_count; k++) {
      same = same && uses->writers[cost->writes[k]] == 1;
   }
   return same && others == 1;
}

static bool is_unused(const struct uses *uses, const struct vgpu_cost *cost)
{
   for (unsigned k = 0; k < cost->write_count; k++) {
      if (uses->readers[cost->writes[k]] > 0) {
         return false;
      }
   }
   return true;
}

/* Whether each operand is constant in the loop or is a loop counter. */
static bool is_counted(const struct uses *uses, const struct vgpu_cost *cost)
{
   bool counter = false;
   for (unsigned k = 0; k < cost->read_count; k++) {
      const struct isa_insn *writer = uses->writer[cost->reads[k]];
      if (cost->reads[k] == NESTING || !writer) {
         continue;
      }
      struct vgpu_cost of;
      vgpu_cost_of(writer, &vgpu_params_default, &of);
      if (!is_counter(uses, writer, &of)) {
         return false;
      }
      counter = true;
   }
   return counter;
}

static bool counts(const struct uses *uses, const struct vgpu_block *block, uint32_t i)
{
   const struct isa_insn *insn = &block->insns[i];
   const struct vgpu_cost *cost = &block->costs[i];
   if (isa_flow(insn) == ISA_FLOW_EXEC) {
      return is_counted(uses, cost);
   }
   return is_counter(uses, insn, cost) && is_unused(uses, cost);
}

/* The loop that the block `end` ends. */
struct loop {
   const struct list *blocks; /* blocks of all loops */
   const struct vgpu_block *end;
   struct uses uses;
   uint64_t work; /* address of the first instruction that does not count iterations */
};

/* Appends the instructions that only count iterations: to `before` those in front of the loop's first other
 * instruction, to `behind` the rest. Finds that first instruction if it is not known. */
static void walk_loop(struct loop *loop, struct list *before, struct list *behind)
{
   const struct vgpu_block *const *blocks = (const struct vgpu_block *const *)loop->blocks->items;
   for (size_t i = 0; i < loop->blocks->count; i++) {
      uint64_t address = blocks[i]->address;
      for (uint32_t k = 0; k < blocks[i]->length && is_within(blocks[i], loop->end); k++) {
         if (!counts(&loop->uses, blocks[i], k)) {
            loop->work = address < loop->work ? address : loop->work;
         } else if (before) {
            add(address < loop->work ? before : behind, &blocks[i]->costs[k]);
         }
         address += blocks[i]->costs[k].length;
      }
   }
}

static void find_counting(const struct list *blocks, const struct vgpu_block *end, struct list *before,
                          struct list *behind)
{
   struct loop loop = {.blocks = blocks, .end = end, .work = UINT64_MAX};
   for (size_t i = 0; i < blocks->count; i++) {
      if (is_within(blocks->items[i], end)) {
         count_uses(blocks->items[i], &loop.uses);
      }
   }
   walk_loop(&loop, NULL, NULL);
   walk_loop(&loop, before, behind);
   add(behind, &end->costs[end->length - 1]);
}

bool vgpu_loops_find(struct vgpu_loops *loops, const struct vgpu_blob *paths, uint32_t path_count)
{
   struct list blocks = {0}, ends = {0}, before = {0}, behind = {0};
   find_blocks(&blocks, paths, path_count);
   for (size_t i = 0; i < blocks.count && !blocks.failed; i++) {
      if (jumps_back(blocks.items[i]) && is_innermost(&blocks, blocks.items[i])) {
         add(&ends, blocks.items[i]);
         find_counting(&blocks, blocks.items[i], &before, &behind);
      }
   }
   sort(&ends);
   sort(&before);
   sort(&behind);
   *loops = (struct vgpu_loops){
       .ends = (const struct vgpu_block **)ends.items,
       .end_count = ends.count,
       .before = (const struct vgpu_cost **)before.items,
       .before_count = before.count,
       .behind = (const struct vgpu_cost **)behind.items,
       .behind_count = behind.count,
   };
   free(blocks.items);
   return !blocks.failed && !ends.failed && !before.failed && !behind.failed;
}

void vgpu_loops_finish(struct vgpu_loops *loops)
{
   free(loops->ends);
   free(loops->before);
   free(loops->behind);
}

bool vgpu_loops_is_end(const struct vgpu_loops *loops, const struct vgpu_block *block)
{
   return has((const void *const *)loops->ends, loops->end_count, block);
}

bool vgpu_loops_counts(const struct vgpu_loops *loops, const struct vgpu_cost *cost)
{
   return has((const void *const *)loops->before, loops->before_count, cost) ||
          has((const void *const *)loops->behind, loops->behind_count, cost);
}

bool vgpu_loops_leaves_out(const struct vgpu_loops *loops, const struct vgpu_cost *cost, uint32_t turn)
{
   return (turn > 0 && has((const void *const *)loops->before, loops->before_count, cost)) ||
          (turn + 1 < VGPU_UNROLL && has((const void *const *)loops->behind, loops->behind_count, cost));
}

static uint64_t bytes_of(const struct vgpu_block *end)
{
   uint64_t address = end->address;
   for (uint32_t i = 0; i < end->length; i++) {
      address += end->costs[i].length;
   }
   return address - end->target->address;
}

uint64_t vgpu_loops_place(const struct vgpu_loops *loops, uint64_t address, uint32_t turn)
{
   for (size_t i = 0; i < loops->end_count && turn > 0; i++) {
      const uint64_t start = loops->ends[i]->target->address, bytes = bytes_of(loops->ends[i]);
      if (address >= start && address - start < bytes) {
         return address + COPIES * (i + 1) + turn * bytes;
      }
   }
   return address;
}

uint64_t vgpu_loops_growth(const struct vgpu_loops *loops)
{
   uint64_t bytes = 0;
   for (size_t i = 0; i < loops->end_count; i++) {
      bytes += (VGPU_UNROLL - 1) * bytes_of(loops->ends[i]);
   }
   return bytes;
}
