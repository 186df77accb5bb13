/* SPDX-License-Identifier: MIT
 *
 * VkFFT on the virtual GPU through Mesa's driver, against FFTW in double precision: fft [MOST]. One line a size: the
 * largest error of an element and the error in the mean square, both relative to the largest and the mean of the exact
 * answer. The exit status is 1 when one is over LIMIT. MOST: leave out larger sizes.
 */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VKFFT_BACKEND 0
#include "vkfft_c.h" /* vkFFT.h, for C: meson.build */

#include "tests/driver/vulkan.h"

#define LIMIT 1e-5 /* of single precision, as VkFFT's own tests have it */

/* Powers of 2, 3, 5, 7, 11 and 13, mixtures, and sizes with a larger prime factor: those go by Bluestein's algorithm.
 * Height 1: one dimension. */
static const struct {
   uint64_t width, height;
   const char *kind;
} sizes[] = {
    {2, 1, "2"},
    {4, 1, "2"},
    {8, 1, "2"},
    {16, 1, "2"},
    {32, 1, "2"},
    {64, 1, "2"},
    {128, 1, "2"},
    {256, 1, "2"},
    {512, 1, "2"},
    {1024, 1, "2"},
    {2048, 1, "2"},
    {4096, 1, "2"},
    {3, 1, "3"},
    {9, 1, "3"},
    {27, 1, "3"},
    {81, 1, "3"},
    {243, 1, "3"},
    {729, 1, "3"},
    {2187, 1, "3"},
    {5, 1, "5"},
    {25, 1, "5"},
    {125, 1, "5"},
    {625, 1, "5"},
    {3125, 1, "5"},
    {7, 1, "7"},
    {49, 1, "7"},
    {343, 1, "7"},
    {2401, 1, "7"},
    {11, 1, "11"},
    {121, 1, "11"},
    {1331, 1, "11"},
    {13, 1, "13"},
    {169, 1, "13"},
    {2197, 1, "13"},
    {60, 1, "mixed"},
    {1000, 1, "mixed"},
    {3003, 1, "mixed"},
    {4095, 1, "mixed"},
    {17, 1, "Bluestein"},
    {19, 1, "Bluestein"},
    {23, 1, "Bluestein"},
    {34, 1, "Bluestein"},
    {97, 1, "Bluestein"},
    {257, 1, "Bluestein"},
    {509, 1, "Bluestein"},
    {1021, 1, "Bluestein"},
    {2039, 1, "Bluestein"},
    {4079, 1, "Bluestein"},
    {4093, 1, "Bluestein"},
    {8, 8, "2D"},
    {64, 32, "2D"},
    {27, 25, "2D"},
    {128, 128, "2D"},
    {39, 35, "2D"},
    {256, 256, "2D"},
    {17, 19, "2D Bluestein"},
    {64, 23, "2D Bluestein"},
    {101, 16, "2D Bluestein"},
    {97, 89, "2D Bluestein"},
};

static double seconds(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* In place; the time of the work without compiling. The buffer is given with the launch, not with the plan:
 * VkFFT 1.2.26 writes a plan's descriptors before it makes Bluestein's tables, and again only where a launch brings
 * another buffer. Without that the tables' bindings are empty and the answer is 0. */
static double transform(struct vulkan *vulkan, struct vulkan_buffer *buffer, uint64_t width, uint64_t height)
{
   const VkFenceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   VkFence fence;
   uint64_t bytes = buffer->size;
   VkFFTConfiguration configuration = {0};
   VkFFTApplication application = {0};
   VK(vkCreateFence(vulkan->device, &create, NULL, &fence));
   configuration.FFTdim = height > 1 ? 2 : 1;
   configuration.size[0] = width;
   configuration.size[1] = height;
   configuration.physicalDevice = &vulkan->physical;
   configuration.device = &vulkan->device;
   configuration.queue = &vulkan->queue;
   configuration.commandPool = &vulkan->pool;
   configuration.fence = &fence;
   configuration.isCompilerInitialized = 1;
   configuration.bufferSize = &bytes;
   VkFFTResult result = initializeVkFFT(&application, configuration);
   if (result != VKFFT_SUCCESS) {
      fprintf(stderr, "fft: initializeVkFFT gives %d\n", result);
      exit(1);
   }
   VkCommandBuffer commands = vulkan_begin(vulkan);
   VkFFTLaunchParams parameters = {0};
   parameters.commandBuffer = &commands;
   parameters.buffer = &buffer->buffer;
   result = VkFFTAppend(&application, -1, &parameters);
   if (result != VKFFT_SUCCESS) {
      fprintf(stderr, "fft: VkFFTAppend gives %d\n", result);
      exit(1);
   }
   double start = seconds();
   VK(vulkan_end(vulkan, commands));
   double taken = seconds() - start;
   deleteVkFFT(&application);
   vkDestroyFence(vulkan->device, fence, NULL);
   return taken;
}

static int test(struct vulkan *vulkan, uint64_t width, uint64_t height, const char *kind)
{
   const size_t count = width * height;
   struct vulkan_buffer buffer = vulkan_buffer_create(vulkan, count * 8);
   float *data = buffer.map;
   fftw_complex *exact = fftw_alloc_complex(count);
   fftw_plan plan = height > 1 ? fftw_plan_dft_2d((int)height, (int)width, exact, exact, FFTW_FORWARD, FFTW_ESTIMATE)
                               : fftw_plan_dft_1d((int)width, exact, exact, FFTW_FORWARD, FFTW_ESTIMATE);
   uint32_t state = 1;
   for (size_t i = 0; i < count * 2; i++) {
      state = state * 1664525u + 1013904223u;
      data[i] = (float)(int32_t)state * 0x1p-31f;
      exact[i / 2][i % 2] = data[i];
   }
   fftw_execute(plan);
   double taken = transform(vulkan, &buffer, width, height), worst = 0, largest = 0, square = 0, all = 0;
   for (size_t i = 0; i < count; i++) {
      double re = exact[i][0], im = exact[i][1];
      double error = hypot((double)data[2 * i] - re, (double)data[2 * i + 1] - im), size = hypot(re, im);
      worst = fmax(worst, error);
      largest = fmax(largest, size);
      square += error * error;
      all += size * size;
   }
   double relative = worst / largest, mean = sqrt(square / all);
   int bad = !(relative <= LIMIT) || !(mean <= LIMIT);
   printf("%5llu x %-4llu %-12s largest %.1e  rms %.1e  %8.1f ms%s\n", (unsigned long long)width,
          (unsigned long long)height, kind, relative, mean, taken * 1e3, bad ? "  FAIL" : "");
   fflush(stdout);
   fftw_destroy_plan(plan);
   fftw_free(exact);
   vulkan_buffer_destroy(vulkan, &buffer);
   return bad;
}

int main(int argc, char **argv)
{
   const uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : UINT64_MAX; /* elements of a transform */
   const uint64_t least = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
   struct vulkan vulkan;
   int bad = 0, done = 0;
   const double start = seconds();
   vulkan_open(&vulkan);
   glslang_initialize_process();
   printf("%s: VkFFT, single precision, against FFTW\n", vulkan.properties.deviceName);
   for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
      const uint64_t elements = sizes[i].width * sizes[i].height;
      if (elements <= most && elements >= least) {
         bad += test(&vulkan, sizes[i].width, sizes[i].height, sizes[i].kind);
         done++;
      }
   }
   printf("%d sizes, %d over %g; %.1f s with compiling\n", done, bad, LIMIT, seconds() - start);
   glslang_finalize_process();
   vulkan_close(&vulkan);
   return bad || !done;
}
