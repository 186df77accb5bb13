/* SPDX-License-Identifier: MIT
 *
 * Textures, images, tile buffer and varyings, for packing.c: decoded and named, though no compute program here has
 * them.
 */
#include "tests/compiler/packing.h"

static agx_index either(agx_index one, agx_index other)
{
   return packing_below(2) ? one : other;
}

/* A 16-bit register, or a number that means one in `file`. */
static agx_index register_or_state(enum isa_operand_kind file, struct isa_operand *want)
{
   agx_index index = either(packing_register(AGX_SIZE_16, 1), agx_immediate(packing_edge(255)));

   *want = packing_operand(index, 1);
   if (index.type == AGX_INDEX_IMMEDIATE) {
      *want = (struct isa_operand){.kind = (uint8_t)file, .size = 32, .count = 1, .value = (int32_t)index.value};
   }
   return index;
}

static agx_index register_or_number(struct isa_operand *want)
{
   agx_index index = either(packing_register(AGX_SIZE_16, 1), agx_immediate(packing_edge(254)));
   *want = packing_operand(index, 1);
   return index;
}

static agx_index discarded_register(struct isa_operand *want)
{
   agx_index index = packing_register(AGX_SIZE_32, 1);
   index.discard = packing_below(2);
   *want = packing_operand(index, 1);
   return index;
}

/* A texture state register, or bindless: a 32-bit index into what a 64-bit uniform points to. */
static void texture(agx_index *base, agx_index *index, struct isa_insn *want)
{
   if (packing_below(2)) {
      *base = agx_immediate(0);
      *index = register_or_state(ISA_TEXTURE_STATE, &want->src[0]);
      return;
   }
   *base = agx_uniform(packing_edge(31) * 4, AGX_SIZE_64);
   *index = packing_register(AGX_SIZE_32, 1);
   want->src[5] = packing_operand(*base, 1);
   want->src[0] = packing_operand(*index, 1);
}

/* Mesa says registers in the mode, and packs another mode for uniforms. */
static agx_index level_of_detail(agx_instr *mesa, struct isa_insn *want)
{
   static const enum agx_lod_mode modes[] = {AGX_LOD_MODE_AUTO_LOD,     AGX_LOD_MODE_AUTO_LOD_BIAS,
                                             AGX_LOD_MODE_LOD_MIN,      AGX_LOD_MODE_LOD_GRAD,
                                             AGX_LOD_MODE_LOD_GRAD_MIN, AGX_LOD_MODE_AUTO_LOD_BIAS_MIN};
   static const unsigned coordinates[] = {1, 1, 2, 2, 2, 3, 3, 3, 2}; /* enum agx_dim */
   enum agx_lod_mode mode = modes[packing_below(ARRAY_SIZE(modes))];
   bool has_minimum = mode == AGX_LOD_MODE_LOD_GRAD_MIN || mode == AGX_LOD_MODE_AUTO_LOD_BIAS_MIN;
   bool is_gradient = mode == AGX_LOD_MODE_LOD_GRAD || mode == AGX_LOD_MODE_LOD_GRAD_MIN;
   unsigned count = (is_gradient ? 2 * coordinates[mesa->dim] : 1) + has_minimum;
   agx_index lod = agx_immediate(0);

   mesa->lod_mode = mode;
   want->mod[ISA_MOD_LOD_MODE] = (int32_t)mode;
   if (mode != AGX_LOD_MODE_AUTO_LOD) {
      lod = packing_register(is_gradient ? AGX_SIZE_32 : AGX_SIZE_16, count);
      if (!is_gradient && packing_below(2)) {
         lod = packing_uniform(AGX_SIZE_16, 256);
         want->mod[ISA_MOD_LOD_MODE] &= ~4;
      }
   }
   want->src[3] = packing_operand(lod, count);
   return lod;
}

static void set_dim(agx_instr *mesa, struct isa_insn *want, unsigned last)
{
   mesa->dim = (enum agx_dim)(packing_edge(last) & 15);
   want->mod[ISA_MOD_DIM] = (int32_t)mesa->dim;
}

static void sample(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   mesa->dest[0] = packing_data(mesa, want, &want->dst);
   set_dim(mesa, want, 8);
   mesa->src[0] = discarded_register(&want->src[2]);
   mesa->src[1] = level_of_detail(mesa, want);
   texture(&mesa->src[2], &mesa->src[3], want);
   mesa->src[4] = register_or_state(ISA_SAMPLER_STATE, &want->src[1]);
   mesa->scoreboard = packing_below(2) & 1;
   mesa->offset = packing_below(2);
   if (mesa->op == AGX_OPCODE_TEXTURE_SAMPLE) {
      static const enum agx_gather gathers[] = {AGX_GATHER_NONE, AGX_GATHER_R, AGX_GATHER_G, AGX_GATHER_B,
                                                AGX_GATHER_A};
      mesa->shadow = packing_below(2);
      mesa->query_lod = packing_below(2);
      mesa->gather = gathers[packing_below(ARRAY_SIZE(gathers))];
   }
   if (mesa->shadow || mesa->offset) {
      mesa->src[5] = packing_register(AGX_SIZE_32, 1);
      want->src[4] = packing_operand(mesa->src[5], 1);
      want->src[4].size = mesa->shadow ? 32 : 16; /* our decoder names the half that an offset alone lies in */
   }
   mesa->coherent = mesa->op == AGX_OPCODE_IMAGE_LOAD && packing_below(2);
   want->mod[ISA_MOD_SLOT] = (int32_t)mesa->scoreboard;
   want->mod[ISA_MOD_SHADOW] = mesa->shadow;
   want->mod[ISA_MOD_OFFSET] = mesa->offset;
   want->mod[ISA_MOD_QUERY_LOD] = mesa->query_lod;
   want->mod[ISA_MOD_GATHER] = (int32_t)mesa->gather;
   want->mod[ISA_MOD_EXTRA] = mesa->op != AGX_OPCODE_IMAGE_LOAD ? 0 : mesa->coherent ? 3 : 1;
}

static void image_write(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   mesa->src[0] = packing_register((enum agx_size)packing_below(2), 4);
   want->src[4] = packing_operand(mesa->src[0], 4);
   mesa->src[1] = discarded_register(&want->src[2]);
   mesa->src[2] = register_or_number(&want->src[3]);
   texture(&mesa->src[3], &mesa->src[4], want);
   set_dim(mesa, want, 7); /* of the ninth, Mesa packs another bit */
   mesa->coherent = packing_below(2);
   want->mod[ISA_MOD_EXTRA] = mesa->coherent ? 9 ^ 15 : 0;
}

static void tile(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   bool is_load = mesa->op == AGX_OPCODE_LD_TILE;
   agx_index data = packing_data(mesa, want, is_load ? &want->dst : &want->src[0]);

   *(is_load ? &mesa->dest[0] : &mesa->src[0]) = data;
   mesa->src[!is_load] = register_or_number(&want->src[2]);
   mesa->explicit_coords = packing_below(2);
   agx_index coords = mesa->explicit_coords ? packing_register(AGX_SIZE_16, 2) : agx_immediate(0);
   mesa->src[1 + !is_load] = coords;
   want->src[1] = packing_operand(coords, 2);
   mesa->format = (enum agx_format)packing_edge(15);
   mesa->pixel_offset = (uint16_t)packing_edge(511);
   want->mod[ISA_MOD_PIXEL_OFFSET] = mesa->pixel_offset;
   want->mod[ISA_MOD_EXPLICIT_COORDS] = mesa->explicit_coords;
   want->mod[ISA_MOD_FORMAT] = (int32_t)mesa->format;
}

/* Coefficients, and for some the sample that they are wanted at. */
static void varying(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   bool is_flat = mesa->op == AGX_OPCODE_LDCF, is_projected = mesa->op == AGX_OPCODE_ITERPROJ;
   unsigned channels = 1 + packing_below(4), count = channels * (is_flat ? 3 : 1);

   mesa->channels = channels;
   mesa->dest[0] = packing_register((enum agx_size)packing_below(2), count);
   want->dst = packing_operand(mesa->dest[0], count);
   mesa->src[0] = register_or_state(ISA_COEFFICIENT, &want->src[0]);
   if (is_projected) {
      mesa->src[1] = agx_immediate(packing_edge(255));
      want->src[1] = (struct isa_operand){ISA_COEFFICIENT, 32, 1, .value = (int32_t)mesa->src[1].value};
   }
   if (is_flat) {
      return;
   }
   agx_index *at = &mesa->src[is_projected ? 2 : 1];
   mesa->interpolation = (enum agx_interpolation)(packing_below(3) & 3);
   want->mod[ISA_MOD_INTERPOLATION] = (int32_t)mesa->interpolation;
   *at = agx_immediate(0);
   if (mesa->interpolation == AGX_INTERPOLATION_SAMPLE) {
      *at = register_or_number(&want->src[2]);
      want->mod[ISA_MOD_INTERPOLATION] = at->type == AGX_INDEX_REGISTER ? AGX_INTERPOLATION_SAMPLE_REGISTER : 1;
   }
}

static void st_vary(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   mesa->src[0] = register_or_number(&want->src[1]);
   if (mesa->src[0].value == 255) { /* which Mesa refuses */
      want->src[1].value = 254;
      mesa->src[0].value = 254;
   }
   mesa->src[1] = packing_register(AGX_SIZE_32, 1);
   want->src[0] = packing_operand(mesa->src[1], 1);
   mesa->last = packing_below(2);
}

static void zs_emit(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   mesa->src[0] = register_or_number(&want->src[0]);
   mesa->src[1] = packing_register(AGX_SIZE_32, 1);
   want->src[1] = packing_operand(mesa->src[1], 1);
   mesa->zs = (uint16_t)(1 + packing_below(3));
   want->mod[ISA_MOD_ZS] = mesa->zs;
}

/* Of the second source Mesa 25.0.7 puts the two highest bits into 28 and 29; its newer disassembler's test data
 * (c102bf0c, "sample_mask r0h, 255") has them in 26 and 27, which is where every other extension lies. So they are left
 * out here. */
static void sample_mask(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   mesa->src[0] = register_or_number(&want->src[0]);
   mesa->src[1] = register_or_number(&want->src[1]);
   mesa->src[1].value &= 63;
   want->src[1].value &= 63;
}

static void writeout(UNUSED const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   mesa->imm = packing_edge((1 << 14) - 1);
   want->mod[ISA_MOD_NUMBER] = (int32_t)mesa->imm;
}

const struct packing_row packing_graphics[] = {
    {AGX_OPCODE_TEXTURE_SAMPLE, ISA_OP_TEXTURE_SAMPLE, sample},
    {AGX_OPCODE_TEXTURE_LOAD, ISA_OP_TEXTURE_LOAD, sample},
    {AGX_OPCODE_IMAGE_LOAD, ISA_OP_TEXTURE_LOAD, sample},
    {AGX_OPCODE_IMAGE_WRITE, ISA_OP_IMAGE_WRITE, image_write},
    {AGX_OPCODE_LD_TILE, ISA_OP_TILE_LOAD, tile},
    {AGX_OPCODE_ST_TILE, ISA_OP_TILE_STORE, tile},
    {AGX_OPCODE_ITER, ISA_OP_ITER, varying},
    {AGX_OPCODE_ITERPROJ, ISA_OP_ITER_PROJECTED, varying},
    {AGX_OPCODE_LDCF, ISA_OP_COEFFICIENT_LOAD, varying},
    {AGX_OPCODE_ST_VARY, ISA_OP_VARYING_STORE, st_vary},
    {AGX_OPCODE_ZS_EMIT, ISA_OP_ZS_EMIT, zs_emit},
    {AGX_OPCODE_SAMPLE_MASK, ISA_OP_SAMPLE_MASK, sample_mask},
    {AGX_OPCODE_WAIT_PIX, ISA_OP_PIXEL_ORDER, writeout},
    {AGX_OPCODE_SIGNAL_PIX, ISA_OP_PIXEL_ORDER, writeout},
    {0},
};
