/* SPDX-License-Identifier: MIT
 *
 * A client of the unstable uAPI by Mesa's own header, against the preloaded node: it asks, binds, submits machine code
 * written by hand, and reads the answer and the time. Next to it a client of the upstream one, in the same process.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "tests/check.h"
#include "unstable_asahi_drm.h"

#define NODE "/dev/dri/renderD190"
#define USC_BASE UINT64_C(0x100000000)
#define PAGE 16384u

/* spec/uapi.md 1.3: the request of the upstream dialect, whose struct is {group, pad, pointer, size}. */
#define UPSTREAM_GET_PARAMS 0x40186440ul

/* r1 = x of the thread in the grid; r1 is stored at u0_u1 + 4 * r1; stop. As in tests/drm/test_node.c. */
static const uint8_t code[] = {0x72, 0x05, 0x10, 0x04, 0x45, 0x09, 0x20, 0x0E, 0x00, 0xC0, 0x12, 0x00, 0x88, 0x00};
/* The worked examples of spec/uapi.md 4.2 and 4.3: argument at 0x1_0000_4000, code at 0x80; 64 threads by 32. */
static const uint8_t usc[] = {0x1D, 0x00, 0x40, 0x00, 0x40, 0x00, 0x00, 0x01, 0x4D, 0x90, 0x00, 0x00,
                              0x0D, 0x0C, 0x80, 0x00, 0x00, 0x00, 0x8D, 0x01, 0x00, 0x00, 0x88, 0x00};
static const uint32_t stream[] = {0x1202, 0x40, 64, 1, 1, 32, 1, 1, 0x600FFFFF, 0x40000000, 0};

struct client {
   int fd;
   uint32_t vm, queue;
};

#define ASK(request, argument) CHECK(!ioctl(client->fd, request, argument), #request ": %s", strerror(errno))

/* A buffer of four pages at that address. */
static uint8_t *make_buffer(struct client *client, uint64_t address, uint32_t *handle)
{
   struct drm_asahi_gem_create create = {.size = 4 * PAGE, .flags = ASAHI_GEM_WRITEBACK};
   ASK(DRM_IOCTL_ASAHI_GEM_CREATE, &create);
   struct drm_asahi_gem_bind bind = {.op = ASAHI_BIND_OP_BIND,
                                     .flags = ASAHI_BIND_READ | ASAHI_BIND_WRITE,
                                     .handle = create.handle,
                                     .vm_id = client->vm,
                                     .range = 4 * PAGE,
                                     .addr = address};
   struct drm_asahi_gem_mmap_offset offset = {.handle = create.handle};
   ASK(DRM_IOCTL_ASAHI_GEM_BIND, &bind);
   ASK(DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &offset);
   *handle = create.handle;
   return mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, client->fd, (off_t)offset.offset);
}

static int submit(struct client *client, uint32_t syncobj, struct drm_asahi_cmd_compute *compute, uint32_t type)
{
   struct drm_asahi_command command = {.cmd_type = type,
                                       .cmd_buffer = (uintptr_t)compute,
                                       .cmd_buffer_size = sizeof(*compute),
                                       .barriers = {DRM_ASAHI_BARRIER_NONE, DRM_ASAHI_BARRIER_NONE}};
   struct drm_asahi_sync sync = {.sync_type = DRM_ASAHI_SYNC_TIMELINE_SYNCOBJ, .handle = syncobj, .timeline_value = 5};
   struct drm_asahi_submit args = {.out_syncs = (uintptr_t)&sync,
                                   .commands = (uintptr_t)&command,
                                   .queue_id = client->queue,
                                   .out_sync_count = 1,
                                   .command_count = 1};
   return ioctl(client->fd, DRM_IOCTL_ASAHI_SUBMIT, &args) ? errno : 0;
}

static void test_work(struct client *client)
{
   uint32_t exec, data, stamp, syncobj = 0;
   uint8_t *programs = make_buffer(client, USC_BASE, &exec);
   uint32_t *out = (uint32_t *)(void *)make_buffer(client, USC_BASE * 2, &data);
   uint64_t *stamps = (uint64_t *)(void *)make_buffer(client, USC_BASE * 2 + 8 * PAGE, &stamp), point = 5;
   const uint64_t address = USC_BASE * 2;
   memcpy(programs + 0x40, usc, sizeof(usc));
   memcpy(programs + 0x80, code, sizeof(code));
   memcpy(programs + 0x1000, stream, sizeof(stream));
   memcpy(programs + PAGE, &address, sizeof(address));
   struct drm_asahi_gem_bind_object object = {
       .op = ASAHI_BIND_OBJECT_OP_BIND, .flags = ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS, .handle = stamp, .range = PAGE};
   ASK(DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &object);
   struct drm_asahi_cmd_compute_user_timestamps times = {.type = ASAHI_COMPUTE_EXT_TIMESTAMPS,
                                                         .start_handle = object.object_handle,
                                                         .start_offset = 8,
                                                         .end_handle = object.object_handle,
                                                         .end_offset = 24};
   struct drm_asahi_cmd_compute compute = {.extensions = (uintptr_t)&times,
                                           .encoder_ptr = USC_BASE + 0x1000,
                                           .encoder_end = USC_BASE + 0x1000 + sizeof(stream),
                                           .usc_base = USC_BASE};
   CHECK(!drmSyncobjCreate(client->fd, 0, &syncobj), "%s", strerror(errno));
   CHECK(!submit(client, syncobj, &compute, DRM_ASAHI_CMD_COMPUTE), "%s", strerror(errno));
   CHECK(!drmSyncobjTimelineWait(client->fd, &syncobj, &point, 1, INT64_MAX, 0, NULL), "%s", strerror(errno));
   for (uint32_t i = 0; i < 64; i++) {
      CHECK(out[i] == i, "word %u is %u", i, out[i]);
   }
   CHECK(stamps[1] && stamps[3] > stamps[1] && !stamps[0] && !stamps[2], "%llu to %llu", (unsigned long long)stamps[1],
         (unsigned long long)stamps[3]);
   CHECK(submit(client, syncobj, &compute, DRM_ASAHI_CMD_BLIT) == EINVAL, "a blit command is taken");
   compute.usc_base = USC_BASE * 2;
   CHECK(submit(client, syncobj, &compute, DRM_ASAHI_CMD_COMPUTE) == EINVAL, "a queue has two windows");
   compute.usc_base = USC_BASE;
   times.type = 77;
   CHECK(submit(client, syncobj, &compute, DRM_ASAHI_CMD_COMPUTE) == EINVAL, "an unknown extension is taken");
   /* Without its buffer the store goes nowhere. */
   struct drm_asahi_gem_bind unbind = {.op = ASAHI_BIND_OP_UNBIND_ALL, .handle = data, .vm_id = client->vm};
   ASK(DRM_IOCTL_ASAHI_GEM_BIND, &unbind);
   compute.extensions = 0;
   out[0] = 77;
   point = 5;
   CHECK(!submit(client, syncobj, &compute, DRM_ASAHI_CMD_COMPUTE), "%s", strerror(errno));
   CHECK(!drmSyncobjTimelineWait(client->fd, &syncobj, &point, 1, INT64_MAX, 0, NULL), "%s", strerror(errno));
   CHECK(out[0] == 77, "the buffer is still bound");
}

static void test_params(struct client *client)
{
   struct drm_asahi_params_global params = {0};
   struct drm_asahi_get_params get = {.pointer = (uintptr_t)&params, .size = sizeof(params)};
   struct drm_asahi_get_time time = {0};
   ASK(DRM_IOCTL_ASAHI_GET_PARAMS, &get);
   CHECK(get.size == sizeof(params), "size %llu", (unsigned long long)get.size);
   CHECK(params.unstable_uabi_version == DRM_ASAHI_UNSTABLE_UABI_VERSION, "version %x", params.unstable_uabi_version);
   CHECK(params.gpu_generation == 13 && params.chip_id == 0x8103 && params.num_cores_total_active == 8,
         "generation %u, chip %x, %u cores", params.gpu_generation, params.chip_id, params.num_cores_total_active);
   CHECK(params.vm_user_start == 0x4000 && params.vm_user_end == 0x7FFFFF8000 && params.vm_page_size == PAGE, "VM");
   ASK(DRM_IOCTL_ASAHI_GET_TIME, &time);
   CHECK(time.gpu_timestamp, "no time");
   struct drm_asahi_vm_create vm = {.kernel_start = params.vm_user_end - (UINT64_C(32) << 30),
                                    .kernel_end = params.vm_user_end};
   ASK(DRM_IOCTL_ASAHI_VM_CREATE, &vm);
   client->vm = vm.vm_id;
   struct drm_asahi_queue_create queue = {
       .vm_id = vm.vm_id, .queue_caps = DRM_ASAHI_QUEUE_CAP_RENDER | DRM_ASAHI_QUEUE_CAP_COMPUTE, .priority = 1};
   ASK(DRM_IOCTL_ASAHI_QUEUE_CREATE, &queue);
   client->queue = queue.queue_id;
}

int main(void)
{
   struct client client = {.fd = open(NODE, O_RDWR | O_CLOEXEC)};
   int upstream = open(NODE, O_RDWR | O_CLOEXEC);
   uint32_t words[148] = {0};
   uint64_t get[3] = {0, (uintptr_t)words, sizeof(words)};
   CHECK(!ioctl(upstream, UPSTREAM_GET_PARAMS, get), "upstream: %s", strerror(errno));
   test_params(&client);
   test_work(&client);
   CHECK(!ioctl(upstream, UPSTREAM_GET_PARAMS, get) && words[2] == 13, "upstream: %s", strerror(errno));
   CHECK(ioctl(upstream, DRM_IOCTL_ASAHI_GEM_BIND, get) == -1, "one file speaks both");
   close(upstream);
   close(client.fd);
   return check_result();
}
