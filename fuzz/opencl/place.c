/* SPDX-License-Identifier: MIT
 *
 * Decides which reads of objects are printed where their value is used, and which become variables. Invariant: nothing
 * is written between a read and the place where it is printed.
 */
#include "fuzz/opencl/print.h"

/* Returns the node that reads a value, if its text contains the value once. UINT32_MAX: there is none, or it contains
 * it more than once. */
static uint32_t reader_of(const struct printer *printer, uint32_t index)
{
   const struct ocl_program *program = printer->program;

   for (uint32_t i = index + 1; printer->uses[index] == 1 && i < program->count; i++) {
      for (unsigned j = 0; printer->needed[i] && j < program->nodes[i].count; j++) {
         /* the text of a variable contains no index */
         if (program->nodes[i].source[j] == index && (j != 0 || ocl_index_uses(program, &program->nodes[i]) != 0)) {
            return i;
         }
      }
   }
   return UINT32_MAX;
}

/* Returns the statement or declaration whose text contains a value. UINT32_MAX: there is none that is executed once. */
static uint32_t line_of(const struct printer *printer, uint32_t index)
{
   do {
      index = reader_of(printer, index);
   } while (index != UINT32_MAX && !ocl_has_effect(&printer->program->nodes[index]) &&
            !ocl_is_declared(printer, index));
   /* a loop's condition is evaluated in each iteration */
   return index == UINT32_MAX || printer->program->nodes[index].kind == OCL_LOOP ? UINT32_MAX : index;
}

void ocl_place_reads(struct printer *printer)
{
   const struct ocl_program *program = printer->program;

   for (uint32_t i = program->count; i-- > 0;) { /* later places are known */
      const uint32_t line = printer->needed[i] && program->nodes[i].kind == OCL_READ ? line_of(printer, i) : UINT32_MAX;
      bool still = line != UINT32_MAX;
      for (uint32_t j = i + 1; still && j < line; j++) {
         still = !ocl_has_effect(&program->nodes[j]);
      }
      printer->in_place[i] = still;
   }
}
