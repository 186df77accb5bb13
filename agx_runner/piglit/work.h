/* SPDX-License-Identifier: MIT
 *
 * The work of `piglit`: each file is a unit, and each of its tests a result. A file without tests is one result. A
 * worker process runs file after file, and ends after a file whose job failed on the device.
 */
#ifndef PIGLIT_WORK_H
#define PIGLIT_WORK_H

#include "agx_runner/piglit/files.h"
#include "agx_runner/piglit/status.h"
#include "process/unit.h"

struct piglit_work {
   const struct piglit_files *files;
   double seconds; /* time limit of one file; a kernel has at most ASAHI_DEFAULT_TIMEOUT_NS */
   bool print;     /* store what Piglit's own tester would print */
   bool without_device;
   const struct piglit_driver *driver; /* of that Mesa; NULL: agx-compile and the device */
   const char *mesa;
   /* Function that a worker runs for a file; NULL: piglit_run_file(). Tests set their own. */
   enum piglit_status (*run)(const struct piglit_run *run, const char *path, const struct piglit_sink *sink,
                             char *reason, size_t reason_size);
};

/* `data` and what it points to must outlive the work. */
struct work piglit_work(struct piglit_work *data);

#endif
