/* SPDX-License-Identifier: MIT
 *
 * Prints a generated kernel as OpenCL C. A value that is read once is printed where it is read; others are variables.
 * Invariant: the text has no undefined or unspecified behaviour, provided that the nodes' guards are set.
 */
#include <string.h>

#include "fuzz/opencl/print.h"
#include "compiler/api/compiler.h"

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

/* Returns the index of a lane's element of a buffer. */
const char *ocl_print_lane(const struct printer *printer)
{
   return printer->program->lanes == 1 ? "0" : "i";
}

/* Prints an operand of the node, or the parameter of its function. */
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

/* "(isnan(v1) ? 0x1.8p+0f : v1)", or "select(v1, (float2)(0x1.8p+0f), isnan(v1))". */
static void print_number_of(const struct printer *printer, const struct ocl_node *node, unsigned number, bool parameter)
{
   const struct ocl_type type = printer->program->nodes[node->source[number]].type;
   uint64_t instead[OCL_WIDTH];

   for (unsigned i = 0; i < OCL_WIDTH; i++) {
      instead[i] = ocl_instead_of_nan(type.base);
   }
   fputs(type.width == 1 ? "(isnan(" : "select(", printer->file);
   print_operand(printer, node, number, parameter);
   fputs(type.width == 1 ? ") ? " : ", ", printer->file);
   ocl_print_constant(printer->file, type, instead);
   fputs(type.width == 1 ? " : " : ", isnan(", printer->file);
   print_operand(printer, node, number, parameter);
   fputs(type.width == 1 ? ")" : "))", printer->file);
}

/* Whether a NaN operand is replaced by a number. */
static bool wants_number(const struct ocl_node *node)
{
   return node->kind == OCL_OP && node->guard == OCL_ADJUST && ocl_needs_numbers(&ocl_ops[node->op]);
}

/* Prints an operand that is made valid: a nonzero divisor, a factor of 24 bits, the bits of a finite half. */
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
   } else if (wants_number(node)) {
      print_number_of(printer, node, number, parameter);
   } else if (node->guard == OCL_OTHER && converts && ocl_real(node->type.base)) {
      fputs("rint(", printer->file); /* avoids a denormal half */
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

/* Prints what a letter after a dollar sign means in a format. */
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
   case 'W': /* for vector functions */
      if (node->type.width != 1) {
         fprintf(file, "%u", node->type.width);
      }
      break;
   case 'V': /* vloada_half2() and similar functions have no scalar form */
      fputs(node->type.width != 1 ? "a" : "", file);
      break;
   case 'S':
      fputs(node->guard == OCL_OTHER && !ocl_real(node->type.base) ? "_sat" : "", file);
      break;
   case 'R':
      fputs(ocl_mode_name(printer->program, node), file);
      break;
   case 'M': /* the bits of a number that as_half() and as_float() keep, and those that they add */
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

/* Casts what C computes in int, or in unsigned arithmetic, to the node's type. */
static void print_op(const struct printer *printer, const struct ocl_node *node, bool parameters)
{
   const struct ocl_op *op = &ocl_ops[node->op];
   const bool operator= op->format[0] == '(' && op->shape != OCL_SHAPE_CAST;

   if (node->type.width != 1 && node->guard == OCL_WRAP) {
      fprintf(printer->file, "as_%s", ocl_type_name(node->type)); /* the format contains the parentheses */
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
      /* guards are applied in the function, unless its text is fixed */
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

/* Prints the iteration number, using the variable of the loop. */
static void print_turn(const struct printer *printer, uint32_t index)
{
   const uint32_t loop = ocl_turn_loop(printer->program, index);
   FILE *file = printer->file;

   fprintf(file, "(%s)", ocl_type_name(printer->program->nodes[index].type));
   if (loop == UINT32_MAX) {
      fputc('0', file);
      return;
   }
   switch ((enum ocl_loop_form)printer->program->nodes[loop].form) {
   case OCL_FOR_DOWN:
      fprintf(file, "(%u - j%u)", (unsigned)printer->program->nodes[loop].data[0], loop);
      break;
   case OCL_FOR_BY_2:
   case OCL_FOR_BY_3:
      fprintf(file, "(j%u / %u)", loop, printer->program->nodes[loop].form == OCL_FOR_BY_2 ? 2 : 3);
      break;
   case OCL_FOR_TO:
      fprintf(file, "(j%u - 1)", loop);
      break;
   default:
      fprintf(file, "j%u", loop);
   }
}

/* Prints the expression of a node. */
void ocl_print_expression(const struct printer *printer, uint32_t index)
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
      fprintf(printer->file, "vload%u(%s, (global const %s *)in%u)", node->type.width, ocl_print_lane(printer),
              ocl_type_name(ocl_scalar_of(node->type)), node->slot);
   } else if (node->kind == OCL_INPUT && node->form != 0) {
      fprintf(printer->file, "*(in%u + %s)", node->slot, ocl_print_lane(printer));
   } else if (node->kind == OCL_INPUT && node->type.width == 3) {
      fprintf(printer->file, "vload3(%s, in%u)", ocl_print_lane(printer), node->slot);
   } else if (node->kind == OCL_INPUT) {
      fprintf(printer->file, "in%u[%s]", node->slot, ocl_print_lane(printer));
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
      ocl_print_expression(printer, index);
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
      fprintf(file, "   %s i = get_global_id(0);\n", program->wide_lane ? "size_t" : "int");
   }
   ocl_print_objects(&printer);
   for (uint32_t i = 0; i < program->count; i++) {
      if (printer.needed[i] && ocl_has_effect(&program->nodes[i])) {
         ocl_print_statement(&printer, i);
      } else if (printer.needed[i] && ocl_is_declared(&printer, i)) {
         ocl_print_declaration(&printer, i);
      }
   }
   fputs("}\n", file);
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
