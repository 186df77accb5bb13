/* SPDX-License-Identifier: MIT
 *
 * Random programs. Invariant: a node's sources are earlier nodes of the width and size that its op takes.
 */
#include "fuzz/nir/generate/generate.h"
#include "fuzz/nir/generate/generator.h"

#include <string.h>

#include "fuzz/nir/registers.h"

#define EXPRESSIONS 24 /* expressions of a program without control flow, which share its compile time */
#define RELATED 3      /* instances of each rule of a program that have related numbers */
#define NUMBERS 80     /* 64-bit constants: with kernel arguments, they fill more than half of the uniforms */
#define NEAR 12        /* operands are mostly chosen among this number of preceding nodes */

uint32_t fuzz_add(struct fuzz_generator *generator, struct fuzz_node node)
{
   struct fuzz_program *program = generator->program;

   if (program->count >= FUZZ_NODES) {
      return FUZZ_NODES;
   }
   program->nodes[program->count] = node;
   return program->count++;
}

uint32_t fuzz_add_constant(struct fuzz_generator *generator, unsigned bits, uint64_t value)
{
   return fuzz_add(generator,
                   (struct fuzz_node){
                       .kind = FUZZ_CONST, .bits = (uint8_t)bits, .components = 1, .value = value & fuzz_mask(bits)});
}

/* Chooses an earlier node as source, or returns .node = FUZZ_NODES. Nodes inside an if or a loop that has ended are out
 * of scope; the generator of control flow moves `first`. */
static struct fuzz_source find_operand(struct fuzz_generator *generator, unsigned bits, unsigned components)
{
   const struct fuzz_program *program = generator->program;
   const uint32_t count = program->count - generator->first;

   for (unsigned tries = 0; tries < 8 && count != 0; tries++) {
      const uint32_t near = count < NEAR || util_random_chance(&generator->random, 20) ? count : NEAR;
      const uint32_t index = program->count - 1 - util_random_below(&generator->random, near);
      const struct fuzz_node *node = &program->nodes[index];

      if (!generator->hidden[index] && fuzz_is_value(node) && node->bits == bits &&
          (components == 1 || node->components == components)) {
         const uint32_t component = components == 1 ? util_random_below(&generator->random, node->components) : 0;
         return (struct fuzz_source){(uint16_t)index, (uint16_t)component};
      }
   }
   return (struct fuzz_source){.node = FUZZ_NODES};
}

/* Makes the same number as a part of a larger constant: the result of unpacking, or a component of a vector. Compilers
 * recognize such parts late. */
static struct fuzz_source part_of_constant(struct fuzz_generator *generator, uint32_t constant)
{
   static const struct {
      nir_op op;
      uint8_t part, from; /* bits */
   } unpackings[] = {
       {nir_op_unpack_64_2x32, 32, 64},
       {nir_op_unpack_64_4x16, 16, 64},
       {nir_op_unpack_32_2x16, 16, 32},
       {nir_op_unpack_32_4x8, 8, 32},
   };
   static const nir_op vectors[] = {nir_op_vec2, nir_op_vec3, nir_op_vec4};
   const struct fuzz_node node = generator->program->nodes[constant];
   struct util_random *random = &generator->parts;
   struct fuzz_source sources[FUZZ_SOURCES] = {{0}};
   const bool unpacked = util_random_chance(random, 60);
   const uint32_t start = util_random_below(random, ARRAY_SIZE(unpackings));

   for (uint32_t i = 0; unpacked && i < ARRAY_SIZE(unpackings); i++) {
      const uint32_t row = (start + i) % ARRAY_SIZE(unpackings);
      const unsigned from = unpackings[row].from;
      if (unpackings[row].part != node.bits) {
         continue;
      }
      const uint32_t index = util_random_below(random, from / node.bits), shift = index * node.bits;
      const uint64_t others = fuzz_edge(random, from, false) & ~(fuzz_mask(node.bits) << shift);
      sources[0].node = (uint16_t)fuzz_add_constant(generator, from, others | node.value << shift);
      return (struct fuzz_source){(uint16_t)fuzz_add_alu(generator, unpackings[row].op, 0, sources), (uint16_t)index};
   }
   const uint32_t components = 2 + util_random_below(random, ARRAY_SIZE(vectors)),
                  own = util_random_below(random, components);
   for (uint32_t i = 0; i < components; i++) {
      const uint64_t other = fuzz_edge(random, node.bits, false);
      sources[i].node = (uint16_t)(i == own ? constant : fuzz_add_constant(generator, node.bits, other));
   }
   return (struct fuzz_source){(uint16_t)fuzz_add_alu(generator, vectors[components - 2], node.bits, sources),
                               (uint16_t)own};
}

static struct fuzz_source maybe_part(struct fuzz_generator *generator, uint32_t index)
{
   const struct fuzz_program *program = generator->program;
   const bool room = index + 2 * FUZZ_SOURCES < FUZZ_NODES;

   return generator->apart && room && program->nodes[index].kind == FUZZ_CONST && program->nodes[index].bits != 1 &&
                  util_random_chance(&generator->parts, 50)
              ? part_of_constant(generator, index)
              : (struct fuzz_source){(uint16_t)index, 0};
}

/* A constant that is in range, even for an op that adds a position and a size. */
static struct fuzz_source add_count(struct fuzz_generator *generator, unsigned bits)
{
   return maybe_part(generator, fuzz_add_constant(generator, bits, util_random_below(&generator->parts, bits / 2 + 1)));
}

struct fuzz_source fuzz_operand(struct fuzz_generator *generator, unsigned bits, unsigned components, bool is_float)
{
   /* constants are as cheap as existing values, but a repeated constant tests less */
   const uint32_t reused = generator->folded ? 25 : 65;

   if (components > 1 || util_random_chance(&generator->random, reused)) {
      const struct fuzz_source found = find_operand(generator, bits, components);
      if (found.node != FUZZ_NODES) {
         return found;
      }
   }
   if (components == 1) {
      return maybe_part(generator, fuzz_add_leaf(generator, bits, is_float, FUZZ_LEAF_ANY));
   }
   struct fuzz_source sources[FUZZ_SOURCES];
   for (unsigned i = 0; i < components; i++) {
      sources[i] = fuzz_operand(generator, bits, 1, is_float);
   }
   const nir_op op = components == 2 ? nir_op_vec2 : components == 3 ? nir_op_vec3 : nir_op_vec4;
   return (struct fuzz_source){(uint16_t)fuzz_add_alu(generator, op, bits, sources), 0};
}

uint32_t fuzz_add_alu(struct fuzz_generator *generator, nir_op op, unsigned open, const struct fuzz_source *sources)
{
   struct fuzz_node node = {
       .kind = FUZZ_ALU,
       .bits = (uint8_t)fuzz_op_bits(op, -1, open),
       .components = (uint8_t)fuzz_op_components(op, -1),
       .exact = generator->exact,
       .op = (uint16_t)op,
   };
   memcpy(node.sources, sources, nir_op_infos[op].num_inputs * sizeof(*sources));
   return fuzz_add(generator, node);
}

/* One of the widths of a mask; 32 where the op leaves none open. */
static unsigned pick_width(struct util_random *random, unsigned widths)
{
   static const uint8_t all[] = {1, 8, 16, 32, 32, 64};
   unsigned width;

   if (widths == 0) {
      return 32;
   }
   do {
      width = all[util_random_below(random, ARRAY_SIZE(all))];
   } while ((widths & width) == 0);
   return width;
}

nir_op fuzz_any_conversion(struct util_random *random, unsigned bits, unsigned *from)
{
   static const uint8_t widths[] = {1, 8, 16, 32, 64};

   for (unsigned tries = 0; tries < 200; tries++) {
      const nir_op op = fuzz_op(util_random_below(random, fuzz_op_count()));
      *from = widths[util_random_below(random, ARRAY_SIZE(widths))];
      if (nir_op_infos[op].is_conversion && fuzz_op_takes_width(op, *from) && fuzz_op_bits(op, -1, *from) == bits &&
          fuzz_op_bits(op, 0, *from) == *from) {
         return op;
      }
   }
   return nir_num_opcodes;
}

/* Makes an operand that compilers fold into an instruction: a conversion from another width, a negation, a shift by a
 * constant, a mask, an extract. Returns one op of this width over a new operand, or the operand itself. */
static struct fuzz_source fold_into(struct fuzz_generator *generator, unsigned bits, bool is_float)
{
   static const nir_op of_floats[] = {nir_op_fneg, nir_op_fabs, nir_op_fneg, nir_op_fsat};
   static const nir_op of_integers[] = {nir_op_ineg,       nir_op_inot,        nir_op_ishl,        nir_op_ushr,
                                        nir_op_ishr,       nir_op_iand,        nir_op_ishl,        nir_op_extract_u8,
                                        nir_op_extract_i8, nir_op_extract_i16, nir_op_extract_u16, nir_op_iand};
   struct util_random *random = &generator->random;
   struct fuzz_source sources[FUZZ_SOURCES] = {{0}};
   unsigned from = bits;
   uint64_t bound;
   nir_op op = is_float ? of_floats[util_random_below(random, ARRAY_SIZE(of_floats))]
                        : of_integers[util_random_below(random, ARRAY_SIZE(of_integers))];

   if (util_random_chance(random, 50)) {
      op = fuzz_any_conversion(random, bits, &from);
   }
   if (op == nir_num_opcodes || !fuzz_op_takes_width(op, from) || fuzz_op_bits(op, -1, from) != bits) {
      return fuzz_operand(generator, bits, 1, is_float);
   }
   sources[0] = fuzz_operand(generator, from, 1, fuzz_op_reads_float(op, 0));
   if (nir_op_infos[op].num_inputs == 2) {
      const unsigned width = fuzz_op_bits(op, 1, from);
      const uint64_t value = fuzz_op_constant_source(op, 1, width, &bound) ? util_random_below(random, (uint32_t)bound)
                                                                           : fuzz_edge(random, width, false);
      sources[1] = (struct fuzz_source){(uint16_t)fuzz_add_constant(generator, width, value), 0};
   }
   return sources[0].node >= FUZZ_NODES || sources[1].node >= FUZZ_NODES
              ? (struct fuzz_source){.node = FUZZ_NODES}
              : (struct fuzz_source){(uint16_t)fuzz_add_alu(generator, op, from, sources), 0};
}

/* Ops with more constant operands have more combinations, so a program of constants has more of them. */
static bool few_operands(struct fuzz_generator *generator, nir_op op)
{
   return util_random_below(&generator->random, 3) >= nir_op_infos[op].num_inputs;
}

uint32_t fuzz_add_random(struct fuzz_generator *generator)
{
   nir_op op;

   do {
      op = fuzz_op(util_random_below(&generator->random, fuzz_op_count()));
   } while (fuzz_op_inexact(op) || (generator->folded && few_operands(generator, op)));
   const unsigned open = pick_width(&generator->random, fuzz_op_widths(op));
   struct fuzz_source sources[FUZZ_SOURCES] = {{0}};

   for (unsigned i = 0; i < nir_op_infos[op].num_inputs; i++) {
      const unsigned bits = fuzz_op_bits(op, (int)i, open);
      uint64_t bound;
      if (fuzz_op_constant_source(op, i, bits, &bound)) {
         const uint64_t value = util_random_below(&generator->random, (uint32_t)bound);
         sources[i] = (struct fuzz_source){(uint16_t)fuzz_add_constant(generator, bits, value), 0};
      } else if (generator->apart && fuzz_op_count_bound(op, i, bits) != 0 &&
                 util_random_chance(&generator->parts, 50)) {
         sources[i] = add_count(generator, bits);
      } else if (bits != 1 && fuzz_op_components(op, (int)i) == 1 && util_random_chance(&generator->random, 15)) {
         sources[i] = fold_into(generator, bits, fuzz_op_reads_float(op, i));
      } else {
         sources[i] = fuzz_operand(generator, bits, fuzz_op_components(op, (int)i), fuzz_op_reads_float(op, i));
      }
      if (sources[i].node >= FUZZ_NODES) {
         return FUZZ_NODES;
      }
   }
   return fuzz_add_alu(generator, op, open, sources);
}

void fuzz_add_output(struct fuzz_generator *generator, uint32_t index)
{
   struct fuzz_program *program = generator->program;

   if (index >= program->count || program->outputs >= FUZZ_OUTPUTS) {
      return;
   }
   const struct fuzz_node *node = &program->nodes[index];
   fuzz_add(generator,
            (struct fuzz_node){
                .kind = FUZZ_OUTPUT,
                .bits = node->bits,
                .components = 1,
                .slot = (uint16_t)program->outputs++,
                .sources = {{(uint16_t)index, (uint16_t)util_random_below(&generator->random, node->components)}},
            });
}

static void fill_uniforms(struct fuzz_generator *generator)
{
   for (unsigned i = 0; i < FUZZ_UNIFORMS; i++) {
      const unsigned bits = 64u >> (i / 4);
      generator->program->uniform[i] = fuzz_edge(&generator->random, bits, bits != 64 && bits != 8 && i % 4 < 2);
   }
}

/* Adds expressions of up to a dozen ops that share nothing, each with its output. */
static void add_expressions(struct fuzz_generator *generator)
{
   for (unsigned i = 0; i < EXPRESSIONS; i++) {
      const uint32_t ops = 1 + util_random_below(&generator->random, 10);
      uint32_t root = FUZZ_NODES;

      generator->first = generator->program->count;
      generator->exact = true;
      for (uint32_t op = 0; op < ops; op++) {
         root = fuzz_add_random(generator);
      }
      fuzz_add_output(generator, root);
   }
}

/* Adds more numbers than the first half of the uniforms holds, where Mesa puts constants that cannot be immediates.
 * Additions alternate with exclusive ors, so that no rule combines two numbers. */
static void add_numbers(struct fuzz_generator *generator)
{
   generator->exact = true;
   uint32_t sum = fuzz_add_leaf(generator, 64, false, FUZZ_LEAF_INPUT);
   for (unsigned i = 0; i < NUMBERS && sum < FUZZ_NODES; i++) {
      const uint32_t number = fuzz_add_constant(generator, 64, util_random_next(&generator->random));
      const struct fuzz_source sources[FUZZ_SOURCES] = {{(uint16_t)sum, 0}, {(uint16_t)number, 0}};
      sum = number < FUZZ_NODES ? fuzz_add_alu(generator, i % 2 == 0 ? nir_op_ixor : nir_op_iadd, 64, sources)
                                : FUZZ_NODES;
   }
   fuzz_add_output(generator, sum);
}

/* Adds ops with constant operands only, which the compiler itself evaluates. They leave no code, so a program contains
 * many, each with an output. */
static void add_folded(struct fuzz_generator *generator)
{
   generator->exact = true;
   generator->folded = true;
   while (generator->program->outputs < FUZZ_OUTPUTS) {
      const uint32_t ops = 1 + util_random_below(&generator->random, 2);

      generator->first = generator->program->count;
      for (uint32_t op = 0; op < ops; op++) {
         const uint32_t index = fuzz_add_random(generator);
         if (index >= FUZZ_NODES) {
            return;
         }
         fuzz_add_output(generator, index);
      }
   }
}

/* Adds an instance of a rule, alone or followed by ops that use it, and perhaps another use of a part of it. */
static void add_rule_instance(struct fuzz_generator *generator, uint32_t rule)
{
   generator->first = generator->program->count;
   uint32_t root = fuzz_add_rule(generator, rule);

   if (root >= FUZZ_NODES) {
      return;
   }
   const uint32_t end = generator->program->count;
   const uint32_t context = util_random_below(&generator->random, 4);
   for (uint32_t op = 0; op < context; op++) {
      root = fuzz_add_random(generator);
   }
   fuzz_add_output(generator, root);
   if (util_random_chance(&generator->random, 20)) {
      const uint32_t part = generator->first + util_random_below(&generator->random, end - generator->first);
      if (fuzz_is_value(&generator->program->nodes[part])) {
         fuzz_add_output(generator, part);
      }
   }
}

/* Half of the instances are of one rule. The others are of adjacent rules in the tables, so that the programs of all
 * rules contain each rule several times. Their numbers are close to each other, to exercise what a rule
 * distinguishes. */
static void add_rule_instances(struct fuzz_generator *generator, uint32_t rule)
{
   const uint32_t own = EXPRESSIONS / 2, others = (EXPRESSIONS - own) / RELATED;

   for (unsigned i = 0; i < own; i++) {
      generator->related = i >= own - RELATED;
      generator->exact = util_random_chance(&generator->random, 50);
      add_rule_instance(generator, rule);
   }
   generator->program->rule_outputs = generator->program->outputs;
   for (unsigned i = 0; i < others * RELATED; i++) {
      generator->exact = i % RELATED != 0;
      add_rule_instance(generator, (rule * others + i / RELATED) % fuzz_rule_count());
   }
}

/* Small programs spill. In 1 of 8 other programs the backend has few registers, or no more than it needs: then values
 * are spilled around each op. The seed's own bits choose, so that the rest of the program is the same. */
static uint32_t pick_registers(enum fuzz_family family, uint64_t seed)
{
   const uint64_t choice = family == FUZZ_SMALL ? 0 : (seed >> 44) % 16;

   return family == FUZZ_RULE || choice > 1 ? FUZZ_REGISTERS_ALL
          : choice == 0                     ? FUZZ_REGISTERS_FEW
                                            : FUZZ_REGISTERS_TIGHT;
}

void fuzz_generate(struct fuzz_program *program, uint64_t seed, enum fuzz_family family, int32_t rule)
{
   /* chosen by the seed's own bits, as for registers, so that other programs draw the same numbers */
   struct fuzz_generator generator = {.program = program,
                                      .random = {seed},
                                      .lanes = {~seed},
                                      .parts = {seed ^ UINT64_C(0x5a5a5a5a5a5a5a5a)},
                                      .apart = (seed >> 36) % 8 == 0,
                                      .shapes = (seed >> 48) % 2 == 0};

   memset(program, 0, sizeof(*program));
   program->rule = family == FUZZ_RULE ? rule : -1;
   fill_uniforms(&generator);
   program->registers = pick_registers(family, seed);
   if (family == FUZZ_RULE && (uint32_t)rule < fuzz_rule_count()) {
      add_rule_instances(&generator, (uint32_t)rule);
   } else if (family == FUZZ_CONTROL) {
      fuzz_add_control(&generator);
   } else if (family == FUZZ_SMALL) {
      fuzz_add_small(&generator);
   } else if ((seed >> 40) % 2 == 0) {
      add_folded(&generator);
   } else {
      add_expressions(&generator);
      if ((seed >> 52) % 4 == 0) {
         add_numbers(&generator);
      }
   }
}
