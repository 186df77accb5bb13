/* SPDX-License-Identifier: MIT
 *
 * Loops that count in all ways, jumps out of ifs, addresses that are less aligned, and subgroup operations of all
 * widths: what the interpreter says of them against answers computed by hand. What the compiler makes of each
 * is the fuzzer's work.
 */
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
   CHECK(fuzz_valid(&program));
   fuzz_evaluate(&program, &outputs);
   if (!outputs.valid) {
      fprintf(stderr, "%s\n", outputs.why);
   }
   CHECK(outputs.valid);
}

static void add_statement(enum fuzz_kind kind, uint16_t source, uint64_t value)
{
   add(&program, (struct fuzz_node){.kind = (uint8_t)kind, .sources = {{source, 0}}, .value = value});
}

/* Variable 0 becomes its value and `number`. */
static void add_to_variable(uint16_t number)
{
   const struct fuzz_node get = {.kind = FUZZ_GET, .bits = 32, .components = 1};
   const uint16_t sum = add_alu(&program, nir_op_iadd, 32, add(&program, get), number);

   add(&program, (struct fuzz_node){.kind = FUZZ_SET, .sources = {{sum, 0}}});
}

static void output_variable(void)
{
   add_output(&program, add(&program, (struct fuzz_node){.kind = FUZZ_GET, .bits = 32, .components = 1}));
}

/* A loop turns as often as its lane's number says, modulo 8; where the test stands at its end, once at least. */
static void test_turns(void)
{
   for (uint64_t kind = 0; kind < 2 * FUZZ_COUNTERS; kind++) {
      start();
      program.variable_bits[0] = 32;
      const uint16_t lane = add_input(&program, 32, 0, 1), one = add_constant(&program, 32, 1);
      add_statement(FUZZ_LOOP, lane, kind);
      add_to_variable(one);
      add_statement(FUZZ_ENDLOOP, 0, 0);
      output_variable();
      evaluate();
      for (uint32_t i = 0; i < FUZZ_LANES; i++) {
         CHECK_EQUAL((uint32_t)outputs.value[0][i], kind % 2 != 0 && i % 8 == 0 ? 1 : i % 8);
      }
   }
}

/* Seven turns, of which those below `from` skip the addition of 1, or the loop ends in that turn: in an if. */
static void test_jumps(void)
{
   for (uint64_t kind = 0; kind < 2 * FUZZ_COUNTERS; kind++) {
      for (unsigned jump = 0; jump < 2; jump++) {
         start();
         program.variable_bits[0] = 32;
         const uint16_t seven = add_constant(&program, 32, 7), lane = add_input(&program, 32, 0, 1);
         const uint16_t one = add_constant(&program, 32, 1), hundred = add_constant(&program, 32, 100);
         const uint16_t low = add_alu(&program, nir_op_ult, 1, lane, add_constant(&program, 32, 40));
         add_statement(FUZZ_LOOP, seven, kind);
         add_to_variable(one);
         add_statement(FUZZ_IF, low, 0);
         add_statement(jump == 0 ? FUZZ_BREAK : FUZZ_CONTINUE, low, 0);
         add_statement(FUZZ_ENDIF, 0, 0);
         add_to_variable(hundred);
         add_statement(FUZZ_ENDLOOP, 0, 0);
         output_variable();
         evaluate();
         for (uint32_t i = 0; i < FUZZ_LANES; i++) {
            CHECK_EQUAL((uint32_t)outputs.value[0][i], i >= 40 ? 707 : jump == 0 ? 1 : 7);
         }
      }
   }
}

/* A word that is stored at a byte which is a multiple of less is read back byte by byte. */
static void check_bytes(enum fuzz_space space, uint16_t slot, uint64_t value, uint64_t first_byte)
{
   start();
   const uint16_t word = add_input(&program, 32, 0x44332211, 0), one = add_constant(&program, 32, 1);
   const uint16_t zero = add_constant(&program, 32, 0);
   add(&program, (struct fuzz_node){.kind = FUZZ_STORE,
                                    .bits = 32,
                                    .components = 1,
                                    .op = (uint16_t)space,
                                    .slot = slot,
                                    .value = value,
                                    .sources = {{one, 0}, {word, 0}}});
   for (uint64_t i = 0; i < 4; i++) {
      add_output(&program, add(&program, (struct fuzz_node){.kind = FUZZ_LOAD,
                                                            .bits = 8,
                                                            .components = 1,
                                                            .op = (uint16_t)space,
                                                            .value = first_byte + i,
                                                            .sources = {{zero, 0}}}));
   }
   evaluate();
   for (uint64_t i = 0; i < 4; i++) {
      CHECK_EQUAL(outputs.value[i][37] & 0xff, 0x11 * (i + 1));
   }
}

static void test_alignment(void)
{
   for (unsigned space = 0; space < FUZZ_SPACES; space++) {
      check_bytes((enum fuzz_space)space, 0, 4, 8);                /* index 1 of words, and 4 */
      check_bytes((enum fuzz_space)space, 1, 6, 7);                /* of bytes, and 6 */
      check_bytes((enum fuzz_space)space, 2, 6, 8);                /* of pairs of bytes, and 6 */
      check_bytes((enum fuzz_space)space, 1, FUZZ_MEMORY + 3, 11); /* of structs of 8 bytes, and 3 */
   }
}

static uint16_t add_subgroup(unsigned op, uint8_t bits, uint16_t source, uint16_t other, uint64_t value)
{
   return add(&program, (struct fuzz_node){.kind = FUZZ_SUBGROUP,
                                           .bits = bits,
                                           .components = 1,
                                           .op = (uint16_t)op,
                                           .value = value,
                                           .sources = {{source, 0}, {other, 0}}});
}

/* Of lanes 0 to 63 as bytes, words of 64 bits and booleans: whether the lane's number is below 40. */
static void test_subgroups(void)
{
   start();
   const uint16_t byte = add_input(&program, 8, 0xf0, 1), wide = add_input(&program, 64, UINT64_C(1) << 32, 1);
   const uint16_t lane = add_input(&program, 32, 0, 1), zero = add_constant(&program, 32, 0);
   const uint16_t low = add_alu(&program, nir_op_ult, 1, lane, add_constant(&program, 32, 40));
   const uint16_t same = add_alu(&program, nir_op_uge, 1, lane, add_constant(&program, 32, FUZZ_SIMD));
   const uint16_t nodes[] = {
       add_subgroup(4 * 3 + 3, 8, byte, zero, 0), /* inclusive scan: signed minimum */
       add_subgroup(1, 64, wide, zero, 0),        /* sum */
       add_subgroup(FUZZ_SUBGROUP_BROADCAST, 64, wide, zero, 3),
       add_subgroup(FUZZ_SUBGROUP_FIRST, 8, byte, zero, 0),
       add_subgroup(FUZZ_SUBGROUP_BALLOT, 32, low, zero, 0),
       add_subgroup(FUZZ_SUBGROUP_ANY, 1, low, zero, 0),
       add_subgroup(FUZZ_SUBGROUP_ALL, 1, low, zero, 0),
       add_subgroup(FUZZ_SUBGROUP_EQUAL, 1, same, zero, 0),
       add_subgroup(4 * 5 + 1, 1, low, zero, 0), /* and */
   };
   for (unsigned i = 0; i < ARRAY_SIZE(nodes); i++) {
      add_output(&program, nodes[i]);
   }
   evaluate();
   for (uint32_t i = 0; i < FUZZ_LANES; i++) {
      const bool first = i < FUZZ_SIMD;
      const uint64_t begin = first ? 0 : FUZZ_SIMD;
      CHECK_EQUAL(outputs.value[0][i] & 0xff, first ? 0xf0 : 0x10);
      CHECK_EQUAL(outputs.value[1][i], (UINT64_C(32) << 32) + begin * 32 + 31 * 32 / 2);
      CHECK_EQUAL(outputs.value[2][i], (UINT64_C(1) << 32) + begin + 3);
      CHECK_EQUAL(outputs.value[3][i] & 0xff, first ? 0xf0 : 0x10);
      CHECK_EQUAL(outputs.value[4][i] & UINT32_MAX, first ? UINT32_MAX : 0xff);
      CHECK_EQUAL(outputs.value[5][i] & 1, 1);
      CHECK_EQUAL(outputs.value[6][i] & 1, first ? 1 : 0);
      CHECK_EQUAL(outputs.value[7][i] & 1, 1);
      CHECK_EQUAL(outputs.value[8][i] & 1, first ? 1 : 0);
   }
}

int main(void)
{
   test_turns();
   test_jumps();
   test_alignment();
   test_subgroups();
   return check_result();
}
