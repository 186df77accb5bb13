/* SPDX-License-Identifier: MIT
 *
 * Syncobjs and sync_files, which every Asahi client needs. The DRM core implements them for all drivers (drm_syncobj.c,
 * sync_file.c).
 */
#include <linux/sync_file.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "uapi/test.h"

static int export_fd(struct uapi *u, uint32_t handle, uint32_t flags, int *fd)
{
   struct drm_syncobj_handle args = {.handle = handle, .flags = flags, .fd = -1};
   int answer = uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);
   *fd = args.fd;
   return answer;
}

static void close_fd(struct uapi *u, int fd)
{
   uapi_expect(u, u->raw.kernel->close(u->raw.kernel, fd) ? errno : 0, OK, "close of an exported syncobj");
}

static void created_empty(struct uapi *u)
{
   uapi_expect(u, uapi_wait(u, uapi_syncobj(u, 0), 0), E(EINVAL), "a wait for a syncobj without a fence");
}

static void created_signaled(struct uapi *u)
{
   uint32_t syncobj = uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED);
   uapi_expect(u, uapi_wait(u, syncobj, 0), OK, "a wait for a syncobj created signalled");
   uapi_equal(u, (uint64_t)uapi_fence_status(u, syncobj), 1, "its fence's status");
}

static void handles(struct uapi *u)
{
   uint32_t first = uapi_syncobj(u, 0), second = uapi_syncobj(u, 0);
   uapi_true(u, first && second && first != second, "two syncobjs with one handle");
}

static void destroy_twice(struct uapi *u)
{
   struct drm_syncobj_destroy args = {.handle = uapi_syncobj(u, 0)};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_DESTROY, &args), OK, "SYNCOBJ_DESTROY");
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_DESTROY, &args), E(EINVAL), "SYNCOBJ_DESTROY for the second time");
}

static void reset(struct uapi *u)
{
   uint32_t syncobj = uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED);
   struct drm_syncobj_array args = {.handles = (uintptr_t)&syncobj, .count_handles = 1};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_RESET, &args), OK, "SYNCOBJ_RESET");
   uapi_expect(u, uapi_wait(u, syncobj, 0), E(EINVAL), "a wait after a reset");
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_SIGNAL, &args), OK, "SYNCOBJ_SIGNAL");
   uapi_expect(u, uapi_wait(u, syncobj, 0), OK, "a wait after a signal");
}

static void wait_any(struct uapi *u)
{
   uint32_t pending = uapi_syncobj(u, 0);
   struct drm_asahi_cmd_compute gated = uapi_append(u, 1, 0);
   uapi_expect(u, uapi_submit_one(u, gated, pending), OK, "SUBMIT");
   uint32_t objects[] = {pending, uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED)};
   struct drm_syncobj_wait args = {.handles = (uintptr_t)objects,
                                   .count_handles = 2,
                                   .timeout_nsec = uapi_after(UAPI_PATIENCE),
                                   .first_signaled = 77};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_WAIT, &args), OK, "a wait for any of two");
   uapi_equal(u, args.first_signaled, 1, "the index of the one that is signalled");
   args.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
   args.timeout_nsec = uapi_after(10);
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_WAIT, &args), E(ETIME), "a wait for both");
   uapi_open_gate(u, 0);
   args.timeout_nsec = uapi_after(UAPI_PATIENCE);
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_WAIT, &args), OK, "a wait for both after the gate opened");
}

static void wait_nothing(struct uapi *u)
{
   struct drm_syncobj_wait wait = {0};
   struct drm_syncobj_timeline_wait timeline = {0};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_WAIT, &wait), OK, "a wait for nothing");
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &timeline), OK, "a timeline wait for nothing");
}

static void wait_for_submit(struct uapi *u)
{
   uint32_t syncobj = uapi_syncobj(u, 0);
   struct drm_syncobj_wait args = {.handles = (uintptr_t)&syncobj,
                                   .count_handles = 1,
                                   .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
                                   .timeout_nsec = uapi_after(20)};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_WAIT, &args), E(ETIME), "a wait for a fence to come");
}

/* A second thread that gives the object its fence while the first waits for that. */
struct submitter {
   struct uapi *u;
   struct drm_asahi_cmd_compute command;
   uint32_t syncobj;
   int answer;
};

static void *submit_later(void *argument)
{
   struct submitter *submitter = argument;
   nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
   submitter->answer = uapi_submit_one(submitter->u, submitter->command, submitter->syncobj);
   return NULL;
}

static void wait_across_threads(struct uapi *u)
{
   struct submitter submitter = {
       .u = u, .command = uapi_append(u, 1, UAPI_NO_GATE), .syncobj = uapi_syncobj(u, 0), .answer = EAGAIN};
   struct drm_syncobj_wait args = {.handles = (uintptr_t)&submitter.syncobj,
                                   .count_handles = 1,
                                   .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
                                   .timeout_nsec = uapi_after(UAPI_PATIENCE)};
   pthread_t thread;
   if (!uapi_true(u, !pthread_create(&thread, NULL, submit_later, &submitter), "no second thread")) {
      return;
   }
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_WAIT, &args), OK, "a wait for a submit by another thread");
   pthread_join(thread, NULL);
   uapi_expect(u, submitter.answer, OK, "SUBMIT by another thread");
   uapi_done(u, submitter.syncobj);
}

static void query(struct uapi *u)
{
   struct uapi_call call = {0};
   uapi_call_syncobj_query(u, &call);
   uapi_expect(u, uapi_ioctl(u, call.request, &call.args), OK, "SYNCOBJ_QUERY");
   uapi_equal(u, call.points[0], 0, "the point of a binary syncobj");
   uapi_equal(u, call.points[1], 5, "the point of a timeline");
}

/* The last point added, and the last one reached. */
static void query_last_submitted(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   uint64_t point = 0;
   struct drm_syncobj_timeline_array args = {.handles = (uintptr_t)&timeline,
                                             .points = (uintptr_t)&point,
                                             .count_handles = 1,
                                             .flags = DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED};
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_sync out = {.sync_type = DRM_ASAHI_SYNC_TIMELINE_SYNCOBJ, .handle = timeline, .timeline_value = 4};
   uapi_add_compute(&commands, uapi_append(u, 1, 0), UAPI_NONE);
   uapi_expect(u, uapi_submit(u, u->queue, &commands, &out, 0, 1), OK, "SUBMIT");
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_QUERY, &args), OK, "SYNCOBJ_QUERY of the last point added");
   uapi_equal(u, point, 4, "the last point added");
   uapi_equal(u, uapi_query(u, timeline), 0, "the last point reached");
   uapi_open_gate(u, 0);
   uapi_expect(u, uapi_wait_point(u, timeline, 4, 0, UAPI_PATIENCE), OK, "a wait for the point");
   uapi_equal(u, uapi_query(u, timeline), 4, "the last point reached");
}

static void transfer(struct uapi *u)
{
   struct uapi_call call = {0};
   uapi_call_syncobj_transfer(u, &call);
   uapi_expect(u, uapi_ioctl(u, call.request, &call.args), OK, "SYNCOBJ_TRANSFER");
   uapi_equal(u, uapi_query(u, call.args.syncobj_transfer.dst_handle), 7, "the point of the target");
}

/* To a binary object, which then can be exported: what a client does to learn a timeline's error. */
static void transfer_to_binary(struct uapi *u)
{
   struct uapi_call call = {0};
   uapi_call_syncobj_transfer(u, &call);
   call.args.syncobj_transfer.dst_point = 0;
   uapi_expect(u, uapi_ioctl(u, call.request, &call.args), OK, "SYNCOBJ_TRANSFER to a binary syncobj");
   uapi_equal(u, (uint64_t)uapi_fence_status(u, call.args.syncobj_transfer.dst_handle), 1, "its fence's status");
}

static void transfer_missing(struct uapi *u)
{
   struct uapi_call call = {0};
   uapi_call_syncobj_transfer(u, &call);
   call.args.syncobj_transfer.src_point = 50;
   uapi_expect(u, uapi_ioctl(u, call.request, &call.args), E(EINVAL), "SYNCOBJ_TRANSFER of a point not there yet");
}

static void export_empty(struct uapi *u)
{
   int fd;
   uapi_expect(u, export_fd(u, uapi_syncobj(u, 0), DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, &fd), E(EINVAL),
               "a sync_file of a syncobj without a fence");
}

/* An export is the same object; also in another file. */
static void share(struct uapi *u)
{
   struct uapi other;
   uint32_t mine = uapi_syncobj(u, 0);
   int fd;
   if (!uapi_reopen(u, &other)) {
      return;
   }
   uapi_expect(u, export_fd(u, mine, 0, &fd), OK, "export of a syncobj");
   struct drm_syncobj_handle import = {.fd = fd};
   uapi_expect(u, uapi_ioctl(&other, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import), OK, "import of a syncobj");
   close_fd(u, fd);
   uapi_expect(u, uapi_wait(&other, import.handle, 0), E(EINVAL), "a wait before there is a fence");
   uapi_expect(u, uapi_submit_one(u, uapi_append(u, 1, UAPI_NO_GATE), mine), OK, "SUBMIT");
   uapi_expect(u, uapi_wait(&other, import.handle, UAPI_PATIENCE), OK, "a wait in the other file");
   uapi_close(&other);
}

/* A sync_file keeps the fence that the syncobj has when it is exported. */
static void sync_file_keeps_fence(struct uapi *u)
{
   uint32_t syncobj = uapi_syncobj(u, 0), target = uapi_syncobj(u, 0);
   int fd;
   struct drm_asahi_cmd_compute gated = uapi_append(u, 1, 0);
   uapi_expect(u, uapi_submit_one(u, gated, syncobj), OK, "SUBMIT");
   uapi_expect(u, export_fd(u, syncobj, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, &fd), OK, "export");
   struct drm_syncobj_array signal = {.handles = (uintptr_t)&syncobj, .count_handles = 1};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_SIGNAL, &signal), OK, "SYNCOBJ_SIGNAL of the object");
   struct drm_syncobj_handle import = {
       .handle = target, .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, .fd = fd};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import), OK, "import of the sync_file");
   close_fd(u, fd);
   uapi_expect(u, uapi_wait(u, syncobj, 0), OK, "the object that was signalled by hand");
   uapi_expect(u, uapi_wait(u, target, 10), E(ETIME), "the object with the job's fence");
   uapi_open_gate(u, 0);
   uapi_done(u, target);
}

static void sync_file_info(struct uapi *u)
{
   uint32_t syncobj = uapi_syncobj(u, 0);
   struct sync_fence_info fence;
   struct sync_file_info info = {.num_fences = 1, .sync_fence_info = (uintptr_t)&fence};
   int fd;
   memset(&fence, 0, sizeof(fence));
   uapi_expect(u, uapi_submit_one(u, uapi_append(u, 1, UAPI_NO_GATE), syncobj), OK, "SUBMIT");
   uapi_expect(u, uapi_wait(u, syncobj, UAPI_PATIENCE), OK, "waiting for a job");
   if (!uapi_expect(u, export_fd(u, syncobj, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, &fd), OK, "export")) {
      return;
   }
   uapi_expect(u, uapi_fd_ioctl(u, fd, SYNC_IOC_FILE_INFO, &info), OK, "SYNC_IOC_FILE_INFO");
   uapi_equal(u, info.num_fences, 1, "fences in the sync_file");
   uapi_equal(u, (uint64_t)fence.status, 1, "the fence's status");
   uapi_true(u, fence.timestamp_ns > 0 && (int64_t)fence.timestamp_ns <= uapi_after(0),
             "the fence was signalled at %llu", (unsigned long long)fence.timestamp_ns);
   info.flags = 1;
   uapi_expect(u, uapi_fd_ioctl(u, fd, SYNC_IOC_FILE_INFO, &info), E(EINVAL), "SYNC_IOC_FILE_INFO with flags");
   info.flags = 0;
   info.pad = 1;
   uapi_expect(u, uapi_fd_ioctl(u, fd, SYNC_IOC_FILE_INFO, &info), E(EINVAL), "SYNC_IOC_FILE_INFO with pad");
   uapi_expect(u, uapi_fd_ioctl(u, fd, SYNC_IOC_FILE_INFO, (void *)16), E(EFAULT), "SYNC_IOC_FILE_INFO to nowhere");
   uapi_expect(u, uapi_fd_ioctl(u, fd, DRM_IOCTL_VERSION, &info), E(ENOTTY), "VERSION of a sync_file");
   close_fd(u, fd);
}

/* Two points of a timeline are two fences: too small a buffer is refused. */
static void sync_file_too_small(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   struct sync_fence_info fences[4];
   struct sync_file_info info = {.num_fences = 1, .sync_fence_info = (uintptr_t)fences};
   int fd;
   for (uint64_t i = 1; i <= 2; i++) {
      struct uapi_commands commands = {.size = 0};
      struct drm_asahi_sync out = {
          .sync_type = DRM_ASAHI_SYNC_TIMELINE_SYNCOBJ, .handle = timeline, .timeline_value = i};
      uapi_add_compute(&commands, uapi_append(u, (uint32_t)i, 0), 0);
      uapi_expect(u, uapi_submit(u, u->queue, &commands, &out, 0, 1), OK, "SUBMIT");
   }
   if (uapi_expect(u, export_fd(u, timeline, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, &fd), OK, "export")) {
      uapi_expect(u, uapi_fd_ioctl(u, fd, SYNC_IOC_FILE_INFO, &info), E(EINVAL),
                  "SYNC_IOC_FILE_INFO with room for one");
      info.num_fences = 4;
      uapi_expect(u, uapi_fd_ioctl(u, fd, SYNC_IOC_FILE_INFO, &info), OK, "SYNC_IOC_FILE_INFO with room for four");
      uapi_equal(u, info.num_fences, 2, "fences in the sync_file");
      uapi_equal(u, (uint64_t)(int64_t)info.status, 0, "the status of two pending fences");
      close_fd(u, fd);
   }
   uapi_open_gate(u, 0);
   uapi_expect(u, uapi_wait_point(u, timeline, 2, 0, UAPI_PATIENCE), OK, "waiting for the jobs");
}

static void foreign_descriptors(struct uapi *u)
{
   struct drm_syncobj_handle object = {.fd = u->raw.fd};
   struct drm_syncobj_handle file = {
       .handle = uapi_syncobj(u, 0), .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE, .fd = u->raw.fd};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &object), E(EINVAL), "import of the device file");
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &file), E(EINVAL),
               "import of the device file as a sync_file");
}

/* subtest, promise, builder, answers, edits */
#define CALL(subtest, text, builder, answers_, ...)                                                                    \
   {                                                                                                                   \
      "syncobj/" subtest, text, .request = builder, .edits = {__VA_ARGS__}, .answers = answers_                        \
   }
#define HANDLES UINT64_C(0xDEAD000000000000)

static const struct uapi_test tests[] = {
    CALL("create-flags", "unknown flags: EINVAL", uapi_call_syncobj_create, E(EINVAL),
         ARG(drm_syncobj_create, flags, UINT32_C(1) << 31)),
    CALL("destroy-unknown", "an unknown syncobj: EINVAL", uapi_call_syncobj_destroy, E(EINVAL),
         ARG(drm_syncobj_destroy, handle, 1000)),
    CALL("destroy-pad", "pad must be zero", uapi_call_syncobj_destroy, E(EINVAL), ARG(drm_syncobj_destroy, pad, 1)),
    CALL("export-unknown", "an unknown syncobj: EINVAL", uapi_call_syncobj_export, E(EINVAL),
         ARG(drm_syncobj_handle, handle, 1000)),
    CALL("export-flags", "unknown flags: EINVAL", uapi_call_syncobj_export, E(EINVAL),
         ARG(drm_syncobj_handle, flags, 8)),
    CALL("export-pad", "pad must be zero", uapi_call_syncobj_export, E(EINVAL), ARG(drm_syncobj_handle, pad, 1)),
    CALL("sync-file-unknown", "an unknown syncobj: ENOENT", uapi_call_sync_file_export, E(ENOENT),
         ARG(drm_syncobj_handle, handle, 1000)),
    CALL("import-no-fd", "no descriptor: EINVAL", uapi_call_syncobj_import, E(EINVAL),
         ARG(drm_syncobj_handle, fd, UINT32_MAX)),
    CALL("import-flags", "unknown flags: EINVAL", uapi_call_syncobj_import, E(EINVAL),
         ARG(drm_syncobj_handle, flags, 8)),
    CALL("sync-file-import-flags", "unknown flags: EINVAL", uapi_call_sync_file_import, E(EINVAL),
         ARG(drm_syncobj_handle, flags, DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE | 8)),
    CALL("import-pad", "pad must be zero", uapi_call_syncobj_import, E(EINVAL), ARG(drm_syncobj_handle, pad, 1)),
    CALL("sync-file-import-unknown", "an unknown syncobj: ENOENT", uapi_call_sync_file_import, E(ENOENT),
         ARG(drm_syncobj_handle, handle, 1000)),
    CALL("sync-file-import-no-fd", "no descriptor: EINVAL", uapi_call_sync_file_import, E(EINVAL),
         ARG(drm_syncobj_handle, fd, UINT32_MAX)),
    CALL("wait-flags", "unknown flags: EINVAL", uapi_call_syncobj_wait, E(EINVAL),
         ARG(drm_syncobj_wait, flags, UINT32_C(1) << 31)),
    CALL("wait-available", "WAIT_AVAILABLE is for timelines: EINVAL", uapi_call_syncobj_wait, E(EINVAL),
         ARG(drm_syncobj_wait, flags, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE)),
    CALL("wait-handles", "handles that cannot be read: EFAULT", uapi_call_syncobj_wait, E(EFAULT),
         ARG(drm_syncobj_wait, handles, HANDLES)),
    CALL("timeline-wait-flags", "unknown flags: EINVAL", uapi_call_timeline_wait, E(EINVAL),
         ARG(drm_syncobj_timeline_wait, flags, UINT32_C(1) << 31)),
    CALL("timeline-wait-handles", "handles that cannot be read: EFAULT", uapi_call_timeline_wait, E(EFAULT),
         ARG(drm_syncobj_timeline_wait, handles, HANDLES)),
    CALL("timeline-wait-points", "points that cannot be read: EFAULT", uapi_call_timeline_wait, E(EFAULT),
         ARG(drm_syncobj_timeline_wait, points, HANDLES)),
    CALL("wait-unknown", "an unknown syncobj among others: ENOENT", uapi_call_syncobj_wait, E(ENOENT), HANDLE(1, 1000)),
    CALL("timeline-wait-unknown", "an unknown syncobj among others: ENOENT", uapi_call_timeline_wait, E(ENOENT),
         HANDLE(1, 1000)),
    CALL("reset-unknown", "an unknown syncobj among others: ENOENT", uapi_call_syncobj_reset, E(ENOENT),
         HANDLE(1, 1000)),
    CALL("signal-unknown", "an unknown syncobj among others: ENOENT", uapi_call_syncobj_signal, E(ENOENT),
         HANDLE(1, 1000)),
    CALL("timeline-signal-unknown", "an unknown syncobj among others: ENOENT", uapi_call_timeline_signal, E(ENOENT),
         HANDLE(1, 1000)),
    CALL("query-unknown", "an unknown syncobj among others: ENOENT", uapi_call_syncobj_query, E(ENOENT),
         HANDLE(1, 1000)),
    CALL("reset-pad", "pad must be zero", uapi_call_syncobj_reset, E(EINVAL), ARG(drm_syncobj_array, pad, 1)),
    CALL("reset-none", "no handles: EINVAL", uapi_call_syncobj_reset, E(EINVAL),
         ARG(drm_syncobj_array, count_handles, 0)),
    CALL("reset-handles", "handles that cannot be read: EFAULT", uapi_call_syncobj_reset, E(EFAULT),
         ARG(drm_syncobj_array, handles, HANDLES)),
    CALL("signal-pad", "pad must be zero", uapi_call_syncobj_signal, E(EINVAL), ARG(drm_syncobj_array, pad, 1)),
    CALL("signal-none", "no handles: EINVAL", uapi_call_syncobj_signal, E(EINVAL),
         ARG(drm_syncobj_array, count_handles, 0)),
    CALL("timeline-signal-flags", "flags must be zero", uapi_call_timeline_signal, E(EINVAL),
         ARG(drm_syncobj_timeline_array, flags, 2)),
    CALL("timeline-signal-none", "no handles: EINVAL", uapi_call_timeline_signal, E(EINVAL),
         ARG(drm_syncobj_timeline_array, count_handles, 0)),
    CALL("timeline-signal-points", "points that cannot be read: EFAULT", uapi_call_timeline_signal, E(EFAULT),
         ARG(drm_syncobj_timeline_array, points, HANDLES)),
    CALL("query-flags", "unknown flags: EINVAL", uapi_call_syncobj_query, E(EINVAL),
         ARG(drm_syncobj_timeline_array, flags, UINT32_C(1) << 31)),
    CALL("query-none", "no handles: EINVAL", uapi_call_syncobj_query, E(EINVAL),
         ARG(drm_syncobj_timeline_array, count_handles, 0)),
    CALL("query-points", "points that cannot be written: EFAULT", uapi_call_syncobj_query, E(EFAULT),
         ARG(drm_syncobj_timeline_array, points, HANDLES)),
    CALL("transfer-pad", "pad must be zero", uapi_call_syncobj_transfer, E(EINVAL), ARG(drm_syncobj_transfer, pad, 1)),
    CALL("transfer-source", "an unknown source: ENOENT", uapi_call_syncobj_transfer, E(ENOENT),
         ARG(drm_syncobj_transfer, src_handle, 1000)),
    CALL("transfer-target", "an unknown target: ENOENT", uapi_call_syncobj_transfer, E(ENOENT),
         ARG(drm_syncobj_transfer, dst_handle, 1000)),
    {"syncobj/created-empty", "a new syncobj has no fence", .run = created_empty},
    {"syncobj/created-signaled", "a syncobj can be created signalled", .run = created_signaled},
    {"syncobj/handles", "each syncobj has its handle", .run = handles},
    {"syncobj/destroy-twice", "a syncobj can be destroyed once: EINVAL", .run = destroy_twice},
    {"syncobj/reset", "a reset takes the fence away, a signal gives one", .run = reset},
    {"syncobj/wait-any", "a wait for any, and for all", .run = wait_any},
    {"syncobj/wait-nothing", "a wait for nothing succeeds", .run = wait_nothing},
    {"syncobj/wait-for-submit", "WAIT_FOR_SUBMIT waits for a fence to come", .run = wait_for_submit},
    {"syncobj/wait-across-threads", "a submit of another thread ends that wait", .run = wait_across_threads},
    {"syncobj/query", "the point that a timeline has reached", .run = query},
    {"syncobj/query-last-submitted", "the last point that a timeline was given", .run = query_last_submitted},
    {"syncobj/transfer", "a point becomes another object's point", .run = transfer},
    {"syncobj/transfer-to-binary", "a point becomes a binary fence", .run = transfer_to_binary},
    {"syncobj/transfer-missing", "a point that is not there yet: EINVAL", .run = transfer_missing},
    {"syncobj/export-empty", "a sync_file needs a fence: EINVAL", .run = export_empty},
    {"syncobj/share", "an exported syncobj is one object in two files", .run = share},
    {"syncobj/sync-file-fence", "a sync_file keeps its fence", .run = sync_file_keeps_fence},
    {"syncobj/sync-file-info", "a sync_file tells status and time", .run = sync_file_info},
    {"syncobj/sync-file-small", "a sync_file needs room for its fences: EINVAL", .run = sync_file_too_small},
    {"syncobj/foreign-descriptors", "descriptors of something else: EINVAL", .run = foreign_descriptors},
};
UAPI_AREA(syncobj);
