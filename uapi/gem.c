/* SPDX-License-Identifier: MIT
 *
 * Buffers and their CPU mappings: spec/uapi.md 1.8, 1.9 and section 2.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "util/array.h"

#include "uapi/test.h"

#define CACHED DRM_ASAHI_GEM_WRITEBACK

static int create(struct uapi *u, uint64_t size, uint32_t *bo)
{
   struct drm_asahi_gem_create args = {.size = size};
   int answer = uapi_ioctl(u, DRM_IOCTL_ASAHI_GEM_CREATE, &args);
   *bo = args.handle;
   return answer;
}

static uint64_t mmap_offset(struct uapi *u, uint32_t bo)
{
   struct drm_asahi_gem_mmap_offset args = {.handle = bo};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &args), OK, "GEM_MMAP_OFFSET");
   return args.offset;
}

/* The subtest's own buffers have numbers 1 and 2. */
static void handles(struct uapi *u)
{
   uint32_t third = uapi_bo(u, UAPI_PAGE, 0, 0), fourth = uapi_bo(u, UAPI_PAGE, 0, 0);
   uapi_equal(u, third, 3, "the third buffer's handle");
   uapi_equal(u, fourth, 4, "the fourth buffer's handle");
   uapi_expect(u, uapi_bo_close(u, third), OK, "GEM_CLOSE");
   uapi_equal(u, uapi_bo(u, UAPI_PAGE, 0, 0), 3, "the handle after buffer 3 has gone");
}

static void per_file(struct uapi *u)
{
   struct uapi other;
   if (uapi_reopen(u, &other)) {
      struct drm_asahi_gem_mmap_offset args = {.handle = u->data_bo};
      uapi_expect(u, uapi_ioctl(&other, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &args), E(ENOENT), "another file's buffer");
      uapi_expect(u, uapi_bo_close(&other, u->data_bo), E(EINVAL), "GEM_CLOSE of another file's buffer");
      uapi_equal(u, uapi_bo(&other, UAPI_PAGE, 0, 0), 1, "the first handle of the second file");
   }
   uapi_close(&other);
}

static void rounded(struct uapi *u)
{
   struct drm_asahi_gem_create args = {.size = UAPI_PAGE + 1};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_GEM_CREATE, &args), OK, "a buffer of 16385 bytes");
   uapi_equal(u, args.size, UAPI_PAGE + 1, "the size field afterwards");
   uapi_bind_at(u, args.handle, UAPI_PAGE, UAPI_PAGE, UAPI_FREE);
   struct drm_asahi_gem_bind_op op = {.flags = DRM_ASAHI_BIND_READ,
                                      .handle = args.handle,
                                      .offset = 2 * UAPI_PAGE,
                                      .range = UAPI_PAGE,
                                      .addr = UAPI_FREE};
   uapi_expect(u, uapi_bind(u, u->vm, op), E(EINVAL), "the third page of a buffer of 16385 bytes");
}

static void zeroed(struct uapi *u)
{
   for (unsigned round = 0; round < 4; round++) {
      uint32_t bo = uapi_bo(u, 4 * UAPI_PAGE, CACHED, 0);
      uint8_t *map = uapi_map(u, bo, 4 * UAPI_PAGE);
      if (!map) {
         return;
      }
      for (size_t i = 0; i < 4 * UAPI_PAGE; i++) {
         if (!uapi_equal(u, map[i], 0, "byte %zu of a new buffer", i)) {
            return;
         }
      }
      memset(map, 0xFF, 4 * UAPI_PAGE);
      uapi_unmap(u, map);
      uapi_expect(u, uapi_bo_close(u, bo), OK, "GEM_CLOSE");
   }
}

static void large(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UINT64_C(64) << 20, CACHED, 0);
   volatile uint32_t *map = uapi_map(u, bo, 64u << 20);
   if (map) {
      map[(64u << 20) / 4 - 1] = 0x77;
      uapi_bind_at(u, bo, 0, UINT64_C(64) << 20, UAPI_FREE);
      uapi_run_command(u, uapi_copy(u, UAPI_FREE + (64u << 20) - 128, UAPI_DATA + UAPI_SPARE * 4));
      uapi_equal(u, u->data[UAPI_SPARE + 31], 0x77, "the last word of 64 MiB");
   }
}

static void many(struct uapi *u)
{
   for (unsigned i = 0; i < 2000 && uapi_good(u); i++) {
      uapi_bo(u, UAPI_PAGE, 0, 0);
   }
}

static void too_large(struct uapi *u)
{
   static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - UAPI_PAGE + 2, UINT64_C(1) << 63, UINT64_C(1) << 62};
   char text[120] = "", name[24];
   int used = 0;
   uint32_t bo;
   for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
      int answer = create(u, sizes[i], &bo);
      uapi_expect(u, answer, E(EINVAL) | E(ENOMEM) | E(EFBIG), "a buffer of 0x%llx bytes",
                  (unsigned long long)sizes[i]);
      used += snprintf(text + used, sizeof(text) - (size_t)used, " %s", uapi_answer_name(answer, name));
   }
   uapi_equal(u, uapi_bo(u, UAPI_PAGE, 0, 0), 3, "the handle after the refusals");
   uapi_note(u, "for 2^64 - 1, 2^64 - 16382, 2^63 and 2^62 bytes:%s", text);
}

static void size_zero(struct uapi *u)
{
   uint32_t bo;
   char name[24];
   int answer = create(u, 0, &bo);
   if (uapi_expect(u, answer, E(EINVAL) | OK, "a buffer of no bytes")) {
      uapi_note(u, "%s: what today's kernel does is not established", uapi_answer_name(answer, name));
   }
}

static void close_twice(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, 0, 0);
   uapi_expect(u, uapi_bo_close(u, bo), OK, "GEM_CLOSE");
   uapi_expect(u, uapi_bo_close(u, bo), E(EINVAL), "GEM_CLOSE for the second time");
}

static void unknown_after_close(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, 0, 0);
   uapi_expect(u, uapi_bo_close(u, bo), OK, "GEM_CLOSE");
   struct drm_asahi_gem_mmap_offset offset = {.handle = bo};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &offset), E(ENOENT), "GEM_MMAP_OFFSET");
   uapi_expect(u,
               uapi_bind(u, u->vm,
                         (struct drm_asahi_gem_bind_op){
                             .flags = DRM_ASAHI_BIND_READ, .handle = bo, .range = UAPI_PAGE, .addr = UAPI_FREE}),
               E(ENOENT), "VM_BIND");
   struct drm_prime_handle prime = {.handle = bo};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), E(ENOENT), "PRIME_HANDLE_TO_FD");
}

static void offset_same(struct uapi *u)
{
   uint64_t first = mmap_offset(u, u->data_bo), exec = mmap_offset(u, u->exec_bo);
   uapi_equal(u, mmap_offset(u, u->data_bo), first, "the mmap offset, asked for again");
   uapi_true(u, first != exec, "two buffers have one mmap offset");
}

static void map_caching(struct uapi *u, uint32_t flags)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, flags, 0);
   volatile uint32_t *map = uapi_map(u, bo, UAPI_PAGE);
   if (map) {
      uapi_bind_at(u, bo, 0, UAPI_PAGE, UAPI_FREE);
      for (uint32_t i = 0; i < 4; i++) {
         map[0] = 0x1000 + i;
         uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x1000 + i, "what a job reads after the CPU wrote");
         uapi_poke(u, UAPI_FREE, 0x2000 + i);
         uapi_equal(u, map[0], 0x2000 + i, "what the CPU reads after a job wrote");
      }
   }
}

static void map_writeback(struct uapi *u)
{
   map_caching(u, CACHED);
}

static void map_combined(struct uapi *u)
{
   map_caching(u, 0);
}

static void map_private_buffer(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, DRM_ASAHI_GEM_VM_PRIVATE | CACHED, u->vm);
   volatile uint32_t *map = uapi_map(u, bo, UAPI_PAGE);
   if (map && uapi_bind_at(u, bo, 0, UAPI_PAGE, UAPI_FREE)) {
      uapi_poke(u, UAPI_FREE, 0x1234);
      uapi_equal(u, map[0], 0x1234, "what the CPU reads after a job wrote");
   }
}

static void map_twice(struct uapi *u)
{
   volatile uint32_t *first = uapi_map(u, u->data_bo, UAPI_PAGE), *second = uapi_map(u, u->data_bo, UAPI_PAGE);
   if (first && second) {
      uapi_true(u, first != second, "two mappings have one address");
      first[7] = 0x99;
      uapi_equal(u, second[7], 0x99, "a word through the second mapping");
      uapi_unmap(u, (void *)first);
      uapi_equal(u, second[7], 0x99, "a word through the second mapping after the first has gone");
   }
}

static int try_map(struct uapi *u, uint64_t offset, size_t size, int flags)
{
   void *address;
   return uapi_mmap(u, u->raw.fd, offset, size, flags, &address);
}

/* Closing the handle also ends the right to map its offset. */
static void map_closed(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, 0, 0);
   uint64_t offset = mmap_offset(u, bo);
   uapi_expect(u, uapi_bo_close(u, bo), OK, "GEM_CLOSE");
   uapi_expect(u, try_map(u, offset, UAPI_PAGE, MAP_SHARED), E(EINVAL) | E(EACCES), "mmap of a closed buffer");
}

/* Another reference keeps the buffer alive; this file still may not map it. */
static void map_closed_but_alive(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, 0, 0);
   uint64_t offset = mmap_offset(u, bo);
   uapi_object(u, bo, 0, UAPI_PAGE);
   uapi_expect(u, uapi_bo_close(u, bo), OK, "GEM_CLOSE");
   uapi_expect(u, try_map(u, offset, UAPI_PAGE, MAP_SHARED), E(EINVAL) | E(EACCES), "mmap of a closed buffer");
}

static void map_foreign(struct uapi *u)
{
   struct uapi other;
   if (uapi_reopen(u, &other)) {
      void *address;
      uapi_expect(u, uapi_mmap(&other, other.raw.fd, mmap_offset(u, u->data_bo), UAPI_PAGE, MAP_SHARED, &address),
                  E(EACCES) | E(EINVAL), "mmap of another file's buffer");
   }
   uapi_close(&other);
}

static void map_outlives_handle(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, CACHED, 0);
   volatile uint32_t *map = uapi_map(u, bo, UAPI_PAGE);
   if (map) {
      map[0] = 0xAB;
      uapi_expect(u, uapi_bo_close(u, bo), OK, "GEM_CLOSE of a mapped buffer");
      uint32_t next = uapi_bo(u, UAPI_PAGE, CACHED, 0);
      volatile uint32_t *fresh = uapi_map(u, next, UAPI_PAGE);
      uapi_equal(u, map[0], 0xAB, "a word of the closed buffer");
      uapi_true(u, fresh && fresh[0] == 0, "a new buffer shows the closed one's memory");
   }
}

static void map_too_long(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, 0, 0);
   uapi_expect(u, try_map(u, mmap_offset(u, bo), 4 * UAPI_PAGE, MAP_SHARED), E(EINVAL), "mmap beyond the buffer's end");
}

static void map_nowhere(struct uapi *u)
{
   uapi_expect(u, try_map(u, 0, UAPI_PAGE, MAP_SHARED), E(EINVAL), "mmap at offset 0");
   uapi_expect(u, try_map(u, mmap_offset(u, uapi_bo(u, UAPI_PAGE, 0, 0)) + (UINT64_C(1) << 36), UAPI_PAGE, MAP_SHARED),
               E(EINVAL), "mmap at an offset that no buffer has");
}

/* Descriptors of other files than the device. */
static void map_other_descriptor(struct uapi *u)
{
   struct drm_syncobj_handle args = {.handle = uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED),
                                     .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
   void *address;
   if (uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args), OK, "export of a sync_file")) {
      uapi_expect(u, uapi_mmap(u, args.fd, 0, UAPI_PAGE, MAP_SHARED, &address), E(ENODEV), "mmap of a sync_file");
      uapi_expect(u, u->raw.kernel->close(u->raw.kernel, args.fd) ? errno : 0, OK, "close");
      uapi_expect(u, uapi_mmap(u, args.fd, 0, UAPI_PAGE, MAP_SHARED, &address), E(EBADF),
                  "mmap of a closed descriptor");
   }
}

static void map_copy_on_write(struct uapi *u)
{
   uapi_expect(u, try_map(u, mmap_offset(u, u->data_bo), UAPI_PAGE, MAP_PRIVATE), E(EINVAL),
               "a private (copy on write) mmap");
}

#define CREATE(subtest, text, answers_, ...)                                                                           \
   {                                                                                                                   \
      "gem/" subtest, text, .request = uapi_call_gem_create, .edits = {__VA_ARGS__}, .answers = answers_               \
   }

static const struct uapi_test tests[] = {
    CREATE("flags-unknown", "unknown flags: EINVAL", E(EINVAL), ARG(drm_asahi_gem_create, flags, 4)),
    CREATE("flags-high", "unknown flags: EINVAL", E(EINVAL), ARG(drm_asahi_gem_create, flags, UINT32_C(1) << 31)),
    CREATE("writeback", "WRITEBACK is a buffer", OK, ARG(drm_asahi_gem_create, flags, CACHED)),
    CREATE("vm-without-private", "a VM without VM_PRIVATE: EINVAL", E(EINVAL), ARG(drm_asahi_gem_create, vm_id, 1)),
    CREATE("private-without-vm", "VM_PRIVATE without a VM: ENOENT", E(ENOENT),
           ARG(drm_asahi_gem_create, flags, DRM_ASAHI_GEM_VM_PRIVATE)),
    CREATE("private-unknown-vm", "VM_PRIVATE with an unknown VM: ENOENT", E(ENOENT),
           ARG(drm_asahi_gem_create, flags, DRM_ASAHI_GEM_VM_PRIVATE), ARG(drm_asahi_gem_create, vm_id, 1000)),
    CREATE("handle-ignored", "handle only goes out", OK, ARG(drm_asahi_gem_create, handle, UINT32_MAX)),
    CREATE("size-one", "a buffer of one byte", OK, ARG(drm_asahi_gem_create, size, 1)),
    {"gem/pad", "pad must be zero", "it is not checked", .request = uapi_call_gem_create,
     .edits = {ARG(drm_asahi_gem_create, pad, 1)}, .answers = E(EINVAL), .today_answers = OK},
    {"gem/private", "VM_PRIVATE with its VM", .request = uapi_call_gem_private, .answers = OK},
    {"gem/private-writeback", "VM_PRIVATE and WRITEBACK", .request = uapi_call_gem_private,
     .edits = {ARG(drm_asahi_gem_create, flags, DRM_ASAHI_GEM_VM_PRIVATE | CACHED)}, .answers = OK},
    {"gem/size-zero", "a buffer of no bytes: EINVAL", "not established", .run = size_zero},
    {"gem/too-large", "sizes that no memory has, or that overflow", .run = too_large},
    {"gem/handles", "handles are the lowest free ones from 1", .run = handles},
    {"gem/per-file", "handles are the file's own", .run = per_file},
    {"gem/rounded", "sizes are rounded up to 16 KiB inside, the field is not", .run = rounded},
    {"gem/zeroed", "new buffers are zero", .run = zeroed},
    {"gem/large", "a buffer of 64 MiB", .run = large},
    {"gem/many", "2000 buffers at a time", .run = many},
    {"gem/close-unknown", "GEM_CLOSE of an unknown handle: EINVAL", .request = uapi_call_gem_close,
     .edits = {ARG(drm_gem_close, handle, 1000)}, .answers = E(EINVAL)},
    {"gem/close-zero", "GEM_CLOSE of handle 0: EINVAL", .request = uapi_call_gem_close,
     .edits = {ARG(drm_gem_close, handle, 0)}, .answers = E(EINVAL)},
    {"gem/close-twice", "a handle can be closed once", .run = close_twice},
    {"gem/unknown-after-close", "a closed handle is unknown to all requests", .run = unknown_after_close},
    {"gem/offset-flags", "flags must be zero", .request = uapi_call_mmap_offset,
     .edits = {ARG(drm_asahi_gem_mmap_offset, flags, 1)}, .answers = E(EINVAL)},
    {"gem/offset-unknown", "an unknown buffer: ENOENT", .request = uapi_call_mmap_offset,
     .edits = {ARG(drm_asahi_gem_mmap_offset, handle, 1000)}, .answers = E(ENOENT)},
    {"gem/offset-zero", "0 is no buffer: ENOENT", .request = uapi_call_mmap_offset,
     .edits = {ARG(drm_asahi_gem_mmap_offset, handle, 0)}, .answers = E(ENOENT)},
    {"gem/offset-flags-first", "flags are checked before the buffer is looked up", .request = uapi_call_mmap_offset,
     .edits = {ARG(drm_asahi_gem_mmap_offset, handle, 1000), ARG(drm_asahi_gem_mmap_offset, flags, 1)},
     .answers = E(EINVAL)},
    {"gem/offset-same", "one mmap offset for each buffer, the same each time", .run = offset_same},
    {"gem/map-writeback", "CPU and jobs share a cached buffer without flushes", .run = map_writeback},
    {"gem/map-combined", "CPU and jobs share a write-combined buffer without flushes", .run = map_combined},
    {"gem/map-private-buffer", "a private buffer can be mapped", .run = map_private_buffer},
    {"gem/map-twice", "a buffer mapped twice", .run = map_twice},
    {"gem/map-closed", "mmap of a closed buffer is refused", .run = map_closed},
    {"gem/map-closed-alive", "mmap of a closed buffer that lives on is refused", .run = map_closed_but_alive},
    {"gem/map-foreign", "mmap of another file's buffer is refused", .run = map_foreign},
    {"gem/map-outlives-handle", "a mapping outlives its handle", .run = map_outlives_handle},
    {"gem/map-too-long", "mmap beyond a buffer's end: EINVAL", .run = map_too_long},
    {"gem/map-nowhere", "mmap at an offset without a buffer: EINVAL", .run = map_nowhere},
    {"gem/map-other-descriptor", "mmap of a sync_file or of nothing is refused", .run = map_other_descriptor},
    {"gem/map-copy-on-write", "a private mmap: EINVAL", .run = map_copy_on_write},
};
UAPI_AREA(gem);
