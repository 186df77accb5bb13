/* SPDX-License-Identifier: MIT
 *
 * Writes types, numbers, and the parts of a kernel that its statements consist of. Invariant: a printed number has the
 * same value and type.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

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

static void print_real(FILE *file, uint8_t base, uint64_t value)
{
   const long double number = ocl_real_value(base, value);

   fputs(base == OCL_HALF ? "(half)" : "", file);
   if (isnan(number)) {
      fputs("NAN", file);
   } else if (isinf(number)) {
      fprintf(file, "(%sINFINITY)", number < 0 ? "-" : "");
   } else {
      fprintf(file, "(%af)", (double)number);
   }
}

/* bare: without the cast that gives a number below 32 bits its type. */
static void print_number(FILE *file, uint8_t base, uint64_t value, bool bare)
{
   static const char *const suffixes[OCL_BASES] = {[OCL_UINT] = "u", [OCL_LONG] = "L", [OCL_ULONG] = "UL"};
   const char *suffix = suffixes[base] != NULL ? suffixes[base] : "";

   if (ocl_real(base)) {
      print_real(file, base, value);
      return;
   }
   if (!bare && base < OCL_INT) {
      fprintf(file, "(%s)", ocl_type_name((struct ocl_type){.base = base, .width = 1}));
   }
   if (!ocl_signed(base)) {
      fprintf(file, "%" PRIu64 "%s", value, suffix);
   } else if (base >= OCL_INT && value == (ocl_mask(base) >> 1) + 1) {
      fprintf(file, "(-%" PRIu64 "%s - 1)", ocl_mask(base) >> 1, suffix);
   } else {
      fprintf(file, ocl_sext(base, value) < 0 ? "(%" PRId64 "%s)" : "%" PRId64 "%s", ocl_sext(base, value), suffix);
   }
}

void ocl_print_constant(FILE *file, struct ocl_type type, const uint64_t *data)
{
   bool same = true;

   if (type.width == 1) {
      print_number(file, type.base, data[0], false);
      return;
   }
   for (unsigned i = 1; i < type.width; i++) {
      same &= data[i] == data[0];
   }
   fprintf(file, "(%s)(", ocl_type_name(type));
   for (unsigned i = 0; i < (same ? 1 : type.width); i++) {
      fputs(i != 0 ? ", " : "", file);
      print_number(file, type.base, data[i], true);
   }
   fputc(')', file);
}

static void print_operand(const struct printer *printer, struct ocl_operand operand)
{
   if (operand.parameter) {
      fputc((int)('a' + operand.number), printer->file);
   } else {
      printer->language->value(printer, operand.node->source[operand.number]);
   }
}

static void write_part(const struct printer *printer, char letter, va_list *list)
{
   FILE *file = printer->file;

   if (letter == 's') {
      fputs(va_arg(*list, const char *), file);
   } else if (letter == 'u' || letter == 'x') {
      fprintf(file, letter == 'u' ? "%u" : "%x", va_arg(*list, unsigned));
   } else if (letter == '>') {
      fprintf(file, "%*s", (int)(3 * printer->indent), "");
   } else if (letter == 'i') {
      fputs(printer->program->lanes == 1 ? "0" : "i", file);
   } else if (letter == 't') {
      fputs(printer->language->type_name(va_arg(*list, struct ocl_type)), file);
   } else if (letter == 'k') {
      const struct ocl_type type = va_arg(*list, struct ocl_type);
      printer->language->constant(file, type, va_arg(*list, const uint64_t *));
   } else if (letter == 'n') {
      const unsigned base = va_arg(*list, unsigned);
      print_number(file, (uint8_t)base, va_arg(*list, uint64_t), true);
   } else if (letter == 'v') {
      printer->language->value(printer, va_arg(*list, unsigned));
   } else if (letter == 'o') {
      print_operand(printer, va_arg(*list, struct ocl_operand));
   } else if (letter == 'p') {
      ocl_print_place(printer, va_arg(*list, const struct ocl_node *));
   } else if (letter == 'a') {
      const struct ocl_node *node = va_arg(*list, const struct ocl_node *);
      ocl_print_vector_place(printer, node, va_arg(*list, unsigned));
   } else if (letter == 'e') {
      const unsigned index = va_arg(*list, unsigned);
      ocl_print_exchanged(printer, index, va_arg(*list, unsigned));
   } else {
      fputc(letter, file); /* %% */
   }
}

void ocl_write(const struct printer *printer, const char *format, ...)
{
   va_list list;

   va_start(list, format);
   for (; *format != '\0'; format++) {
      if (*format == '%') {
         write_part(printer, *++format, &list);
      } else {
         fputc(*format, printer->file);
      }
   }
   va_end(list);
}
