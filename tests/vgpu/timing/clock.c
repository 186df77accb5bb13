/* SPDX-License-Identifier: MIT
 *
 * The disturbed clock against its stated distributions, and against the exact time where nothing disturbs it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/timing/command/clock.h"
#include "vgpu/vgpu.h"
#include "tests/check.h"

#define HZ UINT64_C(1000000000)

static void test_quiet(void)
{
   struct vgpu_clock clock;

   vgpu_clock_init(&clock, 1278000000, &(struct vgpu_clock_options){0}, 7);
   /* 1000 seconds of it: no double could hold the products on the way to nanoseconds exactly. */
   CHECK(vgpu_clock_pass(&clock, 1278000000000 + 639) == 1000000000500, "a quiet clock rounds");
   CHECK(vgpu_clock_delay(&clock) == 0, "a quiet clock is late");
}

/* A cycle takes 1 / (step * (1 + drift)) ns in its time: over many steps the clock's mean is that of the steps, 0.8. */
static void test_wander(void)
{
   struct vgpu_clock a, b, other;
   double cycles = 0, ns = 0;
   unsigned faster = 0, differ = 0;
   const unsigned jobs = 400000;

   vgpu_clock_init(&a, HZ, &(struct vgpu_clock_options){.wander = true}, 1);
   vgpu_clock_init(&b, HZ, &(struct vgpu_clock_options){.wander = true}, 1);
   vgpu_clock_init(&other, HZ, &(struct vgpu_clock_options){.wander = true}, 2);
   for (unsigned i = 0; i < jobs; i++) {
      const uint64_t time = vgpu_clock_pass(&a, 50000);

      CHECK(time == vgpu_clock_pass(&b, 50000), "the same seed, another time");
      differ += time != vgpu_clock_pass(&other, 50000);
      faster += time < 49000; /* a drift of four standard deviations at the full clock */
      cycles += 50000;
      ns += (double)time;
   }
   CHECK(fabs(cycles / ns - 0.8) < 0.01, "mean clock %g of the chip's, not 0.8", cycles / ns);
   CHECK(faster < jobs / 1000, "%u of %u jobs ran above the chip's clock", faster, jobs);
   CHECK(differ > jobs / 2, "another seed, the same times");
}

/* An exponential distribution: the mean as asked for, and a share of 1/e above it. */
static void test_jitter(void)
{
   struct vgpu_clock clock;
   double sum = 0;
   unsigned above = 0;
   const unsigned stamps = 1000000;

   vgpu_clock_init(&clock, HZ, &(struct vgpu_clock_options){.jitter_ns = 20000}, 3);
   for (unsigned i = 0; i < stamps; i++) {
      const uint64_t late = vgpu_clock_delay(&clock);

      sum += (double)late;
      above += late > 20000;
   }
   CHECK(fabs(sum / stamps - 20000) < 100, "late by %g ns in the mean, not 20000", sum / stamps);
   CHECK(fabs((double)above / stamps - exp(-1)) < 0.003, "%u of %u later than the mean", above, stamps);
}

/* Normally distributed with the standard deviation asked for, and no bias. */
static void test_relative_jitter(void)
{
   struct vgpu_clock clock;
   double sum = 0, squares = 0;
   const unsigned commands = 100000;

   vgpu_clock_init(&clock, HZ, &(struct vgpu_clock_options){.jitter_percent = 1}, 3);
   for (unsigned i = 0; i < commands; i++) {
      const double off = (double)vgpu_clock_jitter(&clock, 1000000) - 1e6;

      sum += off;
      squares += off * off;
   }
   CHECK(fabs(sum / commands) < 150, "a bias of %g ns in 1 ms", sum / commands);
   CHECK(fabs(sqrt(squares / commands) - 10000) < 150, "a deviation of %g ns, not 10000", sqrt(squares / commands));
}

static void test_options(void)
{
   static const struct {
      const char *spec, *message; /* NULL: it opens */
   } cases[] = {
       {"m1,clock=wander,jitter=200ns,seed=5", NULL},
       {"m1,clock=fixed,jitter=3us", NULL},
       {"m1,jitter=0ns", NULL},
       {"m1,clock=fast", "option clock of the virtual device takes fixed or wander, not fast"},
       {"m1,jitter=200", "option jitter of the virtual device takes a time up to 1000us, as 200ns or 3us, or a "
                         "percentage up to 50%, not 200"},
       {"m1,jitter=1001us", "up to 1000us"},
       {"m1,jitter=-1ns", "up to 1000us"},
       {"m1,jitter=ns", "up to 1000us"},
       {"m1,jitter=1%,dvfs=real,compositor,hosttime=50us", NULL},
       {"m1-max,dvfs=clock+power,compositor=10ms:1.5ms", NULL},
       {"m1,dvfs=off,hosttime=host", NULL},
       {"m1,jitter=51%", "up to 50%"},
       {"m1,dvfs=fast", "option dvfs of the virtual device takes off, real, or some of"},
       {"m1,dvfs=clock+", "option dvfs"},
       {"m1,dvfs", "option dvfs"},
       {"m1,dvfs=real,clock=wander", "not both"},
       {"m1,compositor=1ms:2ms", "option compositor"},
       {"m1,compositor=1ms", "option compositor"},
       {"m1,hosttime=soon", "option hosttime"},
       {"m1,params=/nowhere", "/nowhere: No such file"},
   };

   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      char message[256] = "";
      struct asahi_kernel *kernel = NULL;
      const int fd = vgpu_open(cases[i].spec, &kernel, message, sizeof(message));

      CHECK((fd >= 0) == (cases[i].message == NULL), "%s: %d, %s", cases[i].spec, fd, message);
      CHECK(cases[i].message == NULL || strstr(message, cases[i].message) != NULL, "%s: %s", cases[i].spec, message);
      if (fd >= 0) {
         kernel->close(kernel, fd);
      }
   }
}

int main(void)
{
   test_quiet();
   test_wander();
   test_jitter();
   test_relative_jitter();
   test_options();
   return check_result();
}
