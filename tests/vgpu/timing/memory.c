/* SPDX-License-Identifier: MIT
 *
 * The memory system of the timing model against arithmetic on its parameters: latencies of a pointer chase by the size
 * of its ring, bandwidth of streams, lines that lanes share, banks of threadgroup memory, atomics on one word. The
 * parameters are drawn at random, so that no figure of a chip is built in; the published figures of an M1 follow.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/timing/timing_params.h"

#define KIB 1024u
#define UNROLLED 8u

static void expect_near(const char *what, double got, double expected, double share)
{
   printf("%-48s %10.2f, expected %10.2f\n", what, got, expected);
   if (!(fabs(got / expected - 1) <= share)) {
      rig_fail("%s: %.3f, expected %.3f", what, got, expected);
   }
}

static double run(struct rig *rig, const struct vgpu_params *params, const char *text)
{
   rig->launch.params = params;
   rig->launch.timing = true;
   rig_program(rig, text);
   rig_run(rig, vgpu_best_level());
   return (double)rig->outcome.cycles;
}

/* Cycles of one more turn of a loop with that body: r1 counts, r5 is free to be the body's. */
static double turn(struct rig *rig, const struct vgpu_params *params, const char *before, const char *body,
                   unsigned turns)
{
   char text[1024];
   double cycles[2];
   for (unsigned i = 0; i < 2; i++) {
      snprintf(text, sizeof(text),
               "mov r2, sr80\nldimm r1, 0\nldimm r0l, 0\nldimm r6, %u\n%s\nloop:\n.rept %u\n%s\n.endr\n"
               "iadd r1, r1, 1\nwhile r1, r6, 1, ult\njmp_any loop\npop_exec 1\nstop\n",
               (i + 1) * turns, before, UNROLLED, body);
      cycles[i] = run(rig, params, text);
   }
   return (cycles[1] - cycles[0]) / turns / UNROLLED;
}

/* ---- Latency ---- */

/* Cycles of a load around a ring of `size` bytes with `stride` bytes from one to the next, by one lane. */
static double chase(const struct vgpu_params *params, uint32_t size, uint32_t stride)
{
   struct rig rig;
   rig_init(&rig, size / (RIG_WORDS * 4) < 32 ? 32 : size / (RIG_WORDS * 4));
   rig.launch.grid[0] = rig.launch.group[0] = 1;
   rig.launch.half_registers = 32;
   for (uint32_t at = 0; at < size; at += stride) {
      uint32_t next = at + stride < size ? at + stride : 0;
      memcpy(rig.input + at, &next, sizeof(next));
   }
   double cycles = turn(&rig, params, "ldimm r5, 0", "load r4, du0, r5, lsl 0, i32, x, a\nwait a\nshr r5, r4, 2",
                        2 * (size / stride / UNROLLED + 1));
   rig_finish(&rig);
   return cycles;
}

static uint32_t draw(uint32_t low, uint32_t high)
{
   return low + rig_random() % (high - low);
}

static void check_latencies(struct vgpu_params *params)
{
   double *memory = params->memory;
   uint32_t l1 = draw(1, 16) * 2 * KIB, l2 = l1 + 64 * KIB + draw(8, 64) * 2 * KIB,
            slc = l2 + 128 * KIB + draw(0, 64) * 2 * KIB;
   memory[VGPU_MEMORY_L1_BYTES] = l1;
   memory[VGPU_MEMORY_L2_BYTES] = l2;
   memory[VGPU_MEMORY_SLC_BYTES] = slc;
   memory[VGPU_MEMORY_L2_LATENCY] = draw(60, 150);
   memory[VGPU_MEMORY_SLC_LATENCY] = draw(200, 300);
   memory[VGPU_MEMORY_DRAM_LATENCY] = draw(350, 900);
   double least = chase(params, 256, 128), own = least - (double)params->latency[ISA_TIMING_LOAD] / VGPU_TICKS;
   expect_near("L1, all of it", chase(params, l1, 128), least, 0.001);
   expect_near("L2, from one set more than the L1", chase(params, l1 + KIB, 128) > 1.01 * least, 1, 0);
   expect_near("L2 latency", chase(params, l2, 128) - own, memory[VGPU_MEMORY_L2_LATENCY], 0.01);
   expect_near("SLC latency", chase(params, slc, 128) - own, memory[VGPU_MEMORY_SLC_LATENCY], 0.01);
   expect_near("DRAM latency", chase(params, 2 * slc, 128) - own, memory[VGPU_MEMORY_DRAM_LATENCY], 0.01);
   /* A sector is what is fetched: two words of one are one miss. */
   double half = chase(params, 2 * slc, VGPU_SECTOR / 2) - own;
   expect_near("half a sector on", half, (memory[VGPU_MEMORY_DRAM_LATENCY] + least - own) / 2, 0.01);
   /* A line on each of 64 pages: more than the L1 and the TLB hold here, few enough for the L2. */
   memory[VGPU_MEMORY_L1_BYTES] = KIB;
   memory[VGPU_MEMORY_TLB_ENTRIES] = memory[VGPU_MEMORY_TLB_WAYS] = 8;
   memory[VGPU_MEMORY_TLB_LATENCY] = draw(50, 200);
   expect_near("page walks", chase(params, 64 * 0x4000, 0x4000 + 128) - own,
               memory[VGPU_MEMORY_TLB_LATENCY] + memory[VGPU_MEMORY_L2_LATENCY], 0.01);
}

/* ---- Bandwidth ---- */

/* Bytes a cycle of a copy of `words` words a thread. */
static double copy(const char *chip, const struct vgpu_params *params, uint32_t threads, unsigned words, bool store)
{
   static const char *const registers[] = {"r4", "r4_r5", "r4_r5_r6", "r4_r5_r6_r7"}, *const masks[] = {"x", "xy",
                                                                                                        "xyz", "xyzw"};
   struct rig rig;
   char text[512];
   rig_init(&rig, threads);
   rig.launch.chip = vgpu_chip_find(chip);
   rig.launch.group[0] = 256;
   rig.launch.threads = 2;
   rig.launch.half_registers = 32;
   snprintf(text, sizeof(text),
            "mov r1, sr80\nload %s, du0, r1, lsl %u, i32, %s, a\nwait a\nstore %s, du2, r1, lsl %u, i32, %s, a\nstop\n",
            registers[words - 1], words / 2, masks[words - 1], registers[words - 1], words / 2, masks[words - 1]);
   if (!store) {
      snprintf(text, sizeof(text), "mov r1, sr80\nload %s, du0, r1, lsl %u, i32, %s, a\nwait a\nstop\n",
               registers[words - 1], words / 2, masks[words - 1]);
   }
   double cycles = run(&rig, params, text);
   rig_finish(&rig);
   return (store ? 2.0 : 1.0) * 4 * words * threads / cycles;
}

static void check_published(void)
{
   struct vgpu_params params;
   const struct vgpu_chip *chip = vgpu_chip_find("m1");
   vgpu_params_init(&params, chip);
   double gb = chip->clock_hz / 1e9;
   params.memory[VGPU_MEMORY_SLC_BYTES] = 256 * KIB; /* so that small buffers are large ones */
   params.memory[VGPU_MEMORY_L2_BYTES] = 64 * KIB;
   expect_near("M1 copy, 58.4 to 58.5 GB/s (memory.csv)", copy("m1", &params, 1u << 22, 1, true) * gb, 58.5, 0.025);
   expect_near("M1 read, 59.5 to 59.7 GB/s", copy("m1", &params, 1u << 20, 1, false) * gb, 59.6, 0.03);
   expect_near("M1 read, two words a lane, 67.2 to 68.3", copy("m1", &params, 1u << 20, 2, false) * gb, 67.7, 0.02);
   expect_near("M1 read, four words a lane, 60.7 to 61.5", copy("m1", &params, 1u << 19, 4, false) * gb, 61.1, 0.05);
}

/* ---- Threadgroup memory, lanes ---- */

/* Cycles of a threadgroup load on a full core, with so many words from lane to lane. */
static double local(const struct vgpu_params *params, unsigned stride)
{
   struct rig rig;
   char before[128];
   rig_init(&rig, 8 * 1024);
   rig.launch.group[0] = 1024;
   rig.launch.threadgroup_bytes = 16 * KIB;
   rig.launch.half_registers = 32;
   snprintf(before, sizeof(before), "and r5, r2, 31\nimul r5, r5, %u\nshl r5, r5, 2", stride);
   double cycles = turn(&rig, params, before, "lload r4, r5l, 0, i32, x", 8);
   rig_finish(&rig);
   return cycles / 32;
}

static unsigned common(unsigned a, unsigned b)
{
   return b ? common(b, a % b) : a;
}

static void check_lanes(struct vgpu_params *params)
{
   char what[64];
   unsigned banks = 8u << draw(0, 3);
   params->memory[VGPU_MEMORY_LOCAL_BANKS] = banks;
   for (unsigned stride = 1; stride <= 33; stride += draw(1, 6)) {
      unsigned distinct = banks / common(banks, stride);
      if (distinct >= 32) {
         continue; /* one cycle: the loop's own instructions would show */
      }
      snprintf(what, sizeof(what), "threadgroup load, %u banks, %u words apart", banks, stride);
      expect_near(what, local(params, stride), 32.0 / distinct, 0.03);
   }
}

/* Atomics of a whole GPU on one word take turns, and a word for each lane does not. */
static void check_atomics(struct vgpu_params *params)
{
   static const char *const bodies[] = {"atomic r4, r7, du2, r5, add, coherent1, a\nwait a",
                                        "atomic r4, r7, du2, r2, add, coherent1, a\nwait a"};
   for (unsigned i = 0; i < 2; i++) {
      struct rig rig;
      rig_init(&rig, 8 * 32);
      rig.launch.group[0] = 32;
      rig.launch.half_registers = 32;
      params->memory[VGPU_MEMORY_ATOMIC_WORD] = draw(1, 6);
      double cycles = turn(&rig, params, "ldimm r5, 0\nldimm r7, 1", bodies[i], 20),
             each = params->memory[VGPU_MEMORY_ATOMIC_WORD];
      if (i == 0) {
         expect_near("atomics of 256 lanes on a word", cycles, 256 * each, 0.01);
      } else {
         expect_near("atomics on a word a lane, not faster than the L2",
                     cycles > params->memory[VGPU_MEMORY_L2_LATENCY] && cycles < 256, 1, 0);
      }
      rig_finish(&rig);
   }
}

/* ---- Code ---- */

/* Cycles a line of a loop of so many lines of code, of `simds` simdgroups on a core. */
static double code(const struct vgpu_params *params, unsigned lines, unsigned simds)
{
   struct rig rig;
   char text[512];
   double cycles[2];
   rig_init(&rig, 32 * simds);
   rig.launch.group[0] = 32 * simds;
   rig.launch.half_registers = 64;
   for (unsigned i = 0; i < 2; i++) {
      snprintf(text, sizeof(text),
               "ldimm r1, 0\nldimm r0l, 0\nloop:\n.rept %u, i\nffma r[8 + i %% 8], r[8 + i %% 8], r3, r4\n.endr\n"
               "iadd r1, r1, 1\nwhile r1, %u, 1, ult\njmp_any loop\npop_exec 1\nstop\n",
               lines * VGPU_LINE / 8, 6 * (i + 1));
      cycles[i] = run(&rig, params, text);
   }
   rig_finish(&rig);
   return (cycles[1] - cycles[0]) / 6 / lines;
}

static void check_code(struct vgpu_params *params)
{
   double *memory = params->memory;
   const unsigned lines = draw(20, 60);
   memory[VGPU_MEMORY_CODE_BYTES] = lines * VGPU_LINE;
   memory[VGPU_MEMORY_CODE_WAYS] = draw(1, 8);
   memory[VGPU_MEMORY_CODE_LATENCY] = draw(60, 300);
   memory[VGPU_MEMORY_CODE_BANDWIDTH] = draw(16, 64);
   const double fits = code(params, lines - 2, 1), issue = 16 * 1.02;
   expect_near("code that fits its cache, cycles a line", fits, issue, 0.15);
   /* Every second line is waited for: the one behind it is asked for at the same time, and issues while the next two
    * are on their way. */
   expect_near("code twice as large", code(params, 2 * lines, 1), (memory[VGPU_MEMORY_CODE_LATENCY] + issue) / 2, 0.05);
   /* 24 simdgroups: six of a scheduler issue a line each while one line is fetched. */
   memory[VGPU_MEMORY_CODE_LATENCY] = draw(10, 60);
   expect_near("the same, six simdgroups a scheduler", code(params, 2 * lines, 24), 6 * issue, 0.05);
}

/* ---- Launches whose address streams are not kept as a whole ---- */

/* Cycles of a load whose lanes read a line each, of so many threadgroups of 8 simdgroups, in a loop of `turns` and one
 * of twice as many. *without: the latter is timed without the caches. */
static double lines(uint32_t threads, uint32_t groups, unsigned turns, bool *without)
{
   struct rig rig;
   rig_init(&rig, 32);
   rig.launch.chip = vgpu_chip_find("m1");
   rig.launch.grid[0] = groups * 256;
   rig.launch.group[0] = 256;
   rig.launch.threads = threads;
   rig.launch.half_registers = 32;
   double cycles = turn(&rig, vgpu_params_or_default(NULL), "and r5, r2, 31\nshl r5, r5, 5",
                        "load r4, du0, r5, lsl 0, i32, x, a\nwait a", turns);
   *without = rig.outcome.without_caches;
   rig_finish(&rig);
   return cycles;
}

static void expect_caches(const char *what, bool without, bool expected)
{
   if (without != expected) {
      rig_fail("%s: timed %s the caches", what, without ? "without" : "with");
   }
}

/* 256 threadgroups: 8 loads of 32 spans a simdgroup and turn, 2^24 spans are 32 turns. 8 threadgroups, one a core: 1024
 * turns, and 8192 turns are 2^27 spans. */
static void check_sampled(void)
{
   bool without[4];
   const double kept = lines(1, 256, 8, &without[0]), sampled = lines(1, 256, 48, &without[1]),
                few = lines(1, 8, 64, &without[2]);
   expect_near("a load, above the spans that are kept", sampled, kept, 0.02);
   expect_near("the same on two host threads", lines(2, 256, 48, &without[3]), sampled, 0);
   for (unsigned i = 0; i < 4; i++) {
      expect_caches("spans that are kept, or half of them", without[i], false);
   }
   expect_near("one threadgroup a core, as many spans", lines(1, 8, 1200, &without[0]), few, 0.02);
   expect_caches("one threadgroup a core", without[0], false);
   (void)lines(1, 8, 4120, &without[0]);
   expect_caches("more than 2^27 spans of one threadgroup a core", without[0], true);
}

int main(int argc, char **argv)
{
   struct vgpu_params params;
   if (argc > 1 && !strcmp(argv[1], "sampled")) {
      check_sampled();
      return rig_result();
   }
   check_published();
   for (unsigned i = 0; i < 3; i++) {
      vgpu_params_init(&params, vgpu_chip_find("m1"));
      check_lanes(&params);
      check_latencies(&params);
      check_code(&params);
      vgpu_params_init(&params, vgpu_chip_find("m1"));
      check_atomics(&params);
   }
   return rig_result();
}
