/* SPDX-License-Identifier: MIT
 *
 * An open device, and whether the user wants to stop. A session outlives all that is measured on it.
 */
#ifndef AGX_RUNNER_SESSION_H
#define AGX_RUNNER_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/compiler.h"
#include "drm/asahi.h"
#include "nir_kernels/benchmark.h"

struct session {
   struct asahi_device *device;
   const struct asahi_device_info *info;
   bool checks;                 /* a virtual device that checks what it executes (option check=) */
   uint64_t timeout_ns;         /* of one submission */
   bool odd_clock;              /* said: an inferred clock is no operating point */
   int signals;                 /* of a worker process: signalfd of SIGINT and SIGTERM; else -1 */
   bool interrupted;            /* one has come there */
   void (*waiting)(void *data); /* called now and then while a job is waited for; NULL: it is not */
   void *waiting_data;
   uint64_t last_end;   /* of the last submission, by its timestamps; 0: none yet */
   bool without_caches; /* it was said that the virtual device times a launch without its caches */
};

/* Messages are printed; an enum exit_code, EXIT_OK if well. From here to session_close() SIGINT and SIGTERM wait until
 * asked for; but a virtual device gives up the job that it runs, and then that submission fails with -EINTR. */
int session_open(struct session *session, const char *device, double timeout_seconds);
void session_close(struct session *session); /* also of a zeroed one */
/* SIGINT or SIGTERM has come. */
bool session_interrupted(struct session *session);

/* What a submission took, in nanoseconds. */
struct session_span {
   double device; /* first start to last end, by the commands' timestamps */
   double host;   /* by CLOCK_MONOTONIC */
   double wanted; /* of the host: on a virtual device by its instructions, so that no plan depends on the host's speed;
                     else as `host` */
   double idle;   /* before the first start since the end of the session's last submission; 0: there was none */
};

/* asahi_submit() of commands with one dispatch each. nanoseconds[i] is 0 where the device has no time to give: a
 * virtual one with timing=off, whose timestamps are no model's. span may be NULL. */
int session_submit(struct session *session, const struct asahi_dispatch *dispatches, size_t count, double *nanoseconds,
                   struct session_span *span);

/* What a program for this device is compiled with. */
struct compiler_options device_compiler_options(const struct asahi_device_info *info);
/* What a benchmark's program for this device is compiled with, wherever it is: measured, described, or in a report. */
struct compiler_options benchmark_compiler_options(const struct benchmark *benchmark,
                                                   const struct asahi_device_info *info);

#endif
