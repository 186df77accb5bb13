/* SPDX-License-Identifier: MIT
 *
 * Prints the statements of a generated kernel as OpenCL C: declarations, stores, branches and loops. Invariant: each
 * statement has its own line.
 */
#include "fuzz/opencl/print.h"

static const char *const atomics[] = {
    [OCL_ATOMIC_ADD] = "add", [OCL_ATOMIC_SUB] = "sub", [OCL_ATOMIC_MIN] = "min",        [OCL_ATOMIC_MAX] = "max",
    [OCL_ATOMIC_AND] = "and", [OCL_ATOMIC_OR] = "or",   [OCL_ATOMIC_XOR] = "xor",        [OCL_ATOMIC_XCHG] = "xchg",
    [OCL_ATOMIC_INC] = "inc", [OCL_ATOMIC_DEC] = "dec", [OCL_ATOMIC_CMPXCHG] = "cmpxchg"};

/* old ^ new value of an atomic on a word of this lane */
static void print_own(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];

   ocl_write(printer, "%>%e = %n;\n", index, 0u, node->type.base, node->data[0]);
   ocl_write(printer, "%>%t v%u = atomic_%s(&%e", node->type, index, atomics[node->op], index, 0u);
   if (node->op == OCL_ATOMIC_CMPXCHG) {
      ocl_write(printer, ", %n", node->type.base, node->data[1]);
   }
   if (node->op != OCL_ATOMIC_INC && node->op != OCL_ATOMIC_DEC) {
      ocl_write(printer, ", %v", node->source[0]);
   }
   ocl_write(printer, ");\n%>v%u ^= %e;\n", index, index, 0u);
}

/* Among all lanes: outside of blocks, so the indentation is fixed. */
static void print_shared(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const char *barrier = node->slot != 0 ? "barrier(CLK_GLOBAL_MEM_FENCE);" : "barrier(CLK_LOCAL_MEM_FENCE);";

   if (node->kind == OCL_EXCHANGE) {
      ocl_write(printer, "%>%e = %v;\n   %s\n   %t v%u = %e;\n", index, 0u, node->source[0], barrier, node->type, index,
                index, (unsigned)node->data[0]);
   } else {
      ocl_write(printer, "%>if (%i == 0) {\n      %e = %n;\n   }\n   %s\n", index, 0u, node->type.base, node->data[0],
                barrier);
      ocl_write(printer, "   atomic_%s(&%e, %v);\n   %s\n   %t v%u = %e;\n", atomics[node->op], index, 0u,
                node->source[0], barrier, node->type, index, index, 0u);
   }
}

void ocl_print_declaration(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const unsigned width = node->type.width;

   if (node->kind == OCL_OWN) {
      print_own(printer, index);
   } else if (node->kind == OCL_EXCHANGE || node->kind == OCL_ATOMIC) {
      print_shared(printer, index);
   } else if (node->kind == OCL_VLOAD && width == 1) {
      ocl_write(printer, "%>%t v%u = *(%a);\n", node->type, index, node, width);
   } else if (node->kind == OCL_VLOAD) {
      ocl_write(printer, "%>%t v%u = vload%u(0, %a);\n", node->type, index, width, node, width);
   } else {
      ocl_write(printer, "%>%t v%u = ", node->type, index);
      ocl_print_expression(printer, index);
      ocl_write(printer, ";\n");
      if (node->kind == OCL_OP && ocl_ops[node->op].shape == OCL_SHAPE_INSERT) {
         ocl_write(printer, "%>v%u.s%x = %v;\n", index, (unsigned)node->data[0] % width, node->source[1]);
      }
   }
}

/* Returns the node that begins the loop or switch which a node ends, or to which a case belongs. cases: number of cases
 * in between. */
static uint32_t beginning_of(const struct ocl_program *program, uint32_t index, unsigned *cases)
{
   int depth = 1;

   *cases = 0;
   while (depth != 0 && index-- > 0) {
      const uint8_t kind = program->nodes[index].kind;
      depth -= ocl_nesting(&program->nodes[index]);
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

/* Prints a loop with a constant iteration count. */
static void print_counted(const struct printer *printer, enum ocl_loop_form form, uint32_t j, unsigned turns)
{
   if (form == OCL_FOR_DOWN) {
      ocl_write(printer, "for (int j%u = %u; j%u > 0; j%u--) {\n", j, turns, j, j);
   } else if (form == OCL_FOR_BY_2) {
      ocl_write(printer, "for (int j%u = 0; j%u < %u; j%u += 2) {\n", j, j, turns * 2, j);
   } else if (form == OCL_FOR_BY_3) { /* one more than the last iteration's number */
      ocl_write(printer, "for (int j%u = 0; j%u < %u; j%u += 3) {\n", j, j, turns != 0 ? turns * 3 - 2 : 0, j);
   } else if (form == OCL_FOR_TO) {
      ocl_write(printer, "for (int j%u = 1; j%u <= %u; j%u++) {\n", j, j, turns, j);
   } else if (form == OCL_FOR_UNTIL) {
      ocl_write(printer, "for (uint j%u = 0; j%u != %u; j%u++) {\n", j, j, turns, j);
   } else {
      ocl_write(printer, "int j%u = 0; do {\n", j);
   }
}

/* The count is "(int)(v7 & 3) + 2", or "2". */
static void print_loop(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const enum ocl_loop_form form = ocl_loop_form(node);
   const char *type = form == OCL_FOR_ULONG ? printer->language->wide : "int";
   const bool counts = form == OCL_FOR || form == OCL_FOR_ULONG;

   if (form >= OCL_COMPUTED_FORMS) {
      print_counted(printer, form, index, (unsigned)node->data[0]);
      return;
   }
   ocl_write(printer, counts ? "for (%s j%u = 0; j%u < " : "%s j%u = ", type, index, index);
   if (node->count != 0) {
      ocl_write(printer, printer->language->count, type, node->source[0]);
   }
   ocl_write(printer,
             counts              ? "%u; j%u++) {\n"
             : form == OCL_WHILE ? "%u; while (j%u-- > 0) {\n"
                                 : "%u; do {\n",
             (unsigned)node->data[0], index);
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
      ocl_write(printer, "} while (--j%u > 0);\n", start);
   } else if (form == OCL_DO_UP) {
      ocl_write(printer, "} while (++j%u < %u);\n", start, (unsigned)program->nodes[start].data[0]);
   } else {
      ocl_write(printer, kind == OCL_ENDSWITCH && cases != 0 ? printer->language->last_case : "}\n");
   }
}

static void print_case(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   unsigned cases;

   (void)beginning_of(printer->program, index, &cases);
   ocl_write(printer, cases == 0 ? "" : node->data[1] != 0 ? "}\n%>" : "} break;\n%>");
   ocl_write(printer, node->kind == OCL_DEFAULT ? "default: {\n" : "case %u: {\n", (unsigned)node->data[0]);
}

static void print_output(const struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const struct ocl_type type = node->type, base = ocl_scalar(type.base);

   if (node->form == OCL_STORE_BYTES && type.width != 3) {
      const unsigned bytes = ocl_bytes(type);
      ocl_write(printer, "%t t%u = %v;\n", type, index, node->source[0]);
      ocl_write(printer, "%>for (int j = 0; j < %u; j++) { ((global uchar *)out%u)[%i * %u + j] = ", bytes, node->slot,
                bytes);
      ocl_write(printer, "((uchar *)&t%u)[j]; }\n", index);
   } else if (type.width == 3 || (node->form == OCL_STORE_VECTOR && type.width != 1)) {
      ocl_write(printer, "vstore%u(%v, %i, (global %t *)out%u);\n", type.width, node->source[0], base, node->slot);
   } else {
      ocl_write(printer, "out%u[%i] = %v;\n", node->slot, node->source[0]);
   }
}

static void print_write(const struct printer *printer, const struct ocl_node *node)
{
   const unsigned width = printer->program->nodes[node->source[1]].type.width;

   if (node->kind == OCL_WRITE) {
      ocl_write(printer, "%p = %v;\n", node, node->source[1]);
   } else if (width == 1) {
      ocl_write(printer, "*(%a) = %v;\n", node, 1u, node->source[1]);
   } else {
      ocl_write(printer, "vstore%u(%v, 0, %a);\n", width, node->source[1], node, width);
   }
}

static void print_condition(const struct printer *printer, const char *word, const char *format,
                            const struct ocl_node *node)
{
   ocl_write(printer, "%s (", word);
   ocl_write(printer, format, node->source[0]);
   ocl_write(printer, ") {\n");
}

void ocl_print_control(struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];
   const uint8_t kind = node->kind;

   printer->indent -= kind == OCL_ELSE || kind == OCL_CASE || kind == OCL_DEFAULT || ocl_nesting(node) < 0 ? 1 : 0;
   ocl_write(printer, "%>");
   switch ((enum ocl_kind)kind) {
   case OCL_IF:
      print_condition(printer, "if", printer->language->truth, node);
      printer->indent++;
      break;
   case OCL_SWITCH:
      print_condition(printer, "switch", printer->language->low, node);
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
      ocl_write(printer, "} else {\n");
      printer->indent++;
      break;
   case OCL_BREAK:
   case OCL_CONTINUE:
      print_condition(printer, "if", printer->language->truth, node);
      ocl_write(printer, "%>   %s;\n%>}\n", kind == OCL_BREAK ? "break" : "continue");
      break;
   default:
      print_end(printer, index);
   }
}

void ocl_print_statement(struct printer *printer, uint32_t index)
{
   const struct ocl_node *node = &printer->program->nodes[index];

   switch ((enum ocl_kind)node->kind) {
   case OCL_OUTPUT:
      ocl_write(printer, "%>");
      print_output(printer, index);
      break;
   case OCL_WRITE:
   case OCL_VSTORE:
      ocl_write(printer, "%>");
      print_write(printer, node);
      break;
   case OCL_COPY:
      ocl_write(printer, "%>");
      ocl_print_copy(printer, node);
      break;
   default:
      ocl_print_control(printer, index);
   }
}
