/* SPDX-License-Identifier: MIT
 *
 * Kernels in which many wide variables get constants in many branches, beside an array that may be large. Invariant:
 * the array is the first object.
 */
#include "fuzz/opencl/generate/generator.h"

/* Half of the kernels that merge many constants use small ones: phis of larger ones mostly crash Mesa 25.0's backend
 * before other faults show (docs/mesa-bugs.md, F16). */
static uint64_t merged_number(struct ocl_generator *generator, uint8_t base)
{
   const uint64_t number = ocl_any_number(generator, base);

   return generator->small ? number & 0xff : number;
}

static uint32_t merged_constant(struct ocl_generator *generator, struct ocl_type type)
{
   struct ocl_node *node = ocl_add_node(generator, OCL_CONST, type);

   for (unsigned i = 0; node != NULL && i < type.width; i++) {
      node->data[i] = merged_number(generator, type.base);
   }
   return ocl_last(generator);
}

void ocl_make_wide_objects(struct ocl_generator *generator)
{
   static const uint8_t bases[] = {OCL_INT, OCL_UINT, OCL_LONG, OCL_ULONG};
   struct ocl_program *program = generator->program;

   const uint32_t count = generator->turning ? 3 + ocl_below(generator, OCL_OBJECTS - 2) : OCL_OBJECTS;

   for (uint32_t i = 0; i < count; i++) {
      struct ocl_object *object = &program->object[program->objects++];
      object->type.base = bases[ocl_below(generator, 4)];
      object->type.width = i == 0 ? 1 : ocl_chance(generator, 60) ? 16 : 8;
      object->length = i == 0 ? 8 : 1;
      if (i == 0 &&
          ocl_chance(generator, 50)) { /* up to 80 KiB, and often about 64 KiB, beyond which offsets have 17 bits */
         const uint32_t element = ocl_bytes(object->type) * object->length, most = (80u << 10) / element;
         const uint32_t spread =
             most * (ocl_chance(generator, 50) ? 12 + ocl_below(generator, 5) : 1 + ocl_below(generator, 16)) / 16;
         object->spread = (uint16_t)(spread != 0 ? spread : 1);
         object->list = generator->turning ? (uint8_t)OCL_COUNTED : object->list;
      }
      for (unsigned j = 0; j < OCL_WIDTH; j++) {
         object->start[j] = merged_number(generator, object->type.base);
      }
   }
}

/* Makes a branch that stores to the array, so that it is not removed, and assigns variables: mostly constants. */
void ocl_merge(struct ocl_generator *generator)
{
   const struct ocl_program *program = generator->program;
   const struct ocl_type type = {.base = ocl_any_integer(generator), .width = 1};

   generator->no_constant = true;
   const uint32_t condition = ocl_expression(generator, type, 3), index = ocl_expression(generator, type, 3);
   generator->no_constant = false;
   if (ocl_add_reader(generator, OCL_IF, type, condition) == NULL) {
      return;
   }
   const uint32_t start = program->count;
   ocl_assign(generator, OCL_WRITE, 0, index, merged_constant(generator, program->object[0].type));
   for (uint32_t i = 1; i < program->objects && !ocl_near_full(generator); i++) {
      if (ocl_chance(generator, 60)) {
         const struct ocl_type wide = program->object[i].type;
         const uint32_t value =
             ocl_chance(generator, 80) ? merged_constant(generator, wide) : ocl_leaf(generator, wide);
         ocl_assign(generator, OCL_WRITE, i, index, value);
      }
   }
   ocl_hide(generator, start);
   (void)ocl_add_node(generator, OCL_ENDIF, type);
}

uint32_t ocl_turn(struct ocl_generator *generator, struct ocl_type type)
{
   (void)ocl_add_node(generator, OCL_TURN, type);
   return ocl_last(generator);
}

uint32_t ocl_two_operands(struct ocl_generator *generator, const char *name, struct ocl_type type, uint32_t a,
                          uint32_t b)
{
   const uint32_t sources[] = {a, b};

   return ocl_add(generator, OCL_OP, type, ocl_op_find(name, OCL_SHAPES, OCL_TO_EVEN), 2, sources);
}

/* Returns another variable of this type, or this one. */
static uint32_t other_variable(struct ocl_generator *generator, uint32_t object)
{
   const struct ocl_program *program = generator->program;
   const uint32_t start = ocl_below(generator, program->objects);

   for (uint32_t i = 0; i < program->objects; i++) {
      const uint32_t at = (start + i) % program->objects;
      if (at != object && at != 0 && ocl_same(program->object[at].type, program->object[object].type)) {
         return at;
      }
   }
   return object;
}

/* Returns a variable's new value in an iteration: mostly a constant, the iteration number, or the value of another
 * variable. */
static uint32_t value_in_turn(struct ocl_generator *generator, uint32_t object, uint32_t index)
{
   const struct ocl_type type = generator->program->object[object].type;
   const uint32_t what = ocl_below(generator, 10);

   if (what >= 4) {
      return merged_constant(generator, type);
   }
   const uint32_t other = other_variable(generator, object);
   return what >= 2 || other == object ? ocl_turn(generator, type) : ocl_read_here(generator, other, index);
}

/* Makes a loop with a constant iteration count, which compilers unroll. In each iteration a bit of the data decides
 * whether a branch is taken, which stores a variable's value or stores to the array, and assigns variables. */
void ocl_merge_in_turns(struct ocl_generator *generator)
{
   static const struct ocl_type counter = {.base = OCL_UINT, .width = 1};
   const struct ocl_program *program = generator->program;

   generator->no_constant = true;
   const uint32_t bits = ocl_expression(generator, counter, 3), index = ocl_expression(generator, counter, 3);
   generator->no_constant = false;
   struct ocl_node *node = ocl_add_node(generator, OCL_LOOP, counter);
   if (node == NULL) {
      return;
   }
   node->data[0] = ocl_chance(generator, 50) ? 32 : 1 + ocl_below(generator, 32);
   const uint32_t start = program->count;
   const uint32_t bit = ocl_two_operands(generator, "shr", counter, bits, ocl_turn(generator, counter));
   (void)ocl_add_reader(generator, OCL_IF, counter, bit);
   const uint32_t shown = 1 + ocl_below(generator, program->objects - 1), other = other_variable(generator, shown);
   if (program->outputs + program->objects < OCL_OUTPUTS && ocl_chance(generator, 70)) {
      const uint32_t a = ocl_read_here(generator, shown, index);
      const uint32_t b = shown == other ? a : ocl_read_here(generator, other, index);
      ocl_store(generator, shown == other ? a : ocl_two_operands(generator, "xor", program->object[shown].type, a, b));
   } else {
      ocl_assign(generator, OCL_WRITE, 0, index, merged_constant(generator, program->object[0].type));
   }
   for (uint32_t i = 1; i < program->objects && !ocl_near_full(generator); i++) {
      if (ocl_chance(generator, 60)) {
         ocl_assign(generator, OCL_WRITE, i, index, value_in_turn(generator, i, index));
      }
   }
   ocl_hide(generator, start);
   (void)ocl_add_node(generator, OCL_ENDIF, counter);
   (void)ocl_add_node(generator, OCL_ENDLOOP, counter);
}

/* Whether an array is so large that offsets behind it need more than 16 bits. Few values need to spill there; more of
 * them end the compilation earlier (docs/mesa-bugs.md, 7). */
bool ocl_holds_much(const struct ocl_object *object)
{
   return ocl_is_spread(object) && ocl_bytes(object->type) * object->length * object->spread >= 64u << 10;
}
