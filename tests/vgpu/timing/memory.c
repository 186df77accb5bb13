/* SPDX-License-Identifier: MIT
 *
 * What memory costs on the timing model: a stream runs at the chip's published bandwidth, data that is used again does
 * not pay for it again, and lines that several lanes share count once.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"

#define THREADS (1u << 19)

/* Seconds that the model says, for a copy of 16 bytes a thread with the loads done `times` times. */
static double copy(const char *chip, const char *index, unsigned times, double *bytes)
{
   struct rig rig;
   char text[1024];
   rig_init(&rig, THREADS);
   rig.launch.chip = vgpu_chip_find(chip);
   rig.launch.group[0] = 256;
   rig.launch.timing = true;
   rig.launch.threads = 2;
   rig.launch.half_registers = 32;
   size_t used = (size_t)snprintf(text, sizeof(text), "mov r1, sr80\n%s", index);
   for (unsigned i = 0; i < times; i++) {
      used += (size_t)snprintf(text + used, sizeof(text) - used,
                               "load r4_r5_r6_r7, du0, r1, lsl 2, i32, xyzw, a\nwait a\n");
   }
   snprintf(text + used, sizeof(text) - used, "store r4_r5_r6_r7, du2, r1, lsl 2, i32, xyzw, a\nstop\n");
   rig_program(&rig, text);
   rig_run(&rig, vgpu_best_level());
   *bytes = 2.0 * 16 * THREADS;
   double seconds = (double)rig.outcome.cycles / rig.launch.chip->clock_hz;
   rig_finish(&rig);
   return seconds;
}

int main(void)
{
   static const struct {
      const char *chip;
      double bandwidth; /* as Apple gives it */
   } chips[] = {{"m1", 68.25e9}, {"m1-max", 409.6e9}, {"m2", 102.4e9}, {"m2-max", 409.6e9}};
   double bytes;
   for (unsigned i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
      double seconds = copy(chips[i].chip, "", 1, &bytes), rate = bytes / seconds;
      printf("%s: %.1f GB/s\n", chips[i].chip, rate / 1e9);
      if (!(fabs(rate / chips[i].bandwidth - 1) < 0.02)) {
         rig_fail("%s streams %.1f GB/s, expected %.1f", chips[i].chip, rate / 1e9, chips[i].bandwidth / 1e9);
      }
   }
   double once = copy("m1", "", 1, &bytes), again = copy("m1", "", 2, &bytes);
   double shared = copy("m1", "and r1, r1, 31\n", 1, &bytes);
   if (again > 1.01 * once) {
      rig_fail("loading the same lines again takes %.3f times as long", again / once);
   }
   if (shared > 0.6 * once) {
      rig_fail("one line for all takes %.3f times as long as a stream", shared / once);
   }
   return rig_result();
}
