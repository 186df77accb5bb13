/* SPDX-License-Identifier: MIT
 *
 * atomic/umax64, umin64: the instruction of the M2 family, in assembly.
 *
 * A thread reads the number of its word, a value and a step, 64 bits each. It raises (or lowers) the word to the value,
 * as often as the variant says, and then adds the step.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/atomic/atomic64.h"
#include "nir_kernels/groups.h"

#define INPUT_WORDS 8

static uint64_t random64(uint32_t x)
{
   return (uint64_t)atomic64_hash(x) << 32 | atomic64_hash(~x);
}

/* Half of the depths are among four, so that the lower word decides, too. */
static uint64_t first_value(const struct bench_io *io, uint32_t thread)
{
   const uint64_t value = random64(thread * 2 + (uint32_t)io->seed);

   return thread % 2 == 0 ? value : (value & 0xc0000000ffffffffu);
}

static uint64_t step(const struct bench_io *io, uint32_t thread)
{
   return random64(thread * 2 + 1 + (uint32_t)io->seed);
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct atomic64 *atomic = benchmark->data;

   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const uint64_t words[INPUT_WORDS / 2] = {atomic64_pixel(atomic, thread), first_value(io, thread),
                                               step(io, thread)};
      memcpy(io->input + (size_t)thread * sizeof(words), words, sizeof(words));
   }
   for (size_t word = 0; word < io->output_bytes / sizeof(uint64_t); word++) {
      const uint64_t initial = UINT64_C(0x7fffffff80000000);
      memcpy(io->output + word * sizeof(initial), &initial, sizeof(initial));
   }
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const struct atomic64 *atomic = benchmark->data;

   (void)variant;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      uint8_t *at = expected + (size_t)atomic64_pixel(atomic, thread) * sizeof(uint64_t);
      uint64_t value = first_value(io, thread), word;

      memcpy(&word, at, sizeof(word));
      for (uint32_t i = 0; i < io->iterations; i++) {
         word = atomic64_better(atomic, word, value);
         value += step(io, thread);
      }
      memcpy(at, &word, sizeof(word));
   }
}

/* r4 the word's number, dr6 value, dr8 step, dr12 the word's address: how an index would be scaled is not known. */
/* clang-format off */
static const char text[] =
   AGX_BEGIN("atomic64")
   "   shl      r3, r2, 3\n"
   "   load     r4_r5_r6_r7, du0, r3, i32, xyzw, a\n"
   "   iadd     r3, r3, 4\n"
   "   load     r8_r9_r10_r11, du0, r3, i32, xyzw, a\n"
   "   mov      r14, u2\n"
   "   mov      r15, u3\n"
   "   wait     a\n"
   "   iadd     dr12, dr14, r4, lsl 3\n"
   AGX_LOOP
   ".rept STEPS, i\n"
   ".rept i * REPEAT / STEPS != (i + 1) * REPEAT / STEPS\n"
   ".rept CHAINS\n"
   "   atomic   _, dr6, dr12, 0, %s, a\n"
   ".endr\n"
   ".endr\n"
   ".rept CHAINS == 1\n"
   "   wait     a\n"
   ".endr\n"
   ".endr\n"
   ".rept CHAINS != 1\n"
   "   wait     a\n"
   ".endr\n"
   "   iadd     dr6, dr6, dr8\n"
   AGX_LOOP_END
   AGX_END;
/* clang-format on */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct atomic64 *atomic = benchmark->data;
   char *whole = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&whole, &size);

   if (file == NULL) {
      return NULL;
   }
   fprintf(file, ".equ CHAINS, %u\n.equ REPEAT, %u\n.equ STEPS, %u\n", variant->chains, variant->repeat,
           variant->steps);
   fprintf(file, text, atomic->lowest ? "umin64" : "umax64");
   if (fclose(file) != 0) {
      free(whole);
      return NULL;
   }
   return whole;
}

/* clang-format off */
/* Four operations an iteration, and eight: no more may be outstanding. Latency: a wait after each. */
#define NATIVE(name_, what, metrics_, ...)                                                                             \
   {"atomic", name_, what, .file = __FILE_NAME__, .metrics = metrics_, .scale = BENCH_SCALE_REPEAT, .text = make_text, \
    .data = &(const struct atomic64){__VA_ARGS__}, .needs_atomics_64 = true,                                           \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                   \
    .variants = {[BENCH_RATE] = {1, 4, 1}, [BENCH_LATENCY] = {8, 1, 8}, [BENCH_CHECK] = {1, 1, 1}},                    \
    .codegen = {"atomic", ISA_OP_ATOMIC, .registers = BENCH_ANY, .per_operation = 1, .companions = 1,                  \
                .single_chain = true},                                                                                 \
    .dispatch = {.group = 256, .groups = 16, .iterations = 32}, .per_cycle = true, .work_unit = "op/cycle/core",           \
    .input_stride = 4 * INPUT_WORDS, .output_stride = 8, .fill = fill, .expect = expect},
#define BOTH (1u << BENCH_RATE | 1u << BENCH_LATENCY)
#define CHECK (1u << BENCH_CHECK)
#define OPERATION(name, what, lowest)                                                                                  \
   NATIVE(name, "can this chip do it: " what " in device memory, 4096 threads on 16 words", CHECK, lowest,             \
          ATOMIC64_FEW)                                                                                                \
   NATIVE(name "-own", what " in device memory, each lane its own word", BOTH, lowest, 0)                              \
   NATIVE(name "-few", what " in device memory, 16 words for all", BOTH, lowest, ATOMIC64_FEW)

static const struct benchmark benchmarks[] = {
   OPERATION("umax64", "64-bit maximum", false)
   OPERATION("umin64", "64-bit minimum", true)
};
/* clang-format on */

const struct bench_group bench_atomic64 = BENCH_GROUP(benchmarks);
