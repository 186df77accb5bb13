/* SPDX-License-Identifier: MIT
 *
 * The features that an OpenCL program may request of the devices that agx-runner drives, and why others are missing.
 */
#ifndef PIGLIT_OFFER_H
#define PIGLIT_OFFER_H

#include "agx_runner/piglit/format/program_test.h"
#include "agx_runner/piglit/status.h"

/* The platform that Piglit's tests see: CL_PLATFORM_NAME, and the versions times ten. OpenCL C 2.0 is the newest
 * version that the front end accepts with generic pointers; no supported test needs queues or pipes. */
#define PIGLIT_PLATFORM_NAME "agx-runner"
#define PIGLIT_OPENCL_VERSION 20
#define PIGLIT_CLC_VERSION 20
/* CL_DEVICE_MAX_WORK_GROUP_SIZE, also for each dimension (spec/uapi.md: at most 1024 threads in a threadgroup). */
#define PIGLIT_MAX_GROUP 1024

/* Whether the device supports the file. PIGLIT_PASS with the OpenCL C version to compile it for, PIGLIT_SKIP with the
 * reason, PIGLIT_WARN if the file's requirements are malformed. */
enum piglit_status piglit_offer(const struct piglit_file *file, const char *device_name, int64_t *version, char *reason,
                                size_t reason_size);

#endif
