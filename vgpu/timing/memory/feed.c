/* SPDX-License-Identifier: MIT
 *
 * See feed.h. Invariant: runs that a reader has passed do not get longer, and none moves.
 */
#include "vgpu/timing/memory/feed.h"

#include <stdlib.h>
#include <string.h>

bool vgpu_feeds_init(struct vgpu_feeds *feeds, const struct vgpu_record *records, size_t simds, uint32_t cores)
{
   *feeds = (struct vgpu_feeds){.simds = simds, .cores = cores};
   feeds->streams = calloc(simds + 1, sizeof(*feeds->streams));
   feeds->feeds = calloc(cores, sizeof(*feeds->feeds));
   if (!feeds->streams || !feeds->feeds) {
      return false;
   }
   for (size_t i = 0; i < simds; i++) {
      feeds->streams[i].accesses = records[i].accesses;
   }
   for (uint32_t i = 0; i < cores; i++) {
      feeds->feeds[i].streams = feeds->streams;
   }
   return true;
}

static void finish(struct vgpu_feed *feed)
{
   for (unsigned i = 0; i < VGPU_STEPS_FED; i++) {
      free(feed->windows[i].items);
   }
   free(feed->kinds);
}

void vgpu_feeds_finish(struct vgpu_feeds *feeds)
{
   for (size_t i = 0; feeds->streams && i < feeds->simds; i++) {
      free(feeds->streams[i].runs);
   }
   for (uint32_t i = 0; feeds->feeds && i < feeds->cores; i++) {
      finish(&feeds->feeds[i]);
   }
   free(feeds->streams);
   free(feeds->feeds);
}

/* Reads the services that have got a number since the last time. */
static bool read_kinds(struct vgpu_feed *feed, const struct vgpu_intern *kinds)
{
   if (!ARRAY_RESERVE(feed->kinds, feed->kind_capacity, kinds->count)) {
      return false;
   }
   for (; feed->kind_count < kinds->count; feed->kind_count++) {
      feed->kinds[feed->kind_count] = kinds->blobs[feed->kind_count];
   }
   return true;
}

static bool append(struct vgpu_feed_stream *stream, struct vgpu_service_run run)
{
   stream->known += run.repeat;
   if (!stream->runs) {
      stream->runs = malloc(stream->accesses * sizeof(*stream->runs));
      if (!stream->runs) {
         return false;
      }
   } else if (stream->count > stream->closed && stream->runs[stream->count - 1].service == run.service) {
      stream->runs[stream->count - 1].repeat += run.repeat;
      return true;
   }
   stream->runs[stream->count++] = run;
   return true;
}

bool vgpu_feed_go_on(struct vgpu_feed *feed, uint64_t first, uint64_t end, const struct vgpu_intern *kinds,
                     pthread_mutex_t *lock)
{
   pthread_mutex_lock(lock);
   bool done = read_kinds(feed, kinds);
   pthread_mutex_unlock(lock);
   for (; first < end; first++) {
      struct vgpu_feed_window *window = &feed->windows[first % VGPU_STEPS_FED];
      for (uint32_t i = 0; i < window->count && done; i++) {
         done = append(&feed->streams[window->items[i].simd], window->items[i].run);
      }
      window->count = 0;
   }
   if (done) {
      feed->go_on(feed->data);
   }
   return done;
}
