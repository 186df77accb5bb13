/* SPDX-License-Identifier: MIT
 *
 * Which bytes of memory an instruction touches in each lane: the addresses that the semantic functions compute
 * (exec_memory.c, exec_local.c). And the bounds of threadgroup memory and of what is mapped.
 */
#include "vgpu/exec/checks/checks.h"

#include <inttypes.h>
#include <string.h>

#include "isa/formats.h"

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
   touch->first = UINT64_MAX;
   touch->last = 0;
   for (uint32_t lanes = touch->lanes; lanes; lanes &= lanes - 1) {
      uint64_t address = touch->address[__builtin_ctz(lanes)];
      touch->first = address < touch->first ? address : touch->first;
      touch->last = address > touch->last ? address : touch->last;
   }
}

bool vgpu_touch_of(const struct vgpu_op *op, const struct vgpu_simd *simd, struct vgpu_touch *touch)
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
   touch->lanes = simd->exec;
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

/* ---- Bounds ---- */

/* An address so far behind a buffer is still said to be past its end. */
#define NEAR (UINT64_C(1) << 20)

static void check_threadgroup(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct vgpu_touch *touch,
                              unsigned lane, uint64_t address)
{
   uint32_t bytes = simd->group->bytes;
   if (address + touch->element > bytes) {
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address,
                       "%s of %u bytes at byte %" PRIu64 " of threadgroup memory, which has %" PRIu32,
                       touch->writes ? "a write" : "a read", touch->element, address, bytes);
   }
}

/* Within the job's scratch memory, or it is a fault. */
static void check_stack(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct vgpu_touch *touch,
                        unsigned lane, uint64_t address)
{
   uint64_t bytes = (uint64_t)simd->stack.top * 4;
   if (address + touch->element > bytes) {
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address,
                       "%s of %u bytes at byte %" PRIu64 " of the stack, of which the program has %" PRIu64,
                       touch->writes ? "a write" : "a read", touch->element, address, bytes);
   }
}

static bool contains(const struct vgpu_range *range, uint64_t address, unsigned bytes)
{
   return !range->freed && address >= range->start && address - range->start < range->bytes &&
          bytes <= range->bytes - (address - range->start);
}

/* The buffer whose pages the address lies in, or that it lies least far behind; NULL: none is near. */
static const struct vgpu_range *nearest(const struct vgpu_launch *launch, uint64_t address)
{
   const struct vgpu_range *best = NULL;
   for (size_t i = 0; i < launch->range_count; i++) {
      const struct vgpu_range *range = &launch->ranges[i];
      if (range->start <= address && (!best || range->start > best->start)) {
         best = range;
      }
   }
   return best && address - best->start < best->bytes + NEAR ? best : NULL;
}

static bool in_some_buffer(struct vgpu_simd *simd, uint64_t address, unsigned bytes)
{
   struct vgpu_checks *checks = simd->checks->owner;
   const struct vgpu_launch *launch = simd->worker->launch;
   if (checks->last_range < launch->range_count && contains(&launch->ranges[checks->last_range], address, bytes)) {
      return true;
   }
   for (size_t i = 0; i < launch->range_count; i++) {
      if (contains(&launch->ranges[i], address, bytes)) {
         checks->last_range = i;
         return true;
      }
   }
   return false;
}

/* A compiler may move loads to the preamble that the source does not execute: those are not looked at. */
static void check_device(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_touch *touch,
                         unsigned lane, uint64_t address)
{
   unsigned access = (touch->reads ? VGPU_READ : 0u) | (touch->writes ? VGPU_WRITE : 0u);
   const char *what = touch->atomic ? "an atomic" : touch->writes ? "a write" : "a read";
   bool mapped = vgpu_memory_at(&simd->worker->memory, address, access) != NULL;
   bool inside = in_some_buffer(simd, address, touch->element);
   if ((simd->worker->uniforms && !touch->writes) || (mapped && inside)) {
      return;
   }
   const struct vgpu_range *buffer = nearest(simd->worker->launch, address);
   uint64_t offset = buffer ? address - buffer->start : 0;
   uint64_t pages = buffer ? (buffer->bytes + VGPU_PAGE - 1) & ~(uint64_t)(VGPU_PAGE - 1) : 0;
   if (buffer && buffer->freed && offset < pages) {
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address,
                       "%s at byte %" PRIu64 " of a buffer of %" PRIu64 " bytes at 0x%" PRIx64 ", which is freed", what,
                       offset, buffer->bytes, buffer->start);
   } else if (buffer && !inside && (!mapped || offset < pages)) {
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address,
                       "%s of %u bytes at byte %" PRIu64 " of a buffer of %" PRIu64 " bytes at 0x%" PRIx64 ": %" PRIu64
                       " bytes past its end",
                       what, touch->element, offset, buffer->bytes, buffer->start,
                       offset + touch->element - buffer->bytes);
   } else if (!mapped && vgpu_memory_at(&simd->worker->memory, address, VGPU_READ)) {
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address, "%s at 0x%" PRIx64 ", which is read-only", what,
                       address);
   } else if (!mapped) {
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address, "%s at 0x%" PRIx64 ", where no buffer is bound",
                       what, address);
   }
}

/* The common case: all of a lane's elements lie in one buffer and page. */
static bool all_inside(struct vgpu_simd *simd, const struct vgpu_touch *touch, uint64_t address)
{
   unsigned access = (touch->reads ? VGPU_READ : 0u) | (touch->writes ? VGPU_WRITE : 0u);
   return address % VGPU_PAGE + touch->span <= VGPU_PAGE && in_some_buffer(simd, address, touch->span) &&
          vgpu_memory_at(&simd->worker->memory, address, access);
}

/* The most common case: all lanes' elements do. */
static bool lanes_inside(struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   if (!touch->lanes) {
      return true;
   }
   uint64_t size = touch->last - touch->first + touch->span;
   if (touch->kind == VGPU_THREADGROUP_MEMORY) {
      return touch->last < simd->group->bytes && touch->last + touch->span <= simd->group->bytes;
   }
   if (touch->kind == VGPU_STACK_MEMORY) {
      return touch->last + touch->span <= (uint64_t)simd->stack.top * 4;
   }
   unsigned access = (touch->reads ? VGPU_READ : 0u) | (touch->writes ? VGPU_WRITE : 0u);
   return touch->last - touch->first < VGPU_PAGE && touch->first % VGPU_PAGE + size <= VGPU_PAGE &&
          in_some_buffer(simd, touch->first, (unsigned)size) &&
          vgpu_memory_at(&simd->worker->memory, touch->first, access);
}

void vgpu_check_bounds(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   if (lanes_inside(simd, touch)) {
      return;
   }
   for (uint32_t lanes = touch->lanes; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (touch->kind == VGPU_DEVICE_MEMORY && all_inside(simd, touch, touch->address[lane])) {
         continue;
      }
      for (uint32_t mask = touch->mask; mask; mask &= mask - 1) {
         uint64_t address = touch->address[lane] + (unsigned)__builtin_ctz(mask) * touch->element;
         if (touch->kind == VGPU_THREADGROUP_MEMORY) {
            check_threadgroup(op, simd, touch, lane, address);
         } else if (touch->kind == VGPU_STACK_MEMORY) {
            check_stack(op, simd, touch, lane, address);
         } else {
            check_device(op, simd, touch, lane, address);
         }
      }
   }
}
