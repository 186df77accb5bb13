/* SPDX-License-Identifier: MIT
 *
 * Checked ops: ops whose reads and writes the checks know. The run function of such an op checks, then executes the
 * op. For an instruction whose half registers have no marks, this costs a few comparisons of bitmaps.
 */
#include "vgpu/exec/checks/checks.h"

#include "vgpu/exec/checks/undefined.h"

#include <stdlib.h>
#include <string.h>

#include "isa/program.h"

/* X(operation, definedness, sources that are not data). What is not here is VGPU_BITS_ANY. The last three are not
 * executed: what they do is not known (spec/isa.md). */
/* clang-format off */
#define KINDS(X) \
   X(MOV_IMM, VGPU_BITS_DEFINED, 0) \
   X(GET_SR, VGPU_BITS_DEFINED, 0) \
   X(STACK_GET_PTR, VGPU_BITS_DEFINED, 0) \
   X(WAIT, VGPU_BITS_DEFINED, 0) \
   X(MEMORY_BARRIER, VGPU_BITS_DEFINED, 0) \
   X(UNIFORM_STORE, VGPU_BITS_DEFINED, 0) \
   X(TEXTURE_LOAD, VGPU_BITS_DEFINED, 0) \
   X(TEXTURE_SAMPLE, VGPU_BITS_DEFINED, 0) \
   X(IMAGE_WRITE, VGPU_BITS_DEFINED, 0) \
   X(BITOP, VGPU_BITS_TRUTH, 0) \
   X(IADD, VGPU_BITS_CARRY, 0) \
   X(IMADD, VGPU_BITS_CARRY, 0) \
   X(BFI, VGPU_BITS_MOVE, 1 << 2) \
   X(BFEIL, VGPU_BITS_MOVE, 1 << 2) \
   X(EXTR, VGPU_BITS_MOVE, 1 << 2) \
   X(SHLHI, VGPU_BITS_MOVE, 1 << 2) \
   X(SHRHI, VGPU_BITS_MOVE, 1 << 2) \
   X(ASR, VGPU_BITS_MOVE, 1 << 1) \
   X(ASRH, VGPU_BITS_MOVE, 1 << 1) \
   X(BITREV, VGPU_BITS_MOVE, 0) \
   X(INTL, VGPU_BITS_MOVE, 0) \
   X(SHUFFLE, VGPU_BITS_MOVE, 1 << 1) \
   X(ICMPSEL, VGPU_BITS_MOVE, 1 << 0 | 1 << 1) \
   X(FCMPSEL, VGPU_BITS_MOVE, 1 << 0 | 1 << 1) \
   X(ICMP_BALLOT, VGPU_BITS_BALLOT, 0) \
   X(FCMP_BALLOT, VGPU_BITS_BALLOT, 0) \
   X(REDUCE, VGPU_BITS_LANES, 0) \
   X(PREFIX, VGPU_BITS_LANES, 0) \
   X(MATRIX, VGPU_BITS_LANES, 0) \
   X(IF_ICMP, VGPU_BITS_BRANCH, 0) \
   X(ELSE_ICMP, VGPU_BITS_BRANCH, 0) \
   X(WHILE_ICMP, VGPU_BITS_BRANCH, 0) \
   X(IF_FCMP, VGPU_BITS_BRANCH, 0) \
   X(ELSE_FCMP, VGPU_BITS_BRANCH, 0) \
   X(WHILE_FCMP, VGPU_BITS_BRANCH, 0) \
   X(POP_EXEC, VGPU_BITS_BRANCH, 0) \
   X(LOAD, VGPU_BITS_MEMORY, 0) \
   X(STORE, VGPU_BITS_MEMORY, 0) \
   X(ATOMIC, VGPU_BITS_MEMORY, 0) \
   X(LLOAD, VGPU_BITS_MEMORY, 0) \
   X(LSTORE, VGPU_BITS_MEMORY, 0) \
   X(LATOMIC, VGPU_BITS_MEMORY, 0) \
   X(STACK_LOAD, VGPU_BITS_MEMORY, 0) \
   X(STACK_STORE, VGPU_BITS_MEMORY, 0) \
   X(STACK_ADJUST, VGPU_BITS_MEMORY, 0) \
   X(VARYING_STORE, VGPU_BITS_STAGE, 0) \
   X(ITER, VGPU_BITS_STAGE, 0) \
   X(ITER_PROJECTED, VGPU_BITS_STAGE, 0) \
   X(COEFFICIENT_LOAD, VGPU_BITS_STAGE, 0) \
   X(SAMPLE_MASK, VGPU_BITS_STAGE, 0) \
   X(ZS_EMIT, VGPU_BITS_STAGE, 0) \
   X(TILE_LOAD, VGPU_BITS_STAGE, 0) \
   X(TILE_STORE, VGPU_BITS_STAGE, 0) \
   X(IMAGE_WRITE_BLOCK, VGPU_BITS_DEFINED, 0) \
   X(PIXEL_ORDER, VGPU_BITS_DEFINED, 0) \
   X(VARYING_NONE, VGPU_BITS_DEFINED, 0) \
   X(ASYNC_LOAD, VGPU_BITS_ANY, 0) \
   X(ASYNC_STORE, VGPU_BITS_ANY, 0) \
   X(STATE_LOAD, VGPU_BITS_ANY, 0)
/* clang-format on */

static const struct {
   uint8_t definedness, controls;
} kinds[ISA_OP_COUNT] = {
#define KIND(op, ...) [ISA_OP_##op] = {__VA_ARGS__},
    KINDS(KIND)
#undef KIND
};

/* A memory instruction that KINDS does not list stops the build here. */
enum {
#define LISTED(op, ...) LISTED_##op,
   KINDS(LISTED)
#undef LISTED
};
#define NEEDED(op) _Static_assert(LISTED_##op >= 0, "KINDS lists each memory instruction");
ISA_MEMORY_OPS(NEEDED)
#undef NEEDED

/* ---- Running ---- */

/* The slow path. */
static __attribute__((noinline)) void check(const struct vgpu_checked_op *checked, const struct vgpu_op *op,
                                            struct vgpu_simd *simd)
{
   struct vgpu_touch touch;
   bool touches = checked->definedness == VGPU_BITS_MEMORY && simd->checks->owner->lanes->touch_of(op, simd, &touch);
#define LOOK(constant, bit, name, what)                                                                                \
   if (vgpu_checks_on(simd, bit)) {                                                                                    \
      vgpu_check_##name(checked, op, simd, touches ? &touch : NULL);                                                   \
   }
   VGPU_CHECKS(LOOK)
#undef LOOK
}

static bool is_marked(const struct vgpu_checked_op *checked, const struct vgpu_simd_checks *state)
{
   struct vgpu_halves marked;
   for (unsigned word = 0; word < VGPU_HALVES / 64; word++) {
      marked.bits[word] = state->undefined.bits[word] | state->pending[0].bits[word] | state->pending[1].bits[word] |
                          state->discarded.bits[word];
   }
   return vgpu_halves_meet(&checked->reads, &marked) || vgpu_halves_meet(&checked->writes, &marked);
}

static bool is_traced(const struct vgpu_simd *simd)
{
   return simd->worker->launch->trace != NULL;
}

static __attribute__((noinline)) void run_traced(const struct vgpu_checked_op *checked, const struct vgpu_op *op,
                                                 struct vgpu_simd *simd, unsigned masked)
{
   struct vgpu_touch touch;
   const bool touches =
       checked->definedness == VGPU_BITS_MEMORY && simd->checks->owner->lanes->touch_of(op, simd, &touch);
   struct vgpu_trace_entry *entry = vgpu_trace_before(op, simd, touches ? &touch : NULL);
   if (checked->always || is_marked(checked, simd->checks)) {
      check(checked, op, simd);
   }
   if (checked->run[masked]) {
      checked->run[masked](op, &simd, 1);
   }
   if (entry) {
      vgpu_trace_after(entry, op, simd);
   }
}

/* Whether nothing can be found in the row: what the lanes read there before they write it is defined, and no load or
 * discard waits for any of its registers. */
static bool is_row_clean(const struct vgpu_checked_op *checked, const struct vgpu_simd_checks *state)
{
   uint64_t bad = 0;
   for (unsigned word = 0; word < VGPU_HALVES / 64; word++) {
      const uint64_t reads = checked->row_reads.bits[word], writes = checked->row_writes.bits[word];
      const uint64_t waiting =
          state->pending[0].bits[word] | state->pending[1].bits[word] | state->discarded.bits[word];
      bad |= (reads & (state->undefined.bits[word] | waiting)) | (writes & waiting);
   }
   return bad == 0;
}

/* Executes the whole row if nothing can be found in it. */
static bool run_row(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *const *simds,
                    unsigned count, unsigned masked)
{
   struct vgpu_checks *checks = simds[0]->checks->owner;
   bool clean = true;
   for (unsigned i = 0; i < count; i++) {
      clean = clean && is_row_clean(checked, simds[i]->checks);
   }
   checks->row.simd = NULL;
   if (!clean) {
      return false;
   }
   for (unsigned i = 0; i < count; i++) {
      vgpu_undefined_define(simds[i], &checked->row_writes, simds[i]->exec);
   }
   for (uint32_t i = 0; i < checked->row; i++) {
      if (checked[i].run[masked]) {
         checked[i].run[masked](op + i, simds, count);
      }
   }
   checks->row.first = op;
   checks->row.end = op + checked->row;
   checks->row.simd = simds[0];
   return true;
}

/* Runs one simdgroup after the other if memory is accessed, because a check sees what the previous one has written. */
static void run(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count, unsigned masked)
{
   const struct vgpu_checks *checks = simds[0]->checks->owner;
   if (op > checks->row.first && op < checks->row.end && checks->row.simd == simds[0]) {
      return; /* executed with the first of the row */
   }
   const struct vgpu_checked_op *checked = vgpu_check_op(simds[0]->block->code, op);
   vgpu_run *run_op = checked->run[masked];
   if (is_traced(simds[0])) {
      for (unsigned i = 0; i < count; i++) {
         run_traced(checked, op, simds[i], masked);
      }
      return;
   }
   if (checked->row > 0 && run_row(checked, op, simds, count, masked)) {
      return;
   }
   if (checked->always && run_op) {
      for (unsigned i = 0; i < count; i++) {
         check(checked, op, simds[i]);
         run_op(op, &simds[i], 1);
      }
      return;
   }
   for (unsigned i = 0; i < count; i++) {
      if (checked->always || is_marked(checked, simds[i]->checks)) {
         check(checked, op, simds[i]);
      }
   }
   if (run_op) {
      run_op(op, simds, count);
   }
}

static void run_full(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)
{
   run(op, simds, count, 0);
}

static void run_masked(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)
{
   run(op, simds, count, 1);
}

/* ---- Binding ---- */

static void find_discards(const struct vgpu_op *op, struct vgpu_checked_op *checked)
{
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      const struct isa_operand *operand = &op->insn->src[n];
      if (operand->kind == ISA_REG && operand->discard) {
         unsigned count = operand->count ? operand->count : 1;
         vgpu_halves_add_range(&checked->discards, (unsigned)operand->value, count * (operand->size / 16u));
         checked->discarding = true;
      }
   }
}

/* Makes an op that computes the definedness of the result from the definedness of the data and the value of the other
 * sources. */
static void make_shadow(const struct vgpu_op *op, struct vgpu_checked_op *checked, uint32_t halves)
{
   uint32_t words = (halves + 1) / 2 * VGPU_LANES;
   checked->shadow = *op;
   checked->shadow.dst.vector += words;
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      struct vgpu_source *source = &checked->shadow.src[n];
      if (!source->size || checked->controls >> n & 1) {
         continue;
      }
      if (source->space == VGPU_REGISTERS) {
         source->vector += words;
      } else {
         *source = (struct vgpu_source){
             .space = VGPU_REGISTERS,
             .form = VGPU_WORD,
             .size = source->size,
             .vector = 2 * words + (checked->uniform[n] && checked->unwritten ? (2 + 2 * n) * VGPU_LANES : 0),
             .keep = UINT32_MAX};
      }
   }
}

static void set_hazard(struct vgpu_checked_op *checked, const char *hazard)
{
   if (!checked->hazard) {
      checked->hazard = hazard;
   }
}

/* Finds the uniforms that the instruction reads. Only a preamble writes uniforms, so those that are undefined when main
 * starts remain so. */
static void find_uniforms(const struct vgpu_launch *launch, bool preamble, const struct vgpu_op *op,
                          struct vgpu_checked_op *checked)
{
   checked->unwritten = false;
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      const struct isa_operand *operand = &op->insn->src[n];
      if (operand->kind != ISA_UNIFORM || op->src[n].space != VGPU_CONSTANTS || !op->src[n].size) {
         continue;
      }
      checked->uniform[n] = (uint16_t)(operand->value + 1);
      for (unsigned i = 0; i < operand->size / 16u; i++) {
         unsigned half = (unsigned)operand->value + i;
         checked->unwritten |= preamble || half >= AGX_UNIFORM_HALVES || launch->uniforms_written[half] != UINT16_MAX;
      }
   }
}

static void find_hazards(const struct vgpu_op *op, struct vgpu_checked_op *checked)
{
   bool device = op->insn->op == ISA_OP_LOAD || op->insn->op == ISA_OP_STORE;
   if (op->insn->op == ISA_OP_MATRIX && op->variant != 0) { /* vgpu_bind_matrix() */
      set_hazard(checked, "the matrix destination lies over A or B");
   }
   if (device && op->insn->mod[ISA_MOD_SHIFT] == 3) {
      set_hazard(checked, "the index has shift field 3, whose meaning is not known");
   }
   /* Mesa means 0, or 3: coherent. spec/isa.md 4.1. An atomic with the bits of another chip class is a hard fault. */
   if (device && (op->insn->mod[ISA_MOD_COHERENCY] == 1 || op->insn->mod[ISA_MOD_COHERENCY] == 2)) {
      set_hazard(checked, "the coherency bits are neither 0 nor 3, and what they mean is not known");
   }
}

struct vgpu_checked_op *vgpu_check_ops_create(size_t count)
{
   return calloc(count, sizeof(struct vgpu_checked_op));
}

/* Whether the instruction shifts by a count that only its execution tells. */
static bool is_shift(const struct isa_insn *insn)
{
   const unsigned n = insn->op == ISA_OP_ASR ? 1 : 2;
   return (insn->op == ISA_OP_BFI || insn->op == ISA_OP_BFEIL || insn->op == ISA_OP_ASR) &&
          (insn->src[n].kind == ISA_REG || insn->src[n].kind == ISA_UNIFORM);
}

/* Whether the op can be part of a row: what it does to definedness is known from what it reads and writes, in the lanes
 * that are active at the row's start. */
static bool fits_row(const struct vgpu_checked_op *checked, const struct vgpu_op *op)
{
   return !checked->always && !checked->async &&
          (checked->definedness == VGPU_BITS_DEFINED || vgpu_undefined_by_lane(checked, op)) &&
          vgpu_control_of((enum isa_op)op->insn->op) == VGPU_FALL;
}

/* Adds the op to the row that ends before it, or begins one. */
static void add_to_row(struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_checked_op **row)
{
   checked->row = 0;
   if (!fits_row(checked, op)) {
      *row = NULL;
      return;
   }
   if (!*row) {
      *row = checked;
      checked->row_reads = checked->row_writes = (struct vgpu_halves){{0}};
   }
   (*row)->row++;
   for (unsigned word = 0; word < VGPU_HALVES / 64; word++) {
      (*row)->row_reads.bits[word] |= checked->reads.bits[word] & ~(*row)->row_writes.bits[word];
      (*row)->row_writes.bits[word] |= checked->writes.bits[word];
   }
}

void vgpu_check_bound(const struct vgpu_code *code)
{
   for (const struct vgpu_block *block = code->blocks; block < code->blocks + code->block_count; block++) {
      struct vgpu_checked_op *row = NULL;
      for (uint32_t i = 0; i < block->count; i++) {
         add_to_row(vgpu_check_op(code, &block->ops[i]), &block->ops[i], &row);
      }
   }
}

/* What depends on the uniforms that the launch or the preamble has written. */
static void settle(struct vgpu_checked_op *checked, const struct vgpu_op *op, const struct vgpu_launch *launch,
                   bool preamble, uint32_t halves)
{
   if (launch->checks & VGPU_CHECK_UNDEFINED) {
      find_uniforms(launch, preamble, op, checked);
   }
   if (checked->definedness == VGPU_BITS_MOVE) {
      make_shadow(op, checked, halves);
   }
   checked->always = checked->hazard || checked->unwritten || checked->definedness == VGPU_BITS_MEMORY ||
                     checked->definedness == VGPU_BITS_STAGE || op->insn->op == ISA_OP_WAIT ||
                     op->insn->op == ISA_OP_UNIFORM_STORE || is_shift(op->insn) || checked->discarding;
}

void vgpu_check_rebind(const struct vgpu_code *code, const struct vgpu_launch *launch, bool preamble, uint32_t halves)
{
   static const uint16_t none[ISA_MAX_SOURCES];
   bool changed = false;
   for (uint32_t i = 0; i < code->op_count; i++) {
      if (memcmp(code->checked[i].uniform, none, sizeof(none)) != 0) {
         const bool before = code->checked[i].always;
         settle(&code->checked[i], &code->ops[i], launch, preamble, halves);
         changed |= code->checked[i].always != before;
      }
   }
   if (changed) {
      vgpu_check_bound(code);
   }
}

/* Whether it is an xor of two whole registers, of which it writes one. */
static bool is_xor_into(const struct vgpu_op *op, int64_t target, int64_t other)
{
   const struct isa_operand *src = op->insn->src;
   return op->insn->op == ISA_OP_BITOP && (op->insn->mod[ISA_MOD_TRUTH] & 15) == 6 && op->dst.half == target &&
          src[0].kind == ISA_REG && src[1].kind == ISA_REG && src[0].size == op->dst.size &&
          src[1].size == op->dst.size &&
          ((src[0].value == target && src[1].value == other) || (src[0].value == other && src[1].value == target));
}

/* Mesa's register allocator lets two registers change places by a ^= b, b ^= a, a ^= b. Bit by bit each xor would be
 * undefined where one of the registers is. */
static void find_swap(const struct vgpu_binder *binder, const struct vgpu_op *op)
{
   if (op - binder->first < 2) {
      return;
   }
   const int64_t a = op->dst.half, b = op[-1].dst.half;
   struct vgpu_checked_op *last = vgpu_check_op(binder->code, op);
   if (a != b && last[-2].definedness == VGPU_BITS_TRUTH && is_xor_into(op, a, b) && is_xor_into(op - 1, b, a) &&
       is_xor_into(op - 2, a, b)) {
      last[-2].definedness = VGPU_BITS_SWAP;
      last[-1].definedness = VGPU_BITS_SWAPPED;
      last->definedness = VGPU_BITS_SWAPPED;
   }
}

void vgpu_check_bind(const struct vgpu_binder *binder, struct vgpu_op *op)
{
   struct vgpu_checked_op *checked = vgpu_check_op(binder->code, op);
   const struct isa_insn *insn = op->insn;
   *checked = (struct vgpu_checked_op){
       .run = {op->run[0], op->run[1]},
       .definedness = kinds[insn->op].definedness,
       .controls = kinds[insn->op].controls,
       .async = isa_is_async(insn) && op->dst.present && !vgpu_op_reads_dst(op),
       .slot = (uint8_t)(insn->mod[ISA_MOD_SLOT] & 1),
   };
   vgpu_op_registers(op, &checked->reads, &checked->writes);
   find_discards(op, checked);
   if (binder->launch->checks & VGPU_CHECK_HAZARDS) {
      find_hazards(op, checked);
   }
   settle(checked, op, binder->launch, binder->preamble, binder->half_registers);
   find_swap(binder, op);
   if (vgpu_control_of((enum isa_op)insn->op) == VGPU_FALL) {
      op->run[0] = run_full;
      op->run[1] = run_masked;
   }
}
