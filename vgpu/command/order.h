/* SPDX-License-Identifier: MIT
 *
 * Hazards between the commands of a queue: one reads or writes an image that an earlier one writes, or writes what it
 * reads, and no barrier makes it wait (docs/spec/uapi.md 3.4). All commands run in order here, so such a command is
 * right by luck alone. Earlier submissions count for as long as the client does nothing by which it may know that they
 * have ended, or may have one wait for them.
 */
#ifndef VGPU_COMMAND_ORDER_H
#define VGPU_COMMAND_ORDER_H

#include "vgpu/launch.h"
#include "vgpu/uses.h"

#define VGPU_ORDERED 64u /* commands; those of earlier submissions give way, later ones are not looked at */

struct vgpu_order {
   struct {
      bool is_render;
      uint64_t after; /* the earlier commands that it waits for, directly or through others: a bit each */
      struct vgpu_uses uses;
   } commands[VGPU_ORDERED];
   uint32_t count, first;  /* of all commands; the running submission's first one */
   uint64_t queue, synced; /* of that submission: vgpu_order_submission() */
};

/* A submission follows. queue: a number of its queue; synced: a number that another one has if the client has waited or
 * looked for the end of something since; waits: the submission has fences of its own to wait for. */
void vgpu_order_submission(struct vgpu_order *order, uint64_t queue, uint64_t synced, bool waits, size_t commands);

/* A command of the submission follows. barriers: its header's, for render and for compute commands. Returns where its
 * uses go; NULL: it is not looked at. */
struct vgpu_uses *vgpu_order_begin(struct vgpu_order *order, bool is_render, const uint16_t barriers[2]);
/* Reports the hazards of the last command, which has ended. */
void vgpu_order_check(const struct vgpu_order *order, const struct vgpu_level *level, struct vgpu_check_log *log);

#endif
