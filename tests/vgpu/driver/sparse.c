/* SPDX-License-Identifier: MIT
 *
 * A buffer far larger than what is touched of it costs the host what is touched: 8 GiB, a word in every 2 MiB of which
 * a kernel writes and this reads.
 */
#include <string.h>
#include <unistd.h>

#include "tests/vgpu/driver/client.h"

#define BYTES (UINT64_C(8) << 30)
#define BASE UINT64_C(0x3000000000)
#define THREADS 4096u
#define STRIDE_WORDS (UINT32_C(1) << 19) /* 2 MiB */
#define MOST (UINT64_C(200) << 20)

/* Of this process, in bytes. Not for sanitizers, whose own memory counts (meson.build). */
static uint64_t resident(void)
{
   FILE *file = fopen("/proc/self/statm", "r");
   unsigned long long size = 0, pages = 0;
   if (!file || fscanf(file, "%llu %llu", &size, &pages) != 2) {
      CHECK(false && "/proc/self/statm");
   }
   if (file) {
      fclose(file);
   }
   return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void test_sparse(const char *spec)
{
   const uint32_t threads = THREADS;
   struct kit kit;
   uint64_t base = BASE;
   kit_open(&kit, spec);
   uint32_t bo = client_bo(&kit.client, BYTES, DRM_ASAHI_GEM_WRITEBACK, 0);
   uint32_t *words = client_map(&kit.client, bo, BYTES);
   const struct drm_asahi_gem_bind_op bind = {
       .flags = DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE, .handle = bo, .range = BYTES, .addr = BASE};
   CHECK_EQUAL(client_bind(&kit.client, kit.vm, bind), 0);

   kit_code(&kit, 0, "mov r1, sr80\nbfi r2, 0, r1, 19, 0\niadd r3, r1, 1\nstore r3, du0, r2, i32, x, a\nstop\n");
   memcpy(kit.exec + 0x4000, &base, sizeof(base));
   memcpy(kit.exec + (kit_stream(0) - KIT_USC) + 8, &threads, sizeof(threads));
   CHECK_EQUAL(kit_run(&kit, 0), 1);
   for (uint32_t i = 0; i < THREADS; i++) {
      if (words[(size_t)i * STRIDE_WORDS] != i + 1) {
         CHECK_EQUAL(words[(size_t)i * STRIDE_WORDS], i + 1);
         break;
      }
   }
   CHECK_EQUAL(words[1], 0);
   uint64_t now = resident();
   printf("%s: %.1f MiB resident with 8 GiB bound, %u words of it touched\n", spec, (double)now / (1 << 20), THREADS);
   CHECK(now < MOST);
   CHECK_EQUAL(kit.client.kernel->munmap(kit.client.kernel, words, BYTES), 0);
   kit_close(&kit);
}

int main(void)
{
   test_sparse("m1,timing=off");
   test_sparse("m1,timing=on");
   return check_result();
}
