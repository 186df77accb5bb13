/* SPDX-License-Identifier: MIT
 *
 * The VDM stream: docs/spec/render.md 2. Invariant: a block that is not understood ends the pass with a fault that
 * names its word and address.
 */
#include <inttypes.h>
#include <string.h>

#include "vgpu/render/pass.h"
#include "util/array.h"

#define DEPTH 16u         /* links with return that may be open, as of compute streams */
#define BLOCKS (1u << 24) /* of a stream: a longer one has no end */

enum vdm_block { BLOCK_PPP, BLOCK_BARRIER, BLOCK_STATE, BLOCK_INDEX_LIST, BLOCK_LINK, BLOCK_TESSELLATE, BLOCK_END };

struct vdm {
   struct render_pass *pass;
   struct render_state state;
   uint64_t block, va; /* of the block, of the next word */
   uint64_t returns[DEPTH];
   unsigned depth;
   bool ended;
};

static bool take(struct vdm *vdm, uint32_t *words, unsigned count)
{
   if (!render_read(vdm->pass, "VDM stream", vdm->va, words, count * sizeof(*words))) {
      return false;
   }
   vdm->va += count * sizeof(*words);
   return true;
}

static bool read_ppp(struct vdm *vdm, uint32_t word)
{
   uint32_t low;
   return take(vdm, &low, 1) &&
          render_ppp(vdm->pass, &vdm->state, (uint64_t)(word & 0xff) << 32 | low, word >> 8 & 0xff);
}

static bool go_back(struct vdm *vdm)
{
   if (!vdm->depth) {
      return render_fail(vdm->pass, VGPU_FAULT_STREAM, "VDM return at 0x%" PRIx64 " without a link to return to",
                         vdm->block);
   }
   vdm->va = vdm->returns[--vdm->depth];
   return true;
}

/* Geometry runs draw by draw: there is nothing to wait for. */
static bool read_barrier(struct vdm *vdm, uint32_t word)
{
   return !(word & 1u << 27) || go_back(vdm);
}

/* The words of a VDM state block, by the bit that says that they are there. */
static bool read_state(struct vdm *vdm, uint32_t word)
{
   struct render_state *state = &vdm->state;
   uint32_t none;
   uint32_t *const words[] = {&state->restart,
                              &state->vertex_counts,
                              &state->vertex_program,
                              &state->vertex_outputs,
                              NULL,
                              &state->vertex_flags,
                              NULL,
                              &none};
   for (unsigned bit = 0; bit < ARRAY_COUNT(words); bit++) {
      if (!(word >> bit & 1)) {
         continue;
      }
      if (!words[bit]) {
         return render_fail(vdm->pass, VGPU_FAULT_STREAM,
                            "VDM state 0x%08" PRIx32 " at 0x%" PRIx64 ": bit %u (tessellation) is not understood", word,
                            vdm->block, bit);
      }
      if (!take(vdm, words[bit], 1)) {
         return false;
      }
   }
   vdm->va = vdm->block + (vdm->va - vdm->block + 7) / 8 * 8;
   return true;
}

static bool read_indirect(struct vdm *vdm, struct render_call *call)
{
   uint32_t address[2], words[5];
   if (!take(vdm, address, 2)) {
      return false;
   }
   const uint64_t va = (uint64_t)(address[0] & 0xff) << 32 | address[1];
   if (!render_read(vdm->pass, "indirect draw", va, words, (call->indexed ? 5 : 4) * sizeof(*words))) {
      return false;
   }
   call->count = words[0];
   call->instances = words[1];
   call->start = words[call->indexed ? 3 : 2];
   call->index_va += call->indexed ? (uint64_t)words[2] * call->index_bytes : 0;
   return true;
}

static void plant_call(const struct render_pass *pass, struct render_call *call)
{
   uint32_t size = call->index_size < UINT32_MAX ? (uint32_t)call->index_size : UINT32_MAX;
   call->primitive = render_planted(pass, "primitive", call->primitive);
   call->count = render_planted(pass, "count", call->count);
   call->instances = render_planted(pass, "instances", call->instances);
   call->start = render_planted(pass, "start", call->start);
   call->index_bytes = call->indexed ? render_planted(pass, "index_bytes", call->index_bytes) : call->index_bytes;
   call->index_va += render_planted(pass, "index_offset", 0);
   size = render_planted(pass, "index_size", size);
   call->index_size = size < UINT32_MAX ? size : call->index_size;
   call->restart = render_planted(pass, "restarts", call->restart);
}

static bool read_index_list(struct vdm *vdm, uint32_t word)
{
   uint32_t low = 0, size = UINT32_MAX;
   struct render_call call = {.primitive = word >> 8 & 0xff,
                              .restart = word >> 16 & 1,
                              .index_bytes = 1u << (word >> 17 & 7),
                              .indexed = word >> 21 & 1,
                              .instances = 1};
   if (word & (1u << 25 | 1u << 27)) {
      return render_fail(vdm->pass, VGPU_FAULT_STREAM,
                         "VDM index list 0x%08" PRIx32 " at 0x%" PRIx64 ": bits 25 and 27 are not understood", word,
                         vdm->block);
   }
   if ((call.indexed && !take(vdm, &low, 1)) || (word >> 22 & 1 && !take(vdm, &call.count, 1)) ||
       (word >> 23 & 1 && !take(vdm, &call.instances, 1)) || (word >> 24 & 1 && !take(vdm, &call.start, 1))) {
      return false;
   }
   const uint64_t buffer = (uint64_t)(word & 0xff) << 32 | low;
   call.index_va = buffer;
   if ((word >> 26 & 1 && !read_indirect(vdm, &call)) || (word >> 20 & 1 && !take(vdm, &size, 1))) {
      return false;
   }
   const uint64_t before = call.index_va - buffer, all = word >> 20 & 1 ? (uint64_t)size * 4 : UINT64_MAX;
   call.index_size = all > before ? all - before : 0;
   struct render_state state = vdm->state;
   render_plant_state(vdm->pass, &state);
   plant_call(vdm->pass, &call);
   return render_draw(vdm->pass, &state, &call);
}

static bool read_link(struct vdm *vdm, uint32_t word)
{
   uint32_t low;
   if (!take(vdm, &low, 1)) {
      return false;
   }
   if (word & 1u << 28) {
      if (vdm->depth == DEPTH) {
         return render_fail(vdm->pass, VGPU_FAULT_STREAM,
                            "VDM link at 0x%" PRIx64 ": more than %u links with return are open", vdm->block, DEPTH);
      }
      vdm->returns[vdm->depth++] = vdm->va;
   }
   vdm->va = (uint64_t)(word & 0xff) << 32 | low;
   return true;
}

static bool read_end(struct vdm *vdm, uint32_t word)
{
   (void)word;
   vdm->ended = true;
   return true;
}

static bool (*const readers[])(struct vdm *, uint32_t) = {
    [BLOCK_PPP] = read_ppp,     [BLOCK_BARRIER] = read_barrier,
    [BLOCK_STATE] = read_state, [BLOCK_INDEX_LIST] = read_index_list,
    [BLOCK_LINK] = read_link,   [BLOCK_END] = read_end,
};

bool render_geometry(struct render_pass *pass)
{
   struct vdm vdm = {.pass = pass, .va = pass->command->vdm_ctrl_stream_base};
   for (unsigned i = 0; i < BLOCKS && !vdm.ended; i++) {
      uint32_t word;
      vdm.block = vdm.va;
      if (!take(&vdm, &word, 1)) {
         return false;
      }
      const uint32_t kind = word >> 29;
      if (kind >= ARRAY_COUNT(readers) || !readers[kind]) {
         return render_fail(pass, VGPU_FAULT_STREAM, "VDM block 0x%08" PRIx32 " at 0x%" PRIx64 " is not understood%s",
                            word, vdm.block, kind == BLOCK_TESSELLATE ? " (tessellation)" : "");
      }
      if (!readers[kind](&vdm, word)) {
         return false;
      }
      if (pass->base->cancel && atomic_load(pass->base->cancel)) {
         return render_fail(pass, VGPU_FAULT_TIMEOUT, "the client gave it up, or closed the device");
      }
   }
   return vdm.ended || render_fail(pass, VGPU_FAULT_TIMEOUT, "VDM stream still running at 0x%" PRIx64, vdm.va);
}
