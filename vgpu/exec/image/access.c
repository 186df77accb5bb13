/* SPDX-License-Identifier: MIT
 *
 * Device memory behind texels. A texel may end on the next page.
 */
#include <string.h>

#include "vgpu/exec/fault.h"
#include "vgpu/exec/image/image.h"

/* The part of `size` bytes that lies on the page of `va`. */
static unsigned on_page(uint64_t va, unsigned size)
{
   const unsigned left = (unsigned)(VGPU_PAGE - va % VGPU_PAGE);
   return size < left ? size : left;
}

bool vgpu_image_read(const struct vgpu_op *op, struct vgpu_simd *simd, uint64_t va, void *to, unsigned size)
{
   for (unsigned done = 0, part; done < size; done += part) {
      part = on_page(va + done, size - done);
      const uint8_t *from = vgpu_memory_at(&simd->worker->memory, va + done, VGPU_READ);
      if (!from) {
         vgpu_memory_miss(simd, op, va + done, false);
         return false;
      }
      memcpy((uint8_t *)to + done, from, part);
   }
   return true;
}

bool vgpu_image_write(const struct vgpu_op *op, struct vgpu_simd *simd, uint64_t va, const void *from, unsigned size)
{
   for (unsigned done = 0, part; done < size; done += part) {
      part = on_page(va + done, size - done);
      uint8_t *to = vgpu_memory_at(&simd->worker->memory, va + done, VGPU_WRITE);
      if (!to) {
         vgpu_memory_miss(simd, op, va + done, true);
         return false;
      }
      memcpy(to, (const uint8_t *)from + done, part);
   }
   return true;
}

bool vgpu_texel_read(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                     const struct vgpu_texel_place *place, uint32_t channels[4])
{
   uint8_t texel[16];
   memset(channels, 0, 4 * sizeof(*channels));
   if (!vgpu_texel_exists(image, place)) {
      return false;
   }
   if (vgpu_image_read(op, simd, vgpu_texel_address(image, place), texel, image->bytes)) {
      vgpu_texel_decode(image, texel, channels);
   }
   return true;
}
