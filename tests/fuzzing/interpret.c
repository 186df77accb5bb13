/* SPDX-License-Identifier: MIT
 *
 * The interpreter of NIR against answers computed by hand: arithmetic at its edges, control flow by lane, memory,
 * subgroups, and which answers are not determined. No compiler and no device run here.
 */
#include "fuzz/nir/build.h"
#include "fuzz/nir/interpret.h"
#include "tests/fuzzing/check.h"

static struct fuzz_program program;
static struct fuzz_outputs outputs;

static void start(void)
{
   memset(&program, 0, sizeof(program));
   program.rule = -1;
}

static void evaluate(void)
{
   fuzz_evaluate(&program, &outputs);
   CHECK(fuzz_valid(&program));
   CHECK(outputs.valid);
}

/* One op of two constants. The values are those that C, IEEE 754 or the op's name give. */
static void test_ops(void)
{
   static const struct {
      nir_op op;
      uint8_t source_bits, bits;
      uint64_t a, b, expected;
   } rows[] = {
       {nir_op_iadd, 8, 8, 0xff, 2, 1},
       {nir_op_iadd_sat, 8, 8, 0x7f, 1, 0x7f},
       {nir_op_iadd_sat, 16, 16, 0x8000, 0xffff, 0x8000},
       {nir_op_iadd_sat, 32, 32, 0x80000000, 0x80000000, 0x80000000},
       {nir_op_iadd_sat, 64, 64, UINT64_C(1) << 63, UINT64_MAX, UINT64_C(1) << 63},
       {nir_op_isub_sat, 64, 64, INT64_MAX, UINT64_MAX, INT64_MAX},
       {nir_op_isub_sat, 32, 32, 0x80000000, 1, 0x80000000},
       {nir_op_isub_sat, 8, 8, 0x7f, 0xff, 0x7f},
       {nir_op_uadd_sat, 8, 8, 0x80, 0x80, 0xff},
       {nir_op_uadd_sat, 16, 16, 0xfffe, 1, 0xffff},
       {nir_op_usub_sat, 32, 32, 1, 2, 0},
       {nir_op_imul_high, 32, 32, 0xffffffff, 2, 0xffffffff},
       {nir_op_umul_high, 32, 32, 0xffffffff, 2, 1},
       {nir_op_ilt, 32, 1, 0x80000000, 0, 1},
       {nir_op_ult, 32, 1, 0x80000000, 0, 0},
       {nir_op_imin, 16, 16, 0x8000, 0x7fff, 0x8000},
       {nir_op_umin, 16, 16, 0x8000, 0x7fff, 0x7fff},
       {nir_op_fadd, 32, 32, 0x3f800000, 0x40000000, 0x40400000}, /* 1 + 2 */
       {nir_op_fadd, 16, 16, 0x3c00, 0x4000, 0x4200},
       {nir_op_fmul, 32, 32, 0x80000000, 0x40000000, 0x80000000},     /* -0 * 2 */
       {nir_op_fmin_agx, 32, 32, 0xbfc00000, 0x40200000, 0xbfc00000}, /* of -1.5 and 2.5 */
       {nir_op_fmax_agx, 32, 32, 0xbfc00000, 0x40200000, 0x40200000},
   };

   start();
   for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
      const uint16_t a = add_constant(&program, rows[i].source_bits, rows[i].a);
      const uint16_t b = add_constant(&program, rows[i].source_bits, rows[i].b);
      add_output(&program, add_alu(&program, rows[i].op, rows[i].bits, a, b));
   }
   evaluate();
   for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
      const unsigned bits = outputs.bits[i];
      const uint64_t mask = UINT64_MAX >> (64 - bits);
      if ((outputs.value[i][31] & mask) != rows[i].expected || outputs.certainty[i][31] != FUZZ_EXACT) {
         fprintf(stderr, "row %zu, %s of %u bits:\n", i, nir_op_infos[rows[i].op].name, rows[i].source_bits);
      }
      CHECK_EQUAL(outputs.value[i][31] & mask, rows[i].expected);
      CHECK_EQUAL(outputs.certainty[i][31], FUZZ_EXACT);
   }
}

/* Lane n doubles n in n % 8 rounds of a loop; odd lanes add 100. */
static void test_control_flow(void)
{
   start();
   program.variable_bits[0] = 32;
   const uint16_t lane = add_input(&program, 32, 0, 1), one = add_constant(&program, 32, 1);
   const uint16_t hundred = add_constant(&program, 32, 100);
   const uint16_t odd = add_alu(&program, nir_op_iand, 32, lane, one);
   const uint16_t is_odd = add_alu(&program, nir_op_ieq, 1, odd, one);
   add(&program, (struct fuzz_node){.kind = FUZZ_SET, .slot = 0, .sources = {{lane, 0}}});
   add(&program, (struct fuzz_node){.kind = FUZZ_LOOP, .sources = {{lane, 0}}});
   uint16_t now = add(&program, (struct fuzz_node){.kind = FUZZ_GET, .bits = 32, .components = 1});
   const uint16_t twice = add_alu(&program, nir_op_iadd, 32, now, now);
   add(&program, (struct fuzz_node){.kind = FUZZ_SET, .slot = 0, .sources = {{twice, 0}}});
   add(&program, (struct fuzz_node){.kind = FUZZ_ENDLOOP});
   add(&program, (struct fuzz_node){.kind = FUZZ_IF, .sources = {{is_odd, 0}}});
   now = add(&program, (struct fuzz_node){.kind = FUZZ_GET, .bits = 32, .components = 1});
   const uint16_t more = add_alu(&program, nir_op_iadd, 32, now, hundred);
   add(&program, (struct fuzz_node){.kind = FUZZ_SET, .slot = 0, .sources = {{more, 0}}});
   add(&program, (struct fuzz_node){.kind = FUZZ_ENDIF});
   now = add(&program, (struct fuzz_node){.kind = FUZZ_GET, .bits = 32, .components = 1});
   add_output(&program, now);
   evaluate();
   for (uint32_t i = 0; i < FUZZ_LANES; i++) {
      CHECK_EQUAL(outputs.value[0][i] & UINT32_MAX, (i << i % 8) + (i % 2 == 1 ? 100 : 0));
   }
}

/* A byte stored is the byte that a word of the same place holds; the neighbour's value comes through the exchange. */
static void test_memory(void)
{
   start();
   const uint16_t value = add_input(&program, 8, 0x40, 1), zero = add_constant(&program, 32, 0);
   for (uint16_t space = 0; space < FUZZ_SPACES; space++) {
      add(&program, (struct fuzz_node){
                        .kind = FUZZ_STORE, .bits = 8, .op = space, .value = 1, .sources = {{zero, 0}, {value, 0}}});
      const uint16_t word =
          add(&program,
              (struct fuzz_node){.kind = FUZZ_LOAD, .bits = 32, .components = 1, .op = space, .sources = {{zero, 0}}});
      add_output(&program, word);
   }
   add_output(
       &program,
       add(&program,
           (struct fuzz_node){.kind = FUZZ_EXCHANGE, .bits = 8, .components = 1, .value = 1, .sources = {{value, 0}}}));
   evaluate();
   for (uint32_t i = 0; i < FUZZ_LANES; i++) {
      CHECK_EQUAL(outputs.value[0][i] & UINT32_MAX, (0x40 + i) << 8);
      CHECK_EQUAL(outputs.value[1][i] & UINT32_MAX, (0x40 + i) << 8);
      CHECK_EQUAL(outputs.value[2][i] & 0xff, 0x40 + (i ^ 1));
      CHECK_EQUAL(outputs.memory[i][1], 0x40 + i);
   }
}

/* A vector is stored component by component; its second one is read back alone, and both as a vector. */
static void test_vectors(void)
{
   start();
   const uint16_t x = add_input(&program, 16, 0x100, 1), y = add_constant(&program, 16, 0xbeef);
   const uint16_t zero = add_constant(&program, 32, 0);
   const uint16_t pair = add(
       &program, (struct fuzz_node){
                     .kind = FUZZ_ALU, .bits = 16, .components = 2, .op = nir_op_vec2, .sources = {{x, 0}, {y, 0}}});
   for (uint16_t space = 0; space < FUZZ_SPACES; space++) {
      add(&program, (struct fuzz_node){.kind = FUZZ_STORE,
                                       .bits = 16,
                                       .components = 2,
                                       .op = space,
                                       .value = 4,
                                       .sources = {{zero, 0}, {pair, 0}}});
      add_output(
          &program,
          add(&program,
              (struct fuzz_node){
                  .kind = FUZZ_LOAD, .bits = 16, .components = 1, .op = space, .value = 6, .sources = {{zero, 0}}}));
      const uint16_t both =
          add(&program,
              (struct fuzz_node){
                  .kind = FUZZ_LOAD, .bits = 16, .components = 2, .op = space, .value = 4, .sources = {{zero, 0}}});
      add_output(&program, both);
   }
   evaluate();
   for (uint32_t i = 0; i < FUZZ_LANES; i++) {
      for (unsigned space = 0; space < FUZZ_SPACES; space++) {
         CHECK_EQUAL(outputs.value[2 * space][i] & 0xffff, 0xbeef);
         CHECK_EQUAL(outputs.value[2 * space + 1][i] & 0xffff, 0x100 + i);
      }
      CHECK_EQUAL(outputs.memory[i][6], 0xef);
   }
}

/* Each atomic on a word of the lane's own: what was there, and what is there then. */
static void test_atomics(void)
{
   static const uint32_t left[FUZZ_ATOMICS] = {
       0x80000001 + 5, 5, 0x80000001, 0x80000001, 5, 1, 0x80000005, 0x80000004, 5, 5,
   };

   start();
   const uint16_t zero = add_constant(&program, 32, 0), old = add_constant(&program, 32, 0x80000001);
   const uint16_t five = add_constant(&program, 32, 5);
   for (uint16_t op = 0; op < FUZZ_SPACES * FUZZ_ATOMICS; op++) {
      const struct fuzz_node load = {
          .kind = FUZZ_LOAD, .bits = 32, .components = 1, .op = op % FUZZ_SPACES, .sources = {{zero, 0}}};
      add(&program, (struct fuzz_node){.kind = FUZZ_STORE,
                                       .bits = 32,
                                       .components = 1,
                                       .op = op % FUZZ_SPACES,
                                       .sources = {{zero, 0}, {old, 0}}});
      add_output(&program, add(&program, (struct fuzz_node){.kind = FUZZ_ATOMIC,
                                                            .bits = 32,
                                                            .components = 1,
                                                            .op = op,
                                                            .sources = {{zero, 0}, {five, 0}, {old, 0}}}));
      add_output(&program, add(&program, load));
   }
   evaluate();
   for (unsigned op = 0; op < FUZZ_SPACES * FUZZ_ATOMICS; op++) {
      CHECK_EQUAL(outputs.value[2 * op][31] & UINT32_MAX, 0x80000001);
      CHECK_EQUAL(outputs.value[2 * op + 1][31] & UINT32_MAX, left[op / FUZZ_SPACES]);
   }
}

/* Four lanes add their numbers to the word of the first of them; then all add to the word of lane 3. The same where
 * what the atomics give is used. */
static void test_combine(void)
{
   start();
   const uint16_t lane = add_input(&program, 32, 0, 1), hundred = add_constant(&program, 32, 100);
   const uint64_t values[] = {0, FUZZ_LANES + 3, 2 * FUZZ_LANES, 3 * FUZZ_LANES + 3};
   for (unsigned i = 0; i < ARRAY_SIZE(values); i++) {
      add_output(&program, add(&program, (struct fuzz_node){.kind = FUZZ_COMBINE,
                                                            .bits = 32,
                                                            .components = 1,
                                                            .value = values[i],
                                                            .sources = {{lane, 0}, {hundred, 0}}}));
   }
   evaluate();
   for (uint32_t i = 0; i < FUZZ_LANES; i++) {
      for (unsigned output = 0; output < ARRAY_SIZE(values); output += 2) {
         CHECK_EQUAL(outputs.value[output][i] & UINT32_MAX, i % 4 == 0 ? 100 + 4 * i + 6 : 100);
         CHECK_EQUAL(outputs.value[output + 1][i] & UINT32_MAX, i == 3 ? 100 + (FUZZ_LANES - 1) * FUZZ_LANES / 2 : 100);
         CHECK(outputs.certainty[output][i] != FUZZ_UNDEFINED && outputs.certainty[output + 1][i] != FUZZ_UNDEFINED);
      }
   }
}

/* A value goes to the same lane of the other simdgroup; a reduction stays in its simdgroup. */
static void test_simdgroups(void)
{
   start();
   const uint16_t lane = add_input(&program, 32, 0, 1), zero = add_constant(&program, 32, 0);
   const struct fuzz_node exchange = {
       .kind = FUZZ_EXCHANGE, .bits = 32, .components = 1, .value = FUZZ_SIMD, .sources = {{lane, 0}}};
   const struct fuzz_node sum = {
       .kind = FUZZ_SUBGROUP, .bits = 32, .components = 1, .op = 1, .sources = {{lane, 0}, {zero, 0}}};
   const struct fuzz_node shuffle = {
       .kind = FUZZ_SUBGROUP, .bits = 32, .components = 1, .op = 0, .sources = {{lane, 0}, {zero, 0}}};
   add_output(&program, add(&program, exchange));
   add_output(&program, add(&program, sum));
   add_output(&program, add(&program, shuffle));
   evaluate();
   for (uint32_t i = 0; i < FUZZ_LANES; i++) {
      const uint32_t first = i / FUZZ_SIMD * FUZZ_SIMD;
      CHECK_EQUAL(outputs.value[0][i] & UINT32_MAX, i ^ FUZZ_SIMD);
      CHECK_EQUAL(outputs.value[1][i] & UINT32_MAX, first * FUZZ_SIMD + 31 * 32 / 2);
      CHECK_EQUAL(outputs.value[2][i] & UINT32_MAX, first);
   }
}

static unsigned dropped_barrier;

/* Leaves one barrier out, and interprets what is left. */
static void build_without_barrier(nir_builder *b, const void *data)
{
   unsigned number = 0;

   fuzz_build(b, &program);
   nir_foreach_block (block, b->impl) {
      nir_foreach_instr_safe(instr, block)
      {
         if (instr->type == nir_instr_type_intrinsic &&
             nir_instr_as_intrinsic(instr)->intrinsic == nir_intrinsic_barrier && number++ == dropped_barrier) {
            nir_instr_remove(instr);
         }
      }
   }
   nir_index_ssa_defs(b->impl);
   fuzz_interpret(b->shader, data, NULL, &outputs);
}

/* Without a barrier what the other simdgroup stores is not determined: of two exchanges, the barrier between store and
 * load, and the one that keeps the second store from overtaking the first load. Within a simdgroup it is not missed. */
static void test_barriers(void)
{
   static const struct {
      uint64_t other;
      unsigned barrier, output;
      uint8_t certainty;
   } rows[] = {{FUZZ_SIMD, 4, 1, FUZZ_EXACT},
               {FUZZ_SIMD, 1, 0, FUZZ_UNDEFINED},
               {FUZZ_SIMD, 2, 1, FUZZ_UNDEFINED},
               {FUZZ_SIMD, 3, 1, FUZZ_UNDEFINED},
               {1, 1, 0, FUZZ_EXACT},
               {1, 3, 1, FUZZ_EXACT}};

   for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
      start();
      const uint16_t lane = add_input(&program, 32, 0, 1);
      for (unsigned n = 0; n < 2; n++) {
         const struct fuzz_node exchange = {
             .kind = FUZZ_EXCHANGE, .bits = 32, .components = 1, .value = rows[i].other, .sources = {{lane, 0}}};
         add_output(&program, add(&program, exchange));
      }
      dropped_barrier = rows[i].barrier;
      fuzz_build_only(build_without_barrier, &program);
      CHECK(outputs.valid);
      CHECK_EQUAL(outputs.certainty[rows[i].output][FUZZ_LANES - 1], rows[i].certainty);
   }
}

/* NULL: it stores nothing to device memory. */
static nir_intrinsic_instr *as_store(nir_instr *instr)
{
   nir_intrinsic_instr *intrinsic = instr->type == nir_instr_type_intrinsic ? nir_instr_as_intrinsic(instr) : NULL;

   return intrinsic != NULL && intrinsic->intrinsic == nir_intrinsic_store_global ? intrinsic : NULL;
}

/* Makes the store three times as wide, so that it reaches into the next lane's slot. */
static void build_with_wide_store(nir_builder *b, const void *data)
{
   fuzz_build(b, &program);
   nir_foreach_block (block, b->impl) {
      nir_foreach_instr_safe(instr, block)
      {
         nir_intrinsic_instr *store = as_store(instr);
         if (store != NULL) {
            b->cursor = nir_before_instr(instr);
            nir_def *value = store->src[0].ssa;
            nir_src_rewrite(&store->src[0], nir_vec3(b, value, value, value));
            store->num_components = 3;
            nir_intrinsic_set_write_mask(store, 7);
         }
      }
   }
   nir_index_ssa_defs(b->impl);
   fuzz_interpret(b->shader, data, NULL, &outputs);
}

/* What two lanes store to one place is not determined, although here the right lane is the last one. */
static void test_wide_store(void)
{
   start();
   add_output(&program, add_input(&program, 32, 0, 1));
   evaluate();
   CHECK_EQUAL(outputs.certainty[0][5], FUZZ_EXACT);
   fuzz_build_only(build_with_wide_store, &program);
   CHECK(outputs.valid);
   CHECK_EQUAL(outputs.certainty[0][0], FUZZ_EXACT);
   CHECK_EQUAL(outputs.certainty[0][5], FUZZ_UNDEFINED);
}

/* What NIR leaves open is not compared; a select that does not take it is. */
static void test_undetermined(void)
{
   start();
   const uint16_t a = add_input(&program, 32, 5, 0), zero = add_constant(&program, 32, 0);
   const uint16_t quotient = add_alu(&program, nir_op_udiv, 32, a, zero);
   const uint16_t sum = add_alu(&program, nir_op_iadd, 32, quotient, a);
   const uint16_t is_zero = add_alu(&program, nir_op_ieq, 1, zero, zero);
   const uint16_t nan = add_constant(&program, 32, 0x7fc00001);
   const uint16_t select = add(&program, (struct fuzz_node){.kind = FUZZ_ALU,
                                                            .bits = 32,
                                                            .components = 1,
                                                            .op = nir_op_bcsel,
                                                            .sources = {{is_zero, 0}, {a, 0}, {quotient, 0}}});
   add_output(&program, sum);
   add_output(&program, select);
   add_output(&program, add_alu(&program, nir_op_fadd, 32, nan, a));
   evaluate();
   CHECK_EQUAL(outputs.certainty[0][0], FUZZ_UNDEFINED);
   CHECK_EQUAL(outputs.certainty[1][0], FUZZ_EXACT);
   CHECK_EQUAL(outputs.value[1][0] & UINT32_MAX, 5);

   struct fuzz_outputs found = outputs;
   struct fuzz_difference difference;
   CHECK(!fuzz_differ(&outputs, &found, &difference));
   found.value[0][3] ^= 1; /* not determined */
   CHECK(!fuzz_differ(&outputs, &found, &difference));
   found.value[1][7] ^= 4;
   CHECK(fuzz_differ(&outputs, &found, &difference));
   CHECK_EQUAL(difference.output, 1);
   CHECK_EQUAL(difference.lane, 7);
   CHECK_EQUAL(difference.expected, 5);
   CHECK_EQUAL(difference.found, 1);

   /* The next differences: another output, then memory. */
   CHECK(!fuzz_differ_from(&outputs, &found, 2, &difference));
   found.memory[5][FUZZ_MEMORY - 1] ^= 1;
   CHECK(fuzz_differ_from(&outputs, &found, 1, &difference) && difference.output == 1);
   CHECK(fuzz_differ_from(&outputs, &found, 2, &difference));
   CHECK_EQUAL(difference.output, FUZZ_OUTPUTS);
   CHECK_EQUAL(difference.lane, 5);
   CHECK(!fuzz_differ_from(&outputs, &found, FUZZ_OUTPUTS + 1, &difference));
}

/* An integer made of an approximation, as in a division that a pass has lowered: after the pass the right number is as
 * good as a certain one, and a wrong one is wrong. In the reference it is not compared, nor is what it decides. */
static void test_derived(void)
{
   struct fuzz_outputs certain;
   struct fuzz_difference difference;

   start();
   const uint16_t two = add_constant(&program, 32, 2);
   const uint16_t reciprocal =
       add_alu(&program, nir_op_frcp, 32, add_alu(&program, nir_op_u2f32, 32, two, two), two); /* 0.5, about */
   const uint16_t sum = add_alu(&program, nir_op_fadd, 32, reciprocal, reciprocal);
   add_output(&program, add_alu(&program, nir_op_f2u32, 32, sum, sum));
   evaluate();
   CHECK_EQUAL(outputs.certainty[0][9], FUZZ_DERIVED);
   certain = outputs;
   memset(certain.certainty[0], FUZZ_EXACT, sizeof(certain.certainty[0]));
   for (unsigned lane = 0; lane < FUZZ_LANES; lane++) {
      certain.value[0][lane] = 1;
   }
   CHECK(!fuzz_differ(&certain, &outputs, &difference));
   certain.value[0][9] = 2;
   CHECK(fuzz_differ(&certain, &outputs, &difference));
   CHECK(!fuzz_differ(&outputs, &certain, &difference));

   const uint16_t derived = (uint16_t)(program.count - 2);
   const uint16_t is_odd = add_alu(&program, nir_op_ieq, 1, derived, two);
   add(&program, (struct fuzz_node){.kind = FUZZ_IF, .sources = {{is_odd, 0}}});
   add(&program, (struct fuzz_node){.kind = FUZZ_ENDIF});
   fuzz_evaluate(&program, &outputs);
   CHECK(!outputs.valid);
}

/* An approximation that may be out of range on some device is not compared in the reference; where a pass makes it of a
 * certain value, the right number counts: conversions of 64 bits to floats multiply by 2^40. */
static void test_far_approximation(void)
{
   struct fuzz_outputs certain;
   struct fuzz_difference difference;

   start();
   const uint16_t forty = add_constant(&program, 32, 0x42200000), four = add_constant(&program, 32, 0x40800000);
   add_output(&program, add_alu(&program, nir_op_fexp2, 32, forty, forty));
   add_output(&program, add_alu(&program, nir_op_fexp2, 32, four, four));
   evaluate();
   CHECK_EQUAL(outputs.certainty[0][9], FUZZ_DERIVED);
   CHECK_EQUAL(outputs.certainty[1][9], FUZZ_CLOSE);
   certain = outputs;
   memset(certain.certainty, FUZZ_EXACT, sizeof(certain.certainty));
   for (unsigned lane = 0; lane < FUZZ_LANES; lane++) {
      certain.value[0][lane] = 0x53800000; /* 2^40 */
   }
   CHECK(!fuzz_differ(&certain, &outputs, &difference));
   certain.value[0][9] = 0x53000000;
   CHECK(fuzz_differ(&certain, &outputs, &difference));
   CHECK(!fuzz_differ(&outputs, &certain, &difference));
}

/* The same of an approximation that is infinite, and of ops that are not exact and read it: conversions of 64 bits to
 * halves multiply by 2^40. */
static void test_infinite_approximation(void)
{
   struct fuzz_outputs certain;
   struct fuzz_difference difference;

   start();
   const uint16_t forty = add_constant(&program, 16, 0x5100), minus = add_constant(&program, 16, 0xbc00);
   const uint16_t power = add_alu(&program, nir_op_fexp2, 16, forty, forty);
   const uint16_t product = add_alu(&program, nir_op_fmul, 16, power, minus);
   program.nodes[power].exact = program.nodes[product].exact = false;
   add_output(&program, product);
   evaluate();
   CHECK_EQUAL(outputs.certainty[0][9], FUZZ_DERIVED);
   certain = outputs;
   memset(certain.certainty, FUZZ_EXACT, sizeof(certain.certainty));
   for (unsigned lane = 0; lane < FUZZ_LANES; lane++) {
      certain.value[0][lane] = 0xfc00;
   }
   CHECK(!fuzz_differ(&certain, &outputs, &difference));
   certain.value[0][9] = 0x7c00;
   CHECK(fuzz_differ(&certain, &outputs, &difference));
   CHECK(!fuzz_differ(&outputs, &certain, &difference));
}

/* A component of a vector says nothing about the others: clang makes four of vectors of three, with an undefined one.
 */
static void test_components(void)
{
   start();
   const uint16_t seven = add_constant(&program, 32, 7), nan = add_constant(&program, 32, 0x7fc00000);
   const uint16_t undefined = add_alu(&program, nir_op_f2i32, 32, nan, nan);
   const uint16_t pair = add(&program, (struct fuzz_node){.kind = FUZZ_ALU,
                                                          .bits = 32,
                                                          .components = 2,
                                                          .exact = 1,
                                                          .op = nir_op_vec2,
                                                          .sources = {{undefined, 0}, {seven, 0}}});
   for (uint8_t c = 0; c < 2; c++) {
      const uint16_t sum = add(&program, (struct fuzz_node){.kind = FUZZ_ALU,
                                                            .bits = 32,
                                                            .components = 1,
                                                            .exact = 1,
                                                            .op = nir_op_iadd,
                                                            .sources = {{pair, c}, {seven, 0}}});
      add_output(&program, sum);
   }
   evaluate();
   CHECK_EQUAL(outputs.certainty[0][9], FUZZ_UNDEFINED);
   CHECK_EQUAL(outputs.certainty[1][9], FUZZ_EXACT);
   CHECK_EQUAL(outputs.value[1][9], 14);
}

/* What is stored comes through the preamble's uniforms. */
static void build_with_preamble(nir_builder *b, const void *data)
{
   const unsigned uniform = 64; /* behind the arguments */

   fuzz_build(b, &program);
   nir_foreach_block (block, b->impl) {
      nir_foreach_instr_safe(instr, block)
      {
         nir_intrinsic_instr *store = as_store(instr);
         if (store != NULL) {
            b->cursor = nir_before_instr(instr);
            nir_store_preamble(b, store->src[0].ssa, .base = uniform);
            nir_src_rewrite(&store->src[0], nir_load_preamble(b, 1, 32, .base = uniform));
         }
      }
   }
   nir_index_ssa_defs(b->impl);
   fuzz_interpret(b->shader, data, NULL, &outputs);
}

/* An approximate value is as exact behind the preamble as before. */
static void test_preamble(void)
{
   start();
   const uint16_t four = add_constant(&program, 32, 0x40800000);
   add_output(&program, add_alu(&program, nir_op_fexp2, 32, four, four));
   fuzz_build_only(build_with_preamble, &program);
   CHECK(outputs.valid);
   CHECK_EQUAL(outputs.value[0][9] & UINT32_MAX, 0x41800000); /* 16 */
   CHECK_EQUAL(outputs.certainty[0][9], FUZZ_CLOSE);
}

/* The lower half of each value goes to a word of scratch memory of which nothing wrote the rest, as passes make it of
 * stores of a short. The first output is that half, read back; the second one is the word. */
static void build_with_scratch(nir_builder *b, const void *data)
{
   unsigned outputs_seen = 0;

   fuzz_build(b, &program);
   b->shader->scratch_size = 16;
   nir_foreach_block (block, b->impl) {
      nir_foreach_instr_safe(instr, block)
      {
         nir_intrinsic_instr *store = as_store(instr);
         if (store != NULL) {
            b->cursor = nir_before_instr(instr);
            nir_def *offset = nir_imm_int(b, 4), *before = nir_load_scratch(b, 1, 32, offset, .align_mul = 4);
            nir_def *rest = nir_iand_imm(b, before, 0xffff0000);
            nir_def *word = nir_ior(b, rest, nir_iand_imm(b, store->src[0].ssa, 0xffff));
            nir_store_scratch(b, word, offset, .align_mul = 4);
            nir_def *after = nir_load_scratch(b, 1, 32, offset, .align_mul = 4);
            nir_def *half = nir_u2u32(b, nir_channel(b, nir_unpack_32_2x16(b, after), 0));
            nir_src_rewrite(&store->src[0], outputs_seen++ == 0 ? half : after);
         }
      }
   }
   nir_index_ssa_defs(b->impl);
   fuzz_interpret(b->shader, data, NULL, &outputs);
}

static void test_scratch(void)
{
   start();
   const uint16_t lane = add_input(&program, 32, 0, 1);
   for (unsigned i = 0; i < 2; i++) {
      add_output(&program, add_alu(&program, nir_op_imul, 32, lane, add_constant(&program, 32, 0x10001)));
   }
   fuzz_build_only(build_with_scratch, &program);
   CHECK(outputs.valid);
   for (unsigned i = 0; i < FUZZ_LANES; i++) {
      CHECK_EQUAL(outputs.value[0][i], i);
      CHECK_EQUAL(outputs.certainty[0][i], FUZZ_EXACT);
      CHECK_EQUAL(outputs.certainty[1][i], FUZZ_UNDEFINED);
   }
}

/* Bits that no undefined operand decides. `value`: of the other operand. */
static void test_known_bits(void)
{
   static const struct {
      nir_op op;
      uint32_t value;
      uint32_t mask; /* of the result, taken by one more op */
      enum fuzz_certainty certainty;
   } rows[] = {
       {nir_op_iand, 0xff, 0xff00, FUZZ_EXACT},   {nir_op_iand, 0xff, 0x1ff, FUZZ_UNDEFINED},
       {nir_op_ior, 0xff, 0xff, FUZZ_EXACT},      {nir_op_ior, 0xff, 0x100, FUZZ_UNDEFINED},
       {nir_op_ixor, 0xff, 0xff, FUZZ_UNDEFINED}, {nir_op_ishl, 8, 0xff, FUZZ_EXACT},
       {nir_op_ishl, 8, 0x100, FUZZ_UNDEFINED},   {nir_op_ushr, 24, 0xff00, FUZZ_EXACT},
       {nir_op_ishr, 24, 0xff00, FUZZ_UNDEFINED}, {nir_op_iadd, 0, 0, FUZZ_EXACT},
       {nir_op_iadd, 0, 1, FUZZ_UNDEFINED},
   };

   for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
      start();
      const uint16_t nan = add_constant(&program, 32, 0x7fc00000);
      const uint16_t undefined = add_alu(&program, nir_op_f2i32, 32, nan, nan);
      const uint16_t value = add_alu(&program, rows[i].op, 32, undefined, add_constant(&program, 32, rows[i].value));
      const uint16_t masked = add_alu(&program, nir_op_iand, 32, value, add_constant(&program, 32, rows[i].mask));
      add_output(&program, masked);
      evaluate();
      CHECK_EQUAL(outputs.certainty[0][9], rows[i].certainty);
   }
}

/* Conversions of OpenCL C. The values are those that IEEE 754 gives. */
static const struct {
   nir_alu_type from, to;
   nir_rounding_mode mode;
   bool saturate;
   uint64_t value, expected;
} conversions[] = {
    {nir_type_uint32, nir_type_float16, nir_rounding_mode_rtz, false, 65536, 0x7bff}, /* the largest half */
    {nir_type_uint32, nir_type_float16, nir_rounding_mode_rtne, false, 65536, 0x7c00},
    {nir_type_int32, nir_type_float16, nir_rounding_mode_ru, false, (uint32_t)-65536, 0xfbff},
    {nir_type_int32, nir_type_float16, nir_rounding_mode_rd, false, (uint32_t)-2049, 0xe801},
    {nir_type_int32, nir_type_float16, nir_rounding_mode_undef, false, (uint32_t)-2049, 0xe800},
    {nir_type_uint64, nir_type_float32, nir_rounding_mode_ru, false, UINT64_MAX, 0x5f800000}, /* 2^64 */
    {nir_type_uint64, nir_type_float32, nir_rounding_mode_rtz, false, UINT64_MAX, 0x5f7fffff},
    {nir_type_uint8, nir_type_float32, nir_rounding_mode_rtne, false, 255, 0x437f0000},
    {nir_type_float32, nir_type_float16, nir_rounding_mode_rtz, false, 0x33ffffff, 1}, /* almost twice the least half */
    {nir_type_float32, nir_type_float16, nir_rounding_mode_rtne, false, 0x33ffffff, 2},
    {nir_type_float32, nir_type_float16, nir_rounding_mode_rtz, false, 0x80000000, 0x8000},
    {nir_type_float16, nir_type_float32, nir_rounding_mode_undef, false, 0xfc00, 0xff800000},
    {nir_type_float32, nir_type_int32, nir_rounding_mode_rtne, false, 0x40200000, 2}, /* 2.5 */
    {nir_type_float32, nir_type_int32, nir_rounding_mode_undef, false, 0xc0200000, (uint32_t)-2},
    {nir_type_float32, nir_type_uint8, nir_rounding_mode_ru, true, 0xc0200000, 0},
    {nir_type_int32, nir_type_uint16, nir_rounding_mode_undef, true, 65536, 65535},
};

static void build_conversions(nir_builder *b, const void *data)
{
   unsigned row = 0;

   fuzz_build(b, &program);
   nir_foreach_block (block, b->impl) {
      nir_foreach_instr_safe(instr, block)
      {
         nir_intrinsic_instr *store = as_store(instr);
         if (store == NULL) {
            continue;
         }
         const nir_alu_type from = conversions[row].from, to = conversions[row].to;
         b->cursor = nir_before_instr(instr);
         nir_def *value = nir_imm_intN_t(b, conversions[row].value, nir_alu_type_get_type_size(from));
         value = nir_convert_alu_types(b, nir_alu_type_get_type_size(to), value, .src_type = from, .dest_type = to,
                                       .rounding_mode = conversions[row].mode, .saturate = conversions[row].saturate);
         nir_src_rewrite(&store->src[0], nir_u2u32(b, value));
         row++;
      }
   }
   nir_index_ssa_defs(b->impl);
   fuzz_interpret(b->shader, data, NULL, &outputs);
}

static void test_conversions(void)
{
   start();
   for (size_t i = 0; i < ARRAY_SIZE(conversions); i++) {
      add_output(&program, add_constant(&program, 32, i));
   }
   fuzz_build_only(build_conversions, &program);
   CHECK(outputs.valid);
   for (size_t i = 0; i < ARRAY_SIZE(conversions); i++) {
      if ((uint32_t)outputs.value[i][9] != conversions[i].expected) {
         fprintf(stderr, "conversion %zu:\n", i);
      }
      CHECK_EQUAL((uint32_t)outputs.value[i][9], conversions[i].expected);
      CHECK_EQUAL(outputs.certainty[i][9], FUZZ_EXACT);
   }
}

int main(void)
{
   test_conversions();
   test_preamble();
   test_scratch();
   test_known_bits();
   test_derived();
   test_far_approximation();
   test_infinite_approximation();
   test_components();
   test_ops();
   test_control_flow();
   test_memory();
   test_vectors();
   test_atomics();
   test_combine();
   test_simdgroups();
   test_barriers();
   test_wide_store();
   test_undetermined();
   return check_result();
}
