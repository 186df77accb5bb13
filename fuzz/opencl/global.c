/* SPDX-License-Identifier: MIT
 *
 * Arguments in global memory that a kernel reads and writes at computed indices: objects, and values that lanes
 * exchange and change by atomics. Invariant: each lane writes its own elements only, except for OCL_ATOMIC between two
 * barriers.
 */
#include <string.h>

#include "fuzz/opencl/print.h"

#define EXCHANGED 256 /* elements of scalars that lanes exchange */

static bool is_exchange(const struct ocl_node *node)
{
   return node->kind == OCL_OWN || node->kind == OCL_EXCHANGE || node->kind == OCL_ATOMIC;
}

static bool is_access(const struct ocl_node *node)
{
   return node->kind == OCL_READ || node->kind == OCL_WRITE || node->kind == OCL_VLOAD || node->kind == OCL_VSTORE;
}

bool ocl_is_global(const struct ocl_object *object)
{
   return object->record == 0 && object->space == OCL_GLOBAL;
}

bool ocl_uses_global(const struct ocl_program *program, const struct ocl_node *node)
{
   return is_access(node) ? ocl_is_global(&program->object[node->slot]) : is_exchange(node) && node->slot != 0;
}

bool ocl_global_type(const struct ocl_program *program, uint32_t slot, struct ocl_type *type)
{
   bool needed[OCL_NODES];

   if (slot < OCL_OBJECTS && (slot >= program->objects || !ocl_is_global(&program->object[slot]))) {
      return false;
   }
   ocl_needed(program, needed);
   for (uint32_t i = 0; i < program->count; i++) {
      const struct ocl_node *node = &program->nodes[i];
      if (needed[i] && node->slot == slot && (slot < OCL_OBJECTS ? is_access(node) : is_exchange(node))) {
         *type = slot < OCL_OBJECTS ? program->object[slot].type : node->type;
         return true;
      }
   }
   return false;
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

uint32_t ocl_global_values(const struct ocl_program *program, uint32_t slot,
                           uint64_t values[OCL_GLOBAL_ELEMENTS][OCL_WIDTH])
{
   struct ocl_type type;

   if (!ocl_global_type(program, slot, &type)) {
      return 0;
   }
   if (slot >= OCL_OBJECTS) {
      const uint32_t count = type.width == 1 ? EXCHANGED : program->lanes;
      memset(values, 0, count * sizeof(values[0]));
      return count;
   }
   const struct ocl_object *object = &program->object[slot];
   for (uint32_t lane = 0; lane < program->lanes; lane++) {
      for (unsigned element = 0; element < object->length; element++) {
         uint64_t *value = values[place(program, object, lane, element)];
         for (unsigned i = 0; i < OCL_WIDTH; i++) {
            value[i] = object->start[(i + element) % OCL_WIDTH];
         }
      }
   }
   return program->lanes * object->length;
}

/* Prints "g3 + i * 8", the start of a lane's elements. */
void ocl_print_row(const struct printer *printer, uint32_t number)
{
   const struct ocl_object *object = &printer->program->object[number];

   fprintf(printer->file, "g%u", number);
   if (printer->program->lanes != 1 && object->order == OCL_REVERSED_ROWS) {
      fprintf(printer->file, " + (%u - i) * %u", printer->program->lanes - 1, object->length);
   } else if (printer->program->lanes != 1) {
      fprintf(printer->file, " + i * %u", object->length);
   }
}

/* "(g3 + i * 8 + 8)[(int)(v7 & 7) - 8]" */
static void print_behind(const struct printer *printer, const struct ocl_node *node)
{
   const unsigned length = printer->program->object[node->slot].length;

   fputc('(', printer->file);
   ocl_print_row(printer, node->slot);
   fprintf(printer->file, " + %u)[", length);
   if (length > 1) {
      fputs("(int)(", printer->file);
      ocl_print_value(printer, node->source[0]);
      fprintf(printer->file, " & %u) ", length - 1);
   }
   fprintf(printer->file, "- %u]", length);
}

void ocl_print_global_place(const struct printer *printer, const struct ocl_node *node)
{
   const struct ocl_object *object = &printer->program->object[node->slot];
   const uint32_t lanes = printer->program->lanes;
   FILE *file = printer->file;

   if (object->order == OCL_BEHIND_ROWS) {
      print_behind(printer, node);
      return;
   }
   fprintf(file, "g%u[", node->slot);
   if (object->order == OCL_COLUMNS && object->length > 1) {
      fputc('(', file);
      ocl_print_value(printer, node->source[0]);
      fprintf(file, " & %u) * %u", object->length - 1u, lanes);
      fputs(lanes == 1 ? "" : " + i", file);
   } else {
      if (lanes != 1 && object->order == OCL_REVERSED_ROWS) {
         fprintf(file, "(%u - i)", lanes - 1);
      } else {
         fputs(object->order == OCL_LONG_ROWS ? "(long)" : "", file);
         fputs(lanes == 1 ? "0" : "i", file);
      }
      if (object->length > 1) {
         fprintf(file, " * %u + (", object->length);
         ocl_print_value(printer, node->source[0]);
         fprintf(file, " & %u)", object->length - 1u);
      }
   }
   fputc(']', file);
}

void ocl_print_exchanged(const struct printer *printer, uint32_t index, unsigned distance)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const unsigned stride = node->slot != 0 ? (unsigned)node->data[2] : 1;
   const unsigned offset = node->slot != 0 ? (unsigned)node->data[3] : 0;
   static const char *const own_forms[] = {
       [OCL_OWN_PLAIN] = "i", [OCL_OWN_REVERSED] = "(31 - i)", [OCL_OWN_MIXED] = "(i ^ 5)", [OCL_OWN_LONG] = "(long)i"};
   FILE *file = printer->file;

   if (node->slot != 0) {
      fprintf(file, "g%u", node->slot);
   } else {
      fprintf(file, "l%u", index);
   }
   if (node->kind == OCL_ATOMIC && node->slot == 0) {
      return;
   }
   fputc('[', file);
   if (node->kind == OCL_ATOMIC || printer->program->lanes == 1) {
      fprintf(file, "%u]", offset);
      return;
   }
   if (node->kind == OCL_OWN && node->slot != 0) {
      fputs(own_forms[node->form % OCL_OWN_FORMS], file);
   } else if (distance != 0) {
      fprintf(file, "(i ^ %u)", distance);
   } else {
      fputc('i', file);
   }
   if (stride != 1) {
      fprintf(file, " * %u", stride);
   }
   if (offset != 0) {
      fprintf(file, " + %u", offset);
   }
   fputc(']', file);
}
