/* SPDX-License-Identifier: MIT
 *
 * Measures pointer chases at four sizes an octave. Levels are runs of sizes with the same latency. The size of a level
 * is then found by bisection: it is the largest ring that is still as fast as the smaller ones.
 *
 * Invariant: nothing here knows the parameters of a model or the sizes of a chip; levels come from latencies alone.
 */
#include "agx_runner/sweep/sweep_memory.h"

#include <math.h>
#include <stdlib.h>

#include "agx_runner/sweep/sweep_shape.h"
#include "agx_runner/terminal/gnuplot.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/memory/memory_chase.h"

#define SMALLEST 1024u
#define LARGEST (32u << 20)
#define LARGEST_FULL (256u << 20)
#define POINTS_MAX 80
#define LEVELS_MAX SWEEP_LEVELS_MAX
#define PAGES 4096u /* most pages of 16 KiB of a ring with one link a page */
#define PAGES_FULL 16384u
#define SAME 0.02        /* largest relative difference of latencies of one level */
#define RESOLUTION 1024u /* bytes: resolution of a level's size */
/* Fraction of the step to the next level above which a ring is beyond this level. In a ring that is RESOLUTION too
 * long, each line too many makes all lines of its set miss: with 4 ways, at least 0.24 % of its loads. One line that
 * another buffer had put into the ring's cache also costs a lap of misses in its set, but only once: with 16 ways and a
 * cache of 1.6 MiB, 0.12 % of the loads. */
#define STEP_SHARE 0.002

struct point {
   uint32_t bytes;
   double cycles, low, high;
};

struct level {
   unsigned first, last; /* indices of points */
   double cycles, most;  /* the median of its points, and the largest */
   uint32_t bytes;       /* 0: larger than the largest ring */
};

struct sweep_run {
   struct session session;
   struct measure measure;
   struct point points[POINTS_MAX];
   unsigned point_count;
   struct level levels[LEVELS_MAX];
   unsigned level_count;
   struct sweep_shape shape;
   double clock_hz;
   struct progress progress;
   char name[32]; /* name of its step */
};

/* Returns an enum exit_code. */
static int measure_point(struct sweep_run *run, uint32_t bytes, struct point *point)
{
   const struct memory_chase chase = {.stride = MEMORY_CHASE_LINE};
   const struct benchmark benchmark = memory_chase_benchmark("chase", bytes, &chase);
   struct result result;
   int code = EXIT_OK;

   if (session_interrupted(&run->session)) {
      return EXIT_ABORTED;
   }
   result_init(&result, "memory/chase");
   (void)measure_benchmark(&run->measure, &benchmark, BENCH_LATENCY, &result);
   if (result.status == RESULT_PASS) {
      *point = (struct point){bytes, result.value, result.low, result.high};
      run->clock_hz = (double)result.clock_hz;
   } else {
      code = session_interrupted(&run->session)
                 ? EXIT_ABORTED
                 : complain(EXIT_FAILED, "sweep memory: a ring of %u bytes: %s", bytes, result.reason);
   }
   result_finish(&result);
   return code;
}

/* Returns the number of points: four to an octave, and the first of the last octave. */
static unsigned count_points(bool full)
{
   unsigned count = 1;

   for (uint32_t octave = SMALLEST; octave < (full ? LARGEST_FULL : LARGEST); octave *= 2) {
      count += 4;
   }
   return count;
}

static int measure_points(struct sweep_run *run, bool full)
{
   int code = EXIT_OK;

   for (uint32_t octave = SMALLEST; code == EXIT_OK && octave <= (full ? LARGEST_FULL : LARGEST); octave *= 2) {
      const bool last = octave == (full ? LARGEST_FULL : LARGEST);

      for (uint32_t quarter = 4; code == EXIT_OK && quarter < (last ? 5 : 8); quarter++) {
         snprintf(run->name, sizeof(run->name), "ring of %u bytes", octave / 4 * quarter);
         progress_step(&run->progress, run->name);
         code = measure_point(run, octave / 4 * quarter, &run->points[run->point_count]);
         run->point_count += code == EXIT_OK;
      }
   }
   return code;
}

/* ---- Levels ---- */

static void find_levels(struct sweep_run *run)
{
   for (unsigned i = 0, end; i < run->point_count; i = end) {
      const double cycles = run->points[i].cycles;
      double most = cycles;

      for (end = i + 1; end < run->point_count && fabs(run->points[end].cycles / cycles - 1) < SAME; end++) {
         most = fmax(most, run->points[end].cycles);
      }
      if (end - i >= 2 && run->level_count < LEVELS_MAX) {
         run->levels[run->level_count++] =
             (struct level){.first = i, .last = end - 1, .cycles = run->points[(i + end) / 2].cycles, .most = most};
      }
   }
}

/* Finds the largest ring that is as fast as this level, between its last point and the first one of the next level. */
static int find_size(struct sweep_run *run, struct level *level, const struct level *next)
{
   const double limit = level->most + STEP_SHARE * (next->cycles - level->cycles);
   uint32_t inside = run->points[level->last].bytes, outside = run->points[next->first].bytes, step = MEMORY_CHASE_LINE;

   while (step * 2 * RESOLUTION <= inside) {
      step *= 2;
   }
   while (outside - inside > step) {
      const uint32_t middle = inside + (outside - inside) / step / 2 * step;
      struct point point;
      const int code = measure_point(run, middle > inside ? middle : inside + step, &point);

      if (code != EXIT_OK) {
         return code;
      }
      if (point.cycles <= limit) {
         inside = point.bytes;
      } else {
         outside = point.bytes;
      }
   }
   level->bytes = inside;
   return EXIT_OK;
}

static int fit_levels(struct sweep_run *run, bool full)
{
   struct sweep_level levels[LEVELS_MAX];

   int code = EXIT_OK;

   find_levels(run);
   for (unsigned i = 0; code == EXIT_OK && i + 1 < run->level_count; i++) {
      code = find_size(run, &run->levels[i], &run->levels[i + 1]);
   }
   for (unsigned i = 0; i < run->level_count; i++) {
      levels[i] = (struct sweep_level){run->levels[i].bytes, run->levels[i].cycles};
   }
   return code == EXIT_OK ? sweep_shape_measure(&run->measure, &run->session, levels, run->level_count,
                                                full ? PAGES_FULL : PAGES, &run->shape)
                          : code;
}

/* ---- Output ---- */

static const char *kind_of(const struct sweep_run *run)
{
   return run->session.info->is_virtual ? "virtual (modelled)" : "hardware";
}

static void write_csv(const struct sweep_run *run, FILE *file)
{
   fputs("device,kind,bytes,cycles,low,high\n", file);
   for (unsigned i = 0; i < run->point_count; i++) {
      const struct point *point = &run->points[i];

      fprintf(file, "\"%s\",%s,%u,%.5g,%.5g,%.5g\n", run->session.info->path, kind_of(run), point->bytes, point->cycles,
              point->low, point->high);
   }
}

static void write_levels(const struct sweep_run *run, FILE *file)
{
   const struct sweep_shape *shape = &run->shape;

   fprintf(file, "%-6s %14s %10s %10s %16s\n", "level", "bytes", "cycles", "ns", "byte/cycle/core");
   for (unsigned i = 0; i < run->level_count; i++) {
      const struct level *level = &run->levels[i];

      fprintf(file, "%-6u ", i + 1);
      if (level->bytes != 0) {
         fprintf(file, "%14u", level->bytes);
      } else {
         fprintf(file, "%14s", "more");
      }
      fprintf(file, " %10.1f %10.1f", level->cycles, level->cycles / run->clock_hz * 1e9);
      if (shape->bandwidth[i] > 0) {
         fprintf(file, " %16.2f\n", shape->bandwidth[i]);
      } else {
         fprintf(file, " %16s\n", "-");
      }
   }
   if (shape->fetch > 0) {
      fprintf(file, "fetch  %14.1f  bytes that level 1 loads at least\n", shape->fetch);
   }
   if (shape->line != 0) {
      fprintf(file, "line   %14u  bytes\n", shape->line);
   }
   if (shape->pages != 0) {
      fprintf(file, "pages  %14u  of 16 KiB without a walk, which takes %.1f cycles\n", shape->pages, shape->walk);
   } else if (shape->pages_most != 0) {
      fprintf(file, "pages  %14s  than %u of 16 KiB without a walk\n", "more", shape->pages_most);
   }
   fprintf(file, "%s: %s\n", run->session.info->path, kind_of(run));
}

static void write_script(const void *data, FILE *file)
{
   const struct sweep_run *run = data;
   gnuplot_terminal(file, 900, 600, "");
   fprintf(file,
           "set logscale xy\nset xlabel 'bytes of the ring'\n"
           "set ylabel 'cycles a load'\nset grid\nset title \"%s (%s)\" noenhanced\nset format x '%%.0b %%BB'\n"
           "set logscale x 2\n",
           run->session.info->path, kind_of(run));
   for (unsigned i = 0; i < run->level_count; i++) {
      if (run->levels[i].bytes != 0) {
         fprintf(file, "set arrow from %u, graph 0 to %u, graph 1 nohead dt 2\n", run->levels[i].bytes,
                 run->levels[i].bytes);
      }
   }
   fputs("$points << E\n", file);
   for (unsigned i = 0; i < run->point_count; i++) {
      fprintf(file, "%u %.5g\n", run->points[i].bytes, run->points[i].cycles);
   }
   fputs("E\nplot $points using 1:2 with linespoints pt 7 ps 0.4 title ''\n", file);
}

static int write_plot(const struct sweep_run *run, const char *path)
{
   return gnuplot_write(write_script, run, path);
}

static int execute(struct sweep_run *run, const struct run_settings *settings,
                   const struct sweep_memory_options *options)
{
   /* modelled time has no jitter unless an option asks for it */
   const bool still = run->session.info->is_virtual && run->session.info->disturbance[0] == 0;
   const struct measure_settings measuring = {.samples = still ? 1 : settings->samples,
                                              .seed = settings->seed,
                                              .clock = settings->clock,
                                              .ffma_cycles = settings->ffma_cycles};
   char why[240];

   if (!measure_start(&run->measure, &run->session, &measuring, why, sizeof(why))) {
      return complain(EXIT_INVALID, "%s", why);
   }
   progress_start_on_terminal(&run->progress, count_points(options->full));
   int code = measure_points(run, options->full);
   progress_finish(&run->progress);
   if (code == EXIT_OK && options->fit != NULL) {
      code = fit_levels(run, options->full);
   }
   /* keep what was measured before an interruption */
   const bool keeps = code == EXIT_OK || code == EXIT_ABORTED;
   if (code == EXIT_ABORTED) {
      note("sweep memory: interrupted after %u of %u points", run->point_count, count_points(options->full));
   }
   if (keeps && options->csv != NULL) {
      write_csv(run, options->csv);
   }
   if (keeps && options->fit != NULL) {
      write_levels(run, options->fit);
   }
   if (keeps && options->plot != NULL) {
      const int plotted = write_plot(run, options->plot);
      code = code == EXIT_OK ? plotted : code;
   }
   measure_finish(&run->measure);
   return code;
}

int sweep_memory(const struct run_settings *settings, const struct sweep_memory_options *options)
{
   struct sweep_run *run = calloc(1, sizeof(*run));

   if (run == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   int code = session_open(&run->session, settings->device, settings->timeout);
   if (code == EXIT_OK) {
      code = execute(run, settings, options);
      session_close(&run->session);
   }
   free(run);
   return code;
}
