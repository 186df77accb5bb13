/* SPDX-License-Identifier: MIT
 *
 * Raw ioctls to the virtual device. A call returns the device's errno and checks nothing itself.
 */
#include "tests/vgpu/driver/client.h"

#include <errno.h>
#include <linux/sync_file.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "isa/assembler/asm.h"
#include "vgpu/vgpu.h"

#define PATIENCE 60000 /* ms */

static void give_up(const char *what, int error)
{
   fprintf(stderr, "%s: %s\n", what, strerror(error));
   exit(1);
}

void client_open(struct client *client, const char *spec)
{
   char message[256] = "";
   client->fd = vgpu_open(spec, &client->kernel, message, sizeof(message));
   if (client->fd < 0) {
      give_up(message, -client->fd);
   }
}

void client_close(struct client *client)
{
   CHECK_EQUAL(client->kernel->close(client->kernel, client->fd), 0);
}

int client_fd_ioctl(struct client *client, int fd, unsigned long request, void *argument)
{
   return client->kernel->ioctl(client->kernel, fd, request, argument) ? errno : 0;
}

int client_ioctl(struct client *client, unsigned long request, void *argument)
{
   return client_fd_ioctl(client, client->fd, request, argument);
}

static void need(struct client *client, unsigned long request, void *argument, const char *what)
{
   int error = client_ioctl(client, request, argument);
   if (error) {
      give_up(what, error);
   }
}

uint32_t client_vm(struct client *client)
{
   struct drm_asahi_vm_create args = {.kernel_start = 0x7800000000, .kernel_end = 0x7FFFFF8000};
   need(client, DRM_IOCTL_ASAHI_VM_CREATE, &args, "VM_CREATE");
   return args.vm_id;
}

uint32_t client_bo(struct client *client, uint64_t size, uint32_t flags, uint32_t vm)
{
   struct drm_asahi_gem_create args = {.size = size, .flags = flags, .vm_id = vm};
   need(client, DRM_IOCTL_ASAHI_GEM_CREATE, &args, "GEM_CREATE");
   return args.handle;
}

void *client_map(struct client *client, uint32_t bo, size_t size)
{
   struct drm_asahi_gem_mmap_offset args = {.handle = bo};
   need(client, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &args, "GEM_MMAP_OFFSET");
   void *map = client->kernel->mmap(client->kernel, size, PROT_READ | PROT_WRITE, MAP_SHARED, client->fd, args.offset);
   if (map == MAP_FAILED) {
      give_up("mmap", errno);
   }
   return map;
}

int client_bind(struct client *client, uint32_t vm, struct drm_asahi_gem_bind_op op)
{
   struct drm_asahi_vm_bind args = {.vm_id = vm, .num_binds = 1, .stride = sizeof(op), .userptr = (uintptr_t)&op};
   return client_ioctl(client, DRM_IOCTL_ASAHI_VM_BIND, &args);
}

uint32_t client_queue(struct client *client, uint32_t vm, uint64_t usc_base)
{
   struct drm_asahi_queue_create args = {.vm_id = vm, .priority = DRM_ASAHI_PRIORITY_MEDIUM, .usc_exec_base = usc_base};
   need(client, DRM_IOCTL_ASAHI_QUEUE_CREATE, &args, "QUEUE_CREATE");
   return args.queue_id;
}

uint32_t client_syncobj(struct client *client, uint32_t flags)
{
   struct drm_syncobj_create args = {.flags = flags};
   need(client, DRM_IOCTL_SYNCOBJ_CREATE, &args, "SYNCOBJ_CREATE");
   return args.handle;
}

int64_t after_ms(int64_t milliseconds)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + milliseconds * 1000000;
}

int client_wait(struct client *client, uint32_t syncobj, int64_t milliseconds)
{
   struct drm_syncobj_wait args = {
       .handles = (uintptr_t)&syncobj, .count_handles = 1, .timeout_nsec = after_ms(milliseconds)};
   return client_ioctl(client, DRM_IOCTL_SYNCOBJ_WAIT, &args);
}

int client_wait_point(struct client *client, uint32_t syncobj, uint64_t point, uint32_t flags, int64_t milliseconds)
{
   struct drm_syncobj_timeline_wait args = {.handles = (uintptr_t)&syncobj,
                                            .points = (uintptr_t)&point,
                                            .count_handles = 1,
                                            .flags = flags,
                                            .timeout_nsec = after_ms(milliseconds)};
   return client_ioctl(client, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

uint64_t client_query(struct client *client, uint32_t syncobj, uint32_t flags)
{
   uint64_t point = UINT64_MAX;
   struct drm_syncobj_timeline_array args = {
       .handles = (uintptr_t)&syncobj, .points = (uintptr_t)&point, .count_handles = 1, .flags = flags};
   need(client, DRM_IOCTL_SYNCOBJ_QUERY, &args, "SYNCOBJ_QUERY");
   return point;
}

int client_status(struct client *client, uint32_t syncobj)
{
   struct drm_syncobj_handle args = {.handle = syncobj, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
   struct sync_file_info info = {.num_fences = 0};
   need(client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args, "export of a sync_file");
   CHECK_EQUAL(client_fd_ioctl(client, args.fd, SYNC_IOC_FILE_INFO, &info), 0);
   CHECK_EQUAL(client->kernel->close(client->kernel, args.fd), 0);
   return info.status;
}

const char *client_last_fault(struct client *client)
{
   static struct vgpu_counters counters;
   need(client, VGPU_IOCTL_COUNTERS, &counters, "COUNTERS");
   return counters.last_fault;
}

void kit_open(struct kit *kit, const char *spec)
{
   const uint32_t rw = DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE;
   struct client *client = &kit->client;
   client_open(client, spec);
   kit->g14x = strstr(spec, "m2-") != NULL;
   kit->vm = client_vm(client);
   kit->exec_bo = client_bo(client, 0x10000, DRM_ASAHI_GEM_VM_PRIVATE, kit->vm);
   kit->data_bo = client_bo(client, 0x10000, DRM_ASAHI_GEM_WRITEBACK, 0);
   kit->stamp_bo = client_bo(client, 0x4000, DRM_ASAHI_GEM_WRITEBACK, 0);
   kit->exec = client_map(client, kit->exec_bo, 0x10000);
   kit->data = client_map(client, kit->data_bo, 0x10000);
   kit->stamps = client_map(client, kit->stamp_bo, 0x4000);
   int error = client_bind(
       client, kit->vm,
       (struct drm_asahi_gem_bind_op){.flags = rw, .handle = kit->exec_bo, .range = 0x10000, .addr = KIT_USC});
   error |= client_bind(
       client, kit->vm,
       (struct drm_asahi_gem_bind_op){.flags = rw, .handle = kit->data_bo, .range = 0x10000, .addr = KIT_DATA});
   struct drm_asahi_gem_bind_object object = {.op = DRM_ASAHI_BIND_OBJECT_OP_BIND,
                                              .flags = DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS,
                                              .handle = kit->stamp_bo,
                                              .range = 0x4000};
   error |= client_ioctl(client, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &object);
   if (error) {
      give_up("bind", error);
   }
   kit->stamp_object = object.object_handle;
   kit->queue = client_queue(client, kit->vm, KIT_USC);
}

void kit_close(struct kit *kit)
{
   struct asahi_kernel *kernel = kit->client.kernel;
   CHECK_EQUAL(kernel->munmap(kernel, kit->exec, 0x10000), 0);
   CHECK_EQUAL(kernel->munmap(kernel, kit->data, 0x10000), 0);
   CHECK_EQUAL(kernel->munmap(kernel, kit->stamps, 0x4000), 0);
   client_close(&kit->client);
}

uint64_t kit_stream(unsigned slot)
{
   return KIT_USC + 0x8000 + slot * 0x80;
}

void kit_program(struct kit *kit, unsigned slot, struct test_program program, unsigned list)
{
   /* The USC words of 4.3's worked example; offsets of this slot. */
   uint8_t usc[24] = {0x1D, 0,    0x40, 0, 0x40, 0, 0,    0x15, 0x4D, 0x90, 0,    0,
                      0x0D, 0x0C, 0,    0, 0,    0, 0x8D, 0x01, 0,    0,    0x88, 0};
   uint32_t code = slot * 0x100 + 0x80;
   uint64_t list_address = KIT_DATA + 4 * list, item;
   memcpy(&item, usc, sizeof(item));
   item += (uint64_t)slot * 8 << 24; /* address >> 2 from bit 26 on */
   memcpy(usc, &item, sizeof(item));
   memcpy(usc + 14, &code, sizeof(code));
   memcpy(kit->exec + slot * 0x100 + 0x40, usc, sizeof(usc));
   memcpy(kit->exec + code, &program, sizeof(program));
   memcpy(kit->exec + 0x4000 + slot * 8, &list_address, sizeof(list_address));

   uint32_t stream[16] = {0x1202, slot * 0x100 + 0x40}, at = 2;
   if (kit->g14x) {
      stream[at++] = 0;
      stream[at++] = 0x40000000;
   }
   const uint32_t rest[] = {64, 1, 1, 32, 1, 1, 0x600FFFFF, 0x40000000, 0};
   memcpy(&stream[at], rest, sizeof(rest));
   memcpy(kit->exec + (kit_stream(slot) - KIT_USC), stream, sizeof(stream));
}

struct drm_asahi_cmd_compute kit_command(unsigned slot)
{
   return (struct drm_asahi_cmd_compute){.cdm_ctrl_stream_base = kit_stream(slot),
                                         .cdm_ctrl_stream_end = kit_stream(slot) + 44};
}

void commands_add(struct commands *commands, uint16_t type, const void *payload, uint16_t size, uint16_t vdm_barrier,
                  uint16_t cdm_barrier)
{
   struct drm_asahi_cmd_header header = {type, size, vdm_barrier, cdm_barrier};
   memcpy(commands->bytes + commands->size, &header, sizeof(header));
   if (size) {
      memcpy(commands->bytes + commands->size + sizeof(header), payload, size);
   }
   commands->size += (uint32_t)sizeof(header) + size;
}

int client_submit(struct client *client, uint32_t queue, const struct commands *commands,
                  const struct drm_asahi_sync *syncs, uint32_t ins, uint32_t outs)
{
   struct drm_asahi_submit args = {.syncs = (uintptr_t)syncs,
                                   .cmdbuf = (uintptr_t)commands->bytes,
                                   .queue_id = queue,
                                   .in_sync_count = ins,
                                   .out_sync_count = outs,
                                   .cmdbuf_size = commands->size};
   return client_ioctl(client, DRM_IOCTL_ASAHI_SUBMIT, &args);
}

int kit_submit(struct kit *kit, unsigned slot, uint32_t out)
{
   struct drm_asahi_cmd_compute command = kit_command(slot);
   struct drm_asahi_sync sync = {.handle = out};
   struct commands commands;
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_COMPUTE, &command, sizeof(command), DRM_ASAHI_BARRIER_NONE,
                DRM_ASAHI_BARRIER_NONE);
   return client_submit(&kit->client, kit->queue, &commands, &sync, 0, out != 0);
}

void kit_code(struct kit *kit, unsigned slot, const char *text)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   struct isa_asm_result result;
   if (!assembler || isa_asm_program(assembler, text, strlen(text), &result)) {
      fprintf(stderr, "cannot assemble:\n%s", text);
      exit(1);
   }
   kit_program(kit, slot, (struct test_program){0}, 0);
   memcpy(kit->exec + slot * 0x100 + 0x80, result.program->code, result.program->code_size);
   isa_asm_result_finish(&result);
   isa_asm_destroy(assembler);
}

int kit_run(struct kit *kit, unsigned slot)
{
   uint32_t out = client_syncobj(&kit->client, 0);
   CHECK_EQUAL(kit_submit(kit, slot, out), 0);
   CHECK_EQUAL(client_wait(&kit->client, out, PATIENCE), 0);
   return client_status(&kit->client, out);
}
