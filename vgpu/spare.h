/* SPDX-License-Identifier: MIT
 *
 * Memory of the host that launches and render passes use one after the other, so that it need not come from the system,
 * page by page, each time. Invariant: a block that was given back belongs to nobody until it is taken again; what it
 * holds then means nothing.
 */
#ifndef VGPU_SPARE_H
#define VGPU_SPARE_H

#include <stddef.h>

#define VGPU_SPARE_ALIGNMENT 64u

struct vgpu_spare;

/* NULL: out of memory. */
struct vgpu_spare *vgpu_spare_create(void);
/* All blocks were given back. NULL is fine. */
void vgpu_spare_destroy(struct vgpu_spare *spare);
/* A block of so many bytes; NULL: out of memory. Any thread may call these. `spare` NULL: from the system. */
void *vgpu_spare_take(struct vgpu_spare *spare, size_t bytes);
/* bytes: as it was taken. block NULL is fine. */
void vgpu_spare_give(struct vgpu_spare *spare, void *block, size_t bytes);

#endif
