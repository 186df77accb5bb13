/* SPDX-License-Identifier: MIT
 *
 * Bindings of loads, stores, atomics, the stack and images.
 */
#include "vgpu/exec/bind.h"

#include "isa/formats.h"
#include "vgpu/timing/chip.h"
#include "util/array.h"

/* The data registers of a load or store: `data`, from insn->dst or insn->src[n]. */
static void elements(struct vgpu_binder *b, struct vgpu_op *op, const struct isa_operand *data)
{
   const struct isa_format_info *format = &isa_formats[vgpu_bind_mod(op, ISA_MOD_FORMAT) & 15];
   op->memory.mask = vgpu_bind_mod(op, ISA_MOD_MASK) & 15;
   op->memory.format = vgpu_bind_mod(op, ISA_MOD_FORMAT) & 15;
   op->memory.element_bytes = format->size;
   if (format->size == 0) {
      vgpu_refuse(b, "a memory format whose meaning is not known");
      return;
   }
   if (format->raw && format->size == 4 && data->size == 16) {
      vgpu_refuse(b, "32-bit elements in 16-bit registers");
      return;
   }
   struct isa_operand all = *data;
   all.count = format->components ? format->components : (uint8_t)__builtin_popcount(op->memory.mask);
   vgpu_bind_dest(b, &op->dst, &all);
}

static void device_address(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_source(b, op, 0, VGPU_RAW);
   vgpu_bind_own_source(b, op, 1, VGPU_INTEGER);
   op->src[1].sx |= op->insn->src[1].kind == ISA_IMM;
   if (op->src[0].size != 64) {
      vgpu_refuse(b, "a memory base that is not 64 bits wide");
   }
}

unsigned vgpu_bind_load(struct vgpu_binder *b, struct vgpu_op *op)
{
   uint32_t shift = vgpu_bind_mod(op, ISA_MOD_SHIFT);
   elements(b, op, op->insn->op == ISA_OP_LOAD ? &op->insn->dst : &op->insn->src[2]);
   device_address(b, op);
   /* Packed words ignore the shift; 3 works like 2: spec/isa.md 4.1. */
   op->memory.shift = isa_formats[op->memory.format].components ? 0 : shift < 2 ? shift : 2;
   return 0;
}

unsigned vgpu_bind_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_load(b, op);
   return vgpu_bind_stage(b) == VGPU_STAGE_FRAGMENT;
}

unsigned vgpu_bind_uniform_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_operand *to = &op->insn->dst;
   op->uniforms.first = (uint32_t)to->value;
   op->uniforms.count = to->count;
   if (!b->preamble) {
      vgpu_refuse(b, "a uniform store outside a preamble");
   } else if (to->value < 0 || op->uniforms.first + op->uniforms.count > ARRAY_COUNT(b->launch->uniforms)) {
      vgpu_refuse(b, "a uniform store past the last uniform");
   }
   struct isa_operand data = op->insn->src[0];
   data.count = to->count;
   data.size = 16;
   vgpu_bind_dest(b, &op->dst, &data);
   return 0;
}

/* Binds data and, if the launch has it, the register after it. */
static void atomic_operands(struct vgpu_binder *b, struct vgpu_op *op, bool pair)
{
   struct isa_operand data = op->insn->src[2];
   data.size = 32;
   vgpu_bind_source(b, &op->src[2], &data, VGPU_RAW);
   if (pair) {
      data.value += 2;
   }
   vgpu_bind_source(b, &op->src[3], &data, VGPU_RAW);
   if (op->insn->dst.kind != ISA_NONE) {
      vgpu_bind_own_dest(b, op);
   }
}

/* Whether bit 45 of a device atomic demands coherence between clusters or dies: spec/uapi.md section 6. On chips where
 * it does, the encodings of 64-bit minimum and maximum are a compare-and-exchange (spec/isa.md 4.3). */
static bool coherence_bit(const struct vgpu_chip *chip)
{
   return chip->class == VGPU_G13X || chip->dies > 1;
}

unsigned vgpu_bind_atomic(struct vgpu_binder *b, struct vgpu_op *op)
{
   op->atomic.operation = vgpu_bind_mod(op, ISA_MOD_ATOMIC);
   bool wide = op->atomic.operation == ISA_ATOMIC_UMIN64 || op->atomic.operation == ISA_ATOMIC_UMAX64;
   if (op->atomic.operation == ISA_ATOMIC_UMAX64 && coherence_bit(b->launch->chip)) {
      op->atomic.operation = ISA_ATOMIC_CMPXCHG;
      wide = false;
   } else if (wide && b->launch->chip->generation < 14) {
      vgpu_refuse(b, "a 64-bit atomic, which this chip does not have");
      return 0;
   }
   device_address(b, op);
   atomic_operands(b, op, wide || op->atomic.operation == ISA_ATOMIC_CMPXCHG);
   if (op->atomic.operation > ISA_ATOMIC_UMAX64) {
      vgpu_refuse(b, "an atomic operation whose meaning is not known");
   }
   /* Hardware would continue, and perhaps lose updates: a program for another chip class is refused here. */
   bool coherent = vgpu_bind_mod(op, ISA_MOD_COHERENCY) & 2 || op->insn->mod[ISA_MOD_ATOMIC] == ISA_ATOMIC_UMAX64;
   if (coherent != coherence_bit(b->launch->chip) && !wide) {
      vgpu_refuse(b, coherent ? "an atomic with bit 45, coherence between clusters, of another chip class"
                              : "an atomic without bit 45 (coherent3), which this chip class needs for coherence");
   }
   return wide ? 1 : 0;
}

static void local_address(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_source(b, op, 0, VGPU_RAW);
   vgpu_bind_own_source(b, op, 1, VGPU_SIGNED);
}

unsigned vgpu_bind_local_load(struct vgpu_binder *b, struct vgpu_op *op)
{
   elements(b, op, &op->insn->dst);
   local_address(b, op);
   return 0;
}

unsigned vgpu_bind_local_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   elements(b, op, &op->insn->src[2]);
   local_address(b, op);
   return 0;
}

unsigned vgpu_bind_local_atomic(struct vgpu_binder *b, struct vgpu_op *op)
{
   op->atomic.operation = vgpu_bind_mod(op, ISA_MOD_ATOMIC);
   local_address(b, op);
   atomic_operands(b, op, op->atomic.operation == ISA_ATOMIC_CMPXCHG);
   if (op->atomic.operation > ISA_ATOMIC_XOR) {
      vgpu_refuse(b, "an atomic operation whose meaning is not known");
   }
   return 0;
}

unsigned vgpu_bind_stack_load(struct vgpu_binder *b, struct vgpu_op *op)
{
   elements(b, op, &op->insn->dst);
   vgpu_bind_own_source(b, op, 1, VGPU_RAW);
   return 0;
}

unsigned vgpu_bind_stack_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   elements(b, op, &op->insn->src[2]);
   vgpu_bind_own_source(b, op, 1, VGPU_RAW);
   return 0;
}

unsigned vgpu_bind_stack_adjust(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_source(b, op, 0, VGPU_RAW);
   return 0;
}

unsigned vgpu_bind_stack_get_ptr(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_dest(b, op);
   return 0;
}

/* ---- Textures, images, the tile buffer and state registers. Coordinates, levels, references and offsets are registers
 * whose number follows from the instruction: the handlers read them from there. ---- */

enum lod_mode { LOD_AUTO = 0, LOD_UNIFORM_BIAS = 1, LOD_UNIFORM = 2, LOD_GRADIENT = 4, LOD_BIAS = 5, LOD_GIVEN = 6 };

/* By isa_names_dim. */
static const struct {
   uint8_t coordinates;
   bool layered, multisampled;
} dimensions[] = {
    {1, false, false}, {1, true, false},  {2, false, false}, {2, true, false}, {2, false, true},
    {3, false, false}, {3, false, false}, {3, true, false},  {2, true, true},
};

/* The registers of an instruction from an operand on: 32 bits each, or one half. */
static void need(struct vgpu_binder *b, const struct isa_operand *operand, unsigned halves)
{
   if (operand->kind == ISA_REG) {
      vgpu_bind_allocated(b, operand->value, halves);
   }
}

static unsigned coordinate_halves(const struct vgpu_op *op)
{
   if (op->insn->op == ISA_OP_IMAGE_WRITE_BLOCK && !vgpu_bind_mod(op, ISA_MOD_EXPLICIT_COORDS)) {
      return op->image.layered ? 1 : 0; /* where the block goes is known, but for its layer */
   }
   const unsigned words = op->image.coordinates + (op->image.layered || op->image.multisampled ? 1u : 0u);
   return op->image.narrow ? words + (op->image.layered && op->image.multisampled ? 1u : 0u) : 2 * words;
}

/* Bit 47 says that coordinates are halves: Mesa 26.2.6 sets it where it loads texels at a fragment's own pixel, whose
 * coordinates special registers give as halves. Among the bits of unknown use it is the fifth or, where an image is
 * written, the sixth. */
static bool is_narrow(const struct isa_insn *insn)
{
   const bool written = insn->op == ISA_OP_IMAGE_WRITE || insn->op == ISA_OP_IMAGE_WRITE_BLOCK;
   return insn->mod[ISA_MOD_EXTRA] >> (written ? 5 : 4) & 1;
}

/* src[0]: a descriptor's offset from the base in src[5], or a state register's number. */
static void image_operands(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_insn *insn = op->insn;
   const uint32_t dimension = vgpu_bind_mod(op, ISA_MOD_DIM);
   if (dimension >= ARRAY_COUNT(dimensions)) {
      vgpu_refuse(b, "an image of an unknown dimension");
      return;
   }
   op->image.coordinates = dimensions[dimension].coordinates;
   /* a query has no layer (Mesa's agx_nir_lower_texture.c drops it) */
   op->image.layered = dimensions[dimension].layered && !op->image.query;
   op->image.multisampled = dimensions[dimension].multisampled;
   op->image.narrow = is_narrow(insn);
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

/* Whether lanes load words from one level of one image of two dimensions. A descriptor in memory may differ. */
static bool is_direct(const struct vgpu_op *op)
{
   const struct isa_insn *insn = op->insn;
   return insn->op == ISA_OP_TEXTURE_LOAD && op->dst.size == 32 && op->image.coordinates == 2 && !op->image.layered &&
          !op->image.multisampled && !op->image.narrow && !op->image.offset && !op->image.query &&
          (op->image.in_memory || insn->src[0].kind != ISA_REG) &&
          (!op->image.has_level || insn->src[3].kind != ISA_REG);
}

unsigned vgpu_bind_texture(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_insn *insn = op->insn;
   struct isa_operand all = insn->dst;
   const uint32_t gather = vgpu_bind_mod(op, ISA_MOD_GATHER);
   if (vgpu_bind_mod(op, ISA_MOD_SPARSE)) {
      vgpu_refuse(b, "sparse sampling, which the virtual GPU lacks");
      return 0;
   }
   if (gather && !(gather & 1)) {
      vgpu_refuse(b, "a gather whose component is not known");
      return 0;
   }
   op->image.query = vgpu_bind_mod(op, ISA_MOD_QUERY_LOD) != 0;
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
   op->image.direct = is_direct(op);
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
   if (!vgpu_bind_mod(op, ISA_MOD_EXPLICIT_COORDS) && vgpu_bind_stage(b) != VGPU_STAGE_TILE) {
      vgpu_refuse(b, "a block of the tile that fragments were drawn to, outside of an end-of-tile program");
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

/* Components that a sample of a pixel has no room for are not stored: Mesa's copies of formats with fewer than four
 * components of 32 bits store all four, in samples of 8 bytes. */
static void limit_components(const struct vgpu_tile *tile, struct vgpu_op *op)
{
   const uint32_t offset = vgpu_bind_mod(op, ISA_MOD_PIXEL_OFFSET);
   const uint32_t room = offset < tile->sample_bytes ? tile->sample_bytes - offset : 0;
   if (op->memory.element_bytes && !isa_formats[op->memory.format].components) {
      const uint32_t most = room / op->memory.element_bytes;
      op->memory.mask &= most < 4 ? (1u << most) - 1 : 15;
   }
}

unsigned vgpu_bind_tile(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_insn *insn = op->insn;
   elements(b, op, insn->op == ISA_OP_TILE_LOAD ? &insn->dst : &insn->src[0]);
   if (insn->op == ISA_OP_TILE_STORE) {
      limit_components(&b->launch->tile, op);
   }
   if (!vgpu_bind_mod(op, ISA_MOD_EXPLICIT_COORDS) && vgpu_bind_stage(b) != VGPU_STAGE_FRAGMENT) {
      vgpu_refuse(b, "a pixel of the tile that fragments are drawn to, outside of a fragment program");
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
