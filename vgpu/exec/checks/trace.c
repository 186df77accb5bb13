/* SPDX-License-Identifier: MIT
 *
 * Traces (vgpu/trace.h): a checked op records what it reads before it runs, and what it wrote afterwards.
 */
#include "vgpu/exec/checks/checks.h"

#include <stdlib.h>

#include "isa/program.h"
#include "vgpu/trace.h"
#include "util/array.h"

/* Registers from a half register on, in all lanes. */
static void read_registers(struct vgpu_trace_value *value, const struct vgpu_simd *simd, unsigned half, unsigned bits)
{
   const uint32_t *at = simd->base[VGPU_REGISTERS] + half / 2 * VGPU_LANES;
   value->kind = VGPU_TRACE_REGISTER;
   value->half = (uint16_t)half;
   value->bits = (uint8_t)bits;
   value->data = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      value->lane[lane] = bits == 16   ? at[lane] >> half % 2 * 16 & 0xffffu
                          : bits == 32 ? at[lane]
                                       : (uint64_t)at[VGPU_LANES + lane] << 32 | at[lane];
   }
}

static void read_uniform(struct vgpu_trace_value *value, const struct vgpu_simd *simd,
                         const struct isa_operand *operand)
{
   uint64_t bits = 0;
   for (unsigned i = 0; i < operand->size / 16u && (unsigned)operand->value + i < AGX_UNIFORM_HALVES; i++) {
      bits |= (uint64_t)simd->worker->launch->uniforms[operand->value + (int)i] << 16 * i;
   }
   *value =
       (struct vgpu_trace_value){.kind = VGPU_TRACE_UNIFORM, .half = (uint16_t)operand->value, .bits = operand->size};
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      value->lane[lane] = bits;
   }
}

static bool is_register(const struct vgpu_source *source)
{
   return source->size && source->space == VGPU_REGISTERS;
}

static void read_sources(struct vgpu_trace_entry *entry, const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   const bool atomic = op->insn->op == ISA_OP_ATOMIC || op->insn->op == ISA_OP_LATOMIC;
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      struct vgpu_trace_value *value = &entry->sources[entry->source_count];
      const struct vgpu_source *source = &op->src[n];
      if (is_register(source)) {
         const bool high =
             source->form == VGPU_HIGH || source->form == VGPU_HIGH_SIGNED || source->form == VGPU_HIGH_FLOAT;
         read_registers(value, simd, source->vector / VGPU_LANES * 2 + high, source->size);
         value->data = atomic && n >= 2;
         entry->source_count++;
      } else if (source->size && op->insn->src[n].kind == ISA_UNIFORM) {
         read_uniform(value, simd, &op->insn->src[n]);
         entry->source_count++;
      }
   }
   for (unsigned i = 0; vgpu_op_reads_dst(op) && op->dst.present && i < vgpu_op_dst_elements(op) &&
                        entry->source_count < VGPU_TRACE_SOURCES;
        i++) {
      struct vgpu_trace_value *value = &entry->sources[entry->source_count++];
      read_registers(value, simd, op->dst.half + i * (op->dst.size / 16u), op->dst.size);
      value->data = 1;
   }
}

static void read_memory(struct vgpu_trace_entry *entry, const struct vgpu_touch *touch)
{
   entry->memory = touch->kind == VGPU_DEVICE_MEMORY        ? VGPU_TRACE_DEVICE
                   : touch->kind == VGPU_THREADGROUP_MEMORY ? VGPU_TRACE_THREADGROUP
                                                            : VGPU_TRACE_STACK;
   entry->reads = touch->reads;
   entry->writes = touch->writes;
   entry->element = touch->element;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      entry->access[lane] = touch->address[lane];
   }
}

struct vgpu_trace_entry *vgpu_trace_before(const struct vgpu_op *op, const struct vgpu_simd *simd,
                                           const struct vgpu_touch *touch)
{
   struct vgpu_trace *trace = simd->worker->launch->trace;
   if (trace->count == VGPU_TRACE_MOST || !ARRAY_RESERVE(trace->entries, trace->capacity, trace->count + 1)) {
      trace->dropped++;
      return NULL;
   }
   struct vgpu_trace_entry *entry = &trace->entries[trace->count++];
   *entry = (struct vgpu_trace_entry){.address = op->address,
                                      .group = (uint32_t)simd->group->number,
                                      .simd = simd->index,
                                      .preamble = simd->worker->uniforms != NULL,
                                      .exec = simd->exec};
   read_sources(entry, op, simd);
   if (touch) {
      read_memory(entry, touch);
   }
   return entry;
}

/* What a preamble stores in uniforms: its sources, each a half. */
static void write_uniforms(struct vgpu_trace_entry *entry, const struct vgpu_op *op)
{
   for (uint32_t i = 0; i < entry->source_count && i < VGPU_TRACE_RESULTS; i++) {
      struct vgpu_trace_value *result = &entry->results[entry->result_count++];
      *result = entry->sources[i];
      result->kind = VGPU_TRACE_UNIFORM;
      result->data = 0;
      result->half = (uint16_t)(op->uniforms.first + i);
   }
}

void vgpu_trace_after(struct vgpu_trace_entry *entry, const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   entry->after = simd->exec;
   if (op->insn->op == ISA_OP_UNIFORM_STORE) {
      write_uniforms(entry, op);
   }
   for (unsigned i = 0; !vgpu_op_reads_dst(op) && op->dst.present && i < vgpu_op_dst_elements(op) &&
                        entry->result_count < VGPU_TRACE_RESULTS;
        i++) {
      read_registers(&entry->results[entry->result_count++], simd, op->dst.half + i * (op->dst.size / 16u),
                     op->dst.size);
   }
}
