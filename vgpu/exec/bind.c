/* SPDX-License-Identifier: MIT
 *
 * Turns a decoded instruction into one that can be executed: operands become lane vectors, numbers are placed where
 * the handlers read them, and what cannot be executed is refused with a reason.
 */
#include "vgpu/exec/bind.h"

#include "isa/formats.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/semantics.h"
#include "util/array.h"

/* ---- Operands ---- */

void vgpu_refuse(struct vgpu_binder *b, const char *reason)
{
   if (!b->refusal) {
      b->refusal = reason;
   }
}

bool vgpu_bind_allocated(struct vgpu_binder *b, int32_t half, unsigned count)
{
   if (half < 0 || (uint32_t)half + count > b->half_registers) {
      vgpu_refuse(b, "a register beyond those that the launch allocates");
      return false;
   }
   return true;
}

static bool same_constant(const struct vgpu_constant *a, const struct vgpu_constant *b)
{
   return a->kind == b->kind && a->size == b->size && a->real == b->real && a->sx == b->sx && a->abs == b->abs &&
          a->neg == b->neg && a->value == b->value;
}

/* The lane vector of a constant, in words from the first. */
static uint32_t constant_vector(struct vgpu_binder *b, const struct vgpu_constant *wanted)
{
   struct vgpu_code *code = b->code;
   uint32_t vector = 0;
   for (uint32_t i = 0; i < code->constant_count; i++) {
      if (same_constant(&code->constants[i], wanted)) {
         return vector * VGPU_LANES;
      }
      vector += code->constants[i].size == 64 ? 2 : 1;
   }
   if (!ARRAY_RESERVE(code->constants, code->constant_capacity, code->constant_count + 1)) {
      b->out_of_memory = true;
      return 0;
   }
   code->constants[code->constant_count++] = *wanted;
   code->vector_count += wanted->size == 64 ? 2 : 1;
   return vector * VGPU_LANES;
}

static uint8_t register_form(const struct isa_operand *operand, enum vgpu_reading reading)
{
   bool high = operand->value & 1;
   if (operand->size != 16) {
      return VGPU_WORD;
   }
   if (reading == VGPU_REAL) {
      return high ? VGPU_HIGH_FLOAT : VGPU_LOW_FLOAT;
   }
   if (reading == VGPU_SIGNED || (reading == VGPU_INTEGER && operand->sx)) {
      return high ? VGPU_HIGH_SIGNED : VGPU_LOW_SIGNED;
   }
   return high ? VGPU_HIGH : VGPU_LOW;
}

void vgpu_bind_source(struct vgpu_binder *b, struct vgpu_source *source, const struct isa_operand *operand,
                      enum vgpu_reading reading)
{
   bool sx = reading == VGPU_SIGNED || (reading == VGPU_INTEGER && operand->sx);
   *source = (struct vgpu_source){.form = VGPU_WORD, .size = operand->size, .sx = sx, .keep = UINT32_MAX};
   switch (operand->kind) {
   case ISA_REG:
      if (vgpu_bind_allocated(b, operand->value, operand->size / 16u)) {
         source->space = VGPU_REGISTERS;
         source->vector = (uint32_t)operand->value / 2 * VGPU_LANES;
         source->form = register_form(operand, reading);
         if (reading == VGPU_REAL) {
            source->keep = operand->abs ? 0x7fffffffu : UINT32_MAX;
            source->flip = operand->neg ? 0x80000000u : 0;
         }
      }
      return;
   case ISA_IMM:
   case ISA_FLOAT_IMM:
   case ISA_UNIFORM: {
      struct vgpu_constant constant = {.kind = operand->kind,
                                       .size = operand->size,
                                       .real = reading == VGPU_REAL,
                                       .sx = sx,
                                       .value = operand->value};
      if (reading == VGPU_REAL) {
         constant.abs = operand->abs;
         constant.neg = operand->neg;
      }
      source->space = VGPU_CONSTANTS;
      source->vector = constant_vector(b, &constant);
      return;
   }
   default:
      vgpu_refuse(b, "an operand that compute programs do not have");
   }
}

void vgpu_bind_own_source(struct vgpu_binder *b, struct vgpu_op *op, unsigned n, enum vgpu_reading reading)
{
   vgpu_bind_source(b, &op->src[n], &op->insn->src[n], reading);
}

void vgpu_bind_dest(struct vgpu_binder *b, struct vgpu_dest *dest, const struct isa_operand *operand)
{
   if (operand->kind != ISA_REG) {
      vgpu_refuse(b, "a destination that compute programs do not have");
      return;
   }
   unsigned count = operand->count ? operand->count : 1;
   if (vgpu_bind_allocated(b, operand->value, count * (operand->size / 16u))) {
      dest->present = true;
      dest->size = operand->size;
      dest->half = (uint16_t)operand->value;
      dest->vector = (uint32_t)operand->value / 2 * VGPU_LANES;
      dest->form = operand->size != 16 ? VGPU_WORD : operand->value & 1 ? VGPU_HIGH : VGPU_LOW;
   }
}

void vgpu_bind_own_dest(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_dest(b, &op->dst, &op->insn->dst);
}

/* Binds dst and all sources of the instruction. */
static void operands(struct vgpu_binder *b, struct vgpu_op *op, enum vgpu_reading reading)
{
   vgpu_bind_own_dest(b, op);
   for (unsigned n = 0; n < ISA_MAX_SOURCES && op->insn->src[n].kind != ISA_NONE; n++) {
      vgpu_bind_own_source(b, op, n, reading);
   }
}

uint32_t vgpu_bind_mod(const struct vgpu_op *op, enum isa_mod which)
{
   return (uint32_t)op->insn->mod[which];
}

/* ---- Bindings: each returns the handler's variant ---- */

static unsigned vgpu_bind_nothing(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)b, (void)op;
   return 0;
}

static unsigned vgpu_bind_call(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)op;
   vgpu_bind_allocated(b, 2, 2); /* r1, the link register */
   return 0;
}

static unsigned vgpu_bind_helper(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)op;
   vgpu_refuse(b, "an instruction of the scratch helper program");
   return 0;
}

static unsigned vgpu_bind_not_understood(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)op;
   vgpu_refuse(b, "an instruction whose effect is not known");
   return 0;
}

static unsigned vgpu_bind_trap(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)op;
   vgpu_refuse(b, "a trap");
   return 0;
}

static unsigned vgpu_bind_raw(struct vgpu_binder *b, struct vgpu_op *op)
{
   operands(b, op, VGPU_RAW);
   return 0;
}

static unsigned vgpu_bind_mov_imm(struct vgpu_binder *b, struct vgpu_op *op)
{
   return vgpu_bind_raw(b, op);
}

static unsigned vgpu_bind_get_sr(struct vgpu_binder *b, struct vgpu_op *op)
{
   /* Registers whose meaning is known, and which are not specific to the helper program: spec/isa.md 1.7. */
   static const uint8_t numbers[] = {0,  1,  2,  4,  5,  6,  8,  9,  10, 12, 13, 14, 20, 21, 48, 49,
                                     50, 51, 52, 53, 56, 57, 58, 59, 60, 62, 63, 80, 81, 82, 124};
   op->special.number = (uint32_t)op->insn->src[0].value;
   vgpu_bind_own_dest(b, op);
   if (op->special.number > UINT8_MAX || !memchr(numbers, (int)op->special.number, sizeof(numbers))) {
      vgpu_refuse(b, "a special register that is not known in compute programs");
   }
   bool in_group = op->special.number >= 48 && op->special.number <= 50,
        in_grid = op->special.number >= 80 && op->special.number <= 82;
   if (!in_group && !in_grid) {
      return 0;
   }
   op->special.in_grid = in_grid;
   op->special.axis = op->special.number - (in_grid ? 80 : 48);
   return 1;
}

/* Selects the variant of iadd and imadd by negation and shift of the last addend, and saturation. wide: an operand is
 * too wide for saturation. */
static unsigned addend(struct vgpu_op *op, bool wide)
{
   uint32_t shift = vgpu_bind_mod(op, ISA_MOD_SHIFT);
   op->negate = vgpu_bind_mod(op, ISA_MOD_NEGATE);
   op->addend.shift = shift > 4 ? 0 : shift;
   op->addend.keep = shift > 4 ? 0 : UINT32_MAX;
   if (vgpu_bind_mod(op, ISA_MOD_SATURATE) && shift == 0 && !wide && op->dst.size <= 32) {
      for (unsigned n = 0; n < 3; n++) {
         op->addend.is_signed |= op->insn->src[n].sx; /* also for immediates */
      }
      return 2;
   }
   return op->dst.size == 64 ? 1 : 0;
}

static unsigned vgpu_bind_iadd(struct vgpu_binder *b, struct vgpu_op *op)
{
   operands(b, op, VGPU_INTEGER);
   return addend(op, op->src[0].size == 64 || op->src[1].size == 64);
}

static unsigned vgpu_bind_imadd(struct vgpu_binder *b, struct vgpu_op *op)
{
   operands(b, op, VGPU_INTEGER);
   return addend(op, op->src[2].size == 64);
}

static unsigned vgpu_bind_bitop(struct vgpu_binder *b, struct vgpu_op *op)
{
   operands(b, op, VGPU_RAW);
   return vgpu_bind_mod(op, ISA_MOD_TRUTH) & 15;
}

static unsigned vgpu_bind_shift(struct vgpu_binder *b, struct vgpu_op *op)
{
   uint32_t bits = vgpu_bind_mod(op, ISA_MOD_BITS) & 31;
   op->bits.mask = bits ? (1u << bits) - 1 : UINT32_MAX;
   operands(b, op, VGPU_RAW);
   return 0;
}

static unsigned vgpu_bind_asr(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_dest(b, op);
   vgpu_bind_own_source(b, op, 0, VGPU_SIGNED);
   vgpu_bind_own_source(b, op, 1, VGPU_RAW);
   return 0;
}

static unsigned vgpu_bind_convert(struct vgpu_binder *b, struct vgpu_op *op)
{
   /* by mode, spec/isa.md 2.5, in the handlers' order of vgpu/exec/semantics.h; -1: not known */
   static const int8_t variants[12] = {0, 1, -1, -1, 2, 3, 4, 5, 6, 7, 8, 9};
   uint32_t mode = vgpu_bind_mod(op, ISA_MOD_CONVERT);
   op->convert.round = vgpu_bind_mod(op, ISA_MOD_ROUND);
   if (mode >= sizeof(variants) || variants[mode] < 0 || op->convert.round > 1) {
      vgpu_refuse(b, "a conversion whose meaning is not known");
      return 0;
   }
   bool from_float = mode == 4 || mode == 5 || mode == 8 || mode == 9;
   vgpu_bind_own_dest(b, op);
   vgpu_bind_own_source(b, op, 0, from_float ? VGPU_REAL : VGPU_RAW);
   return (unsigned)variants[mode];
}

static unsigned vgpu_bind_real(struct vgpu_binder *b, struct vgpu_op *op)
{
   operands(b, op, VGPU_REAL);
   op->saturate = vgpu_bind_mod(op, ISA_MOD_SATURATE);
   return 0;
}

static unsigned vgpu_bind_icmpsel(struct vgpu_binder *b, struct vgpu_op *op)
{
   static const int8_t variants[8] = {0, 1, 2, -1, 0, 3, 4, -1}; /* by enum isa_icond */
   uint32_t condition = vgpu_bind_mod(op, ISA_MOD_COND) & 7;
   if (variants[condition] < 0) {
      vgpu_refuse(b, "a condition whose meaning is not known");
      return 0;
   }
   vgpu_bind_own_dest(b, op);
   vgpu_bind_own_source(b, op, 0, condition >= ISA_SEQ ? VGPU_SIGNED : VGPU_RAW);
   vgpu_bind_own_source(b, op, 1, condition >= ISA_SEQ ? VGPU_SIGNED : VGPU_RAW);
   vgpu_bind_own_source(b, op, 2, VGPU_RAW);
   vgpu_bind_own_source(b, op, 3, VGPU_RAW);
   return (unsigned)variants[condition];
}

static unsigned vgpu_bind_fcmpsel(struct vgpu_binder *b, struct vgpu_op *op)
{
   static const int8_t variants[8] = {0, 1, 2, 3, -1, 4, 5, 6}; /* by enum isa_fcond */
   uint32_t condition = vgpu_bind_mod(op, ISA_MOD_COND) & 7;
   if (variants[condition] < 0) {
      vgpu_refuse(b, "a condition whose meaning is not known");
      return 0;
   }
   vgpu_bind_own_dest(b, op);
   vgpu_bind_own_source(b, op, 0, VGPU_REAL);
   vgpu_bind_own_source(b, op, 1, VGPU_REAL);
   vgpu_bind_own_source(b, op, 2, VGPU_RAW);
   vgpu_bind_own_source(b, op, 3, VGPU_RAW);
   return (unsigned)variants[condition];
}

/* Exec stack and ballots. */
static unsigned compare(struct vgpu_binder *b, struct vgpu_op *op, enum vgpu_reading reading, uint32_t unknown)
{
   op->compare.condition = vgpu_bind_mod(op, ISA_MOD_COND) & 7;
   op->compare.invert = vgpu_bind_mod(op, ISA_MOD_INVERT);
   if (unknown >> op->compare.condition & 1) {
      vgpu_refuse(b, "a condition whose meaning is not known");
      return 0;
   }
   vgpu_bind_own_source(b, op, 0, reading);
   vgpu_bind_own_source(b, op, 1, reading);
   if (op->insn->op == ISA_OP_ICMP_BALLOT || op->insn->op == ISA_OP_FCMP_BALLOT) {
      vgpu_bind_own_dest(b, op);
      op->compare.quad = vgpu_bind_mod(op, ISA_MOD_QUAD);
   } else {
      op->compare.nest = vgpu_bind_mod(op, ISA_MOD_NEST);
   }
   return 0;
}

static unsigned vgpu_bind_icompare(struct vgpu_binder *b, struct vgpu_op *op)
{
   return compare(b, op, (vgpu_bind_mod(op, ISA_MOD_COND) & 7) >= ISA_SEQ ? VGPU_SIGNED : VGPU_RAW, 1u << 3 | 1u << 7);
}

static unsigned vgpu_bind_fcompare(struct vgpu_binder *b, struct vgpu_op *op)
{
   return compare(b, op, VGPU_REAL, 1u << 4);
}

static unsigned vgpu_bind_pop_exec(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)b;
   op->compare.nest = vgpu_bind_mod(op, ISA_MOD_NEST);
   return 0;
}

static unsigned vgpu_bind_call_register(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_source(b, op, 0, VGPU_RAW);
   return vgpu_bind_call(b, op);
}

static unsigned vgpu_bind_return(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_source(b, op, 0, VGPU_RAW);
   return 0;
}

static unsigned vgpu_bind_shuffle(struct vgpu_binder *b, struct vgpu_op *op)
{
   op->shuffle.mode = vgpu_bind_mod(op, ISA_MOD_SHUFFLE);
   op->shuffle.rotate = vgpu_bind_mod(op, ISA_MOD_ROTATE);
   operands(b, op, VGPU_RAW);
   return vgpu_bind_mod(op, ISA_MOD_QUAD) ? 1 : 0;
}

/* Whether the register pair of D overlaps that of a factor. */
static bool matrix_overlaps(const struct isa_insn *insn, const struct isa_operand *factor)
{
   const struct isa_operand *d = &insn->dst;
   return d->kind == ISA_REG && factor->kind == ISA_REG && d->value < factor->value + 2 * (factor->size / 16) &&
          factor->value < d->value + 2 * (d->size / 16);
}

/* Variant 1: D overlaps A or B. */
static unsigned vgpu_bind_matrix(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_dest(b, op);
   for (unsigned n = 0; n < 3; n++) {
      struct isa_operand second = op->insn->src[n];
      vgpu_bind_own_source(b, op, n, VGPU_REAL);
      if (second.kind == ISA_REG || second.kind == ISA_UNIFORM) {
         second.value += second.size / 16;
      }
      vgpu_bind_source(b, &op->src[n + 3], &second, VGPU_REAL);
   }
   return matrix_overlaps(op->insn, &op->insn->src[0]) || matrix_overlaps(op->insn, &op->insn->src[1]) ? 1 : 0;
}

/* An immediate has no size in the machine code: spec/isa.md 2.0. */
static unsigned vgpu_bind_reduce(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_operand *from = op->insn->src[0].kind == ISA_IMM ? &op->insn->dst : &op->insn->src[0];

   op->reduce.operation = vgpu_bind_mod(op, ISA_MOD_REDUCE);
   op->reduce.bits = from->size == 16 ? 16 : 32;
   op->reduce.quad = vgpu_bind_mod(op, ISA_MOD_QUAD);
   operands(b, op, VGPU_RAW);
   return 0;
}

/* ---- The table ---- */

#define ROW(operation, name, kind, trait, ...)                                                                         \
   [ISA_OP_##operation] = {.bind = vgpu_bind_##name, .control = VGPU_##kind, .traits = VGPU_##trait},
#define COUNT(...) +1

static const struct {
   vgpu_binding *bind;
   uint8_t control, traits;
} semantics[] = {VGPU_SEMANTICS(ROW)};
/* There are as many rows as operations, and no operation has two (-Woverride-init), so none is missing. */
_Static_assert(0 VGPU_SEMANTICS(COUNT) == ISA_OP_COUNT, "an operation without a row in vgpu/exec/semantics.h");

unsigned vgpu_control_of(enum isa_op op)
{
   return semantics[op].control;
}

unsigned vgpu_traits_of(enum isa_op op)
{
   return semantics[op].traits;
}

static bool general(const struct vgpu_op *op)
{
   bool plain = op->dst.form == VGPU_WORD && !op->saturate;
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      const struct vgpu_source *source = &op->src[n];
      plain = plain && source->form == VGPU_WORD && source->flip == 0 && (source->keep == UINT32_MAX || !source->size);
   }
   return !plain;
}

void vgpu_bind(struct vgpu_binder *b, const struct isa_insn *insn, uint64_t address, struct vgpu_op *op)
{
   *op = (struct vgpu_op){.insn = insn, .address = address};
   b->refusal = NULL;
   unsigned variant = semantics[insn->op].bind(b, op);
   unsigned shape = general(op) ? VGPU_GENERAL : 0;
   const struct vgpu_handler *handler = b->level->handlers[insn->op][b->refusal ? 0 : variant];
   op->variant = (uint8_t)variant;
   op->shape = (uint8_t)shape;
   op->run[0] = handler->run[shape];
   op->run[1] = handler->run[shape | VGPU_MASKED];
}

/* ---- The registers of an op ---- */

static unsigned first_half(const struct vgpu_source *source)
{
   bool high = source->form == VGPU_HIGH || source->form == VGPU_HIGH_SIGNED || source->form == VGPU_HIGH_FLOAT;
   return source->vector / VGPU_LANES * 2 + high;
}

bool vgpu_op_reads_dst(const struct vgpu_op *op)
{
   return op->insn->op == ISA_OP_STORE || op->insn->op == ISA_OP_LSTORE || op->insn->op == ISA_OP_STACK_STORE ||
          op->insn->op == ISA_OP_UNIFORM_STORE || op->insn->op == ISA_OP_IMAGE_WRITE ||
          op->insn->op == ISA_OP_TILE_STORE;
}

unsigned vgpu_op_dst_elements(const struct vgpu_op *op)
{
   switch (op->insn->op) {
   case ISA_OP_LOAD:
   case ISA_OP_STORE:
   case ISA_OP_LLOAD:
   case ISA_OP_LSTORE:
   case ISA_OP_STACK_LOAD:
   case ISA_OP_STACK_STORE:
   case ISA_OP_TILE_LOAD:
   case ISA_OP_TILE_STORE: {
      unsigned components = isa_formats[op->memory.format].components;
      return components ? components : (unsigned)__builtin_popcount(op->memory.mask);
   }
   case ISA_OP_UNIFORM_STORE:
      return op->uniforms.count;
   case ISA_OP_TEXTURE_LOAD:
   case ISA_OP_TEXTURE_SAMPLE:
   case ISA_OP_IMAGE_WRITE:
      return (unsigned)__builtin_popcount(op->image.mask);
   case ISA_OP_MATRIX:
      return 2;
   case ISA_OP_ITER:
   case ISA_OP_ITER_PROJECTED:
   case ISA_OP_COEFFICIENT_LOAD:
      return op->insn->dst.count;
   default:
      return 1;
   }
}

void vgpu_op_registers(const struct vgpu_op *op, struct vgpu_halves *reads, struct vgpu_halves *writes)
{
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      const struct vgpu_source *source = &op->src[n];
      if (source->size && source->space == VGPU_REGISTERS) {
         vgpu_halves_add_range(reads, first_half(source), source->size / 16u);
      }
   }
   if (op->dst.present) {
      vgpu_halves_add_range(vgpu_op_reads_dst(op) ? reads : writes, op->dst.half,
                            vgpu_op_dst_elements(op) * (op->dst.size / 16u));
   }
   vgpu_image_registers(op, reads);
   vgpu_stage_registers(op, reads);
   const struct isa_implicit implicit = isa_implicit(op->insn);
   vgpu_halves_add_range(writes, implicit.first, implicit.halves);
   if (implicit.read) {
      vgpu_halves_add_range(reads, implicit.first, implicit.halves);
   }
}
