/* SPDX-License-Identifier: MIT
 *
 * Prints a generated kernel as OpenCL C. A value that is read once is printed where it is read; others are variables.
 * Invariant: the text has no undefined or unspecified behaviour, provided that the nodes' guards are set.
 */
#include <string.h>

#include "compiler/api/compiler.h"
#include "fuzz/opencl/arguments.h"
#include "fuzz/opencl/print.h"
#include "util/array.h"

bool ocl_has_effect(const struct ocl_node *node)
{
   return node->kind == OCL_OUTPUT || node->kind == OCL_WRITE || node->kind == OCL_VSTORE || node->kind == OCL_COPY ||
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

/* Whether a division that may overflow tests its divisor first. */
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

static void print_wrapped(const struct printer *printer, struct ocl_operand operand)
{
   struct ocl_type type = ocl_with_base(operand.node->type, operand.node->type.base | 1u);
   const bool vector = type.width != 1;
   const bool scalar = printer->program->nodes[operand.node->source[operand.number]].type.width == 1;

   type = vector && scalar ? ocl_scalar(type.base) : type;
   type.base = !vector && type.base < OCL_UINT ? (uint8_t)OCL_UINT : type.base;
   ocl_write(printer, vector && !scalar ? "as_%t(%o)" : "(%t)%o", type, operand);
}

/* "(isnan(v1) ? 0x1.8p+0f : v1)", or "select(v1, (float2)(0x1.8p+0f), isnan(v1))". */
static void print_number_of(const struct printer *printer, struct ocl_operand operand)
{
   const struct ocl_type type = printer->program->nodes[operand.node->source[operand.number]].type;
   uint64_t instead[OCL_WIDTH];

   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      instead[i] = ocl_instead_of_nan(type.base);
   }
   ocl_write(printer, type.width == 1 ? "(isnan(%o) ? %k : %o)" : "select(%o, %k, isnan(%o))", operand, type, instead,
             operand);
}

/* Whether a NaN operand is replaced by a number. */
static bool wants_number(const struct ocl_node *node)
{
   return node->kind == OCL_OP && node->guard == OCL_ADJUST && ocl_needs_numbers(&ocl_ops[node->op]);
}

/* Prints an operand that is made valid: a nonzero divisor, a factor of 24 bits, the bits of a finite half. */
static void print_adjusted(const struct printer *printer, struct ocl_operand operand)
{
   const struct ocl_op *op = &ocl_ops[operand.node->op];
   const struct ocl_type type = printer->program->nodes[operand.node->source[operand.number]].type;
   const char *format = op->shape == OCL_SHAPE_HALF_IN        ? "(%o & (%t)0xbfff)"
                        : ocl_divides(op)                     ? (type.width != 1 ? "(%o | (%t)1)" : "(%o | 1)")
                        : ocl_signed(operand.node->type.base) ? "(%o << 8 >> 8)"
                                                              : "(%o & 0xffffffu)";

   ocl_write(printer, format, operand, type);
}

static void print_guarded(const struct printer *printer, struct ocl_operand operand)
{
   const struct ocl_node *node = operand.node;
   const struct ocl_op *op = &ocl_ops[node->op];
   const bool converts = op->shape == OCL_SHAPE_CONVERT || op->shape == OCL_SHAPE_CAST;

   if (node->guard == OCL_WRAP) {
      print_wrapped(printer, operand);
   } else if (wants_number(node)) {
      print_number_of(printer, operand);
   } else if (node->guard == OCL_OTHER && converts && ocl_real(node->type.base)) {
      ocl_write(printer, "rint(%o)", operand); /* avoids a denormal half */
   } else if (node->guard != OCL_ADJUST || (ocl_divides(op) && operand.number == 0) || operand.number == 2) {
      ocl_write(printer, "%o", operand);
   } else {
      print_adjusted(printer, operand);
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

/* Prints what a letter after a dollar sign means in a format. */
static void print_letter(const struct printer *printer, const struct ocl_node *node, char letter, bool parameters)
{
   const bool half = node->type.base == OCL_HALF, vector = node->type.width != 1;

   switch (letter) {
   case 'T': /* the result's type */
      ocl_write(printer, "%t", node->type);
      break;
   case 'I': /* the operand's type */
      ocl_write(printer, "%t", printer->program->nodes[node->source[0]].type);
      break;
   case 'B': /* the type of a component */
      ocl_write(printer, "%t", ocl_scalar(node->type.base));
      break;
   case 'N':
   case 'W': /* for vector functions */
      ocl_write(printer, letter == 'N' || vector ? "%u" : "", node->type.width);
      break;
   case 'V': /* vloada_half2() and similar functions have no scalar form */
      ocl_write(printer, vector ? "a" : "");
      break;
   case 'S':
      ocl_write(printer, node->guard == OCL_OTHER && !ocl_real(node->type.base) ? "_sat" : "");
      break;
   case 'R':
      ocl_write(printer, "%s", ocl_mode_name(printer->program, node));
      break;
   case 'M': /* the bits of a number that as_half() and as_float() keep, and those that they add */
      ocl_write(printer, half ? "0xbfff" : "0xbfffffff");
      break;
   case 'E':
      ocl_write(printer, half ? "0x2000" : "0x3c000000");
      break;
   default:
      print_guarded(printer, (struct ocl_operand){node, (unsigned)(letter - 'a'), parameters});
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

/* Casts what C computes in int, or in unsigned arithmetic, to the node's type. */
static void print_op(const struct printer *printer, const struct ocl_node *node, bool parameters)
{
   const struct ocl_op *op = &ocl_ops[node->op];
   const bool operator= op->format[0] == '(' && op->shape != OCL_SHAPE_CAST;

   if (node->type.width != 1 && node->guard == OCL_WRAP) {
      ocl_write(printer, "as_%t", node->type); /* the format contains the parentheses */
   } else if (node->type.width == 1 && operator&&(node->type.base < OCL_INT || node->guard == OCL_WRAP)) {
      ocl_write(printer, "(%t)", node->type);
   }
   print_format(printer, node, parameters);
}

static void print_swizzle(const struct printer *printer, const struct ocl_node *node)
{
   const unsigned width = printer->program->nodes[node->source[0]].type.width;
   const struct {
      const char *name;
      unsigned first, step;
   } halves[] = {{"lo", 0, 1}, {"hi", width / 2u, 1}, {"even", 0, 2}, {"odd", 1, 2}};

   ocl_write(printer, "(%v).", node->source[0]);
   for (unsigned i = 0; i < ARRAY_COUNT(halves) && width != 3 && node->type.width * 2 == width; i++) {
      bool fits = true;
      for (unsigned j = 0; j < node->type.width; j++) {
         fits &= node->data[j] == halves[i].first + j * halves[i].step;
      }
      if (fits) {
         ocl_write(printer, "%s", halves[i].name);
         return;
      }
   }
   ocl_write(printer, "s");
   for (unsigned i = 0; i < node->type.width; i++) {
      ocl_write(printer, "%x", (unsigned)node->data[i] % width);
   }
}

static void print_list(const struct printer *printer, const struct ocl_node *node)
{
   for (unsigned i = 0; i < node->count; i++) {
      ocl_write(printer, i != 0 ? ", " : "");
      /* guards are applied in the function, unless its text is fixed */
      if (node->kind == OCL_OP && ocl_ops[node->op].body) {
         print_guarded(printer, (struct ocl_operand){node, i, false});
      } else {
         ocl_write(printer, "%v", node->source[i]);
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
   const bool dimension = node->slot % OCL_IDS != OCL_WORK_DIM, computed = node->count != 0;

   ocl_write(printer,
             !dimension ? "(%t)%s()"
             : computed ? "(%t)%s(%v)"
                        : "(%t)%s(%u)",
             node->type, ocl_id_name(node), computed ? node->source[0] : (unsigned)node->data[0]);
}

void ocl_print_turn(const struct printer *printer, uint32_t index)
{
   static const char *const forms[OCL_LOOP_FORMS] = {
       [OCL_FOR_BY_2] = "(j%u / 2)", [OCL_FOR_BY_3] = "(j%u / 3)", [OCL_FOR_TO] = "(j%u - 1)"};
   const struct ocl_program *program = printer->program;
   const uint32_t loop = ocl_turn_loop(program, index);

   if (loop == UINT32_MAX) {
      ocl_write(printer, "0");
   } else if (program->nodes[loop].form == OCL_FOR_DOWN) {
      ocl_write(printer, "(%u - j%u)", (unsigned)program->nodes[loop].data[0], loop);
   } else {
      const char *form = forms[program->nodes[loop].form];
      ocl_write(printer, form != NULL ? form : "j%u", loop);
   }
}

static void print_input(const struct printer *printer, const struct ocl_node *node)
{
   const unsigned width = node->type.width;

   if (node->form != 0 && width != 1) {
      ocl_write(printer, "vload%u(%i, (global const %t *)in%u)", width, ocl_scalar(node->type.base), node->slot);
   } else {
      ocl_write(printer, node->form != 0 ? "*(in%u + %i)" : width == 3 ? "vload3(%i, in%u)" : "in%u[%i]", node->slot);
   }
}

static void print_operation(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const enum ocl_shape shape = ocl_ops[node->op].shape;

   if (shape == OCL_SHAPE_SWIZZLE) {
      print_swizzle(printer, node);
   } else if (shape == OCL_SHAPE_BUILD) {
      ocl_write(printer, "(%t)(", node->type);
      print_list(printer, node);
      ocl_write(printer, ")");
   } else if (shape == OCL_SHAPE_INSERT) {
      ocl_write(printer, "%v", node->source[0]);
   } else if (is_function(node)) {
      ocl_write(printer, "f%u(", index);
      print_list(printer, node);
      ocl_write(printer, node->outlined == OCL_FUNCTION_WITH_SAMPLER ? ", sampler)" : ")");
   } else {
      print_op(printer, node, false);
   }
}

void ocl_print_expression(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];

   switch ((enum ocl_kind)node->kind) {
   case OCL_CONST:
      ocl_write(printer, "%k", node->type, node->data);
      break;
   case OCL_SCALAR:
      ocl_write(printer, "a%u", node->slot);
      break;
   case OCL_ID:
      print_id(printer, node);
      break;
   case OCL_READ:
      ocl_write(printer, "%p", node);
      break;
   case OCL_TURN:
      ocl_write(printer, "(%t)", node->type);
      ocl_print_turn(printer, index);
      break;
   case OCL_INPUT:
      print_input(printer, node);
      break;
   default:
      print_operation(printer, index);
   }
}

static void print_functions(const struct printer *printer)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      if (!printer->needed[i] || node->kind != OCL_OP || !is_function(node)) {
         continue;
      }
      const bool body = ocl_ops[node->op].body;
      ocl_write(printer, "%t f%u(", node->type, i);
      for (unsigned j = 0; j < node->count; j++) {
         ocl_write(printer, j != 0 ? ", %t %o" : "%t %o", printer->program->nodes[node->source[j]].type,
                   (struct ocl_operand){node, j, true});
      }
      ocl_write(printer, node->outlined == OCL_FUNCTION_WITH_SAMPLER ? ", sampler_t sampler)\n{\n   " : ")\n{\n   ");
      ocl_write(printer, body ? "" : "return ");
      print_op(printer, node, true);
      ocl_write(printer, body ? "\n}\n\n" : ";\n}\n\n");
   }
}

static void print_arguments(const struct printer *printer)
{
   struct ocl_arguments list;

   ocl_list_arguments(printer->program, &list);
   for (unsigned i = 0; i < list.count; i++) {
      const struct ocl_argument *argument = &list.item[i];
      const bool value = argument->kind == OCL_SCALAR,
                 stored = argument->kind == OCL_OUTPUT || argument->kind == OCL_INPUT;
      ocl_write(printer, "%s%s%t %s%s%u", i != 0 ? ", " : "",
                value                         ? ""
                : argument->kind == OCL_INPUT ? "global const "
                                              : "global ",
                stored ? ocl_stored_type(argument->type) : argument->type, value ? "" : "*", argument->name,
                argument->slot);
   }
   if (ocl_has_sampler(printer->program)) {
      ocl_write(printer, "%ssampler_t sampler", list.count != 0 ? ", " : "");
   }
}

/* Returns how often the text of a node contains that of its source. */
static unsigned uses_of(const struct printer *printer, const struct ocl_node *node, unsigned source)
{
   if (node->kind == OCL_OP && strcmp(ocl_ops[node->op].name, "clamp") == 0) {
      return source != 0 ? 2 : 1;
   }
   if (node->kind == OCL_OP && tests_divisor(node) && !is_function(node)) {
      return source != 0 ? 3 : 2;
   }
   if (wants_number(node) && (!is_function(node) || ocl_ops[node->op].body)) {
      return 2;
   }
   return source == 0 ? ocl_index_uses(printer->program, node) : 1;
}

/* Counts how often each value would be printed. */
static void count_uses(struct printer *printer)
{
   for (uint32_t i = 0; i < printer->program->count; i++) {
      const struct ocl_node *node = &printer->program->nodes[i];
      for (unsigned j = 0; printer->needed[i] && j < node->count; j++) {
         printer->uses[node->source[j]] += uses_of(printer, node, j);
      }
   }
}

static void print_value(const struct printer *printer, uint32_t index)
{
   if (ocl_is_declared(printer, index)) {
      fprintf(printer->file, "v%u", index);
   } else {
      ocl_print_expression(printer, index);
   }
}

static const struct print_language language = {.type_name = ocl_type_name,
                                               .constant = ocl_print_constant,
                                               .value = print_value,
                                               .truth = "%v",
                                               .low = "%v & 3",
                                               .count = "(%s)(%v & 3) + ",
                                               .wide = "ulong",
                                               .last_case = "} }\n"};

void ocl_print(FILE *file, const struct ocl_program *program)
{
   struct printer printer = {.file = file, .language = &language, .program = program, .indent = 1};

   ocl_needed(program, printer.needed);
   count_uses(&printer);
   ocl_place_reads(&printer);
   ocl_write(&printer, ocl_has_halves(program) ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\n" : "");
   ocl_write(&printer, program->rounded ? "#pragma OPENCL FP_CONTRACT OFF\n\n" : "");
   ocl_print_records(&printer);
   print_functions(&printer);
   ocl_write(&printer, "kernel void k(");
   print_arguments(&printer);
   ocl_write(&printer, ")\n{\n");
   ocl_print_locals(&printer);
   if (program->lanes != 1) {
      ocl_write(&printer, "   %s i = get_global_id(0);\n", program->wide_lane ? "size_t" : "int");
   }
   ocl_print_objects(&printer);
   for (uint32_t i = 0; i < program->count; i++) {
      if (printer.needed[i] && ocl_has_effect(&program->nodes[i])) {
         ocl_print_statement(&printer, i);
      } else if (printer.needed[i] && ocl_is_declared(&printer, i)) {
         ocl_print_declaration(&printer, i);
      }
   }
   ocl_write(&printer, "}\n");
}

char *ocl_text(const struct ocl_program *program, size_t *size)
{
   char *text = NULL;
   FILE *file = open_memstream(&text, size);

   if (file != NULL) {
      ocl_print(file, program);
      fclose(file);
   }
   return text;
}

/* ctz() requires OpenCL C 2.0; everything else is in 1.2, the default version. */
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
