/* SPDX-License-Identifier: MIT
 *
 * The profile of a launch: the work of the core that takes longest, simulated with a recorder, and again for each
 * what-if of vgpu/profile.h. Invariant: the recorded run and all what-ifs have the same paths and the same accesses.
 */
#include <stdlib.h>
#include <string.h>

#include "vgpu/block.h"
#include "vgpu/timing/chip.h"
#include "vgpu/timing/cost.h"
#include "vgpu/timing/loops.h"
#include "vgpu/timing/path/facts.h"
#include "vgpu/timing/path/path.h"
#include "vgpu/timing/timing.h"
#include "vgpu/timing/timing_params.h"
#include "vgpu/timing/timing_state.h"

#define REGISTER_UNIT 8u /* half registers are allocated in multiples of this */
#define WORTH_WHILE 0.05 /* fraction of the time that a step of occupancy should gain */
#define LEAST_PART 0.02  /* a part with less than this fraction of the simdgroups' time is not simulated without */
#define UNEVEN 2         /* a threadgroup is long if it has this many times the median instructions */

static int by_address(const void *a, const void *b)
{
   const struct vgpu_profile_row *x = a, *y = b;
   return (x->address > y->address) - (x->address < y->address);
}

/* Finds the most half registers with which a core has room for `room` threadgroups, or for as many as would fit without
 * registers. Fills in the step. Returns false if fewer registers make no more room. */
static bool step_registers(const struct vgpu_core_work *work, uint32_t room, struct vgpu_profile_sum *sum)
{
   struct vgpu_launch launch = *work->launch;
   launch.half_registers = REGISTER_UNIT;
   const uint32_t most = vgpu_timing_residency(&launch).groups, wanted = room < most ? room : most;
   launch.half_registers = (uint16_t)(work->launch->half_registers / REGISTER_UNIT * REGISTER_UNIT);
   while (launch.half_registers > REGISTER_UNIT && vgpu_timing_residency(&launch).groups < wanted) {
      launch.half_registers = (uint16_t)(launch.half_registers - REGISTER_UNIT);
   }
   if (wanted <= work->room) {
      return false;
   }
   sum->next_half_registers = launch.half_registers;
   sum->next_room = vgpu_timing_residency(&launch).groups;
   return true;
}

/* Finds what limits the threadgroups of a core, and the next step of occupancy. */
static void find_limit(const struct vgpu_core_work *work, struct vgpu_profile_sum *sum)
{
   struct vgpu_launch launch = *work->launch;
   sum->groups = work->groups;
   sum->room = work->room;
   sum->half_registers = launch.half_registers;
   sum->group_simds = (launch.group[0] * launch.group[1] * launch.group[2] + VGPU_LANES - 1) / VGPU_LANES;
   sum->limit = VGPU_LIMIT_THREADS;
   if (work->groups <= work->room) {
      sum->limit = VGPU_LIMIT_GRID;
      return;
   }
   if (step_registers(work, work->room + 1, sum)) {
      sum->limit = VGPU_LIMIT_REGISTERS;
      return;
   }
   launch.threadgroup_bytes = 0;
   uint32_t without = vgpu_timing_residency(&launch).groups;
   if (without > work->room) {
      sum->limit = VGPU_LIMIT_LOCAL;
      sum->next_room = work->room * 2 < without ? work->room * 2 : without;
   }
}

/* ---- Instructions of threadgroups ---- */

static uint64_t instructions_of(const struct vgpu_blob *path)
{
   const struct vgpu_step *step = path->data;
   struct vgpu_walk walk;
   uint64_t count = 0;
   if (path->size == 0) {
      return 0;
   }
   vgpu_walk_begin(&walk, step, path->size / sizeof(*step));
   do {
      const uint64_t times = walk.left;
      uint64_t each = 0;
      for (const struct vgpu_block *block = walk.step->first; block; block = block->next) {
         each += block->length;
         if (block == walk.step->last) {
            break;
         }
      }
      count += each * times;
      walk.left = 1;
   } while (vgpu_walk_next(&walk));
   return count;
}

struct counted {
   uint64_t instructions, group;
};

static int by_instructions(const void *a, const void *b)
{
   const struct counted *x = a, *y = b;
   return (x->instructions > y->instructions) - (x->instructions < y->instructions);
}

/* Counts the instructions of all threadgroups. `usual`: number of a threadgroup with the median; `mean`: average,
 * relative to the median. Returns false when out of memory. */
static bool count_groups(const struct vgpu_timing *timing, struct vgpu_profile_sum *sum, uint64_t *usual, double *mean)
{
   uint64_t *paths = calloc(timing->paths.count + 1, sizeof(*paths));
   struct counted *groups = calloc(timing->groups, sizeof(*groups));
   const bool done = paths && groups;
   double all = 0;
   for (uint32_t i = 0; done && i < timing->paths.count; i++) {
      paths[i] = instructions_of(&timing->paths.blobs[i]);
   }
   for (uint64_t group = 0; done && group < timing->groups; group++) {
      groups[group].group = group;
      for (uint32_t i = 0; i < timing->simds[group]; i++) {
         groups[group].instructions += paths[timing->records[group * timing->simds_each + i].path];
      }
      all += (double)groups[group].instructions;
   }
   if (done) {
      qsort(groups, timing->groups, sizeof(*groups), by_instructions);
      const struct counted *median = &groups[timing->groups / 2], *longest = &groups[timing->groups - 1];
      *usual = median->group;
      *mean = median->instructions > 0 ? all / (double)timing->groups / (double)median->instructions : 1;
      sum->usual = median->instructions;
      sum->longest = longest->instructions;
      sum->longest_group = longest->group;
   }
   free(paths);
   free(groups);
   return done;
}

/* ---- What-ifs ---- */

/* Data that all what-ifs use. */
struct what_ifs {
   const struct vgpu_timing *timing;
   const struct vgpu_core_work *work; /* the work of the core that takes longest */
   struct vgpu_profile *profile;
   struct vgpu_loops loops;
   struct vgpu_facts facts;
   uint64_t usual;    /* the number of a threadgroup with the median number of instructions */
   double mean;       /* average instructions of a threadgroup, relative to the median */
   uint32_t *full;    /* profiles of the threadgroups of one core in a launch that fills all cores */
   unsigned all, now; /* number of all simulations, and of those done */
};

/* A what-if's work, and the factor for its ticks. */
struct changed {
   struct vgpu_core_work work;
   struct vgpu_params params;
   double scale;
   double more; /* ticks that are added */
};

static double part_with_threads(const struct what_ifs *all)
{
   const uint32_t *group = all->work->launch->group;
   return (double)(group[0] * group[1] * group[2]) / (VGPU_LANES * (double)all->profile->sum.group_simds);
}

/* Returns how often the launch fills the whole chip. */
static uint64_t rounds_of(const struct what_ifs *all)
{
   return all->timing->groups / ((uint64_t)all->timing->launch->chip->cores * all->work->room);
}

/* Makes a launch that fills all cores by repeating the launch's threadgroups. */
static bool fill(const struct what_ifs *all, struct changed *changed)
{
   const struct vgpu_timing *timing = all->timing;
   const uint32_t room = changed->work.room;
   const uint64_t cores = timing->launch->chip->cores;
   if (timing->groups >= cores * room) {
      return false;
   }
   for (uint32_t i = 0; i < room; i++) {
      all->full[i] = timing->real.profile[((uint64_t)(all->work->profile - timing->real.profile) + i) % timing->groups];
   }
   changed->work.profile = all->full;
   changed->work.stride = 1;
   changed->work.groups = room;
   changed->work.share = 1;
   changed->scale = (double)timing->groups / (double)(cores * room);
   return true;
}

static bool is_uneven(const struct what_ifs *all)
{
   return all->profile->sum.longest > UNEVEN * all->profile->sum.usual;
}

/* Prepares the what-if. Returns false if it does not apply. */
static bool change(const struct what_ifs *all, enum vgpu_what_if what, struct changed *changed)
{
   const struct vgpu_timing *timing = all->timing;
   const struct vgpu_profile_sum *sum = &all->profile->sum;
   const struct vgpu_replay *halved = &timing->halved;
   const uint64_t cores = timing->launch->chip->cores;
   struct vgpu_core_work *work = &changed->work;
   double *memory = changed->params.memory;
   work->without = 1u << what;
   switch (what) {
   case VGPU_WHAT_IF_LATENCY:
      memory[VGPU_MEMORY_L2_LATENCY] = memory[VGPU_MEMORY_SLC_LATENCY] = 0;
      memory[VGPU_MEMORY_DRAM_LATENCY] = memory[VGPU_MEMORY_TLB_LATENCY] = 0;
      return true;
   case VGPU_WHAT_IF_BANDWIDTH:
      work->services = halved->services.kinds.blobs;
      work->streams = halved->services.streams.blobs;
      work->profiles = halved->profiles.blobs;
      work->profile = halved->profile + (work->profile - timing->real.profile);
      return true;
   case VGPU_WHAT_IF_FETCH:
      work->without = 0;
      work->code_bytes = 0;
      return sum->code_bytes > sum->code_cache_bytes;
   case VGPU_WHAT_IF_OCCUPANCY:
      work->room = sum->next_room > 0 ? (uint32_t)sum->next_room : work->room;
      return sum->next_room > 0;
   case VGPU_WHAT_IF_LOOPS:
      work->code_bytes += vgpu_loops_growth(&all->loops);
      return all->loops.end_count > 0;
   case VGPU_WHAT_IF_LANES:
      work->filled = part_with_threads(all);
      return true;
   case VGPU_WHAT_IF_FILLED:
      work->groups = (uint64_t)((double)work->groups * part_with_threads(all) + 0.999);
      return work->groups < sum->groups;
   case VGPU_WHAT_IF_FULL:
      return fill(all, changed);
   case VGPU_WHAT_IF_TAIL:
      work->groups = rounds_of(all) * work->room;
      changed->scale = (double)timing->groups / (double)(work->groups * cores);
      return work->groups > 0 && timing->groups % (cores * work->room) != 0 && !is_uneven(all);
   case VGPU_WHAT_IF_EVEN:
      work->profile = &timing->real.profile[all->usual];
      work->stride = 0;
      work->groups = (timing->groups + cores - 1) / cores;
      /* the remaining instructions at least occupy the schedulers' issue slots */
      changed->more = (all->mean > 1 ? all->mean - 1 : 0) * (double)sum->usual * (double)work->groups *
                      work->params->core[VGPU_CORE_ISSUE] / VGPU_SCHEDULERS;
      return is_uneven(all);
   default:
      return true;
   }
}

/* Simulates a what-if. Leaves *ticks unchanged if it does not apply. Returns false when out of memory. */
static bool simulate(struct what_ifs *all, enum vgpu_what_if what, uint32_t part, uint64_t *ticks)
{
   const struct vgpu_profile_plan *plan = all->profile->plan;
   struct changed changed = {.work = *all->work, .params = *all->work->params, .scale = 1};
   changed.work.loops = &all->loops;
   changed.work.facts = &all->facts;
   changed.work.params = &changed.params;
   changed.work.part = part;
   if (plan && plan->progress) {
      plan->progress(plan->data, all->now, all->all);
   }
   all->now++;
   if (part == VGPU_PROFILE_NO_PART && !change(all, what, &changed)) {
      return true;
   }
   if (!vgpu_core_simulate(&changed.work, ticks)) {
      return false;
   }
   *ticks = (uint64_t)((double)*ticks * changed.scale + changed.more + 0.5);
   return true;
}

/* With small threadgroups the next step of occupancy is small, too. Takes a step to twice the threadgroups instead if
 * that alone is worthwhile. Returns false when out of memory. */
static bool widen_step(struct what_ifs *all)
{
   struct vgpu_profile_sum *sum = &all->profile->sum, before = *sum;
   uint64_t ticks = 0;
   const double enough = (double)sum->ticks * (1 - WORTH_WHILE);
   if (sum->limit != VGPU_LIMIT_REGISTERS || (double)sum->what_if[VGPU_WHAT_IF_OCCUPANCY] <= enough ||
       !step_registers(all->work, all->work->room * 2, sum)) {
      return true;
   }
   if (!simulate(all, VGPU_WHAT_IF_OCCUPANCY, VGPU_PROFILE_NO_PART, &ticks)) {
      return false;
   }
   if ((double)ticks > enough) {
      *sum = before;
   } else {
      sum->what_if[VGPU_WHAT_IF_OCCUPANCY] = ticks;
   }
   return true;
}

/* Computes the time of each part's instructions in the recorded run. */
static void time_parts(const struct what_ifs *all, uint64_t *times)
{
   for (size_t i = 0; i < all->profile->count; i++) {
      const struct vgpu_profile_row *row = &all->profile->rows[i];
      for (size_t k = 0; k < all->profile->plan->range_count; k++) {
         const struct vgpu_profile_range *range = &all->profile->plan->ranges[k];
         if (row->address >= range->start && row->address < range->end) {
            times[range->part - 1] += row->issue;
            for (unsigned stall = 0; stall < VGPU_STALLS; stall++) {
               times[range->part - 1] += row->stalls[stall];
            }
         }
      }
   }
}

static bool simulate_parts(struct what_ifs *all)
{
   uint64_t times[VGPU_PROFILE_PARTS] = {0};
   struct vgpu_profile_sum *sum = &all->profile->sum;
   bool done = true;
   if (all->profile->plan) {
      time_parts(all, times);
   }
   for (uint32_t i = 0; i < VGPU_PROFILE_PARTS && done; i++) {
      if ((double)times[i] >= LEAST_PART * (double)sum->simd_time && times[i] > 0) {
         done = simulate(all, VGPU_WHAT_IFS, i + 1, &sum->parts[i]);
      }
   }
   return done;
}

/* Fills in what the recorded run and the facts say about instructions. */
static void finish_rows(const struct what_ifs *all)
{
   struct vgpu_profile *profile = all->profile;
   if (profile->count > 0) {
      qsort(profile->rows, profile->count, sizeof(*profile->rows), by_address);
   }
   for (size_t i = 0; i < all->facts.count; i++) {
      const struct vgpu_fact *fact = &all->facts.items[i];
      const struct vgpu_profile_row key = {.address = fact->address};
      struct vgpu_profile_row *row =
          profile->count > 0 ? bsearch(&key, profile->rows, profile->count, sizeof(key), by_address) : NULL;
      if (row) {
         row->lanes = fact->lanes;
         row->repeated = fact->repeated;
         row->uniform = fact->uniform;
      }
   }
}

static void describe(struct what_ifs *all)
{
   const struct vgpu_timing *timing = all->timing;
   struct vgpu_profile_sum *sum = &all->profile->sum;
   const double *memory = all->work->params->memory;
   find_limit(all->work, sum);
   sum->cores = timing->launch->chip->cores;
   sum->busy_cores = timing->groups < sum->cores ? timing->groups : sum->cores;
   sum->launch_groups = timing->groups;
   sum->code_bytes = all->work->code_bytes;
   sum->code_cache_bytes = (uint64_t)memory[VGPU_MEMORY_CODE_BYTES];
   sum->atomic_ticks =
       (uint64_t)((double)timing->real.services.most_atomics * memory[VGPU_MEMORY_ATOMIC_WORD] * VGPU_TICKS);
}

bool vgpu_timing_profile(const struct vgpu_timing *timing, const struct vgpu_core_work *work,
                         struct vgpu_profile *profile)
{
   struct vgpu_core_work recorded = *work;
   const uint64_t launches = profile->sum.launches + 1;
   vgpu_profile_finish(profile);
   profile->sum.launches = launches;
   struct what_ifs all = {.timing = timing, .work = work, .profile = profile, .all = VGPU_WHAT_IFS};
   all.full = calloc((size_t)work->room + 1, sizeof(*all.full));
   bool done = vgpu_loops_find(&all.loops, timing->paths.blobs, timing->paths.count);
   done = done &&
          vgpu_facts_find(&all.facts, timing->paths.blobs, timing->paths.count, profile->plan, timing->launch->code);
   done = done && all.full && count_groups(timing, &profile->sum, &all.usual, &all.mean);
   recorded.recorded = profile;
   recorded.facts = &all.facts;
   done = done && vgpu_core_simulate(&recorded, &profile->sum.ticks);
   describe(&all);
   finish_rows(&all);
   const bool simulates = done && !(profile->plan && profile->plan->record_only);
   for (unsigned what = 0; simulates && done && what < VGPU_WHAT_IFS; what++) {
      done = simulate(&all, (enum vgpu_what_if)what, VGPU_PROFILE_NO_PART, &profile->sum.what_if[what]);
   }
   if (simulates) {
      done = done && widen_step(&all) && simulate_parts(&all);
   }
   vgpu_loops_finish(&all.loops);
   vgpu_facts_finish(&all.facts);
   free(all.full);
   profile->sum.failed = !done;
   return done;
}
