/* SPDX-License-Identifier: MIT
 *
 * What the runner of a file shares with what it is made of: the statuses, the sink that results go to, and the device.
 * Invariant: this file includes nothing of its room.
 */
#ifndef PIGLIT_STATUS_H
#define PIGLIT_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/asahi.h"

/* Piglit's own first four, and what became of a compiler that died. */
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
/* The result of tests one after the other, as Piglit merges them. Start with PIGLIT_SKIP. */
enum piglit_status piglit_status_merge(enum piglit_status all, enum piglit_status one);

/* Where a run says how it goes. Tests are told by their index in the file. */
struct piglit_sink {
   void *data;
   void (*plan)(void *data, const char *name); /* each test of the file, before any begins */
   void (*begin)(void *data, size_t test);
   void (*end)(void *data, size_t test, enum piglit_status status, const char *reason); /* reason: "" for a pass */
   void (*print)(void *data, const char *line); /* one line for people, without end of line */
};

struct piglit_run {
   struct asahi_device *device;
   uint64_t timeout_ns; /* of each kernel */
   bool lines;          /* reports of the device's checks name source lines */
   bool *device_failed; /* set when a job failed: the device may have suffered; NULL: not asked for */
};

#endif
