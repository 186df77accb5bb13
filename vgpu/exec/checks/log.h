/* SPDX-License-Identifier: MIT
 *
 * What the checks leave to the driver between launches: their reports, and the memory of the check for races.
 */
#ifndef VGPU_EXEC_CHECKS_LOG_H
#define VGPU_EXEC_CHECKS_LOG_H

#include "vgpu/launch.h"

void vgpu_races_destroy(struct vgpu_races *races); /* NULL is fine */
/* Reports a finding that is of no instruction. `address` and the format tell findings apart; log NULL: none are kept.
 */
void vgpu_check_note(struct vgpu_check_log *log, enum vgpu_check check, uint64_t address, const char *place,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Adds what `from` has, and empties it. */
void vgpu_check_log_move(struct vgpu_check_log *to, struct vgpu_check_log *from);

#endif
