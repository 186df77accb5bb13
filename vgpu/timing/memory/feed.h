/* SPDX-License-Identifier: MIT
 *
 * The services of one core, window by window (vgpu/timing/memory/services.h), so that it can be simulated while later
 * windows are replayed.
 *
 * Invariant: one host thread adds services of a window while another one reads those of windows before. The two share
 * no window (vgpu/timing/memory/steps.h).
 */
#ifndef VGPU_FEED_H
#define VGPU_FEED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/timing/memory/intern.h"
#include "vgpu/timing/memory/records.h"
#include "vgpu/timing/memory/steps.h"
#include "util/array.h"

/* The services of a simdgroup as far as they have been read. */
struct vgpu_feed_stream {
   struct vgpu_service_run *runs; /* room for one each access */
   uint32_t count, closed;        /* runs; of those, the ones that do not get longer */
   uint32_t known, accesses;      /* accesses that the runs have, and will have */
};

/* The service of an access. */
struct vgpu_feed_item {
   size_t simd;      /* index of its simdgroup's record */
   uint32_t service; /* number */
};

struct vgpu_feed_window {
   struct vgpu_feed_item *items;
   size_t count, capacity;
};

struct vgpu_feed {
   size_t simds;
   struct vgpu_feed_stream *streams;                /* by record of a simdgroup; zeros for those of other cores */
   struct vgpu_feed_window windows[VGPU_STEPS_FED]; /* by number modulo VGPU_STEPS_FED */
   struct vgpu_blob *kinds;                         /* struct vgpu_service, by number */
   uint32_t kind_count, kind_capacity;
   /* simulates the core as far as the services that have been read allow */
   void (*go_on)(void *data);
   void *data;
};

/* records: of `groups` threadgroups with simds_each records. The core has every `cores`-th threadgroup, beginning with
 * the first one. Returns false when out of memory; vgpu_feed_finish() must follow in any case. */
bool vgpu_feed_init(struct vgpu_feed *feed, const struct vgpu_record *records, uint64_t groups, uint32_t simds_each,
                    uint32_t cores);
void vgpu_feed_finish(struct vgpu_feed *feed);
/* Returns false when out of memory. */
static inline bool vgpu_feed_add(struct vgpu_feed_window *window, size_t simd, uint32_t service)
{
   if (!ARRAY_RESERVE(window->items, window->capacity, window->count + 1)) {
      return false;
   }
   window->items[window->count++] = (struct vgpu_feed_item){simd, service};
   return true;
}
/* Reads the windows from the first to before `end`, and simulates. kinds: the services by number, under their lock.
 * Returns false when out of memory. */
bool vgpu_feed_go_on(struct vgpu_feed *feed, uint64_t first, uint64_t end, const struct vgpu_intern *kinds,
                     pthread_mutex_t *lock);

#endif
