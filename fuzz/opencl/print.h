/* SPDX-License-Identifier: MIT
 *
 * Interface of the files that print a kernel. Invariant: a printer changes nothing of its program.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_PRINT_H
#define AGX_RUNNER_FUZZ_OPENCL_PRINT_H

#include "fuzz/opencl/ops.h"

struct printer {
   FILE *file;
   const struct ocl_program *program;
   bool needed[OCL_NODES];
   unsigned uses[OCL_NODES];
   bool in_place[OCL_NODES]; /* of OCL_READ: it is printed where its value is used */
   unsigned indent;
};

static inline struct ocl_type ocl_scalar_of(struct ocl_type type)
{
   return (struct ocl_type){.base = type.base, .width = 1};
}

/* constants.c. bare: without the cast that gives a number below 32 bits its type. */
void ocl_print_number(FILE *file, uint8_t base, uint64_t value, bool bare);
void ocl_print_constant(FILE *file, struct ocl_type type, const uint64_t *data);

/* place.c. Sets `in_place`; `needed` and `uses` must be set. */
void ocl_place_reads(struct printer *printer);
/* Whether a value is a variable. */
bool ocl_is_declared(const struct printer *printer, uint32_t index);

/* Returns how a loop is written. */
enum ocl_loop_form ocl_loop_form(const struct ocl_node *loop);
/* Returns the index of a lane's element of a buffer. */
const char *ocl_print_lane(const struct printer *printer);

/* print_statement.c. Prints the declaration of a variable, or a statement. */
void ocl_print_declaration(const struct printer *printer, uint32_t index);
void ocl_print_statement(struct printer *printer, uint32_t index);

/* Prints the expression of a node. */
void ocl_print_expression(const struct printer *printer, uint32_t index);
/* Prints a value where it is read. */
void ocl_print_value(const struct printer *printer, uint32_t index);
/* Whether a printed node reads or writes an argument. */
bool ocl_slot_used(const struct printer *printer, enum ocl_kind kind, uint32_t slot);

/* memory.c. Prints an object's element: "m3[v7 & 3]", "r1[v7 & 3].m3". */
void ocl_print_place(const struct printer *printer, const struct ocl_node *node);
/* "r1[v7 & 3] = r1[v8 & 3];" */
void ocl_print_copy(const struct printer *printer, const struct ocl_node *node);
/* Returns how often the text of a node contains its first source: never for an object without elements. */
unsigned ocl_index_uses(const struct ocl_program *program, const struct ocl_node *node);
/* Prints the address of the elements of OCL_VLOAD and OCL_VSTORE. */
void ocl_print_vector_place(const struct printer *printer, const struct ocl_node *node, unsigned width);
/* global.c. Prints the start of a lane's elements of an object in global memory: "g3 + i * 8"; one element: "g3[i * 8 +
 * (v7 & 7)]". */
void ocl_print_row(const struct printer *printer, uint32_t number);
void ocl_print_global_place(const struct printer *printer, const struct ocl_node *node);
/* Prints the element through which lanes exchange node `index`, "l7[i]" or "g12[i * 2 + 1]": that of this lane, or of
 * the lane whose number differs by `distance`. */
void ocl_print_exchanged(const struct printer *printer, uint32_t index, unsigned distance);

/* memory.c. Prints structs and tables, outside of the kernel. */
void ocl_print_records(const struct printer *printer);
/* Prints local memory, then private memory with its initial values. */
void ocl_print_locals(const struct printer *printer);
void ocl_print_objects(const struct printer *printer);

#endif
