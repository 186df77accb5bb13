/* SPDX-License-Identifier: MIT
 *
 * Definitions that the runner of a file shares with its parts: the statuses, the sink for results, and the device.
 * Invariant: this file includes nothing of its room.
 */
#ifndef PIGLIT_STATUS_H
#define PIGLIT_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/asahi.h"

/* Piglit's own first four, and two for a compiler that crashed. */
enum piglit_status {
   PIGLIT_PASS,
   PIGLIT_FAIL,
   PIGLIT_SKIP,
   PIGLIT_WARN, /* the file is malformed */
   PIGLIT_CRASH,
   PIGLIT_TIMEOUT,
   PIGLIT_STATUSES,
};

const char *piglit_status_name(enum piglit_status status); /* "pass" */
/* Merges the results of consecutive tests as Piglit does. Start with PIGLIT_SKIP. */
enum piglit_status piglit_status_merge(enum piglit_status all, enum piglit_status one);

/* Receives the progress of a run. Tests are identified by their index in the file. */
struct piglit_sink {
   void *data;
   void (*plan)(void *data, const char *name); /* called for each test of the file before any of them starts */
   void (*begin)(void *data, size_t test);
   void (*end)(void *data, size_t test, enum piglit_status status, const char *reason); /* reason: "" for a pass */
   void (*print)(void *data, const char *line); /* one line for people, without end of line */
};

struct piglit_run {
   struct asahi_device *device;
   uint64_t timeout_ns; /* time limit of each kernel */
   bool lines;          /* reports of the device's checks name source lines */
   bool *device_failed; /* set when a job failed, after which the device may be unreliable; NULL: not needed */
};

#endif
