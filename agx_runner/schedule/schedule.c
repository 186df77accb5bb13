/* SPDX-License-Identifier: MIT
 *
 * Searches orders for all blocks of a program. Invariant: every order that is used has passed schedule_verify().
 */
#include "agx_runner/schedule/schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/schedule/rewrite.h"
#include "agx_runner/schedule/verify.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/memory/hierarchy.h"

#define BUDGET 6000000u /* most instructions that are simulated for a block: about a second */
#define LOOP_WEIGHT 10
#define DEFAULT_GROUP 256u

static uint32_t simds_of(const struct agx_program *program)
{
   const uint32_t *size = program->workgroup_size;
   const uint32_t threads = size[0] != 0 ? size[0] * size[1] * size[2] : DEFAULT_GROUP;

   return threads > 32 ? (threads + 31) / 32 : 1;
}

struct schedule_load schedule_load_of(const struct agx_program *program)
{
   const uint32_t each = simds_of(program), core = blocks_occupancy(program).core;

   return (struct schedule_load){.group_simds = each,
                                 .groups = core > each ? core / each : 1,
                                 .level = VGPU_LEVEL_L2,
                                 .seed = 1,
                                 .budget = BUDGET};
}

/* Keeps the order that was found, if it is proven equivalent. */
static int keep(struct schedule *schedule, const struct schedule_block *block, const struct schedule_order *order,
                struct schedule_result *result)
{
   result->items = calloc(schedule_items_most(block->count), sizeof(*result->items));
   if (result->items == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   result->item_count = schedule_emit(block, order, result->items);
   const char *wrong = schedule_verify(block, result->items, result->item_count);
   if (wrong == NULL) {
      return EXIT_OK;
   }
   free(result->items);
   result->items = NULL;
   result->found.best = result->found.original;
   return complain(EXIT_FAILED, "%s: a better order of the block at 0x%04" PRIx32 " does not compute the same: %s",
                   agx_program_name(schedule->code.program), schedule->code.nodes[block->first].at, wrong);
}

static int search_block(struct schedule *schedule, uint32_t first, uint32_t end, const struct schedule_load *load,
                        unsigned ignored)
{
   struct schedule_block block;
   struct schedule_order order = {0};
   struct schedule_result *result = &schedule->results[schedule->count];
   int code = schedule_block_init(&block, &schedule->code, first, end, ignored);

   *result =
       (struct schedule_result){.first = first, .count = end - first, .depth = schedule->code.blocks.depth[first]};
   if (code == EXIT_OK) {
      code = schedule_order_init(&order, &block);
   }
   if (code == EXIT_OK && order.length > 0) {
      code = schedule_search(&block, load, &order, &result->found);
   }
   if (code == EXIT_OK && (result->found.best.core < result->found.original.core ||
                           result->found.best.alone < result->found.original.alone)) {
      code = keep(schedule, &block, &order, result);
   }
   schedule->count++;
   schedule_order_finish(&order);
   schedule_block_finish(&block);
   return code;
}

/* ---- Which blocks, in which order ---- */

#define DEPTH_MOST 6 /* deeper loops do not increase a block's weight */

static double weight(unsigned depth)
{
   double times = 1;

   for (unsigned i = 0; i < depth && i < DEPTH_MOST; i++) {
      times *= LOOP_WEIGHT;
   }
   return times;
}

struct candidate {
   uint32_t first, end; /* nodes */
   double weight;       /* number of instructions, weighted by the enclosing loops */
};

static int by_weight(const void *a, const void *b)
{
   const struct candidate *x = a, *y = b;

   return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1) : (x->first > y->first) - (x->first < y->first);
}

static int by_place(const void *a, const void *b)
{
   const struct schedule_result *x = a, *y = b;

   return (x->first > y->first) - (x->first < y->first);
}

/* Lists the blocks that may be searched, the heaviest first. Returns their number. */
static uint32_t find_candidates(struct schedule *schedule, const struct schedule_settings *settings,
                                struct candidate *candidates)
{
   const struct blocks *blocks = &schedule->code.blocks;
   uint32_t count = 0;

   for (uint32_t first = 0, end; first < blocks->count && !blocks_is_padding(blocks, first); first = end) {
      end = blocks_end(blocks, first);
      if (settings->skip != NULL && settings->skip[first]) {
         continue;
      }
      if (end - first > SCHEDULE_BLOCK_MOST) {
         schedule->too_long++;
         continue;
      }
      candidates[count++] = (struct candidate){first, end, (end - first) * weight(blocks->depth[first])};
   }
   qsort(candidates, count, sizeof(*candidates), by_weight);
   return count;
}

static int search_blocks(struct schedule *schedule, const struct schedule_settings *settings)
{
   struct candidate *candidates = calloc(schedule->code.blocks.count, sizeof(*candidates));
   struct schedule_load load = settings->load;
   uint64_t spent = 0;
   int code = EXIT_OK;

   if (candidates == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   const uint32_t count = find_candidates(schedule, settings, candidates);
   for (uint32_t i = 0; code == EXIT_OK && i < count; i++) {
      if (settings->effort > 0 && spent >= settings->effort) {
         load.budget = 0;
         schedule->left++;
      }
      code = search_block(schedule, candidates[i].first, candidates[i].end, &load, settings->ignored);
      spent += schedule->results[schedule->count - 1].found.issued;
   }
   free(candidates);
   qsort(schedule->results, schedule->count, sizeof(*schedule->results), by_place);
   return code;
}

/* ---- The program ---- */

static const struct schedule_result *result_at(const struct schedule *schedule, uint32_t first)
{
   for (uint32_t i = 0; i < schedule->count; i++) {
      if (schedule->results[i].first == first) {
         return schedule->results[i].items != NULL ? &schedule->results[i] : NULL;
      }
   }
   return NULL;
}

static int make_program(struct schedule *schedule)
{
   const struct blocks *blocks = &schedule->code.blocks;
   struct schedule_text text;
   int code = schedule_text_init(&text, &schedule->code) ? EXIT_OK : complain(EXIT_FAILED, "out of memory");

   for (uint32_t first = 0, end; code == EXIT_OK && first < blocks->count; first = end) {
      const struct schedule_result *result = result_at(schedule, first);

      end = blocks_end(blocks, first);
      if (result != NULL) {
         schedule_text_append(&text, first, result->items, result->item_count);
         continue;
      }
      for (uint32_t i = first; i < end; i++) {
         const struct schedule_item item = {0, schedule->code.nodes[i].effects.slot};

         schedule_text_append(&text, i, &item, 1);
      }
   }
   if (code == EXIT_OK) {
      code = schedule_text_program(&text, &schedule->program);
   }
   schedule_text_finish(&text);
   return code;
}

int schedule_make(struct schedule *schedule, const struct agx_program *program,
                  const struct schedule_settings *settings)
{
   bool better = false;

   *schedule = (struct schedule){.count = 0};
   int code = schedule_code_init(&schedule->code, program);
   if (code == EXIT_OK) {
      schedule->results = calloc(schedule->code.blocks.count, sizeof(*schedule->results));
      code = schedule->results != NULL ? search_blocks(schedule, settings) : complain(EXIT_FAILED, "out of memory");
   }
   for (uint32_t i = 0; code == EXIT_OK && i < schedule->count; i++) {
      better |= schedule->results[i].items != NULL;
   }
   return code == EXIT_OK && better ? make_program(schedule) : code;
}

void schedule_finish(struct schedule *schedule)
{
   for (uint32_t i = 0; i < schedule->count; i++) {
      free(schedule->results[i].items);
   }
   free(schedule->results);
   agx_program_destroy(schedule->program);
   schedule_code_finish(&schedule->code);
   *schedule = (struct schedule){.count = 0};
}

/* ---- Results ---- */

#define COLUMN 48 /* width of the code of one order */

static double saved(double before, double after)
{
   return before > 0 ? 1 - after / before : 0;
}

struct schedule_gain schedule_gain(const struct schedule *schedule)
{
   double core[2] = {0, 0}, alone[2] = {0, 0};

   for (uint32_t i = 0; i < schedule->count; i++) {
      const struct schedule_result *result = &schedule->results[i];
      const double times = weight(result->depth);

      core[0] += times * (double)result->found.original.core;
      core[1] += times * (double)result->found.best.core;
      alone[0] += times * (double)result->found.original.alone;
      alone[1] += times * (double)result->found.best.alone;
   }
   return (struct schedule_gain){.core = saved(core[0], core[1]),
                                 .alone = saved(alone[0], alone[1]),
                                 .core_cycles = core[0] / VGPU_TICKS,
                                 .alone_cycles = alone[0] / VGPU_TICKS};
}

static void print_node(const struct schedule *schedule, uint32_t node, const struct schedule_item *item, char *text,
                       size_t size)
{
   const struct schedule_node *from = &schedule->code.nodes[node];
   struct isa_insn insn = from->insn;
   char code[160];

   if (item != NULL && from->effects.async) {
      insn.mod[ISA_MOD_SLOT] = item->slot;
   }
   (void)isa_print(&insn, ISA_SYNTAX_MESA, code, sizeof(code));
   snprintf(text, size, "%04" PRIx32 "  %s", from->at, code);
}

/* Prints the block's own order on the left, the better one on the right. */
static void print_code(const struct schedule *schedule, const struct schedule_result *result, FILE *file)
{
   const uint32_t lines = result->item_count > result->count ? result->item_count : result->count;

   fprintf(file, "  %-*s  better order\n", COLUMN, "its own order");
   for (uint32_t i = 0; i < lines; i++) {
      char own[176] = "", better[176] = "";

      if (i < result->count) {
         print_node(schedule, result->first + i, NULL, own, sizeof(own));
      }
      if (i < result->item_count && result->items[i].node == SCHEDULE_NONE) {
         snprintf(better, sizeof(better), " new  wait     %c", 'a' + result->items[i].slot);
      } else if (i < result->item_count) {
         print_node(schedule, result->first + result->items[i].node, &result->items[i], better, sizeof(better));
      }
      fprintf(file, "  %-*s  %s\n", COLUMN, own, better);
   }
}

void schedule_print(const struct schedule *schedule, bool all, FILE *file)
{
   const struct schedule_gain gain = schedule_gain(schedule);
   bool better = false;

   fprintf(file,
           "better orders of instructions (modelled; loops count %d times): %.1f %% less time at the kernel's "
           "occupancy, %.1f %% for one threadgroup alone\n",
           LOOP_WEIGHT, 100 * gain.core, 100 * gain.alone);
   for (uint32_t i = 0; i < schedule->count; i++) {
      const struct schedule_result *result = &schedule->results[i];
      const struct schedule_found *found = &result->found;

      if (result->items == NULL) {
         continue;
      }
      better = true;
      fprintf(file,
              "\nblock at 0x%04" PRIx32 ", %" PRIu32 " instructions, in %u %s: %.0f cycles instead of %.0f at the "
              "kernel's occupancy, %.0f instead of %.0f alone; %" PRIu64 " orders were tried\n",
              schedule->code.nodes[result->first].at, result->count, result->depth,
              result->depth == 1 ? "loop" : "loops", (double)found->best.core / VGPU_TICKS,
              (double)found->original.core / VGPU_TICKS, (double)found->best.alone / VGPU_TICKS,
              (double)found->original.alone / VGPU_TICKS, found->judged);
      if (all) {
         print_code(schedule, result, file);
      }
   }
   if (!better) {
      fputs("  none was found: by the model, the order is as good as any that was tried\n", file);
   }
   if (schedule->left > 0) {
      fprintf(file,
              "  %" PRIu32 " of %" PRIu32 " blocks were not searched: those before took the effort for a kernel\n",
              schedule->left, schedule->count);
   }
   if (schedule->too_long > 0) {
      fprintf(file, "  %" PRIu32 " blocks of more than %d instructions were not searched\n", schedule->too_long,
              SCHEDULE_BLOCK_MOST);
   }
}
