/* SPDX-License-Identifier: MIT
 *
 * The definedness of threadgroup memory and of stacks: a bit for each bit of memory, 1 where nothing wrote it. The
 * stack's grows as the program uses it. Invariant: memory outside of the threadgroup's or the stack counts as defined.
 */
#include "vgpu/exec/checks/undefined.h"

#include <stdlib.h>
#include <string.h>

/* Definedness of memory: byte by byte, where the lane's address points to. */
static uint8_t *memory_bits(struct vgpu_simd *simd, const struct vgpu_touch *touch, unsigned lane, uint64_t address)
{
   if (touch->kind == VGPU_THREADGROUP_MEMORY) {
      return address < simd->group->bytes ? simd->group->checks->undefined + address : NULL;
   }
   struct vgpu_simd_checks *state = simd->checks;
   uint64_t word = address / 4;
   if (word >= state->stack_words) {
      if (word >= simd->stack.limit) {
         return NULL; /* a fault */
      }
      size_t words = (size_t)word + 64;
      uint32_t *grown = realloc(state->stack, words * VGPU_LANES * sizeof(uint32_t));
      if (!grown) {
         return NULL; /* counts as defined */
      }
      memset(grown + state->stack_words * VGPU_LANES, 0xff,
             (words - state->stack_words) * VGPU_LANES * sizeof(uint32_t));
      state->stack = grown;
      state->stack_words = words;
   }
   return (uint8_t *)&state->stack[word * VGPU_LANES + lane] + address % 4;
}

uint32_t vgpu_undefined_read(struct vgpu_simd *simd, const struct vgpu_touch *touch, unsigned lane, uint64_t address)
{
   uint32_t bits = 0;
   unsigned size = touch->element < 4 ? touch->element : 4;
   if (touch->kind == VGPU_THREADGROUP_MEMORY && address + size <= simd->group->bytes) {
      memcpy(&bits, simd->group->checks->undefined + address, size);
      return bits;
   }
   if (touch->kind == VGPU_STACK_MEMORY) { /* elements are aligned: within a word */
      const uint8_t *at = memory_bits(simd, touch, lane, address);
      if (at) {
         memcpy(&bits, at, size);
      }
      return bits;
   }
   for (unsigned byte = 0; byte < size; byte++) {
      const uint8_t *at = memory_bits(simd, touch, lane, address + byte);
      bits |= at ? (uint32_t)*at << 8 * byte : 0;
   }
   return bits;
}

void vgpu_undefined_write(struct vgpu_simd *simd, const struct vgpu_touch *touch, unsigned lane, uint64_t address,
                          uint32_t bits)
{
   unsigned size = touch->element < 4 ? touch->element : 4;
   if (touch->kind == VGPU_THREADGROUP_MEMORY && address + size <= simd->group->bytes) {
      memcpy(simd->group->checks->undefined + address, &bits, size);
      return;
   }
   if (touch->kind == VGPU_STACK_MEMORY) {
      uint8_t *at = memory_bits(simd, touch, lane, address);
      if (at) {
         memcpy(at, &bits, size);
      }
      return;
   }
   for (unsigned byte = 0; byte < size; byte++) {
      uint8_t *at = memory_bits(simd, touch, lane, address + byte);
      if (at) {
         *at = (uint8_t)(bits >> 8 * byte);
      }
   }
}

/* ---- The common cases of threadgroup memory and the stack ---- */

#define SCANNED_BYTES 1024u /* at most: more are looked at lane by lane */

static bool all_zero(const uint8_t *bytes, size_t size)
{
   return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

/* The definedness of all that the instruction touches and of what lies between. NULL: not in one piece. */
static uint8_t *touched_bits(const struct vgpu_simd *simd, const struct vgpu_touch *touch, size_t *size)
{
   if (!touch->lanes) {
      return NULL;
   }
   if (touch->kind == VGPU_THREADGROUP_MEMORY) {
      uint32_t bytes = simd->group->bytes;
      if (touch->last >= bytes || touch->span > bytes - touch->last) {
         return NULL;
      }
      *size = (size_t)(touch->last - touch->first) + touch->span;
      return simd->group->checks->undefined + touch->first;
   }
   /* All lanes touch the same words of their own stacks. */
   const struct vgpu_simd_checks *state = simd->checks;
   uint64_t word = touch->first / 4, words = touch->span / 4;
   if (!touch->even || touch->stride || touch->element != 4 || word + words > state->stack_words) {
      return NULL;
   }
   *size = (size_t)words * VGPU_LANES * sizeof(uint32_t);
   return (uint8_t *)&state->stack[word * VGPU_LANES];
}

bool vgpu_undefined_reads_none(const struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   size_t size;
   const uint8_t *bits = touched_bits(simd, touch, &size);
   return bits && size <= SCANNED_BYTES && all_zero(bits, size);
}

bool vgpu_undefined_write_none(const struct vgpu_simd *simd, const struct vgpu_touch *touch)
{
   size_t size;
   uint8_t *bits = touched_bits(simd, touch, &size);
   bool gapless = touch->even && !(touch->mask & (touch->mask + 1));
   if (!bits || !gapless || (touch->kind == VGPU_THREADGROUP_MEMORY && touch->stride > touch->span)) {
      return false;
   }
   memset(bits, 0, size);
   return true;
}
