/* SPDX-License-Identifier: MIT
 *
 * Host threads: work is done once each and by threads that are kept, and a timed launch takes the same cycles and
 * leaves the same memory for any number of them, whether or not cores with the same work are simulated once. The
 * kernels give every core other work: loops of different length, loads that miss in different caches, stores, atomics
 * on shared words. The last one gives all of them the same.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/host_threads.h"
#include "vgpu/timing/chip.h"
#include "vgpu/timing/memory/hierarchy.h"
#include "vgpu/timing/timing_params.h"

#define INDICES 100u
#define MOST_THREADS 8u

/* ---- The pool ---- */

struct calls {
   atomic_uint done[INDICES];
   pthread_mutex_t lock;
   pthread_t seen[INDICES];
   unsigned threads;
};

static void call(void *data, unsigned index)
{
   struct calls *calls = data;
   atomic_fetch_add(&calls->done[index], 1);
   pthread_mutex_lock(&calls->lock);
   unsigned i = 0;
   while (i < calls->threads && !pthread_equal(calls->seen[i], pthread_self())) {
      i++;
   }
   if (i == calls->threads && i < INDICES) {
      calls->seen[calls->threads++] = pthread_self();
   }
   pthread_mutex_unlock(&calls->lock);
}

static void check_pool(unsigned count)
{
   struct vgpu_host_threads *threads = vgpu_host_threads_create(count);
   struct calls calls = {.lock = PTHREAD_MUTEX_INITIALIZER};
   unsigned expected = 0;
   for (unsigned run = 0; threads && run < 300; run++) {
      const unsigned indices = run % 3 == 0 ? INDICES : run % 3;
      vgpu_host_threads_run(threads, indices, call, &calls);
      for (unsigned i = 0; i < INDICES; i++) {
         expected = i < indices ? 1 : 0;
         if (atomic_exchange(&calls.done[i], 0) != expected) {
            rig_fail("%u threads, run %u: index %u was not done %u times", count, run, i, expected);
         }
      }
   }
   if (!threads || calls.threads > count) {
      rig_fail("%u threads: %u did the work of 300 runs", count, calls.threads);
   }
   vgpu_host_threads_destroy(threads);
}

/* ---- Launches ---- */

struct kernel {
   const char *name, *text; /* a "%s" in the text: how the chip's atomics are coherent */
};

static const struct kernel kernels[] = {
    {"loops by threadgroup", "mov r6, sr0\nand r6, r6, 15\niadd r6, r6, 3\nldimm r0l, 0\nldimm r1, 0\n"
                             "loop: ffma r8, r8, r4, r5\nimul r9, r9, r4\niadd r1, r1, 1\n"
                             "while r1, r6, 1, ult\njmp_any loop\npop_exec 1\nstop\n"},
    {"loads by lane",
     "mov r2, sr80\nmov r3, sr0\niadd r3, r3, 1\nimul r5, r2, r3\nldimm r6, 0x1ffff\nand r5, r5, r6\n"
     "ldimm r0l, 0\nldimm r1, 0\n"
     "loop: load r4, du0, r5, lsl 0, i32, x, a\nwait a\niadd r5, r5, r2\nand r5, r5, r6\niadd r1, r1, 1\n"
     "while r1, 9, 1, ult\njmp_any loop\npop_exec 1\nstop\n"},
    {"stores by lane",
     "mov r2, sr80\nmov r3, sr0\niadd r3, r3, 1\nimul r5, r2, r3\nldimm r6, 0x1ffff\nand r5, r5, r6\n"
     "ldimm r4, 7\nldimm r0l, 0\nldimm r1, 0\n"
     "loop: store r4, du2, r5, lsl 0, i32, x, a\nload r7, du0, r2, lsl 0, i32, x, a\nwait a\niadd r5, r5, r2\n"
     "and r5, r5, r6\niadd r1, r1, 1\nwhile r1, 9, 1, ult\njmp_any loop\npop_exec 1\nstop\n"},
    {"loads and atomics", "mov r2, sr80\nmov r3, sr0\nand r5, r3, 7\nload r4, du0, r2, lsl 0, i32, x, a\nwait a\n"
                          "atomic r8, r2, du2, r5, add, %s, a\nwait a\niadd r5, r2, 64\nstore r4, du2, r5, lsl "
                          "0, i32, x, a\nwait a\nstop\n"},
    /* The first core, which is simulated beside the replay, has no access. */
    {"loads on some cores",
     "mov r2, sr80\nmov r3, sr0\nand r3, r3, 7\nimul r5, r2, 97\nldimm r6, 0x1ffff\nand r5, r5, r6\n"
     "ldimm r0l, 0\nldimm r1, 0\nif r3, 1, 1, ugt\njmp_none end\n"
     "loop: load r4, du0, r5, lsl 0, i32, x, a\nwait a\niadd r5, r5, r2\nand r5, r5, r6\niadd r1, r1, 1\n"
     "while r1, 9, 1, ult\njmp_any loop\nend: pop_exec 1\nstop\n"},
    {"the same on each core", "ldimm r0l, 0\nldimm r1, 0\nloop: ffma r8, r8, r4, r5\niadd r1, r1, 1\n"
                              "while r1, 20, 1, ult\njmp_any loop\npop_exec 1\nstop\n"},
};

struct run {
   uint64_t cycles[3]; /* of three launches, one after the other with the caches that the one before left */
   uint64_t memory;    /* sum of the output's words */
};

/* small: with caches and a TLB that keep next to nothing, so that what each finds depends on the order of all accesses.
 */
static struct run launch(const char *chip, const struct kernel *kernel, bool small, unsigned count, bool kept,
                         bool each_core)
{
   char text[512];
   struct rig rig;
   struct run result = {0};
   struct vgpu_params params;
   rig_init(&rig, 1u << 15);
   rig.launch.chip = vgpu_chip_find(chip);
   vgpu_params_init(&params, rig.launch.chip);
   if (small) {
      params.memory[VGPU_MEMORY_L2_BYTES] = 65536 * rig.launch.chip->dies;
      params.memory[VGPU_MEMORY_SLC_BYTES] = 262144;
      params.memory[VGPU_MEMORY_TLB_ENTRIES] = 16;
   }
   rig.launch.params = &params;
   rig.launch.caches = vgpu_hierarchy_create(params.memory, rig.launch.chip->cores, rig.launch.chip->dies);
   rig.launch.host = kept ? vgpu_host_threads_create(count) : NULL;
   rig.launch.threads = count;
   rig.launch.each_core = each_core;
   rig.launch.group[0] = 96;
   rig.launch.half_registers = 32;
   rig.launch.timing = true;
   snprintf(text, sizeof(text), kernel->text, rig.launch.chip->cores > 16 ? "coherent3" : "coherent1");
   rig_program(&rig, text);
   for (unsigned i = 0; i < 3; i++) {
      rig_run(&rig, vgpu_best_level());
      result.cycles[i] = rig.outcome.cycles;
   }
   for (size_t i = 0; i < (size_t)RIG_WORDS << 15; i++) {
      uint32_t word;
      memcpy(&word, rig.output + i * sizeof(word), sizeof(word));
      result.memory += word * (uint64_t)(i + 1);
   }
   vgpu_hierarchy_destroy(rig.launch.caches);
   vgpu_host_threads_destroy(rig.launch.host);
   rig_finish(&rig);
   return result;
}

static void check_launch(const char *chip, const struct kernel *kernel, bool small)
{
   const struct run one = launch(chip, kernel, small, 1, false, false);
   static const unsigned counts[] = {1, 2, 3, MOST_THREADS};
   printf("%-8s %-22s %8llu cycles, then %llu%s\n", chip, kernel->name, (unsigned long long)one.cycles[0],
          (unsigned long long)one.cycles[1], small ? ", small caches" : "");
   if (one.cycles[0] == 0) {
      rig_fail("%s, %s: no cycles", chip, kernel->name);
   }
   for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
      for (unsigned way = 0; way < 3; way++) {
         const bool kept = way > 0, each_core = way > 1;
         const struct run other = launch(chip, kernel, small, counts[i], kept, each_core);
         if (memcmp(&one, &other, sizeof(one))) {
            rig_fail("%s, %s, %u host threads%s%s: %llu, %llu, %llu cycles; with one %llu, %llu, %llu", chip,
                     kernel->name, counts[i], kept ? ", kept" : "", each_core ? ", each core" : "",
                     (unsigned long long)other.cycles[0], (unsigned long long)other.cycles[1],
                     (unsigned long long)other.cycles[2], (unsigned long long)one.cycles[0],
                     (unsigned long long)one.cycles[1], (unsigned long long)one.cycles[2]);
         }
      }
   }
}

int main(void)
{
   for (unsigned count = 1; count <= MOST_THREADS; count += count < 3 ? 1 : 5) {
      check_pool(count);
   }
   for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
      check_launch("m1", &kernels[i], false);
      check_launch("m1-ultra", &kernels[i], false);
      check_launch("m1", &kernels[i], true);
   }
   return rig_result();
}
