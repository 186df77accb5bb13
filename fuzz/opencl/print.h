/* SPDX-License-Identifier: MIT
 *
 * Interface of the files that print a kernel. Invariant: a printer changes nothing of its program.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_PRINT_H
#define AGX_RUNNER_FUZZ_OPENCL_PRINT_H

#include "fuzz/opencl/ops.h"

struct printer;

/* What differs between the languages in which a kernel is printed. Formats are those of ocl_write(). */
struct print_language {
   const char *(*type_name)(struct ocl_type type);
   void (*constant)(FILE *file, struct ocl_type type, const uint64_t *data); /* %k */
   void (*value)(const struct printer *printer, uint32_t index);             /* of a node, where it is read */
   const char *truth;                                                        /* %v: whether it is not 0 */
   const char *low;                                                          /* %v: its lowest two bits */
   const char *count;     /* %s, %v: these bits of that type, and " + " */
   const char *wide;      /* an integer type of 64 bits */
   const char *last_case; /* the end of a switch's last case, and of it */
};

struct printer {
   FILE *file;
   const struct print_language *language;
   const struct ocl_program *program;
   bool needed[OCL_NODES];
   unsigned uses[OCL_NODES];
   bool in_place[OCL_NODES]; /* of OCL_READ: it is printed where its value is used */
   unsigned indent;
};

/* An operand of a node: its value, or the parameter of the node's function. */
struct ocl_operand {
   const struct ocl_node *node;
   unsigned number;
   bool parameter;
};

/* write.c. Prints a text. A format has %s, %u and %x (an unsigned) as printf() has them, and
 *    %>  the indentation of a line
 *    %i  the index of this lane's element of a buffer
 *    %t  struct ocl_type: its name
 *    %k  struct ocl_type, const uint64_t *: a constant
 *    %n  unsigned base, uint64_t: a number without the cast that gives one below 32 bits its type
 *    %v  unsigned: the value of that node, where it is read
 *    %o  struct ocl_operand
 *    %p  const struct ocl_node *: the element of an object that the node reads or writes, "m3[v7 & 3]"
 *    %a  const struct ocl_node *, unsigned: the address of the elements of a vector of that width
 *    %e  unsigned, unsigned: the element through which lanes exchange that node, "l7[i]": that of this lane, or of the
 *        lane whose number differs by the second number */
void ocl_write(const struct printer *printer, const char *format, ...);

/* Prints a constant in OpenCL C. */
void ocl_print_constant(FILE *file, struct ocl_type type, const uint64_t *data);

/* place.c. Sets `in_place`; `needed` and `uses` must be set. */
void ocl_place_reads(struct printer *printer);
/* Whether a value is a variable. */
bool ocl_is_declared(const struct printer *printer, uint32_t index);

/* Returns how a loop is written. */
enum ocl_loop_form ocl_loop_form(const struct ocl_node *loop);

/* print_statement.c. Prints the declaration of a variable, or a statement. */
void ocl_print_declaration(const struct printer *printer, uint32_t index);
void ocl_print_statement(struct printer *printer, uint32_t index);
/* Prints the beginning or the end of a branch, loop or switch, a break or continue: in any language. */
void ocl_print_control(struct printer *printer, uint32_t index);

/* Prints the expression of a node. */
void ocl_print_expression(const struct printer *printer, uint32_t index);
/* Prints the iteration number of OCL_TURN by the variable of its loop: an int, in any language. */
void ocl_print_turn(const struct printer *printer, uint32_t index);

/* memory.c: %p and %a of ocl_write(). */
void ocl_print_place(const struct printer *printer, const struct ocl_node *node);
void ocl_print_vector_place(const struct printer *printer, const struct ocl_node *node, unsigned width);
/* "r1[v7 & 3] = r1[v8 & 3];" */
void ocl_print_copy(const struct printer *printer, const struct ocl_node *node);
/* Returns how often the text of a node contains its first source: never for an object without elements. */
unsigned ocl_index_uses(const struct ocl_program *program, const struct ocl_node *node);
/* global.c. Prints the start of a lane's elements of an object in global memory: "g3 + i * 8"; one element: "g3[i * 8 +
 * (v7 & 7)]"; and %e of ocl_write(). */
void ocl_print_row(const struct printer *printer, uint32_t number);
void ocl_print_global_place(const struct printer *printer, const struct ocl_node *node);
void ocl_print_exchanged(const struct printer *printer, uint32_t index, unsigned distance);

/* memory.c. Whether the kernel uses an object; and an element's initial value. */
bool ocl_object_used(const struct printer *printer, uint32_t object);
void ocl_print_start(const struct printer *printer, const struct ocl_object *object, unsigned element);
/* Prints structs and tables, outside of the kernel. */
void ocl_print_records(const struct printer *printer);
/* Prints local memory, then private memory with its initial values. */
void ocl_print_locals(const struct printer *printer);
void ocl_print_objects(const struct printer *printer);

#endif
