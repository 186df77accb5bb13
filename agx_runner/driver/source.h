/* SPDX-License-Identifier: MIT
 *
 * A kernel file and the Mesa that compiles it: what each request to a host starts with.
 */
#ifndef AGX_RUNNER_DRIVER_SOURCE_H
#define AGX_RUNNER_DRIVER_SOURCE_H

#include "agx_runner/driver/host.h"

struct driver_source {
   struct mesa mesa;
   const char *path, *options; /* options: NULL: none */
   uint8_t *data;
   size_t size;
};

/* Reads the file and looks for the Mesa, which must have OpenCL. Prints messages; returns an enum exit_code.
 * driver_source_finish() must follow in any case. */
int driver_source_read(struct driver_source *source, const char *path, const char *which, const char *options);
void driver_source_finish(struct driver_source *source);

/* Starts a request with the source. jobs: the folder of saved jobs; NULL: none. */
int driver_source_request(const struct driver_source *source, const char *jobs, struct driver_request *request);

#endif
