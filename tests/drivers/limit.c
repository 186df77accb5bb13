/* SPDX-License-Identifier: MIT
 *
 * HOST_LIMIT: a host that never ends is killed after the processor time that its request allows. Invariant: this test
 * ends, too.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drivers/host/launches.h"
#include "tests/check.h"

/* Starts as a host does, then does nothing for ever. */
static void loop(const char *request)
{
   struct host_records records;
   char name[] = "host", result[] = "/dev/null", messages[] = "/dev/null", path[64];
   char *words[] = {name, path, result, messages, NULL};

   setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
   alarm(60); /* ends it where there is no limit */
   snprintf(path, sizeof(path), "%s", request);
   if (host_start(4, words, &records) == NULL) {
      _exit(1);
   }
   for (volatile unsigned turns = 0;; turns++) {
   }
}

static int run(const char *request)
{
   int status = 0;
   const pid_t child = fork();

   CHECK(child >= 0);
   if (child == 0) {
      loop(request);
   }
   CHECK(waitpid(child, &status, 0) == child);
   return status;
}

int main(void)
{
   char path[] = "/tmp/agx-runner-limit-XXXXXX";
   const int fd = mkstemp(path);

   FILE *file = CHECK(fd >= 0) ? host_records_create(path) : NULL;
   close(fd);
   if (!CHECK(file != NULL)) {
      return check_result();
   }
   host_record_write(file, HOST_LIMIT, 1, "", 0);
   CHECK(host_records_close(file));

   const int status = run(path);
   unlink(path);
   CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU, "the host ended with status 0x%x, not by SIGXCPU",
         (unsigned)status);

   struct rusage used;
   CHECK(getrusage(RUSAGE_CHILDREN, &used) == 0);
   CHECK(used.ru_utime.tv_sec + used.ru_stime.tv_sec < 3, "it used %ld s", (long)used.ru_utime.tv_sec);
   return check_result();
}
