/* SPDX-License-Identifier: MIT
 *
 * The proof that an order computes the same (agx_runner/schedule/verify.c) and the dependencies (code.c) are two
 * sources for one thing: which instructions may change places. Swaps neighbours and drops waits of small programs, and
 * breaks each kind of dependency in the search: the proof notices.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/schedule/schedule.h"
#include "agx_runner/schedule/verify.h"
#include "agx_runner/terminal/runner.h"
#include "isa/assembler/asm.h"
#include "tests/check.h"
#include "util/array.h"

#define HEAD                                                                                                           \
   ".kernel \"k\"\n.argument buffer, \"p\", \"int*\", offset=0, size=8\n.argument_bytes 8\n.uniforms 8\n"              \
   ".uniform 0, 4, arguments, 0\n.registers 32\n.main\n"

static const char arithmetic[] =
    HEAD "fadd r2, r0, 1.0\n fadd r3, r2, 1.0\n fmul r2, r1, 2.0\n fadd r4, r2, r3\n"
         "imadd r0, r4, r4, r4\n fadd r5, ^r6, 1.0\n rcp r6, r0\n ffma r2, r2, r2, r6\n stop\n";
static const char memory[] = HEAD
    "load r2, du0, r0, i32, x, a\n load r3, du0, r1, i32, x, b\n iadd r0, r0, 4\n wait a\n iadd r2, r2, 1\n wait b\n"
    "iadd r3, r3, 1\n store r2, du0, r0, i32, x, a\n wait a\n load r4, du0, r1, i32, x, a\n store r3, du0, r1, i32, x, "
    "b\n"
    "wait a\n iadd r5, r4, 1\n store r5, du0, r1, i32, x, b\n stop\n";
static const char looping[] =
    HEAD "mov r0l, 0\n mov r2, 0\n L:\n load r3, du0, r2, i32, x, a\n iadd r2, r2, 1\n rcp r4, r2\n"
         "wait a\n fadd r5, r3, r4\n while r2, 16, 1, ult\n jmp_any L\n stop\n";
static const struct {
   const char *name, *text;
} programs[] = {{"arithmetic", arithmetic}, {"memory", memory}, {"looping", looping}};

static struct agx_program *assemble(const char *name, const char *text)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   struct isa_asm_result result = {0};
   struct agx_program *program = NULL;
   char line[400];

   if (assembler != NULL && isa_asm_program(assembler, text, strlen(text), &result) == 0) {
      program = agx_program_copy(result.program);
   }
   for (size_t i = 0; i < result.diagnostic_count; i++) {
      isa_diagnostic_print(&result.diagnostics[i], name, line, sizeof(line));
      fprintf(stderr, "%s\n", line);
   }
   isa_asm_result_finish(&result);
   isa_asm_destroy(assembler);
   return program;
}

/* Neighbours that depend on each other cannot change places, others can. */
static void swap_neighbours(const struct schedule_block *block, const char *name, unsigned *swaps)
{
   struct schedule_item *items = calloc(schedule_items_most(block->count), sizeof(*items));
   struct schedule_order order;

   CHECK(schedule_order_init(&order, block) == EXIT_OK && items != NULL, "%s", name);
   uint32_t count = schedule_emit(block, &order, items);
   const char *wrong = schedule_verify(block, items, count);
   CHECK(wrong == NULL, "%s as it is: %s", name, wrong);
   for (uint32_t i = 0; i + 1 < order.length; i++) {
      const uint32_t a = order.nodes[i], b = order.nodes[i + 1];

      order.nodes[i] = b;
      order.nodes[i + 1] = a;
      count = schedule_emit(block, &order, items);
      wrong = schedule_verify(block, items, count);
      const bool free = block->segment[a] != SCHEDULE_NONE && block->segment[a] == block->segment[b] &&
                        schedule_depends(block, a, b) == 0;
      CHECK((wrong == NULL) == free, "%s: nodes %u and %u: %s", name, a, b, wrong != NULL ? wrong : "equal");
      *swaps += free;
      order.nodes[i] = a;
      order.nodes[i + 1] = b;
   }
   schedule_order_finish(&order);
   free(items);
}

/* Without one of its waits the code is wrong. */
static void drop_waits(const struct schedule_block *block, const char *name, unsigned *waits)
{
   struct schedule_item *items = calloc(schedule_items_most(block->count), sizeof(*items)),
                        *without = calloc(schedule_items_most(block->count), sizeof(*items));
   struct schedule_order order;

   CHECK(schedule_order_init(&order, block) == EXIT_OK && items != NULL && without != NULL, "%s", name);
   memset(order.waits, 0, block->count);
   const uint32_t count = schedule_emit(block, &order, items);
   for (uint32_t i = 0; i < count; i++) {
      if (items[i].node == SCHEDULE_NONE) {
         memcpy(without, items, i * sizeof(*items));
         memcpy(without + i, items + i + 1, (count - i - 1) * sizeof(*items));
         CHECK(schedule_verify(block, without, count - 1) != NULL, "%s: item %u is not missed", name, i);
         ++*waits;
      }
   }
   schedule_order_finish(&order);
   free(items);
   free(without);
}

static void check_blocks(const char *name, const char *text)
{
   struct agx_program *program = assemble(name, text);
   struct schedule_code code;
   unsigned swaps = 0, waits = 0;

   CHECK(program != NULL, "%s", name);
   if (program == NULL) {
      return;
   }
   CHECK(schedule_code_init(&code, program) == EXIT_OK, "%s", name);
   for (uint32_t first = 0, end; first < code.blocks.count && !blocks_is_padding(&code.blocks, first); first = end) {
      struct schedule_block block;

      end = blocks_end(&code.blocks, first);
      CHECK(schedule_block_init(&block, &code, first, end, 0) == EXIT_OK, "%s", name);
      swap_neighbours(&block, name, &swaps);
      drop_waits(&block, name, &waits);
      schedule_block_finish(&block);
   }
   CHECK(swaps > 0, "%s: nothing could be swapped", name);
   CHECK(waits > 0 || text == arithmetic, "%s: no wait was dropped", name);
   schedule_code_finish(&code);
   agx_program_destroy(program);
}

/* A search that does not see one kind of dependency is caught. */
static void break_dependencies(const char *text, unsigned ignored)
{
   struct agx_program *program = assemble("planted", text);
   struct schedule_settings settings = {.ignored = ignored};
   struct schedule schedule;

   CHECK(program != NULL, "%u", ignored);
   if (program == NULL) {
      return;
   }
   settings.load = schedule_load_of(program);
   settings.load.groups = 1;
   settings.load.group_simds = 1;
   const int code = schedule_make(&schedule, program, &settings);
   CHECK(code == (ignored == 0 ? EXIT_OK : EXIT_FAILED), "without dependencies %u: %d", ignored, code);
   CHECK((schedule.program != NULL) == (ignored == 0), "without dependencies %u", ignored);
   schedule_finish(&schedule);
   agx_program_destroy(program);
}

/* Each would be faster if the dependency were not there. */
static const char true_one[] = HEAD "rcp r2, r0\n fadd r3, r2, 1.0\n rcp r4, r1\n fadd r5, r4, 1.0\n stop\n";
static const char anti_one[] = HEAD "rcp r4, r0\n fadd r3, r4, r2\n rcp r2, r1\n fadd r6, r2, 1.0\n stop\n";
static const char memory_one[] =
    HEAD "rcp r2, r0\n store r2, du0, r1, i32, x, a\n load r3, du0, r1, i32, x, b\n wait b\n"
         "fadd r4, r3, 1.0\n wait a\n stop\n";

/* Straight code and a loop, both of which another order makes faster. */
static const char two_blocks[] = HEAD
    "mov r0l, 0\n mov r7, 0\n rcp r2, r1\n fadd r3, r2, 1.0\n rcp r4, r8\n fadd r5, r4, 1.0\n L:\n iadd r7, r7, 1\n"
    "rcp r2, r1\n fadd r3, r2, 1.0\n rcp r4, r8\n fadd r5, r4, 1.0\n while r7, 16, 1, ult\n jmp_any L\n stop\n";

/* A limit of effort leaves the loop to be searched, and not the code before it. The times of both are known. */
static void limit_effort(void)
{
   struct agx_program *program = assemble("two blocks", two_blocks);
   struct schedule_settings settings = {0};
   struct schedule all, part;

   CHECK(program != NULL, "two blocks");
   if (program == NULL) {
      return;
   }
   settings.load = schedule_load_of(program);
   settings.load.groups = settings.load.group_simds = 1;
   CHECK(schedule_make(&all, program, &settings) == EXIT_OK, "no limit");
   settings.effort = 1;
   CHECK(schedule_make(&part, program, &settings) == EXIT_OK, "a limit");
   CHECK(all.count == part.count && all.count >= 2 && all.left == 0 && part.left == part.count - 1,
         "%u and %u blocks, %u and %u not searched", all.count, part.count, all.left, part.left);
   for (uint32_t i = 0; i < all.count && i < part.count; i++) {
      const struct schedule_result *a = &all.results[i], *b = &part.results[i];

      CHECK(a->first == b->first && a->found.original.core == b->found.original.core, "block %u", i);
      CHECK(a->depth == 0 || (b->items != NULL && a->found.best.core == b->found.best.core), "loop");
      CHECK(i > 0 || (a->items != NULL && b->items == NULL), "before the loop");
   }
   schedule_finish(&all);
   schedule_finish(&part);
   agx_program_destroy(program);
}

int main(void)
{

   for (unsigned i = 0; i < ARRAY_COUNT(programs); i++) {
      check_blocks(programs[i].name, programs[i].text);
   }
   break_dependencies(true_one, 0);
   break_dependencies(true_one, SCHEDULE_TRUE);
   break_dependencies(anti_one, SCHEDULE_ANTI);
   break_dependencies(memory_one, SCHEDULE_MEMORY | SCHEDULE_WAITED);
   limit_effort();
   return check_result();
}
