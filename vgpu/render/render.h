/* SPDX-License-Identifier: MIT
 *
 * Runs render commands: docs/spec/render.md.
 */
#ifndef VGPU_RENDER_H
#define VGPU_RENDER_H

#include "drm/uapi/asahi_drm.h"
#include "vgpu/command/run_stream.h"
#include "vgpu/launch.h"

/* Runs the command, and counts its launches in the device's programs: first the geometry of its stream, then each tile.
 * `base` has what all launches of the device share, without programs; `result` must be zero except for `time`. Time is
 * not modelled. The same picture comes out for any number of host threads. */
void vgpu_render_run(const struct vgpu_stream_device *device, const struct vgpu_launch *base,
                     const struct drm_asahi_cmd_render *command, struct vgpu_command_result *result);

#endif
