/* SPDX-License-Identifier: MIT
 *
 * The steps of a replay: each is done once, by any number of threads, and not before the steps whose results it needs.
 * A failure ends all.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "vgpu/host_threads.h"
#include "vgpu/timing/memory/steps.h"

#define CORES 5u
#define PARTS 3u
#define KINDS (VGPU_STEP_LIST + 1u)
#define MOST_THREADS 8u

static atomic_int failures;

struct replay {
   uint64_t windows[CORES], most; /* that each core lists; the largest number */
   bool fed[CORES];
   uint64_t fails;                          /* the step that fails; UINT64_MAX: none */
   atomic_uint_fast64_t steps;              /* that have begun */
   atomic_uint_fast64_t done[KINDS][CORES]; /* windows */
   atomic_bool busy[KINDS][CORES];
};

static void expect(bool is, const char *what, const struct vgpu_replay_step *step)
{
   if (!is) {
      printf("kind %u, row %u, window %u: %s\n", step->kind, step->index, (unsigned)step->window, what);
      failures++;
   }
}

/* Whether the row has passed the window, as far as it has such a window. */
static bool has_passed(struct replay *replay, enum vgpu_step_kind kind, uint32_t row, uint64_t window)
{
   const bool own = kind == VGPU_STEP_LIST || kind == VGPU_STEP_SERVICES;
   return atomic_load(&replay->done[kind][row]) > window || (own && window >= replay->windows[row]);
}

static bool all_passed(struct replay *replay, enum vgpu_step_kind kind, uint32_t rows, uint64_t window)
{
   bool passed = true;
   for (uint32_t i = 0; i < rows; i++) {
      passed &= has_passed(replay, kind, i, window);
   }
   return passed;
}

static void check_order(struct replay *replay, const struct vgpu_replay_step *step)
{
   const uint64_t window = step->window;
   const uint32_t row = step->index;
   switch (step->kind) {
   case VGPU_STEP_FEED:
      expect(replay->fed[row], "not fed", step);
      expect(has_passed(replay, VGPU_STEP_SERVICES, row, step->end - 1), "simulated before its services", step);
      break;
   case VGPU_STEP_SERVICES:
      expect(window < replay->windows[row], "not listed", step);
      expect(all_passed(replay, VGPU_STEP_SERVE, PARTS, window), "services before answers", step);
      expect(!replay->fed[row] || window < VGPU_STEPS_FED ||
                 has_passed(replay, VGPU_STEP_FEED, row, window - VGPU_STEPS_FED),
             "services over those of a window that is not simulated yet", step);
      break;
   case VGPU_STEP_SERVE:
      expect(window < replay->most, "behind the last window", step);
      expect(all_passed(replay, VGPU_STEP_LIST, CORES, window), "served before all cores have listed", step);
      break;
   case VGPU_STEP_LIST:
      expect(window < replay->windows[row], "behind the core's last window", step);
      expect(window < VGPU_STEPS_WINDOWS || has_passed(replay, VGPU_STEP_SERVICES, row, window - VGPU_STEPS_WINDOWS),
             "listed over a window that still has no services", step);
      break;
   }
}

static enum vgpu_step_result work(void *data, const struct vgpu_replay_step *step)
{
   struct replay *replay = data;
   atomic_uint_fast64_t *done = &replay->done[step->kind][step->index];
   expect(!atomic_exchange(&replay->busy[step->kind][step->index], true), "two at a time", step);
   expect(atomic_load(done) == step->window && step->window < step->end, "not the next one", step);
   expect(step->kind == VGPU_STEP_FEED || step->end == step->window + 1, "several windows", step);
   check_order(replay, step);
   const bool fails = atomic_fetch_add(&replay->steps, 1) == replay->fails;
   atomic_store(done, step->end);
   atomic_store(&replay->busy[step->kind][step->index], false);
   const bool last = step->kind == VGPU_STEP_LIST && step->end == replay->windows[step->index];
   return fails ? VGPU_STEP_FAILED : last ? VGPU_STEP_LAST : VGPU_STEP_DONE;
}

static void check_end(struct replay *replay, unsigned threads)
{
   for (uint32_t i = 0; i < CORES; i++) {
      const uint64_t windows = replay->windows[i];
      if (replay->done[VGPU_STEP_LIST][i] != windows || replay->done[VGPU_STEP_SERVICES][i] != windows ||
          replay->done[VGPU_STEP_FEED][i] != (replay->fed[i] ? windows : 0)) {
         printf("%u threads: core %u was left in the middle\n", threads, i);
         failures++;
      }
   }
   for (uint32_t i = 0; i < PARTS; i++) {
      if (replay->done[VGPU_STEP_SERVE][i] != replay->most) {
         printf("%u threads: part %u was left in the middle\n", threads, i);
         failures++;
      }
   }
}

/* pool: threads that there are. */
static void check(struct vgpu_host_threads *pool, unsigned threads, unsigned seed, uint64_t fails)
{
   struct replay *replay = calloc(1, sizeof(*replay));
   if (!replay) {
      failures++;
      return;
   }
   replay->fails = fails;
   for (uint32_t i = 0; i < CORES; i++) {
      replay->windows[i] = 1 + (seed * 7 + i * i * 13) % 40;
      replay->fed[i] = seed >> i & 1;
      replay->most = replay->windows[i] > replay->most ? replay->windows[i] : replay->most;
   }
   const struct vgpu_steps steps = {.cores = CORES, .parts = PARTS, .fed = replay->fed, .work = work, .data = replay};
   const bool done = vgpu_steps_run(&steps, pool, threads);
   if (done != (fails == UINT64_MAX)) {
      printf("%u threads, seed %u: %s\n", threads, seed, done ? "no failure" : "failed");
      failures++;
   }
   if (done) {
      check_end(replay, threads);
   }
   free(replay);
}

int main(void)
{
   for (unsigned count = 1; count <= MOST_THREADS; count *= 2) {
      struct vgpu_host_threads *pool = vgpu_host_threads_create(count);
      if (!pool) {
         return 1;
      }
      for (unsigned seed = 0; seed < 64; seed++) {
         check(pool, count, seed, UINT64_MAX);
         check(pool, MOST_THREADS, seed, UINT64_MAX); /* some threads do not exist */
         check(pool, count, seed, seed);
      }
      vgpu_host_threads_destroy(pool);
   }
   return failures > 0;
}
