/* SPDX-License-Identifier: MIT
 *
 * The .agx files in kernels/: each assembles without a warning for every number of repetitions and chains, holds the
 * instruction under test that often, and on the virtual M2 gives what plain C computes from spec/isa.md.
 */
#include "drm/asahi.h"
#include "isa/assembler/asm.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 96
#define LANES 32
#define DISTANCE 5
#define TIMEOUT_NS UINT64_C(20000000000)

/* Words that a kernel reads and writes for each thread; the host's version of it, for one simdgroup. */
struct shape {
   unsigned repeat, chains, iterations;
};

struct kernel {
   const char *name, *instruction; /* as the disassembler prints it, up to where operands begin to differ */
   unsigned in, out;
   void (*fill)(uint32_t *in, uint64_t random);
   void (*run)(const struct shape *shape, const uint32_t *in, uint32_t *out);
   unsigned atomics; /* bytes of output that start as they are */
};

static uint64_t next_random(uint64_t *state)
{
   *state ^= *state << 13; /* xorshift64 */
   *state ^= *state >> 7;
   *state ^= *state << 17;
   return *state;
}

static void fill_words(uint32_t *in, uint64_t random)
{
   *in = (uint32_t)(random >> 16);
}

/* ---- Chains of one word: 8 words in, 4 words out ---- */

typedef uint32_t step_function(const uint32_t *values, const uint32_t *operands, unsigned lane, unsigned step);

static void run_chains(const struct shape *shape, const uint32_t *in, uint32_t *out, step_function *function)
{
   for (unsigned chain = 0; chain < shape->chains; chain++) {
      uint32_t values[LANES], before[LANES];
      for (unsigned lane = 0; lane < LANES; lane++) {
         values[lane] = in[8 * lane + chain];
      }
      for (unsigned i = 0; i < shape->iterations * shape->repeat; i++) {
         memcpy(before, values, sizeof(before));
         for (unsigned lane = 0; lane < LANES; lane++) {
            values[lane] = function(before, in + 8 * lane + 4, lane, i % shape->repeat);
         }
      }
      for (unsigned lane = 0; lane < LANES; lane++) {
         out[4 * lane + chain] = values[lane] ^ shape->iterations;
      }
   }
}

static uint32_t step_xor(const uint32_t *values, const uint32_t *operands, unsigned lane, unsigned step)
{
   (void)operands, (void)step;
   return values[lane ^ DISTANCE];
}

/* Spec 4.7: the quad's own part of the distance is applied within the quad, so a lane below the distance keeps its
 * value, and the others get that of lane - distance. */
static uint32_t step_up(const uint32_t *values, const uint32_t *operands, unsigned lane, unsigned step)
{
   (void)operands, (void)step;
   return lane >= DISTANCE ? values[lane - DISTANCE] : values[lane];
}

static uint32_t step_down(const uint32_t *values, const uint32_t *operands, unsigned lane, unsigned step)
{
   (void)operands, (void)step;
   return lane + DISTANCE < LANES ? values[lane + DISTANCE] : values[lane];
}

static uint32_t step_rotate(const uint32_t *values, const uint32_t *operands, unsigned lane, unsigned step)
{
   (void)operands, (void)step;
   return values[(lane - DISTANCE) & (LANES - 1)];
}

static uint32_t step_bfi(const uint32_t *values, const uint32_t *operands, unsigned lane, unsigned step)
{
   unsigned shift = operands[2 + step / 2 % 2] & 127;
   uint64_t mask = shift < 32 ? UINT64_C(0xff) << shift : 0;
   uint64_t inserted = shift < 32 ? (uint64_t)(operands[step % 2] & 0xff) << shift : 0;
   return (uint32_t)((values[lane] & ~mask) | inserted);
}

#define CHAINS_OF(name)                                                                                                \
   static void run_##name(const struct shape *shape, const uint32_t *in, uint32_t *out)                                \
   {                                                                                                                   \
      run_chains(shape, in, out, step_##name);                                                                         \
   }
CHAINS_OF(xor)
CHAINS_OF(up)
CHAINS_OF(down)
CHAINS_OF(rotate)
CHAINS_OF(bfi)

/* Shifts of 0 to 63, so that half of them insert something. */
static void fill_bfi(uint32_t *in, uint64_t random)
{
   *in = (uint32_t)(random >> 16) & ~64u;
}

/* ---- 64-bit chains: 12 words in, 8 words out ---- */

static uint64_t pair(const uint32_t *words)
{
   return words[0] | (uint64_t)words[1] << 32;
}

static void run_imad64(const struct shape *shape, const uint32_t *in, uint32_t *out)
{
   for (unsigned lane = 0; lane < LANES; lane++, in += 12, out += 8) {
      for (unsigned chain = 0; chain < shape->chains; chain++) {
         uint64_t sum = pair(in + 2 * chain);
         for (unsigned i = 0; i < shape->iterations * shape->repeat; i++) {
            sum += (uint64_t)in[8] * in[9];
         }
         out[2 * chain] = (uint32_t)sum ^ shape->iterations;
         out[2 * chain + 1] = (uint32_t)(sum >> 32);
      }
   }
}

/* ---- Matrices ---- */

/* Small integers: exact in both formats. */
static float small_number(uint64_t random)
{
   return (float)(int)(random >> 20 & 3) - 1.0f;
}

static void fill_f32(uint32_t *in, uint64_t random)
{
   float value = small_number(random);
   memcpy(in, &value, sizeof(value));
}

static uint16_t half_of(float value)
{
   uint32_t bits;
   memcpy(&bits, &value, sizeof(bits));
   return value == 0 ? 0 : (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 0x3ff));
}

static float float_of(uint16_t half)
{
   uint32_t bits = (uint32_t)(half & 0x8000) << 16 | ((half >> 10 & 31u) + 112) << 23 | (uint32_t)(half & 0x3ff) << 13;
   float value;
   memcpy(&value, &bits, sizeof(value));
   return (half & 0x7fff) == 0 ? 0 : value;
}

static void fill_f16(uint32_t *in, uint64_t random)
{
   *in = half_of(small_number(random)) | (uint32_t)half_of(small_number(random << 8)) << 16;
}

/* Where element (row, column) of a matrix lies: spec 4.8. */
static void place_of(unsigned lane, unsigned *row, unsigned *column)
{
   unsigned q = lane >> 3;
   *row = (q >> 1) * 4 + ((lane >> 1) & 3);
   *column = (q & 1) * 4 + (lane & 1) * 2;
}

typedef float get_function(const uint32_t *in, unsigned lane, unsigned pair_number, unsigned element);

static float get_f32(const uint32_t *in, unsigned lane, unsigned pair_number, unsigned element)
{
   float value;
   memcpy(&value, in + 12 * lane + 2 * pair_number + element, sizeof(value));
   return value;
}

static float get_f16(const uint32_t *in, unsigned lane, unsigned pair_number, unsigned element)
{
   return float_of((uint16_t)(in[8 * lane + pair_number] >> (16 * element)));
}

static void read_matrix(const uint32_t *in, get_function *get, unsigned pair_number, float matrix[8][8])
{
   for (unsigned lane = 0; lane < LANES; lane++) {
      unsigned row, column;
      place_of(lane, &row, &column);
      matrix[row][column] = get(in, lane, pair_number, 0);
      matrix[row][column + 1] = get(in, lane, pair_number, 1);
   }
}

static void multiply(const struct shape *shape, const uint32_t *in, get_function *get, unsigned chain, float sum[8][8])
{
   float a[8][8], b[8][8];
   read_matrix(in, get, 4, a);
   read_matrix(in, get, 5, b);
   read_matrix(in, get, chain, sum);
   for (unsigned n = 0; n < 64; n++) {
      float product = 0;
      for (unsigned k = 0; k < 8; k++) {
         product += a[n / 8][k] * b[k][n % 8];
      }
      sum[n / 8][n % 8] += product * (float)(shape->iterations * shape->repeat);
   }
}

static void run_f32(const struct shape *shape, const uint32_t *in, uint32_t *out)
{
   for (unsigned chain = 0; chain < shape->chains; chain++) {
      float sum[8][8];
      multiply(shape, in, get_f32, chain, sum);
      for (unsigned lane = 0; lane < LANES; lane++) {
         unsigned row, column;
         place_of(lane, &row, &column);
         memcpy(out + 8 * lane + 2 * chain, &sum[row][column], 8);
         out[8 * lane + 2 * chain] ^= shape->iterations;
      }
   }
}

static void run_f16(const struct shape *shape, const uint32_t *in, uint32_t *out)
{
   for (unsigned chain = 0; chain < shape->chains; chain++) {
      float sum[8][8];
      multiply(shape, in, get_f16, chain, sum);
      for (unsigned lane = 0; lane < LANES; lane++) {
         unsigned row, column;
         place_of(lane, &row, &column);
         out[4 * lane + chain] =
             (half_of(sum[row][column]) | (uint32_t)half_of(sum[row][column + 1]) << 16) ^ shape->iterations;
      }
   }
}

/* ---- Atomics: 4 words in, 2 words a chain out ---- */

static void run_atomic(const struct shape *shape, const uint32_t *in, uint32_t *out, bool maximum)
{
   for (unsigned lane = 0; lane < LANES; lane++, in += 4) {
      for (unsigned chain = 0; chain < shape->chains; chain++, out += 2) {
         uint64_t value = pair(in), memory = pair(out);
         for (unsigned i = 0; i < shape->iterations; i++, value += pair(in + 2)) {
            memory = (value > memory) == maximum ? value : memory;
         }
         out[0] = (uint32_t)memory;
         out[1] = (uint32_t)(memory >> 32);
      }
   }
}

static void run_umax64(const struct shape *shape, const uint32_t *in, uint32_t *out)
{
   run_atomic(shape, in, out, true);
}

static void run_umin64(const struct shape *shape, const uint32_t *in, uint32_t *out)
{
   run_atomic(shape, in, out, false);
}

static const struct kernel kernels[] = {
    {"simd_shuffle_xor32", "shuffle", 8, 4, fill_words, run_xor},
    {"simd_shuffle_up32", "shuffle", 8, 4, fill_words, run_up},
    {"simd_shuffle_down32", "shuffle", 8, 4, fill_words, run_down},
    {"simd_shuffle_rotate32", "shuffle", 8, 4, fill_words, run_rotate},
    {"int_bfi32", "bfi", 8, 4, fill_bfi, run_bfi},
    {"int_imad64", "imadd", 12, 8, fill_words, run_imad64},
    {"simd_matmul8x8_f32", "simd_matrix_fmadd32", 12, 8, fill_f32, run_f32},
    {"simd_matmul8x8_f16", "simd_matrix_fmadd16", 8, 4, fill_f16, run_f16},
    {"atomic_umax64", "atomic", 4, 8, fill_words, run_umax64, 1},
    {"atomic_umin64", "atomic", 4, 8, fill_words, run_umin64, 1},
};

/* ---- Assembling ---- */

static struct agx_program *assemble(const char *folder, const struct kernel *kernel, const struct shape *shape)
{
   static char text[1 << 16];
   char path[512], line[400];
   struct isa_asm_define defines[] = {{"REPEAT", shape->repeat}, {"CHAINS", shape->chains}};
   struct isa_asm_options options = {.defines = defines, .define_count = 2};
   struct isa_asm *assembler = isa_asm_create(&options);
   struct isa_asm_result result = {0};

   snprintf(path, sizeof(path), "%s/%s.agx", folder, kernel->name);
   FILE *file = fopen(path, "r");
   size_t size = file == NULL ? 0 : fread(text, 1, sizeof(text), file);
   if (file != NULL) {
      fclose(file);
   }
   if (assembler != NULL && size != 0) {
      isa_asm_program(assembler, text, size, &result);
   }
   for (size_t i = 0; i < result.diagnostic_count; i++) {
      isa_diagnostic_print(&result.diagnostics[i], path, line, sizeof(line));
      printf("%s\n", line);
      check_failures++;
   }
   struct agx_program *program = result.program;
   result.program = NULL;
   isa_asm_result_finish(&result);
   isa_asm_destroy(assembler);
   return program;
}

static unsigned count(const struct agx_program *program, const char *instruction)
{
   struct isa_insn insn;
   unsigned found = 0;
   for (size_t at = 0; at < program->code_size; at += insn.length) {
      isa_decode(program->set, program->code + at, program->code_size - at, &insn);
      found += strcmp(isa_name(&insn), instruction) == 0;
   }
   return found;
}

/* ---- Running ---- */

static bool run_on_device(struct asahi_device *device, const struct agx_program *program, const uint32_t *in,
                          size_t in_bytes, uint32_t *out, size_t out_bytes, unsigned iterations)
{
   struct asahi_buffer *input = NULL, *output = NULL;
   struct asahi_program *uploaded = NULL;
   bool good = asahi_buffer_create(device, in_bytes, &input) == 0 &&
               asahi_buffer_create(device, out_bytes, &output) == 0 &&
               asahi_program_upload(device, program, &uploaded) == 0;
   if (good) {
      const struct {
         uint64_t input, output;
         uint32_t iterations, parameter;
      } arguments = {asahi_buffer_address(input), asahi_buffer_address(output), iterations, DISTANCE};
      struct asahi_dispatch dispatch = {.program = uploaded,
                                        .grid = {THREADS, 1, 1},
                                        .group = {32, 1, 1},
                                        .arguments = &arguments,
                                        .argument_bytes = sizeof(arguments)};
      memcpy(asahi_buffer_map(input), in, in_bytes);
      memcpy(asahi_buffer_map(output), out, out_bytes);
      good = asahi_run(device, &dispatch, 1, TIMEOUT_NS, NULL) == 0;
      memcpy(out, asahi_buffer_map(output), out_bytes);
   }
   if (!good) {
      printf("%s\n", asahi_device_error(device));
   }
   asahi_program_destroy(device, uploaded);
   asahi_buffer_destroy(device, input);
   asahi_buffer_destroy(device, output);
   return good;
}

static void check_kernel(struct asahi_device *device, const char *folder, const struct kernel *kernel,
                         const struct shape *shape)
{
   static uint32_t in[THREADS * 12], out[THREADS * 8], expected[THREADS * 8];
   uint64_t state = UINT64_C(0x9e3779b97f4a7c15) + shape->iterations;
   struct agx_program *program = assemble(folder, kernel, shape);

   if (program == NULL || count(program, kernel->instruction) != shape->repeat * shape->chains) {
      printf("%s: does not assemble to %u times %s\n", kernel->name, shape->repeat * shape->chains,
             kernel->instruction);
      check_failures++;
      agx_program_destroy(program);
      return;
   }
   for (unsigned i = 0; i < THREADS * kernel->in; i++) {
      kernel->fill(&in[i], next_random(&state));
   }
   for (unsigned i = 0; i < THREADS * 8; i++) {
      out[i] = expected[i] = (uint32_t)next_random(&state);
   }
   unsigned out_words = kernel->atomics ? 2 * shape->chains : kernel->out;
   for (unsigned group = 0; group < THREADS / LANES; group++) {
      kernel->run(shape, in + group * LANES * kernel->in, expected + group * LANES * out_words);
   }
   if (!run_on_device(device, program, in, THREADS * kernel->in * 4, out, sizeof(out), shape->iterations) ||
       memcmp(out, expected, sizeof(out)) != 0) {
      printf("%s: wrong answer for REPEAT %u, CHAINS %u, %u iterations\n", kernel->name, shape->repeat, shape->chains,
             shape->iterations);
      check_failures++;
   }
   agx_program_destroy(program);
}

int main(int argc, char **argv)
{
   static const struct shape shapes[] = {{1, 1, 1}, {3, 1, 2}, {5, 2, 3}, {16, 4, 4}, {1, 4, 0}};
   struct asahi_device *device = NULL;
   char why[256] = "usage: asm_kernels FOLDER";

   if (argc != 2 || asahi_device_open("virtual:m2", &device, why, sizeof(why)) != 0) {
      printf("%s\n", why);
      return 1;
   }
   for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
      for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
         check_kernel(device, argv[1], &kernels[i], &shapes[k]);
      }
   }
   asahi_device_close(device);
   printf("%zu kernels, %u failures\n", sizeof(kernels) / sizeof(kernels[0]), check_failures);
   return check_failures != 0;
}
