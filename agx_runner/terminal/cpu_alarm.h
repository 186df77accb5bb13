/* SPDX-License-Identifier: MIT
 *
 * An alarm that counts processor time, so that what else the machine does ends no process.
 */
#ifndef AGX_RUNNER_CPU_ALARM_H
#define AGX_RUNNER_CPU_ALARM_H

#include <signal.h>
#include <time.h>
#include <unistd.h>

#define CPU_ALARM_WALL 20 /* of one that sleeps for ever: so many times the limit, by the monotonic clock */

/* SIGALRM after so many seconds of processor time of this process, all its threads together. */
static inline void cpu_alarm(unsigned seconds)
{
   struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
   const struct itimerspec time = {.it_value = {.tv_sec = (time_t)seconds}};
   timer_t timer;

   if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0) {
      (void)timer_settime(timer, 0, &time, NULL);
   }
   alarm(CPU_ALARM_WALL * seconds);
}

#endif
