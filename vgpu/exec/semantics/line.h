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
   const bool same = space == VGPU_SAME || space == VGPU_CONSTANTS || space == VGPU_LITERALS;
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

/* Asks for the line that a streaming program wants `ahead` simdgroups later. */
#define VGPU_LINE_BYTES (VGPU_LANES * 4)
#define VGPU_PREFETCH(line, write, ahead)                                                                              \
   do {                                                                                                                \
      __builtin_prefetch((line) + (ahead)*VGPU_LINE_BYTES, write);                                                     \
      __builtin_prefetch((line) + (ahead)*VGPU_LINE_BYTES + VGPU_LINE_BYTES / 2, write);                               \
   } while (0)

#endif
