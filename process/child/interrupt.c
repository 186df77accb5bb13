/* SPDX-License-Identifier: MIT
 *
 * See interrupt.h. Handlers call only async-signal-safe functions. Invariant: after the first signal the process ends
 * by itself or a timer ends it, unless a job on hardware is awaited.
 */
#include "process/child/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "util/exit_code.h"

#define AGAIN_US 100000 /* interval at which the end of the job on hardware is checked */
#define FILES 8u

static struct {
   atomic_bool heard;
   atomic_int requested; /* the signal; 0: none */
   atomic_bool sent;
   atomic_int deferred, held;
   _Atomic(const char *) files[FILES];
} state;

static _Noreturn void end(void)
{
   static const char message[] = "agx-runner: interrupted\n";
   const ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);

   (void)written;
   for (unsigned i = 0; i < FILES; i++) {
      const char *path = atomic_load(&state.files[i]);

      if (path != NULL) {
         unlink(path);
      }
   }
   _exit(EXIT_ABORTED);
}

static void end_later(long microseconds)
{
   const struct itimerval timer = {.it_value = {microseconds / 1000000, microseconds % 1000000}};

   setitimer(ITIMER_REAL, &timer, NULL);
}

static void out_of_patience(int number, siginfo_t *info, void *context)
{
   (void)number, (void)info, (void)context;
   if (atomic_load(&state.held) == 0) {
      end();
   }
   end_later(AGAIN_US);
}

static void hear(int number, siginfo_t *info, void *context)
{
   const int saved = errno;

   (void)context;
   atomic_store(&state.sent, info->si_code != SI_KERNEL);
   if (atomic_exchange(&state.requested, number) != 0 || atomic_load(&state.deferred) == 0) {
      end();
   }
   end_later((long)(INTERRUPT_SECONDS * 1e6));
   errno = saved;
}

static void set(int number, void (*handler)(int, siginfo_t *, void *))
{
   struct sigaction action = {.sa_flags = SA_RESTART}, before;

   sigemptyset(&action.sa_mask);
   if (handler != NULL) {
      action.sa_sigaction = handler;
      action.sa_flags |= SA_SIGINFO;
   } else {
      action.sa_handler = SIG_DFL;
   }
   if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
      sigaction(number, &action, NULL);
   }
}

/* Blocks or unblocks the signals of the user. */
static void mask(int how)
{
   sigset_t signals;

   sigemptyset(&signals);
   sigaddset(&signals, SIGINT);
   sigaddset(&signals, SIGTERM);
   sigprocmask(how, &signals, NULL);
}

void interrupt_listen(void)
{
   atomic_store(&state.heard, true);
   set(SIGALRM, out_of_patience);
   set(SIGINT, hear);
   set(SIGTERM, hear);
   mask(SIG_UNBLOCK);
}

void interrupt_wait(void)
{
   mask(SIG_BLOCK);
}

bool interrupt_is_heard(void)
{
   return atomic_load(&state.heard);
}

void interrupt_forget(void)
{
   if (atomic_exchange(&state.heard, false)) {
      set(SIGALRM, NULL);
      set(SIGINT, NULL);
      set(SIGTERM, NULL);
   }
   for (unsigned i = 0; i < FILES; i++) {
      atomic_store(&state.files[i], NULL);
   }
   atomic_store(&state.requested, 0);
}

bool interrupt_requested(void)
{
   return atomic_load_explicit(&state.requested, memory_order_relaxed) != 0;
}

int interrupt_sent(void)
{
   return atomic_load(&state.sent) ? atomic_load(&state.requested) : 0;
}

void interrupt_dismiss(void)
{
   end_later(0);
   atomic_store(&state.requested, 0);
}

void interrupt_took_first(void)
{
   sigset_t signals;

   atomic_store(&state.requested, SIGINT);
   sigemptyset(&signals);
   sigaddset(&signals, SIGINT);
   sigaddset(&signals, SIGTERM);
   if (atomic_load(&state.heard)) {
      sigprocmask(SIG_UNBLOCK, &signals, NULL);
   }
}

void interrupt_defer(void)
{
   atomic_fetch_add(&state.deferred, 1);
}

void interrupt_settle(void)
{
   atomic_fetch_sub(&state.deferred, 1);
}

void interrupt_hold(void)
{
   atomic_fetch_add(&state.held, 1);
}

void interrupt_release(void)
{
   atomic_fetch_sub(&state.held, 1);
}

void interrupt_remove(const char *path)
{
   for (unsigned i = 0; i < FILES; i++) {
      const char *none = NULL;

      if (atomic_compare_exchange_strong(&state.files[i], &none, path)) {
         return;
      }
   }
}

void interrupt_keep(const char *path)
{
   for (unsigned i = 0; i < FILES; i++) {
      const char *found = path;

      if (path != NULL && atomic_compare_exchange_strong(&state.files[i], &found, NULL)) {
         return;
      }
   }
}
