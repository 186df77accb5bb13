/* SPDX-License-Identifier: MIT
 *
 * PPP updates: docs/spec/render.md 3. The header's bits say which words follow; each replaces a part of the state.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "vgpu/render/pass.h"
#include "util/array.h"

#define MOST_WORDS 256u /* the stream's field has 8 bits */

/* A bit of the header, and the state's words that follow where it is set. */
struct part {
   uint8_t bit, words;
   size_t to;
};

#define PART(bit, words, member)                                                                                       \
   {                                                                                                                   \
      bit, words, offsetof(struct render_state, member)                                                                \
   }
#define VIEWPORTS 0xff /* as many as there are: taken apart below */
static const struct part parts[] = {
    PART(0, 1, fragment_control[0]),
    PART(1, 1, fragment_control[1]),
    PART(2, 1, face[0]),
    PART(3, 1, face2[0]),
    PART(4, 1, stencil[0]),
    PART(5, 1, face[1]),
    PART(6, 1, face2[1]),
    PART(7, 1, stencil[1]),
    PART(8, 1, bias_scissor),
    PART(10, VIEWPORTS, region),
    PART(11, VIEWPORTS, viewport),
    PART(16, 1, w_clamp),
    PART(17, 1, output_select),
    PART(18, 1, varyings[0]),
    PART(19, 1, varyings[1]),
    PART(21, 1, cull),
    PART(22, 1, cull2),
    PART(23, 4, fragment_program),
    PART(24, 1, occlusion[0]),
    PART(25, 1, occlusion[1]),
    PART(26, 1, output_unknown),
    PART(27, 1, output_size),
    PART(28, 2, varying2),
};
#define UNKNOWN_BITS (1u << 9 | 1u << 20 | 7u << 29)

/* Words of the part, and how many of them come first that the state does not keep. */
static unsigned words_of(const struct part *part, uint32_t viewports, unsigned *skipped)
{
   *skipped = part->bit == 11 ? 1 : 0;
   return part->words != VIEWPORTS ? part->words : part->bit == 10 ? 2 * viewports : 1 + 6 * viewports;
}

bool render_ppp(struct render_pass *pass, struct render_state *state, uint64_t va, uint32_t words)
{
   uint32_t update[MOST_WORDS];
   if (!words) {
      return true;
   }
   if (!render_read(pass, "PPP update", va, update, words * sizeof(*update))) {
      return false;
   }
   const uint32_t header = update[0], viewports = (header >> 12 & 15) + 1;
   uint32_t at = 1;
   if (header & UNKNOWN_BITS) {
      return render_fail(pass, VGPU_FAULT_STREAM,
                         "PPP update at 0x%" PRIx64 ": bits 0x%08" PRIx32 " of its header are not understood", va,
                         header & UNKNOWN_BITS);
   }
   for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
      unsigned skipped;
      const struct part *part = &parts[i];
      const unsigned count = words_of(part, viewports, &skipped);
      if (!(header >> part->bit & 1)) {
         continue;
      }
      if (at + count > words) {
         return render_fail(pass, VGPU_FAULT_STREAM,
                            "PPP update at 0x%" PRIx64 ": its header 0x%08" PRIx32 " wants more than its %" PRIu32
                            " words",
                            va, header, words);
      }
      memcpy((char *)state + part->to, update + at + skipped, (count - skipped) * sizeof(*update));
      at += count;
   }
   if (header >> 11 & 1) {
      state->viewport_count = viewports;
   }
   return at == words ||
          render_fail(pass, VGPU_FAULT_STREAM,
                      "PPP update at 0x%" PRIx64 ": %" PRIu32 " words, its header 0x%08" PRIx32 " names %" PRIu32, va,
                      words, header, at);
}
