/* SPDX-License-Identifier: MIT
 *
 * layout: which lane and register hold which element, found without assuming it. A place is a lane and one of its two
 * registers. Every simdgroup multiplies two matrices with a 1 at one place each, and zeros: 64 x 64 products. One is
 * not zero only if the first place's column is the second one's row, and its own 1 stands where the first one's row and
 * the second one's column meet. So the table of products is the map, up to the order of rows.
 *
 * over-*, inactive: what is hazardous. The figure counts elements that differ from the right product; on hardware it is
 * the answer to an open question, and on the virtual device it says what the model does.
 */
#include "nir_kernels/matrix/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"

#define SIMDGROUPS (MATRIX_ELEMENTS * MATRIX_ELEMENTS) /* A's place times 64 plus B's */
#define NONE 0xffu

/* ---- The table of products ---- */

/* The place of the only 1; NONE: all zeros. False: something else. */
static bool find_one(const uint8_t *output, unsigned simdgroup, uint8_t *place)
{
   *place = NONE;
   for (unsigned i = 0; i < MATRIX_ELEMENTS; i++) {
      float value;

      memcpy(&value, output + ((size_t)simdgroup * MATRIX_ELEMENTS + i) * sizeof(value), sizeof(value));
      if (value == 1.0f && *place == NONE) {
         *place = (uint8_t)i;
      } else if (!(value == 0.0f)) {
         return false;
      }
   }
   return true;
}

static bool find_rows(uint8_t products[MATRIX_ELEMENTS][MATRIX_ELEMENTS], struct matrix_layout *layout)
{
   unsigned diagonal[MATRIX_ELEMENTS], count = 0;

   for (unsigned p = 0; p < MATRIX_ELEMENTS; p++) {
      if (products[p][p] == p) {
         diagonal[count++] = p;
      }
   }
   memset(layout, NONE, sizeof(*layout));
   for (unsigned i = 0; i < count && count == MATRIX_SIZE; i++) {
      for (unsigned p = 0; p < MATRIX_ELEMENTS; p++) {
         if (products[diagonal[i]][p] == p) {
            layout->row[p] = (uint8_t)i;
         }
         if (products[p][diagonal[i]] == p) {
            layout->column[p] = (uint8_t)i;
         }
      }
   }
   return count == MATRIX_SIZE;
}

bool matrix_layout_find(const uint8_t *output, struct matrix_layout *layout, char *why, size_t why_size)
{
   uint8_t products[MATRIX_ELEMENTS][MATRIX_ELEMENTS];
   uint8_t places[MATRIX_SIZE][MATRIX_SIZE];

   for (unsigned i = 0; i < SIMDGROUPS; i++) {
      if (!find_one(output, i, &products[i / MATRIX_ELEMENTS][i % MATRIX_ELEMENTS])) {
         snprintf(why, why_size, "the product of places %u and %u is not a single 1", i / MATRIX_ELEMENTS,
                  i % MATRIX_ELEMENTS);
         return false;
      }
   }
   if (!find_rows(products, layout)) {
      snprintf(why, why_size, "A, B and D do not share one layout: not 8 places are their own square");
      return false;
   }
   memset(places, NONE, sizeof(places));
   for (unsigned p = 0; p < MATRIX_ELEMENTS; p++) {
      if (layout->row[p] == NONE || layout->column[p] == NONE) {
         snprintf(why, why_size, "place %u is in no row or no column", p);
         return false;
      }
      places[layout->row[p]][layout->column[p]] = (uint8_t)p;
   }
   for (unsigned p = 0; p < MATRIX_ELEMENTS; p++) {
      for (unsigned q = 0; q < MATRIX_ELEMENTS; q++) {
         const unsigned wanted = layout->column[p] == layout->row[q] ? places[layout->row[p]][layout->column[q]] : NONE;

         if (products[p][q] != wanted) {
            snprintf(why, why_size, "the product of places %u and %u fits no layout", p, q);
            return false;
         }
      }
   }
   return true;
}

bool matrix_layout_is_published(const struct matrix_layout *layout)
{
   for (unsigned p = 0; p < MATRIX_ELEMENTS; p++) {
      if (layout->row[p] != matrix_row(p / 2) || layout->column[p] != matrix_column(p / 2) + p % 2) {
         return false;
      }
   }
   return true;
}

static unsigned place_of(const struct matrix_layout *layout, unsigned row, unsigned column)
{
   unsigned place = 0;

   while (place + 1 < MATRIX_ELEMENTS && (layout->row[place] != row || layout->column[place] != column)) {
      place++;
   }
   return place;
}

void matrix_layout_text(const struct matrix_layout *layout, char text[MATRIX_LAYOUT_TEXT])
{
   size_t used = 0;

   for (unsigned i = 0; i < MATRIX_ELEMENTS && used < MATRIX_LAYOUT_TEXT; i++) {
      const unsigned place = place_of(layout, i / MATRIX_SIZE, i % MATRIX_SIZE);

      used +=
          (size_t)snprintf(text + used, MATRIX_LAYOUT_TEXT - used, "%s%u.%u", i > 0 ? " " : "", place / 2, place % 2);
   }
}

bool matrix_layout_parse(const char *text, struct matrix_layout *layout)
{
   memset(layout, NONE, sizeof(*layout));
   for (unsigned i = 0; i < MATRIX_ELEMENTS; i++) {
      unsigned lane, reg;
      int length = 0;

      if (sscanf(text, "%2u.%1u%n", &lane, &reg, &length) != 2 || lane >= MATRIX_LANES || reg > 1 ||
          layout->row[2 * lane + reg] != NONE) {
         return false;
      }
      layout->row[2 * lane + reg] = (uint8_t)(i / MATRIX_SIZE);
      layout->column[2 * lane + reg] = (uint8_t)(i % MATRIX_SIZE);
      text += length;
   }
   return text[0] == '\0';
}

void matrix_layout_print(const struct matrix_layout *layout, FILE *file)
{
   fputs("row  lane and register (0, 1) of columns 0 to 7\n", file);
   for (unsigned row = 0; row < MATRIX_SIZE; row++) {
      fprintf(file, "%3u ", row);
      for (unsigned column = 0; column < MATRIX_SIZE; column++) {
         const unsigned place = place_of(layout, row, column);

         fprintf(file, " %2u.%u", place / 2, place % 2);
      }
      fputc('\n', file);
   }
}

/* clang-format off */
static const char layout_text[] =
   AGX_BEGIN("matrix_layout")
   "   and      r3, r2, 31\n"
   "   shl      r3, r3, 1\n"              /* the lane's first place */
   "   iadd     r4, r3, 1\n"
   "   shr      r5, r2, 11\n"             /* A's */
   "   shr      r6, r2, 5\n"
   "   and      r6, r6, 63\n"             /* B's */
   "   ldimm    r7, 0x3f800000\n"
   "   ldimm    r16, 0\n"
   "   csel     r8, r3, r5, r7, r16, ieq\n"
   "   csel     r9, r4, r5, r7, r16, ieq\n"
   "   csel     r10, r3, r6, r7, r16, ieq\n"
   "   csel     r11, r4, r6, r7, r16, ieq\n"
   "   ldimm    r12, 0\n"
   "   ldimm    r13, 0\n"
   "   simd_matrix_fmadd32 r14_r15, r8_r9, r10_r11, r12_r13\n"
   "   shl      r3, r2, 1\n"
   "   store    r14_r15, du2, r3, i32, xy, a\n"
   AGX_END;
/* C at every place in turn, and no product: the simdgroup's number is the place. */
static const char sum_text[] =
   AGX_BEGIN("matrix_layout_c")
   "   and      r3, r2, 31\n"
   "   shl      r3, r3, 1\n"
   "   iadd     r4, r3, 1\n"
   "   shr      r5, r2, 5\n"
   "   ldimm    r7, 0x3f800000\n"
   "   ldimm    r8, 0\n"
   "   ldimm    r9, 0\n"
   "   csel     r10, r3, r5, r7, r8, ieq\n"
   "   csel     r11, r4, r5, r7, r8, ieq\n"
   "   simd_matrix_fmadd32 r14_r15, r8_r9, r8_r9, r10_r11\n"
   "   shl      r3, r2, 1\n"
   "   store    r14_r15, du2, r3, i32, xy, a\n"
   AGX_END;
/* A in r4_r5, B in r6_r7, C in r12_r13, the output's index in r3. */
#define HAZARD_BEGIN                                                                                                   \
   AGX_BEGIN("matrix_hazard")                                                                                          \
   "   shl      r3, r2, 3\n"                                                                                           \
   "   load     r4_r5_r6_r7, du0, r3, i32, xyzw, a\n"                                                                  \
   "   iadd     r3, r3, 4\n"                                                                                           \
   "   load     r12_r13, du0, r3, i32, xy, a\n"                                                                        \
   "   wait     a\n"                                                                                                   \
   "   shl      r3, r2, 1\n"
#define HAZARD_END(d) "   store    " d ", du2, r3, i32, xy, a\n" AGX_END
static const char over_a_text[] =
   HAZARD_BEGIN "   simd_matrix_fmadd32 r4_r5, r4_r5, r6_r7, r12_r13\n" HAZARD_END("r4_r5");
static const char over_b_text[] =
   HAZARD_BEGIN "   simd_matrix_fmadd32 r6_r7, r4_r5, r6_r7, r12_r13\n" HAZARD_END("r6_r7");
static const char over_c_text[] =
   HAZARD_BEGIN "   simd_matrix_fmadd32 r12_r13, r4_r5, r6_r7, r12_r13\n" HAZARD_END("r12_r13");
/* The second register of D is the first of A. */
static const char over_half_text[] =
   HAZARD_BEGIN
   "   mov      r17, r4\n"
   "   mov      r18, r5\n"
   "   simd_matrix_fmadd32 r16_r17, r17_r18, r6_r7, r12_r13\n" HAZARD_END("r16_r17");
/* Lanes 16 to 31 are inactive. Rows 0 to 3 of D belong to the active lanes. */
static const char inactive_text[] =
   HAZARD_BEGIN
   "   mov      r16, r12\n"
   "   mov      r17, r13\n"
   "   and      r8, r2, 16\n"
   "   ldimm    r0l, 0\n"
   "   if       r8, 0, 1, ieq\n"
   "   simd_matrix_fmadd32 r16_r17, r4_r5, r6_r7, r12_r13\n"
   "   pop_exec 1\n" HAZARD_END("r16_r17");
/* clang-format on */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   (void)variant;
   return strdup(benchmark->data);
}

static void fill_zero(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   memset(io->input, 0, io->input_bytes);
   memset(io->output, 0xff, io->output_bytes);
}

static double layout_figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                            const uint8_t *output, char *why, size_t why_size)
{
   struct matrix_layout layout;

   (void)benchmark;
   (void)metric;
   (void)io;
   if (!matrix_layout_find(output, &layout, why, why_size)) {
      return NAN;
   }
   if (!matrix_layout_is_published(&layout)) {
      snprintf(why, why_size, "not the published map: agx-runner sweep layout shows it");
      return NAN;
   }
   return 0;
}

static void layout_finding(const uint8_t *output, char *text, size_t size)
{
   char own[MATRIX_LAYOUT_TEXT] = "", why[160];
   struct matrix_layout layout;

   if (matrix_layout_find(output, &layout, why, sizeof(why))) {
      matrix_layout_text(&layout, own);
   }
   snprintf(text, size, "%s", own);
}

static double sum_figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                         const uint8_t *output, char *why, size_t why_size)
{
   (void)benchmark;
   (void)metric;
   (void)io;
   for (unsigned i = 0; i < MATRIX_ELEMENTS; i++) {
      uint8_t place;

      if (!find_one(output, i, &place) || place != i) {
         snprintf(why, why_size, "C at place %u does not arrive at place %u of D", i, i);
         return NAN;
      }
   }
   return 0;
}

/* ---- Hazards ---- */

#define HAZARD_WORDS 8u

static void fill_small(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   memset(io->output, 0xff, io->output_bytes);
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      float words[HAZARD_WORDS];

      for (unsigned i = 0; i < HAZARD_WORDS; i++) {
         words[i] = (float)matrix_small(io->seed, (uint64_t)thread * HAZARD_WORDS + i, 9);
      }
      memcpy(io->input + (size_t)thread * sizeof(words), words, sizeof(words));
   }
}

static float input_element(const struct bench_io *io, unsigned simdgroup, unsigned word, unsigned row, unsigned column)
{
   float value = NAN;

   for (unsigned lane = 0; lane < MATRIX_LANES; lane++) {
      if (matrix_row(lane) == row && matrix_column(lane) == (column & ~1u)) {
         memcpy(&value,
                io->input +
                    ((size_t)(simdgroup * MATRIX_LANES + lane) * HAZARD_WORDS + word + column % 2) * sizeof(value),
                sizeof(value));
      }
   }
   return value;
}

static double hazard_figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                            const uint8_t *output, char *why, size_t why_size)
{
   const unsigned lanes = benchmark->data == inactive_text ? MATRIX_LANES / 2 : MATRIX_LANES;
   unsigned wrong = 0;

   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const unsigned simdgroup = thread / MATRIX_LANES, row = matrix_row(thread % MATRIX_LANES);

      for (unsigned i = 0; i < 2 && thread % MATRIX_LANES < lanes; i++) {
         const unsigned column = matrix_column(thread % MATRIX_LANES) + i;
         float sum = input_element(io, simdgroup, 4, row, column), got;

         for (unsigned k = 0; k < MATRIX_SIZE; k++) {
            sum += input_element(io, simdgroup, 0, row, k) * input_element(io, simdgroup, 2, k, column);
         }
         memcpy(&got, output + ((size_t)thread * 2 + i) * sizeof(got), sizeof(got));
         wrong += got == sum ? 0 : 1;
      }
   }
   if (metric == BENCH_CHECK && wrong > 0) {
      snprintf(why, why_size, "%u of %u elements are wrong", wrong, io->threads * 2);
      return NAN;
   }
   return wrong;
}

/* clang-format off */
#define COMMON(program, grid_, in, out)                                                                                \
   .file = __FILE_NAME__, .text = make_text, .data = program,                                                          \
   .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3, .dispatch = grid_,                     \
   .codegen = {"simd_matrix_fmadd32", ISA_OP_MATRIX, 32, 3, 1, .whole_program = true}, .input_stride = in,             \
   .output_stride = out
#define DISPATCH(...) {__VA_ARGS__}
#define HAZARD(name_, what, program, metric)                                                                           \
   {"matrix", name_, what, COMMON(program, DISPATCH(256, 8, 1), 4 * HAZARD_WORDS, 8), .metrics = 1u << (metric),       \
    .variants = {[metric] = {1, 1, 1}}, .fill = fill_small, .figure = hazard_figure},

static const struct benchmark benchmarks[] = {
   {"matrix", MATRIX_LAYOUT_NAME, "which lane and register hold which element of A, B and D, by products alone",
    COMMON(layout_text, DISPATCH(256, SIMDGROUPS / 8, 1), 4, 8), .metrics = 1u << BENCH_CHECK,
    .variants = {[BENCH_CHECK] = {1, 1, 1}}, .fill = fill_zero, .figure = layout_figure,
    .finding = layout_finding},
   {"matrix", "layout-c", "C has the layout of D",
    COMMON(sum_text, DISPATCH(256, MATRIX_ELEMENTS / 8, 1), 4, 8), .metrics = 1u << BENCH_CHECK,
    .variants = {[BENCH_CHECK] = {1, 1, 1}}, .fill = fill_zero, .figure = sum_figure},
   HAZARD("over-c", "D in the registers of C", over_c_text, BENCH_CHECK)
   HAZARD("over-a", "hazardous: D in the registers of A; two authors saw wrong results on M1", over_a_text, BENCH_WRONG)
   HAZARD("over-b", "hazardous: D in the registers of B; two authors saw wrong results on M1", over_b_text, BENCH_WRONG)
   HAZARD("over-half-a", "hazardous: the second register of D is the first of A", over_half_text, BENCH_WRONG)
   HAZARD("inactive", "hazardous: half of the lanes inactive; elements of the others that differ", inactive_text, BENCH_WRONG)
};
/* clang-format on */

const struct bench_group bench_matrix_layout = BENCH_GROUP(benchmarks);
