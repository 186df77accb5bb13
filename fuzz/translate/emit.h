/* SPDX-License-Identifier: MIT
 *
 * Interface between the parts of the translation from NIR to OpenCL C: its state, and how the kernel gets another
 * node. Nodes are identified by their index in the kernel.
 */
#ifndef AGX_RUNNER_FUZZ_TRANSLATE_EMIT_H
#define AGX_RUNNER_FUZZ_TRANSLATE_EMIT_H

#include "fuzz/opencl/program.h"
#include "fuzz/translate/way.h"
#include "fuzz/nir/program.h"

#define TRANSLATE_COMPONENTS 4
#define TRANSLATE_STACK 12
#define TRANSLATE_NOWHERE UINT16_MAX

struct translation {
   const struct fuzz_program *program;
   const struct translate_way *way;
   struct ocl_program *kernel;
   uint32_t first;                                   /* the program's lane that is lane 0 of the kernel */
   uint16_t value[FUZZ_NODES][TRANSLATE_COMPONENTS]; /* nodes of the kernel; TRANSLATE_NOWHERE: not translated yet */
   uint16_t leaf[FUZZ_NODES];                        /* of a constant: its variable; of an input: its node */
   uint16_t variable[FUZZ_VARIABLES];                /* objects */
   uint16_t memory;                                  /* the object for this lane's threadgroup memory */
   bool guessed;                                     /* whether the third bit of a loop's count is assumed */
   bool stored;                                      /* whether that memory was stored to */
   uint64_t element;                                 /* the element that was stored last, if it is known */
   uint16_t chooser;                                 /* an argument: TRANSLATE_CHOSEN */
   /* nodes from here on may be read here, whatever branches are taken */
   uint32_t block;
   bool outputs[FUZZ_OUTPUTS]; /* the outputs that are stored */
   uint16_t stack[TRANSLATE_STACK];
   unsigned height;
   const struct fuzz_node *node; /* the node that is being translated */
   unsigned component;           /* component of its result */
   char *why;                    /* a buffer of why_size bytes */
   size_t why_size;
   bool failed;
};

/* Ends the translation. The first reason counts: `what` followed by `name`. Returns 0. */
uint16_t translate_fail(struct translation *t, const char *what, const char *name);

/* Returns the base type of a number. class: u, i or f. Booleans (1 bit) are int. */
uint8_t translate_base(char class, unsigned bits);
uint8_t translate_base_at(const struct translation *t, uint16_t index);

/* Adds a node, or finds an equal one. */
uint16_t translate_emit(struct translation *t, struct ocl_node node);
uint16_t translate_emit_number(struct translation *t, uint8_t base, uint64_t value);
uint16_t translate_emit_op(struct translation *t, unsigned op, struct ocl_type type, unsigned count,
                           const uint16_t *sources);
/* Reads one element of an object. */
uint16_t translate_emit_read(struct translation *t, uint16_t object, uint16_t index);
void translate_emit_write(struct translation *t, uint16_t object, uint16_t index, uint16_t value);
/* Reinterprets the bits, or those of an integer of the same size, as another type. */
uint16_t translate_retype(struct translation *t, uint16_t index, uint8_t base);

/* Increments the count of a limited resource of the kernel. Returns false if it is exhausted; the translation has then
 * failed. */
bool translate_use_slot(struct translation *t, uint32_t *count, uint32_t most);
/* All elements start with `start`. Returns its index. */
uint16_t translate_new_object(struct translation *t, uint8_t base, uint8_t length, uint8_t space, uint64_t start);

/* Returns a value of the program in the number class of its reader. */
uint16_t translate_value(struct translation *t, struct fuzz_source source, char class);
/* The same for a source of the current node; and the width of that source. */
uint16_t translate_source(struct translation *t, unsigned source, char class);
unsigned translate_source_bits(const struct translation *t, unsigned source);

/* row.c. Returns the operation of OpenCL C with this name in that table; ocl_op_count: none. */
unsigned translate_find_op(const char *name);
/* Translates component t->component of the node by its row of that table. */
uint16_t translate_row(struct translation *t, const char *row);

#endif
