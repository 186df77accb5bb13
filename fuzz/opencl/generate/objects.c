/* SPDX-License-Identifier: MIT
 *
 * Which variables, arrays and structs a kernel has, and in which memory. Invariant: an object in local or global
 * memory fits its lane's part.
 */
#include "fuzz/opencl/generate/generator.h"

#define LOCAL_BYTES 32   /* bytes of an object in local memory, for each lane */
#define GLOBAL_BYTES 128 /* the same in global memory */

void ocl_make_objects(struct ocl_generator *generator)
{
   struct ocl_program *program = generator->program;
   const uint32_t count = 2 + ocl_below(generator, OCL_OBJECTS - 2 - program->objects);
   uint8_t lengths[3];

   for (unsigned i = 0; i < 3; i++) {
      lengths[i] = (uint8_t)(1u << ocl_below(generator, 4));
      lengths[i] = ocl_struct_length(program, i) != 0 ? (uint8_t)ocl_struct_length(program, i) : lengths[i];
   }
   program->layout[1] = (uint8_t)ocl_below(generator, OCL_LAYOUTS);
   program->layout[2] = (uint8_t)ocl_below(generator, OCL_LAYOUTS);
   for (uint32_t i = 0; i < count; i++) {
      struct ocl_object *object = &program->object[program->objects++];
      object->type = ocl_any_type(generator);
      object->record = (uint8_t)ocl_below(generator, 3);
      object->length = ocl_chance(generator, 40) ? 1 : (uint8_t)(1u << ocl_below(generator, 4));
      object->space = ocl_chance(generator, 40) ? OCL_PRIVATE : (uint8_t)ocl_below(generator, OCL_SPACES);
      if (object->record != 0) {
         object->length = lengths[object->record];
      }
      if (object->space == OCL_LOCAL && ocl_bytes(object->type) * object->length > LOCAL_BYTES) {
         object->space = OCL_PRIVATE;
      }
      for (unsigned j = 0; j < OCL_WIDTH; j++) {
         object->start[j] = ocl_any_value(generator, object->type.base);
      }
   }
}

/* Chooses how arrays get their initial values. In some kernels most objects are arrays of arrays with a list. */
void ocl_choose_lists(struct ocl_program *program, uint64_t seed)
{
   /* no other choice depends on these numbers */
   struct util_random random = {.state = seed ^ UINT64_C(0x6c69737473)};
   const bool tables = util_random_below(&random, 4) == 0;

   for (uint32_t i = 0; i < program->objects; i++) {
      struct ocl_object *object = &program->object[i];
      object->list = (uint8_t)util_random_below(&random, OCL_LISTS);
      object->record = tables && util_random_below(&random, 2) == 0 ? 0 : object->record;
      if (tables && object->record == 0 && (object->space == OCL_PRIVATE || object->space == OCL_POINTER)) {
         object->space = OCL_NESTED;
         object->length = util_random_below(&random, 2) == 0 ? 4 : 8;
         object->list = (uint8_t)(OCL_LISTED + util_random_below(&random, OCL_LISTS - OCL_LISTED));
      }
   }
}

/* Chooses objects that are arguments in global memory, with computed indices. */
void ocl_choose_globals(struct ocl_program *program, uint64_t seed, uint32_t orders)
{
   struct util_random random = {.state = seed ^ UINT64_C(0x676c6f62616c)};

   for (uint32_t i = 0; i < program->objects; i++) {
      struct ocl_object *object = &program->object[i];
      const uint8_t order = (uint8_t)util_random_below(&random, orders);
      const bool longer = object->length == 1 && object->record == 0 && ocl_bytes(object->type) * 8 <= GLOBAL_BYTES;
      if (util_random_below(&random, 2) == 0 && object->record == 0 && object->type.width != 3 &&
          ocl_bytes(object->type) * object->length <= GLOBAL_BYTES) {
         object->space = OCL_GLOBAL;
         object->order = order;
         object->length = longer && util_random_below(&random, 2) == 0 ? 8 : object->length;
      }
   }
}
