/* SPDX-License-Identifier: MIT
 *
 * Mann and Whitney's test against published tables and against a count of all orders; the verdict's rules.
 */
#include "agx_runner/statistics/significance.h"

#include <math.h>
#include <stdlib.h>

#include "util/random.h"
#include "tests/check.h"

/* Two-sided p by trying all ways to choose which of m + n ranks are a's. */
static double by_counting(unsigned m, unsigned n, unsigned u)
{
   unsigned extreme = 0, whole = 0;

   for (unsigned set = 0; set < 1u << (m + n); set++) {
      unsigned pairs = 0, chosen = 0;

      if ((unsigned)__builtin_popcount(set) != m) {
         continue;
      }
      for (unsigned i = 0; i < m + n; i++) {
         if (set & 1u << i) {
            chosen++;
         } else {
            pairs += chosen;
         }
      }
      whole++;
      extreme += pairs <= u;
   }
   return fmin(1, 2.0 * extreme / whole);
}

static struct significance_work work;

static void test_exact(void)
{
   for (unsigned m = 1; m <= 6; m++) {
      for (unsigned n = 1; n <= 6; n++) {
         for (unsigned u = 0; u <= m * n / 2; u++) {
            /* a: 0, 1, ... and b so that U comes out as u: b's things are moved below a's one pair at a time. */
            double a[6], b[6];
            unsigned left = u;

            for (unsigned i = 0; i < m; i++) {
               a[i] = i;
            }
            /* b[j] stands above `above` of a: pairs a < b. */
            for (unsigned j = n; j-- > 0;) {
               const unsigned above = left < m ? left : m;

               left -= above;
               b[j] = above - 0.5 + 0.01 * j;
            }
            const double p = significance_mann_whitney(a, m, b, n, &work), wanted = by_counting(m, n, u);
            CHECK(fabs(p - wanted) < 1e-12, "%u and %u, U = %u: %g, not %g", m, n, u, p, wanted);
         }
      }
   }
}

/* Critical values of U at 5 %, two-sided (Mann and Whitney's table as textbooks print it). */
static void test_table(void)
{
   static const struct {
      unsigned n, critical;
   } rows[] = {{5, 2}, {8, 13}, {10, 23}, {15, 64}, {20, 127}};

   for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
      for (unsigned more = 0; more < 2; more++) {
         const unsigned n = rows[r].n;
         double a[20], b[20];
         unsigned left = rows[r].critical + more;

         for (unsigned i = 0; i < n; i++) {
            a[i] = i;
         }
         for (unsigned j = n; j-- > 0;) {
            const unsigned above = left < n ? left : n;

            left -= above;
            b[j] = above - 0.5 + 0.01 * j;
         }
         const double p = significance_mann_whitney(a, n, b, n, &work);
         CHECK(more ? p > 0.05 : p <= 0.05, "%u a side, U = %u: p = %g", n, rows[r].critical + more, p);
      }
   }
}

static void test_ties(void)
{
   const double same[4] = {1, 1, 1, 1}, other[4] = {2, 2, 2, 2};

   CHECK(significance_mann_whitney(same, 4, same, 4, &work) == 1, "equal samples differ");
   /* By hand: U = 0, mean 8, variance 16 / 12 * (9 - 120 / 56) = 64 / 7, z = 7.5 / sqrt(64 / 7) = 2.4804 */
   CHECK(fabs(significance_mann_whitney(same, 4, other, 4, &work) - 0.013124) < 1e-5, "%g",
         significance_mann_whitney(same, 4, other, 4, &work));
}

static void test_verdict(void)
{
   static const struct {
      struct significance given;
      double floor;
      int more_is_better;
      enum verdict wanted;
   } rows[] = {
       {{1.05, 1.03, 1.07, 1e-4}, 0.005, 0, VERDICT_WORSE},     {{1.05, 1.03, 1.07, 1e-4}, 0.005, 1, VERDICT_BETTER},
       {{0.95, 0.93, 0.97, 1e-4}, 0.005, 0, VERDICT_BETTER},    {{0.95, 0.93, 0.97, 1e-4}, 0.005, 1, VERDICT_WORSE},
       {{1.05, 1.03, 1.07, 1e-4}, 0.1, 0, VERDICT_SAME},        {{1.05, 1.03, 1.07, 0.2}, 0.005, 0, VERDICT_UNKNOWN},
       {{1.004, 1.001, 1.02, 1e-4}, 0.005, 0, VERDICT_UNKNOWN}, {{1, 1, 1, 1}, 0.005, 0, VERDICT_SAME},
   };

   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      const enum verdict got = significance_verdict(&rows[i].given, rows[i].floor, rows[i].more_is_better);

      CHECK(got == rows[i].wanted, "row %zu: %s, not %s", i, verdict_names[got], verdict_names[rows[i].wanted]);
   }
}

static void test_ratio(void)
{
   const double a[] = {10, 9, 11, 10.5, 9.5}, b[] = {20, 19, 21, 20.5, 19.5};
   struct significance result;

   CHECK(significance_of(a, 5, b, 5, &work, &result) == 0, "no memory");
   CHECK(result.ratio == 2 && result.low < 2 && result.high > 2 && result.low > 1.7 && result.high < 2.3,
         "%g in %g .. %g", result.ratio, result.low, result.high);
   CHECK(fabs(result.p - 2.0 / 252) < 1e-12, "%g", result.p);
}

static int by_value(const void *x, const void *y)
{
   const double a = *(const double *)x, b = *(const double *)y;

   return (a > b) - (a < b);
}

static double drawn_median(struct util_random *random, const double *values, size_t count)
{
   double draw[32];

   for (size_t i = 0; i < count; i++) {
      draw[i] = values[util_random_below(random, (uint32_t)count)];
   }
   qsort(draw, count, sizeof(*draw), by_value);
   return (draw[(count - 1) / 2] + draw[count / 2]) / 2;
}

/* The computed interval against the bootstrap itself: so many of the drawn ratios lie below its ends. */
static void test_interval(void)
{
   static const size_t counts[][2] = {{9, 9}, {15, 15}, {10, 10}, {9, 18}, {1, 12}, {2, 3}};
   enum { DRAWS = 40000 };
   struct util_random random = {11};

   for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
      const size_t m = counts[c][0], n = counts[c][1];
      struct significance result;
      double a[32], b[32];
      unsigned below = 0, up_to = 0, above = 0, from = 0;

      for (size_t i = 0; i < m; i++) {
         a[i] = 10 + util_random_unit(&random);
      }
      for (size_t i = 0; i < n; i++) {
         b[i] = 10.5 + util_random_unit(&random);
      }
      CHECK(significance_of(a, m, b, n, &work, &result) == 0, "no memory");
      for (unsigned i = 0; i < DRAWS; i++) {
         const double ratio = drawn_median(&random, b, n) / drawn_median(&random, a, m);

         below += ratio < result.low * (1 - 1e-8);
         up_to += ratio < result.low * (1 + 1e-8);
         above += ratio > result.high * (1 + 1e-8);
         from += ratio > result.high * (1 - 1e-8);
      }
      /* Beyond an end lie less than 2.5 %, with it as much or more; four standard deviations of the draws are 0.3 %. */
      CHECK(below <= 0.028 * DRAWS && up_to >= 0.022 * DRAWS, "%zu and %zu: %u and %u below %g", m, n, below, up_to,
            result.low);
      CHECK(above <= 0.028 * DRAWS && from >= 0.022 * DRAWS, "%zu and %zu: %u and %u above %g", m, n, above, from,
            result.high);
   }
}

/* As many samples as --samples takes, and ratios at the edge of numbers: the interval exists, and in no time. For many
 * samples the bootstrap's medians are as good as normal, with the deviation sqrt(pi / 2) / sqrt(n) for normal values;
 * the values here are evenly spread over 1 .. 2, for which it is 1 / (2 sqrt(n)). */
static void test_many(void)
{
   static const size_t counts[] = {2048, 2049, 20000, 100000};

   for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
      const size_t n = counts[c];
      double *values = calloc(n, sizeof(*values)), one = 1.5;
      struct significance result;

      for (size_t i = 0; values != NULL && i < n; i++) {
         values[i] = 1 + ((double)i + 0.5) / (double)n;
      }
      CHECK(values != NULL && significance_of(&one, 1, values, n, &work, &result) == 0, "no memory");
      const double wanted = 1.96 * 0.5 / sqrt((double)n) / 1.5;
      CHECK(fabs(result.high - 1 - wanted) < 0.05 * wanted && fabs(1 - result.low - wanted) < 0.05 * wanted,
            "%zu samples: %.6f .. %.6f, not 1 -+ %.6f", n, result.low, result.high, wanted);
      free(values);
   }
   const double small[] = {5e-324, 5e-324, 1e-323}, large[] = {1e307, 1.2e307, 1.7e308};
   struct significance result;
   CHECK(significance_of(large, 3, small, 3, &work, &result) == 0 && result.ratio == 0, "%g", result.ratio);
   CHECK(significance_of(small, 3, small, 3, &work, &result) == 0 && result.ratio == 1, "%g", result.ratio);
   const double low[] = {1e-160, 2e-160, 3e-160}, high[] = {1e159, 2e159, 3e159};
   CHECK(significance_of(high, 3, low, 3, &work, &result) == 0 && result.high < 1e-300, "%g", result.high);
}

int main(void)
{

   test_exact();
   test_table();
   test_ties();
   test_verdict();
   test_ratio();
   test_interval();
   test_many();
   significance_work_finish(&work);
   return check_result();
}
