/* SPDX-License-Identifier: MIT
 *
 * The tile buffer: threadgroup memory as rows of pixels, each with its samples one after the other. A fragment's pixel
 * is its own, compute programs name one. A store goes to all samples that its mask names, a load comes from the first
 * of them. How the hardware arranges pixels there is not known; programs see it through these instructions and block
 * writes alone.
 */
#include "vgpu/exec/half.h"
#include "vgpu/exec/semantics/lane_pointers.h"
#include "vgpu/stage.h"

static uint32_t half_of(const struct vgpu_simd *simd, const struct isa_operand *operand, unsigned offset, unsigned lane)
{
   const unsigned half = (unsigned)operand->value + offset;
   if (operand->kind != ISA_REG) {
      return (uint32_t)operand->value;
   }
   const uint32_t word = simd->base[VGPU_REGISTERS][half / 2 * VGPU_LANES + lane];
   return half & 1 ? word >> 16 : word & 0xffff;
}

static const struct vgpu_fragment *fragment_of(const struct vgpu_simd *simd, unsigned lane)
{
   return &simd->worker->launch->stage->fragments[simd->index * VGPU_LANES + lane];
}

/* Where a lane's sample lies; NULL: outside of threadgroup memory, or it is not the lane's turn. */
static uint8_t *sample_at(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane, unsigned sample,
                          unsigned span)
{
   const struct vgpu_tile *tile = &simd->worker->launch->tile;
   const bool given = op->insn->mod[ISA_MOD_EXPLICIT_COORDS] != 0;
   const struct vgpu_fragment *fragment = given ? NULL : fragment_of(simd, lane);
   const uint32_t *origin = given ? NULL : simd->worker->launch->stage->origin;
   const uint32_t x = given ? half_of(simd, &op->insn->src[1], 0, lane) : fragment->x - origin[0];
   const uint32_t y = given ? half_of(simd, &op->insn->src[1], 1, lane) : fragment->y - origin[1];
   const uint64_t pixel = (uint64_t)y * tile->width + x;
   const uint64_t at =
       ((pixel << tile->samples_log2) + sample) * tile->sample_bytes + (uint32_t)op->insn->mod[ISA_MOD_PIXEL_OFFSET];
   const bool inside = x < tile->width && y < tile->height && at + span <= simd->group->bytes;
   return inside ? simd->group->memory + at : NULL;
}

static bool is_named(const struct vgpu_op *op, const struct vgpu_simd *simd, unsigned lane, unsigned sample)
{
   uint32_t mask = half_of(simd, &op->insn->src[2], 0, lane);
   if (!op->insn->mod[ISA_MOD_EXPLICIT_COORDS]) {
      mask &= fragment_of(simd, lane)->live; /* helpers, and what was killed or failed, store nothing */
   }
   return mask >> sample & 1;
}

static void pointers_of(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned sample,
                        struct vgpu_lane_pointers *pointers)
{
   const unsigned span = vgpu_span(op);
   pointers->valid = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const bool active = simd->exec >> lane & 1 && is_named(op, simd, lane, sample);
      uint8_t *at = active ? sample_at(op, simd, lane, sample, span) : NULL;
      pointers->at[lane] = at ? at : pointers->spare[lane];
      pointers->valid |= at ? 1u << lane : 0;
      memset(pointers->spare[lane], 0, VGPU_MAX_SPAN);
   }
}

/* Floats of 32 bits become halves: Mesa's copies store them so. Other memory is stored to as raw bits. */
static bool converts(const struct vgpu_op *op)
{
   return op->memory.format == ISA_FORMAT_F16 && op->dst.size == 32;
}

static void store_halves(const struct vgpu_op *op, const struct vgpu_simd *simd,
                         const struct vgpu_lane_pointers *pointers)
{
   const uint32_t *words = vgpu_dest_vector(simd, &op->dst);
   for (uint32_t lanes = pointers->valid; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      unsigned at = 0;
      for (unsigned i = 0; i < 4; i++) {
         if (op->memory.mask >> i & 1) {
            float value;
            memcpy(&value, &words[at++ * VGPU_LANES + lane], sizeof(value));
            const uint16_t half = vgpu_f16_from_double((double)value, false);
            memcpy(pointers->at[lane] + 2 * i, &half, sizeof(half));
         }
      }
   }
}

static void load_halves(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_lane_pointers *pointers)
{
   uint32_t *words = vgpu_dest_vector(simd, &op->dst);
   for (uint32_t lanes = pointers->valid; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      unsigned at = 0;
      for (unsigned i = 0; i < 4; i++) {
         if (op->memory.mask >> i & 1) {
            uint16_t half;
            memcpy(&half, pointers->at[lane] + 2 * i, sizeof(half));
            words[at++ * VGPU_LANES + lane] = vgpu_f32_from_double(vgpu_f16_to_double(half));
         }
      }
   }
}

/* ---- Four bytes a pixel, one sample: what most programs store and load ---- */

/* Where in threadgroup memory each lane's pixel is. false: the program names pixels or samples, or the words are none
 * of four fractions in bytes. */
static bool find_pixels(const struct vgpu_op *op, const struct vgpu_simd *simd, uint32_t pixels[VGPU_LANES])
{
   const struct vgpu_launch *launch = simd->worker->launch;
   const struct vgpu_tile *tile = &launch->tile;
   const uint32_t offset = (uint32_t)op->insn->mod[ISA_MOD_PIXEL_OFFSET];
   const struct vgpu_stage *stage = launch->stage;
   const size_t all = (size_t)tile->width * tile->height * tile->sample_bytes;
   if (op->insn->mod[ISA_MOD_EXPLICIT_COORDS] || tile->samples_log2 || op->memory.format != ISA_FORMAT_U8NORM ||
       op->memory.mask != 15 || op->dst.size != 32 || op->insn->src[2].kind == ISA_REG ||
       !(op->insn->src[2].value & 1) || offset % 4 || offset + 4 > tile->sample_bytes || all > simd->group->bytes) {
      return false;
   }
   const uint32_t *at[2] = {simd->ids, simd->ids + VGPU_LANES}; /* a fragment's position is its pixel's */
   uint32_t outside = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const uint32_t active = simd->exec >> lane & 1 ? UINT32_MAX : 0;
      const uint32_t x = (at[0][lane] - stage->origin[0]) & active, y = (at[1][lane] - stage->origin[1]) & active;
      outside |= (x >= tile->width) | (y >= tile->height);
      pixels[lane] = (y * tile->width + x) * tile->sample_bytes + offset;
   }
   return !outside;
}

/* As vgpu_pack() does: no number is 0, then the nearest of 0 to 255, to even. */
static void add_bytes(const uint32_t *values, unsigned shift, uint32_t *words)
{
   VGPU_LANE_ARRAY(float, fractions);
   VGPU_LANE_ARRAY(uint32_t, bytes);
   memcpy(fractions, values, sizeof(fractions));
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const float least = fractions[lane] > 0 ? fractions[lane] : 0, limited = least < 1 ? least : 1;
#if defined(__FMA__) || defined(__aarch64__)
      const float shifted = __builtin_fmaf(limited, 255, 0x1.8p23f); /* its last bit is 1 */
      memcpy(&bytes[lane], &shifted, sizeof(shifted));
#else
      const double shifter = 0x1.8p52; /* its last bit is 1 */
      bytes[lane] = (uint32_t)(int32_t)((double)limited * 255 + shifter - shifter);
#endif
   }
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      words[lane] |= (bytes[lane] & 0xff) << shift;
   }
}

static bool store_bytes(const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, pixels);
   VGPU_LANE_ARRAY(uint32_t, words);
   if (!find_pixels(op, simd, pixels)) {
      return false;
   }
   const uint32_t *from = vgpu_dest_vector(simd, &op->dst);
   memset(words, 0, sizeof(words));
   for (unsigned i = 0; i < 4; i++) {
      add_bytes(from + i * VGPU_LANES, 8 * i, words);
   }
   const struct vgpu_launch *launch = simd->worker->launch;
   const struct vgpu_fragment *fragments = &launch->stage->fragments[simd->index * VGPU_LANES];
   uint8_t *memory = simd->group->memory;
   uint32_t live = 0;
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      live |= (uint32_t)(fragments[lane].live & 1) << lane;
   }
   if (live != VGPU_ALL) {
      for (; live; live &= live - 1) {
         const unsigned lane = (unsigned)__builtin_ctz(live);
         memcpy(memory + pixels[lane], &words[lane], sizeof(words[lane]));
      }
   } else {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         memcpy(memory + pixels[lane], &words[lane], sizeof(words[lane]));
      }
   }
   return true;
}

static bool load_bytes(const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, pixels);
   if (!find_pixels(op, simd, pixels)) {
      return false;
   }
   uint32_t *to = vgpu_dest_vector(simd, &op->dst);
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      for (unsigned i = 0; i < 4; i++) {
         const float value = (float)(simd->group->memory[pixels[lane] + i] / 255.0);
         memcpy(&to[i * VGPU_LANES + lane], &value, sizeof(value));
      }
   }
   return true;
}

static void tile_store(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   if (store_bytes(op, simd)) {
      return;
   }
   for (unsigned sample = 0; sample < 1u << simd->worker->launch->tile.samples_log2; sample++) {
      struct vgpu_lane_pointers pointers;
      pointers_of(op, simd, sample, &pointers);
      (converts(op) ? store_halves : vgpu_store_lanes)(op, simd, &pointers);
   }
}
VGPU_SLOW_HANDLER(tile_store, tile_store);
VGPU_OPERATION(TILE_STORE, tile, FALL, PLAIN, tile_store);

/* Each lane loads the first sample that its mask names. */
static void tile_load(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   if (load_bytes(op, simd)) {
      return;
   }
   const unsigned span = vgpu_span(op);
   struct vgpu_lane_pointers pointers = {.valid = 0};
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const uint32_t mask = simd->exec >> lane & 1 ? half_of(simd, &op->insn->src[2], 0, lane) : 0;
      const unsigned sample = mask ? (unsigned)__builtin_ctz(mask) : 0;
      const bool exists = mask && sample >> simd->worker->launch->tile.samples_log2 == 0;
      uint8_t *at = exists ? sample_at(op, simd, lane, sample, span) : NULL;
      pointers.at[lane] = at ? at : pointers.spare[lane];
      pointers.valid |= at ? 1u << lane : 0;
      memset(pointers.spare[lane], 0, VGPU_MAX_SPAN);
   }
   (converts(op) ? load_halves : vgpu_load_lanes)(op, simd, &pointers);
}
VGPU_SLOW_HANDLER(tile_load, tile_load);
VGPU_OPERATION(TILE_LOAD, tile, FALL, PLAIN, tile_load);
