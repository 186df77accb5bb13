/* SPDX-License-Identifier: MIT
 *
 * memory/local-*: threadgroup memory: the latency of a load, and the words a cycle that a core reads, by the distance
 * from lane to lane. Lanes whose words share a bank take turns.
 *
 * Invariant: every load of a lane reads a word that this lane's simdgroup has written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"

#define LANES 32u
#define RESULTS 8u /* registers that loads go to in turn */

struct local {
   bool chase;
   unsigned stride; /* words from lane to lane */
};

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   memset(io->input, 0, io->input_bytes);
   memset(io->output, 0, io->output_bytes);
}

/* A chase goes from each word to the next of 32. Else a word holds its own address, and the last loads are added. */
static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const struct local *local = benchmark->data;

   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const uint32_t lane = thread % LANES;
      const uint32_t word =
          local->chase ? (lane + io->iterations * variant->repeat) % LANES * 4 : RESULTS * lane * local->stride * 4;

      memcpy(expected + (size_t)thread * sizeof(word), &word, sizeof(word));
   }
}

/* clang-format off */
static const char chase_text[] =
   "   iadd     r6, r3, 1\n"
   "   and      r6, r6, 31\n"
   "   shl      r6, r6, 2\n"
   "   shl      r4, r3, 2\n"
   "   lstore   r6, r4l, 0, i32, x\n"
   "   barrier\n"
   AGX_LOOP
   ".rept REPEAT\n"
   "   lload    r4, r4l, 0, i32, x\n"
   ".endr\n"
   AGX_LOOP_END
   "   store    r4, du2, r2, i32, x, a\n"
   "   wait     a\n"
   AGX_END;

static const char stride_text[] =
   "   imul     r4, r3, 4 * STRIDE\n"
   "   lstore   r4, r4l, 0, i32, x\n"
   "   barrier\n"
   AGX_LOOP
   ".rept REPEAT, i\n"
   "   lload    r[8 + i % 8], r4l, 0, i32, x\n"
   ".endr\n"
   AGX_LOOP_END
   ".rept 7, i\n"
   "   iadd     r8, r8, r[9 + i]\n"
   ".endr\n"
   "   store    r8, du2, r2, i32, x, a\n"
   "   wait     a\n"
   AGX_END;
/* clang-format on */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct local *local = benchmark->data;
   char *whole = NULL;

   return asprintf(&whole, ".equ REPEAT, %u\n.equ STRIDE, %u\n" AGX_BEGIN("local") "   and      r3, r2, 31\n%s",
                   variant->repeat, local->stride, local->chase ? chase_text : stride_text) < 0
              ? NULL
              : whole;
}

/* clang-format off */
#define LOCAL(name_, what, metric, ...)                                                                                \
   {"memory", name_, what, .file = __FILE_NAME__, .metrics = 1u << (metric), .scale = BENCH_SCALE_REPEAT,              \
    .text = make_text, .data = &(const struct local){__VA_ARGS__},                                                     \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                   \
    .variants = {[metric] = {RESULTS, 1, RESULTS}},                                                                    \
    .codegen = {"lload", ISA_OP_LLOAD, .registers = BENCH_ANY, .per_operation = 1}, .per_cycle = true,                 \
    .work_unit = "word/cycle/core", .input_stride = 4, .output_stride = 4, .fill = fill, .expect = expect}
#define STRIDE(words) \
   LOCAL("local-stride-" #words, "words that a core reads from threadgroup memory, " #words " from lane to lane", \
         BENCH_RATE, .stride = words)

static const struct benchmark benchmarks[] = {
   LOCAL("local-chase", "latency of a load from threadgroup memory, 32 lanes at neighbouring words", BENCH_LATENCY,
         .chase = true, .stride = 1),
   LOCAL("local-broadcast", "words that lanes read from threadgroup memory, all the same word", BENCH_RATE, .stride = 0),
   STRIDE(1), STRIDE(2), STRIDE(3), STRIDE(4), STRIDE(8), STRIDE(16), STRIDE(32), STRIDE(33),
};
/* clang-format on */

const struct bench_group bench_memory_local = BENCH_GROUP(benchmarks);
