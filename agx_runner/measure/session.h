/* SPDX-License-Identifier: MIT
 *
 * An open device, and whether the user wants to stop. A session outlives everything that is measured on it.
 */
#ifndef AGX_RUNNER_SESSION_H
#define AGX_RUNNER_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/api/compiler.h"
#include "drm/asahi.h"
#include "nir_kernels/benchmark.h"

struct result;

struct session {
   struct asahi_device *device;
   const struct asahi_device_info *info;
   bool checks;                 /* the device checks the programs that it executes (option check=) */
   uint64_t timeout_ns;         /* time limit of one submission */
   bool odd_clock;              /* the warning has been given that an inferred clock is no operating point */
   int signals;                 /* in a worker process, a signalfd of SIGINT and SIGTERM; otherwise -1 */
   bool interrupted;            /* one of these signals has arrived */
   void (*waiting)(void *data); /* called from time to time while a job is waited for; NULL: no call */
   void *waiting_data;
   uint64_t last_end;     /* end of the last submission by its timestamps; 0: there was none */
   struct result *result; /* what is measured now: it gets the figure, or the reason why there is none */
   bool lost;             /* the run must end: interrupted, the device is lost, or memory ran out */
   bool without_caches;   /* the warning has been given that the virtual device times a launch without its caches */
};

/* Prints messages; returns an enum exit_code. From here to session_close() SIGINT and SIGTERM are blocked until
 * session_interrupted() looks for them; but a virtual device aborts its running job, and that submission fails with
 * -EINTR. */
int session_open(struct session *session, const char *device, double timeout_seconds);
void session_close(struct session *session); /* a zeroed session is accepted */
/* What is measured from here on fills in `result`, which must live until then. */
void session_set_result(struct session *session, struct result *result);
/* Whether SIGINT or SIGTERM has arrived. */
bool session_interrupted(struct session *session);

/* The time of a submission in nanoseconds. */
struct session_span {
   double device; /* first start to last end, by the commands' timestamps */
   double host;   /* by CLOCK_MONOTONIC */
   /* time of the host; for a virtual device it is derived from the number of instructions, so that no plan depends on
    * the host's speed */
   double wanted;
   double idle; /* idle time of the device since the end of the session's last submission; 0: there was none */
};

/* Calls asahi_submit() with commands of one dispatch each. nanoseconds[i] is 0 if the device has no time: a virtual one
 * with timing=off, whose timestamps are not modelled. span may be NULL. */
int session_submit(struct session *session, const struct asahi_dispatch *dispatches, size_t count, double *nanoseconds,
                   struct session_span *span);

/* Returns the compiler options for this device. */
struct compiler_options device_compiler_options(const struct asahi_device_info *info);
/* Returns the compiler options of a benchmark for this device, the same wherever it is measured, described or
 * reported. */
struct compiler_options benchmark_compiler_options(const struct benchmark *benchmark,
                                                   const struct asahi_device_info *info);

#endif
