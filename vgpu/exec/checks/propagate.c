/* SPDX-License-Identifier: MIT
 *
 * How undefined bits pass through an instruction, for all lanes at once; built once for each level of the host's vector
 * instructions (vgpu/meson.build), as lanes.c is. Each lane's result depends on that lane's sources alone.
 */
#include <string.h>

#include "isa/formats.h"
#include "vgpu/exec/checks/undefined.h"

#define EACH_LANE(lane) for (unsigned lane = 0; lane < VGPU_LANES; lane++)

/* Of 64 bits; of narrower ones `high` is 0. */
struct lane_bits {
   uint32_t low[VGPU_LANES], high[VGPU_LANES];
};

static void read_words(const struct vgpu_source *source, const uint32_t *at, uint32_t bits[VGPU_LANES])
{
   switch (source->form) {
#define FORM(form)                                                                                                     \
   case form:                                                                                                          \
      EACH_LANE(lane)                                                                                                  \
      {                                                                                                                \
         bits[lane] = vgpu_undefined_read_as(form, at[lane]);                                                          \
      }                                                                                                                \
      break;
      FORM(VGPU_LOW)
      FORM(VGPU_HIGH)
      FORM(VGPU_LOW_SIGNED)
      FORM(VGPU_HIGH_SIGNED)
      FORM(VGPU_LOW_FLOAT)
      FORM(VGPU_HIGH_FLOAT)
#undef FORM
   default:
      memcpy(bits, at, VGPU_LANES * sizeof(*bits));
      break;
   }
}

/* The same as vgpu_undefined_source() in each lane. */
static void read_source(const struct vgpu_checked_op *checked, const struct vgpu_op *op, unsigned n,
                        const struct vgpu_simd *simd, struct lane_bits *bits)
{
   const struct vgpu_source *source = &op->src[n];
   if (source->size && source->space == VGPU_REGISTERS) {
      const uint32_t *at = vgpu_source_vector(simd, source) + simd->checks->owner->definedness_words;
      read_words(source, at, bits->low);
      if (source->size == 64) {
         memcpy(bits->high, at + VGPU_LANES, sizeof(bits->high));
      } else {
         memset(bits->high, 0, sizeof(bits->high));
      }
      return;
   }
   const uint64_t all = vgpu_undefined_source(checked, op, n, simd, 0);
   EACH_LANE(lane)
   {
      bits->low[lane] = (uint32_t)all;
      bits->high[lane] = (uint32_t)(all >> 32);
   }
}

static void read_sources(const struct vgpu_checked_op *checked, const struct vgpu_op *op, const struct vgpu_simd *simd,
                         uint32_t sources, struct lane_bits *bits)
{
   memset(bits, 0, sizeof(*bits));
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      struct lane_bits more;
      if (!(sources >> n & 1) || !op->src[n].size) {
         continue;
      }
      read_source(checked, op, n, simd, &more);
      EACH_LANE(lane)
      {
         bits->low[lane] |= more.low[lane];
         bits->high[lane] |= more.high[lane];
      }
   }
}

static uint32_t undefined_lanes(const struct vgpu_checked_op *checked, const struct vgpu_op *op,
                                const struct vgpu_simd *simd, uint32_t sources)
{
   struct lane_bits bits;
   uint32_t lanes = 0;
   read_sources(checked, op, simd, sources, &bits);
   EACH_LANE(lane)
   {
      lanes |= (uint32_t)((bits.low[lane] | bits.high[lane]) != 0) << lane;
   }
   return lanes;
}

/* ---- Results ---- */

static inline uint32_t truth(const uint32_t table[4], uint32_t a, uint32_t b)
{
   return (table[0] & ~a & ~b) | (table[1] & a & ~b) | (table[2] & ~a & b) | (table[3] & a & b);
}

/* A bit is defined if no choice of the undefined bits changes it. */
static void find_truth(const struct vgpu_checked_op *checked, const struct vgpu_op *op, const struct vgpu_simd *simd,
                       struct lane_bits *result)
{
   uint32_t bits = (uint32_t)op->insn->mod[ISA_MOD_TRUTH] & 15, table[4];
   uint32_t a[VGPU_LANES], b[VGPU_LANES];
   struct lane_bits of_a, of_b;
   bits = bits == 3 || bits == 12 ? 10 : bits; /* exec_int.c: those that would give b alone give a */
   for (unsigned i = 0; i < 4; i++) {
      table[i] = 0 - (bits >> i & 1);
   }
   vgpu_lane_values(op, 0, simd, a);
   vgpu_lane_values(op, 1, simd, b);
   read_source(checked, op, 0, simd, &of_a);
   read_source(checked, op, 1, simd, &of_b);
   EACH_LANE(lane)
   {
      const uint32_t ua = of_a.low[lane], ub = of_b.low[lane], value = truth(table, a[lane], b[lane]);
      result->low[lane] = (ua & (value ^ truth(table, ~a[lane], b[lane]))) |
                          (ub & (value ^ truth(table, a[lane], ~b[lane]))) |
                          (ua & ub & (value ^ truth(table, ~a[lane], ~b[lane])));
   }
   memset(result->high, 0, sizeof(result->high));
}

/* The lowest undefined bit and all above it; without `carries` all bits where one is undefined. */
static void spread(struct lane_bits *bits, bool carries)
{
   EACH_LANE(lane)
   {
      const uint32_t low = bits->low[lane], high = bits->high[lane];
      const uint32_t any = 0 - (uint32_t)((low | high) != 0), from_low = 0 - (uint32_t)(low != 0);
      bits->low[lane] = carries ? low | (0 - low) : any;
      bits->high[lane] = carries ? from_low | high | (0 - high) : any;
   }
}

static void put_words(const struct vgpu_simd *simd, uint32_t *at, uint32_t part, const uint32_t bits[VGPU_LANES],
                      unsigned shift)
{
   EACH_LANE(lane)
   {
      const uint32_t mask = simd->mask[lane] & part;
      at[lane] = (at[lane] & ~mask) | (bits[lane] << shift & mask);
   }
}

/* Where those of a half register are, or of a word that starts there. */
static uint32_t *definedness(const struct vgpu_simd *simd, unsigned half)
{
   return simd->base[VGPU_REGISTERS] + simd->checks->owner->definedness_words + half / 2 * VGPU_LANES;
}

static void put_register(const struct vgpu_simd *simd, unsigned half, bool word, const uint32_t bits[VGPU_LANES])
{
   if (word) {
      put_words(simd, definedness(simd, half), UINT32_MAX, bits, 0);
   } else {
      put_words(simd, definedness(simd, half), half & 1 ? 0xffff0000u : 0xffffu, bits, half & 1 ? 16 : 0);
   }
}

static void find_result(const struct vgpu_checked_op *checked, const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   struct lane_bits bits;
   if (checked->definedness == VGPU_BITS_TRUTH) {
      find_truth(checked, op, simd, &bits);
   } else {
      read_sources(checked, op, simd, UINT32_MAX, &bits);
      spread(&bits, checked->definedness == VGPU_BITS_CARRY && !op->insn->mod[ISA_MOD_SATURATE]);
   }
   put_register(simd, op->dst.half, op->dst.form == VGPU_WORD, bits.low);
   if (op->dst.size == 64) {
      put_register(simd, op->dst.half + 2, true, bits.high);
   }
}

/* ---- Threadgroup memory ---- */

#define MAX_ELEMENTS 4u

/* The first byte's, where all lanes that access the memory are active ones, and within it. */
static uint8_t *local_bits(const struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   const uint32_t bytes = simd->group->bytes;
   const bool within = touch->last < bytes && touch->span <= bytes - touch->last && touch->first <= touch->last;
   return touch->kind == VGPU_THREADGROUP_MEMORY && within && touch->lanes == simd->exec
              ? simd->group->checks->undefined
              : NULL;
}

static inline void load_elements(const uint8_t *memory, const struct vgpu_touch *touch, unsigned offset, unsigned size,
                                 uint32_t bits[VGPU_LANES])
{
   for (uint32_t lanes = touch->lanes; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      memcpy(&bits[lane], memory + touch->address[lane] + offset, size);
   }
}

static bool load(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   const struct isa_format_info *format = &isa_formats[op->memory.format];
   const bool word = op->dst.form == VGPU_WORD;
   const uint8_t *memory = local_bits(simd, touch);
   unsigned n = 0;
   if (!memory) {
      return false;
   }
   for (uint32_t mask = touch->mask; mask; mask &= mask - 1) {
      const unsigned offset = (unsigned)__builtin_ctz(mask) * touch->element;
      uint32_t bits[VGPU_LANES] = {0};
      if (touch->element == 1) {
         load_elements(memory, touch, offset, 1, bits);
      } else if (touch->element == 2) {
         load_elements(memory, touch, offset, 2, bits);
      } else {
         load_elements(memory, touch, offset, 4, bits);
      }
      for (unsigned lane = 0; !format->raw && lane < VGPU_LANES; lane++) {
         bits[lane] = bits[lane] ? UINT32_MAX : 0;
      }
      for (unsigned i = 0; i < (format->components ? format->components : 1u); i++, n++) {
         put_register(simd, op->dst.half + n * (word ? 2u : 1u), word, bits);
      }
   }
   return true;
}

/* Elements in the order of lanes, as the store has them: a later lane's may lie over an earlier one's. */
static inline void store_elements(uint8_t *memory, const struct vgpu_touch *touch, unsigned size,
                                  uint32_t bits[MAX_ELEMENTS][VGPU_LANES])
{
   for (uint32_t lanes = touch->lanes; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      unsigned n = 0;
      for (uint32_t mask = touch->mask; mask; mask &= mask - 1, n++) {
         memcpy(memory + touch->address[lane] + (unsigned)__builtin_ctz(mask) * touch->element, &bits[n][lane], size);
      }
   }
}

static bool store(const struct vgpu_op *op, const struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   const bool word = op->dst.form == VGPU_WORD;
   uint8_t *memory = local_bits(simd, touch);
   uint32_t bits[MAX_ELEMENTS][VGPU_LANES];
   const unsigned count = (unsigned)__builtin_popcount(touch->mask);
   if (!memory || !isa_formats[op->memory.format].raw || count > MAX_ELEMENTS) {
      return false;
   }
   for (unsigned n = 0; n < count; n++) {
      const unsigned half = op->dst.half + n * (word ? 2u : 1u), shift = word || !(half & 1) ? 0 : 16;
      const uint32_t *at = definedness(simd, half);
      EACH_LANE(lane)
      {
         bits[n][lane] = at[lane] >> shift;
      }
   }
   if (touch->element == 1) {
      store_elements(memory, touch, 1, bits);
   } else if (touch->element == 2) {
      store_elements(memory, touch, 2, bits);
   } else {
      for (unsigned n = 0; n < count && !word; n++) {
         EACH_LANE(lane)
         {
            bits[n][lane] &= 0xffffu;
         }
      }
      store_elements(memory, touch, 4, bits);
   }
   return true;
}

extern const struct vgpu_propagation VGPU_NAME(vgpu_propagation); /* lanes.c refers to it */
const struct vgpu_propagation VGPU_NAME(vgpu_propagation) = {undefined_lanes, find_result, load, store};
