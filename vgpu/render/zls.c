/* SPDX-License-Identifier: MIT
 *
 * Depth and stencil in memory: docs/spec/render.md 7. Each is a twiddled surface of its own, which may have metadata of
 * Apple's lossless compression: then a whole block is written uncompressed, and one of a single value is read as such.
 */
#include <inttypes.h>
#include <string.h>

#include "vgpu/exec/image/image.h"
#include "vgpu/exec/image/morton.h"
#include "vgpu/render/tile.h"

#define FORMAT_16 2u
#define SIDE 16u
#define BLOCKS 8u
enum { LOAD_STENCIL = 14, LOAD_DEPTH = 15, STORE_STENCIL = 18, STORE_DEPTH = 19 };

/* Host memory behind addresses from `start` on. */
struct run {
   uint64_t start;
   size_t bytes;
   uint8_t *host;
};

struct surface {
   struct vgpu_image image;
   struct run texels, modes;
};

static bool wants(const struct render_tile *tile, unsigned bit)
{
   return tile->pass->command->zls_ctrl >> bit & 1;
}

/* Fills in the layout; strides are those of the command. */
static void find_surface(const struct render_tile *tile, bool stencil, struct surface *surface)
{
   const struct drm_asahi_cmd_render *command = tile->pass->command;
   const struct drm_asahi_zls_buffer *buffer = stencil ? &command->stencil : &command->depth;
   const uint32_t width = (command->isp_zls_pixels & 0x7fff) + 1, height = (command->isp_zls_pixels >> 15 & 0x7fff) + 1;
   const bool narrow = (command->zls_ctrl >> 25 & 3) == FORMAT_16;
   struct vgpu_image *image = &surface->image;
   surface->texels = surface->modes = (struct run){.bytes = 0};
   *image = (struct vgpu_image){.dimension = VGPU_2D,
                                .layout = VGPU_TWIDDLED,
                                .layers = 1,
                                .bytes = stencil  ? 1
                                         : narrow ? 2
                                                  : 4,
                                .samples_log2 = tile->pass->samples_log2};
   vgpu_image_lay_out(image, width, height, false, false);
   image->address = buffer->base + tile->layer * (((uint64_t)(buffer->stride >> 14) + 1) << 14);
   if (command->zls_ctrl >> (stencil ? 4 : 2) & 1 && buffer->comp_base) {
      image->metadata = buffer->comp_base + tile->layer * (((uint64_t)(buffer->comp_stride >> 14) + 1) << 7);
      vgpu_image_lay_out_metadata(image, width, height);
   }
}

static uint8_t *bytes_at(struct render_tile *tile, struct run *run, uint64_t va, unsigned access, const char *what)
{
   if (va - run->start < run->bytes) {
      return run->host + (va - run->start);
   }
   run->start = va;
   run->host = vgpu_pages_translate(tile->pass->base->pages, va, access, &run->bytes);
   if (!run->host) {
      run->bytes = 0;
      render_fail(tile->pass, VGPU_FAULT_MEMORY, "%s of depth or stencil: unmapped address 0x%" PRIx64, what, va);
   }
   return run->host;
}

/* The modes of the 16 x 16 samples around a place; NULL: they have none. */
static uint8_t *modes_at(struct render_tile *tile, struct surface *surface, const struct vgpu_texel_place *place,
                         unsigned access)
{
   const struct vgpu_image *image = &surface->image;
   return image->metadata && image->mips[0].compressed
              ? bytes_at(tile, &surface->modes, vgpu_metadata_address(image, place), access, "metadata")
              : NULL;
}

static bool load_one(struct render_tile *tile, struct surface *surface, const struct vgpu_texel_place *place,
                     bool stencil, size_t at)
{
   const struct vgpu_image *image = &surface->image;
   const uint8_t *modes = modes_at(tile, surface, place, VGPU_READ);
   uint64_t va = vgpu_texel_address(image, place);
   if (modes && modes[vgpu_metadata_block(image, place)] == vgpu_solid_mode(image)) {
      const struct vgpu_texel_place corner = vgpu_metadata_corner(image, place);
      va = vgpu_texel_address(image, &corner) + (uint64_t)vgpu_metadata_block(image, place) * image->bytes;
   }
   const uint8_t *bytes = bytes_at(tile, &surface->texels, va, VGPU_READ, "load");
   if (!bytes) {
      return false;
   }
   if (stencil) {
      tile->stencil[at] = *bytes;
   } else if (image->bytes == 2) {
      uint16_t value;
      memcpy(&value, bytes, sizeof(value));
      tile->z[at] = (float)((double)value / UINT16_MAX);
   } else {
      memcpy(&tile->z[at], bytes, sizeof(float));
   }
   return true;
}

static bool store_one(struct render_tile *tile, struct surface *surface, const struct vgpu_texel_place *place,
                      bool stencil, size_t at)
{
   const struct vgpu_image *image = &surface->image;
   uint8_t *bytes = bytes_at(tile, &surface->texels, vgpu_texel_address(image, place), VGPU_WRITE, "store");
   if (!bytes) {
      return false;
   }
   /* A tile holds whole blocks of 16 x 16. */
   const bool inside = place->x % vgpu_metadata_side(image, 0) || place->y % vgpu_metadata_side(image, 1);
   uint8_t *modes = inside ? NULL : modes_at(tile, surface, place, VGPU_WRITE);
   if (modes) {
      memset(modes, vgpu_uncompressed_mode(image), BLOCKS);
   }
   if (stencil) {
      *bytes = tile->stencil[at];
   } else if (image->bytes == 2) {
      const uint16_t value = (uint16_t)((double)tile->z[at] * UINT16_MAX + 0.5);
      memcpy(bytes, &value, sizeof(value));
   } else {
      memcpy(bytes, &tile->z[at], sizeof(float));
   }
   return true;
}

typedef bool visit(struct render_tile *, struct surface *, const struct vgpu_texel_place *, bool stencil, size_t at);

/* The memory of 16 x 16 texels that lie in it one after the other, in Morton order, each by itself. NULL: they do not,
 * or one of their blocks has one colour, or is not mapped: texel by texel. */
static uint8_t *find_block(struct render_tile *tile, struct surface *surface, uint32_t x, uint32_t y, bool stores)
{
   const struct vgpu_image *image = &surface->image;
   const struct vgpu_texel_place first = {.x = x, .y = y}, last = {.x = x + SIDE - 1, .y = y + SIDE - 1};
   const struct vgpu_mip *mip = &image->mips[0];
   if (image->samples_log2 || x + SIDE > tile->end[0] || y + SIDE > tile->end[1] || !vgpu_texel_exists(image, &last) ||
       1u << mip->tile_x < SIDE || 1u << mip->tile_y < SIDE) {
      return NULL;
   }
   const unsigned access = stores ? VGPU_WRITE : VGPU_READ;
   const uint64_t va = vgpu_texel_address(image, &first);
   uint8_t *bytes = bytes_at(tile, &surface->texels, va, access, stores ? "store" : "load");
   if (!bytes || surface->texels.start + surface->texels.bytes - va < SIDE * SIDE * image->bytes) {
      return NULL;
   }
   uint8_t *modes = modes_at(tile, surface, &first, access);
   if (modes && stores) {
      memset(modes, vgpu_uncompressed_mode(image), BLOCKS);
   }
   return modes && !stores && memchr(modes, vgpu_solid_mode(image), BLOCKS) ? NULL : bytes;
}

/* Depths that are floats, and stencils. */
static bool move_block(struct render_tile *tile, struct surface *surface, bool stencil, bool stores, uint32_t left,
                       uint32_t top)
{
   uint8_t *bytes = surface->image.bytes == 2 ? NULL : find_block(tile, surface, left, top, stores);
   if (!bytes) {
      return false;
   }
   const size_t first = render_tile_pixel(tile, left, top);
   uint8_t *depths = (uint8_t *)&tile->z[first];
   if (!stencil && stores) {
      vgpu_morton_store(bytes, depths, sizeof(float), tile->width * sizeof(float));
   } else if (!stencil) {
      vgpu_morton_load(bytes, depths, tile->width * sizeof(float));
   }
   for (uint32_t i = 0; i < SIDE * SIDE / 2 && stencil; i++) { /* two side by side are so in memory */
      const uint32_t x = 2 * i % SIDE, y = 2 * i / SIDE;
      uint8_t *own = &tile->stencil[first + (size_t)y * tile->width + x];
      uint8_t *texels = bytes + vgpu_morton[x] + 2 * (size_t)vgpu_morton[y];
      memcpy(stores ? texels : own, stores ? own : texels, 2);
   }
   return true;
}

static bool each_texel(struct render_tile *tile, struct surface *surface, bool stencil, visit *one, uint32_t left,
                       uint32_t top)
{
   for (uint32_t y = top; y < top + SIDE && y < tile->end[1]; y++) {
      for (uint32_t x = left; x < left + SIDE && x < tile->end[0]; x++) {
         for (uint32_t sample = 0; sample < 1u << tile->pass->samples_log2; sample++) {
            const struct vgpu_texel_place place = {.x = x, .y = y, .sample = sample};
            const size_t at = ((size_t)render_tile_pixel(tile, x, y) << tile->pass->samples_log2) + sample;
            if (vgpu_texel_exists(&surface->image, &place) && !one(tile, surface, &place, stencil, at)) {
               return false;
            }
         }
      }
   }
   return true;
}

/* Tiles are multiples of 16 x 16 pixels. */
static bool each(struct render_tile *tile, bool stencil, visit *one)
{
   struct surface surface;
   find_surface(tile, stencil, &surface);
   for (uint32_t y = tile->origin[1]; y < tile->end[1]; y += SIDE) {
      for (uint32_t x = tile->origin[0]; x < tile->end[0]; x += SIDE) {
         if (!move_block(tile, &surface, stencil, one == store_one, x, y) &&
             !each_texel(tile, &surface, stencil, one, x, y)) {
            return false;
         }
      }
   }
   return true;
}

bool render_zls_load(struct render_tile *tile)
{
   const struct drm_asahi_cmd_render *command = tile->pass->command;
   float z;
   memcpy(&z, &command->isp_bgobjdepth, sizeof(z));
   if ((command->zls_ctrl >> 25 & 3) == FORMAT_16) {
      z = (float)((command->isp_bgobjdepth & UINT16_MAX) / (double)UINT16_MAX);
   }
   for (size_t i = 0; i < (size_t)RENDER_TILE_PIXELS << tile->pass->samples_log2; i++) {
      tile->z[i] = z;
   }
   memset(tile->stencil, command->isp_bgobjvals & UINT8_MAX, (size_t)RENDER_TILE_PIXELS << tile->pass->samples_log2);
   return (!wants(tile, LOAD_DEPTH) || each(tile, false, load_one)) &&
          (!wants(tile, LOAD_STENCIL) || each(tile, true, load_one));
}

bool render_zls_store(struct render_tile *tile)
{
   return (!wants(tile, STORE_DEPTH) || each(tile, false, store_one)) &&
          (!wants(tile, STORE_STENCIL) || each(tile, true, store_one));
}
