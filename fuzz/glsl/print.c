/* SPDX-License-Identifier: MIT
 *
 * Prints a kernel as a compute shader. Each value that is no constant, argument or work-item function is a variable.
 * Invariant: the text is defined by GLSL and its extensions for explicit types, with the execution modes that it
 * declares: rounding to even, and zeros with signs.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "fuzz/glsl/glsl.h"
#include "fuzz/glsl/words.h"
#include "fuzz/opencl/arguments.h"
#include "fuzz/opencl/print.h"

/* The capabilities and execution modes RoundingModeRTE and SignedZeroInfNanPreserve. glslang keeps one of several
 * widths: who launches the shader adds the same modes for 16 bits. */
#define MODE(capability, mode)                                                                                         \
   "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [" capability "], " mode ", 32);\n"
static const char head[] =
    "#version 460\n"
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
    "#extension GL_EXT_shader_8bit_storage : require\n"
    "#extension GL_EXT_shader_16bit_storage : require\n"
    "#extension GL_EXT_spirv_intrinsics : require\n" MODE("4467", "4462") MODE("4466", "4461") "\n";

/* ---- Values ---- */

static void print_real(FILE *file, uint8_t base, uint64_t value)
{
   char text[64];

   snprintf(text, sizeof(text), "%.17g", (double)ocl_real_value(base, value));
   fprintf(file, "(%s%s%s)", text, strpbrk(text, ".e") == NULL ? ".0" : "", base == OCL_HALF ? "hf" : "f");
}

static void print_number(FILE *file, uint8_t base, uint64_t value)
{
   static const char *const suffixes[OCL_INTEGERS] = {[OCL_UINT] = "u", [OCL_LONG] = "L", [OCL_ULONG] = "UL"};
   const char *suffix = suffixes[base % OCL_INTEGERS] != NULL ? suffixes[base % OCL_INTEGERS] : "";

   if (ocl_real(base)) {
      print_real(file, base, value);
   } else if (ocl_signed(base) && base >= OCL_INT && value == (ocl_mask(base) >> 1) + 1) {
      fprintf(file, "(-%" PRIu64 "%s - 1%s)", ocl_mask(base) >> 1, suffix, suffix);
   } else if (ocl_signed(base)) {
      fprintf(file, "(%" PRId64 "%s)", ocl_sext(base, value), suffix);
   } else {
      fprintf(file, "%" PRIu64 "%s", value, suffix);
   }
}

static void print_constant(FILE *file, struct ocl_type type, const uint64_t *data)
{
   fprintf(file, "%s(", glsl_type_name(type));
   for (unsigned i = 0; i < type.width; i++) {
      fputs(i != 0 ? ", " : "", file);
      print_number(file, type.base, data[i]);
   }
   fputc(')', file);
}

static void print_id(FILE *file, const struct ocl_node *node)
{
   static const char *const names[OCL_IDS] = {[OCL_LOCAL_ID] = "gl_LocalInvocationID",
                                              [OCL_GLOBAL_ID] = "gl_GlobalInvocationID",
                                              [OCL_GROUP_ID] = "gl_WorkGroupID",
                                              [OCL_LOCAL_SIZE] = "gl_WorkGroupSize",
                                              [OCL_NUM_GROUPS] = "gl_NumWorkGroups"};
   const unsigned which = node->slot % OCL_IDS;
   const char dimension = "xyz"[node->data[0] % 3];

   fprintf(file, "%s(", glsl_type_name(node->type));
   if (which == OCL_GLOBAL_SIZE) {
      fprintf(file, "gl_WorkGroupSize.%c * gl_NumWorkGroups.%c)", dimension, dimension);
   } else if (names[which] != NULL) {
      fprintf(file, "%s.%c)", names[which], dimension);
   } else {
      fprintf(file, "%u)", which == OCL_WORK_DIM ? 1u : 0u);
   }
}

static void print_input(const struct printer *printer, const struct ocl_node *node)
{
   if (node->type.width == 3) {
      fprintf(printer->file, "%s(in%u[i * 3], in%u[i * 3 + 1], in%u[i * 3 + 2])", glsl_type_name(node->type),
              node->slot, node->slot, node->slot);
   } else {
      ocl_write(printer, "in%u[%i]", node->slot);
   }
}

/* A value that is no variable has a text of its own in all places. */
static bool is_variable(const struct ocl_node *node)
{
   return node->kind != OCL_CONST && node->kind != OCL_SCALAR && node->kind != OCL_ID && node->kind != OCL_TURN &&
          node->kind != OCL_INPUT;
}

static void print_value(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];

   switch ((enum ocl_kind)node->kind) {
   case OCL_CONST:
      ocl_write(printer, "%k", node->type, node->data);
      break;
   case OCL_SCALAR:
      if (node->type.width == 3) {
         ocl_write(printer, "%t(a%u[0], a%u[1], a%u[2])", node->type, node->slot, node->slot, node->slot);
      } else {
         ocl_write(printer, "a%u[0]", node->slot);
      }
      break;
   case OCL_ID:
      print_id(printer->file, node);
      break;
   case OCL_INPUT:
      print_input(printer, node);
      break;
   case OCL_TURN:
      ocl_write(printer, "%t(", node->type);
      ocl_print_turn(printer, index);
      ocl_write(printer, ")");
      break;
   default:
      ocl_write(printer, "v%u", index);
   }
}

static const struct print_language language = {.type_name = glsl_type_name,
                                               .constant = print_constant,
                                               .value = print_value,
                                               .truth = "%v != 0",
                                               .low = "int(%v) & 3",
                                               .count = "%s(int(%v) & 3) + ",
                                               .wide = "int64_t",
                                               .last_case = "} break; }\n"};

/* ---- Operations ---- */

static void print_operand(const struct printer *printer, const struct ocl_node *node, unsigned number, bool parameters)
{
   if (parameters) {
      fputc((int)('a' + number), printer->file);
   } else {
      print_value(printer, node->source[number]);
   }
}

/* A divisor that is not 0. */
static void print_divisor(const struct printer *printer, const struct ocl_node *node, bool parameters)
{
   ocl_write(printer, node->guard == OCL_ADJUST ? "(%t(" : "%t(", node->type);
   print_operand(printer, node, 1, parameters);
   ocl_write(printer, node->guard == OCL_ADJUST ? ") | %t(1))" : ")", node->type);
}

/* The limits of an integer type: "2147483648.0", from where on a float is too large. */
static void print_limit(const struct printer *printer, uint8_t base, char letter)
{
   const unsigned bits = ocl_bits(base) - (ocl_signed(base) ? 1 : 0);
   const uint64_t most = ocl_mask(base) >> (ocl_signed(base) ? 1 : 0);
   const double above = bits == 64 ? 18446744073709551616.0 : (double)(UINT64_C(1) << bits);

   if (letter == 'h' || letter == 'l') {
      fprintf(printer->file, "(%.1f)", letter == 'h' ? above : ocl_signed(base) ? -above : 0.0);
   } else {
      print_number(printer->file, base, letter == 'x' ? most : ocl_signed(base) ? most + 1 : 0);
   }
}

/* Types of a format. */
static bool print_type(const struct printer *printer, const struct ocl_node *node, char letter)
{
   const struct ocl_type type = node->type, first = printer->program->nodes[node->source[0]].type;
   const bool half = type.base == OCL_HALF, real = ocl_real(type.base);
   const uint8_t equal = (uint8_t)(half ? OCL_SHORT : real ? OCL_INT : type.base & ~1u); /* signed, of its size */
   const struct {
      char letter;
      struct ocl_type type;
   } types[] = {
       {'T', type},
       {'I', first},
       {'J', printer->program->nodes[node->source[2]].type},
       {'U', ocl_with_base(type, equal | 1u)},
       {'Q', ocl_with_base(type, equal | 1u)},
       {'S', ocl_with_base(type, equal)},
       {'W', ocl_with_base(type, real ? type.base : (unsigned)type.base + 2)},
       {'N', ocl_with_base(type, OCL_UINT)},
       {'M', ocl_with_base(type, OCL_INT)},
   };
   for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
      if (types[i].letter == letter) {
         ocl_write(printer, "%t", types[i].type);
         return true;
      }
   }
   return false;
}

/* A shift of a scalar below 32 bits is one of an int. */
static void print_promoted(const struct printer *printer, const struct ocl_node *node, bool parameters)
{
   ocl_write(printer, ocl_bits(node->type.base) < 32 ? "int(" : "(");
   print_operand(printer, node, 0, parameters);
   ocl_write(printer, ")");
}

static void print_letter(const struct printer *printer, const struct ocl_node *node, char letter, bool parameters)
{
   const unsigned bits = ocl_bits(node->type.base);
   const bool half = node->type.base == OCL_HALF;

   if (print_type(printer, node, letter)) {
      return;
   }
   switch (letter) {
   case 'd':
      print_divisor(printer, node, parameters);
      break;
   case 'p':
      print_promoted(printer, node, parameters);
      break;
   case 'k':
      ocl_write(printer, "%u", bits == 64 ? 63u : 31u);
      break;
   case 'm':
   case 'n':
      ocl_write(printer, "%u", bits - (letter == 'm' ? 1 : 0));
      break;
   case 'G': /* the bits of a number that a float keeps, and those that it gets */
      ocl_write(printer, half ? "0xbfffu" : "0xbfffffffu");
      break;
   case 'E':
      ocl_write(printer, half ? "0x2000u" : "0x3c000000u");
      break;
   case 'F':
      ocl_write(printer, half ? "uint16BitsToFloat16" : "uintBitsToFloat");
      break;
   case 'h':
   case 'l':
   case 'x':
   case 'y':
      print_limit(printer, node->type.base, letter);
      break;
   default:
      print_operand(printer, node, (unsigned)(letter - 'a'), parameters);
   }
}

static void print_format(const struct printer *printer, const struct ocl_node *node, bool parameters)
{
   const struct ocl_type first = printer->program->nodes[node->source[0]].type;

   for (const char *format = glsl_format(&ocl_ops[node->op], node, first); *format != '\0'; format++) {
      if (*format != '$') {
         fputc(*format, printer->file);
      } else {
         print_letter(printer, node, *++format, parameters);
      }
   }
}

/* "(v3).zyx" */
static void print_components(const struct printer *printer, const struct ocl_node *node, bool reversed)
{
   const unsigned width = printer->program->nodes[node->source[0]].type.width;

   if (width == 1) { /* the shrinker makes such */
      ocl_write(printer, "%t(%v)", node->type, node->source[0]);
      return;
   }
   ocl_write(printer, "(%v).", node->source[0]);
   for (unsigned i = 0; i < node->type.width; i++) {
      fputc("xyzw"[reversed ? node->type.width - 1u - i : (unsigned)node->data[i] % width], printer -> file);
   }
}

static void print_list(const struct printer *printer, const struct ocl_node *node)
{
   for (unsigned i = 0; i < node->count; i++) {
      ocl_write(printer, i != 0 ? ", %v" : "%v", node->source[i]);
   }
}

static void print_operation(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const enum ocl_shape shape = ocl_ops[node->op].shape;

   ocl_write(printer, "%>%t v%u = ", node->type, index);
   if (shape == OCL_SHAPE_SWIZZLE || shape == OCL_SHAPE_REVERSE) {
      print_components(printer, node, shape == OCL_SHAPE_REVERSE);
   } else if (shape == OCL_SHAPE_BUILD) {
      ocl_write(printer, "%t(", node->type);
      print_list(printer, node);
      ocl_write(printer, ")");
   } else if (shape == OCL_SHAPE_INSERT) {
      ocl_write(printer, "%v;\n%>v%u.", node->source[0], index);
      fputc("xyzw"[node->data[0] % node->type.width], printer -> file);
      ocl_write(printer, " = %v", node->source[1]);
   } else if (node->outlined != OCL_INLINE) {
      ocl_write(printer, "f%u(", index);
      print_list(printer, node);
      ocl_write(printer, ")");
   } else {
      print_format(printer, node, false);
   }
   ocl_write(printer, ";\n");
}

static void print_functions(const struct printer *printer)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      if (!printer->needed[i] || node->kind != OCL_OP || node->outlined == OCL_INLINE ||
          glsl_format(&ocl_ops[node->op], node, printer->program->nodes[node->source[0]].type) == NULL) {
         continue;
      }
      ocl_write(printer, "%t f%u(", node->type, i);
      for (unsigned j = 0; j < node->count; j++) {
         ocl_write(printer, j != 0 ? ", %t " : "%t ", printer->program->nodes[node->source[j]].type);
         fputc((int)('a' + j), printer->file);
      }
      ocl_write(printer, ")\n{\n   return ");
      print_format(printer, node, true);
      ocl_write(printer, ";\n}\n\n");
   }
}

/* ---- Objects ---- */

static const struct ocl_object *object_of(const struct printer *printer, const struct ocl_node *node)
{
   return &printer->program->object[node->slot];
}

static bool is_shared(const struct ocl_object *object)
{
   return object->space == OCL_LOCAL;
}

/* "m3[", or this lane's part of shared memory: "m3[i][". */
static void print_row(const struct printer *printer, uint32_t number)
{
   ocl_write(printer, is_shared(&printer->program->object[number]) ? "m%u[%i][" : "m%u[", number);
}

/* "m3[int(v7) & 3]" */
static void print_place(const struct printer *printer, uint32_t number, uint32_t index)
{
   const struct ocl_object *object = &printer->program->object[number];

   print_row(printer, number);
   ocl_write(printer, object->length == 1 ? "0]" : "int(%v) & %u]", index, object->length - 1u);
}

static void print_vector(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const bool load = node->kind == OCL_VLOAD;
   const unsigned width = load ? node->type.width : printer->program->nodes[node->source[1]].type.width;

   ocl_write(printer, "%>int s%u = (int(%v) & 7) %% %u;\n", index, node->source[0],
             object_of(printer, node)->length - width + 1u);
   if (load) {
      ocl_write(printer, "%>%t v%u = %t(", node->type, index, node->type);
   }
   for (unsigned i = 0; i < width; i++) {
      ocl_write(printer, load ? (i != 0 ? ", " : "") : "%>");
      print_row(printer, node->slot);
      ocl_write(printer, "s%u + %u]", index, i);
      if (!load) {
         ocl_write(printer, width == 1 ? " = %v;\n" : " = (%v).", node->source[1]);
         if (width != 1) {
            fprintf(printer->file, "%c;\n", "xyzw"[i]);
         }
      }
   }
   ocl_write(printer, load ? ");\n" : "");
}

static void print_copy(const struct printer *printer, const struct ocl_node *node)
{
   for (uint32_t i = 0; i < printer->program->objects; i++) {
      if (printer->program->object[i].record == node->slot && node->slot != 0) {
         ocl_write(printer, "%>");
         print_place(printer, i, node->source[0]);
         ocl_write(printer, " = ");
         print_place(printer, i, node->source[1]);
         ocl_write(printer, ";\n");
      }
   }
}

/* Shared memory, outside of the function. */
static void print_shared(const struct printer *printer)
{
   const struct ocl_program *program = printer->program;

   for (uint32_t i = 0; i < program->count; i++) {
      const struct ocl_node *node = &program->nodes[i];
      if (printer->needed[i] && (node->kind == OCL_EXCHANGE || node->kind == OCL_OWN || node->kind == OCL_ATOMIC)) {
         ocl_write(printer, "shared %t l%u[%u];\n", node->type, i, node->kind == OCL_ATOMIC ? 1u : program->lanes);
      }
   }
   for (uint32_t i = 0; i < program->objects; i++) {
      const struct ocl_object *object = &program->object[i];
      if (is_shared(object) && ocl_object_used(printer, i)) {
         ocl_write(printer, "shared %t m%u[%u][%u];\n", object->type, i, program->lanes, object->length);
      }
   }
}

static void print_objects(const struct printer *printer)
{
   const struct ocl_program *program = printer->program;

   for (uint32_t i = 0; i < program->objects; i++) {
      const struct ocl_object *object = &program->object[i];
      if (!ocl_object_used(printer, i)) {
         continue;
      }
      if (!is_shared(object)) {
         ocl_write(printer, object->space == OCL_CONSTANT ? "   const %t m%u[%u] = %t[%u](" : "   %t m%u[%u] = %t[%u](",
                   object->type, i, object->length, object->type, object->length);
      }
      for (unsigned j = 0; j < object->length; j++) {
         if (is_shared(object)) {
            ocl_write(printer, "   m%u[%i][%u] = ", i, j);
         }
         ocl_print_start(printer, object, j);
         ocl_write(printer, is_shared(object) ? ";\n" : j + 1 < object->length ? ", " : ");\n");
      }
   }
}

/* ---- Statements ---- */

static void print_atomic(const struct printer *printer, uint32_t index)
{
   static const char *const names[] = {
       [OCL_ATOMIC_ADD] = "Add", [OCL_ATOMIC_SUB] = "Add",         [OCL_ATOMIC_MIN] = "Min",
       [OCL_ATOMIC_MAX] = "Max", [OCL_ATOMIC_AND] = "And",         [OCL_ATOMIC_OR] = "Or",
       [OCL_ATOMIC_XOR] = "Xor", [OCL_ATOMIC_XCHG] = "Exchange",   [OCL_ATOMIC_INC] = "Add",
       [OCL_ATOMIC_DEC] = "Add", [OCL_ATOMIC_CMPXCHG] = "CompSwap"};
   const struct ocl_node *node = &printer->program->nodes[index];
   const bool one = node->op == OCL_ATOMIC_INC || node->op == OCL_ATOMIC_DEC;

   ocl_write(printer, node->kind == OCL_ATOMIC ? "atomic%s(l%u[0], " : "atomic%s(l%u[%i], ", names[node->op], index);
   if (node->op == OCL_ATOMIC_CMPXCHG) {
      ocl_write(printer, "%k, ", node->type, &node->data[1]);
   }
   if (one) {
      ocl_write(printer, node->op == OCL_ATOMIC_INC ? "%t(1))" : "%t(-1))", node->type);
   } else {
      ocl_write(printer, node->op == OCL_ATOMIC_SUB ? "-(%v))" : "%v)", node->source[0]);
   }
}

static void print_own(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];

   ocl_write(printer, "%>l%u[%i] = %k;\n%>%t v%u = ", index, node->type, node->data, node->type, index);
   print_atomic(printer, index);
   ocl_write(printer, ";\n%>v%u ^= l%u[%i];\n", index, index);
}

/* Among all lanes: outside of blocks. */
static void print_exchange(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];

   if (node->kind == OCL_EXCHANGE) {
      ocl_write(printer, "   l%u[%i] = %v;\n   barrier();\n   %t v%u = ", index, node->source[0], node->type, index);
      ocl_write(printer, printer->program->lanes == 1 ? "l%u[0];\n" : "l%u[i ^ %u];\n", index, (unsigned)node->data[0]);
      return;
   }
   ocl_write(printer, "   if (%i == 0) {\n      l%u[0] = %k;\n   }\n   barrier();\n   ", index, node->type, node->data);
   print_atomic(printer, index);
   ocl_write(printer, ";\n   barrier();\n   %t v%u = l%u[0];\n", node->type, index, index);
}

static void print_output(const struct printer *printer, const struct ocl_node *node)
{
   if (node->type.width != 3) {
      ocl_write(printer, "%>out%u[%i] = %v;\n", node->slot, node->source[0]);
      return;
   }
   for (unsigned i = 0; i < 3; i++) {
      ocl_write(printer, "%>out%u[%i * 3 + %u] = (%v).", node->slot, i, node->source[0]);
      fprintf(printer->file, "%c;\n", "xyz"[i]);
   }
}

static void print_node(struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];

   switch ((enum ocl_kind)node->kind) {
   case OCL_OP:
      print_operation(printer, index);
      break;
   case OCL_READ:
      ocl_write(printer, "%>%t v%u = ", node->type, index);
      print_place(printer, node->slot, node->source[0]);
      ocl_write(printer, ";\n");
      break;
   case OCL_WRITE:
      ocl_write(printer, "%>");
      print_place(printer, node->slot, node->source[0]);
      ocl_write(printer, " = %v;\n", node->source[1]);
      break;
   case OCL_VLOAD:
   case OCL_VSTORE:
      print_vector(printer, index);
      break;
   case OCL_COPY:
      print_copy(printer, node);
      break;
   case OCL_OWN:
      print_own(printer, index);
      break;
   case OCL_EXCHANGE:
   case OCL_ATOMIC:
      print_exchange(printer, index);
      break;
   case OCL_OUTPUT:
      print_output(printer, node);
      break;
   default:
      if (is_variable(node)) {
         ocl_print_control(printer, index);
      }
   }
}

static void print_arguments(const struct printer *printer)
{
   struct ocl_arguments list;

   ocl_list_arguments(printer->program, &list);
   for (unsigned i = 0; i < list.count; i++) {
      const struct ocl_argument *argument = &list.item[i];
      ocl_write(printer, "layout(set = 0, binding = %u, std430) %sbuffer B%u { %t %s%u[]; };\n", i,
                argument->kind == OCL_OUTPUT ? "" : "readonly ", i, ocl_stored_type(argument->type), argument->name,
                argument->slot);
   }
}

void glsl_print(FILE *file, const struct ocl_program *program)
{
   struct printer printer = {.file = file, .program = program, .language = &language, .indent = 1};

   ocl_needed(program, printer.needed);
   fputs(head, file);
   ocl_write(&printer, "layout(local_size_x = %u) in;\n", program->lanes);
   print_arguments(&printer);
   print_shared(&printer);
   ocl_write(&printer, "\n");
   print_functions(&printer);
   ocl_write(&printer, "void main()\n{\n   int i = int(gl_GlobalInvocationID.x);\n");
   print_objects(&printer);
   for (uint32_t i = 0; i < program->count; i++) {
      if (printer.needed[i]) {
         print_node(&printer, i);
      }
   }
   ocl_write(&printer, "}\n");
}

void glsl_print_test(FILE *file, const struct ocl_program *program, const struct ocl_outputs *outputs,
                     const char *title)
{
   ocl_print_test_comment(file, program, outputs, &(struct ocl_test_words){title, NULL, "main", false});
   glsl_print(file, program);
}
