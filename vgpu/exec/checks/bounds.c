/* SPDX-License-Identifier: MIT
 *
 * Checks bounds: of buffers and of mapped memory, of threadgroup memory and of the stack.
 */
#include "vgpu/exec/checks/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vgpu/exec/fault.h"

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

/* An access outside the job's scratch memory is a fault. */
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

/* A shader may read the client's own memory only where the client put constants and arguments. */
static bool contains(const struct vgpu_range *range, uint64_t address, unsigned bytes, bool writes)
{
   return !range->freed && !(range->internal && writes) && address >= range->start &&
          address - range->start < range->bytes && bytes <= range->bytes - (address - range->start);
}

/* If a client tells no sizes of buffers, all mapped pages are inside. */
static bool in_some_buffer(struct vgpu_simd *simd, uint64_t address, unsigned bytes, bool writes)
{
   struct vgpu_checks *checks = simd->checks->owner;
   const struct vgpu_launch *launch = simd->worker->launch;
   if (launch->range_count == 0) {
      return true;
   }
   if (checks->last_range < launch->range_count &&
       contains(&launch->ranges[checks->last_range], address, bytes, writes)) {
      return true;
   }
   for (size_t i = 0; i < launch->range_count; i++) {
      if (contains(&launch->ranges[i], address, bytes, writes)) {
         checks->last_range = i;
         return true;
      }
   }
   return false;
}

/* A freed buffer in whose pages the address lies. */
static const struct vgpu_range *freed_buffer(const struct vgpu_launch *launch, uint64_t address)
{
   for (size_t i = 0; i < launch->range_count; i++) {
      const struct vgpu_range *range = &launch->ranges[i];
      const uint64_t pages = (range->bytes + VGPU_PAGE - 1) & ~(uint64_t)(VGPU_PAGE - 1);
      if (range->freed && address >= range->start && address - range->start < pages) {
         return range;
      }
   }
   return NULL;
}

struct vgpu_outside vgpu_check_outside(struct vgpu_simd *simd, uint64_t address, unsigned bytes)
{
   if (in_some_buffer(simd, address, bytes, false) && vgpu_memory_at(&simd->worker->memory, address, VGPU_READ)) {
      return (struct vgpu_outside){.bytes = 0};
   }
   return (struct vgpu_outside){.bytes = bytes, .address = address};
}

/* Formats of the same text for different places, by enum vgpu_where: findings with different formats are not merged, so
 * accesses before a buffer and past its end are two findings. */
static const char outside_formats[VGPU_WHERE_KINDS][24] = {
    [VGPU_WHERE_BEFORE] = "%s of %u byte%s%s", [VGPU_WHERE_IN] = "%s of %u byte%s%s",
    [VGPU_WHERE_PAST] = "%s of %u byte%s%s",   [VGPU_WHERE_NULL] = "%s of %u byte%s%s",
    [VGPU_WHERE_FAR] = "%s of %u byte%s%s",
};

static void report_outside(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_touch *touch,
                           unsigned lane, uint64_t address, const char *what)
{
   const struct vgpu_launch *launch = simd->worker->launch;
   char where[VGPU_WHERE_BYTES], text[VGPU_WHERE_BYTES + 32];
   const enum vgpu_where kind =
       vgpu_address_print(launch->ranges, launch->range_count, address, touch->element, where, sizeof(where));
   switch (kind) {
   case VGPU_WHERE_UNKNOWN:
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address, "%s at 0x%" PRIx64 ", where no buffer is bound",
                       what, address);
      return;
   case VGPU_WHERE_IN:
   case VGPU_WHERE_PAST:
      snprintf(text, sizeof(text), " at %s", where);
      break;
   case VGPU_WHERE_BEFORE:
   case VGPU_WHERE_NULL:
      snprintf(text, sizeof(text), ", %s", where);
      break;
   case VGPU_WHERE_FAR:
      snprintf(text, sizeof(text), " at 0x%" PRIx64 ", %s", address, where);
      break;
   }
   vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address, outside_formats[kind], what, touch->element,
                    touch->element == 1 ? "" : "s", text);
}

/* A compiler may move loads into the preamble that the source would not execute: what they read counts as undefined
 * instead (undefined.c), so that the use of the value is reported. */
static void check_device(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_touch *touch,
                         unsigned lane, uint64_t address)
{
   unsigned access = (touch->reads ? VGPU_READ : 0u) | (touch->writes ? VGPU_WRITE : 0u);
   const struct vgpu_launch *launch = simd->worker->launch;
   const char *what = touch->atomic ? "an atomic" : touch->writes ? "a write" : "a read";
   bool mapped = vgpu_memory_at(&simd->worker->memory, address, access) != NULL;
   bool inside = in_some_buffer(simd, address, touch->element, touch->writes);
   if ((simd->worker->uniforms && !touch->writes) || (mapped && inside)) {
      return;
   }
   const struct vgpu_range *freed = inside ? NULL : freed_buffer(launch, address);
   if (freed) {
      char name[VGPU_WHERE_BYTES];
      vgpu_range_print(freed, name, sizeof(name));
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address, "%s at byte %" PRIu64 " of %s, which is freed", what,
                       address - freed->start, name);
   } else if (!mapped && vgpu_memory_at(&simd->worker->memory, address, VGPU_READ)) {
      vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, address, "%s at 0x%" PRIx64 ", which is read-only", what,
                       address);
   } else {
      report_outside(op, simd, touch, lane, address, what);
   }
}

/* All of a lane's elements lie in one buffer and page. */
static bool all_inside(struct vgpu_simd *simd, const struct vgpu_touch *touch, uint64_t address)
{
   unsigned access = (touch->reads ? VGPU_READ : 0u) | (touch->writes ? VGPU_WRITE : 0u);
   return address % VGPU_PAGE + touch->span <= VGPU_PAGE && in_some_buffer(simd, address, touch->span, touch->writes) &&
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
       !in_some_buffer(simd, touch->first, (unsigned)(touch->last - touch->first) + touch->span, touch->writes)) {
      return false;
   }
   for (uint64_t end = page + pages; page < end; page++) {
      if (!vgpu_memory_at(&simd->worker->memory, page * VGPU_PAGE, access)) {
         return false;
      }
   }
   return true;
}

void vgpu_check_bounds(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd,
                       const struct vgpu_touch *touch)
{
   (void)checked;
   if (!touch || lanes_inside(simd, touch)) {
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
