/* SPDX-License-Identifier: MIT
 *
 * A temporary folder for the jobs that the preloaded library saves while a host runs.
 */
#ifndef AGX_RUNNER_DRIVER_JOBS_H
#define AGX_RUNNER_DRIVER_JOBS_H

#include <stddef.h>
#include <stdint.h>

struct driver_jobs {
   char *folder;
   char **paths; /* in the order of the submissions, once driver_jobs_list() has been called */
   size_t count;
};

/* Makes the folder. Prints messages; returns an enum exit_code. driver_jobs_finish() must follow in any case: it
 * removes the folder. */
int driver_jobs_start(struct driver_jobs *jobs);
int driver_jobs_list(struct driver_jobs *jobs);
void driver_jobs_finish(struct driver_jobs *jobs);

#endif
