/* SPDX-License-Identifier: MIT
 *
 * Runs a build of agx-runner as a process, which a time limit or a signal ends, too.
 */
#include "agx_runner/compare/interleaved_build.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "process/child/child.h"
#include "util/clock.h"

#define UNSTARTED 127  /* the process's exit code, as that of shells, if the program could not be started */
#define END_PAUSES 150 /* number of pauses of 20 ms */

int interleaved_build_check(const char *program)
{
   struct stat status;

   if (stat(program, &status) < 0) {
      return complain(EXIT_INVALID, "--interleave: %s: %s", program, strerror(errno));
   }
   if (!S_ISREG(status.st_mode) || access(program, X_OK) < 0) {
      return complain(EXIT_INVALID, "--interleave: %s: not a program that can be run", program);
   }
   return EXIT_OK;
}

int interleaved_builds_start(struct interleaved_builds *builds, double seconds)
{
   const char *base = getenv("TMPDIR");
   sigset_t signals;

   *builds = (struct interleaved_builds){.deadline = seconds > 0 ? util_clock_seconds() + seconds : INFINITY};
   sigemptyset(&signals);
   sigaddset(&signals, SIGINT);
   sigaddset(&signals, SIGTERM);
   sigaddset(&signals, SIGHUP);
   sigaddset(&signals, SIGCHLD); /* the end of a process ends the wait for the others */
   sigprocmask(SIG_BLOCK, &signals, &builds->before);
   if (asprintf(&builds->folder, "%s/agx-runner-XXXXXX", base != NULL && base[0] != '\0' ? base : "/tmp") < 0) {
      builds->folder = NULL;
      return complain(EXIT_FAILED, "out of memory");
   }
   if (mkdtemp(builds->folder) == NULL) {
      const int code = complain(EXIT_FAILED, "%s: %s", builds->folder, strerror(errno));

      free(builds->folder);
      builds->folder = NULL;
      return code;
   }
   if (asprintf(&builds->results, "%s/results.json", builds->folder) < 0) {
      builds->results = NULL;
   }
   if (asprintf(&builds->messages, "%s/messages", builds->folder) < 0) {
      builds->messages = NULL;
   }
   return builds->results != NULL && builds->messages != NULL ? EXIT_OK : complain(EXIT_FAILED, "out of memory");
}

/* Removes the folder with everything that a killed process had begun to write. */
static void remove_folder(const char *path)
{
   DIR *folder = opendir(path);

   for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
      unlinkat(dirfd(folder), entry->d_name, 0);
   }
   if (folder != NULL) {
      closedir(folder);
   }
   rmdir(path);
}

void interleaved_builds_finish(struct interleaved_builds *builds)
{
   if (builds->folder != NULL) {
      remove_folder(builds->folder);
   }
   free(builds->messages);
   free(builds->results);
   free(builds->folder);
   sigprocmask(SIG_SETMASK, &builds->before, NULL);
   *builds = (struct interleaved_builds){0};
}

/* The process: it has no input, and its messages go to a file. */
static void live(const struct interleaved_builds *builds, const char *program, const char **words, pid_t parent)
{
   const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
   const int messages = open(builds->messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

   setpgid(0, 0); /* Ctrl-C goes to the parent, which waits */
   prctl(PR_SET_PDEATHSIG, SIGTERM);
   if (getppid() != parent || nothing < 0 || messages < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
       dup2(nothing, STDOUT_FILENO) < 0 || dup2(messages, STDERR_FILENO) < 0) {
      _exit(UNSTARTED);
   }
   sigprocmask(SIG_SETMASK, &builds->before, NULL);
   execv(program, (char *const *)words);
   (void)complain(EXIT_FAILED, "cannot be started: %s", strerror(errno));
   _exit(UNSTARTED);
}

/* SIGTERM lets agx-runner finish its job on the device. A process that does not end is killed. */
static void end(pid_t pid, int *status)
{
   static const struct timespec pause = {.tv_nsec = 20000000};

   kill(-pid, SIGTERM);
   kill(pid, SIGTERM);
   for (unsigned i = 0; i < END_PAUSES; i++) {
      if (waitpid(pid, status, WNOHANG) == pid) {
         return;
      }
      nanosleep(&pause, NULL);
   }
   kill(-pid, SIGKILL);
   kill(pid, SIGKILL);
   waitpid(pid, status, 0);
}

/* Waits for its end. EXIT_ABORTED with a message: a signal or the time limit ended it first. */
static int await(const struct interleaved_builds *builds, pid_t pid, int *status)
{
   int ended = 0;

   while (waitpid(pid, status, WNOHANG) != pid) {
      const double left = builds->deadline - util_clock_seconds();
      /* With a time limit: the SIGCHLD of this process may have been received before. */
      const struct timespec time = {.tv_sec = left < 1 ? 0 : 1,
                                    .tv_nsec = left < 1 && left > 0 ? (long)(left * 1e9) : 0};
      sigset_t signals;

      sigemptyset(&signals);
      sigaddset(&signals, SIGINT);
      sigaddset(&signals, SIGTERM);
      sigaddset(&signals, SIGHUP);
      sigaddset(&signals, SIGCHLD);
      const int signal = sigtimedwait(&signals, NULL, &time);
      if ((signal > 0 && signal != SIGCHLD) || left <= 0) {
         ended = signal > 0 ? signal : SIGALRM;
         end(pid, status);
         break;
      }
   }
   return ended == 0         ? EXIT_OK
          : ended == SIGALRM ? complain(EXIT_ABORTED, "stopped: out of time (--run-timeout)")
                             : complain(EXIT_ABORTED, "stopped: %s", strsignal(ended));
}

/* Runs it to its end. Returns EXIT_OK, EXIT_ABORTED with a message, or a negative errno if it could not be started. */
static int run_build(const struct interleaved_builds *builds, const char *program, const char **words, int *status)
{
   const pid_t parent = getpid();
   const pid_t pid = fork();

   if (pid == 0) {
      live(builds, program, words, parent);
   }
   return pid < 0 ? -errno : await(builds, pid, status);
}

/* Returns the last line that it wrote, without the program's name. */
static void last_message(const struct interleaved_builds *builds, char *text, size_t size)
{
   static const char prefix[] = "agx-runner: ";
   char line[400];
   FILE *file = fopen(builds->messages, "r");

   text[0] = '\0';
   while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
      const char *start = strncmp(line, prefix, strlen(prefix)) == 0 ? line + strlen(prefix) : line;

      if (line[0] != '\n') {
         snprintf(text, size, "%.*s", (int)strcspn(start, "\n"), start);
      }
   }
   if (file != NULL) {
      fclose(file);
   }
}

/* Returns the exit code of a command of that build; -1: there is none. */
static int exit_code_of(const struct interleaved_builds *builds, const char *program, const char **words)
{
   int status = 0;

   return run_build(builds, program, words, &status) == EXIT_OK && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whether a build lacks one of the benchmarks. `list` works in that build but refuses these names, which is then the
 * only error. Its exit code is the same in every version. */
static bool lacks(const struct interleaved_builds *builds, const char *program, const char *const *words)
{
   const char *list[INTERLEAVED_BUILD_WORDS_MAX] = {program, "list"};
   size_t count = 2;

   if (exit_code_of(builds, program, list) != EXIT_OK) {
      return false;
   }
   for (size_t i = 2; words[i] != NULL && count + 1 < INTERLEAVED_BUILD_WORDS_MAX; i++) {
      if (strncmp(words[i], "--", 2) != 0) {
         list[count++] = words[i];
      }
   }
   return count > 2 && exit_code_of(builds, program, list) == EXIT_INVALID;
}

/* Reports why the process left no results. */
static int explain(const char *label, const char *name, int status, const char *last)
{
   if (WIFSIGNALED(status)) {
      return complain(EXIT_FAILED, "%s: killed by signal %d (%s) in %s%s%s", label, WTERMSIG(status),
                      strsignal(WTERMSIG(status)), name, last[0] != '\0' ? ": " : "", last);
   }
   const int code = WEXITSTATUS(status);
   return complain(code == EXIT_INVALID || code == EXIT_LOST ? code : EXIT_FAILED,
                   "%s: no results of %s, exit code %d: %s", label, name, code,
                   last[0] != '\0' ? last : "no message; is it an agx-runner?");
}

int interleaved_build_run(const struct interleaved_builds *builds, const char *program, const char *label,
                          const char **words, struct result_run *run, bool *absent)
{
   size_t count = 2;
   char why[256];
   int status = 0;

   *run = (struct result_run){0};
   *absent = false;
   words[0] = program;
   words[1] = "run";
   while (words[count] != NULL) {
      count++;
   }
   const char *name = words[count - 1];
   const char *const last[] = {"--format", "json", "--output", builds->results, NULL};
   memcpy(words + count, last, sizeof(last));
   unlink(builds->results);
   int code = run_build(builds, program, words, &status);
   words[count] = NULL;
   if (code < 0) {
      return complain(EXIT_FAILED, "%s: %s", label, strerror(-code));
   }
   if (code != EXIT_OK) {
      return code;
   }
   /* a run with failures has results, too */
   const bool ended = WIFEXITED(status) && (WEXITSTATUS(status) == EXIT_OK || WEXITSTATUS(status) == EXIT_SKIPPED ||
                                            WEXITSTATUS(status) == EXIT_FAILED);
   if (!ended || access(builds->results, R_OK) < 0) {
      char said[400];

      last_message(builds, said, sizeof(said));
      *absent = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INVALID && lacks(builds, program, words);
      return *absent ? EXIT_OK : explain(label, name, status, said);
   }
   const int ret = result_run_load(builds->results, run, why, sizeof(why));
   return ret == 0 ? EXIT_OK : complain(ret == -ENOMEM ? EXIT_FAILED : EXIT_INVALID, "%s: its results: %s", label, why);
}
