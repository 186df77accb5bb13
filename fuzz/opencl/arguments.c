/* SPDX-License-Identifier: MIT
 *
 * The arguments of a kernel: which it has, and what they hold before a launch. Invariant: each lane writes its own
 * elements of an argument only, except for OCL_ATOMIC between two barriers.
 */
#include "fuzz/opencl/arguments.h"

#include <string.h>

#include "util/array.h"

#define EXCHANGED 256 /* elements of scalars that lanes exchange */

static bool is_exchange(const struct ocl_node *node)
{
   return node->kind == OCL_OWN || node->kind == OCL_EXCHANGE || node->kind == OCL_ATOMIC;
}

bool ocl_is_access(const struct ocl_node *node)
{
   return node->kind == OCL_READ || node->kind == OCL_WRITE || node->kind == OCL_VLOAD || node->kind == OCL_VSTORE;
}

bool ocl_is_global(const struct ocl_object *object)
{
   return object->record == 0 && object->space == OCL_GLOBAL;
}

bool ocl_uses_global(const struct ocl_program *program, const struct ocl_node *node)
{
   return ocl_is_access(node) ? ocl_is_global(&program->object[node->slot]) : is_exchange(node) && node->slot != 0;
}

/* Whether a node reads or writes an argument. */
static bool is_user(const struct ocl_program *program, const struct ocl_node *node, enum ocl_kind kind, uint32_t slot)
{
   const bool own = kind != OCL_READ ? node->kind == kind : ocl_uses_global(program, node);

   return own && node->slot == slot;
}

static const struct ocl_node *find_user(const struct ocl_program *program, const bool *needed, enum ocl_kind kind,
                                        uint32_t slot)
{
   for (uint32_t i = 0; i < program->count; i++) {
      if (needed[i] && is_user(program, &program->nodes[i], kind, slot)) {
         return &program->nodes[i];
      }
   }
   return NULL;
}

bool ocl_argument_used(const struct ocl_program *program, enum ocl_kind kind, uint32_t slot)
{
   bool needed[OCL_NODES];

   ocl_needed(program, needed);
   return find_user(program, needed, kind, slot) != NULL;
}

static struct ocl_type type_of(const struct ocl_program *program, const struct ocl_node *user, enum ocl_kind kind,
                               uint32_t slot)
{
   switch (kind) {
   case OCL_OUTPUT:
      return program->output_type[slot];
   case OCL_INPUT:
      return program->input_type[slot];
   case OCL_SCALAR:
      return program->scalar_type[slot];
   default:
      return slot < OCL_OBJECTS ? program->object[slot].type : user->type;
   }
}

static uint32_t count_of(const struct ocl_program *program, enum ocl_kind kind, uint32_t slot, struct ocl_type type)
{
   const bool global = kind == OCL_READ, object = global && slot < OCL_OBJECTS;

   return kind == OCL_SCALAR          ? 1
          : object                    ? program->lanes * program->object[slot].length
          : global && type.width == 1 ? EXCHANGED
                                      : program->lanes;
}

void ocl_list_arguments(const struct ocl_program *program, struct ocl_arguments *list)
{
   static const struct {
      enum ocl_kind kind;
      const char *name;
      uint32_t slots;
   } rows[] = {{OCL_OUTPUT, "out", OCL_OUTPUTS},
               {OCL_INPUT, "in", OCL_INPUTS},
               {OCL_READ, "g", OCL_GLOBALS},
               {OCL_SCALAR, "a", OCL_SCALARS}};
   bool needed[OCL_NODES];

   ocl_needed(program, needed);
   list->count = 0;
   for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
      for (uint32_t slot = 0; slot < rows[i].slots; slot++) {
         const struct ocl_node *user = find_user(program, needed, rows[i].kind, slot);
         if (user != NULL) {
            const struct ocl_type type = type_of(program, user, rows[i].kind, slot);
            list->item[list->count++] = (struct ocl_argument){rows[i].kind, rows[i].name, slot, type,
                                                              count_of(program, rows[i].kind, slot, type)};
         }
      }
   }
}

/* Returns the index of a lane's element of an object. */
static unsigned place(const struct ocl_program *program, const struct ocl_object *object, uint32_t lane,
                      unsigned element)
{
   switch ((enum ocl_order)object->order) {
   case OCL_COLUMNS:
      return element * program->lanes + lane;
   case OCL_REVERSED_ROWS:
      return (program->lanes - 1 - lane) * object->length + element;
   default:
      return lane * object->length + element;
   }
}

static void fill_object(const struct ocl_program *program, const struct ocl_object *object,
                        uint64_t values[OCL_GLOBAL_ELEMENTS][OCL_WIDTH])
{
   for (uint32_t lane = 0; lane < program->lanes; lane++) {
      for (unsigned element = 0; element < object->length; element++) {
         for (unsigned i = 0; i < OCL_WIDTH; i++) {
            values[place(program, object, lane, element)][i] = object->start[(i + element) % OCL_WIDTH];
         }
      }
   }
}

const uint64_t (*ocl_argument_data(const struct ocl_program *program, const struct ocl_argument *argument,
                                   uint64_t values[OCL_GLOBAL_ELEMENTS][OCL_WIDTH]))[OCL_WIDTH]
{
   if (argument->kind == OCL_INPUT || argument->kind == OCL_SCALAR) {
      return argument->kind == OCL_INPUT ? program->input[argument->slot] : &program->scalar[argument->slot];
   }
   memset(values, 0, OCL_GLOBAL_ELEMENTS * sizeof(values[0]));
   if (argument->kind == OCL_READ && argument->slot < OCL_OBJECTS) {
      fill_object(program, &program->object[argument->slot], values);
   }
   return (const uint64_t(*)[OCL_WIDTH])values;
}

/* Whether a needed operation has this property. */
static bool any_node(const struct ocl_program *program, bool (*property)(const struct ocl_node *node))
{
   bool needed[OCL_NODES];

   ocl_needed(program, needed);
   for (uint32_t i = 0; i < program->count; i++) {
      if (needed[i] && property(&program->nodes[i])) {
         return true;
      }
   }
   return false;
}

static bool gets_sampler(const struct ocl_node *node)
{
   return node->kind == OCL_OP && node->outlined == OCL_FUNCTION_WITH_SAMPLER;
}

static bool is_half(const struct ocl_node *node)
{
   return node->type.base == OCL_HALF;
}

bool ocl_has_sampler(const struct ocl_program *program)
{
   return any_node(program, gets_sampler);
}

bool ocl_has_halves(const struct ocl_program *program)
{
   return any_node(program, is_half);
}
