/* SPDX-License-Identifier: MIT
 *
 * Constants that are not written as numbers: a function of constants, a conversion, an element of a table. They are
 * constant in the end, but clang does not know it, and Mesa's passes discover it at different times. Invariant: at the
 * start of the kernel such an expression has the wanted value; a kernel is correct whatever value it has later.
 */
#include <string.h>

#include "fuzz/opencl/generate/generator.h"
#include "util/array.h"

#define OPERANDS 3
#define TABLE_LENGTH 4

/* Chooses operands of one component for which the operation gives `value`. */
typedef void split(struct ocl_generator *generator, uint8_t base, uint64_t value, uint64_t operands[OPERANDS]);

static bool is_less(uint8_t base, uint64_t a, uint64_t b)
{
   return ocl_signed(base) ? ocl_sext(base, a) < ocl_sext(base, b) : a < b;
}

/* Returns another number that is less than this one, or not less. Equal operands are rare, because compilers need not
 * evaluate them. */
static uint64_t on_one_side(struct ocl_generator *generator, uint8_t base, uint64_t value, bool less)
{
   for (unsigned i = 0; i < 8; i++) {
      const uint64_t other = ocl_any_number(generator, base);
      if (other != value && is_less(base, other, value) == less) {
         return other;
      }
   }
   return value;
}

static void split_max(struct ocl_generator *generator, uint8_t base, uint64_t value, uint64_t operands[OPERANDS])
{
   operands[0] = value;
   operands[1] = on_one_side(generator, base, value, true);
}

static void split_min(struct ocl_generator *generator, uint8_t base, uint64_t value, uint64_t operands[OPERANDS])
{
   operands[0] = on_one_side(generator, base, value, false);
   operands[1] = value;
}

static void split_rotate(struct ocl_generator *generator, uint8_t base, uint64_t value, uint64_t operands[OPERANDS])
{
   const unsigned bits = ocl_bits(base), count = 1 + ocl_below(generator, bits - 1);

   operands[0] = (value >> count | value << (bits - count)) & ocl_mask(base);
   operands[1] = count;
}

static void split_bitselect(struct ocl_generator *generator, uint8_t base, uint64_t value, uint64_t operands[OPERANDS])
{
   const uint64_t chosen = ocl_any_number(generator, base), other = ocl_any_number(generator, base);

   operands[0] = (value & ~chosen) | (other & chosen);
   operands[1] = (value & chosen) | (other & ~chosen);
   operands[2] = chosen;
}

/* Half of the sum of two numbers at the same distance from the value. */
static void split_hadd(struct ocl_generator *generator, uint8_t base, uint64_t value, uint64_t operands[OPERANDS])
{
   const uint64_t distance = 1 + ocl_below(generator, 63), less = (value - distance) & ocl_mask(base);
   const uint64_t more = (value + distance) & ocl_mask(base);
   const bool fits = !is_less(base, value, less) && !is_less(base, more, value);

   operands[0] = fits ? less : value;
   operands[1] = fits ? more : value;
}

static const struct {
   const char *op;
   split *split;
   uint8_t count;
} functions[] = {{"max", split_max, 2},
                 {"min", split_min, 2},
                 {"rotate", split_rotate, 2},
                 {"bitselect", split_bitselect, 3},
                 {"hadd", split_hadd, 2}};

uint32_t ocl_number(struct ocl_generator *generator, struct ocl_type type, const uint64_t *values)
{
   struct ocl_node *node = ocl_add_node(generator, OCL_CONST, type);

   if (node != NULL) {
      memcpy(node->data, values, type.width * sizeof(*values));
   }
   return generator->program->count - 1;
}

static uint32_t function_of(struct ocl_generator *generator, struct ocl_type type, const uint64_t *values)
{
   const unsigned which = ocl_below(generator, ARRAY_COUNT(functions));
   uint64_t operands[OPERANDS][OCL_WIDTH] = {{0}};
   uint32_t sources[OPERANDS];

   for (unsigned i = 0; i < type.width; i++) {
      uint64_t of_one[OPERANDS] = {0};
      functions[which].split(generator, type.base, values[i], of_one);
      for (unsigned j = 0; j < OPERANDS; j++) {
         operands[j][i] = of_one[j];
      }
   }
   for (unsigned j = 0; j < functions[which].count; j++) {
      sources[j] = ocl_number(generator, type, operands[j]);
   }
   return ocl_add(generator, OCL_OP, type, ocl_op_find(functions[which].op, OCL_SHAPES, OCL_TO_EVEN),
                  functions[which].count, sources);
}

/* Converts a number of another type, if all components are numbers of that type. */
static uint32_t conversion_of(struct ocl_generator *generator, struct ocl_type type, const uint64_t *values)
{
   const struct ocl_type from = {.base = ocl_any_integer(generator), .width = type.width};
   uint64_t operands[OCL_WIDTH];
   bool fits = from.base != type.base;

   for (unsigned i = 0; i < type.width; i++) {
      const uint64_t wide = ocl_signed(type.base) ? (uint64_t)ocl_sext(type.base, values[i]) : values[i];
      operands[i] = wide & ocl_mask(from.base);
      fits &= (ocl_signed(from.base) ? (uint64_t)ocl_sext(from.base, operands[i]) : operands[i]) == wide;
   }
   if (!fits) {
      return function_of(generator, type, values);
   }
   const uint32_t source = ocl_number(generator, from, operands);
   return ocl_add(generator, OCL_OP, type, ocl_op_find("convert", OCL_SHAPE_CONVERT, OCL_BY_TYPE), 1, &source);
}

/* Reinterprets the bits of another type. */
static uint32_t bits_of(struct ocl_generator *generator, struct ocl_type type, const uint64_t *values)
{
   const struct ocl_type from = ocl_any_integer_type(generator);
   const bool fits = ocl_bits(from.base) * from.width == ocl_bits(type.base) * type.width && from.width != 3 &&
                     type.width != 3 && !ocl_same(from, type);
   uint64_t operands[OCL_WIDTH];

   if (!fits) {
      return conversion_of(generator, type, values);
   }
   ocl_reinterpret(operands, from, values, type);
   const uint32_t source = ocl_number(generator, from, operands);
   return ocl_add(generator, OCL_OP, type, ocl_op_as(), 1, &source);
}

/* Reads an element of an array or of a table. */
static uint32_t element_of(struct ocl_generator *generator, struct ocl_type type, const uint64_t *values)
{
   static const uint8_t spaces[] = {OCL_PRIVATE, OCL_POINTER, OCL_NESTED, OCL_CONSTANT};
   struct ocl_program *program = generator->program;
   const struct ocl_type index_type = {.base = OCL_INT, .width = 1};
   const uint64_t index = ocl_below(generator, TABLE_LENGTH);

   if (program->objects == OCL_OBJECTS) {
      return bits_of(generator, type, values);
   }
   struct ocl_object *object = &program->object[program->objects];
   *object = (struct ocl_object){.type = type, .length = TABLE_LENGTH, .space = spaces[ocl_below(generator, 4)]};
   object->list = ocl_chance(generator, 50) ? OCL_LISTED : OCL_ASSIGNED;
   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      object->start[i] = ocl_any_number(generator, type.base);
   }
   for (unsigned i = 0; i < type.width; i++) {
      object->start[(i + index) % OCL_WIDTH] = values[i];
   }
   const uint32_t at = ocl_number(generator, index_type, &index);
   return ocl_add(generator, OCL_READ, type, program->objects++, 1, &at);
}

uint32_t ocl_known(struct ocl_generator *generator, struct ocl_type type, const uint64_t *values)
{
   if (ocl_near_full(generator) || ocl_chance(generator, 25)) {
      return ocl_number(generator, type, values);
   }
   switch (ocl_below(generator, 4)) {
   case 0:
      return element_of(generator, type, values);
   case 1: /* as_T() of a constant may crash: generator.h */
      return generator->folded ? bits_of(generator, type, values) : conversion_of(generator, type, values);
   case 2:
      return conversion_of(generator, type, values);
   default:
      return function_of(generator, type, values);
   }
}
