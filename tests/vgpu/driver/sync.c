/* SPDX-License-Identifier: MIT
 *
 * Synchronisation objects: each ioctl's errors, and binary and timeline semantics as the DRM core has them
 * (drm_syncobj.c, dma-fence-chain.c). Jobs that take a while come from a queue of the device.
 */
#include <errno.h>
#include <linux/sync_file.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/vgpu/driver/client.h"

#define ALL DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL
#define FOR_SUBMIT DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT
#define AVAILABLE DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE
#define SUBMITTED DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED
#define WILD UINT64_C(0x10)

#define TRY(expected, client, name, type, ...)                                                                         \
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_##name, &(struct drm_syncobj_##type){__VA_ARGS__}), expected)

static void test_handle_errors(struct client *client, uint32_t bare, uint32_t ready)
{
   struct drm_syncobj_handle object = {.handle = ready}, file = {.handle = ready, .flags = 1};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &object), 0);
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &file), 0);
   TRY(EINVAL, client, CREATE, create, .flags = 2);
   TRY(EINVAL, client, DESTROY, destroy, .handle = 99);
   TRY(EINVAL, client, DESTROY, destroy, .handle = 0);
   TRY(EINVAL, client, DESTROY, destroy, .handle = bare, .pad = 1);
   TRY(EINVAL, client, HANDLE_TO_FD, handle, .handle = bare, .pad = 1);
   TRY(EINVAL, client, HANDLE_TO_FD, handle, .handle = ready, .flags = 2);
   TRY(EINVAL, client, HANDLE_TO_FD, handle, .handle = 99);
   TRY(ENOENT, client, HANDLE_TO_FD, handle, .handle = 99, .flags = 1);
   TRY(EINVAL, client, HANDLE_TO_FD, handle, .handle = bare, .flags = 1); /* no fence to export */
   TRY(EINVAL, client, FD_TO_HANDLE, handle, .fd = client->fd);
   TRY(EINVAL, client, FD_TO_HANDLE, handle, .fd = 1);
   TRY(EINVAL, client, FD_TO_HANDLE, handle, .fd = client->fd, .handle = bare, .flags = 1);
   TRY(EINVAL, client, FD_TO_HANDLE, handle, .fd = object.fd, .pad = 1);
   TRY(EINVAL, client, FD_TO_HANDLE, handle, .fd = file.fd, .handle = bare, .flags = 3);
   TRY(EINVAL, client, FD_TO_HANDLE, handle, .fd = object.fd, .handle = bare, .flags = 1);
}

static void test_wait_errors(struct client *client, uint32_t bare, uint32_t ready)
{
   uint32_t handles[2] = {bare, 99};
   uint64_t pointer = (uintptr_t)handles, point = 1;
   TRY(EINVAL, client, WAIT, wait, .handles = pointer, .count_handles = 1, .flags = AVAILABLE);
   TRY(EINVAL, client, WAIT, wait, .handles = pointer, .count_handles = 1, .flags = 1u << 31);
   TRY(0, client, WAIT, wait, .handles = WILD, .count_handles = 0);
   TRY(EFAULT, client, WAIT, wait, .handles = WILD, .count_handles = 1);
   TRY(ENOENT, client, WAIT, wait, .handles = pointer, .count_handles = 2);
   TRY(ENOMEM, client, WAIT, wait, .handles = WILD, .count_handles = UINT32_MAX);
   TRY(EINVAL, client, WAIT, wait, .handles = pointer, .count_handles = 1); /* no fence */
   TRY(ETIME, client, WAIT, wait, .handles = pointer, .count_handles = 1, .flags = FOR_SUBMIT);
   TRY(EINVAL, client, TIMELINE_WAIT, timeline_wait, .handles = (uintptr_t)&ready, .count_handles = 1, .flags = 16);
   TRY(0, client, TIMELINE_WAIT, timeline_wait, .handles = (uintptr_t)&ready, .count_handles = 1, .flags = 8);
   TRY(0, client, TIMELINE_WAIT, timeline_wait, .handles = WILD, .count_handles = 0);
   TRY(EFAULT, client, TIMELINE_WAIT, timeline_wait, .handles = pointer, .points = WILD, .count_handles = 1);
   TRY(EINVAL, client, TIMELINE_WAIT, timeline_wait, .handles = pointer, .points = (uintptr_t)&point,
       .count_handles = 1);
   TRY(ETIME, client, TIMELINE_WAIT, timeline_wait, .handles = pointer, .points = (uintptr_t)&point, .count_handles = 1,
       .flags = AVAILABLE);
}

static void test_array_errors(struct client *client, uint32_t bare, uint32_t ready)
{
   uint32_t handles[2] = {bare, 99};
   uint64_t pointer = (uintptr_t)handles;
   TRY(EINVAL, client, RESET, array, .handles = pointer, .count_handles = 1, .pad = 1);
   TRY(EINVAL, client, RESET, array, .handles = pointer, .count_handles = 0);
   TRY(ENOENT, client, RESET, array, .handles = pointer, .count_handles = 2);
   TRY(EINVAL, client, SIGNAL, array, .handles = pointer, .count_handles = 0);
   TRY(EFAULT, client, SIGNAL, array, .handles = WILD, .count_handles = 1);
   TRY(ENOENT, client, SIGNAL, array, .handles = pointer, .count_handles = 2);
   CHECK_EQUAL(client_wait(client, bare, 0), EINVAL); /* not even the first was signalled */
   TRY(EINVAL, client, TIMELINE_SIGNAL, timeline_array, .handles = pointer, .count_handles = 1, .flags = 1);
   TRY(EINVAL, client, TIMELINE_SIGNAL, timeline_array, .handles = pointer, .count_handles = 0);
   TRY(EFAULT, client, TIMELINE_SIGNAL, timeline_array, .handles = pointer, .points = WILD, .count_handles = 1);
   TRY(EINVAL, client, QUERY, timeline_array, .handles = pointer, .count_handles = 0);
   TRY(EINVAL, client, QUERY, timeline_array, .handles = pointer, .count_handles = 1, .flags = 2);
   TRY(EFAULT, client, QUERY, timeline_array, .handles = pointer, .points = WILD, .count_handles = 1);
   TRY(EINVAL, client, TRANSFER, transfer, .src_handle = ready, .dst_handle = bare, .pad = 1);
   TRY(ENOENT, client, TRANSFER, transfer, .src_handle = bare, .dst_handle = 99);
   TRY(ENOENT, client, TRANSFER, transfer, .src_handle = 99, .dst_handle = bare);
   TRY(EINVAL, client, TRANSFER, transfer, .src_handle = bare, .dst_handle = bare);
}

static void test_errors(struct client *client)
{
   uint32_t bare = client_syncobj(client, 0), ready = client_syncobj(client, DRM_SYNCOBJ_CREATE_SIGNALED);
   test_handle_errors(client, bare, ready);
   test_wait_errors(client, bare, ready);
   test_array_errors(client, bare, ready);
   TRY(0, client, DESTROY, destroy, .handle = bare);
   TRY(EINVAL, client, DESTROY, destroy, .handle = bare);
}

static void reset(struct client *client, uint32_t syncobj)
{
   TRY(0, client, RESET, array, .handles = (uintptr_t)&syncobj, .count_handles = 1);
}

static void signal_point(struct client *client, uint32_t syncobj, uint64_t point)
{
   TRY(0, client, TIMELINE_SIGNAL, timeline_array, .handles = (uintptr_t)&syncobj, .points = (uintptr_t)&point,
       .count_handles = 1);
}

static void test_binary(struct client *client)
{
   uint32_t a = client_syncobj(client, DRM_SYNCOBJ_CREATE_SIGNALED), b = client_syncobj(client, 0);
   CHECK_EQUAL(client_wait(client, a, 0), 0);
   CHECK_EQUAL(client_status(client, a), 1);
   CHECK_EQUAL(client_query(client, a, 0), 0); /* no timeline */
   reset(client, a);
   CHECK_EQUAL(client_wait(client, a, 0), EINVAL);
   TRY(0, client, SIGNAL, array, .handles = (uintptr_t)&b, .count_handles = 1);
   CHECK_EQUAL(client_wait(client, b, 0), 0);

   /* Any: the first one that is ready; all: both. */
   uint32_t both[2] = {a, b};
   struct drm_syncobj_wait args = {.handles = (uintptr_t)both, .count_handles = 2, .flags = FOR_SUBMIT};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_WAIT, &args), 0);
   CHECK_EQUAL(args.first_signaled, 1);
   args.flags |= ALL;
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_WAIT, &args), ETIME);

   /* The object itself through a descriptor: two handles, one object. */
   struct drm_syncobj_handle export = {.handle = a}, import;
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export), 0);
   import = (struct drm_syncobj_handle){.fd = export.fd};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import), 0);
   CHECK(import.handle != a);
   CHECK_EQUAL(client->kernel->close(client->kernel, export.fd), 0);
   CHECK_EQUAL(client->kernel->close(client->kernel, export.fd), -1);
   CHECK_EQUAL(errno, EBADF);
   TRY(0, client, SIGNAL, array, .handles = (uintptr_t)&import.handle, .count_handles = 1);
   CHECK_EQUAL(client_wait(client, a, 0), 0);

   /* A fence through a sync_file into another object. */
   struct drm_syncobj_handle file = {.handle = b, .flags = 1};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &file), 0);
   reset(client, a);
   TRY(ENOENT, client, FD_TO_HANDLE, handle, .handle = 99, .fd = file.fd, .flags = 1);
   TRY(EINVAL, client, FD_TO_HANDLE, handle, .fd = file.fd);
   TRY(0, client, FD_TO_HANDLE, handle, .handle = a, .fd = file.fd, .flags = 1);
   CHECK_EQUAL(client_wait(client, a, 0), 0);
   CHECK_EQUAL(client->kernel->close(client->kernel, file.fd), 0);
}

static void test_sync_file(struct client *client)
{
   uint32_t signaled = client_syncobj(client, DRM_SYNCOBJ_CREATE_SIGNALED);
   struct drm_syncobj_handle file = {.handle = signaled, .flags = 1};
   struct sync_fence_info fences[2];
   struct sync_file_info info = {.num_fences = 2, .sync_fence_info = (uintptr_t)fences};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &file), 0);
   memset(fences, 0, sizeof(fences));
   CHECK_EQUAL(client_fd_ioctl(client, file.fd, SYNC_IOC_FILE_INFO, &info), 0);
   CHECK_EQUAL(info.num_fences, 1);
   CHECK_EQUAL(info.status, 1);
   CHECK_EQUAL(fences[0].status, 1);
   CHECK(fences[0].timestamp_ns > 0);
   CHECK(!strcmp(fences[0].driver_name, "asahi"));
   CHECK(info.name[0]);
   info.flags = 1;
   CHECK_EQUAL(client_fd_ioctl(client, file.fd, SYNC_IOC_FILE_INFO, &info), EINVAL);
   info = (struct sync_file_info){.pad = 1};
   CHECK_EQUAL(client_fd_ioctl(client, file.fd, SYNC_IOC_FILE_INFO, &info), EINVAL);
   info = (struct sync_file_info){.num_fences = 1, .sync_fence_info = WILD};
   CHECK_EQUAL(client_fd_ioctl(client, file.fd, SYNC_IOC_FILE_INFO, &info), EFAULT);
   CHECK_EQUAL(client_fd_ioctl(client, file.fd, SYNC_IOC_FILE_INFO, (void *)WILD), EFAULT);
   CHECK_EQUAL(client_fd_ioctl(client, file.fd, DRM_IOCTL_ASAHI_GET_TIME, &info), ENOTTY);
   CHECK(client->kernel->mmap(client->kernel, 4096, PROT_READ, MAP_SHARED, file.fd, 0) == MAP_FAILED);
   CHECK_EQUAL(errno, ENODEV);
   CHECK_EQUAL(client->kernel->close(client->kernel, file.fd), 0);
   CHECK_EQUAL(client_fd_ioctl(client, file.fd, SYNC_IOC_FILE_INFO, &info), EBADF);
}

static void test_timeline(struct client *client)
{
   uint32_t t = client_syncobj(client, 0);
   CHECK_EQUAL(client_wait_point(client, t, 1, 0, 0), EINVAL);
   signal_point(client, t, 5);
   CHECK_EQUAL(client_query(client, t, 0), 5);
   CHECK_EQUAL(client_query(client, t, SUBMITTED), 5);
   CHECK_EQUAL(client_wait_point(client, t, 3, 0, 0), 0);
   CHECK_EQUAL(client_wait_point(client, t, 5, 0, 0), 0);
   CHECK_EQUAL(client_wait_point(client, t, 6, 0, 0), EINVAL);
   CHECK_EQUAL(client_wait_point(client, t, 6, FOR_SUBMIT, 1), ETIME);
   signal_point(client, t, 9);
   CHECK_EQUAL(client_query(client, t, 0), 9);
   CHECK_EQUAL(client_wait_point(client, t, 7, 0, 0), 0);
   CHECK_EQUAL(client_wait_point(client, t, 3, 0, 0), 0); /* whose fence has been forgotten by now */
   CHECK_EQUAL(client_wait(client, t, 0), 0);             /* as a binary one: the last point */
   uint32_t b = client_syncobj(client, 0);
   signal_point(client, b, 7);
   TRY(0, client, TRANSFER, transfer, .src_handle = t, .dst_handle = b, .src_point = 3);
   CHECK_EQUAL(client_wait(client, b, 0), 0);
   CHECK_EQUAL(client_query(client, b, 0), 0); /* no timeline any more */
   /* Out of order: the number stays at the later one. */
   signal_point(client, t, 4);
   CHECK_EQUAL(client_query(client, t, 0), 9);
   /* From a point to a binary object, and from a binary one to a point. */
   TRY(EINVAL, client, TRANSFER, transfer, .src_handle = t, .dst_handle = b, .src_point = 10);
   TRY(0, client, TRANSFER, transfer, .src_handle = t, .dst_handle = b, .src_point = 9);
   CHECK_EQUAL(client_wait(client, b, 0), 0);
   TRY(0, client, TRANSFER, transfer, .src_handle = b, .dst_handle = t, .dst_point = 20);
   CHECK_EQUAL(client_query(client, t, 0), 20);
   reset(client, t);
   CHECK_EQUAL(client_query(client, t, 0), 0);
}

static int submit(struct kit *kit, unsigned slot, struct drm_asahi_sync *syncs, uint32_t ins, uint32_t outs)
{
   struct drm_asahi_cmd_compute command = kit_command(slot);
   struct commands commands;
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &command, sizeof(command), DRM_ASAHI_BARRIER_NONE,
                DRM_ASAHI_BARRIER_NONE);
   return client_submit(&kit->client, kit->queue, &commands, syncs, ins, outs);
}

/* How many single fences a sync_file of it holds, all of them pending. */
static void check_pending_file(struct client *client, uint32_t syncobj, uint32_t count)
{
   struct drm_syncobj_handle file = {.handle = syncobj, .flags = 1};
   struct sync_fence_info fences[8];
   struct sync_file_info info = {.num_fences = 0};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &file), 0);
   CHECK_EQUAL(client_fd_ioctl(client, file.fd, SYNC_IOC_FILE_INFO, &info), 0);
   CHECK_EQUAL(info.num_fences, count);
   CHECK_EQUAL(info.status, 0);
   info = (struct sync_file_info){.num_fences = 8, .sync_fence_info = (uintptr_t)fences};
   CHECK_EQUAL(client_fd_ioctl(client, file.fd, SYNC_IOC_FILE_INFO, &info), 0);
   CHECK_EQUAL(info.num_fences, count);
   CHECK_EQUAL(info.status, 0);
   info.num_fences = count - 1;
   CHECK_EQUAL(client_fd_ioctl(client, file.fd, SYNC_IOC_FILE_INFO, &info), count > 1 ? EINVAL : 0);
   CHECK_EQUAL(client->kernel->close(client->kernel, file.fd), 0);
}

/* A timeline that grows on a binary fence: its points wait for that too. */
static void test_point_on_binary(struct kit *kit)
{
   struct client *client = &kit->client;
   uint32_t t = client_syncobj(client, 0);
   CHECK_EQUAL(submit(kit, 1, &(struct drm_asahi_sync){0, t, 0}, 0, 1), 0);
   signal_point(client, t, 4);
   CHECK_EQUAL(client_query(client, t, 0), 0);
   CHECK_EQUAL(client_wait_point(client, t, 4, 0, 0), ETIME);
   check_pending_file(client, t, 2); /* the signalled one of point 4 is told too */
   CHECK_EQUAL(client_wait_point(client, t, 4, 0, 5000), 0);
   CHECK_EQUAL(client_query(client, t, 0), 4);
}

/* Points that jobs signal, which take 60 ms each. */
static void test_pending(struct kit *kit)
{
   struct client *client = &kit->client;
   uint32_t t = client_syncobj(client, 0), b = client_syncobj(client, 0), merged = client_syncobj(client, 0);
   kit_program(kit, 1, (struct test_program){TEST_APPEND, 0, 0, 60}, 0);
   CHECK_EQUAL(submit(kit, 1, &(struct drm_asahi_sync){1, t, 10}, 0, 1), 0);
   CHECK_EQUAL(submit(kit, 1, &(struct drm_asahi_sync){1, t, 20}, 0, 1), 0);
   CHECK_EQUAL(client_query(client, t, 0), 0);
   CHECK_EQUAL(client_query(client, t, SUBMITTED), 20);
   CHECK_EQUAL(client_wait_point(client, t, 20, AVAILABLE, 0), 0);
   CHECK_EQUAL(client_wait_point(client, t, 20, 0, 0), ETIME);
   CHECK_EQUAL(client_wait_point(client, t, 10, 0, 0), ETIME);
   CHECK_EQUAL(client_status(client, t), 0);
   /* Two chains into one point of a third timeline. */
   TRY(0, client, TRANSFER, transfer, .src_handle = t, .dst_handle = merged, .src_point = 20, .dst_point = 1);
   TRY(0, client, TRANSFER, transfer, .src_handle = t, .dst_handle = b, .src_point = 10);
   CHECK_EQUAL(client_wait_point(client, merged, 1, 0, 0), ETIME);
   check_pending_file(client, t, 2);
   check_pending_file(client, merged, 2);
   check_pending_file(client, b, 1);
   CHECK_EQUAL(client_wait_point(client, t, 5, 0, 5000), 0); /* with point 10 */
   CHECK(client_query(client, t, 0) >= 10);
   CHECK_EQUAL(client_wait(client, b, 5000), 0);
   CHECK_EQUAL(client_wait_point(client, merged, 1, 0, 5000), 0);
   CHECK_EQUAL(client_query(client, t, 0), 20);
   CHECK_EQUAL(client_status(client, merged), 1);

   /* A point signalled by hand after one that is pending is not reached before that. */
   reset(client, t);
   CHECK_EQUAL(submit(kit, 1, &(struct drm_asahi_sync){1, t, 1}, 0, 1), 0);
   signal_point(client, t, 2);
   CHECK_EQUAL(client_query(client, t, 0), 0);
   CHECK_EQUAL(client_query(client, t, SUBMITTED), 2);
   CHECK_EQUAL(client_wait_point(client, t, 2, 0, 0), ETIME);
   CHECK_EQUAL(client_wait_point(client, t, 2, 0, 5000), 0);
   CHECK_EQUAL(client_query(client, t, 0), 2);
}

/* In-syncs: a job starts when what it waits for is there, and not before. */
static void test_dependencies(struct kit *kit)
{
   struct client *client = &kit->client;
   uint32_t t = client_syncobj(client, 0), done = client_syncobj(client, 0), early = client_syncobj(client, 0);
   /* What waits is of higher priority than what it waits for, and would go first if it did not wait. */
   struct drm_asahi_queue_create low = {.vm_id = kit->vm, .priority = DRM_ASAHI_PRIORITY_LOW, .usc_exec_base = KIT_USC};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_QUEUE_CREATE, &low), 0);
   uint32_t other = client_queue(client, kit->vm, KIT_USC);
   struct drm_asahi_cmd_compute slow = kit_command(2), quick = kit_command(3);
   struct commands commands;
   memset(kit->data, 0, 0x100);
   kit_program(kit, 1, (struct test_program){TEST_APPEND, 0, 0, 60}, 64);
   kit_program(kit, 2, (struct test_program){TEST_APPEND, 0, 1, 60}, 0);
   kit_program(kit, 3, (struct test_program){TEST_APPEND, 0, 2, 0}, 0);
   CHECK_EQUAL(submit(kit, 1, NULL, 0, 0), 0); /* keeps the device busy meanwhile; appends elsewhere */
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &slow, sizeof(slow), 0xFFFF, 0xFFFF);
   CHECK_EQUAL(client_submit(client, low.queue_id, &commands, &(struct drm_asahi_sync){1, t, 7}, 0, 1), 0);
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &quick, sizeof(quick), 0xFFFF, 0xFFFF);
   struct drm_asahi_sync syncs[] = {{1, t, 7}, {0, done, 0}};
   CHECK_EQUAL(client_submit(client, other, &commands, syncs, 1, 1), 0);
   CHECK_EQUAL(client_wait(client, done, 5000), 0);
   CHECK_EQUAL(kit->data[0], 2);
   CHECK_EQUAL(kit->data[1], 1);
   CHECK_EQUAL(kit->data[2], 2);
   /* No wait before signal: the point must have been submitted. */
   syncs[0].timeline_value = 8;
   CHECK_EQUAL(client_submit(client, other, &commands, syncs, 1, 1), EINVAL);
   syncs[0].timeline_value = 3; /* long past */
   CHECK_EQUAL(client_submit(client, other, &commands, syncs, 1, 1), 0);
   CHECK_EQUAL(client_wait(client, done, 5000), 0);
   signal_point(client, t, 20); /* now 7 is forgotten, and with it what 3 would wait for */
   CHECK_EQUAL(client_submit(client, other, &commands, syncs, 1, 1), 0);
   CHECK_EQUAL(client_wait(client, done, 5000), 0);

   /* The waiting job holds back its own queue only. */
   memset(kit->data, 0, 0x100);
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &slow, sizeof(slow), 0xFFFF, 0xFFFF);
   struct drm_asahi_sync slow_out = {0, early, 0}, waiting[] = {{0, early, 0}, {0, done, 0}};
   CHECK_EQUAL(client_submit(client, other, &commands, &slow_out, 0, 1), 0);
   CHECK_EQUAL(submit(kit, 3, waiting, 1, 1), 0);
   CHECK_EQUAL(client_wait(client, done, 5000), 0);
   CHECK_EQUAL(kit->data[1], 1);
   CHECK_EQUAL(kit->data[2], 2);
}

static void *signal_later(void *argument)
{
   struct client *client = argument;
   uint32_t bare = 1;
   CHECK_EQUAL(client_wait_point(client, bare, 99, FOR_SUBMIT, 30), ETIME); /* sleep, in effect */
   signal_point(client, bare, 3);
   return NULL;
}

/* Waits that begin before there is anything to wait for. */
static void test_wait_for_submit(void)
{
   struct client client;
   pthread_t thread;
   client_open(&client, "m1");
   uint32_t t = client_syncobj(&client, 0), b = client_syncobj(&client, 0);
   CHECK_EQUAL(t, 1);
   CHECK_EQUAL(pthread_create(&thread, NULL, signal_later, &client), 0);
   CHECK_EQUAL(client_wait_point(&client, t, 3, FOR_SUBMIT, 5000), 0);
   CHECK_EQUAL(pthread_join(thread, NULL), 0);
   reset(&client, t);
   CHECK_EQUAL(pthread_create(&thread, NULL, signal_later, &client), 0);
   TRY(0, &client, TRANSFER, transfer, .src_handle = t, .dst_handle = b, .src_point = 3, .flags = FOR_SUBMIT);
   CHECK_EQUAL(client_wait(&client, b, 0), 0);
   CHECK_EQUAL(pthread_join(thread, NULL), 0);
   client_close(&client);
}

/* A timeline of any length is freed without recursion. */
static void test_long_timeline(struct kit *kit)
{
   struct client *client = &kit->client;
   uint32_t t = client_syncobj(client, 0);
   kit_program(kit, 4, (struct test_program){TEST_APPEND, 0, 0, 100}, 0);
   CHECK_EQUAL(submit(kit, 4, &(struct drm_asahi_sync){1, t, 1}, 0, 1), 0);
   kit_program(kit, 5, (struct test_program){TEST_APPEND, 0, 0, 0}, 0);
   for (uint64_t point = 2; point < 2000; point++) {
      CHECK_EQUAL(submit(kit, 5, &(struct drm_asahi_sync){1, t, point}, 0, 1), 0);
   }
   CHECK_EQUAL(client_query(client, t, SUBMITTED), 1999);
   CHECK_EQUAL(client_wait_point(client, t, 1999, ALL, 20000), 0);
   CHECK_EQUAL(client_query(client, t, 0), 1999);
   for (uint64_t point = 2000; point < 4000; point++) {
      signal_point(client, t, point);
   }
   TRY(0, client, DESTROY, destroy, .handle = t);
}

int main(void)
{
   struct kit kit;
   kit_open(&kit, "m1");
   test_errors(&kit.client);
   test_binary(&kit.client);
   test_sync_file(&kit.client);
   test_timeline(&kit.client);
   test_pending(&kit);
   test_point_on_binary(&kit);
   test_dependencies(&kit);
   test_long_timeline(&kit);
   kit_close(&kit);
   test_wait_for_submit();
   return check_result();
}
