/* SPDX-License-Identifier: MIT
 *
 * See refuse.h. The linker gathers all refusals into one section.
 */
#include "vgpu/refuse.h"

#include <stdlib.h>

extern const struct vgpu_refusal *const __start_vgpu_refusals[], *const __stop_vgpu_refusals[];

const struct vgpu_refusal *const *vgpu_refusals(size_t *count)
{
   *count = (size_t)(__stop_vgpu_refusals - __start_vgpu_refusals);
   return __start_vgpu_refusals;
}

bool vgpu_refused(const struct vgpu_refusal *const *refusal, bool condition)
{
   const char *number = getenv("VGPU_MUTATE");
   return condition && !(number && strtol(number, NULL, 10) == refusal - __start_vgpu_refusals);
}
