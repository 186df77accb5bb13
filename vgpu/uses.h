/* SPDX-License-Identifier: MIT
 *
 * The images that a command reads and writes, for the check of hazards between commands (vgpu/command/order.h). The
 * launches of the command add them. Invariant: with checks one host thread runs a command, so nothing here is locked.
 */
#ifndef VGPU_USES_H
#define VGPU_USES_H

#include <stdbool.h>
#include <stdint.h>

#define VGPU_USES 64u /* that are kept of a command: the first ones */

struct vgpu_use {
   uint64_t address; /* of the first level and layer */
   uint8_t first_level, last_level;
   bool writes;
};

struct vgpu_uses {
   struct vgpu_use items[VGPU_USES];
   uint32_t count;
};

static inline void vgpu_uses_add(struct vgpu_uses *uses, struct vgpu_use use)
{
   for (uint32_t i = 0; i < uses->count; i++) {
      const struct vgpu_use *old = &uses->items[i];
      if (old->address == use.address && old->first_level == use.first_level && old->last_level == use.last_level &&
          old->writes == use.writes) {
         return;
      }
   }
   if (uses->count < VGPU_USES) {
      uses->items[uses->count++] = use;
   }
}

#endif
