/* SPDX-License-Identifier: MIT
 *
 * A generated kernel as OpenCL C. A value that is read once stands where it is read; others are variables. Invariant:
 * the text has no undefined or unspecified behaviour, as far as the guards of the nodes tell.
 */
#include <inttypes.h>
#include <string.h>

#include "agx_runner/fuzz/opencl/ops.h"

struct printer {
   FILE *file;
   const struct ocl_program *program;
   bool needed[OCL_NODES];
   unsigned uses[OCL_NODES];
   unsigned indent;
};

const char *ocl_type_name(struct ocl_type type)
{
#define NAMES(name)                                                                                                    \
   {                                                                                                                   \
      [1] = name, [2] = name "2", [3] = name "3", [4] = name "4", [8] = name "8", [16] = name "16"                     \
   }
   static const char *const names[OCL_BASES][OCL_WIDTH + 1] = {
       NAMES("char"), NAMES("uchar"), NAMES("short"), NAMES("ushort"),
       NAMES("int"),  NAMES("uint"),  NAMES("long"),  NAMES("ulong"),
   };

   return names[type.base][type.width];
}

static struct ocl_type unsigned_type(struct ocl_type type)
{
   return (struct ocl_type){.base = type.base | 1, .width = type.width};
}

static struct ocl_type scalar_of(struct ocl_type type)
{
   return (struct ocl_type){.base = type.base, .width = 1};
}

bool ocl_has_effect(const struct ocl_node *node)
{
   return node->kind == OCL_OUTPUT || node->kind == OCL_WRITE || (node->kind >= OCL_IF && node->kind <= OCL_CONTINUE);
}

void ocl_needed(const struct ocl_program *program, bool needed[OCL_NODES])
{
   for (uint32_t i = program->count; i-- > 0;) {
      needed[i] = ocl_has_effect(&program->nodes[i]);
   }
   for (uint32_t i = program->count; i-- > 0;) {
      for (unsigned j = 0; needed[i] && j < program->nodes[i].count; j++) {
         needed[program->nodes[i].source[j]] = true;
      }
   }
}

/* Whether a value is a variable of its own. */
static bool is_declared(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];

   switch ((enum ocl_kind)node->kind) {
   case OCL_READ:
   case OCL_EXCHANGE:
   case OCL_ATOMIC:
      return true;
   case OCL_OP:
      return printer->uses[index] != 1 || ocl_ops[node->op].shape == OCL_SHAPE_INSERT;
   default:
      return false;
   }
}

static void print_number(FILE *file, uint8_t base, uint64_t value, bool bare)
{
   static const char *const suffixes[OCL_BASES] = {[OCL_UINT] = "u", [OCL_LONG] = "L", [OCL_ULONG] = "UL"};
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

static void print_constant(FILE *file, struct ocl_type type, const uint64_t *data)
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

static void print_value(const struct printer *printer, uint32_t index);

/* A lane's element of a buffer. */
static const char *element(const struct printer *printer)
{
   return printer->program->lanes == 1 ? "0" : "i";
}

/* An operand: of the node, or the parameter of its function. */
static void print_operand(const struct printer *printer, const struct ocl_node *node, unsigned number, bool parameter)
{
   if (parameter) {
      fputc((int)('a' + number), printer->file);
   } else {
      print_value(printer, node->source[number]);
   }
}

static void print_wrapped(const struct printer *printer, const struct ocl_node *node, unsigned number, bool parameter)
{
   struct ocl_type type = unsigned_type(node->type);

   if (type.width == 1) {
      type.base = type.base < OCL_UINT ? (uint8_t)OCL_UINT : type.base;
      fprintf(printer->file, "(%s)", ocl_type_name(type));
      print_operand(printer, node, number, parameter);
   } else {
      fprintf(printer->file, "as_%s(", ocl_type_name(type));
      print_operand(printer, node, number, parameter);
      fputc(')', printer->file);
   }
}

static void print_guarded(const struct printer *printer, const struct ocl_node *node, unsigned number, bool parameter)
{
   const struct ocl_op *op = &ocl_ops[node->op];

   if (node->guard == OCL_WRAP) {
      print_wrapped(printer, node, number, parameter);
   } else if (node->guard != OCL_ADJUST || (op->shape == OCL_SHAPE_DIVIDE && number == 0) || number == 2) {
      print_operand(printer, node, number, parameter);
   } else if (op->shape == OCL_SHAPE_DIVIDE) {
      fputs("(", printer->file);
      print_operand(printer, node, number, parameter);
      fputs(node->type.width != 1 ? " | (" : " | 1)", printer->file);
      if (node->type.width != 1) {
         fprintf(printer->file, "%s)1)", ocl_type_name(node->type));
      }
   } else {
      fputs("(", printer->file);
      print_operand(printer, node, number, parameter);
      fputs(ocl_signed(node->type.base) ? " << 8 >> 8)" : " & 0xffffffu)", printer->file);
   }
}

static void print_format(const struct printer *printer, const struct ocl_node *node, bool parameters)
{
   const struct ocl_op *op = &ocl_ops[node->op];
   const char *format = node->guard == OCL_OTHER ? "($a ^ $b)" : op->format;

   for (; *format != '\0'; format++) {
      if (*format != '$') {
         fputc(*format, printer->file);
      } else if (*++format == 'T') {
         fputs(ocl_type_name(node->type), printer->file);
      } else {
         print_guarded(printer, node, (unsigned)(*format - 'a'), parameters);
      }
   }
}

/* What C computes in int, or in unsigned arithmetic, becomes the node's type again. */
static void print_op(const struct printer *printer, const struct ocl_node *node, bool parameters)
{
   const struct ocl_op *op = &ocl_ops[node->op];
   const bool operator= op->format[0] == '(' && op->shape != OCL_SHAPE_CAST;

   if (node->type.width != 1 && node->guard == OCL_WRAP) {
      fprintf(printer->file, "as_%s", ocl_type_name(node->type)); /* the format brings the parentheses */
   } else if (node->type.width == 1 && operator&&(node->type.base < OCL_INT || node->guard == OCL_WRAP)) {
      fprintf(printer->file, "(%s)", ocl_type_name(node->type));
   }
   print_format(printer, node, parameters);
}

static void print_swizzle(const struct printer *printer, const struct ocl_node *node)
{
   const struct ocl_type from = printer->program->nodes[node->source[0]].type;
   static const struct {
      const char *name;
      unsigned first_of_half, step;
   } halves[] = {{"lo", 0, 1}, {"hi", 1, 1}, {"even", 0, 2}, {"odd", 0, 2}};

   fputc('(', printer->file);
   print_value(printer, node->source[0]);
   fputs(").", printer->file);
   for (unsigned i = 0; i < 4 && from.width != 3 && node->type.width * 2 == from.width; i++) {
      const unsigned first = i == 1 ? from.width / 2u : i == 3 ? 1 : 0;
      bool fits = true;
      for (unsigned j = 0; j < node->type.width; j++) {
         fits &= node->data[j] == first + j * halves[i].step;
      }
      if (fits) {
         fputs(halves[i].name, printer->file);
         return;
      }
   }
   fputc('s', printer->file);
   for (unsigned i = 0; i < node->type.width; i++) {
      fprintf(printer->file, "%x", (unsigned)node->data[i] % from.width);
   }
}

static void print_list(const struct printer *printer, const struct ocl_node *node)
{
   for (unsigned i = 0; i < node->count; i++) {
      fputs(i != 0 ? ", " : "", printer->file);
      print_value(printer, node->source[i]);
   }
}

/* The expression that a node stands for. */
static void print_expression(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const enum ocl_shape shape = node->kind == OCL_OP ? ocl_ops[node->op].shape : OCL_SHAPE_1;

   if (node->kind == OCL_CONST) {
      print_constant(printer->file, node->type, node->data);
   } else if (node->kind == OCL_SCALAR) {
      fprintf(printer->file, "a%u", node->slot);
   } else if (node->kind == OCL_INPUT && node->type.width == 3) {
      fprintf(printer->file, "vload3(%s, in%u)", element(printer), node->slot);
   } else if (node->kind == OCL_INPUT) {
      fprintf(printer->file, "in%u[%s]", node->slot, element(printer));
   } else if (shape == OCL_SHAPE_SWIZZLE) {
      print_swizzle(printer, node);
   } else if (shape == OCL_SHAPE_BUILD) {
      fprintf(printer->file, "(%s)(", ocl_type_name(node->type));
      print_list(printer, node);
      fputc(')', printer->file);
   } else if (shape == OCL_SHAPE_INSERT) {
      print_value(printer, node->source[0]);
   } else if (node->outlined) {
      fprintf(printer->file, "f%u(", index);
      print_list(printer, node);
      fputc(')', printer->file);
   } else {
      print_op(printer, node, false);
   }
}

static void print_value(const struct printer *printer, uint32_t index)
{
   if (is_declared(printer, index)) {
      fprintf(printer->file, "v%u", index);
   } else {
      print_expression(printer, index);
   }
}

static void begin_line(const struct printer *printer)
{
   fprintf(printer->file, "%*s", (int)(3 * printer->indent), "");
}

/* An object's element: "m3[v7 & 3]", "r1[v7 & 3].m3". */
static void print_place(const struct printer *printer, const struct ocl_node *node)
{
   const struct ocl_object *object = &printer->program->object[node->slot];

   if (object->record != 0) {
      fprintf(printer->file, "r%u", object->record);
   } else {
      fprintf(printer->file, "m%u", node->slot);
   }
   if (object->length > 1) {
      fputc('[', printer->file);
      print_value(printer, node->source[0]);
      fprintf(printer->file, " & %u]", object->length - 1u);
   }
   if (object->record != 0) {
      fprintf(printer->file, ".m%u", node->slot);
   }
}

static void print_declaration(const struct printer *printer, uint32_t index)
{
   static const char *const atomics[] = {
       [OCL_ATOMIC_ADD] = "add", [OCL_ATOMIC_SUB] = "sub", [OCL_ATOMIC_MIN] = "min", [OCL_ATOMIC_MAX] = "max",
       [OCL_ATOMIC_AND] = "and", [OCL_ATOMIC_OR] = "or",   [OCL_ATOMIC_XOR] = "xor"};
   static const char barrier[] = "barrier(CLK_LOCAL_MEM_FENCE);";
   const struct ocl_node *node = &printer->program->nodes[index];
   const char *type = ocl_type_name(node->type), *i = element(printer);
   FILE *file = printer->file;

   begin_line(printer);
   if (node->kind == OCL_READ) {
      fprintf(file, "%s v%u = ", type, index);
      print_place(printer, node);
      fputs(";\n", file);
   } else if (node->kind == OCL_EXCHANGE) {
      fprintf(file, "l%u[%s] = ", index, i);
      print_value(printer, node->source[0]);
      fprintf(file, ";\n   %s\n   %s v%u = l%u[", barrier, type, index, index);
      fprintf(file, printer->program->lanes == 1 ? "0];\n" : "i ^ %u];\n", (unsigned)node->data[0]);
   } else if (node->kind == OCL_ATOMIC) {
      fprintf(file, "if (%s == 0) {\n      l%u = ", i, index);
      print_number(file, node->type.base, node->data[0], true);
      fprintf(file, ";\n   }\n   %s\n   atomic_%s(&l%u, ", barrier, atomics[node->op], index);
      print_value(printer, node->source[0]);
      fprintf(file, ");\n   %s\n   %s v%u = l%u;\n", barrier, type, index, index);
   } else {
      fprintf(file, "%s v%u = ", type, index);
      print_expression(printer, index);
      fputs(";\n", file);
      if (ocl_ops[node->op].shape == OCL_SHAPE_INSERT) {
         begin_line(printer);
         fprintf(file, "v%u.s%x = ", index, (unsigned)node->data[0] % node->type.width);
         print_value(printer, node->source[1]);
         fputs(";\n", file);
      }
   }
}

static void print_leave(const struct printer *printer, const struct ocl_node *node)
{
   fputs("if (", printer->file);
   print_value(printer, node->source[0]);
   fputs(node->kind == OCL_BREAK ? ") {\n" : ") {\n", printer->file);
   begin_line(printer);
   fputs(node->kind == OCL_BREAK ? "   break;\n" : "   continue;\n", printer->file);
   begin_line(printer);
   fputs("}\n", printer->file);
}

static void print_statement(struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   FILE *file = printer->file;

   printer->indent -= node->kind >= OCL_ELSE && node->kind <= OCL_ENDLOOP && node->kind != OCL_LOOP ? 1 : 0;
   begin_line(printer);
   switch ((enum ocl_kind)node->kind) {
   case OCL_OUTPUT:
      if (node->type.width == 3) {
         fputs("vstore3(", file);
         print_value(printer, node->source[0]);
         fprintf(file, ", %s, out%u);\n", element(printer), node->slot);
      } else {
         fprintf(file, "out%u[%s] = ", node->slot, element(printer));
         print_value(printer, node->source[0]);
         fputs(";\n", file);
      }
      break;
   case OCL_WRITE:
      print_place(printer, node);
      fputs(" = ", file);
      print_value(printer, node->source[1]);
      fputs(";\n", file);
      break;
   case OCL_IF:
      fputs("if (", file);
      print_value(printer, node->source[0]);
      fputs(") {\n", file);
      printer->indent++;
      break;
   case OCL_LOOP:
      fprintf(file, "for (int j%u = 0; j%u < (int)(", index, index);
      print_value(printer, node->source[0]);
      fprintf(file, " & 3) + %u; j%u++) {\n", (unsigned)node->data[0], index);
      printer->indent++;
      break;
   case OCL_ELSE:
      fputs("} else {\n", file);
      printer->indent++;
      break;
   case OCL_BREAK:
   case OCL_CONTINUE:
      print_leave(printer, node);
      break;
   default:
      fputs("}\n", file);
   }
}

static void print_functions(const struct printer *printer)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      if (!printer->needed[i] || node->kind != OCL_OP || !node->outlined) {
         continue;
      }
      fprintf(printer->file, "%s f%u(", ocl_type_name(node->type), i);
      for (unsigned j = 0; j < node->count; j++) {
         fprintf(printer->file, "%s%s %c", j != 0 ? ", " : "",
                 ocl_type_name(printer->program->nodes[node->source[j]].type), (int)('a' + j));
      }
      fputs(")\n{\n   return ", printer->file);
      print_op(printer, node, true);
      fputs(";\n}\n\n", printer->file);
   }
}

static bool object_used(const struct printer *printer, uint32_t object)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      if (printer->needed[i] && (node->kind == OCL_READ || node->kind == OCL_WRITE) && node->slot == object) {
         return true;
      }
   }
   return false;
}

/* The length of a struct's objects; 0: none is used. */
static unsigned record_length(const struct printer *printer, unsigned record)
{
   for (uint32_t i = 0; i < printer->program->objects; i++) {
      if (printer->program->object[i].record == record && object_used(printer, i)) {
         return printer->program->object[i].length;
      }
   }
   return 0;
}

static void print_records(const struct printer *printer)
{
   for (unsigned record = 1; record <= 2; record++) {
      if (record_length(printer, record) == 0) {
         continue;
      }
      fprintf(printer->file, "struct s%u {\n", record);
      for (uint32_t i = 0; i < printer->program->objects; i++) {
         if (printer->program->object[i].record == record && object_used(printer, i)) {
            fprintf(printer->file, "   %s m%u;\n", ocl_type_name(printer->program->object[i].type), i);
         }
      }
      fputs("};\n\n", printer->file);
   }
}

static void print_objects(const struct printer *printer)
{
   FILE *file = printer->file;

   for (unsigned record = 1; record <= 2; record++) {
      const unsigned length = record_length(printer, record);
      if (length > 1) {
         fprintf(file, "   struct s%u r%u[%u];\n", record, record, length);
      } else if (length == 1) {
         fprintf(file, "   struct s%u r%u;\n", record, record);
      }
   }
   for (uint32_t i = 0; i < printer->program->objects; i++) {
      const struct ocl_object *object = &printer->program->object[i];
      if (!object_used(printer, i)) {
         continue;
      }
      if (object->record == 0) {
         fprintf(file, "   %s m%u", ocl_type_name(object->type), i);
         fprintf(file, object->length > 1 ? "[%u];\n" : ";\n", object->length);
      }
      for (unsigned j = 0; j < object->length; j++) {
         const struct ocl_node place = {.slot = (uint8_t)i};
         fputs("   ", file);
         if (object->length == 1) {
            print_place(printer, &place);
         } else if (object->record == 0) {
            fprintf(file, "m%u[%u]", i, j);
         } else {
            fprintf(file, "r%u[%u].m%u", object->record, j, i);
         }
         fputs(" = ", file);
         print_constant(file, object->type, object->start);
         fputs(";\n", file);
      }
   }
}

static bool slot_used(const struct printer *printer, enum ocl_kind kind, uint32_t slot)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      if (printer->needed[i] && printer->program->nodes[i].kind == kind && printer->program->nodes[i].slot == slot) {
         return true;
      }
   }
   return false;
}

static void print_arguments(const struct printer *printer)
{
   const struct ocl_program *program = printer->program;
   const char *comma = "";

   for (uint32_t i = 0; i < program->outputs; i++) {
      if (slot_used(printer, OCL_OUTPUT, i)) {
         const struct ocl_type type = program->output_type[i];
         fprintf(printer->file, "%sglobal %s *out%u", comma, ocl_type_name(type.width == 3 ? scalar_of(type) : type),
                 i);
         comma = ", ";
      }
   }
   for (uint32_t i = 0; i < program->inputs; i++) {
      if (slot_used(printer, OCL_INPUT, i)) {
         const struct ocl_type type = program->input_type[i];
         fprintf(printer->file, "%sglobal const %s *in%u", comma,
                 ocl_type_name(type.width == 3 ? scalar_of(type) : type), i);
         comma = ", ";
      }
   }
   for (uint32_t i = 0; i < program->scalars; i++) {
      if (slot_used(printer, OCL_SCALAR, i)) {
         fprintf(printer->file, "%s%s a%u", comma, ocl_type_name(program->scalar_type[i]), i);
         comma = ", ";
      }
   }
}

static void print_locals(const struct printer *printer)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      if (printer->needed[i] && node->kind == OCL_EXCHANGE) {
         fprintf(printer->file, "   local %s l%u[%u];\n", ocl_type_name(node->type), i, printer->program->lanes);
      } else if (printer->needed[i] && node->kind == OCL_ATOMIC) {
         fprintf(printer->file, "   local %s l%u;\n", ocl_type_name(node->type), i);
      }
   }
}

/* How often each value's text would stand there. */
static void count_uses(struct printer *printer)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      const bool clamp = node->kind == OCL_OP && strcmp(ocl_ops[node->op].name, "clamp") == 0;
      for (unsigned j = 0; printer->needed[i] && j < node->count; j++) {
         printer->uses[node->source[j]] += clamp && j != 0 ? 2 : 1;
      }
   }
}

void ocl_print(FILE *file, const struct ocl_program *program)
{
   struct printer printer = {.file = file, .program = program, .indent = 1};

   ocl_needed(program, printer.needed);
   count_uses(&printer);
   print_records(&printer);
   print_functions(&printer);
   fputs("kernel void k(", file);
   print_arguments(&printer);
   fputs(")\n{\n", file);
   print_locals(&printer);
   if (program->lanes != 1) {
      fputs("   int i = get_global_id(0);\n", file);
   }
   print_objects(&printer);
   for (uint32_t i = 0; i < program->count; i++) {
      if (printer.needed[i] && ocl_has_effect(&program->nodes[i])) {
         print_statement(&printer, i);
      } else if (printer.needed[i] && is_declared(&printer, i)) {
         print_declaration(&printer, i);
      }
   }
   fputs("}\n", file);
}

/* ctz() came with OpenCL C 2.0; all else is in 1.2, which is what programs that do not ask get. */
const char *ocl_build_options(const struct ocl_program *program)
{
   for (uint32_t i = 0; i < program->count; i++) {
      if (program->nodes[i].kind == OCL_OP && strcmp(ocl_ops[program->nodes[i].op].name, "ctz") == 0) {
         return "-cl-std=CL3.0";
      }
   }
   return "-cl-std=CL1.2";
}

static void print_data(FILE *file, struct ocl_type type, uint32_t lanes, const uint64_t (*data)[OCL_WIDTH])
{
   for (uint32_t lane = 0; lane < lanes; lane++) {
      for (unsigned i = 0; i < type.width; i++) {
         if (ocl_signed(type.base)) {
            fprintf(file, " %" PRId64, ocl_sext(type.base, data[lane][i]));
         } else {
            fprintf(file, " %" PRIu64, data[lane][i]);
         }
      }
   }
   fputc('\n', file);
}

static void print_buffer(FILE *file, const char *which, unsigned number, struct ocl_type type, uint32_t lanes,
                         const uint64_t (*data)[OCL_WIDTH])
{
   fprintf(file, "%s: %u buffer %s[%u]", which, number, ocl_type_name(type.width == 3 ? scalar_of(type) : type),
           lanes * (type.width == 3 ? 3 : 1));
   print_data(file, type, lanes, data);
}

void ocl_print_piglit(FILE *file, const struct ocl_program *program, const struct ocl_outputs *outputs,
                      const char *title)
{
   struct printer printer = {.file = file, .program = program};
   unsigned number = 0;

   ocl_needed(program, printer.needed);
   fprintf(file,
           "/*!\n[config]\nname: %s\nbuild_options: %s\ndimensions: 1\nglobal_size: %u 0 0\nlocal_size: %u 0 0\n\n",
           title, ocl_build_options(program), program->lanes, program->lanes);
   fprintf(file, "[test]\nname: %s\nkernel_name: k\n", title);
   for (uint32_t i = 0; i < program->outputs; i++) {
      if (slot_used(&printer, OCL_OUTPUT, i)) {
         print_buffer(file, "arg_out", number++, program->output_type[i], program->lanes, outputs->value[i]);
      }
   }
   for (uint32_t i = 0; i < program->inputs; i++) {
      if (slot_used(&printer, OCL_INPUT, i)) {
         print_buffer(file, "arg_in", number++, program->input_type[i], program->lanes, program->input[i]);
      }
   }
   for (uint32_t i = 0; i < program->scalars; i++) {
      if (slot_used(&printer, OCL_SCALAR, i)) {
         const uint64_t data[1][OCL_WIDTH] = {{program->scalar[i]}};
         fprintf(file, "arg_in: %u %s", number++, ocl_type_name(program->scalar_type[i]));
         print_data(file, program->scalar_type[i], 1, data);
      }
   }
   fputs("!*/\n", file);
   ocl_print(file, program);
}
