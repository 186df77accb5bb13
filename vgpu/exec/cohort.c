/* SPDX-License-Identifier: MIT
 *
 * Memory of the threadgroups that a host thread runs at a time: one block for a launch. Each threadgroup
 * finds its threadgroup memory zeroed, and those registers that its program may read first.
 */
#include "vgpu/exec/cohort.h"

#include "vgpu/timing/timing_params.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/code.h"
#include "vgpu/exec/exec.h"
#include "vgpu/spare.h"
#include "vgpu/stage.h"

/* Registers of two simdgroups never start at the same offset in a 4 KiB page, because caches are indexed by those
 * bits. */
#define REGISTER_STAGGER 16u /* words: a cache line */
#define LINE 64u             /* bytes: a cache line of the host, and its widest vector */

_Static_assert(sizeof(struct vgpu_simd) % LINE == 0 && sizeof(struct vgpu_thread_ids) % LINE == 0, "whole lines");
_Static_assert(REGISTER_STAGGER * sizeof(uint32_t) % LINE == 0 && VGPU_LANES * sizeof(uint32_t) % LINE == 0,
               "a simdgroup's registers are whole lines");

static uint32_t round_up(uint32_t value, uint32_t multiple)
{
   return (value + multiple - 1) / multiple * multiple;
}

/* Number of simdgroups that share an instruction's dispatch while their registers and streamed data stay in the
 * first-level cache: more were slower on streams by a quarter and no faster on arithmetic (results/vgpu-speed.md). */
#define COMFORTABLE 8u

/* Returns how many threadgroups run well together, at most as many as leave each host thread one. */
static uint32_t capacity(const struct vgpu_launch *launch, uint32_t simds)
{
   uint32_t counts[3], most = simds < COMFORTABLE ? COMFORTABLE / simds : 1;
   uint64_t groups = vgpu_group_count(launch, counts), share = (groups - 1) / launch->threads + 1;
   return share < most ? (uint32_t)share : most;
}

/* Takes the cohort's memory, and divides it into arrays that start at lines. */
static bool take_block(struct vgpu_cohort *cohort, struct vgpu_spare *spare, uint32_t total)
{
   const size_t groups = round_up(cohort->group_capacity * (uint32_t)sizeof(*cohort->groups), LINE);
   const size_t simds = total * sizeof(*cohort->simds), ids = total * sizeof(*cohort->thread_ids);
   const size_t registers = (size_t)total * cohort->register_words * sizeof(uint32_t);
   cohort->block_bytes =
       groups + simds + ids + registers + (size_t)cohort->group_capacity * cohort->memory_bytes + LINE;
   uint8_t *block = vgpu_spare_take(spare, cohort->block_bytes);
   cohort->block = block;
   if (!block) {
      return false;
   }
   cohort->groups = (void *)block;
   cohort->simds = (void *)(block + groups);
   cohort->thread_ids = (void *)(block + groups + simds);
   cohort->registers = (void *)(block + groups + simds + ids);
   cohort->memory = block + groups + simds + ids + registers;
   memset(block, 0, groups + simds);
   return true;
}

bool vgpu_cohort_init(struct vgpu_cohort *cohort, struct vgpu_worker *worker, uint16_t half_registers,
                      uint32_t stack_limit, bool record)
{
   const struct vgpu_launch *launch = worker->launch;
   uint32_t threads = launch->group[0] * launch->group[1] * launch->group[2];
   uint32_t simds = (threads + VGPU_LANES - 1) / VGPU_LANES;
   *cohort = (struct vgpu_cohort){
       .worker = worker,
       .group_capacity = capacity(launch, simds),
       .simds_each = simds,
       .register_words = round_up(half_registers, 2) / 2 * VGPU_LANES +
                         (launch->checks ? launch->level->checks->register_words(half_registers) : 0) +
                         REGISTER_STAGGER,
       .stack_limit = stack_limit,
       .half_registers = half_registers,
       .memory_bytes = round_up(launch->threadgroup_bytes, LINE),
   };
   vgpu_group_count(launch, cohort->counts);
   uint32_t total = cohort->group_capacity * simds;
   const bool taken = take_block(cohort, launch->spare, total);
   cohort->banks = (unsigned)vgpu_params_or_default(worker->launch->params)->memory[VGPU_MEMORY_LOCAL_BANKS];
   cohort->paths = record ? calloc(total, sizeof(*cohort->paths)) : NULL;
   cohort->checks =
       launch->checks ? launch->level->checks->create(launch, cohort->group_capacity, simds, half_registers) : NULL;
   if ((launch->checks && !cohort->checks) || !taken || (record && !cohort->paths)) {
      cohort->group_capacity = 0;
      vgpu_cohort_finish(cohort);
      return false;
   }
   return true;
}

void vgpu_cohort_finish(struct vgpu_cohort *cohort)
{
   for (uint32_t i = 0; i < cohort->group_capacity * cohort->simds_each; i++) {
      free(cohort->simds[i].stack.words);
      if (cohort->paths) {
         vgpu_path_finish(&cohort->paths[i]);
      }
   }
   vgpu_spare_give(cohort->worker->launch->spare, cohort->block, cohort->block_bytes);
   free(cohort->paths);
   if (cohort->checks) {
      cohort->worker->launch->level->checks->destroy(cohort->checks);
   }
}

uint64_t vgpu_group_count(const struct vgpu_launch *launch, uint32_t count[3])
{
   uint64_t total = 1;
   for (unsigned d = 0; d < 3; d++) {
      count[d] = (uint32_t)(((uint64_t)launch->grid[d] + launch->group[d] - 1) / launch->group[d]);
      if (__builtin_mul_overflow(total, count[d], &total)) {
         return UINT64_MAX;
      }
   }
   return total;
}

/* A fragment's position is that of its pixel in the frame. Lanes past the last one are at 0. */
static void fill_pixels(struct vgpu_thread_ids *ids, const struct vgpu_fragment *fragment, uint32_t threads)
{
   for (uint32_t first = 0; first < threads; first += VGPU_LANES, ids++) {
      const uint32_t lanes = threads - first < VGPU_LANES ? threads - first : VGPU_LANES;
      ids->launched_bits = VGPU_ALL >> (VGPU_LANES - lanes);
      for (uint32_t lane = 0; lane < lanes; lane++, fragment++) {
         ids->ids[0][lane] = fragment->x;
         ids->ids[1][lane] = fragment->y;
      }
      for (uint32_t lane = lanes; lane < VGPU_LANES; lane++) {
         ids->ids[0][lane] = ids->ids[1][lane] = 0;
      }
      memset(ids->launched, 0xff, lanes * sizeof(uint32_t));
      memset(ids->launched + lanes, 0, (VGPU_LANES - lanes) * sizeof(uint32_t));
      memset(ids->ids[2], 0, sizeof(ids->ids[2]));
   }
}

/* Numbers of a row of threads: a simdgroup all of whose lanes are in it. */
static void fill_whole(struct vgpu_thread_ids *ids, uint32_t first)
{
   ids->launched_bits = VGPU_ALL;
   for (uint32_t lane = 0; lane < VGPU_LANES; lane++) {
      ids->launched[lane] = UINT32_MAX;
      ids->ids[0][lane] = first + lane;
      ids->ids[1][lane] = ids->ids[2][lane] = 0;
   }
}

static void fill_thread_ids(struct vgpu_thread_ids *ids, const struct vgpu_threadgroup *group)
{
   const uint32_t *size = group->size;
   uint32_t threads = size[0] * size[1] * size[2];
   const uint32_t whole = threads == size[0] ? threads / VGPU_LANES * VGPU_LANES : 0;
   for (uint32_t first = 0; first < whole; first += VGPU_LANES) {
      fill_whole(&ids[first / VGPU_LANES], first);
   }
   for (uint32_t thread = whole; thread < group->simds * VGPU_LANES; thread++) {
      struct vgpu_thread_ids *of_simd = &ids[thread / VGPU_LANES];
      uint32_t lane = thread % VGPU_LANES;
      bool launched = thread < threads;
      of_simd->launched[lane] = launched ? UINT32_MAX : 0;
      of_simd->launched_bits = (lane ? of_simd->launched_bits : 0) | (uint32_t)launched << lane;
      const uint32_t row =
          thread < size[0] ? 0 : thread / size[0]; /* most groups are one row, and divisions are slow */
      of_simd->ids[0][lane] = launched ? thread - row * size[0] : 0;
      of_simd->ids[1][lane] = launched && row ? row % size[1] : 0;
      of_simd->ids[2][lane] = launched && row ? row / size[1] : 0;
   }
}

/* Initializes what remains valid for all threadgroups of the same size in a slot. */
static void prepare_simd(struct vgpu_cohort *cohort, uint32_t number, struct vgpu_threadgroup *group, uint32_t index)
{
   struct vgpu_simd *simd = &cohort->simds[number];
   const struct vgpu_thread_ids *ids = &cohort->thread_ids[number];
   simd->base[VGPU_REGISTERS] = cohort->registers + (size_t)number * cohort->register_words;
   simd->launched = ids->launched;
   simd->ids = ids->ids[0];
   simd->launched_bits = ids->launched_bits;
   simd->exec = 0;
   memset(simd->mask, 0, sizeof(simd->mask));
   simd->index = index;
   simd->group = group;
   simd->worker = cohort->worker;
   simd->stack.limit = cohort->stack_limit;
}

/* All registers, or with 32 lanes those that the program needs so. */
static void zero_registers(const struct vgpu_cohort *cohort, struct vgpu_simd *simd, const struct vgpu_code *code)
{
   uint32_t *registers = simd->base[VGPU_REGISTERS];
   if (simd->launched_bits != VGPU_ALL) {
      memset(registers, 0, round_up(cohort->half_registers, 2) / 2 * VGPU_LANES * sizeof(uint32_t));
      return;
   }
   for (unsigned n = 0; n < VGPU_HALVES / 64 && n * 64u < cohort->half_registers; n++) {
      for (uint64_t left = code->zeroed.bits[n]; left;) {
         const unsigned vector = n * 32 + (unsigned)__builtin_ctzll(left) / 2;
         if (2 * vector >= cohort->half_registers) {
            return;
         }
         memset(registers + vector * VGPU_LANES, 0, VGPU_LANES * sizeof(uint32_t));
         left &= ~(UINT64_C(3) << (vector % 32 * 2));
      }
   }
}

/* What a vertex program starts with: the vertex's number in r5, the instance's in r6 (docs/spec/render.md 4). */
static void preload(const struct vgpu_cohort *cohort, struct vgpu_simd *simd)
{
   const struct vgpu_launch *launch = cohort->worker->launch;
   const struct vgpu_stage *stage = launch->stage;
   if (!stage || stage->kind != VGPU_STAGE_VERTEX || cohort->half_registers < 2 * (VGPU_PRELOADED + 2)) {
      return;
   }
   const uint64_t first = simd->group->number * launch->group[0] + simd->index * VGPU_LANES;
   uint32_t *registers = simd->base[VGPU_REGISTERS];
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const bool launched = simd->launched_bits >> lane & 1;
      registers[VGPU_PRELOADED * VGPU_LANES + lane] = launched ? stage->vertices[first + lane] : 0;
      registers[(VGPU_PRELOADED + 1) * VGPU_LANES + lane] = launched ? stage->instances[first + lane] : 0;
   }
}

static void start(struct vgpu_cohort *cohort, uint32_t number, const struct vgpu_block *entry)
{
   struct vgpu_simd *simd = &cohort->simds[number];
   zero_registers(cohort, simd, entry->code);
   preload(cohort, simd);
   simd->base[VGPU_CONSTANTS] = entry->code->vectors;
   simd->block = entry;
   if (simd->exec != simd->launched_bits) {
      simd->exec = simd->launched_bits;
      memcpy(simd->mask, simd->launched, sizeof(simd->mask));
   }
   simd->state = VGPU_READY;
   simd->left = simd->worker->budget;
   simd->stack.top = simd->stack.base = 0;
   simd->stack.depth = 0;
   if (simd->stack.words) {
      memset(simd->stack.words, 0, simd->stack.allocated * VGPU_LANES * sizeof(uint32_t));
   }
   if (cohort->checks) {
      cohort->worker->launch->level->checks->start_simd(cohort->checks, simd, number);
   }
   if (cohort->paths) {
      simd->path = &cohort->paths[number];
      simd->path->accesses.banks = cohort->banks;
      vgpu_path_begin(simd->path, entry);
   }
}

void vgpu_cohort_place(struct vgpu_cohort *cohort, uint32_t slot, uint64_t number, const struct vgpu_block *entry,
                       struct vgpu_simd **simds, unsigned *count)
{
   const struct vgpu_launch *launch = cohort->worker->launch;
   struct vgpu_threadgroup *group = &cohort->groups[slot];
   const uint32_t *counts = cohort->counts;
   uint32_t size[3];
   group->number = number;
   cohort->placed = slot + 1;
   uint64_t line = number < counts[0] ? 0 : number / counts[0]; /* most grids have one, and divisions are slow */
   group->position[0] = (uint32_t)(number - line * counts[0]);
   group->position[1] = (uint32_t)(line ? line % counts[1] : 0);
   group->position[2] = (uint32_t)(line ? line / counts[1] : 0);
   for (unsigned d = 0; d < 3; d++) {
      uint32_t done = group->position[d] * launch->group[d], left = launch->grid[d] - done;
      size[d] = left < launch->group[d] ? left : launch->group[d];
   }
   uint32_t first = slot * cohort->simds_each;
   const bool has_tile = launch->stage && launch->stage->tile;
   group->memory = has_tile ? launch->stage->tile : cohort->memory + (size_t)slot * cohort->memory_bytes;
   if (launch->threadgroup_bytes && !has_tile) {
      memset(group->memory, 0, launch->threadgroup_bytes);
   }
   if (memcmp(group->size, size, sizeof(size))) { /* a size that this slot does not have yet */
      memcpy(group->size, size, sizeof(size));
      group->simds = (size[0] * size[1] * size[2] + VGPU_LANES - 1) / VGPU_LANES;
      group->first = &cohort->simds[first];
      group->bytes = has_tile ? launch->stage->tile_bytes : launch->threadgroup_bytes;
      if (launch->stage && launch->stage->kind == VGPU_STAGE_FRAGMENT) {
         fill_pixels(&cohort->thread_ids[first], launch->stage->fragments, size[0]);
      } else {
         fill_thread_ids(&cohort->thread_ids[first], group);
      }
      for (uint32_t i = 0; i < group->simds; i++) {
         prepare_simd(cohort, first + i, group, i);
      }
      group->unchanged = false;
   }
   if (group->unchanged) {
      group->unchanged = false;
      for (uint32_t i = 0; i < group->simds; i++) {
         cohort->simds[first + i].left = cohort->worker->budget;
         simds[(*count)++] = &cohort->simds[first + i];
      }
      return;
   }
   group->ready = group->simds;
   group->waiting = 0;
   if (cohort->checks) {
      launch->level->checks->start_group(cohort->checks, group, slot);
   }
   for (uint32_t i = 0; i < group->simds; i++) {
      start(cohort, first + i, entry);
      simds[(*count)++] = &cohort->simds[first + i];
   }
}
