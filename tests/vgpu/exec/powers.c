/* SPDX-License-Identifier: MIT
 *
 * 2^x and log2 x of host vectors, and of one value, beside the C library's in long double, rounded once: each 1,021st
 * f32 value, and those for which rounding twice goes wrong. With the argument `all` each value. Built for each level of
 * the host.
 */
#include "vgpu/exec/semantics/powers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "vgpu/exec/levels/cpu.h"

#define SKIPPED 77
#define STEP 1021u /* a prime */
#define LARGEST_SHOWN 10u
#define COUNT (VGPU_ABREAST * VGPU_WIDTH)

static const uint32_t hard[] = {0x3b429d37, 0xbcf3a937}; /* 2^x lies next to the middle of two f32 values */

static uint32_t bits_of(float value)
{
   uint32_t bits;
   memcpy(&bits, &value, sizeof(bits));
   return isnan(value) ? VGPU_F32_NAN : bits;
}

static float float_of(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value; /* spec/isa.md 3.2 */
}

static uint32_t expect(bool log, float x)
{
   if (!log && x < -126) {
      return 0;
   }
   return bits_of((float)(log ? log2l(x) : exp2l(x)));
}

/* 2^x is 1 for these; the C library takes a microsecond for some of them. */
static bool is_dull(bool log, float x)
{
   return log ? x <= 0 : fabsf(x) < 0x1p-26f || fabsf(x) > 160;
}

/* The functions of one value, for one of the lanes: they are slow. */
static unsigned check_alone(bool log, uint32_t word, float result)
{
   const float x = float_of(word);
   const uint32_t bits = log ? vgpu_log2_of_one(x, false) : vgpu_exp2_of_one(x, false);
   float alone;
   memcpy(&alone, &bits, sizeof(alone));
   if (bits_of(alone) == bits_of(result)) {
      return 0;
   }
   printf("%s(%a) alone: %08" PRIx32 ", not %08" PRIx32 "\n", log ? "log2" : "exp2", (double)x, bits, bits_of(result));
   return 1;
}

static unsigned check(bool log, const uint32_t *words)
{
   unsigned failed = 0;
   vf x[VGPU_ABREAST];
   for (unsigned i = 0; i < COUNT; i++) {
      x[i / VGPU_WIDTH][i % VGPU_WIDTH] = float_of(words[i]);
   }
   if (log) {
      vgpu_log2(x, false);
   } else {
      vgpu_exp2(x, false);
   }
   for (unsigned i = 0; i < COUNT; i++) {
      const float result = x[i / VGPU_WIDTH][i % VGPU_WIDTH], word = float_of(words[i]);
      const uint32_t got = bits_of(float_of(bits_of(result))), want = expect(log, word);
      if (got != want) {
         printf("%s(%a): %08" PRIx32 ", not %08" PRIx32 "\n", log ? "log2" : "exp2", (double)float_of(words[i]), got,
                want);
         failed++;
      }
   }
   return failed + check_alone(log, words[words[0] % COUNT], x[words[0] % COUNT / VGPU_WIDTH][words[0] % VGPU_WIDTH]);
}

/* For a 16-bit destination the last bit is odd where the value is not exact; so a second rounding is the only one. */
static unsigned check_odd(void)
{
   vf x[VGPU_ABREAST] = {(vf)vgpu_all(0x3f000000u), (vf)vgpu_all(0x40400000u)}; /* 1/2, and 3, which is exact */
   vgpu_exp2(x, true);
   const float root = x[0][0], eight = x[1][0];
   const bool alike = vgpu_exp2_of_one(0.5f, true) == bits_of(root) && vgpu_exp2_of_one(3, true) == bits_of(eight);
   const double error = (double)root - sqrt(2);
   const bool right = bits_of(root) & 1 && fabs(error) < 0x1p-23 && eight == 8 && alike;
   if (!right) {
      printf("rounded to odd: the root of 2 is %a, 2^3 %a\n", (double)root, (double)eight);
   }
   return !right;
}

int main(int argc, char **argv)
{
   const bool all = argc > 1 && !strcmp(argv[1], "all");
   unsigned failed = check_odd();
#if defined(__x86_64__)
   const struct vgpu_cpu cpu = vgpu_cpu_read();
   if (VGPU_WIDTH > 4 && !vgpu_cpu_has_level(&cpu, VGPU_WIDTH == 16 ? 4 : 3)) {
      return SKIPPED;
   }
#endif
   for (unsigned log = 0; log < 2; log++) {
      uint32_t words[COUNT];
      unsigned count = 0;
      for (uint64_t word = 0; word <= UINT32_MAX && failed < LARGEST_SHOWN; word += all ? 1 : STEP) {
         if (!is_dull(log, float_of((uint32_t)word))) {
            words[count++] = (uint32_t)word;
         }
         if (count == COUNT) {
            failed += check(log, words);
            count = 0;
         }
      }
      static const uint32_t special[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x7f800000, 0xff800000,
                                         0x7fc00001, 0xffc00000, 0x3f800000, 0xbf800000, 0x00800000, 0xc2fc0000,
                                         0xc2fc0001, 0x42ffffff, 0x43000000, 0x7f7fffff, 0xff7fffff, 0x33000000};
      for (unsigned i = 0; i < sizeof(special) / sizeof(special[0]) + 2; i++) {
         for (unsigned lane = 0; lane < COUNT; lane++) {
            words[lane] = i < 2 ? hard[i] : special[i - 2];
         }
         failed += check(log, words);
      }
   }
   return failed > 0;
}
