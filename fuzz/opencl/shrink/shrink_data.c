/* SPDX-License-Identifier: MIT
 *
 * Tries smaller objects and numbers. Invariant: `best` fails.
 */
#include "fuzz/opencl/shrink/shrink.h"
#include "util/array.h"

/* Returns the components of the widest vector that is loaded from or stored to an object's elements; 0: there is
 * none. */
static unsigned widest_access(const struct ocl_program *program, uint32_t object)
{
   unsigned widest = 0;

   for (uint32_t i = 0; i < program->count; i++) {
      const struct ocl_node *node = &program->nodes[i];
      const struct ocl_node *value = node->kind == OCL_VSTORE ? &program->nodes[node->source[1]] : node;
      const unsigned width = value->type.width > 1 ? value->type.width : 2;
      if ((node->kind == OCL_VLOAD || node->kind == OCL_VSTORE) && node->slot == object && width > widest) {
         widest = width;
      }
   }
   return widest;
}

/* Halves an object's elements. All fields of a struct have one length. */
static bool halve(struct shrink *shrink, uint32_t object)
{
   struct ocl_program *next = ocl_shrink_begin(shrink);
   const struct ocl_object whole = next->object[object];

   for (uint32_t i = 0; i < next->objects; i++) {
      if (i == object || (whole.record != 0 && next->object[i].record == whole.record)) {
         next->object[i].length = whole.length / 2;
      }
   }
   return ocl_shrink_try(shrink);
}

/* A loop is smaller than an assignment for each element, which is simpler than a list. */
static bool simplify_list(struct shrink *shrink, uint32_t object)
{
   const enum ocl_list list = ocl_list_of(&shrink->best->object[object]);
   bool any = false;

   if (list != OCL_ASSIGNED && list != OCL_COUNTED && list != OCL_LISTED_FIELDS) {
      ocl_shrink_begin(shrink)->object[object].list = OCL_ASSIGNED;
      any = ocl_shrink_try(shrink);
   }
   struct ocl_object *next = &ocl_shrink_begin(shrink)->object[object];
   if (next->record != 0) {
      return any;
   }
   next->list = OCL_COUNTED;
   return any | (list != OCL_COUNTED && next->length > 2 && ocl_list_of(next) == OCL_COUNTED && ocl_shrink_try(shrink));
}

bool ocl_shrink_objects(struct shrink *shrink)
{
   bool any = false;

   for (uint32_t i = 0; i < shrink->best->objects; i++) {
      const uint8_t record = shrink->best->object[i].record;
      if (record != 0 && shrink->best->layout[record] != OCL_PLAIN_LAYOUT) {
         ocl_shrink_begin(shrink)->layout[record] = OCL_PLAIN_LAYOUT;
         any |= ocl_shrink_try(shrink);
      }
      if (shrink->best->object[i].record != 0) {
         ocl_shrink_begin(shrink)->object[i].record = 0;
         any |= ocl_shrink_try(shrink);
      }
      any |= simplify_list(shrink, i);
      if (shrink->best->object[i].spread > 1) {
         ocl_shrink_begin(shrink)->object[i].spread = 0;
         any |= ocl_shrink_try(shrink);
      }
      if (ocl_is_global(&shrink->best->object[i]) && shrink->best->object[i].order != OCL_ROWS) {
         ocl_shrink_begin(shrink)->object[i].order = OCL_ROWS;
         any |= ocl_shrink_try(shrink);
      }
      if (shrink->best->object[i].space != OCL_PRIVATE) {
         ocl_shrink_begin(shrink)->object[i].space = OCL_PRIVATE;
         any |= ocl_shrink_try(shrink);
      }
      if (shrink->best->object[i].length > 1 && shrink->best->object[i].length / 2 >= widest_access(shrink->best, i)) {
         any |= halve(shrink, i);
      }
   }
   return any;
}

/* Replaces a number by 0, 1, a power of two, or its half. */
static bool smaller_number(struct shrink *shrink, size_t offset, uint8_t base)
{
   uint64_t *at = (uint64_t *)(void *)((char *)&shrink->next + offset);
   uint64_t old;

   ocl_shrink_begin(shrink);
   old = *at;
   const uint64_t tries[] = {0, 1, ocl_mask(base), old & -old, old >> 1, (UINT64_C(1) << (ocl_bits(base) - 1))};
   /* for floats, 1 is the simplest nonzero number */
   for (unsigned i = 0; i < (ocl_real(base) ? 1 : ARRAY_COUNT(tries)); i++) {
      ocl_shrink_begin(shrink);
      if (old == 0 || (old == 1 && tries[i] != 0) || tries[i] == old || (old == ocl_mask(base) && tries[i] > 1)) {
         continue;
      }
      *at = tries[i];
      if (ocl_shrink_try(shrink)) {
         return true;
      }
   }
   return false;
}

bool ocl_shrink_numbers(struct shrink *shrink)
{
   bool any = false, needed[OCL_NODES];

   ocl_needed(shrink->best, needed);
   for (uint32_t i = 0; i < shrink->best->count; i++) {
      const struct ocl_node *node = &shrink->best->nodes[i];
      const char *start = (const char *)shrink->best;
      if (!needed[i]) {
         continue;
      }
      for (unsigned j = 0; j < node->type.width && node->kind == OCL_CONST; j++) {
         any |= smaller_number(shrink, (size_t)((const char *)&node->data[j] - start), node->type.base);
      }
      for (unsigned j = 0; j < node->type.width && node->kind == OCL_SCALAR; j++) {
         any |= smaller_number(shrink, (size_t)((const char *)&shrink->best->scalar[node->slot][j] - start),
                               node->type.base);
      }
      for (unsigned j = 0; j < node->type.width && node->kind == OCL_INPUT && shrink->best->lanes == 1; j++) {
         any |= smaller_number(shrink, (size_t)((const char *)&shrink->best->input[node->slot][0][j] - start),
                               node->type.base);
      }
   }
   return any;
}
