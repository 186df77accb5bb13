/* SPDX-License-Identifier: MIT
 *
 * Where the virtual GPU finds the texels of twiddled images, beside Mesa's layout code: random images, whose descriptor
 * Mesa's generated code packs. Texels are tiled by Mesa, and each must lie at the virtual GPU's address. Invariant:
 * what is expected comes from Mesa's functions, never from this project's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asahi/genxml/agx_pack.h"
#include "asahi/layout/layout.h"
#include "vgpu/exec/image/image.h"
#include "tests/check.h"

#define BASE UINT64_C(0x1500004000)
#define METADATA UINT64_C(0x1700000080)
#define IMAGES 600u
#define TEXELS_MOST (1u << 16) /* of a level that is looked at: larger ones take too long */

static unsigned texels;
static uint32_t state = 1;

static uint32_t draw(uint32_t count)
{
   state = state * 1664525u + 1013904223u;
   return (state >> 8) % count;
}

static const struct {
   enum pipe_format format;
   unsigned channels, bytes;
} formats[] = {
    {PIPE_FORMAT_R8_UINT, AGX_CHANNELS_R8, 1},
    {PIPE_FORMAT_R8G8_UINT, AGX_CHANNELS_R8G8, 2},
    {PIPE_FORMAT_R32_UINT, AGX_CHANNELS_R32, 4},
    {PIPE_FORMAT_R32G32_UINT, AGX_CHANNELS_R32G32, 8},
    {PIPE_FORMAT_R32G32B32A32_UINT, AGX_CHANNELS_R32G32B32A32, 16},
};

static uint32_t draw_size(void)
{
   return 1 + draw(draw(2) ? 24 : 300);
}

static struct ail_layout draw_layout(unsigned kind)
{
   const bool three = draw(4) == 0;
   struct ail_layout layout = {
       .tiling = AIL_TILING_TWIDDLED,
       .sample_count_sa = 1,
       .width_px = draw_size(),
       .height_px = draw_size(),
       .depth_px = three || draw(2) ? 1 + draw(9) : 1,
       .format = formats[kind].format,
       .levels = draw(2) ? 2 : 1, /* Mesa makes all that there can be of 2 */
       .mipmapped_z = three,
       .writeable_image = draw(2),
   };
   if (!three && layout.levels == 1 && draw(4) == 0) {
      layout.sample_count_sa = draw(2) ? 2 : 4;
   }
   if (MAX2(MAX2(layout.width_px, layout.height_px), three ? layout.depth_px : 1) == 1) {
      layout.levels = 1;
   }
   ail_make_miptree(&layout);
   return layout;
}

static enum agx_texture_dimension dimension(const struct ail_layout *layout)
{
   return layout->sample_count_sa > 1 ? AGX_TEXTURE_DIMENSION_2D_ARRAY_MULTISAMPLED
          : layout->mipmapped_z       ? AGX_TEXTURE_DIMENSION_3D
                                      : AGX_TEXTURE_DIMENSION_2D_ARRAY;
}

/* The fields that Mesa's drivers set for a texture, and for an image that is written. */
static void read_texture(const struct ail_layout *layout, unsigned kind, struct vgpu_image *image)
{
   struct agx_texture_packed packed;
   uint64_t words[VGPU_DESCRIPTOR_WORDS];
   agx_pack(&packed, TEXTURE, cfg)
   {
      cfg.dimension = dimension(layout);
      cfg.layout = AGX_LAYOUT_TWIDDLED;
      cfg.channels = formats[kind].channels;
      cfg.type = AGX_TEXTURE_TYPE_UINT;
      cfg.address = BASE;
      cfg.width = layout->width_px;
      cfg.height = layout->height_px;
      cfg.depth = layout->depth_px;
      cfg.last_level = layout->levels - 1;
      cfg.unk_mipmapped = layout->levels > 1;
      cfg.samples = layout->sample_count_sa == 4 ? AGX_SAMPLE_COUNT_4 : AGX_SAMPLE_COUNT_2;
      cfg.page_aligned_layers = layout->page_aligned_layers;
      if (ail_is_compressed(layout)) {
         cfg.compressed_1 = true;
         cfg.extended = true;
         cfg.acceleration_buffer = METADATA;
      }
   }
   memcpy(words, &packed, sizeof(words));
   vgpu_texture_read(image, words);
}

static void read_pbe(const struct ail_layout *layout, unsigned kind, unsigned level, struct vgpu_image *image)
{
   struct agx_pbe_packed packed;
   uint64_t words[VGPU_DESCRIPTOR_WORDS];
   agx_pack(&packed, PBE, cfg)
   {
      cfg.dimension = dimension(layout);
      cfg.layout = AGX_LAYOUT_TWIDDLED;
      cfg.channels = formats[kind].channels;
      cfg.type = AGX_TEXTURE_TYPE_UINT;
      cfg.buffer = BASE;
      cfg.width = layout->width_px;
      cfg.height = layout->height_px;
      cfg.layers = layout->depth_px;
      cfg.level = level;
      cfg.levels = layout->levels;
      cfg.unk_mipmapped = layout->levels > 1;
      cfg.samples = layout->sample_count_sa == 4 ? AGX_SAMPLE_COUNT_4 : AGX_SAMPLE_COUNT_2;
      cfg.page_aligned_layers = layout->page_aligned_layers;
   }
   memcpy(words, &packed, sizeof(words));
   vgpu_pbe_read(image, words);
}

static void complain(const struct ail_layout *layout, unsigned kind, unsigned level, const char *what)
{
   if (check_failures++ < 10) {
      fprintf(stderr, "%ux%ux%u, %u levels, %u samples, %u bytes, level %u: %s\n", layout->width_px, layout->height_px,
              layout->depth_px, layout->levels, layout->sample_count_sa, formats[kind].bytes, level, what);
   }
}

/* The texels of a level, one byte pattern each, tiled by Mesa. NULL: too many. */
static uint8_t *tile_level(const struct ail_layout *layout, unsigned kind, unsigned level, uint8_t **linear)
{
   const uint32_t width = u_minify(layout->width_px, level), height = u_minify(layout->height_px, level);
   const unsigned bytes = formats[kind].bytes;
   const size_t size = ail_get_level_size_B(layout, level);
   if (width * height > TEXELS_MOST) {
      return NULL;
   }
   uint8_t *tiled = calloc(1, size + 64);
   *linear = malloc((size_t)width * height * bytes);
   for (size_t i = 0; i < (size_t)width * height * bytes; i++) {
      (*linear)[i] = (uint8_t)(i / bytes * 2654435761u >> (i % bytes % 4 * 8));
   }
   ail_tile(tiled, *linear, layout, level, width * bytes, 0, 0, width, height);
   return tiled;
}

static void check_texel(const struct ail_layout *layout, unsigned kind, const struct vgpu_image *image,
                        const struct vgpu_texel_place *place, uint64_t start, const uint8_t *tiled,
                        const uint8_t *linear)
{
   const unsigned bytes = formats[kind].bytes;
   const uint32_t width = u_minify(layout->width_px, place->level);
   const uint64_t at = vgpu_texel_address(image, place) - start;
   texels++;
   if (!vgpu_texel_exists(image, place)) {
      complain(layout, kind, place->level, "a texel is said not to exist");
   } else if (at + bytes > ail_get_level_size_B(layout, place->level)) {
      complain(layout, kind, place->level, "a texel lies outside of its level");
   } else if (memcmp(tiled + at, linear + ((size_t)place->y * width + place->x) * bytes, bytes)) {
      complain(layout, kind, place->level, "a texel lies elsewhere");
   }
}

static void check_level(const struct ail_layout *layout, unsigned kind, const struct vgpu_image *image, unsigned level)
{
   const uint32_t width = u_minify(layout->width_px, level), height = u_minify(layout->height_px, level);
   const uint32_t depth = layout->mipmapped_z ? u_minify(layout->depth_px, level) : layout->depth_px;
   const uint32_t layer = draw(depth);
   const uint64_t start = BASE + (uint64_t)layer * layout->layer_stride_B + ail_get_level_offset_B(layout, level);
   uint8_t *linear, *tiled = tile_level(layout, kind, level, &linear);
   if (!tiled) {
      return;
   }
   for (uint32_t y = 0; y < height; y++) {
      for (uint32_t x = 0; x < width; x++) {
         const struct vgpu_texel_place place = {.x = x, .y = y, .layer = layer, .level = level};
         check_texel(layout, kind, image, &place, start, tiled, linear);
      }
   }
   const struct vgpu_texel_place outside[] = {{.x = width, .level = level},
                                              {.y = height, .level = level},
                                              {.layer = depth, .level = level},
                                              {.level = layout->levels}};
   for (unsigned i = 0; i < ARRAY_SIZE(outside); i++) {
      if (vgpu_texel_exists(image, &outside[i])) {
         complain(layout, kind, level, "a texel outside of the image is said to exist");
      }
   }
   free(tiled);
   free(linear);
}

/* Samples lie side by side in a texel, whose tile follows from its bytes (libagx/texture.cl's formula). */
static void check_samples(const struct ail_layout *layout, unsigned kind, const struct vgpu_image *image)
{
   const struct ail_tile tile = layout->tilesize_el[0];
   const uint32_t aligned = align(layout->width_px, tile.width_el);
   for (unsigned i = 0; i < 200; i++) {
      const struct vgpu_texel_place place = {.x = draw(layout->width_px),
                                             .y = draw(layout->height_px),
                                             .layer = draw(layout->depth_px),
                                             .sample = draw(layout->sample_count_sa)};
      uint32_t inside = 0;
      for (unsigned bit = 0; bit < 16; bit++) {
         inside |= (place.x & (tile.width_el - 1u)) >> bit << 31 >> 31 << 2 * bit;
         inside |= (place.y & (tile.height_el - 1u)) >> bit << 31 >> 31 << (2 * bit + 1);
      }
      const uint64_t pixel = (place.y & ~(tile.height_el - 1u)) * (uint64_t)aligned +
                             (place.x & ~(tile.width_el - 1u)) * (uint64_t)tile.height_el + inside;
      const uint64_t want = BASE + (uint64_t)place.layer * layout->layer_stride_B +
                            (pixel * layout->sample_count_sa + place.sample) * formats[kind].bytes;
      texels++;
      if (vgpu_texel_address(image, &place) != want) {
         complain(layout, kind, 0, "a sample lies elsewhere");
      }
   }
}

/* Each 16 x 16 samples of a level have metadata of their own, inside the level's. */
static void check_entries(const struct ail_layout *layout, unsigned kind, const struct vgpu_image *image,
                          unsigned level)
{
   static uint8_t seen[1 << 16];
   struct ail_layout copy = *layout;
   const uint32_t columns = ail_metadata_width_tl(&copy, level), rows = ail_metadata_height_tl(&copy, level);
   const uint32_t layer = draw(layout->depth_px), wide = layout->sample_count_sa == 4,
                  high = layout->sample_count_sa > 1;
   const uint64_t start =
       METADATA + layer * layout->compression_layer_stride_B + layout->level_offsets_compressed_B[level];
   memset(seen, 0, sizeof(seen));
   for (uint32_t i = 0; i < columns * rows; i++) {
      const struct vgpu_texel_place place = {
          .x = i % columns * 16 >> wide, .y = i / columns * 16 >> high, .layer = layer, .level = level};
      const uint64_t entry = (vgpu_metadata_address(image, &place) - start) / 8;
      texels++;
      if (entry >= sizeof(seen) || seen[entry] ||
          (level + 1 < layout->levels && ail_is_level_compressed(layout, level + 1) &&
           start + entry * 8 >=
               start - layout->level_offsets_compressed_B[level] + layout->level_offsets_compressed_B[level + 1])) {
         complain(layout, kind, level, "metadata lies outside of its level, or twice at one place");
         return;
      }
      seen[entry] = 1;
   }
}

static void check_compressed(void)
{
   const unsigned kind = draw(ARRAY_SIZE(formats));
   const uint8_t samples = draw(2) ? 1 : draw(2) ? 2 : 4;
   struct ail_layout layout = {.tiling = AIL_TILING_TWIDDLED_COMPRESSED,
                               .sample_count_sa = samples,
                               .width_px = 16 + draw(500),
                               .height_px = 16 + draw(500),
                               .depth_px = 1 + draw(4),
                               .format = formats[kind].format,
                               .levels = samples == 1 && draw(2) ? 2 : 1,
                               .renderable = true};
   struct vgpu_image image;
   ail_make_miptree(&layout);
   read_texture(&layout, kind, &image);
   if (image.metadata != METADATA || image.metadata_stride != layout.compression_layer_stride_B) {
      complain(&layout, kind, 0, "the metadata of a layer has another size, or lies elsewhere");
      return;
   }
   for (unsigned level = 0; level < layout.levels; level++) {
      const bool compressed = ail_is_level_compressed(&layout, level);
      if (image.mips[level].compressed != compressed) {
         complain(&layout, kind, level, "a level is compressed, or not");
      } else if (compressed && image.mips[level].metadata != layout.level_offsets_compressed_B[level]) {
         complain(&layout, kind, level, "the metadata of a level lies elsewhere");
      } else if (compressed) {
         check_entries(&layout, kind, &image, level);
      }
   }
}

/* Formats of blocks: of each block of each level, one texel. */
static const struct {
   enum pipe_format format;
   unsigned channels, bytes;
} block_formats[] = {
    {PIPE_FORMAT_DXT1_RGB, AGX_CHANNELS_BC1, 8},           {PIPE_FORMAT_BPTC_RGBA_UNORM, AGX_CHANNELS_BC7, 16},
    {PIPE_FORMAT_ASTC_4x4, AGX_CHANNELS_ASTC_4X4, 16},     {PIPE_FORMAT_ASTC_5x4, AGX_CHANNELS_ASTC_5X4, 16},
    {PIPE_FORMAT_ASTC_6x5, AGX_CHANNELS_ASTC_6X5, 16},     {PIPE_FORMAT_ASTC_8x6, AGX_CHANNELS_ASTC_8X6, 16},
    {PIPE_FORMAT_ASTC_10x5, AGX_CHANNELS_ASTC_10X5, 16},   {PIPE_FORMAT_ASTC_10x10, AGX_CHANNELS_ASTC_10X10, 16},
    {PIPE_FORMAT_ASTC_12x10, AGX_CHANNELS_ASTC_12X10, 16}, {PIPE_FORMAT_ASTC_12x12, AGX_CHANNELS_ASTC_12X12, 16},
};

static void check_block_level(const struct ail_layout *layout, const struct vgpu_image *image, unsigned level)
{
   const uint32_t across = util_format_get_blockwidth(layout->format),
                  down = util_format_get_blockheight(layout->format);
   const uint32_t width = u_minify(layout->width_px, level), height = u_minify(layout->height_px, level);
   const uint32_t columns = DIV_ROUND_UP(width, across), rows = DIV_ROUND_UP(height, down);
   const unsigned bytes = util_format_get_blocksize(layout->format);
   const uint64_t size = ail_get_level_size_B(layout, level);
   uint8_t *tiled = calloc(1, size + 64), *linear = malloc((size_t)columns * rows * bytes);
   for (uint32_t i = 0; i < columns * rows * bytes; i++) {
      linear[i] = (uint8_t)(i / bytes * 2654435761u >> (i % bytes % 4 * 8));
   }
   ail_tile(tiled, linear, layout, level, columns * bytes, 0, 0, width, height);
   for (uint32_t i = 0; i < columns * rows; i++) {
      const struct vgpu_texel_place place = {.x = MIN2(i % columns * across + draw(across), width - 1),
                                             .y = MIN2(i / columns * down + draw(down), height - 1),
                                             .level = level};
      const uint64_t at = vgpu_texel_address(image, &place) - BASE - ail_get_level_offset_B(layout, level);
      texels++;
      if (at + bytes > size || memcmp(tiled + at, linear + (size_t)i * bytes, bytes)) {
         if (check_failures++ < 10) {
            fprintf(stderr, "%ux%u texels in blocks of %ux%u, level %u: a block lies elsewhere\n", layout->width_px,
                    layout->height_px, across, down, level);
         }
         break;
      }
   }
   free(tiled);
   free(linear);
}

static void check_blocks(void)
{
   const unsigned kind = draw(ARRAY_SIZE(block_formats));
   struct ail_layout layout = {.tiling = AIL_TILING_TWIDDLED,
                               .sample_count_sa = 1,
                               .width_px = 1 + draw(draw(2) ? 60 : 900),
                               .height_px = 1 + draw(draw(2) ? 60 : 900),
                               .depth_px = 1,
                               .format = block_formats[kind].format,
                               .levels = draw(3) ? 2 : 1};
   struct agx_texture_packed packed;
   uint64_t words[VGPU_DESCRIPTOR_WORDS];
   struct vgpu_image image;
   layout.levels = MAX2(layout.width_px, layout.height_px) == 1 ? 1 : layout.levels;
   ail_make_miptree(&layout);
   agx_pack(&packed, TEXTURE, cfg)
   {
      cfg.dimension = AGX_TEXTURE_DIMENSION_2D;
      cfg.layout = AGX_LAYOUT_TWIDDLED;
      cfg.channels = block_formats[kind].channels;
      cfg.type = AGX_TEXTURE_TYPE_UNORM;
      cfg.address = BASE;
      cfg.width = layout.width_px;
      cfg.height = layout.height_px;
      cfg.depth = 1;
      cfg.last_level = layout.levels - 1;
      cfg.unk_mipmapped = layout.levels > 1;
      cfg.samples = AGX_SAMPLE_COUNT_2;
   }
   memcpy(words, &packed, sizeof(words));
   vgpu_texture_read(&image, words);
   for (unsigned level = 0; level < layout.levels; level++) {
      check_block_level(&layout, &image, level);
   }
}

int main(void)
{
   for (unsigned i = 0; i < IMAGES / 4; i++) {
      check_blocks();
   }
   for (unsigned i = 0; i < IMAGES; i++) {
      check_compressed();
   }
   for (unsigned i = 0; i < IMAGES; i++) {
      const unsigned kind = draw(ARRAY_SIZE(formats));
      const struct ail_layout layout = draw_layout(kind);
      struct vgpu_image image;
      read_texture(&layout, kind, &image);
      if (image.problem) {
         complain(&layout, kind, 0, image.problem);
      } else if (layout.sample_count_sa > 1) {
         check_samples(&layout, kind, &image);
      } else {
         for (unsigned level = 0; level < layout.levels; level++) {
            struct vgpu_image written;
            check_level(&layout, kind, &image, level);
            read_pbe(&layout, kind, level, &written);
            check_level(&layout, kind, &written, level);
         }
      }
   }
   printf("%u images, %u texels, %u failures\n", IMAGES, texels, check_failures);
   return check_failures != 0;
}
