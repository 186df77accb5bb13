/* SPDX-License-Identifier: MIT
 *
 * Option collect=FOLDER: keeps each program that is launched, once, as drm/uapi/collected.h describes.
 */
#ifndef VGPU_COLLECT_H
#define VGPU_COLLECT_H

#include "drm/uapi/collected.h"
#include "vgpu/launch.h"

/* Of one device, whose worker alone uses it. */
struct vgpu_collection;

/* NULL: out of memory. The folder is created with the first program. */
struct vgpu_collection *vgpu_collection_create(const char *folder);
void vgpu_collection_destroy(struct vgpu_collection *collection); /* NULL is fine */

/* Counts a launch of the program, and stores the program if it is new. outcome: what the launch has done; NULL: not
 * known. What cannot be written is said on stderr once, and the launch goes on. */
void vgpu_collect(struct vgpu_collection *collection, const struct vgpu_launch *launch, enum collected_stage stage,
                  const struct vgpu_outcome *outcome);

#endif
