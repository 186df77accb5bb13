/* SPDX-License-Identifier: MIT
 *
 * memory/chase-SIZE: the latency of a load by one simdgroup, alone on the GPU, all lanes at the same address. The first
 * word of each link holds the index of the next link. The order is random, a single cycle over all links, so that no
 * prefetcher can follow and every link is used again only after all others. A word holds an index, so that there is no
 * address arithmetic; the loop is the same in both programs and cancels. A load and its wait are what is measured.
 *
 * A walk starts where the last one ended: the third word of the ring holds the place. So a walk that covers a part of
 * the ring reads links that were not read for a whole lap, also on a device whose caches keep what a launch left.
 * The second word of each link holds its rank, counted along the ring. The answer is the difference of two ranks, which
 * does not depend on the place.
 *
 * memory/gather-SIZE: the same by 64 lanes with a chain each, which begin apart: a load reads 32 lines. A lane keeps
 * its place in the third word of the link of its own number.
 *
 * Invariant: between two reads of a link by a lane it reads all other links.
 */
#include "nir_kernels/memory/memory_chase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"

static uint32_t links_of(const struct benchmark *benchmark)
{
   const struct memory_chase *chase = benchmark->data;

   return (uint32_t)(benchmark->input_bytes_min / chase->stride);
}

/* The index of a link's first word. */
static uint32_t place_of(const struct memory_chase *chase, uint32_t link)
{
   const uint32_t lines = MEMORY_CHASE_PAGE / MEMORY_CHASE_LINE;

   /* Lines of many pages spread over all sets of a cache, whatever their number. */
   return (link * chase->stride + (chase->by_page ? (link + link / lines) % lines * MEMORY_CHASE_LINE : 0)) / 4;
}

static uint32_t *ring_at(const struct bench_io *io, uint32_t index)
{
   return (uint32_t *)(void *)(io->input + (size_t)index * 4);
}

static uint64_t next_random(uint64_t *state)
{
   *state ^= *state << 13;
   *state ^= *state >> 7;
   *state ^= *state << 17;
   return *state;
}

#define RANK 1u          /* words from the start of a link */
#define PLACE 2u         /* of the ring; of a lane, if there is one for each */
#define GATHER_LANES 64u /* as in results/reference/memory.csv, gather32_dependent_* */
#define UNWRITTEN 0xa5

/* Sattolo's shuffle, in place: every order that it makes is one cycle. */
static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct memory_chase *chase = benchmark->data;
   const uint32_t links = links_of(benchmark);
   uint64_t state = io->seed * 2 + 1;

   for (uint32_t i = 0; i < links; i++) {
      *ring_at(io, place_of(chase, i)) = place_of(chase, chase->in_order ? (i + 1) % links : i);
   }
   for (uint32_t i = links; i > 1 && !chase->in_order; i--) {
      uint32_t *last = ring_at(io, place_of(chase, i - 1)),
               *other = ring_at(io, place_of(chase, (uint32_t)(next_random(&state) >> 11) % (i - 1)));
      const uint32_t swap = *last;

      *last = *other;
      *other = swap;
   }
   for (uint32_t rank = 0, at = 0; rank < links; rank++, at = *ring_at(io, at)) {
      *ring_at(io, at + RANK) = rank;
   }
   *ring_at(io, PLACE) = 0;
   for (uint32_t lane = 0; chase->apart && lane < GATHER_LANES; lane++) {
      *ring_at(io, place_of(chase, lane) + PLACE) = place_of(chase, lane * (links / GATHER_LANES));
   }
   memset(io->output, UNWRITTEN, io->output_bytes);
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const uint32_t steps = (uint32_t)((uint64_t)io->iterations * variant->repeat % links_of(benchmark));

   for (uint32_t thread = 0; thread < io->threads; thread++) {
      memcpy(expected + (size_t)thread * sizeof(steps), &steps, sizeof(steps));
   }
}

/* Ranks start anew after the last one. */
static bool accept(const struct benchmark *benchmark, const struct bench_io *io, uint32_t got, uint32_t expected)
{
   (void)io;
   return got == expected || got + links_of(benchmark) == expected;
}

/* clang-format off */
#define HEAD                                                                                                           \
   ".kernel \"chase\"\n"                                                                                               \
   ".argument buffer, \"ring\", \"uint *\"\n"                                                                          \
   ".argument buffer, \"output\", \"uint *\"\n"                                                                        \
   ".argument value, \"iterations\", \"uint\"\n"                                                                       \
   ".uniform 0, 10, arguments\n"                                                                                       \
   ".main\n"                                                                                                           \
   "   mov      r2, thread_in_grid_x\n"
#define WALK                                                                                                           \
   "   load     r4, du0, r7, i32, x, a\n"                                                                              \
   "   wait     a\n"                                                                                                   \
   "   iadd     r5, r4, 1\n"                                                                                           \
   "   load     r5, du0, r5, i32, x, a\n"                                                                              \
   "   wait     a\n"                                                                                                   \
   AGX_LOOP                                                                                                            \
   ".rept REPEAT\n"                                                                                                    \
   "   load     r4, du0, r4, i32, x, a\n"                                                                              \
   "   wait     a\n"                                                                                                   \
   ".endr\n"                                                                                                           \
   AGX_LOOP_END                                                                                                        \
   "   barrier\n" /* all lanes have read the place */                                                                  \
   "   store    r4, du0, r7, i32, x, a\n"                                                                              \
   "   iadd     r6, r4, 1\n"                                                                                           \
   "   load     r6, du0, r6, i32, x, a\n"                                                                              \
   "   wait     a\n"                                                                                                   \
   "   iadd     r6, r6, r5.neg\n"                                                                                      \
   "   store    r6, du2, r2, i32, x, a\n"                                                                              \
   "   wait     a\n"                                                                                                   \
   AGX_END
static const char text_together[] = HEAD "   ldimm    r7, 2\n" WALK;
static const char text_apart[] = HEAD "   shl      r7, r2, 5\n   iadd     r7, r7, 2\n" WALK; /* 32 words a line */
/* clang-format on */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   char *whole = NULL;
   const struct memory_chase *chase = benchmark->data;

   return asprintf(&whole, ".equ REPEAT, %u\n%s", variant->repeat, chase->apart ? text_apart : text_together) < 0
              ? NULL
              : whole;
}

/* One threadgroup in all. */
#define MEMORY_WALK(name_, summary_, bytes_, turns_, chase_, lanes_)                                                   \
   {                                                                                                                   \
      .group = "memory", .name = name_, .summary = summary_, .file = __FILE_NAME__, .metrics = 1u << BENCH_LATENCY,    \
      .scale = BENCH_SCALE_REPEAT, .text = make_text, .data = chase_,                                                  \
      .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                 \
      .variants = {[BENCH_LATENCY] = {MEMORY_CHASE_REPEAT, 1, MEMORY_CHASE_REPEAT}},                                   \
      .codegen = {.sequence = "load, wait"}, .occupancy = {.group = lanes_, .threadgroups_per_core = 1},               \
      .dispatch_timed = true, .dispatch = {.group = lanes_, .groups = 1, .iterations = turns_}, .output_stride = 4,    \
      .input_bytes_min = bytes_, .fill = fill, .expect = expect, .accept = accept                                      \
   }

#define MEMORY_CHASE(name, summary, bytes, turns, chase) MEMORY_WALK(name, summary, bytes, turns, chase, 32)

struct benchmark memory_chase_benchmark(const char *name, uint32_t bytes, const struct memory_chase *chase)
{
   const uint32_t steps = MEMORY_CHASE_STEPS(bytes, chase->stride);

   return (struct benchmark)MEMORY_CHASE(name, "a pointer chase", bytes, MEMORY_CHASE_TURNS(steps), chase);
}

static const struct memory_chase lines = {.stride = MEMORY_CHASE_LINE};
static const struct memory_chase lines_apart = {.stride = MEMORY_CHASE_LINE, .apart = true};

#define KIB(n) ((n)*1024u)
#define WHOLE(name, bytes)                                                                                             \
   MEMORY_CHASE("chase-" name, "latency of a load, a random ring of " name, bytes,                                     \
                MEMORY_CHASE_TURNS(MEMORY_CHASE_STEPS(bytes, MEMORY_CHASE_LINE)), &lines)
/* Loads of a ring whose whole lap would block a desktop for too long. */
#define PART_STEPS 16384u
#define PART(name, bytes)                                                                                              \
   MEMORY_CHASE("chase-" name, "latency of a load, part of a random ring of " name, bytes,                             \
                MEMORY_CHASE_TURNS(PART_STEPS), &lines)

#define GATHER(name, bytes)                                                                                            \
   MEMORY_WALK("gather-" name, "latency of a load of 32 lines, by two simdgroups, in a random ring of " name, bytes,   \
               MEMORY_CHASE_TURNS(GATHER_STEPS), &lines_apart, GATHER_LANES)
#define GATHER_STEPS 2048u

static const struct benchmark benchmarks[] = {
    WHOLE("1k", KIB(1)),    WHOLE("4k", KIB(4)),           WHOLE("8k", KIB(8)),         WHOLE("16k", KIB(16)),
    WHOLE("64k", KIB(64)),  WHOLE("256k", KIB(256)),       WHOLE("512k", KIB(512)),     WHOLE("1m", KIB(1024)),
    WHOLE("2m", KIB(2048)), WHOLE("4m", KIB(4096)),        PART("64m", KIB(64 * 1024)), PART("256m", KIB(256 * 1024)),
    GATHER("16k", KIB(16)), GATHER("64m", KIB(64 * 1024)),
};

const struct bench_group bench_memory_chase = BENCH_GROUP(benchmarks);
