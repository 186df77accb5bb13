/* SPDX-License-Identifier: MIT
 *
 * Lines of device memory: what the lanes of a simdgroup access when all are active and their addresses are
 * consecutive, or all equal. The interpreter (exec_memory.c) and compiled blocks (vgpu/jit/frame.c) detect them in the
 * same way. Nothing here accesses device memory.
 */
#ifndef VGPU_LINE_H
#define VGPU_LINE_H

#include "isa/formats.h"
#include "vgpu/exec/semantics/vector.h"

#define VGPU_MAX_SPAN 16u /* bytes that one lane moves */

/* Words one after the other, wherever they start. */
typedef vu vgpu_words __attribute__((aligned(4)));

/* The data operand that is `n` registers further on. */
VGPU_INLINE struct vgpu_dest vgpu_dest_part(const struct vgpu_dest *dest, unsigned n)
{
   struct vgpu_dest part = *dest;
   unsigned half = dest->half + n * (dest->form == VGPU_WORD ? 2u : 1u);
   part.vector = half / 2 * VGPU_LANES;
   part.form = dest->form == VGPU_WORD ? VGPU_WORD : half & 1 ? VGPU_HIGH : VGPU_LOW;
   return part;
}

#if defined(__AVX2__)
#define VGPU_GATHERS 1 /* the host has an instruction that loads from an offset for each lane */

/* Four bytes for each lane of the mask. */
VGPU_INLINE vu vgpu_gather(const uint8_t *from, vu offsets, vu mask)
{
#if defined(__AVX512F__)
   return (vu)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask),
                                          (__m512i)offsets, from, 1);
#else
   return (vu)_mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)(const void *)from, (__m256i)offsets,
                                          (__m256i)mask, 1);
#endif
}
#else
#define VGPU_GATHERS 0
#endif

/* Whether each lane's word is `step` more than the one before. */
VGPU_INLINE bool vgpu_rises(const uint32_t *vector, uint32_t step)
{
   static const _Alignas(64)
       uint32_t lanes[VGPU_LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
   vu wrong = vgpu_all(0);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      wrong |= vgpu_load(vector, i) ^ (vgpu_load(lanes, i) * step + vector[0]);
   }
   return !vgpu_any(wrong);
}

/* Bytes from the first to the last component that moves. */
VGPU_INLINE unsigned vgpu_span(const struct vgpu_op *op)
{
   return isa_formats[op->memory.format].components
              ? op->memory.element_bytes
              : (32u - (unsigned)__builtin_clz(op->memory.mask | 1)) * op->memory.element_bytes;
}

/* What an instruction needs to know of itself to look for lines. */
struct vgpu_line {
   struct vgpu_source base, index;
   bool one_base;    /* the same for all lanes, always */
   unsigned element; /* bytes; addresses are multiples of it */
   unsigned scale;   /* left shift of the index, to bytes */
   unsigned span;    /* bytes of a lane */
   unsigned access;  /* enum vgpu_access */
};

VGPU_INLINE struct vgpu_line vgpu_line_of(const struct vgpu_op *op, unsigned access)
{
   return (struct vgpu_line){.base = op->src[0],
                             .index = op->src[1],
                             .one_base = op->src[0].space == VGPU_CONSTANTS,
                             .element = op->memory.element_bytes,
                             .scale = op->memory.shift + (unsigned)__builtin_ctz(op->memory.element_bytes),
                             .span = vgpu_span(op),
                             .access = access};
}

/* Whether an index that counts up from this one does not start again in between. */
VGPU_INLINE bool vgpu_line_stays_below_wrap(const struct vgpu_line *line, uint32_t index)
{
   return line->index.sx ? (int32_t)index <= INT32_MAX - 31 : index <= UINT32_MAX - 31;
}

/* Finds the bytes from one lane's address to the next without computing any: one base and an index that counts, or one
 * index and bases that do. false: it is not one of these. */
VGPU_INLINE bool vgpu_line_step(const struct vgpu_line *line, const uint32_t *low, const uint32_t *index,
                                unsigned *step)
{
   const uint8_t space = line->index.space;
   const bool same = space != VGPU_REGISTERS && space != VGPU_COMPUTED && space != VGPU_COUNTING;
   const bool counts =
       !same && (space == VGPU_COUNTING || vgpu_rises(index, 1)) && vgpu_line_stays_below_wrap(line, index[0]);
   if ((!counts && !same && (space == VGPU_COUNTING || !vgpu_rises(index, 0))) ||
       (!line->one_base && !vgpu_rises(low + VGPU_LANES, 0))) {
      return false;
   }
   *step = counts ? 1u << line->scale : 0;
   if (line->one_base || vgpu_rises(low, 0)) {
      return true;
   }
   *step = low[1] - low[0];
   return !counts && *step <= VGPU_MAX_SPAN && low[0] <= UINT32_MAX - VGPU_LANES * VGPU_MAX_SPAN &&
          *step % line->element == 0 && vgpu_rises(low, *step);
}

/* The common case: one lane after the other (loads: or all at one place) within a page. *first: the
 * address of lane 0; *bytes: from there to the end. The caller has tested that all lanes are active.
 */
VGPU_INLINE bool vgpu_line_find(const struct vgpu_line *line, const struct vgpu_simd *simd, unsigned *step,
                                uint64_t *first, unsigned *bytes)
{
   const uint32_t *low = vgpu_source_vector(simd, &line->base), *index = vgpu_source_vector(simd, &line->index);
   if (!vgpu_line_step(line, low, index, step) || (*step != line->span && (*step != 0 || line->access == VGPU_WRITE))) {
      return false;
   }
   *first = ((uint64_t)low[VGPU_LANES] << 32 | low[0]) & ~(uint64_t)(line->element - 1);
   *first += (line->index.sx ? (uint64_t)(int64_t)(int32_t)index[0] : index[0]) << line->scale;
   *bytes = (VGPU_LANES - 1) * *step + line->span;
   return *first % VGPU_PAGE + *bytes <= VGPU_PAGE;
}

/* Offsets of the active lanes' addresses from the start of the page on which the first of them lies; one lane is active
 * at least. false: an offset is above `limit`. */
VGPU_INLINE bool vgpu_page_offsets(const struct vgpu_op *op, const struct vgpu_simd *simd, uint32_t limit,
                                   uint64_t *page, uint32_t *offsets)
{
   const unsigned bytes = op->memory.element_bytes, scale = op->memory.shift + (unsigned)__builtin_ctz(bytes);
   const uint32_t *low = vgpu_source_vector(simd, &op->src[0]), *index = vgpu_source_vector(simd, &op->src[1]);
   const unsigned lane = (unsigned)__builtin_ctz(simd->exec);
   const bool sx = op->src[1].sx;
   const uint64_t base = ((uint64_t)low[VGPU_LANES + lane] << 32 | low[lane]) & ~(uint64_t)(bytes - 1);
   const uint64_t first = base + ((sx ? (uint64_t)(int64_t)(int32_t)index[lane] : index[lane]) << scale);
   vu wrong = vgpu_all(0);
   *page = first & ~(uint64_t)(VGPU_PAGE - 1);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu start = vgpu_load(low, i) & (0u - bytes), word = vgpu_load(index, i), sum = start + (word << scale);
      vu carried = (vu)((vi)word >> 31) & (0u - sx); /* the index's high word */
      if (scale > 0) {
         carried = carried << scale | word >> (32 - scale);
      }
      const vu high = vgpu_load(low + VGPU_LANES, i) + carried - (vu)(sum < start);
      const vu offset = sum - (uint32_t)*page;
      wrong |= ((vu)(offset > limit) | (high ^ (uint32_t)(*page >> 32))) & vgpu_load(simd->mask, i);
      vgpu_store(offsets, i, offset);
   }
   return !vgpu_any(wrong);
}

/* Asks for the line that a streaming program wants `ahead` simdgroups later. */
#define VGPU_LINE_BYTES (VGPU_LANES * 4)
#define VGPU_PREFETCH(line, write, ahead)                                                                              \
   do {                                                                                                                \
      __builtin_prefetch((line) + (ahead)*VGPU_LINE_BYTES, write);                                                     \
      __builtin_prefetch((line) + (ahead)*VGPU_LINE_BYTES + VGPU_LINE_BYTES / 2, write);                               \
   } while (0)

#endif
