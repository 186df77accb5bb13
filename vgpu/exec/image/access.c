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

/* ---- Apple's lossless compression. Of its modes, those are known that Mesa writes: a block of one colour, whose texel
 * lies at the start of the 16 x 16 samples, one texel for each of the eight blocks; and an uncompressed block. Any
 * other one is read as uncompressed. Where the colours of blocks of multisampled images lie is not established: Mesa
 * writes the same 32 bytes there as for others, so each reading of them gives its colour ---- */

#define SIDE 16u
#define BLOCKS 8u

uint8_t vgpu_solid_mode(const struct vgpu_image *image)
{
   return image->bytes == 1 ? 0x60 : image->bytes == 2 ? 0x01 : image->bytes == 4 ? 0x03 : 0x07;
}

uint8_t vgpu_uncompressed_mode(const struct vgpu_image *image)
{
   return image->bytes == 1 ? 0x1f : image->bytes == 2 ? 0x3f : image->bytes == 4 ? 0x7f : 0xff;
}

static bool is_compressed(const struct vgpu_image *image, const struct vgpu_texel_place *place)
{
   return image->metadata && image->mips[place->level].compressed;
}

/* The texel of a block of one colour. */
static uint64_t solid_address(const struct vgpu_image *image, const struct vgpu_texel_place *place, unsigned block)
{
   const struct vgpu_texel_place corner = vgpu_metadata_corner(image, place);
   return vgpu_texel_address(image, &corner) + (uint64_t)block * image->bytes;
}

static uint64_t read_address(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                             const struct vgpu_texel_place *place)
{
   uint8_t modes[BLOCKS];
   const unsigned block = vgpu_metadata_block(image, place);
   if (is_compressed(image, place) &&
       vgpu_image_read(op, simd, vgpu_metadata_address(image, place), modes, sizeof(modes)) &&
       modes[block] == vgpu_solid_mode(image)) {
      return solid_address(image, place, block);
   }
   return vgpu_texel_address(image, place);
}

/* Writes out the texels of all blocks of one colour: their colours lie where the first block's texels go. */
static void expand(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                   const struct vgpu_texel_place *place, const uint8_t modes[BLOCKS])
{
   uint8_t colours[BLOCKS][16] = {{0}};
   for (unsigned block = 0; block < BLOCKS; block++) {
      vgpu_image_read(op, simd, solid_address(image, place, block), colours[block], image->bytes);
   }
   const struct vgpu_texel_place corner = vgpu_metadata_corner(image, place);
   const uint32_t side_x = vgpu_metadata_side(image, 0), side_y = vgpu_metadata_side(image, 1);
   for (unsigned i = 0; i < SIDE * SIDE; i++) {
      struct vgpu_texel_place texel = corner;
      texel.x += i % side_x;
      texel.y += i / side_x % side_y;
      texel.sample = i / (side_x * side_y);
      const unsigned block = vgpu_metadata_block(image, &texel);
      if (modes[block] == vgpu_solid_mode(image) && vgpu_texel_exists(image, &texel)) {
         vgpu_image_write(op, simd, vgpu_texel_address(image, &texel), colours[block], image->bytes);
      }
   }
}

void vgpu_texel_cover(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                      const struct vgpu_texel_place *place)
{
   uint8_t modes[BLOCKS];
   struct vgpu_texel_place corner = *place;
   memset(modes, vgpu_uncompressed_mode(image), sizeof(modes));
   for (uint32_t y = 0; y < SIDE && is_compressed(image, place); y += vgpu_metadata_side(image, 1)) {
      for (uint32_t x = 0; x < SIDE; x += vgpu_metadata_side(image, 0)) {
         corner.x = place->x + x;
         corner.y = place->y + y;
         vgpu_image_write(op, simd, vgpu_metadata_address(image, &corner), modes, sizeof(modes));
      }
   }
}

void vgpu_texel_write(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                      const struct vgpu_texel_place *place, const uint8_t *texel)
{
   uint8_t modes[BLOCKS];
   const uint64_t metadata = is_compressed(image, place) ? vgpu_metadata_address(image, place) : 0;
   const uint8_t mode = vgpu_uncompressed_mode(image);
   if (metadata && vgpu_image_read(op, simd, metadata, modes, sizeof(modes)) &&
       modes[vgpu_metadata_block(image, place)] != mode) {
      expand(op, simd, image, place, modes);
      memset(modes, mode, sizeof(modes));
      vgpu_image_write(op, simd, metadata, modes, sizeof(modes));
   }
   vgpu_image_write(op, simd, vgpu_texel_address(image, place), texel, image->bytes);
}

bool vgpu_texel_read(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                     const struct vgpu_texel_place *place, uint32_t channels[4])
{
   uint8_t texel[16];
   memset(channels, 0, 4 * sizeof(*channels));
   if (!vgpu_texel_exists(image, place)) {
      return false;
   }
   if (vgpu_image_read(op, simd, read_address(op, simd, image, place), texel, image->bytes)) {
      if (image->packing >= VGPU_BLOCKS) {
         vgpu_block_decode(image, texel, place->x % image->block[0], place->y % image->block[1], channels);
      } else {
         vgpu_texel_decode(image, texel, channels);
      }
   }
   return true;
}
