/* SPDX-License-Identifier: MIT
 *
 * Changes the costs of instructions for a what-if. A table has one row for each what-if that changes instructions.
 * Invariant: no what-if changes which instructions a simdgroup executes or which data they move, unless its row says
 * so.
 */
#include <string.h>

#include "isa/isa.h"
#include "vgpu/block.h"
#include "vgpu/timing/core_state.h"
#include "vgpu/timing/loops.h"
#include "vgpu/timing/path/facts.h"
#include "vgpu/timing/timing_core.h"

#define WIDEST 16.0   /* most bytes that a lane can load or store at once */
#define SCATTERED 1.5 /* accesses that move this many times the sectors that their lanes need cannot be made wider */

/* An instruction's cost and what the what-if may change in it. */
struct change {
   const struct vgpu_core *core;
   const struct vgpu_core_simd *simd;
   struct vgpu_cost *cost;
   struct vgpu_trip *trip;
};

static const struct isa_insn *insn_of(const struct vgpu_core_simd *simd)
{
   return &simd->block->insns[simd->cost - simd->block->costs];
}

static struct vgpu_fact *fact_of(const struct vgpu_core *core, const struct vgpu_core_simd *simd)
{
   return vgpu_facts_of(core->work->facts, insn_of(simd));
}

static bool is_stack(const struct vgpu_core_simd *simd)
{
   const enum isa_op op = (enum isa_op)insn_of(simd)->op;
   return op == ISA_OP_STACK_LOAD || op == ISA_OP_STACK_STORE;
}

static bool is_atomic(const struct vgpu_core_simd *simd)
{
   const enum isa_op op = (enum isa_op)insn_of(simd)->op;
   return op == ISA_OP_ATOMIC || op == ISA_OP_LATOMIC;
}

/* ---- What instructions then take ---- */

static void leave_operand(const struct change *change)
{
   if (change->cost->kind == VGPU_COST_PLAIN) {
      change->trip->latency = 0;
      change->cost->bypass = 0;
   }
}

static void leave_banks(const struct change *change)
{
   if (change->cost->pipe == VGPU_PIPE_LOCAL && !is_atomic(change->simd)) {
      *change->trip = (struct vgpu_trip){.interval = change->cost->interval, .latency = change->cost->latency};
   }
}

static void leave_branches(const struct change *change)
{
   if (change->cost->kind == VGPU_COST_CONTROL && !vgpu_loops_counts(change->core->work->loops, change->simd->cost)) {
      change->trip->latency = 0;
   }
}

static void (*const rules[VGPU_WHAT_IFS])(const struct change *change) = {
    [VGPU_WHAT_IF_OPERAND] = leave_operand,
    [VGPU_WHAT_IF_BANKS] = leave_banks,
    [VGPU_WHAT_IF_BRANCHES] = leave_branches,
};

void vgpu_leave_out(const struct vgpu_core *core, const struct vgpu_core_simd *simd, struct vgpu_cost *cost,
                    struct vgpu_trip *trip)
{
   const struct change change = {core, simd, cost, trip};
   for (unsigned left = core->work->without; left; left &= left - 1) {
      const unsigned what = (unsigned)__builtin_ctz(left);
      if (rules[what]) {
         rules[what](&change);
      }
   }
}

/* ---- What is not executed ---- */

/* Adds a fraction of an execution to the fact's account. Returns whether a whole execution has accumulated. */
static bool is_due(struct vgpu_core *core, const struct vgpu_core_simd *simd, const struct vgpu_fact *fact, double part)
{
   double *owed = &core->owed[(size_t)(fact - core->work->facts->items) * VGPU_SCHEDULERS + simd->scheduler];
   *owed += part;
   if (*owed < 0.9999) {
      return false;
   }
   *owed -= 1;
   return true;
}

/* Returns the fraction of the instruction's executions that would remain if each moved as many bytes as possible. That
 * is possible for lanes side by side, and for lanes that use all bytes of their sectors one after the other, but not
 * for a table that lanes read at scattered places. */
static double part_of_narrow(const struct vgpu_fact *fact)
{
   const double most = SCATTERED * fact->needed + (double)fact->executions;
   const double behind = (double)fact->moved[VGPU_LEVEL_L2];
   const bool dense = (double)fact->moved[VGPU_LEVEL_L1] <= most || (behind <= most && behind * 2 >= fact->needed);
   return fact->bytes > 0 && fact->bytes <= 2 && fact->executions > 0 && dense ? fact->bytes / WIDEST : 1;
}

static bool is_avoidable(const struct vgpu_core *core, const struct vgpu_core_simd *simd, const struct vgpu_fact *fact)
{
   const struct vgpu_service_walk *walk = &simd->services;
   if (fact->bytes == 0 || walk->run == walk->end) {
      return false;
   }
   const struct vgpu_service *service = vgpu_core_service(&core->memory, walk->run->service);
   return service->flags & VGPU_SERVICE_REPEATED || vgpu_is_uniform(fact, service);
}

/* Call it once for each instruction that a simdgroup reaches. *moves: the skipped access still uses bandwidth. */
static bool is_skipped(struct vgpu_core *core, struct vgpu_core_simd *simd, uint64_t now, bool *moves)
{
   const struct vgpu_core_work *work = core->work;
   const struct vgpu_fact *fact = fact_of(core, simd);
   const unsigned without = work->without;
   *moves = false;
   if (!fact) {
      return false;
   }
   if (work->part != VGPU_PROFILE_NO_PART) {
      return fact->part == work->part && simd->cost->kind != VGPU_COST_BARRIER;
   }
   if (without >> VGPU_WHAT_IF_BARRIER & 1) {
      /* the wait in front of a barrier serves the readers behind the barrier */
      const bool leads = simd->cost->kind == VGPU_COST_WAIT && simd->cost + 1 < simd->block_end &&
                         simd->cost[1].kind == VGPU_COST_BARRIER;
      return leads || simd->cost->kind == VGPU_COST_BARRIER;
   }
   if (simd->cost->kind == VGPU_COST_BARRIER) {
      return false;
   }
   if (without >> VGPU_WHAT_IF_COMPLEX & 1) {
      return simd->cost->pipe == VGPU_PIPE_COMPLEX;
   }
   if (without >> VGPU_WHAT_IF_CROSS & 1) {
      return simd->cost->pipe == VGPU_PIPE_CROSS;
   }
   if (without >> VGPU_WHAT_IF_WIDE & 1) {
      return isa_timing_class(fact->insn) == ISA_TIMING_IADD64;
   }
   if (without & (1u << VGPU_WHAT_IF_SPILLS | 1u << VGPU_WHAT_IF_ARRAYS)) {
      return is_stack(simd) && fact->is_array == (without >> VGPU_WHAT_IF_ARRAYS & 1);
   }
   if (without >> VGPU_WHAT_IF_LOADS & 1) {
      /* without the accesses there is nothing to wait for */
      const bool idle = simd->cost->kind == VGPU_COST_WAIT && simd->done[simd->cost->slot] <= now;
      return idle || is_avoidable(core, simd, fact);
   }
   *moves = true;
   if (without >> VGPU_WHAT_IF_LANES & 1) {
      if (simd->cost == simd->block->costs) {
         simd->thin = !is_due(core, simd, fact, fact->lanes / VGPU_LANES / work->filled);
      }
      return simd->thin;
   }
   return without >> VGPU_WHAT_IF_NARROW & 1 && part_of_narrow(fact) < 1 &&
          !is_due(core, simd, fact, part_of_narrow(fact));
}

bool vgpu_leave_out_skips(struct vgpu_core *core, struct vgpu_core_simd *simd, uint64_t now)
{
   bool moves;
   if (!is_skipped(core, simd, now, &moves)) {
      return false;
   }
   if (simd->cost->access) {
      const uint32_t number = vgpu_service_next(&simd->services);
      if (moves) {
         vgpu_core_move(&core->memory, vgpu_core_service(&core->memory, number), now);
      }
   }
   return true;
}

/* ---- Accesses ---- */

/* Returns the same access with at most the sectors that the instruction's lanes need in the mean at each level. */
static struct vgpu_service needed_of(const struct vgpu_fact *fact, const struct vgpu_service *service)
{
   struct vgpu_service needed = *service;
   for (unsigned level = 0; level < VGPU_LEVELS; level++) {
      if ((double)fact->moved[level] > fact->needed + (double)fact->executions) {
         const double part = fact->needed / (double)fact->moved[level];
         needed.moved[level] = (uint16_t)(service->moved[level] * part + 0.999);
         if (level == VGPU_LEVEL_L1) {
            needed.passes = (uint16_t)(service->passes * part + 0.999);
            needed.lines = (uint16_t)(service->lines * part + 0.999);
         }
      }
   }
   return needed;
}

void vgpu_leave_out_access(struct vgpu_core *core, struct vgpu_core_simd *simd, const struct vgpu_service *service,
                           uint64_t now, struct vgpu_trip *trip)
{
   const unsigned without = core->work->without;
   const struct vgpu_fact *fact = fact_of(core, simd);
   struct vgpu_service changed = *service;
   if (without >> VGPU_WHAT_IF_SECTORS & 1 && fact && fact->bytes > 0 && fact->needed > 0) {
      changed = needed_of(fact, service);
   } else if (without >> VGPU_WHAT_IF_ATOMICS & 1 && is_atomic(simd)) {
      changed.passes = changed.passes > 1 ? 1 : changed.passes;
      changed.serial = 0;
   }
   vgpu_core_access(&core->memory, simd->cost, &changed, now, trip);
}
