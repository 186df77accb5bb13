/* SPDX-License-Identifier: MIT
 *
 * The causes of lost time: a row for each what-if of the timing model.
 */
#ifndef AGX_RUNNER_EXPLAIN_CAUSES_H
#define AGX_RUNNER_EXPLAIN_CAUSES_H

#include "agx_runner/explain/explain.h"
#include "isa/isa.h"
#include "vgpu/timing/cost.h"

#define EXPLAIN_DEFAULT_THREADS 1024 /* threads of a threadgroup that Mesa assumes if a kernel names no size */

#define EXPLAIN_BIT(what) (1u << VGPU_WHAT_IF_##what)
/* What-ifs about time in which no pipe is busy. Findings that hide such time, or remove its cause, come first. */
#define EXPLAIN_WAITING                                                                                                \
   (EXPLAIN_BIT(OPERAND) | EXPLAIN_BIT(LATENCY) | EXPLAIN_BIT(LOOPS) | EXPLAIN_BIT(BRANCHES) | EXPLAIN_BIT(BARRIER))
/* If more simdgroups make a kernel faster, no pipe limits it. */
#define EXPLAIN_PIPES (EXPLAIN_BIT(COMPLEX) | EXPLAIN_BIT(CROSS))

/* An instruction of the profile. */
struct explain_instruction {
   const struct vgpu_profile_row *row;
   const struct isa_insn *insn;
   const struct vgpu_cost *cost;
};

/* Returns how much of the finding's time the instruction stands for, to name the line with the most. */
typedef double explain_weight(const struct explain_instruction *instruction);

struct explain_cause {
   const char *name, *advice;
   bool at_most, per_thread;
   unsigned before; /* bits of the what-ifs that this one causes, if its gain is at least `worth` */
   double worth;
   explain_weight *weight; /* NULL: the finding names no line */
   /* writes the text before the advice; NULL: there is none */
   void (*describe)(const struct explain *explain, char *text, size_t size);
};
extern const struct explain_cause explain_causes[VGPU_WHAT_IFS];

/* Calls `use` for each instruction of the main program that the profile has. */
void explain_each_instruction(const struct explain *explain,
                              void (*use)(void *data, const struct explain_instruction *instruction), void *data);

#endif
