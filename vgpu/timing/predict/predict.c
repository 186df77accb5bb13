/* SPDX-License-Identifier: MIT
 *
 * The closed form of predict.h: one pass over the code collects the use of each resource, then the bounds are compared.
 * Invariant: all times come from the parameters that the simulation reads too.
 */
#include "vgpu/timing/predict/predict.h"

#include <string.h>

#define HALVES 256
#define SLOTS 2
#define CLOSE 0.9
#define SPREAD (2 * VGPU_TICKS) /* distance in the code between simdgroups that issue alternately, roughly */

const char *const vgpu_bound_names[VGPU_BOUNDS] = {
    [VGPU_PIPE_FAST] = "fast pipe",
    [VGPU_PIPE_COMPLEX] = "complex pipe",
    [VGPU_PIPE_CROSS] = "cross-lane pipe",
    [VGPU_PIPE_CONTROL] = "control pipe",
    [VGPU_PIPE_LOCAL] = "threadgroup memory",
    [VGPU_PIPE_DEVICE] = "device memory",
    [VGPU_BOUND_ISSUE] = "issue",
    [VGPU_BOUND_TURN] = "order of the code",
    [VGPU_BOUND_CHAIN] = "dependency chain",
    [VGPU_BOUND_OCCUPANCY] = "occupancy",
};

const char *const vgpu_doubt_texts[VGPU_DOUBTS] = {
    "two bounds are close and get in each other's way",
    "when the others arrive at the barrier is not known",
    "more memory operations than a scoreboard slot holds",
    "all four schedulers share the memory pipes",
};

/* One simdgroup that has its scheduler to itself. */
struct alone {
   const struct vgpu_params *params;
   struct vgpu_result halves[HALVES];
   uint64_t floor, end;
   uint64_t pipes[VGPU_PORTS];                  /* by port: ticks at which the pipes are free */
   unsigned functions[VGPU_PORTS - VGPU_PIPES]; /* instructions by port */
   uint64_t turn, turns[VGPU_PIPES];            /* the same with all latencies hidden: one simdgroup among many */
   uint8_t unit;                                /* the last one that the complex pipe used */
   uint64_t done[SLOTS];
   unsigned outstanding[SLOTS];
   /* first use, end of the last use, and total use of each resource */
   uint64_t first[VGPU_BOUND_CHAIN], last[VGPU_BOUND_CHAIN], use[VGPU_BOUND_CHAIN];
   unsigned doubts;
};

static uint64_t later(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

static void occupy(struct alone *alone, unsigned resource, uint64_t begun, uint64_t ticks)
{
   if (alone->use[resource] == 0) {
      alone->first[resource] = begun;
   }
   alone->use[resource] += ticks;
   alone->last[resource] = begun + ticks;
}

/* Returns how many simdgroups share a resource for each one of a scheduler: a core's resource serves all schedulers. */
static unsigned share(unsigned resource)
{
   return resource >= VGPU_PIPE_OWN && resource < VGPU_PIPES ? VGPU_SCHEDULERS : 1;
}

/* The pipe of an instruction is free again, for each port. */
static void set_free(struct alone *alone, const struct vgpu_cost *cost, uint64_t free)
{
   alone->pipes[vgpu_pipe_of(cost->port)] = free;
   if (vgpu_pipe_of(cost->port) != VGPU_PIPE_COMPLEX) {
      return;
   }
   for (unsigned port = VGPU_PIPES; port < VGPU_PORTS; port++) {
      alone->pipes[port] = free - vgpu_overlap(alone->params, cost, port);
   }
   if (cost->port >= VGPU_PIPES) {
      alone->functions[cost->port - VGPU_PIPES]++;
   }
}

/* Takes from the use of the complex pipe what functions of different ports overlap, with many simdgroups. */
static void overlap(struct alone *alone)
{
   const unsigned *functions = alone->functions;
   const unsigned all = functions[0] + functions[1] + functions[2];
   uint64_t pairs = 0;
   for (unsigned i = VGPU_PORT_RECIPROCAL - VGPU_PIPES; i < VGPU_PORTS - VGPU_PIPES; i++) {
      pairs += functions[i] < all - functions[i] ? functions[i] : all - functions[i];
   }
   alone->use[VGPU_PIPE_COMPLEX] -= pairs * alone->params->core[VGPU_CORE_OVERLAP];
   alone->turns[VGPU_PIPE_COMPLEX] -= pairs * alone->params->core[VGPU_CORE_OVERLAP];
}

static void step(struct alone *alone, const struct vgpu_cost *cost, uint32_t number)
{
   const struct vgpu_operands operands = vgpu_operands_of(alone->params, cost, cost->read_count, number, alone->halves);
   const uint64_t ready = later(alone->floor, operands.ready), queue = vgpu_queue_ticks(alone->params, cost->port);
   const uint32_t stall = operands.stall;
   const unsigned pipe = vgpu_pipe_of(cost->port);
   uint64_t free = alone->pipes[cost->port];
   uint32_t lost = vgpu_switch_ticks(alone->params, cost, &alone->unit);
   uint64_t now = later(ready, free > queue ? free - queue : 0), begun = later(now, free) + lost;
   occupy(alone, VGPU_BOUND_ISSUE, now, cost->issue);
   occupy(alone, cost->pipe, begun, cost->interval + stall);
   alone->use[cost->pipe] += lost / 2; /* with many simdgroups, half of the changes between units coincide */
   if (pipe != cost->pipe) {
      occupy(alone, pipe, begun, cost->interval);
   }
   set_free(alone, cost, begun + cost->interval + stall);
   alone->floor = now + cost->issue;
   uint64_t busy = alone->turns[pipe], spread = vgpu_is_shared(pipe) ? 0 : SPREAD;
   alone->turn = later(alone->turn, busy > spread ? busy - spread : 0);
   alone->turns[pipe] = later(alone->turn, busy) + cost->interval * share(pipe) + stall + lost / 2;
   alone->turn += cost->issue;
   for (unsigned i = 0; i < cost->write_count; i++) {
      alone->halves[cost->writes[i]] = vgpu_result_of(cost, number, begun + cost->latency);
   }
   switch ((enum vgpu_cost_kind)cost->kind) {
   case VGPU_COST_CONTROL:
      alone->floor = later(alone->floor, begun + cost->latency);
      break;
   case VGPU_COST_ASYNC:
      alone->done[cost->slot] = later(alone->done[cost->slot], begun + cost->latency);
      alone->doubts |= ++alone->outstanding[cost->slot] > VGPU_PENDING ? VGPU_DOUBT_PENDING : 0;
      alone->doubts |= VGPU_DOUBT_MEMORY;
      break;
   case VGPU_COST_WAIT:
      alone->floor = later(alone->floor, alone->done[cost->slot]);
      alone->outstanding[cost->slot] = 0;
      break;
   case VGPU_COST_BARRIER:
      alone->doubts |= VGPU_DOUBT_BARRIER;
      break;
   default:
      break;
   }
   /* As in the simulation, the end waits for memory and for the last instruction, but not for results that nobody
    * reads. */
   alone->end = later(later(alone->floor, begun + cost->latency), later(alone->done[0], alone->done[1]));
}

void vgpu_predict(const struct vgpu_params *params, const struct vgpu_cost *costs, size_t count, unsigned simds,
                  unsigned most, struct vgpu_prediction *prediction)
{
   struct alone alone = {.params = params};
   for (size_t i = 0; i < count; i++) {
      step(&alone, &costs[i], (uint32_t)i + VGPU_FIRST);
   }
   overlap(&alone);
   memset(prediction, 0, sizeof(*prediction));
   prediction->doubts = alone.doubts;
   for (unsigned r = 0; r < VGPU_PIPES; r++) {
      alone.turn = later(alone.turn, alone.turns[r]);
   }
   alone.use[VGPU_BOUND_TURN] = alone.turn;
   alone.last[VGPU_BOUND_TURN] = alone.end;
   prediction->bounds[VGPU_BOUND_CHAIN] = (double)alone.end / VGPU_TICKS;
   prediction->bound = simds < most ? VGPU_BOUND_OCCUPANCY : VGPU_BOUND_CHAIN;
   prediction->cycles = prediction->bounds[VGPU_BOUND_CHAIN];
   prediction->each = prediction->cycles / simds;
   for (unsigned r = 0; r < VGPU_BOUND_CHAIN; r++) {
      if (alone.use[r] > 0) {
         uint64_t lead = alone.first[r], tail = alone.end - (alone.last[r] < alone.end ? alone.last[r] : alone.end);
         uint64_t ticks = lead + simds * share(r) * alone.use[r] + tail;
         prediction->bounds[r] = (double)ticks / VGPU_TICKS;
         prediction->use[r] = (double)alone.use[r] * share(r) / VGPU_TICKS;
         if (r != VGPU_BOUND_TURN && prediction->use[r] > prediction->each) {
            prediction->each = prediction->use[r];
         }
      }
      if (r != VGPU_BOUND_TURN && prediction->bounds[r] > prediction->cycles) {
         prediction->bound = (enum vgpu_bound)r;
         prediction->cycles = prediction->bounds[r];
      }
   }
   unsigned near = 0;
   for (unsigned r = 0; r <= VGPU_BOUND_CHAIN; r++) {
      /* the cross-lane pipe is counted as part of another pipe */
      near += r != VGPU_BOUND_TURN && r != VGPU_PIPE_CROSS && prediction->bounds[r] > CLOSE * prediction->cycles;
   }
   prediction->doubts |= near > 1 && simds > 1 ? VGPU_DOUBT_CLOSE : 0;
   if (prediction->bounds[VGPU_BOUND_TURN] > prediction->cycles) {
      prediction->cycles = prediction->bounds[VGPU_BOUND_TURN];
   }
}
