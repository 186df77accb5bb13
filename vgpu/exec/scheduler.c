/* SPDX-License-Identifier: MIT
 *
 * Runs the simdgroups of some threadgroups on one host thread, block by block. Every ready simdgroup runs again after
 * a bounded number of steps. A simdgroup's budget ends programs that do not end themselves, the launch's limit of work
 * those that are too large.
 */
#include "vgpu/exec/scheduler.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "vgpu/exec/code.h"
#include "vgpu/exec/fault.h"
#include "vgpu/native.h"
#include "vgpu/timing/cost.h"
#include "vgpu/timing/path/path.h"
#include "util/clock.h"

#define FAIR_EVERY 64u         /* steps after which a simdgroup that is ahead runs once */
#define ENDED 0x8000u          /* the exec stack's counter of a lane that has ended */
#define MOST_PERIODS 16        /* of the compiler's: between two samples of compiled code */
#define MAX_INSTRUCTION_NS 64u /* an interpreted one takes 4 to 20 ns for a simdgroup */

/* ---- Budget and work ---- */

static void refill(struct vgpu_worker *worker)
{
   struct vgpu_shared *shared = worker->shared;
   if (atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
      worker->stop = true;
      return;
   }
   if (shared->launch->cancel && atomic_load_explicit(shared->launch->cancel, memory_order_relaxed)) {
      vgpu_raise(worker, VGPU_FAULT_TIMEOUT, "the client gave it up, or closed the device");
      return;
   }
   /* A compiled loop may have overdrawn the allowance, by all its passes for each simdgroup. That debt is paid first.
    */
   const int64_t wanted = shared->share - worker->allowance;
   const int64_t left = atomic_fetch_sub_explicit(&shared->work, wanted, memory_order_relaxed);
   worker->allowance += left < wanted ? left : wanted;
   if (worker->allowance <= 0) {
      vgpu_raise(worker, VGPU_FAULT_TIMEOUT, VGPU_WORK_MESSAGE, shared->launch->work);
   }
}

/* ---- Samples of what runs ---- */

/* What a host thread has run since its last sample: a launch of a tile is shorter than a period. */
static _Thread_local struct {
   const struct vgpu_compiler *compiler; /* of the launch before; never followed */
   int64_t until_sample, period;
   uint64_t ns;
} carried;

/* The time since the last sample where launches began or ended meanwhile. It is the time that passed, because a
 * thread's clock of processor time takes over 1 us on some hosts; hence the limit. */
static uint64_t time_in_launches(const struct vgpu_worker *worker)
{
   const uint64_t ns = worker->carried_ns + (util_clock_ns() - worker->began_ns);
   const uint64_t most = (uint64_t)worker->period * MAX_INSTRUCTION_NS;
   return ns < most ? ns : most;
}

void vgpu_samples_begin(struct vgpu_worker *worker)
{
   const struct vgpu_compiler *compiler = worker->launch->compiler;
   if (compiler) {
      const bool goes_on = carried.compiler == compiler && carried.until_sample > 0;
      worker->period = goes_on ? carried.period : compiler->period;
      worker->until_sample = goes_on ? carried.until_sample : worker->period;
      worker->carried_ns = goes_on ? carried.ns : 0;
      worker->began_ns = util_clock_ns();
   }
}

void vgpu_samples_end(struct vgpu_worker *worker)
{
   if (worker->launch->compiler) {
      carried.compiler = worker->launch->compiler;
      carried.until_sample = worker->until_sample;
      carried.period = worker->period;
      carried.ns = time_in_launches(worker);
   }
}

/* The next sample: a clock of processor time takes as long as hundreds of compiled instructions, so that samples are
 * fewer while they find compiled code. */
static int64_t next_period(const struct vgpu_worker *worker, const struct vgpu_block *block)
{
   const int64_t base = worker->launch->compiler->period, most = base * MOST_PERIODS;
   bool compiled = false;
   for (unsigned kind = 0; block->native && kind < VGPU_NATIVE_KINDS; kind++) {
      compiled |= atomic_load_explicit(&block->native->ops[kind], memory_order_relaxed) != NULL;
   }
   return !compiled ? base : 2 * worker->period < most ? 2 * worker->period : most;
}

static void take_sample(struct vgpu_worker *worker, const struct vgpu_block *block, unsigned kind)
{
   struct vgpu_compiler *compiler = worker->launch->compiler;
   if (!compiler) {
      worker->until_sample = INT64_MAX;
      return;
   }
   const uint64_t before = worker->sampled_ns;
   const uint64_t ns = before ? util_clock_thread_ns() - before : time_in_launches(worker);
   if (block->native) {
      compiler->sample(compiler, block, kind, ns);
   }
   worker->period = worker->until_sample = next_period(worker, block);
   worker->sampled_ns = util_clock_thread_ns(); /* without what compiling took */
   worker->carried_ns = 0;
   worker->began_ns = util_clock_ns();
}

static void account(struct vgpu_worker *worker, const struct vgpu_block *block, struct vgpu_simd *const *simds,
                    unsigned count)
{
   uint64_t lanes = 0;
   int64_t least = INT64_MAX;
   unsigned kind = VGPU_NATIVE_FULL;
   for (unsigned i = 0; i < count; i++) {
      const uint32_t exec = simds[i]->exec;
      simds[i]->left -= block->length;
      least = simds[i]->left < least ? simds[i]->left : least;
      lanes += exec == VGPU_ALL ? VGPU_LANES : exec ? (unsigned)__builtin_popcount(exec) : 0;
      kind = exec && exec != VGPU_ALL ? VGPU_NATIVE_MASKED : kind;
   }
   worker->instructions += (uint64_t)block->length * count;
   worker->thread_instructions += block->length * lanes;
   if (worker->launch->profile && block->lanes) {
      __atomic_fetch_add(&block->lanes->simds, count, __ATOMIC_RELAXED);
      __atomic_fetch_add(&block->lanes->lanes, lanes, __ATOMIC_RELAXED);
   }
   worker->allowance -= (int64_t)block->length * count;
   worker->until_sample -= (int64_t)block->length * count;
   if (__builtin_expect(worker->until_sample <= 0, 0)) {
      take_sample(worker, block, kind);
   }
   if (__builtin_expect(least < 0, 0)) {
      vgpu_raise(worker, VGPU_FAULT_TIMEOUT, VGPU_BUDGET_MESSAGE, worker->launch->budget);
   }
   if (worker->allowance <= 0) {
      refill(worker);
   }
}

/* ---- The instructions of a block ---- */

/* The timing model wants an access of each memory instruction, also of those that no lane executes. */
static void record_idle(const struct vgpu_block *block, struct vgpu_simd *const *idle, unsigned count)
{
   for (uint32_t i = 0; i < block->length; i++) {
      for (unsigned n = 0; block->costs[i].access && n < count; n++) {
         vgpu_access_none(&idle[n]->path->accesses);
      }
   }
}

/* For simdgroups with active lanes. native: NULL, or the code to run. masked: some lanes are inactive. */
static void run_ops(const struct vgpu_block *block, const struct vgpu_native_ops *native, unsigned masked,
                    struct vgpu_simd *const *simds, unsigned count)
{
   const struct vgpu_op *op = native ? native->ops : block->ops, *end = op + (native ? native->count : block->count);
   struct vgpu_interpreted *interpreted = &simds[0]->worker->interpreted;
   *(masked ? &interpreted->masked : &interpreted->waiting) += native ? 0 : (uint64_t)block->count * count;
   for (; op < end; op++) {
      if (native && op->insn) {
         interpreted->ops[op->insn->op] += count;
      }
      op->run[masked](op, simds, count);
   }
}

/* masked: some of the simdgroups have inactive lanes. Where there is code for one kind at least, each kind runs on its
 * own. */
static void run_active(const struct vgpu_block *block, struct vgpu_simd *const *simds, unsigned count, unsigned masked)
{
   const struct vgpu_native_ops *native[VGPU_NATIVE_KINDS] = {NULL};
   for (unsigned kind = 0; block->native && kind < VGPU_NATIVE_KINDS; kind++) {
      native[kind] = atomic_load_explicit(&block->native->ops[kind], memory_order_acquire);
   }
   if (!masked || (!native[VGPU_NATIVE_FULL] && !native[VGPU_NATIVE_MASKED])) {
      run_ops(block, masked ? NULL : native[VGPU_NATIVE_FULL], masked, simds, count);
      return;
   }
   struct vgpu_simd *of_kind[VGPU_NATIVE_KINDS][VGPU_COHORT];
   unsigned counts[VGPU_NATIVE_KINDS] = {0};
   for (unsigned i = 0; i < count; i++) {
      const unsigned kind = simds[i]->exec == VGPU_ALL ? VGPU_NATIVE_FULL : VGPU_NATIVE_MASKED;
      of_kind[kind][counts[kind]++] = simds[i];
   }
   for (unsigned kind = 0; kind < VGPU_NATIVE_KINDS; kind++) {
      if (counts[kind] > 0) {
         run_ops(block, native[kind], kind == VGPU_NATIVE_MASKED, of_kind[kind], counts[kind]);
      }
   }
}

static void run_block(const struct vgpu_block *block, struct vgpu_simd *const *simds, unsigned count)
{
   struct vgpu_simd *active[VGPU_COHORT], *idle[VGPU_COHORT];
   unsigned active_count = 0, idle_count = 0, masked = 0;
   for (unsigned i = 0; i < count; i++) {
      uint32_t exec = simds[i]->exec;
      if (exec) {
         masked |= exec != VGPU_ALL;
         active[active_count++] = simds[i];
      } else {
         idle[idle_count++] = simds[i];
      }
   }
   if (active_count) {
      run_active(block, active, active_count, masked);
   }
   if (idle_count) {
      if (block->costs && idle[0]->path) {
         record_idle(block, idle, idle_count);
      }
      for (uint32_t i = block->first_idle; i < block->count; i++) {
         block->ops[i].run[1](&block->ops[i], idle, idle_count);
      }
   }
}

/* ---- What comes after it ---- */

static void jump(struct vgpu_simd *simd, const struct vgpu_block *from, const struct vgpu_block *to)
{
   if (simd->path) {
      vgpu_path_jump(simd->path, from, to);
   }
   simd->block = to;
   simd->base[VGPU_CONSTANTS] = to->code->vectors;
}

/* A jump through a register: the address is relative to the USC base, and must be the same in all active lanes. */
static void jump_register(struct vgpu_simd *simd, const struct vgpu_block *block)
{
   const struct vgpu_worker *worker = simd->worker;
   const uint32_t *vector = vgpu_source_vector(simd, &block->last->src[0]);
   uint32_t lanes = simd->exec ? simd->exec : simd->launched_bits;
   uint32_t offset = vector[__builtin_ctz(lanes)];
   for (; lanes; lanes &= lanes - 1) {
      if (vector[__builtin_ctz(lanes)] != offset) {
         vgpu_raise_at(simd, block->last, VGPU_FAULT_INSTRUCTION,
                       "a jump through a register that differs between lanes");
         return;
      }
   }
   const struct vgpu_block *to = vgpu_program_block(worker->program, worker->launch->usc_base + offset);
   if (!to) {
      vgpu_raise(simd->worker, VGPU_FAULT_RESOURCES, "out of host memory for the program");
      return;
   }
   jump(simd, block, to);
}

static void link_register(struct vgpu_simd *simd, const struct vgpu_block *block)
{
   uint32_t *r1 = simd->base[VGPU_REGISTERS] + VGPU_LANES;
   uint64_t next = block->last->address + block->last->insn->length;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      if (simd->exec >> lane & 1) {
         r1[lane] = (uint32_t)(next - simd->worker->launch->usc_base);
      }
   }
}

/* Whether the hardware's barrier also orders device memory is not known (spec/isa.md 4.6); here it does. */
static void release(struct vgpu_threadgroup *group)
{
   atomic_thread_fence(memory_order_seq_cst);
   if (group->checks) {
      group->first->worker->launch->level->checks->release(group);
   }
   for (unsigned i = 0; i < group->simds; i++) {
      group->first[i].state = VGPU_READY;
   }
   group->ready = group->waiting;
   group->waiting = 0;
}

/* Simdgroups wait at a barrier that others can no longer reach. */
static void check_barrier(struct vgpu_simd *simd)
{
   const struct vgpu_threadgroup *group = simd->group;
   if (group->ready == 0 && group->waiting > 0) {
      vgpu_raise(simd->worker, VGPU_FAULT_TIMEOUT,
                 "%" PRIu32 " of the %" PRIu32 " simdgroups of threadgroup %" PRIu64
                 " wait at a barrier that the others never reach",
                 group->waiting, group->simds, group->number);
   }
}

/* Ends the active lanes: their counter of the exec stack becomes one that no pop reaches. Returns whether others are
 * left. */
static bool end_lanes(struct vgpu_simd *simd)
{
   uint32_t *r0 = simd->base[VGPU_REGISTERS];
   bool left = false;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      if (simd->exec >> lane & 1) {
         r0[lane] = (r0[lane] & 0xffff0000u) | ENDED;
      }
      left = left || (simd->launched_bits >> lane & 1 && (r0[lane] & 0xffff) < ENDED / 2);
   }
   simd->exec = 0;
   memset(simd->mask, 0, sizeof(simd->mask));
   return left;
}

static void end_simd(struct vgpu_simd *simd, const struct vgpu_block *block)
{
   simd->state = VGPU_DONE;
   simd->group->ready--;
   if (simd->path) {
      vgpu_path_end(simd->path, block);
   }
   check_barrier(simd);
}

void vgpu_leave_block(struct vgpu_simd *simd, const struct vgpu_block *block)
{
   struct vgpu_threadgroup *group = simd->group;
   if (simd->checks && block->last) {
      simd->worker->launch->level->checks->control(simd, block);
   }
   switch ((enum vgpu_control)block->control) {
   case VGPU_FALL:
      simd->block = block->next;
      break;
   case VGPU_JUMP_ANY:
   case VGPU_JUMP_NONE:
      if ((simd->exec != 0) == (block->control == VGPU_JUMP_ANY)) {
         jump(simd, block, block->target);
      } else {
         simd->block = block->next;
      }
      break;
   case VGPU_CALL:
      link_register(simd, block);
      jump(simd, block, block->target);
      break;
   case VGPU_CALL_REGISTER:
      jump_register(simd, block);
      link_register(simd, block);
      break;
   case VGPU_RETURN:
      jump_register(simd, block);
      break;
   case VGPU_STOP:
      end_simd(simd, block);
      break;
   case VGPU_STOP_SOME:
      if (end_lanes(simd)) {
         simd->block = block->next;
      } else {
         end_simd(simd, block);
      }
      break;
   case VGPU_BARRIER:
      simd->block = block->next;
      simd->state = VGPU_WAITING;
      group->ready--;
      group->waiting++;
      if (group->waiting == group->simds) {
         release(group);
      } else {
         check_barrier(simd);
      }
      break;
   case VGPU_FAULT:
      vgpu_raise_at(simd, block->last, block->fault, "%s", block->reason);
      break;
   }
}

/* ---- Who runs next ---- */

/* Chooses the block to run next: the one with the lowest address among the ready simdgroups, so that diverged
 * simdgroups reconverge. Every FAIR_EVERY steps it is another simdgroup's block, so that a spinning simdgroup does not
 * starve the others. NULL: none is ready. */
static const struct vgpu_block *choose(struct vgpu_simd *const *simds, unsigned count, unsigned step_number)
{
   const struct vgpu_block *block = NULL;
   for (unsigned i = 0; i < count; i++) {
      const struct vgpu_simd *simd = simds[(step_number / FAIR_EVERY + i) % count];
      if (simd->state == VGPU_READY && (!block || simd->block->address < block->address)) {
         block = simd->block;
         if (step_number % FAIR_EVERY == 0) {
            break;
         }
      }
   }
   return block;
}

/* Collects the simdgroups that are at the block. *ready: how many could run at all. */
static unsigned pick(struct vgpu_simd *const *simds, unsigned count, const struct vgpu_block *block,
                     struct vgpu_simd **picked, unsigned *ready)
{
   unsigned n = 0;
   *ready = 0;
   for (unsigned i = 0; i < count; i++) {
      if (simds[i]->state == VGPU_READY) {
         ++*ready;
         if (simds[i]->block == block) {
            picked[n++] = simds[i];
         }
      }
   }
   return n;
}

/* Whether the picked simdgroups, in the cohort's order, are all of their threadgroups, and none of these waits. */
static bool are_whole_groups(struct vgpu_simd *const *picked, unsigned count)
{
   unsigned i = 0;
   while (i < count) {
      const struct vgpu_threadgroup *group = picked[i]->group;
      if (group->ready != group->simds || group->simds > count - i || picked[i] != group->first ||
          picked[i + group->simds - 1] != group->first + group->simds - 1) {
         return false;
      }
      i += group->simds;
   }
   return true;
}

/* Ends the block for all simdgroups at once, if they continue together and nothing must be recorded: the next block
 * follows, or a barrier at which nobody waits. Returns false without any effect otherwise. */
static bool leave_together(struct vgpu_simd *const *picked, unsigned count, const struct vgpu_block *block)
{
   const bool falls = block->control == VGPU_FALL,
              passes = block->control == VGPU_BARRIER && are_whole_groups(picked, count);
   if (picked[0]->checks || (!falls && !passes)) {
      return false;
   }
   if (passes) {
      atomic_thread_fence(memory_order_seq_cst);
   }
   for (unsigned i = 0; i < count; i++) {
      picked[i]->block = block->next;
   }
   return true;
}

/* ---- Regions of blocks, compiled as one function ---- */

static const struct vgpu_op *region_at(const struct vgpu_block *block)
{
   const struct vgpu_native_ops *native =
       block->native ? atomic_load_explicit(&block->native->ops[VGPU_NATIVE_REGION], memory_order_acquire) : NULL;
   return native ? native->ops : NULL;
}

/* Whether all stand before the end of one block, whose ops they have run. */
static bool ran_together(struct vgpu_simd *const *picked, unsigned count)
{
   bool together = picked[0]->ran;
   for (unsigned i = 1; i < count; i++) {
      together &= picked[i]->ran && picked[i]->block == picked[0]->block;
   }
   return together;
}

/* The region, which starts at that block or contains it, has counted what it executed. Returns ran_together(). */
static bool settle_account(struct vgpu_worker *worker, const struct vgpu_block *block, struct vgpu_simd *const *picked,
                           unsigned count)
{
   const struct vgpu_block *first = picked[0]->block;
   int64_t least = INT64_MAX;
   bool together = true;
   for (unsigned i = 0; i < count; i++) {
      const struct vgpu_simd *simd = picked[i];
      least = simd->left < least ? simd->left : least;
      together &= simd->ran & (simd->block == first);
   }
   if (__builtin_expect(worker->until_sample <= 0, 0)) {
      take_sample(worker, block, VGPU_NATIVE_FULL);
   }
   if (least < 0) {
      vgpu_raise(worker, VGPU_FAULT_TIMEOUT, VGPU_BUDGET_MESSAGE, worker->launch->budget);
   }
   if (worker->allowance <= 0) {
      refill(worker);
   }
   return together;
}

/* Runs the region for all, and again after each barrier that whole threadgroups come to together. */
static void run_region(struct vgpu_worker *worker, const struct vgpu_op *region, struct vgpu_simd *const *picked,
                       unsigned count)
{
   const struct vgpu_block *block = picked[0]->block;
   bool whole = false; /* found out at the first barrier: nothing changes it before */
   while (!worker->stop && region_at(block) == region) {
      region->run[0](region, picked, count);
      const bool together = settle_account(worker, block, picked, count);
      block = picked[0]->block;
      if (worker->stop || block->control != VGPU_BARRIER || !together) {
         return;
      }
      whole = whole || are_whole_groups(picked, count);
      if (!whole) {
         return;
      }
      atomic_thread_fence(memory_order_seq_cst);
      block = block->next;
      for (unsigned i = 0; i < count; i++) {
         picked[i]->block = block;
         picked[i]->ran = false;
      }
   }
}

/* What step() does where there is such a function. */
static bool step_region(struct vgpu_worker *worker, const struct vgpu_op *region, struct vgpu_simd *const *picked,
                        unsigned count)
{
   run_region(worker, region, picked, count);
   bool together = !worker->stop;
   if (together && ran_together(picked, count) && leave_together(picked, count, picked[0]->block)) {
      for (unsigned i = 0; i < count; i++) {
         picked[i]->ran = false;
      }
      return true;
   }
   for (unsigned i = 0; i < count; i++) {
      const struct vgpu_block *block = picked[i]->block;
      const bool ran = picked[i]->ran;
      picked[i]->ran = false;
      if (ran && !worker->stop) {
         together &= block->control != VGPU_BARRIER;
         vgpu_leave_block(picked[i], block);
      }
   }
   for (unsigned i = 0; i < count; i++) {
      together &= picked[i]->state == VGPU_READY && picked[i]->block == picked[0]->block;
   }
   return together && !worker->stop;
}

/* Runs the block for all picked simdgroups. Returns whether they are all at one place again, ready, and no others
 * became ready: only a barrier makes others ready. */
static bool step(struct vgpu_worker *worker, struct vgpu_simd *const *picked, unsigned count)
{
   const struct vgpu_block *block = picked[0]->block;
   const struct vgpu_op *region = region_at(block);
   if (region) {
      return step_region(worker, region, picked, count);
   }
   account(worker, block, picked, count);
   if (worker->stop) {
      return false;
   }
   run_block(block, picked, count);
   if (!worker->stop && leave_together(picked, count, block)) {
      return true;
   }
   bool together = !worker->stop && block->control != VGPU_BARRIER;
   for (unsigned i = 0; i < count && !worker->stop; i++) {
      vgpu_leave_block(picked[i], block);
   }
   for (unsigned i = 0; i < count; i++) {
      together &= picked[i]->state == VGPU_READY && picked[i]->block == picked[0]->block;
   }
   return together;
}

/* Runs blocks for as long as all of those that are ready stand at one place. */
static void run_together(struct vgpu_worker *worker, struct vgpu_simd *const *picked, unsigned count)
{
   while (step(worker, picked, count)) {
   }
}

/* ---- Programs that are one block, compiled as one run, with all lanes active ---- */

/* The function that runs such a program, or NULL. */
static const struct vgpu_op *straight_run(struct vgpu_simd *const *simds, unsigned count)
{
   const struct vgpu_block *block = simds[0]->block;
   const struct vgpu_native_ops *native =
       block->native ? atomic_load_explicit(&block->native->ops[VGPU_NATIVE_FULL], memory_order_acquire) : NULL;
   if (!native || native->count != 1 || block->control != VGPU_STOP || block->code->any_zeroed || simds[0]->path) {
      return NULL;
   }
   uint32_t exec = VGPU_ALL;
   for (unsigned i = 0; i < count; i++) {
      exec &= simds[i]->exec;
   }
   return exec == VGPU_ALL ? native->ops : NULL;
}

/* The simdgroups stay where they are for the next threadgroups. false: it is not such a program, or a stage of drawing,
 * whose threads start with more than their position. */
static bool run_straight(struct vgpu_worker *worker, struct vgpu_simd *const *simds, unsigned count)
{
   const struct vgpu_op *op = worker->launch->stage ? NULL : straight_run(simds, count);
   if (!op) {
      return false;
   }
   account(worker, simds[0]->block, simds, count);
   if (!worker->stop) {
      worker->streams = worker->shared->streams;
      op->run[0](op, simds, count);
      worker->streams = false;
      for (unsigned i = 0; i < count; i++) {
         simds[i]->group->unchanged = true;
      }
   }
   return true;
}

/* Whether the program's last accesses to device memory are additions that return nothing. Those of several threadgroups
 * may then be summed up before they are executed: no thread sees the difference, because no barrier orders these
 * threadgroups. block: of a straight program without other accesses to device memory. */
static bool adds_last(const struct vgpu_block *block)
{
   bool added = false;
   for (uint32_t i = 0; i < block->count; i++) {
      const struct vgpu_op *op = &block->ops[i];
      const uint16_t code = op->insn->op;
      if (code == ISA_OP_ATOMIC) {
         if (op->atomic.operation != ISA_ATOMIC_ADD || op->dst.present) {
            return false;
         }
         added = true;
      } else if (added && (code == ISA_OP_LOAD || code == ISA_OP_STORE)) {
         return false;
      }
   }
   return added;
}

uint64_t vgpu_run_straight(struct vgpu_worker *worker, struct vgpu_threadgroup *groups, uint32_t slots,
                           struct vgpu_simd *const *simds, unsigned count, uint64_t end)
{
   const struct vgpu_launch *launch = worker->launch;
   const uint64_t next = groups[slots - 1].number + 1;
   const uint32_t line = launch->grid[0] / launch->group[0]; /* whole threadgroups side by side in x */
   bool whole = !launch->threadgroup_bytes;
   for (uint32_t i = 0; i < slots; i++) {
      whole &= groups[i].unchanged && groups[i].position[0] == groups[0].position[0] + i &&
               !memcmp(groups[i].size, launch->group, sizeof(groups[i].size));
   }
   const struct vgpu_op *op = whole && next < end ? straight_run(simds, count) : NULL;
   if (!op) {
      return next;
   }
   const uint64_t left = line - groups[slots - 1].position[0] - 1, most = end - next < left ? end - next : left;
   const uint64_t times = most / slots;
   const bool consecutive = launch->group[1] == 1 && launch->group[2] == 1;
   const int64_t instructions = (int64_t)simds[0]->block->length * count;
   uint64_t done = 0;
   worker->streams = worker->shared->streams;
   worker->memory.sums.on = adds_last(simds[0]->block);
   while (done < times && !worker->stop) {
      worker->allowance -= instructions;
      if (worker->allowance <= 0) {
         refill(worker);
         if (worker->stop) {
            break;
         }
      }
      for (uint32_t i = 0; i < slots; i++) {
         groups[i].number += slots;
         groups[i].position[0] += slots;
      }
      const uint64_t affordable = worker->allowance > 0 ? (uint64_t)(worker->allowance / instructions) + 1 : 1;
      const uint64_t follow = times - done < affordable ? times - done : affordable;
      worker->consecutive = consecutive ? follow < UINT32_MAX ? (uint32_t)follow : UINT32_MAX : 0;
      const uint32_t before = worker->consecutive;
      op->run[0](op, simds, count);
      const uint32_t ran = before - worker->consecutive;
      worker->allowance -= ran > 0 ? (int64_t)(ran - 1) * instructions : 0;
      done += ran > 0 ? ran : 1;
   }
   worker->consecutive = 0;
   worker->streams = false;
   vgpu_memory_end_sums(&worker->memory);
   worker->instructions += done * (uint64_t)instructions;
   worker->thread_instructions += done * (uint64_t)instructions * VGPU_LANES;
   worker->sampled_ns = 0; /* no sample was taken meanwhile */
   worker->carried_ns = 0;
   worker->began_ns = util_clock_ns();
   return next + done * slots;
}

/* ---- A cohort ---- */

void vgpu_run_cohort(struct vgpu_worker *worker, struct vgpu_simd *const *simds, unsigned count)
{
   struct vgpu_simd *picked[VGPU_COHORT];
   if (worker->stop || run_straight(worker, simds, count)) {
      return;
   }
   run_together(worker, simds, count); /* from their entry */
   for (unsigned number = 1; !worker->stop; number++) {
      const struct vgpu_block *block = choose(simds, count, number);
      if (!block) {
         return;
      }
      unsigned ready, n = pick(simds, count, block, picked, &ready);
      if (n == ready) {
         run_together(worker, picked, n);
      } else {
         step(worker, picked, n);
      }
   }
}
