/* SPDX-License-Identifier: MIT
 *
 * Random operands for packing.c, limits more often than not: Mesa's, and what they must decode to.
 */
#include "tests/compiler/packing.h"

/* ---- Random numbers ---- */

static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

uint32_t packing_below(uint32_t limit)
{
   state ^= state << 13; /* xorshift64 */
   state ^= state >> 7;
   state ^= state << 17;
   return (uint32_t)(state >> 32) % limit;
}

uint32_t packing_edge(uint32_t last)
{
   switch (packing_below(8)) {
   case 0:
   case 1:
      return 0;
   case 2:
   case 3:
      return last;
   case 4:
   case 5: {
      uint32_t bit = 1u << packing_below(32);
      return bit <= last ? bit : last;
   }
   default:
      return last == UINT32_MAX ? packing_below(UINT32_MAX) : packing_below(last + 1);
   }
}

/* ---- Operands: Mesa's, and what they must decode to ---- */

static bool may_be_wide(enum packing_takes takes)
{
   return takes == DST_WIDE || takes == ADD || takes == ADD_NEG;
}

static enum agx_size random_size(enum packing_takes takes)
{
   return takes == DST_16 || takes == FLOAT_16 ? AGX_SIZE_16 : (enum agx_size)packing_below(may_be_wide(takes) ? 3 : 2);
}

agx_index packing_register(enum agx_size size, unsigned count)
{
   unsigned halves = agx_size_align_16(size);
   return agx_register(packing_edge((256 - halves * count) / halves) * halves, size);
}

agx_index packing_uniform(enum agx_size size, unsigned limit)
{
   unsigned halves = agx_size_align_16(size);
   return agx_uniform(packing_edge(limit / halves - 1) * halves, size);
}

struct isa_operand packing_operand(agx_index index, unsigned count)
{
   static const uint8_t kinds[] = {
       [AGX_INDEX_IMMEDIATE] = ISA_IMM, [AGX_INDEX_UNIFORM] = ISA_UNIFORM, [AGX_INDEX_REGISTER] = ISA_REG};
   return (struct isa_operand){.kind = kinds[index.type],
                               .size = (uint8_t)(16 << index.size),
                               .count = (uint8_t)count,
                               .cache = index.cache,
                               .discard = index.discard,
                               .value = (int32_t)index.value};
}

agx_index packing_dst(enum packing_takes takes, struct isa_operand *want)
{
   agx_index dst = packing_register(random_size(takes), 1);
   dst.cache = packing_below(2);
   *want = packing_operand(dst, 1);
   return dst;
}

static agx_index random_alu(enum packing_takes takes, enum agx_size select_size)
{
   enum agx_size size = takes == SELECTED ? select_size : random_size(takes);
   unsigned kind = packing_below(3);

   if (kind == 0) {
      return agx_immediate(packing_edge(255));
   }
   if (kind == 1 && size != AGX_SIZE_64) {
      return packing_uniform(size, 512);
   }
   agx_index src = packing_register(size, 1);
   unsigned hint = packing_below(3);
   src.cache = hint == 1;
   src.discard = hint == 2;
   return src;
}

agx_index packing_src(enum packing_takes takes, enum agx_size select_size, struct isa_insn *want, unsigned at)
{
   agx_index src = random_alu(takes, select_size);
   struct isa_operand *operand = &want->src[at];
   bool is_float = takes == FLOAT || takes == FLOAT_BARE || takes == FLOAT_16;

   *operand = packing_operand(src, 1);
   if (operand->kind == ISA_IMM && is_float) {
      operand->kind = ISA_FLOAT_IMM;
   }
   if (takes == FLOAT || takes == FLOAT_16) {
      src.abs = operand->abs = packing_below(2);
      src.neg = operand->neg = packing_below(2);
   }
   if (takes == EXTENDING || takes == ADD || takes == ADD_NEG) {
      src.abs = packing_below(2);
      operand->sx = !src.abs && operand->kind != ISA_IMM && operand->size != 64;
   }
   if (takes == ADD_NEG) {
      src.neg = packing_below(2);
      want->mod[ISA_MOD_NEGATE] = src.neg;
   }
   return src;
}

agx_index packing_data(agx_instr *mesa, struct isa_insn *want, struct isa_operand *operand)
{
   enum agx_size size = (enum agx_size)packing_below(2);
   mesa->mask = (1 + packing_edge(14)) & 15;
   unsigned count = (unsigned)__builtin_popcount(mesa->mask);
   agx_index data = packing_register(size, count);

   *operand = packing_operand(data, count);
   want->mod[ISA_MOD_MASK] = (int32_t)mesa->mask;
   return data;
}
