/* SPDX-License-Identifier: MIT
 *
 * launch/: what launches, barriers and commands cost apart from their instructions. A row says with struct bench_launch
 * what is submitted; agx_runner/measure/launches.c submits it. Everything but `order-*`, `group-*` and `stack-*` is
 * fixed cost, which a virtual device has with option dvfs=command only.
 *
 * Invariant: the kernel writes the same words however often it is launched, so that launches which run side by side may
 * share an output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"

#define LOOP_ITERATIONS 2048u   /* of the loop: about 60 us for one simdgroup on hardware */
#define QUEUE_ITERATIONS 65536u /* about 2 ms: the host submits several such jobs while the first one runs */
#define GROUP_ITERATIONS 64u    /* of the rows with many threads */
#define LAUNCHES 64u            /* of a command, where the row does not say */
#define MANY 256u               /* more than any source saw side by side */
/* Launches that are equally long run in whole rounds: with so many, the number of rounds tells 91 from 99 at once. */
#define MANY_ROUNDS 1024u
#define WORDS 4096u      /* of the producer's and the consumer's buffers; the kernels have 4095 */
#define ROUNDS 1000u     /* of producer and consumer */
#define FULL 0x000FFFFFu /* bits 0 to 19, as Mesa 25.0 writes them */

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   for (uint32_t i = 0; i < io->input_bytes / 4; i++) {
      memcpy(io->input + (size_t)i * 4, &i, sizeof(i));
   }
   memset(io->output, 0, io->output_bytes);
}

static void expect_loop(const struct benchmark *benchmark, const struct bench_variant *variant,
                        const struct bench_io *io, uint8_t *expected)
{
   (void)benchmark, (void)variant;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      uint32_t x = thread;

      for (uint32_t iteration = 0; iteration < io->iterations; iteration++) {
         x = x * 1664525u + 1013904223u;
      }
      memcpy(expected + (size_t)thread * sizeof(x), &x, sizeof(x));
   }
}

static void expect_forward(const struct benchmark *benchmark, const struct bench_variant *variant,
                           const struct bench_io *io, uint8_t *expected)
{
   (void)benchmark, (void)variant;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      uint32_t x;

      memcpy(&x, io->input + (size_t)((thread * 33 + 7) & (WORDS - 1)) * sizeof(x), sizeof(x));
      x++;
      memcpy(expected + (size_t)thread * sizeof(x), &x, sizeof(x));
   }
}

/* launch/stack.cl with input[k] = k. */
static void expect_stack(const struct benchmark *benchmark, const struct bench_variant *variant,
                         const struct bench_io *io, uint8_t *expected)
{
   (void)variant;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      uint32_t sum = 0;

      for (uint32_t k = 0; k < benchmark->parameter; k++) {
         sum += (k + thread) * (k + io->iterations);
      }
      memcpy(expected + (size_t)thread * sizeof(sum), &sum, sizeof(sum));
   }
}

/* clang-format off */
#define ARGUMENTS                                                                                                      \
   ".argument buffer, \"input\", \"uint *\", read_only\n"                                                              \
   ".argument buffer, \"output\", \"uint *\"\n"                                                                        \
   ".argument value, \"iterations\", \"uint\"\n"                                                                       \
   ".uniform 0, 10, arguments\n"

static const char empty_text[] = ".kernel \"empty\"\n" ARGUMENTS ".main\n" AGX_END;

static const char loop_text[] =
   AGX_BEGIN("loop")
   "   mov      r3, r2\n"
   "   ldimm    r4, 1664525\n"
   "   ldimm    r5, 1013904223\n"
   AGX_LOOP
   "   imadd    r3, r3, r4, r5\n"
   AGX_LOOP_END
   "   store    r3, du2, r2, i32, x, a\n"
   "   wait     a\n"
   AGX_END;

static const char forward_text[] =
   AGX_BEGIN("forward")
   "   ldimm    r4, 33\n"
   "   ldimm    r5, 7\n"
   "   ldimm    r6, 4095\n"
   "   imadd    r3, r2, r4, r5\n"
   "   and      r3, r3, r6\n"
   "   load     r3, du0, r3, i32, x, a\n"
   "   wait     a\n"
   "   iadd     r3, r3, 1\n"
   "   store    r3, du2, r2, i32, x, a\n"
   "   wait     a\n"
   AGX_END;

/* A kernel whose preamble has LENGTH additions. */
static const char preamble_text[] =
   ".equ LENGTH, %u\n.kernel \"preamble\"\n" ARGUMENTS
   ".uniforms 12\n"
   ".preamble\n"
   "   ldimm    r0, 0\n"
   ".rept LENGTH\n"
   "   iadd     r0, r0, 1\n"
   ".endr\n"
   "   mov      u10, r0\n"
   "   stop\n"
   ".main\n" AGX_END;
/* clang-format on */

enum text { EMPTY, LOOP, FORWARD };
static const char *const texts[] = {[EMPTY] = empty_text, [LOOP] = loop_text, [FORWARD] = forward_text};

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   (void)variant;
   return strdup(texts[*(const enum text *)benchmark->data]);
}

static char *make_preamble(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   char *whole = NULL;

   (void)variant;
   return asprintf(&whole, preamble_text, benchmark->parameter) < 0 ? NULL : whole;
}

/* clang-format off */
#define ROW(name_, what, metric, unit, ...)                                                                            \
   {.group = "launch", .name = name_, .summary = what, .file = __FILE_NAME__, .metrics = 1u << (metric),               \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3, .work_unit = unit,                \
    .input_bytes_min = WORDS * 4, .output_stride = 4, .fill = fill, __VA_ARGS__}
#define PLAN(...) .launch = &(const struct bench_launch){__VA_ARGS__}
#define TEXT(which) .text = make_text, .data = &(const enum text){which}
#define EMPTY_ROW(name_, what, ...)                                                                                    \
   ROW(name_, what, BENCH_LAUNCH, "ns", TEXT(EMPTY), .dispatch = {32, 1, 1}, PLAN(__VA_ARGS__))
#define STREAM(n)                                                                                                      \
   EMPTY_ROW("stream-" #n, "a command of " #n " empty launches, each with the barrier that waits for all",             \
             BENCH_LAUNCH_STREAM, n, FULL)
#define GAP(n)                                                                                                         \
   EMPTY_ROW("gap-" #n, "from the end of a command to the start of the next, " #n " in a submission",                  \
             BENCH_LAUNCH_GAP, n, FULL)
#define IDLE(ms)                                                                                                       \
   EMPTY_ROW("idle-" #ms, "from the submission to the start of an empty command, after " #ms " ms without work; host included",       \
             BENCH_LAUNCH_IDLE, 1, FULL, .pause_ms = ms)
/* The two rows of a barrier bit. */
#define SIDE_BY_SIDE(name_, what, groups_, n, mask)                                                                    \
   ROW("side-by-side-" name_, what, BENCH_OVERLAP, NULL, TEXT(LOOP), .dispatch = {32, groups_, LOOP_ITERATIONS},                 \
       .expect = expect_loop, PLAN(BENCH_LAUNCH_SIDE_BY_SIDE, n, mask))
#define BIT(n)                                                                                                         \
   EMPTY_ROW("barrier-bit-" #n, "what a barrier with bit " #n " alone adds to each empty launch, over one without bits", \
             BENCH_LAUNCH_BARRIER, LAUNCHES, 1u << (n)),                                                               \
   SIDE_BY_SIDE("bit-" #n, "of 64 launches of a simdgroup with barrier bit " #n " alone between them, how many run at once", \
                1, LAUNCHES, 1u << (n))
#define ORDER(name_, mask)                                                                                             \
   ROW("order-" name_, "words that a launch reads too early, by 1000 rounds of producer and consumer, barrier " name_, \
       BENCH_WRONG, NULL, TEXT(FORWARD), .dispatch = {64, WORDS / 64, 1}, .expect = expect_forward,                    \
       PLAN(BENCH_LAUNCH_ORDER, ROUNDS, mask))
#define PREAMBLE(n)                                                                                                    \
   ROW("preamble-" #n, "an empty launch with a preamble of " #n " instructions and two more", BENCH_LAUNCH, "ns",      \
       .text = make_preamble, .parameter = n, .dispatch = {32, 1, 1}, PLAN(BENCH_LAUNCH_EACH, LAUNCHES, FULL, .preamble = true))
#define GROUP(n)                                                                                                       \
   ROW("group-" #n, "64 threadgroups of " #n " threads, each with a loop of 64 iterations", BENCH_LAUNCH, "ns", TEXT(LOOP), \
       .dispatch = {n, 64, GROUP_ITERATIONS}, .expect = expect_loop, PLAN(BENCH_LAUNCH_STREAM, 1, FULL, .instructions = true))
#define STACK(bytes)                                                                                                   \
   ROW("stack-" #bytes, "256 threads that write and read an array of " #bytes " bytes on the stack", BENCH_LAUNCH,     \
       "ns", .source = "stack", .kernel = "stack_" #bytes, .parameter = bytes / 4, .dispatch = {64, 4, 1},             \
       .expect = expect_stack, PLAN(BENCH_LAUNCH_STREAM, 1, FULL, .instructions = true))
#define OVERTAKEN(name_, what, is_low)                                                                                 \
   ROW("overtaken-" name_, "from the start of 16 jobs on a queue of " what " to that of one job submitted after them",  \
       BENCH_LAUNCH, "ns", TEXT(LOOP), .dispatch = {32, 1, QUEUE_ITERATIONS}, .expect = expect_loop,                     \
       PLAN(BENCH_LAUNCH_OVERTAKEN, 16, FULL, .low = is_low))

static const struct benchmark benchmarks[] = {
   EMPTY_ROW("empty", "what an empty launch adds to a command, barrier without bits", BENCH_LAUNCH_EACH, LAUNCHES, 0),
   EMPTY_ROW("empty-full", "what an empty launch adds to a command, with the barrier that waits for all",
             BENCH_LAUNCH_EACH, LAUNCHES, FULL),
   STREAM(1), STREAM(2), STREAM(4), STREAM(8), STREAM(16), STREAM(32), STREAM(64),
   GAP(2), GAP(4), GAP(8), GAP(16), GAP(32), GAP(64),
   BIT(0), BIT(1), BIT(2), BIT(3), BIT(4), BIT(5), BIT(6), BIT(7), BIT(8), BIT(9), BIT(10), BIT(11), BIT(12), BIT(13),
   BIT(14), BIT(15), BIT(16), BIT(17), BIT(18), BIT(19), BIT(20),
   EMPTY_ROW("barrier-full", "what a barrier with bits 0 to 19 adds to each empty launch, over one without bits",
             BENCH_LAUNCH_BARRIER, LAUNCHES, FULL),
   SIDE_BY_SIDE("1", "of 1024 independent launches of one simdgroup, how many run at once", 1, MANY_ROUNDS, 0),
   SIDE_BY_SIDE("4", "of 256 independent launches of 4 simdgroups, how many run at once", 4, MANY, 0),
   SIDE_BY_SIDE("16", "of 256 independent launches of 16 simdgroups, how many run at once", 16, MANY, 0),
   SIDE_BY_SIDE("full", "of 64 launches with the barrier that waits for all, how many run at once", 1, LAUNCHES, FULL),
   ORDER("default", FULL), ORDER("none", 0), ORDER("0x08", 0x08), ORDER("0x80", 0x80), ORDER("0x1f", 0x1f),
   ORDER("0x88", 0x88), ORDER("0xa0", 0xa0), ORDER("0xc0", 0xc0), ORDER("0x170", 0x170), ORDER("0x1f0", 0x1f0),
   IDLE(0), IDLE(1), IDLE(3), IDLE(10), IDLE(20), IDLE(50),
   PREAMBLE(1), PREAMBLE(16), PREAMBLE(64), PREAMBLE(256), PREAMBLE(1024),
   GROUP(1), GROUP(31), GROUP(32), GROUP(33), GROUP(64), GROUP(65), GROUP(128), GROUP(255), GROUP(256), GROUP(257),
   GROUP(512), GROUP(1000), GROUP(1024),
   STACK(256), STACK(1024), STACK(4096), STACK(16384),
   ROW("two-queues", "of 2 jobs of one simdgroup on two queues, how many run at once", BENCH_OVERLAP, NULL, TEXT(LOOP),
       .dispatch = {32, 1, QUEUE_ITERATIONS}, .expect = expect_loop, PLAN(BENCH_LAUNCH_QUEUES, 2, FULL)),
   OVERTAKEN("same", "the same priority", false), OVERTAKEN("low", "low priority", true),
};
/* clang-format on */

const struct bench_group bench_launch = BENCH_GROUP(benchmarks);
