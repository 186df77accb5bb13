/* SPDX-License-Identifier: MIT
 *
 * What Mesa's driver does with kernels of its own or with other layouts, on the virtual GPU: copies and statistics of
 * queries, linear images, and a clear: kernels SHADERS [CASE...] | --list. SHADERS is the folder of
 * their SPIR-V. Expected values are computed here or follow from the grid; none comes from a run.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/driver/cases.h"
#include "tests/check.h"

static struct vulkan_dispatch dispatch_of(const char *name, char (*path)[512])
{
   snprintf(*path, sizeof(*path), "%s/%s.spv", cases_shaders, name);
   return (struct vulkan_dispatch){.shader = *path};
}

static VkQueryPool make_pool(struct vulkan *vulkan, VkQueryType type, uint32_t count)
{
   VkQueryPool pool;
   const VkQueryPoolCreateInfo create = {
       .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
       .queryType = type,
       .queryCount = count,
       .pipelineStatistics =
           type == VK_QUERY_TYPE_PIPELINE_STATISTICS
               ? (VkQueryPipelineStatisticFlags)VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT
               : 0};
   VK(vkCreateQueryPool(vulkan->device, &create, NULL, &pool));
   return pool;
}

#define VALUE_AND_AVAILABLE (VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)

/* The threads of a direct and of an indirect grid are counted, and copied by the GPU. Not by Mesa 25.0.7: it hands its
 * own kernel the barrier's flags as the address of the grid (docs/driver.md), so this case runs by name alone. */
static void test_statistics(struct vulkan *vulkan)
{
   char path[512];
   struct vulkan_buffer data = vulkan_buffer_create(vulkan, 4096), grid = vulkan_buffer_create(vulkan, 64),
                        copy = vulkan_buffer_create(vulkan, 64);
   const struct vulkan_binding bindings[] = {vulkan_storage(&data), vulkan_storage(&data), vulkan_storage(&data)};
   const uint32_t push[] = {0, 0}, groups[] = {3, 2, 7};
   struct vulkan_dispatch dispatch = dispatch_of("arithmetic", &path);
   dispatch.bindings = bindings;
   dispatch.binding_count = 3;
   dispatch.push = push;
   dispatch.push_size = sizeof(push);
   dispatch.groups[0] = 5;
   dispatch.groups[1] = 3;
   dispatch.groups[2] = 2;
   memcpy(grid.map, groups, sizeof(groups));
   VkQueryPool pool = make_pool(vulkan, VK_QUERY_TYPE_PIPELINE_STATISTICS, 3);
   VkCommandBuffer commands = vulkan_begin(vulkan);
   vkCmdResetQueryPool(commands, pool, 0, 3);
   vulkan_record(vulkan, commands, &dispatch); /* before any query: not counted */
   vkCmdBeginQuery(commands, pool, 0, 0);
   vulkan_record(vulkan, commands, &dispatch);
   vkCmdEndQuery(commands, pool, 0);
   dispatch.indirect = &grid;
   vkCmdBeginQuery(commands, pool, 1, 0);
   vulkan_record(vulkan, commands, &dispatch);
   vulkan_record(vulkan, commands, &dispatch);
   vkCmdEndQuery(commands, pool, 1);
   vulkan_barrier(commands);
   vkCmdCopyQueryPoolResults(commands, pool, 0, 3, copy.buffer, 0, 16, VALUE_AND_AVAILABLE);
   VK(vulkan_end(vulkan, commands));
   /* arithmetic.comp has groups of 64 threads. */
   const uint64_t wanted[] = {5 * 3 * 2 * 64, 2 * 3 * 2 * 7 * 64}, *found = copy.map;
   for (int i = 0; i < 2; i++) {
      uint64_t asked[2] = {0};
      VK(vkGetQueryPoolResults(vulkan->device, pool, (uint32_t)i, 1, sizeof(asked), asked, 16, VALUE_AND_AVAILABLE));
      CHECK(asked[0] == wanted[i] && asked[1], "query %d: %llu invocations, not %llu", i, (unsigned long long)asked[0],
            (unsigned long long)wanted[i]);
      CHECK(found[2 * i] == wanted[i] && found[2 * i + 1], "copy of query %d: %llu invocations, not %llu", i,
            (unsigned long long)found[2 * i], (unsigned long long)wanted[i]);
   }
   CHECK(!found[5], "a query that was not used is available");
   vkDestroyQueryPool(vulkan->device, pool, NULL);
   vulkan_buffer_destroy(vulkan, &data);
   vulkan_buffer_destroy(vulkan, &grid);
   vulkan_buffer_destroy(vulkan, &copy);
}

/* Timestamps copied by the GPU are those that the host reads; with 32 bits, the lower half. */
static void test_stamps(struct vulkan *vulkan)
{
   enum { COUNT = 5 };
   char path[512];
   struct vulkan_buffer data = vulkan_buffer_create(vulkan, 4096), wide = vulkan_buffer_create(vulkan, 16 * COUNT),
                        narrow = vulkan_buffer_create(vulkan, 4 * COUNT);
   const struct vulkan_binding bindings[] = {vulkan_storage(&data), vulkan_storage(&data), vulkan_storage(&data)};
   const uint32_t push[] = {0, 0};
   struct vulkan_dispatch dispatch = dispatch_of("arithmetic", &path);
   dispatch.bindings = bindings;
   dispatch.binding_count = 3;
   dispatch.push = push;
   dispatch.push_size = sizeof(push);
   dispatch.groups[0] = 40;
   dispatch.groups[1] = dispatch.groups[2] = 1;
   VkQueryPool pool = make_pool(vulkan, VK_QUERY_TYPE_TIMESTAMP, COUNT + 1);
   VkCommandBuffer commands = vulkan_begin(vulkan);
   vkCmdResetQueryPool(commands, pool, 0, COUNT + 1);
   for (uint32_t i = 0; i < COUNT; i++) {
      vulkan_record(vulkan, commands, &dispatch);
      vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, i);
   }
   vulkan_barrier(commands);
   vkCmdCopyQueryPoolResults(commands, pool, 0, COUNT, wide.buffer, 0, 16, VALUE_AND_AVAILABLE);
   vkCmdCopyQueryPoolResults(commands, pool, 0, COUNT, narrow.buffer, 0, 4, 0);
   VK(vulkan_end(vulkan, commands));
   uint64_t asked[COUNT] = {0}, last = 0;
   const uint64_t *copied = wide.map;
   const uint32_t *low = narrow.map;
   VK(vkGetQueryPoolResults(vulkan->device, pool, 0, COUNT, sizeof(asked), asked, 8, VK_QUERY_RESULT_64_BIT));
   for (int i = 0; i < COUNT; i++) {
      CHECK(asked[i] > last, "timestamp %d does not come after the one before", i);
      CHECK(copied[2 * i] == asked[i] && copied[2 * i + 1], "copy of timestamp %d: %llx, not %llx", i,
            (unsigned long long)copied[2 * i], (unsigned long long)asked[i]);
      CHECK(low[i] == (uint32_t)asked[i], "copy of timestamp %d: %x, not %x", i, low[i], (uint32_t)asked[i]);
      last = asked[i];
   }
   const VkResult unused =
       vkGetQueryPoolResults(vulkan->device, pool, COUNT, 1, sizeof(asked), asked, 8, VK_QUERY_RESULT_64_BIT);
   CHECK(unused == VK_NOT_READY, "a timestamp that was not written: %d", unused);
   vkDestroyQueryPool(vulkan->device, pool, NULL);
   vulkan_buffer_destroy(vulkan, &data);
   vulkan_buffer_destroy(vulkan, &wide);
   vulkan_buffer_destroy(vulkan, &narrow);
}

/* Linear images in the host's memory, turned by a quarter twice, with a twiddled image between them. */
static void test_linear(struct vulkan *vulkan)
{
   enum { W = 168, H = 104 };
   char path[512];
   struct vulkan_image from = vulkan_image_create(vulkan, VK_FORMAT_R32_UINT, W, H, VK_IMAGE_TILING_LINEAR),
                       turned = vulkan_image_create(vulkan, VK_FORMAT_R32_UINT, H, W, VK_IMAGE_TILING_OPTIMAL),
                       to = vulkan_image_create(vulkan, VK_FORMAT_R32_UINT, W, H, VK_IMAGE_TILING_LINEAR);
   struct vulkan_image *const chain[] = {&from, &turned, &to};
   uint32_t seed = 1;
   VkCommandBuffer commands = vulkan_begin(vulkan);
   for (int i = 0; i < 3; i++) {
      vulkan_image_general(commands, chain[i]);
   }
   for (uint32_t y = 0; y < H; y++) {
      uint32_t *line = (uint32_t *)(void *)((char *)from.map + y * from.pitch);
      for (uint32_t x = 0; x < W; x++) {
         line[x] = seed = seed * 1664525u + 1013904223u;
      }
   }
   for (int i = 0; i < 2; i++) {
      const struct vulkan_binding bindings[] = {{.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .view = chain[i]->view},
                                                {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .view = chain[i + 1]->view}};
      struct vulkan_dispatch dispatch = dispatch_of("image", &path);
      dispatch.bindings = bindings;
      dispatch.binding_count = 2;
      dispatch.groups[0] = chain[i]->width / 8;
      dispatch.groups[1] = chain[i]->height / 8;
      dispatch.groups[2] = 1;
      vulkan_record(vulkan, commands, &dispatch);
      vulkan_barrier(commands);
   }
   VK(vulkan_end(vulkan, commands));
   CHECK(from.pitch >= W * 4 && to.pitch >= W * 4, "pitch of %zu and %zu bytes", from.pitch, to.pitch);
   for (uint32_t y = 0; y < H; y++) {
      const uint32_t *line = (const uint32_t *)(const void *)((const char *)from.map + y * from.pitch);
      const uint32_t *half = (const uint32_t *)(const void *)((const char *)to.map + (H - 1 - y) * to.pitch);
      for (uint32_t x = 0; x < W; x++) {
         /* image.comp adds one. */
         if (!CHECK(half[W - 1 - x] == line[x] + 2, "%u, %u: %x, not %x", x, y, half[W - 1 - x], line[x] + 2)) {
            x = W;
            y = H;
         }
      }
   }
   for (int i = 0; i < 3; i++) {
      vulkan_image_destroy(vulkan, chain[i]);
   }
}

/* A clear is a render command to Mesa 25.0, without a draw. Mesa 26 clears by a kernel. */
static void test_graphics(struct vulkan *vulkan)
{
   enum { SIZE = 64 };
   struct vulkan_image image =
       vulkan_image_create(vulkan, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE, VK_IMAGE_TILING_LINEAR);
   const VkClearColorValue colour = {.float32 = {1, 0, 0, 1}};
   const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
   VkCommandBuffer commands = vulkan_begin(vulkan);
   static const uint8_t red[4] = {255, 0, 0, 255};
   uint32_t changed = 0, right = 0;
   for (uint32_t y = 0; y < SIZE; y++) {
      memset((char *)image.map + y * image.pitch, 0x55, SIZE * 4);
   }
   vulkan_image_general(commands, &image);
   vkCmdClearColorImage(commands, image.image, VK_IMAGE_LAYOUT_GENERAL, &colour, 1, &whole);
   const VkResult result = vulkan_end(vulkan, commands);
   for (uint32_t y = 0; y < SIZE; y++) {
      const uint8_t *line = (const uint8_t *)image.map + y * image.pitch;
      for (uint32_t x = 0; x < SIZE * 4; x++) {
         changed += line[x] != 0x55;
         right += line[x] == red[x % 4];
      }
   }
   CHECK(result == VK_SUCCESS, "a render command ends with %d", result);
   CHECK(right == SIZE * SIZE * 4, "%u bytes of the image were drawn, %u of them right", changed, right);
   vulkan_image_destroy(vulkan, &image);
}

static const struct driver_case cases[] = {
    {"statistics", test_statistics, .by_name = true},
    {"stamps", test_stamps},
    {"linear", test_linear},
    {"graphics", test_graphics},
};

int main(int argc, char **argv)
{
   return cases_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
