/* SPDX-License-Identifier: MIT
 *
 * The clock that follows the load, the costs of commands and the parameter file, each against figures that are worked
 * out here from the published parameters, not with the functions under test.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/timing/command/command.h"
#include "vgpu/timing/command/load.h"
#include "vgpu/timing/params_file.h"
#include "vgpu/vgpu.h"
#include "tests/check.h"

#define MHZ 1e6
#define MS 1e6
#define US 1e3

static struct vgpu_params m1_params(void)
{
   struct vgpu_params params;
   vgpu_params_init(&params, vgpu_chip_find("m1"));
   return params;
}

static struct vgpu_load open_load(const struct vgpu_params *params, unsigned dvfs, bool compositor)
{
   struct vgpu_load load;
   vgpu_load_init(&load, vgpu_chip_find("m1"), params,
                  &(struct vgpu_load_options){.dvfs = dvfs, .compositor = compositor}, 1);
   return load;
}

/* A full load from cold: the lowest point for the first 8 ms, the highest for good within half a second, and each point
 * on the way. The time of work is its cycles over the clock. */
static void test_ramp(void)
{
   const struct vgpu_params params = m1_params();
   struct vgpu_load load = open_load(&params, VGPU_DVFS_CLOCK, false);
   double reached = 0, last = 0;
   CHECK(fabs(vgpu_load_work(&load, 396000) - 1 * MS) < 1, "396000 cycles do not take 1 ms at 396 MHz");
   for (double ns = 1 * MS; ns < 1000 * MS; ns = load.now_ns) {
      CHECK(load.hz >= last, "the clock falls under full load");
      CHECK(ns > 7.95 * MS || load.hz == 396 * MHZ, "%u Hz in the first period", load.hz);
      last = load.hz;
      vgpu_load_work(&load, 0.1 * MS * load.hz * 1e-9);
      reached = load.hz == 1278 * MHZ && reached == 0 ? load.now_ns : reached;
   }
   CHECK(reached > 50 * MS && reached < 500 * MS, "the highest point after %g ms", reached / MS);
   double ns = vgpu_load_work(&load, 1278000);
   CHECK(fabs(ns - 1 * MS) < 1, "1278000 cycles take %g ns at the highest point", ns);
}

/* Half a load: the busy share settles near the target, so the clock is about what the work needs over 0.85. */
static void test_half_load(void)
{
   const struct vgpu_params params = m1_params();
   struct vgpu_load load = open_load(&params, VGPU_DVFS_CLOCK, false);
   for (unsigned i = 0; i < 4000; i++) { /* 500e6 cycles a second are asked for */
      double ns = vgpu_load_work(&load, 500000);
      vgpu_load_idle(&load, 1 * MS > ns ? 1 * MS - ns : 0);
   }
   /* Wanted: 500 MHz / 0.85 = 588 MHz: the point above that is 720 MHz. */
   CHECK(load.hz == 720 * MHZ, "a load of 500 MHz runs at %g MHz", load.hz / MHZ);
}

/* 2 ms without work: off. The next work waits and starts low. */
static void test_power(void)
{
   const struct vgpu_params params = m1_params();
   struct vgpu_load load = open_load(&params, VGPU_DVFS_CLOCK | VGPU_DVFS_POWER, false);
   CHECK(vgpu_load_wake(&load) > 0, "a device that was just opened is on");
   vgpu_load_work(&load, 1e9);
   CHECK(load.hz == 1278 * MHZ, "the clock is not at its highest");
   vgpu_load_idle(&load, 1.9 * MS);
   CHECK(vgpu_load_wake(&load) <= 0 && load.hz == 1278 * MHZ, "off after 1.9 ms");
   vgpu_load_work(&load, 1000);
   vgpu_load_idle(&load, 1.9 * MS);
   vgpu_load_idle(&load, 0.2 * MS);
   CHECK(fabs(vgpu_load_wake(&load) - 242 * US) < 1 && load.hz == 396 * MHZ, "not off after 2.1 ms");
}

/* 0.5 ms of 16.667 ms at half speed: 100 ms of work take 6 frames' 0.25 ms more, give or take one. */
static void test_compositor(void)
{
   const struct vgpu_params params = m1_params();
   struct vgpu_load load = open_load(&params, 0, true);
   double ns = vgpu_load_work(&load, 127800000);
   CHECK(ns > 101.25 * MS - 1 && ns < 101.75 * MS + 1, "100 ms of work take %g ms beside a compositor", ns / MS);
}

#define WORD(bits) (0x60000000u | (bits))

/* Milliseconds of so many launches of a simdgroup with that barrier after each. A launch alone takes `each`
 * milliseconds. */
static double launches_ms(const struct vgpu_params *params, unsigned launches, double each, uint32_t word)
{
   const double cycles = each * MS * 1.296;
   struct vgpu_command_time time;
   vgpu_command_begin(&time, params);
   for (unsigned n = 0; n < launches; n++) {
      vgpu_command_launch(&time, (uint64_t)cycles, 1.0 / (8 * 96)); /* an M1's part, a larger chip's is smaller */
      vgpu_command_barrier(&time, word);
   }
   vgpu_command_end(&time);
   return (time.cycles / 1.296 + time.fixed_ns) / MS;
}

/* 64 launches of 2.86 ms: 182.9 / 64 and 183.4 / 64, where bit 8 keeps them apart. */
static double barrier_ms(const struct vgpu_params *params, uint32_t word)
{
   return launches_ms(params, 64, 2.86, word);
}

/* launch.csv, cdm_barrier_bit_*, M1 Max and M1 Ultra: each chip's own column. The Ultra's are host times of a machine
 * without a desktop: power-up and firmware count. */
static void test_barriers(void)
{
   static const struct {
      uint32_t bits;
      double ms, ultra_ms;
   } rows[] = {
       {1u << 20, 3.470, 4.444},    {1u << 1, 4.229, 4.195},      {1u << 2, 5.030, 4.058},   {1u << 0, 7.443, 4.748},
       {1u << 4, 37.176, 37.618},   {1u << 5, 37.172, 37.596},    {1u << 6, 37.177, 37.563}, {1u << 10, 37.175, 37.63},
       {1u << 16, 37.175, 37.63},   {1u << 3, 48.498, 37.614},    {0x1F, 37.180, 37.646},    {1u << 8, 182.927, 183.4},
       {1u << 9, 183.284, 183.338}, {0x1FFFFF, 188.447, 183.435},
   };
   /* Nothing waits. The Ultra's five figures differ by a third from each other: 3.136 to 4.147. */
   static const uint32_t none[] = {0, 1u << 7, 1u << 17, 1u << 18, 1u << 19};
   struct vgpu_params params, ultra;
   struct vgpu_command_time time;
   vgpu_params_init(&params, vgpu_chip_find("m1-max"));
   vgpu_params_init(&ultra, vgpu_chip_find("m1-ultra"));
   const double wake_ms = (ultra.command[VGPU_COMMAND_POWER_UP] + ultra.command[VGPU_COMMAND_FIRMWARE]) / MS;
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      const double ms = barrier_ms(&params, WORD(rows[i].bits));
      const double ultra_ms = barrier_ms(&ultra, WORD(rows[i].bits)) + wake_ms;
      printf("barrier bits 0x%06x: M1 Max %7.2f ms, %+5.1f %%; M1 Ultra %7.2f ms, %+5.1f %%\n", (unsigned)rows[i].bits,
             ms, 100 * (ms / rows[i].ms - 1), ultra_ms, 100 * (ultra_ms / rows[i].ultra_ms - 1));
      CHECK(fabs(ms / rows[i].ms - 1) < 0.04, "bits 0x%x: %g ms, M1 Max %g", (unsigned)rows[i].bits, ms, rows[i].ms);
      CHECK(fabs(ultra_ms / rows[i].ultra_ms - 1) < 0.04, "bits 0x%x: %g ms, M1 Ultra %g", (unsigned)rows[i].bits,
            ultra_ms, rows[i].ultra_ms);
   }
   for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
      const double ms = barrier_ms(&params, WORD(none[i])), ultra_ms = barrier_ms(&ultra, WORD(none[i])) + wake_ms;
      printf("barrier bits 0x%06x: M1 Max %7.2f ms, %+5.1f %%; M1 Ultra %7.2f ms, of 3.136 to 4.147\n",
             (unsigned)none[i], ms, 100 * (ms / 2.892 - 1), ultra_ms);
      CHECK(fabs(ms / 2.892 - 1) < 0.02, "bits 0x%x: %g ms, M1 Max 2.892", (unsigned)none[i], ms);
      CHECK(ultra_ms > 3.136 && ultra_ms < 4.147, "bits 0x%x: %g ms on an M1 Ultra", (unsigned)none[i], ultra_ms);
   }
   vgpu_command_begin(&time, NULL);
   vgpu_command_launch(&time, 1000, 0.1);
   vgpu_command_barrier(&time, WORD(0x1FFFFF));
   vgpu_command_launch(&time, 1000, 0.1);
   vgpu_command_end(&time);
   CHECK(time.cycles >= 2000 && time.cycles <= 2000 && time.fixed_ns <= 0, "without costs something costs");
}

/* launch.csv, concurrent_*_independent and 64_empty_dispatches_*: the errors that docs/timing-model.md tells. Most rows
 * are blind: this does not say that the model is right, but that the document is. */
static void test_published_launches(void)
{
   static const struct {
      const char *chip;
      unsigned launches;
      double each, ms; /* of a launch alone, 0: it is empty; published */
      uint32_t bits;
      double percent; /* the model's error */
   } rows[] = {
       {"m1-max", 1, 3.95, 5.386, 0, -27},    {"m1-max", 2, 3.95, 3.954, 0, 0},
       {"m1-max", 4, 3.95, 4.033, 0, -2},     {"m1-max", 8, 3.95, 4.116, 0, -4},
       {"m1-max", 16, 3.95, 4.293, 0, -8},    {"m1-max", 32, 3.95, 3.963, 0, 0},
       {"m1-max", 64, 3.95, 4.181, 0, -4},    {"m1-max", 128, 3.95, 8.812, 0, -9},
       {"m1-max", 256, 3.95, 10.978, 0, 10},  {"m1-ultra", 32, 2.86, 3.347, 0, -5},
       {"m1-ultra", 64, 2.86, 4.116, 0, -23}, {"m1-ultra", 128, 2.86, 6.492, 0, -7},
       {"m1-ultra", 192, 2.86, 6.203, 0, -3}, {"m1-ultra", 256, 2.86, 8.957, 0, -1},
       {"m1-ultra", 320, 2.86, 11.82, 0, 0},  {"m1-ultra", 384, 2.86, 11.84, 0, -1},
       {"m1-ultra", 512, 2.86, 17.5, 0, 0},   {"m1-ultra", 768, 2.86, 23.2, 0, 0},
       {"m1-ultra", 1024, 2.86, 31.8, 0, 0},  {"m1", 64, 2.99, 2.995, 0, 0},
       {"m1", 256, 2.99, 9.345, 0, -4},       {"m1-max", 64, 0, 0.042, 0, 5},
       {"m1-max", 64, 0, 0.038, 1u << 7, 16}, {"m1-max", 64, 0, 0.064, 0x1F, -1},
       {"m1-max", 64, 0, 0.251, 0x1FFFFF, 2},
   };
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      struct vgpu_params params;
      vgpu_params_init(&params, vgpu_chip_find(rows[i].chip));
      const bool ultra = !strcmp(rows[i].chip, "m1-ultra"); /* as in test_barriers() */
      const double wake_ms = (params.command[VGPU_COMMAND_POWER_UP] + params.command[VGPU_COMMAND_FIRMWARE]) / MS;
      const double ms = launches_ms(&params, rows[i].launches, rows[i].each, WORD(rows[i].bits)) + ultra * wake_ms;
      const double percent = 100 * (ms / rows[i].ms - 1);
      printf("%-8s %4u launches of %.2f ms, barrier bits 0x%06x: %7.3f ms, %+5.1f %%\n", rows[i].chip, rows[i].launches,
             rows[i].each, (unsigned)rows[i].bits, ms, percent);
      CHECK(fabs(percent - rows[i].percent) < 1, "%s, %u launches: an error of %+.1f %%, told is %+.0f %%",
            rows[i].chip, rows[i].launches, percent, rows[i].percent);
   }
}

static void read_params(const char *text, struct vgpu_params *params, int *error, char *message, size_t size)
{
   char path[] = "/tmp/params.XXXXXX";
   int fd = mkstemp(path);
   FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
   if (!file || fputs(text, file) < 0 || fclose(file)) {
      perror("mkstemp");
      exit(EXIT_FAILURE);
   }
   *error = vgpu_params_read(params, path, message, size);
   unlink(path);
}

static void test_params(void)
{
   static const struct {
      const char *text, *message;
   } bad[] = {
       {"latency/nothing 2\n", ":1: there is no parameter latency/nothing"},
       {"# fine\nlatency/ffma32\n", ":2: expected"},
       {"latency/ffma32 2 3\n", ":1: expected"},
       {"latency/ffma32 two\n", ":1: expected"},
       {"interval/ffma32 0\n", ":1: interval/ffma32 cannot be 0"},
       {"interval/ffma32 nan\n", ":1: interval/ffma32 cannot be nan"},
       {"core/schedulers 5\n", ":1: core/schedulers cannot be 5"},
       {"core/bank-halves 1e12\n", "cannot be 1e12"},
       {"command/launch -1\n", "cannot be -1"},
   };
   struct vgpu_params params = m1_params();
   char message[256] = "";
   int error;
   read_params(
       "# a comment\n\nlatency/ffma32 3.5 # another\ncommand/launch\t250\nforward/32/1 0.5\ncore/barrier 1500\n",
       &params, &error, message, sizeof(message));
   CHECK(!error, "%s", message);
   CHECK(params.latency[ISA_TIMING_FFMA32] == 350, "latency/ffma32 is %u ticks", params.latency[ISA_TIMING_FFMA32]);
   CHECK(params.command[VGPU_COMMAND_LAUNCH] >= 250 && params.forward[1][1] == 50, "a parameter was not set");
   CHECK(params.core[VGPU_CORE_BARRIER] == 1500, "core/barrier was not set");
   for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
      read_params(bad[i].text, &params, &error, message, sizeof(message));
      CHECK(error && strstr(message, bad[i].message), "%s: %s", bad[i].text, message);
   }
   /* Each name is found again, and each value comes back. */
   params = m1_params();
   for (size_t i = 0; i < vgpu_param_count(); i++) {
      char name[VGPU_PARAM_NAME];
      vgpu_param_name(i, name);
      CHECK(vgpu_param_find(name) == i, "%s is found as number %zu, not %zu", name, vgpu_param_find(name), i);
      double value = vgpu_param_get(&params, i);
      if (vgpu_param_set(&params, i, value)) {
         CHECK(fabs(vgpu_param_get(&params, i) - value) < 1e-9, "%s does not keep %g", name, value);
      }
   }
}

int main(void)
{
   test_ramp();
   test_half_load();
   test_power();
   test_compositor();
   test_barriers();
   test_published_launches();
   test_params();
   return check_result();
}
