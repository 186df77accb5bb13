/* SPDX-License-Identifier: MIT
 *
 * Bindings of texture loads, samples, image writes, the tile buffer and state registers. Coordinates, levels,
 * references and offsets are registers whose number follows from the instruction; the handlers read them from there.
 */
#include "vgpu/exec/bind.h"
#include "vgpu/exec/image/image.h"

enum lod_mode { LOD_AUTO = 0, LOD_UNIFORM_BIAS = 1, LOD_UNIFORM = 2, LOD_GRADIENT = 4, LOD_BIAS = 5, LOD_GIVEN = 6 };

/* By enum vgpu_dimension. */
static const struct {
   uint8_t coordinates;
   bool layered, multisampled;
} dimensions[VGPU_DIMENSIONS] = {
    [VGPU_1D] = {1, false, false},      [VGPU_1D_ARRAY] = {1, true, false},   [VGPU_2D] = {2, false, false},
    [VGPU_2D_ARRAY] = {2, true, false}, [VGPU_2D_MS] = {2, false, true},      [VGPU_3D] = {3, false, false},
    [VGPU_CUBE] = {3, false, false},    [VGPU_CUBE_ARRAY] = {3, true, false}, [VGPU_2D_MS_ARRAY] = {2, true, true},
};

/* What an instruction has: registers from an operand on, 32 bits each or one half. */
static void need(struct vgpu_binder *b, const struct isa_operand *operand, unsigned halves)
{
   if (operand->kind == ISA_REG) {
      vgpu_bind_allocated(b, operand->value, halves);
   }
}

static unsigned coordinate_halves(const struct vgpu_op *op)
{
   return 2 * (op->image.coordinates + (op->image.layered || op->image.multisampled ? 1u : 0u));
}

/* src[0]: a descriptor's offset from the base in src[5], or a state register's number. */
static void image_operands(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_insn *insn = op->insn;
   const uint32_t dimension = vgpu_bind_mod(op, ISA_MOD_DIM);
   if (dimension >= VGPU_DIMENSIONS) {
      vgpu_refuse(b, "an image of an unknown dimension");
      return;
   }
   op->image.coordinates = dimensions[dimension].coordinates;
   op->image.layered = dimensions[dimension].layered;
   op->image.multisampled = dimensions[dimension].multisampled;
   op->image.in_memory = insn->src[5].kind == ISA_UNIFORM;
   if (op->image.in_memory) {
      vgpu_bind_own_source(b, op, 0, VGPU_RAW);
      vgpu_bind_own_source(b, op, 5, VGPU_RAW);
   }
   need(b, &insn->src[0], insn->src[0].size / 16u);
   need(b, &insn->src[2], coordinate_halves(op));
}

/* The level of detail: src[3]. */
static void level(struct vgpu_binder *b, struct vgpu_op *op)
{
   const uint32_t mode = vgpu_bind_mod(op, ISA_MOD_LOD_MODE);
   op->image.gradient = mode == LOD_GRADIENT;
   op->image.has_level = mode == LOD_UNIFORM_BIAS || mode == LOD_UNIFORM || mode == LOD_BIAS || mode == LOD_GIVEN;
   if (op->image.gradient) {
      need(b, &op->insn->src[3], 4u * op->image.coordinates);
   } else if (op->image.has_level) {
      need(b, &op->insn->src[3], 1);
   } else if (mode != LOD_AUTO) {
      vgpu_refuse(b, "a sample with a least level of detail of its own, which the virtual GPU lacks");
   }
}

unsigned vgpu_bind_texture(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_insn *insn = op->insn;
   struct isa_operand all = insn->dst;
   const uint32_t gather = vgpu_bind_mod(op, ISA_MOD_GATHER);
   if (vgpu_bind_mod(op, ISA_MOD_SPARSE) || vgpu_bind_mod(op, ISA_MOD_QUERY_LOD)) {
      vgpu_refuse(b, "a kind of sampling (sparse, level query) that the virtual GPU lacks");
      return 0;
   }
   if (gather && !(gather & 1)) {
      vgpu_refuse(b, "a gather whose component is not known");
      return 0;
   }
   op->image.mask = vgpu_bind_mod(op, ISA_MOD_MASK) & 15;
   op->image.gather = (uint8_t)(gather ? gather / 2 + 1 : 0);
   op->image.shadow = vgpu_bind_mod(op, ISA_MOD_SHADOW) != 0;
   op->image.offset = vgpu_bind_mod(op, ISA_MOD_OFFSET) != 0;
   all.count = (uint8_t)__builtin_popcount(op->image.mask);
   vgpu_bind_dest(b, &op->dst, &all);
   image_operands(b, op);
   level(b, op);
   need(b, &insn->src[1], 1);
   if (op->image.shadow || op->image.offset) {
      need(b, &insn->src[4], op->image.shadow ? 2 + op->image.offset : 1);
   }
   return 0;
}

unsigned vgpu_bind_image_write(struct vgpu_binder *b, struct vgpu_op *op)
{
   struct isa_operand data = op->insn->src[4];
   data.count = 4;
   vgpu_bind_dest(b, &op->dst, &data);
   op->image.mask = 15;
   image_operands(b, op);
   return 0;
}

/* A block of pixels in threadgroup memory becomes one of the image. */
unsigned vgpu_bind_image_write_block(struct vgpu_binder *b, struct vgpu_op *op)
{
   if (!vgpu_bind_mod(op, ISA_MOD_EXPLICIT_COORDS)) {
      vgpu_refuse(b, "a block of the tile that fragments were drawn to");
      return 0;
   }
   if (!b->launch->tile.width) {
      vgpu_refuse(b, "a block of an image, where the launch has no pixels in threadgroup memory");
   }
   image_operands(b, op);
   op->image.multisampled = false; /* all samples are written */
   need(b, &op->insn->src[4], 1);
   return 0;
}

unsigned vgpu_bind_tile(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_insn *insn = op->insn;
   vgpu_bind_elements(b, op, insn->op == ISA_OP_TILE_LOAD ? &insn->dst : &insn->src[0]);
   if (!vgpu_bind_mod(op, ISA_MOD_EXPLICIT_COORDS)) {
      vgpu_refuse(b, "a pixel of the tile that fragments are drawn to");
   } else if (!b->launch->tile.width) {
      vgpu_refuse(b, "a pixel of the tile buffer, where the launch has no pixels in threadgroup memory");
   }
   need(b, &insn->src[1], 2);
   need(b, &insn->src[2], 1);
   return 0;
}

/* Which lane's address counts where lanes differ is not known; the first active one does. */
unsigned vgpu_bind_state_load(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_operand *to = &op->insn->dst;
   const uint32_t most = to->kind == ISA_TEXTURE_STATE ? VGPU_TEXTURE_STATES : VGPU_SAMPLER_STATES;
   vgpu_bind_own_source(b, op, 0, VGPU_RAW);
   vgpu_bind_own_source(b, op, 1, VGPU_RAW);
   if (!b->preamble) {
      vgpu_refuse(b, "a load of a state register outside a preamble");
   } else if ((uint32_t)to->value >= most) {
      vgpu_refuse(b, "a load of a state register past the last one");
   }
   return 0;
}

static void add(const struct isa_operand *operand, unsigned halves, struct vgpu_halves *reads)
{
   if (operand->kind == ISA_REG) {
      vgpu_halves_add_range(reads, (unsigned)operand->value, halves);
   }
}

void vgpu_image_registers(const struct vgpu_op *op, struct vgpu_halves *reads)
{
   const struct isa_insn *insn = op->insn;
   switch (insn->op) {
   case ISA_OP_TEXTURE_LOAD:
   case ISA_OP_TEXTURE_SAMPLE:
      add(&insn->src[1], 1, reads);
      add(&insn->src[3], op->image.gradient ? 4u * op->image.coordinates : op->image.has_level, reads);
      add(&insn->src[4], op->image.shadow ? 2u + op->image.offset : op->image.offset, reads);
      add(&insn->src[2], coordinate_halves(op), reads);
      add(&insn->src[0], insn->src[0].size / 16u, reads);
      break;
   case ISA_OP_IMAGE_WRITE_BLOCK:
      add(&insn->src[4], 1, reads);
      add(&insn->src[2], coordinate_halves(op), reads);
      add(&insn->src[0], insn->src[0].size / 16u, reads);
      break;
   case ISA_OP_IMAGE_WRITE:
      add(&insn->src[2], coordinate_halves(op), reads);
      add(&insn->src[0], insn->src[0].size / 16u, reads);
      break;
   case ISA_OP_TILE_LOAD:
   case ISA_OP_TILE_STORE:
      add(&insn->src[1], 2, reads);
      add(&insn->src[2], 1, reads);
      break;
   default:
      break;
   }
}
