/* SPDX-License-Identifier: MIT
 *
 * One poll() over the pipes of all children. Invariant: an output that has ended is not awaited again.
 */
#include "process/child/watch.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

int child_watch(struct child_watch *watches, size_t count, int signals, bool *signaled, int milliseconds)
{
   struct pollfd *fds = calloc(2 * count + 1, sizeof(*fds));

   if (fds == NULL) {
      return -ENOMEM;
   }
   for (size_t i = 0; i < count; i++) {
      const struct child *child = watches[i].child;
      fds[2 * i] = (struct pollfd){.fd = child != NULL && !watches[i].ignored ? child->reports : -1, .events = POLLIN};
      fds[2 * i + 1] = (struct pollfd){.fd = child != NULL && !child->silent ? child->output : -1, .events = POLLIN};
   }
   fds[2 * count] = (struct pollfd){.fd = signals, .events = POLLIN};
   const int ready = poll(fds, 2 * count + 1, milliseconds), error = ready < 0 && errno != EINTR ? -errno : 0;
   for (size_t i = 0; i < count; i++) {
      watches[i].reported = ready > 0 && fds[2 * i].revents != 0;
      if (ready > 0 && fds[2 * i + 1].revents != 0) {
         watches[i].child->silent = !child_read_output(watches[i].child);
      }
   }
   if (signaled != NULL) {
      *signaled = ready > 0 && fds[2 * count].revents != 0;
   }
   free(fds);
   return error;
}
