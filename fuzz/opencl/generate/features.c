/* SPDX-License-Identifier: MIT
 *
 * Features that some kernels emphasize: NaN, conversions, aliases, loops that are unrolled, atomics, arguments.
 * Invariant: kernels without a feature do not depend on this file.
 */
#include <stddef.h>

#include "fuzz/opencl/generate/generator.h"
#include "util/array.h"

#define KINDS 64 /* number of kinds of kernels; each feature has a share of them */

static const struct ocl_type counter = {.base = OCL_INT, .width = 1};

void ocl_choose_feature(struct ocl_generator *generator, uint64_t seed)
{
   static const struct {
      size_t flag;
      uint32_t share;
   } features[] = {
       {offsetof(struct ocl_generator, nans), 8},     {offsetof(struct ocl_generator, converting), 6},
       {offsetof(struct ocl_generator, aliasing), 6}, {offsetof(struct ocl_generator, counting), 6},
       {offsetof(struct ocl_generator, atomics), 4},  {offsetof(struct ocl_generator, arguments), 4},
   };
   struct util_random random = {.state = seed ^ UINT64_C(0x66656174757265)};
   uint32_t kind = util_random_below(&random, KINDS);

   if (generator->merging || generator->sampler) {
      return;
   }
   for (unsigned i = 0; i < ARRAY_COUNT(features); i++) {
      *((bool *)generator + features[i].flag) = kind < features[i].share;
      kind = kind < features[i].share ? KINDS : kind - features[i].share;
   }
   generator->reals |= generator->nans || generator->converting;
   /* private arrays and variables, about which the compiler knows more */
   generator->global = generator->atomics || (generator->global && !generator->aliasing && !generator->counting);
   generator->program->nans = generator->nans;
   generator->program->rounded = generator->reals && util_random_below(&random, 2) == 0;
}

static struct ocl_object *add_object(struct ocl_generator *generator, struct ocl_type type, uint8_t length)
{
   struct ocl_object *object = &generator->program->object[generator->program->objects++];

   *object = (struct ocl_object){.type = type, .length = length};
   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      object->start[i] = ocl_any_number(generator, type.base);
   }
   return object;
}

/* Makes two arrays, and a struct of two fields; for loops, a variable that they change. */
void ocl_make_feature_objects(struct ocl_generator *generator)
{
   static const uint8_t spaces[] = {OCL_PRIVATE, OCL_PRIVATE, OCL_POINTER, OCL_NESTED};
   const uint8_t record_length = ocl_chance(generator, 30) ? 1 : 4;

   if (generator->counting) {
      (void)add_object(generator, (struct ocl_type){.base = OCL_UINT, .width = 1}, 1);
   }
   for (unsigned i = 0; i < 4 && generator->aliasing; i++) {
      const struct ocl_type type = {.base = ocl_any_integer(generator), .width = ocl_chance(generator, 70) ? 1 : 4};
      struct ocl_object *object = add_object(generator, type,
                                             i >= 2                      ? record_length
                                             : ocl_chance(generator, 60) ? 4
                                                                         : 8);
      object->record = i >= 2 ? 1 : 0;
      object->space = spaces[ocl_below(generator, sizeof(spaces))];
   }
}

static uint32_t number(struct ocl_generator *generator, struct ocl_type type, uint64_t value)
{
   uint64_t values[OCL_WIDTH];

   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      values[i] = value & ocl_mask(type.base);
   }
   return ocl_number(generator, type, values);
}

uint32_t ocl_compared_reals(struct ocl_generator *generator)
{
   struct ocl_type type = counter;

   if (ocl_chance(generator, 30)) {
      type.base = generator->halves && ocl_chance(generator, 50) ? OCL_SHORT : OCL_INT;
      type.width = ocl_chance(generator, 50) ? 2 : 4;
   }
   return ocl_operation(generator, type, 1, OCL_TEST_OF_REALS);
}

static uint32_t computed_index(struct ocl_generator *generator)
{
   const struct ocl_type type = {.base = ocl_any_integer(generator), .width = 1};

   generator->no_constant = true;
   const uint32_t index = ocl_expression(generator, type, 3);
   generator->no_constant = false;
   return index;
}

static void copy_struct(struct ocl_generator *generator)
{
   uint32_t elements[2]; /* to, from */

   for (unsigned i = 0; i < 2; i++) {
      elements[i] = ocl_chance(generator, 50) ? computed_index(generator) : number(generator, counter, i + 1);
   }
   (void)ocl_add(generator, OCL_COPY, counter, 1, 2, elements);
}

/* a[3] - (a[2] - (a[1] - a[0])): a value that depends on each store. */
static void store_elements(struct ocl_generator *generator, uint32_t object)
{
   const struct ocl_object *array = &generator->program->object[object];
   uint32_t sum = ocl_read_here(generator, object, number(generator, counter, 0));

   for (uint64_t i = 1; i < array->length; i++) {
      const uint32_t element = ocl_read_here(generator, object, number(generator, counter, i));
      sum = ocl_two_operands(generator, "sub", array->type, element, sum);
   }
   ocl_store(generator, sum);
}

/* a[1] = x; y = a[i]; a[1] = z; a[j] = y ^ a[1]: an access at a computed index may alias the constant one. */
static void alias(struct ocl_generator *generator)
{
   struct ocl_program *program = generator->program;
   const uint32_t object = ocl_below(generator, 4);
   const struct ocl_type type = program->object[object].type;
   const uint64_t element = ocl_below(generator, program->object[object].length);

   /* more of them show one fault only (F30) */
   if (program->object[object].record != 0 && ocl_chance(generator, 15)) {
      copy_struct(generator);
      return;
   }
   const uint32_t constant = number(generator, counter, element), index = computed_index(generator);
   ocl_assign(generator, OCL_WRITE, object, constant, ocl_new_value(generator, type));
   const uint32_t before = ocl_read_here(generator, object, index);
   if (ocl_chance(generator, 70)) {
      ocl_assign(generator, OCL_WRITE, object, constant, ocl_new_value(generator, type));
   }
   if (ocl_chance(generator, 60)) {
      const uint32_t at = ocl_chance(generator, 50) ? index : computed_index(generator);
      const uint32_t sum = ocl_two_operands(generator, "xor", type, before, ocl_read_here(generator, object, constant));
      ocl_assign(generator, OCL_WRITE, object, at, sum);
   }
   if (program->outputs < OCL_OUTPUTS / 2 && ocl_chance(generator, 30)) {
      store_elements(generator, object);
   } else if (program->outputs < OCL_OUTPUTS / 2) {
      ocl_store(generator, before);
   }
}

/* Multiplies the loop variable by 3 and adds the iteration number. */
static void accumulate(struct ocl_generator *generator)
{
   const struct ocl_type type = generator->program->object[0].type;
   const uint32_t index = number(generator, counter, 0), old = ocl_read_here(generator, 0, index);
   const uint32_t product = ocl_two_operands(generator, "mul", type, old, number(generator, type, 3));
   const uint32_t more = ocl_chance(generator, 60) ? ocl_turn(generator, type) : ocl_expression(generator, type, 3);

   ocl_assign(generator, OCL_WRITE, 0, index, ocl_two_operands(generator, "add", type, product, more));
}

/* Writes if (turn == 2) break; or the same within an if, after a change of the variable. */
static void leave_in_turn(struct ocl_generator *generator, uint32_t turns)
{
   const bool inside = ocl_chance(generator, 50), known = ocl_chance(generator, 60);
   const uint32_t of_data = computed_index(generator), start = generator->program->count;

   if (inside) {
      if (ocl_add_reader(generator, OCL_IF, generator->program->nodes[of_data].type, of_data) == NULL) {
         return;
      }
      accumulate(generator);
   }
   const uint32_t last = number(generator, counter, ocl_below(generator, turns));
   const uint32_t when =
       known ? ocl_two_operands(generator, "eq", counter, ocl_turn(generator, counter), last) : of_data;
   (void)ocl_add_reader(generator, ocl_chance(generator, 60) ? OCL_BREAK : OCL_CONTINUE, counter, when);
   if (inside) {
      ocl_hide(generator, start);
      (void)ocl_add_node(generator, OCL_ENDIF, counter);
   }
}

/* Makes a loop with a constant iteration count. */
static void count_turns(struct ocl_generator *generator)
{
   const uint32_t turns = 1 + ocl_below(generator, generator->loops == 0 ? 8 : 3), start = generator->program->count;
   struct ocl_node *node = ocl_add_node(generator, OCL_LOOP, counter);

   if (node == NULL) {
      return;
   }
   node->data[0] = turns;
   node->form = (uint8_t)ocl_below(generator, OCL_LOOP_FORMS);
   generator->depth++;
   generator->loops++;
   accumulate(generator);
   if (ocl_chance(generator, 40)) {
      leave_in_turn(generator, turns);
   }
   if (generator->loops < 2 && ocl_chance(generator, 30)) {
      count_turns(generator);
   } else if (ocl_chance(generator, 30)) {
      ocl_block(generator, 1);
   }
   if (ocl_chance(generator, 50)) {
      accumulate(generator);
   }
   generator->loops--;
   generator->depth--;
   ocl_hide(generator, start);
   (void)ocl_add_node(generator, OCL_ENDLOOP, counter);
   if (generator->depth == 0 && generator->program->outputs < OCL_OUTPUTS / 2) {
      ocl_store(generator, ocl_read_here(generator, 0, number(generator, counter, 0)));
   }
}

/* Applies an operation with each of many arguments to the contents of one buffer. */
static void use_arguments(struct ocl_generator *generator)
{
   static const char *const names[] = {"xor", "add", "or", "and", "sub"};
   const struct ocl_type type = {.base = ocl_chance(generator, 50) ? OCL_ULONG : OCL_UINT, .width = 16};
   struct ocl_program *program = generator->program;

   generator->no_constant = true;
   uint32_t sum = ocl_leaf(generator, type);
   generator->no_constant = false;
   while (program->scalars < OCL_SCALARS && !ocl_near_full(generator)) {
      struct ocl_node *node = ocl_add_node(generator, OCL_SCALAR, type);
      if (node == NULL) {
         return;
      }
      node->slot = (uint8_t)program->scalars;
      program->scalar_type[program->scalars] = type;
      for (unsigned i = 0; i < type.width; i++) {
         program->scalar[program->scalars][i] = ocl_any_number(generator, type.base);
      }
      program->scalars++;
      sum = ocl_two_operands(generator, names[ocl_below(generator, 5)], type, sum, ocl_last(generator));
      if (ocl_chance(generator, 30) && program->outputs < OCL_OUTPUTS / 2) {
         ocl_store(generator, sum);
      }
   }
   if (program->outputs < OCL_OUTPUTS) {
      ocl_store(generator, sum);
   }
}

bool ocl_feature_statement(struct ocl_generator *generator)
{
   const bool any = generator->aliasing || generator->counting || generator->atomics;

   if (generator->arguments && generator->program->scalars == 0) {
      use_arguments(generator);
      return true;
   }
   if (!any || ocl_chance(generator, 40)) {
      return false;
   }
   if (generator->aliasing) {
      alias(generator);
   } else if (generator->counting) {
      count_turns(generator);
   } else if (generator->local_nodes < 3 && ocl_chance(generator, 60)) {
      const uint32_t before = generator->program->count;
      ocl_communicate(generator);
      if (generator->program->count != before && generator->program->outputs < OCL_OUTPUTS / 2) {
         ocl_store(generator, ocl_last(generator));
      }
   } else if (generator->local_nodes < 6 && generator->program->outputs < OCL_OUTPUTS / 2) {
      const struct ocl_type type = {.base = ocl_chance(generator, 50) ? OCL_INT : OCL_UINT, .width = 1};
      ocl_store(generator, ocl_own_atomic(generator, type, 2));
   } else {
      return false;
   }
   return true;
}
