/* SPDX-License-Identifier: MIT
 *
 * A range of GPU virtual addresses handed out in pieces.
 */
#ifndef DRM_VA_H
#define DRM_VA_H

#include <stddef.h>
#include <stdint.h>

#include "drm/uapi/asahi_drm.h"

struct asahi_va_hole {
   uint64_t start, end; /* end exclusive */
};

/* Free addresses as holes in ascending order; no two are adjacent. */
struct asahi_va_heap {
   struct asahi_va_hole *holes;
   size_t count, capacity, pieces; /* pieces: number that is handed out now */
   uint64_t next;                  /* where the next search starts */
};

/* start and end: multiples of the page. -ENOMEM. */
int asahi_va_init(struct asahi_va_heap *heap, uint64_t start, uint64_t end);
void asahi_va_finish(struct asahi_va_heap *heap);

/* size: bytes, > 0, a multiple of the page. align: a power of two, at least a page. A guard page that stays
 * unmapped follows each piece. -ENOSPC: no hole is large enough; -ENOMEM. */
int asahi_va_alloc(struct asahi_va_heap *heap, uint64_t size, uint64_t align, uint64_t *address);
/* Frees what asahi_va_alloc() gave for that size. Needs no memory. */
void asahi_va_free(struct asahi_va_heap *heap, uint64_t address, uint64_t size);

#endif
