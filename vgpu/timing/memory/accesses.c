/* SPDX-License-Identifier: MIT
 *
 * The growing array of an address stream.
 */
#include "vgpu/timing/memory/accesses.h"

#include <stdlib.h>

void vgpu_accesses_grow(struct vgpu_accesses *accesses)
{
   size_t capacity = accesses->capacity ? accesses->capacity * 2 : 16;
   uint64_t *spans = accesses->out_of_memory ? NULL : realloc(accesses->spans, capacity * sizeof(*spans));
   if (!spans) {
      accesses->out_of_memory = true;
      return;
   }
   accesses->spans = spans;
   accesses->capacity = capacity;
}

void vgpu_accesses_finish(struct vgpu_accesses *accesses)
{
   free(accesses->spans);
   *accesses = (struct vgpu_accesses){0};
}
