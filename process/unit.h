/* SPDX-License-Identifier: MIT
 *
 * Units of work, which the runner of processes starts, limits and journals. A unit is a figure, a test of the uAPI, a
 * file of Piglit's, a row of a sweep. It runs in a worker process, and what it reports is opaque here: tries.h.
 */
#ifndef PROCESS_UNIT_H
#define PROCESS_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct worker;

/* The units of a run, and the functions that a worker process calls for one. All functions get `data`. */
struct work {
   void *data;
   size_t count;
   /* name in the journal, the kernel log and the progress line */
   const char *(*name)(const void *data, size_t unit);
   /* Returns the file that is the unit; NULL: units are no files. */
   const char *(*file)(const void *data, size_t unit);
   /* Whether `next` may run in the process that has run `before`. NULL: any unit may. */
   bool (*together)(const void *data, size_t before, size_t next);
   /* Returns the process that works for the unit elsewhere and has its own limit; 0: none. NULL: there is none. */
   pid_t (*helper)(const void *data, size_t unit);
   /* In the worker process: reports what the unit gives. Returns false if the process must end, because
    * the device may be unreliable. The next unit then gets a new process. */
   bool (*run)(struct worker *worker, size_t unit);
   /* In the worker process, at its regular end: closes what run() opened. NULL: nothing. */
   void (*close)(struct worker *worker);
};

#endif
