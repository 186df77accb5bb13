/* SPDX-License-Identifier: MIT
 *
 * Textures and images: descriptors, the order of texels in memory, formats, samplers. Bits by Mesa 25.0.7's
 * genxml/cmdbuf.xml, the order of texels by its layout/layout.c (facts only).
 *
 * Invariant: an unknown descriptor gives a reason, and no access.
 */
#ifndef VGPU_IMAGE_H
#define VGPU_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define VGPU_DESCRIPTOR_WORDS 3u /* of 64 bits */
#define VGPU_MIPS 16u

struct vgpu_op;
struct vgpu_simd;
struct vgpu_plain; /* vgpu/exec/image/plain.h */

enum vgpu_texel_type { VGPU_UNORM, VGPU_SNORM, VGPU_UINT, VGPU_SINT, VGPU_FLOAT };
enum vgpu_layout { VGPU_LINEAR = 0, VGPU_NO_LAYOUT = 1, VGPU_TWIDDLED = 2, VGPU_COMPRESSED = 3 };
enum vgpu_dimension {
   VGPU_1D,
   VGPU_1D_ARRAY,
   VGPU_2D,
   VGPU_2D_ARRAY,
   VGPU_2D_MS,
   VGPU_3D,
   VGPU_CUBE,
   VGPU_CUBE_ARRAY,
   VGPU_2D_MS_ARRAY,
   VGPU_DIMENSIONS
};
/* Formats that are not a row of channels of their own. */
enum vgpu_packing {
   VGPU_CHANNELS,
   VGPU_RG11B10,
   VGPU_RGB9E5,
   VGPU_BLOCKS, /* the first one of several texels */
   VGPU_BC1 = VGPU_BLOCKS,
   VGPU_BC2,
   VGPU_BC3,
   VGPU_BC4,
   VGPU_BC5,
   VGPU_BC6H,
   VGPU_BC6H_UNSIGNED,
   VGPU_BC7,
   VGPU_ASTC,
   VGPU_ETC2_RGB,
   VGPU_ETC2_RGBA,
   VGPU_ETC2_RGBA1,
   VGPU_EAC_R,
   VGPU_EAC_RG
};

/* One level of detail. A tile is square, or twice as wide as high, in texels or blocks of them. */
struct vgpu_mip {
   uint64_t offset; /* bytes from the layer's start */
   uint32_t width, height, depth;
   uint32_t tiles;         /* in a row */
   bool compressed;        /* it has metadata */
   uint64_t metadata;      /* bytes from the layer's start */
   uint8_t tile_x, tile_y; /* log2 of a tile's sides */
};

struct vgpu_image {
   uint64_t address, layer_stride;
   uint64_t metadata, metadata_stride; /* of Apple's lossless compression; 0: it is not compressed */
   uint8_t levels;                     /* that have memory */
   uint32_t layers;                    /* of arrays; faces of cubes; depth of 3D images */
   uint32_t stride;                    /* bytes of a row; linear layout only */
   uint8_t dimension;                  /* enum vgpu_dimension */
   uint8_t layout;                     /* enum vgpu_layout */
   uint8_t type;                       /* enum vgpu_texel_type */
   uint8_t packing;                    /* enum vgpu_packing */
   uint8_t bytes;                      /* of a sample of a texel, or of a block */
   uint8_t block[2];                   /* texels of a block's sides, where packing has blocks */
   uint8_t samples_log2;               /* samples of a texel */
   uint8_t bits[4];                    /* of each channel; 0: it has none */
   uint8_t swizzle[4];                 /* 0..3 a channel, 4 one, 5 zero */
   uint8_t first_level, last_level;
   bool srgb;
   bool null;                       /* nothing is bound: reads give zero, writes vanish */
   uint8_t format;                  /* its number */
   const char *problem;             /* NULL: good */
   struct vgpu_mip mips[VGPU_MIPS]; /* first_level to last_level */
};

/* Reads the descriptor of a texture, or of an image that is written. (descriptor.c) */
void vgpu_texture_read(struct vgpu_image *image, const uint64_t words[VGPU_DESCRIPTOR_WORDS]);
void vgpu_pbe_read(struct vgpu_image *image, const uint64_t words[VGPU_DESCRIPTOR_WORDS]);

/* Fills in mips and layer_stride of a twiddled image of that size; `count`: levels that have memory. (layout.c) */
void vgpu_image_lay_out(struct vgpu_image *image, uint32_t width, uint32_t height, bool mipmapped, bool page_aligned);
/* Fills in the levels' metadata: 8 bytes for each 16 x 16 samples. After vgpu_image_lay_out(). (layout.c) */
void vgpu_image_lay_out_metadata(struct vgpu_image *image, uint32_t width, uint32_t height);
/* The texel of a sample inside the image. */
struct vgpu_texel_place {
   uint32_t x, y, layer, level, sample; /* layer: or z */
};
/* Whether the texel exists. */
bool vgpu_texel_exists(const struct vgpu_image *image, const struct vgpu_texel_place *place);
uint64_t vgpu_texel_address(const struct vgpu_image *image, const struct vgpu_texel_place *place);
/* The texels along x (axis 0) or y (axis 1) that have metadata together: 16 samples, of which a texel with four has two
 * along each axis, and one with two has them along y (Mesa's src/asahi/layout). */
uint32_t vgpu_metadata_side(const struct vgpu_image *image, unsigned axis);
/* Where the metadata of the texel's 16 x 16 samples lies. Its level is compressed. */
uint64_t vgpu_metadata_address(const struct vgpu_image *image, const struct vgpu_texel_place *place);
/* Which of the eight blocks of 8 x 4 samples of these it lies in. */
unsigned vgpu_metadata_block(const struct vgpu_image *image, const struct vgpu_texel_place *place);
/* The first texel of these 16 x 16 samples, and its first sample. */
struct vgpu_texel_place vgpu_metadata_corner(const struct vgpu_image *image, const struct vgpu_texel_place *place);

/* Channels are the bits of integers, or of f32. (texel.c) */
bool vgpu_image_is_integer(const struct vgpu_image *image);
/* Four channels in the order of the format; what it does not have reads 0, 0, 0, 1. */
void vgpu_texel_decode(const struct vgpu_image *image, const uint8_t *texel, uint32_t channels[4]);
/* The channels of a sampler's own border colour, each in a word as the format has it; sRGB's are linear, of 12 bits. */
void vgpu_border_decode(const struct vgpu_image *image, const uint32_t border[4], uint32_t channels[4]);
void vgpu_texel_encode(const struct vgpu_image *image, const uint32_t channels[4], uint8_t texel[16]);
float vgpu_bits_float(uint32_t bits);
/* The texel of a block that is compressed. (blocks.c) */
void vgpu_block_decode(const struct vgpu_image *image, const uint8_t *block, unsigned x, unsigned y,
                       uint32_t channels[4]);
/* Those of two kinds, before sRGB: the texel's number is 4 y + x. BC6H leaves colour[3]. (bptc.c) */
void vgpu_bc7_decode(const uint8_t *block, unsigned texel, double colour[4]);
void vgpu_bc6h_decode(const uint8_t *block, unsigned texel, bool is_signed, double colour[4]);
void vgpu_astc_decode(const struct vgpu_image *image, const uint8_t *block, unsigned x, unsigned y, double colour[4]);
/* Pixels of threadgroup memory, in a memory format (enum isa_format): their bytes, and the texel for one. Neither looks
 * at sRGB, which a program has applied when it stored the pixel. */
bool vgpu_pixel_is_texel(const struct vgpu_image *image, unsigned format); /* the bytes are the same */
unsigned vgpu_pixel_bytes(const struct vgpu_image *image, unsigned format);
void vgpu_pixel_encode(const struct vgpu_image *image, unsigned format, const uint8_t *pixel, uint8_t texel[16]);

/* ---- Samplers (sampler.c) ---- */

enum vgpu_wrap_mode {
   VGPU_WRAP_EDGE,
   VGPU_WRAP_REPEAT,
   VGPU_WRAP_MIRROR,
   VGPU_WRAP_BORDER,
   VGPU_WRAP_EDGE_OLD, /* OpenGL's old clamp */
   VGPU_WRAP_MIRROR_ONCE
};

struct vgpu_sampler {
   bool linear_up, linear_down, pixels, compares, seamful;
   uint8_t mip_filter; /* 0 none, 1 nearest, 2 linear */
   uint8_t wrap[3];    /* enum vgpu_wrap_mode */
   uint8_t function;   /* of the comparison */
   uint8_t border;     /* 0 transparent black, 1 opaque black, 2 opaque white, 3 `custom` */
   double least_level, most_level;
   uint32_t custom[4];
   const char *problem; /* NULL: good */
};
void vgpu_sampler_read(struct vgpu_sampler *sampler, uint64_t word);

/* The texel or sample that a lane asks for. */
struct vgpu_sample {
   const struct vgpu_op *op;
   struct vgpu_simd *simd;
   const struct vgpu_image *image;
   const struct vgpu_sampler *sampler;
   double at[3]; /* as the program gives it */
   uint32_t layer;
   double level;
   int32_t offset[3]; /* texels */
   bool shadow;
   float reference;
   int gather; /* component that is gathered; -1: none */
   struct vgpu_plain *plain;
};
/* Whether the level of detail has an effect. */
bool vgpu_sampler_needs_level(const struct vgpu_sampler *sampler);
/* Channels as the image has them, before its swizzle; with a gather or a comparison the result itself. */
void vgpu_sample_take(const struct vgpu_sample *sample, uint32_t channels[4]);
/* Two f32, as textureQueryLod() returns them: the level that would be taken, between the first and the last one, and
 * the level of the coordinates with its bias, which nothing limits. */
void vgpu_sample_query(const struct vgpu_sample *sample, uint32_t channels[4]);
/* log2 of the texels that a step of the gradients covers: pairs of d/dx and d/dy, one for each coordinate. */
/* Turns gradients of a direction into those of the place on the face that it meets: two coordinates. */
void vgpu_cube_gradients(const double direction[3], float gradients[6]);
double vgpu_gradient_level(const struct vgpu_image *image, const float *gradients, unsigned coordinates);

/* ---- Memory, for one lane of a simdgroup (access.c) ---- */

/* False: a part is not mapped, and a fault of the lane is counted. */
bool vgpu_image_read(const struct vgpu_op *op, struct vgpu_simd *simd, uint64_t va, void *to, unsigned size);
bool vgpu_image_write(const struct vgpu_op *op, struct vgpu_simd *simd, uint64_t va, const void *from, unsigned size);
/* Stores the bytes of a texel inside the image. If the texel lies in a block of one colour, that block becomes
 * uncompressed. */
void vgpu_texel_write(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                      const struct vgpu_texel_place *place, const uint8_t *texel);
/* Makes the 16 x 16 texels from the place on, all of which are about to be stored, uncompressed. */
void vgpu_texel_cover(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                      const struct vgpu_texel_place *place);
/* Modes of a block of metadata: of one colour, as Mesa 26.2.6 writes it when it clears an image; uncompressed. */
uint8_t vgpu_solid_mode(const struct vgpu_image *image);
uint8_t vgpu_uncompressed_mode(const struct vgpu_image *image);
/* A texel outside the image is zero. Returns whether it exists. */
bool vgpu_texel_read(const struct vgpu_op *op, struct vgpu_simd *simd, const struct vgpu_image *image,
                     const struct vgpu_texel_place *place, uint32_t channels[4]);
/* The component that the image's swizzle gives: 0..3. */
uint32_t vgpu_image_component(const struct vgpu_image *image, const uint32_t channels[4], unsigned component);

#endif
