/* SPDX-License-Identifier: MIT
 *
 * What the device of a test reports.
 */
#ifndef AGX_RUNNER_DRIVER_TESTS_FINDINGS_H
#define AGX_RUNNER_DRIVER_TESTS_FINDINGS_H

#include "agx_runner/piglit/status.h"
#include "agx_runner/with_device/device_report.h"

/* Prints the device's faults and the findings of its checks. */
void driver_tests_findings(const struct device_report *report, const struct piglit_sink *sink);

#endif
