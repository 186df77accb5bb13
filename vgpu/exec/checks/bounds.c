/* SPDX-License-Identifier: MIT
 *
 * Bounds: of buffers and of what is mapped, of threadgroup memory and of the stack.
 */
#include "vgpu/exec/checks/checks.h"

#include <inttypes.h>
#include <string.h>

/* An address so far behind a buffer is still said to be past its end. */
#define NEAR (UINT64_C(1) << 20)

/* Bytes of threadgroup memory that the client asked for. */
static uint32_t asked(const struct vgpu_simd *simd)
{
   return simd->group->bytes - simd->worker->launch->threadgroup_rest;
}

static void check_threadgroup(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct vgpu_touch *touch,
                              unsigned lane, uint64_t address)
{
   uint32_t bytes = asked(simd);
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

/* What an address of device memory is. A client that tells no sizes has pages only: what it has bound is inside. */
enum place { INSIDE, FREED, PAST_END, READ_ONLY, UNBOUND };

/* *buffer: the nearest one, or NULL. Of UNBOUND there may be one far before it. */
static enum place place_of(struct vgpu_simd *simd, uint64_t address, unsigned bytes, unsigned access,
                           const struct vgpu_range **buffer)
{
   const bool mapped = vgpu_memory_at(&simd->worker->memory, address, access) != NULL;
   const bool inside = in_some_buffer(simd, address, bytes);
   *buffer = NULL;
   if (mapped && inside) {
      return INSIDE;
   }
   *buffer = nearest(simd->worker->launch, address);
   const uint64_t offset = *buffer ? address - (*buffer)->start : 0;
   const uint64_t pages = *buffer ? ((*buffer)->bytes + VGPU_PAGE - 1) & ~(uint64_t)(VGPU_PAGE - 1) : 0;
   if (*buffer && (*buffer)->freed && offset < pages) {
      return FREED;
   }
   if (*buffer && !inside && (!mapped || offset < pages)) {
      return PAST_END;
   }
   if (mapped) {
      return INSIDE;
   }
   return vgpu_memory_at(&simd->worker->memory, address, VGPU_READ) ? READ_ONLY : UNBOUND;
}

struct vgpu_outside vgpu_check_outside(struct vgpu_simd *simd, uint64_t address, unsigned bytes)
{
   const struct vgpu_range *buffer;
   if (place_of(simd, address, bytes, VGPU_READ, &buffer) == INSIDE) {
      return (struct vgpu_outside){.bytes = 0};
   }
   return (struct vgpu_outside){.bytes = bytes,
                                .offset = buffer ? address - buffer->start : address,
                                .buffer_bytes = buffer ? buffer->bytes : 0};
}

/* A compiler may move loads to the preamble that the source does not execute: what they read counts as undefined
 * instead (undefined.c), so that a report is made where the value is used. */
static void check_device(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_touch *touch,
                         unsigned lane, uint64_t address)
{
   const unsigned access = (touch->reads ? VGPU_READ : 0u) | (touch->writes ? VGPU_WRITE : 0u);
   const char *what = touch->atomic ? "an atomic" : touch->writes ? "a write" : "a read";
   const struct vgpu_range *buffer;
   if (simd->worker->uniforms && !touch->writes) {
      return;
   }
   switch (place_of(simd, address, touch->element, access, &buffer)) {
   case INSIDE:
      return;
   case FREED:
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address,
                       "%s at byte %" PRIu64 " of a buffer of %" PRIu64 " bytes at 0x%" PRIx64 ", which is freed", what,
                       address - buffer->start, buffer->bytes, buffer->start);
      return;
   case PAST_END:
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address,
                       "%s of %u bytes at byte %" PRIu64 " of a buffer of %" PRIu64 " bytes at 0x%" PRIx64 ": %" PRIu64
                       " bytes past its end",
                       what, touch->element, address - buffer->start, buffer->bytes, buffer->start,
                       address - buffer->start + touch->element - buffer->bytes);
      return;
   case READ_ONLY:
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address, "%s at 0x%" PRIx64 ", which is read-only", what,
                       address);
      return;
   case UNBOUND:
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address, "%s at 0x%" PRIx64 ", where no buffer is bound",
                       what, address);
      return;
   }
}

/* All of a lane's elements lie in one buffer and page. */
static bool all_inside(struct vgpu_simd *simd, const struct vgpu_touch *touch, uint64_t address)
{
   unsigned access = (touch->reads ? VGPU_READ : 0u) | (touch->writes ? VGPU_WRITE : 0u);
   return address % VGPU_PAGE + touch->span <= VGPU_PAGE && in_some_buffer(simd, address, touch->span) &&
          vgpu_memory_at(&simd->worker->memory, address, access);
}

/* The common case: all lanes' elements lie in one buffer, of which the pages from the first to the last are mapped. */
static bool lanes_inside(struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   if (!touch->lanes) {
      return true;
   }
   if (touch->kind == VGPU_THREADGROUP_MEMORY) {
      uint32_t bytes = asked(simd);
      return touch->last < bytes && touch->last + touch->span <= bytes;
   }
   if (touch->kind == VGPU_STACK_MEMORY) {
      return touch->last + touch->span <= (uint64_t)simd->stack.top * 4;
   }
   unsigned access = (touch->reads ? VGPU_READ : 0u) | (touch->writes ? VGPU_WRITE : 0u);
   uint64_t page = touch->first / VGPU_PAGE, pages = (touch->last + touch->span - 1) / VGPU_PAGE - page + 1;
   if (pages > VGPU_LANES ||
       !in_some_buffer(simd, touch->first, (unsigned)(touch->last - touch->first) + touch->span)) {
      return false;
   }
   for (uint64_t end = page + pages; page < end; page++) {
      if (!vgpu_memory_at(&simd->worker->memory, page * VGPU_PAGE, access)) {
         return false;
      }
   }
   return true;
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
