/* SPDX-License-Identifier: MIT
 *
 * Prints the places of elements in global memory, and of values that lanes exchange. Invariant: each lane's place is
 * its own, except for that of OCL_ATOMIC.
 */
#include "fuzz/opencl/print.h"

void ocl_print_row(const struct printer *printer, uint32_t number)
{
   const struct ocl_object *object = &printer->program->object[number];
   const uint32_t lanes = printer->program->lanes;

   ocl_write(printer, "g%u", number);
   if (lanes != 1 && object->order == OCL_REVERSED_ROWS) {
      ocl_write(printer, " + (%u - i) * %u", lanes - 1, object->length);
   } else if (lanes != 1) {
      ocl_write(printer, " + i * %u", object->length);
   }
}

/* "(g3 + i * 8 + 8)[(int)(v7 & 7) - 8]" */
static void print_behind(const struct printer *printer, const struct ocl_node *node)
{
   const unsigned length = printer->program->object[node->slot].length;

   ocl_write(printer, "(");
   ocl_print_row(printer, node->slot);
   ocl_write(printer, length > 1 ? " + %u)[(int)(%v & %u) - %u]" : " + %u)[- 1]", length, node->source[0], length - 1,
             length);
}

void ocl_print_global_place(const struct printer *printer, const struct ocl_node *node)
{
   const struct ocl_object *object = &printer->program->object[node->slot];
   const uint32_t lanes = printer->program->lanes;
   const bool more = object->length > 1;

   if (object->order == OCL_BEHIND_ROWS) {
      print_behind(printer, node);
      return;
   }
   ocl_write(printer, "g%u[", node->slot);
   if (object->order == OCL_COLUMNS && more) {
      ocl_write(printer, lanes == 1 ? "(%v & %u) * %u]" : "(%v & %u) * %u + i]", node->source[0], object->length - 1u,
                lanes);
      return;
   }
   if (lanes != 1 && object->order == OCL_REVERSED_ROWS) {
      ocl_write(printer, "(%u - i)", lanes - 1);
   } else {
      ocl_write(printer, "%s%i", object->order == OCL_LONG_ROWS ? "(long)" : "");
   }
   ocl_write(printer, more ? " * %u + (%v & %u)]" : "]", object->length, node->source[0], object->length - 1u);
}

void ocl_print_exchanged(const struct printer *printer, uint32_t index, unsigned distance)
{
   static const char *const own_forms[] = {
       [OCL_OWN_PLAIN] = "i", [OCL_OWN_REVERSED] = "(31 - i)", [OCL_OWN_MIXED] = "(i ^ 5)", [OCL_OWN_LONG] = "(long)i"};
   const struct ocl_node *node = &printer->program->nodes[index];
   const bool global = node->slot != 0;
   const unsigned stride = global ? (unsigned)node->data[2] : 1, offset = global ? (unsigned)node->data[3] : 0;

   ocl_write(printer, global ? "g%u" : "l%u", global ? node->slot : index);
   if (node->kind == OCL_ATOMIC && !global) {
      return;
   }
   if (node->kind == OCL_ATOMIC || printer->program->lanes == 1) {
      ocl_write(printer, "[%u]", offset);
      return;
   }
   if (node->kind == OCL_OWN && global) {
      ocl_write(printer, "[%s", own_forms[node->form % OCL_OWN_FORMS]);
   } else {
      ocl_write(printer, distance != 0 ? "[(i ^ %u)" : "[i", distance);
   }
   ocl_write(printer, stride != 1 ? " * %u" : "", stride);
   ocl_write(printer, offset != 0 ? " + %u]" : "]", offset);
}
