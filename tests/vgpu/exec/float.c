/* SPDX-License-Identifier: MIT
 *
 * Float semantics against host arithmetic that rounds another way: results are found as the nearest value of the
 * format to an exact or directed-rounded one. spec/isa.md 2.6, 2.7, 3.
 */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "util/array.h"

#if __LDBL_MANT_DIG__ >= 113
typedef long double quad;
#else
typedef __float128 quad;
#endif

#define IN(n) (lanes[lane][n])
#define LOW(n) ((uint16_t)IN(n))
#define HIGH(n) ((uint16_t)(IN(n) >> 16))
#define CASE(name) static void name(const uint32_t(*lanes)[RIG_WORDS], unsigned lane, uint32_t *out)
#define UNUSED (void)lanes, (void)lane

/* ---- f16 ---- */

static double half_values[0x7c01]; /* of 0..infinity, ascending */

static void make_halves(void)
{
   for (unsigned h = 0; h < 0x7c00; h++) {
      unsigned e = h >> 10, m = h & 0x3ff;
      half_values[h] = e ? ldexp(1 + m / 1024.0, (int)e - 15) : ldexp(m, -24);
   }
   half_values[0x7c00] = 65536; /* where the next one would be: what rounds to it overflows */
}

static double half(uint16_t h)
{
   double sign = h & 0x8000 ? -1 : 1;
   h &= 0x7fff;
   return h > 0x7c00 ? NAN : sign * (h == 0x7c00 ? INFINITY : half_values[h]);
}

/* The nearest f16, ties to even: by search. */
static uint16_t nearest_half(quad value, bool negative)
{
   uint16_t sign = negative ? 0x8000 : 0;
   quad magnitude = value < 0 ? -value : value;
   if (value != value) {
      return 0x7e00;
   }
   if (magnitude >= 65536) {
      return sign | 0x7c00;
   }
   unsigned low = 0, high = 0x7c00; /* half_values[low] <= magnitude < half_values[high] */
   while (high - low > 1) {
      unsigned middle = (low + high) / 2;
      if ((quad)half_values[middle] <= magnitude) {
         low = middle;
      } else {
         high = middle;
      }
   }
   quad down = magnitude - half_values[low], up = half_values[high] - magnitude;
   return (uint16_t)(sign | (up < down || (up == down && (low & 1)) ? high : low));
}

/* ---- f32 ---- */

static float single(uint32_t bits)
{
   float value;
   if ((bits & 0x7fffffff) < 0x00800000) {
      bits &= 0x80000000;
   }
   memcpy(&value, &bits, sizeof(value));
   return value;
}

static uint32_t bits_of(float value)
{
   uint32_t bits;
   memcpy(&bits, &value, sizeof(bits));
   return isnan(value) ? 0x7fc00000 : bits;
}

/* a * b + c: nearest; but zero when the truncated result, and so the exact one, is below the normal range. volatile:
 * compilers move computations over fesetround(). */
static float fused(float a, float b, float c)
{
   volatile float x = a, y = b, z = c;
   const volatile float nearest = fmaf(x, y, z);
   fesetround(FE_TOWARDZERO);
   const volatile float truncated = fmaf(x, y, z);
   fesetround(FE_TONEAREST);
   return fabsf(truncated) < 0x1p-126f ? copysignf(0, nearest) : nearest;
}

static float product(float a, float b)
{
   return fused(a, b, copysignf(0, signbit(a) != signbit(b) ? -1.0f : 1.0f));
}

static float sum(float a, float b)
{
   return fused(a, 1, b);
}

static float saturated(float value)
{
   return value > 0 ? fminf(value, 1) : 0;
}

/* The second rounding of an f32 operation with a 16-bit destination. */
static uint16_t again(float value)
{
   return nearest_half((quad)value, signbit(value));
}

static uint32_t keep_high(uint32_t low)
{
   return 0xdead0000 | low;
}

static uint32_t keep_low(uint32_t high)
{
   return high << 16 | 0xbeef;
}

CASE(add)
{
   out[0] = bits_of(sum(single(IN(0)), single(IN(1))));
   out[1] = bits_of(sum(single(IN(0)), -single(IN(1))));
   out[2] = bits_of(sum(-fabsf(single(IN(2))), fabsf(single(IN(3)))));
   out[3] = bits_of(sum(single(IN(2)), -0.0f));
}

CASE(multiply)
{
   out[0] = bits_of(product(single(IN(0)), single(IN(1))));
   out[1] = bits_of(product(-single(IN(2)), single(IN(3))));
   out[2] = bits_of(product(single(IN(2)), 0.234375f));
   out[3] = bits_of(saturated(product(single(IN(0)), single(IN(3)))));
}

CASE(fma_)
{
   float a = single(IN(0)), b = single(IN(1)), c = single(IN(2)), d = single(IN(3));
   out[0] = bits_of(fused(a, b, c));
   out[1] = bits_of(fused(-fabsf(a), b, -d));
   out[2] = bits_of(saturated(fused(c, d, a)));
   out[3] = bits_of(fused(d, d, 1));
}

/* f16 sources, f16 destinations: one rounding to f32, another to f16. */
CASE(mixed)
{
   out[0] = bits_of(fused((float)half(LOW(0)), single(IN(1)), (float)half(HIGH(2))));
   out[1] = keep_high(again(fused((float)half(LOW(0)), (float)half(HIGH(1)), (float)half(LOW(2)))));
   out[2] = keep_low(again(sum(single(IN(0)), single(IN(1)))));
   out[3] = keep_high(again(saturated(product(single(IN(2)), (float)half(HIGH(3))))));
}

CASE(double_rounding)
{
   out[0] = keep_high(again(product(single(IN(0)), 1)));
   out[1] = keep_high(again(sum((float)half(LOW(1)), single(IN(2)))));
   out[2] = bits_of(sum((float)half(HIGH(2)), -0.0f));
   out[3] = keep_low(again(fused(single(IN(3)), (float)half(LOW(3)), single(IN(0)))));
}

static uint16_t half_result(quad exact, double zero)
{
   return nearest_half(exact, exact == 0 ? signbit(zero) : exact < 0);
}

static quad half_fma(double a, double b, double c, double *zero)
{
   *zero = a * b + c; /* right where the exact result is zero */
   return isfinite(a) && isfinite(b) && isfinite(c) ? (quad)a * b + c : *zero;
}

CASE(half_arithmetic)
{
   double zero, a = half(LOW(0)), b = half(HIGH(1)), c = half(LOW(2));
   out[0] = keep_high(half_result((quad)a + b, a + b));
   out[1] = keep_low(half_result((quad)a * b, a * b));
   quad exact = half_fma(a, b, c, &zero);
   out[2] = keep_high(half_result(exact, zero));
   exact = half_fma(-fabs(half(HIGH(3))), half(LOW(3)), -half(HIGH(2)), &zero);
   out[3] = keep_high(half_result(exact, zero));
}

CASE(half_saturate)
{
   double zero;
   quad exact = half_fma(half(LOW(0)), half(LOW(1)), half(LOW(2)), &zero);
   out[0] = keep_high(exact > 0 ? nearest_half(exact < 1 ? exact : 1, false) : 0);
   exact = (quad)half(LOW(0)) + half(HIGH(3));
   out[1] = keep_high(exact > 0 ? nearest_half(exact < 1 ? exact : 1, false) : 0);
}

CASE(rounding)
{
   out[0] = bits_of(floorf(single(IN(0))));
   out[1] = bits_of(ceilf(single(IN(1))));
   out[2] = bits_of(truncf(single(IN(2))));
   out[3] = bits_of(rintf(single(IN(3))));
}

CASE(half_rounding)
{
   out[0] = keep_high(again(floorf((float)half(LOW(0)))));
   out[1] = keep_high(again(ceilf((float)half(HIGH(1)))));
   out[2] = keep_low(again(truncf((float)half(LOW(2)))));
   out[3] = bits_of(rintf((float)half(HIGH(3))));
}

/* Selected bits pass unflushed; comparisons see denormals as zero. */
CASE(select1)
{
   float a = single(IN(0)), b = single(IN(1));
   out[0] = a == b ? IN(2) : IN(3);
   out[1] = a < b ? IN(2) : IN(3);
   out[2] = a > b ? IN(2) : IN(3);
   out[3] = a < b || isnan(b) ? IN(0) : IN(1);
}

CASE(select2)
{
   float a = fabsf(single(IN(0))), b = -single(IN(1));
   out[0] = a >= b ? IN(2) : IN(3);
   out[1] = a <= b ? IN(2) : 77;
   out[2] = a > b || isnan(b) ? IN(0) : IN(1);
   out[3] = keep_high(half(LOW(2)) < half(HIGH(3)) ? LOW(2) : HIGH(3));
}

static const struct rig_case cases[] = {
    {"fadd r8, r4, r5\nfadd r9, r4, r5.neg\nfadd r10, r6.abs.neg, r7.abs\nfadd r11, r6, -0.0", add},
    {"fmul r8, r4, r5\nfmul r9, r6.neg, r7\nfmul r10, r6, 0.234375\nfmul r11, r4, r7, sat", multiply},
    {"ffma r8, r4, r5, r6\nffma r9, r4.abs.neg, r5, r7.neg\nffma r10, r6, r7, r4, sat\nffma r11, r7, r7, 1.0", fma_},
    {"ffma r8, r4l, r5, r6h\nffma r9l, r4l, r5h, r6l\nfadd r10h, r4, r5\nfmul r11l, r6, r7h, sat", mixed},
    {"fmul r8l, r4, 1.0\nfadd r9l, r5l, r6\nfadd r10, r6h, -0.0\nffma r11h, r7, r7l, r4", double_rounding},
    {"hadd r8l, r4l, r5h\nhmul r9h, r4l, r5h\nhfma r10l, r4l, r5h, r6l\nhfma r11l, r7h.abs.neg, r7l, r6h.neg",
     half_arithmetic},
    {"hfma r8l, r4l, r5l, r6l, sat\nhadd r9l, r4l, r7h, sat", half_saturate},
    {"floor r8, r4\nceil r9, r5\ntrunc r10, r6\nrint r11, r7", rounding},
    {"floor r8l, r4l\nceil r9l, r5h\ntrunc r10h, r6l\nrint r11, r7h", half_rounding},
    {"csel r8, r4, r5, r6, r7, feq\ncsel r9, r4, r5, r6, r7, flt\ncsel r10, r4, r5, r6, r7, fgt\n"
     "csel r11, r4, r5, r4, r5, fltn",
     select1},
    {"csel r8, r4.abs, r5.neg, r6, r7, fgte\ncsel r9, r4.abs, r5.neg, r6, 77, flte\n"
     "csel r10, r4.abs, r5.neg, r4, r5, fgtn\ncsel r11l, r6l, r7h, r6l, r7h, flt",
     select2},
};

/* ---- Conversions ---- */

static uint32_t to_int(double value, double least, double most)
{
   return isnan(value) ? 0 : (uint32_t)(int64_t)fmin(fmax(value, least), most);
}

CASE(to_integers)
{
   double a = single(IN(0));
   out[0] = to_int(trunc(a), 0, UINT32_MAX);
   out[1] = to_int(trunc(a), INT32_MIN, INT32_MAX);
   out[2] = keep_high(to_int(trunc(single(IN(1))), 0, UINT16_MAX));
   out[3] = keep_high(to_int(rint(half(LOW(2))), INT16_MIN, INT16_MAX) & 0xffff);
}

CASE(from_integers)
{
   out[0] = bits_of((float)IN(0));
   out[1] = bits_of((float)(int32_t)IN(1));
   fesetround(FE_TOWARDZERO);
   volatile uint32_t value = IN(2);
   const volatile float truncated = (float)value;
   fesetround(FE_TONEAREST);
   out[2] = bits_of(truncated);
   out[3] = keep_high(nearest_half((quad)(int32_t)IN(3), IN(3) >> 31));
}

CASE(from_small_integers)
{
   out[0] = bits_of((uint8_t)IN(0));
   out[1] = bits_of((int8_t)IN(1));
   out[2] = keep_high(nearest_half((quad)LOW(2), false));
   out[3] = bits_of((int16_t)HIGH(3));
}

static const struct rig_case conversions[] = {
    {"f_to_u32 r8, r4, rtz\nf_to_s32 r9, r4, rtz\nf_to_u16 r10l, r5, rtz\nf_to_s16 r11l, r6l, rte", to_integers},
    {"u32_to_f r8, r4, rte\ns32_to_f r9, r5, rte\nu32_to_f r10, r6, rtz\ns32_to_f r11l, r7, rte", from_integers},
    {"u8_to_f r8, r4, rte\ns8_to_f r9, r5, rte\nu16_to_f r10l, r6l, rte\ns16_to_f r11, r7h, rte", from_small_integers},
};

/* ---- Transcendentals: the host's function, one unit in the last place allowed ---- */

static void near(const char *what, uint32_t found, double expected, double argument)
{
   float rounded = fabs(expected) < 0x1p-126 ? copysignf(0, (float)expected) : (float)expected;
   uint32_t want = bits_of(rounded);
   if (found - want + 1 > 2) {
      rig_fail("%s(%a) is %08x, expected about %08x", what, argument, found, want);
   }
}

static void transcendentals(const struct vgpu_level *level)
{
   struct rig rig;
   rig_init(&rig, 4096);
   rig_fill(&rig);
   rig_kernel(&rig, "rcp r8, r4\nrsqrt r9, r4\nlog2 r10, r4\nexp2 r11, r4");
   rig_run(&rig, level);
   for (uint32_t i = 0; i < 4096; i++) {
      double x = single(rig_in(&rig, i)[0]);
      near("rcp", rig_out(&rig, i)[0], 1 / x, x);
      near("rsqrt", rig_out(&rig, i)[1], 1 / sqrt(x), x);
      near("log2", rig_out(&rig, i)[2], log2(x), x);
      near("exp2", rig_out(&rig, i)[3], exp2(x), x);
   }
   rig_finish(&rig);
}

/* Of simdgroups whose values are all positive, and of those that have one other. Each result is the double's, rounded
 * once: bit for bit. */
static void fill_roots(struct rig *rig)
{
   static const uint32_t others[] = {0,           0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u,
                                     0xbf800000u, 1,           0x007fffffu, 0x00800000u, 0x7f7fffffu};
   rig_fill(rig);
   for (uint32_t i = 0; i < 4096; i++) {
      uint32_t *word = (uint32_t *)(void *)rig->input + i * RIG_WORDS;
      *word = (*word & 0x7fffffffu) % 0x7f000000u + 0x00800000u;
      if (i % 64 == i / 64 % 32) {
         *word = others[i / 64 % ARRAY_COUNT(others)];
      }
   }
}

static void expect_roots(const uint32_t (*lanes)[RIG_WORDS], unsigned lane, uint32_t *out)
{
   const uint32_t bits = lanes[lane][0];
   const double x = (bits & 0x7fffffffu) < 0x00800000u ? copysign(0, single(bits)) : single(bits);
   const float root = (float)(1 / sqrt(x)), both = x == 0 ? 0 : isinf(x) && x > 0 ? (float)x : root;
   memcpy(&out[0], &root, 4);
   memcpy(&out[1], &both, 4);
   for (unsigned n = 0; n < 2; n++) {
      out[n] = (out[n] & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : out[n];
   }
}

static const struct rig_case roots[] = {{"rsqrt r8, r4\nrsqrts r9, r4", expect_roots}};

/* As compilers use them: sqrt(x) = x * rsqrts(x); sin from its quadrant. */
static void sequences(const struct vgpu_level *level)
{
   struct rig rig;
   rig_init(&rig, 4096);
   rig_fill(&rig);
   for (uint32_t i = 0; i < 4096; i++) {
      float quadrant = (float)i / 1024;
      memcpy(rig.input + i * RIG_WORDS * 4 + 4, &quadrant, sizeof(quadrant));
   }
   rig_kernel(&rig, "rsqrts r8, r4\nfmul r8, r4, r8\nsinr r9, r5\nsinc r10, r9\nfmul r9, r9, r10");
   rig_run(&rig, level);
   for (uint32_t i = 0; i < 4096; i++) {
      double x = single(rig_in(&rig, i)[0]);
      near("x*rsqrts(x)", rig_out(&rig, i)[0], sqrt(x), x);
      double expected = sin(M_PI_2 * single(rig_in(&rig, i)[1])), found = single(rig_out(&rig, i)[1]);
      if (fabs(found - expected) > 1.5e-7) {
         rig_fail("sine of quadrant %g is %g, expected %g", i / 1024.0, found, expected);
      }
   }
   rig_finish(&rig);
}

/* ---- Every f16 value ---- */

static void fill_halves(struct rig *rig)
{
   uint32_t *words = (uint32_t *)(void *)rig->input;
   for (uint32_t i = 0; i < 65536; i++) {
      words[i * RIG_WORDS] = i | (uint32_t)(uint16_t)(i * 40503) << 16;
      words[i * RIG_WORDS + 1] = rig_special();
      words[i * RIG_WORDS + 2] = rig_special();
      words[i * RIG_WORDS + 3] = rig_special();
   }
}

CASE(all_halves)
{
   out[0] = bits_of((float)half(LOW(0)));
   out[1] = keep_high(again(sum((float)half(LOW(0)), -0.0f)));
   out[2] = keep_high(half_result((quad)half(LOW(0)) * half(HIGH(0)), half(LOW(0)) * half(HIGH(0))));
   out[3] = keep_high(again(floorf((float)half(LOW(0)))));
}

static const struct rig_case half_cases[] = {
    {"fadd r8, r4l, -0.0\nfadd r9l, r4l, -0.0\nhmul r10l, r4l, r4h\nfloor r11l, r4l", all_halves},
};

int main(void)
{
   make_halves();
   rig_cases(cases, sizeof(cases) / sizeof(cases[0]), 16384, rig_fill);
   rig_cases(conversions, sizeof(conversions) / sizeof(conversions[0]), 4096, rig_fill);
   rig_cases(half_cases, 1, 65536, fill_halves);
   rig_cases(roots, 1, 4096, fill_roots);
   for (size_t l = 0; l < vgpu_level_count; l++) {
      if (vgpu_levels[l].usable()) {
         transcendentals(&vgpu_levels[l]);
         sequences(&vgpu_levels[l]);
      }
   }
   return rig_result();
}
