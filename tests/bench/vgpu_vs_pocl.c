/* SPDX-License-Identifier: MIT
 *
 * The virtual GPU beside PoCL: the same OpenCL C kernels on both, turn about in one run, all host cores each.
 *
 *   vgpu-vs-pocl [-n ROUNDS] [-w SECONDS] [-k KERNEL] [-d virtual:CHIP,...] [-p PLATFORM]
 *
 * Results are compared. Prints what each does a second (thread-instructions: the useful operations alone; or bytes), by
 * the median round, the ratio of wall times, and that of processor times, which other work on the machine blurs less;
 * least by each side's best round. Before them each side runs the kernel for SECONDS of processor time (0.7) that do
 * not count, since both compile then. The copy is compared with memcpy() of the C library on as many threads, too, in
 * turn with both. Exit code: 0, 1 when something went wrong or results differ, 77 when there is no PoCL.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/workloads.h"

#define MAX_ROUNDS 99u
#define SIDES 2
#define MAX_THREADS 1024
#define HOST_PAGE 4096u

struct bench {
   const struct side_class *classes[SIDES];
   struct side *sides[SIDES];
   unsigned rounds;
   double warm_up; /* s of processor time, of runs that are not counted */
   uint32_t *input, *outputs[SIDES];
};

struct times {
   double wall[MAX_ROUNDS], cpu[MAX_ROUNDS];
};

static double wall_now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Of all threads. */
static double cpu_now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
   return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
   const double *x = a, *y = b;
   return (*x > *y) - (*x < *y);
}

static double median(double *values, unsigned count)
{
   qsort(values, count, sizeof(*values), by_size);
   return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static int run_once(const struct bench *bench, unsigned n, const struct workload *load, struct times *times,
                    unsigned round)
{
   const struct side_class *class = bench->classes[n];
   size_t bytes = load->work.arguments[load->output].bytes;

   memset(bench->outputs[n], 0, bytes);
   if (load->zeroed && class->write(bench->sides[n], load->output, bench->outputs[n], bytes) < 0) {
      return -1;
   }
   double wall = wall_now(), cpu = cpu_now();
   if (class->run(bench->sides[n]) < 0) {
      return -1;
   }
   times->wall[round] = wall_now() - wall;
   times->cpu[round] = cpu_now() - cpu;
   return class->read(bench->sides[n], load->output, bench->outputs[n], bytes);
}

static bool same(const struct bench *bench, const struct workload *load)
{
   size_t words = load->work.arguments[load->output].bytes / 4;

   for (size_t i = 0; i < words; i++) {
      if (bench->outputs[0][i] != bench->outputs[1][i]) {
         printf("%-17s word %zu: 0x%08x here, 0x%08x there\n", load->work.kernel, i, bench->outputs[0][i],
                bench->outputs[1][i]);
         return false;
      }
   }
   return true;
}

static void report(const struct workload *load, struct times *times, unsigned rounds)
{
   double wall[SIDES], cpu[SIDES];

   for (unsigned n = 0; n < SIDES; n++) {
      wall[n] = median(times[n].wall, rounds);
      cpu[n] = median(times[n].cpu, rounds);
   }
   /* median() has sorted them. */
   printf("%-17s %8.3f %8.3f   %6.2f   %6.2f %6.2f   %4.1f   G %s/s\n", load->work.kernel,
          1e-9 * load->amount / wall[0], 1e-9 * load->amount / wall[1], wall[1] / wall[0], cpu[1] / cpu[0],
          times[1].cpu[0] / times[0].cpu[0], load->target, load->unit);
   fflush(stdout);
}

/* PoCL compiles in its first run, the virtual GPU once a block has run for long enough (results/vgpu-speed.md). */
static int warm_up(const struct bench *bench, unsigned n, const struct workload *load, struct times *times)
{
   const double start = cpu_now();
   do {
      if (run_once(bench, n, load, times, 0) < 0) {
         return -1;
      }
   } while (cpu_now() - start < bench->warm_up);
   return 0;
}

struct slice {
   char *to;
   const char *from;
   size_t bytes;
};

static void *copy_slice(void *data)
{
   const struct slice *slice = data;
   memcpy(slice->to, slice->from, slice->bytes);
   return NULL;
}

/* memcpy() of the C library on that many threads at once, a slice each. Returns s of processor time. */
static double copy_side_by_side(uint32_t *to, const uint32_t *from, size_t bytes, unsigned threads)
{
   struct slice slices[MAX_THREADS];
   pthread_t others[MAX_THREADS];
   unsigned started = 1;
   const size_t part = bytes / threads / HOST_PAGE * HOST_PAGE;
   const double cpu = cpu_now();
   for (unsigned i = 0; i < threads; i++) {
      slices[i] = (struct slice){.to = (char *)to + i * part,
                                 .from = (const char *)from + i * part,
                                 .bytes = i + 1 < threads ? part : bytes - i * part};
   }
   while (started < threads && !pthread_create(&others[started], NULL, copy_slice, &slices[started])) {
      started++;
   }
   copy_slice(&slices[0]);
   for (unsigned i = started; i < threads; i++) {
      copy_slice(&slices[i]);
   }
   for (unsigned i = 1; i < started; i++) {
      pthread_join(others[i], NULL);
   }
   return cpu_now() - cpu;
}

/* The processors that this process may use, on each of which the virtual GPU has a thread. */
static unsigned count_processors(void)
{
   cpu_set_t set;
   const int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
   return count < MAX_THREADS ? (unsigned)count : MAX_THREADS;
}

static int run_rounds(const struct bench *bench, const struct workload *load, struct times *times, struct times *copy)
{
   const unsigned threads = count_processors();
   for (unsigned n = 0; n < SIDES; n++) {
      if (warm_up(bench, n, load, &times[n]) < 0) {
         return -1;
      }
   }
   for (unsigned round = 0; round < bench->rounds; round++) {
      for (unsigned n = 0; n < SIDES; n++) {
         if (run_once(bench, n, load, &times[n], round) < 0) {
            return -1;
         }
      }
      if (!same(bench, load)) {
         return -1;
      }
      if (load->copies) {
         const size_t bytes = load->work.arguments[load->output].bytes;
         copy->cpu[round] = copy_side_by_side(bench->outputs[round % SIDES], bench->input, bytes, threads);
      }
   }
   return 0;
}

/* What memcpy() moves on as many threads, which share the host's memory as those of the virtual GPU do, and which part
 * of that the virtual GPU moves in as much processor time. Both had their turn in each round. */
static void report_memcpy(const struct bench *bench, const struct workload *load, const struct times *virtual,
                          struct times *copy)
{
   const double one = median(copy->cpu, bench->rounds), of_virtual = virtual->cpu[bench->rounds / 2];
   printf("%-17s %8.3f %8.3f            %6.2f %6.2f          G bytes/s a core, beside memcpy on %u\n",
          load->work.kernel, 1e-9 * load->amount / of_virtual, 1e-9 * load->amount / one, one / of_virtual,
          copy->cpu[0] / virtual->cpu[0], count_processors());
}

static int run_workload(const struct bench *bench, const struct workload *load)
{
   struct times times[SIDES], copy;
   const void *contents[SIDE_MAX_ARGUMENTS];
   int result = 0;

   for (unsigned i = 0; i < SIDE_MAX_ARGUMENTS; i++) {
      contents[i] = bench->input;
   }
   for (unsigned n = 0; n < SIDES && result == 0; n++) {
      result = bench->classes[n]->prepare(bench->sides[n], &load->work, contents);
   }
   if (result == 0) {
      result = run_rounds(bench, load, times, &copy);
   }
   if (result == 0) {
      report(load, times, bench->rounds);
      if (load->copies) {
         report_memcpy(bench, load, &times[0], &copy);
      }
   }
   for (unsigned n = 0; n < SIDES; n++) {
      bench->classes[n]->release(bench->sides[n]);
   }
   return result;
}

static int make_data(struct bench *bench)
{
   bench->input = workloads_input();
   bench->outputs[0] = malloc(4ul * WORKLOADS_WORDS);
   bench->outputs[1] = malloc(4ul * WORKLOADS_WORDS);
   return bench->input == NULL || bench->outputs[0] == NULL || bench->outputs[1] == NULL ? -1 : 0;
}

static int run_all(struct bench *bench, const char *kernel)
{
   printf("virtual GPU: %s, timing off; beside: %s; %u rounds, medians\n", bench->classes[0]->name(bench->sides[0]),
          bench->classes[1]->name(bench->sides[1]), bench->rounds);
   printf("%-17s %8s %8s   %6s   %6s %6s   %4s\n", "kernel", "virtual", "beside", "ratio", "by CPU", "best", "want");
   for (size_t i = 0; i < WORKLOADS; i++) {
      if ((kernel == NULL || strcmp(kernel, workloads[i].work.kernel) == 0) && run_workload(bench, &workloads[i]) < 0) {
         return 1;
      }
   }
   return 0;
}

int main(int argc, char **argv)
{
   struct bench bench = {.classes = {&side_vgpu, &side_opencl}, .rounds = 7, .warm_up = 0.7};
   const char *specs[SIDES] = {"virtual:m1,timing=off,jit=auto", "Portable Computing Language"}, *kernel = NULL;
   int option, result = 1;

   while ((option = getopt(argc, argv, "n:w:k:d:p:")) != -1) {
      switch (option) {
      case 'n':
         bench.rounds = (unsigned)strtoul(optarg, NULL, 10);
         break;
      case 'w':
         bench.warm_up = strtod(optarg, NULL);
         break;
      case 'k':
         kernel = optarg;
         break;
      case 'd':
         specs[0] = optarg;
         break;
      case 'p':
         specs[1] = optarg;
         break;
      default:
         return 79;
      }
   }
   if (bench.rounds == 0 || bench.rounds > MAX_ROUNDS || optind != argc) {
      fprintf(stderr, "usage: vgpu-vs-pocl [-n ROUNDS (1..%u)] [-w SECONDS] [-k KERNEL] [-d DEVICE] [-p PLATFORM]\n",
              MAX_ROUNDS);
      return 79;
   }
   char *source = workloads_source(VGPU_VS_POCL_KERNELS);
   if (source != NULL && make_data(&bench) == 0) {
      bench.sides[1] = bench.classes[1]->open(specs[1], source);
      bench.sides[0] = bench.sides[1] == NULL ? NULL : bench.classes[0]->open(specs[0], source);
      result = bench.sides[1] == NULL ? 77 : bench.sides[0] == NULL ? 1 : run_all(&bench, kernel);
   }
   for (unsigned n = 0; n < SIDES; n++) {
      bench.classes[n]->close(bench.sides[n]);
      free(bench.outputs[n]);
   }
   free(bench.input);
   free(source);
   return result;
}
