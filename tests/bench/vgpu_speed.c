/* SPDX-License-Identifier: MIT
 *
 * How fast the virtual GPU's cores run: chains of arithmetic, exchanges between lanes, loads and a copy, with the
 * timing model off and on. Thread-instructions count the loop's useful operations only.
 *
 *   vgpu-speed [THREADS [off|auto|on [KERNEL]]]     off, auto, on: blocks compiled to host code (vgpu/jit); default
 * auto
 *   vgpu-speed count KERNEL TURNS LEVEL [TIMED [THREADS]]     one launch that passes its loop TURNS times, by the
 * interpreter, for a program that counts the host's instructions; prints the operations of 32 lanes; so many timed
 * launches instead, on so many host threads
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/host_threads.h"
#include "vgpu/jit/jit.h"
#include "vgpu/spare.h"
#include "vgpu/timing/memory/hierarchy.h"
#include "vgpu/timing/timing_params.h"

#define OPERATIONS 64 /* in a loop body */

/* Seconds. CLOCK_PROCESS_CPUTIME_ID: of one host thread its own time on the processor, so that other work on the
 * machine does not count. */
static double now(clockid_t clock)
{
   struct timespec time;
   clock_gettime(clock, &time);
   return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct kernel {
   const char *name;
   const char *lines[4]; /* taken in turn; NULL ends them early */
   bool once;            /* the lines once, not OPERATIONS times in a loop */
   bool uneven;          /* every core has other work, so that the timing model cannot compute one for all */
};

static const struct kernel kernels[] = {
    {"ffma chain", {"ffma r8, r8, r4, r5"}},
    {"ffma, uneven", {"ffma r8, r8, r4, r5"}, .uneven = true},
    {"integer hash", {"imul r8, r8, r4", "shr r9, r8, 15", "xor r8, r8, r9", "iadd r8, r8, r5"}},
    {"hfma chain", {"hfma r8l, r8l, r4l, r5l"}},
    {"64-bit add", {"iadd dr8, dr8, dr4"}},
    {"shuffle", {"shuffle r8, r8, 1, xor"}},
    {"f32 reduction", {"simd r8, r4, fadd"}},
    {"integer scan", {"simd r8, r4, prefix, iadd"}},
    {"f32 scan", {"simd r8, r4, prefix, fadd"}},
    {"local atomic", {"latomic r8, r4, r0l, 0, add"}},
    {"load", {"load r8, du0, r1, i32, x, a"}},
    {"load, uneven", {"load r8, du0, r1, i32, x, a"}, .uneven = true},
    {"copy 4 words", {"mov r8, r4", "mov r9, r5", "mov r10, r6", "mov r11, r7"}, .once = true},
};

static void build(struct rig *rig, const struct kernel *kernel, unsigned turns)
{
   char text[8192];
   size_t used = (size_t)snprintf(text, sizeof(text), "ldimm r0l, 0\nldimm r2, 0\nldimm r3, %u\n%stop:\n", turns,
                                  kernel->uneven ? "mov r12, sr20\niadd r3, r3, r12\n" : "");
   unsigned count = 0;
   while (count < 4 && kernel->lines[count]) {
      count++;
   }
   for (unsigned i = 0; i < (kernel->once ? count : OPERATIONS); i++) {
      used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\n", kernel->lines[i % count]);
   }
   if (!kernel->once) {
      snprintf(text + used, sizeof(text) - used, "iadd r2, r2, 1\nwhile r2, r3, 1, ult\njmp_any top\n");
   }
   rig_kernel(rig, text);
}

static enum vgpu_jit_mode jit_mode = VGPU_JIT_AUTO;

/* Seconds that the kernel takes. */
static double run(const struct kernel *kernel, const struct vgpu_level *level, unsigned threads, bool timing,
                  clockid_t clock)
{
   struct rig rig;
   uint32_t items = kernel->once ? 1u << 21 : 1u << 16;
   unsigned turns = kernel->once ? 1 : timing ? 4 : 64;
   rig_init(&rig, items);
   rig.launch.group[0] = 256;
   rig.launch.threads = threads;
   rig.launch.threadgroup_bytes = 64;
   rig.launch.spare = vgpu_spare_create();
   rig.launch.timing = timing;
   rig.launch.host = vgpu_host_threads_create(threads); /* as in a device: they and the caches are kept */
   rig.launch.caches =
       timing ? vgpu_hierarchy_create(vgpu_params_default.memory, rig.launch.chip->cores, rig.launch.chip->dies) : NULL;
   rig.launch.compiler = vgpu_jit_create(jit_mode, level);
   build(&rig, kernel, turns);
   double best = 1e9;
   for (unsigned repeat = 0; repeat < (timing ? 6 : 3); repeat++) {
      double start = now(clock);
      rig_run(&rig, level);
      double seconds = now(clock) - start;
      best = seconds < best ? seconds : best;
   }
   struct vgpu_jit_statistics compiled;
   vgpu_jit_read_statistics(rig.launch.compiler, &compiled);
   vgpu_jit_destroy(rig.launch.compiler);
   double mean = turns + (kernel->uneven ? (rig.launch.chip->cores - 1) / 2.0 : 0);
   double operations = (double)items * (kernel->once ? 4 : OPERATIONS * mean);
   printf("%-14s %-10s threads %u timing %-3s %9.1f M thread-operations/s, %6.2f ns an operation of 32 lanes, "
          "%7.2f M simdgroup-instructions/s, compiled %u instructions in %.1f ms%s%s\n",
          kernel->name, level->name, threads, timing ? "on" : "off", operations / best / 1e6,
          best * 1e9 / (operations / 32), (double)rig.outcome.instructions / best / 1e6,
          (unsigned)compiled.instructions, (double)compiled.ns / 1e6, compiled.reason[0] ? ": " : "", compiled.reason);
   vgpu_hierarchy_destroy(rig.launch.caches);
   vgpu_host_threads_destroy(rig.launch.host);
   vgpu_spare_destroy(rig.launch.spare);
   rig.launch.spare = NULL;
   rig.launch.caches = NULL;
   rig.launch.host = NULL;
   rig_finish(&rig);
   return best;
}

#define COUNTED 1024u      /* threads of the GPU */
#define TIMED (64 * 1024u) /* of a timed launch: as in run() */

static int count(const char *name, unsigned turns, const char *level, unsigned timed, unsigned host)
{
   for (size_t i = 0; i < vgpu_level_count * (sizeof(kernels) / sizeof(kernels[0])); i++) {
      const struct kernel *kernel = &kernels[i / vgpu_level_count];
      const struct vgpu_level *used = &vgpu_levels[i % vgpu_level_count];
      if (kernel->once || strcmp(kernel->name, name) || strcmp(used->name, level) || !used->usable()) {
         continue;
      }
      struct rig rig;
      const uint32_t threads = timed ? TIMED : COUNTED;
      rig_init(&rig, threads);
      rig.launch.group[0] = 256;
      rig.launch.threads = host;
      rig.launch.threadgroup_bytes = 64;
      rig.launch.spare = vgpu_spare_create();
      rig.launch.timing = timed > 0;
      build(&rig, kernel, turns);
      for (unsigned launch = 0; launch < (timed ? timed : 1); launch++) {
         rig_run(&rig, used);
      }
      vgpu_spare_destroy(rig.launch.spare);
      rig.launch.spare = NULL;
      rig_finish(&rig);
      printf("%u operations%s\n", threads / 32 * OPERATIONS * turns, timed ? " a launch" : "");
      if (timed) {
         printf("%llu cycles in the model\n", (unsigned long long)rig.outcome.cycles);
      }
      return rig_result();
   }
   fprintf(stderr, "no kernel '%s' with a loop, or level '%s' is not of this host\n", name, level);
   return 1;
}

#define PROJECTED 8 /* threads */
#define ROUNDS 6    /* of launches of each kind, in turn, so that a busy machine is as busy for all of them */

/* Processor seconds of a launch. */
struct parts {
   double all, serial, shared;
};

/* serial: what the thread that launches does beside its part of the shared work, waking the others included. The rest
 * is shared, also what the others take to wait and to wake. */
static struct parts run_measured(struct rig *rig)
{
   const struct vgpu_host_shares before = vgpu_host_threads_shared(rig->launch.host);
   const double all = now(CLOCK_PROCESS_CPUTIME_ID), caller = now(CLOCK_THREAD_CPUTIME_ID);
   rig_run(rig, vgpu_best_level());
   struct parts parts = {.all = now(CLOCK_PROCESS_CPUTIME_ID) - all, .serial = now(CLOCK_THREAD_CPUTIME_ID) - caller};
   parts.serial -= vgpu_host_threads_shared(rig->launch.host).own - before.own;
   parts.shared = parts.all - parts.serial;
   return parts;
}

static void keep_least(struct parts *least, const struct parts *parts)
{
   least->all = parts->all < least->all ? parts->all : least->all;
   least->serial = parts->serial < least->serial ? parts->serial : least->serial;
   least->shared = parts->shared < least->shared ? parts->shared : least->shared;
}

/* Seconds on PROJECTED threads. */
static double projected(const struct parts *parts)
{
   return parts->serial + parts->shared / PROJECTED;
}

/* What PROJECTED host threads would gain if each had a processor of its own, from the processor time of a timed launch
 * with so many: what they share divides among them evenly, the rest is serial. It does not need that many processors,
 * and other work on the machine does not count. Nor do pauses in which threads only wait for each other. As in a
 * device, threads and caches are there before the launch.
 *
 * Cores with the same work are simulated once, which leaves threads little to share. So there are two figures: with
 * that saving on both sides, as a device runs, and with every core simulated on both sides, which is what threads do.
 */
static void project(const struct kernel *kernel)
{
   struct rig rig;
   rig_init(&rig, kernel->once ? 1u << 21 : 1u << 16);
   rig.launch.group[0] = 256;
   rig.launch.threadgroup_bytes = 64;
   rig.launch.spare = vgpu_spare_create();
   rig.launch.timing = true;
   rig.launch.caches = vgpu_hierarchy_create(vgpu_params_default.memory, rig.launch.chip->cores, rig.launch.chip->dies);
   build(&rig, kernel, kernel->once ? 1 : 4);
   struct vgpu_host_threads *const host[2] = {vgpu_host_threads_create(1), vgpu_host_threads_create(PROJECTED)};
   struct parts least[2][2]; /* by threads; by whether every core is simulated */
   for (unsigned i = 0; i < (ROUNDS + 1) * 4; i++) {
      const unsigned many = i & 1, each = i >> 1 & 1;
      rig.launch.threads = many ? PROJECTED : 1;
      rig.launch.host = host[many];
      rig.launch.each_core = each;
      vgpu_host_threads_measure(host[many]);
      const struct parts parts = run_measured(&rig);
      if (i < 8) {
         least[many][each] = parts; /* of the second round: the first one starts the threads */
      } else {
         keep_least(&least[many][each], &parts);
      }
   }
   vgpu_host_threads_destroy(host[0]);
   vgpu_host_threads_destroy(host[1]);
   vgpu_hierarchy_destroy(rig.launch.caches);
   rig.launch.caches = NULL;
   rig.launch.host = NULL;
   vgpu_spare_destroy(rig.launch.spare);
   rig.launch.spare = NULL;
   rig_finish(&rig);
   for (unsigned each = 0; each < 2; each++) {
      const struct parts *parts = &least[1][each];
      printf("%-14s timing on, %s: %d threads %.1f times as fast as one (projected, not measured; serial %.1f %% of "
             "their processor time)\n",
             kernel->name, each ? "every core simulated" : "equal cores simulated once", PROJECTED,
             least[0][each].all / projected(parts), 100 * parts->serial / (parts->serial + parts->shared));
   }
   printf("%-14s timing on: %d threads that simulate equal cores once, %.1f times as fast as one that simulates every "
          "core; once instead of every one gains %.1f on one thread\n",
          kernel->name, PROJECTED, least[0][1].all / projected(&least[1][0]), least[0][1].all / least[0][0].all);
}

/* A timed launch on 1, 2, 4 and so on host threads, and how much faster than on one. */
static void scale(const struct kernel *kernel, unsigned most)
{
   const double one = run(kernel, vgpu_best_level(), 1, true, CLOCK_MONOTONIC);
   for (unsigned threads = 2; threads / 2 < most; threads *= 2) {
      const unsigned used = threads < most ? threads : most;
      const double seconds = run(kernel, vgpu_best_level(), used, true, CLOCK_MONOTONIC);
      printf("%-14s timing on: %.2f times as fast on %u threads as on one\n", kernel->name, one / seconds, used);
   }
}

int main(int argc, char **argv)
{
   if (argc >= 5 && argc <= 7 && !strcmp(argv[1], "count")) {
      return count(argv[2], (unsigned)strtoul(argv[3], NULL, 10), argv[4],
                   argc >= 6 ? (unsigned)strtoul(argv[5], NULL, 10) : 0,
                   argc == 7 ? (unsigned)strtoul(argv[6], NULL, 10) : 1);
   }
   unsigned most = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
   const char *mode = argc > 2 ? argv[2] : "auto", *only = argc > 3 ? argv[3] : NULL;
   jit_mode = !strcmp(mode, "off") ? VGPU_JIT_OFF : !strcmp(mode, "on") ? VGPU_JIT_ON : VGPU_JIT_AUTO;
   for (size_t l = 0; l < vgpu_level_count; l++) {
      for (size_t k = 0; vgpu_levels[l].usable() && k < sizeof(kernels) / sizeof(kernels[0]); k++) {
         if (!only || strcmp(only, kernels[k].name) == 0) {
            run(&kernels[k], &vgpu_levels[l], 1, false, CLOCK_PROCESS_CPUTIME_ID);
         }
      }
   }
   for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
      if (!only || strcmp(only, kernels[k].name) == 0) {
         run(&kernels[k], vgpu_best_level(), most, false, CLOCK_MONOTONIC);
         run(&kernels[k], vgpu_best_level(), 1, true, CLOCK_PROCESS_CPUTIME_ID);
         scale(&kernels[k], most);
         project(&kernels[k]);
      }
   }
   return rig_result();
}
