/* SPDX-License-Identifier: MIT
 *
 * The services of cores, window by window (vgpu/timing/memory/services.h), so that these cores can be simulated while
 * later windows are replayed.
 *
 * Invariant: one host thread adds services of a core of a window while another one reads those of windows before. The
 * two share no window (vgpu/timing/memory/steps.h).
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

/* Equal consecutive services of a simdgroup. */
struct vgpu_feed_item {
   size_t simd; /* index of its record */
   struct vgpu_service_run run;
};

struct vgpu_feed_window {
   struct vgpu_feed_item *items;
   uint32_t count, capacity;
};

/* Of a core. */
struct vgpu_feed {
   struct vgpu_feed_stream *streams;                /* by record of a simdgroup: those of all cores */
   struct vgpu_feed_window windows[VGPU_STEPS_FED]; /* by number modulo VGPU_STEPS_FED */
   struct vgpu_blob *kinds;                         /* struct vgpu_service, by number */
   uint32_t kind_count, kind_capacity;
   /* simulates the core as far as the services that have been read allow; NULL: the core has no feed */
   void (*go_on)(void *data);
   void *data;
};

struct vgpu_feeds {
   size_t simds;
   uint32_t cores;
   struct vgpu_feed_stream *streams;
   struct vgpu_feed *feeds; /* by core */
};

/* records: so many, of all simdgroups. No core has a feed yet. Returns false when out of memory; vgpu_feeds_finish()
 * must follow in any case. */
bool vgpu_feeds_init(struct vgpu_feeds *feeds, const struct vgpu_record *records, size_t simds, uint32_t cores);
void vgpu_feeds_finish(struct vgpu_feeds *feeds);
/* Adds services of the simdgroup with that record. Returns false when out of memory. */
static inline bool vgpu_feed_add(struct vgpu_feed_window *window, size_t simd, struct vgpu_service_run run)
{
   if (!ARRAY_RESERVE(window->items, window->capacity, window->count + 1)) {
      return false;
   }
   window->items[window->count++] = (struct vgpu_feed_item){simd, run};
   return true;
}
/* Reads the windows from the first to before `end`, and simulates. kinds: the services by number, under their lock.
 * Returns false when out of memory. */
bool vgpu_feed_go_on(struct vgpu_feed *feed, uint64_t first, uint64_t end, const struct vgpu_intern *kinds,
                     pthread_mutex_t *lock);

#endif
