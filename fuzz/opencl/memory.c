/* SPDX-License-Identifier: MIT
 *
 * Prints a generated kernel's objects as OpenCL C: variables, arrays, structs, local memory, tables. Invariant: an
 * object is declared if the kernel uses it, and each lane uses its own elements only.
 */
#include "fuzz/opencl/arguments.h"
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

/* Prints "m3", or "r1" of a field. */
static void print_name(const struct printer *printer, uint32_t number)
{
   const uint8_t record = printer->program->object[number].record;

   ocl_write(printer, record != 0 ? "r%u" : "m%u", record != 0 ? record : number);
}

void ocl_print_place(const struct printer *printer, const struct ocl_node *node)
{
   const struct ocl_object *object = &printer->program->object[node->slot];
   const uint32_t index = node->source[0];

   if (ocl_is_global(object) && !is_row(object)) {
      ocl_print_global_place(printer, node);
      return;
   }
   print_name(printer, node->slot);
   if (is_nested(object)) {
      ocl_write(printer, "[(%v) >> %u & 1][(%v) & %u]", index, object->length == 4 ? 1u : 2u, index,
                row_length(object) - 1);
   } else if (ocl_is_spread(object)) {
      ocl_write(printer, "[(%v & %u) * %u]", index, object->length - 1u, object->spread);
   } else if (object->length > 1) {
      ocl_write(printer, "[%v & %u]", index, object->length - 1u);
   } else if (is_row(object)) {
      ocl_write(printer, "[0]");
   }
   ocl_write(printer, object->record != 0 ? ".m%u" : "", node->slot);
}

void ocl_print_copy(const struct printer *printer, const struct ocl_node *node)
{
   const unsigned length = ocl_struct_length(printer->program, node->slot), last = length - 1;

   if (length > 1) {
      ocl_write(printer, "r%u[%v & %u] = r%u[%v & %u]", node->slot, node->source[0], last, node->slot, node->source[1],
                last);
   } else if (length != 0) {
      ocl_write(printer, "r%u = r%u", node->slot, node->slot);
   }
   ocl_write(printer, ";\n");
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
      ocl_write(printer, "m%u", node->slot);
   }
   ocl_write(printer, " + (%v & 7) %% %u", node->source[0], object->length - width + 1u);
}

bool ocl_object_used(const struct printer *printer, uint32_t object)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      const bool copied = node->kind == OCL_COPY && node->slot == printer->program->object[object].record;
      if (printer->needed[i] && ((ocl_is_access(node) && node->slot == object) || copied)) {
         return true;
      }
   }
   return false;
}

/* Returns the length of a struct's objects; 0: none is used. */
static unsigned record_length(const struct printer *printer, unsigned record)
{
   for (uint32_t i = 0; i < printer->program->objects; i++) {
      if (printer->program->object[i].record == record && ocl_object_used(printer, i)) {
         return printer->program->object[i].length;
      }
   }
   return 0;
}

void ocl_print_start(const struct printer *printer, const struct ocl_object *object, unsigned element)
{
   uint64_t start[OCL_WIDTH];

   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      start[i] = object->start[(i + element) % OCL_WIDTH];
   }
   ocl_write(printer, "%k", object->type, start);
}

static void print_table(const struct printer *printer, uint32_t number)
{
   const struct ocl_object *object = &printer->program->object[number];

   ocl_write(printer, object->length > 1 ? "constant %t m%u[%u] = {" : "constant %t m%u = ", object->type, number,
             object->length);
   for (unsigned i = 0; i < object->length; i++) {
      ocl_write(printer, i != 0 ? ", " : "");
      ocl_print_start(printer, object, i);
   }
   ocl_write(printer, object->length > 1 ? "};\n\n" : ";\n\n");
}

void ocl_print_records(const struct printer *printer)
{
   const struct ocl_program *program = printer->program;

   for (unsigned record = 1; record <= 2; record++) {
      const uint8_t layout = program->layout[record];
      if (record_length(printer, record) == 0) {
         continue;
      }
      ocl_write(printer, "struct %ss%u {\n", layout == OCL_PACKED ? "__attribute__((packed)) " : "", record);
      for (uint32_t i = 0; i < program->objects; i++) {
         if (program->object[i].record == record && ocl_object_used(printer, i)) {
            ocl_write(printer, "   %t m%u;\n", program->object[i].type, i);
         }
      }
      ocl_write(printer, layout == OCL_ALIGNED ? "} __attribute__((aligned(64)));\n\n" : "};\n\n");
   }
   for (uint32_t i = 0; i < program->objects; i++) {
      if (program->object[i].record == 0 && program->object[i].space == OCL_CONSTANT && ocl_object_used(printer, i)) {
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
   ocl_write(printer, is_nested(object) ? " = {{" : " = {");
   for (unsigned i = 0; i < object->length; i++) {
      ocl_write(printer, i == 0 ? "" : i % row == 0 ? "}, {" : ", ");
      if (object->list == OCL_LISTED_LANE && i == object->length - 1u) {
         ocl_write(printer, "(%t)(%t)get_global_id(0)", object->type, ocl_scalar(object->type.base));
      } else {
         ocl_print_start(printer, object, i);
      }
   }
   ocl_write(printer, is_nested(object) ? "}}" : "}");
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

   ocl_write(printer, "   ");
   for (uint32_t i = number; i < program->objects && is_variable(&program->object[i]); i++) {
      if (ocl_object_used(printer, i) && !ocl_same(program->object[i].type, type)) {
         break;
      }
      if (ocl_object_used(printer, i)) {
         ocl_write(printer, "%s m%u = ", comma, i);
         ocl_print_start(printer, &program->object[i], 0);
         comma = ",";
      }
   }
   ocl_write(printer, ";\n");
}

/* Whether print_variables() has printed an object together with the previous one. */
static bool is_continued(const struct printer *printer, uint32_t number)
{
   const struct ocl_object *objects = printer->program->object;

   for (uint32_t i = number; is_variable(&objects[number]) && i-- > 0 && is_variable(&objects[i]);) {
      if (ocl_object_used(printer, i)) {
         return ocl_same(objects[i].type, objects[number].type);
      }
   }
   return false;
}

/* Prints an object's own storage. */
static void print_storage(const struct printer *printer, uint32_t number)
{
   const struct ocl_object *object = &printer->program->object[number];
   const struct ocl_type type = object->type;

   if (ocl_is_global(object)) {
      if (is_row(object)) {
         ocl_write(printer, "   global %t *m%u = ", type, number);
         ocl_print_row(printer, number);
         ocl_write(printer, ";\n");
      }
   } else if (object->space == OCL_LOCAL) {
      ocl_write(printer, "   local %t *m%u = s%u[%i];\n", type, number, number);
   } else if (object->space == OCL_POINTER) {
      ocl_write(printer, "   %t s%u[%u]", type, number, object->length);
      print_list(printer, object);
      ocl_write(printer, ", *m%u = s%u;\n", number, number);
   } else if (object->length > 1) {
      ocl_write(printer, is_nested(object) ? "   %t m%u[2][%u]" : "   %t m%u[%u]", type, number,
                is_nested(object)       ? row_length(object)
                : ocl_is_spread(object) ? object->length * object->spread
                                        : object->length);
      print_list(printer, object);
      ocl_write(printer, ";\n");
   } else {
      print_variables(printer, number);
   }
}

/* "for (int j = 0; j < 8; j++) { m0[j * 2100] = (int)(5u + j); }" */
static void print_counting(const struct printer *printer, uint32_t number)
{
   const struct ocl_object *object = &printer->program->object[number];

   ocl_write(printer, "   for (int j = 0; j < %u; j++) { m%u[j", object->length, number);
   ocl_write(printer, ocl_is_spread(object) ? " * %u] = " : "] = ", object->spread);
   ocl_write(printer, "(%t)(%n + j); }\n", object->type, object->type.base < OCL_LONG ? OCL_UINT : OCL_ULONG,
             object->start[0]);
}

static void print_element(const struct printer *printer, uint32_t number, unsigned element)
{
   const struct ocl_object *object = &printer->program->object[number];

   ocl_write(printer, "   ");
   print_name(printer, number);
   if (is_nested(object)) {
      ocl_write(printer, "[%u][%u]", element / row_length(object), element % row_length(object));
   } else if (object->length > 1 || is_row(object)) {
      ocl_write(printer, "[%u]", ocl_is_spread(object) ? element * object->spread : element);
   }
   ocl_write(printer, object->record != 0 ? ".m%u = " : " = ", number);
   ocl_print_start(printer, object, element);
   ocl_write(printer, ";\n");
}

/* Prints "{1, 2}", the initial values of the fields of a struct. Returns false if they are assigned. */
static bool print_fields(const struct printer *printer, unsigned record, unsigned element, const char *before)
{
   for (uint32_t i = 0; i < printer->program->objects; i++) {
      const struct ocl_object *object = &printer->program->object[i];
      if (object->record == record && ocl_object_used(printer, i)) {
         if (ocl_list_of(object) != OCL_LISTED_FIELDS) {
            return false;
         }
         ocl_write(printer, "%s", before);
         ocl_print_start(printer, object, element);
         before = ", ";
      }
   }
   ocl_write(printer, "}");
   return true;
}

/* "   struct s1 r1[2] = {{1, 2}, {2, 3}};" */
static void print_record(const struct printer *printer, unsigned record)
{
   const unsigned length = record_length(printer, record);

   ocl_write(printer, length > 1 ? "   struct s%u r%u[%u]" : "   struct s%u r%u", record, record, length);
   bool listed = print_fields(printer, record, 0, length > 1 ? " = {{" : " = {");
   for (unsigned i = 1; listed && i < length; i++) {
      listed = print_fields(printer, record, i, ", {");
   }
   ocl_write(printer, listed && length > 1 ? "};\n" : ";\n");
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
      if (!ocl_object_used(printer, i) || (object->record == 0 && object->space == OCL_CONSTANT)) {
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
      if (node->kind == OCL_EXCHANGE || node->kind == OCL_OWN || node->kind == OCL_ATOMIC) {
         ocl_write(printer, node->kind == OCL_ATOMIC ? "   local %t l%u;\n" : "   local %t l%u[%u];\n", node->type, i,
                   program->lanes);
      }
   }
   for (uint32_t i = 0; i < program->objects; i++) {
      const struct ocl_object *object = &program->object[i];
      if (object->record == 0 && object->space == OCL_LOCAL && ocl_object_used(printer, i)) {
         ocl_write(printer, "   local %t s%u[%u][%u];\n", object->type, i, program->lanes, object->length);
      }
   }
}
