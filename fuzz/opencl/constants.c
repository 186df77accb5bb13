/* SPDX-License-Identifier: MIT
 *
 * Writes types and numbers as OpenCL C. Invariant: a printed number has the same value and type.
 */
#include <inttypes.h>
#include <math.h>

#include "fuzz/opencl/print.h"

const char *ocl_type_name(struct ocl_type type)
{
#define NAMES(name)                                                                                                    \
   {                                                                                                                   \
      [1] = name, [2] = name "2", [3] = name "3", [4] = name "4", [8] = name "8", [16] = name "16"                     \
   }
   static const char *const names[OCL_BASES][OCL_WIDTH + 1] = {
       NAMES("char"), NAMES("uchar"), NAMES("short"), NAMES("ushort"), NAMES("int"),
       NAMES("uint"), NAMES("long"),  NAMES("ulong"), NAMES("half"),   NAMES("float"),
   };

   return names[type.base][type.width];
}

void ocl_print_number(FILE *file, uint8_t base, uint64_t value, bool bare)
{
   static const char *const suffixes[OCL_BASES] = {[OCL_UINT] = "u", [OCL_LONG] = "L", [OCL_ULONG] = "UL"};
   if (ocl_real(base)) {
      const long double number = ocl_real_value(base, value);
      fputs(base == OCL_HALF ? "(half)" : "", file);
      if (isnan(number)) {
         fputs("NAN", file);
      } else if (isinf(number)) {
         fprintf(file, "(%sINFINITY)", number < 0 ? "-" : "");
      } else {
         fprintf(file, "(%af)", (double)number);
      }
      return;
   }
   const char *suffix = suffixes[base] != NULL ? suffixes[base] : "";

   if (!bare && base < OCL_INT) {
      fprintf(file, "(%s)", ocl_type_name((struct ocl_type){.base = base, .width = 1}));
   }
   if (!ocl_signed(base)) {
      fprintf(file, "%" PRIu64 "%s", value, suffix);
   } else if (base >= OCL_INT && value == (ocl_mask(base) >> 1) + 1) {
      fprintf(file, "(-%" PRIu64 "%s - 1)", ocl_mask(base) >> 1, suffix);
   } else if (ocl_sext(base, value) < 0) {
      fprintf(file, "(%" PRId64 "%s)", ocl_sext(base, value), suffix);
   } else {
      fprintf(file, "%" PRIu64 "%s", value, suffix);
   }
}

void ocl_print_constant(FILE *file, struct ocl_type type, const uint64_t *data)
{
   bool same = true;

   if (type.width == 1) {
      ocl_print_number(file, type.base, data[0], false);
      return;
   }
   for (unsigned i = 1; i < type.width; i++) {
      same &= data[i] == data[0];
   }
   fprintf(file, "(%s)(", ocl_type_name(type));
   for (unsigned i = 0; i < (same ? 1 : type.width); i++) {
      fputs(i != 0 ? ", " : "", file);
      ocl_print_number(file, type.base, data[i], true);
   }
   fputc(')', file);
}
