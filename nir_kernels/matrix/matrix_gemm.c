/* SPDX-License-Identifier: MIT
 *
 * The rows gemm-*: D = A B by four kernels (gemm.h) and three forms, from 64 to 4096 and of ragged shapes. The figure
 * is of one whole dispatch.
 *
 * Elements are whole numbers from -2 to 2, so that every sum is exact whatever its order; padding holds NaN. The answer
 * is compared element by element up to COMPARED; a larger one by D x = A (B x) in 64-bit integers, for two random x,
 * which takes n^2 steps: a wrong D passes with a probability below 2^-38 (Freivalds). Both ways the padding of D must
 * be as it was.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/groups.h"
#include "nir_kernels/matrix/gemm.h"
#include "nir_kernels/matrix/small_float.h"
#include "util/array.h"

#define SMALL 2
#define COMPARED 128u
#define PROBES 2u
#define PROBE_MASK 0xfffffu
#define PADDING 0xffu /* bytes of NaN */

/* An element's type: 16 and 32 are floats; 8-bit types have the number of their format. */
static unsigned factor_kind(const struct gemm *gemm)
{
   return gemm->encoding == GEMM_E4M3   ? SMALL_E4M3
          : gemm->encoding == GEMM_E5M2 ? SMALL_E5M2
                                        : matrix_forms[gemm->form].factor_bits;
}

static unsigned kind_bytes(unsigned kind)
{
   return kind < 16 ? 1 : kind / 8;
}

static double number(const uint8_t *at, unsigned bits)
{
   uint32_t words[2] = {0};

   if (bits < 16) {
      return small_value(bits, *at);
   }
   memcpy(words, at, bits / 8u);
   return matrix_element(words, bits, 0);
}

static void put_number(uint8_t *at, unsigned bits, double value)
{
   uint32_t words[2];

   if (bits < 16) {
      *at = (uint8_t)small_code(bits, value);
      return;
   }
   matrix_set_pair(words, bits, value, 0);
   memcpy(at, words, bits / 8u);
}

static void fill_matrix(uint8_t *at, unsigned rows, unsigned columns, size_t stride, unsigned bits, uint64_t seed)
{
   for (unsigned i = 0; i < rows; i++) {
      for (unsigned j = 0; j < columns; j++) {
         put_number(at + i * stride + j * kind_bytes(bits), bits, matrix_small(seed, (uint64_t)i * columns + j, SMALL));
      }
   }
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct gemm *gemm = benchmark->data;
   const unsigned bits = factor_kind(gemm);

   const bool ta = gemm->transposed_a, tb = gemm->transposed_b;

   memset(io->input, PADDING, io->input_bytes);
   fill_matrix(io->input, ta ? gemm->k : gemm->m, ta ? gemm->m : gemm->k, gemm_stride_a(gemm), bits, io->seed);
   fill_matrix(io->input + gemm_start_b(gemm), tb ? gemm->n : gemm->k, tb ? gemm->k : gemm->n, gemm_stride_b(gemm),
               bits, ~io->seed);
   for (unsigned j = 0; gemm->epilogue && j < gemm->n; j++) {
      const float bias = (float)matrix_small(io->seed + 1, j, 40) / 8;

      memcpy(io->input + gemm_start_bias(gemm) + j * sizeof(bias), &bias, sizeof(bias));
   }
   memset(io->output, PADDING, io->output_bytes);
}

/* A matrix in memory. Element i, j lies in row i, or, where it is transposed, in row j. */
struct stored {
   const uint8_t *at;
   unsigned rows, columns; /* of the matrix */
   size_t stride;
   unsigned kind;
   bool transposed;
};

static struct stored stored_a(const struct gemm *gemm, const struct bench_io *io)
{
   return (struct stored){io->input, gemm->m, gemm->k, gemm_stride_a(gemm), factor_kind(gemm), gemm->transposed_a};
}

static struct stored stored_b(const struct gemm *gemm, const struct bench_io *io)
{
   return (struct stored){
       io->input + gemm_start_b(gemm), gemm->k, gemm->n, gemm_stride_b(gemm), factor_kind(gemm), gemm->transposed_b};
}

static double element(const struct stored *matrix, unsigned i, unsigned j)
{
   const unsigned row = matrix->transposed ? j : i, column = matrix->transposed ? i : j;

   return number(matrix->at + row * matrix->stride + column * kind_bytes(matrix->kind), matrix->kind);
}

/* y = matrix * x, in integers. False: an element is no whole number. */
static bool multiply(const struct stored *matrix, const int64_t *x, int64_t *y)
{
   for (unsigned i = 0; i < matrix->rows; i++) {
      y[i] = 0;
      for (unsigned j = 0; j < matrix->columns; j++) {
         const double value = element(matrix, i, j);

         if (!(fabs(value) < 0x1p31) || value != floor(value)) {
            return false;
         }
         y[i] += (int64_t)value * x[j];
      }
   }
   return true;
}

static bool probe(const struct gemm *gemm, const struct bench_io *io, const uint8_t *output, unsigned index,
                  int64_t *vectors)
{
   const struct stored a = stored_a(gemm, io), b = stored_b(gemm, io);
   const struct stored d = {
       output, gemm->m, gemm->n, gemm_stride_d(gemm), matrix_forms[gemm->form].sum_bits, .transposed = false};
   int64_t *x = vectors, *bx = x + gemm->n, *abx = bx + gemm->k, *dx = abx + gemm->m;

   for (unsigned j = 0; j < gemm->n; j++) {
      x[j] = matrix_small(io->seed + index + 7, j, PROBE_MASK / 2);
   }
   return multiply(&b, x, bx) && multiply(&a, bx, abx) && multiply(&d, x, dx) &&
          memcmp(abx, dx, gemm->m * sizeof(*abx)) == 0;
}

/* The expected element of D for a sum, and its tolerance: the epilogue's exponential and reciprocal are not exact. */
static double finished(const struct gemm *gemm, const struct bench_io *io, unsigned column, double sum,
                       double *tolerance)
{
   float bias;

   *tolerance = 0;
   if (!gemm->epilogue) {
      return sum;
   }
   memcpy(&bias, io->input + gemm_start_bias(gemm) + column * sizeof(bias), sizeof(bias));
   sum += (double)bias;
   const double value = sum / (1 + exp2(GEMM_GELU * sum));
   *tolerance = 1e-5 * fabs(value) + 1e-30;
   return value;
}

/* Every `step`th element. */
static bool compare(const struct gemm *gemm, const struct bench_io *io, const uint8_t *output, unsigned step, char *why,
                    size_t size)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const struct stored a = stored_a(gemm, io), b = stored_b(gemm, io);

   for (unsigned i = 0; i < gemm->m; i++) {
      for (unsigned j = i % step; j < gemm->n; j += step) {
         const double got = number(output + i * gemm_stride_d(gemm) + j * (form->sum_bits / 8u), form->sum_bits);
         double sum = 0;

         for (unsigned k = 0; k < gemm->k; k++) {
            sum += element(&a, i, k) * element(&b, k, j);
         }
         double tolerance;
         const double wanted = finished(gemm, io, j, sum, &tolerance);
         if (!(fabs(got - wanted) <= tolerance)) {
            snprintf(why, size, "D[%u][%u] is %g, expected %g", i, j, got, wanted);
            return false;
         }
      }
   }
   return true;
}

static bool padding_is_kept(const struct gemm *gemm, const uint8_t *output, char *why, size_t size)
{
   const size_t used = gemm->n * (matrix_forms[gemm->form].sum_bits / 8u);

   for (unsigned i = 0; i < gemm->m; i++) {
      for (size_t at = used; at < gemm_stride_d(gemm); at++) {
         if (output[i * gemm_stride_d(gemm) + at] != PADDING) {
            snprintf(why, size, "the padding of row %u of D was written", i);
            return false;
         }
      }
   }
   return true;
}

static double figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                     const uint8_t *output, char *why, size_t why_size)
{
   const struct gemm *gemm = benchmark->data;
   bool right = padding_is_kept(gemm, output, why, why_size);

   (void)metric;
   if (right && gemm->m <= COMPARED && gemm->n <= COMPARED && gemm->k <= COMPARED) {
      right = compare(gemm, io, output, 1, why, why_size);
   } else if (right && gemm->epilogue) {
      right = compare(gemm, io, output, gemm->n / 4 - 1, why, why_size); /* four of each row */
   } else if (right) {
      int64_t *vectors = calloc((size_t)gemm->n + gemm->k + 2 * gemm->m, sizeof(*vectors));

      for (unsigned i = 0; right && i < PROBES; i++) {
         right = vectors != NULL && probe(gemm, io, output, i, vectors);
      }
      if (!right) {
         snprintf(why, why_size, vectors != NULL ? "D x is not A (B x)" : "out of memory");
      }
      free(vectors);
   }
   return right ? 0 : NAN;
}

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   (void)variant;
   return gemm_text(benchmark->data, benchmark->arguments[2] == BENCH_FIRST);
}

#define CEILING(n, by) (((n) + (by)-1) / (by))
#define BLOCK_ROWS 4u
#define BLOCK_COLUMNS 4u
#define UNROLL 2u
#define BYTES(bits, rows, columns) ((size_t)(rows)*GEMM_PADDED(columns) * (bits) / 8)

/* The most multiply-adds that a virtual device emulates in seconds. A larger dispatch may be too long for one command
 * on hardware. */
#define LARGE(kernel) ((kernel) == GEMM_NAIVE ? 0x1p24 : (kernel) == GEMM_LOCAL ? 0x1p30 : 0x1p27)
#define IS_LARGE(m, n, k, kernel) ((double)(m) * (n) * (k) > LARGE(kernel))

/* clang-format off */
#define ROW(name_, what, m_, n_, k_, kernel_, data_, input_bytes, sum_bits, threads, groups_, ...)                     \
   {"matrix", "gemm-" name_, what, .file = __FILE_NAME__, .metrics = 1u << BENCH_DISPATCH,                             \
    .scale = BENCH_SCALE_ITERATIONS, .text = make_text, .data = data_,                                                 \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, IS_LARGE(m_, n_, k_, kernel_) ? BENCH_FIRST : BENCH_ITERATIONS},          \
    .argument_count = 3,                                                                                               \
    .dispatch = {threads, groups_, 1}, .work = 2.0 * (m_) * (n_) * (k_) / 1000, .work_unit = "TFLOP/s",                \
    .input_bytes_min = input_bytes, .output_bytes_min = BYTES(sum_bits, m_, n_), .fill = fill, .figure = figure,       \
    .large = IS_LARGE(m_, n_, k_, kernel_), __VA_ARGS__},
/* GEMM_TILED and GEMM_LOCAL load one tile more than they use: gemm_put_copy(). */
#define INPUT_BYTES(bits, m, n, k)                                                                                     \
   (BYTES(bits, GEMM_PADDED(m), k) + BYTES(bits, k, n) + BYTES(bits, GEMM_PADDED(n), GEMM_PADDED(k) - (k)) +           \
    BYTES(bits, 1, GEMM_SLACK(m, n)))
#define GEMM(name_, what, m, n, k, kernel_, id, factor_bits, sum_bits, threads, groups_, rows_, columns_, ...)         \
   ROW(name_, what, m, n, k, kernel_, (&(const struct gemm){kernel_, id, m, n, k, rows_, columns_, UNROLL}),           \
       INPUT_BYTES(factor_bits, m, n, k), sum_bits, threads, groups_, __VA_ARGS__)
#define COUNTED(instruction, op, count) \
   .variants = {[BENCH_DISPATCH] = {count, 1, count}}, .codegen = {instruction, op, .registers = BENCH_ANY, .per_operation = 1}

#define NAIVE(form, id, fb, sb, op, name_, m, n, k)                                                                    \
   GEMM(form "-naive-" name_, "D = A B, a thread an element", m, n, k, GEMM_NAIVE, id, fb, sb, 256,                    \
        CEILING((m) * (n), 256), 0, 0, COUNTED(op##_NAME, ISA_OP_##op, 4))
/* The last arguments: transposed_a, transposed_b. */
#define TILED_SHAPE(form, id, fb, sb, op, name_, what, m, n, k, rows_, columns_, ...)                                  \
   ROW(form "-tiled-" name_, what, m, n, k, GEMM_TILED,                                                                \
       (&(const struct gemm){GEMM_TILED, id, m, n, k, rows_, columns_, UNROLL, GEMM_PLAIN, __VA_ARGS__}),              \
       INPUT_BYTES(fb, m, n, k), sb, GEMM_TILED_THREADS,                                                               \
       CEILING(m, GEMM_TILED_SIDE(rows_)) * CEILING(n, GEMM_TILED_SIDE(columns_)),                                     \
       COUNTED(op##_NAME, ISA_OP_##op, GEMM_DEPTH * (rows_) * (columns_)))
#define LOCAL_SHAPE(form, id, fb, sb, op, name_, what, m, n, k, rows_, columns_, ...)                                  \
   ROW(form "-local-" name_, what, m, n, k, GEMM_LOCAL,                                                                \
       (&(const struct gemm){GEMM_LOCAL, id, m, n, k, rows_, columns_, UNROLL, GEMM_PLAIN, __VA_ARGS__}),              \
       INPUT_BYTES(fb, m, n, k), sb, GEMM_LOCAL_THREADS,                                                               \
       CEILING(m, GEMM_LOCAL_SIDE(rows_)) * CEILING(n, GEMM_LOCAL_SIDE(columns_)),                                     \
       COUNTED(op##_PRODUCT, ISA_OP_MATRIX, GEMM_DEPTH / MATRIX_SIZE * (rows_) * (columns_)))
#define TILED_ROW(form, id, fb, sb, op, name_, what, m, n, k, ...)                                                     \
   TILED_SHAPE(form, id, fb, sb, op, name_, what, m, n, k, 4, 4, __VA_ARGS__)
#define LOCAL_ROW(form, id, fb, sb, op, name_, what, m, n, k, ...)                                                     \
   LOCAL_SHAPE(form, id, fb, sb, op, name_, what, m, n, k, BLOCK_ROWS, BLOCK_COLUMNS, __VA_ARGS__)
#define TILED(form, id, fb, sb, op, n)                                                                                 \
   TILED_ROW(form, id, fb, sb, op, #n, "D = A B, 4 x 4 elements a thread from threadgroup memory", n, n, n, false, false)
#define LOCAL(form, id, fb, sb, op, n)                                                                                 \
   LOCAL_ROW(form, id, fb, sb, op, #n, "D = A B, simd_matrix_fmadd from threadgroup memory", n, n, n, false, false)
#define DIRECT(form, id, fb, sb, op, name_, m, n, k, rows, columns)                                                    \
   GEMM(form "-direct-" name_, "D = A B, simd_matrix_fmadd with direct loads", m, n, k, GEMM_DIRECT, id, fb, sb, 32,   \
        CEILING(m, 8 * (rows)) * CEILING(n, 8 * (columns)), rows, columns,                                             \
        COUNTED(op##_PRODUCT, ISA_OP_MATRIX, (rows) * (columns) * UNROLL))
#define HFMA_NAME "hfma"
#define FFMA_NAME "ffma"
#define HFMA_PRODUCT "simd_matrix_fmadd16"
#define FFMA_PRODUCT "simd_matrix_fmadd32"

#define SQUARE(form, id, fb, sb, op, n)                                                                                \
   NAIVE(form, id, fb, sb, op, #n, n, n, n)                                                                            \
   TILED(form, id, fb, sb, op, n)                                                                                      \
   LOCAL(form, id, fb, sb, op, n)                                                                                      \
   DIRECT(form, id, fb, sb, op, #n, n, n, n, BLOCK_ROWS, BLOCK_COLUMNS)
#define RAGGED(form, id, fb, sb, op, m, n, k)                                                                          \
   TILED_ROW(form, id, fb, sb, op, #m "x" #n "x" #k, "D = A B, tiles cut at D's edges", m, n, k, false, false)         \
   LOCAL_ROW(form, id, fb, sb, op, #m "x" #n "x" #k, "D = A B, tiles cut at D's edges", m, n, k, false, false)         \
   NAIVE(form, id, fb, sb, op, #m "x" #n "x" #k, m, n, k)                                                              \
   DIRECT(form, id, fb, sb, op, #m "x" #n "x" #k, m, n, k, BLOCK_ROWS, BLOCK_COLUMNS)
/* BLAS letters: "nt" has B transposed. */
#define TRANSPOSED(form, id, fb, sb, op, name_, m, n, k)                                                               \
   TILED_ROW(form, id, fb, sb, op, name_ "-nt", "D = A B, B stored as N x K", m, n, k, false, true)                    \
   TILED_ROW(form, id, fb, sb, op, name_ "-tn", "D = A B, A stored as K x M", m, n, k, true, false)                    \
   TILED_ROW(form, id, fb, sb, op, name_ "-tt", "D = A B, both stored transposed", m, n, k, true, true)                \
   LOCAL_ROW(form, id, fb, sb, op, name_ "-nt", "D = A B, B stored as N x K", m, n, k, false, true)                    \
   LOCAL_ROW(form, id, fb, sb, op, name_ "-tn", "D = A B, A stored as K x M", m, n, k, true, false)                    \
   LOCAL_ROW(form, id, fb, sb, op, name_ "-tt", "D = A B, both stored transposed", m, n, k, true, true)
#define BLOCKS(form, id, fb, sb, op, n, rows, columns)                                                                 \
   DIRECT(form, id, fb, sb, op, #n "-blocks-" #rows "x" #columns, n, n, n, rows, columns)
/* Tiles of D of other shapes than 64 x 64: blocks that a simdgroup computes, or elements that a thread does. */
#define TILES(form, id, fb, sb, op, name_, m, n, k)                                                                    \
   LOCAL_SHAPE(form, id, fb, sb, op, name_ "-tile-32x32", "D = A B, tiles of 32 x 32", m, n, k, 2, 2, false, false)    \
   LOCAL_SHAPE(form, id, fb, sb, op, name_ "-tile-32x64", "D = A B, tiles of 32 x 64", m, n, k, 2, 4, false, false)    \
   LOCAL_SHAPE(form, id, fb, sb, op, name_ "-tile-64x32", "D = A B, tiles of 64 x 32", m, n, k, 4, 2, false, false)    \
   TILED_SHAPE(form, id, fb, sb, op, name_ "-tile-32x64", "D = A B, tiles of 32 x 64", m, n, k, 2, 4, false, false)    \
   TILED_SHAPE(form, id, fb, sb, op, name_ "-tile-128x64", "D = A B, tiles of 128 x 64", m, n, k, 8, 4, false, false)  \
   TILED_SHAPE(form, id, fb, sb, op, name_ "-tile-64x128", "D = A B, tiles of 64 x 128", m, n, k, 4, 8, false, false)
#define FORM(...)                                                                                                      \
   SQUARE(__VA_ARGS__, 64)                                                                                             \
   SQUARE(__VA_ARGS__, 128)                                                                                            \
   SQUARE(__VA_ARGS__, 256)                                                                                            \
   SQUARE(__VA_ARGS__, 512)                                                                                            \
   SQUARE(__VA_ARGS__, 1024)                                                                                           \
   SQUARE(__VA_ARGS__, 2048)                                                                                           \
   SQUARE(__VA_ARGS__, 4096)                                                                                           \
   RAGGED(__VA_ARGS__, 33, 65, 97)                                                                                     \
   RAGGED(__VA_ARGS__, 100, 60, 129)                                                                                   \
   RAGGED(__VA_ARGS__, 250, 333, 127)                                                                                  \
   TRANSPOSED(__VA_ARGS__, "512", 512, 512, 512)                                                                       \
   TRANSPOSED(__VA_ARGS__, "100x60x129", 100, 60, 129)                                                                 \
   BLOCKS(__VA_ARGS__, 512, 1, 1)                                                                                      \
   BLOCKS(__VA_ARGS__, 512, 1, 4)                                                                                      \
   BLOCKS(__VA_ARGS__, 512, 2, 2)                                                                                      \
   BLOCKS(__VA_ARGS__, 512, 2, 4)                                                                                      \
   BLOCKS(__VA_ARGS__, 512, 4, 2)                                                                                      \
   TILES(__VA_ARGS__, "512", 512, 512, 512)                                                                            \
   TILES(__VA_ARGS__, "100x60x129", 100, 60, 129)

/* The two products of attention of N queries and keys with 64 columns (matrix_attention.c). */
#define ATTENTION_PRODUCT(m, n, k)                                                                                     \
   LOCAL_ROW("mixed", MATRIX_MIXED, 16, 32, FFMA, #m "x" #n "x" #k, "D = A B of attention", m, n, k, false, false)
#define ATTENTION(n) ATTENTION_PRODUCT(n, n, 64) ATTENTION_PRODUCT(n, 64, n)

/* Inputs of 8 bits, widened behind each load or on the way into threadgroup memory; products f16 x f16 + f32. */
#define DIRECT_MIXED(name_, what, m, n, k, data_, input_bytes)                                                         \
   ROW(name_, what, m, n, k, GEMM_DIRECT, data_, input_bytes, 32, 32, CEILING(m, 32) * CEILING(n, 32),                 \
       COUNTED("simd_matrix_fmadd32", ISA_OP_MATRIX, 16 * UNROLL))
#define SMALL_FLOAT(name_, encoding_, size, m, n, k)                                                                   \
   DIRECT_MIXED(name_ "-direct-" size, "D = A B, A and B in 8 bits, direct loads", m, n, k,                            \
                (&(const struct gemm){GEMM_DIRECT, MATRIX_MIXED, m, n, k, 4, 4, UNROLL, .encoding = encoding_}),                 \
                INPUT_BYTES(8, m, n, k))
#define SMALL_LOCAL(name_, encoding_, size, m, n, k)                                                                   \
   ROW(name_ "-local-" size, "D = A B, A and B in 8 bits, from threadgroup memory", m, n, k, GEMM_LOCAL,               \
       (&(const struct gemm){GEMM_LOCAL, MATRIX_MIXED, m, n, k, BLOCK_ROWS, BLOCK_COLUMNS, UNROLL, encoding_}),        \
       INPUT_BYTES(8, m, n, k), 32, GEMM_LOCAL_THREADS,                                                                \
       CEILING(m, GEMM_LOCAL_SIDE(BLOCK_ROWS)) * CEILING(n, GEMM_LOCAL_SIDE(BLOCK_COLUMNS)),                           \
       COUNTED("simd_matrix_fmadd32", ISA_OP_MATRIX, GEMM_DEPTH / MATRIX_SIZE * BLOCK_ROWS * BLOCK_COLUMNS))
#define SMALL_BOTH(size, m, n, k)                                                                                      \
   SMALL_FLOAT("e4m3", GEMM_E4M3, size, m, n, k) SMALL_FLOAT("e5m2", GEMM_E5M2, size, m, n, k)                         \
   SMALL_LOCAL("e4m3", GEMM_E4M3, size, m, n, k) SMALL_LOCAL("e5m2", GEMM_E5M2, size, m, n, k)
#define SMALL_SQUARE(n) SMALL_BOTH(#n, n, n, n)
#define FUSED(n)                                                                                                       \
   DIRECT_MIXED("fused-" #n, "D = gelu(A B + bias) in one kernel; against gemm-mixed-direct, epilogue-bias and -gelu", \
                n, n, n,                                                                                               \
                (&(const struct gemm){GEMM_DIRECT, MATRIX_MIXED, n, n, n, 4, 4, UNROLL, .epilogue = true}),                          \
                INPUT_BYTES(16, n, n, n) + 4u * (n))

static const struct benchmark benchmarks[] = {
   FORM("f16", MATRIX_F16, 16, 16, HFMA)
   FORM("mixed", MATRIX_MIXED, 16, 32, FFMA)
   FORM("f32", MATRIX_F32, 32, 32, FFMA)
   ATTENTION(256)
   ATTENTION(512)
   ATTENTION(1024)
   ATTENTION(2048)
   SMALL_SQUARE(64)
   SMALL_SQUARE(256)
   SMALL_SQUARE(512)
   SMALL_SQUARE(1024)
   SMALL_BOTH("33x65x97", 33, 65, 97)
   SMALL_BOTH("100x60x129", 100, 60, 129)
   FUSED(64)
   FUSED(128)
   FUSED(256)
   FUSED(512)
   FUSED(1024)
};
/* clang-format on */

const struct gemm *gemm_of(const struct benchmark *benchmark)
{
   return benchmark >= benchmarks && benchmark < benchmarks + ARRAY_COUNT(benchmarks) ? benchmark->data : NULL;
}

const struct bench_group bench_matrix_gemm = BENCH_GROUP(benchmarks);
