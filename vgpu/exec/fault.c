/* SPDX-License-Identifier: MIT
 *
 * Raises faults, and describes places in a program. Only the first fault of a host thread is kept.
 */
#include "vgpu/exec/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vgpu/exec/exec.h"
#include "vgpu/stage.h"

/* A distance that a 32-bit index with the largest shift of a load cannot reach: the address was not meant for the
 * buffer. */
#define UNRELATED (UINT64_C(1) << 36)
/* No program is longer: past that, a jump has left it. */
#define FAR 0x100000u

static void raise_text(struct vgpu_worker *worker, enum vgpu_fault fault, const char *format, va_list arguments)
{
   worker->stop = true;
   atomic_store_explicit(&worker->shared->stop, true, memory_order_relaxed);
   if (worker->fault == VGPU_FAULT_NONE) {
      worker->fault = fault;
      vsnprintf(worker->message, sizeof(worker->message), format, arguments);
   }
}

void vgpu_raise(struct vgpu_worker *worker, enum vgpu_fault fault, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   raise_text(worker, fault, format, arguments);
   va_end(arguments);
}

/* The pixel or the vertex of the first active lane; "" of compute. */
static void print_where(const struct vgpu_simd *simd, char *text, size_t size)
{
   const struct vgpu_worker *worker = simd->worker;
   const struct vgpu_stage *stage = worker->launch->stage;
   const uint64_t first = simd->group->number * worker->launch->group[0] + simd->index * VGPU_LANES;
   text[0] = '\0';
   if (!stage || worker->uniforms || !simd->exec) {
      return;
   }
   const uint64_t thread = first + (unsigned)__builtin_ctz(simd->exec);
   if (stage->kind == VGPU_STAGE_FRAGMENT) {
      snprintf(text, size, "pixel %u, %u%s: ", stage->fragments[thread].x, stage->fragments[thread].y,
               simd->exec & (simd->exec - 1) ? " and others" : "");
   } else if (stage->kind == VGPU_STAGE_VERTEX) {
      snprintf(text, size, "vertex %" PRIu32 " of instance %" PRIu32 "%s: ", stage->vertices[thread],
               stage->instances[thread], simd->exec & (simd->exec - 1) ? " and others" : "");
   }
}

void vgpu_raise_at(const struct vgpu_simd *simd, const struct vgpu_op *op, enum vgpu_fault fault, const char *format,
                   ...)
{
   struct vgpu_worker *worker = simd->worker;
   char reason[VGPU_MESSAGE_BYTES / 2], place[VGPU_PLACE_BYTES], where[80];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(reason, sizeof(reason), format, arguments);
   va_end(arguments);
   vgpu_place_print(worker, op, place, sizeof(place));
   print_where(simd, where, sizeof(where));
   if (worker->fault == VGPU_FAULT_NONE && worker->launch->postmortem) {
      worker->faulted = worker->launch->level->postmortem->keep(simd, op);
      worker->faulted_group = simd->group->number;
   }
   vgpu_raise(worker, fault, "%s%s: %s", where, reason, place);
}

void vgpu_range_print(const struct vgpu_range *range, char *text, size_t size)
{
   if (range->name[0]) {
      snprintf(text, size, "%s", range->name);
   } else {
      snprintf(text, size, "a buffer of %" PRIu64 " bytes at 0x%" PRIx64, range->bytes, range->start);
   }
}

static const char *plural(uint64_t count)
{
   return count == 1 ? "" : "s";
}

/* Bytes between the access and the buffer, 0 where they touch or overlap. */
static uint64_t gap(const struct vgpu_range *range, uint64_t address, unsigned bytes)
{
   if (address < range->start) {
      const uint64_t before = range->start - address;
      return before > bytes ? before - bytes : 0;
   }
   const uint64_t offset = address - range->start;
   return offset > range->bytes ? offset - range->bytes : 0;
}

static bool overlaps(const struct vgpu_range *range, uint64_t address, unsigned bytes)
{
   return address < range->start ? range->start - address < bytes : address - range->start < range->bytes;
}

/* If two buffers are equally near, takes the one that the access touches. */
static const struct vgpu_range *nearest(const struct vgpu_range *ranges, size_t count, uint64_t address, unsigned bytes)
{
   const struct vgpu_range *best = NULL;
   for (size_t i = 0; i < count; i++) {
      const struct vgpu_range *range = &ranges[i];
      if (range->freed || range->internal) {
         continue;
      }
      const uint64_t far = gap(range, address, bytes), best_far = best ? gap(best, address, bytes) : UINT64_MAX;
      if (far < best_far || (far == best_far && overlaps(range, address, bytes))) {
         best = range;
      }
   }
   return best;
}

/* A null pointer counts as a buffer of no bytes at address 0. */
static enum vgpu_where print_null(uint64_t address, char *text, size_t size)
{
   const bool negative = address >> 63;
   const uint64_t distance = negative ? 0 - address : address;
   if (distance == 0) {
      snprintf(text, size, "through a null pointer");
   } else {
      snprintf(text, size, "%" PRIu64 " byte%s %s a null pointer", distance, plural(distance),
               negative ? "before" : "past");
   }
   return VGPU_WHERE_NULL;
}

enum vgpu_where vgpu_address_print(const struct vgpu_range *ranges, size_t count, uint64_t address, unsigned bytes,
                                   char *text, size_t size)
{
   const struct vgpu_range *range = nearest(ranges, count, address, bytes);
   const uint64_t distance = range ? gap(range, address, bytes) : UINT64_MAX;
   const uint64_t null = address >> 63 ? 0 - address : address;
   char name[VGPU_RANGE_NAME + 48];
   text[0] = '\0';
   if (!range) {
      return VGPU_WHERE_UNKNOWN;
   }
   if (null < UNRELATED && null < distance) {
      return print_null(address, text, size);
   }
   if (distance >= UNRELATED) {
      snprintf(text, size, "far from every buffer");
      return VGPU_WHERE_FAR;
   }
   vgpu_range_print(range, name, sizeof(name));
   if (address < range->start) {
      const uint64_t before = range->start - address;
      snprintf(text, size, "%" PRIu64 " byte%s before %s", before, plural(before), name);
      return VGPU_WHERE_BEFORE;
   }
   const uint64_t offset = address - range->start;
   if (offset < range->bytes && bytes <= range->bytes - offset) {
      snprintf(text, size, "byte %" PRIu64 " of %s", offset, name);
      return VGPU_WHERE_IN;
   }
   const uint64_t past = offset + bytes - range->bytes;
   const int used = snprintf(text, size, "byte %" PRIu64 " of %s", offset, name);
   if (range->name[0] && used > 0 && (size_t)used < size) {
      snprintf(text + used, size - (size_t)used, ", which has %" PRIu64 " byte%s: %" PRIu64 " byte%s past its end",
               range->bytes, plural(range->bytes), past, plural(past));
   } else if (used > 0 && (size_t)used < size) {
      snprintf(text + used, size - (size_t)used, ": %" PRIu64 " byte%s past its end", past, plural(past));
   }
   return VGPU_WHERE_PAST;
}

/* Prints the bytes at the address, as far as they are mapped. */
static void print_bytes(const struct vgpu_pages *pages, uint64_t address, char *text, size_t size)
{
   uint8_t bytes[ISA_MAX_LENGTH];
   uint64_t bad;
   size_t count = sizeof(bytes);
   if (!vgpu_pages_read(pages, address, bytes, count, &bad)) {
      count = (size_t)(bad - address);
      count = vgpu_pages_read(pages, address, bytes, count, &bad) ? count : 0;
   }
   size_t used = (size_t)snprintf(text, size, count ? ": bytes" : "");
   for (size_t i = 0; i < count && used < size; i++) {
      used += (size_t)snprintf(text + used, size - used, " %02x", bytes[i]);
   }
}

/* Listings have columns, messages have not. */
static void squeeze(char *text)
{
   char *to = text;
   for (const char *from = text; *from; from++) {
      if (from[0] != ' ' || from[1] != ' ') {
         *to++ = *from;
      }
   }
   *to = '\0';
}

void vgpu_place_print(const struct vgpu_worker *worker, const struct vgpu_op *op, char *text, size_t size)
{
   const struct vgpu_launch *launch = worker->launch;
   const char *program = worker->uniforms ? "preamble" : "main";
   uint64_t entry = worker->uniforms ? launch->preamble : launch->code, offset = op->address - entry;
   char instruction[VGPU_PLACE_BYTES - 64] = "";
   if (op->insn->row) {
      instruction[0] = ':';
      instruction[1] = ' ';
      isa_print(op->insn, ISA_SYNTAX_MESA, instruction + 2, sizeof(instruction) - 2);
      squeeze(instruction);
   } else {
      print_bytes(launch->pages, op->address, instruction, sizeof(instruction));
   }
   if (op->address >= entry && offset < FAR && *instruction) {
      snprintf(text, size, "%s + 0x%" PRIx64 "%s", program, offset, instruction);
   } else if (op->address >= entry && offset < FAR) {
      snprintf(text, size, "%s + 0x%" PRIx64 " (0x%" PRIx64 ")", program, offset, op->address);
   } else {
      snprintf(text, size, "0x%" PRIx64 ", outside of %s at 0x%" PRIx64 "%s", op->address, program, entry, instruction);
   }
}

/* Bytes of one element of what the instruction loads or stores; of an image, at least one. */
static unsigned element_bytes(const struct vgpu_op *op)
{
   switch (op->insn->op) {
   case ISA_OP_LOAD:
   case ISA_OP_STORE:
      return op->memory.element_bytes;
   case ISA_OP_ATOMIC:
      return op->atomic.operation == ISA_ATOMIC_UMIN64 || op->atomic.operation == ISA_ATOMIC_UMAX64 ? 8 : 4;
   default:
      return 1;
   }
}

void vgpu_miss_print(const struct vgpu_worker *worker, const struct vgpu_op *op, uint64_t va, char *text, size_t size)
{
   const struct vgpu_launch *launch = worker->launch;
   (void)vgpu_address_print(launch->ranges, launch->range_count, va, element_bytes(op), text, size);
}

void vgpu_memory_miss(struct vgpu_simd *simd, const struct vgpu_op *op, uint64_t va, bool store)
{
   struct vgpu_worker *worker = simd->worker;
   struct vgpu_memory *memory = &worker->memory;
   if (!memory->soft) {
      char where[VGPU_WHERE_BYTES];
      vgpu_miss_print(worker, op, va, where, sizeof(where));
      vgpu_raise_at(simd, op, VGPU_FAULT_MEMORY, "%s unmapped address 0x%" PRIx64 "%s%s",
                    store ? "store to" : "load from", va, where[0] ? ", " : "", where);
      return;
   }
   /* The threadgroup with the lowest number counts as the first, in whatever order host threads run them. */
   if (memory->fault_loads + memory->fault_stores == 0 || simd->group->number < memory->fault_group) {
      memory->fault_address = va;
      memory->fault_group = simd->group->number;
      memory->fault_op = op;
   }
   if (store) {
      memory->fault_stores++;
   } else {
      memory->fault_loads++;
   }
}

static bool only_preamble(const struct vgpu_soft_faults *faults)
{
   return faults->stores == 0 && faults->loads == faults->preamble_loads;
}

void vgpu_soft_faults_add(struct vgpu_soft_faults *sum, const struct vgpu_soft_faults *later)
{
   if (only_preamble(sum) && later->loads + later->stores > 0 && (sum->loads == 0 || !only_preamble(later))) {
      sum->address = later->address;
      memcpy(sum->place, later->place, sizeof(sum->place));
      memcpy(sum->where, later->where, sizeof(sum->where));
   }
   sum->loads += later->loads;
   sum->stores += later->stores;
   sum->preamble_loads += later->preamble_loads;
}
