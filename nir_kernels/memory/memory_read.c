/* SPDX-License-Identifier: MIT
 *
 * memory/core-*: the words a cycle that a core reads. A threadgroup goes around a region of its own, lap after lap,
 * with eight to sixteen loads in flight for each simdgroup; or all simdgroups load from the same lines, with a distance
 * from lane to lane.
 *
 * Invariant: every word that is loaded is in the answer. The shorter program goes around the region at least once, in
 * whole laps.
 */
#include "nir_kernels/memory/memory_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"

#define LANES 32u
#define BATCH 8u /* loads that are waited for together */
#define TURNS_MIN 16u

static uint32_t word_at(uint32_t index, uint64_t seed)
{
   uint32_t x = index + (uint32_t)seed;

   x = (x ^ x >> 15) * 0x2c1b3c6du;
   return x ^ x >> 12;
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   for (uint32_t i = 0; i < io->input_bytes / 4; i++) {
      const uint32_t word = word_at(i, io->seed);

      memcpy(io->input + (size_t)i * 4, &word, sizeof(word));
   }
   memset(io->output, 0, io->output_bytes);
}

/* How often a thread reads that pass over the region: in the batch before the loop, and in the batches of each turn. */
static uint32_t times_read(uint32_t passes, uint32_t pass, uint32_t turns)
{
   const uint32_t batches = turns * (MEMORY_READ_LOADS / BATCH) + 1, lap = passes / BATCH;
   uint32_t times = 0;

   if (passes >= BATCH) {
      return batches / lap + (pass / BATCH < batches % lap);
   }
   for (uint32_t load = 0; load < BATCH + MEMORY_READ_LOADS; load++) {
      times += load % passes != pass ? 0 : load < BATCH ? 1 : turns;
   }
   return times;
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const struct memory_read *read = benchmark->data;
   const uint32_t batches = io->iterations * variant->repeat / BATCH + 1, passes = read->region / MEMORY_READ_UNIT;

   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const uint32_t lane = thread % MEMORY_READ_GROUP, group = thread / MEMORY_READ_GROUP;
      uint32_t sum = 0;

      for (uint32_t pass = 0; pass < passes; pass++) {
         sum += times_read(passes, pass, io->iterations) *
                word_at((group * passes + pass) * MEMORY_READ_GROUP + lane, io->seed);
      }
      if (passes == 0) {
         sum = batches * BATCH * word_at(lane % LANES * read->stride, io->seed);
      }
      memcpy(expected + (size_t)thread * sizeof(sum), &sum, sizeof(sum));
   }
}

/* clang-format off */
#define LOADS(first, slot, number, advance) \
   "   iadd     dr18, dr30, r5\n" \
   ".rept 8, i\n   load     r[" first " + i], dr18, (i + 8 * " number ") % WINDOW * 512, i32, x, " slot "\n.endr\n" advance
/* No addition reads what the one before it wrote: that would stall. */
#define ADD(first, slot) \
   "   wait     " slot "\n" \
   ".rept 4, i\n   iadd     r[" first " + 2 * i], r[" first " + 2 * i], r[" first " + 2 * i + 1]\n.endr\n" \
   ".rept 2, i\n   iadd     r[" first " + 4 * i], r[" first " + 4 * i], r[" first " + 4 * i + 2]\n.endr\n" \
   "   iadd     r[" first "], r[" first "], r[" first " + 4]\n" \
   "   iadd     r16, r16, r[" first "]\n"
#define PAIR(odd, even, advance) \
   LOADS("20", "b", odd, advance) ADD("8", "a") LOADS("8", "a", even, advance) ADD("20", "b")
#define BODY(advance) \
   "   mov      r30, u0\n" \
   "   mov      r31, u1\n" \
   "   ldimm    r16, 0\n" \
   LOADS("8", "a", "0", advance) \
   AGX_LOOP \
   PAIR("1", "2", advance) PAIR("3", "4", advance) PAIR("5", "6", advance) PAIR("7", "8", advance) \
   AGX_LOOP_END \
   ADD("8", "a") \
   "   store    r16, du2, r2, i32, x, a\n" \
   "   wait     a\n" \
   AGX_END
/* r5: bytes from the start of the buffer. r6: the end of the region, r7: its start. */
#define BEGIN_REGION \
   AGX_BEGIN("core_read") \
   "   ldimm    r17, 511\n" \
   "   and      r3, r2, r17\n" \
   "   shr      r4, r2, 9\n" \
   "   ldimm    r6, PASSES * 2048\n" \
   "   imul     r4, r4, r6\n" \
   "   shl      r3, r3, 2\n" \
   "   iadd     r5, r4, r3\n" \
   "   iadd     r6, r5, r6\n" \
   "   mov      r7, r5\n" \
   "   ldimm    r17, 8 * 2048\n"

static const char few_text[] = BEGIN_REGION BODY("");
static const char many_text[] = BEGIN_REGION BODY("   iadd     r5, r5, r17\n   csel     r5, r5, r6, r5, r7, ult\n");
static const char stride_text[] =
   AGX_BEGIN("core_stride")
   "   and      r3, r2, 31\n"
   "   ldimm    r17, 4 * STRIDE\n"
   "   imul     r5, r3, r17\n"
   BODY("");
/* clang-format on */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct memory_read *read = benchmark->data;
   char *whole = NULL;

   (void)variant;
   const unsigned passes = read->region / MEMORY_READ_UNIT;

   return asprintf(&whole, ".equ PASSES, %u\n.equ WINDOW, %u\n.equ STRIDE, %u\n%s", passes,
                   passes == 0      ? 1
                   : passes < BATCH ? passes
                                    : BATCH,
                   read->stride,
                   passes == 0      ? stride_text
                   : passes < BATCH ? few_text
                                    : many_text) < 0
              ? NULL
              : whole;
}

/* Turns of the shorter program: whole laps, of at least one turn. */
#define LAP(region)                                                                                                    \
   ((region) / MEMORY_READ_UNIT / MEMORY_READ_LOADS + ((region) < MEMORY_READ_UNIT * MEMORY_READ_LOADS))
#define TURNS(region) ((TURNS_MIN + LAP(region) - 1) / LAP(region) * LAP(region))

/* clang-format off */
#define READ(name_, summary_, cores, region, data_)                                                                    \
   {                                                                                                                   \
      .group = "memory", .name = name_, .summary = summary_, .file = __FILE_NAME__, .metrics = 1u << BENCH_RATE,       \
      .scale = BENCH_SCALE_ITERATIONS, .text = make_text, .data = data_,                                               \
      .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                 \
      .variants = {[BENCH_RATE] = {MEMORY_READ_LOADS, 1, MEMORY_READ_LOADS}},                                          \
      .codegen = {"load", ISA_OP_LOAD, .registers = BENCH_ANY, .per_operation = 1}, .per_cycle = true,                 \
      .work_unit = "word/cycle/core", .dispatch_timed = (cores) != 0,                                                  \
      .occupancy = {.group = MEMORY_READ_GROUP, .threadgroups_per_core = 1},                                           \
      .dispatch = {.group = MEMORY_READ_GROUP, .groups = cores, .iterations = TURNS(region)},                          \
      .input_stride = 4, .output_stride = 4,                                                                           \
      .input_bytes_min = (region) != 0 ? (size_t)(region) * ((cores) != 0 ? (cores) : CORES_MOST)                      \
                                       : MEMORY_READ_STRIDE_MAX * LANES * 4,                                           \
      .fill = fill, .expect = expect                                                                                   \
   }
/* clang-format on */
#define CORES_MOST 128u /* of a device that the catalogue's rows run on */

struct benchmark memory_read_benchmark(const char *name, uint32_t cores, const struct memory_read *read)
{
   return (struct benchmark)READ(name, "words that a core reads", cores, read->region, read);
}

#define REGION(size, bytes)                                                                                            \
   READ("core-read-" size, "words that each core reads, around " size " of its own", 0, bytes,                         \
        (&(const struct memory_read){.region = bytes}))
#define STRIDE(words)                                                                                                  \
   READ("core-stride-" #words, "words that each core reads, " #words " from lane to lane, the same in all simdgroups", \
        0, 0, (&(const struct memory_read){.stride = words}))

static const struct benchmark benchmarks[] = {
    REGION("2k", 2048u),
    REGION("4k", 4096u),
    REGION("8k", 8192u),
    REGION("16k", 16384u),
    REGION("32k", 32768u),
    REGION("64k", 65536u),
    REGION("128k", 131072u),
    REGION("256k", 262144u),
    REGION("512k", 524288u),
    STRIDE(1),
    STRIDE(2),
    STRIDE(4),
    STRIDE(8),
    STRIDE(16),
    STRIDE(32),
    STRIDE(64),
};

const struct bench_group bench_memory_read = BENCH_GROUP(benchmarks);
