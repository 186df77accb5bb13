/* SPDX-License-Identifier: MIT
 *
 * Where texels lie. A twiddled level is a row of tiles after the other, a tile has its texels in Morton order, and
 * layers of all levels follow one another. Invariant: the address of a texel depends on the descriptor alone, not on
 * which levels it shows.
 */
#include "vgpu/exec/image/image.h"

#define TILE_BYTES_LOG2 14u /* of the largest tile: a page */
#define LINE 128u           /* levels begin at one */
#define PAGE 16384u
#define SIDE 16u /* samples that have metadata together */
#define METADATA_BYTES 8u

static uint32_t at_level(uint32_t size, unsigned level)
{
   return size >> level ? size >> level : 1;
}

static unsigned log2_floor(uint32_t value)
{
   return 31u - (unsigned)__builtin_clz(value);
}

static unsigned log2_ceil(uint32_t value)
{
   return value <= 1 ? 0 : log2_floor(value - 1) + 1;
}

static uint64_t align(uint64_t value, uint64_t to)
{
   return (value + to - 1) / to * to;
}

/* Returns the number of tiles of a level. Level 0 has `columns` and `rows` of the largest tiles. A level that does not
 * end at a tile's edge has one more column or row. */
static uint64_t tiles_of(uint64_t columns, uint64_t rows, unsigned level)
{
   const uint64_t rest = (UINT64_C(1) << level) - 1;
   const bool left = columns & rest, bottom = rows & rest;
   return (columns * rows >> 2 * level) + (left ? rows >> level : 0) + (bottom ? columns >> level : 0) +
          (left && bottom);
}

static bool has_blocks(const struct vgpu_image *image)
{
   return image->packing >= VGPU_BLOCKS;
}

/* Levels from `small` on are narrower or lower than a tile: their memory is a power of two, and their tiles are squares
 * of their shorter side. */
static uint32_t blocks_of(const struct vgpu_image *image, uint32_t texels, unsigned axis)
{
   return has_blocks(image) ? (texels + image->block[axis] - 1u) / image->block[axis] : texels;
}

/* A level's memory where it is small, as log2 of its sides. Blocks are rounded up to a power of two first, texels
 * after the step to the level. */
static void find_small(const struct vgpu_image *image, uint32_t width, uint32_t height, unsigned small,
                       unsigned log2[2])
{
   if (has_blocks(image)) {
      const unsigned x = log2_ceil(blocks_of(image, width, 0)), y = log2_ceil(blocks_of(image, height, 1));
      log2[0] = x > small ? x - small : 0;
      log2[1] = y > small ? y - small : 0;
   } else {
      log2[0] = log2_ceil(at_level(width, small));
      log2[1] = log2_ceil(at_level(height, small));
   }
}

void vgpu_image_lay_out(struct vgpu_image *image, uint32_t width, uint32_t height, bool mipmapped, bool page_aligned)
{
   const uint32_t depth = image->dimension == VGPU_3D ? image->layers : 1;
   const uint32_t shorter = width < height ? width : height, longer = width < height ? height : width;
   const unsigned texel_log2 = (unsigned)__builtin_ctz(image->bytes) + image->samples_log2;
   const unsigned tile_log2 = TILE_BYTES_LOG2 - texel_log2;
   const unsigned tile_x = (tile_log2 + 1) / 2, tile_y = tile_log2 / 2;
   const uint32_t across = blocks_of(image, width, 0), down_all = blocks_of(image, height, 1);
   const uint64_t columns = (across + (1u << tile_x) - 1) >> tile_x, rows = (down_all + (1u << tile_y) - 1) >> tile_y;
   const uint32_t whole_x = has_blocks(image) ? across * image->block[0] : width;
   const uint32_t whole_y = has_blocks(image) ? down_all * image->block[1] : height;
   unsigned count = mipmapped ? log2_floor(longer > depth ? longer : depth) + 1 : 1, small = 0;
   while (blocks_of(image, at_level(whole_x, small), 0) >> tile_x &&
          blocks_of(image, at_level(whole_y, small), 1) >> tile_y) {
      small++;
   }
   unsigned small_log2[2];
   find_small(image, width, height, small, small_log2);
   uint64_t offset = 0;
   count = count < VGPU_MIPS ? count : VGPU_MIPS;
   for (unsigned level = 0; level < count || level <= image->last_level; level++) {
      struct vgpu_mip *mip = &image->mips[level];
      *mip = (struct vgpu_mip){.offset = offset,
                               .width = at_level(width, level),
                               .height = at_level(height, level),
                               .depth = at_level(depth, level)};
      uint64_t texels;
      if (level < small) {
         mip->tile_x = (uint8_t)tile_x;
         mip->tile_y = (uint8_t)tile_y;
         texels = tiles_of(columns, rows, level) << tile_log2;
      } else {
         const unsigned down = level - small, x = small_log2[0] > down ? small_log2[0] - down : 0;
         const unsigned y = small_log2[1] > down ? small_log2[1] - down : 0;
         mip->tile_x = mip->tile_y =
             (uint8_t)(has_blocks(image) ? (x < y ? x : y) : log2_ceil(at_level(shorter, level)));
         texels = UINT64_C(1) << (x + y);
      }
      const bool pads = has_blocks(image) && level < small && columns & ((UINT64_C(1) << level) - 1);
      mip->tiles = (blocks_of(image, mip->width, 0) + pads + (1u << mip->tile_x) - 1) >> mip->tile_x;
      offset = align(offset + (texels << texel_log2), LINE);
   }
   image->levels = (uint8_t)count;
   image->layer_stride = page_aligned ? align(offset, PAGE) : offset;
}

uint32_t vgpu_metadata_side(const struct vgpu_image *image, unsigned axis)
{
   return SIDE >> (axis == 0 ? image->samples_log2 == 2 : image->samples_log2 > 0);
}

struct vgpu_texel_place vgpu_metadata_corner(const struct vgpu_image *image, const struct vgpu_texel_place *place)
{
   struct vgpu_texel_place corner = *place;
   corner.x -= corner.x % vgpu_metadata_side(image, 0);
   corner.y -= corner.y % vgpu_metadata_side(image, 1);
   corner.sample = 0;
   return corner;
}

/* Levels whose longer side is shorter than a block of 16 samples have none. */
void vgpu_image_lay_out_metadata(struct vgpu_image *image, uint32_t width, uint32_t height)
{
   uint32_t columns = (uint32_t)align(width * SIDE / vgpu_metadata_side(image, 0), SIDE);
   uint32_t rows = (uint32_t)align(height * SIDE / vgpu_metadata_side(image, 1), SIDE);
   const uint32_t longer = columns > rows ? columns : rows;
   uint64_t offset = 0;
   for (unsigned level = 0; level < image->levels && longer >> level >= SIDE; level++) {
      const uint64_t entries = (align(UINT64_C(1) << log2_ceil(columns), SIDE) / SIDE) *
                               (align(UINT64_C(1) << log2_ceil(rows), SIDE) / SIDE);
      image->mips[level].compressed = true;
      image->mips[level].metadata = offset;
      offset += align(entries * METADATA_BYTES, LINE);
      columns = (columns + 1) / 2;
      rows = (rows + 1) / 2;
   }
   image->metadata_stride = offset;
}

/* The low half's bits, each with a zero above it. */
static uint32_t spread(uint32_t bits)
{
   bits = (bits | bits << 8) & 0x00ff00ff;
   bits = (bits | bits << 4) & 0x0f0f0f0f;
   bits = (bits | bits << 2) & 0x33333333;
   return (bits | bits << 1) & 0x55555555;
}

/* Bits of x and y by turns, x first. The tile is as wide as high or twice as wide: its last bit is of x then. */
static uint32_t morton(uint32_t x, uint32_t y)
{
   return spread(x) | spread(y) << 1;
}

bool vgpu_texel_exists(const struct vgpu_image *image, const struct vgpu_texel_place *place)
{
   if (image->null || place->level < image->first_level || place->level > image->last_level) {
      return false;
   }
   const struct vgpu_mip *mip = &image->mips[place->level];
   const uint32_t layers = image->dimension == VGPU_3D ? mip->depth : image->layers;
   return place->x < mip->width && place->y < mip->height && place->layer < layers &&
          place->sample >> image->samples_log2 == 0;
}

uint64_t vgpu_texel_address(const struct vgpu_image *image, const struct vgpu_texel_place *place)
{
   const uint64_t layer = image->address + place->layer * image->layer_stride;
   const uint32_t across_x = has_blocks(image) ? place->x / image->block[0] : place->x;
   const uint32_t across_y = has_blocks(image) ? place->y / image->block[1] : place->y;
   if (image->layout == VGPU_LINEAR) {
      return layer + (uint64_t)across_y * image->stride + (uint64_t)across_x * image->bytes;
   }
   const struct vgpu_mip *mip = &image->mips[place->level];
   const uint32_t x = across_x & ((1u << mip->tile_x) - 1), y = across_y & ((1u << mip->tile_y) - 1);
   const uint64_t tile = (uint64_t)(across_y >> mip->tile_y) * mip->tiles + (across_x >> mip->tile_x);
   const uint64_t texel = (tile << (mip->tile_x + mip->tile_y)) + morton(x, y);
   return layer + mip->offset + ((texel << image->samples_log2) + place->sample) * image->bytes;
}

/* Entries are in Morton order as far as both sides go, then the longer side follows. */
uint64_t vgpu_metadata_address(const struct vgpu_image *image, const struct vgpu_texel_place *place)
{
   const struct vgpu_mip *mip = &image->mips[place->level];
   const uint32_t side_x = vgpu_metadata_side(image, 0), side_y = vgpu_metadata_side(image, 1);
   const uint32_t columns = (mip->width + side_x - 1) / side_x, rows = (mip->height + side_y - 1) / side_y;
   const uint32_t x = place->x / side_x, y = place->y / side_y, major = columns > rows ? x : y;
   const unsigned bits = log2_ceil(columns < rows ? columns : rows);
   const uint32_t mask = (1u << bits) - 1;
   const uint64_t entry = morton(x & mask, y & mask) + ((uint64_t)(major & ~mask) << bits);
   return image->metadata + place->layer * image->metadata_stride + mip->metadata + entry * METADATA_BYTES;
}

unsigned vgpu_metadata_block(const struct vgpu_image *image, const struct vgpu_texel_place *place)
{
   const uint32_t side_x = vgpu_metadata_side(image, 0), side_y = vgpu_metadata_side(image, 1);
   return morton(place->x % side_x * (SIDE / side_x), place->y % side_y * (SIDE / side_y)) / 32;
}
