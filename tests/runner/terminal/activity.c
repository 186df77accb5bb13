/* SPDX-License-Identifier: MIT
 *
 * A process's seconds are those in which it works or sleeps. The processes say themselves what they work, by the
 * kernel's count of it.
 */
#include "process/child/activity.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/check.h"

#define NEAR 0.2 /* seconds: a look's pause, and the tick that processor time is counted in */

static void pause_s(double seconds)
{
   nanosleep(
       &(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)},
       NULL);
}

static void work(double seconds)
{
   struct timespec used;

   do {
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
   } while ((double)used.tv_sec + 1e-9 * (double)used.tv_nsec < seconds);
}

static void work_half(void)
{
   work(0.5);
}

/* By a process below it. */
static void let_work(void)
{
   const pid_t pid = fork();

   if (pid == 0) {
      work(0.5);
      _exit(0);
   }
   waitpid(pid, NULL, 0);
}

static void do_nothing(void)
{
   pause_s(1000);
}

/* It does that and waits. Its seconds when there are `enough`, or after as many as it can take. */
static double seconds_of(void (*life)(void), double enough, pid_t helper)
{
   struct activity activity;
   double seconds = 0;
   const pid_t pid = fork();

   if (pid == 0) {
      life();
      raise(SIGSTOP);
      _exit(0);
   }
   activity_start(&activity, pid);
   while (seconds < enough) {
      siginfo_t info = {0};

      pause_s(ACTIVITY_PAUSE);
      seconds = activity_seconds(&activity, helper);
      if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid) {
         pause_s(2 * ACTIVITY_PAUSE);
         seconds = activity_seconds(&activity, helper);
         break;
      }
   }
   /* It is stopped, or sleeps. While it is stopped nothing counts. */
   kill(pid, SIGSTOP);
   pause_s(2 * ACTIVITY_PAUSE);
   const double before = activity_seconds(&activity, helper);
   pause_s(5 * NEAR);
   if (activity_seconds(&activity, helper) > before + 0.01) {
      seconds = -1;
   }
   kill(pid, SIGKILL);
   waitpid(pid, NULL, 0);
   return seconds;
}

int main(void)
{

   const double worked = seconds_of(work_half, 100, 0), below = seconds_of(let_work, 100, 0);
   CHECK(worked > 0.5 - NEAR && worked < 0.5 + NEAR, "%f s", worked);
   CHECK(below > 0.5 - NEAR && below < 0.5 + NEAR, "%f s", below);
   CHECK(seconds_of(do_nothing, 0.5, 0) >= 0.5, "sleep does not count, or being stopped does");
   /* One that works for it elsewhere: its sleep does not count. */
   const pid_t helper = fork();
   if (helper == 0) {
      work(1000);
   }
   struct activity activity;
   const pid_t sleeper = fork();
   if (sleeper == 0) {
      do_nothing();
   }
   activity_start(&activity, sleeper);
   for (unsigned i = 0; i < 5; i++) {
      pause_s(1.5 * ACTIVITY_PAUSE);
      (void)activity_seconds(&activity, helper);
   }
   CHECK(activity_seconds(&activity, helper) < NEAR, "a sleep counts while the helper works");
   kill(helper, SIGKILL);
   kill(sleeper, SIGKILL);
   waitpid(helper, NULL, 0);
   waitpid(sleeper, NULL, 0);
   return check_result();
}
