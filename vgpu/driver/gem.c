/* SPDX-License-Identifier: MIT
 *
 * Buffer objects: see gem.h. The caller holds the device's lock.
 */
#include "vgpu/driver/gem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu/launch.h"
#include "vgpu/refuse.h"
#include "util/array.h"

/* DRM's fake mmap offsets start above 4 GiB too, so that none can be mistaken for a handle. */
#define FIRST_OFFSET (UINT64_C(1) << 32)

int vgpu_heap_init(struct vgpu_heap *heap)
{
   uintptr_t host_page = (uintptr_t)sysconf(_SC_PAGESIZE);
   *heap = (struct vgpu_heap){
       .fd = memfd_create("vgpu-memory", MFD_CLOEXEC),
       .page = host_page > VGPU_PAGE ? host_page : VGPU_PAGE,
       .host_page = host_page,
       .end = FIRST_OFFSET,
   };
   return heap->fd < 0 ? -errno : 0;
}

void vgpu_heap_finish(struct vgpu_heap *heap)
{
   /* The client's own mappings outlive the device, as they outlive a closed device file. */
   for (size_t i = 0; i < heap->view_count; i++) {
      vgpu_bo_unref(heap->views[i].bo);
   }
   free(heap->views);
   if (heap->fd >= 0) {
      close(heap->fd);
   }
}

static uint64_t round_up(uint64_t size, uint64_t page)
{
   return (size + page - 1) & ~(page - 1);
}

static void free_bo(struct vgpu_bo *bo)
{
   uint64_t size = round_up(bo->size, bo->heap->page);
   munmap(bo->host, size);
   /* Offsets are not reused, so a hole that cannot be punched costs memory until the device closes, no more. */
   (void)!fallocate(bo->heap->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)bo->offset, (off_t)size);
   free(bo);
}

void vgpu_heap_set_busy(struct vgpu_heap *heap, bool busy)
{
   heap->busy = busy;
   while (!busy && heap->retired) {
      struct vgpu_bo *bo = heap->retired;
      heap->retired = bo->next;
      free_bo(bo);
   }
}

int vgpu_bo_create(struct vgpu_heap *heap, uint64_t size, uint64_t owner, struct vgpu_bo **out)
{
   uint64_t rounded, end;
   if (vgpu_refuse(!size) || vgpu_refuse(__builtin_add_overflow(size, heap->page - 1, &rounded))) {
      return -EINVAL;
   }
   rounded &= ~(heap->page - 1);
   if (__builtin_add_overflow(heap->end, rounded, &end) || end > INT64_MAX || rounded > SIZE_MAX) {
      return -ENOMEM;
   }
   struct vgpu_bo *bo = calloc(1, sizeof(*bo));
   if (!bo || ftruncate(heap->fd, (off_t)end)) {
      free(bo);
      return -ENOMEM;
   }
   bo->host = mmap(NULL, rounded, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, heap->fd, (off_t)heap->end);
   if (bo->host == MAP_FAILED) {
      free(bo);
      return -ENOMEM;
   }
   bo->heap = heap;
   bo->refs = 1;
   bo->size = round_up(size, VGPU_PAGE);
   bo->offset = heap->end;
   bo->owner = owner;
   bo->next = heap->live;
   heap->live = bo;
   heap->end = end;
   *out = bo;
   return 0;
}

struct vgpu_bo *vgpu_bo_ref(struct vgpu_bo *bo)
{
   bo->refs++;
   return bo;
}

void vgpu_bo_unref(struct vgpu_bo *bo)
{
   if (!bo || --bo->refs) {
      return;
   }
   struct vgpu_heap *heap = bo->heap;
   struct vgpu_bo **link = &heap->live;
   while (*link != bo) {
      link = &(*link)->next;
   }
   *link = bo->next;
   if (heap->busy) {
      bo->next = heap->retired;
      heap->retired = bo;
   } else {
      free_bo(bo);
   }
}

struct vgpu_bo *vgpu_bo_at(const struct vgpu_heap *heap, uint64_t offset)
{
   struct vgpu_bo *bo = heap->live;
   while (bo && bo->offset != offset) {
      bo = bo->next;
   }
   return bo;
}

static struct vgpu_view *add_view(struct vgpu_heap *heap)
{
   if (!ARRAY_RESERVE(heap->views, heap->view_capacity, heap->view_count + 1)) {
      return NULL;
   }
   return &heap->views[heap->view_count++];
}

void *vgpu_bo_mmap(struct vgpu_bo *bo, size_t length, int protection, int flags)
{
   struct vgpu_heap *heap = bo->heap;
   /* A private (copy on write) mapping is refused by DRM's shmem buffers; without an address argument MAP_FIXED
    * has no meaning here. */
   if (vgpu_refuse(length > bo->size) || vgpu_refuse((flags & MAP_TYPE) == MAP_PRIVATE) ||
       flags & (MAP_FIXED | MAP_ANONYMOUS)) {
      errno = EINVAL;
      return MAP_FAILED;
   }
   struct vgpu_view *view = add_view(heap);
   if (!view) {
      errno = ENOMEM;
      return MAP_FAILED;
   }
   void *address = mmap(NULL, length, protection, flags, heap->fd, (off_t)bo->offset);
   if (address == MAP_FAILED) {
      heap->view_count--;
      return MAP_FAILED;
   }
   uintptr_t start = (uintptr_t)address;
   *view = (struct vgpu_view){start, start + round_up(length, heap->host_page), vgpu_bo_ref(bo)};
   return address;
}

/* Takes [start, end) out of what is known to be mapped. */
static int forget_views(struct vgpu_heap *heap, uintptr_t start, uintptr_t end)
{
   for (size_t i = 0; i < heap->view_count;) {
      struct vgpu_view *view = &heap->views[i];
      if (view->end <= start || view->start >= end) {
         i++;
      } else if (view->start < start && view->end > end) { /* a hole in the middle: two views */
         struct vgpu_view tail = {end, view->end, view->bo};
         struct vgpu_view *added = add_view(heap);
         if (!added) {
            return -ENOMEM;
         }
         heap->views[i].end = start;
         vgpu_bo_ref(tail.bo);
         *added = tail;
         i++;
      } else if (view->start < start) {
         view->end = start;
         i++;
      } else if (view->end > end) {
         view->start = end;
         i++;
      } else {
         struct vgpu_bo *bo = view->bo;
         *view = heap->views[--heap->view_count];
         vgpu_bo_unref(bo);
      }
   }
   return 0;
}

int vgpu_heap_munmap(struct vgpu_heap *heap, void *address, size_t length)
{
   uintptr_t start = (uintptr_t)address, end;
   if (!length || start % heap->host_page || __builtin_add_overflow(start, length, &end) ||
       __builtin_add_overflow(end, heap->host_page - 1, &end)) {
      errno = EINVAL;
      return -1;
   }
   int error = forget_views(heap, start, end & ~(heap->host_page - 1));
   if (error) {
      errno = -error;
      return -1;
   }
   return munmap(address, length);
}
