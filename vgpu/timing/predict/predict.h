/* SPDX-License-Identifier: MIT
 *
 * How long straight-line code takes, in closed form and from the same parameters as the simulation: every resource is
 * a bound, and the largest bound is the answer.
 *
 * One simdgroup alone gives each resource's lead (from the start to its first use), its use, and its tail (from the end
 * of its last use to the end of all). With n simdgroups on the scheduler, each of which runs the code once, resource r
 * cannot be done before lead + n * use + tail, and no simdgroup is done before its own chain of dependences. Besides,
 * simdgroups that take turns are all at about the same place of the code, so slow instructions that stand together
 * overlap with the fast ones that stand elsewhere only as far as one may wait in front of its pipe: VGPU_BOUND_TURN.
 */
#ifndef VGPU_PREDICT_H
#define VGPU_PREDICT_H

#include <stddef.h>
#include <stdint.h>

#include "vgpu/timing/cost.h"
#include "vgpu/timing/timing_params.h"

enum vgpu_bound {
   VGPU_BOUND_PIPE, /* and those after it, by enum vgpu_pipe */
   VGPU_BOUND_ISSUE = VGPU_PIPES,
   VGPU_BOUND_TURN,      /* see above */
   VGPU_BOUND_CHAIN,     /* of dependences, with as many simdgroups as a core can hold */
   VGPU_BOUND_OCCUPANCY, /* the same, with fewer: more simdgroups would hide it */
   VGPU_BOUNDS
};
extern const char *const vgpu_bound_names[VGPU_BOUNDS];

/* Why the simulation may differ. */
enum vgpu_doubt {
   VGPU_DOUBT_CLOSE = 1,   /* two bounds within a tenth of each other get in each other's way */
   VGPU_DOUBT_BARRIER = 2, /* when the others arrive is not known */
   VGPU_DOUBT_PENDING = 4, /* more memory operations than a scoreboard slot holds */
   VGPU_DOUBT_MEMORY = 8,  /* all schedulers share the memory pipes */
};
#define VGPU_DOUBTS 4
extern const char *const vgpu_doubt_texts[VGPU_DOUBTS]; /* by bit */

struct vgpu_prediction {
   double bounds[VGPU_BOUND_CHAIN + 1]; /* cycles from the first issue to the last result; 0: not used */
   double use[VGPU_BOUND_CHAIN];        /* cycles of the resource that one simdgroup takes */
   enum vgpu_bound bound;               /* the largest, VGPU_BOUND_TURN apart */
   double cycles;                       /* its cycles, or more by VGPU_BOUND_TURN */
   double each;     /* per simdgroup and scheduler in a loop, where order evens out: the largest use, or chain / n */
   unsigned doubts; /* enum vgpu_doubt bits */
};

/* simds: on the scheduler, at least 1. most: that a scheduler can hold. */
void vgpu_predict(const struct vgpu_params *params, const struct vgpu_cost *costs, size_t count, unsigned simds,
                  unsigned most, struct vgpu_prediction *prediction);

#endif
