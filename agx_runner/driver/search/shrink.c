/* SPDX-License-Identifier: MIT
 *
 * agx-fuzz proposes smaller kernels, and this process has each compiled and run through the driver. Invariant: what the
 * finding says of the smaller kernel was seen with that kernel.
 */
#include "agx_runner/driver/search/shrink.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "process/child/interrupt.h"
#include "util/array.h"

extern char **environ;

struct proposer {
   pid_t child;
   FILE *tries, *verdicts;
};

/* Of both pipes the child inherits the ends that spawn() names. */
static bool open_pipe(int ends[2])
{
   return pipe2(ends, O_CLOEXEC) == 0;
}

static int spawn(const struct driver_search_settings *settings, const char *folder, uint64_t number, int in, int out,
                 pid_t *child)
{
   char seed[32], first[32];
   posix_spawn_file_actions_t actions;
   snprintf(seed, sizeof(seed), "%" PRIu64, settings->seed);
   snprintf(first, sizeof(first), "%" PRIu64, number);
   const char *language = settings->language->name;
   const char *words[] = {settings->fuzzer, "--seed",   seed,         "--first", first, "--write",
                          folder,           "--shrink", "--language", language,  NULL};
   posix_spawn_file_actions_init(&actions);
   posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
   posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
   const int error = posix_spawn(child, words[0], &actions, NULL, (char *const *)words, environ);
   posix_spawn_file_actions_destroy(&actions);
   return error;
}

static int start(const struct driver_search_settings *settings, const char *folder, uint64_t number,
                 struct proposer *proposer)
{
   int tries[2] = {-1, -1}, verdicts[2] = {-1, -1};
   const bool piped = open_pipe(tries) && open_pipe(verdicts);
   const int error = piped ? spawn(settings, folder, number, verdicts[0], tries[1], &proposer->child) : errno;
   proposer->tries = error == 0 ? fdopen(tries[0], "r") : NULL;
   proposer->verdicts = error == 0 ? fdopen(verdicts[1], "w") : NULL;
   const int rest[] = {tries[1], verdicts[0], error != 0 ? tries[0] : -1, error != 0 ? verdicts[1] : -1};
   for (size_t i = 0; i < ARRAY_COUNT(rest); i++) {
      if (rest[i] >= 0) {
         close(rest[i]);
      }
   }
   return error == 0 ? EXIT_OK : complain(EXIT_FAILED, "--shrink: %s: %s", settings->fuzzer, strerror(error));
}

/* Compiles and runs the kernel in the file. */
static int try_kernel(const struct driver_search_settings *settings, const char *path, struct batch_test *test)
{
   int code = driver_batch_load(path, test);
   if (code == EXIT_OK) {
      code = driver_batch_run(settings->mesa, settings->device, test, 1);
      driver_batch_unload(test);
   }
   return code;
}

/* Where the answer is wrong is in its reason: "argument 3, uint2[7].s0: ...". */
static void answer(const struct batch_test *test, enum batch_verdict wanted, FILE *verdicts)
{
   unsigned argument = 0, element = 0;
   if (test->verdict == BATCH_WRONG) {
      (void)sscanf(test->why, "argument %u, %*[^[][%u]", &argument, &element);
      fprintf(verdicts, "differs %u %u\n", argument, element);
   } else {
      fputs(test->verdict == wanted ? "breaks\n" : "passes\n", verdicts);
   }
   fflush(verdicts);
}

static int converse(const struct driver_search_settings *settings, const char *path, struct proposer *proposer,
                    struct batch_test *test)
{
   const enum batch_verdict wanted = test->verdict;
   struct batch_test now;
   char line[64];
   int code = EXIT_OK;
   while (code == EXIT_OK && fgets(line, sizeof(line), proposer->tries) != NULL) {
      code = interrupt_requested() ? complain(EXIT_ABORTED, "interrupted") : try_kernel(settings, path, &now);
      if (code == EXIT_OK && now.verdict == wanted) {
         *test = now;
      }
      if (code == EXIT_OK) {
         answer(&now, wanted, proposer->verdicts);
      }
   }
   return code;
}

int driver_search_shrink(const struct driver_search_settings *settings, const char *folder, uint64_t number,
                         const char *path, struct batch_test *test)
{
   struct proposer proposer = {.child = -1};
   int status = 0;
   void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* a proposer that has died is met at its next try */
   int code = start(settings, folder, number, &proposer);
   if (proposer.tries != NULL && proposer.verdicts != NULL) {
      code = converse(settings, path, &proposer, test);
   }
   if (proposer.verdicts != NULL) {
      fclose(proposer.verdicts); /* its end ends the proposer, too */
   }
   if (proposer.tries != NULL) {
      fclose(proposer.tries);
   }
   signal(SIGPIPE, before);
   while (proposer.child >= 0 && waitpid(proposer.child, &status, 0) < 0 && errno == EINTR) {
   }
   return code != EXIT_OK || status == 0 ? code : complain(EXIT_FAILED, "--shrink: no smaller kernel is known");
}
