/* SPDX-License-Identifier: MIT
 *
 * See feed.h. Invariant: runs that a reader has passed do not get longer, and none moves.
 */
#include "vgpu/timing/memory/feed.h"

#include <stdlib.h>
#include <string.h>

bool vgpu_feed_init(struct vgpu_feed *feed, const struct vgpu_record *records, uint64_t groups, uint32_t simds_each,
                    uint32_t cores)
{
   *feed = (struct vgpu_feed){.simds = groups * simds_each};
   feed->streams = calloc(feed->simds + 1, sizeof(*feed->streams));
   for (uint64_t group = 0; feed->streams && group < groups; group += cores) {
      for (size_t i = group * simds_each; i < (group + 1) * simds_each; i++) {
         feed->streams[i].accesses = records[i].accesses;
      }
   }
   return feed->streams != NULL;
}

void vgpu_feed_finish(struct vgpu_feed *feed)
{
   for (size_t i = 0; feed->streams && i < feed->simds; i++) {
      free(feed->streams[i].runs);
   }
   free(feed->streams);
   for (unsigned i = 0; i < VGPU_STEPS_FED; i++) {
      free(feed->windows[i].items);
   }
   free(feed->kinds);
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

static bool append(struct vgpu_feed_stream *stream, uint32_t service)
{
   if (!stream->runs && !(stream->runs = malloc(stream->accesses * sizeof(*stream->runs)))) {
      return false;
   }
   stream->known++;
   if (stream->count > stream->closed && stream->runs[stream->count - 1].service == service) {
      stream->runs[stream->count - 1].repeat++;
   } else {
      stream->runs[stream->count++] = (struct vgpu_service_run){service, 1};
   }
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
      for (size_t i = 0; i < window->count && done; i++) {
         done = append(&feed->streams[window->items[i].simd], window->items[i].service);
      }
      window->count = 0;
   }
   if (done) {
      feed->go_on(feed->data);
   }
   return done;
}
