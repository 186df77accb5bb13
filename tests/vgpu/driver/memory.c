/* SPDX-License-Identifier: MIT
 *
 * Memory: page tables against a plain model of them, sparse and shared buffers, and what outlives what.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tests/vgpu/driver/client.h"
#include "vgpu/driver/gem.h"
#include "vgpu/driver/vm.h"

#define PAGE 0x4000u
#define PAGES 96u
/* Across the border of two leaves of the table, where mistakes in its indices show. */
#define BASE (UINT64_C(5) * (PAGE << 11) - PAGE * (PAGES / 2))

static uint32_t util_random_below(uint64_t *state, uint32_t limit)
{
   *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
   return (uint32_t)(*state >> 33) % limit;
}

/* Random binds and unbinds; an array of pages says what must be where. */
static void test_against_model(void)
{
   struct {
      uint8_t *host;
      unsigned access;
   } model[PAGES] = {{NULL, 0}};
   struct vgpu_heap heap;
   struct vgpu_vm *vm;
   struct vgpu_bo *bos[3];
   uint64_t state = 1;
   CHECK_EQUAL(vgpu_heap_init(&heap), 0);
   CHECK_EQUAL(vgpu_vm_create(1, 0x7800000000, 0x7FFFFF8000, &vm), 0);
   for (unsigned i = 0; i < 3; i++) {
      CHECK_EQUAL(vgpu_bo_create(&heap, PAGES * PAGE, 0, &bos[i]), 0);
   }
   for (unsigned step = 0; step < 3000 && !check_failures; step++) {
      uint32_t first = util_random_below(&state, PAGES), count = 1 + util_random_below(&state, PAGES - first);
      uint32_t offset = util_random_below(&state, PAGES - count + 1), kind = util_random_below(&state, 8);
      struct vgpu_bo *bo = bos[util_random_below(&state, 3)];
      uint64_t start = BASE + first * PAGE, end = start + count * PAGE;
      if (kind == 0) {
         vgpu_vm_unbind_bo(vm, bo);
      } else if (kind < 3) {
         CHECK_EQUAL(vgpu_vm_unbind(vm, start, end), 0);
      } else {
         struct vgpu_mapping mapping = {start, end, bo, offset * PAGE, kind == 3, 1 + util_random_below(&state, 3)};
         CHECK_EQUAL(vgpu_vm_bind(vm, &mapping), 0);
         for (uint32_t i = 0; i < count; i++) {
            model[first + i].host = bo->host + (offset + (kind == 3 ? 0 : i)) * PAGE;
            model[first + i].access = mapping.access;
         }
      }
      for (uint32_t i = 0; i < PAGES; i++) {
         bool gone = kind == 0 ? model[i].host >= bo->host && model[i].host < bo->host + bo->size
                               : kind < 3 && i >= first && i < first + count;
         if (gone) {
            model[i].host = NULL;
         }
         for (unsigned access = 1; access <= 3; access++) {
            size_t run = 0;
            uint8_t *expected = model[i].host && (model[i].access & access) == access ? model[i].host + 20 : NULL;
            uint8_t *found = vgpu_pages_translate(&vm->pages, BASE + i * PAGE + 20, access, &run);
            CHECK(found == expected);
            CHECK(!found || run == PAGE - 20);
         }
      }
   }
   vgpu_vm_unref(vm);
   for (unsigned i = 0; i < 3; i++) {
      CHECK_EQUAL(bos[i]->refs, 1); /* every mapping has given its reference back */
      vgpu_bo_unref(bos[i]);
   }
   vgpu_heap_finish(&heap);
}

static void test_read(void)
{
   struct vgpu_heap heap;
   struct vgpu_vm *vm;
   struct vgpu_bo *bo;
   uint8_t bytes[8];
   uint64_t bad = 0;
   size_t run;
   CHECK_EQUAL(vgpu_heap_init(&heap), 0);
   CHECK_EQUAL(vgpu_vm_create(1, 0x7800000000, 0x7FFFFF8000, &vm), 0);
   CHECK_EQUAL(vgpu_bo_create(&heap, 2 * PAGE, 0, &bo), 0);
   struct vgpu_mapping swapped[] = {{PAGE, 2 * PAGE, bo, PAGE, false, VGPU_READ},
                                    {2 * PAGE, 3 * PAGE, bo, 0, false, VGPU_READ}};
   CHECK_EQUAL(vgpu_vm_bind(vm, &swapped[0]), 0);
   CHECK_EQUAL(vgpu_vm_bind(vm, &swapped[1]), 0);
   memcpy(bo->host + 2 * PAGE - 4, "abcd", 4);
   memcpy(bo->host, "efgh", 4);
   CHECK(vgpu_pages_read(&vm->pages, 2 * PAGE - 4, bytes, 8, &bad));
   CHECK(!memcmp(bytes, "abcdefgh", 8));
   CHECK(!vgpu_pages_read(&vm->pages, 3 * PAGE - 4, bytes, 8, &bad));
   CHECK_EQUAL(bad, 3 * PAGE);
   CHECK(!vgpu_pages_read(&vm->pages, 0, bytes, 1, &bad));
   static const uint64_t wild[] = {UINT64_MAX, UINT64_C(1) << 39, (UINT64_C(1) << 39) + PAGE, UINT64_C(1) << 63};
   for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
      CHECK(!vgpu_pages_translate(&vm->pages, wild[i], VGPU_READ, &run));
      CHECK(!vgpu_pages_read(&vm->pages, wild[i], bytes, 8, &bad));
      CHECK_EQUAL(bad, wild[i]);
   }
   vgpu_vm_unref(vm);
   vgpu_bo_unref(bo);
   vgpu_heap_finish(&heap);
}

static int64_t heap_bytes(const struct vgpu_heap *heap)
{
   struct stat status;
   CHECK_EQUAL(fstat(heap->fd, &status), 0);
   return (int64_t)status.st_blocks * 512;
}

/* 8 GiB, of which three pages are touched; then nothing is left of it. */
static void test_sparse(void)
{
   const uint64_t size = UINT64_C(8) << 30, va = UINT64_C(0x1000000000);
   struct vgpu_heap heap;
   struct vgpu_vm *vm;
   struct vgpu_bo *bo;
   size_t run;
   CHECK_EQUAL(vgpu_heap_init(&heap), 0);
   CHECK_EQUAL(vgpu_vm_create(1, 0x7800000000, 0x7FFFFF8000, &vm), 0);
   CHECK_EQUAL(vgpu_bo_create(&heap, size, 0, &bo), 0);
   struct vgpu_mapping mapping = {va, va + size, bo, 0, false, VGPU_READ | VGPU_WRITE};
   CHECK_EQUAL(vgpu_vm_bind(vm, &mapping), 0);
   const uint64_t spots[] = {0, size / 2 + 12345, size - 1};
   for (size_t i = 0; i < 3; i++) {
      uint8_t *byte = vgpu_pages_translate(&vm->pages, va + spots[i], VGPU_WRITE, &run);
      CHECK(byte == bo->host + spots[i]);
      if (byte) {
         CHECK_EQUAL(*byte, 0);
         *byte = 1;
      }
   }
   CHECK(heap_bytes(&heap) > 0 && heap_bytes(&heap) <= 3 * 65536);
   vgpu_vm_unref(vm);

   /* A buffer freed while a job runs stays until the job has ended. */
   uint8_t *host = bo->host;
   vgpu_heap_set_busy(&heap, true);
   vgpu_bo_unref(bo);
   CHECK_EQUAL(host[size - 1], 1);
   vgpu_heap_set_busy(&heap, false);
   CHECK_EQUAL(heap_bytes(&heap), 0);
   vgpu_heap_finish(&heap);
}

static void close_bo(struct client *client, uint32_t bo)
{
   struct drm_gem_close args = {.handle = bo};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_GEM_CLOSE, &args), 0);
}

static int try_mmap(struct client *client, int fd, size_t length, int flags, uint64_t offset)
{
   void *map = client->kernel->mmap(client->kernel, length, PROT_READ, flags, fd, offset);
   int error = map == MAP_FAILED ? errno : 0;
   if (!error) {
      CHECK_EQUAL(client->kernel->munmap(client->kernel, map, length), 0);
   }
   return error;
}

static void test_mmap(struct client *client)
{
   uint32_t bo = client_bo(client, 3 * PAGE, DRM_ASAHI_GEM_WRITEBACK, 0);
   struct drm_asahi_gem_mmap_offset args = {.handle = bo}, again = {.handle = bo};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &args), 0);
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &again), 0);
   CHECK(args.offset && args.offset == again.offset);
   CHECK_EQUAL(try_mmap(client, client->fd, 3 * PAGE, MAP_SHARED, args.offset), 0);
   CHECK_EQUAL(try_mmap(client, client->fd, 1, MAP_SHARED, args.offset), 0);
   CHECK_EQUAL(try_mmap(client, client->fd, 3 * PAGE + 1, MAP_SHARED, args.offset), EINVAL);
   CHECK_EQUAL(try_mmap(client, client->fd, PAGE, MAP_SHARED, args.offset + PAGE), EINVAL);
   CHECK_EQUAL(try_mmap(client, client->fd, PAGE, MAP_SHARED, 0), EINVAL);
   CHECK_EQUAL(try_mmap(client, client->fd, PAGE, MAP_PRIVATE, args.offset), EINVAL);
   CHECK_EQUAL(try_mmap(client, client->fd, 0, MAP_SHARED, args.offset), EINVAL);
   CHECK_EQUAL(try_mmap(client, client->fd, PAGE, MAP_SHARED | MAP_FIXED, args.offset), EINVAL);
   CHECK_EQUAL(try_mmap(client, client->fd, PAGE, MAP_SHARED | MAP_ANONYMOUS, args.offset), EINVAL);
   CHECK_EQUAL(try_mmap(client, 1, PAGE, MAP_SHARED, args.offset), EBADF);

   /* Two views of one memory; a hole in the first; then the handle goes, and the views stay what they are. */
   uint8_t *map = client_map(client, bo, 3 * PAGE), *second = client_map(client, bo, 3 * PAGE);
   map[0] = 1;
   map[2 * PAGE] = 2;
   CHECK_EQUAL(second[0], 1);
   CHECK_EQUAL(client->kernel->munmap(client->kernel, second, 3 * PAGE), 0);
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map + PAGE, PAGE), 0);
   close_bo(client, bo);
   int error = try_mmap(client, client->fd, PAGE, MAP_SHARED, args.offset);
   CHECK(error == EACCES || error == EINVAL);
   CHECK_EQUAL(map[0], 1);
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map, PAGE), 0);
   CHECK_EQUAL(map[2 * PAGE], 2);
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map + 2 * PAGE, PAGE), 0);
   CHECK_EQUAL(try_mmap(client, client->fd, PAGE, MAP_SHARED, args.offset), EINVAL); /* now it is gone */
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map + 1, PAGE), -1);
}

/* A view that is unmapped bit by bit, beside another one. Both keep what they show until the last bit has gone. */
static void test_views(struct client *client)
{
   uint32_t bo = client_bo(client, 5 * PAGE, 0, 0), other = client_bo(client, PAGE, 0, 0);
   struct drm_asahi_gem_mmap_offset args = {.handle = bo}, other_args = {.handle = other};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &args), 0);
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &other_args), 0);
   uint8_t *map = client_map(client, bo, 5 * PAGE), *neighbour = client_map(client, other, PAGE);
   neighbour[0] = 7;
   map[2 * PAGE] = 8;
   map[4 * PAGE] = 9;
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map + 1, 5 * PAGE), -1); /* and changes nothing */
   close_bo(client, bo);
   close_bo(client, other);
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map, PAGE), 0); /* the head */
   CHECK_EQUAL(map[4 * PAGE], 9);
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map + 4 * PAGE, PAGE), 0); /* the tail */
   CHECK_EQUAL(map[2 * PAGE], 8);
   CHECK_EQUAL(neighbour[0], 7);
   CHECK_EQUAL(try_mmap(client, client->fd, PAGE, MAP_SHARED, args.offset), EACCES); /* alive, not ours */
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map + PAGE, 3 * PAGE), 0);
   CHECK_EQUAL(try_mmap(client, client->fd, PAGE, MAP_SHARED, args.offset), EINVAL);
   CHECK_EQUAL(neighbour[0], 7);
   CHECK_EQUAL(client->kernel->munmap(client->kernel, neighbour, PAGE), 0);
   CHECK_EQUAL(try_mmap(client, client->fd, PAGE, MAP_SHARED, other_args.offset), EINVAL);
}

static void test_prime(struct client *client)
{
   uint32_t bo = client_bo(client, PAGE, 0, 0);
   struct drm_prime_handle export = {.handle = bo, .flags = DRM_CLOEXEC | DRM_RDWR}, import;
   uint8_t *map = client_map(client, bo, PAGE);
   map[5] = 42;
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export), 0);
   import = (struct drm_prime_handle){.fd = export.fd};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
   CHECK_EQUAL(import.handle, bo); /* one buffer, one handle */
   close_bo(client, bo);
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map, PAGE), 0);
   uint32_t other = client_bo(client, PAGE, 0, 0); /* takes the number */
   CHECK_EQUAL(other, bo);
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
   CHECK(import.handle != bo);
   map = client_map(client, import.handle, PAGE);
   CHECK_EQUAL(map[5], 42);
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map, PAGE), 0);
   CHECK_EQUAL(try_mmap(client, export.fd, PAGE, MAP_SHARED, 0), 0);
   CHECK_EQUAL(try_mmap(client, export.fd, PAGE, MAP_SHARED, PAGE), EINVAL);
   CHECK_EQUAL(client_fd_ioctl(client, export.fd, DRM_IOCTL_GEM_CLOSE, &import), ENOTTY);
   CHECK_EQUAL(client->kernel->close(client->kernel, export.fd), 0);
   close_bo(client, import.handle);
   close_bo(client, other);
}

/* Far more than a process may have files open. */
static void test_many(struct client *client)
{
   enum { COUNT = 5000 };
   uint32_t vm = client_vm(client), first = 0;
   for (uint32_t i = 0; i < COUNT; i++) {
      uint32_t bo = client_bo(client, PAGE, DRM_ASAHI_GEM_VM_PRIVATE, vm);
      first = i ? first : bo;
      CHECK_EQUAL(bo, first + i);
      CHECK_EQUAL(client_bind(client, vm,
                              (struct drm_asahi_gem_bind_op){.flags = DRM_ASAHI_BIND_READ,
                                                             .handle = bo,
                                                             .range = PAGE,
                                                             .addr = 0x100000 + (uint64_t)i * 2 * PAGE}),
                  0);
   }
   for (uint32_t i = 0; i < COUNT; i++) {
      close_bo(client, first + i);
   }
}

int main(void)
{
   struct client client;
   test_against_model();
   test_read();
   test_sparse();
   client_open(&client, "m1");
   test_mmap(&client);
   test_views(&client);
   test_prime(&client);
   test_many(&client);
   client_close(&client);
   return check_result();
}
