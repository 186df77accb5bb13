/* SPDX-License-Identifier: MIT
 *
 * Clears: a background program that does the same in each pixel runs for one tile, and others get copies of its pixels.
 * Invariant: memory, counters and reports are those of running it for each tile.
 */
#include <string.h>

#include "isa/isa.h"
#include "vgpu/pages.h"
#include "vgpu/render/tile.h"
#include "vgpu/timing/chip.h"

#define MOST_BYTES 256u /* of the program */

/* Moves of uniforms and constants, stores of the pixel itself: registers are zero at the start. */
static bool is_same_everywhere(const struct isa_insn *insn)
{
   switch (insn->op) {
   case ISA_OP_MOV_IMM:
   case ISA_OP_WAIT:
      return true;
   case ISA_OP_BITOP:
      for (unsigned i = 0; i < ISA_MAX_SOURCES; i++) {
         const uint8_t kind = insn->src[i].kind;
         if (kind != ISA_NONE && kind != ISA_REG && kind != ISA_UNIFORM && kind != ISA_IMM) {
            return false;
         }
      }
      return insn->dst.kind == ISA_REG;
   case ISA_OP_TILE_STORE:
      return !insn->mod[ISA_MOD_EXPLICIT_COORDS];
   default:
      return false;
   }
}

bool render_is_clear(const struct render_pass *pass, const struct render_draw *background)
{
   const struct vgpu_launch *launch = &background->fragment;
   uint8_t bytes[MOST_BYTES];
   uint64_t bad;
   if (launch->checks || launch->preamble || launch->scratch_words ||
       !vgpu_pages_read(launch->pages, launch->code, bytes, sizeof(bytes), &bad)) {
      return false;
   }
   const uint32_t pixel = (uint32_t)pass->command->sample_size_B << pass->samples_log2;
   for (size_t at = 0; at < sizeof(bytes) && pixel <= sizeof(pass->clear.pixel);) {
      struct isa_insn insn;
      isa_decode(launch->chip->set, bytes + at, sizeof(bytes) - at, &insn);
      if (insn.row && insn.op == ISA_OP_STOP) {
         return true;
      }
      if (!insn.row || !is_same_everywhere(&insn)) {
         return false;
      }
      at += insn.length;
   }
   return false;
}

bool render_clear_take(struct render_tile *tile)
{
   const struct render_clear *clear = &tile->pass->clear;
   if (__atomic_load_n(&clear->state, __ATOMIC_ACQUIRE) != RENDER_CLEAR_KNOWN) {
      return false;
   }
   memcpy(tile->memory, clear->pixel, clear->bytes);
   for (uint32_t done = clear->bytes; done < tile->bytes;) {
      const uint32_t left = tile->bytes - done, more = done < left ? done : left;
      memcpy(tile->memory + done, tile->memory, more);
      done += more;
   }
   return true;
}

void render_clear_keep(struct render_tile *tile, const struct vgpu_outcome *outcome)
{
   struct render_clear *clear = &tile->pass->clear;
   unsigned unknown = RENDER_CLEAR_UNKNOWN;
   if (!clear->is_one || outcome->fault != VGPU_FAULT_NONE ||
       !__atomic_compare_exchange_n(&clear->state, &unknown, RENDER_CLEAR_TAKEN, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return;
   }
   clear->bytes = tile->bytes / (tile->width * tile->height);
   memcpy(clear->pixel, tile->memory, clear->bytes);
   clear->outcome = *outcome;
   __atomic_store_n(&clear->state, RENDER_CLEAR_KNOWN, __ATOMIC_RELEASE);
}
