/* SPDX-License-Identifier: MIT
 *
 * Prints a generated kernel's objects as OpenCL C: variables, arrays, structs, local memory, tables. Invariant: an
 * object is declared if the kernel uses it, and each lane uses its own elements only.
 */
#include "fuzz/opencl/print.h"

static bool is_row(const struct ocl_object *object)
{
   return object->record == 0 && (object->space == OCL_POINTER || object->space == OCL_LOCAL ||
                                  (object->space == OCL_GLOBAL && object->order == OCL_POINTER_ROWS));
}

static bool is_nested(const struct ocl_object *object)
{
   return object->record == 0 && object->space == OCL_NESTED && object->length >= 4;
}

/* Returns the length of each of the two rows of an array of arrays. */
static unsigned row_length(const struct ocl_object *object)
{
   return object->length / 2u;
}

enum ocl_list ocl_list_of(const struct ocl_object *object)
{
   const bool may = object->record == 0 && object->length > 1 && !ocl_is_spread(object) &&
                    (object->space == OCL_PRIVATE || object->space == OCL_POINTER || object->space == OCL_NESTED);
   const bool counts = object->record == 0 && object->length > 1 && object->space == OCL_PRIVATE &&
                       object->type.width == 1 && !ocl_real(object->type.base);

   return object->list == OCL_COUNTED         ? counts ? OCL_COUNTED : OCL_ASSIGNED
          : object->list == OCL_LISTED_FIELDS ? object->record != 0 ? OCL_LISTED_FIELDS : OCL_ASSIGNED
          : may                               ? (enum ocl_list)object->list
                                              : OCL_ASSIGNED;
}

bool ocl_is_spread(const struct ocl_object *object)
{
   return object->record == 0 && object->space == OCL_PRIVATE && object->length > 1 && object->spread > 1;
}

void ocl_print_place(const struct printer *printer, const struct ocl_node *node)
{
   const struct ocl_object *object = &printer->program->object[node->slot];
   FILE *file = printer->file;

   if (ocl_is_global(object) && !is_row(object)) {
      ocl_print_global_place(printer, node);
      return;
   }
   if (object->record != 0) {
      fprintf(file, "r%u", object->record);
   } else {
      fprintf(file, "m%u", node->slot);
   }
   if (is_nested(object)) {
      fputs("[(", file);
      ocl_print_value(printer, node->source[0]);
      fprintf(file, ") >> %u & 1][(", object->length == 4 ? 1 : 2);
      ocl_print_value(printer, node->source[0]);
      fprintf(file, ") & %u]", row_length(object) - 1);
   } else if (ocl_is_spread(object)) {
      fputs("[(", file);
      ocl_print_value(printer, node->source[0]);
      fprintf(file, " & %u) * %u]", object->length - 1u, object->spread);
   } else if (object->length > 1) {
      fputc('[', file);
      ocl_print_value(printer, node->source[0]);
      fprintf(file, " & %u]", object->length - 1u);
   } else if (is_row(object)) {
      fputs("[0]", file);
   }
   if (object->record != 0) {
      fprintf(file, ".m%u", node->slot);
   }
}

static void print_copied(const struct printer *printer, const struct ocl_node *node, unsigned which, unsigned length)
{
   fprintf(printer->file, "r%u", node->slot);
   if (length > 1) {
      fputc('[', printer->file);
      ocl_print_value(printer, node->source[which]);
      fprintf(printer->file, " & %u]", length - 1);
   }
}

void ocl_print_copy(const struct printer *printer, const struct ocl_node *node)
{
   const unsigned length = ocl_struct_length(printer->program, node->slot);

   if (length != 0) {
      print_copied(printer, node, 0, length);
      fputs(" = ", printer->file);
      print_copied(printer, node, 1, length);
   }
   fputs(";\n", printer->file);
}

unsigned ocl_struct_length(const struct ocl_program *program, unsigned record)
{
   for (uint32_t i = 0; i < program->objects; i++) {
      if (program->object[i].record == record) {
         return program->object[i].length;
      }
   }
   return 0;
}

unsigned ocl_index_uses(const struct ocl_program *program, const struct ocl_node *node)
{
   const struct ocl_object *object = &program->object[node->slot];

   return node->kind != OCL_READ && node->kind != OCL_WRITE ? 1 : is_nested(object) ? 2 : object->length > 1 ? 1 : 0;
}

void ocl_print_vector_place(const struct printer *printer, const struct ocl_node *node, unsigned width)
{
   const struct ocl_object *object = &printer->program->object[node->slot];

   if (ocl_is_global(object) && !is_row(object)) {
      ocl_print_row(printer, node->slot);
   } else {
      fprintf(printer->file, "m%u", node->slot);
   }
   fputs(" + (", printer->file);
   ocl_print_value(printer, node->source[0]);
   fprintf(printer->file, " & 7) %% %u", object->length - width + 1u);
}

static bool object_used(const struct printer *printer, uint32_t object)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      const bool any =
          node->kind == OCL_READ || node->kind == OCL_WRITE || node->kind == OCL_VLOAD || node->kind == OCL_VSTORE;
      const bool copied = node->kind == OCL_COPY && node->slot == printer->program->object[object].record;
      if (printer->needed[i] && ((any && node->slot == object) || copied)) {
         return true;
      }
   }
   return false;
}

/* Returns the length of a struct's objects; 0: none is used. */
static unsigned record_length(const struct printer *printer, unsigned record)
{
   for (uint32_t i = 0; i < printer->program->objects; i++) {
      if (printer->program->object[i].record == record && object_used(printer, i)) {
         return printer->program->object[i].length;
      }
   }
   return 0;
}

static void print_start(const struct printer *printer, const struct ocl_object *object, unsigned element)
{
   uint64_t start[OCL_WIDTH];

   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      start[i] = object->start[(i + element) % OCL_WIDTH];
   }
   ocl_print_constant(printer->file, object->type, start);
}

static void print_table(const struct printer *printer, uint32_t number)
{
   const struct ocl_object *object = &printer->program->object[number];

   fprintf(printer->file, "constant %s m%u", ocl_type_name(object->type), number);
   if (object->length > 1) {
      fprintf(printer->file, "[%u] = {", object->length);
   } else {
      fputs(" = ", printer->file);
   }
   for (unsigned i = 0; i < object->length; i++) {
      fputs(i != 0 ? ", " : "", printer->file);
      print_start(printer, object, i);
   }
   fputs(object->length > 1 ? "};\n\n" : ";\n\n", printer->file);
}

void ocl_print_records(const struct printer *printer)
{
   const struct ocl_program *program = printer->program;
   FILE *file = printer->file;

   for (unsigned record = 1; record <= 2; record++) {
      const uint8_t layout = program->layout[record];
      if (record_length(printer, record) == 0) {
         continue;
      }
      fprintf(file, "struct %ss%u {\n", layout == OCL_PACKED ? "__attribute__((packed)) " : "", record);
      for (uint32_t i = 0; i < program->objects; i++) {
         if (program->object[i].record == record && object_used(printer, i)) {
            fprintf(file, "   %s m%u;\n", ocl_type_name(program->object[i].type), i);
         }
      }
      fputs(layout == OCL_ALIGNED ? "} __attribute__((aligned(64)));\n\n" : "};\n\n", file);
   }
   for (uint32_t i = 0; i < program->objects; i++) {
      if (program->object[i].record == 0 && program->object[i].space == OCL_CONSTANT && object_used(printer, i)) {
         print_table(printer, i);
      }
   }
}

/* Prints " = {1, 2}", or "{{1, 2}, {3, (int)(int)get_global_id(0)}}"; nothing if statements assign the elements. */
static void print_list(const struct printer *printer, const struct ocl_object *object)
{
   const unsigned row = is_nested(object) ? row_length(object) : object->length;

   if (ocl_list_of(object) == OCL_ASSIGNED || ocl_list_of(object) == OCL_COUNTED) {
      return;
   }
   fputs(is_nested(object) ? " = {{" : " = {", printer->file);
   for (unsigned i = 0; i < object->length; i++) {
      fputs(i == 0 ? "" : i % row == 0 ? "}, {" : ", ", printer->file);
      if (object->list == OCL_LISTED_LANE && i == object->length - 1u) {
         fprintf(printer->file, "(%s)(%s)get_global_id(0)", ocl_type_name(object->type),
                 ocl_type_name(ocl_scalar_of(object->type)));
      } else {
         print_start(printer, object, i);
      }
   }
   fputs(is_nested(object) ? "}}" : "}", printer->file);
}

/* Whether it is a variable that is not a field. */
static bool is_variable(const struct ocl_object *object)
{
   return object->record == 0 && object->length == 1 && (object->space == OCL_PRIVATE || object->space == OCL_NESTED);
}

/* Prints consecutive variables of one type as one declaration with their initial values. */
static void print_variables(const struct printer *printer, uint32_t number)
{
   const struct ocl_program *program = printer->program;
   const struct ocl_type type = program->object[number].type;
   const char *comma = ocl_type_name(type);

   fputs("   ", printer->file);
   for (uint32_t i = number; i < program->objects && is_variable(&program->object[i]); i++) {
      if (object_used(printer, i) && !ocl_same(program->object[i].type, type)) {
         break;
      }
      if (object_used(printer, i)) {
         fprintf(printer->file, "%s m%u = ", comma, i);
         print_start(printer, &program->object[i], 0);
         comma = ",";
      }
   }
   fputs(";\n", printer->file);
}

/* Whether print_variables() has printed an object together with the previous one. */
static bool is_continued(const struct printer *printer, uint32_t number)
{
   const struct ocl_object *objects = printer->program->object;

   for (uint32_t i = number; is_variable(&objects[number]) && i-- > 0 && is_variable(&objects[i]);) {
      if (object_used(printer, i)) {
         return ocl_same(objects[i].type, objects[number].type);
      }
   }
   return false;
}

/* Prints an object's own storage. */
static void print_storage(const struct printer *printer, uint32_t number)
{
   const struct ocl_object *object = &printer->program->object[number];
   const char *type = ocl_type_name(object->type);
   FILE *file = printer->file;

   if (ocl_is_global(object)) {
      if (is_row(object)) {
         fprintf(file, "   global %s *m%u = ", type, number);
         ocl_print_row(printer, number);
         fputs(";\n", file);
      }
   } else if (object->space == OCL_LOCAL) {
      fprintf(file, "   local %s *m%u = s%u[%s];\n", type, number, number, printer->program->lanes == 1 ? "0" : "i");
   } else if (object->space == OCL_POINTER) {
      fprintf(file, "   %s s%u[%u]", type, number, object->length);
      print_list(printer, object);
      fprintf(file, ", *m%u = s%u;\n", number, number);
   } else if (is_nested(object)) {
      fprintf(file, "   %s m%u[2][%u]", type, number, row_length(object));
      print_list(printer, object);
      fputs(";\n", file);
   } else if (object->length > 1) {
      const unsigned spread = ocl_is_spread(object) ? object->spread : 1;
      fprintf(file, "   %s m%u[%u]", type, number, object->length * spread);
      print_list(printer, object);
      fputs(";\n", file);
   } else {
      print_variables(printer, number);
   }
}

/* "for (int j = 0; j < 8; j++) { m0[j * 2100] = (int)(5u + j); }" */
static void print_counting(const struct printer *printer, uint32_t number)
{
   const struct ocl_object *object = &printer->program->object[number];
   const uint8_t base = object->type.base < OCL_LONG ? OCL_UINT : OCL_ULONG;

   fprintf(printer->file, "   for (int j = 0; j < %u; j++) { m%u[j", object->length, number);
   if (ocl_is_spread(object)) {
      fprintf(printer->file, " * %u", object->spread);
   }
   fprintf(printer->file, "] = (%s)(", ocl_type_name(object->type));
   ocl_print_number(printer->file, base, object->start[0], true);
   fputs(" + j); }\n", printer->file);
}

static void print_element(const struct printer *printer, uint32_t number, unsigned element)
{
   const struct ocl_object *object = &printer->program->object[number];
   FILE *file = printer->file;

   if (object->record != 0) {
      fprintf(file, "   r%u", object->record);
   } else {
      fprintf(file, "   m%u", number);
   }
   if (is_nested(object)) {
      fprintf(file, "[%u][%u]", element / row_length(object), element % row_length(object));
   } else if (object->length > 1 || is_row(object)) {
      fprintf(file, "[%u]", ocl_is_spread(object) ? element * object->spread : element);
   }
   if (object->record != 0) {
      fprintf(file, ".m%u", number);
   }
   fputs(" = ", file);
   print_start(printer, object, element);
   fputs(";\n", file);
}

/* Prints "{1, 2}", the initial values of the fields of a struct. Returns false if they are assigned. */
static bool print_fields(const struct printer *printer, unsigned record, unsigned element, const char *before)
{
   for (uint32_t i = 0; i < printer->program->objects; i++) {
      const struct ocl_object *object = &printer->program->object[i];
      if (object->record == record && object_used(printer, i)) {
         if (ocl_list_of(object) != OCL_LISTED_FIELDS) {
            return false;
         }
         fputs(before, printer->file);
         print_start(printer, object, element);
         before = ", ";
      }
   }
   fputc('}', printer->file);
   return true;
}

/* "   struct s1 r1[2] = {{1, 2}, {2, 3}};" */
static void print_record(const struct printer *printer, unsigned record)
{
   const unsigned length = record_length(printer, record);

   fprintf(printer->file, "   struct s%u r%u", record, record);
   if (length > 1) {
      fprintf(printer->file, "[%u]", length);
   }
   bool listed = print_fields(printer, record, 0, length > 1 ? " = {{" : " = {");
   for (unsigned i = 1; listed && i < length; i++) {
      listed = print_fields(printer, record, i, ", {");
   }
   fputs(listed && length > 1 ? "};\n" : ";\n", printer->file);
}

void ocl_print_objects(const struct printer *printer)
{
   for (unsigned record = 1; record <= 2; record++) {
      if (record_length(printer, record) != 0) {
         print_record(printer, record);
      }
   }
   for (uint32_t i = 0; i < printer->program->objects; i++) {
      const struct ocl_object *object = &printer->program->object[i];
      if (!object_used(printer, i) || (object->record == 0 && object->space == OCL_CONSTANT)) {
         continue;
      }
      if (object->record == 0 && !is_continued(printer, i)) {
         print_storage(printer, i);
      }
      if (ocl_list_of(object) == OCL_COUNTED) {
         print_counting(printer, i);
      }
      const bool assigned = ocl_list_of(object) == OCL_ASSIGNED && !is_variable(object) && !ocl_is_global(object);
      for (unsigned j = 0; assigned && j < object->length; j++) {
         print_element(printer, i, j);
      }
   }
}

void ocl_print_locals(const struct printer *printer)
{
   const struct ocl_program *program = printer->program;

   for (uint32_t i = 0; i < program->count; i++) {
      const struct ocl_node *node = &program->nodes[i];
      if (!printer->needed[i] || node->slot != 0) {
         continue;
      }
      if (node->kind == OCL_EXCHANGE || node->kind == OCL_OWN) {
         fprintf(printer->file, "   local %s l%u[%u];\n", ocl_type_name(node->type), i, program->lanes);
      } else if (node->kind == OCL_ATOMIC) {
         fprintf(printer->file, "   local %s l%u;\n", ocl_type_name(node->type), i);
      }
   }
   for (uint32_t i = 0; i < program->objects; i++) {
      const struct ocl_object *object = &program->object[i];
      if (object->record == 0 && object->space == OCL_LOCAL && object_used(printer, i)) {
         fprintf(printer->file, "   local %s s%u[%u][%u];\n", ocl_type_name(object->type), i, program->lanes,
                 object->length);
      }
   }
}
