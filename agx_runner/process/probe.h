/* SPDX-License-Identifier: MIT
 *
 * Processes that look at the device: what it is, and whether it still works.
 */
#ifndef AGX_RUNNER_PROBE_H
#define AGX_RUNNER_PROBE_H

#include "agx_runner/process/child/child.h"
#include "drm/asahi.h"

/* Memory that the first process leaves its findings in. */
struct probe {
   const char *device; /* spec */
   double timeout;     /* of a submission, seconds */
   struct asahi_device_info info;
   bool opened;
};

/* The life of a process that opens the device; data: a struct probe in shared memory. Its exit code is an enum
 * exit_code; messages are printed. */
int probe_open_life(void *data, int orders, int reports);

/* The life of a process that runs a trivial job; data: the device's spec. */
int probe_check_life(void *data, int orders, int reports);
/* What such a process, which has ended, found: NULL when the device works, else why not. */
const char *probe_answer(struct child *child, char *why, size_t size);

#endif
