/* SPDX-License-Identifier: MIT
 *
 * What the checks leave to the driver between launches: their reports, and the memory of the check for races.
 */
#ifndef VGPU_EXEC_CHECKS_LOG_H
#define VGPU_EXEC_CHECKS_LOG_H

#include "vgpu/launch.h"

void vgpu_races_destroy(struct vgpu_races *races); /* NULL is fine */
/* Adds what `from` has, and empties it. */
void vgpu_check_log_move(struct vgpu_check_log *to, struct vgpu_check_log *from);

#endif
