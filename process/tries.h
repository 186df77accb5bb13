/* SPDX-License-Identifier: MIT
 *
 * What a unit gives: the functions that the pool calls in the runner's process. The pool knows units, processes and
 * limits; what a report means is the caller's. Each try that has begun ends with exactly one end() or forget().
 */
#ifndef PROCESS_TRIES_H
#define PROCESS_TRIES_H

#include <stdbool.h>
#include <stddef.h>

/* One try of a unit. */
struct unit_try {
   size_t unit;
   unsigned number; /* counts from 1 */
   void *state;     /* the caller's; NULL before begin() and after end() and forget() */
};

/* Why a process has not ended its unit. */
enum unit_fate {
   UNIT_CRASHED,  /* the process ended */
   UNIT_LATE,     /* it exceeded a limit */
   UNIT_STUCK,    /* it cannot be ended, because it is stuck in the kernel */
   UNIT_UNOPENED, /* it could not open its device */
   UNIT_LOST,     /* the device does not work after the unit, whose try had ended already */
};

/* Whether a try that has ended counts. */
enum try_end {
   TRY_COUNTS,
   TRY_REPEATED, /* it does not: the unit runs again */
   TRY_NO_MEMORY,
};

struct tries {
   void *data;
   /* Whether the unit is to run, and the number of that try. */
   bool (*wanted)(const void *data, size_t unit, unsigned *number);
   /* Before the order to the process. Returns false when out of memory, as lose() does. */
   bool (*begin)(void *data, struct unit_try *try);
   /* A report of the unit itself, split at its first space. Returns false if it makes no sense. */
   bool (*report)(void *data, struct unit_try *try, const char *word, const char *rest);
   void (*progress)(void *data, const struct unit_try *try, double fraction);
   /* The worker says that the unit has ended. Returns false if results are missing. *failed: whether there is a failure
    * that the device may have caused. */
   bool (*complete)(void *data, struct unit_try *try, bool *failed);
   /* The process did not end the unit. After UNIT_LOST, which begins a new record of the last try, `seconds` is how
    * long the check of the device took. */
   bool (*lose)(void *data, struct unit_try *try, enum unit_fate fate, const char *why, double seconds);
   /* Keeps the results of the try. *line: what the journal stores, which free() releases; line NULL: no journal. */
   enum try_end (*end)(void *data, struct unit_try *try, char **line);
   /* Drops the results of the try. */
   void (*forget)(void *data, struct unit_try *try);
};

#endif
