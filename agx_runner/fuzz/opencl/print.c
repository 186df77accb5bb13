/* SPDX-License-Identifier: MIT
 *
 * A generated kernel as OpenCL C. A value that is read once stands where it is read; others are variables. Invariant:
 * the text has no undefined or unspecified behaviour, as far as the guards of the nodes tell.
 */
#include <string.h>

#include "agx_runner/fuzz/opencl/print.h"
#include "compiler/compiler.h"

static struct ocl_type unsigned_type(struct ocl_type type)
{
   return (struct ocl_type){.base = type.base | 1, .width = type.width};
}

bool ocl_slot_used(const struct printer *printer, enum ocl_kind kind, uint32_t slot)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      if (printer->needed[i] && printer->program->nodes[i].kind == kind && printer->program->nodes[i].slot == slot) {
         return true;
      }
   }
   return false;
}

bool ocl_has_effect(const struct ocl_node *node)
{
   return node->kind == OCL_OUTPUT || node->kind == OCL_WRITE || node->kind == OCL_VSTORE ||
          (node->kind >= OCL_IF && node->kind <= OCL_CONTINUE);
}

void ocl_needed(const struct ocl_program *program, bool needed[OCL_NODES])
{
   for (uint32_t i = program->count; i-- > 0;) {
      needed[i] = ocl_has_effect(&program->nodes[i]);
   }
   for (uint32_t i = program->count; i-- > 0;) {
      for (unsigned j = 0; needed[i] && j < program->nodes[i].count; j++) {
         needed[program->nodes[i].source[j]] |= j != 0 || ocl_index_uses(program, &program->nodes[i]) != 0;
      }
   }
}

/* A division that may overflow tests its divisor first. */
static bool tests_divisor(const struct ocl_node *node)
{
   return node->guard == OCL_OTHER && ocl_ops[node->op].shape == OCL_SHAPE_DIVIDE && node->type.width == 1;
}

static bool is_function(const struct ocl_node *node)
{
   return node->outlined != OCL_INLINE || ocl_ops[node->op].body;
}

bool ocl_is_declared(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];

   switch ((enum ocl_kind)node->kind) {
   case OCL_READ:
      return !printer->in_place[index];
   case OCL_VLOAD:
   case OCL_OWN:
   case OCL_EXCHANGE:
   case OCL_ATOMIC:
      return true;
   case OCL_OP:
      return printer->uses[index] != 1 || ocl_ops[node->op].shape == OCL_SHAPE_INSERT;
   default:
      return false;
   }
}

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
      ocl_print_value(printer, node->source[number]);
   }
}

static void print_wrapped(const struct printer *printer, const struct ocl_node *node, unsigned number, bool parameter)
{
   struct ocl_type type = unsigned_type(node->type);
   const bool scalar = printer->program->nodes[node->source[number]].type.width == 1;

   if (type.width != 1 && scalar) {
      fprintf(printer->file, "(%s)", ocl_type_name(ocl_scalar_of(type)));
      print_operand(printer, node, number, parameter);
   } else if (type.width == 1) {
      type.base = type.base < OCL_UINT ? (uint8_t)OCL_UINT : type.base;
      fprintf(printer->file, "(%s)", ocl_type_name(type));
      print_operand(printer, node, number, parameter);
   } else {
      fprintf(printer->file, "as_%s(", ocl_type_name(type));
      print_operand(printer, node, number, parameter);
      fputc(')', printer->file);
   }
}

/* A divisor that is not 0, a factor of 24 bits, bits that are no infinite half. */
static void print_adjusted(const struct printer *printer, const struct ocl_node *node, unsigned number, bool parameter)
{
   const struct ocl_op *op = &ocl_ops[node->op];
   const struct ocl_type type = printer->program->nodes[node->source[number]].type;

   fputs("(", printer->file);
   print_operand(printer, node, number, parameter);
   if (op->shape == OCL_SHAPE_HALF_IN) {
      fprintf(printer->file, " & (%s)0xbfff)", ocl_type_name(type));
   } else if (!ocl_divides(op)) {
      fputs(ocl_signed(node->type.base) ? " << 8 >> 8)" : " & 0xffffffu)", printer->file);
   } else if (type.width != 1) {
      fprintf(printer->file, " | (%s)1)", ocl_type_name(type));
   } else {
      fputs(" | 1)", printer->file);
   }
}

static void print_guarded(const struct printer *printer, const struct ocl_node *node, unsigned number, bool parameter)
{
   const struct ocl_op *op = &ocl_ops[node->op];
   const bool converts = op->shape == OCL_SHAPE_CONVERT || op->shape == OCL_SHAPE_CAST;

   if (node->guard == OCL_WRAP) {
      print_wrapped(printer, node, number, parameter);
   } else if (node->guard == OCL_OTHER && converts && ocl_real(node->type.base)) {
      fputs("rint(", printer->file); /* no denormal half */
      print_operand(printer, node, number, parameter);
      fputs(")", printer->file);
   } else if (node->guard != OCL_ADJUST || (ocl_divides(op) && number == 0) || number == 2) {
      print_operand(printer, node, number, parameter);
   } else {
      print_adjusted(printer, node, number, parameter);
   }
}

static const char *format_of(const struct ocl_node *node)
{
   const struct ocl_op *op = &ocl_ops[node->op];

   if (node->guard != OCL_OTHER || op->shape == OCL_SHAPE_CONVERT) {
      return op->format;
   }
   if (op->shape == OCL_SHAPE_CAST) {
      return ocl_real(node->type.base) ? op->format : "convert_$T_sat($a)";
   }
   if (tests_divisor(node)) {
      return op->format[4] == '/' ? "($b == 0 || $b == -1 ? $a : $a / $b)" : "($b == 0 || $b == -1 ? $a : $a % $b)";
   }
   return op->shape == OCL_SHAPE_REAL ? "$a" : "($a ^ $b)";
}

const char *ocl_mode_name(const struct ocl_program *program, const struct ocl_node *node)
{
   static const char *const modes[] = {
       [OCL_TO_EVEN] = "_rte", [OCL_TO_ZERO] = "_rtz", [OCL_UP] = "_rtp", [OCL_DOWN] = "_rtn", [OCL_BY_TYPE] = ""};
   const struct ocl_op *op = &ocl_ops[node->op];
   const bool rounds = ocl_real(node->type.base) || ocl_real(program->nodes[node->source[0]].type.base);

   return op->shape == OCL_SHAPE_CONVERT && (rounds || program->integer_modes) ? modes[op->rounding] : "";
}

/* What stands for a letter behind a dollar sign in a format. */
static void print_letter(const struct printer *printer, const struct ocl_node *node, char letter, bool parameters)
{
   const struct ocl_type from = printer->program->nodes[node->source[0]].type;
   FILE *file = printer->file;

   switch (letter) {
   case 'T': /* the result's type */
      fputs(ocl_type_name(node->type), file);
      break;
   case 'I': /* the operand's type */
      fputs(ocl_type_name(from), file);
      break;
   case 'B': /* the type of a component */
      fputs(ocl_type_name(ocl_scalar_of(node->type)), file);
      break;
   case 'N':
      fprintf(file, "%u", node->type.width);
      break;
   case 'W': /* of the functions for vectors */
      if (node->type.width != 1) {
         fprintf(file, "%u", node->type.width);
      }
      break;
   case 'V': /* vloada_half2() and its kin have no scalar form */
      fputs(node->type.width != 1 ? "a" : "", file);
      break;
   case 'S':
      fputs(node->guard == OCL_OTHER && !ocl_real(node->type.base) ? "_sat" : "", file);
      break;
   case 'R':
      fputs(ocl_mode_name(printer->program, node), file);
      break;
   case 'M': /* what as_half() and as_float() keep of a number, and what they add */
      fputs(node->type.base == OCL_HALF ? "0xbfff" : "0xbfffffff", file);
      break;
   case 'E':
      fputs(node->type.base == OCL_HALF ? "0x2000" : "0x3c000000", file);
      break;
   default:
      print_guarded(printer, node, (unsigned)(letter - 'a'), parameters);
   }
}

static void print_format(const struct printer *printer, const struct ocl_node *node, bool parameters)
{
   for (const char *format = format_of(node); *format != '\0'; format++) {
      if (*format != '$') {
         fputc(*format, printer->file);
      } else {
         print_letter(printer, node, *++format, parameters);
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
   ocl_print_value(printer, node->source[0]);
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
      /* Guards stand in the function, but where its text is fixed. */
      if (node->kind == OCL_OP && ocl_ops[node->op].body) {
         print_guarded(printer, node, i, false);
      } else {
         ocl_print_value(printer, node->source[i]);
      }
   }
}

const char *ocl_id_name(const struct ocl_node *node)
{
   static const char *const names[OCL_IDS] = {
       [OCL_LOCAL_ID] = "get_local_id",           [OCL_GLOBAL_ID] = "get_global_id",
       [OCL_GROUP_ID] = "get_group_id",           [OCL_LOCAL_SIZE] = "get_local_size",
       [OCL_GLOBAL_SIZE] = "get_global_size",     [OCL_NUM_GROUPS] = "get_num_groups",
       [OCL_GLOBAL_OFFSET] = "get_global_offset", [OCL_WORK_DIM] = "get_work_dim"};

   return names[node->slot % OCL_IDS];
}

static void print_id(const struct printer *printer, const struct ocl_node *node)
{
   fprintf(printer->file, "(%s)%s(", ocl_type_name(node->type), ocl_id_name(node));
   if (node->slot % OCL_IDS != OCL_WORK_DIM && node->count != 0) {
      ocl_print_value(printer, node->source[0]);
   } else if (node->slot % OCL_IDS != OCL_WORK_DIM) {
      fprintf(printer->file, "%u", (unsigned)node->data[0]);
   }
   fputs(")", printer->file);
}

static void print_turn(const struct printer *printer, uint32_t index)
{
   const uint32_t loop = ocl_turn_loop(printer->program, index);

   fprintf(printer->file, "(%s)", ocl_type_name(printer->program->nodes[index].type));
   if (loop != UINT32_MAX) {
      fprintf(printer->file, "j%u", loop);
   } else {
      fputc('0', printer->file);
   }
}

/* The expression that a node stands for. */
static void print_expression(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const enum ocl_shape shape = node->kind == OCL_OP ? ocl_ops[node->op].shape : OCL_SHAPE_1;

   if (node->kind == OCL_CONST) {
      ocl_print_constant(printer->file, node->type, node->data);
   } else if (node->kind == OCL_SCALAR) {
      fprintf(printer->file, "a%u", node->slot);
   } else if (node->kind == OCL_ID) {
      print_id(printer, node);
   } else if (node->kind == OCL_READ) {
      ocl_print_place(printer, node);
   } else if (node->kind == OCL_TURN) {
      print_turn(printer, index);
   } else if (node->kind == OCL_INPUT && node->type.width != 1 && node->form != 0) {
      fprintf(printer->file, "vload%u(%s, (global const %s *)in%u)", node->type.width, element(printer),
              ocl_type_name(ocl_scalar_of(node->type)), node->slot);
   } else if (node->kind == OCL_INPUT && node->form != 0) {
      fprintf(printer->file, "*(in%u + %s)", node->slot, element(printer));
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
      ocl_print_value(printer, node->source[0]);
   } else if (is_function(node)) {
      fprintf(printer->file, "f%u(", index);
      print_list(printer, node);
      fputs(node->outlined == OCL_FUNCTION_WITH_SAMPLER ? ", sampler)" : ")", printer->file);
   } else {
      print_op(printer, node, false);
   }
}

void ocl_print_value(const struct printer *printer, uint32_t index)
{
   if (ocl_is_declared(printer, index)) {
      fprintf(printer->file, "v%u", index);
   } else {
      print_expression(printer, index);
   }
}

static void begin_line(const struct printer *printer)
{
   fprintf(printer->file, "%*s", (int)(3 * printer->indent), "");
}

static void print_declaration(const struct printer *printer, uint32_t index)
{
   static const char *const atomics[] = {
       [OCL_ATOMIC_ADD] = "add", [OCL_ATOMIC_SUB] = "sub", [OCL_ATOMIC_MIN] = "min",        [OCL_ATOMIC_MAX] = "max",
       [OCL_ATOMIC_AND] = "and", [OCL_ATOMIC_OR] = "or",   [OCL_ATOMIC_XOR] = "xor",        [OCL_ATOMIC_XCHG] = "xchg",
       [OCL_ATOMIC_INC] = "inc", [OCL_ATOMIC_DEC] = "dec", [OCL_ATOMIC_CMPXCHG] = "cmpxchg"};
   const struct ocl_node *node = &printer->program->nodes[index];
   const char *barrier = node->slot != 0 ? "barrier(CLK_GLOBAL_MEM_FENCE);" : "barrier(CLK_LOCAL_MEM_FENCE);";
   const char *type = ocl_type_name(node->type), *i = element(printer);
   FILE *file = printer->file;

   begin_line(printer);
   if (node->kind == OCL_READ) {
      fprintf(file, "%s v%u = ", type, index);
      ocl_print_place(printer, node);
      fputs(";\n", file);
   } else if (node->kind == OCL_VLOAD && node->type.width == 1) {
      fprintf(file, "%s v%u = *(", type, index);
      ocl_print_vector_place(printer, node, 1);
      fputs(");\n", file);
   } else if (node->kind == OCL_VLOAD) {
      fprintf(file, "%s v%u = vload%u(0, ", type, index, node->type.width);
      ocl_print_vector_place(printer, node, node->type.width);
      fputs(");\n", file);
   } else if (node->kind == OCL_OWN) {
      ocl_print_exchanged(printer, index, 0);
      fputs(" = ", file);
      ocl_print_number(file, node->type.base, node->data[0], true);
      fputs(";\n", file);
      begin_line(printer);
      fprintf(file, "%s v%u = atomic_%s(&", type, index, atomics[node->op]);
      ocl_print_exchanged(printer, index, 0);
      if (node->op == OCL_ATOMIC_CMPXCHG) {
         fputs(", ", file);
         ocl_print_number(file, node->type.base, node->data[1], true);
      }
      if (node->op != OCL_ATOMIC_INC && node->op != OCL_ATOMIC_DEC) {
         fputs(", ", file);
         ocl_print_value(printer, node->source[0]);
      }
      fputs(");\n", file);
      begin_line(printer);
      fprintf(file, "v%u ^= ", index);
      ocl_print_exchanged(printer, index, 0);
      fputs(";\n", file);
   } else if (node->kind == OCL_EXCHANGE) {
      ocl_print_exchanged(printer, index, 0);
      fputs(" = ", file);
      ocl_print_value(printer, node->source[0]);
      fprintf(file, ";\n   %s\n   %s v%u = ", barrier, type, index);
      ocl_print_exchanged(printer, index, (unsigned)node->data[0]);
      fputs(";\n", file);
   } else if (node->kind == OCL_ATOMIC) {
      fprintf(file, "if (%s == 0) {\n      ", i);
      ocl_print_exchanged(printer, index, 0);
      fputs(" = ", file);
      ocl_print_number(file, node->type.base, node->data[0], true);
      fprintf(file, ";\n   }\n   %s\n   atomic_%s(&", barrier, atomics[node->op]);
      ocl_print_exchanged(printer, index, 0);
      fputs(", ", file);
      ocl_print_value(printer, node->source[0]);
      fprintf(file, ");\n   %s\n   %s v%u = ", barrier, type, index);
      ocl_print_exchanged(printer, index, 0);
      fputs(";\n", file);
   } else {
      fprintf(file, "%s v%u = ", type, index);
      print_expression(printer, index);
      fputs(";\n", file);
      if (ocl_ops[node->op].shape == OCL_SHAPE_INSERT) {
         begin_line(printer);
         fprintf(file, "v%u.s%x = ", index, (unsigned)node->data[0] % node->type.width);
         ocl_print_value(printer, node->source[1]);
         fputs(";\n", file);
      }
   }
}

static void print_leave(const struct printer *printer, const struct ocl_node *node)
{
   fputs("if (", printer->file);
   ocl_print_value(printer, node->source[0]);
   fputs(node->kind == OCL_BREAK ? ") {\n" : ") {\n", printer->file);
   begin_line(printer);
   fputs(node->kind == OCL_BREAK ? "   break;\n" : "   continue;\n", printer->file);
   begin_line(printer);
   fputs("}\n", printer->file);
}

/* Which node begins the loop or switch that a node ends, or which a case belongs to. cases: how many stand between. */
static uint32_t beginning_of(const struct ocl_program *program, uint32_t index, unsigned *cases)
{
   unsigned depth = 1;

   *cases = 0;
   while (depth != 0 && index-- > 0) {
      const uint8_t kind = program->nodes[index].kind;
      depth += kind == OCL_ENDLOOP || kind == OCL_ENDSWITCH || kind == OCL_ENDIF ? 1 : 0;
      depth -= kind == OCL_LOOP || kind == OCL_SWITCH || kind == OCL_IF ? 1 : 0;
      *cases += depth == 1 && (kind == OCL_CASE || kind == OCL_DEFAULT) ? 1 : 0;
   }
   return index;
}

static enum ocl_loop_form loop_form(const struct ocl_node *loop)
{
   /* The body of a do runs once at least. */
   return loop->form == OCL_DO && loop->data[0] == 0 ? OCL_FOR : (enum ocl_loop_form)loop->form;
}

static void print_loop(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const enum ocl_loop_form form = loop_form(node);
   const char *type = form == OCL_FOR_ULONG ? "ulong" : "int";
   FILE *file = printer->file;

   if (form == OCL_FOR || form == OCL_FOR_ULONG) {
      fprintf(file, "for (%s j%u = 0; j%u < ", type, index, index);
   } else {
      fprintf(file, "int j%u = ", index);
   }
   if (node->count != 0) {
      fprintf(file, "(%s)(", type);
      ocl_print_value(printer, node->source[0]);
      fputs(" & 3) + ", file);
   }
   fprintf(file, "%u; ", (unsigned)node->data[0]);
   if (form == OCL_FOR || form == OCL_FOR_ULONG) {
      fprintf(file, "j%u++) {\n", index);
   } else if (form == OCL_WHILE) {
      fprintf(file, "while (j%u-- > 0) {\n", index);
   } else {
      fputs("do {\n", file);
   }
}

static void print_end(const struct printer *printer, uint32_t index)
{
   const struct ocl_program *program = printer->program;
   const uint8_t kind = program->nodes[index].kind;
   unsigned cases;
   const uint32_t start = beginning_of(program, index, &cases);

   if (kind == OCL_ENDLOOP && start < program->count && loop_form(&program->nodes[start]) == OCL_DO) {
      fprintf(printer->file, "} while (--j%u > 0);\n", start);
   } else {
      fputs(kind == OCL_ENDSWITCH && cases != 0 ? "} }\n" : "}\n", printer->file);
   }
}

static void print_case(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   unsigned cases;

   (void)beginning_of(printer->program, index, &cases);
   fputs(cases == 0 ? "" : node->data[1] != 0 ? "}\n" : "} break;\n", printer->file);
   if (cases != 0) {
      begin_line(printer);
   }
   if (node->kind == OCL_DEFAULT) {
      fputs("default: {\n", printer->file);
   } else {
      fprintf(printer->file, "case %u: {\n", (unsigned)node->data[0]);
   }
}

static void print_output(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const char *i = element(printer), *base = ocl_type_name(ocl_scalar_of(node->type));
   FILE *file = printer->file;

   if (node->form == OCL_STORE_BYTES && node->type.width != 3) {
      const unsigned bytes = ocl_bytes(node->type);
      fprintf(file, "%s t%u = ", ocl_type_name(node->type), index);
      ocl_print_value(printer, node->source[0]);
      fprintf(file, ";\n");
      begin_line(printer);
      fprintf(file, "for (int j = 0; j < %u; j++) { ((global uchar *)out%u)[%s * %u + j] = ((uchar *)&t%u)[j]; }\n",
              bytes, node->slot, i, bytes, index);
   } else if (node->type.width == 3 || (node->form == OCL_STORE_VECTOR && node->type.width != 1)) {
      fprintf(file, "vstore%u(", node->type.width);
      ocl_print_value(printer, node->source[0]);
      fprintf(file, ", %s, (global %s *)out%u);\n", i, base, node->slot);
   } else {
      fprintf(file, "out%u[%s] = ", node->slot, i);
      ocl_print_value(printer, node->source[0]);
      fputs(";\n", file);
   }
}

static void print_write(const struct printer *printer, const struct ocl_node *node)
{
   const unsigned width = printer->program->nodes[node->source[1]].type.width;

   if (node->kind == OCL_VSTORE && width != 1) {
      fprintf(printer->file, "vstore%u(", width);
      ocl_print_value(printer, node->source[1]);
      fputs(", 0, ", printer->file);
      ocl_print_vector_place(printer, node, width);
      fputs(");\n", printer->file);
      return;
   }
   if (node->kind == OCL_VSTORE) {
      fputs("*(", printer->file);
      ocl_print_vector_place(printer, node, 1);
      fputs(")", printer->file);
   } else {
      ocl_print_place(printer, node);
   }
   fputs(" = ", printer->file);
   ocl_print_value(printer, node->source[1]);
   fputs(";\n", printer->file);
}

static void print_statement(struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const uint8_t kind = node->kind;
   FILE *file = printer->file;

   printer->indent -= kind == OCL_ELSE || kind == OCL_ENDIF || kind == OCL_ENDLOOP || kind == OCL_ENDSWITCH ||
                              kind == OCL_CASE || kind == OCL_DEFAULT
                          ? 1
                          : 0;
   begin_line(printer);
   switch ((enum ocl_kind)kind) {
   case OCL_OUTPUT:
      print_output(printer, index);
      break;
   case OCL_WRITE:
   case OCL_VSTORE:
      print_write(printer, node);
      break;
   case OCL_IF:
   case OCL_SWITCH:
      fputs(kind == OCL_IF ? "if (" : "switch (", file);
      ocl_print_value(printer, node->source[0]);
      fputs(kind == OCL_IF ? ") {\n" : " & 3) {\n", file);
      printer->indent++;
      break;
   case OCL_LOOP:
      print_loop(printer, index);
      printer->indent++;
      break;
   case OCL_CASE:
   case OCL_DEFAULT:
      print_case(printer, index);
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
      print_end(printer, index);
   }
}

static void print_functions(const struct printer *printer)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      if (!printer->needed[i] || node->kind != OCL_OP || !is_function(node)) {
         continue;
      }
      fprintf(printer->file, "%s f%u(", ocl_type_name(node->type), i);
      for (unsigned j = 0; j < node->count; j++) {
         fprintf(printer->file, "%s%s %c", j != 0 ? ", " : "",
                 ocl_type_name(printer->program->nodes[node->source[j]].type), (int)('a' + j));
      }
      fputs(node->outlined == OCL_FUNCTION_WITH_SAMPLER ? ", sampler_t sampler" : "", printer->file);
      fputs(ocl_ops[node->op].body ? ")\n{\n   " : ")\n{\n   return ", printer->file);
      print_op(printer, node, true);
      fputs(ocl_ops[node->op].body ? "\n}\n\n" : ";\n}\n\n", printer->file);
   }
}

static void print_arguments(const struct printer *printer)
{
   const struct ocl_program *program = printer->program;
   const char *comma = "";

   for (uint32_t i = 0; i < program->outputs; i++) {
      if (ocl_slot_used(printer, OCL_OUTPUT, i)) {
         const struct ocl_type type = program->output_type[i];
         fprintf(printer->file, "%sglobal %s *out%u", comma,
                 ocl_type_name(type.width == 3 ? ocl_scalar_of(type) : type), i);
         comma = ", ";
      }
   }
   for (uint32_t i = 0; i < program->inputs; i++) {
      if (ocl_slot_used(printer, OCL_INPUT, i)) {
         const struct ocl_type type = program->input_type[i];
         fprintf(printer->file, "%sglobal const %s *in%u", comma,
                 ocl_type_name(type.width == 3 ? ocl_scalar_of(type) : type), i);
         comma = ", ";
      }
   }
   for (uint32_t i = 0; i < OCL_GLOBALS; i++) {
      struct ocl_type type;
      if (ocl_global_type(program, i, &type)) {
         fprintf(printer->file, "%sglobal %s *g%u", comma, ocl_type_name(type), i);
         comma = ", ";
      }
   }
   for (uint32_t i = 0; i < program->scalars; i++) {
      if (ocl_slot_used(printer, OCL_SCALAR, i)) {
         fprintf(printer->file, "%s%s a%u", comma, ocl_type_name(program->scalar_type[i]), i);
         comma = ", ";
      }
   }
   if (ocl_has_sampler(program)) {
      fprintf(printer->file, "%ssampler_t sampler", comma);
   }
}

/* How often the text of a node holds that of its source. */
static unsigned uses_of(const struct printer *printer, const struct ocl_node *node, unsigned source)
{
   if (node->kind == OCL_OP && strcmp(ocl_ops[node->op].name, "clamp") == 0) {
      return source != 0 ? 2 : 1;
   }
   if (node->kind == OCL_OP && tests_divisor(node) && !is_function(node)) {
      return source != 0 ? 3 : 2;
   }
   return source == 0 ? ocl_index_uses(printer->program, node) : 1;
}

/* How often each value's text would stand there. */
static void count_uses(struct printer *printer)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      for (unsigned j = 0; printer->needed[i] && j < node->count; j++) {
         printer->uses[node->source[j]] += uses_of(printer, node, j);
      }
   }
}

bool ocl_argument_used(const struct ocl_program *program, enum ocl_kind kind, uint32_t slot)
{
   struct printer printer = {.program = program};

   ocl_needed(program, printer.needed);
   return ocl_slot_used(&printer, kind, slot);
}

bool ocl_has_sampler(const struct ocl_program *program)
{
   bool needed[OCL_NODES];

   ocl_needed(program, needed);
   for (uint32_t i = 0; i < program->count; i++) {
      if (needed[i] && program->nodes[i].kind == OCL_OP && program->nodes[i].outlined == OCL_FUNCTION_WITH_SAMPLER) {
         return true;
      }
   }
   return false;
}

bool ocl_has_halves(const struct ocl_program *program)
{
   bool needed[OCL_NODES];

   ocl_needed(program, needed);
   for (uint32_t i = 0; i < program->count; i++) {
      if (needed[i] && program->nodes[i].type.base == OCL_HALF) {
         return true;
      }
   }
   return false;
}

void ocl_print(FILE *file, const struct ocl_program *program)
{
   struct printer printer = {.file = file, .program = program, .indent = 1};

   ocl_needed(program, printer.needed);
   count_uses(&printer);
   ocl_place_reads(&printer);
   if (ocl_has_halves(program)) {
      fputs("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\n", file);
   }
   if (program->rounded) {
      fputs("#pragma OPENCL FP_CONTRACT OFF\n\n", file);
   }
   ocl_print_records(&printer);
   print_functions(&printer);
   fputs("kernel void k(", file);
   print_arguments(&printer);
   fputs(")\n{\n", file);
   ocl_print_locals(&printer);
   if (program->lanes != 1) {
      fputs("   int i = get_global_id(0);\n", file);
   }
   ocl_print_objects(&printer);
   for (uint32_t i = 0; i < program->count; i++) {
      if (printer.needed[i] && ocl_has_effect(&program->nodes[i])) {
         print_statement(&printer, i);
      } else if (printer.needed[i] && ocl_is_declared(&printer, i)) {
         print_declaration(&printer, i);
      }
   }
   fputs("}\n", file);
}

/* ctz() came with OpenCL C 2.0; all else is in 1.2, which is what programs that do not ask get. */
const char *ocl_build_options(const struct ocl_program *program)
{
   static const char *const options[2][2] = {{"-cl-std=CL1.2", "-cl-std=CL1.2 -D" COMPILER_NO_REPAIRS},
                                             {"-cl-std=CL3.0", "-cl-std=CL3.0 -D" COMPILER_NO_REPAIRS}};
   bool counts = false;

   for (uint32_t i = 0; i < program->count; i++) {
      counts |= program->nodes[i].kind == OCL_OP && strcmp(ocl_ops[program->nodes[i].op].name, "ctz") == 0;
   }
   return options[counts][program->unrepaired];
}
