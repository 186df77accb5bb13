/* SPDX-License-Identifier: MIT
 *
 * The time of straight-line code in closed form, from the same parameters as the simulation. Every resource gives a
 * bound, and the largest bound is the answer.
 *
 * One simdgroup alone gives each resource's lead (from the start to its first use), its use, and its tail (from the
 * end of its last use to the end of all). With n simdgroups on the scheduler, each of which runs the code once,
 * resource r cannot be done before lead + n * use + tail, and no simdgroup is done before its own dependency chain.
 * Besides, simdgroups that issue alternately are all at about the same place in the code. So slow instructions that
 * stand together overlap with fast ones that stand elsewhere only as far as issue queues allow: VGPU_BOUND_TURN.
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
   VGPU_BOUND_CHAIN,     /* the dependency chain, with as many simdgroups as a core can hold */
   VGPU_BOUND_OCCUPANCY, /* the dependency chain, with fewer simdgroups: more of them would hide it */
   VGPU_BOUNDS
};
extern const char *const vgpu_bound_names[VGPU_BOUNDS];

/* Reasons why the simulation may differ. */
enum vgpu_doubt {
   VGPU_DOUBT_CLOSE = 1,   /* two bounds are within a tenth of each other, so their resources interfere */
   VGPU_DOUBT_BARRIER = 2, /* it is not known when the other simdgroups arrive at a barrier */
   VGPU_DOUBT_PENDING = 4, /* more memory operations than a scoreboard slot holds */
   VGPU_DOUBT_MEMORY = 8,  /* all schedulers share the memory pipes */
};
#define VGPU_DOUBTS 4
extern const char *const vgpu_doubt_texts[VGPU_DOUBTS]; /* by bit */

struct vgpu_prediction {
   /* cycles from the first issue to the last result; 0: the resource is not used */
   double bounds[VGPU_BOUND_CHAIN + 1];
   double use[VGPU_BOUND_CHAIN]; /* cycles for which one simdgroup uses the resource */
   enum vgpu_bound bound;        /* the largest bound other than VGPU_BOUND_TURN */
   double cycles;                /* cycles of that bound, or of VGPU_BOUND_TURN if that is larger */
   /* cycles for each simdgroup and scheduler in a loop, where order averages out: the largest use, or chain / n */
   double each;
   unsigned doubts; /* enum vgpu_doubt bits */
};

/* simds: simdgroups on the scheduler, at least 1. most: simdgroups that a scheduler can hold. */
void vgpu_predict(const struct vgpu_params *params, const struct vgpu_cost *costs, size_t count, unsigned simds,
                  unsigned most, struct vgpu_prediction *prediction);

#endif
