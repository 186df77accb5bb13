/* SPDX-License-Identifier: MIT
 *
 * Memory formats over all their codes: sRGB loads against the hardware's 12-bit table, and what a store makes of NaN.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"

static void kernel(struct rig *rig, const char *text)
{
   rig_program(rig, text);
   rig_run(rig, vgpu_best_level());
}

/* sRGB's definition (IEC 61966-2-1), rounded to 12 bits. In integers, for a second way: the code's linear value is the
 * n for which n - 1/2 and n + 1/2, over 4095, lie around it. */
static unsigned table_entry(unsigned code)
{
   unsigned n = 0;
   for (;; n++) { /* the inverse curve is monotonic */
      long double upper = (n + 0.5L) / 4095;
      long double encoded = upper <= 0.0031308L ? upper * 12.92L : 1.055L * powl(upper, 1 / 2.4L) - 0.055L;
      if (encoded * 255 > code) {
         return n;
      }
   }
}

static void srgb_loads(void)
{
   struct rig rig;
   rig_init(&rig, 256);
   for (unsigned i = 0; i < 256; i++) {
      memset(rig.input + 4 * i, (int)i, 4);
   }
   kernel(&rig, "mov r1, sr80\nshl r2, r1, 2\nload r4_r5_r6_r7, du0, r2, srgba8, xyzw, a\nwait a\n"
                "store r4_r5_r6_r7, du2, r1, lsl 2, i32, xyzw, a\nstop\n");
   for (unsigned i = 0; i < 256; i++) {
      float linear[4];
      memcpy(linear, rig_out(&rig, i), sizeof(linear));
      float want = (float)(table_entry(i) / 4095.0), alpha = (float)(i / 255.0);
      if (memcmp(&linear[0], &want, 4) || memcmp(&linear[1], &want, 4) || memcmp(&linear[2], &want, 4) ||
          memcmp(&linear[3], &alpha, 4)) {
         rig_fail("srgba8 code %u: %.9g %.9g %.9g %.9g, expected %.9g and alpha %.9g", i, (double)linear[0],
                  (double)linear[1], (double)linear[2], (double)linear[3], (double)want, (double)alpha);
      }
   }
   rig_finish(&rig);
}

/* What is loaded and stored again is the same code. */
static void srgb_round_trip(void)
{
   struct rig rig;
   rig_init(&rig, 256);
   for (unsigned i = 0; i < 256; i++) {
      memset(rig.input + 4 * i, (int)i, 4);
   }
   kernel(&rig, "mov r1, sr80\nshl r2, r1, 2\nload r4_r5_r6_r7, du0, r2, srgba8, xyzw, a\nwait a\n"
                "store r4_r5_r6_r7, du2, r2, srgba8, xyzw, a\nstop\n");
   if (memcmp(rig.input, rig.output, 1024)) {
      rig_fail("srgba8: a code changes when it is loaded and stored");
   }
   rig_finish(&rig);
}

/* NaN becomes 0 in every normalised format (docs/unknowns.md); infinities go to the ends. */
static void not_a_number(void)
{
   static const struct {
      const char *format;
      unsigned bytes;
      uint32_t low, high; /* of -infinity, infinity */
   } formats[] = {{"u8norm", 1, 0, 0xff},
                  {"s8norm", 1, 0x81, 0x7f},
                  {"u16norm", 2, 0, 0xffff},
                  {"s16norm", 2, 0x8001, 0x7fff},
                  {"srgba8", 1, 0, 0xff}};
   static const uint32_t values[] = {0x7fc00000, 0xff800000, 0x7f800000, 0xffc00001};
   for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
      struct rig rig;
      char text[256];
      rig_init(&rig, 32);
      memset(rig.output, 0x55, 256);
      memcpy(rig.input, values, sizeof(values));
      snprintf(text, sizeof(text),
               "mov r1, sr80\nand r1, r1, 3\nload r4, du0, r1, i32, x, a\nwait a\nstore r4, du2, r1, %s, x, a\nstop\n",
               formats[i].format);
      kernel(&rig, text);
      for (unsigned n = 0; n < 4; n++) {
         uint32_t found = 0, want = n == 1 ? formats[i].low : n == 2 ? formats[i].high : 0;
         memcpy(&found, rig.output + n * formats[i].bytes, formats[i].bytes);
         if (found != want) {
            rig_fail("%s of %08x: %x, expected %x", formats[i].format, values[n], found, want);
         }
      }
      rig_finish(&rig);
   }
}

int main(void)
{
   srgb_loads();
   srgb_round_trip();
   not_a_number();
   return rig_result();
}
