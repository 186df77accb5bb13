/* SPDX-License-Identifier: MIT
 *
 * From a decoded instruction to one that can be run: operands become rows, numbers go where the handlers look for
 * them, and what cannot be run is refused with a reason.
 */
#include "vgpu/code.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/format.h"
#include "vgpu/semantics.h"

/* ---- Operands ---- */

enum reading {
   RAW,     /* zero-extended */
   INTEGER, /* by the operand's own sx */
   SIGNED,  /* sign-extended from the operand's size */
   REAL,    /* as f32, with modifiers */
};

static void refuse(struct vgpu_binder *b, const char *reason)
{
   if (!b->refusal) {
      b->refusal = reason;
   }
}

/* Whether halves [half, half + count) are allocated. */
static bool allocated(struct vgpu_binder *b, int32_t half, unsigned count)
{
   if (half < 0 || (uint32_t)half + count > b->half_registers) {
      refuse(b, "a register beyond those that the launch allocates");
      return false;
   }
   return true;
}

static bool same_constant(const struct vgpu_constant *a, const struct vgpu_constant *b)
{
   return a->kind == b->kind && a->size == b->size && a->real == b->real && a->sx == b->sx && a->abs == b->abs &&
          a->neg == b->neg && a->value == b->value;
}

/* The row of a constant, in words. */
static uint32_t constant_row(struct vgpu_binder *b, const struct vgpu_constant *wanted)
{
   struct vgpu_code *code = b->code;
   uint32_t row = 0;
   for (uint32_t i = 0; i < code->constant_count; i++) {
      if (same_constant(&code->constants[i], wanted)) {
         return row * VGPU_LANES;
      }
      row += code->constants[i].size == 64 ? 2 : 1;
   }
   if (code->constant_count == code->constant_capacity) {
      uint32_t capacity = code->constant_capacity * 2 + 16;
      struct vgpu_constant *grown = realloc(code->constants, capacity * sizeof(*grown));
      if (!grown) {
         b->out_of_memory = true;
         return 0;
      }
      code->constants = grown;
      code->constant_capacity = capacity;
   }
   code->constants[code->constant_count++] = *wanted;
   code->row_count += wanted->size == 64 ? 2 : 1;
   return row * VGPU_LANES;
}

static uint8_t register_form(const struct isa_operand *operand, enum reading reading)
{
   bool high = operand->value & 1;
   if (operand->size != 16) {
      return VGPU_WORD;
   }
   if (reading == REAL) {
      return high ? VGPU_HIGH_FLOAT : VGPU_LOW_FLOAT;
   }
   if (reading == SIGNED || (reading == INTEGER && operand->sx)) {
      return high ? VGPU_HIGH_SIGNED : VGPU_LOW_SIGNED;
   }
   return high ? VGPU_HIGH : VGPU_LOW;
}

static void source_as(struct vgpu_binder *b, struct vgpu_source *source, const struct isa_operand *operand,
                      enum reading reading)
{
   bool sx = reading == SIGNED || (reading == INTEGER && operand->sx);
   *source = (struct vgpu_source){.form = VGPU_WORD, .size = operand->size, .sx = sx, .keep = UINT32_MAX};
   switch (operand->kind) {
   case ISA_REG:
      if (allocated(b, operand->value, operand->size / 16u)) {
         source->space = VGPU_REGISTERS;
         source->row = (uint32_t)operand->value / 2 * VGPU_LANES;
         source->form = register_form(operand, reading);
         if (reading == REAL) {
            source->keep = operand->abs ? 0x7fffffffu : UINT32_MAX;
            source->flip = operand->neg ? 0x80000000u : 0;
         }
      }
      return;
   case ISA_IMM:
   case ISA_FLOAT_IMM:
   case ISA_UNIFORM: {
      struct vgpu_constant constant = {
          .kind = operand->kind, .size = operand->size, .real = reading == REAL, .sx = sx, .value = operand->value};
      if (reading == REAL) {
         constant.abs = operand->abs;
         constant.neg = operand->neg;
      }
      source->space = VGPU_CONSTANTS;
      source->row = constant_row(b, &constant);
      return;
   }
   default:
      refuse(b, "an operand that compute programs do not have");
   }
}

static void source(struct vgpu_binder *b, struct vgpu_op *op, unsigned n, enum reading reading)
{
   source_as(b, &op->src[n], &op->insn->src[n], reading);
}

static void dest_as(struct vgpu_binder *b, struct vgpu_dest *dest, const struct isa_operand *operand)
{
   if (operand->kind != ISA_REG) {
      refuse(b, "a destination that compute programs do not have");
      return;
   }
   unsigned count = operand->count ? operand->count : 1;
   if (allocated(b, operand->value, count * (operand->size / 16u))) {
      dest->present = true;
      dest->size = operand->size;
      dest->half = (uint16_t)operand->value;
      dest->row = (uint32_t)operand->value / 2 * VGPU_LANES;
      dest->form = operand->size != 16 ? VGPU_WORD : operand->value & 1 ? VGPU_HIGH : VGPU_LOW;
   }
}

static void dest(struct vgpu_binder *b, struct vgpu_op *op)
{
   dest_as(b, &op->dst, &op->insn->dst);
}

/* dst and all sources that the instruction has. */
static void operands(struct vgpu_binder *b, struct vgpu_op *op, enum reading reading)
{
   dest(b, op);
   for (unsigned n = 0; n < ISA_MAX_SOURCES && op->insn->src[n].kind != ISA_NONE; n++) {
      source(b, op, n, reading);
   }
}

static uint32_t mod(const struct vgpu_op *op, enum isa_mod which)
{
   return (uint32_t)op->insn->mod[which];
}

/* ---- Bindings: each returns the handler's variant ---- */

typedef unsigned binding(struct vgpu_binder *b, struct vgpu_op *op);

static unsigned bind_nothing(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)b, (void)op;
   return 0;
}

static unsigned bind_call(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)op;
   allocated(b, 2, 2); /* r1, the link register */
   return 0;
}

static unsigned bind_graphics(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)op;
   refuse(b, "an instruction that is not for compute programs, or that the virtual GPU lacks");
   return 0;
}

static unsigned bind_helper(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)op;
   refuse(b, "an instruction of the scratch helper program");
   return 0;
}

static unsigned bind_not_understood(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)op;
   refuse(b, "an instruction whose effect is not known");
   return 0;
}

static unsigned bind_trap(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)op;
   refuse(b, "a trap");
   return 0;
}

static unsigned bind_raw(struct vgpu_binder *b, struct vgpu_op *op)
{
   operands(b, op, RAW);
   return 0;
}

static unsigned bind_mov_imm(struct vgpu_binder *b, struct vgpu_op *op)
{
   return bind_raw(b, op);
}

static unsigned bind_get_sr(struct vgpu_binder *b, struct vgpu_op *op)
{
   /* Known, and not of the helper program or of fragments with meaning only there: spec/isa.md 1.7. */
   static const uint8_t numbers[] = {0,  1,  2,  4,  5,  6,  8,  9,  10, 12, 13, 14, 20, 21, 48, 49,
                                     50, 51, 52, 53, 56, 57, 58, 59, 60, 62, 63, 80, 81, 82, 124};
   op->a = (uint32_t)op->insn->src[0].value;
   dest(b, op);
   if (op->a > UINT8_MAX || !memchr(numbers, (int)op->a, sizeof(numbers))) {
      refuse(b, "a special register that is not known in compute programs");
   }
   return 0;
}

/* The last addend's negation and shift, saturation: which variant of iadd and imadd. wide: some operand rules
 * saturation out. */
static unsigned addend(struct vgpu_op *op, bool wide)
{
   uint32_t shift = mod(op, ISA_MOD_SHIFT);
   op->negate = mod(op, ISA_MOD_NEGATE);
   op->a = shift > 4 ? 0 : shift;
   op->b = shift > 4 ? 0 : UINT32_MAX;
   if (mod(op, ISA_MOD_SATURATE) && shift == 0 && !wide && op->dst.size <= 32) {
      for (unsigned n = 0; n < 3; n++) {
         op->c |= op->insn->src[n].sx; /* of immediates too */
      }
      return 2;
   }
   return op->dst.size == 64 ? 1 : 0;
}

static unsigned bind_iadd(struct vgpu_binder *b, struct vgpu_op *op)
{
   operands(b, op, INTEGER);
   return addend(op, op->src[0].size == 64 || op->src[1].size == 64);
}

static unsigned bind_imadd(struct vgpu_binder *b, struct vgpu_op *op)
{
   operands(b, op, INTEGER);
   return addend(op, op->src[2].size == 64);
}

static unsigned bind_bitop(struct vgpu_binder *b, struct vgpu_op *op)
{
   operands(b, op, RAW);
   return mod(op, ISA_MOD_TRUTH) & 15;
}

static unsigned bind_shift(struct vgpu_binder *b, struct vgpu_op *op)
{
   uint32_t bits = mod(op, ISA_MOD_BITS) & 31;
   op->a = bits ? (1u << bits) - 1 : UINT32_MAX;
   operands(b, op, RAW);
   return 0;
}

static unsigned bind_asr(struct vgpu_binder *b, struct vgpu_op *op)
{
   dest(b, op);
   source(b, op, 0, SIGNED);
   source(b, op, 1, RAW);
   return 0;
}

static unsigned bind_convert(struct vgpu_binder *b, struct vgpu_op *op)
{
   /* By mode, spec/isa.md 2.5: the handlers' order in vgpu/semantics.h; -1 is not known. */
   static const int8_t variants[12] = {0, 1, -1, -1, 2, 3, 4, 5, 6, 7, 8, 9};
   uint32_t mode = mod(op, ISA_MOD_CONVERT);
   op->a = mod(op, ISA_MOD_ROUND);
   if (mode >= sizeof(variants) || variants[mode] < 0 || op->a > 1) {
      refuse(b, "a conversion whose meaning is not known");
      return 0;
   }
   bool from_float = mode == 4 || mode == 5 || mode == 8 || mode == 9;
   dest(b, op);
   source(b, op, 0, from_float ? REAL : RAW);
   return (unsigned)variants[mode];
}

static unsigned bind_real(struct vgpu_binder *b, struct vgpu_op *op)
{
   operands(b, op, REAL);
   op->saturate = mod(op, ISA_MOD_SATURATE);
   return 0;
}

static unsigned bind_icmpsel(struct vgpu_binder *b, struct vgpu_op *op)
{
   static const int8_t variants[8] = {0, 1, 2, -1, 0, 3, 4, -1}; /* by enum isa_icond */
   uint32_t condition = mod(op, ISA_MOD_COND) & 7;
   if (variants[condition] < 0) {
      refuse(b, "a condition whose meaning is not known");
      return 0;
   }
   dest(b, op);
   source(b, op, 0, condition >= ISA_SEQ ? SIGNED : RAW);
   source(b, op, 1, condition >= ISA_SEQ ? SIGNED : RAW);
   source(b, op, 2, RAW);
   source(b, op, 3, RAW);
   return (unsigned)variants[condition];
}

static unsigned bind_fcmpsel(struct vgpu_binder *b, struct vgpu_op *op)
{
   static const int8_t variants[8] = {0, 1, 2, 3, -1, 4, 5, 6}; /* by enum isa_fcond */
   uint32_t condition = mod(op, ISA_MOD_COND) & 7;
   if (variants[condition] < 0) {
      refuse(b, "a condition whose meaning is not known");
      return 0;
   }
   dest(b, op);
   source(b, op, 0, REAL);
   source(b, op, 1, REAL);
   source(b, op, 2, RAW);
   source(b, op, 3, RAW);
   return (unsigned)variants[condition];
}

/* Exec stack and ballots. c: n of the former, quad of the latter. */
static unsigned compare(struct vgpu_binder *b, struct vgpu_op *op, enum reading reading, uint32_t unknown)
{
   op->a = mod(op, ISA_MOD_COND) & 7;
   op->b = mod(op, ISA_MOD_INVERT);
   if (unknown >> op->a & 1) {
      refuse(b, "a condition whose meaning is not known");
      return 0;
   }
   source(b, op, 0, reading);
   source(b, op, 1, reading);
   if (op->insn->op == ISA_OP_ICMP_BALLOT || op->insn->op == ISA_OP_FCMP_BALLOT) {
      dest(b, op);
      op->c = mod(op, ISA_MOD_QUAD);
   } else {
      op->c = mod(op, ISA_MOD_NEST);
   }
   return 0;
}

static unsigned bind_icompare(struct vgpu_binder *b, struct vgpu_op *op)
{
   return compare(b, op, (mod(op, ISA_MOD_COND) & 7) >= ISA_SEQ ? SIGNED : RAW, 1u << 3 | 1u << 7);
}

static unsigned bind_fcompare(struct vgpu_binder *b, struct vgpu_op *op)
{
   return compare(b, op, REAL, 1u << 4);
}

static unsigned bind_pop_exec(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)b;
   op->c = mod(op, ISA_MOD_NEST);
   return 0;
}

static unsigned bind_call_register(struct vgpu_binder *b, struct vgpu_op *op)
{
   source(b, op, 0, RAW);
   return bind_call(b, op);
}

static unsigned bind_return(struct vgpu_binder *b, struct vgpu_op *op)
{
   source(b, op, 0, RAW);
   return 0;
}

static unsigned bind_shuffle(struct vgpu_binder *b, struct vgpu_op *op)
{
   op->a = mod(op, ISA_MOD_SHUFFLE);
   op->b = mod(op, ISA_MOD_ROTATE);
   operands(b, op, RAW);
   return mod(op, ISA_MOD_QUAD) ? 1 : 0;
}

static unsigned bind_matrix(struct vgpu_binder *b, struct vgpu_op *op)
{
   dest(b, op);
   for (unsigned n = 0; n < 3; n++) {
      struct isa_operand second = op->insn->src[n];
      source(b, op, n, REAL);
      if (second.kind == ISA_REG || second.kind == ISA_UNIFORM) {
         second.value += second.size / 16;
      }
      source_as(b, &op->src[n + 3], &second, REAL);
   }
   return 0;
}

static unsigned bind_reduce(struct vgpu_binder *b, struct vgpu_op *op)
{
   op->a = mod(op, ISA_MOD_REDUCE);
   op->b = op->insn->src[0].size == 16 ? 16 : 32;
   op->c = mod(op, ISA_MOD_QUAD);
   operands(b, op, RAW);
   return 0;
}

/* ---- Memory ---- */

/* The data registers of a load or store: `data`, from insn->dst or insn->src[n]. */
static void elements(struct vgpu_binder *b, struct vgpu_op *op, const struct isa_operand *data)
{
   const struct vgpu_format *format = &vgpu_formats[mod(op, ISA_MOD_FORMAT) & 15];
   op->a = mod(op, ISA_MOD_MASK) & 15;
   op->b = mod(op, ISA_MOD_FORMAT) & 15;
   op->c = format->size;
   if (format->size == 0) {
      refuse(b, "a memory format whose meaning is not known");
      return;
   }
   if (format->raw && format->size == 4 && data->size == 16) {
      refuse(b, "32-bit elements in 16-bit registers");
      return;
   }
   struct isa_operand all = *data;
   all.count = format->components ? format->components : (uint8_t)__builtin_popcount(op->a);
   dest_as(b, &op->dst, &all);
}

static void device_address(struct vgpu_binder *b, struct vgpu_op *op)
{
   source(b, op, 0, RAW);
   source(b, op, 1, INTEGER);
   op->src[1].sx |= op->insn->src[1].kind == ISA_IMM;
   if (op->src[0].size != 64) {
      refuse(b, "a memory base that is not 64 bits wide");
   }
}

static unsigned bind_load(struct vgpu_binder *b, struct vgpu_op *op)
{
   uint32_t shift = mod(op, ISA_MOD_SHIFT);
   elements(b, op, op->insn->op == ISA_OP_LOAD ? &op->insn->dst : &op->insn->src[2]);
   device_address(b, op);
   /* Packed words ignore the shift; 3 works like 2: spec/isa.md 4.1. */
   op->d = vgpu_formats[op->b].components ? 0 : shift < 2 ? shift : 2;
   return 0;
}

static unsigned bind_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   return bind_load(b, op);
}

static unsigned bind_uniform_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_operand *to = &op->insn->dst;
   op->a = (uint32_t)to->value;
   op->b = to->count;
   if (!b->preamble) {
      refuse(b, "a uniform store outside a preamble");
   } else if (to->value < 0 || op->a + op->b > sizeof(b->launch->uniforms) / sizeof(b->launch->uniforms[0])) {
      refuse(b, "a uniform store past the last uniform");
   }
   struct isa_operand data = op->insn->src[0];
   data.count = to->count;
   data.size = 16;
   dest_as(b, &op->dst, &data);
   return 0;
}

/* data and, where the launch has it, the register after it. */
static void atomic_operands(struct vgpu_binder *b, struct vgpu_op *op, bool pair)
{
   struct isa_operand data = op->insn->src[2];
   data.size = 32;
   source_as(b, &op->src[2], &data, RAW);
   if (pair) {
      data.value += 2;
   }
   source_as(b, &op->src[3], &data, RAW);
   if (op->insn->dst.kind != ISA_NONE) {
      dest(b, op);
   }
}

/* Whether bit 45 of a device atomic asks for coherence between clusters or dies: spec/uapi.md section 6. Where it
 * does, the encodings of 64-bit minimum and maximum are a compare-and-exchange (spec/isa.md 4.3). */
static bool coherence_bit(const struct vgpu_chip *chip)
{
   return chip->class == VGPU_G13X || chip->dies > 1;
}

static unsigned bind_atomic(struct vgpu_binder *b, struct vgpu_op *op)
{
   op->a = mod(op, ISA_MOD_ATOMIC);
   bool wide = op->a == ISA_ATOMIC_UMIN64 || op->a == ISA_ATOMIC_UMAX64;
   if (op->a == ISA_ATOMIC_UMAX64 && coherence_bit(b->launch->chip)) {
      op->a = ISA_ATOMIC_CMPXCHG;
      wide = false;
   } else if (wide && b->launch->chip->generation < 14) {
      refuse(b, "a 64-bit atomic, which this chip does not have");
      return 0;
   }
   device_address(b, op);
   atomic_operands(b, op, wide || op->a == ISA_ATOMIC_CMPXCHG);
   if (op->a > ISA_ATOMIC_UMAX64) {
      refuse(b, "an atomic operation whose meaning is not known");
   }
   return wide ? 1 : 0;
}

static void local_address(struct vgpu_binder *b, struct vgpu_op *op)
{
   source(b, op, 0, RAW);
   source(b, op, 1, SIGNED);
}

static unsigned bind_local_load(struct vgpu_binder *b, struct vgpu_op *op)
{
   elements(b, op, &op->insn->dst);
   local_address(b, op);
   return 0;
}

static unsigned bind_local_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   elements(b, op, &op->insn->src[2]);
   local_address(b, op);
   return 0;
}

static unsigned bind_local_atomic(struct vgpu_binder *b, struct vgpu_op *op)
{
   op->a = mod(op, ISA_MOD_ATOMIC);
   local_address(b, op);
   atomic_operands(b, op, op->a == ISA_ATOMIC_CMPXCHG);
   if (op->a > ISA_ATOMIC_XOR) {
      refuse(b, "an atomic operation whose meaning is not known");
   }
   return 0;
}

static unsigned bind_stack_load(struct vgpu_binder *b, struct vgpu_op *op)
{
   elements(b, op, &op->insn->dst);
   source(b, op, 1, RAW);
   return 0;
}

static unsigned bind_stack_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   elements(b, op, &op->insn->src[2]);
   source(b, op, 1, RAW);
   return 0;
}

static unsigned bind_stack_adjust(struct vgpu_binder *b, struct vgpu_op *op)
{
   source(b, op, 0, RAW);
   return 0;
}

static unsigned bind_stack_get_ptr(struct vgpu_binder *b, struct vgpu_op *op)
{
   dest(b, op);
   return 0;
}

/* ---- The table ---- */

#define ROW(operation, name, kind, trait, ...)                                                                         \
   [ISA_OP_##operation] = {.bind = bind_##name, .control = VGPU_##kind, .traits = VGPU_##trait},
#define COUNT(...) +1

static const struct {
   binding *bind;
   uint8_t control, traits;
} semantics[] = {VGPU_SEMANTICS(ROW)};
/* As many rows as operations, and none twice (-Woverride-init): none is missing. */
_Static_assert(0 VGPU_SEMANTICS(COUNT) == ISA_OP_COUNT, "an operation without a row in vgpu/semantics.h");

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
   op->run[0] = handler->run[shape];
   op->run[1] = handler->run[shape | VGPU_MASKED];
}
