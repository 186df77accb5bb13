/* SPDX-License-Identifier: MIT
 *
 * Finds the shape of the caches from rates and latencies. Invariant: nothing here knows the parameters of a model or of
 * a chip; what is used are the sizes and latencies that the sweep found.
 */
#include "agx_runner/sweep/sweep_shape.h"

#include <math.h>

#include "agx_runner/terminal/runner.h"
#include "nir_kernels/memory/memory_chase.h"
#include "nir_kernels/memory/memory_read.h"
#include "util/array.h"

#define MARGIN 0.9       /* of a level's size that is filled */
#define CLEAR 1.25       /* times the level before, so that it holds nothing of the region */
#define BEYOND 2.5       /* times the last cache */
#define SMALL_STRIDE 16u /* bytes, less than any cache fetches */
#define PAGES_LEAST 16u
#define WALK_PAGES_MOST 16384u
#define WALK_LEAST 4.0 /* cycles that are taken for a walk */
#define FEW_WALKS 0.05
#define RESOLUTION 512 /* of the number of pages, a part of it */
#define LINE_CORES 1u  /* all cores do the same, and only ratios of rates are used */
#define STEP_LEAST 1.2 /* growth of a load's time from a stride to the next */

struct shape_run {
   struct measure *measure;
   struct session *session;
};

static int measure_value(const struct shape_run *run, const struct benchmark *benchmark, enum bench_metric metric,
                         bool optional, double *value)
{
   struct result result;
   int code = EXIT_OK;

   if (session_interrupted(run->session)) {
      return EXIT_ABORTED;
   }
   /* The second time, caches and TLB hold what the first one left: a cold program may take longer than twice its work.
    */
   for (unsigned attempt = 0; attempt < 2; attempt++) {
      result_init(&result, "memory");
      (void)measure_benchmark(run->measure, benchmark, metric, &result);
      if (result.status == RESULT_PASS || attempt == 1) {
         break;
      }
      result_finish(&result);
   }
   *value = result.value;
   if (result.status == RESULT_FAIL && result.check == RESULT_CHECK_PASS && optional) {
      *value = 0; /* right answers, but no slope */
   } else if (result.status != RESULT_PASS) {
      code = session_interrupted(run->session)
                 ? EXIT_ABORTED
                 : complain(EXIT_FAILED, "sweep memory: %s: %s", benchmark->name, result.reason);
   }
   result_finish(&result);
   return code;
}

/* ---- Bandwidth ---- */

/* Returns the largest region of a core, up to `bytes` bytes, that memory_read can read in a circle. */
static uint32_t region_below(double bytes)
{
   const uint32_t units = bytes < 1 ? 0 : (uint32_t)(bytes / MEMORY_READ_UNIT);
   static const uint32_t few[] = {0, 1, 2, 3, 4, 7, 8, 16, 32};
   uint32_t fits = units / MEMORY_READ_LOADS * MEMORY_READ_LOADS;

   for (unsigned i = 0; units < MEMORY_READ_LOADS && i < ARRAY_COUNT(few) && few[i] <= units; i++) {
      fits = few[i];
   }
   return fits * MEMORY_READ_UNIT;
}

/* The first level is a core's own, the others are shared. 0: there is no such region. */
static uint32_t region_of_level(const struct sweep_level *levels, unsigned level, unsigned level_count, uint32_t cores)
{
   if (level == 0) {
      return region_below(levels[0].bytes);
   }
   const double before = level == 1 ? CLEAR * levels[0].bytes : CLEAR * levels[level - 1].bytes / cores;

   if (level + 1 == level_count || levels[level].bytes == 0) {
      return region_below(fmax(before, BEYOND * levels[level - 1].bytes / (level == 1 ? 1 : cores)) +
                          MEMORY_READ_UNIT * MEMORY_READ_LOADS);
   }
   const uint32_t region = region_below(MARGIN * levels[level].bytes / cores);

   return region >= before ? region : 0;
}

static int measure_bandwidths(const struct shape_run *run, const struct sweep_level *levels, unsigned level_count,
                              struct sweep_shape *shape)
{
   const uint32_t cores = run->session->info->cores;
   int code = EXIT_OK;

   for (unsigned i = 0; code == EXIT_OK && i < level_count && i < SWEEP_LEVELS_MAX; i++) {
      const struct memory_read read = {.region = region_of_level(levels, i, level_count, cores)};
      const struct benchmark benchmark = memory_read_benchmark("core-read", cores, &read);
      double words = 0;

      code = read.region != 0 ? measure_value(run, &benchmark, BENCH_RATE, false, &words) : EXIT_OK;
      shape->bandwidth[i] = 4 * words;
   }
   return code;
}

/* ---- Fetch and line ---- */

/* A ring in order, beyond the first level: of the links that one fetch brings, one waits for the second level. */
static int measure_fetch(const struct shape_run *run, const struct sweep_level *levels, struct sweep_shape *shape)
{
   const struct memory_chase chase = {.stride = SMALL_STRIDE, .in_order = true};
   const struct benchmark benchmark = memory_chase_benchmark("chase in order", 2 * levels[0].bytes, &chase);
   double cycles = 0;
   const int code = measure_value(run, &benchmark, BENCH_LATENCY, false, &cycles);

   if (code == EXIT_OK && cycles > levels[0].cycles) {
      shape->fetch = SMALL_STRIDE * (levels[1].cycles - levels[0].cycles) / (cycles - levels[0].cycles);
   }
   return code;
}

/* From a distance of one line on each lane has its own line, so that a load takes no longer. If the bytes of 32 fetches
 * take longer than 32 lines do, the size of a fetch is found instead. */
static int measure_line(const struct shape_run *run, const struct sweep_level *levels, struct sweep_shape *shape)
{
   double before = 0;
   int code = EXIT_OK;

   for (uint32_t stride = 1; code == EXIT_OK && stride <= MEMORY_READ_STRIDE_MAX && 32 * 4 * stride <= levels[0].bytes;
        stride *= 2) {
      const struct memory_read read = {.stride = stride};
      const struct benchmark benchmark = memory_read_benchmark("core-stride", LINE_CORES, &read);
      double words = 0;

      code = measure_value(run, &benchmark, BENCH_RATE, true, &words);
      if (words <= 0) {
         shape->line = 0;
         break;
      }
      /* The last stride at which a load still took longer than at the stride before. */
      shape->line = code == EXIT_OK && before > STEP_LEAST * words ? 4 * stride : shape->line;
      before = words;
   }
   return code;
}

/* ---- Pages ---- */

/* The extra time of a load when each link is on its own page, compared with the same links packed. */
static int measure_walk(const struct shape_run *run, uint32_t pages, double *walk)
{
   const struct memory_chase paged = {.stride = MEMORY_CHASE_PAGE, .by_page = true},
                             packed = {.stride = MEMORY_CHASE_LINE};
   const struct benchmark far = memory_chase_benchmark("chase by page", pages * MEMORY_CHASE_PAGE, &paged),
                          near = memory_chase_benchmark("chase", pages * MEMORY_CHASE_LINE, &packed);
   double cycles[2] = {0};
   int code = measure_value(run, &far, BENCH_LATENCY, false, &cycles[0]);

   code = code == EXIT_OK ? measure_value(run, &near, BENCH_LATENCY, false, &cycles[1]) : code;
   *walk = cycles[0] - cycles[1];
   return code;
}

/* Pages of a ring of which every load walks: twice the entries at least, as some loads find theirs among few more pages
 * than entries. The ring's lines are far from the size of any cache, which packed and spread lines fill differently. 0:
 * such a ring would take too much memory. */
static uint32_t pages_to_walk(const struct sweep_level *levels, unsigned level_count, uint32_t entries)
{
   uint32_t best = 0;
   double farthest = 0;

   for (uint32_t eighths = 16; eighths <= 32 && (uint64_t)entries * eighths / 8 <= WALK_PAGES_MOST; eighths++) {
      const uint32_t pages = (uint32_t)((uint64_t)entries * eighths / 8);
      double nearest = HUGE_VAL;

      for (unsigned i = 0; i < level_count; i++) {
         if (levels[i].bytes != 0) {
            nearest = fmin(nearest, fabs(log((double)pages * MEMORY_CHASE_LINE / levels[i].bytes)));
         }
      }
      if (nearest > farthest) {
         farthest = nearest;
         best = pages;
      }
   }
   return best;
}

/* Goes from the most pages down to where hardly any load waits for a walk. With fewer pages the steps of the caches may
 * look like walks: pages do not fill their sets as evenly as a packed ring does. */
static int measure_pages(const struct shape_run *run, const struct sweep_level *levels, unsigned level_count,
                         struct sweep_shape *shape)
{
   uint32_t inside = shape->pages_most, outside = 0;
   double walk;
   int code = measure_walk(run, shape->pages_most, &walk);

   if (code != EXIT_OK || walk < WALK_LEAST) {
      return code;
   }
   const double few = FEW_WALKS * walk;
   shape->walk = walk;
   for (; code == EXIT_OK && walk > few && inside > PAGES_LEAST; outside = walk > few ? inside : outside) {
      inside /= 2;
      code = measure_walk(run, inside, &walk);
   }
   outside = outside == 0 ? shape->pages_most : outside;
   while (code == EXIT_OK && outside - inside > (inside < RESOLUTION ? 1 : inside / RESOLUTION)) {
      const uint32_t middle = inside + (outside - inside) / 2;

      code = measure_walk(run, middle, &walk);
      *(walk > few ? &outside : &inside) = middle;
   }
   shape->pages = inside;
   const uint32_t many = pages_to_walk(levels, level_count, inside);

   return code == EXIT_OK && many != 0 ? measure_walk(run, many, &shape->walk) : code;
}

int sweep_shape_measure(struct measure *measure, struct session *session, const struct sweep_level *levels,
                        unsigned level_count, uint32_t pages_most, struct sweep_shape *shape)
{
   const struct shape_run run = {measure, session};

   *shape = (struct sweep_shape){.pages_most = pages_most};
   if (level_count < 2 || levels[0].bytes == 0) {
      return EXIT_OK;
   }
   int code = measure_bandwidths(&run, levels, level_count, shape);
   code = code == EXIT_OK ? measure_fetch(&run, levels, shape) : code;
   code = code == EXIT_OK ? measure_line(&run, levels, shape) : code;
   return code == EXIT_OK ? measure_pages(&run, levels, level_count, shape) : code;
}
