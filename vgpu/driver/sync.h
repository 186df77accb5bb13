/* SPDX-License-Identifier: MIT
 *
 * Fences and synchronisation objects with the rules of the DRM core (drm_syncobj.c, dma-fence-chain.c).
 * The caller holds the device's lock everywhere.
 */
#ifndef VGPU_SYNC_H
#define VGPU_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vgpu_fence_kind {
   VGPU_FENCE_PLAIN, /* signalled once, with an error or without */
   VGPU_FENCE_CHAIN, /* a point of a timeline: its own fence and all earlier points */
   VGPU_FENCE_ARRAY, /* several plain ones, all of them */
};

struct vgpu_fence {
   enum vgpu_fence_kind kind;
   unsigned refs;
   uint64_t context, seqno; /* who signals it, and its place there; for a chain: the timeline and the point */
   bool signaled;           /* chain and array: known to be; ask vgpu_fence_signaled() */
   int error;               /* 0 or a negative errno; plain fences only */
   uint64_t timestamp_ns;   /* CLOCK_MONOTONIC, when it was signalled */

   struct vgpu_fence *fence, *prev; /* chain: of this point, and the point before (a plain fence may end it) */
   uint64_t prev_seqno;             /* chain: of prev, also after prev has gone; 0: none */
   struct vgpu_fence **fences;      /* array */
   size_t count;
};

struct vgpu_syncobj {
   unsigned refs;
   struct vgpu_fence *fence; /* NULL: none yet */
};

/* NULL: out of memory. `context` is the number of the queue that signals it. */
struct vgpu_fence *vgpu_fence_create(uint64_t context, uint64_t seqno);
struct vgpu_fence *vgpu_fence_ref(struct vgpu_fence *fence); /* NULL is fine */
void vgpu_fence_unref(struct vgpu_fence *fence);             /* NULL is fine */
/* Plain fences only, once. The caller wakes the waiters. */
void vgpu_fence_signal(struct vgpu_fence *fence, int error);
bool vgpu_fence_signaled(struct vgpu_fence *fence);
/* 1: signalled; 0: pending; negative: signalled with that errno. */
int vgpu_fence_status(struct vgpu_fence *fence);

/* Writes the plain fences that `fence` consists of, without those of past points, to `leaves`: at most `count`,
 * borrowed. Returns how many there are. */
size_t vgpu_fence_leaves(struct vgpu_fence *fence, struct vgpu_fence **leaves, size_t count);
/* Returns a fence that is signalled with `fence` and is no chain, so that it can become a point of one. A new
 * reference; NULL: out of memory. */
struct vgpu_fence *vgpu_fence_flatten(struct vgpu_fence *fence);

struct vgpu_syncobj *vgpu_syncobj_create(void); /* one reference; NULL: out of memory */
struct vgpu_syncobj *vgpu_syncobj_ref(struct vgpu_syncobj *syncobj);
void vgpu_syncobj_unref(struct vgpu_syncobj *syncobj); /* NULL is fine */
/* Binary: what it held is forgotten. Takes its own reference; NULL resets it. */
void vgpu_syncobj_replace(struct vgpu_syncobj *syncobj, struct vgpu_fence *fence);
/* An empty chain node for vgpu_syncobj_add_point(), allocated beforehand so that adding cannot fail. */
struct vgpu_fence *vgpu_fence_create_chain(void);
/* Timeline: `fence` (no chain) becomes point `point`. Consumes `chain`. A point that is not later than the last one
 * starts over, as in the kernel. `context` is a fresh number for that case. */
void vgpu_syncobj_add_point(struct vgpu_syncobj *syncobj, struct vgpu_fence *chain, struct vgpu_fence *fence,
                            uint64_t point, uint64_t context);
/* The fence to wait for until `point` (0: whatever is there) is reached: true and a new reference, which is NULL when
 * the point is already past; false when there is no such point yet. */
bool vgpu_syncobj_find(struct vgpu_syncobj *syncobj, uint64_t point, struct vgpu_fence **out);
/* The last point reached, or with `submitted` the last one added; 0 for one that is no timeline. */
uint64_t vgpu_syncobj_query(struct vgpu_syncobj *syncobj, bool submitted);

#endif
