/* SPDX-License-Identifier: MIT
 *
 * atomic/: all eleven 32-bit operations on device and on threadgroup memory, in assembly: Mesa never emits sub, and
 * folds others together.
 *
 * A thread reads two words of input: which word of memory it works on, and its operand. The final values do not depend
 * on the order of the operations: sums, extremes and masks commute, and all threads that exchange a word write the same
 * value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"

#define LANES 32
#define INITIAL 0x5a5a1234u
#define SWAPPED 0x0badcafeu

enum place { OWN, PER_SIMD, ONE, RANDOM, FEW };

struct atomic {
   const char *op;
   enum isa_atomic code;
   bool local, returned;
   enum place place;
   uint32_t words; /* RANDOM: of the table; FEW: of a simdgroup, side by side */
};

static uint32_t hash(uint32_t x)
{
   x = (x ^ x >> 16) * 0x7feb352du;
   x = (x ^ x >> 15) * 0x846ca68bu;
   return x ^ x >> 16;
}

static uint32_t word_of(const struct atomic *atomic, const struct bench_io *io, uint32_t thread)
{
   const uint32_t own = atomic->local ? thread % io->group : thread;

   switch (atomic->place) {
   case OWN:
      return own;
   case PER_SIMD:
      return own / LANES;
   case ONE:
      return 0;
   case FEW:
      return own / LANES * LANES + own % atomic->words;
   default:
      return hash(thread) % atomic->words;
   }
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct atomic *atomic = benchmark->data;

   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const bool swap = atomic->code == ISA_ATOMIC_XCHG || atomic->code == ISA_ATOMIC_CMPXCHG;
      const uint32_t words[4] = {word_of(atomic, io, thread), swap ? SWAPPED : hash(thread + (uint32_t)io->seed),
                                 INITIAL};

      memcpy(io->input + (size_t)thread * sizeof(words), words, sizeof(words));
   }
   for (size_t word = 0; word < io->output_bytes / sizeof(uint32_t); word++) {
      const uint32_t initial = INITIAL;
      memcpy(io->output + word * sizeof(initial), &initial, sizeof(initial));
   }
}

/* `count` operations of one thread. */
static uint32_t apply(enum isa_atomic code, uint32_t old, uint32_t operand, uint64_t count)
{
   const int32_t a = (int32_t)old, b = (int32_t)operand;

   switch (code) {
   case ISA_ATOMIC_ADD:
      return old + operand * (uint32_t)count;
   case ISA_ATOMIC_SUB:
      return old - operand * (uint32_t)count;
   case ISA_ATOMIC_UMIN:
      return operand < old ? operand : old;
   case ISA_ATOMIC_UMAX:
      return operand > old ? operand : old;
   case ISA_ATOMIC_IMIN:
      return b < a ? operand : old;
   case ISA_ATOMIC_IMAX:
      return b > a ? operand : old;
   case ISA_ATOMIC_AND:
      return old & operand;
   case ISA_ATOMIC_OR:
      return old | operand;
   case ISA_ATOMIC_XOR:
      return count % 2 == 1 ? old ^ operand : old;
   default:
      return operand; /* of the two exchanges, whose operands are alike */
   }
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const struct atomic *atomic = benchmark->data;
   const uint64_t count = (uint64_t)io->iterations * variant->repeat * variant->chains;

   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const uint32_t group = atomic->local ? thread / io->group * io->group : 0;
      uint8_t *at = expected + (size_t)(group + word_of(atomic, io, thread)) * sizeof(uint32_t);
      uint32_t operand, value;

      memcpy(&operand, io->input + (size_t)thread * benchmark->input_stride + sizeof(operand), sizeof(operand));
      memcpy(&value, at, sizeof(value));
      value = apply(atomic->code, value, operand, count);
      memcpy(at, &value, sizeof(value));
   }
}

/* r4 word, r5 operand, r6 what it is compared with; r8 and up: what is returned. Memory of the threadgroup: each thread
 * writes the word of its number before, and hands it over after. */
/* clang-format off */
static const char text[] =
   AGX_BEGIN("atomic")
   AGX_LOAD_WORDS
   ".rept LOCAL\n"
   "   mov      r3, thread_in_threadgroup_x\n"
   "   shl      r3, r3, 2\n"
   "   lstore   r6, r3l, 0, i32, x\n"
   "   shl      r4, r4, 2\n"
   "   barrier\n"
   ".endr\n"
   AGX_LOOP
   ".rept STEPS, i\n"
   ".rept CHAINS, c\n"
   ".rept i * REPEAT / STEPS != (i + 1) * REPEAT / STEPS\n"
   "%s"
   ".endr\n"
   ".rept CHAINS == 1\n"
   "   wait     a\n"
   ".endr\n"
   ".endr\n"
   ".endr\n"
   ".rept CHAINS != 1\n"
   "   wait     a\n"
   ".endr\n"
   AGX_LOOP_END
   ".rept LOCAL\n"
   "   barrier\n"
   "   lload    r4, r3l, 0, i32, x\n"
   "   store    r4, du2, r2, i32, x, a\n"
   ".endr\n"
   AGX_END;
/* clang-format on */

/* The bits that Mesa sets: bit 44 on all chips, bit 45 on chips of several clusters or dies (spec/uapi.md section 6).
 */
static const char for_chip[] = ".rept 1 - COHERENT\n"
                               "   atomic   %s, r5, du2, r4, %s, coherent1, a\n"
                               ".endr\n"
                               ".rept COHERENT\n"
                               "   atomic   %s, r5, du2, r4, %s, coherent3, a\n"
                               ".endr\n";

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct atomic *atomic = benchmark->data;
   const char *to = atomic->returned ? "r[8 + i * CHAINS % 8 + c]" : "_";
   char lines[256], *whole = NULL;
   size_t size = 0;

   if (atomic->local) {
      snprintf(lines, sizeof(lines), "   latomic  %s, r5, r4l, 0, %s\n", to, atomic->op);
   } else {
      snprintf(lines, sizeof(lines), for_chip, to, atomic->op, to, atomic->op);
   }
   FILE *file = open_memstream(&whole, &size);
   if (file == NULL) {
      return NULL;
   }
   fprintf(file, ".equ CHAINS, %u\n.equ REPEAT, %u\n.equ STEPS, %u\n.equ LOCAL, %u\n", variant->chains, variant->repeat,
           variant->steps, atomic->local);
   fprintf(file, text, lines);
   if (fclose(file) != 0) {
      free(whole);
      return NULL;
   }
   return whole;
}

/* clang-format off */
/* Four operations an iteration, and eight: no more may be outstanding. Latency: a wait after each. */
#define ATOMIC(name_, what, metrics_, bytes, local, ...)                                                    \
   {"atomic", name_, what, .file = __FILE_NAME__, .metrics = metrics_, .scale = BENCH_SCALE_REPEAT, .text = make_text, \
    .data = &(const struct atomic){__VA_ARGS__},                                                                       \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                   \
    .variants = {[BENCH_RATE] = {1, 4, 1}, [BENCH_LATENCY] = {8, 1, 8}},                                               \
    .codegen = {(local) ? "latomic" : "atomic", (local) ? ISA_OP_LATOMIC : ISA_OP_ATOMIC, .registers = BENCH_ANY,      \
                .per_operation = 1, .companions = 1, .single_chain = true},                                            \
    .per_cycle = true, .work_unit = "op/cycle/core", .input_stride = 16, .output_stride = 4,                           \
    .output_bytes_min = bytes, .fill = fill, .expect = expect},
#define BOTH (1u << BENCH_RATE | 1u << BENCH_LATENCY)

#define PLACE(name_, what, bytes, local, place, words, op, code)                                                       \
   ATOMIC(name_, what, BOTH, bytes, local, op, code, local, false, place, words)                                       \
   ATOMIC(name_ "-return", what ", old value returned", BOTH, bytes, local, op, code, local, true, place, words)
#define PLACES(op, code, where, local, what)                                                                           \
   PLACE(where op "-own", op ", " what ", each lane its own word", 0, local, OWN, 0, op, code)                         \
   PLACE(where op "-simd", op ", " what ", one word a simdgroup", 0, local, PER_SIMD, 0, op, code)                     \
   PLACE(where op "-one", op ", " what ", one word for all", 0, local, ONE, 0, op, code)
#define TABLE(op, code, size, bytes)                                                                                   \
   PLACE(op "-random-" size, op ", device memory, random words of " size, bytes, false, RANDOM, (bytes) / 4, op, code)
#define OPERATION(op, code)                                                                                            \
   PLACES(op, code, "", false, "device memory")                                                                        \
   TABLE(op, code, "64B", 64u)                                                                                         \
   TABLE(op, code, "1KiB", 1u << 10)                                                                                   \
   TABLE(op, code, "8KiB", 1u << 13)                                                                                   \
   TABLE(op, code, "64KiB", 1u << 16)                                                                                  \
   TABLE(op, code, "512KiB", 1u << 19)                                                                                 \
   TABLE(op, code, "4MiB", 1u << 22)                                                                                   \
   TABLE(op, code, "64MiB", 1u << 26)                                                                                  \
   PLACES(op, code, "local-", true, "threadgroup memory")                                                              \
   PLACE("local-" op "-random", op ", threadgroup memory, random words of 512 B", 0, true, RANDOM, 128, op, code)

/* One row for each way in which the lanes of a simdgroup share words. */
#define FEW_WORDS(n)                                                                                                   \
   PLACE("add-words-" #n, "add, device memory, " #n " words a simdgroup", 0, false, FEW, n, "add", ISA_ATOMIC_ADD)     \
   PLACE("local-add-words-" #n, "add, threadgroup memory, " #n " words a simdgroup", 0, true, FEW, n, "add",           \
         ISA_ATOMIC_ADD)

static const struct benchmark benchmarks[] = {
   FEW_WORDS(1) FEW_WORDS(2) FEW_WORDS(4) FEW_WORDS(8) FEW_WORDS(16) FEW_WORDS(32)
   OPERATION("add", ISA_ATOMIC_ADD)
   OPERATION("sub", ISA_ATOMIC_SUB)
   OPERATION("xchg", ISA_ATOMIC_XCHG)
   OPERATION("cmpxchg", ISA_ATOMIC_CMPXCHG)
   OPERATION("umin", ISA_ATOMIC_UMIN)
   OPERATION("imin", ISA_ATOMIC_IMIN)
   OPERATION("umax", ISA_ATOMIC_UMAX)
   OPERATION("imax", ISA_ATOMIC_IMAX)
   OPERATION("and", ISA_ATOMIC_AND)
   OPERATION("or", ISA_ATOMIC_OR)
   OPERATION("xor", ISA_ATOMIC_XOR)
};
/* clang-format on */

const struct bench_group bench_atomic_agx = BENCH_GROUP(benchmarks);
