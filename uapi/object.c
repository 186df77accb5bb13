/* SPDX-License-Identifier: MIT
 *
 * GEM_BIND_OBJECT, the objects that timestamps go to: spec/uapi.md 1.10. Writing to them: timestamps.c.
 */
#include "uapi/test.h"

#define BO_SIZE (4 * UAPI_PAGE) /* size of the valid request's buffer */
#define MAX_PAGE UINT64_C(0xFFFFFFFFFFFFC000)
#define WINDOW (UINT64_C(64) << 20) /* window of the firmware for the objects of all files */

static int bind(struct uapi *u, uint32_t bo, uint64_t range)
{
   struct drm_asahi_gem_bind_object args = {.op = DRM_ASAHI_BIND_OBJECT_OP_BIND,
                                            .flags = DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS,
                                            .handle = bo,
                                            .range = range};
   return uapi_ioctl(u, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &args);
}

static void ids(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, BO_SIZE, 0, 0);
   uapi_equal(u, uapi_object(u, bo, 0, UAPI_PAGE), 1, "the first object's handle");
   uapi_equal(u, uapi_object(u, bo, 0, UAPI_PAGE), 2, "the handle of a second object on the same range");
   uapi_equal(u, uapi_object(u, bo, UAPI_PAGE, 3 * UAPI_PAGE), 3, "the third object's handle");
   uapi_expect(u, uapi_object_unbind(u, 2), OK, "unbind");
   uapi_equal(u, uapi_object(u, bo, 0, UAPI_PAGE), 2, "the handle after object 2 has gone");
}

static void unbind_twice(struct uapi *u)
{
   uint32_t object = uapi_object(u, uapi_bo(u, BO_SIZE, 0, 0), 0, BO_SIZE);
   uapi_expect(u, uapi_object_unbind(u, object), OK, "unbind");
   uapi_expect(u, uapi_object_unbind(u, object), E(ENOENT), "unbind for the second time");
}

static void per_file(struct uapi *u)
{
   struct uapi other;
   uint32_t object = uapi_object(u, uapi_bo(u, BO_SIZE, 0, 0), 0, BO_SIZE);
   if (uapi_reopen(u, &other)) {
      uapi_expect(u, uapi_object_unbind(&other, object), E(ENOENT), "unbind of another file's object");
   }
   uapi_close(&other);
}

static void private_buffer(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, DRM_ASAHI_GEM_VM_PRIVATE, u->vm);
   uapi_expect(u, bind(u, bo, UAPI_PAGE), E(EINVAL), "an object on a private buffer");
}

static void window_single(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, WINDOW + UAPI_PAGE, 0, 0);
   uapi_expect(u, bind(u, bo, WINDOW + UAPI_PAGE), E(ENOSPC), "an object larger than the window");
   uapi_expect(u, bind(u, bo, UAPI_PAGE), OK, "an object of a page afterwards");
}

/* Other files may use part of the window, so that the number of objects that fit is unknown. The test requires that the
 * window ends with ENOSPC, and that freed space can be used again. */
static void window_full(struct uapi *u)
{
   const uint64_t piece = UINT64_C(1) << 20;
   uint32_t bo = uapi_bo(u, piece, 0, 0);
   unsigned count = 0;
   int answer = 0;
   while (!answer && count <= WINDOW / piece) {
      answer = bind(u, bo, piece);
      count += !answer;
   }
   uapi_expect(u, answer, E(ENOSPC), "object %u of 1 MiB", count + 1);
   if (uapi_true(u, count > 0, "not one object of 1 MiB fits")) {
      uapi_expect(u, uapi_object_unbind(u, count), OK, "unbind of the last");
      uapi_expect(u, bind(u, bo, piece), OK, "an object in the room of the last");
   }
}

static void window_freed_by_close(struct uapi *u)
{
   struct uapi other;
   const uint64_t half = WINDOW / 2;
   for (unsigned i = 0; i < 4; i++) {
      if (uapi_reopen(u, &other)) {
         uapi_expect(u, bind(&other, uapi_bo(&other, half, 0, 0), half), OK, "half the window in file %u", i);
      }
      uapi_close(&other);
   }
}

static void range_zero(struct uapi *u)
{
   char name[24];
   int answer = bind(u, uapi_bo(u, BO_SIZE, 0, 0), 0);
   if (uapi_expect(u, answer, E(EINVAL) | E(ENOSPC), "an object of no bytes")) {
      uapi_note(u, "%s: what today's kernel does is not established", uapi_answer_name(answer, name));
   }
}

#define BIND(subtest, text, answers_, ...)                                                                             \
   {                                                                                                                   \
      "object/" subtest, text, .request = uapi_call_object_bind, .edits = {__VA_ARGS__}, .answers = answers_           \
   }
#define UNBIND(subtest, text, answers_, ...)                                                                           \
   {                                                                                                                   \
      "object/unbind-" subtest, text, .request = uapi_call_object_unbind, .edits = {__VA_ARGS__}, .answers = answers_  \
   }
#define OBJECT(member, value) ARG(drm_asahi_gem_bind_object, member, value)

static const struct uapi_test tests[] = {
    BIND("pad", "pad must be zero", E(EINVAL), OBJECT(pad, 1)),
    BIND("vm", "vm_id must be zero", E(EINVAL), OBJECT(vm_id, 1)),
    BIND("op-unknown", "an unknown op: EINVAL", E(EINVAL), OBJECT(op, 2)),
    BIND("op-max", "an unknown op: EINVAL", E(EINVAL), OBJECT(op, UINT32_MAX)),
    BIND("flags-none", "no usage: EINVAL", E(EINVAL), OBJECT(flags, 0)),
    BIND("flags-unknown", "an unknown usage: EINVAL", E(EINVAL), OBJECT(flags, 2)),
    BIND("flags-more", "an unknown usage besides: EINVAL", E(EINVAL), OBJECT(flags, 3)),
    BIND("handle-zero", "0 is no buffer: ENOENT", E(ENOENT), OBJECT(handle, 0)),
    BIND("handle-unknown", "an unknown buffer: ENOENT", E(ENOENT), OBJECT(handle, 1000)),
    BIND("range-unaligned", "range is a multiple of 16 KiB", E(EINVAL), OBJECT(range, 0x1000)),
    BIND("offset-unaligned", "offset is a multiple of 16 KiB", E(EINVAL), OBJECT(offset, 0x1000),
         OBJECT(range, UAPI_PAGE)),
    BIND("offset-overflow", "offset + range overflow: EINVAL", E(EINVAL), OBJECT(offset, MAX_PAGE),
         OBJECT(range, 2 * UAPI_PAGE)),
    BIND("beyond-buffer", "a range beyond the buffer: EINVAL", E(EINVAL), OBJECT(range, BO_SIZE + UAPI_PAGE)),
    BIND("offset-beyond", "offset and range beyond the buffer: EINVAL", E(EINVAL), OBJECT(offset, UAPI_PAGE)),
    BIND("last-page", "the buffer's last page", OK, OBJECT(offset, BO_SIZE - UAPI_PAGE), OBJECT(range, UAPI_PAGE)),
    BIND("out-ignored", "object_handle only goes out for BIND", OK, OBJECT(object_handle, 1000)),
    BIND("pad-before-handle", "pad is checked before the buffer is looked up", E(EINVAL), OBJECT(pad, 1),
         OBJECT(handle, 1000)),
    BIND("flags-before-handle", "flags are checked before the buffer is looked up", E(EINVAL), OBJECT(flags, 2),
         OBJECT(handle, 1000)),
    {"object/range-zero", "an object of no bytes is refused", "not established; probably ENOSPC", .run = range_zero},
    {"object/private", "a private buffer takes no timestamps: EINVAL", .run = private_buffer},
    {"object/ids", "handles are the lowest free ones from 1; objects may overlap", .run = ids},
    {"object/per-file", "handles are the file's own", .run = per_file},
    {"object/window-single", "an object larger than the firmware's window: ENOSPC", .run = window_single},
    {"object/window-full", "the firmware's window full: ENOSPC, until something is given back", .run = window_full},
    {"object/window-freed-by-close", "a file's objects go with it", .run = window_freed_by_close},
    UNBIND("zero", "0 is no object: ENOENT", E(ENOENT), OBJECT(object_handle, 0)),
    UNBIND("unknown", "an unknown object: ENOENT", E(ENOENT), OBJECT(object_handle, 1000)),
    UNBIND("handle", "handle must be zero", E(EINVAL), OBJECT(handle, 1)),
    UNBIND("flags", "flags must be zero", E(EINVAL), OBJECT(flags, DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS)),
    UNBIND("offset", "offset must be zero", E(EINVAL), OBJECT(offset, UAPI_PAGE)),
    UNBIND("range", "range must be zero", E(EINVAL), OBJECT(range, UAPI_PAGE)),
    UNBIND("vm", "vm_id must be zero", E(EINVAL), OBJECT(vm_id, 1)),
    UNBIND("pad", "pad must be zero", E(EINVAL), OBJECT(pad, 1)),
    UNBIND("op", "an unknown op: EINVAL", E(EINVAL), OBJECT(op, 2)),
    {"object/unbind-twice", "an object can be unbound once: ENOENT", .run = unbind_twice},
};
UAPI_AREA(object);
