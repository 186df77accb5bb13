/* SPDX-License-Identifier: MIT
 *
 * simd/shuffle-*, quad/shuffle-*: does every kind of shuffle behave as spec/isa.md 4.7 says? simd.c and cross_agx.c
 * measure their cost.
 *
 * A thread reads its data, the initial value of the destination, whether it is active, and the lane operand of each
 * round. It stores the whole destination of every round, so that a wrongly written inactive lane or upper half of a
 * 16-bit destination is found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"

#define LANES 32u
#define ROUNDS 16u /* lane operands in registers */
#define HEAD 4u    /* words of input before those: data, destination, taking part, nothing */

enum kind { INDEX, XOR, UP, DOWN, ROTATE };
enum form { IMMEDIATE, UNIFORM, DIVERGENT };

struct shuffle {
   enum kind kind;
   unsigned bits;
   bool quad;
   enum form form;
   bool masked; /* some lanes do not take part */
};

/* Immediates are tried one by one: a quad has 4. */
static unsigned rounds_of(const struct shuffle *shuffle)
{
   return shuffle->form != IMMEDIATE ? ROUNDS : shuffle->quad ? 4 : LANES;
}

static uint32_t hash(uint64_t x)
{
   x = (x ^ x >> 31) * 0x7fb5d329728ea185u;
   x = (x ^ x >> 27) * 0x81dadef4bc2dd44du;
   return (uint32_t)(x >> 33);
}

/* In simdgroups half of the rounds go past lane 31. */
static uint32_t operand(const struct shuffle *shuffle, const struct bench_io *io, uint32_t thread, unsigned round)
{
   const uint32_t who = shuffle->form == UNIFORM ? thread / LANES : thread;
   const uint32_t most = shuffle->quad ? 4 : round % 2 == 0 ? LANES : 2 * LANES;

   return shuffle->form == IMMEDIATE ? round : hash(io->seed * 977 + (uint64_t)round * 1000003 + who * 64u) % most;
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct shuffle *shuffle = benchmark->data;

   for (uint32_t thread = 0; thread < io->threads; thread++) {
      uint32_t words[HEAD + ROUNDS] = {hash(io->seed + thread) * 2 + 1, hash(io->seed + ~thread),
                                       !shuffle->masked || hash(io->seed ^ thread * 77u) % 2};

      for (unsigned round = 0; round < ROUNDS; round++) {
         words[HEAD + round] = operand(shuffle, io, thread, round);
      }
      memcpy(io->input + (size_t)thread * sizeof(words), words, sizeof(words));
   }
   memset(io->output, 0, io->output_bytes);
}

/* Returns the lane that `lane` reads; `own` is its lane operand, and `span` lanes shuffle. -1: past the end, so that
 * the lane keeps its value. */
static int source_lane(enum kind kind, int lane, int own, int span)
{
   const int base = lane / span * span, place = lane % span;
   const int from = kind == INDEX ? own : kind == XOR ? place ^ own : kind == DOWN ? place + own : place - own;

   if (kind == ROTATE) {
      return base + (from & (span - 1));
   }
   return from < 0 || from >= span ? -1 : base + from;
}

/* The lane of quad `quad` that place `place` of it hands on: the lowest two bits of what the quad's lanes, inactive
 * ones too, have for an operand are or-ed together and count for all of them. */
static int handed_on(enum kind kind, const uint32_t *operands, int quad, int place)
{
   int low = 0;

   for (int i = 0; i < 4; i++) {
      low |= (int)(operands[4 * quad + i] & 3);
   }
   const int from = kind == INDEX ? low : kind == XOR ? place ^ low : kind == DOWN ? place + low : place - low;
   return 4 * quad + (from & 3);
}

static uint32_t shuffled(const struct shuffle *shuffle, const uint32_t *data, const uint32_t *operands, int lane)
{
   const int span = shuffle->quad ? 4 : (int)LANES;
   int own = (int)operands[lane];

   if (shuffle->quad) {
      int low = 0;

      for (int i = 0; i < 4; i++) {
         low |= (int)(operands[lane / 4 * 4 + i] & 3);
      }
      own = low; /* 4.7: "xor, up, down, rotate analogous" to index, whose operand is the quad's */
   }
   const int from = source_lane(shuffle->kind, lane, own, span);
   if (from < 0) {
      return data[lane];
   }
   return data[handed_on(shuffle->kind, operands, from / 4, lane % 4)];
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const struct shuffle *shuffle = benchmark->data;
   const uint32_t *input = (const uint32_t *)(const void *)io->input;
   uint32_t data[LANES], operands[LANES];

   (void)variant;
   for (uint32_t first = 0; first < io->threads; first += LANES) {
      for (unsigned round = 0; round < rounds_of(shuffle); round++) {
         for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint32_t *words = input + (size_t)(first + lane) * (HEAD + ROUNDS);

            data[lane] = words[0];
            operands[lane] = operand(shuffle, io, first + lane, round);
         }
         for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint32_t *words = input + (size_t)(first + lane) * (HEAD + ROUNDS);
            const uint32_t keep = words[2] == 0 ? UINT32_MAX : shuffle->bits == 16 ? 0xffff0000u : 0;
            const uint32_t word = (words[1] & keep) | (shuffled(shuffle, data, operands, (int)lane) & ~keep);

            memcpy(expected + ((size_t)(first + lane) * rounds_of(shuffle) + round) * sizeof(word), &word,
                   sizeof(word));
         }
      }
   }
}

/* r4 data, r5 initial value of the destinations, r6 whether the lane is active, r8 and up lane operands, r32 and up
 * destinations. */
/* clang-format off */
static const char text[] =
   AGX_BEGIN("shuffle")
   ".rept 5, v\n"
   "   imul     r3, r2, 20\n"
   "   iadd     r3, r3, 4 * v\n"
   "   load     r[4 + 4 * v]_r[5 + 4 * v]_r[6 + 4 * v]_r[7 + 4 * v], du0, r3, i32, xyzw, a\n"
   ".endr\n"
   "   wait     a\n"
   ".rept ROUNDS, i\n"
   "   mov      r[32 + i], r5\n"
   ".endr\n"
   "   ldimm    r0l, 0\n"
   "   if       r6, 0, 1, ine\n"
   ".rept ROUNDS, i\n"
   "   shuffle  %s, %s, %s%s\n"
   ".endr\n"
   "   pop_exec 1\n"
   "   imul     r3, r2, ROUNDS\n"
   ".rept ROUNDS, i\n"
   "   store    r[32 + i], du2, r3, i32, x, a\n"
   "   iadd     r3, r3, 1\n"
   ".rept i %% 4 == 3\n" /* few may be outstanding */
   "   wait     a\n"
   ".endr\n"
   ".endr\n"
   AGX_END;
/* clang-format on */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   static const char *const kinds[] = {
       [INDEX] = "", [XOR] = ", xor", [UP] = ", up", [DOWN] = ", down", [ROTATE] = ", up, rotate"};
   const struct shuffle *shuffle = benchmark->data;
   char *whole = NULL, kind[32];
   size_t size = 0;
   FILE *file = open_memstream(&whole, &size);

   (void)variant;
   if (file == NULL) {
      return NULL;
   }
   snprintf(kind, sizeof(kind), "%s%s", shuffle->quad ? ", quad" : "", kinds[shuffle->kind]);
   fprintf(file, ".equ ROUNDS, %u\n", rounds_of(shuffle));
   fprintf(file, text, shuffle->bits == 16 ? "r[32 + i]l" : "r[32 + i]", shuffle->bits == 16 ? "r4l" : "r4",
           shuffle->form == IMMEDIATE ? "i" : "r[8 + i]l", kind);
   if (fclose(file) != 0) {
      free(whole);
      return NULL;
   }
   return whole;
}

/* clang-format off */
#define SHUFFLE(group_, name_, what, stride, ...)                                                                      \
   {group_, name_, what, .file = __FILE_NAME__, .metrics = 1u << BENCH_CHECK, .text = make_text,                       \
    .data = &(const struct shuffle){__VA_ARGS__}, .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS},          \
    .argument_count = 3, .variants = {[BENCH_CHECK] = {(stride) / 4, 1, (stride) / 4}}, .dispatch = {.group = 64, .groups = 16, .iterations = 1}, \
    .codegen = {"shuffle", ISA_OP_SHUFFLE, .registers = BENCH_ANY, .per_operation = 1, .whole_program = true},         \
    .input_stride = 4 * (HEAD + ROUNDS), .output_stride = stride, .fill = fill, .expect = expect},
#define MASKS(group_, name_, what, stride, ...)                                                                        \
   SHUFFLE(group_, name_, what ", all lanes active", stride, __VA_ARGS__, false)                                       \
   SHUFFLE(group_, name_ "-inactive", what ", some lanes inactive", stride, __VA_ARGS__, true)
#define FORMS(group_, name_, what, immediates, ...)                                                                    \
   MASKS(group_, name_ "-immediate", what " an immediate", 4 * (immediates), __VA_ARGS__, IMMEDIATE)                   \
   MASKS(group_, name_ "-uniform", what " a register, the same in all lanes", 4 * ROUNDS, __VA_ARGS__, UNIFORM)        \
   MASKS(group_, name_ "-divergent", what " a register, different in all lanes", 4 * ROUNDS, __VA_ARGS__, DIVERGENT)
#define WIDTHS(name_, what, kind)                                                                                      \
   FORMS("simd", "shuffle-" name_ "16", what ", 16 bits:", LANES, kind, 16, false)                                     \
   FORMS("simd", "shuffle-" name_ "32", what ":", LANES, kind, 32, false)                                              \
   FORMS("quad", "shuffle-" name_ "16", what ", 16 bits:", 4, kind, 16, true)                                          \
   FORMS("quad", "shuffle-" name_ "32", what ":", 4, kind, 32, true)

static const struct benchmark benchmarks[] = {
   WIDTHS("index", "read the lane numbered by", INDEX)
   WIDTHS("xor", "read the lane whose number is xor-ed with", XOR)
   WIDTHS("up", "read the lane that is lower by", UP)
   WIDTHS("down", "read the lane that is higher by", DOWN)
   WIDTHS("rotate", "read the lane that is lower, going around, by", ROTATE)
};
/* clang-format on */

const struct bench_group bench_shuffle_check = BENCH_GROUP(benchmarks);
