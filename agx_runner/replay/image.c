/* SPDX-License-Identifier: MIT
 *
 * The memory of a saved job before and after it.
 */
#include "agx_runner/replay/image.h"

#include <string.h>

uint64_t saved_job_address(const struct saved_job *job, uint32_t buffer, uint64_t offset)
{
   for (size_t i = 0; i < job->mapping_count; i++) {
      const struct saved_mapping *mapping = &job->mappings[i];
      if (mapping->buffer == buffer && offset >= mapping->offset && offset - mapping->offset < mapping->range) {
         return mapping->address + (offset - mapping->offset);
      }
   }
   return 0;
}

const uint8_t *replay_bytes_at(const struct replay *replay, uint64_t address, uint64_t *size)
{
   for (size_t i = 0; i < replay->job->mapping_count; i++) {
      const struct saved_mapping *mapping = &replay->job->mappings[i];
      if (address >= mapping->address && address - mapping->address < mapping->range &&
          !(mapping->flags & DRM_ASAHI_BIND_SINGLE_PAGE)) {
         *size = mapping->range - (address - mapping->address);
         return replay->buffers[mapping->buffer].bytes + mapping->offset + (address - mapping->address);
      }
   }
   return NULL;
}

/* Copies the parts of pieces that overlap buffer bytes [start, start + size) into the image of these bytes. */
static void overlay(uint8_t *image, uint64_t start, uint64_t size, const struct saved_piece *pieces, size_t count,
                    uint32_t buffer)
{
   for (size_t i = 0; i < count; i++) {
      const struct saved_piece *piece = &pieces[i];
      const uint64_t first = piece->offset > start ? piece->offset : start;
      const uint64_t end = piece->offset + piece->size < start + size ? piece->offset + piece->size : start + size;
      if (piece->buffer == buffer && first < end) {
         memcpy(image + (first - start), piece->bytes + (first - piece->offset), end - first);
      }
   }
}

/* Replaces expected timestamps by those of this run. */
static void take_stamps(uint8_t *image, uint64_t start, uint64_t size, const struct replay *replay, uint32_t buffer)
{
   for (size_t i = 0; i < replay->job->command_count; i++) {
      for (size_t k = 0; k < SAVED_STAMPS; k++) {
         const struct saved_stamp *from = &replay->job->commands[i].stamps[k];
         const struct saved_piece stamp = {.buffer = from->buffer,
                                           .offset = from->offset,
                                           .size = sizeof(uint64_t),
                                           .bytes = replay->buffers[buffer].bytes + from->offset};
         overlay(image, start, size, &stamp, 1, buffer);
      }
   }
}

void replay_image(const struct replay *replay, uint32_t buffer, uint64_t start, uint64_t size, bool after,
                  uint8_t *image)
{
   const struct saved_job *job = replay->job;
   memset(image, 0, size);
   overlay(image, start, size, job->before, job->before_count, buffer);
   if (after) {
      overlay(image, start, size, job->after, job->after_count, buffer);
   }
   take_stamps(image, start, size, replay, buffer);
}
