/* SPDX-License-Identifier: MIT
 *
 * The formats of images: one row each has GLSL's name and what SPIR-V, Vulkan and OpenCL call it.
 */
#ifndef DRIVERS_HOST_FORMATS_H
#define DRIVERS_HOST_FORMATS_H

#include <stddef.h>
#include <stdint.h>

/* Name; type and number of the elements that a texel is given in; what a shader reads: 'f' floats, 'i' and 'u'
 * integers; SPIR-V's number, 0: it has none; Vulkan's VK_FORMAT_; OpenCL's CL_ order and CL_ type, NONE: it has none.
 */
#define HOST_FORMATS(X)                                                                                                \
   X("r8", "u8", 1, 'f', 15, R8_UNORM, R, UNORM_INT8)                                                                  \
   X("rg8", "u8", 2, 'f', 13, R8G8_UNORM, RG, UNORM_INT8)                                                              \
   X("rgba8", "u8", 4, 'f', 4, R8G8B8A8_UNORM, RGBA, UNORM_INT8)                                                       \
   X("srgba8", "u8", 4, 'f', 0, R8G8B8A8_SRGB, sRGBA, UNORM_INT8)                                                      \
   X("bgra8", "u8", 4, 'f', 0, B8G8R8A8_UNORM, BGRA, UNORM_INT8)                                                       \
   X("r8_snorm", "i8", 1, 'f', 20, R8_SNORM, R, SNORM_INT8)                                                            \
   X("rg8_snorm", "i8", 2, 'f', 18, R8G8_SNORM, RG, SNORM_INT8)                                                        \
   X("rgba8_snorm", "i8", 4, 'f', 5, R8G8B8A8_SNORM, RGBA, SNORM_INT8)                                                 \
   X("r16", "u16", 1, 'f', 14, R16_UNORM, R, UNORM_INT16)                                                              \
   X("rg16", "u16", 2, 'f', 12, R16G16_UNORM, RG, UNORM_INT16)                                                         \
   X("rgba16", "u16", 4, 'f', 10, R16G16B16A16_UNORM, RGBA, UNORM_INT16)                                               \
   X("r16_snorm", "i16", 1, 'f', 19, R16_SNORM, R, SNORM_INT16)                                                        \
   X("rg16_snorm", "i16", 2, 'f', 17, R16G16_SNORM, RG, SNORM_INT16)                                                   \
   X("rgba16_snorm", "i16", 4, 'f', 16, R16G16B16A16_SNORM, RGBA, SNORM_INT16)                                         \
   X("r16f", "f16", 1, 'f', 9, R16_SFLOAT, R, HALF_FLOAT)                                                              \
   X("rg16f", "f16", 2, 'f', 7, R16G16_SFLOAT, RG, HALF_FLOAT)                                                         \
   X("rgba16f", "f16", 4, 'f', 2, R16G16B16A16_SFLOAT, RGBA, HALF_FLOAT)                                               \
   X("r32f", "f32", 1, 'f', 3, R32_SFLOAT, R, FLOAT)                                                                   \
   X("rg32f", "f32", 2, 'f', 6, R32G32_SFLOAT, RG, FLOAT)                                                              \
   X("rgba32f", "f32", 4, 'f', 1, R32G32B32A32_SFLOAT, RGBA, FLOAT)                                                    \
   X("r11f_g11f_b10f", "u32", 1, 'f', 8, B10G11R11_UFLOAT_PACK32, NONE, NONE)                                          \
   X("rgb10_a2", "u32", 1, 'f', 11, A2B10G10R10_UNORM_PACK32, NONE, NONE)                                              \
   X("rgb9_e5", "u32", 1, 'f', 0, E5B9G9R9_UFLOAT_PACK32, NONE, NONE)                                                  \
   X("rgb10_a2ui", "u32", 1, 'u', 34, A2B10G10R10_UINT_PACK32, NONE, NONE)                                             \
   X("r8i", "i8", 1, 'i', 29, R8_SINT, R, SIGNED_INT8)                                                                 \
   X("rg8i", "i8", 2, 'i', 27, R8G8_SINT, RG, SIGNED_INT8)                                                             \
   X("rgba8i", "i8", 4, 'i', 23, R8G8B8A8_SINT, RGBA, SIGNED_INT8)                                                     \
   X("r16i", "i16", 1, 'i', 28, R16_SINT, R, SIGNED_INT16)                                                             \
   X("rg16i", "i16", 2, 'i', 26, R16G16_SINT, RG, SIGNED_INT16)                                                        \
   X("rgba16i", "i16", 4, 'i', 22, R16G16B16A16_SINT, RGBA, SIGNED_INT16)                                              \
   X("r32i", "i32", 1, 'i', 24, R32_SINT, R, SIGNED_INT32)                                                             \
   X("rg32i", "i32", 2, 'i', 25, R32G32_SINT, RG, SIGNED_INT32)                                                        \
   X("rgba32i", "i32", 4, 'i', 21, R32G32B32A32_SINT, RGBA, SIGNED_INT32)                                              \
   X("r8ui", "u8", 1, 'u', 39, R8_UINT, R, UNSIGNED_INT8)                                                              \
   X("rg8ui", "u8", 2, 'u', 37, R8G8_UINT, RG, UNSIGNED_INT8)                                                          \
   X("rgba8ui", "u8", 4, 'u', 32, R8G8B8A8_UINT, RGBA, UNSIGNED_INT8)                                                  \
   X("r16ui", "u16", 1, 'u', 38, R16_UINT, R, UNSIGNED_INT16)                                                          \
   X("rg16ui", "u16", 2, 'u', 36, R16G16_UINT, RG, UNSIGNED_INT16)                                                     \
   X("rgba16ui", "u16", 4, 'u', 31, R16G16B16A16_UINT, RGBA, UNSIGNED_INT16)                                           \
   X("r32ui", "u32", 1, 'u', 33, R32_UINT, R, UNSIGNED_INT32)                                                          \
   X("rg32ui", "u32", 2, 'u', 35, R32G32_UINT, RG, UNSIGNED_INT32)                                                     \
   X("rgba32ui", "u32", 4, 'u', 30, R32G32B32A32_UINT, RGBA, UNSIGNED_INT32)

#define HOST_NO_FORMAT UINT32_MAX

struct host_format {
   const char *name, *element; /* element: the type that exec has for it, "u8" */
   uint32_t elements;          /* of a texel */
   uint32_t spirv;
   char reads;
};

/* The row with that index; NULL: there is none. */
const struct host_format *host_format(uint32_t index);
/* Bytes of a texel of that row. */
uint32_t host_format_bytes(uint32_t index);
/* The index of the row with that name of `length` letters, or of that number of SPIR-V's; HOST_NO_FORMAT: none. */
uint32_t host_format_find(const char *name, size_t length);
uint32_t host_format_of_spirv(uint32_t number);
/* A format that every device has, for a shader that reads floats ('f') or integers. */
uint32_t host_format_for(char reads);

#endif
