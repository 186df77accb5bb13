/* SPDX-License-Identifier: MIT
 *
 * What the files that make kernels share. Invariant: all choices come from `random`, so that a seed gives one kernel.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_GENERATOR_H
#define AGX_RUNNER_FUZZ_OPENCL_GENERATOR_H

#include "agx_runner/fuzz/opencl/ops.h"

struct ocl_generator {
   struct ocl_program *program;
   struct fuzz_random random;
   bool visible[OCL_NODES]; /* values that may be used here */
   unsigned depth;          /* of control flow */
   unsigned loops;
   unsigned local_nodes; /* exchanges and atomics: each takes local memory */
   unsigned exchanges;   /* of those, through global memory */
   unsigned switches;    /* inside of the innermost loop: no break can leave that */
   bool reals, halves;   /* whether the kernel has floats, and halves */
   /* Most operands are constants, of as_T() too: what clang, the translator and NIR evaluate. Other kernels have no
    * as_T() of a constant, for which the translator of LLVM 15 may crash (docs/mesa-bugs.md, 5): they must be compiled.
    */
   bool folded;
   bool no_constant; /* here */
   bool indexed;     /* work-item functions have dimensions that are computed, out of range, too */
   bool merging;     /* many wide variables get constants in many branches, beside an array that may be large */
   bool sampler;     /* the kernel's functions get a sampler: it is compiled, and not run (docs/mesa-bugs.md, 11) */
   bool small;       /* where merging: these constants have 8 bits */
   bool global;      /* objects, exchanges and atomics are in global memory, too */
   bool turning;     /* where merging: the branches stand in loops with a constant count of turns */
};

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
/* Numbers at which arithmetic goes wrong, more often than others. */
uint64_t ocl_any_number(struct ocl_generator *generator, uint8_t base);
/* The same, of floats too. */
uint64_t ocl_any_value(struct ocl_generator *generator, uint8_t base);
uint8_t ocl_any_integer(struct ocl_generator *generator);
struct ocl_type ocl_any_type(struct ocl_generator *generator);
/* Integers only: of what lanes exchange. */
struct ocl_type ocl_any_integer_type(struct ocl_generator *generator);

/* generate.c. NULL: the program is full. */
struct ocl_node *ocl_add_node(struct ocl_generator *generator, enum ocl_kind kind, struct ocl_type type);
bool ocl_near_full(const struct ocl_generator *generator);

/* known.c. A number; of integers, also an expression of constants that has these components. */
uint32_t ocl_number(struct ocl_generator *generator, struct ocl_type type, const uint64_t *values);
uint32_t ocl_known(struct ocl_generator *generator, struct ocl_type type, const uint64_t *values);

/* plan.c. False: this operation does not give this type. */
bool ocl_plan(struct ocl_generator *generator, const struct ocl_op *op, struct ocl_type type, struct ocl_plan *plan);
struct ocl_type ocl_with_width(struct ocl_type type, unsigned width);

#endif
