/* SPDX-License-Identifier: MIT */
#include "agx_runner/piglit/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "agx_runner/piglit/worker.h"

struct state {
   const struct piglit_pool *pool;
   struct piglit_worker *workers;
   struct pollfd *polls;
   size_t next; /* file to be given out */
};

static bool take_next(struct state *state, size_t *task)
{
   while (state->next < state->pool->count && state->pool->results[state->next].done) {
      state->next++;
   }
   *task = state->next++;
   return *task < state->pool->count;
}

static void finish_task(struct state *state, struct piglit_worker *worker, enum piglit_status status,
                        const char *reason)
{
   struct piglit_result *result = &state->pool->results[worker->task];

   piglit_result_done(result, status, reason, piglit_now() - worker->started);
   worker->busy = false;
   if (state->pool->done != NULL) {
      state->pool->done(state->pool->data, result);
   }
}

static void lose_worker(struct state *state, struct piglit_worker *worker, enum piglit_status status)
{
   char text[512];

   if (status == PIGLIT_TIMEOUT) {
      snprintf(text, sizeof(text), "no end after %g s", state->pool->seconds);
      finish_task(state, worker, status, text);
      piglit_worker_stop(worker, true, NULL, 0);
      return;
   }
   struct piglit_worker gone = *worker;
   piglit_worker_stop(worker, true, text, sizeof(text));
   finish_task(state, &gone, status, text);
}

/* Each idle worker gets a file as long as there are any. The number of busy ones, or a negative errno. */
static int give_tasks(struct state *state)
{
   int busy = 0;

   for (unsigned i = 0; i < state->pool->jobs; i++) {
      struct piglit_worker *worker = &state->workers[i];
      size_t task;
      if (!worker->busy && take_next(state, &task)) {
         int ret = worker->pid != 0 ? 0 : piglit_worker_start(worker, state->pool, state->workers);
         if (ret < 0) {
            return ret;
         }
         if (!piglit_worker_give(worker, task)) {
            lose_worker(state, worker, PIGLIT_CRASH);
         }
      }
      busy += worker->busy;
   }
   return busy;
}

static void hear_worker(struct state *state, struct piglit_worker *worker)
{
   const struct piglit_sink sink = piglit_result_sink(&state->pool->results[worker->task]);

   int ret = piglit_wire_read(&worker->wire, worker->reports, &sink, &worker->end);
   if (worker->end.done) {
      finish_task(state, worker, worker->end.status, worker->end.reason);
   } else if (ret <= 0) {
      lose_worker(state, worker, PIGLIT_CRASH);
   }
}

/* Milliseconds until the first worker's time is over. */
static int time_left(const struct state *state)
{
   double left = state->pool->seconds, now = piglit_now();

   for (unsigned i = 0; i < state->pool->jobs; i++) {
      const struct piglit_worker *worker = &state->workers[i];
      double own = worker->started + state->pool->seconds - now;
      left = worker->busy && own < left ? own : left;
   }
   return left > 0 ? (int)(left < 1e6 ? left * 1000 : 1e9) + 1 : 0;
}

static int wait_for_reports(struct state *state)
{
   for (unsigned i = 0; i < state->pool->jobs; i++) {
      const struct piglit_worker *worker = &state->workers[i];
      state->polls[i] = (struct pollfd){.fd = worker->busy ? worker->reports : -1, .events = POLLIN};
   }
   if (poll(state->polls, state->pool->jobs, time_left(state)) < 0) {
      return errno == EINTR ? 0 : -errno;
   }
   for (unsigned i = 0; i < state->pool->jobs; i++) {
      struct piglit_worker *worker = &state->workers[i];
      if (!worker->busy) {
         continue;
      }
      if (state->polls[i].revents != 0) {
         hear_worker(state, worker);
      } else if (piglit_now() - worker->started >= state->pool->seconds) {
         lose_worker(state, worker, PIGLIT_TIMEOUT);
      }
   }
   return 0;
}

static int run_all(struct state *state)
{
   for (;;) {
      int ret = give_tasks(state);
      if (ret <= 0) {
         return ret;
      }
      ret = wait_for_reports(state);
      if (ret < 0) {
         return ret;
      }
   }
}

int piglit_pool_run(const struct piglit_pool *pool)
{
   struct state state = {
       .pool = pool,
       .workers = calloc(pool->jobs, sizeof(*state.workers)),
       .polls = calloc(pool->jobs, sizeof(*state.polls)),
   };
   struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
   int ret = -ENOMEM;

   /* A worker that died is met on its pipe. */
   sigaction(SIGPIPE, &ignore, &before);
   if (state.workers != NULL && state.polls != NULL) {
      ret = run_all(&state);
      for (unsigned i = 0; i < pool->jobs; i++) {
         if (state.workers[i].pid != 0) {
            piglit_worker_stop(&state.workers[i], ret < 0, NULL, 0);
         }
      }
   }
   sigaction(SIGPIPE, &before, NULL);
   free(state.polls);
   free(state.workers);
   return ret;
}
