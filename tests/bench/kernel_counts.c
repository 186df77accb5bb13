/* SPDX-License-Identifier: MIT
 *
 * The kernels of vgpu_vs_pocl.cl on the virtual GPU alone, one host thread, for qemu's plugin (qemu/count.c):
 * three_hosts.py starts it.
 *
 *   kernel-counts [-d virtual:CHIP,...] [-w SECONDS] [-n LAUNCHES] KERNEL
 *
 * Launches a SCALE-th of what vgpu-vs-pocl does, first until for SECONDS of processor time nothing has been compiled,
 * then LAUNCHES times between two marks. Prints the simdgroup instructions between these, how many were compiled before
 * them, and how many while they were counted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/qemu/count.h"
#include "tests/bench/workloads.h"
#include "vgpu/vgpu.h"

#define SCALE 16u

static double cpu_now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
   return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static const struct workload *find(const char *kernel)
{
   for (size_t i = 0; i < WORKLOADS; i++) {
      if (strcmp(workloads[i].work.kernel, kernel) == 0) {
         return &workloads[i];
      }
   }
   fprintf(stderr, "kernel-counts: no kernel %s\n", kernel);
   return NULL;
}

/* Buffers with a word for each bin of a histogram keep their size. */
static struct side_work scaled(const struct side_work *work)
{
   struct side_work small = *work;

   small.threads /= SCALE;
   for (unsigned i = 0; i < work->count; i++) {
      if (small.arguments[i].bytes > 4096) {
         small.arguments[i].bytes /= SCALE;
      }
   }
   return small;
}

static int launch(struct side *side, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      if (side_vgpu.run(side) < 0) {
         return -1;
      }
   }
   return 0;
}

/* Until nothing has been compiled for so many seconds of processor time. */
static int warm_up(struct side *side, double seconds)
{
   struct vgpu_counters counters, before = {0};
   double since = cpu_now();

   do {
      if (launch(side, 1) < 0 || side_vgpu_counters(side, &counters) < 0) {
         return -1;
      }
      if (counters.compiled_instructions != before.compiled_instructions || counters.compile_ns != before.compile_ns) {
         since = cpu_now();
      }
      before = counters;
   } while (cpu_now() - since < seconds);
   return 0;
}

static int count(struct side *side, double seconds, unsigned launches)
{
   struct vgpu_counters before, after;

   if (warm_up(side, seconds) < 0 || side_vgpu_counters(side, &before) < 0) {
      return -1;
   }
   qemu_count_mark();
   if (launch(side, launches) < 0) {
      return -1;
   }
   qemu_count_mark();
   if (side_vgpu_counters(side, &after) < 0) {
      return -1;
   }
   printf("%" PRIu64 " simdgroup instructions, %" PRIu64 " compiled before, %" PRIu64 " meanwhile\n",
          after.instructions - before.instructions, before.compiled_instructions,
          after.compiled_instructions - before.compiled_instructions);
   return 0;
}

int main(int argc, char **argv)
{
   const char *spec = "virtual:m1,timing=off,threads=1";
   double seconds = 5;
   unsigned launches = 4;
   int option, result = 1;

   while ((option = getopt(argc, argv, "d:w:n:")) != -1) {
      switch (option) {
      case 'd':
         spec = optarg;
         break;
      case 'w':
         seconds = strtod(optarg, NULL);
         break;
      case 'n':
         launches = (unsigned)strtoul(optarg, NULL, 10);
         break;
      default:
         return 79;
      }
   }
   if (optind != argc - 1) {
      fprintf(stderr, "usage: kernel-counts [-d DEVICE] [-w SECONDS] [-n LAUNCHES] KERNEL\n");
      return 79;
   }
   const struct workload *load = find(argv[optind]);
   char *source = workloads_source(VGPU_VS_POCL_KERNELS);
   uint32_t *input = workloads_input();
   struct side *side = load == NULL || source == NULL || input == NULL ? NULL : side_vgpu.open(spec, source);
   const void *contents[SIDE_MAX_ARGUMENTS] = {input, input, input, input};

   if (side != NULL) {
      const struct side_work work = scaled(&load->work);
      result = side_vgpu.prepare(side, &work, contents) < 0 || count(side, seconds, launches) < 0;
   }
   side_vgpu.close(side);
   free(input);
   free(source);
   return result;
}
