/* SPDX-License-Identifier: MIT
 *
 * Jobs that go wrong, one after the other on one device: each ends in bounded time with the error that spec/uapi.md
 * 3.10 gives it, and the job after it runs. Expected errors are the specification's, not this device's.
 */
#include <errno.h>
#include <string.h>

#include "tests/vgpu/driver/client.h"
#include "vgpu/vgpu.h"

struct bad_job {
   const char *name, *text;
   uint32_t group;   /* threads; 0: as the kit has it */
   uint32_t grid;    /* threads in x and in y; likewise */
   bool much_memory; /* 64 KiB of threadgroup memory */
   int status, strict_status;
   const char *fault; /* in the log of a strict device */
};

static const struct bad_job bad_jobs[] = {
    {"no end", "top:\njmp_any top\nstop\n", .status = -ETIMEDOUT, .strict_status = -ETIMEDOUT, .fault = "timeout"},
    {"no end, all lanes off", "ldimm r0l, 1\npop_exec 0\ntop:\njmp_none top\nstop\n", .status = -ETIMEDOUT,
     .strict_status = -ETIMEDOUT, .fault = "timeout"},
    {"calls itself", "top:\ncall top\nstop\n", .status = -ETIMEDOUT, .strict_status = -ETIMEDOUT, .fault = "timeout"},
    {"barrier in one of two simdgroups",
     "mov r1, sr53\nldimm r0l, 0\nif r1, 0, 1, ieq\njmp_none over\nbarrier\nover:\npop_exec 1\nstop\n", .group = 64,
     .status = -ETIMEDOUT, .strict_status = -ETIMEDOUT, .fault = "barrier"},
    {"jump to unmapped memory", ".byte 0, 0xc0, 0, 0, 0x70, 0\nstop\n", .status = -EIO, .strict_status = -EIO,
     .fault = "MMU fault"},
    {"jump into zeros", ".byte 0, 0xc0, 0, 0x40, 0, 0\nstop\n", .status = -EIO, .strict_status = -EIO,
     .fault = "bad instruction"},
    {"return to a wild address", "ldimm r1, 0x7000000\nret r1\n", .status = -EIO, .strict_status = -EIO,
     .fault = "MMU fault"},
    /* The feature bit promises soft faults: then the store vanishes (spec/uapi.md 1.1). */
    {"store through a wild pointer", "ldimm r2, 0x10\nldimm r3, 0x55\nstore r2, dr2, 0, i32, x, a\nstop\n", .status = 1,
     .strict_status = -EIO, .fault = "0x5500000010"},
    {"store through a pointer of 64 bits", "ldimm r2, 0x10\nldimm r3, 0x80000000\nstore r2, dr2, 0, i32, x, a\nstop\n",
     .status = 1, .strict_status = -EIO, .fault = "0x8000000000000010"},
    {"1024 threads, 64 KiB", "stop\n", .group = 1024, .much_memory = true, .status = -EIO, .strict_status = -EIO,
     .fault = "resources"},
    {"a grid of 2^64 threads", "stop\n", .grid = UINT32_MAX, .status = -ETIMEDOUT, .strict_status = -ETIMEDOUT,
     .fault = "timeout"},
    {"2048 threads", "stop\n", .group = 2048, .status = -EIO, .strict_status = -EIO, .fault = "2048"},
};

/* The launch's words in the stream (spec/uapi.md 4.2: mode and pipeline, grid, group), and SHARED in the USC words
 * (4.3: bit 8 says that memory is used, bits 24-31 are 256 bytes each, 0 the most). */
static void set_up(struct kit *kit, unsigned slot, const struct bad_job *job)
{
   uint8_t *stream = kit->exec + (kit_stream(slot) - KIT_USC);
   kit_code(kit, slot, job->text);
   if (job->group) {
      memcpy(stream + 8, &job->group, sizeof(job->group));
      memcpy(stream + 20, &job->group, sizeof(job->group));
   }
   if (job->grid) {
      memcpy(stream + 8, &job->grid, sizeof(job->grid));
      memcpy(stream + 12, &job->grid, sizeof(job->grid));
   }
   if (job->much_memory) {
      static const uint8_t shared[4] = {0x4D, 0x91, 0, 0};
      memcpy(kit->exec + slot * 0x100 + 0x40 + 8, shared, sizeof(shared));
   }
}

static void check_next(struct kit *kit, const struct bad_job *job)
{
   memset(kit->data, 0xFF, 64 * sizeof(*kit->data));
   kit_code(kit, 1, "mov r1, sr80\nstore r1, du0, r1, i32, x, a\nstop\n");
   CHECK_EQUAL(kit_run(kit, 1), 1);
   for (uint32_t i = 0; i < 64; i++) {
      if (kit->data[i] != i) {
         fprintf(stderr, "after '%s': ", job->name);
         CHECK_EQUAL(kit->data[i], i);
         return;
      }
   }
}

/* Small launches, and a link back to the first: each costs the host much more than the instruction that it executes, so
 * they must be fewer than those that the budget has, or the job takes hours. */
static void test_endless_launches(void)
{
   struct kit kit;
   struct vgpu_counters counters;
   const uint64_t start = kit_stream(0);
   const uint32_t one = 1, barrier_and_link[] = {0x60000000, 1u << 29 | (uint32_t)(start >> 32), (uint32_t)start};
   kit_open(&kit, "m1,work=1000000");
   kit_code(&kit, 0, "stop\n");
   uint8_t *stream = kit.exec + (start - KIT_USC);
   memcpy(stream + 8, &one, sizeof(one));
   memcpy(stream + 32, barrier_and_link, sizeof(barrier_and_link));
   CHECK_EQUAL(kit_run(&kit, 0), -ETIMEDOUT);
   CHECK_EQUAL(client_ioctl(&kit.client, VGPU_IOCTL_COUNTERS, &counters), 0);
   CHECK(counters.instructions > 1000 && counters.instructions < 10000);
   kit_close(&kit);
}

static void test_all(const char *spec, bool strict)
{
   struct kit kit;
   kit_open(&kit, spec);
   for (size_t i = 0; i < sizeof(bad_jobs) / sizeof(bad_jobs[0]); i++) {
      const struct bad_job *job = &bad_jobs[i];
      int expected = strict ? job->strict_status : job->status;
      set_up(&kit, 0, job);
      int status = kit_run(&kit, 0);
      bool told = expected == 1 || strstr(client_last_fault(&kit.client), job->fault) != NULL;
      if (status != expected || !told) {
         check_failures++;
         fprintf(stderr, "%s: %s: status %d, expected %d; \"%s\"\n", spec, job->name, status, expected,
                 client_last_fault(&kit.client));
      }
      check_next(&kit, job);
   }
   kit_close(&kit);
}

int main(void)
{
   test_all("m1,work=1000000", false);
   test_all("m1,work=1000000,timing=off,threads=2", false);
   test_all("m2,work=1000000,strict", true);
   test_endless_launches();
   return check_result();
}
