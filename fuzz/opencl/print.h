/* SPDX-License-Identifier: MIT
 *
 * What the files that print a kernel share. Invariant: a printer changes nothing of its program.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_PRINT_H
#define AGX_RUNNER_FUZZ_OPENCL_PRINT_H

#include "fuzz/opencl/ops.h"

struct printer {
   FILE *file;
   const struct ocl_program *program;
   bool needed[OCL_NODES];
   unsigned uses[OCL_NODES];
   bool in_place[OCL_NODES]; /* of OCL_READ: it stands where its value is used */
   unsigned indent;
};

static inline struct ocl_type ocl_scalar_of(struct ocl_type type)
{
   return (struct ocl_type){.base = type.base, .width = 1};
}

/* constants.c. bare: without the cast that makes a number below 32 bits one of its type. */
void ocl_print_number(FILE *file, uint8_t base, uint64_t value, bool bare);
void ocl_print_constant(FILE *file, struct ocl_type type, const uint64_t *data);

/* place.c. Sets `in_place`; `needed` and `uses` are set. */
void ocl_place_reads(struct printer *printer);
/* Whether a value is a variable of its own. */
bool ocl_is_declared(const struct printer *printer, uint32_t index);

/* How a loop is written. */
enum ocl_loop_form ocl_loop_form(const struct ocl_node *loop);
/* A lane's element of a buffer. */
const char *ocl_print_lane(const struct printer *printer);

/* print_statement.c. A value that is a variable of its own; an effect. */
void ocl_print_declaration(const struct printer *printer, uint32_t index);
void ocl_print_statement(struct printer *printer, uint32_t index);

/* The expression that a node stands for. */
void ocl_print_expression(const struct printer *printer, uint32_t index);
/* A value, as it is read. */
void ocl_print_value(const struct printer *printer, uint32_t index);
/* Whether a node that is printed reads or writes an argument. */
bool ocl_slot_used(const struct printer *printer, enum ocl_kind kind, uint32_t slot);

/* memory.c. An object's element: "m3[v7 & 3]", "r1[v7 & 3].m3". */
void ocl_print_place(const struct printer *printer, const struct ocl_node *node);
/* "r1[v7 & 3] = r1[v8 & 3];" */
void ocl_print_copy(const struct printer *printer, const struct ocl_node *node);
/* How often the text of any node holds its first source: of an object without elements never. */
unsigned ocl_index_uses(const struct ocl_program *program, const struct ocl_node *node);
/* The address of the elements of OCL_VLOAD and OCL_VSTORE. */
void ocl_print_vector_place(const struct printer *printer, const struct ocl_node *node, unsigned width);
/* global.c. Where a lane's elements of an object in global memory begin: "g3 + i * 8"; one element: "g3[i * 8 + (v7 &
 * 7)]". */
void ocl_print_row(const struct printer *printer, uint32_t number);
void ocl_print_global_place(const struct printer *printer, const struct ocl_node *node);
/* The element of node `index` through which lanes exchange, "l7[i]", or "g12[i * 2 + 1]": of this lane, or of the one
 * whose number differs by `distance`. */
void ocl_print_exchanged(const struct printer *printer, uint32_t index, unsigned distance);

/* memory.c. Structs and tables, outside of the kernel. */
void ocl_print_records(const struct printer *printer);
/* Local memory, and then private memory with what it holds in the beginning. */
void ocl_print_locals(const struct printer *printer);
void ocl_print_objects(const struct printer *printer);

#endif
