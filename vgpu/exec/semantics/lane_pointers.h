/* SPDX-License-Identifier: MIT
 *
 * How loads and stores work: first each lane gets a pointer to the host memory behind its address, or to spare bytes
 * if there is none. Then the components are moved between those and the registers. For exec_memory.c and exec_local.c.
 * They read op->memory; op->dst describes the data registers, for stores too (vgpu/exec/bind.c).
 */
#ifndef VGPU_LANE_POINTERS_H
#define VGPU_LANE_POINTERS_H

#include "vgpu/exec/semantics/line.h"
#include "vgpu/exec/semantics/vector.h"

#include "vgpu/exec/format.h"

/* Where each lane's data lies. */
struct vgpu_lane_pointers {
   uint8_t *at[VGPU_LANES];
   uint32_t valid; /* lanes whose pointer is to real memory */
   /* For the others, and for what must be put together from pieces. */
   _Alignas(16) uint8_t spare[VGPU_LANES][VGPU_MAX_SPAN];
};

#define vgpu_load_lanes VGPU_NAME(vgpu_load_lanes)
#define vgpu_store_lanes VGPU_NAME(vgpu_store_lanes)
#define vgpu_load_vectors VGPU_NAME(vgpu_load_vectors)
#define vgpu_store_vectors VGPU_NAME(vgpu_store_vectors)
#define vgpu_load_offsets VGPU_NAME(vgpu_load_offsets)
#define vgpu_load_halves VGPU_NAME(vgpu_load_halves)
#define vgpu_store_halves VGPU_NAME(vgpu_store_halves)
#define vgpu_atomic_word VGPU_NAME(vgpu_atomic_word)

/* Every pointer may be read; those of lanes that are not valid point to zeros. */
void vgpu_load_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_lane_pointers *pointers);
/* Only lanes with a valid pointer are written. */
void vgpu_store_lanes(const struct vgpu_op *op, const struct vgpu_simd *simd,
                      const struct vgpu_lane_pointers *pointers);

/* The active lanes' raw elements at these offsets from `from`. Four bytes are read at each element. */
void vgpu_load_offsets(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *from, const uint32_t *offsets);

/* One raw 16-bit element a lane, one lane after the other; all lanes are active. */
void vgpu_load_halves(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *from);
void vgpu_store_halves(const struct vgpu_op *op, const struct vgpu_simd *simd, uint8_t *to);

/* vgpu_load_line() and vgpu_store_line() for several words a lane, and for loads from one place. */
void vgpu_load_vectors(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *from, unsigned span);
void vgpu_store_vectors(const struct vgpu_op *op, const struct vgpu_simd *simd, uint8_t *to, unsigned span);

/* One lane's atomic (operation: enum isa_atomic) on a word that other host threads may be working on; returns the old
 * value. cmpxchg: data is the new value, next the expected one. */
uint32_t vgpu_atomic_word(uint32_t *word, uint32_t operation, uint32_t data, uint32_t next);

/* Returns the new value that such an atomic computes from the old one. */
VGPU_INLINE uint32_t vgpu_atomic_result(uint32_t operation, uint32_t old, uint32_t data, uint32_t next)
{
   switch (operation) {
   case ISA_ATOMIC_ADD:
      return old + data;
   case ISA_ATOMIC_SUB:
      return old - data;
   case ISA_ATOMIC_XCHG:
      return data;
   case ISA_ATOMIC_AND:
      return old & data;
   case ISA_ATOMIC_OR:
      return old | data;
   case ISA_ATOMIC_XOR:
      return old ^ data;
   case ISA_ATOMIC_CMPXCHG:
      return old == next ? data : old;
   case ISA_ATOMIC_UMIN:
      return old < data ? old : data;
   case ISA_ATOMIC_UMAX:
      return old > data ? old : data;
   case ISA_ATOMIC_IMIN:
      return (int32_t)old < (int32_t)data ? old : data;
   default:
      return (int32_t)old > (int32_t)data ? old : data;
   }
}

/* Whether the line functions will do, if all lanes are active and lie so. */
VGPU_INLINE bool vgpu_has_words(const struct vgpu_op *op)
{
   return op->memory.element_bytes == 4 && isa_formats[op->memory.format].raw;
}

/* Whether a line of such lanes is for the functions of halves. */
VGPU_INLINE bool vgpu_has_halves(const struct vgpu_op *op, unsigned step)
{
   return op->memory.element_bytes == 2 && isa_formats[op->memory.format].raw && op->memory.mask == 1 && step == 2;
}

/* All lanes are active, and their raw 32-bit elements lie one lane after the other, `span` bytes apart (loads: 0 too,
 * all at one place). */
VGPU_INLINE void vgpu_load_line(const struct vgpu_op *op, struct vgpu_simd *simd, const uint8_t *from, unsigned span)
{
   if (span != 4 || op->memory.mask != 1) {
      vgpu_load_vectors(op, simd, from, span);
      return;
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(vgpu_dest_vector(simd, &op->dst), i, ((const vgpu_words *)(const void *)from)[i]);
   }
}

VGPU_INLINE void vgpu_store_line(const struct vgpu_op *op, const struct vgpu_simd *simd, uint8_t *to, unsigned span)
{
   if (span != 4 || op->memory.mask != 1) {
      vgpu_store_vectors(op, simd, to, span);
      return;
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      ((vgpu_words *)(void *)to)[i] = vgpu_load(vgpu_dest_vector(simd, &op->dst), i);
   }
}

/* Whether each lane lies `step` bytes after the one before. */
VGPU_INLINE bool vgpu_spaced(const uint64_t *address, unsigned step)
{
   uint64_t difference = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      difference |= address[lane] ^ (address[0] + lane * step);
   }
   return difference == 0;
}

#endif
