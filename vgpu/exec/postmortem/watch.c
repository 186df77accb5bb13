/* SPDX-License-Identifier: MIT
 *
 * Watches simdgroups that did not end: their threadgroup continues for a while, one block of each simdgroup in turn.
 * For each loop it records how often it was passed, and the values of the comparisons that could end it. The launch
 * has already ended with an error, so nobody may read what it leaves in memory.
 */
#include "vgpu/exec/postmortem/postmortem.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/code.h"
#include "vgpu/exec/fault.h"
#include "vgpu/exec/host.h"
#include "vgpu/exec/semantics.h"

/* A threadgroup is watched for this number of instructions at most: about 10 ms. */
#define WATCHED_INSTRUCTIONS (UINT64_C(1) << 18)
#define MAX_GROUPS 64u /* that end while they are watched */
#define MAX_EDGES 16u
#define MAX_SEEN 32u

/* A jump back that was taken. */
struct edge {
   uint64_t head, tail, passes;
   const struct vgpu_code *code;
};

/* A comparison that was executed. */
struct seen {
   const struct vgpu_op *op;
   struct vgpu_seen_op last;
   const struct vgpu_op *from[VGPU_POSTMORTEM_OPERANDS];
};

struct watched {
   struct vgpu_simd *simd;
   struct edge edges[MAX_EDGES];
   unsigned edge_count;
   struct seen seen[MAX_SEEN];
   unsigned seen_count;
   const struct vgpu_op *writers[VGPU_HALVES]; /* the last one of each half register */
   uint64_t addresses[VGPU_HALVES];            /* that it loaded from; 0: it did not */
};

struct watch {
   struct vgpu_threadgroup *group;
   struct watched *watched; /* VGPU_POSTMORTEM_SIMDGROUPS */
   unsigned count;
   uint64_t instructions;
};

/* ---- What is noted ---- */

static unsigned half_of(const struct isa_operand *operand)
{
   return (unsigned)operand->value % VGPU_HALVES;
}

static void note_compare(struct watched *watched, const struct vgpu_op *op)
{
   const struct vgpu_simd *simd = watched->simd;
   struct seen *seen = NULL;
   if (!simd->exec) {
      return; /* what it compares is nobody's */
   }
   for (unsigned i = 0; i < watched->seen_count && !seen; i++) {
      seen = watched->seen[i].op == op ? &watched->seen[i] : NULL;
   }
   if (!seen && watched->seen_count == MAX_SEEN) {
      return;
   }
   const bool again = seen != NULL;
   seen = again ? seen : &watched->seen[watched->seen_count++];
   seen->op = op;
   seen->last.lanes = simd->exec;
   for (unsigned n = 0; n < VGPU_POSTMORTEM_OPERANDS; n++) {
      struct vgpu_seen_operand *operand = &seen->last.operands[n];
      const struct isa_operand *source = &op->insn->src[n];
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         const uint64_t value = vgpu_seen_value(simd, op, n, lane);
         operand->changed |= again && operand->lanes[lane] != value ? 1u << lane : 0;
         operand->lanes[lane] = value;
      }
      seen->from[n] = source->kind == ISA_REG ? watched->writers[half_of(source)] : NULL;
      operand->from_address = source->kind == ISA_REG ? watched->addresses[half_of(source)] : 0;
   }
}

static void note_writes(struct watched *watched, const struct vgpu_op *op, uint64_t address)
{
   if (!op->dst.present || vgpu_op_reads_dst(op) || !watched->simd->exec) {
      return;
   }
   const unsigned count = vgpu_op_dst_elements(op) * (op->dst.size / 16u);
   for (unsigned half = op->dst.half; half < op->dst.half + count && half < VGPU_HALVES; half++) {
      watched->writers[half] = op;
      watched->addresses[half] = address;
   }
}

static void note_jump(struct watched *watched, const struct vgpu_block *from)
{
   const struct vgpu_block *to = watched->simd->block;
   if (!from->last || watched->simd->state != VGPU_READY || to->address > from->last->address) {
      return;
   }
   for (unsigned i = 0; i < watched->edge_count; i++) {
      struct edge *edge = &watched->edges[i];
      if (edge->head == to->address && edge->tail == from->last->address) {
         edge->passes++;
         return;
      }
   }
   if (watched->edge_count < MAX_EDGES) {
      watched->edges[watched->edge_count++] = (struct edge){to->address, from->last->address, 1, to->code};
   }
}

/* ---- Going on ---- */

/* One block of one simdgroup, by the interpreter. watched: NULL, or whose it is. */
static void run_block(struct watch *watch, struct vgpu_simd *simd, struct watched *watched)
{
   const struct vgpu_block *block = simd->block;
   const uint32_t first = simd->exec ? 0 : block->first_idle;
   const unsigned masked = simd->exec != VGPU_ALL;
   struct vgpu_simd *const simds[1] = {simd};
   for (uint32_t i = first; i < block->count; i++) {
      const struct vgpu_op *op = &block->ops[i];
      uint64_t address = 0;
      if (watched && vgpu_is_exec_compare(op)) {
         note_compare(watched, op);
      } else if (watched) {
         address = simd->exec ? vgpu_seen_address(simd, op, (unsigned)__builtin_ctz(simd->exec)) : 0;
      }
      op->run[masked](op, simds, 1);
      if (watched) {
         note_writes(watched, op, address);
      }
   }
   watch->instructions += block->length;
   if (!simd->worker->stop) {
      vgpu_leave_block(simd, block);
      if (watched) {
         note_jump(watched, block);
      }
   }
}

static struct watched *find_watched(const struct watch *watch, const struct vgpu_simd *simd)
{
   for (unsigned i = 0; i < watch->count; i++) {
      if (watch->watched[i].simd == simd) {
         return &watch->watched[i];
      }
   }
   return NULL;
}

/* The first simdgroups that run are watched. */
static void choose(struct watch *watch)
{
   for (uint32_t i = 0; i < watch->group->simds && watch->count < VGPU_POSTMORTEM_SIMDGROUPS; i++) {
      if (watch->group->first[i].state == VGPU_READY) {
         watch->watched[watch->count++].simd = &watch->group->first[i];
      }
   }
}

/* The threadgroup goes on. */
static void go_on(struct watch *watch)
{
   const struct vgpu_worker *worker = watch->group->first[0].worker;
   bool any = true;
   while (any && watch->instructions < WATCHED_INSTRUCTIONS && !worker->stop) {
      any = false;
      for (uint32_t i = 0; i < watch->group->simds && !worker->stop; i++) {
         struct vgpu_simd *simd = &watch->group->first[i];
         if (simd->state == VGPU_READY) {
            run_block(watch, simd, find_watched(watch, simd));
            any = true;
         }
      }
   }
}

/* The widest loop that the simdgroup went through and is in. NULL: none. */
static const struct edge *find_loop(const struct watched *watched)
{
   const uint64_t at = watched->simd->block->address;
   const struct edge *found = NULL;
   for (unsigned i = 0; i < watched->edge_count; i++) {
      const struct edge *edge = &watched->edges[i];
      if (edge->head <= at && at <= edge->tail && (!found || edge->tail - edge->head > found->tail - found->head)) {
         found = edge;
      }
   }
   return found;
}

/* It goes on to the loop's first instruction, so that all that is said is of one place. */
static void align(struct watch *watch, struct watched *watched)
{
   const struct edge *loop = find_loop(watched);
   const struct vgpu_simd *simd = watched->simd;
   const uint64_t end = watch->instructions + WATCHED_INSTRUCTIONS;
   while (loop && simd->state == VGPU_READY && simd->block->address != loop->head && watch->instructions < end &&
          !simd->worker->stop) {
      run_block(watch, watched->simd, watched);
   }
}

/* ---- What is said ---- */

static void print_place(const struct vgpu_simd *simd, const struct vgpu_op *op, char text[VGPU_PLACE_BYTES])
{
   if (op) {
      vgpu_place_print(simd->worker, op, text, VGPU_PLACE_BYTES);
   }
}

/* Adds the comparison with the values of its last execution, if there was one. */
static void add_exit(struct vgpu_standing *standing, const struct watched *watched, const struct vgpu_loop_exit *exit)
{
   struct vgpu_seen_op *to = &standing->exits[standing->exit_count++];
   vgpu_seen_fill(to, watched->simd, exit->op);
   to->lanes = 0;
   for (unsigned i = 0; i < watched->seen_count; i++) {
      const struct seen *seen = &watched->seen[i];
      if (seen->op != exit->op) {
         continue;
      }
      to->lanes = seen->last.lanes;
      for (unsigned n = 0; n < to->operand_count; n++) {
         const struct vgpu_seen_operand *from = &seen->last.operands[n];
         memcpy(to->operands[n].lanes, from->lanes, sizeof(from->lanes));
         to->operands[n].changed = from->changed;
         to->operands[n].from_address = from->from_address;
         print_place(watched->simd, seen->from[n], to->operands[n].from);
      }
   }
   vgpu_loop_relation(exit->op, exit->when, to);
}

/* Finds the comparisons that keep lanes in a loop, the likeliest first. */
enum rank { KEEPS_LANES, NOT_REACHED, LETS_LANES_GO, RANKS };

/* By its last execution. */
static enum rank rank_of(const struct watched *watched, const struct vgpu_loop_exit *exit)
{
   for (unsigned i = 0; i < watched->seen_count; i++) {
      if (watched->seen[i].op == exit->op) {
         return vgpu_loop_exit_keeps(exit, &watched->seen[i].last) ? KEEPS_LANES : LETS_LANES_GO;
      }
   }
   return NOT_REACHED;
}

static void add_exits(struct vgpu_standing *standing, const struct watched *watched, const struct edge *loop)
{
   struct vgpu_loop_exit exits[VGPU_LOOP_EXITS];
   const unsigned count = vgpu_loop_exits(loop->code, loop->head, loop->tail, exits);
   for (unsigned rank = 0; rank < RANKS; rank++) {
      for (unsigned i = 0; i < count && standing->exit_count < VGPU_POSTMORTEM_EXITS; i++) {
         if (rank_of(watched, &exits[i]) == rank) {
            add_exit(standing, watched, &exits[i]);
         }
      }
   }
}

/* The barrier that the simdgroup waits at: the instruction before the block that it goes on with. */
static const struct vgpu_op *barrier_before(const struct vgpu_block *block)
{
   for (uint32_t i = 0; i < block->code->block_count; i++) {
      const struct vgpu_block *before = &block->code->blocks[i];
      if (before->control == VGPU_BARRIER && before->next == block) {
         return before->last;
      }
   }
   return NULL;
}

static const struct vgpu_op *first_op(const struct vgpu_block *block)
{
   return block->count > 0 ? &block->ops[0] : block->last;
}

static void add_waiting(struct vgpu_postmortem *postmortem, const struct vgpu_simd *simd)
{
   const struct vgpu_op *barrier = barrier_before(simd->block);
   if (barrier && postmortem->count < VGPU_POSTMORTEM_SIMDGROUPS) {
      vgpu_standing_fill(&postmortem->standing[postmortem->count++], simd, barrier, VGPU_STANDS_BARRIER);
   }
}

static void add_running(struct vgpu_postmortem *postmortem, const struct watched *watched)
{
   const struct vgpu_simd *simd = watched->simd;
   const struct vgpu_op *op = first_op(simd->block);
   const struct edge *loop = find_loop(watched);
   if (!op || postmortem->count == VGPU_POSTMORTEM_SIMDGROUPS) {
      return;
   }
   struct vgpu_standing *standing = &postmortem->standing[postmortem->count++];
   vgpu_standing_fill(standing, simd, op, VGPU_STANDS_RUNNING);
   if (loop) {
      standing->passes = loop->passes;
      print_place(simd, vgpu_code_op(loop->code, loop->head), standing->loop);
      print_place(simd, vgpu_code_op(loop->code, loop->tail), standing->loop_end);
      add_exits(standing, watched, loop);
   }
}

static void say(struct vgpu_postmortem *postmortem, const struct watch *watch)
{
   const struct vgpu_threadgroup *group = watch->group;
   const bool first = postmortem->count == 0;
   for (unsigned i = 0; i < watch->count; i++) {
      if (watch->watched[i].simd->state == VGPU_READY) {
         add_running(postmortem, &watch->watched[i]);
      }
   }
   for (uint32_t i = 0; i < group->simds; i++) {
      const struct vgpu_simd *simd = &group->first[i];
      if (simd->state == VGPU_WAITING) {
         add_waiting(postmortem, simd);
      }
      if (first) {
         postmortem->waiting |= simd->state == VGPU_WAITING ? 1u << i : 0;
         postmortem->running |= simd->state == VGPU_READY ? 1u << i : 0;
         postmortem->ended |= simd->state == VGPU_DONE ? 1u << i : 0;
      }
   }
}

/* ---- The whole ---- */

static bool stands(const struct vgpu_threadgroup *group)
{
   bool any = false;
   for (uint32_t i = 0; i < group->simds && !group->unchanged; i++) {
      any |= group->first[i].state != VGPU_DONE;
   }
   return any;
}

/* The threadgroup with the lowest number from `from` on that has not ended; NULL: none. */
static struct vgpu_threadgroup *next_group(struct vgpu_cohort *const *cohorts, unsigned count, uint64_t from)
{
   struct vgpu_threadgroup *found = NULL;
   for (unsigned i = 0; i < count; i++) {
      for (uint32_t slot = 0; slot < cohorts[i]->placed; slot++) {
         struct vgpu_threadgroup *group = &cohorts[i]->groups[slot];
         if (group->number >= from && stands(group) && (!found || group->number < found->number)) {
            found = group;
         }
      }
   }
   return found;
}

static void watch_group(struct vgpu_postmortem *postmortem, struct vgpu_threadgroup *group, struct watched *watched)
{
   struct vgpu_worker *worker = group->first[0].worker;
   struct watch watch = {.group = group, .watched = watched};
   memset(watched, 0, VGPU_POSTMORTEM_SIMDGROUPS * sizeof(*watched));
   for (uint32_t i = 0; i < group->simds; i++) {
      group->first[i].path = NULL; /* the model does not time this */
   }
   worker->stop = false;
   choose(&watch);
   go_on(&watch);
   for (unsigned i = 0; i < watch.count; i++) {
      align(&watch, &watch.watched[i]);
   }
   worker->stop = true;
   postmortem->instructions += watch.instructions;
   say(postmortem, &watch);
}

static void take(struct vgpu_postmortem *postmortem, struct vgpu_cohort *const *cohorts, unsigned count)
{
   struct watched *watched = malloc(VGPU_POSTMORTEM_SIMDGROUPS * sizeof(*watched));
   struct vgpu_threadgroup *group = watched ? next_group(cohorts, count, 0) : NULL;
   const uint64_t mode = vgpu_host_enter();
   for (unsigned i = 0; group && i < MAX_GROUPS && postmortem->count < VGPU_POSTMORTEM_SIMDGROUPS; i++) {
      const uint64_t number = group->number;
      watch_group(postmortem, group, watched);
      group = next_group(cohorts, count, number + 1);
   }
   vgpu_host_leave(mode);
   free(watched);
}

const struct vgpu_postmortem_hooks vgpu_postmortem_hooks = {.take = take, .keep = vgpu_standing_keep};
