/* SPDX-License-Identifier: MIT
 *
 * Random programs. Invariant: a node's sources are earlier nodes of the width and size that its op takes.
 */
#include "compiler/fuzz/generate.h"

#include <string.h>

#include "compiler/fuzz/registers.h"

#define EXPRESSIONS 24 /* of a program without control flow: compile time is shared between them */
#define NEAR 12        /* operands are mostly taken from so many nodes before */

static uint64_t mask_of(unsigned bits)
{
   return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

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
   return fuzz_add(
       generator,
       (struct fuzz_node){.kind = FUZZ_CONST, .bits = (uint8_t)bits, .components = 1, .value = value & mask_of(bits)});
}

/* Zero, one, two, a half, infinity, NaN, the largest and smallest, halfway cases, small integers, the largest
 * integers that are exact, and limits of integer types. */
static const uint16_t halves[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x3800, 0xb800, 0x7c00, 0xfc00, 0x7e00,
                                  0x7bff, 0xfbff, 0x0400, 0x03ff, 0x0001, 0x8001, 0x3c01, 0x3bff, 0x4200, 0x4500,
                                  0x6400, 0x6800, 0x7800, 0x5bf8, 0x57f0, 0x3e00, 0x4100, 0xc100, 0x4300, 0xd800};
static const uint32_t floats[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0x3f000000, 0xbf000000, 0x7f800000, 0xff800000,
    0x7fc00000, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x3f800001, 0x3f7fffff, 0x40400000, 0x40a00000, 0x4b000000,
    0x4b800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x3fc00000, 0x40200000, 0xc0200000, 0x43000000, 0x43800000,
    0x47000000, 0x47800000, 0x477fe000, 0x387fc000, 0x33800000, 0x46fffe00, 0xc3000000, 0x437f0000, 0x3eaaaaab};

static uint64_t integer_edge(struct fuzz_random *random, unsigned bits)
{
   static const uint8_t near[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  12, 15,  16,
                                  17, 24, 31, 32, 33, 40, 48, 63, 64, 65, 127, 128};
   uint64_t value;

   switch (fuzz_below(random, 8)) {
   case 0:
   case 1:
      return near[fuzz_below(random, ARRAY_SIZE(near))];
   case 2:
      return ~(uint64_t)near[fuzz_below(random, 8)];
   case 3: /* a power of two, or one off */
      return (UINT64_C(1) << fuzz_below(random, bits)) + fuzz_below(random, 3) - 1;
   case 4: /* the limits of a type */
      return (UINT64_C(1) << (bits - 1)) + fuzz_below(random, 3) - 1;
   case 5: /* the limits of a narrower type, sign-extended or not */
      value = ((UINT64_C(1) << (8u << fuzz_below(random, 3))) >> fuzz_below(random, 2)) - fuzz_below(random, 2);
      return fuzz_chance(random, 50) ? ~value : value;
   default:
      return fuzz_next(random) >> fuzz_below(random, 64);
   }
}

/* A float with few bits in its fraction: products of such numbers lie halfway between two results, and sums cancel. The
 * exponents are near enough to each other that sums overlap. */
static uint64_t short_float(struct fuzz_random *random, unsigned bits)
{
   const unsigned fraction = bits == 16 ? 10 : 23, bias = bits == 16 ? 15 : 127;
   const unsigned kept = 1 + fuzz_below(random, (fraction + 1) / 2);
   const uint64_t sign = fuzz_below(random, 2);
   const uint64_t exponent = bits == 16 ? fuzz_below(random, 2 * bias + 1) : bias - 28 + fuzz_below(random, 57);
   const uint64_t leading = fuzz_below(random, 1u << kept);

   return sign << (bits - 1) | exponent << fraction | leading << (fraction - kept);
}

/* Half as many bits as a float holds, and the last of them is 1: the product of two such numbers is one bit too long,
 * and so lies halfway between two floats. */
static uint64_t half_long(struct fuzz_random *random, unsigned bits)
{
   const unsigned fraction = bits == 16 ? 10 : 23, kept = (fraction + 1) / 2;

   return short_float(random, bits) | UINT64_C(1) << (fraction - kept);
}

/* Operands of which the compiler computes the result: exact results that lie halfway between two floats, or beside that
 * by next to nothing. The second rounding of a result that is rounded twice shows in these alone. */
static uint64_t halfway_operand(struct fuzz_random *random, unsigned bits)
{
   const uint64_t least = bits == 16 ? 1u << fuzz_below(random, 11) : 0x00800000u;

   switch (fuzz_below(random, 8)) {
   case 0:
   case 1:
      return fuzz_next(random) >> 63 << (bits - 1) | least;
   case 2:
   case 3:
      return short_float(random, bits);
   default:
      return half_long(random, bits);
   }
}

uint64_t fuzz_edge(struct fuzz_random *random, unsigned bits, bool is_float)
{
   uint64_t value;

   if (bits == 1) {
      value = fuzz_below(random, 2);
   } else if (is_float && (bits == 16 || bits == 32) && fuzz_chance(random, 25)) {
      value = short_float(random, bits);
   } else if (is_float && bits == 16 && fuzz_chance(random, 75)) {
      value = halves[fuzz_below(random, ARRAY_SIZE(halves))];
   } else if (is_float && bits == 32 && fuzz_chance(random, 75)) {
      value = floats[fuzz_below(random, ARRAY_SIZE(floats))];
   } else if (is_float) {
      value = fuzz_next(random);
   } else {
      value = integer_edge(random, bits);
   }
   return value & mask_of(bits);
}

uint64_t fuzz_value(struct fuzz_generator *generator, unsigned bits, bool is_float)
{
   static const uint16_t nice_halves[] = {0x0000, 0x3c00, 0xbc00, 0x4000, 0xc000,
                                          0x3800, 0xb800, 0x4200, 0x4400, 0x3400};
   static const uint32_t nice_floats[] = {0x00000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000,
                                          0x3f000000, 0xbf000000, 0x40400000, 0x40800000, 0x3e800000};
   const uint32_t index = fuzz_below(&generator->random, ARRAY_SIZE(nice_floats));

   if (is_float && generator->folded && (bits == 16 || bits == 32) && fuzz_chance(&generator->random, 90)) {
      return halfway_operand(&generator->random, bits);
   }
   if (!is_float || generator->exact || (bits != 16 && bits != 32)) {
      return fuzz_edge(&generator->random, bits, is_float);
   }
   return bits == 16 ? nice_halves[index] : nice_floats[index];
}

/* The second simdgroup has the first one's numbers, in another order: so a seed gives the same program for either. */
static void add_second_simdgroup(struct fuzz_generator *generator, uint64_t input[FUZZ_LANES])
{
   const uint32_t turn = 1 + fuzz_below(&generator->lanes, FUZZ_SIMD - 1);

   for (unsigned lane = FUZZ_SIMD; lane < FUZZ_LANES; lane++) {
      input[lane] = input[(lane + turn) % FUZZ_SIMD];
   }
}

static uint32_t add_input(struct fuzz_generator *generator, unsigned bits, bool is_float)
{
   struct fuzz_program *program = generator->program;
   struct fuzz_node node = {.kind = FUZZ_INPUT, .bits = (uint8_t)bits, .components = 1};

   if (program->inputs < FUZZ_INPUTS) {
      node.slot = (uint16_t)program->inputs++;
      for (unsigned lane = 0; lane < FUZZ_SIMD; lane++) {
         program->input[node.slot][lane] = fuzz_value(generator, bits, is_float);
      }
      add_second_simdgroup(generator, program->input[node.slot]);
   } else {
      node.slot = (uint16_t)fuzz_below(&generator->random, FUZZ_INPUTS);
   }
   return fuzz_add(generator, node);
}

static uint32_t add_uniform(struct fuzz_generator *generator, unsigned bits)
{
   const unsigned group = bits == 64 ? 0 : bits == 32 ? 1 : bits == 16 ? 2 : 3;

   return fuzz_add(generator, (struct fuzz_node){.kind = FUZZ_UNIFORM,
                                                 .bits = (uint8_t)bits,
                                                 .components = 1,
                                                 .slot = (uint16_t)(group * 4 + fuzz_below(&generator->random, 4))});
}

/* A constant: often one that the program has already, in this width or another. Compilers share equal constants. */
static uint32_t add_constant_leaf(struct fuzz_generator *generator, unsigned bits, bool is_float)
{
   const struct fuzz_program *program = generator->program;

   if (generator->pool != 0 && fuzz_chance(&generator->random, 30)) {
      const struct fuzz_node *shared = &program->nodes[fuzz_below(&generator->random, generator->pool)];
      return fuzz_add_constant(generator, bits, shared->value);
   }
   return fuzz_add_constant(generator, bits, fuzz_value(generator, bits, is_float));
}

uint32_t fuzz_add_leaf(struct fuzz_generator *generator, unsigned bits, bool is_float, enum fuzz_leaf leaf)
{
   if (leaf == FUZZ_LEAF_ANY && generator->folded) {
      leaf = FUZZ_LEAF_CONST;
   }
   if (leaf == FUZZ_LEAF_ANY) {
      const uint32_t kind = fuzz_below(&generator->random, 10);
      leaf = kind < 5 ? FUZZ_LEAF_INPUT : kind < 8 ? FUZZ_LEAF_CONST : FUZZ_LEAF_UNIFORM;
   }
   if (leaf == FUZZ_LEAF_CONST) {
      return add_constant_leaf(generator, bits, is_float);
   }
   return leaf == FUZZ_LEAF_UNIFORM && bits != 1 && !(is_float && !generator->exact)
              ? add_uniform(generator, bits)
              : add_input(generator, bits, is_float);
}

/* An earlier node: a source, or .node = FUZZ_NODES. Nodes inside an if or a loop that has ended are out of scope; the
 * generator of control flow moves `first`. */
static struct fuzz_source find_operand(struct fuzz_generator *generator, unsigned bits, unsigned components)
{
   const struct fuzz_program *program = generator->program;
   const uint32_t count = program->count - generator->first;

   for (unsigned tries = 0; tries < 8 && count != 0; tries++) {
      const uint32_t near = count < NEAR || fuzz_chance(&generator->random, 20) ? count : NEAR;
      const uint32_t index = program->count - 1 - fuzz_below(&generator->random, near);
      const struct fuzz_node *node = &program->nodes[index];

      if (!generator->hidden[index] && fuzz_is_value(node) && node->bits == bits &&
          (components == 1 || node->components == components)) {
         const uint32_t component = components == 1 ? fuzz_below(&generator->random, node->components) : 0;
         return (struct fuzz_source){(uint16_t)index, (uint16_t)component};
      }
   }
   return (struct fuzz_source){.node = FUZZ_NODES};
}

/* The same number as a part of a larger constant: what unpacking gives, or a component of a vector. Compilers make such
 * parts constants late. */
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
   struct fuzz_random *random = &generator->parts;
   struct fuzz_source sources[FUZZ_SOURCES] = {{0}};
   const bool unpacked = fuzz_chance(random, 60);
   const uint32_t start = fuzz_below(random, ARRAY_SIZE(unpackings));

   for (uint32_t i = 0; unpacked && i < ARRAY_SIZE(unpackings); i++) {
      const uint32_t row = (start + i) % ARRAY_SIZE(unpackings);
      const unsigned from = unpackings[row].from;
      if (unpackings[row].part != node.bits) {
         continue;
      }
      const uint32_t index = fuzz_below(random, from / node.bits), shift = index * node.bits;
      const uint64_t others = fuzz_edge(random, from, false) & ~(mask_of(node.bits) << shift);
      sources[0].node = (uint16_t)fuzz_add_constant(generator, from, others | node.value << shift);
      return (struct fuzz_source){(uint16_t)fuzz_add_alu(generator, unpackings[row].op, 0, sources), (uint16_t)index};
   }
   const uint32_t components = 2 + fuzz_below(random, ARRAY_SIZE(vectors)), own = fuzz_below(random, components);
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
                  fuzz_chance(&generator->parts, 50)
              ? part_of_constant(generator, index)
              : (struct fuzz_source){(uint16_t)index, 0};
}

/* Of a shift, a rotation or a field of bits. */
static bool is_count(nir_op op, unsigned source)
{
   switch (op) {
   case nir_op_ishl:
   case nir_op_ishr:
   case nir_op_ushr:
   case nir_op_urol:
   case nir_op_uror:
      return source == 1;
   case nir_op_ubitfield_extract:
   case nir_op_ibitfield_extract:
      return source >= 1;
   case nir_op_bitfield_insert:
      return source >= 2;
   default:
      return false;
   }
}

/* A constant that is in range, also where a place and a size are added. */
static struct fuzz_source add_count(struct fuzz_generator *generator, unsigned bits)
{
   return maybe_part(generator, fuzz_add_constant(generator, bits, fuzz_below(&generator->parts, bits / 2 + 1)));
}

struct fuzz_source fuzz_operand(struct fuzz_generator *generator, unsigned bits, unsigned components, bool is_float)
{
   /* Constants are as cheap as values that are there, and the same constant twice says less. */
   const uint32_t reused = generator->folded ? 25 : 65;

   if (components > 1 || fuzz_chance(&generator->random, reused)) {
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
static unsigned pick_width(struct fuzz_random *random, unsigned widths)
{
   static const uint8_t all[] = {1, 8, 16, 32, 32, 64};
   unsigned width;

   if (widths == 0) {
      return 32;
   }
   do {
      width = all[fuzz_below(random, ARRAY_SIZE(all))];
   } while ((widths & width) == 0);
   return width;
}

static bool float_source(nir_op op, unsigned source)
{
   return nir_alu_type_get_base_type(nir_op_infos[op].input_types[source]) == nir_type_float;
}

nir_op fuzz_any_conversion(struct fuzz_random *random, unsigned bits, unsigned *from)
{
   static const uint8_t widths[] = {1, 8, 16, 32, 64};

   for (unsigned tries = 0; tries < 200; tries++) {
      const nir_op op = fuzz_op(fuzz_below(random, fuzz_op_count()));
      *from = widths[fuzz_below(random, ARRAY_SIZE(widths))];
      if (nir_op_infos[op].is_conversion && fuzz_op_takes_width(op, *from) && fuzz_op_bits(op, -1, *from) == bits &&
          fuzz_op_bits(op, 0, *from) == *from) {
         return op;
      }
   }
   return nir_num_opcodes;
}

/* What compilers fold into an instruction's operand: a conversion from another width, a negation, a shift by a
 * constant, a mask, an extract. One op over a new operand that gives this width, or the operand itself. */
static struct fuzz_source fold_into(struct fuzz_generator *generator, unsigned bits, bool is_float)
{
   static const nir_op of_floats[] = {nir_op_fneg, nir_op_fabs, nir_op_fneg, nir_op_fsat};
   static const nir_op of_integers[] = {nir_op_ineg,       nir_op_inot,        nir_op_ishl,        nir_op_ushr,
                                        nir_op_ishr,       nir_op_iand,        nir_op_ishl,        nir_op_extract_u8,
                                        nir_op_extract_i8, nir_op_extract_i16, nir_op_extract_u16, nir_op_iand};
   struct fuzz_random *random = &generator->random;
   struct fuzz_source sources[FUZZ_SOURCES] = {{0}};
   unsigned from = bits;
   uint64_t bound;
   nir_op op = is_float ? of_floats[fuzz_below(random, ARRAY_SIZE(of_floats))]
                        : of_integers[fuzz_below(random, ARRAY_SIZE(of_integers))];

   if (fuzz_chance(random, 50)) {
      op = fuzz_any_conversion(random, bits, &from);
   }
   if (op == nir_num_opcodes || !fuzz_op_takes_width(op, from) || fuzz_op_bits(op, -1, from) != bits) {
      return fuzz_operand(generator, bits, 1, is_float);
   }
   sources[0] = fuzz_operand(generator, from, 1, float_source(op, 0));
   if (nir_op_infos[op].num_inputs == 2) {
      const unsigned width = fuzz_op_bits(op, 1, from);
      const uint64_t value = fuzz_op_constant_source(op, 1, width, &bound) ? fuzz_below(random, (uint32_t)bound)
                                                                           : fuzz_edge(random, width, false);
      sources[1] = (struct fuzz_source){(uint16_t)fuzz_add_constant(generator, width, value), 0};
   }
   return sources[0].node >= FUZZ_NODES || sources[1].node >= FUZZ_NODES
              ? (struct fuzz_source){.node = FUZZ_NODES}
              : (struct fuzz_source){(uint16_t)fuzz_add_alu(generator, op, from, sources), 0};
}

/* Constants of an op with more operands have more combinations, so that a program of constants has more of these ops.
 */
static bool few_operands(struct fuzz_generator *generator, nir_op op)
{
   return fuzz_below(&generator->random, 3) >= nir_op_infos[op].num_inputs;
}

uint32_t fuzz_add_random(struct fuzz_generator *generator)
{
   nir_op op;

   do {
      op = fuzz_op(fuzz_below(&generator->random, fuzz_op_count()));
   } while (fuzz_op_inexact(op) || (generator->folded && few_operands(generator, op)));
   const unsigned open = pick_width(&generator->random, fuzz_op_widths(op));
   struct fuzz_source sources[FUZZ_SOURCES] = {{0}};

   for (unsigned i = 0; i < nir_op_infos[op].num_inputs; i++) {
      const unsigned bits = fuzz_op_bits(op, (int)i, open);
      uint64_t bound;
      if (fuzz_op_constant_source(op, i, bits, &bound)) {
         const uint64_t value = fuzz_below(&generator->random, (uint32_t)bound);
         sources[i] = (struct fuzz_source){(uint16_t)fuzz_add_constant(generator, bits, value), 0};
      } else if (generator->apart && is_count(op, i) && fuzz_chance(&generator->parts, 50)) {
         sources[i] = add_count(generator, bits);
      } else if (bits != 1 && fuzz_op_components(op, (int)i) == 1 && fuzz_chance(&generator->random, 15)) {
         sources[i] = fold_into(generator, bits, float_source(op, i));
      } else {
         sources[i] = fuzz_operand(generator, bits, fuzz_op_components(op, (int)i), float_source(op, i));
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
   fuzz_add(generator, (struct fuzz_node){
                           .kind = FUZZ_OUTPUT,
                           .bits = node->bits,
                           .components = 1,
                           .slot = (uint16_t)program->outputs++,
                           .sources = {{(uint16_t)index, (uint16_t)fuzz_below(&generator->random, node->components)}},
                       });
}

static void fill_uniforms(struct fuzz_generator *generator)
{
   for (unsigned i = 0; i < FUZZ_UNIFORMS; i++) {
      const unsigned bits = 64u >> (i / 4);
      generator->program->uniform[i] = fuzz_edge(&generator->random, bits, bits != 64 && bits != 8 && i % 4 < 2);
   }
}

/* Expressions of up to a dozen ops that have nothing in common, each with its output. */
static void add_expressions(struct fuzz_generator *generator)
{
   for (unsigned i = 0; i < EXPRESSIONS; i++) {
      const uint32_t ops = 1 + fuzz_below(&generator->random, 10);
      uint32_t root = FUZZ_NODES;

      generator->first = generator->program->count;
      generator->exact = true;
      for (uint32_t op = 0; op < ops; op++) {
         root = fuzz_add_random(generator);
      }
      fuzz_add_output(generator, root);
   }
}

/* Ops of which all operands are constants, or such an op's result: what the compiler evaluates itself. No code is left
 * of them, so that a program holds many, each with an output. */
static void add_folded(struct fuzz_generator *generator)
{
   generator->exact = true;
   generator->folded = true;
   while (generator->program->outputs < FUZZ_OUTPUTS) {
      const uint32_t ops = 1 + fuzz_below(&generator->random, 2);

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

/* Instances of one rule, alone and followed by ops that use them. */
static void add_rule_instances(struct fuzz_generator *generator, uint32_t rule)
{
   for (unsigned i = 0; i < EXPRESSIONS; i++) {
      generator->first = generator->program->count;
      generator->exact = fuzz_chance(&generator->random, 50);
      uint32_t root = fuzz_add_rule(generator, rule);

      if (root >= FUZZ_NODES) {
         continue;
      }
      const uint32_t end = generator->program->count;
      const uint32_t context = fuzz_below(&generator->random, 4);
      for (uint32_t op = 0; op < context; op++) {
         root = fuzz_add_random(generator);
      }
      fuzz_add_output(generator, root);
      if (fuzz_chance(&generator->random, 20)) { /* another use of a part of it */
         const uint32_t part = generator->first + fuzz_below(&generator->random, end - generator->first);
         if (fuzz_is_value(&generator->program->nodes[part])) {
            fuzz_add_output(generator, part);
         }
      }
   }
}

/* Small programs spill. In 1 of 8 other programs the backend has few registers, or no more than it needs: then room is
 * made and values are spilled around each op. The seed's own bits choose, so that the rest of the program is the same.
 */
static uint32_t pick_registers(enum fuzz_family family, uint64_t seed)
{
   const uint64_t choice = family == FUZZ_SMALL ? 0 : (seed >> 44) % 16;

   return family == FUZZ_RULE || choice > 1 ? FUZZ_REGISTERS_ALL
          : choice == 0                     ? FUZZ_REGISTERS_FEW
                                            : FUZZ_REGISTERS_TIGHT;
}

void fuzz_generate(struct fuzz_program *program, uint64_t seed, enum fuzz_family family, int32_t rule)
{
   /* The seed's own bits choose, as for registers: the other programs draw the same numbers. */
   struct fuzz_generator generator = {.program = program,
                                      .random = {seed},
                                      .lanes = {~seed},
                                      .parts = {seed ^ UINT64_C(0x5a5a5a5a5a5a5a5a)},
                                      .apart = (seed >> 36) % 8 == 0};

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
   }
}
