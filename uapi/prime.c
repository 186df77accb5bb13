/* SPDX-License-Identifier: MIT
 *
 * Sharing buffers between files: spec/uapi.md section 2, rule 10.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "uapi/test.h"

static int export_fd(struct uapi *u, uint32_t bo)
{
   struct drm_prime_handle args = {.handle = bo, .flags = DRM_CLOEXEC | DRM_RDWR, .fd = -1};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args), OK, "PRIME_HANDLE_TO_FD");
   return args.fd;
}

static uint32_t import_fd(struct uapi *u, int fd)
{
   struct drm_prime_handle args = {.fd = fd};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args), OK, "PRIME_FD_TO_HANDLE");
   return args.handle;
}

static void close_fd(struct uapi *u, int fd)
{
   uapi_expect(u, u->raw.kernel->close(u->raw.kernel, fd) ? errno : 0, OK, "close of an exported buffer");
}

static void private_buffer(struct uapi *u)
{
   struct drm_prime_handle args = {.handle = u->exec_bo, .flags = DRM_CLOEXEC};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args), E(EINVAL), "export of a private buffer");
}

static void same_file(struct uapi *u)
{
   int fd = export_fd(u, u->data_bo);
   uapi_equal(u, import_fd(u, fd), u->data_bo, "the handle of a buffer imported where it came from");
   close_fd(u, fd);
}

/* Through the other file's handle the same memory, also when the first handle has gone. */
static void other_file(struct uapi *u)
{
   struct uapi other;
   uint32_t bo = uapi_bo(u, UAPI_PAGE, DRM_ASAHI_GEM_WRITEBACK, 0);
   volatile uint32_t *map = uapi_map(u, bo, UAPI_PAGE);
   if (map && uapi_reopen(u, &other)) {
      int fd = export_fd(u, bo);
      uint32_t imported = import_fd(&other, fd);
      close_fd(u, fd);
      map[3] = 0x5A5A;
      volatile uint32_t *theirs = uapi_map(&other, imported, UAPI_PAGE);
      uapi_true(u, theirs && theirs[3] == 0x5A5A, "an imported buffer shows other memory");
      uapi_expect(u, uapi_bo_close(u, bo), OK, "GEM_CLOSE of an exported buffer");
      if (theirs) {
         theirs[4] = 0xA5A5;
         uapi_equal(u, map[4], 0xA5A5, "a word written by the other file");
      }
      uapi_close(&other);
   }
}

/* A buffer of another file in this file's VM, read by a job. */
static void bind_imported(struct uapi *u)
{
   struct uapi other;
   if (!uapi_reopen(u, &other)) {
      return;
   }
   uint32_t bo = uapi_bo(&other, UAPI_PAGE, DRM_ASAHI_GEM_WRITEBACK, 0);
   volatile uint32_t *map = uapi_map(&other, bo, UAPI_PAGE);
   int fd = export_fd(&other, bo);
   uint32_t imported = import_fd(u, fd);
   if (map && uapi_bind_at(u, imported, 0, UAPI_PAGE, UAPI_FREE)) {
      map[0] = 0x777;
      uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x777, "what a job reads in an imported buffer");
   }
   close_fd(u, fd);
   uapi_close(&other);
   /* The file that made it has gone; this one still holds it. */
   uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x777, "what a job reads after the buffer's first file has gone");
}

/* Closing one file's handle unbinds there, not in the other file. */
static void close_elsewhere(struct uapi *u)
{
   struct uapi other;
   if (uapi_reopen(u, &other)) {
      u->data[UAPI_SPARE] = 0x888;
      uint32_t bo = uapi_bo(u, UAPI_PAGE, DRM_ASAHI_GEM_WRITEBACK, 0);
      volatile uint32_t *map = uapi_map(u, bo, UAPI_PAGE);
      int fd = export_fd(u, bo);
      uint32_t imported = import_fd(&other, fd);
      uapi_bind_at(u, bo, 0, UAPI_PAGE, UAPI_FREE);
      uapi_expect(u, uapi_bo_close(&other, imported), OK, "GEM_CLOSE of the other file's handle");
      if (map) {
         map[0] = 0x888;
         uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x888, "what a job reads");
      }
      close_fd(u, fd);
   }
   uapi_close(&other);
}

static void import_after_close(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, DRM_ASAHI_GEM_WRITEBACK, 0);
   int fd = export_fd(u, bo);
   uapi_expect(u, uapi_bo_close(u, bo), OK, "GEM_CLOSE of an exported buffer");
   uint32_t again = import_fd(u, fd);
   close_fd(u, fd);
   uapi_true(u, uapi_map(u, again, UAPI_PAGE) != NULL, "a buffer imported again cannot be mapped");
}

static void map_export(struct uapi *u)
{
   void *address = NULL;
   int fd = export_fd(u, u->data_bo);
   u->data[UAPI_SPARE] = 0x1357;
   if (uapi_expect(u, uapi_mmap(u, fd, 0, UAPI_DATA_SIZE, MAP_SHARED, &address), OK, "mmap of an exported buffer")) {
      uapi_equal(u, ((volatile uint32_t *)address)[UAPI_SPARE], 0x1357, "a word through the export");
   }
   close_fd(u, fd);
}

static void import_bad(struct uapi *u)
{
   struct drm_prime_handle args = {.fd = u->raw.fd};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args), E(EINVAL), "import of the device file");
}

static void map_foreign_object(struct uapi *u)
{
   struct uapi other;
   if (uapi_reopen(u, &other)) {
      uint32_t bo = uapi_bo(&other, UAPI_PAGE, 0, 0);
      int fd = export_fd(&other, bo);
      uint32_t imported = import_fd(u, fd);
      uapi_equal(u, uapi_object(u, imported, 0, UAPI_PAGE), 1, "the object handle of an imported buffer");
      close_fd(u, fd);
   }
   uapi_close(&other);
}

static const struct uapi_test tests[] = {
    {"prime/export-flags", "unknown flags: EINVAL", .request = uapi_call_prime_export,
     .edits = {ARG(drm_prime_handle, flags, 1)}, .answers = E(EINVAL)},
    {"prime/export-unknown", "an unknown buffer: ENOENT", .request = uapi_call_prime_export,
     .edits = {ARG(drm_prime_handle, handle, 1000)}, .answers = E(ENOENT)},
    {"prime/export-zero", "0 is no buffer: ENOENT", .request = uapi_call_prime_export,
     .edits = {ARG(drm_prime_handle, handle, 0)}, .answers = E(ENOENT)},
    {"prime/export-writable", "DRM_RDWR is allowed", .request = uapi_call_prime_export,
     .edits = {ARG(drm_prime_handle, flags, DRM_RDWR)}, .answers = OK},
    {"prime/export-private", "a private buffer cannot be exported: EINVAL", .run = private_buffer},
    {"prime/import-no-fd", "no descriptor: EBADF", .request = uapi_call_prime_import,
     .edits = {ARG(drm_prime_handle, fd, UINT32_MAX)}, .answers = E(EBADF)},
    {"prime/import-other-fd", "a descriptor of something else: EINVAL", .run = import_bad},
    {"prime/same-file", "import where it came from gives the handle that is there", .run = same_file},
    {"prime/other-file", "an imported buffer is the same memory", .run = other_file},
    {"prime/bind-imported", "an imported buffer binds like any other", .run = bind_imported},
    {"prime/close-elsewhere", "closing a handle unbinds in that file only", .run = close_elsewhere},
    {"prime/import-after-close", "an export holds the buffer", .run = import_after_close},
    {"prime/map-export", "an exported buffer can be mapped", .run = map_export},
    {"prime/timestamps", "an imported buffer takes timestamps", .run = map_foreign_object},
};
UAPI_AREA(prime);
