/* SPDX-License-Identifier: MIT
 *
 * Memory, and all that is no arithmetic, for packing.c.
 */
#include "tests/compiler/packing.h"

/* ---- Memory ---- */

static agx_index random_base(struct isa_operand *want)
{
   agx_index base = packing_below(2) ? agx_uniform(packing_edge(127) * 2, AGX_SIZE_64)
                                     : agx_register(packing_edge(126) * 2, AGX_SIZE_64);
   *want = packing_operand(base, 1);
   return base;
}

/* Of device memory: `abs` means zero-extended. */
static agx_index random_index(struct isa_operand *want)
{
   agx_index index = packing_below(2) ? agx_immediate(packing_edge(UINT16_MAX)) : packing_register(AGX_SIZE_32, 1);
   bool extends = packing_below(2);

   *want = packing_operand(index, 1);
   index.abs = !extends;
   want->sx = extends;
   if (want->kind == ISA_IMM && extends) {
      want->value = (int16_t)want->value;
   }
   return index;
}

/* Of threadgroup memory. */
static agx_index random_local_base(struct isa_operand *want)
{
   unsigned kind = packing_below(3);
   agx_index base = kind == 0   ? agx_immediate(0)
                    : kind == 1 ? packing_uniform(AGX_SIZE_16, 512)
                                : packing_register(AGX_SIZE_16, 1);
   *want = packing_operand(base, 1);
   return base;
}

static agx_index random_local_index(struct isa_operand *want)
{
   agx_index index = packing_below(2) ? agx_immediate(packing_edge(UINT16_MAX)) : packing_register(AGX_SIZE_16, 1);
   *want = packing_operand(index, 1);
   if (want->kind == ISA_IMM) {
      want->value = (int16_t)want->value;
   }
   return index;
}

static void random_slot(agx_instr *mesa, struct isa_insn *want)
{
   mesa->scoreboard = packing_below(2) & 1;
   want->mod[ISA_MOD_SLOT] = (int32_t)mesa->scoreboard;
}

static void random_format(agx_instr *mesa, struct isa_insn *want)
{
   mesa->format = (enum agx_format)packing_edge(15);
   want->mod[ISA_MOD_FORMAT] = (int32_t)mesa->format;
}

static void device_access(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   bool is_load = mesa->op == AGX_OPCODE_DEVICE_LOAD;
   agx_index data = packing_data(mesa, want, is_load ? &want->dst : &want->src[2]);

   *(is_load ? &mesa->dest[0] : &mesa->src[0]) = data;
   mesa->src[!is_load] = random_base(&want->src[0]);
   mesa->src[1 + !is_load] = random_index(&want->src[1]);
   random_format(mesa, want);
   random_slot(mesa, want);
   mesa->shift = packing_edge(3) & 3;
   want->mod[ISA_MOD_SHIFT] = (int32_t)mesa->shift;
   mesa->coherent = packing_below(2);
   want->mod[ISA_MOD_COHERENCY] = mesa->coherent ? 3 : 0;
}

static void local_access(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   bool is_load = mesa->op == AGX_OPCODE_LOCAL_LOAD;
   agx_index data = packing_data(mesa, want, is_load ? &want->dst : &want->src[2]);

   *(is_load ? &mesa->dest[0] : &mesa->src[0]) = data;
   mesa->src[!is_load] = random_local_base(&want->src[0]);
   mesa->src[1 + !is_load] = random_local_index(&want->src[1]);
   random_format(mesa, want);
}

static void stack_access(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   bool is_load = mesa->op == AGX_OPCODE_STACK_LOAD;
   agx_index data = packing_data(mesa, want, is_load ? &want->dst : &want->src[2]);
   agx_index offset = packing_below(2) ? agx_immediate(packing_edge(UINT16_MAX)) : packing_register(AGX_SIZE_32, 1);

   *(is_load ? &mesa->dest[0] : &mesa->src[0]) = data;
   mesa->src[!is_load] = offset;
   want->src[1] = packing_operand(offset, 1);
   random_format(mesa, want);
   random_slot(mesa, want);
}

/* 32- and 64-bit registers are stored as halves. */
static void uniform_store(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   enum agx_size size = (enum agx_size)packing_below(3);
   unsigned values = size == AGX_SIZE_64 ? 1 : 1 + packing_below(size == AGX_SIZE_32 ? 2 : 4);
   unsigned halves = values * agx_size_align_16(size);
   mesa->mask = ((1u << values) - 1) & 15;

   mesa->src[0] = packing_register(size, values);
   mesa->src[1] = agx_immediate(packing_edge(512 - halves));
   want->dst = (struct isa_operand){ISA_UNIFORM, 16, (uint8_t)halves, .value = (int32_t)mesa->src[1].value};
   want->src[0] = (struct isa_operand){ISA_REG, 16, (uint8_t)halves, .value = (int32_t)mesa->src[0].value};
}

/* The result is optional. */
static void atomic(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   bool local = mesa->op == AGX_OPCODE_LOCAL_ATOMIC;

   mesa->dest[0] = packing_below(3) == 0 ? agx_null() : packing_register(AGX_SIZE_32, 1);
   if (mesa->dest[0].type != AGX_INDEX_NULL) {
      want->dst = packing_operand(mesa->dest[0], 1);
   }
   mesa->atomic_opc = (enum agx_atomic_opc)packing_edge(10);
   want->mod[ISA_MOD_ATOMIC] = (int32_t)mesa->atomic_opc;
   unsigned count = mesa->atomic_opc == AGX_ATOMIC_OPC_CMPXCHG ? 2 : 1; /* the new value and the expected one */
   mesa->src[0] = packing_register(AGX_SIZE_32, count);
   want->src[2] = packing_operand(mesa->src[0], count);
   mesa->src[1] = local ? random_local_base(&want->src[0]) : random_base(&want->src[0]);
   mesa->src[2] = local ? random_local_index(&want->src[1]) : random_index(&want->src[1]);
   if (!local) {
      random_slot(mesa, want);
      want->mod[ISA_MOD_COHERENCY] = 1; /* 3 on G13X */
   }
}

/* ---- The rest ---- */

static void mov_imm(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   mesa->dest[0] = packing_dst(DST, &want->dst);
   mesa->imm = packing_edge(want->dst.size == 32 ? UINT32_MAX : UINT16_MAX);
   want->src[0] = (struct isa_operand){ISA_IMM, 32, 1, .value = (int32_t)(uint32_t)mesa->imm};
}

static void get_sr(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   mesa->dest[0] = packing_dst(DST, &want->dst);
   mesa->sr = (enum agx_sr)packing_edge(255);
   want->src[0] = (struct isa_operand){ISA_SR, 32, 1, .value = (int32_t)mesa->sr};
}

static void stack_adjust(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   mesa->stack_size = (int16_t)packing_edge(UINT16_MAX);
   want->src[0] = (struct isa_operand){ISA_IMM, 32, 1, .value = mesa->stack_size};
}

static void nothing_more(UNUSED const struct packing_row *row, UNUSED agx_instr *mesa, UNUSED struct isa_insn *want)
{
}

static void wait(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   random_slot(mesa, want);
}

const struct packing_row packing_memory[] = {
    {AGX_OPCODE_DEVICE_LOAD, ISA_OP_LOAD, device_access},
    {AGX_OPCODE_DEVICE_STORE, ISA_OP_STORE, device_access},
    {AGX_OPCODE_LOCAL_LOAD, ISA_OP_LLOAD, local_access},
    {AGX_OPCODE_LOCAL_STORE, ISA_OP_LSTORE, local_access},
    {AGX_OPCODE_STACK_LOAD, ISA_OP_STACK_LOAD, stack_access},
    {AGX_OPCODE_STACK_STORE, ISA_OP_STACK_STORE, stack_access},
    {AGX_OPCODE_STACK_ADJUST, ISA_OP_STACK_ADJUST, stack_adjust},
    {AGX_OPCODE_UNIFORM_STORE, ISA_OP_UNIFORM_STORE, uniform_store},
    {AGX_OPCODE_ATOMIC, ISA_OP_ATOMIC, atomic},
    {AGX_OPCODE_LOCAL_ATOMIC, ISA_OP_LATOMIC, atomic},
    {AGX_OPCODE_MOV_IMM, ISA_OP_MOV_IMM, mov_imm},
    {AGX_OPCODE_GET_SR, ISA_OP_GET_SR, get_sr},
    {AGX_OPCODE_WAIT, ISA_OP_WAIT, wait},
    {AGX_OPCODE_STOP, ISA_OP_STOP, nothing_more},
    {AGX_OPCODE_TRAP, ISA_OP_TRAP, nothing_more},
    {AGX_OPCODE_THREADGROUP_BARRIER, ISA_OP_BARRIER, nothing_more},
#define BARRIER(name)                                                                                                  \
   {                                                                                                                   \
      AGX_OPCODE_##name, ISA_OP_MEMORY_BARRIER, nothing_more                                                           \
   }
    BARRIER(MEMORY_BARRIER),
    BARRIER(MEMORY_BARRIER_2),
    BARRIER(MEMORY_BARRIER_3),
    BARRIER(DEVICE_BARRIER_1),
    BARRIER(DEVICE_BARRIER_2),
    BARRIER(IMAGE_BARRIER_1),
    BARRIER(IMAGE_BARRIER_2),
    BARRIER(IMAGE_BARRIER_3),
    BARRIER(IMAGE_BARRIER_4),
    BARRIER(FLUSH_MEMORY_TO_TEXTURE),
    BARRIER(UNKNOWN_BARRIER_1),
    BARRIER(UNKNOWN_BARRIER_2),
    {0},
};
