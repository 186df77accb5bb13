/* SPDX-License-Identifier: MIT
 *
 * sweep layout: the map of a matrix operand's elements, as a picture.
 */
#ifndef AGX_RUNNER_SWEEP_LAYOUT_H
#define AGX_RUNNER_SWEEP_LAYOUT_H

#include <stdio.h>

#include "agx_runner/runs/run_settings.h"
#include "drm/asahi.h"
#include "nir_kernels/matrix/layout.h"

/* Finds the map on the device and prints it; `plot` (NULL: none) is a file for the map as an SVG. Prints messages;
 * returns an enum exit_code. */
int sweep_layout(const struct run_settings *settings, FILE *file, const char *plot);

/* Draws the map as an SVG: a square for each element, with "lane.register"; lanes of the same quad have the same
 * colour. */
void sweep_layout_draw(const struct asahi_device_info *info, const struct matrix_layout *layout, FILE *file);

#endif
