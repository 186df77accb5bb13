/* SPDX-License-Identifier: MIT
 *
 * What an OpenCL program may ask of the devices that agx-runner drives, and why not of more.
 */
#ifndef PIGLIT_OFFER_H
#define PIGLIT_OFFER_H

#include "agx_runner/piglit/format/program_test.h"
#include "agx_runner/piglit/status.h"

/* What Piglit's tests are told: CL_PLATFORM_NAME, and the versions as ten times the number. OpenCL C 2.0 is the newest
 * that the front end takes with generic pointers; queues and pipes no test here asks for. */
#define PIGLIT_PLATFORM_NAME "agx-runner"
#define PIGLIT_OPENCL_VERSION 20
#define PIGLIT_CLC_VERSION 20
/* CL_DEVICE_MAX_WORK_GROUP_SIZE, also for each dimension (spec/uapi.md: at most 1024 threads in a threadgroup). */
#define PIGLIT_MAX_GROUP 1024

/* Whether the device suits the file. PIGLIT_PASS with the OpenCL C version to compile it for, PIGLIT_SKIP with the
 * reason, PIGLIT_WARN when what the file asks is malformed. */
enum piglit_status piglit_offer(const struct piglit_file *file, const char *device_name, int64_t *version, char *reason,
                                size_t reason_size);

#endif
