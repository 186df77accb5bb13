/* SPDX-License-Identifier: MIT
 *
 * Undefined values in programs of render passes, on their way from a vertex's outputs through coefficients and the
 * tile's memory. Copies and interpolation pass them on. A report is made where one is part of a position, decides which
 * samples live, becomes depth or stencil, or changes the tile's memory. Invariant: helpers, and fragments that were
 * killed, are never reported, since nothing of theirs is kept.
 */
#include "vgpu/exec/checks/undefined.h"

#include <inttypes.h>
#include <string.h>

#include "isa/formats.h"
#include "vgpu/stage.h"

#define POSITION_WORDS 4u
#define MOST_BYTES 16u /* that a store writes to a sample */

static const struct vgpu_stage *stage_of(const struct vgpu_simd *simd)
{
   return simd->worker->launch->stage;
}

static const struct vgpu_fragment *fragment_of(const struct vgpu_simd *simd, unsigned lane)
{
   return &stage_of(simd)->fragments[simd->index * VGPU_LANES + lane];
}

/* An operand of 16 bits. */
static uint32_t half_of(const struct vgpu_simd *simd, const struct isa_operand *operand, unsigned lane)
{
   if (operand->kind != ISA_REG) {
      return (uint32_t)operand->value;
   }
   const uint32_t word = simd->base[VGPU_REGISTERS][(unsigned)operand->value / 2 * VGPU_LANES + lane];
   return operand->value & 1 ? word >> 16 : word & 0xffff;
}

/* The undefined bits of an operand's word, or of its first half. */
static uint32_t bits_of(const struct vgpu_simd *simd, const struct isa_operand *operand, bool word, unsigned lane)
{
   return operand->kind == ISA_REG ? vgpu_undefined_get(simd, (unsigned)operand->value, word, lane) : 0;
}

/* Reports an operand of a lane, which then counts as defined. */
static void report(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned half, bool word, unsigned lane,
                   const char *use)
{
   struct vgpu_halves halves = {{0}};
   vgpu_check_found(simd, op, VGPU_CHECK_UNDEFINED, lane, 0, "%s %s, and depends on a value that nothing wrote%s",
                    vgpu_name_half(half, word).text, use, vgpu_undefined_origin(simd).text);
   vgpu_halves_add_range(&halves, half, word ? 2 : 1);
   vgpu_undefined_define(simd, &halves, simd->launched_bits);
}

/* Reports the first of the lanes whose operand is undefined. */
static void check_operand(const struct vgpu_op *op, struct vgpu_simd *simd, const struct isa_operand *operand,
                          bool word, uint32_t lanes, const char *use)
{
   for (; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (bits_of(simd, operand, word, lane)) {
         report(op, simd, (unsigned)operand->value, word, lane, use);
         return;
      }
   }
}

/* ---- Vertices ---- */

static void store_output(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const struct vgpu_stage *stage = stage_of(simd);
   const struct isa_operand *data = &op->insn->src[0], *index = &op->insn->src[1];
   check_operand(op, simd, index, false, simd->exec, "is the number of an output");
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      const uint64_t thread = simd->group->number * simd->worker->launch->group[0] + simd->index * VGPU_LANES + lane;
      const uint32_t word = half_of(simd, index, lane), bits = bits_of(simd, data, true, lane);
      if (bits && word < POSITION_WORDS) {
         report(op, simd, (unsigned)data->value, true, lane, "is part of the position");
      }
      if (stage->undefined && word < stage->output_words) {
         stage->undefined[thread * stage->output_words + word] = word < POSITION_WORDS ? 0 : bits;
      }
   }
}

/* ---- Coefficients ---- */

static bool is_undefined(const struct vgpu_simd *simd, const struct vgpu_fragment *fragment, uint32_t number)
{
   return fragment->planes && number < stage_of(simd)->plane_count && fragment->planes[number].undefined;
}

/* each: registers of the result for each coefficient register. */
static void interpolate(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd,
                        unsigned each)
{
   const struct isa_insn *insn = op->insn;
   const bool word = op->dst.size == 32;
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      const struct vgpu_fragment *fragment = fragment_of(simd, lane);
      const bool whole =
          bits_of(simd, &insn->src[0], false, lane) ||
          (insn->op == ISA_OP_ITER_PROJECTED && is_undefined(simd, fragment, (uint32_t)insn->src[1].value));
      for (unsigned i = 0; i < insn->dst.count; i++) {
         const bool bad = whole || is_undefined(simd, fragment, half_of(simd, &insn->src[0], lane) + i / each);
         vgpu_undefined_put(simd, op->dst.half + i * (word ? 2 : 1), word, lane, bad ? UINT32_MAX : 0);
      }
   }
   vgpu_undefined_mark(simd, &checked->writes);
}

/* ---- Samples, depth and stencil ---- */

static uint32_t living(const struct vgpu_simd *simd)
{
   return vgpu_stage_storing(stage_of(simd), simd->index * VGPU_LANES, simd->exec);
}

static void emit_depth(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const uint32_t parts = (uint32_t)op->insn->mod[ISA_MOD_ZS]; /* 1 depth, 2 stencil */
   struct isa_operand stencil = op->insn->src[1];
   check_operand(op, simd, &op->insn->src[0], false, living(simd), "decides which samples live");
   if (parts & 1) {
      check_operand(op, simd, &op->insn->src[1], true, living(simd), "becomes depth");
      stencil.value += 2;
   }
   if (parts & 2) {
      check_operand(op, simd, &stencil, false, living(simd), "becomes stencil");
   }
}

/* ---- The tile's memory ---- */

/* Bytes from the start of the tile's memory to a fragment's sample; bytes after the last one: it has no such memory. */
static uint64_t sample_at(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane, unsigned sample)
{
   const struct vgpu_tile *tile = &simd->worker->launch->tile;
   const struct vgpu_stage *stage = stage_of(simd);
   const uint32_t x = fragment_of(simd, lane)->x - stage->origin[0], y = fragment_of(simd, lane)->y - stage->origin[1];
   const uint64_t pixel = (uint64_t)y * tile->width + x;
   const uint64_t at =
       ((pixel << tile->samples_log2) + sample) * tile->sample_bytes + (uint32_t)op->insn->mod[ISA_MOD_PIXEL_OFFSET];
   return x < tile->width && y < tile->height && at + MOST_BYTES <= stage->tile_bytes ? at : stage->tile_bytes;
}

/* Whether the definedness of what the instruction accesses is known: a fragment's own pixel. */
static bool is_tracked(const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   const struct vgpu_stage *stage = stage_of(simd);
   return stage && stage->kind == VGPU_STAGE_FRAGMENT && stage->tile_undefined &&
          !op->insn->mod[ISA_MOD_EXPLICIT_COORDS];
}

/* The elements of a sample: their place in it, and their registers. */
struct element {
   unsigned offset, bytes;
   unsigned half, count; /* the first register, and how many */
};

static unsigned elements_of(const struct vgpu_op *op, struct element elements[4])
{
   const unsigned each = op->dst.form == VGPU_WORD ? 2 : 1, packed = isa_formats[op->memory.format].components;
   unsigned n = 0;
   if (packed) {
      elements[n++] = (struct element){0, op->memory.element_bytes, op->dst.half, packed};
      return n;
   }
   for (uint32_t mask = op->memory.mask & 15u; mask; mask &= mask - 1, n++) {
      elements[n] = (struct element){(unsigned)__builtin_ctz(mask) * op->memory.element_bytes, op->memory.element_bytes,
                                     op->dst.half + n * each, 1};
   }
   return n;
}

static bool any_undefined(const uint8_t *bytes, unsigned count)
{
   bool any = false;
   for (unsigned i = 0; i < count; i++) {
      any = any || bytes[i];
   }
   return any;
}

static void load_tile(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const struct vgpu_stage *stage = stage_of(simd);
   const bool word = op->dst.form == VGPU_WORD;
   struct element elements[4];
   const unsigned count = elements_of(op, elements);
   if (!is_tracked(op, simd)) {
      vgpu_undefined_define(simd, &checked->writes, simd->exec);
      return;
   }
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      const uint32_t mask = half_of(simd, &op->insn->src[2], lane);
      const uint64_t at = sample_at(op, simd, lane, mask ? (unsigned)__builtin_ctz(mask) : 0);
      const bool there = fragment_of(simd, lane)->live && at < stage->tile_bytes;
      for (unsigned n = 0; n < count; n++) {
         const bool bad = there && any_undefined(stage->tile_undefined + at + elements[n].offset, elements[n].bytes);
         for (unsigned i = 0; i < elements[n].count; i++) {
            vgpu_undefined_put(simd, elements[n].half + i * (word ? 2 : 1), word, lane, bad ? UINT32_MAX : 0);
         }
      }
   }
   vgpu_undefined_mark(simd, &checked->writes);
}

/* What a lane stores to one sample. An undefined value that is there already changes nothing: a copy of what a colour
 * mask leaves. */
static void store_sample(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned lane, uint64_t at,
                         const uint8_t before[MOST_BYTES])
{
   const struct vgpu_stage *stage = stage_of(simd);
   struct element elements[4];
   const unsigned count = elements_of(op, elements);
   for (unsigned n = 0; n < count; n++) {
      const struct element *element = &elements[n];
      uint8_t *undefined = stage->tile_undefined + at + element->offset;
      const bool bad = vgpu_undefined_data(op, simd, n, lane) != 0;
      const bool same = !memcmp(stage->tile + at + element->offset, before + element->offset, element->bytes);
      if (bad && !same) {
         report(op, simd, element->half, op->dst.form == VGPU_WORD, lane, "is stored to the tile");
      }
      if (!bad || !same) {
         memset(undefined, 0, element->bytes);
      }
   }
}

/* The store is executed here, and a second time by the caller: that changes nothing. */
static void store_tile(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const struct vgpu_stage *stage = stage_of(simd);
   const unsigned samples = 1u << simd->worker->launch->tile.samples_log2;
   uint8_t before[VGPU_LANES][VGPU_MAX_SAMPLES][MOST_BYTES];
   if (!is_tracked(op, simd)) {
      return;
   }
   for (unsigned step = 0; step < 2; step++) {
      for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
         const unsigned lane = (unsigned)__builtin_ctz(lanes);
         const uint32_t named = half_of(simd, &op->insn->src[2], lane) & fragment_of(simd, lane)->live;
         for (unsigned sample = 0; sample < samples; sample++) {
            const uint64_t at = sample_at(op, simd, lane, sample);
            if (!(named >> sample & 1) || at >= stage->tile_bytes) {
               continue;
            }
            if (step == 0) {
               memcpy(before[lane][sample], stage->tile + at, MOST_BYTES);
            } else {
               store_sample(op, simd, lane, at, before[lane][sample]);
            }
         }
      }
      if (step == 0) {
         checked->run[1](op, &simd, 1);
      }
   }
}

/* ---- The instruction ---- */

void vgpu_check_undefined_stage(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd)
{
   switch (op->insn->op) {
   case ISA_OP_VARYING_STORE:
      store_output(op, simd);
      break;
   case ISA_OP_ITER:
   case ISA_OP_ITER_PROJECTED:
      interpolate(checked, op, simd, 1);
      break;
   case ISA_OP_COEFFICIENT_LOAD:
      interpolate(checked, op, simd, 3);
      break;
   case ISA_OP_SAMPLE_MASK:
      check_operand(op, simd, &op->insn->src[0], false, living(simd), "decides which samples live");
      check_operand(op, simd, &op->insn->src[1], false, living(simd), "decides which samples live");
      break;
   case ISA_OP_ZS_EMIT:
      emit_depth(op, simd);
      break;
   case ISA_OP_TILE_LOAD:
      load_tile(checked, op, simd);
      break;
   default:
      store_tile(checked, op, simd);
      break;
   }
}

void vgpu_check_texel(struct vgpu_simd *simd, const struct vgpu_op *op, unsigned lane, const uint32_t at[4],
                      const uint32_t size[3])
{
   const struct vgpu_stage *stage = stage_of(simd);
   /* The background program loads past the frame's end, where a tile goes on. */
   if (!vgpu_checks_on(simd, VGPU_CHECK_BOUNDS) || !stage ||
       (stage->kind == VGPU_STAGE_FRAGMENT && (!fragment_of(simd, lane)->planes || !fragment_of(simd, lane)->live))) {
      return;
   }
   vgpu_check_found(simd, op, VGPU_CHECK_BOUNDS, lane, 0,
                    "a read of texel %" PRId32 ", %" PRId32 " of layer %" PRIu32 " of level %" PRIu32
                    ", which has %" PRIu32 " x %" PRIu32 " texels and %" PRIu32 " layers",
                    (int32_t)at[0], (int32_t)at[1], at[2], at[3], size[0], size[1], size[2]);
}
