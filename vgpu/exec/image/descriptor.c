/* SPDX-License-Identifier: MIT
 *
 * Descriptors of textures and of images that are written. A level's size follows from that of level 0, which both have.
 */
#include "vgpu/exec/image/image.h"

#include <string.h>

#include "util/array.h"

/* A format's number: its bytes, and the bits of its channels from the lowest on. */
static const struct {
   uint8_t number, bytes, bits[4], packing;
} formats[] = {
    {0x00, 1, {8}, VGPU_CHANNELS},
    {0x09, 2, {16}, VGPU_CHANNELS},
    {0x0A, 2, {8, 8}, VGPU_CHANNELS},
    {0x0B, 2, {5, 6, 5}, VGPU_CHANNELS},
    {0x0C, 2, {4, 4, 4, 4}, VGPU_CHANNELS},
    {0x0D, 2, {1, 5, 5, 5}, VGPU_CHANNELS},
    {0x0E, 2, {5, 5, 5, 1}, VGPU_CHANNELS},
    {0x21, 4, {32}, VGPU_CHANNELS},
    {0x23, 4, {16, 16}, VGPU_CHANNELS},
    {0x25, 4, {11, 11, 10}, VGPU_RG11B10},
    {0x26, 4, {10, 10, 10, 2}, VGPU_CHANNELS},
    {0x27, 4, {9, 9, 9}, VGPU_RGB9E5},
    {0x28, 4, {8, 8, 8, 8}, VGPU_CHANNELS},
    {0x31, 8, {32, 32}, VGPU_CHANNELS},
    {0x32, 8, {16, 16, 16, 16}, VGPU_CHANNELS},
    {0x36, 12, {32, 32, 32}, VGPU_CHANNELS}, /* Mesa reads its texels from memory itself, but not those outside */
    {0x38, 16, {32, 32, 32, 32}, VGPU_CHANNELS},
    /* The bits are those of border colours (Mesa 25.0.7's lib/agx_border.c). */
    {0x58, 8, {8, 8, 8, 8}, VGPU_ETC2_RGB},
    {0x59, 16, {8, 8, 8, 8}, VGPU_ETC2_RGBA},
    {0x5A, 8, {8, 8, 8, 8}, VGPU_ETC2_RGBA1},
    {0x5B, 8, {11}, VGPU_EAC_R},
    {0x5C, 16, {11, 11}, VGPU_EAC_RG},
    {0x74, 8, {8, 8, 8, 8}, VGPU_BC1},
    {0x75, 16, {8, 8, 8, 8}, VGPU_BC2},
    {0x76, 16, {8, 8, 8, 8}, VGPU_BC3},
    {0x77, 8, {14}, VGPU_BC4},
    {0x78, 16, {14, 14}, VGPU_BC5},
    {0x79, 16, {16, 16, 16}, VGPU_BC6H},
    {0x7A, 16, {16, 16, 16}, VGPU_BC6H_UNSIGNED},
    {0x7B, 16, {8, 8, 8, 8}, VGPU_BC7},
};

/* By the number of the format of ASTC: texels across and down. */
static const uint8_t astc_blocks[][2] = {{4, 4}, {5, 4},  {5, 5},  {6, 5},  {6, 6},   {8, 5},   {8, 6},
                                         {8, 8}, {10, 5}, {10, 6}, {10, 8}, {10, 10}, {12, 10}, {12, 12}};
#define FIRST_OF_ASTC 0x60u

static uint64_t bits_of(const uint64_t words[VGPU_DESCRIPTOR_WORDS], unsigned low, unsigned count)
{
   uint64_t value = words[low / 64] >> low % 64;
   if (low % 64 + count > 64) {
      value |= words[low / 64 + 1] << (64 - low % 64);
   }
   return value & ((UINT64_C(1) << count) - 1);
}

static uint32_t field(const uint64_t words[VGPU_DESCRIPTOR_WORDS], unsigned low, unsigned count)
{
   return (uint32_t)bits_of(words, low, count);
}

static bool is_multisampled(const struct vgpu_image *image)
{
   return image->dimension == VGPU_2D_MS || image->dimension == VGPU_2D_MS_ARRAY;
}

static bool is_cube(const struct vgpu_image *image)
{
   return image->dimension == VGPU_CUBE || image->dimension == VGPU_CUBE_ARRAY;
}

/* The fields that both descriptors have at the same place. */
static void read_common(struct vgpu_image *image, const uint64_t words[VGPU_DESCRIPTOR_WORDS])
{
   const uint32_t number = field(words, 6, 7);
   *image = (struct vgpu_image){.dimension = (uint8_t)field(words, 0, 4),
                                .layout = (uint8_t)field(words, 4, 2),
                                .type = (uint8_t)field(words, 13, 3),
                                .format = (uint8_t)number,
                                .problem = "channels"};
   image->null = image->layout == VGPU_NO_LAYOUT;
   for (unsigned i = 0; i < ARRAY_COUNT(formats); i++) {
      if (formats[i].number == number) {
         image->bytes = formats[i].bytes;
         image->packing = formats[i].packing;
         image->block[0] = image->block[1] = 4;
         memcpy(image->bits, formats[i].bits, sizeof(image->bits));
         image->problem = NULL;
      }
   }
   if (number >= FIRST_OF_ASTC && number - FIRST_OF_ASTC < ARRAY_COUNT(astc_blocks)) {
      image->bytes = 16;
      image->packing = VGPU_ASTC;
      memcpy(image->block, astc_blocks[number - FIRST_OF_ASTC], sizeof(image->block));
      memset(image->bits, 8, sizeof(image->bits));
      image->problem = NULL;
   }
   if (image->dimension >= VGPU_DIMENSIONS) {
      image->problem = "an unknown dimension";
   } else if (image->type > VGPU_FLOAT ||
              (image->type == VGPU_FLOAT && image->packing == VGPU_CHANNELS && image->bits[0] < 16)) {
      image->problem = "a type of channels";
   }
}

/* Rows one after the other. Arrays say in another word how many layers there are, and how far apart. */
static void lay_out_rows(struct vgpu_image *image, const uint64_t words[VGPU_DESCRIPTOR_WORDS], uint32_t width,
                         uint32_t height, bool extended)
{
   image->first_level = image->last_level = 0;
   image->mips[0] = (struct vgpu_mip){.width = width, .height = height, .depth = 1};
   image->layers = extended ? field(words, 128, 11) + 1 : 1;
   image->layer_stride = extended ? (bits_of(words, 139, 27) << 7) + 128 : 0;
   if (image->samples_log2 > 0 || image->dimension == VGPU_3D) {
      image->problem = "a linear layout and samples or depth";
   }
}

static void read_compression(struct vgpu_image *image, const uint64_t words[VGPU_DESCRIPTOR_WORDS], uint32_t width,
                             uint32_t height, bool compressed)
{
   if (compressed) {
      image->metadata = words[2] << 4;
      vgpu_image_lay_out_metadata(image, width, height);
   }
}

void vgpu_texture_read(struct vgpu_image *image, const uint64_t words[VGPU_DESCRIPTOR_WORDS])
{
   read_common(image, words);
   for (unsigned i = 0; i < 4; i++) {
      image->swizzle[i] = (uint8_t)field(words, 16 + 3 * i, 3);
   }
   const uint32_t width = field(words, 28, 14) + 1, height = field(words, 42, 14) + 1;
   image->first_level = (uint8_t)field(words, 56, 4);
   image->last_level = (uint8_t)field(words, 60, 4);
   image->address = bits_of(words, 66, 36) << 4;
   image->samples_log2 = is_multisampled(image) ? (uint8_t)(1 + field(words, 64, 1)) : 0;
   image->null |= field(words, 105, 1) != 0;
   image->srgb = field(words, 108, 2) != 0;
   if (image->first_level > image->last_level && image->layout != VGPU_LINEAR) {
      image->problem = "a first level behind its last one";
   }
   if (image->null || image->problem) {
      image->problem = image->null ? NULL : image->problem;
   } else if (image->layout == VGPU_LINEAR) {
      image->stride = (field(words, 110, 16) << 4) + 16; /* bits 126 and 127 are flags */
      lay_out_rows(image, words, width, height, field(words, 127, 1) != 0);
   } else {
      image->layers = (field(words, 110, 14) + 1) * (is_cube(image) ? 6 : 1);
      vgpu_image_lay_out(image, width, height, field(words, 102, 1) != 0, field(words, 126, 1) != 0);
      read_compression(image, words, width, height, field(words, 103, 1) != 0);
   }
}

void vgpu_pbe_read(struct vgpu_image *image, const uint64_t words[VGPU_DESCRIPTOR_WORDS])
{
   read_common(image, words);
   for (unsigned i = 0; i < 4; i++) {
      image->swizzle[i] = (uint8_t)field(words, 16 + 2 * i, 2);
   }
   const uint32_t width = field(words, 24, 14) + 1, height = field(words, 38, 14) + 1;
   image->first_level = image->last_level = (uint8_t)field(words, 100, 4);
   image->address = bits_of(words, 64, 36) << 4;
   image->samples_log2 = is_multisampled(image) ? (uint8_t)(1 + field(words, 56, 1)) : 0;
   image->srgb = field(words, 125, 1) != 0;
   if (image->null || image->problem) {
      image->problem = image->null ? NULL : image->problem;
   } else if (image->layout == VGPU_LINEAR) {
      image->stride = field(words, 104, 21) + 4;
      lay_out_rows(image, words, width, height, field(words, 127, 1) != 0);
   } else {
      image->layers = field(words, 108, 14) + 1;
      vgpu_image_lay_out(image, width, height, field(words, 58, 1) != 0, field(words, 124, 1) != 0);
      read_compression(image, words, width, height, field(words, 59, 1) != 0);
   }
   if (image->packing >= VGPU_BLOCKS) {
      image->problem = "compressed blocks that are written";
   }
   if (field(words, 53, 2)) {
      image->problem = "a turned image";
   }
}
