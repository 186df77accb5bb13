/* SPDX-License-Identifier: MIT
 *
 * The pool of worker processes, with files that crash, hang, talk nonsense or behave. No device is opened.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "agx_runner/piglit/pool.h"
#include "agx_runner/piglit/worker.h"
#include "tests/piglit/check.h"

/* The path says what the "file" does. */
static enum piglit_status behave(const struct piglit_run *run, const char *path, const struct piglit_sink *sink,
                                 char *reason, size_t reason_size)
{
   (void)run;
   sink->plan(sink->data, "first");
   sink->plan(sink->data, "second");
   sink->plan(sink->data, "third");
   sink->print(sink->data, "hello");
   sink->begin(sink->data, 0);
   sink->end(sink->data, 0, PIGLIT_PASS, "");
   sink->begin(sink->data, 1);
   if (strstr(path, "abort") != NULL) {
      fprintf(stderr, "noise\nassertion: it is broken\n");
      abort();
   }
   if (strstr(path, "segv") != NULL) {
      raise(SIGSEGV);
   }
   if (strstr(path, "exit") != NULL) {
      _exit(3);
   }
   while (strstr(path, "hang") != NULL) {
      pause();
   }
   sink->end(sink->data, 1, PIGLIT_FAIL, "it is wrong");
   sink->begin(sink->data, 2);
   sink->end(sink->data, 2, PIGLIT_SKIP, "not here");
   snprintf(reason, reason_size, "%ld", (long)getpid());
   return PIGLIT_FAIL;
}

static const struct {
   const char *path;
   enum piglit_status status;
   const char *reason; /* its beginning; NULL: any */
} files[] = {
    {"good0.cl", PIGLIT_FAIL, NULL},
    {"abort.cl", PIGLIT_CRASH, "killed by signal 6 (Aborted): assertion: it is broken"},
    {"good1.cl", PIGLIT_FAIL, NULL},
    {"hang.cl", PIGLIT_TIMEOUT, "no end after 1 s"},
    {"segv.cl", PIGLIT_CRASH, "killed by signal 11"},
    {"good2.cl", PIGLIT_FAIL, NULL},
    {"exit.cl", PIGLIT_CRASH, "exited with status 3"},
    {"good3.cl", PIGLIT_FAIL, NULL},
};
#define COUNT (sizeof(files) / sizeof(files[0]))

static void count_done(void *data, const struct piglit_result *result)
{
   CHECK(result->done);
   ++*(unsigned *)data;
}

static void check_good(const struct piglit_result *result)
{
   CHECK(result->subtests[1].status == PIGLIT_FAIL && result->subtests[2].status == PIGLIT_SKIP);
   CHECK_TEXT(result->subtests[1].reason, "it is wrong");
   CHECK_TEXT(result->text, "hello\n"
                            "PIGLIT: {\"subtest\": {\"first\" : \"pass\"}}\n"
                            "PIGLIT: {\"subtest\": {\"second\" : \"fail\"}}\n"
                            "PIGLIT: {\"subtest\": {\"third\" : \"skip\"}}\n"
                            "# Result:\nPIGLIT: {\"result\": \"fail\" }\n");
}

static void check_lost(const struct piglit_result *result, enum piglit_status status)
{
   char text[512];

   CHECK(result->subtests[1].status == status && result->subtests[2].status == status);
   CHECK_TEXT(result->subtests[2].reason, "not reached after \"second\"");
   snprintf(text, sizeof(text),
            "hello\nPIGLIT: {\"subtest\": {\"first\" : \"pass\"}}\nPIGLIT: {\"subtest\": {\"second\" : \"%s\"}}\n"
            "# Result:\nPIGLIT: {\"result\": \"%s\" }\n",
            piglit_status_name(status), piglit_status_name(status));
   CHECK_TEXT(result->text, text);
}

static void check_result(size_t i, const struct piglit_result *result)
{
   CHECK(result->done && result->status == files[i].status && result->count == 3 && !result->no_memory);
   if (files[i].reason != NULL &&
       (result->reason == NULL || strncmp(result->reason, files[i].reason, strlen(files[i].reason)) != 0)) {
      printf("%s: \"%s\", wanted \"%s\"\n", result->path, result->reason, files[i].reason);
      failures++;
   }
   if (result->count == 3) {
      CHECK(result->subtests[0].status == PIGLIT_PASS && result->subtests[0].reason == NULL);
      if (files[i].status == PIGLIT_FAIL) {
         check_good(result);
      } else {
         check_lost(result, files[i].status);
      }
   }
}

static void check_pool(unsigned jobs)
{
   struct piglit_result results[COUNT];
   unsigned done = 0;
   const struct piglit_pool pool = {.jobs = jobs,
                                    .seconds = 1,
                                    .results = results,
                                    .count = COUNT,
                                    .done = count_done,
                                    .data = &done,
                                    .run = behave};

   for (size_t i = 0; i < COUNT; i++) {
      CHECK(piglit_result_init(&results[i], files[i].path) == 0);
   }
   const double start = piglit_now();
   CHECK(piglit_pool_run(&pool) == 0);
   /* The file that hangs costs its own second and nothing else. */
   CHECK(piglit_now() - start < 5);
   CHECK(done == COUNT);
   for (size_t i = 0; i < COUNT; i++) {
      check_result(i, &results[i]);
   }
   /* A worker is kept as long as it lives: with one of them, good2 is run by the process that follows segv's. */
   if (jobs == 1) {
      CHECK(strcmp(results[0].reason, results[2].reason) != 0);
   }
   for (size_t i = 0; i < COUNT; i++) {
      piglit_result_finish(&results[i]);
   }
}

/* What is done already is not run. */
static void check_done(void)
{
   struct piglit_result result;
   const struct piglit_pool pool = {.jobs = 2, .seconds = 1, .results = &result, .count = 1, .run = behave};

   CHECK(piglit_result_init(&result, "abort.cl") == 0);
   piglit_result_done(&result, PIGLIT_SKIP, "no", 0);
   CHECK(piglit_pool_run(&pool) == 0);
   CHECK(result.status == PIGLIT_SKIP && result.count == 0);
   piglit_result_finish(&result);
}

int main(void)
{
   check_pool(1);
   check_pool(3);
   check_pool(16);
   check_done();
   return check_failures();
}
