/* SPDX-License-Identifier: MIT
 *
 * Rails are files of hwmon, power*_input in microwatts with power*_label beside them. A child process reads them while
 * the caller keeps the GPU busy; the sums are in memory that both share.
 *
 * Invariant: a rail that cannot be read has no readings, and never a figure of zero watts.
 */
#include "agx_runner/power/power.h"

#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/array.h"

#define NAME "macsmc_hwmon"
/* Floating-point operations of a core in a cycle: 4 schedulers, 32 lanes, 2 for a multiply-add. */
#define CORE_OPERATIONS 256.0

/* The first line of a file, without its end. False: it cannot be read. */
static bool read_line(const char *path, char *line, int size)
{
   FILE *file = fopen(path, "re");
   const bool done = file != NULL && fgets(line, size, file) != NULL;

   if (file != NULL) {
      fclose(file);
   }
   if (done) {
      line[strcspn(line, "\n")] = '\0';
   }
   return done;
}

/* A rail from the path of its power*_input. */
static void add_rail(struct power_rails *rails, const char *input)
{
   struct power_rail *rail = &rails->rails[rails->count];
   const int stem = (int)(strlen(input) - strlen("_input"));
   char path[340];

   *rail = (struct power_rail){.readings = 0};
   if (rails->count == POWER_RAILS_MAX ||
       snprintf(rail->path, sizeof(rail->path), "%s", input) >= (int)sizeof(rail->path)) {
      return;
   }
   snprintf(path, sizeof(path), "%.*s_label", stem, input);
   if (!read_line(path, rail->label, sizeof(rail->label))) {
      snprintf(rail->label, sizeof(rail->label), "%.60s", strrchr(input, '/') + 1);
   }
   rails->count++;
}

/* Adds what matches "FOLDER/power*_input". */
static void add_rails(struct power_rails *rails, const char *folder)
{
   char pattern[300];
   glob_t found;

   snprintf(pattern, sizeof(pattern), "%s/power*_input", folder);
   if (glob(pattern, 0, NULL, &found) == 0) {
      for (size_t i = 0; i < found.gl_pathc && rails->count < POWER_RAILS_MAX; i++) {
         add_rail(rails, found.gl_pathv[i]);
      }
      globfree(&found);
   }
}

bool power_find(struct power_rails *rails, const char *hwmon, char *why, size_t why_size)
{
   char pattern[280], path[320], name[64];
   glob_t found;

   *rails = (struct power_rails){.count = 0};
   snprintf(pattern, sizeof(pattern), "%s/hwmon*", hwmon);
   if (glob(pattern, 0, NULL, &found) == 0) {
      for (size_t i = 0; i < found.gl_pathc; i++) {
         snprintf(path, sizeof(path), "%.300s/name", found.gl_pathv[i]);
         if (read_line(path, name, sizeof(name)) && !strcmp(name, NAME)) {
            add_rails(rails, found.gl_pathv[i]);
         }
      }
      globfree(&found);
   }
   if (rails->count == 0) {
      snprintf(why, why_size, "%s has no power rails of " NAME, hwmon);
   }
   return rails->count > 0;
}

void power_read(struct power_rails *rails)
{
   char line[32];

   for (unsigned i = 0; i < rails->count; i++) {
      struct power_rail *rail = &rails->rails[i];
      char *end = line;
      const double watts = read_line(rail->path, line, sizeof(line)) ? strtod(line, &end) * 1e-6 : 0;

      if (end != line) {
         rail->sum += watts;
         rail->most = rail->readings == 0 || watts > rail->most ? watts : rail->most;
         rail->readings++;
      }
   }
}

struct power_monitor {
   struct power_rails rails;
   pid_t child;
};

struct power_monitor *power_start(const struct power_rails *rails)
{
   struct power_monitor *monitor =
       mmap(NULL, sizeof(*monitor), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

   if (monitor == MAP_FAILED) {
      return NULL;
   }
   monitor->rails = *rails;
   const pid_t parent = getpid(), child = fork();
   if (child == 0) {
      (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
      while (getppid() == parent) {
         power_read(&monitor->rails);
         (void)nanosleep(&(struct timespec){.tv_nsec = POWER_INTERVAL_MS * 1000000l}, NULL);
      }
      _exit(EXIT_SUCCESS);
   }
   if (child < 0) {
      munmap(monitor, sizeof(*monitor));
      return NULL;
   }
   monitor->child = child;
   return monitor;
}

void power_stop(struct power_monitor *monitor, struct power_rails *rails)
{
   if (monitor != NULL) {
      (void)kill(monitor->child, SIGKILL);
      (void)waitpid(monitor->child, NULL, 0);
      *rails = monitor->rails;
      munmap(monitor, sizeof(*monitor));
   }
}

/* ---- Side by side ---- */

/* The best passed product of a kernel over all sizes and forms; NULL: none. */
static const struct result *best_of(const struct result_run *run, const char *kernel)
{
   const struct result *best = NULL;

   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];

      if (strncmp(result->name, "matrix/gemm-", 12) == 0 && strstr(result->name, kernel) != NULL &&
          result->status == RESULT_PASS && (best == NULL || result->value > best->value)) {
         best = result;
      }
   }
   return best;
}

static void write_energy(const struct result *result, FILE *file)
{
   const struct result_energy *energy = &result->energy;

   if (energy->rail[0] != '\0' && !isnan(energy->joules)) {
      fprintf(file, "energy      %8.3f pJ an operation, %.3f W above %.3f W idle: %s\n",
              1e12 * energy->joules / energy->operations, energy->busy_w - energy->idle_w, energy->idle_w,
              energy->rail);
   }
}

void power_write(const struct result_run *run, FILE *file)
{
   static const char *const kernels[] = {"-naive-", "-tiled-", "-local-", "-direct-"};
   const double ceiling = CORE_OPERATIONS * run->device.cores * (double)run->device.clock_hz * 1e-12;

   if (ceiling > 0) {
      fprintf(file, "ceiling     %8.3f TFLOP/s: 256 operations a core and cycle at %.0f MHz%s\n", ceiling,
              (double)run->device.clock_hz * 1e-6, run->device.is_virtual ? " (virtual, modelled)" : "");
   }
   for (unsigned i = 0; i < ARRAY_COUNT(kernels); i++) {
      const struct result *best = best_of(run, kernels[i]);

      if (best == NULL) {
         continue;
      }
      if (ceiling > 0) {
         fprintf(file, "comparison  %8.3f TFLOP/s, %.1f %% of the ceiling: %s\n", best->value,
                 100 * best->value / ceiling, best->name);
      } else {
         fprintf(file, "comparison  %8.3f TFLOP/s: %s\n", best->value, best->name);
      }
      write_energy(best, file);
   }
}
