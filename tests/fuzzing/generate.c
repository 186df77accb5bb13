/* SPDX-License-Identifier: MIT
 *
 * Generated programs: which operands they have. And what is built of them: the component that a source names.
 */
#include "tests/fuzzing/check.h"

#define SEEDS 400

static struct fuzz_program program;
static struct fuzz_outputs outputs;

static bool is_unpacked_constant(struct fuzz_source source)
{
   const struct fuzz_node *node = &program.nodes[source.node];

   return node->kind == FUZZ_ALU && node->op == nir_op_unpack_64_2x32 &&
          program.nodes[node->sources[0].node].kind == FUZZ_CONST;
}

static bool is_constant(struct fuzz_source source)
{
   return program.nodes[source.node].kind == FUZZ_CONST || is_unpacked_constant(source);
}

/* Counts of shifts and of fields of bits are often constants, and some of these are halves of larger ones. All seeds of
 * one residue have such parts. */
static void test_counts(void)
{
   unsigned shifts = 0, constant_shifts = 0, unpacked_shifts = 0, unpacked_fields = 0;

   for (uint64_t i = 0; i < SEEDS; i++) {
      fuzz_generate(&program, i << 32, FUZZ_RANDOM, -1);
      for (uint32_t at = 0; at < program.count; at++) {
         const struct fuzz_node *node = &program.nodes[at];
         if (node->kind != FUZZ_ALU) {
            continue;
         }
         if (node->op == nir_op_ishl || node->op == nir_op_ushr || node->op == nir_op_ishr) {
            shifts++;
            constant_shifts += is_constant(node->sources[1]) ? 1 : 0;
            unpacked_shifts += is_unpacked_constant(node->sources[1]) ? 1 : 0;
         } else if (node->op == nir_op_ubitfield_extract || node->op == nir_op_ibitfield_extract) {
            unpacked_fields += is_unpacked_constant(node->sources[2]) ? 1 : 0;
         }
      }
   }
   fprintf(stderr, "%u shifts: %u by constants, %u by halves of constants; %u fields of such a size\n", shifts,
           constant_shifts, unpacked_shifts, unpacked_fields);
   CHECK(shifts > 0 && unpacked_shifts > 0 && constant_shifts > 2 * unpacked_shifts);
   CHECK(unpacked_fields > 0);
}

/* A source that is one component may be any component of a vector: also where the op makes a vector. */
static void test_component(void)
{
   memset(&program, 0, sizeof(program));
   const uint16_t one = add_constant(&program, 32, 1), two = add_constant(&program, 32, 2);
   struct fuzz_node vector = {.kind = FUZZ_ALU, .bits = 32, .components = 2, .op = nir_op_vec2};
   vector.sources[0].node = one;
   vector.sources[1].node = two;
   const uint16_t straight = add(&program, vector);
   vector.sources[0] = (struct fuzz_source){straight, 1};
   vector.sources[1] = (struct fuzz_source){straight, 0};
   const uint16_t swapped = add(&program, vector);
   for (uint16_t component = 0; component < 2; component++) {
      add(&program,
          (struct fuzz_node){
              .kind = FUZZ_OUTPUT, .bits = 32, .components = 1, .slot = component, .sources = {{swapped, component}}});
   }
   fuzz_evaluate(&program, &outputs);
   CHECK(outputs.valid);
   CHECK_EQUAL(outputs.value[0][0], 2);
   CHECK_EQUAL(outputs.value[1][0], 1);
}

int main(void)
{
   test_counts();
   test_component();
   return check_failures != 0;
}
