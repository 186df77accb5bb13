/* SPDX-License-Identifier: MIT
 *
 * Which commands of a queue wait for which, and the images that they share: order.h. Invariant: a command is
 * ordered behind another one if its barrier names it, or a command that is ordered behind that one.
 */
#include "vgpu/command/order.h"

#include <inttypes.h>
#include <stdio.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/exec/exec.h"

void vgpu_order_submission(struct vgpu_order *order, uint64_t queue, uint64_t synced, bool waits, size_t commands)
{
   if (waits || order->queue != queue || order->synced != synced || order->count + commands > VGPU_ORDERED) {
      order->count = 0;
   }
   order->first = order->count;
   order->queue = queue;
   order->synced = synced;
}

struct vgpu_uses *vgpu_order_begin(struct vgpu_order *order, bool is_render, const uint16_t barriers[2])
{
   uint32_t seen[2] = {0};
   uint64_t after = 0;
   if (order->count == VGPU_ORDERED) {
      return NULL;
   }
   for (uint32_t i = 0; i < order->count; i++) {
      const unsigned kind = order->commands[i].is_render ? 0 : 1;
      seen[kind] += i >= order->first; /* any barrier waits for all earlier submissions, too */
      if (barriers[kind] != DRM_ASAHI_BARRIER_NONE && seen[kind] <= barriers[kind]) {
         after |= order->commands[i].after | UINT64_C(1) << i;
      }
   }
   order->commands[order->count].is_render = is_render;
   order->commands[order->count].after = after;
   order->commands[order->count].uses.count = 0;
   return &order->commands[order->count++].uses;
}

static const char *kind_of(const struct vgpu_order *order, uint32_t command)
{
   return order->commands[command].is_render ? "render" : "compute";
}

/* Reports what the last command does with an image, and an earlier one before it. */
static void report(const struct vgpu_order *order, uint32_t earlier, const struct vgpu_use *then,
                   const struct vgpu_use *now, const struct vgpu_level *level, struct vgpu_check_log *log)
{
   const uint32_t last = order->count - 1;
   char text[sizeof(((struct vgpu_check_report *)0)->text)], who[48];
   if (earlier >= order->first) {
      snprintf(who, sizeof(who), "command %" PRIu32, earlier - order->first);
   } else {
      snprintf(who, sizeof(who), "an earlier submission's");
   }
   snprintf(text, sizeof(text),
            "command %" PRIu32 " of the submission, a %s command, %s the image at 0x%" PRIx64
            ", which %s, a %s command, %s, and no barrier makes it wait for that",
            last - order->first, kind_of(order, last), now->writes ? "writes" : "reads", now->address, who,
            kind_of(order, earlier), then->writes ? "writes" : "reads");
   level->checks->note(log, VGPU_CHECK_HAZARDS, now->address, "the barriers of the command's header", text);
}

void vgpu_order_check(const struct vgpu_order *order, const struct vgpu_level *level, struct vgpu_check_log *log)
{
   const uint32_t last = order->count - 1;
   const struct vgpu_uses *now = &order->commands[last].uses;
   for (uint32_t i = 0; i < last; i++) {
      const struct vgpu_uses *then = &order->commands[i].uses;
      if (order->commands[last].after >> i & 1) {
         continue;
      }
      for (uint32_t a = 0; a < now->count; a++) {
         for (uint32_t b = 0; b < then->count; b++) {
            const struct vgpu_use *mine = &now->items[a], *other = &then->items[b];
            if (mine->address == other->address && mine->first_level <= other->last_level &&
                other->first_level <= mine->last_level && (mine->writes || other->writes)) {
               report(order, i, other, mine, level, log);
            }
         }
      }
   }
}
