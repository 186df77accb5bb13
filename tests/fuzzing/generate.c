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

/* Whether an instance of a rule shows a fault of it: at the root of an output. */
typedef bool shows(uint32_t root);

static const struct fuzz_node *source_of(const struct fuzz_node *node, unsigned index)
{
   return &program.nodes[node->sources[index].node];
}

static bool has_op(const struct fuzz_node *node, nir_op op)
{
   return node->kind == FUZZ_ALU && node->op == op;
}

/* A half that is not the first, and a mask that leaves something of it. */
static bool takes_upper_half(uint32_t root)
{
   const struct fuzz_node *node = &program.nodes[root], *masked = source_of(node, 0);

   return has_op(node, nir_op_ine) && has_op(masked, nir_op_iand) && has_op(source_of(masked, 0), nir_op_extract_u16) &&
          source_of(source_of(masked, 0), 1)->value != 0 && (source_of(masked, 1)->value & 0xffff) != 0;
}

/* One comparison is true and the other is not. */
static bool compares_apart(uint32_t root)
{
   const struct fuzz_node *node = &program.nodes[root];
   uint64_t values[2][FUZZ_LANES];
   bool apart = false;

   if (!has_op(node, nir_op_iand) || !has_op(source_of(node, 0), nir_op_ult) ||
       !has_op(source_of(node, 1), nir_op_ult) || !fuzz_node_values(&program, node->sources[0].node, values[0]) ||
       !fuzz_node_values(&program, node->sources[1].node, values[1])) {
      return false;
   }
   for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
      apart |= (values[0][lane] ^ values[1][lane]) != 0;
   }
   return apart;
}

static bool negates_product(uint32_t root)
{
   const struct fuzz_node *node = &program.nodes[root];

   return has_op(node, nir_op_ineg) && has_op(source_of(node, 0), nir_op_imul);
}

/* Nothing but a value that Mesa knows to be a number. */
static bool compares_numbers(uint32_t root)
{
   const struct fuzz_node *node = &program.nodes[root];

   return has_op(node, nir_op_inot) && has_op(source_of(node, 0), nir_op_flt) &&
          source_of(source_of(node, 0), 0)->kind == FUZZ_ALU && source_of(source_of(node, 0), 1)->kind == FUZZ_ALU;
}

/* Of 8 programs of a rule most hold an instance that shows what it may get wrong. */
static void test_rules(void)
{
   static const struct {
      const char *text;
      shows *shows;
   } rows[] = {
       {"('ine', ('iand', ('extract_u16(is_used_once)', 'a', '#b'), '#c'), 0)", takes_upper_half},
       {"('iand', ('ult(is_used_once)', 'a', 'b'), ('ult', 'a', 'c'))", compares_apart},
       {"('ineg', ('imul(is_used_once)', 'a', 7))", negates_product},
       {"('inot', ('flt(is_used_once)', 'a(is_a_number)', 'b(is_a_number)'))", compares_numbers},
   };
   const char *pass;

   for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
      int32_t rule = 0;
      unsigned shown = 0;
      while ((uint32_t)rule < fuzz_rule_count() && strcmp(fuzz_rule_text((uint32_t)rule, &pass), rows[row].text) != 0) {
         rule++;
      }
      for (uint64_t seed = 0; (uint32_t)rule < fuzz_rule_count() && seed < 8; seed++) {
         bool any = false;
         fuzz_generate(&program, seed, FUZZ_RULE, rule);
         for (uint32_t i = 0; i < program.count && !any; i++) {
            any = program.nodes[i].kind == FUZZ_ALU && rows[row].shows(i);
         }
         shown += any ? 1 : 0;
      }
      fprintf(stderr, "%s: %u of 8 programs\n", rows[row].text, shown);
      CHECK(shown >= 6);
   }
}

/* A program of a rule holds other rules, and says which outputs are its own. Those alone count as its coverage. */
static void test_rule_outputs(void)
{
   unsigned own = 0, others = 0;

   for (uint64_t seed = 0; seed < 40; seed++) {
      fuzz_generate(&program, seed, FUZZ_RULE, (int32_t)(seed * 71 % fuzz_rule_count()));
      CHECK(program.rule_outputs <= program.outputs);
      own += program.rule_outputs;
      others += program.outputs - program.rule_outputs;
   }
   CHECK(own > 0 && others > own / 2);
   program.rule_outputs = 0;
   CHECK(!fuzz_rule_fires(&program));
}

enum feature {
   HAS_LATE_LOOP,
   HAS_CONSTANT_TURNS,
   HAS_JUMP_IN_IF,
   HAS_CONTINUE,
   HAS_LESS_ALIGNED,
   HAS_PACKED,
   HAS_BYTE_SCAN,
   HAS_WIDE_SCAN,
   HAS_VOTE,
   FEATURES
};

static void count_features(unsigned counts[FEATURES])
{
   unsigned ifs = 0;

   for (uint32_t i = 0; i < program.count; i++) {
      const struct fuzz_node *node = &program.nodes[i];
      const bool access = node->kind == FUZZ_LOAD || node->kind == FUZZ_STORE;
      const bool scan = node->kind == FUZZ_SUBGROUP && node->op < FUZZ_SUBGROUP_SCANS && node->op % 4 != 0;
      ifs += node->kind == FUZZ_IF ? 1 : 0;
      ifs -= node->kind == FUZZ_ENDIF ? 1 : 0;
      counts[HAS_LATE_LOOP] += node->kind == FUZZ_LOOP && node->value % 2 != 0;
      counts[HAS_CONSTANT_TURNS] +=
          node->kind == FUZZ_LOOP && source_of(node, 0)->kind == FUZZ_CONST && node->value != 0;
      counts[HAS_JUMP_IN_IF] += node->kind == FUZZ_BREAK && ifs != 0;
      counts[HAS_CONTINUE] += node->kind == FUZZ_CONTINUE;
      counts[HAS_LESS_ALIGNED] += access && node->slot != 0;
      counts[HAS_PACKED] += access && node->slot != 0 && node->value >= FUZZ_MEMORY;
      counts[HAS_BYTE_SCAN] += scan && node->bits == 8;
      counts[HAS_WIDE_SCAN] += scan && node->bits == 64;
      counts[HAS_VOTE] += node->kind == FUZZ_SUBGROUP && node->op > FUZZ_SUBGROUP_BALLOT;
   }
}

/* Half of the programs with control flow have all shapes, and most of these are determined. The others have none. */
static void test_shapes(void)
{
   unsigned plain[FEATURES] = {0}, counts[FEATURES] = {0}, determined = 0;

   for (uint64_t i = 0; i < 100; i++) {
      fuzz_generate(&program, i << 20 | UINT64_C(1) << 48, FUZZ_CONTROL, -1);
      count_features(plain);
      fuzz_generate(&program, i << 20, FUZZ_CONTROL, -1);
      count_features(counts);
      fuzz_evaluate(&program, &outputs);
      determined += outputs.valid ? 1 : 0;
   }
   for (unsigned feature = 0; feature < FEATURES; feature++) {
      if (counts[feature] < 5) {
         fprintf(stderr, "feature %u\n", feature);
      }
      CHECK(counts[feature] >= 5);
      CHECK(plain[feature] == 0 || feature == HAS_JUMP_IN_IF);
   }
   CHECK(determined >= 60);
   fprintf(stderr, "%u of 100 programs determined\n", determined);
}

/* Some programs have more numbers than the first 256 halves of uniforms hold. */
static void test_numbers(void)
{
   const struct compiler_options options = {0};
   static struct compiler_result result;
   unsigned most = 0;

   fuzz_generate(&program, UINT64_C(1) << 40, FUZZ_RANDOM, -1);
   CHECK_EQUAL(fuzz_compile(&program, &options, &outputs, &result), 0);
   CHECK(outputs.valid && result.programs != NULL);
   for (size_t i = 0; result.programs != NULL && i < result.programs[0]->uniform_count; i++) {
      const struct agx_uniform_range *range = &result.programs[0]->uniforms[i];
      most = MAX2(most, (unsigned)range->start + range->size);
   }
   fprintf(stderr, "%u half uniforms\n", most);
   CHECK(most > 256);
}

int main(void)
{
   test_rules();
   test_rule_outputs();
   test_shapes();
   test_numbers();
   test_counts();
   test_component();
   return check_result();
}
