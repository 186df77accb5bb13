/* SPDX-License-Identifier: MIT
 *
 * Power rails of a made-up hwmon tree: those of Apple's SMC are found, read and summed up; others are not.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agx_runner/power/power.h"
#include "tests/runner/check.h"

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

static void test_rails(unsigned *failures)
{
   struct power_rails rails;
   char why[320] = "";

   CHECK(failures, !power_find(&rails, root, why, sizeof(why)) && strstr(why, root) != NULL, "%s", why);
   make("hwmon0");
   put("hwmon0/name", "nvme\n");
   put("hwmon0/power1_input", "99000000\n");
   make("hwmon1");
   put("hwmon1/name", "macsmc_hwmon\n");
   put("hwmon1/power1_input", "8000000\n");
   put("hwmon1/power1_label", "Total System Power\n");
   put("hwmon1/power2_input", "1500000\n");
   CHECK(failures, power_find(&rails, root, why, sizeof(why)) && rails.count == 2, "%u rails", rails.count);
   CHECK(failures, !strcmp(rails.rails[0].label, "Total System Power") && !strcmp(rails.rails[1].label, "power2_input"),
         "%s, %s", rails.rails[0].label, rails.rails[1].label);
   power_read(&rails);
   put("hwmon1/power1_input", "12000000\n");
   put("hwmon1/power2_input", "no number\n");
   power_read(&rails);
   CHECK(failures, rails.rails[0].readings == 2 && rails.rails[0].sum == 20 && rails.rails[0].most == 12, "%u: %g, %g",
         rails.rails[0].readings, rails.rails[0].sum, rails.rails[0].most);
   CHECK(failures, rails.rails[1].readings == 1 && rails.rails[1].sum == 1.5, "%u: %g", rails.rails[1].readings,
         rails.rails[1].sum);
}

/* Waits until the other process has read, however long the host takes. */
static void test_monitor(unsigned *failures)
{
   struct power_rails rails;
   char why[320];

   put("hwmon1/power2_input", "2500000\n");
   (void)power_find(&rails, root, why, sizeof(why));
   struct power_monitor *monitor = power_start(&rails);
   CHECK(failures, monitor != NULL, "not started");
   /* The monitor begins with the rails: its memory is shared, so that their readings are seen here. */
   const volatile struct power_rails *seen = (const volatile struct power_rails *)monitor;
   while (monitor != NULL && seen->rails[1].readings < 2) {
      (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
   }
   power_stop(monitor, &rails);
   CHECK(failures, rails.rails[1].readings >= 2 && rails.rails[1].most == 2.5, "%u: %g", rails.rails[1].readings,
         rails.rails[1].most);
}

static void test_side_by_side(unsigned *failures)
{
   struct result results[2];
   struct result_run run = {.results = results, .count = 2};
   struct power_rails rails = {.rails = {{.label = "Total System Power", .sum = 20, .most = 12, .readings = 2}},
                               .count = 1};
   char *text = NULL;
   size_t size;
   FILE *file = open_memstream(&text, &size);

   result_init(&results[0], "matrix/gemm-mixed-local-512/dispatch");
   result_init(&results[1], "matrix/gemm-mixed-local-1024/dispatch");
   results[0].value = 1;
   results[1].value = 9; /* of a wrong answer: it must not count */
   results[1].status = RESULT_FAIL;
   run.device.cores = 8;
   run.device.clock_hz = 1000000000;
   if (file == NULL) {
      exit(EXIT_FAILURE);
   }
   power_write(&run, &rails, file);
   fclose(file);
   /* 8 cores of 256 operations at 1 GHz: 2.048 TFLOP/s. */
   CHECK(failures,
         strstr(text, "2.048 TFLOP/s") &&
             strstr(text, "1.000 TFLOP/s, 48.8 % of the ceiling: matrix/gemm-mixed-local-512"),
         "%s", text);
   CHECK(failures, strstr(text, "10.000 W mean, 12.000 W most: Total System Power (2 readings, one each 100 ms"), "%s",
         text);
   free(text);
}

int main(void)
{
   unsigned failures = 0;

   if (mkdtemp(root) == NULL) {
      return EXIT_FAILURE;
   }
   test_rails(&failures);
   test_monitor(&failures);
   test_side_by_side(&failures);
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
   return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
