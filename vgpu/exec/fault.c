/* SPDX-License-Identifier: MIT
 *
 * Raising faults, and the text for the place in a program. Only the first fault of a host thread is kept.
 */
#include "vgpu/exec/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vgpu/exec/exec.h"

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

void vgpu_raise_at(const struct vgpu_simd *simd, const struct vgpu_op *op, enum vgpu_fault fault, const char *format,
                   ...)
{
   struct vgpu_worker *worker = simd->worker;
   char reason[VGPU_MESSAGE_BYTES / 2], place[VGPU_PLACE_BYTES];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(reason, sizeof(reason), format, arguments);
   va_end(arguments);
   vgpu_place_print(worker, op, place, sizeof(place));
   if (worker->fault == VGPU_FAULT_NONE && worker->launch->postmortem) {
      worker->faulted = vgpu_standing_keep(simd, op);
      worker->faulted_group = simd->group->number;
   }
   vgpu_raise(worker, fault, "%s: %s", reason, place);
}

/* What lies there, as far as it is mapped. */
static void print_bytes(const struct vgpu_vm *vm, uint64_t address, char *text, size_t size)
{
   uint8_t bytes[ISA_MAX_LENGTH];
   uint64_t bad;
   size_t count = sizeof(bytes);
   if (!vgpu_vm_read(vm, address, bytes, count, &bad)) {
      count = (size_t)(bad - address);
      count = vgpu_vm_read(vm, address, bytes, count, &bad) ? count : 0;
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
      print_bytes(launch->vm, op->address, instruction, sizeof(instruction));
   }
   if (op->address >= entry && offset < FAR && *instruction) {
      snprintf(text, size, "%s + 0x%" PRIx64 "%s", program, offset, instruction);
   } else if (op->address >= entry && offset < FAR) {
      snprintf(text, size, "%s + 0x%" PRIx64 " (0x%" PRIx64 ")", program, offset, op->address);
   } else {
      snprintf(text, size, "0x%" PRIx64 ", outside of %s at 0x%" PRIx64 "%s", op->address, program, entry, instruction);
   }
}

void vgpu_memory_miss(struct vgpu_simd *simd, const struct vgpu_op *op, uint64_t va, bool store)
{
   struct vgpu_worker *worker = simd->worker;
   struct vgpu_memory *memory = &worker->memory;
   if (!memory->soft) {
      vgpu_raise_at(simd, op, VGPU_FAULT_MEMORY, "%s unmapped address 0x%" PRIx64, store ? "store to" : "load from",
                    va);
      return;
   }
   /* The first threadgroup's counts as the first, in whatever order host threads get to them. */
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
   }
   sum->loads += later->loads;
   sum->stores += later->stores;
   sum->preamble_loads += later->preamble_loads;
}
