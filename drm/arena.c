/* SPDX-License-Identifier: MIT
 *
 * A ring of memory for data that each submission writes anew.
 */
#include "drm/device.h"

#include <errno.h>

/* Many ordinary submissions fit, so that an address is rewritten only after a whole round. */
#define ARENA_SIZE ((size_t)512 * 1024)

int asahi_arena_take(struct asahi_device *device, struct asahi_arena *arena, size_t size, size_t align,
                     struct asahi_piece *piece)
{
   size_t head;
   if (__builtin_add_overflow(arena->head, align - 1, &head)) {
      return asahi_fail(device, ENOMEM, "out of memory for a submission");
   }
   head &= ~(align - 1);
   if (arena->buffer == NULL || size > arena->buffer->size) {
      struct asahi_buffer *larger;
      int error = asahi_buffer_allocate(device, size > ARENA_SIZE ? size : ARENA_SIZE, DRM_ASAHI_PAGE_SIZE,
                                        arena->flags, "the memory of a submission", &larger);
      if (error != 0) {
         return error;
      }
      asahi_buffer_destroy(device, arena->buffer);
      arena->buffer = larger;
      head = 0;
   } else if (head > arena->buffer->size || arena->buffer->size - head < size) {
      head = 0;
   }
   piece->map = (uint8_t *)arena->buffer->map + head;
   piece->address = arena->buffer->address + head;
   piece->size = size;
   arena->head = head + size;
   return 0;
}
