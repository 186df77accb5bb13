/* SPDX-License-Identifier: MIT
 *
 * See host_threads.h. Invariant: all fields of the struct but `threads` and `limit` are read and written under the
 * lock.
 */
#include "vgpu/host_threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "util/clock.h"

/* A call of vgpu_host_threads_run(), on its thread's stack. */
struct job {
   struct job *following; /* called later */
   void (*work)(void *data, unsigned index);
   void *data;
   unsigned count, next; /* indices of the work; the first that nobody has taken */
   unsigned left;        /* calls that have not returned */
};

struct vgpu_host_threads {
   pthread_mutex_t lock;
   pthread_cond_t wanted, done;
   pthread_t *threads;
   unsigned limit, started; /* beside the caller's */
   struct job *jobs;        /* under way, the first called first */
   bool end;
   bool measured; /* whether `shared` is added up */
   struct vgpu_host_shares shared;
};

static double now(void)
{
   return (double)util_clock_thread_ns() * 1e-9;
}

/* Does the next index of the job. own: in the thread that called for it. The lock is held on entry and on return, when
 * the job may be gone. */
static void help(struct vgpu_host_threads *threads, struct job *job, bool own)
{
   const unsigned index = job->next++;
   const bool measured = threads->measured && job->count > 1;
   pthread_mutex_unlock(&threads->lock);
   const double begun = measured ? now() : 0;
   job->work(job->data, index);
   const double taken = measured ? now() - begun : 0;
   pthread_mutex_lock(&threads->lock);
   threads->shared.all += taken;
   threads->shared.own += own ? taken : 0;
   if (--job->left == 0) {
      pthread_cond_broadcast(&threads->done);
   }
}

/* The first job that has an index left; NULL: none. */
static struct job *find_job(const struct vgpu_host_threads *threads)
{
   struct job *job = threads->jobs;
   while (job && job->next == job->count) {
      job = job->following;
   }
   return job;
}

static void *thread_main(void *data)
{
   struct vgpu_host_threads *threads = data;
   pthread_mutex_lock(&threads->lock);
   while (!threads->end) {
      struct job *job = find_job(threads);
      if (job) {
         help(threads, job, false);
      } else {
         pthread_cond_wait(&threads->wanted, &threads->lock);
      }
   }
   pthread_mutex_unlock(&threads->lock);
   return NULL;
}

struct vgpu_host_threads *vgpu_host_threads_create(unsigned count)
{
   struct vgpu_host_threads *threads = calloc(1, sizeof(*threads));
   if (!threads) {
      return NULL;
   }
   threads->limit = count > 1 ? count - 1 : 0;
   threads->threads = calloc(threads->limit + 1, sizeof(*threads->threads));
   if (!threads->threads) {
      free(threads);
      return NULL;
   }
   if (pthread_mutex_init(&threads->lock, NULL)) {
      goto no_lock;
   }
   if (pthread_cond_init(&threads->wanted, NULL)) {
      goto no_wanted;
   }
   if (pthread_cond_init(&threads->done, NULL)) {
      goto no_done;
   }
   return threads;
no_done:
   pthread_cond_destroy(&threads->wanted);
no_wanted:
   pthread_mutex_destroy(&threads->lock);
no_lock:
   free(threads->threads);
   free(threads);
   return NULL;
}

void vgpu_host_threads_destroy(struct vgpu_host_threads *threads)
{
   if (!threads) {
      return;
   }
   pthread_mutex_lock(&threads->lock);
   threads->end = true;
   pthread_cond_broadcast(&threads->wanted);
   pthread_mutex_unlock(&threads->lock);
   for (unsigned i = 0; i < threads->started; i++) {
      pthread_join(threads->threads[i], NULL);
   }
   pthread_cond_destroy(&threads->done);
   pthread_cond_destroy(&threads->wanted);
   pthread_mutex_destroy(&threads->lock);
   free(threads->threads);
   free(threads);
}

void vgpu_host_threads_measure(struct vgpu_host_threads *threads)
{
   threads->measured = true;
}

uint64_t vgpu_host_threads_ns(struct vgpu_host_threads *threads)
{
   uint64_t ns = 0;
   pthread_mutex_lock(&threads->lock);
   for (unsigned i = 0; i < threads->started; i++) {
      clockid_t clock;
      ns += pthread_getcpuclockid(threads->threads[i], &clock) ? 0 : util_clock_of(clock);
   }
   pthread_mutex_unlock(&threads->lock);
   return ns;
}

struct vgpu_host_shares vgpu_host_threads_shared(const struct vgpu_host_threads *threads)
{
   return threads->shared;
}

void vgpu_host_threads_run(struct vgpu_host_threads *threads, unsigned count, void (*work)(void *data, unsigned index),
                           void *data)
{
   struct job job = {.work = work, .data = data, .count = count, .left = count};
   pthread_mutex_lock(&threads->lock);
   struct job **end = &threads->jobs;
   while (*end) {
      end = &(*end)->following;
   }
   *end = &job;
   /* A thread that cannot be started only costs speed. */
   while (threads->started < threads->limit && threads->started + 1 < count &&
          !pthread_create(&threads->threads[threads->started], NULL, thread_main, threads)) {
      threads->started++;
   }
   if (count > 1) {
      pthread_cond_broadcast(&threads->wanted);
   }
   while (job.next < job.count) {
      help(threads, &job, true);
   }
   while (job.left > 0) {
      pthread_cond_wait(&threads->done, &threads->lock);
   }
   struct job **link = &threads->jobs;
   while (*link != &job) {
      link = &(*link)->following;
   }
   *link = job.following;
   pthread_mutex_unlock(&threads->lock);
}
