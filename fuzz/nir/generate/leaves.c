/* SPDX-License-Identifier: MIT
 *
 * The leaves of the expressions of random programs: constants, inputs and kernel arguments, and their values.
 * Invariant: a value has no more bits than its type.
 */
#include "fuzz/nir/generate/generator.h"

/* Zero, one, two, a half, infinity, NaN, the largest and smallest numbers, halfway cases, small integers, the largest
 * exact integers, and limits of integer types. */
static const uint16_t halves[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x3800, 0xb800, 0x7c00, 0xfc00, 0x7e00,
                                  0x7bff, 0xfbff, 0x0400, 0x03ff, 0x0001, 0x8001, 0x3c01, 0x3bff, 0x4200, 0x4500,
                                  0x6400, 0x6800, 0x7800, 0x5bf8, 0x57f0, 0x3e00, 0x4100, 0xc100, 0x4300, 0xd800};
static const uint32_t floats[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0x3f000000, 0xbf000000, 0x7f800000, 0xff800000,
    0x7fc00000, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x3f800001, 0x3f7fffff, 0x40400000, 0x40a00000, 0x4b000000,
    0x4b800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x3fc00000, 0x40200000, 0xc0200000, 0x43000000, 0x43800000,
    0x47000000, 0x47800000, 0x477fe000, 0x387fc000, 0x33800000, 0x46fffe00, 0xc3000000, 0x437f0000, 0x3eaaaaab};

static uint64_t integer_edge(struct util_random *random, unsigned bits)
{
   static const uint8_t near[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  12, 15,  16,
                                  17, 24, 31, 32, 33, 40, 48, 63, 64, 65, 127, 128};
   uint64_t value;

   switch (util_random_below(random, 8)) {
   case 0:
   case 1:
      return near[util_random_below(random, ARRAY_SIZE(near))];
   case 2:
      return ~(uint64_t)near[util_random_below(random, 8)];
   case 3: /* a power of two, or one off */
      return (UINT64_C(1) << util_random_below(random, bits)) + util_random_below(random, 3) - 1;
   case 4: /* the limits of a type */
      return (UINT64_C(1) << (bits - 1)) + util_random_below(random, 3) - 1;
   case 5: /* the limits of a narrower type, sign-extended or not */
      value = ((UINT64_C(1) << (8u << util_random_below(random, 3))) >> util_random_below(random, 2)) -
              util_random_below(random, 2);
      return util_random_chance(random, 50) ? ~value : value;
   default:
      return util_random_next(random) >> util_random_below(random, 64);
   }
}

/* A float with few bits in its fraction: products of such numbers lie halfway between two results, and sums cancel. The
 * exponents are near enough to each other that sums overlap. */
static uint64_t short_float(struct util_random *random, unsigned bits)
{
   const unsigned fraction = bits == 16 ? 10 : 23, bias = bits == 16 ? 15 : 127;
   const unsigned kept = 1 + util_random_below(random, (fraction + 1) / 2);
   const uint64_t sign = util_random_below(random, 2);
   const uint64_t exponent =
       bits == 16 ? util_random_below(random, 2 * bias + 1) : bias - 28 + util_random_below(random, 57);
   const uint64_t leading = util_random_below(random, 1u << kept);

   return sign << (bits - 1) | exponent << fraction | leading << (fraction - kept);
}

/* Half as many bits as a float holds, and the last of them is 1: the product of two such numbers is one bit too long,
 * and so lies halfway between two floats. */
static uint64_t half_long(struct util_random *random, unsigned bits)
{
   const unsigned fraction = bits == 16 ? 10 : 23, kept = (fraction + 1) / 2;

   return short_float(random, bits) | UINT64_C(1) << (fraction - kept);
}

/* Operands of which the compiler computes the result: exact results that lie halfway between two floats, or beside that
 * by next to nothing. The second rounding of a result that is rounded twice shows in these alone. */
static uint64_t halfway_operand(struct util_random *random, unsigned bits)
{
   const uint64_t least = bits == 16 ? 1u << util_random_below(random, 11) : 0x00800000u;

   switch (util_random_below(random, 8)) {
   case 0:
   case 1:
      return util_random_next(random) >> 63 << (bits - 1) | least;
   case 2:
   case 3:
      return short_float(random, bits);
   default:
      return half_long(random, bits);
   }
}

/* Turns a signalling NaN into a quiet one: results for signalling ones are not agreed on (fmax of one and 0 in C, IEEE
 * 754 and NIR). */
static uint64_t quiet(uint64_t value, unsigned bits)
{
   const unsigned fraction = bits == 16 ? 10 : 23;
   const uint64_t exponent = fuzz_mask(bits - 1) & ~fuzz_mask(fraction);
   const bool is_nan = (value & exponent) == exponent && (value & fuzz_mask(fraction)) != 0;

   return is_nan ? value | UINT64_C(1) << (fraction - 1) : value;
}

uint64_t fuzz_edge(struct util_random *random, unsigned bits, bool is_float)
{
   uint64_t value;

   if (bits == 1) {
      value = util_random_below(random, 2);
   } else if (is_float && (bits == 16 || bits == 32) && util_random_chance(random, 25)) {
      value = short_float(random, bits);
   } else if (is_float && bits == 16 && util_random_chance(random, 75)) {
      value = halves[util_random_below(random, ARRAY_SIZE(halves))];
   } else if (is_float && bits == 32 && util_random_chance(random, 75)) {
      value = floats[util_random_below(random, ARRAY_SIZE(floats))];
   } else if (is_float) {
      value = util_random_next(random);
   } else {
      value = integer_edge(random, bits);
   }
   value &= fuzz_mask(bits);
   return is_float && (bits == 16 || bits == 32) ? quiet(value, bits) : value;
}

uint64_t fuzz_value(struct fuzz_generator *generator, unsigned bits, bool is_float)
{
   static const uint16_t nice_halves[] = {0x0000, 0x3c00, 0xbc00, 0x4000, 0xc000,
                                          0x3800, 0xb800, 0x4200, 0x4400, 0x3400};
   static const uint32_t nice_floats[] = {0x00000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000,
                                          0x3f000000, 0xbf000000, 0x40400000, 0x40800000, 0x3e800000};
   const uint32_t index = util_random_below(&generator->random, ARRAY_SIZE(nice_floats));

   if (is_float && generator->folded && (bits == 16 || bits == 32) && util_random_chance(&generator->random, 90)) {
      return halfway_operand(&generator->random, bits);
   }
   if (!is_float || generator->exact || (bits != 16 && bits != 32)) {
      return fuzz_edge(&generator->random, bits, is_float);
   }
   return bits == 16 ? nice_halves[index] : nice_floats[index];
}

/* The second simdgroup has the numbers of the first one in another order, so that a seed gives the same program for
 * both. */
static void add_second_simdgroup(struct fuzz_generator *generator, uint64_t input[FUZZ_LANES])
{
   const uint32_t turn = 1 + util_random_below(&generator->lanes, FUZZ_SIMD - 1);

   for (unsigned lane = FUZZ_SIMD; lane < FUZZ_LANES; lane++) {
      input[lane] = input[(lane + turn) % FUZZ_SIMD];
   }
}

/* Returns the number of a leaf in one lane. */
static uint64_t leaf_number(const struct fuzz_program *program, const struct fuzz_node *node, unsigned lane)
{
   return node->kind == FUZZ_CONST   ? node->value
          : node->kind == FUZZ_INPUT ? program->input[node->slot][lane]
                                     : program->uniform[node->slot];
}

/* Finds a leaf of this expression, of the same width if it is a float. Returns false if none of the examined nodes is
 * one. */
static bool find_leaf(struct fuzz_generator *generator, unsigned bits, bool is_float, unsigned lane, uint64_t *number)
{
   const struct fuzz_program *program = generator->program;
   const uint32_t count = program->count - generator->first;

   for (unsigned tries = 0; tries < 6 && count != 0; tries++) {
      const struct fuzz_node *node = &program->nodes[generator->first + util_random_below(&generator->random, count)];
      const bool leaf = node->kind == FUZZ_CONST || node->kind == FUZZ_INPUT || node->kind == FUZZ_UNIFORM;
      if (leaf && node->bits != 1 && (node->bits == bits || !is_float)) {
         *number = leaf_number(program, node, lane);
         return true;
      }
   }
   return false;
}

/* Returns a number related to another one of the expression, for comparisons, masks and sums: the same, the next one,
 * its negation, or their sum or difference. For inexact floats only the same or its negation. */
static uint64_t related_value(struct fuzz_generator *generator, unsigned bits, bool is_float, unsigned lane)
{
   struct util_random *random = &generator->random;
   const uint64_t sign = UINT64_C(1) << (bits - 1);
   uint64_t number, other = 0;

   if (!find_leaf(generator, bits, is_float, lane, &number)) {
      return fuzz_value(generator, bits, is_float);
   }
   const uint32_t kind = util_random_below(random, 16);
   if (is_float) {
      const bool next = generator->exact && kind >= 6 && kind < 12;
      return (number + (next ? (kind % 2 == 0 ? 1 : UINT64_MAX) : 0)) ^ (kind >= 12 ? sign : 0);
   }
   if (kind >= 12 && !find_leaf(generator, bits, false, lane, &other)) {
      return number;
   }
   return kind < 5     ? number
          : kind < 7   ? number + 1
          : kind < 9   ? number - 1
          : kind == 9  ? ~number
          : kind == 10 ? 0 - number
          : kind == 11 ? number ^ sign
          : kind < 14  ? number - other
                       : number + other;
}

/* In one lane. */
static uint64_t input_value(struct fuzz_generator *generator, unsigned bits, bool is_float, unsigned lane)
{
   if (generator->bound != 0 && util_random_chance(&generator->random, 75)) {
      return util_random_below(&generator->random, (uint32_t)generator->bound);
   }
   return (generator->related && bits != 1 && util_random_chance(&generator->random, 60)
               ? related_value(generator, bits, is_float, lane)
               : fuzz_value(generator, bits, is_float)) &
          fuzz_mask(bits);
}

static uint32_t add_input(struct fuzz_generator *generator, unsigned bits, bool is_float)
{
   struct fuzz_program *program = generator->program;
   struct fuzz_node node = {.kind = FUZZ_INPUT, .bits = (uint8_t)bits, .components = 1};

   if (program->inputs < FUZZ_INPUTS) {
      node.slot = (uint16_t)program->inputs++;
      for (unsigned lane = 0; lane < FUZZ_SIMD; lane++) {
         program->input[node.slot][lane] = input_value(generator, bits, is_float, lane);
      }
      add_second_simdgroup(generator, program->input[node.slot]);
   } else {
      node.slot = (uint16_t)util_random_below(&generator->random, FUZZ_INPUTS);
   }
   return fuzz_add(generator, node);
}

static uint32_t add_uniform(struct fuzz_generator *generator, unsigned bits)
{
   const unsigned group = bits == 64 ? 0 : bits == 32 ? 1 : bits == 16 ? 2 : 3;

   return fuzz_add(generator,
                   (struct fuzz_node){.kind = FUZZ_UNIFORM,
                                      .bits = (uint8_t)bits,
                                      .components = 1,
                                      .slot = (uint16_t)(group * 4 + util_random_below(&generator->random, 4))});
}

/* Adds a constant: often one that the program has already, in this width or another, because compilers share equal
 * constants. */
static uint32_t add_constant_leaf(struct fuzz_generator *generator, unsigned bits, bool is_float)
{
   const struct fuzz_program *program = generator->program;

   if (generator->pool != 0 && util_random_chance(&generator->random, 30)) {
      const struct fuzz_node *shared = &program->nodes[util_random_below(&generator->random, generator->pool)];
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
      const uint32_t kind = util_random_below(&generator->random, 10);
      leaf = kind < 5 ? FUZZ_LEAF_INPUT : kind < 8 ? FUZZ_LEAF_CONST : FUZZ_LEAF_UNIFORM;
   }
   if (leaf == FUZZ_LEAF_CONST) {
      return add_constant_leaf(generator, bits, is_float);
   }
   return leaf == FUZZ_LEAF_UNIFORM && bits != 1 && !(is_float && !generator->exact)
              ? add_uniform(generator, bits)
              : add_input(generator, bits, is_float);
}
