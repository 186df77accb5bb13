/* SPDX-License-Identifier: MIT
 *
 * Instances of the search patterns of Mesa's algebraic rules. Invariant: an instance has the ops, the widths and the
 * constants of the pattern; what the rule asks of values is met where this file knows the condition, and left to chance
 * where it does not.
 */
#include "compiler/fuzz/rules.h"

#include <string.h>

#include "util/half_float.h"

#include "compiler/fuzz/build.h"
#include "compiler/fuzz/generate.h"

#define CLASSES 16
#define VARIABLES 32
#define TRIES 24

struct instance {
   struct fuzz_generator *generator;
   unsigned widths[CLASSES];
   uint32_t variables[VARIABLES]; /* node, FUZZ_NODES: not made yet */
};

uint32_t fuzz_rule_count(void)
{
   return fuzz_rules_count;
}

const char *fuzz_rule_text(uint32_t rule, const char **pass)
{
   *pass = fuzz_rule_pass_names[fuzz_rules[rule].pass];
   return fuzz_rules[rule].text;
}

static unsigned width_of(const struct instance *instance, const struct fuzz_pattern *pattern)
{
   return pattern->width > 0 ? (unsigned)pattern->width : instance->widths[-1 - pattern->width];
}

/* The op of a name; of a conversion, the one to this width. nir_num_opcodes: none that a program may have. */
static nir_op find_op(const char *name, unsigned width)
{
   char sized[48];

   snprintf(sized, sizeof(sized), "%s%u", name, width);
   for (unsigned op = 0; op < nir_num_opcodes; op++) {
      if ((strcmp(nir_op_infos[op].name, name) == 0 || strcmp(nir_op_infos[op].name, sized) == 0) &&
          fuzz_op_allowed((nir_op)op)) {
         return (nir_op)op;
      }
   }
   return nir_num_opcodes;
}

static uint64_t encode_float(double number, unsigned width)
{
   const float single = (float)number;
   uint32_t bits;

   memcpy(&bits, &single, sizeof(bits));
   return width == 16 ? _mesa_float_to_half(single) : bits;
}

/* Values that meet a condition; those that this table does not name are tried at random. */
static uint64_t meet(struct fuzz_random *random, const char *condition, unsigned width, bool is_float)
{
   const uint64_t value = fuzz_edge(random, width, is_float);
   const uint64_t half = (UINT64_C(1) << width / 2) - 1;
   const uint64_t power = UINT64_C(1) << fuzz_below(random, width - 1);
   static const struct {
      const char *name;
      unsigned multiple;
   } multiples[] = {{"is_unsigned_multiple_of_2", 2},   {"is_unsigned_multiple_of_4", 4},
                    {"is_unsigned_multiple_of_8", 8},   {"is_unsigned_multiple_of_16", 16},
                    {"is_unsigned_multiple_of_32", 32}, {"is_unsigned_multiple_of_64", 64}};

   for (unsigned i = 0; i < ARRAY_SIZE(multiples); i++) {
      if (strcmp(condition, multiples[i].name) == 0) {
         return value * multiples[i].multiple;
      }
   }
   if (strcmp(condition, "is_pos_power_of_two") == 0) {
      return is_float ? encode_float((double)(1u << fuzz_below(random, 5)), width) : power;
   }
   if (strcmp(condition, "is_neg_power_of_two") == 0) {
      return is_float ? encode_float(-(double)(1u << fuzz_below(random, 5)), width) : -power;
   }
   if (strcmp(condition, "is_ult_32") == 0) {
      return value % 32;
   }
   if (strcmp(condition, "is_const_bitmask") == 0) {
      return power * 2 - 1;
   }
   if (strcmp(condition, "is_bitcount2") == 0) {
      return power | (power == 1 ? 2 : power >> 1);
   }
   if (strcmp(condition, "is_upper_half_zero") == 0 || strcmp(condition, "is_16_bits") == 0) {
      return value & half;
   }
   if (strcmp(condition, "is_lower_half_zero") == 0) {
      return value & ~half;
   }
   if (strcmp(condition, "is_upper_half_negative_one") == 0) {
      return value | ~half;
   }
   if (strcmp(condition, "is_lower_half_negative_one") == 0) {
      return value | half;
   }
   if (strcmp(condition, "is_gt_0_and_lt_1") == 0 || strcmp(condition, "is_zero_to_one") == 0) {
      return encode_float(0.25 * (1 + fuzz_below(random, 3)), width);
   }
   return value;
}

static uint32_t make_variable(struct instance *instance, const struct fuzz_pattern *pattern, unsigned width,
                              bool is_float)
{
   struct fuzz_generator *generator = instance->generator;

   if (pattern->is_constant) {
      const uint64_t value = pattern->condition != NULL ? meet(&generator->random, pattern->condition, width, is_float)
                                                        : fuzz_value(generator, width, is_float);
      return fuzz_add_constant(generator, width, value);
   }
   const bool varying = pattern->condition != NULL && strncmp(pattern->condition, "is_not_const", 12) == 0;
   return fuzz_add_leaf(generator, width, is_float, varying ? FUZZ_LEAF_INPUT : FUZZ_LEAF_ANY);
}

/* A constant of a pattern. Some are a little different, and the rule must not take them for its own: a zero of the
 * other sign, which compares equal, and the next number. */
static uint32_t make_constant(struct fuzz_generator *generator, unsigned width, uint64_t value, bool is_float)
{
   const uint64_t sign = UINT64_C(1) << (width - 1);

   if (is_float && (value & ~sign) == 0 && fuzz_chance(&generator->random, 25)) {
      value ^= sign;
   } else if (width > 1 && fuzz_chance(&generator->random, 4)) {
      value += fuzz_chance(&generator->random, 50) ? 1u : UINT64_MAX;
   }
   return fuzz_add_constant(generator, width, value);
}

/* The node of a pattern's part, or FUZZ_NODES: not possible with these widths. */
static uint32_t make(struct instance *instance, uint32_t at, bool is_float)
{
   struct fuzz_generator *generator = instance->generator;
   const struct fuzz_pattern *pattern = &fuzz_patterns[at];
   const unsigned width = width_of(instance, pattern);

   switch ((enum fuzz_pattern_kind)pattern->kind) {
   case PATTERN_INTEGER:
      return make_constant(generator, width,
                           is_float ? encode_float((double)(int64_t)pattern->integer, width) : pattern->integer,
                           is_float);
   case PATTERN_FLOAT:
      return make_constant(generator, width, encode_float(pattern->number, width), true);
   case PATTERN_VARIABLE:
      if (instance->variables[pattern->variable % VARIABLES] == FUZZ_NODES) {
         instance->variables[pattern->variable % VARIABLES] = make_variable(instance, pattern, width, is_float);
      }
      return instance->variables[pattern->variable % VARIABLES];
   case PATTERN_OP:
      break;
   }
   const nir_op op = find_op(pattern->op, width);
   if (op == nir_num_opcodes || fuzz_op_components(op, -1) != 1) {
      return FUZZ_NODES;
   }
   struct fuzz_source sources[FUZZ_SOURCES] = {{0}};
   unsigned open = 0;
   for (unsigned i = 0; i < nir_op_infos[op].num_inputs; i++) {
      const nir_alu_type type = nir_op_infos[op].input_types[i];
      const uint32_t node = make(instance, pattern->sources[i], nir_alu_type_get_base_type(type) == nir_type_float);
      uint64_t bound;
      if (node >= FUZZ_NODES || fuzz_op_components(op, (int)i) != 1) {
         return FUZZ_NODES;
      }
      const struct fuzz_node *source = &generator->program->nodes[node];
      const unsigned bits = fuzz_op_bits(op, (int)i, source->bits);
      if (nir_alu_type_get_type_size(type) == 0) {
         if (open != 0 && open != source->bits) {
            return FUZZ_NODES;
         }
         open = source->bits;
      }
      if (bits != source->bits ||
          (fuzz_op_constant_source(op, i, bits, &bound) && (source->kind != FUZZ_CONST || source->value >= bound))) {
         return FUZZ_NODES;
      }
      sources[i] = (struct fuzz_source){(uint16_t)node, 0};
   }
   if (!fuzz_op_takes_width(op, open) || fuzz_op_bits(op, -1, open) != width) {
      return FUZZ_NODES;
   }
   return fuzz_add_alu(generator, op, open, sources);
}

uint32_t fuzz_add_rule(struct fuzz_generator *generator, uint32_t rule)
{
   static const uint8_t widths[] = {1, 8, 16, 16, 32, 32, 32, 64};
   struct fuzz_program *program = generator->program;
   const uint32_t count = program->count, inputs = program->inputs;

   for (unsigned try = 0; try < TRIES; try++) {
      struct instance instance = {.generator = generator};
      for (unsigned i = 0; i < CLASSES; i++) {
         instance.widths[i] = widths[fuzz_below(&generator->random, ARRAY_SIZE(widths))];
      }
      for (unsigned i = 0; i < VARIABLES; i++) {
         instance.variables[i] = FUZZ_NODES;
      }
      const uint32_t root = make(&instance, fuzz_rules[rule].root, false);
      if (root < FUZZ_NODES) {
         return root;
      }
      program->count = count;
      program->inputs = inputs;
   }
   return FUZZ_NODES;
}

/* What fuzz_rule_fires() asks of the shader that is built. */
struct question {
   const struct fuzz_program *program;
   bool *fires;
};

static void build_and_run_pass(nir_builder *b, const void *data)
{
   const struct question *question = data;

   fuzz_build(b, question->program);
   *question->fires = fuzz_rule_passes[fuzz_rules[question->program->rule].pass](b->shader);
}

bool fuzz_rule_fires(const struct fuzz_program *program)
{
   bool fires = false;
   const struct question question = {program, &fires};

   if (program->rule >= 0 && program->outputs != 0) {
      fuzz_build_only(build_and_run_pass, &question);
   }
   return fires;
}
