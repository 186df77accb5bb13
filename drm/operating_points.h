/* SPDX-License-Identifier: MIT
 *
 * The clocks that the machine's device tree lists for the GPU. GET_PARAMS names a constant instead
 * (spec/hardware-audit.md, 2).
 */
#ifndef DRM_OPERATING_POINTS_H
#define DRM_OPERATING_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/asahi.h"

/* Fills in the frequencies in hertz, ascending, without 0, of the first GPU ("apple,agx...") in the device tree below
 * `root`; NULL: the machine's own. Returns their number, at most ASAHI_OPERATING_POINTS_MAX; 0: no such tree, no such
 * GPU, or no table. */
size_t asahi_operating_points(const char *root, uint64_t hz[ASAHI_OPERATING_POINTS_MAX]);

/* Whether a clock is one of the points, within 1 %. An inferred clock has an error of some tenths of a per cent, and
 * neighbouring points are further apart on all chips. */
bool asahi_operating_point_fits(const uint64_t *points, size_t count, double hz);
/* Returns the point that is nearest to `hz`; 0: count is 0. */
uint64_t asahi_operating_point_nearest(const uint64_t *points, size_t count, double hz);

#endif
