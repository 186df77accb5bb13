/* SPDX-License-Identifier: MIT
 *
 * Instances of the search patterns of Mesa's algebraic rules. Invariant: an instance has the ops, the widths and the
 * constants of the pattern. Conditions of the rule on values are met if this file knows them; others are met by
 * chance.
 */
#include "fuzz/nir/generate/rules.h"

#include <string.h>

#include "util/half_float.h"

#include "fuzz/nir/build.h"
#include "fuzz/nir/generate/generate.h"
#include "fuzz/nir/generate/generator.h"

#define CLASSES 16
#define VARIABLES 32
#define TRIES 24

/* The requirements on a variable from all its uses. */
struct demand {
   /* the pattern of the constant, or else of the first use; NULL: the variable is not used */
   const struct fuzz_pattern *pattern;
   bool is_float;
   uint64_t count;    /* it is a bit count and must be below this; 0: it is not */
   uint64_t constant; /* it must be a constant below this; 0: any value */
};

struct instance {
   struct fuzz_generator *generator;
   unsigned widths[CLASSES];
   uint32_t variables[VARIABLES]; /* node of each; FUZZ_NODES: not made yet */
   struct demand demands[VARIABLES];
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

/* Finds the op of a name; for a conversion, the one to this width. nir_num_opcodes: programs may not contain it. */
static nir_op find_op(const char *name, unsigned width)
{
   char sized[48];

   snprintf(sized, sizeof(sized), "%s%u", name, width);
   for (unsigned i = 0; i < fuzz_op_count(); i++) {
      const char *known = nir_op_infos[fuzz_op(i)].name;
      if (strcmp(known, name) == 0 || strcmp(known, sized) == 0) {
         return fuzz_op(i);
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

static bool is(const char *condition, const char *name)
{
   return strcmp(condition, name) == 0;
}

/* Values that meet a condition; those that this table does not name are tried at random. */
static uint64_t meet(struct util_random *random, const char *condition, unsigned width, bool is_float)
{
   const uint64_t value = fuzz_edge(random, width, is_float);
   const uint64_t half = (UINT64_C(1) << width / 2) - 1;
   const uint64_t power = UINT64_C(1) << util_random_below(random, width - 1);
   static const struct {
      const char *name;
      unsigned multiple;
   } multiples[] = {{"is_unsigned_multiple_of_2", 2},   {"is_unsigned_multiple_of_4", 4},
                    {"is_unsigned_multiple_of_8", 8},   {"is_unsigned_multiple_of_16", 16},
                    {"is_unsigned_multiple_of_32", 32}, {"is_unsigned_multiple_of_64", 64}};

   for (unsigned i = 0; i < ARRAY_SIZE(multiples); i++) {
      if (is(condition, multiples[i].name)) {
         return value * multiples[i].multiple;
      }
   }
   if (is(condition, "is_pos_power_of_two") || is(condition, "is_neg_power_of_two")) {
      const bool negative = is(condition, "is_neg_power_of_two");
      const double real = is_float ? (double)(1u << util_random_below(random, 5)) : 0;
      return is_float ? encode_float(negative ? -real : real, width) : negative ? -power : power;
   }
   if (is(condition, "is_gt_0_and_lt_1") || is(condition, "is_zero_to_one")) {
      return encode_float(0.25 * (1 + util_random_below(random, 3)), width);
   }
   return is(condition, "is_ult_32")                                           ? value % 32
          : is(condition, "is_const_bitmask")                                  ? power * 2 - 1
          : is(condition, "is_bitcount2")                                      ? power | (power == 1 ? 2 : power >> 1)
          : is(condition, "is_upper_half_zero") || is(condition, "is_16_bits") ? value & half
          : is(condition, "is_lower_half_zero")                                ? value & ~half
          : is(condition, "is_upper_half_negative_one")                        ? value | ~half
          : is(condition, "is_lower_half_negative_one")                        ? value | half
                                                                               : value;
}

/* A mask: its bits are the lowest ones, or others; or what is left of such. */
static uint64_t mask_value(struct util_random *random, unsigned width)
{
   const uint32_t size = 1 + util_random_below(random, width);
   const uint64_t mask = fuzz_mask(size) << util_random_below(random, width - size + 1);

   return util_random_chance(random, 50) ? fuzz_mask(size) : util_random_chance(random, 50) ? mask : ~mask;
}

/* Ops whose result meets a condition in a way that Mesa recognizes. A conversion has no width. */
static const struct {
   const char *condition, *inner, *outer;
} properties[] = {
    {"is_a_number", "i2f", NULL},
    {"is_a_number", "fsat", NULL},
    {"is_finite", "u2f", NULL},
    {"is_finite_not_zero", "b2f", "fneg"},
    {"is_integral", "i2f", NULL},
    {"is_integral", "ffloor", NULL},
    {"is_not_negative", "fabs", NULL},
    {"is_not_negative", "u2f", NULL},
    {"is_not_positive", "fabs", "fneg"},
    {"is_not_positive", "u2f", "fneg"},
    {"is_gt_zero", "fexp2", NULL},
    {"is_lt_zero", "fexp2", "fneg"},
    {"is_a_number_not_negative", "fsat", NULL},
    {"is_a_number_not_negative", "u2f", NULL},
    {"is_a_number_not_positive", "u2f", "fneg"},
    {"is_fmul", "fmul", NULL},
};

/* Makes an op over one or two new leaves. */
static uint32_t make_op(struct fuzz_generator *generator, const char *name, unsigned width, uint32_t over)
{
   const nir_op op = name != NULL ? find_op(name, width) : nir_num_opcodes;
   struct fuzz_source sources[FUZZ_SOURCES] = {{0}};

   if (op == nir_num_opcodes) {
      return over;
   }
   const bool is_float = fuzz_op_reads_float(op, 0);
   const unsigned widest =
       nir_op_infos[op].is_conversion && !is_float ? 8u << util_random_below(&generator->random, 3) : width;
   const unsigned open = fuzz_op_bits(op, 0, widest);
   for (unsigned i = 0; i < nir_op_infos[op].num_inputs; i++) {
      const uint32_t source = over < FUZZ_NODES ? over : fuzz_add_leaf(generator, open, is_float, FUZZ_LEAF_INPUT);
      if (source >= FUZZ_NODES) {
         return FUZZ_NODES;
      }
      sources[i].node = (uint16_t)source;
   }
   return fuzz_op_takes_width(op, open) ? fuzz_add_alu(generator, op, open, sources) : over;
}

/* FUZZ_NODES: no op is known for the condition. */
static uint32_t make_property(struct fuzz_generator *generator, const char *condition, unsigned width)
{
   const uint32_t start = util_random_below(&generator->random, ARRAY_SIZE(properties));

   for (uint32_t i = 0; condition != NULL && i < ARRAY_SIZE(properties); i++) {
      const uint32_t row = (start + i) % ARRAY_SIZE(properties);
      if (strcmp(properties[row].condition, condition) == 0) {
         const uint32_t inner = make_op(generator, properties[row].inner, width, FUZZ_NODES);
         return inner < FUZZ_NODES ? make_op(generator, properties[row].outer, width, inner) : FUZZ_NODES;
      }
   }
   return FUZZ_NODES;
}

static uint32_t make_variable(struct instance *instance, const struct fuzz_pattern *pattern, unsigned width,
                              bool is_float)
{
   struct fuzz_generator *generator = instance->generator;
   const struct demand *demand = &instance->demands[pattern->variable % VARIABLES];

   if (demand->constant != 0) {
      return fuzz_add_constant(generator, width, util_random_below(&generator->random, (uint32_t)demand->constant));
   }
   if (pattern->is_constant) {
      const bool mask = generator->related && !is_float && width > 1 && util_random_chance(&generator->random, 40);
      const uint64_t value = pattern->condition != NULL ? meet(&generator->random, pattern->condition, width, is_float)
                             : demand->count != 0 && util_random_chance(&generator->random, 75)
                                 ? util_random_below(&generator->random, (uint32_t)demand->count)
                             : mask ? mask_value(&generator->random, width)
                                    : fuzz_value(generator, width, is_float);
      return fuzz_add_constant(generator, width, value);
   }
   if (generator->related && util_random_chance(&generator->random, 60)) {
      const uint32_t node = make_property(generator, pattern->condition, width);
      if (node < FUZZ_NODES) {
         return node;
      }
   }
   const bool varying = (generator->related && util_random_chance(&generator->random, 60)) ||
                        (pattern->condition != NULL && strncmp(pattern->condition, "is_not_const", 12) == 0);
   generator->bound = demand->count;
   const uint32_t leaf = fuzz_add_leaf(generator, width, is_float, varying ? FUZZ_LEAF_INPUT : FUZZ_LEAF_ANY);
   generator->bound = 0;
   return leaf;
}

/* Makes a constant of a pattern. Some differ slightly, and the rule must not match them: a zero of the other sign,
 * which compares equal, and the next number. */
static uint32_t make_constant(struct fuzz_generator *generator, unsigned width, uint64_t value, bool is_float)
{
   const uint64_t sign = UINT64_C(1) << (width - 1);

   if (is_float && (value & ~sign) == 0 && util_random_chance(&generator->random, 25)) {
      value ^= sign;
   } else if (width > 1 && util_random_chance(&generator->random, 4)) {
      value += util_random_chance(&generator->random, 50) ? 1u : UINT64_MAX;
   }
   return fuzz_add_constant(generator, width, value);
}

static uint64_t smaller(uint64_t bound, uint64_t other)
{
   return bound == 0 || (other != 0 && other < bound) ? other : bound;
}

/* Returns the number in a pattern; false: it is none. */
static bool number_of(const struct fuzz_pattern *pattern, unsigned width, bool is_float, uint64_t *number)
{
   *number = pattern->kind == PATTERN_FLOAT ? encode_float(pattern->number, width)
             : is_float                     ? encode_float((double)(int64_t)pattern->integer, width)
                                            : pattern->integer;
   return pattern->kind == PATTERN_FLOAT || pattern->kind == PATTERN_INTEGER;
}

/* Collects the pattern's requirements on its variables from all their uses. Its numbers become nodes, which nothing
 * reads, so that inputs are close to them. */
static void learn(struct instance *instance, uint32_t at, nir_op user, unsigned source)
{
   const struct fuzz_pattern *pattern = &fuzz_patterns[at];
   const unsigned width = width_of(instance, pattern);
   const bool is_float = user != nir_num_opcodes && fuzz_op_reads_float(user, source);
   struct demand *demand = &instance->demands[pattern->variable % VARIABLES];
   uint64_t number;

   if (number_of(pattern, width, is_float, &number)) {
      (void)fuzz_add_constant(instance->generator, width, number);
   } else if (pattern->kind == PATTERN_VARIABLE) {
      if (demand->pattern == NULL || (pattern->is_constant && !demand->pattern->is_constant)) {
         demand->pattern = pattern;
         demand->is_float = is_float;
      }
      if (user != nir_num_opcodes) {
         demand->count = smaller(demand->count, fuzz_op_count_bound(user, source, width));
         demand->constant =
             smaller(demand->constant, fuzz_op_constant_source(user, source, width, &number) ? number : 0);
      }
   } else {
      const nir_op op = find_op(pattern->op, width);
      for (unsigned i = 0; op != nir_num_opcodes && i < nir_op_infos[op].num_inputs; i++) {
         learn(instance, pattern->sources[i], op, i);
      }
   }
}

/* Makes constants before inputs, which are close to them. */
static void make_constants(struct instance *instance)
{
   for (unsigned i = 0; i < VARIABLES; i++) {
      const struct demand *demand = &instance->demands[i];
      if (demand->pattern != NULL && (demand->pattern->is_constant || demand->constant != 0)) {
         instance->variables[i] =
             make_variable(instance, demand->pattern, width_of(instance, demand->pattern), demand->is_float);
      }
   }
}

/* Makes the node of a part of a pattern. Returns FUZZ_NODES if it is not possible with these widths. */
static uint32_t make(struct instance *instance, uint32_t at, bool is_float)
{
   struct fuzz_generator *generator = instance->generator;
   const struct fuzz_pattern *pattern = &fuzz_patterns[at];
   const unsigned width = width_of(instance, pattern);

   uint64_t number;

   if (number_of(pattern, width, is_float, &number)) {
      return make_constant(generator, width, number, is_float || pattern->kind == PATTERN_FLOAT);
   }
   if (pattern->kind == PATTERN_VARIABLE) {
      if (instance->variables[pattern->variable % VARIABLES] == FUZZ_NODES) {
         instance->variables[pattern->variable % VARIABLES] = make_variable(instance, pattern, width, is_float);
      }
      return instance->variables[pattern->variable % VARIABLES];
   }
   const nir_op op = find_op(pattern->op, width);
   if (op == nir_num_opcodes || fuzz_op_components(op, -1) != 1) {
      return FUZZ_NODES;
   }
   struct fuzz_source sources[FUZZ_SOURCES] = {{0}};
   unsigned open = 0;
   for (unsigned i = 0; i < nir_op_infos[op].num_inputs; i++) {
      const nir_alu_type type = nir_op_infos[op].input_types[i];
      const uint32_t node = make(instance, pattern->sources[i], fuzz_op_reads_float(op, i));
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
         instance.widths[i] = widths[util_random_below(&generator->random, ARRAY_SIZE(widths))];
      }
      for (unsigned i = 0; i < VARIABLES; i++) {
         instance.variables[i] = FUZZ_NODES;
      }
      if (generator->related) {
         learn(&instance, fuzz_rules[rule].root, nir_num_opcodes, 0);
         make_constants(&instance);
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

/* Whether programs may have an op with this width. */
static bool has_op(const char *name, unsigned width, nir_op *op)
{
   static const uint8_t open[] = {1, 8, 16, 32, 64};

   *op = find_op(name, width);
   for (unsigned i = 0; *op != nir_num_opcodes && i < ARRAY_SIZE(open); i++) {
      if (fuzz_op_components(*op, -1) == 1 && fuzz_op_takes_width(*op, open[i]) &&
          fuzz_op_bits(*op, -1, open[i]) == width) {
         return true;
      }
   }
   return false;
}

/* Returns the first op of a pattern that programs cannot have in its width, or in any; NULL: there is none. */
static const struct fuzz_pattern *missing_op(uint32_t at)
{
   static const uint8_t widths[] = {1, 8, 16, 32, 64};
   const struct fuzz_pattern *pattern = &fuzz_patterns[at], *missing = pattern;
   nir_op op = nir_num_opcodes;

   if (pattern->kind != PATTERN_OP) {
      return NULL;
   }
   for (unsigned i = 0; missing != NULL && i < ARRAY_SIZE(widths); i++) {
      const bool asked = pattern->width < 0 || pattern->width == widths[i];
      missing = asked && has_op(pattern->op, widths[i], &op) ? NULL : pattern;
   }
   for (unsigned i = 0; missing == NULL && i < nir_op_infos[op].num_inputs; i++) {
      missing = missing_op(pattern->sources[i]);
   }
   return missing;
}

void fuzz_rule_obstacle(uint32_t rule, char *why, size_t size)
{
   const struct fuzz_pattern *missing = missing_op(fuzz_rules[rule].root);

   if (missing == NULL) {
      snprintf(why, size, "widths that no program has together");
   } else if (missing->width > 1) {
      snprintf(why, size, "op %s of %d bits", missing->op, missing->width);
   } else {
      snprintf(why, size, "op %s", missing->op);
   }
}

/* Input and output of the builder for fuzz_rule_fires(). */
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
   struct fuzz_program own = *program;
   const struct question question = {&own, &fires};

   for (uint32_t i = 0; i < own.count; i++) {
      struct fuzz_node *node = &own.nodes[i];
      node->kind = node->kind == FUZZ_OUTPUT && node->slot >= own.rule_outputs ? FUZZ_NONE : node->kind;
   }
   if (own.rule >= 0 && own.rule_outputs != 0) {
      fuzz_build_only(build_and_run_pass, &question);
   }
   return fires;
}
