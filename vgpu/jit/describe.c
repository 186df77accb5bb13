/* SPDX-License-Identifier: MIT
 *
 * Operand descriptors in the form that compiled code needs, and the names of the semantic functions that take them.
 * Invariant: a descriptor contains no pointer, so that equal instructions have equal descriptors.
 */
#include "vgpu/jit/emit.h"

#include <inttypes.h>
#include <string.h>

#include "vgpu/exec/semantics.h"
#include "vgpu/exec/simd.h"
#include "vgpu/jit/facts/certain.h"
#include "vgpu/jit/jit.h"
#include "vgpu/jit/facts/lanes.h"
#include "vgpu/jit/facts/memory.h"
#include "util/array.h"

/* ---- Names ---- */

#define ROW(operation, binding, control, traits, ...) [ISA_OP_##operation] = #__VA_ARGS__,
static const char *const handlers[ISA_OP_COUNT] = {VGPU_SEMANTICS(ROW)};

#define NAME(operation, binding, control, traits, ...) [ISA_OP_##operation] = #operation,
const char *vgpu_jit_operation_name(unsigned operation)
{
   static const char *const names[ISA_OP_COUNT] = {VGPU_SEMANTICS(NAME)};
   return names[operation] ? names[operation] : "?";
}

void vgpu_emit_body_name(const struct vgpu_op *op, unsigned masked, char name[VGPU_BODY_NAME])
{
   const char *at = handlers[op->insn->op];
   for (unsigned variant = 0; at && variant < op->variant; variant++) {
      at = strchr(at, ',');
      at = at ? at + strspn(at, ", ") : NULL;
   }
   const size_t length = at ? strcspn(at, ", ") : 0;
   snprintf(name, VGPU_BODY_NAME, "vgpu_body_%.*s_%u", (int)length, at ? at : "", (op->shape & VGPU_GENERAL) | masked);
}

/* ---- Descriptors ---- */

static bool literal_at(struct vgpu_literals *literals, uint32_t low, uint32_t high, bool wide, uint32_t *index)
{
   const uint32_t needed = wide ? 2 : 1;
   for (uint32_t i = 0; i + needed <= literals->count; i++) {
      if (literals->words[i] == low && (!wide || literals->words[i + 1] == high)) {
         *index = i;
         return true;
      }
   }
   if (literals->count + needed > VGPU_MAX_LITERALS) {
      return false;
   }
   *index = literals->count;
   literals->words[literals->count++] = low;
   if (wide) {
      literals->words[literals->count++] = high;
   }
   return true;
}

bool vgpu_emit_descriptor(const struct vgpu_op *op, const uint32_t *vectors, struct vgpu_literals *literals,
                          struct vgpu_op *descriptor)
{
   *descriptor = *op;
   descriptor->run[0] = descriptor->run[1] = NULL;
   descriptor->insn = NULL;
   descriptor->address = 0;
   struct vgpu_certain certain;
   descriptor->certain = vgpu_jit_is_certain(op, vectors, &certain);
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      struct vgpu_source *source = &descriptor->src[n];
      if (source->space != VGPU_CONSTANTS || op->insn->src[n].kind != ISA_IMM || !source->size) {
         continue;
      }
      const uint32_t *value = vectors + source->vector;
      const bool wide = source->size == 64;
      uint32_t index;
      if (!literal_at(literals, value[0], wide ? value[VGPU_LANES] : 0, wide, &index)) {
         return false;
      }
      source->space = VGPU_LITERALS;
      source->vector = index * VGPU_LANES;
   }
   return true;
}

/* ---- What LLVM may know ---- */

/* Results of float operations are not constant for LLVM, because none of their sources is (vgpu_opaque()). */
static bool makes_float(const struct vgpu_op *op)
{
   static const uint16_t codes[] = {ISA_OP_FADD, ISA_OP_FMUL, ISA_OP_FFMA, ISA_OP_HADD, ISA_OP_HMUL, ISA_OP_HFMA};
   bool found = false;
   for (size_t i = 0; i < ARRAY_COUNT(codes); i++) {
      found |= op->insn->op == codes[i];
   }
   return found;
}

static void mark_pass(const struct vgpu_op *ops, struct vgpu_op *descriptors, uint32_t count, bool masked,
                      bool *computed)
{
   for (uint32_t i = 0; i < count; i++) {
      for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
         struct vgpu_source *source = &descriptors[i].src[n];
         if (source->size && source->space == VGPU_REGISTERS && computed[source->vector / VGPU_LANES]) {
            source->space = VGPU_COMPUTED;
         }
      }
      if (vgpu_jit_is_memory(&ops[i]) || vgpu_jit_is_fence(&ops[i])) { /* loaded values are unknown */
         continue;
      }
      const uint32_t vector = ops[i].dst.present ? ops[i].dst.vector / VGPU_LANES : 0;
      if (!makes_float(&ops[i])) {
         computed[vector] = true;
         if (ops[i].dst.size == 64) {
            computed[vector + 1] = true;
         }
      } else if (ops[i].dst.form == VGPU_WORD && !masked) {
         computed[vector] = false;
      }
   }
}

void vgpu_emit_mark_computed(const struct vgpu_op *ops, struct vgpu_op *descriptors, uint32_t count, bool loop,
                             bool masked)
{
   bool computed[VGPU_JIT_VECTORS] = {false};
   mark_pass(ops, descriptors, count, masked, computed);
   if (loop) {
      mark_pass(ops, descriptors, count, masked, computed);
   }
}
