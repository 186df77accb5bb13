/* SPDX-License-Identifier: MIT
 *
 * GLSL compute shaders through Mesa's driver on the virtual GPU: compute SHADERS [CASE]. SHADERS is the folder of their
 * SPIR-V. Each case computes on the host what the shader must give; no expected value comes from a run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/driver/cases.h"
#include "tests/check.h"

/* The path of a shader; good until the fourth call from now. */
static const char *shader(const char *name)
{
   static char paths[4][512];
   static unsigned next;
   char *path = paths[next++ % 4];
   snprintf(path, sizeof(paths[0]), "%s/%s.spv", cases_shaders, name);
   return path;
}

/* Numbers without a pattern that the shader could share. */
static uint32_t noise(uint32_t i)
{
   i = (i ^ 61) ^ (i >> 16);
   i *= 9;
   i ^= i >> 4;
   i *= 0x27D4EB2Du;
   return i ^ i >> 15;
}

/* Storage buffers of a case, as bindings 0, 1, ... */
#define BUFFERS 4
struct scene {
   struct vulkan *vulkan;
   struct vulkan_buffer buffers[BUFFERS];
   struct vulkan_binding bindings[BUFFERS];
   uint32_t count;
};

static void *add(struct scene *scene, size_t bytes)
{
   struct vulkan_buffer *buffer = &scene->buffers[scene->count];
   *buffer = vulkan_buffer_create(scene->vulkan, bytes);
   scene->bindings[scene->count++] = vulkan_storage(buffer);
   return buffer->map;
}

static void run(struct scene *scene, const char *name, uint32_t groups, const void *push, uint32_t push_size)
{
   const struct vulkan_dispatch dispatch = {.shader = shader(name),
                                            .bindings = scene->bindings,
                                            .binding_count = scene->count,
                                            .push = push,
                                            .push_size = push_size,
                                            .groups = {groups, 1, 1}};
   vulkan_run(scene->vulkan, &dispatch);
}

static void finish(struct scene *scene)
{
   for (uint32_t i = 0; i < scene->count; i++) {
      vulkan_buffer_destroy(scene->vulkan, &scene->buffers[i]);
   }
}

static void test_arithmetic(struct vulkan *vulkan)
{
   enum { COUNT = 1000 };
   struct scene scene = {.vulkan = vulkan};
   float *a = add(&scene, COUNT * 4), *b = add(&scene, COUNT * 4), *c = add(&scene, (COUNT + 24) * 4);
   const struct {
      float scale;
      uint32_t count;
   } push = {3, COUNT};
   for (int i = 0; i < COUNT; i++) {
      a[i] = (float)(noise((uint32_t)i) % 4096);
      b[i] = (float)i;
   }
   c[COUNT] = -1;
   run(&scene, "arithmetic", (COUNT + 63) / 64, &push, sizeof(push));
   for (int i = 0; i < COUNT; i++) {
      if (!CHECK(c[i] == a[i] * 3 + b[i], "c[%d] is %g", i, c[i])) {
         break;
      }
   }
   CHECK(c[COUNT] == -1, "a thread beyond the count wrote");
   finish(&scene);
}

static void test_shared(struct vulkan *vulkan)
{
   enum { GROUPS = 37 };
   struct scene scene = {.vulkan = vulkan};
   uint32_t *a = add(&scene, GROUPS * 256 * 4), *sums = add(&scene, GROUPS * 4);
   for (uint32_t i = 0; i < GROUPS * 256; i++) {
      a[i] = noise(i);
   }
   run(&scene, "shared", GROUPS, NULL, 0);
   for (uint32_t g = 0; g < GROUPS; g++) {
      uint32_t sum = 0;
      for (uint32_t i = 0; i < 256; i++) {
         sum += a[g * 256 + i];
      }
      CHECK(sums[g] == sum, "sum %u is %u, not %u", g, sums[g], sum);
   }
   finish(&scene);
}

static void test_atomics(struct vulkan *vulkan)
{
   enum { COUNT = 128 * 20 };
   struct scene scene = {.vulkan = vulkan};
   uint32_t *a = add(&scene, COUNT * 4), *h = add(&scene, 24 * 4);
   uint32_t expected[24] = {[16] = UINT32_MAX, [19] = UINT32_MAX, [22] = 1, [23] = 4711};
   int32_t small = 0;
   h[16] = h[19] = UINT32_MAX;
   for (uint32_t i = 0; i < COUNT; i++) {
      uint32_t v = a[i] = noise(i) >> 4;
      expected[v & 15]++;
      expected[16] = v < expected[16] ? v : expected[16];
      expected[17] = v > expected[17] ? v : expected[17];
      expected[18] |= v;
      expected[19] &= v;
      expected[20] ^= v;
      small = -(int32_t)v < small ? -(int32_t)v : small;
   }
   expected[21] = (uint32_t)small;
   run(&scene, "atomics", COUNT / 128, NULL, 0);
   for (int i = 0; i < 24; i++) {
      CHECK(h[i] == expected[i], "word %d is %x, not %x", i, h[i], expected[i]);
   }
   finish(&scene);
}

static void test_scratch(struct vulkan *vulkan)
{
   enum { COUNT = 32 * 50 };
   struct scene scene = {.vulkan = vulkan};
   uint32_t *a = add(&scene, (COUNT + 16) * 4), *c = add(&scene, COUNT * 4);
   for (uint32_t i = 0; i < COUNT + 16; i++) {
      a[i] = noise(i) % 100000;
   }
   run(&scene, "scratch", COUNT / 32, NULL, 0);
   for (uint32_t i = 0; i < COUNT; i++) {
      uint32_t own[192], sum = 0;
      for (uint32_t k = 0; k < 192; k++) {
         own[(k * 37 + a[i]) % 192] = k ^ i;
      }
      for (uint32_t k = 0; k < 16; k++) {
         sum = sum * 31 + own[(a[i + k] + k) % 192];
      }
      if (!CHECK(c[i] == sum, "c[%u] is %u, not %u", i, c[i], sum)) {
         break;
      }
   }
   finish(&scene);
}

static void test_uniforms(struct vulkan *vulkan)
{
   struct scene scene = {.vulkan = vulkan};
   uint32_t *u = add(&scene, 272), *c = add(&scene, 256 * 4);
   const uint32_t values[2] = {32, 7};
   const VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
   const VkSpecializationInfo specialization = {2, entries, sizeof(values), values};
   scene.bindings[0].type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
   for (uint32_t i = 0; i < 65; i++) {
      u[i] = noise(i);
   }
   const struct vulkan_dispatch dispatch = {.shader = shader("uniforms"),
                                            .bindings = scene.bindings,
                                            .binding_count = 2,
                                            .groups = {8, 1, 1},
                                            .specialization = &specialization};
   vulkan_run(vulkan, &dispatch);
   for (uint32_t i = 0; i < 256; i++) {
      uint32_t expected = u[i % 16 * 4 + i / 16 % 4] * 7 + u[64] + 32;
      CHECK(c[i] == expected, "c[%u] is %u, not %u", i, c[i], expected);
   }
   finish(&scene);
}

/* Grids in three dimensions: told by the host, and by an earlier dispatch of the same command buffer. */
static void test_grid(struct vulkan *vulkan, bool indirect)
{
   const uint32_t groups[3] = {4, 2, 3}, local[3] = {4, 3, 2};
   struct scene scene = {.vulkan = vulkan};
   uint32_t *c = add(&scene, 4 * 2 * 3 * 24 * 16), *plan = add(&scene, 12);
   const struct vulkan_dispatch first = {
       .shader = shader("plan"), .bindings = &scene.bindings[1], .binding_count = 1, .groups = {1, 1, 1}};
   const struct vulkan_dispatch second = {.shader = shader("grid"),
                                          .bindings = scene.bindings,
                                          .binding_count = 1,
                                          .groups = {groups[0], groups[1], groups[2]},
                                          .indirect = indirect ? &scene.buffers[1] : NULL};
   VkCommandBuffer commands = vulkan_begin(vulkan);
   if (indirect) {
      vulkan_record(vulkan, commands, &first);
      vulkan_barrier(commands);
   }
   vulkan_record(vulkan, commands, &second);
   VK(vulkan_end(vulkan, commands));
   CHECK(!indirect || (plan[0] == 4 && plan[1] == 2 && plan[2] == 3), "plan %u %u %u", plan[0], plan[1], plan[2]);
   for (uint32_t i = 0; i < 4 * 2 * 3 * 24; i++) {
      uint32_t x = i % 16, y = i / 16 % 6, z = i / 96, l[3] = {x % 4, y % 3, z % 2};
      uint32_t expected[4] = {x / local[0] | y / local[1] << 8 | z / local[2] << 16, l[0] | l[1] << 8 | l[2] << 16,
                              l[0] + 4 * l[1] + 12 * l[2], groups[0] | groups[1] << 8 | groups[2] << 16};
      if (!CHECK(!memcmp(&c[i * 4], expected, 16), "thread %u: %x %x %x %x", i, c[i * 4], c[i * 4 + 1], c[i * 4 + 2],
                 c[i * 4 + 3])) {
         break;
      }
   }
   finish(&scene);
}

static void test_direct_grid(struct vulkan *vulkan)
{
   test_grid(vulkan, false);
}

static void test_indirect_grid(struct vulkan *vulkan)
{
   test_grid(vulkan, true);
}

static void test_subgroup(struct vulkan *vulkan)
{
   enum { COUNT = 64 * 3 };
   struct scene scene = {.vulkan = vulkan};
   uint32_t *a = add(&scene, COUNT * 4), *c = add(&scene, COUNT * 48);
   for (uint32_t i = 0; i < COUNT; i++) {
      a[i] = noise(i) % 2000;
   }
   run(&scene, "subgroup", COUNT / 64, NULL, 0);
   for (uint32_t i = 0; i < COUNT; i++) {
      const uint32_t *v = &a[i / 32 * 32], lane = i % 32;
      uint32_t e[12] = {0,
                        0,
                        UINT32_MAX,
                        0,
                        0,
                        v[lane * 7 & 31],
                        v[lane ^ 5],
                        v[9],
                        1,
                        v[lane ^ 1],
                        lane | i / 32 % 2 << 8 | 32 << 16};
      for (uint32_t k = 0; k < 32; k++) {
         e[0] += v[k];
         e[1] += k < lane ? v[k] : 0;
         e[2] = v[k] < e[2] ? v[k] : e[2];
         e[3] = v[k] > e[3] ? v[k] : e[3];
         e[4] |= (v[k] & 1) << k;
         e[8] &= v[k] < 1000 ? 3u : 2u;
         e[11] ^= k <= lane ? v[k] : 0;
      }
      for (uint32_t k = 0; k < 32; k++) {
         e[8] |= v[k] == 0 ? 2u : 0u;
      }
      for (uint32_t k = 0; k < 12; k++) {
         if (!CHECK(c[i * 12 + k] == e[k], "thread %u, operation %u: %x, not %x", i, k, c[i * 12 + k], e[k])) {
            i = COUNT;
            break;
         }
      }
   }
   finish(&scene);
}

static void test_narrow(struct vulkan *vulkan)
{
   struct scene scene = {.vulkan = vulkan};
   uint8_t *a = add(&scene, 256);
   int16_t *b = add(&scene, 512);
   uint64_t *c = add(&scene, 2048);
   _Float16 *d = add(&scene, 512);
   for (uint32_t i = 0; i < 256; i++) {
      a[i] = (uint8_t)noise(i);
      b[i] = (int16_t)(100 - (int)i);
   }
   run(&scene, "narrow", 8, NULL, 0);
   for (int i = 0; i < 256; i++) {
      CHECK(b[i] == 100 - i - a[i], "b[%d] is %d", i, b[i]);
      CHECK(c[i] == a[i] * UINT64_C(0x123456789ABC) + (uint64_t)i, "c[%d] is %llx", i, (unsigned long long)c[i]);
      CHECK((float)d[i] == (float)a[i] / 2, "d[%d] is %g", i, (double)(float)d[i]);
   }
   finish(&scene);
}

/* Fills, copies and updates of buffers, which the driver does by kernels of its own. */
static void test_transfer(struct vulkan *vulkan)
{
   struct scene scene = {.vulkan = vulkan};
   uint32_t *from = add(&scene, 65536), *to = add(&scene, 65536), data[16];
   for (uint32_t i = 0; i < 16384; i++) {
      from[i] = noise(i);
   }
   for (uint32_t i = 0; i < 16; i++) {
      data[i] = ~i;
   }
   VkCommandBuffer commands = vulkan_begin(vulkan);
   vkCmdFillBuffer(commands, scene.buffers[1].buffer, 0, VK_WHOLE_SIZE, 0x12345678);
   vulkan_barrier(commands);
   const VkBufferCopy copies[] = {{0, 1024, 4096}, {10000, 20001, 777}};
   vkCmdCopyBuffer(commands, scene.buffers[0].buffer, scene.buffers[1].buffer, 2, copies);
   vkCmdUpdateBuffer(commands, scene.buffers[1].buffer, 40000, sizeof(data), data);
   VK(vulkan_end(vulkan, commands));
   CHECK(to[0] == 0x12345678 && to[255] == 0x12345678 && to[16383] == 0x12345678, "fill: %x", to[0]);
   CHECK(!memcmp(&to[256], from, 4096) && to[256 + 1024] == 0x12345678, "copy");
   CHECK(!memcmp((char *)to + 20001, (char *)from + 10000, 777), "copy of odd bytes");
   CHECK(((uint8_t *)to)[20000] == 0x78 && ((uint8_t *)to)[20778] == 0x34, "around the odd bytes");
   CHECK(!memcmp(&to[10000], data, sizeof(data)), "update");
   finish(&scene);
}

static void test_timestamps(struct vulkan *vulkan)
{
   struct scene scene = {.vulkan = vulkan};
   uint64_t stamps[2] = {0};
   add(&scene, 37 * 256 * 4);
   add(&scene, 37 * 4);
   VkQueryPool pool;
   const VkQueryPoolCreateInfo create = {
       .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
   const struct vulkan_dispatch dispatch = {
       .shader = shader("shared"), .bindings = scene.bindings, .binding_count = 2, .groups = {37, 1, 1}};
   VK(vkCreateQueryPool(vulkan->device, &create, NULL, &pool));
   VkCommandBuffer commands = vulkan_begin(vulkan);
   vkCmdResetQueryPool(commands, pool, 0, 2);
   vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
   vulkan_record(vulkan, commands, &dispatch);
   vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
   VK(vulkan_end(vulkan, commands));
   VkResult result =
       vkGetQueryPoolResults(vulkan->device, pool, 0, 2, sizeof(stamps), stamps, 8, VK_QUERY_RESULT_64_BIT);
   CHECK(result == VK_SUCCESS && stamps[0] && stamps[1] > stamps[0], "result %d: %llu to %llu", result,
         (unsigned long long)stamps[0], (unsigned long long)stamps[1]);
   vkDestroyQueryPool(vulkan->device, pool, NULL);
   finish(&scene);
}

/* More dispatches than one chunk of a control stream holds, each adding to what the one before left. */
static void test_chain(struct vulkan *vulkan)
{
   enum { TIMES = 200 };
   struct scene scene = {.vulkan = vulkan};
   float *a = add(&scene, 256), *b = add(&scene, 256);
   const struct {
      float scale;
      uint32_t count;
   } push = {1, 64};
   for (int i = 0; i < 64; i++) {
      a[i] = (float)i;
   }
   scene.bindings[2] = scene.bindings[1];
   scene.count = 2;
   VkCommandBuffer commands = vulkan_begin(vulkan);
   const struct vulkan_dispatch dispatch = {.shader = shader("arithmetic"),
                                            .bindings = scene.bindings,
                                            .binding_count = 3,
                                            .push = &push,
                                            .push_size = sizeof(push),
                                            .groups = {1, 1, 1}};
   vulkan_record(vulkan, commands, &dispatch);
   for (int i = 1; i < TIMES * 10; i++) {
      vulkan_barrier(commands);
      vkCmdDispatch(commands, 1, 1, 1);
   }
   VK(vulkan_end(vulkan, commands));
   for (int i = 0; i < 64; i++) {
      CHECK(b[i] == (float)(i * TIMES * 10), "b[%d] is %g", i, b[i]);
   }
   finish(&scene);
}

/* ---- Images ---- */

/* Between a buffer and a whole image, by a shader: copies by the driver need what the virtual GPU lacks. */
static void move_image(struct vulkan *vulkan, VkCommandBuffer commands, const char *name,
                       const struct vulkan_buffer *buffer, const struct vulkan_image *image)
{
   const struct vulkan_binding bindings[] = {vulkan_storage(buffer),
                                             {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .view = image->view}};
   const struct vulkan_dispatch dispatch = {.shader = shader(name),
                                            .bindings = bindings,
                                            .binding_count = 2,
                                            .groups = {image->width / 8, image->height / 8, 1}};
   vulkan_record(vulkan, commands, &dispatch);
   vulkan_barrier(commands);
}

static void test_image(struct vulkan *vulkan)
{
   enum { W = 168, H = 104 }; /* several tiles */
   struct scene scene = {.vulkan = vulkan};
   uint32_t *in = add(&scene, W * H * 4), *out = add(&scene, W * H * 4);
   struct vulkan_image from = vulkan_image_create(vulkan, VK_FORMAT_R32_UINT, W, H, VK_IMAGE_TILING_OPTIMAL);
   struct vulkan_image to = vulkan_image_create(vulkan, VK_FORMAT_R32_UINT, H, W, VK_IMAGE_TILING_OPTIMAL);
   const struct vulkan_binding bindings[] = {{.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .view = from.view},
                                             {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .view = to.view}};
   const struct vulkan_dispatch dispatch = {
       .shader = shader("image"), .bindings = bindings, .binding_count = 2, .groups = {W / 8, H / 8, 1}};
   for (uint32_t i = 0; i < W * H; i++) {
      in[i] = noise(i);
   }
   VkCommandBuffer commands = vulkan_begin(vulkan);
   vulkan_image_general(commands, &from);
   vulkan_image_general(commands, &to);
   move_image(vulkan, commands, "upload_r32ui", &scene.buffers[0], &from);
   vulkan_record(vulkan, commands, &dispatch);
   vulkan_barrier(commands);
   move_image(vulkan, commands, "download_r32ui", &scene.buffers[1], &to);
   VK(vulkan_end(vulkan, commands));
   for (uint32_t y = 0; y < H; y++) {
      for (uint32_t x = 0; x < W; x++) {
         uint32_t found = out[(W - 1 - x) * H + y];
         if (!CHECK(found == in[y * W + x] + 1, "%u, %u: %x, not %x", x, y, found, in[y * W + x] + 1)) {
            x = W;
            y = H;
         }
      }
   }
   vulkan_image_destroy(vulkan, &from);
   vulkan_image_destroy(vulkan, &to);
   finish(&scene);
}

static VkSampler make_sampler(struct vulkan *vulkan, VkFilter filter)
{
   VkSampler sampler;
   const VkSamplerCreateInfo create = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                       .magFilter = filter,
                                       .minFilter = filter,
                                       .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                       .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                       .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
   VK(vkCreateSampler(vulkan->device, &create, NULL, &sampler));
   return sampler;
}

static float texel(const uint8_t *in, uint32_t x, uint32_t y, uint32_t component)
{
   x = x < 16 ? x : 15;
   y = y < 16 ? y : 15;
   return (float)in[(y * 16 + x) * 4 + component] / 255;
}

static void test_texture(struct vulkan *vulkan)
{
   struct scene scene = {.vulkan = vulkan};
   float *out = add(&scene, 256 * 48);
   uint8_t *in = add(&scene, 1024);
   struct vulkan_image image = vulkan_image_create(vulkan, VK_FORMAT_R8G8B8A8_UNORM, 16, 16, VK_IMAGE_TILING_OPTIMAL);
   VkSampler nearest = make_sampler(vulkan, VK_FILTER_NEAREST), linear = make_sampler(vulkan, VK_FILTER_LINEAR);
   const VkDescriptorType type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
   const struct vulkan_binding bindings[] = {{.type = type, .view = image.view, .sampler = nearest},
                                             {.type = type, .view = image.view, .sampler = linear},
                                             scene.bindings[0]};
   const struct vulkan_dispatch dispatch = {
       .shader = shader("texture"), .bindings = bindings, .binding_count = 3, .groups = {2, 2, 1}};
   for (uint32_t i = 0; i < 1024; i++) {
      in[i] = (uint8_t)noise(i);
   }
   VkCommandBuffer commands = vulkan_begin(vulkan);
   vulkan_image_general(commands, &image);
   move_image(vulkan, commands, "upload_rgba8", &scene.buffers[1], &image);
   vulkan_record(vulkan, commands, &dispatch);
   VK(vulkan_end(vulkan, commands));
   for (uint32_t i = 0; i < 256 * 4; i++) {
      uint32_t x = i / 4 % 16, y = i / 64, k = i % 4;
      const float *found = &out[i / 4 * 12];
      float exact = texel(in, x, y, k);
      float mean = (exact + texel(in, x + 1, y, k) + texel(in, x, y + 1, k) + texel(in, x + 1, y + 1, k)) / 4;
      bool good = fabsf(found[k] - exact) < 1e-6f && fabsf(found[4 + k] - exact) < 1e-6f &&
                  fabsf(found[8 + k] - mean) < 1.5f / 255; /* filters have 8 bits of fraction */
      if (!CHECK(good, "%u, %u, %u: %g %g %g, not %g and %g", x, y, k, found[k], found[4 + k], found[8 + k], exact,
                 mean)) {
         break;
      }
   }
   vkDestroySampler(vulkan->device, nearest, NULL);
   vkDestroySampler(vulkan->device, linear, NULL);
   vulkan_image_destroy(vulkan, &image);
   finish(&scene);
}

static VkBufferView make_view(struct vulkan *vulkan, const struct vulkan_buffer *buffer)
{
   VkBufferView view;
   const VkBufferViewCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                          .buffer = buffer->buffer,
                                          .format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .range = VK_WHOLE_SIZE};
   VK(vkCreateBufferView(vulkan->device, &create, NULL, &view));
   return view;
}

static void test_texels(struct vulkan *vulkan)
{
   struct scene scene = {.vulkan = vulkan};
   uint8_t *in = add(&scene, 4096 * 4), *out = add(&scene, 4096 * 4);
   VkBufferView from = make_view(vulkan, &scene.buffers[0]), to = make_view(vulkan, &scene.buffers[1]);
   const struct vulkan_binding bindings[] = {{.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, .texels = from},
                                             {.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, .texels = to}};
   const struct vulkan_dispatch dispatch = {
       .shader = shader("texels"), .bindings = bindings, .binding_count = 2, .groups = {4096 / 32, 1, 1}};
   for (uint32_t i = 0; i < 4096 * 4; i++) {
      in[i] = (uint8_t)noise(i);
   }
   vulkan_run(vulkan, &dispatch);
   for (uint32_t i = 0; i < 4096 * 4; i++) {
      if (!CHECK(out[i] == in[(i & ~3u) + 3 - i % 4], "byte %u is %u, not %u", i, out[i], in[(i & ~3u) + 3 - i % 4])) {
         break;
      }
   }
   vkDestroyBufferView(vulkan->device, from, NULL);
   vkDestroyBufferView(vulkan->device, to, NULL);
   finish(&scene);
}

static const struct driver_case cases[] = {
    {"arithmetic", test_arithmetic},
    {"shared", test_shared},
    {"atomics", test_atomics},
    {"scratch", test_scratch},
    {"uniforms", test_uniforms},
    {"grid", test_direct_grid},
    {"indirect", test_indirect_grid},
    {"subgroup", test_subgroup},
    {"narrow", test_narrow},
    {"transfer", test_transfer},
    {"timestamps", test_timestamps},
    {"chain", test_chain},
    {"image", test_image},
    {"texture", test_texture},
    {"texels", test_texels},
};

int main(int argc, char **argv)
{
   return cases_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
