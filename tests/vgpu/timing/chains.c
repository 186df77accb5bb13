/* SPDX-License-Identifier: MIT
 *
 * Chains on the timing model, measured as benchmarks measure: the slope between n and 2n operations. What comes out
 * must be the published figure (argument: instr.csv), by way of the whole mechanism. Also: the same cycles for any
 * number of host threads, and every property of the core that a launch can show.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/timing/timing.h"

#define CORES 8 /* of the M1 */

/* Runs `count` copies of line in a loop of `turns`, with so many simdgroups a core. %u in the line is the chain. */
static uint64_t cycles(const char *line, unsigned count, unsigned chains, unsigned turns, unsigned simds,
                       unsigned threads)
{
   struct rig rig;
   rig_init(&rig, simds * 32 * CORES);
   rig.launch.group[0] = 32;
   rig.launch.timing = true;
   rig.launch.threads = threads;
   size_t size = 1000 + (size_t)count * (strlen(line) + 20);
   char *text = malloc(size);
   if (!text) {
      exit(1);
   }
   size_t used = (size_t)snprintf(text, size, "ldimm r0l, 0\nldimm r2, 0\nldimm r3, %u\n", turns);
   for (unsigned i = 4; i < 16; i++) {
      used += (size_t)snprintf(text + used, size - used, "ldimm r%u, 0\n", i);
   }
   used += (size_t)snprintf(text + used, size - used, "top:\n");
   for (unsigned i = 0; i < count; i++) {
      for (const char *c = line; *c; c++) { /* X is the chain's register */
         used += (size_t)snprintf(text + used, size - used, *c == 'X' ? "%u" : "%c",
                                  *c == 'X' ? (int)(4 + i % chains) : *c);
      }
      text[used++] = '\n';
   }
   snprintf(text + used, size - used, "iadd r2, r2, 1\nwhile r2, r3, 1, ult\njmp_any top\nstop\n");
   rig_program(&rig, text);
   rig_run(&rig, vgpu_best_level());
   uint64_t result = rig.outcome.cycles;
   free(text);
   rig_finish(&rig);
   return result;
}

/* Cycles an operation, per simdgroup and scheduler. */
static double slope(const char *line, unsigned chains, unsigned simds)
{
   const unsigned n = 64, turns = 16;
   uint64_t less = cycles(line, n, chains, turns, simds, 1), more = cycles(line, 2 * n, chains, turns, simds, 1);
   return (double)(more - less) / (n * turns) / (simds > 4 ? simds / 4.0 : 1);
}

/* One row: what stands in the column of that name. */
static double published(const char *path, const char *row, const char *column)
{
   char line[1024], wanted[128];
   double value = NAN;
   FILE *file = fopen(path, "r");
   snprintf(wanted, sizeof(wanted), ",%s,", row);
   int index = strcmp(column, "throughput") ? 8 : 3;
   while (file && fgets(line, sizeof(line), file)) {
      if (strstr(line, wanted)) {
         const char *field = line;
         for (int i = 0; i < index && field; i++) {
            field = strchr(field, ',');
            field = field ? field + 1 : NULL;
         }
         value = field && *field != ',' ? strtod(field, NULL) : NAN;
         break;
      }
   }
   if (file) {
      fclose(file);
   }
   return value;
}

static const struct {
   const char *row, *line;
} chains[] = {
    {"FADD16", "hadd rXl, rXl, r3l"},
    {"FMUL16", "hmul rXl, rXl, r3l"},
    {"FFMA16", "hfma rXl, rXl, r3l, r3h"},
    {"FADD32", "fadd rX, rX, r3"},
    {"FMUL32", "fmul rX, rX, r3"},
    {"FFMA32", "ffma rX, rX, r3, r3"},
    {"CONVERT(F->I32)", "f_to_s32 rX, rX, rtz"},
    {"RINT32", "rint rX, rX"},
    {"RECIP32", "rcp rX, rX"},
    {"RSQRT32", "rsqrt rX, rX"},
    {"EXP2_32", "exp2 rX, rX"},
    {"LOG2_16", "log2 rXl, rXl"},
    {"FCMPSEL32", "csel rX, rX, r3, rX, r3, flt"},
    {"IADD16", "iadd rXl, rXl, r3l"},
    {"IADD32", "iadd rX, rX, r3"},
    {"IMUL32", "imul rX, rX, r3"},
    {"IMAD32", "imadd rX, rX, r3, r3"},
    {"BITREV32", "bitrev rX, rX"},
    {"ICMPSEL16", "csel rXl, rXl, r3l, rXl, r3l, ult"},
    {"SHUFFLE_NOROTATE32", "shuffle rX, rX, 1, down"},
    {"ICMP_BALLOT", "ballot rX, rX, r3, ult"},
    {"SUM<F32>", "simd rX, rX, fadd"},
    {"SUM<I32>", "simd rX, rX, iadd"},
};

static void against_reference(const char *path)
{
   for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
      double throughput = published(path, chains[i].row, "throughput");
      double latency = published(path, chains[i].row, "latency");
      double busy = slope(chains[i].line, 4, 96), chain = slope(chains[i].line, 1, 4);
      printf("%-20s throughput %6.2f (published %6.2f), latency %6.2f (published %6.2f)\n", chains[i].row, busy,
             throughput, chain, latency);
      if (!(fabs(busy - throughput) <= 0.03 * throughput)) {
         rig_fail("%s: throughput %.3f, published %.2f", chains[i].row, busy, throughput);
      }
      /* A pipe that takes the next one later than the result is there bounds the chain. */
      if (!(fabs(chain - fmax(latency, throughput)) <= 0.02 * latency)) {
         rig_fail("%s: latency %.3f, published %.2f", chains[i].row, chain, latency);
      }
   }
}

/* Scans and what follows them; published figures of instr.csv. Each fails without its parameter: the addition would
 * hide behind the scan, and its latency be too short. */
static void sequences(void)
{
   static const struct {
      const char *what, *line;
      double busy, chain; /* chain 0: no adjusted latency is published */
      double slack;       /* of busy */
   } cases[] = {
       {"simd inclusive sum", "simd rX, rX, prefix, fadd\nfadd rX, rX, r3", 12.60, 24.26, 0.05},
       {"quad inclusive sum", "quad rX, rX, prefix, fadd\nfadd rX, rX, r3", 3.19, 9.18, 0.05},
       {"quad inclusive sum, integers", "quad rX, rX, prefix, iadd\niadd rX, rX, r3", 3.81, 8.73, 0.05},
       {"quad exclusive sum", "quad rX, rX, prefix, fadd", 2.03, 5.08, 0.05},
   };
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      double busy = slope(cases[i].line, 4, 96), chain = slope(cases[i].line, 1, 4);
      printf("%-30s throughput %6.2f (published %6.2f), latency %6.2f (published %6.2f)\n", cases[i].what, busy,
             cases[i].busy, chain, cases[i].chain);
      if (!(fabs(busy - cases[i].busy) <= cases[i].slack * cases[i].busy)) {
         rig_fail("%s: throughput %.3f, published %.2f", cases[i].what, busy, cases[i].busy);
      }
      if (!(fabs(chain - cases[i].chain) <= 0.15 * cases[i].chain)) {
         rig_fail("%s: latency %.3f, published %.2f", cases[i].what, chain, cases[i].chain);
      }
   }
}

static void deterministic(void)
{
   static const char line[] = "load rX, du0, rX, i32, x, a\nwait a\nfadd rX, rX, r3";
   uint64_t one = cycles(line, 8, 4, 4, 40, 1);
   for (unsigned threads = 2; threads <= 4; threads++) {
      uint64_t some = cycles(line, 8, 4, 4, 40, threads);
      if (some != one) {
         rig_fail("%llu cycles with one host thread, %llu with %u", (unsigned long long)one, (unsigned long long)some,
                  threads);
      }
   }
}

static void residency(void)
{
   struct vgpu_launch launch = {.group = {1024, 1, 1}, .half_registers = 104};
   static const struct {
      unsigned threads, half_registers, bytes, simds;
   } cases[] = {
       {1024, 104, 0, 96},     {1024, 112, 0, 0},  {896, 112, 0, 84},         {384, 256, 0, 36},  {32, 64, 0, 96},
       {32, 64, 60 * 1024, 1}, {32, 64, 15360, 4}, {1024, 64, 32 * 1024, 32}, {64, 64, 65536, 0},
   };
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      launch.group[0] = cases[i].threads;
      launch.half_registers = (uint16_t)cases[i].half_registers;
      launch.threadgroup_bytes = cases[i].bytes;
      unsigned simds = vgpu_timing_residency(&launch).simds;
      if (simds != cases[i].simds) {
         rig_fail("%u threads, %u half registers, %u bytes: %u simdgroups a core, expected %u", cases[i].threads,
                  cases[i].half_registers, cases[i].bytes, simds, cases[i].simds);
      }
   }
}

int main(int argc, char **argv)
{
   if (argc != 2) {
      fprintf(stderr, "usage: %s instr.csv\n", argv[0]);
      return 1;
   }
   against_reference(argv[1]);
   sequences();
   deterministic();
   residency();
   return rig_result();
}
