/* SPDX-License-Identifier: MIT
 *
 * BC7 and BC6H: each texel of random blocks, of each mode in turn, beside Mesa's decoder, which llvmpipe uses.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/check.h"
#include "vgpu/exec/image/image.h"

#define BLOCKS 40000u

static uint64_t state = 1;

/* A xorshift generator's next number. */
static uint32_t random_word(void)
{
   state ^= state << 13;
   state ^= state >> 7;
   state ^= state << 17;
   return (uint32_t)(state >> 16);
}

/* mode: BC7's modes are the number of zeros below the first bit, BC6H's the lowest two or five bits. */
static void make_block(uint8_t block[16], unsigned n, bool is_bc7)
{
   for (unsigned i = 0; i < 16; i++) {
      block[i] = (uint8_t)random_word();
   }
   if (is_bc7) {
      const unsigned mode = n % 9;
      block[0] = mode == 8 ? 0 : (uint8_t)((block[0] | 1) << mode);
   } else {
      block[0] = (uint8_t)((block[0] & ~31u) | n % 32);
   }
}

/* Mesa's (src/util/format/u_format_bptc.h, which wants macros of Mesa's build): four floats of a texel. */
typedef void fetch(void *to, const uint8_t *block, unsigned x, unsigned y);
fetch util_format_bptc_rgba_unorm_fetch_rgba, util_format_bptc_rgb_float_fetch_rgba,
    util_format_bptc_rgb_ufloat_fetch_rgba;

/* Mesa multiplies a byte by 1/255, rounded; ours is byte / 255, rounded once. */
static void round_bytes(uint32_t channels[4])
{
   for (unsigned i = 0; i < 4; i++) {
      float value;
      memcpy(&value, &channels[i], sizeof(value));
      value = (float)(round((double)value * 255) / 255);
      memcpy(&channels[i], &value, sizeof(value));
   }
}

/* The same bytes in other images, and other texels: a decoder that keeps results must tell them apart. */
static void ask_others(const struct vgpu_image *image, const uint8_t *block, unsigned texel)
{
   struct vgpu_image other = *image;
   uint32_t channels[4];
   other.srgb = true;
   vgpu_block_decode(&other, block, texel % 4, texel / 4, channels);
   other.packing = image->packing == VGPU_BC7 ? VGPU_BC3 : VGPU_BC7;
   vgpu_block_decode(&other, block, texel % 4, texel / 4, channels);
   vgpu_block_decode(image, block, (texel + 1) % 4, texel / 4, channels);
}

static void compare(unsigned packing, fetch *reference)
{
   const struct vgpu_image image = {.packing = (uint8_t)packing, .type = packing == VGPU_BC7 ? VGPU_UNORM : VGPU_FLOAT};
   unsigned wrong = 0, repeated = 0;
   for (unsigned n = 0; n < BLOCKS; n++) {
      uint8_t block[16];
      make_block(block, n, packing == VGPU_BC7);
      for (unsigned texel = 0; texel < 16; texel++) {
         uint32_t have[4], want[4], again[4];
         vgpu_block_decode(&image, block, texel % 4, texel / 4, have);
         ask_others(&image, block, texel);
         vgpu_block_decode(&image, block, texel % 4, texel / 4, again);
         repeated += memcmp(have, again, sizeof(have)) == 0;
         reference(want, block, texel % 4, texel / 4);
         if (packing == VGPU_BC7) {
            round_bytes(want);
         }
         if (memcmp(have, want, sizeof(have)) && wrong++ < 4) {
            fprintf(stderr,
                    "packing %u, block %u, texel %u: 0x%08x 0x%08x 0x%08x 0x%08x, Mesa 0x%08x 0x%08x 0x%08x 0x%08x\n",
                    packing, n, texel, have[0], have[1], have[2], have[3], want[0], want[1], want[2], want[3]);
         }
      }
   }
   CHECK(wrong == 0);
   CHECK(repeated == 16 * BLOCKS);
}

int main(void)
{
   compare(VGPU_BC7, util_format_bptc_rgba_unorm_fetch_rgba);
   compare(VGPU_BC6H, util_format_bptc_rgb_float_fetch_rgba);
   compare(VGPU_BC6H_UNSIGNED, util_format_bptc_rgb_ufloat_fetch_rgba);
   return check_result();
}
