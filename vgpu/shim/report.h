/* SPDX-License-Identifier: MIT
 *
 * What a process did with its virtual device, told at its end to the file that AGX_VGPU_REPORT names.
 */
#ifndef VGPU_SHIM_REPORT_H
#define VGPU_SHIM_REPORT_H

#include "vgpu/driver/device.h"

/* The process has opened its device. */
void shim_report_open(struct vgpu_device *device);
/* After fork(): this process has none yet. */
void shim_report_forked(void);

#endif
