/* SPDX-License-Identifier: MIT
 *
 * Makes statements: stores to objects, exchanges between lanes, branches, loops and switches. Invariant: values made
 * inside of a block are not used behind its end.
 */
#include "fuzz/opencl/generate/generator.h"

void ocl_assign(struct ocl_generator *generator, enum ocl_kind kind, uint32_t object, uint32_t index, uint32_t value)
{
   const uint32_t sources[] = {index, value};

   (void)ocl_add(generator, kind, generator->program->object[object].type, object, 2, sources);
}

static void write_object(struct ocl_generator *generator)
{
   struct ocl_program *program = generator->program;

   if (program->objects == 0) {
      return;
   }
   const uint32_t object = ocl_below(generator, program->objects);
   if (program->object[object].record == 0 && program->object[object].space == OCL_CONSTANT) {
      return;
   }
   const struct ocl_type index_type = {.base = ocl_any_integer(generator), .width = 1};
   const uint32_t index = ocl_expression(generator, index_type, 3);
   struct ocl_type type = program->object[object].type;
   const bool vector = ocl_chance(generator, 40) && ocl_holds_vector(&program->object[object], ocl_with_width(type, 2));
   if (vector) {
      type.width =
          program->object[object].length >= 4 && ocl_chance(generator, 60) ? (uint8_t)(3 + ocl_below(generator, 2)) : 2;
   }
   const uint32_t value = ocl_new_value(generator, type);
   ocl_assign(generator, vector ? OCL_VSTORE : OCL_WRITE, object, index, value);
}

void ocl_communicate(struct ocl_generator *generator)
{
   const bool atomic = ocl_chance(generator, generator->atomics ? 90 : 50);
   struct ocl_type type = ocl_any_integer_type(generator);

   if (generator->depth != 0 || generator->local_nodes++ >= 4) {
      return;
   }
   if (atomic) {
      type = (struct ocl_type){.base = ocl_chance(generator, 50) ? OCL_INT : OCL_UINT, .width = 1};
   }
   const uint32_t value = ocl_expression(generator, type, 1);
   struct ocl_node *node = ocl_add_reader(generator, atomic ? OCL_ATOMIC : OCL_EXCHANGE, type, value);
   if (node != NULL) {
      ocl_through_global(generator, node);
      node->op = (uint8_t)ocl_below(generator, OCL_ATOMICS);
      node->data[0] = atomic ? ocl_any_number(generator, type.base) : ocl_below(generator, OCL_LANES);
   }
}

void ocl_hide(struct ocl_generator *generator, uint32_t start)
{
   for (uint32_t i = start; i < generator->program->count; i++) {
      generator->visible[i] = false;
   }
}

void ocl_block(struct ocl_generator *generator, unsigned count)
{
   const uint32_t start = generator->program->count;

   for (unsigned i = 0; i < count && !ocl_near_full(generator); i++) {
      ocl_statement(generator);
   }
   ocl_hide(generator, start);
}

static void control(struct ocl_generator *generator)
{
   const bool loop = ocl_chance(generator, 50);
   const struct ocl_type type = {.base = ocl_any_integer(generator), .width = 1};
   const uint32_t condition = ocl_expression(generator, type, 1);
   struct ocl_node *node = ocl_add_reader(generator, loop ? OCL_LOOP : OCL_IF, type, condition);

   if (node == NULL) {
      return;
   }
   node->data[0] = ocl_below(generator, 3);
   node->form = loop ? (uint8_t)ocl_below(generator, OCL_LOOP_FORMS) : 0;
   const unsigned switches = generator->switches;
   generator->switches = loop ? 0 : switches;
   generator->depth++;
   generator->loops += loop ? 1 : 0;
   ocl_block(generator, 1 + ocl_below(generator, 3));
   if (!loop && ocl_chance(generator, 60) && (node = ocl_add_node(generator, OCL_ELSE, type)) != NULL) {
      ocl_block(generator, 1 + ocl_below(generator, 2));
   }
   generator->depth--;
   generator->switches = switches;
   generator->loops -= loop ? 1 : 0;
   (void)ocl_add_node(generator, loop ? OCL_ENDLOOP : OCL_ENDIF, type);
}

/* Makes a switch with some of the cases 0 to 3, in order, and perhaps a default; a case may fall through. */
static void multiway(struct ocl_generator *generator)
{
   const struct ocl_type type = {.base = ocl_any_integer(generator), .width = 1};
   const uint32_t condition = ocl_expression(generator, type, 1);
   struct ocl_node *node = ocl_add_reader(generator, OCL_SWITCH, type, condition);

   if (node == NULL) {
      return;
   }
   generator->depth++;
   generator->switches++;
   for (uint64_t value = 0; value < 5; value++) {
      if (value != 0 && ocl_chance(generator, 40)) {
         continue;
      }
      node = ocl_add_node(generator, value == 4 ? OCL_DEFAULT : OCL_CASE, type);
      if (node != NULL) {
         node->data[0] = value;
         node->data[1] = ocl_chance(generator, 30) ? 1 : 0;
         ocl_block(generator, 1 + ocl_below(generator, 2));
      }
   }
   generator->switches--;
   generator->depth--;
   (void)ocl_add_node(generator, OCL_ENDSWITCH, type);
}

static void leave(struct ocl_generator *generator)
{
   const struct ocl_type type = {.base = OCL_INT, .width = 1};
   const uint32_t condition = ocl_expression(generator, type, 2);

   (void)ocl_add_reader(generator, generator->switches == 0 && ocl_chance(generator, 50) ? OCL_BREAK : OCL_CONTINUE,
                        type, condition);
}

void ocl_statement(struct ocl_generator *generator)
{
   const uint32_t what = ocl_below(generator, 100);

   if (what < 14 && generator->depth < OCL_DEPTH - 1) {
      control(generator);
   } else if (what < 20 && generator->depth < OCL_DEPTH - 1) {
      multiway(generator);
   } else if (what < 27 && generator->loops != 0) {
      leave(generator);
   } else if (what < 65) {
      write_object(generator);
   } else if (what < 75) {
      ocl_communicate(generator);
   } else if (generator->depth == 0) {
      ocl_output(generator);
   }
}
