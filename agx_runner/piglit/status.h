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

/* Bytes of a reason's text. */
#define PIGLIT_REASON 512u

struct piglit_run;
struct piglit_file;
struct piglit_test;
struct script;
struct agx_program;
struct compiler_result;

/* What compiles and launches instead of agx-compile and the device. compile: as compiler_opencl(); of the programs only
 * names and arguments count. */
struct piglit_driver {
   int (*compile)(const struct piglit_run *run, const struct piglit_file *file, const char *options,
                  struct compiler_result *result);
   enum piglit_status (*run)(const struct piglit_run *run, const struct piglit_file *file, const char *options,
                             const struct agx_program *interface, const struct piglit_test *test,
                             const struct piglit_sink *sink, char *reason, size_t reason_size);
   /* A test of shaders. reason: PIGLIT_REASON bytes. */
   enum piglit_status (*script)(const struct piglit_run *run, const struct script *script,
                                const struct piglit_sink *sink, char *reason);
};

struct piglit_run {
   const struct piglit_driver *driver; /* NULL: agx-compile compiles, and the device runs the programs */
   const char *mesa, *device_name;     /* for the driver */
   struct asahi_device *device;
   uint64_t timeout_ns; /* time limit of each kernel */
   bool lines;          /* reports of the device's checks name source lines */
   bool *device_failed; /* set when a job failed, after which the device may be unreliable; NULL: not needed */
};

#endif
