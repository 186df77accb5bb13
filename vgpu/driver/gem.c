/* SPDX-License-Identifier: MIT
 *
 * Buffer objects: see gem.h. The caller holds the device's lock.
 */
#include "vgpu/driver/gem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

/* Of bo->host. */
static uint64_t mapped_size(const struct vgpu_bo *bo)
{
   return round_up(bo->size, bo->heap->page);
}

static void free_bo(struct vgpu_bo *bo)
{
   uint64_t size = mapped_size(bo);
   munmap(bo->host, size);
   if (bo->file >= 0) {
      close(bo->file);
   }
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

/* An object without memory at the end of the heap's offsets, which free() ends. NULL: out of memory. */
static struct vgpu_bo *reserve(struct vgpu_heap *heap, uint64_t size, uint64_t owner)
{
   const uint64_t rounded = round_up(size, heap->page);
   uint64_t end;
   if (__builtin_add_overflow(heap->end, rounded, &end) || end > INT64_MAX || rounded > SIZE_MAX) {
      return NULL;
   }
   struct vgpu_bo *bo = calloc(1, sizeof(*bo));
   if (!bo || ftruncate(heap->fd, (off_t)end)) {
      free(bo);
      return NULL;
   }
   *bo = (struct vgpu_bo){
       .heap = heap, .refs = 1, .size = round_up(size, VGPU_PAGE), .offset = heap->end, .file = -1, .owner = owner};
   return bo;
}

/* Such an object becomes alive: its offsets are taken. */
static void add_live(struct vgpu_bo *bo)
{
   struct vgpu_heap *heap = bo->heap;
   bo->next = heap->live;
   heap->live = bo;
   heap->end = bo->offset + mapped_size(bo);
}

int vgpu_bo_create(struct vgpu_heap *heap, uint64_t size, uint64_t owner, struct vgpu_bo **out)
{
   uint64_t rounded;
   if (vgpu_refuse(!size) || vgpu_refuse(__builtin_add_overflow(size, heap->page - 1, &rounded))) {
      return -EINVAL;
   }
   struct vgpu_bo *bo = reserve(heap, size, owner);
   if (!bo) {
      return -ENOMEM;
   }
   bo->host =
       mmap(NULL, mapped_size(bo), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, heap->fd, (off_t)bo->offset);
   if (bo->host == MAP_FAILED) {
      free(bo);
      return -ENOMEM;
   }
   add_live(bo);
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
   void *address = mmap(NULL, length, protection, flags, bo->file >= 0 ? bo->file : heap->fd,
                        bo->file >= 0 ? 0 : (off_t)bo->offset);
   if (address == MAP_FAILED) {
      heap->view_count--;
      return MAP_FAILED;
   }
   uintptr_t start = (uintptr_t)address;
   *view = (struct vgpu_view){start, start + round_up(length, heap->host_page), 0, protection, vgpu_bo_ref(bo)};
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
         struct vgpu_view tail = {end, view->end, view->offset + (end - view->start), view->protection, view->bo};
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
         view->offset += end - view->start;
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

/* ---- Buffers that other processes see ---- */

/* Such a buffer has a memory file of its own, which no process can make shorter under another one's mappings. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* The file's offsets of data are copied alone: a buffer may be large and empty. */
static int copy_data(const struct vgpu_bo *bo, int file)
{
   const off_t first = (off_t)bo->offset, end = first + (off_t)bo->size;
   for (off_t at = first; at < end;) {
      const off_t data = lseek(bo->heap->fd, at, SEEK_DATA);
      if (data < 0 || data >= end) {
         return data >= 0 || errno == ENXIO ? 0 : -errno;
      }
      const off_t hole = lseek(bo->heap->fd, data, SEEK_HOLE);
      for (at = data; at < (hole < end ? hole : end);) {
         const size_t rest = (size_t)((hole < end ? hole : end) - at);
         const ssize_t done = pwrite(file, bo->host + (at - first), rest, at - first);
         if (done <= 0) {
            return done < 0 ? -errno : -EIO;
         }
         at += done;
      }
   }
   return 0;
}

/* All that is mapped of the buffer, in place. */
static int map_again(const struct vgpu_bo *bo, int file, uint64_t offset)
{
   const struct vgpu_heap *heap = bo->heap;
   for (size_t i = 0; i < heap->view_count; i++) {
      const struct vgpu_view *view = &heap->views[i];
      if (view->bo == bo && mmap((void *)view->start, view->end - view->start, view->protection, MAP_SHARED | MAP_FIXED,
                                 file, (off_t)(offset + view->offset)) == MAP_FAILED) {
         return -errno;
      }
   }
   return mmap(bo->host, mapped_size(bo), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file,
               (off_t)offset) == MAP_FAILED
              ? -errno
              : 0;
}

int vgpu_bo_share(struct vgpu_bo *bo)
{
   if (bo->file >= 0) {
      return bo->file;
   }
   const int file = memfd_create("agx-vgpu buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
   if (file < 0) {
      return -errno;
   }
   int error = ftruncate(file, (off_t)bo->size) || fcntl(file, F_ADD_SEALS, SEALS) ? -errno : copy_data(bo, file);
   error = error ? error : map_again(bo, file, 0);
   if (error) {
      (void)map_again(bo, bo->heap->fd, bo->offset);
      close(file);
      return error;
   }
   bo->file = file;
   (void)!fallocate(bo->heap->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)bo->offset,
                    (off_t)mapped_size(bo));
   return file;
}

static struct vgpu_bo *find_file(const struct vgpu_heap *heap, const struct stat *status)
{
   for (struct vgpu_bo *bo = heap->live; bo; bo = bo->next) {
      struct stat own;
      if (bo->file >= 0 && !fstat(bo->file, &own) && own.st_ino == status->st_ino && own.st_dev == status->st_dev) {
         return bo;
      }
   }
   return NULL;
}

int vgpu_bo_import(struct vgpu_heap *heap, int file, struct vgpu_bo **out)
{
   struct stat status;
   if (fstat(file, &status) || fcntl(file, F_GET_SEALS) != SEALS || status.st_size <= 0 || status.st_size % VGPU_PAGE) {
      return -EINVAL;
   }
   struct vgpu_bo *bo = find_file(heap, &status);
   if (bo) {
      *out = vgpu_bo_ref(bo);
      return 0;
   }
   bo = reserve(heap, (uint64_t)status.st_size, 0);
   if (!bo) {
      return -ENOMEM;
   }
   bo->file = fcntl(file, F_DUPFD_CLOEXEC, 0);
   bo->host = bo->file < 0
                  ? MAP_FAILED
                  : mmap(NULL, mapped_size(bo), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, bo->file, 0);
   if (bo->host == MAP_FAILED) {
      if (bo->file >= 0) {
         close(bo->file);
      }
      free(bo);
      return -ENOMEM;
   }
   add_live(bo);
   *out = bo;
   return 0;
}
