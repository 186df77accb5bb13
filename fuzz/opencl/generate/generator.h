/* SPDX-License-Identifier: MIT
 *
 * Interface of the files that make kernels. Invariant: all choices come from `random`, so that a seed determines the
 * kernel.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_GENERATOR_H
#define AGX_RUNNER_FUZZ_OPENCL_GENERATOR_H

#include "fuzz/opencl/ops.h"

struct ocl_generator {
   struct ocl_program *program;
   struct util_random random;
   bool visible[OCL_NODES]; /* values that may be used at this place */
   unsigned depth;          /* nesting depth of control flow */
   unsigned loops;
   unsigned local_nodes; /* number of exchanges and atomics, each of which needs local memory */
   unsigned exchanges;   /* how many of them use global memory */
   unsigned switches;    /* number inside of the innermost loop, which a break in them cannot leave */
   bool reals, halves;   /* whether the kernel has floats, and halves */
   /* Most operands are constants, including those of as_T(), which clang, the translator and NIR evaluate. Other
    * kernels have no as_T() of a constant, for which the translator of LLVM 15 may crash (docs/mesa-bugs.md, 5): they
    * must compile. */
   bool folded;
   bool no_constant; /* at this place */
   bool indexed;     /* work-item functions have computed dimensions, also out of range */
   bool merging;     /* many wide variables get constants in many branches, beside an array that may be large */
   bool sampler;     /* the kernel's functions get a sampler: it is compiled, but not run (docs/mesa-bugs.md, 11) */
   bool small;       /* if merging: these constants have 8 bits */
   bool global;      /* objects, exchanges and atomics may be in global memory */
   bool turning;     /* if merging: the branches are in loops with a constant iteration count */
   /* features.c: at most one of these. */
   bool nans;       /* many floats are NaN, infinite, -0.0 or the largest, and are compared */
   bool converting; /* most operations are conversions from floats or to them */
   bool aliasing;   /* arrays are used at constant indices beside computed ones, and copied as a whole */
   bool counting;   /* loops have constant iteration counts, in all forms */
   bool atomics;    /* many atomics and computed places in global memory */
   bool arguments;  /* many wide arguments by value */
};

/* The operations to choose from. */
enum ocl_wanted { OCL_ANY_OPERATION, OCL_CONVERSION, OCL_TEST_OF_REALS };

/* The types of an operation's operands. */
struct ocl_plan {
   struct ocl_type source[OCL_SOURCES];
   uint8_t count;
   uint64_t data[OCL_WIDTH];
};

/* choose.c */
uint32_t ocl_below(struct ocl_generator *generator, uint32_t bound);
bool ocl_chance(struct ocl_generator *generator, uint32_t percent);
/* A width of a vector, or 1. */
uint8_t ocl_any_width(struct ocl_generator *generator);
/* Returns numbers that expose faults of arithmetic more often than others. */
uint64_t ocl_any_number(struct ocl_generator *generator, uint8_t base);
/* The same, for floats, too. */
uint64_t ocl_any_value(struct ocl_generator *generator, uint8_t base);
uint8_t ocl_any_integer(struct ocl_generator *generator);
struct ocl_type ocl_any_type(struct ocl_generator *generator);
/* Integers only, for values that lanes exchange. */
struct ocl_type ocl_any_integer_type(struct ocl_generator *generator);

/* generate.c. NULL: the program is full. */
struct ocl_node *ocl_add_node(struct ocl_generator *generator, enum ocl_kind kind, struct ocl_type type);
/* Adds a node that reads `count` values. what: its slot; of OCL_OP its operation. Returns ocl_last(). */
uint32_t ocl_add(struct ocl_generator *generator, enum ocl_kind kind, struct ocl_type type, unsigned what,
                 unsigned count, const uint32_t *sources);
/* Adds a node that reads one value. Returns it, or NULL. */
struct ocl_node *ocl_add_reader(struct ocl_generator *generator, enum ocl_kind kind, struct ocl_type type,
                                uint32_t value);
bool ocl_near_full(const struct ocl_generator *generator);
/* Returns the node that was added last. All functions that make a value return its node. */
uint32_t ocl_last(const struct ocl_generator *generator);
uint32_t ocl_constant(struct ocl_generator *generator, struct ocl_type type);
/* A constant, an input, an argument or a work-item function. */
uint32_t ocl_leaf(struct ocl_generator *generator, struct ocl_type type);
/* depth: of the enclosing expressions; deeper ones are smaller. */
uint32_t ocl_expression(struct ocl_generator *generator, struct ocl_type type, unsigned depth);
uint32_t ocl_operation(struct ocl_generator *generator, struct ocl_type type, unsigned depth, enum ocl_wanted wanted);
/* The first operation of this name that is rounded to even, or not at all. */
uint32_t ocl_two_operands(struct ocl_generator *generator, const char *name, struct ocl_type type, uint32_t a,
                          uint32_t b);
/* Read an object's element at an existing index, or at a new one. */
uint32_t ocl_read_here(struct ocl_generator *generator, uint32_t object, uint32_t index);
uint32_t ocl_read_object(struct ocl_generator *generator, uint32_t object, unsigned depth);
/* Whether vectors of this width are loaded from, or stored to, an object's elements. */
bool ocl_holds_vector(const struct ocl_object *object, struct ocl_type type);
/* In some kernels lanes also exchange through elements of arguments, each with its index. */
void ocl_through_global(struct ocl_generator *generator, struct ocl_node *node);
/* Makes a value an output. */
void ocl_store(struct ocl_generator *generator, uint32_t value);
/* Makes an atomic on a word that only this lane uses. */
uint32_t ocl_own_atomic(struct ocl_generator *generator, struct ocl_type type, unsigned depth);
/* Returns a new value for a variable: often a constant or a conversion. */
uint32_t ocl_new_value(struct ocl_generator *generator, struct ocl_type type);
/* Makes an output of a new expression. */
void ocl_output(struct ocl_generator *generator);

/* statements.c. Assigns object `object` [index] = value; OCL_VSTORE: a vector, from that element on. */
void ocl_assign(struct ocl_generator *generator, enum ocl_kind kind, uint32_t object, uint32_t index, uint32_t value);
/* Hides values made from `start` on, which cannot be used from here on. */
void ocl_hide(struct ocl_generator *generator, uint32_t start);
/* Makes `count` statements. Values made inside cannot be used behind their end. */
void ocl_block(struct ocl_generator *generator, unsigned count);
void ocl_statement(struct ocl_generator *generator);
/* Makes an exchange between lanes; only outside of blocks. */
void ocl_communicate(struct ocl_generator *generator);
uint32_t ocl_turn(struct ocl_generator *generator, struct ocl_type type);

/* objects.c. Makes the objects; then chooses how arrays get their initial values, and which objects are arguments in
 * global memory. */
void ocl_make_objects(struct ocl_generator *generator);
void ocl_choose_lists(struct ocl_program *program, uint64_t seed);
void ocl_choose_globals(struct ocl_program *program, uint64_t seed, uint32_t orders);

/* merging.c. Makes wide variables and one array: between branches more values are live than there are registers. */
void ocl_make_wide_objects(struct ocl_generator *generator);
/* Makes a branch that stores to the array and assigns variables; the second function does so in a loop. */
void ocl_merge(struct ocl_generator *generator);
void ocl_merge_in_turns(struct ocl_generator *generator);
/* Whether an array is so large that offsets behind it need more than 16 bits. */
bool ocl_holds_much(const struct ocl_object *object);

/* known.c. Makes a number; for integers perhaps as an expression of constants with these components. */
uint32_t ocl_number(struct ocl_generator *generator, struct ocl_type type, const uint64_t *values);
uint32_t ocl_known(struct ocl_generator *generator, struct ocl_type type, const uint64_t *values);

/* features.c. Chooses the feature of a kernel by its own random numbers; no other choice depends on them. */
void ocl_choose_feature(struct ocl_generator *generator, uint64_t seed);
/* Makes a comparison of floats, or another test of one. */
uint32_t ocl_compared_reals(struct ocl_generator *generator);
/* Makes its objects before others. */
void ocl_make_feature_objects(struct ocl_generator *generator);
/* Makes a statement for the feature. Returns false if the kernel has none. */
bool ocl_feature_statement(struct ocl_generator *generator);

/* plan.c. Returns false if this operation does not give this type. */
bool ocl_plan(struct ocl_generator *generator, const struct ocl_op *op, struct ocl_type type, struct ocl_plan *plan);

#endif
