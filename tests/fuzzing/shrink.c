/* SPDX-License-Identifier: MIT
 *
 * The shrinker, with predicates in place of a compiler: what it returns still fails, and holds little but what makes it
 * fail. A shrinker that did nothing, or that returned what does not fail, is seen here.
 */
#include "fuzz/nir/program.h"
#include "fuzz/nir/registers.h"
#include "tests/fuzzing/check.h"

static struct fuzz_program program, original;

struct wanted {
   nir_op op;
   unsigned asked;
};

/* Fails where an op's result reaches an output. */
static bool holds_op(void *tried, void *data)
{
   const struct fuzz_program *candidate = tried;
   struct wanted *wanted = data;
   bool needed[FUZZ_NODES];

   wanted->asked++;
   CHECK(fuzz_valid(candidate));
   fuzz_needed(candidate, needed);
   for (uint32_t i = 0; i < candidate->count; i++) {
      if (needed[i] && candidate->nodes[i].kind == FUZZ_ALU && candidate->nodes[i].op == wanted->op) {
         return true;
      }
   }
   return false;
}

static bool never(void *tried, void *data)
{
   const struct fuzz_program *candidate = tried;
   (void)candidate;
   (void)data;
   return false;
}

static unsigned count_alu(const struct fuzz_program *candidate)
{
   unsigned count = 0;

   for (uint32_t i = 0; i < candidate->count; i++) {
      count += candidate->nodes[i].kind == FUZZ_ALU ? 1 : 0;
   }
   return count;
}

/* Random programs of all families: one op stays, of dozens. */
static void test_random(void)
{
   static const enum fuzz_family families[] = {FUZZ_RANDOM, FUZZ_RULE, FUZZ_CONTROL};
   unsigned tried = 0;

   for (uint64_t seed = 0; tried < 6 && seed < 200; seed++) {
      struct wanted wanted = {.op = nir_op_iadd};
      fuzz_generate(&program, seed, families[seed % 3], (int32_t)seed);
      fuzz_compact(&program);
      if (!holds_op(&program, &wanted) || count_alu(&program) < 12) {
         continue;
      }
      tried++;
      fuzz_shrink(&program, NULL, holds_op, &wanted);
      CHECK(holds_op(&program, &wanted));
      CHECK(wanted.asked > 10);
      if (count_alu(&program) > 2) {
         fprintf(stderr, "seed %llu:\n", (unsigned long long)seed);
         fuzz_print(stderr, &program, 0);
      }
      CHECK(count_alu(&program) <= 2);
      CHECK(program.count <= 12);
   }
   CHECK_EQUAL(tried, 6);
}

/* The op that is wanted reads long chains: they become inputs or constants. */
static void test_operands(void)
{
   struct wanted wanted = {.op = nir_op_iadd};

   memset(&program, 0, sizeof(program));
   program.rule = -1;
   uint16_t a = add_input(&program, 32, 5, 1), b = add_input(&program, 32, 9, 2);
   for (unsigned i = 0; i < 8; i++) {
      a = add_alu(&program, nir_op_imul, 32, a, b);
      b = add_alu(&program, nir_op_ixor, 32, a, b);
   }
   add_output(&program, add_alu(&program, nir_op_iadd, 32, a, b));
   fuzz_shrink(&program, NULL, holds_op, &wanted);
   CHECK(holds_op(&program, &wanted));
   CHECK_EQUAL(count_alu(&program), 1);
}

/* Fails where two negations, of any operands, reach an addition. */
static bool adds_negations(void *tried, void *data)
{
   const struct fuzz_program *candidate = tried;
   (void)data;
   for (uint32_t i = 0; i < candidate->count; i++) {
      const struct fuzz_node *node = &candidate->nodes[i];
      if (node->kind == FUZZ_ALU && node->op == nir_op_iadd &&
          candidate->nodes[node->sources[0].node].op == nir_op_ineg &&
          candidate->nodes[node->sources[1].node].op == nir_op_ineg) {
         return true;
      }
   }
   return false;
}

/* Equal sub-expressions are made once, and so are equal inputs. */
static void test_equal(void)
{
   memset(&program, 0, sizeof(program));
   program.rule = -1;
   const uint16_t a = add_input(&program, 32, 5, 1), b = add_input(&program, 32, 5, 1);
   const uint16_t left = add_alu(&program, nir_op_ineg, 32, a, a), right = add_alu(&program, nir_op_ineg, 32, b, b);
   add_output(&program, add_alu(&program, nir_op_iadd, 32, left, right));
   fuzz_shrink(&program, NULL, adds_negations, NULL);
   CHECK(adds_negations(&program, NULL));
   CHECK_EQUAL(count_alu(&program), 2);
   CHECK_EQUAL(program.count, 4); /* input, ineg, iadd, store */
}

/* Nothing smaller fails: the program stays as it is. */
static void test_unshrinkable(void)
{
   fuzz_generate(&program, 3, FUZZ_RANDOM, -1);
   original = program;
   fuzz_shrink(&program, NULL, never, NULL);
   CHECK_EQUAL(memcmp(&program, &original, sizeof(program)), 0);
}

/* Fails where output 0 of some lane is 7 or more: the data shrink too. */
static bool is_large(void *tried, void *data)
{
   const struct fuzz_program *candidate = tried;
   static struct fuzz_outputs outputs;

   (void)data;
   fuzz_evaluate(candidate, &outputs);
   return outputs.valid && outputs.bits[0] == 32 && (outputs.value[0][5] & UINT32_MAX) >= 7;
}

static void test_data(void)
{
   memset(&program, 0, sizeof(program));
   program.rule = -1;
   const uint16_t a = add_input(&program, 32, 1000, 3), b = add_constant(&program, 32, 0x12345);
   add_output(&program, add_alu(&program, nir_op_iadd, 32, a, b));
   CHECK(is_large(&program, NULL));
   fuzz_shrink(&program, &(struct fuzz_difference){.output = 0, .lane = 5}, is_large, NULL);
   CHECK(is_large(&program, NULL));
   CHECK_EQUAL(count_alu(&program), 0); /* one operand is enough */
   CHECK_EQUAL(program.count, 2);
   const struct fuzz_node *leaf = &program.nodes[0];
   CHECK_EQUAL(leaf->kind == FUZZ_CONST ? leaf->value : program.input[leaf->slot][5], 8); /* the next of its numbers */
}

/* Fails where so many values are added that they do not fit into the registers: 50, or 3 where there are few. */
static bool spills(void *tried, void *data)
{
   const struct fuzz_program *candidate = tried;
   (void)data;
   return count_alu(candidate) >= (candidate->registers == FUZZ_REGISTERS_FEW ? 3 : 50);
}

/* With few registers a program that spills becomes small. One that fails with all of them keeps them. */
static void test_registers(void)
{
   struct wanted wanted = {.op = nir_op_iadd};

   for (unsigned large = 0; large < 2; large++) {
      memset(&program, 0, sizeof(program));
      program.rule = -1;
      program.registers = large ? FUZZ_REGISTERS_ALL : FUZZ_REGISTERS_TIGHT;
      const uint16_t a = add_input(&program, 32, 5, 1);
      uint16_t sum = a;
      for (unsigned i = 0; i < 60; i++) {
         sum = add_alu(&program, nir_op_iadd, 32, sum, a);
      }
      add_output(&program, sum);
      fuzz_shrink(&program, NULL, large ? spills : holds_op, &wanted);
      CHECK_EQUAL(program.registers, large ? FUZZ_REGISTERS_FEW : FUZZ_REGISTERS_ALL);
      CHECK_EQUAL(count_alu(&program), large ? 3 : 1);
   }
}

/* Fails where all registers hold values of 64 bits, and no more: 60 of them, or fewer with a limit. */
static bool fills(void *tried, void *data)
{
   const struct fuzz_program *candidate = tried;
   const uint32_t most = candidate->registers >= FUZZ_REGISTERS_LEAST ? candidate->registers : FUZZ_REGISTERS_MOST;
   const uint32_t held = 4 * count_alu(candidate);

   (void)data;
   return candidate->registers != FUZZ_REGISTERS_FEW && held <= most && held + 4 * FUZZ_REGISTERS_STEP > most;
}

/* What needs nearly all registers becomes small with fewer of them. */
static void test_limit(void)
{
   memset(&program, 0, sizeof(program));
   program.rule = -1;
   uint16_t sum = add_input(&program, 64, 5, 1);
   for (unsigned i = 0; i < 60; i++) {
      sum = add_alu(&program, nir_op_iadd, 64, sum, add_input(&program, 64, i, 7));
   }
   add_output(&program, sum);
   CHECK(fills(&program, NULL));
   fuzz_shrink(&program, NULL, fills, NULL);
   CHECK(fills(&program, NULL));
   CHECK_EQUAL(program.registers, FUZZ_REGISTERS_LEAST);
   CHECK(count_alu(&program) <= 6);
}

/* A value made in one part of a program and read in another; or an input instead of it: visible everywhere. */
static bool reads_across(const enum fuzz_kind *kinds, unsigned count, unsigned made_after, unsigned read_after,
                         bool input)
{
   memset(&program, 0, sizeof(program));
   program.rule = -1;
   const uint16_t condition = add_input(&program, 1, 1, 0), number = add_input(&program, 32, 5, 1);
   uint16_t made = number;
   for (unsigned i = 0; i < count; i++) {
      add(&program, (struct fuzz_node){.kind = (uint8_t)kinds[i], .sources = {{condition, 0}}});
      if (i == made_after && !input) {
         made = add_alu(&program, nir_op_iadd, 32, number, number);
      }
      if (i == read_after) {
         add_output(&program, add_alu(&program, nir_op_iadd, 32, made, number));
      }
   }
   return fuzz_valid(&program);
}

/* Whatever the generator makes is valid, and values are not read where they are not visible. */
static void test_visible(void)
{
   static const enum fuzz_kind sides[] = {FUZZ_IF, FUZZ_ELSE, FUZZ_ENDIF};
   static const enum fuzz_kind loop[] = {FUZZ_LOOP, FUZZ_IF, FUZZ_ENDIF, FUZZ_ENDLOOP};
   static const enum fuzz_kind two[] = {FUZZ_IF, FUZZ_ENDIF, FUZZ_IF, FUZZ_ENDIF};
   static const enum fuzz_family families[] = {FUZZ_RANDOM, FUZZ_RULE, FUZZ_CONTROL};

   CHECK(reads_across(sides, 3, 0, 0, false));
   CHECK(!reads_across(sides, 3, 0, 1, false));
   CHECK(!reads_across(sides, 3, 0, 2, false));
   CHECK(!reads_across(sides, 3, 1, 2, false));
   CHECK(reads_across(loop, 4, 0, 1, false));
   CHECK(reads_across(loop, 4, 0, 2, false));
   CHECK(!reads_across(loop, 4, 1, 2, false));
   CHECK(!reads_across(loop, 4, 0, 3, false));
   CHECK(!reads_across(two, 4, 0, 2, false));
   for (unsigned at = 0; at < 4; at++) {
      CHECK(reads_across(loop, 4, 0, at, true) && reads_across(two, 4, 0, at, true));
   }
   for (uint64_t seed = 0; seed < 3000; seed++) {
      fuzz_generate(&program, seed, families[seed % 3], (int32_t)seed);
      CHECK(fuzz_valid(&program));
      fuzz_compact(&program);
      CHECK(fuzz_valid(&program));
   }
}

/* Fails where a store is in a loop, whatever the loop is like. */
static bool stores_in_loop(void *tried, void *data)
{
   const struct fuzz_program *candidate = tried;
   unsigned loops = 0;

   (void)data;
   for (uint32_t i = 0; i < candidate->count; i++) {
      loops += candidate->nodes[i].kind == FUZZ_LOOP ? 1 : 0;
      loops -= candidate->nodes[i].kind == FUZZ_ENDLOOP ? 1 : 0;
      if (candidate->nodes[i].kind == FUZZ_STORE && loops != 0) {
         return true;
      }
   }
   return false;
}

/* Loops and addresses become plain; a loop goes with the jumps that stand in its ifs. */
static void test_plain(void)
{
   static const enum fuzz_kind around[] = {FUZZ_LOOP, FUZZ_IF, FUZZ_BREAK, FUZZ_CONTINUE, FUZZ_ENDIF};

   memset(&program, 0, sizeof(program));
   program.rule = -1;
   const uint16_t condition = add_input(&program, 1, 1, 0), number = add_input(&program, 32, 5, 1);
   for (unsigned i = 0; i < ARRAY_SIZE(around); i++) {
      const uint16_t source = around[i] == FUZZ_LOOP ? number : condition;
      add(&program, (struct fuzz_node){
                        .kind = (uint8_t)around[i], .value = around[i] == FUZZ_LOOP ? 3 : 0, .sources = {{source, 0}}});
   }
   add(&program, (struct fuzz_node){.kind = FUZZ_LOOP, .value = 5, .sources = {{number, 0}}});
   add(&program,
       (struct fuzz_node){
           .kind = FUZZ_STORE, .bits = 32, .components = 1, .slot = 2, .sources = {{number, 0}, {number, 0}}});
   add(&program, (struct fuzz_node){.kind = FUZZ_ENDLOOP});
   add(&program, (struct fuzz_node){.kind = FUZZ_ENDLOOP});
   CHECK(fuzz_valid(&program));
   fuzz_shrink(&program, NULL, stores_in_loop, NULL);
   CHECK(stores_in_loop(&program, NULL));
   CHECK_EQUAL(program.count, 4); /* input, loop, store, end */
   CHECK_EQUAL(program.nodes[1].value, 0);
   CHECK_EQUAL(program.nodes[2].slot, 0);
}

int main(void)
{
   test_visible();
   test_plain();
   test_random();
   test_operands();
   test_equal();
   test_unshrinkable();
   test_data();
   test_registers();
   test_limit();
   return check_result();
}
