/* SPDX-License-Identifier: MIT
 *
 * Prints the statements of a generated kernel as OpenCL C: declarations, stores, branches and loops. Invariant: each
 * statement has its own line.
 */
#include <string.h>

#include "fuzz/opencl/print.h"

static void begin_line(const struct printer *printer)
{
   fprintf(printer->file, "%*s", (int)(3 * printer->indent), "");
}

void ocl_print_declaration(const struct printer *printer, uint32_t index)
{
   static const char *const atomics[] = {
       [OCL_ATOMIC_ADD] = "add", [OCL_ATOMIC_SUB] = "sub", [OCL_ATOMIC_MIN] = "min",        [OCL_ATOMIC_MAX] = "max",
       [OCL_ATOMIC_AND] = "and", [OCL_ATOMIC_OR] = "or",   [OCL_ATOMIC_XOR] = "xor",        [OCL_ATOMIC_XCHG] = "xchg",
       [OCL_ATOMIC_INC] = "inc", [OCL_ATOMIC_DEC] = "dec", [OCL_ATOMIC_CMPXCHG] = "cmpxchg"};
   const struct ocl_node *node = &printer->program->nodes[index];
   const char *barrier = node->slot != 0 ? "barrier(CLK_GLOBAL_MEM_FENCE);" : "barrier(CLK_LOCAL_MEM_FENCE);";
   const char *type = ocl_type_name(node->type), *i = ocl_print_lane(printer);
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
      ocl_print_expression(printer, index);
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

/* Returns the node that begins the loop or switch which a node ends, or to which a case belongs. cases: number of cases
 * in between. */
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

enum ocl_loop_form ocl_loop_form(const struct ocl_node *loop)
{
   /* the body of a do loop runs at least once */
   const bool test_at_end = loop->form == OCL_DO || loop->form == OCL_DO_UP;

   return (test_at_end && loop->data[0] == 0) || (loop->form >= OCL_COMPUTED_FORMS && loop->count != 0)
              ? OCL_FOR
              : (enum ocl_loop_form)loop->form;
}

/* "(int)(v7 & 3) + 2" */
static void print_count(const struct printer *printer, const struct ocl_node *node, const char *type)
{
   if (node->count != 0) {
      fprintf(printer->file, "(%s)(", type);
      ocl_print_value(printer, node->source[0]);
      fputs(" & 3) + ", printer->file);
   }
   fprintf(printer->file, "%u", (unsigned)node->data[0]);
}

/* Prints a loop with a constant iteration count. */
static void print_counted(FILE *file, enum ocl_loop_form form, uint32_t j, unsigned turns)
{
   switch (form) {
   case OCL_FOR_DOWN:
      fprintf(file, "for (int j%u = %u; j%u > 0; j%u--) {\n", j, turns, j, j);
      break;
   case OCL_FOR_BY_2:
      fprintf(file, "for (int j%u = 0; j%u < %u; j%u += 2) {\n", j, j, turns * 2, j);
      break;
   case OCL_FOR_BY_3: /* one more than the last iteration's number */
      fprintf(file, "for (int j%u = 0; j%u < %u; j%u += 3) {\n", j, j, turns != 0 ? turns * 3 - 2 : 0, j);
      break;
   case OCL_FOR_TO:
      fprintf(file, "for (int j%u = 1; j%u <= %u; j%u++) {\n", j, j, turns, j);
      break;
   case OCL_FOR_UNTIL:
      fprintf(file, "for (uint j%u = 0; j%u != %u; j%u++) {\n", j, j, turns, j);
      break;
   default:
      fprintf(file, "int j%u = 0; do {\n", j);
   }
}

static void print_loop(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const enum ocl_loop_form form = ocl_loop_form(node);
   const char *type = form == OCL_FOR_ULONG ? "ulong" : "int";
   FILE *file = printer->file;

   if (form >= OCL_COMPUTED_FORMS) {
      print_counted(file, form, index, (unsigned)node->data[0]);
      return;
   }
   if (form == OCL_FOR || form == OCL_FOR_ULONG) {
      fprintf(file, "for (%s j%u = 0; j%u < ", type, index, index);
   } else {
      fprintf(file, "int j%u = ", index);
   }
   print_count(printer, node, type);
   fputs("; ", file);
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
   const enum ocl_loop_form form =
       kind == OCL_ENDLOOP && start < program->count ? ocl_loop_form(&program->nodes[start]) : OCL_FOR;

   if (form == OCL_DO) {
      fprintf(printer->file, "} while (--j%u > 0);\n", start);
   } else if (form == OCL_DO_UP) {
      fprintf(printer->file, "} while (++j%u < %u);\n", start, (unsigned)program->nodes[start].data[0]);
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
   const char *i = ocl_print_lane(printer), *base = ocl_type_name(ocl_scalar_of(node->type));
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

void ocl_print_statement(struct printer *printer, uint32_t index)
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
   case OCL_COPY:
      ocl_print_copy(printer, node);
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
