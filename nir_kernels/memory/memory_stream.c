/* SPDX-License-Identifier: MIT
 *
 * memory/read-W, copy-W: bytes a second of a stream through device memory, by the W words that each lane moves at once.
 * Neighbouring lanes have neighbouring words. What is timed is 16 MiB more of a buffer after 16 MiB, by which the cache
 * of an M1 (8 MiB) is full of words that wait to be written. Larger last caches hold part of a copy.
 *
 * Invariant: every byte that is counted is in the answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"

#define READS 8u /* loads of a thread that only reads: as many as may be outstanding */
#define LANES 32u
#define WORDS_MAX 4u
#define GROUP 256u
#define BUFFER (16u << 20) /* bytes that the smaller dispatch reads */

struct stream {
   unsigned words; /* a lane and load: 1, 2 or 4 */
   bool copy;
};

static uint32_t word_at(const struct bench_io *io, size_t index)
{
   uint32_t x = (uint32_t)index + (uint32_t)io->seed;

   x = (x ^ x >> 16) * 0x7feb352du;
   return x ^ x >> 15;
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   for (size_t i = 0; i < io->input_bytes / 4; i++) {
      const uint32_t word = word_at(io, i);

      memcpy(io->input + i * 4, &word, sizeof(word));
   }
   memset(io->output, 0, io->output_bytes);
}

static uint32_t sum_of_thread(const struct stream *stream, const struct bench_io *io, uint32_t thread)
{
   const size_t first = (size_t)(thread / LANES) * LANES * READS + thread % LANES;
   uint32_t sum = 0;

   for (unsigned i = 0; i < READS; i++) {
      for (unsigned w = 0; w < stream->words; w++) {
         sum += word_at(io, (first + (size_t)i * LANES) * stream->words + w);
      }
   }
   return sum;
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const struct stream *stream = benchmark->data;

   (void)variant;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      uint32_t words[WORDS_MAX];
      const unsigned count = stream->copy ? stream->words : 1;

      for (unsigned w = 0; w < count; w++) {
         words[w] = stream->copy ? word_at(io, (size_t)thread * count + w) : sum_of_thread(stream, io, thread);
      }
      memcpy(expected + (size_t)thread * count * 4, words, (size_t)count * 4);
   }
}

static void write_registers(unsigned first, unsigned count, FILE *file)
{
   for (unsigned i = 0; i < count; i++) {
      fprintf(file, "%sr%u", i > 0 ? "_" : "", first + i);
   }
}

/* A load or store of r`first` and what follows, at the element whose number `index` holds. */
static void write_access(const struct stream *stream, const char *what, unsigned first, const char *memory,
                         const char *index, FILE *file)
{
   fprintf(file, "   %s ", what);
   write_registers(first, stream->words, file);
   fprintf(file, ", %s, %s, lsl %u, i32, %.*s, a\n", memory, index, stream->words / 2, (int)stream->words, "xyzw");
}

static void write_read(const struct stream *stream, unsigned reads, FILE *file)
{
   fputs("   and r3, r2, 31\n   shr r4, r2, 5\n   shl r4, r4, 8\n   iadd r4, r4, r3\n", file);
   for (unsigned i = 0; i < reads; i++) {
      write_access(stream, "load", 8 + i * stream->words, "du0", "r4", file);
      fputs("   iadd r4, r4, 32\n", file);
   }
   fputs("   wait a\n", file);
   for (unsigned i = 1; i < reads * stream->words; i++) {
      fprintf(file, "   iadd r8, r8, r%u\n", 8 + i);
   }
   fputs("   store r8, du2, r2, i32, x, a\n   wait a\n", file);
}

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct stream *stream = benchmark->data;
   char *whole = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&whole, &size);

   if (file == NULL) {
      return NULL;
   }
   fputs(AGX_BEGIN("stream"), file);
   if (stream->copy) {
      write_access(stream, "load", 8, "du0", "r2", file);
      fputs("   wait a\n", file);
      write_access(stream, "store", 8, "du2", "r2", file);
      fputs("   wait a\n", file);
   } else {
      write_read(stream, variant->repeat, file);
   }
   fputs(AGX_END, file);
   if (fclose(file) != 0) {
      free(whole);
      return NULL;
   }
   return whole;
}

/* clang-format off */
#define STREAM(name_, what, words_, loads, copy_, read_bytes, written)                                                 \
   {"memory", name_, what, .file = __FILE_NAME__, .metrics = 1u << BENCH_RATE, .scale = BENCH_SCALE_THREADS,           \
    .text = make_text, .data = &(const struct stream){words_, copy_},                                                  \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                   \
    .variants = {[BENCH_RATE] = {loads, 1, loads}},                                                                    \
    .codegen = {"load", ISA_OP_LOAD, .registers = BENCH_ANY, .per_operation = 1, .whole_program = true},               \
    .work = (read_bytes) + (written), .work_unit = "GB/s", .dispatch_timed = true,                                     \
    .dispatch = {.group = GROUP, .groups = BUFFER / GROUP / (read_bytes), .iterations = 1},                            \
    .input_stride = read_bytes, .output_stride = written,                                                              \
    .fill = fill, .expect = expect}
#define READ(words, text) \
   STREAM("read-" #words, "bytes of a stream that is read, " text ", and a word written for each 8 loads", words, READS, \
          false, READS * 4 * words, 4)
#define COPY(words, text) \
   STREAM("copy-" #words, "bytes of a copy, read and written, " text, words, 1, true, 4 * words, 4 * words)

static const struct benchmark benchmarks[] = {
   READ(1, "a word a lane"), READ(2, "two words a lane"), READ(4, "four words a lane"),
   COPY(1, "a word a lane"), COPY(2, "two words a lane"), COPY(4, "four words a lane"),
};
/* clang-format on */

const struct bench_group bench_memory_stream = BENCH_GROUP(benchmarks);
