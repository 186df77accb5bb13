/* SPDX-License-Identifier: MIT
 *
 * Values, halves and tolerances. Expected results come from the definitions: a half is rounded to the nearest, ties to
 * even (IEEE 754), a unit in the last place is the distance of neighbours.
 */
#include <float.h>
#include <math.h>

#include "agx_runner/piglit/format/compare.h"
#include "tests/check.h"

/* Every finite half is itself; what lies between two neighbours goes to the nearer one, the middle to the even one. */
static void check_halves(void)
{
   for (unsigned bits = 0; bits < 0x7c00; bits++) {
      uint16_t half = (uint16_t)bits, next = (uint16_t)(bits + 1);
      double value = piglit_half_to_double(half);
      /* Infinity rounds as if it were the next number, 65536. */
      double above = next == 0x7c00 ? 65536.0 : piglit_half_to_double(next);
      double middle = (value + above) / 2;
      CHECK(piglit_half_from_double(value) == half && piglit_half_from_double(-value) == (half | 0x8000));
      CHECK(piglit_half_from_double(middle) == (half & 1 ? next : half));
      CHECK(piglit_half_from_double(nextafter(middle, 0)) == half);
      CHECK(piglit_half_from_double(nextafter(middle, INFINITY)) == next);
   }
   CHECK(piglit_half_to_double(0x3c00) == 1.0 && piglit_half_to_double(0x0001) == 0x1p-24);
   CHECK(piglit_half_to_double(0x7bff) == 65504.0 && piglit_half_to_double(0x0400) == 0x1p-14);
   CHECK(piglit_half_to_double(0xfc00) == -(double)INFINITY && isnan(piglit_half_to_double(0x7c01)));
   CHECK(piglit_half_from_double((double)INFINITY) == 0x7c00 &&
         (piglit_half_from_double((double)NAN) & 0x7fff) == 0x7e00);
}

static bool matches(enum piglit_scalar scalar, double expected, double value, enum piglit_tolerance_kind kind,
                    union piglit_value room)
{
   return piglit_value_matches(scalar, (union piglit_value){.f = expected}, (union piglit_value){.f = value},
                               (struct piglit_tolerance){.kind = kind, .value = room});
}

static bool within_ulp(enum piglit_scalar scalar, double expected, double value, uint64_t ulp)
{
   return matches(scalar, expected, value, PIGLIT_ULP, (union piglit_value){.u = ulp});
}

static double steps(float from, int count)
{
   for (; count > 0; count--) {
      from = nextafterf(from, INFINITY);
   }
   return from;
}

static void check_ulp(void)
{
   static const float numbers[] = {1.0f, 1.5f, 3.1415927f, 1e-30f, 1e30f, FLT_MIN, FLT_MIN / 4, 0.0f};

   for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
      CHECK(within_ulp(PIGLIT_FLOAT, numbers[i], steps(numbers[i], 3), 3));
      CHECK(!within_ulp(PIGLIT_FLOAT, numbers[i], steps(numbers[i], 4), 3));
      CHECK(within_ulp(PIGLIT_FLOAT, -numbers[i], -steps(numbers[i], 3), 3));
      CHECK(within_ulp(PIGLIT_FLOAT, numbers[i], numbers[i], 0));
      CHECK(!within_ulp(PIGLIT_FLOAT, numbers[i], steps(numbers[i], 1), 0));
   }
   /* The largest number has a unit too; the next value is infinity, which is never near. */
   CHECK(within_ulp(PIGLIT_FLOAT, FLT_MAX, nextafterf(FLT_MAX, 0), 1));
   CHECK(!within_ulp(PIGLIT_FLOAT, FLT_MAX, nextafterf(FLT_MAX, 0), 0));
   CHECK(!within_ulp(PIGLIT_FLOAT, FLT_MAX, (double)INFINITY, 4));
   /* Halves and doubles have units of their own. */
   CHECK(within_ulp(PIGLIT_HALF, 1.0, 1.0 + 0x1p-10, 1) && !within_ulp(PIGLIT_HALF, 1.0, 1.0 + 0x1p-9, 1));
   CHECK(within_ulp(PIGLIT_HALF, 0x1p-24, 0x1p-23, 1) && !within_ulp(PIGLIT_HALF, 0x1p-24, 0x1p-22, 1));
   CHECK(within_ulp(PIGLIT_DOUBLE, 1.0, 1.0 + DBL_EPSILON, 1) &&
         !within_ulp(PIGLIT_DOUBLE, 1.0, 1.0 + 2 * DBL_EPSILON, 1));
   /* As many units as there are numbers: anything. */
   CHECK(within_ulp(PIGLIT_FLOAT, 1.0, (double)NAN, 1u << 24) && !within_ulp(PIGLIT_FLOAT, 1.0, 1e38, (1u << 24) - 1));
}

static void check_special(void)
{
   const double inf = (double)INFINITY, nan = (double)NAN;

   CHECK(within_ulp(PIGLIT_FLOAT, nan, nan, 0) && !within_ulp(PIGLIT_FLOAT, nan, 1.0, 4));
   CHECK(!within_ulp(PIGLIT_FLOAT, 1.0, nan, 4) && !within_ulp(PIGLIT_FLOAT, inf, nan, 4));
   CHECK(within_ulp(PIGLIT_FLOAT, inf, inf, 0) && within_ulp(PIGLIT_FLOAT, -inf, -inf, 0));
   CHECK(!within_ulp(PIGLIT_FLOAT, inf, -inf, 4) && !within_ulp(PIGLIT_FLOAT, inf, 1.0, 4));
   CHECK(within_ulp(PIGLIT_FLOAT, 0.0, -0.0, 0));
   CHECK(matches(PIGLIT_FLOAT, 1.0, 1.25, PIGLIT_ABSOLUTE, (union piglit_value){.f = 0.25}));
   CHECK(!matches(PIGLIT_FLOAT, 1.0, 1.26, PIGLIT_ABSOLUTE, (union piglit_value){.f = 0.25}));
   CHECK(!matches(PIGLIT_FLOAT, 1.0, 1.0 + 0x1p-20, PIGLIT_EXACT, (union piglit_value){.f = 0}));
}

static void check_integers(void)
{
   static const struct {
      int64_t expected, got;
      uint64_t room;
      bool good;
   } cases[] = {
       {5, 5, 0, true},
       {5, 6, 0, false},
       {5, 7, 2, true},
       {5, 3, 2, true},
       {5, 2, 2, false},
       {-1, 1, 2, true},
       {-1, 1, 1, false},
       {INT64_MIN, INT64_MAX, 1000, false},
       {INT64_MAX, INT64_MIN, 1000, false},
       {INT64_MIN, INT64_MAX, UINT64_MAX, true},
   };

   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      const struct piglit_tolerance room = {.kind = PIGLIT_ABSOLUTE, .value.u = cases[i].room};
      CHECK(piglit_value_matches(PIGLIT_LONG, (union piglit_value){.i = cases[i].expected},
                                 (union piglit_value){.i = cases[i].got}, room) == cases[i].good);
   }
   CHECK(!piglit_value_matches(PIGLIT_ULONG, (union piglit_value){.u = 0}, (union piglit_value){.u = UINT64_MAX},
                               (struct piglit_tolerance){.kind = PIGLIT_ABSOLUTE, .value.u = 1}));
}

/* Values are cut to their type, as a C cast does, and read back with their sign. */
static void check_memory(void)
{
   uint8_t memory[8] = {0};

   piglit_value_store(memory, PIGLIT_CHAR, (union piglit_value){.i = 300});
   CHECK(memory[0] == 44 && memory[1] == 0 && piglit_value_load(memory, PIGLIT_CHAR).i == 44);
   piglit_value_store(memory, PIGLIT_SHORT, (union piglit_value){.i = -2});
   CHECK(piglit_value_load(memory, PIGLIT_SHORT).i == -2 && piglit_value_load(memory, PIGLIT_USHORT).u == 65534);
   piglit_value_store(memory, PIGLIT_FLOAT, (union piglit_value){.f = 0.1});
   CHECK(piglit_value_load(memory, PIGLIT_FLOAT).f == (double)0.1f);
   piglit_value_store(memory, PIGLIT_DOUBLE, (union piglit_value){.f = 0.1});
   CHECK(piglit_value_load(memory, PIGLIT_DOUBLE).f == 0.1);
}

static void check_messages(void)
{
   int32_t expected[] = {1, 2, 3, 99, 4, 5, 6, 99}, got[] = {1, 2, 3, 0, 4, 5, 7, 0};
   struct piglit_argument argument = {
       .index = 2,
       .type = {PIGLIT_INT, 3},
       .length = 2,
       .size = sizeof(expected),
       .data = (uint8_t *)expected,
   };
   char message[256] = "";

   CHECK(!piglit_compare(&argument, got, message, sizeof(message)));
   CHECK_TEXT(message, "argument 2, int3[1].s2: expected 6 (0x00000006), got 7 (0x00000007)");
   got[6] = 6;
   CHECK(piglit_compare(&argument, got, message, sizeof(message)));

   float one = 1, two = -2;
   argument = (struct piglit_argument){.type = {PIGLIT_FLOAT, 1},
                                       .length = 1,
                                       .size = 4,
                                       .data = (uint8_t *)&one,
                                       .tolerance = {.kind = PIGLIT_ULP, .value.u = 4}};
   CHECK(!piglit_compare(&argument, &two, message, sizeof(message)));
   CHECK_TEXT(message, "argument 0, float[0]: expected 1 (0x3f800000) within 4 ulp, got -2 (0xc0000000)");
}

int main(void)
{
   check_halves();
   check_ulp();
   check_special();
   check_integers();
   check_memory();
   check_messages();
   return check_result();
}
