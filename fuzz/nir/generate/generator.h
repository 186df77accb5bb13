/* SPDX-License-Identifier: MIT
 *
 * Interface between the random generator and the generator of rules: adding nodes and operands to a program.
 */
#ifndef COMPILER_FUZZ_GENERATE_H
#define COMPILER_FUZZ_GENERATE_H

#include "fuzz/nir/ops.h"
#include "fuzz/nir/program.h"
#include "util/random.h"

struct fuzz_generator {
   struct fuzz_program *program;
   struct util_random random;
   struct util_random lanes; /* of the second simdgroup's data */
   struct util_random parts; /* of constants that are parts of larger ones */
   bool exact;
   bool folded;             /* all leaves are constants */
   bool apart;              /* half of the constants are parts of larger ones */
   bool shapes;             /* control flow, memory and subgroup operations of all shapes */
   bool related;            /* inputs are often close to other leaves of their expression */
   uint64_t bound;          /* most numbers of the next leaf are below this; 0: no bound */
   uint32_t pool;           /* number of leading nodes that are shared constants; 0: none */
   bool hidden[FUZZ_NODES]; /* nodes that are out of scope */
   uint32_t first;          /* first node that operands may use: those of earlier expressions are excluded */
};

/* Appends a node. Returns its index, or FUZZ_NODES if the program is full. */
uint32_t fuzz_add(struct fuzz_generator *generator, struct fuzz_node node);
uint32_t fuzz_add_constant(struct fuzz_generator *generator, unsigned bits, uint64_t value);
/* An edge value of a type: of floats, special ones and halfway cases too. */
uint64_t fuzz_edge(struct util_random *random, unsigned bits, bool is_float);
enum fuzz_leaf { FUZZ_LEAF_ANY, FUZZ_LEAF_CONST, FUZZ_LEAF_INPUT, FUZZ_LEAF_UNIFORM };
uint32_t fuzz_add_leaf(struct fuzz_generator *generator, unsigned bits, bool is_float, enum fuzz_leaf leaf);
/* Adds an op over the given sources. */
uint32_t fuzz_add_alu(struct fuzz_generator *generator, nir_op op, unsigned open, const struct fuzz_source *sources);
/* A conversion that gives this width, and a width that it takes; nir_num_opcodes: there is none. */
nir_op fuzz_any_conversion(struct util_random *random, unsigned bits, unsigned *from);
/* A random op over random operands. */
uint32_t fuzz_add_random(struct fuzz_generator *generator);
/* Returns an operand of this width: an earlier node, or a new leaf. */
struct fuzz_source fuzz_operand(struct fuzz_generator *generator, unsigned bits, unsigned components, bool is_float);
void fuzz_add_output(struct fuzz_generator *generator, uint32_t node);

/* Returns a value for a leaf: in programs whose floats may be inexact, one for which most arithmetic is exact. */
uint64_t fuzz_value(struct fuzz_generator *generator, unsigned bits, bool is_float);
/* Generates a whole program with control flow. */
void fuzz_add_control(struct fuzz_generator *generator);
/* Generates a whole small program that spills. */
void fuzz_add_small(struct fuzz_generator *generator);
/* Adds one instance of a rule's search pattern. Returns the index of its root, or FUZZ_NODES: not possible. */
uint32_t fuzz_add_rule(struct fuzz_generator *generator, uint32_t rule);

#endif
