/* SPDX-License-Identifier: MIT
 *
 * See steps.h. Each core lists its windows in order, each part serves a window when all cores have listed it, and each
 * core turns the answers of a window into services when all parts have served it.
 *
 * A thread that finds nothing to do looks again for some microseconds before it sleeps, because a step takes tens of
 * them, and waking a thread can take as long.
 */
#include "vgpu/timing/memory/steps.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "vgpu/host_threads.h"

#define TRIES 200u /* to take the lock, and to find something to do, before the thread sleeps */

/* A core or a part. */
struct row {
   uint64_t done;   /* windows that it has passed */
   unsigned thread; /* that did the last step */
   bool busy;       /* a thread does the next one */
   bool ended;      /* of a list: it was the last one; of VGPU_STEP_FEED: there is none */
};

struct plan {
   const struct vgpu_steps *steps;
   pthread_mutex_t lock; /* protects the rest but `changes` */
   pthread_cond_t changed;
   struct row *rows[VGPU_STEP_LIST + 1]; /* by kind */
   uint32_t counts[VGPU_STEP_LIST + 1];
   unsigned asleep;
   bool failed;
   atomic_uint changes; /* steps that have been done */
};

static void pause_briefly(void)
{
#if defined(__x86_64__)
   __builtin_ia32_pause();
#elif defined(__aarch64__)
   __asm__ volatile("yield");
#endif
}

static void take_lock(struct plan *plan)
{
   for (unsigned i = 0; i < TRIES; i++) {
      if (pthread_mutex_trylock(&plan->lock) == 0) {
         return;
      }
      pause_briefly();
   }
   pthread_mutex_lock(&plan->lock);
}

/* Returns the windows that all rows of the kind have passed. Lists that have ended do not count. */
static uint64_t passed(const struct plan *plan, enum vgpu_step_kind kind)
{
   uint64_t least = UINT64_MAX, most = 0;
   for (uint32_t i = 0; i < plan->counts[kind]; i++) {
      const struct row *row = &plan->rows[kind][i];
      least = !row->ended && row->done < least ? row->done : least;
      most = row->done > most ? row->done : most;
   }
   return least == UINT64_MAX ? most : least;
}

/* Returns the window that the row may not begin. */
static uint64_t limit_of(const struct plan *plan, enum vgpu_step_kind kind, uint32_t index, const uint64_t *all)
{
   const struct row *row = &plan->rows[kind][index];
   const uint64_t services = plan->rows[VGPU_STEP_SERVICES][kind == VGPU_STEP_SERVE ? 0 : index].done,
                  listed = plan->rows[VGPU_STEP_LIST][kind == VGPU_STEP_SERVE ? 0 : index].done;
   uint64_t limit;
   switch (kind) {
   case VGPU_STEP_FEED:
      return row->ended ? 0 : services;
   case VGPU_STEP_SERVICES: {
      const struct row *feed = &plan->rows[VGPU_STEP_FEED][index];
      limit = all[VGPU_STEP_SERVE] < listed ? all[VGPU_STEP_SERVE] : listed;
      return feed->ended || limit < feed->done + VGPU_STEPS_FED ? limit : feed->done + VGPU_STEPS_FED;
   }
   case VGPU_STEP_SERVE:
      return all[VGPU_STEP_LIST];
   case VGPU_STEP_LIST:
      return row->ended ? 0 : services + VGPU_STEPS_WINDOWS;
   }
   return 0;
}

/* Finds a step of that kind that can be done. own: of the thread's rows only. */
static bool find_of(const struct plan *plan, enum vgpu_step_kind kind, unsigned thread, bool own,
                    struct vgpu_replay_step *step)
{
   const uint32_t count = plan->counts[kind];
   const uint64_t all[] = {
       [VGPU_STEP_SERVE] = passed(plan, VGPU_STEP_SERVE), [VGPU_STEP_LIST] = passed(plan, VGPU_STEP_LIST)};
   for (uint32_t i = 0; i < count; i++) {
      const uint32_t index = (thread + i) % count;
      const struct row *row = &plan->rows[kind][index];
      const uint64_t limit = row->busy || (own && row->thread != thread) ? 0 : limit_of(plan, kind, index, all);
      if (row->done < limit) {
         *step = (struct vgpu_replay_step){kind, index, row->done, kind == VGPU_STEP_FEED ? limit : row->done + 1};
         return true;
      }
   }
   return false;
}

/* Finds a step that can be done. Those that others wait for come first, and of these the row with the thread's number,
 * whose data its caches may hold. A core that is simulated has the most of these: another thread goes on with it only
 * when it has nothing else to do. */
static bool find_step(const struct plan *plan, unsigned thread, struct vgpu_replay_step *step)
{
   return find_of(plan, VGPU_STEP_FEED, thread, true, step) || find_of(plan, VGPU_STEP_SERVICES, thread, false, step) ||
          find_of(plan, VGPU_STEP_SERVE, thread, false, step) || find_of(plan, VGPU_STEP_LIST, thread, false, step) ||
          find_of(plan, VGPU_STEP_FEED, thread, false, step);
}

/* Whether no step is left, or none but those of VGPU_STEP_FEED, each of which some thread does. */
static bool is_over(const struct plan *plan)
{
   bool over = true;
   for (uint32_t i = 0; i < plan->steps->cores; i++) {
      const struct row *list = &plan->rows[VGPU_STEP_LIST][i];
      const struct row *feed = &plan->rows[VGPU_STEP_FEED][i];
      over &= list->ended && plan->rows[VGPU_STEP_SERVICES][i].done == list->done;
      over &= feed->ended || feed->busy || feed->done == list->done;
   }
   return plan->failed || over;
}

/* Waits until a step has been done. The lock is held on entry and on return. */
static void wait_for_step(struct plan *plan)
{
   const unsigned changes = atomic_load_explicit(&plan->changes, memory_order_relaxed);
   pthread_mutex_unlock(&plan->lock);
   for (unsigned i = 0; i < TRIES && atomic_load_explicit(&plan->changes, memory_order_relaxed) == changes; i++) {
      pause_briefly();
   }
   take_lock(plan);
   if (atomic_load_explicit(&plan->changes, memory_order_relaxed) == changes) {
      plan->asleep++;
      pthread_cond_wait(&plan->changed, &plan->lock);
      plan->asleep--;
   }
}

static void do_steps(void *data, unsigned thread)
{
   struct plan *plan = data;
   take_lock(plan);
   while (!is_over(plan)) {
      struct vgpu_replay_step step, other;
      if (!find_step(plan, thread, &step)) {
         wait_for_step(plan);
         continue;
      }
      struct row *row = &plan->rows[step.kind][step.index];
      row->busy = true;
      row->thread = thread;
      if (plan->asleep > 0 && find_step(plan, thread, &other)) {
         pthread_cond_signal(&plan->changed); /* it wakes another one in turn */
      }
      pthread_mutex_unlock(&plan->lock);
      const enum vgpu_step_result result = plan->steps->work(plan->steps->data, &step);
      take_lock(plan);
      row->busy = false;
      row->done = step.end;
      row->ended |= result == VGPU_STEP_LAST;
      plan->failed |= result == VGPU_STEP_FAILED;
      atomic_fetch_add_explicit(&plan->changes, 1, memory_order_relaxed);
   }
   pthread_cond_broadcast(&plan->changed);
   pthread_mutex_unlock(&plan->lock);
}

bool vgpu_steps_run(const struct vgpu_steps *steps, struct vgpu_host_threads *host, unsigned threads)
{
   struct plan plan = {.steps = steps, .counts = {steps->cores, steps->cores, steps->parts, steps->cores}};
   bool done = true;
   for (unsigned kind = 0; kind <= VGPU_STEP_LIST; kind++) {
      plan.rows[kind] = calloc(plan.counts[kind] + 1, sizeof(*plan.rows[kind]));
      done &= plan.rows[kind] != NULL;
   }
   for (uint32_t i = 0; done && i < steps->cores; i++) {
      plan.rows[VGPU_STEP_FEED][i].ended = !steps->fed[i];
      plan.rows[VGPU_STEP_FEED][i].thread = i % threads;
   }
   if (done && pthread_mutex_init(&plan.lock, NULL) == 0) {
      done = pthread_cond_init(&plan.changed, NULL) == 0;
      if (done) {
         vgpu_host_threads_run(host, threads, do_steps, &plan);
         pthread_cond_destroy(&plan.changed);
      }
      pthread_mutex_destroy(&plan.lock);
   } else {
      done = false;
   }
   for (unsigned kind = 0; kind <= VGPU_STEP_LIST; kind++) {
      free(plan.rows[kind]);
   }
   return done && !plan.failed;
}
