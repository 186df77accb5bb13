/* SPDX-License-Identifier: MIT
 *
 * Starts the hosts of drivers/host with a chosen Mesa on a virtual device, and reads what they answer.
 */
#ifndef AGX_RUNNER_DRIVER_HOST_H
#define AGX_RUNNER_DRIVER_HOST_H

#include <stdbool.h>
#include <stdio.h>

#include "agx_runner/with_device/device_report.h"
#include "drivers/find.h"
#include "drivers/host/records.h"

/* A request that is being written, in a file without a name. */
struct driver_request {
   char path[64];
   int fd;
   FILE *file;   /* for host_record_write() */
   bool listing; /* what the driver writes on standard output is a message, too: see driver_answer */
};
/* Prints messages; returns an enum exit_code. driver_request_finish() must follow in any case. */
int driver_request_start(struct driver_request *request);
void driver_request_finish(struct driver_request *request);

/* The host's answer, the counters of its device, and what it and its driver wrote on standard error, with `listing` on
 * standard output, too. */
struct driver_answer {
   struct host_records records;
   struct device_report report;
   char *messages;
};

/* Whether the host of that API is there; prints what to do where it is not. Returns an enum exit_code. */
int driver_host_find(enum mesa_api api);
/* Runs the host of that API. device: a virtual one with its options. Prints what stopped it; returns an enum exit_code.
 * driver_answer_finish() must follow in any case. */
int driver_host_run(const struct mesa *mesa, enum mesa_api api, const char *device, struct driver_request *request,
                    struct driver_answer *answer);
void driver_answer_finish(struct driver_answer *answer);

#endif
