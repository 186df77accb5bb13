/* SPDX-License-Identifier: MIT
 *
 * Buffer objects: memory that the client's mappings and the GPU's page tables share.
 */
#ifndef VGPU_GEM_H
#define VGPU_GEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_bo {
   struct vgpu_heap *heap;
   struct vgpu_bo *next; /* of the heap's live ones, then of its retired ones */
   unsigned refs;        /* handles, GPU mappings, client mappings, timestamp objects, exports */
   uint8_t *host;        /* the device's own view */
   uint64_t size;        /* bytes, a multiple of the GPU page */
   uint64_t offset;      /* in the heap's file; also the offset that mmap takes */
   int file;             /* the buffer's own file, which it fills from 0 on; -1: its memory is in the heap's */
   uint64_t owner;       /* VM_PRIVATE: the serial of its VM; else 0 */
};

/* A mapping of the client, which stays after the last handle of the object is closed. */
struct vgpu_view {
   uintptr_t start, end;
   uint64_t offset; /* of `start` in the buffer */
   int protection;
   struct vgpu_bo *bo;
};

/* All memory of a device but what other processes share: one sparse memory file, so that buffers cost no file
 * descriptors (the usual limit is 1024) and only the pages that are touched. Offsets are never used twice. */
struct vgpu_heap {
   int fd;
   uint64_t page;       /* alignment of buffers: the larger of the GPU's page and the host's */
   uintptr_t host_page; /* what mmap and munmap round to */
   uint64_t end;        /* of the file */
   struct vgpu_bo *live, *retired;
   bool busy; /* a job runs and may hold pointers into buffers: freed ones are kept until it ends */
   struct vgpu_view *views;
   size_t view_count, view_capacity;
};

int vgpu_heap_init(struct vgpu_heap *heap); /* 0 or a negative errno */
void vgpu_heap_finish(struct vgpu_heap *heap);
/* To be called when a job starts (true) or has ended (false). Frees memory that waited for the end of the job. */
void vgpu_heap_set_busy(struct vgpu_heap *heap, bool busy);

/* Zeroed. -EINVAL for size 0 or one that overflows, -ENOMEM. The new object has one reference. */
int vgpu_bo_create(struct vgpu_heap *heap, uint64_t size, uint64_t owner, struct vgpu_bo **out);
struct vgpu_bo *vgpu_bo_ref(struct vgpu_bo *bo);
void vgpu_bo_unref(struct vgpu_bo *bo);                                    /* NULL is fine */
struct vgpu_bo *vgpu_bo_at(const struct vgpu_heap *heap, uint64_t offset); /* that starts there, or NULL */

/* mmap(2) of the start of a buffer for the client, MAP_FAILED and errno on failure, and munmap(2). */
void *vgpu_bo_mmap(struct vgpu_bo *bo, size_t length, int protection, int flags);
int vgpu_heap_munmap(struct vgpu_heap *heap, void *address, size_t length);

/* ---- Buffers that other processes see ---- */

/* Moves the buffer to a file of its own, if it has none. No job may run (heap->busy). The file, which stays the
 * buffer's, or a negative errno. */
int vgpu_bo_share(struct vgpu_bo *bo);
/* The buffer whose file this is, maybe one of another process: a new reference. -EINVAL: it is no such file. */
int vgpu_bo_import(struct vgpu_heap *heap, int file, struct vgpu_bo **out);

#endif
