/* SPDX-License-Identifier: MIT
 *
 * The growing array of an address stream.
 */
#include "vgpu/timing/memory/accesses.h"

#include <stdlib.h>

#include "util/array.h"

void vgpu_accesses_grow(struct vgpu_accesses *accesses)
{
   accesses->out_of_memory =
       accesses->out_of_memory || !ARRAY_RESERVE(accesses->spans, accesses->capacity, accesses->capacity + 1);
}

void vgpu_accesses_finish(struct vgpu_accesses *accesses)
{
   free(accesses->spans);
   *accesses = (struct vgpu_accesses){0};
}
