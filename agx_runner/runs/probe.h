/* SPDX-License-Identifier: MIT
 *
 * Processes that examine the device: what it is, and whether it still works.
 */
#ifndef AGX_RUNNER_PROBE_H
#define AGX_RUNNER_PROBE_H

#include "process/child/child.h"
#include "drm/asahi.h"

/* Shared memory in which the first process stores its findings. */
struct probe {
   const char *device; /* device spec */
   double timeout;     /* time limit of a submission in seconds */
   struct asahi_device_info info;
   bool opened;
};

/* The function of a process that opens the device; data: a struct probe in shared memory. Prints messages; its exit
 * code is an enum exit_code. */
int probe_open_life(void *data, int orders, int reports);

/* The function of a process that runs a trivial job; data: the device's spec. */
int probe_check_life(void *data, int orders, int reports);
/* Returns the finding of such a process after its end: NULL if the device works, else the reason why not. */
const char *probe_answer(struct child *child, char *why, size_t size);

#endif
