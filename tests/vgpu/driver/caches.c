/* SPDX-License-Identifier: MIT
 *
 * What the modelled caches keep from launch to launch: the L2, the last cache and the TLB keep lines until the client
 * changes their mapping; an L1 starts empty. The expected cycles are sums of the parameters of
 * vgpu/timing/memory/memory_rows.h.
 */
#include <stdio.h>
#include <string.h>

#include "tests/vgpu/driver/client.h"
#include "vgpu/timing/timing_params.h"
#include "vgpu/vgpu.h"

#define OTHER UINT64_C(0x2100000000)

static double cycles_of(struct kit *kit)
{
   struct vgpu_counters before, after;
   CHECK_EQUAL(client_ioctl(&kit->client, VGPU_IOCTL_COUNTERS, &before), 0);
   CHECK_EQUAL(kit_run(kit, 0), 1);
   CHECK_EQUAL(client_ioctl(&kit->client, VGPU_IOCTL_COUNTERS, &after), 0);
   return (double)(after.cycles - before.cycles);
}

static void bind_page(struct kit *kit, uint64_t address, uint32_t flags)
{
   CHECK_EQUAL(client_bind(&kit->client, kit->vm,
                           (struct drm_asahi_gem_bind_op){.flags = flags,
                                                          .handle = flags & DRM_ASAHI_BIND_UNBIND ? 0 : kit->data_bo,
                                                          .range = 0x4000,
                                                          .addr = address}),
               0);
}

/* Every launch starts with empty caches. */
static void check_cold(void)
{
   struct kit kit;
   kit_open(&kit, "m1,caches=cold");
   kit_code(&kit, 0, "ldimm r1, 0\nload r2, du0, r1, i32, x, a\nwait a\nstop\n");
   const double first = cycles_of(&kit);
   CHECK_EQUAL(cycles_of(&kit), first);
   kit_close(&kit);
}

/* One lane's load after another, each of the first word. */
static void check_chip(const char *chip, const char *options)
{
   char spec[96];
   struct kit kit;
   struct vgpu_params params;
   vgpu_params_init(&params, vgpu_chip_find(chip));
   const double *memory = params.memory;
   const double cold =
                    memory[VGPU_MEMORY_DRAM_LATENCY] + memory[VGPU_MEMORY_TLB_LATENCY] - memory[VGPU_MEMORY_L2_LATENCY],
                l1 = (double)params.latency[ISA_TIMING_LOAD] / VGPU_TICKS;
   const uint32_t read_write = DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE;

   snprintf(spec, sizeof(spec), "%s%s", chip, options);
   kit_open(&kit, spec);
   kit_code(&kit, 0, "ldimm r1, 0\nload r2, du0, r1, i32, x, a\nwait a\nstop\n");
   const double first = cycles_of(&kit), second = cycles_of(&kit);
   CHECK_EQUAL(first - second, cold);
   CHECK_EQUAL(cycles_of(&kit), second);

   /* A second load finds the line in the L1, where the launch before did not leave it. */
   kit_code(&kit, 0, "ldimm r1, 0\nload r2, du0, r1, i32, x, a\nwait a\nload r2, du0, r1, i32, x, a\nwait a\nstop\n");
   const double twice = cycles_of(&kit) - second;
   CHECK(twice >= l1 && twice < l1 + 4);

   kit_code(&kit, 0, "ldimm r1, 0\nload r2, du0, r1, i32, x, a\nwait a\nstop\n");
   CHECK_EQUAL(cycles_of(&kit), second);
   bind_page(&kit, OTHER, read_write); /* the same memory at an address of its own, and gone again */
   CHECK_EQUAL(cycles_of(&kit), second);
   bind_page(&kit, OTHER, DRM_ASAHI_BIND_UNBIND);
   CHECK_EQUAL(cycles_of(&kit), second);
   bind_page(&kit, KIT_DATA, read_write);
   CHECK_EQUAL(cycles_of(&kit), first);
   CHECK_EQUAL(cycles_of(&kit), second);
   bind_page(&kit, KIT_DATA, DRM_ASAHI_BIND_UNBIND);
   bind_page(&kit, KIT_DATA, read_write);
   CHECK_EQUAL(cycles_of(&kit), first);

   /* More changes than are told apart: the last ones become one range, which still holds this page. */
   for (unsigned i = 0; i < 2 * 16; i++) {
      bind_page(&kit, OTHER + i * 0x8000, read_write);
   }
   bind_page(&kit, KIT_DATA, read_write);
   CHECK_EQUAL(cycles_of(&kit), first);
   kit_close(&kit);
}

int main(void)
{
   check_chip("m1", "");
   check_chip("m1", ",threads=2");
   check_chip("m2-ultra", "");
   check_chip("m1", ",caches=warm");
   check_cold();
   return check_result();
}
