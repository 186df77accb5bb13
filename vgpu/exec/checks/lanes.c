/* SPDX-License-Identifier: MIT
 *
 * The checks' work on all lanes at once, built once for each level of the host's vector instructions
 * (vgpu/meson.build): the bytes of memory that an instruction accesses in each lane, by the addresses that the
 * semantic functions compute (exec_memory.c, exec_local.c); the runs of words of the race check (accesses.h); and what
 * an instruction defines.
 */
#include <string.h>

#include "isa/formats.h"
#include "vgpu/exec/checks/accesses.h"
#include "vgpu/exec/checks/checks.h"
#include "vgpu/stage.h"

extern const struct vgpu_lane_checks VGPU_NAME(vgpu_lane_checks); /* level.c refers to it */
extern const struct vgpu_propagation VGPU_NAME(vgpu_propagation); /* propagate.c */

static void device_addresses(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned align, unsigned scale,
                             uint64_t address[VGPU_LANES])
{
   const uint32_t *low = vgpu_source_vector(simd, &op->src[0]), *index = vgpu_source_vector(simd, &op->src[1]);
   uint64_t keep = ~(uint64_t)(align - 1);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      address[lane] = ((uint64_t)low[VGPU_LANES + lane] << 32 | low[lane]) & keep;
   }
   if (op->src[1].sx) {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         address[lane] += (uint64_t)(int64_t)(int32_t)index[lane] << scale;
      }
   } else {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         address[lane] += (uint64_t)index[lane] << scale;
      }
   }
}

static void local_addresses(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned size,
                            uint64_t address[VGPU_LANES])
{
   uint32_t base[VGPU_LANES], index[VGPU_LANES];
   vgpu_lane_values(op, 0, simd, base);
   vgpu_lane_values(op, 1, simd, index);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      address[lane] = (base[lane] & ~(size - 1)) + index[lane] * size;
   }
}

static void stack_addresses(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned size,
                            uint64_t address[VGPU_LANES])
{
   uint32_t offset[VGPU_LANES];
   uint64_t frame = (uint64_t)simd->stack.base * 4;
   vgpu_lane_values(op, 1, simd, offset);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      address[lane] = frame + (offset[lane] & ~(size - 1));
   }
}

static void find_addresses(const struct vgpu_op *op, const struct vgpu_simd *simd, struct vgpu_touch *touch)
{
   unsigned size = touch->element, shift = (unsigned)__builtin_ctz(size);
   switch (op->insn->op) {
   case ISA_OP_LOAD:
   case ISA_OP_STORE:
      device_addresses(op, simd, size, op->memory.shift + shift, touch->address);
      break;
   case ISA_OP_ATOMIC:
      device_addresses(op, simd, size, shift, touch->address);
      break;
   case ISA_OP_STACK_LOAD:
   case ISA_OP_STACK_STORE:
      stack_addresses(op, simd, size, touch->address);
      break;
   default:
      local_addresses(op, simd, size, touch->address);
      break;
   }
}

static void find_extent(struct vgpu_touch *touch)
{
   touch->span = (32u - (unsigned)__builtin_clz(touch->mask | 1)) * touch->element;
   touch->stride = touch->address[1] - touch->address[0];
   uint64_t uneven = touch->lanes ^ VGPU_ALL;
   for (unsigned lane = 2; lane < VGPU_LANES; lane++) {
      uneven |= touch->address[lane] - touch->address[lane - 1] - touch->stride;
   }
   touch->even = !uneven && (touch->stride >> 32) == 0;
   if (touch->even) {
      touch->first = touch->address[0];
      touch->last = touch->address[VGPU_LANES - 1];
      return;
   }
   uint64_t first = UINT64_MAX, last = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      uint64_t absent = (touch->lanes >> lane & 1) - UINT64_C(1); /* all ones: the lane touches nothing */
      uint64_t low = touch->address[lane] | absent, high = touch->address[lane] & ~absent;
      first = low < first ? low : first;
      last = high > last ? high : last;
   }
   touch->first = first;
   touch->last = last;
}

static bool touch_of(const struct vgpu_op *op, const struct vgpu_simd *simd, struct vgpu_touch *touch)
{
   uint8_t code = op->insn->op;
   bool atomic = code == ISA_OP_ATOMIC || code == ISA_OP_LATOMIC;
   bool store = code == ISA_OP_STORE || code == ISA_OP_LSTORE || code == ISA_OP_STACK_STORE;
   bool load = code == ISA_OP_LOAD || code == ISA_OP_LLOAD || code == ISA_OP_STACK_LOAD;
   if (!atomic && !store && !load) {
      return false;
   }
   touch->kind = code == ISA_OP_LOAD || code == ISA_OP_STORE || code == ISA_OP_ATOMIC      ? VGPU_DEVICE_MEMORY
                 : code == ISA_OP_LLOAD || code == ISA_OP_LSTORE || code == ISA_OP_LATOMIC ? VGPU_THREADGROUP_MEMORY
                                                                                           : VGPU_STACK_MEMORY;
   touch->reads = load || atomic;
   touch->writes = store || atomic;
   touch->atomic = atomic;
   /* Of helpers, and of fragments that were killed, nothing is kept. */
   touch->lanes = vgpu_stage_storing(simd->worker->launch->stage, simd->index * VGPU_LANES, simd->exec);
   if (atomic) {
      bool wide = op->atomic.operation == ISA_ATOMIC_UMIN64 || op->atomic.operation == ISA_ATOMIC_UMAX64;
      touch->element = wide ? 8 : 4;
      touch->mask = 1;
   } else {
      touch->element = op->memory.element_bytes;
      touch->mask = isa_formats[op->memory.format].components ? 1 : op->memory.mask;
   }
   find_addresses(op, simd, touch);
   find_extent(touch);
   return true;
}

/* ---- Runs ---- */

static void fill_threads(uint32_t *self, const struct vgpu_access_run *run)
{
   if (run->units & (run->units - 1)) {
      for (unsigned i = 0; i < run->count; i++) {
         self[i] = run->self + i / run->units * 2;
      }
   } else {
      unsigned shift = (unsigned)__builtin_ctz(run->units);
      for (unsigned i = 0; i < run->count; i++) {
         self[i] = run->self + (i >> shift) * 2;
      }
   }
}

static inline uint32_t is_unordered(uint32_t other, uint32_t limit, uint32_t before)
{
   return (uint32_t)(other >= limit) & (uint32_t)((other ^ before) > VGPU_RACE_THREAD_MASK);
}

static bool write_run(uint32_t *writer, uint32_t *reader, uint32_t *other_reader, const uint32_t *self,
                      const struct vgpu_access_run *run)
{
   uint32_t unordered = 0, readers = 0, limit = run->limit;
   const uint32_t before[3] = {run->writer_before, run->reader_before[0], run->reader_before[1]};
   for (unsigned i = 0; i < run->count; i++) {
      unordered |= is_unordered(writer[i], limit, before[0]) & (uint32_t)((writer[i] ^ self[i]) > VGPU_RACE_FLAG);
      readers |= (uint32_t)(reader[i] >= limit) | (uint32_t)(other_reader[i] >= limit);
      unordered |= is_unordered(reader[i], limit, before[1]) & (uint32_t)(reader[i] != self[i]);
      unordered |= is_unordered(other_reader[i], limit, before[2]) & (uint32_t)(other_reader[i] != self[i]);
   }
   if (unordered) {
      return false;
   }
   memcpy(writer, self, run->count * sizeof(*self));
   if (readers) { /* else they are out of date */
      memset(reader, 0, run->count * sizeof(*reader));
      memset(other_reader, 0, run->count * sizeof(*other_reader));
   }
   return true;
}

/* What a read is to a reader's entry, as masks: all ones or 0. */
static inline uint32_t is_own(uint32_t reader, uint32_t self)
{
   return 0 - (uint32_t)((reader ^ self) <= VGPU_RACE_THREAD_MASK);
}

static inline uint32_t is_over(uint32_t reader, uint32_t limit, uint32_t before)
{
   return is_unordered(reader, limit, before) - 1;
}

/* The entry is another threadgroup's, and stays. The read goes to the next entry. */
static inline uint32_t is_passed(uint32_t reader, uint32_t self, uint32_t limit, uint32_t before, uint32_t foreign)
{
   return (0 - (uint32_t)(reader < foreign)) & ~is_own(reader, self) & ~is_over(reader, limit, before);
}

static inline uint32_t after_read(uint32_t reader, uint32_t self, uint32_t limit, uint32_t before)
{
   const uint32_t own = is_own(reader, self), joined = reader | (uint32_t)((reader ^ self) > VGPU_RACE_FLAG);
   const uint32_t over = ~own & is_over(reader, limit, before);
   return (own & joined) | (over & self) | (~own & ~over & reader);
}

static bool read_run(const uint32_t *restrict writer, uint32_t *restrict reader, uint32_t *restrict other_reader,
                     const uint32_t *restrict self, const struct vgpu_access_run *run)
{
   const uint32_t limit = run->limit, foreign = run->foreign, writer_before = run->writer_before;
   const uint32_t before = run->reader_before[0], other_before = run->reader_before[1];
   const unsigned count = run->count;
   uint32_t unordered = 0, to_other = 0;
   for (unsigned i = 0; i < count; i++) {
      const uint32_t passed = is_passed(reader[i], self[i], limit, before, foreign);
      const uint32_t taken = is_own(reader[i], self[i]) | is_over(reader[i], limit, before);
      unordered |= is_unordered(writer[i], limit, writer_before) & (uint32_t)((writer[i] ^ self[i]) > VGPU_RACE_FLAG);
      unordered |= ~(taken | passed);
      to_other |= passed;
   }
   if (to_other && !unordered) {
      for (unsigned i = 0; i < count; i++) {
         const uint32_t passed = is_passed(reader[i], self[i], limit, before, foreign);
         const uint32_t passed_too = is_passed(other_reader[i], self[i], limit, other_before, foreign);
         const uint32_t taken = is_own(other_reader[i], self[i]) | is_over(other_reader[i], limit, other_before);
         unordered |= passed & ~(taken | passed_too);
      }
   }
   if (unordered) {
      return false;
   }
   if (to_other) {
      for (unsigned i = 0; i < count; i++) {
         const uint32_t passed = is_passed(reader[i], self[i], limit, before, foreign);
         const uint32_t after = after_read(other_reader[i], self[i], limit, other_before);
         other_reader[i] = (passed & after) | (~passed & other_reader[i]);
      }
   }
   for (unsigned i = 0; i < count; i++) {
      reader[i] = after_read(reader[i], self[i], limit, before);
   }
   return true;
}

static bool access_run(const struct vgpu_access_columns *columns, const struct vgpu_access_run *run)
{
   uint32_t self[VGPU_RUN_ENTRIES];
   fill_threads(self, run);
   uint32_t *writer = columns->writer + run->at, *reader = columns->readers[0] + run->at;
   uint32_t *other_reader = columns->readers[1] + run->at;
   return run->writes ? write_run(writer, reader, other_reader, self, run)
                      : read_run(writer, reader, other_reader, self, run);
}

/* ---- Definedness ---- */

static uint32_t define(uint32_t definedness[VGPU_LANES], uint32_t part, const uint32_t mask[VGPU_LANES],
                       const uint32_t launched[VGPU_LANES])
{
   uint32_t left = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      definedness[lane] &= ~(part & mask[lane]);
      left |= definedness[lane] & launched[lane];
   }
   return left;
}

const struct vgpu_lane_checks VGPU_NAME(vgpu_lane_checks) = {touch_of, access_run, define,
                                                             &VGPU_NAME(vgpu_propagation)};
