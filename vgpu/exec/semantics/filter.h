/* SPDX-License-Identifier: MIT
 *
 * The linear filter on plain images (vgpu/exec/image/plain.h), all lanes of a simdgroup side by side.
 */
#ifndef VGPU_FILTER_H
#define VGPU_FILTER_H

#include "vgpu/exec/exec.h"
#include "vgpu/exec/image/plain.h"
#include "vgpu/exec/simd.h"

#define vgpu_filter_lanes VGPU_NAME(vgpu_filter_lanes)

/* Four channels, each a lane vector, of the image's first level at the coordinates in `at`: words of two lane vectors.
 * Inactive lanes' channels mean nothing. `sample` has the image, a sampler without levels of detail whose filter is
 * linear, and `plain`; its coordinates are not looked at. false: lane by lane; nothing was written. */
bool vgpu_filter_lanes(const struct vgpu_sample *sample, const uint32_t *const at[2], uint32_t channels[4][VGPU_LANES]);

#endif
