/* SPDX-License-Identifier: MIT
 *
 * Power rails of a made-up hwmon tree: those of Apple's SMC are found, read and summed up; others are not. The energy
 * of a dispatch on a virtual device, whose "machine" is that tree.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agx_runner/measure/measure.h"
#include "agx_runner/power/energy.h"
#include "agx_runner/terminal/runner.h"
#include "tests/check.h"
#include "tests/runner/measure/measure_one.h"

static char root[] = "/tmp/agx-power-XXXXXX";

static void put(const char *name, const char *text)
{
   char path[128];

   snprintf(path, sizeof(path), "%s/%s", root, name);
   FILE *file = fopen(path, "we");
   if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
      exit(EXIT_FAILURE);
   }
}

static void make(const char *name)
{
   char path[128];

   snprintf(path, sizeof(path), "%s/%s", root, name);
   if (mkdir(path, 0700) != 0) {
      exit(EXIT_FAILURE);
   }
}

static void test_rails(void)
{
   struct power_rails rails;
   char why[320] = "";

   CHECK(!power_find(&rails, root, why, sizeof(why)) && strstr(why, root) != NULL, "%s", why);
   make("hwmon0");
   put("hwmon0/name", "nvme\n");
   put("hwmon0/power1_input", "99000000\n");
   make("hwmon1");
   put("hwmon1/name", "macsmc_hwmon\n");
   put("hwmon1/power1_input", "8000000\n");
   put("hwmon1/power1_label", "Total System Power\n");
   put("hwmon1/power2_input", "1500000\n");
   CHECK(power_find(&rails, root, why, sizeof(why)) && rails.count == 2, "%u rails", rails.count);
   CHECK(!strcmp(rails.rails[0].label, "Total System Power") && !strcmp(rails.rails[1].label, "power2_input"), "%s, %s",
         rails.rails[0].label, rails.rails[1].label);
   power_read(&rails);
   put("hwmon1/power1_input", "12000000\n");
   put("hwmon1/power2_input", "no number\n");
   power_read(&rails);
   CHECK(rails.rails[0].readings == 2 && rails.rails[0].sum == 20 && rails.rails[0].most == 12, "%u: %g, %g",
         rails.rails[0].readings, rails.rails[0].sum, rails.rails[0].most);
   CHECK(rails.rails[1].readings == 1 && rails.rails[1].sum == 1.5, "%u: %g", rails.rails[1].readings,
         rails.rails[1].sum);
}

/* Waits until the other process has read, however long the host takes. */
static void test_monitor(void)
{
   struct power_rails rails;
   char why[320];

   put("hwmon1/power2_input", "2500000\n");
   (void)power_find(&rails, root, why, sizeof(why));
   struct power_monitor *monitor = power_start(&rails);
   CHECK(monitor != NULL, "not started");
   /* The monitor begins with the rails: its memory is shared, so that their readings are seen here. */
   const volatile struct power_rails *seen = (const volatile struct power_rails *)monitor;
   while (monitor != NULL && seen->rails[1].readings < 2) {
      (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
   }
   power_stop(monitor, &rails);
   CHECK(rails.rails[1].readings >= 2 && rails.rails[1].most == 2.5, "%u: %g", rails.rails[1].readings,
         rails.rails[1].most);
}

static struct benchmark find(const char *group, const char *name)
{
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->group, group) && !strcmp(bench_at(i)->name, name)) {
         return *bench_at(i);
      }
   }
   exit(EXIT_FAILURE);
}

/* The first submission of an energy: the machine takes 20 W from now on, and took 8 W before. */
static void busy_now(void *data)
{
   bool *measured = data;

   if (*measured) {
      put("hwmon1/power1_input", "20000000\n");
      *measured = false;
   }
}

struct energy_test {
   struct energy_meter meter;
   bool measured;
   double longer_ns; /* of one dispatch of the longer program */
};

static void measure_energy(void *data, struct benchmark_pair *pair)
{
   struct energy_test *test = data;

   put("hwmon1/power1_input", "8000000\n");
   test->measured = true;
   test->longer_ns = pair->sides[1].nanoseconds;
   energy_measure(&test->meter, pair);
}

static struct result measure_row(struct session *session, struct energy_test *test, const struct benchmark *benchmark,
                                 enum bench_metric metric)
{
   const struct measure_settings settings = {.samples = 9, .seed = 1, .after = measure_energy, .after_data = test};

   return measure_one_with(session, benchmark, metric, &settings);
}

/* 12 W above idle, over the seconds in which so many dispatches ran. How many that are is the host's speed, and no part
 * of what is checked. */
static void test_energy(void)
{
   struct energy_test test = {.measured = false};
   const struct asahi_watch watch = {busy_now, &test.measured};
   const struct benchmark gemm = find("matrix", "gemm-mixed-local-64"), chain = find("matrix", "fmadd-mixed"),
                          rate = find("memory", "core-stride-1");
   struct session session;
   char why[320] = "";

   if (session_open(&session, "virtual:m1", 60) != EXIT_OK) {
      exit(EXIT_FAILURE);
   }
   asahi_device_watch(session.device, &watch);
   CHECK(energy_start(&test.meter, root, why, sizeof(why)) && !strcmp(test.meter.rail.label, "Total System Power"),
         "%s: %s", test.meter.rail.label, why);
   CHECK(test.meter.busy_part_min == 0.5, "%g", test.meter.busy_part_min);
   test.meter.lead_seconds = test.meter.idle_seconds = test.meter.busy_seconds = 0.3;

   /* A virtual device emulates far longer than the modelled time: its GPU is hardly ever busy. */
   struct result result = measure_row(&session, &test, &gemm, BENCH_DISPATCH);
   const struct result_energy *energy = &result.energy;
   CHECK(result.status == RESULT_PASS && isnan(energy->joules) && energy->busy_part > 0 && energy->busy_part < 0.5,
         "%s: %g J, %g", result.reason, energy->joules, energy->busy_part);
   result_finish(&result);

   test.meter.busy_part_min = 0;
   result = measure_row(&session, &test, &gemm, BENCH_DISPATCH);
   CHECK(energy->idle_w == 8 && energy->busy_w == 20 && energy->readings > 0, "%g W, %g W idle, %u", energy->busy_w,
         energy->idle_w, energy->readings);
   CHECK(energy->seconds >= 0.3 && energy->dispatches > 0 && energy->operations == 2.0 * 64 * 64 * 64,
         "%g s, %g dispatches, %g operations", energy->seconds, energy->dispatches, energy->operations);
   CHECK(fabs(energy->joules * energy->dispatches / (12 * energy->seconds) - 1) < 1e-12, "%g J", energy->joules);
   char *line = result_to_line(&result);
   struct result back;
   CHECK(line != NULL && result_from_line(line, &back, why, sizeof(why)) == 0, "%s", why);
   CHECK(fabs(back.energy.joules / energy->joules - 1) < 1e-6 && !strcmp(back.energy.rail, energy->rail) &&
             back.energy.idle_w == 8 && back.energy.readings == energy->readings,
         "%s", line);
   result_finish(&back);
   free(line);
   result_finish(&result);

   /* A rate and a latency: as many operations as the figure says for the time of the longer program, but for the ends
    * of its loop. */
   const double cycles_a_ns = (double)session.info->clock_hz * 1e-9;
   result = measure_row(&session, &test, &rate, BENCH_RATE);
   CHECK(result.status == RESULT_PASS && energy->joules > 0 &&
             fabs(energy->operations / (result.value * cycles_a_ns * session.info->cores * test.longer_ns) - 1) < 0.1,
         "%s: %g operations, %g %s for %g ns", result.reason, energy->operations, result.value, result.unit,
         test.longer_ns);
   result_finish(&result);
   result = measure_row(&session, &test, &chain, BENCH_LATENCY);
   CHECK(result.status == RESULT_PASS && energy->joules > 0 && energy->operations > 0, "%s: %s, %g", result.reason,
         energy->rail, energy->operations);
   result_finish(&result);
   session_close(&session);
}

static void test_side_by_side(void)
{
   struct result results[2];
   struct result_run run = {.results = results, .count = 2};
   char *text = NULL;
   size_t size;
   FILE *file = open_memstream(&text, &size);

   result_init(&results[0], "matrix/gemm-mixed-local-512/dispatch");
   result_init(&results[1], "matrix/gemm-mixed-local-1024/dispatch");
   results[0].value = 1;
   results[0].energy = (struct result_energy){
       .rail = "Total System Power", .joules = 2e-3, .idle_w = 8, .busy_w = 20, .operations = 2.5e8, .readings = 30};
   results[1].value = 9; /* of a wrong answer: it must not count */
   results[1].status = RESULT_FAIL;
   run.device.cores = 8;
   run.device.clock_hz = 1000000000;
   if (file == NULL) {
      exit(EXIT_FAILURE);
   }
   power_write(&run, file);
   fclose(file);
   /* 8 cores of 256 operations at 1 GHz: 2.048 TFLOP/s. 2 mJ over 2.5e8 operations: 8 pJ. */
   CHECK(strstr(text, "2.048 TFLOP/s") &&
             strstr(text, "1.000 TFLOP/s, 48.8 % of the ceiling: matrix/gemm-mixed-local-512"),
         "%s", text);
   CHECK(strstr(text, "8.000 pJ an operation, 12.000 W above 8.000 W idle: Total System Power"), "%s", text);
   free(text);
}

int main(void)
{

   if (mkdtemp(root) == NULL) {
      return EXIT_FAILURE;
   }
   test_rails();
   test_monitor();
   test_energy();
   test_side_by_side();
   static const char *const names[] = {"hwmon0/name",
                                       "hwmon0/power1_input",
                                       "hwmon1/name",
                                       "hwmon1/power1_input",
                                       "hwmon1/power1_label",
                                       "hwmon1/power2_input",
                                       "hwmon0",
                                       "hwmon1",
                                       ""};
   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      char path[128];

      snprintf(path, sizeof(path), "%s/%s", root, names[i]);
      (void)remove(path);
   }
   return check_result();
}
