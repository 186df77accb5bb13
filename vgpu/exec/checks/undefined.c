/* SPDX-License-Identifier: MIT
 *
 * Undefined values, bit by bit: registers, uniforms, bytes of threadgroup memory and words of the stack that nothing
 * wrote. They may be copied and computed with. A report is made when one is stored to device memory, decides a branch,
 * or is an address. Then the register counts as defined, so that one cause gives one report. Device memory always
 * counts as defined; so do the registers of lanes that the launch does not have.
 */
#include "vgpu/exec/checks/undefined.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/formats.h"
#include "isa/program.h"
#include "vgpu/exec/fault.h"

/* ---- Definedness of registers: 1 is undefined ---- */

static uint32_t *definedness(const struct vgpu_simd *simd, unsigned half)
{
   return simd->base[VGPU_REGISTERS] + simd->checks->owner->definedness_words + half / 2 * VGPU_LANES;
}

uint32_t vgpu_undefined_get(const struct vgpu_simd *simd, unsigned half, bool word, unsigned lane)
{
   uint32_t bits = definedness(simd, half)[lane];
   return word ? bits : half & 1 ? bits >> 16 : bits & 0xffffu;
}

void vgpu_undefined_put(const struct vgpu_simd *simd, unsigned half, bool word, unsigned lane, uint32_t bits)
{
   uint32_t *at = &definedness(simd, half)[lane];
   if (word) {
      *at = bits;
   } else if (half & 1) {
      *at = (*at & 0xffffu) | bits << 16;
   } else {
      *at = (*at & 0xffff0000u) | (bits & 0xffff);
   }
}

static uint16_t uniform_bits(const struct vgpu_simd *simd, unsigned half)
{
   return half < AGX_UNIFORM_HALVES ? (uint16_t)~simd->worker->launch->uniforms_written[half] : UINT16_MAX;
}

/* A uniform was extended to 32 bits when it was bound: its sign bit determines all bits above it, and a half that was
 * converted to a float is defined as a whole or not at all. */
static uint64_t uniform_source_bits(const struct vgpu_checked_op *checked, const struct vgpu_op *op, unsigned n,
                                    const struct vgpu_simd *simd)
{
   unsigned half = checked->uniform[n] - 1u;
   uint64_t bits = 0;
   for (unsigned i = 0; i < op->src[n].size / 16u; i++) {
      bits |= (uint64_t)uniform_bits(simd, half + i) << 16 * i;
   }
   if (op->src[n].size != 16 || !bits) {
      return bits;
   }
   const struct isa_operand *operand = &op->insn->src[n];
   bool is_float = operand->abs || operand->neg;
   return is_float || (op->src[n].sx && bits >> 15) ? bits | 0xffff0000u : bits;
}

uint64_t vgpu_undefined_source(const struct vgpu_checked_op *checked, const struct vgpu_op *op, unsigned n,
                               const struct vgpu_simd *simd, unsigned lane)
{
   const struct vgpu_source *source = &op->src[n];
   if (!source->size) {
      return 0;
   }
   if (source->space != VGPU_REGISTERS) {
      return checked->uniform[n] && checked->unwritten ? uniform_source_bits(checked, op, n, simd) : 0;
   }
   const uint32_t *at = vgpu_source_vector(simd, source) + simd->checks->owner->definedness_words;
   uint64_t high = source->size == 64 ? at[VGPU_LANES + lane] : 0;
   return high << 32 | vgpu_undefined_read_as(source->form, at[lane]);
}

void vgpu_undefined_mark(struct vgpu_simd *simd, const struct vgpu_halves *halves)
{
   for (unsigned half = 0; (half = vgpu_halves_next(halves, halves, half)) < VGPU_HALVES; half++) {
      uint32_t bits = 0;
      const uint32_t *at = definedness(simd, half);
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         bits |= at[lane] & simd->launched[lane];
      }
      if (half & 1 ? bits >> 16 : bits & 0xffff) {
         vgpu_halves_add(&simd->checks->undefined, half);
      } else {
         vgpu_halves_drop(&simd->checks->undefined, half);
      }
   }
}

void vgpu_undefined_define(struct vgpu_simd *simd, const struct vgpu_halves *halves, uint32_t lanes)
{
   if (!vgpu_halves_meet(halves, &simd->checks->undefined)) {
      return;
   }
   if ((lanes & simd->launched_bits) == simd->launched_bits) {
      for (unsigned half = 0; (half = vgpu_halves_next(halves, &simd->checks->undefined, half)) < VGPU_HALVES; half++) {
         uint32_t *at = definedness(simd, half), keep = half & 1 ? 0xffffu : 0xffff0000u;
         for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
            at[lane] &= keep;
         }
         vgpu_halves_drop(&simd->checks->undefined, half);
      }
      return;
   }
   uint32_t other[VGPU_LANES];
   const uint32_t *mask = simd->mask;
   if (lanes != simd->exec) {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         other[lane] = 0 - (lanes >> lane & 1);
      }
      mask = other;
   }
   for (unsigned half = 0; (half = vgpu_halves_next(halves, &simd->checks->undefined, half)) < VGPU_HALVES;
        half = (half | 1) + 1) {
      const unsigned low = half & ~1u;
      const uint32_t part =
          (vgpu_halves_has(halves, low) ? 0xffffu : 0) | (vgpu_halves_has(halves, low + 1) ? 0xffff0000u : 0);
      const uint32_t left =
          simd->checks->owner->lanes->define(definedness(simd, low), part, mask, simd->launched) & part;
      if (part & 0xffffu && !(left & 0xffffu)) {
         vgpu_halves_drop(&simd->checks->undefined, low);
      }
      if (part >> 16 && !(left >> 16)) {
         vgpu_halves_drop(&simd->checks->undefined, low + 1);
      }
   }
}

static void put_result(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane, uint64_t bits)
{
   unsigned half = op->dst.half;
   vgpu_undefined_put(simd, half, op->dst.form == VGPU_WORD, lane, (uint32_t)bits);
   if (op->dst.size == 64) {
      vgpu_undefined_put(simd, half + 2, true, lane, (uint32_t)(bits >> 32));
   }
}

/* ---- Results ---- */

/* Returns the definedness of a result whose control is undefined. For a select, bits that are equal in both of its
 * values are defined. */
static uint64_t uncontrolled_bits(const struct vgpu_checked_op *checked, const struct vgpu_op *op,
                                  const struct vgpu_simd *simd, unsigned lane)
{
   if (op->insn->op != ISA_OP_ICMPSEL) {
      return UINT64_MAX;
   }
   return (vgpu_lane_value(op, 2, simd, lane) ^ vgpu_lane_value(op, 3, simd, lane)) |
          vgpu_undefined_source(checked, op, 2, simd, lane) | vgpu_undefined_source(checked, op, 3, simd, lane);
}

/* Runs the instruction on the definedness of its data. */
static void move(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const struct vgpu_propagation *propagation = simd->checks->owner->lanes->propagation;
   uint64_t wrong_bits[VGPU_LANES];
   uint32_t wrong = checked->controls ? simd->exec & propagation->lanes(checked, op, simd, checked->controls) : 0;
   for (uint32_t lanes = wrong; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      wrong_bits[lane] = uncontrolled_bits(checked, op, simd, lane);
   }
   for (unsigned n = 0; n < ISA_MAX_SOURCES && checked->unwritten; n++) {
      if (!checked->uniform[n] || checked->controls >> n & 1) {
         continue;
      }
      uint64_t bits = vgpu_undefined_source(checked, op, n, simd, 0);
      uint32_t *at = vgpu_source_vector(simd, &checked->shadow.src[n]);
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         at[lane] = (uint32_t)bits;
         at[VGPU_LANES + lane] = (uint32_t)(bits >> 32);
      }
   }
   checked->run[1](&checked->shadow, &simd, 1);
   for (; wrong; wrong &= wrong - 1) {
      unsigned lane = (unsigned)__builtin_ctz(wrong);
      put_result(op, simd, lane, wrong_bits[lane]);
   }
}

static void across_lanes(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const uint32_t lanes = op->insn->op == ISA_OP_MATRIX ? simd->launched_bits : simd->exec;
   const uint32_t ballot = lanes & simd->checks->owner->lanes->propagation->lanes(checked, op, simd, UINT32_MAX);
   const uint32_t bits = checked->definedness == VGPU_BITS_BALLOT ? ballot : ballot ? UINT32_MAX : 0;
   for (unsigned half = 0; (half = vgpu_halves_next(&checked->writes, &checked->writes, half)) < VGPU_HALVES; half++) {
      const uint32_t value = (half & 1 && op->dst.form == VGPU_WORD ? bits >> 16 : bits) & 0xffffu;
      const uint32_t part = half & 1 ? 0xffff0000u : 0xffffu, placed = half & 1 ? value << 16 : value;
      uint32_t *at = definedness(simd, half);
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         const uint32_t mask = simd->mask[lane] & part;
         at[lane] = (at[lane] & ~mask) | (placed & mask);
      }
   }
}

/* The bits of both registers change places at the first of the three xors. */
static void swap(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const bool word = op->dst.form == VGPU_WORD;
   const unsigned a = (unsigned)op->insn->src[0].value, b = (unsigned)op->insn->src[1].value;
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      const uint32_t of_a = vgpu_undefined_get(simd, a, word, lane);
      vgpu_undefined_put(simd, a, word, lane, vgpu_undefined_get(simd, b, word, lane));
      vgpu_undefined_put(simd, b, word, lane, of_a);
   }
   vgpu_undefined_mark(simd, &checked->reads);
}

/* ---- Where it counts ---- */

struct vgpu_origin vgpu_undefined_origin(const struct vgpu_simd *simd)
{
   const struct vgpu_launch *launch = simd->worker->launch;
   const struct vgpu_outside *outside = &launch->preamble_outside;
   struct vgpu_origin origin = {""};
   char where[VGPU_WHERE_BYTES];
   if (outside->bytes == 0) {
      return origin;
   }
   const enum vgpu_where kind =
       vgpu_address_print(launch->ranges, launch->range_count, outside->address, outside->bytes, where, sizeof(where));
   if (kind == VGPU_WHERE_UNKNOWN || kind == VGPU_WHERE_FAR) {
      snprintf(origin.text, sizeof(origin.text),
               " (the preamble reads %" PRIu32 " bytes at 0x%" PRIx64 ", where no buffer is bound)", outside->bytes,
               outside->address);
   } else {
      snprintf(origin.text, sizeof(origin.text), " (the preamble reads %" PRIu32 " bytes%s%s)", outside->bytes,
               kind == VGPU_WHERE_PAST || kind == VGPU_WHERE_IN ? " at " : ", ", where);
   }
   return origin;
}

void vgpu_undefined_check_source(const struct vgpu_checked_op *checked, const struct vgpu_op *op,
                                 struct vgpu_simd *simd, unsigned n, uint32_t lanes, const char *use)
{
   const struct vgpu_source *source = &op->src[n];
   for (uint32_t left = lanes; left; left &= left - 1) {
      unsigned lane = (unsigned)__builtin_ctz(left);
      if (!vgpu_undefined_source(checked, op, n, simd, lane)) {
         continue;
      }
      if (source->space != VGPU_REGISTERS) {
         vgpu_check_found(simd, op, VGPU_CHECK_UNDEFINED, lane, 0,
                          "u%u%c %s, and neither the launch nor the preamble wrote it%s",
                          (checked->uniform[n] - 1u) / 2, checked->uniform[n] & 1 ? 'l' : 'h', use,
                          vgpu_undefined_origin(simd).text);
         return;
      }
      bool high = source->form == VGPU_HIGH || source->form == VGPU_HIGH_SIGNED || source->form == VGPU_HIGH_FLOAT;
      unsigned half = source->vector / VGPU_LANES * 2 + high;
      vgpu_check_found(simd, op, VGPU_CHECK_UNDEFINED, lane, 0, "%s %s, and depends on a value that nothing wrote%s",
                       vgpu_name_half(half, source->size != 16).text, use, vgpu_undefined_origin(simd).text);
      struct vgpu_halves halves = {{0}};
      for (unsigned i = 0; i < source->size / 16u; i++) {
         vgpu_halves_add(&halves, half + i);
      }
      vgpu_undefined_define(simd, &halves, simd->launched_bits);
      return;
   }
}

static void branch(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const uint32_t *r0 = simd->base[VGPU_REGISTERS];
   uint32_t asking = simd->exec;
   bool is_else = op->insn->op == ISA_OP_ELSE_ICMP || op->insn->op == ISA_OP_ELSE_FCMP;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      if (simd->launched_bits >> lane & 1 && vgpu_undefined_get(simd, 0, false, lane)) {
         vgpu_check_found(simd, op, VGPU_CHECK_UNDEFINED, lane, 0,
                          "r0l counts the levels of the exec mask, and nothing wrote it");
         break;
      }
      if (is_else && (r0[lane] & 0xffff) == 1) {
         asking |= 1u << lane; /* the condition turns it on, or not */
      }
   }
   asking = is_else ? asking & ~simd->exec : asking;
   vgpu_undefined_check_source(checked, op, simd, 0, asking & simd->launched_bits, "decides a branch");
   vgpu_undefined_check_source(checked, op, simd, 1, asking & simd->launched_bits, "decides a branch");
   vgpu_undefined_define(simd, &checked->writes, simd->launched_bits);
}

void vgpu_check_undefined_jump(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd)
{
   if (op->src[0].size) {
      vgpu_undefined_check_source(checked, op, simd, 0, simd->exec, "is jumped to");
   }
   if (op->insn->op != ISA_OP_RET) {
      struct vgpu_halves link = {{0}};
      vgpu_halves_add(&link, 2);
      vgpu_halves_add(&link, 3);
      vgpu_undefined_define(simd, &link, simd->exec);
   }
}

/* ---- Memory ---- */

uint32_t vgpu_undefined_data(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned n, unsigned lane)
{
   bool word = op->dst.form == VGPU_WORD;
   const struct isa_format_info *format = &isa_formats[op->memory.format];
   uint32_t bits = 0;
   for (unsigned i = format->components ? 0 : n; i < (format->components ? format->components : n + 1); i++) {
      bits |= vgpu_undefined_get(simd, op->dst.half + i * (word ? 2u : 1u), word, lane);
   }
   if (!format->raw) {
      return bits ? UINT32_MAX : 0;
   }
   return op->memory.element_bytes < 4 ? bits & ((1u << 8 * op->memory.element_bytes) - 1) : bits;
}

static void check_stored(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   unsigned n = 0;
   for (uint32_t mask = touch->mask; mask; mask &= mask - 1, n++) {
      for (uint32_t lanes = touch->lanes; lanes; lanes &= lanes - 1) {
         unsigned lane = (unsigned)__builtin_ctz(lanes);
         if (!vgpu_undefined_data(op, simd, n, lane)) {
            continue;
         }
         bool word = op->dst.form == VGPU_WORD;
         unsigned half = op->dst.half + n * (word ? 2u : 1u);
         vgpu_check_found(simd, op, VGPU_CHECK_UNDEFINED, lane,
                          touch->address[lane] + (unsigned)__builtin_ctz(mask) * touch->element,
                          "%s is stored, and depends on a value that nothing wrote%s", vgpu_name_half(half, word).text,
                          vgpu_undefined_origin(simd).text);
         return;
      }
   }
}

static void load_bits(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_touch *touch, unsigned lane)
{
   bool word = op->dst.form == VGPU_WORD;
   const struct isa_format_info *format = &isa_formats[op->memory.format];
   unsigned n = 0;
   for (uint32_t mask = touch->mask; mask; mask &= mask - 1) {
      uint64_t address = touch->address[lane] + (unsigned)__builtin_ctz(mask) * touch->element;
      uint32_t bits = vgpu_undefined_read(simd, touch, lane, address);
      bits = format->raw || !bits ? bits : UINT32_MAX;
      for (unsigned i = 0; i < (format->components ? format->components : 1u); i++, n++) {
         vgpu_undefined_put(simd, op->dst.half + n * (word ? 2u : 1u), word, lane, bits);
      }
   }
}

static void store_bits(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_touch *touch, unsigned lane)
{
   unsigned n = 0;
   for (uint32_t mask = touch->mask; mask; mask &= mask - 1, n++) {
      vgpu_undefined_write(simd, touch, lane, touch->address[lane] + (unsigned)__builtin_ctz(mask) * touch->element,
                           vgpu_undefined_data(op, simd, n, lane));
   }
}

static void atomic_bits(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd,
                        const struct vgpu_touch *touch, unsigned lane)
{
   uint32_t old = vgpu_undefined_read(simd, touch, lane, touch->address[lane]);
   uint64_t data =
       vgpu_undefined_source(checked, op, 2, simd, lane) | vgpu_undefined_source(checked, op, 3, simd, lane);
   bool exchange = op->atomic.operation == ISA_ATOMIC_XCHG;
   vgpu_undefined_write(simd, touch, lane, touch->address[lane],
                        exchange      ? (uint32_t)data
                        : old || data ? UINT32_MAX
                                      : 0);
   if (op->dst.present) {
      put_result(op, simd, lane, old);
   }
}

/* Values that a preamble reads outside of the buffers are undefined: VGPU_CHECK_BOUNDS does not report loads of a
 * preamble. */
static void load_outside(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   const bool word = op->dst.form == VGPU_WORD;
   const uint8_t components = isa_formats[op->memory.format].components;
   for (uint32_t lanes = touch->lanes; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      unsigned n = 0;
      for (uint32_t mask = touch->mask; mask; mask &= mask - 1) {
         const uint64_t address = touch->address[lane] + (unsigned)__builtin_ctz(mask) * touch->element;
         const struct vgpu_outside outside = vgpu_check_outside(simd, address, touch->element);
         if (simd->worker->outside && simd->worker->outside->bytes == 0) {
            *simd->worker->outside = outside;
         }
         for (unsigned i = 0; i < (components ? components : 1u); i++, n++) {
            vgpu_undefined_put(simd, op->dst.half + n * (word ? 2u : 1u), word, lane,
                               outside.bytes > 0 ? UINT32_MAX : 0);
         }
      }
   }
}

/* The part of a word that the source reads. */
static uint32_t part_of(const struct vgpu_source *source)
{
   switch (source->form) {
   case VGPU_LOW:
   case VGPU_LOW_SIGNED:
   case VGPU_LOW_FLOAT:
      return 0xffffu;
   case VGPU_HIGH:
   case VGPU_HIGH_SIGNED:
   case VGPU_HIGH_FLOAT:
      return 0xffff0000u;
   default:
      return UINT32_MAX;
   }
}

/* Whether all that those lanes read is defined, although other lanes' parts of the registers may not be: so it is
 * behind a branch. */
static bool reads_defined(const struct vgpu_checked_op *checked, const struct vgpu_op *op, const struct vgpu_simd *simd,
                          const uint32_t mask[VGPU_LANES])
{
   uint32_t undefined = 0;
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      const struct vgpu_source *source = &op->src[n];
      if (!source->size || source->space != VGPU_REGISTERS) {
         continue;
      }
      const uint32_t *at = vgpu_source_vector(simd, source) + simd->checks->owner->definedness_words;
      const uint32_t *high = source->size == 64 ? at + VGPU_LANES : at, part = part_of(source);
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         undefined |= (at[lane] | high[lane]) & part & mask[lane];
      }
   }
   return !undefined && !checked->unwritten;
}

/* Whether branch() finds nothing. */
static bool branch_defined(const struct vgpu_checked_op *checked, const struct vgpu_op *op,
                           const struct vgpu_simd *simd)
{
   const uint32_t *r0 = definedness(simd, 0);
   uint32_t undefined = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      undefined |= r0[lane] & 0xffffu & simd->launched[lane];
   }
   const bool is_else = op->insn->op == ISA_OP_ELSE_ICMP || op->insn->op == ISA_OP_ELSE_FCMP;
   return !undefined && reads_defined(checked, op, simd, is_else ? simd->launched : simd->mask);
}

/* Whether the registers that a store writes to memory are defined in the active lanes. */
static bool data_defined(const struct vgpu_checked_op *checked, const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   if (!vgpu_op_reads_dst(op) || checked->unwritten) {
      return !checked->unwritten;
   }
   uint32_t undefined = 0;
   const unsigned halves = vgpu_op_dst_elements(op) * (op->dst.size / 16u);
   for (unsigned half = op->dst.half; half < op->dst.half + halves; half++) {
      const uint32_t *at = definedness(simd, half), part = half & 1 ? 0xffff0000u : 0xffffu;
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         undefined |= at[lane] & part & simd->mask[lane];
      }
   }
   return !undefined;
}

static void memory(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd,
                   const struct vgpu_touch *touch)
{
   bool reads = checked->unwritten || vgpu_halves_meet(&checked->reads, &simd->checks->undefined);
   reads = reads && !(reads_defined(checked, op, simd, simd->mask) && data_defined(checked, op, simd));
   if (!touch) { /* stack_adjust */
      vgpu_undefined_check_source(checked, op, simd, 0, simd->exec, "is the size of a stack frame");
      return;
   }
   if (reads && touch->kind != VGPU_STACK_MEMORY) {
      vgpu_undefined_check_source(checked, op, simd, 0, touch->lanes, "is an address");
   }
   if (reads) {
      vgpu_undefined_check_source(checked, op, simd, 1, touch->lanes,
                                  touch->kind == VGPU_STACK_MEMORY ? "is an address" : "is an index");
   }
   if (touch->kind == VGPU_DEVICE_MEMORY) {
      if (reads && touch->atomic) {
         vgpu_undefined_check_source(checked, op, simd, 2, touch->lanes, "is stored");
         vgpu_undefined_check_source(checked, op, simd, 3, touch->lanes, "is stored");
      } else if (!touch->atomic && touch->writes) {
         if (reads) {
            check_stored(op, simd, touch);
         }
         return;
      }
      vgpu_undefined_define(simd, &checked->writes, simd->exec);
      if (simd->worker->uniforms && !touch->writes && vgpu_checks_on(simd, VGPU_CHECK_BOUNDS)) {
         load_outside(op, simd, touch);
         vgpu_undefined_mark(simd, &checked->writes);
      }
      return;
   }
   if (!touch->writes && vgpu_undefined_reads_none(simd, touch)) {
      vgpu_undefined_define(simd, &checked->writes, simd->exec);
      return;
   }
   if (!touch->reads && !reads && vgpu_undefined_write_none(simd, touch)) {
      return;
   }
   const struct vgpu_propagation *propagation = simd->checks->owner->lanes->propagation;
   const bool passed = !touch->atomic && (touch->writes ? propagation->store : propagation->load)(op, simd, touch);
   for (uint32_t lanes = passed ? 0 : touch->lanes; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (touch->atomic) {
         atomic_bits(checked, op, simd, touch, lane);
      } else if (touch->writes) {
         store_bits(op, simd, touch, lane);
      } else {
         load_bits(op, simd, touch, lane);
      }
   }
   vgpu_undefined_mark(simd, &checked->writes);
}

/* ---- The instruction ---- */

/* A uniform that a preamble writes is as defined as the register that it comes from. */
static void uniform_store(const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   if (!simd->worker->uniforms_written || !simd->exec) {
      return;
   }
   for (unsigned i = 0; i < op->uniforms.count; i++) {
      uint32_t bits = vgpu_undefined_get(simd, op->dst.half + i, false, (unsigned)__builtin_ctz(simd->exec));
      simd->worker->uniforms_written[op->uniforms.first + i] = (uint16_t)~bits;
   }
}

bool vgpu_undefined_by_lane(const struct vgpu_checked_op *checked, const struct vgpu_op *op)
{
   return checked->definedness == VGPU_BITS_ANY || checked->definedness == VGPU_BITS_TRUTH ||
          checked->definedness == VGPU_BITS_CARRY ||
          (checked->definedness == VGPU_BITS_MOVE && op->insn->op != ISA_OP_SHUFFLE);
}

void vgpu_check_undefined(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd,
                          const struct vgpu_touch *touch)
{
   if (checked->definedness == VGPU_BITS_MEMORY) {
      memory(checked, op, simd, touch);
      return;
   }
   if (checked->definedness == VGPU_BITS_STAGE) {
      vgpu_check_undefined_stage(checked, op, simd);
      return;
   }
   if (op->insn->op == ISA_OP_UNIFORM_STORE) {
      uniform_store(op, simd);
   }
   bool reads = checked->unwritten || vgpu_halves_meet(&checked->reads, &simd->checks->undefined);
   if (checked->definedness == VGPU_BITS_BRANCH) {
      if (reads && branch_defined(checked, op, simd)) {
         vgpu_undefined_define(simd, &checked->writes, simd->launched_bits);
      } else if (reads) {
         branch(checked, op, simd);
      }
      return;
   }
   if (checked->definedness == VGPU_BITS_SWAPPED) {
      return;
   }
   if (checked->definedness == VGPU_BITS_SWAP && reads) {
      swap(checked, op, simd);
      return;
   }
   if (checked->definedness == VGPU_BITS_DEFINED || !reads) {
      vgpu_undefined_define(simd, &checked->writes, simd->exec);
      return;
   }
   if (vgpu_undefined_by_lane(checked, op) && reads_defined(checked, op, simd, simd->mask)) {
      vgpu_undefined_define(simd, &checked->writes, simd->exec);
      return;
   }
   switch (checked->definedness) {
   case VGPU_BITS_MOVE:
      move(checked, op, simd);
      break;
   case VGPU_BITS_BALLOT:
   case VGPU_BITS_LANES:
      across_lanes(checked, op, simd);
      break;
   default:
      simd->checks->owner->lanes->propagation->result(checked, op, simd);
      break;
   }
   vgpu_undefined_mark(simd, &checked->writes);
}
