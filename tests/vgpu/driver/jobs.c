/* SPDX-License-Identifier: MIT
 *
 * Jobs from SUBMIT to the fence: order, timestamps, faults and their errors, many in flight, and everything being
 * closed or taken away while they run.
 */
#include <errno.h>
#include <linux/sync_file.h>
#include <pthread.h>
#include <string.h>

#include "tests/vgpu/driver/client.h"
#include "vgpu/launch.h"
#include "vgpu/vgpu.h"

#define NONE DRM_ASAHI_BARRIER_NONE
#define PATIENCE 20000 /* ms: longer than any job here takes, also under valgrind */

static struct vgpu_counters counters(struct client *client)
{
   struct vgpu_counters now;
   CHECK_EQUAL(client_ioctl(client, VGPU_IOCTL_COUNTERS, &now), 0);
   return now;
}

static uint64_t device_time(struct client *client)
{
   struct drm_asahi_get_time args = {0};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GET_TIME, &args), 0);
   return args.gpu_timestamp;
}

static void add_slot(struct commands *commands, struct drm_asahi_cmd_compute command, uint16_t cdm_barrier)
{
   commands_add(commands, DRM_ASAHI_CMD_COMPUTE, &command, sizeof(command), NONE, cdm_barrier);
}

/* Runs one command with timestamps at the given byte offsets and waits for it. Returns the fence's status. */
static int run_stamped(struct kit *kit, unsigned slot, uint32_t start, uint32_t end)
{
   struct drm_asahi_cmd_compute command = kit_command(slot);
   uint32_t out = client_syncobj(&kit->client, 0);
   struct commands commands;
   commands.size = 0;
   command.ts = (struct drm_asahi_timestamps){{kit->stamp_object, start}, {kit->stamp_object, end}};
   add_slot(&commands, command, NONE);
   CHECK_EQUAL(client_submit(&kit->client, kit->queue, &commands, &(struct drm_asahi_sync){0, out, 0}, 0, 1), 0);
   CHECK_EQUAL(client_wait(&kit->client, out, PATIENCE), 0);
   return client_status(&kit->client, out);
}

/* The M1's clock is 1278 MHz (reference/gpus.csv), so 1278000 cycles are a millisecond and 1 cycle rounds to 1 ns. */
static void test_timestamps(struct kit *kit)
{
   struct client *client = &kit->client;
   uint64_t *ts = kit->stamps;
   kit_program(kit, 0, (struct test_program){TEST_APPEND, 1278000000, 0, 0}, 0);
   kit_program(kit, 1, (struct test_program){TEST_APPEND, 1, 0, 30}, 0);
   uint64_t before = device_time(client);
   CHECK_EQUAL(run_stamped(kit, 0, 0, 8), 1);
   uint64_t after = device_time(client);
   CHECK(before <= ts[0]);
   CHECK_EQUAL(ts[1] - ts[0], 1000000000); /* a modelled second, in far less of ours */
   CHECK(ts[1] <= after);
   CHECK_EQUAL(run_stamped(kit, 1, 16, 24), 1); /* emulated in 30 ms, modelled as 1 cycle */
   CHECK(ts[1] <= ts[2]);
   CHECK_EQUAL(ts[3] - ts[2], 1);
   CHECK(ts[3] <= device_time(client));

   /* Anywhere in the object, at any alignment. */
   uint64_t odd;
   CHECK_EQUAL(run_stamped(kit, 1, 0x3FF8, 101), 1);
   memcpy(&odd, (uint8_t *)ts + 101, sizeof(odd));
   CHECK_EQUAL(odd - ts[0x3FF8 / 8], 1);

   CHECK_EQUAL(counters(client).jobs, 3);
   CHECK_EQUAL(counters(client).cycles, 1278000002);
   CHECK_EQUAL(counters(client).instructions, 3);
   CHECK_EQUAL(counters(client).thread_instructions, 3 * 64);
   CHECK_EQUAL(counters(client).clock_hz, 1278000000);
   CHECK_EQUAL(counters(client).last_fault[0], 0);
}

/* Runs the slot three times under a load of that number; returns how often it was executed. Each takes its time. */
static uint32_t executed_under_load(struct kit *kit, uint32_t load, unsigned slot, uint64_t cycles)
{
   memset(kit->data, 0, 0x1000);
   CHECK_EQUAL(client_ioctl(&kit->client, VGPU_IOCTL_LOAD, &load), 0);
   for (unsigned i = 0; i < 3; i++) {
      CHECK_EQUAL(run_stamped(kit, slot, 0, 8), 1);
      CHECK_EQUAL(kit->stamps[1] - kit->stamps[0], cycles * 1000000 / 1278000);
   }
   return kit->data[0];
}

/* Load is executed until its time is known. Other load is another one's, and what follows it is executed. */
static void test_load(void)
{
   struct kit kit;
   kit_open(&kit, "m1");
   kit_program(&kit, 0, (struct test_program){TEST_APPEND, 1278000, 0, 0}, 0);
   kit_program(&kit, 1, (struct test_program){TEST_APPEND, 2556000, 0, 0}, 0);
   const uint64_t before = counters(&kit.client).cycles;
   CHECK_EQUAL(executed_under_load(&kit, 5, 0, 1278000), VGPU_LOAD_EXECUTED);
   CHECK_EQUAL(executed_under_load(&kit, 0, 1, 2556000), 3);
   CHECK_EQUAL(executed_under_load(&kit, 5, 0, 1278000), 0);
   CHECK_EQUAL(executed_under_load(&kit, 6, 1, 2556000), VGPU_LOAD_EXECUTED);
   CHECK_EQUAL(counters(&kit.client).cycles - before, 6 * (1278000 + 2556000));
   kit_close(&kit);
   kit_open(&kit, "m1,timing=off");
   uint32_t load = 5;
   kit_program(&kit, 0, (struct test_program){TEST_APPEND, 1278000, 0, 0}, 0);
   CHECK_EQUAL(client_ioctl(&kit.client, VGPU_IOCTL_LOAD, &load), 0);
   for (unsigned i = 0; i < 4; i++) {
      CHECK_EQUAL(run_stamped(&kit, 0, 0, 8), 1);
   }
   CHECK_EQUAL(kit.data[0], 4);
   kit_close(&kit);
}

static void test_timing_off(void)
{
   struct kit kit;
   kit_open(&kit, "m1,timing=off");
   kit_program(&kit, 0, (struct test_program){TEST_APPEND, 5, 0, 20}, 0);
   CHECK_EQUAL(run_stamped(&kit, 0, 0, 8), 1);
   CHECK(kit.stamps[1] - kit.stamps[0] >= 20000000);
   kit_close(&kit);
}

/* The error of each fault: spec/uapi.md 3.10. The queue works on afterwards. */
static void test_faults(struct kit *kit)
{
   static const struct {
      enum vgpu_fault fault;
      int status;
      const char *words;
   } cases[] = {
       {VGPU_FAULT_NONE, 1, ""},
       {VGPU_FAULT_MEMORY, -EIO, "MMU fault: launch 0: asked for"},
       {VGPU_FAULT_STREAM, -EIO, "bad command"},
       {VGPU_FAULT_INSTRUCTION, -EIO, "bad instruction"},
       {VGPU_FAULT_SCRATCH, -EIO, "scratch"},
       {VGPU_FAULT_RESOURCES, -EIO, "resources"},
       {VGPU_FAULT_TIMEOUT, -ETIMEDOUT, "timeout"},
   };
   uint64_t jobs = counters(&kit->client).jobs;
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      kit_program(kit, 0, (struct test_program){TEST_FAULT + cases[i].fault, 10, 0, 0}, 0);
      kit->stamps[0] = kit->stamps[1] = 0;
      CHECK_EQUAL(run_stamped(kit, 0, 0, 8), cases[i].status);
      CHECK(strstr(client_last_fault(&kit->client), cases[i].words) != NULL);
      CHECK(kit->stamps[0] != 0);
      CHECK_EQUAL(kit->stamps[1] != 0, cases[i].status == 1); /* a faulted command has no end */
   }
   CHECK_EQUAL(counters(&kit->client).jobs - jobs, 7);

   kit_program(kit, 0, (struct test_program){TEST_SOFT_FAULT, 10, 3, 0}, 0);
   CHECK_EQUAL(run_stamped(kit, 0, 0, 8), 1);
   CHECK_EQUAL(counters(&kit->client).soft_fault_loads, 3);
   CHECK_EQUAL(counters(&kit->client).soft_fault_address, 0x1234000);

   /* The hint on what is wrong with the helper program goes with the fault. */
   struct drm_asahi_cmd_compute command = kit_command(0);
   uint32_t out = client_syncobj(&kit->client, 0);
   struct commands commands;
   commands.size = 0;
   command.helper.binary = 0x80;
   add_slot(&commands, command, NONE);
   kit_program(kit, 0, (struct test_program){TEST_SCRATCH, 10, 0, 0}, 0);
   CHECK_EQUAL(client_submit(&kit->client, kit->queue, &commands, &(struct drm_asahi_sync){0, out, 0}, 0, 1), 0);
   CHECK_EQUAL(client_wait(&kit->client, out, PATIENCE), 0);
   CHECK(strstr(client_last_fault(&kit->client), "without bit 0") != NULL);
}

/* Runs a stream at `va` and returns the fence's status. */
static int run_stream_at(struct kit *kit, uint64_t va)
{
   struct drm_asahi_cmd_compute command = {.cdm_ctrl_stream_base = va};
   uint32_t out = client_syncobj(&kit->client, 0);
   struct commands commands;
   commands.size = 0;
   add_slot(&commands, command, NONE);
   CHECK_EQUAL(client_submit(&kit->client, kit->queue, &commands, &(struct drm_asahi_sync){0, out, 0}, 0, 1), 0);
   CHECK_EQUAL(client_wait(&kit->client, out, PATIENCE), 0);
   return client_status(&kit->client, out);
}

static void test_bad_streams(void)
{
   struct kit kit;
   kit_open(&kit, "m1,budget=100000");
   CHECK_EQUAL(run_stream_at(&kit, 0x100000000), -EIO);
   CHECK(strstr(client_last_fault(&kit.client), "0x100000000") != NULL);
   CHECK_EQUAL(run_stream_at(&kit, 0), -EIO);
   CHECK_EQUAL(run_stream_at(&kit, UINT64_MAX - 2), -EIO);
   /* A link to itself. */
   const uint32_t loop[] = {0x20000015, 0xC000};
   memcpy(kit.exec + 0xC000, loop, sizeof(loop));
   CHECK_EQUAL(run_stream_at(&kit, KIT_USC + 0xC000), -ETIMEDOUT);
   kit_close(&kit);
   /* Launches again and again, one after the other and side by side: the work is the command's, not the launch's, and
    * a launch takes 256 of it. */
   for (unsigned i = 0; i < 2; i++) {
      const uint32_t again[] = {i ? 0x60000000 : 0x600FFFFF, 0x20000015, 0x8000};
      kit_open(&kit, "m1,timing=off,threads=2,work=100000");
      kit_program(&kit, 0, (struct test_program){TEST_APPEND, 1, 0, 0}, 0);
      memcpy(kit.exec + 0x8000 + 32, again, sizeof(again));
      CHECK_EQUAL(run_stream_at(&kit, KIT_USC + 0x8000), -ETIMEDOUT);
      CHECK(kit.data[0] > 100 && kit.data[0] <= 100000 / 256);
      kit_close(&kit);
   }
}

/* faults=lost: the wait for the job that faults, and all requests after it, find the device gone. A job that ends well
 * changes nothing; and without the option the wait succeeds. */
static void test_lost(void)
{
   for (unsigned lost = 0; lost < 2; lost++) {
      const int gone = lost ? ENODEV : 0;
      struct kit kit;
      kit_open(&kit, lost ? "m1,faults=lost" : "m1,faults=fence");
      kit_program(&kit, 0, (struct test_program){TEST_APPEND, 1, 0, 0}, 0);
      CHECK_EQUAL(kit_run(&kit, 0), 1);
      struct drm_asahi_cmd_compute command = {.cdm_ctrl_stream_base = 0x100000000};
      const uint32_t out = client_syncobj(&kit.client, 0);
      struct commands commands;
      commands.size = 0;
      add_slot(&commands, command, NONE);
      CHECK_EQUAL(client_submit(&kit.client, kit.queue, &commands, &(struct drm_asahi_sync){0, out, 0}, 0, 1), 0);
      CHECK_EQUAL(client_wait(&kit.client, out, PATIENCE), gone);
      struct drm_asahi_get_time time = {0};
      CHECK_EQUAL(client_ioctl(&kit.client, DRM_IOCTL_ASAHI_GET_TIME, &time), gone);
      CHECK_EQUAL(kit_submit(&kit, 0, 0), gone);
      kit_close(&kit);
   }
}

/* The client says how much a job may execute, unless the device's spec does. */
static void test_client_work(void)
{
   static const struct {
      const char *spec;
      uint64_t work;
      int status;
   } rows[] = {{"m1", 100, -ETIMEDOUT}, {"m1,work=100", 100000, -ETIMEDOUT}, {"m1,work=100000", 100, 1}};
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      uint64_t work = rows[i].work;
      struct kit kit;
      kit_open(&kit, rows[i].spec);
      kit_program(&kit, 0, (struct test_program){TEST_APPEND, 1, 0, 0}, 0);
      CHECK_EQUAL(client_ioctl(&kit.client, VGPU_IOCTL_WORK, &work), 0);
      CHECK_EQUAL(run_stream_at(&kit, kit_stream(0)), rows[i].status);
      work = 0;
      CHECK_EQUAL(client_ioctl(&kit.client, VGPU_IOCTL_WORK, &work), 0);
      CHECK_EQUAL(run_stream_at(&kit, kit_stream(0)), i == 0 ? 1 : rows[i].status);
      kit_close(&kit);
   }
}

/* Another class's stream: spec/uapi.md section 6. */
static void test_classes(void)
{
   static const char *const specs[] = {"m1", "m1-pro", "m2", "m2-max", "m2-ultra"};
   for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
      struct kit kit;
      kit_open(&kit, specs[i]);
      kit_program(&kit, 0, (struct test_program){TEST_APPEND, 1, 0, 0}, 0);
      CHECK_EQUAL(run_stream_at(&kit, kit_stream(0)), 1);
      kit.g14x = !kit.g14x;
      kit_program(&kit, 0, (struct test_program){TEST_APPEND, 1, 0, 0}, 0);
      CHECK_EQUAL(run_stream_at(&kit, kit_stream(0)), -EIO);
      CHECK(strstr(client_last_fault(&kit.client), "G14X") != NULL);
      kit_close(&kit);
   }
}

static void test_render(struct kit *kit)
{
   struct drm_asahi_cmd_render render = {
       .width_px = 64, .height_px = 64, .layers = 1, .utile_width_px = 32, .utile_height_px = 32, .samples = 1};
   uint32_t out = client_syncobj(&kit->client, 0);
   struct commands commands;
   commands.size = 0;
   commands_add(&commands, DRM_ASAHI_CMD_RENDER, &render, sizeof(render), NONE, NONE);
   CHECK_EQUAL(client_submit(&kit->client, kit->queue, &commands, &(struct drm_asahi_sync){0, out, 0}, 0, 1), 0);
   CHECK_EQUAL(client_wait(&kit->client, out, PATIENCE), 0);
   CHECK_EQUAL(client_status(&kit->client, out), -EIO);
   CHECK(strstr(client_last_fault(&kit->client), "VDM stream: read of unmapped address") != NULL);

   /* The single fence in the file says the same. */
   struct drm_syncobj_handle file = {.handle = out, .flags = 1};
   struct sync_fence_info fence = {.status = 0};
   struct sync_file_info info = {.num_fences = 1, .sync_fence_info = (uintptr_t)&fence};
   CHECK_EQUAL(client_ioctl(&kit->client, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &file), 0);
   CHECK_EQUAL(client_fd_ioctl(&kit->client, file.fd, SYNC_IOC_FILE_INFO, &info), 0);
   CHECK_EQUAL(info.status, -EIO);
   CHECK_EQUAL(fence.status, -EIO);
}

/* 64 commands of one submit append their numbers in order; the first failure ends the submit. */
static void test_order(struct kit *kit)
{
   uint32_t out = client_syncobj(&kit->client, 0);
   struct commands commands;
   commands.size = 0;
   memset(kit->data, 0, 0x1000);
   for (unsigned i = 0; i < 31; i++) {
      kit_program(kit, i, (struct test_program){TEST_APPEND, 1, 100 + i, 0}, 0);
   }
   kit_program(kit, 31, (struct test_program){TEST_FAULT + VGPU_FAULT_MEMORY, 1, 0, 0}, 0);
   for (uint16_t i = 0; i < 62; i++) {
      add_slot(&commands, kit_command(i % 31), i);
   }
   add_slot(&commands, kit_command(31), NONE);
   add_slot(&commands, kit_command(0), NONE);
   CHECK_EQUAL(client_submit(&kit->client, kit->queue, &commands, &(struct drm_asahi_sync){0, out, 0}, 0, 1), 0);
   CHECK_EQUAL(client_wait(&kit->client, out, PATIENCE), 0);
   CHECK_EQUAL(client_status(&kit->client, out), -EIO);
   CHECK(strstr(client_last_fault(&kit->client), "command 62") != NULL);
   CHECK_EQUAL(kit->data[0], 62);
   for (unsigned i = 0; i < 62; i++) {
      CHECK_EQUAL(kit->data[1 + i], 100 + i % 31);
   }
}

/* While a job runs, later ones line up: medium priority before low, then by age. */
static void test_priority(struct kit *kit)
{
   struct client *client = &kit->client;
   struct drm_asahi_queue_create low = {.vm_id = kit->vm, .priority = DRM_ASAHI_PRIORITY_LOW, .usc_exec_base = KIT_USC};
   uint32_t out = client_syncobj(client, 0), first = client_queue(client, kit->vm, KIT_USC);
   uint32_t second = client_queue(client, kit->vm, KIT_USC);
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_QUEUE_CREATE, &low), 0);
   memset(kit->data, 0, 0x100);
   kit_program(kit, 0, (struct test_program){TEST_APPEND, 1, 1, 80}, 0);
   kit_program(kit, 1, (struct test_program){TEST_APPEND, 1, 2, 0}, 0);
   kit_program(kit, 2, (struct test_program){TEST_APPEND, 1, 3, 0}, 0);
   struct commands commands;
   commands.size = 0;
   add_slot(&commands, kit_command(2), NONE);
   CHECK_EQUAL(kit_submit(kit, 0, 0), 0);
   CHECK_EQUAL(client_submit(client, low.queue_id, &commands, &(struct drm_asahi_sync){0, out, 0}, 0, 1), 0);
   CHECK_EQUAL(kit_submit(kit, 1, 0), 0);
   kit_program(kit, 3, (struct test_program){TEST_APPEND, 1, 4, 0}, 0);
   kit_program(kit, 4, (struct test_program){TEST_APPEND, 1, 5, 0}, 0);
   struct commands fourth, fifth;
   fourth.size = fifth.size = 0;
   add_slot(&fourth, kit_command(3), NONE);
   add_slot(&fifth, kit_command(4), NONE);
   CHECK_EQUAL(client_submit(client, second, &fourth, NULL, 0, 0), 0);
   CHECK_EQUAL(client_submit(client, first, &fifth, NULL, 0, 0), 0);
   /* A destroyed queue's jobs still run. */
   struct drm_asahi_queue_destroy destroy = {.queue_id = low.queue_id};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_QUEUE_DESTROY, &destroy), 0);
   CHECK_EQUAL(client_submit(client, low.queue_id, &commands, NULL, 0, 0), ENOENT);
   CHECK_EQUAL(client_wait(client, out, PATIENCE), 0);
   static const uint32_t expected[] = {5, 1, 2, 4, 5, 3};
   for (unsigned i = 0; i < 6; i++) {
      CHECK_EQUAL(kit->data[i], expected[i]);
   }
}

static void test_thousand(struct kit *kit)
{
   enum { COUNT = 1000 };
   uint32_t outs[COUNT];
   memset(kit->data, 0, 0x4000);
   kit_program(kit, 0, (struct test_program){TEST_APPEND, 1, 0, 200}, 0);
   CHECK_EQUAL(kit_submit(kit, 0, 0), 0);
   for (unsigned i = 0; i < 30; i++) {
      kit_program(kit, 1 + i, (struct test_program){TEST_APPEND, 1, 1 + i, 0}, 0);
   }
   for (unsigned i = 0; i < COUNT; i++) {
      outs[i] = client_syncobj(&kit->client, 0);
      CHECK_EQUAL(kit_submit(kit, 1 + i % 30, outs[i]), 0);
   }
   CHECK_EQUAL(client_status(&kit->client, outs[0]), 0); /* all of them still in flight */
   struct drm_syncobj_wait all = {.handles = (uintptr_t)outs,
                                  .count_handles = COUNT,
                                  .timeout_nsec = after_ms(PATIENCE),
                                  .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL};
   CHECK_EQUAL(client_ioctl(&kit->client, DRM_IOCTL_SYNCOBJ_WAIT, &all), 0);
   CHECK_EQUAL(kit->data[0], COUNT + 1);
   for (unsigned i = 0; i < COUNT; i++) {
      CHECK_EQUAL(kit->data[2 + i], 1 + i % 30);
      CHECK_EQUAL(client_status(&kit->client, outs[i]), 1);
   }
}

/* Memory taken away under a job: nothing crashes, the next job faults. */
static void test_pulled_memory(struct kit *kit)
{
   struct client *client = &kit->client;
   uint32_t out = client_syncobj(client, 0), vm = client_vm(client);
   uint32_t bo = client_bo(client, 0x4000, DRM_ASAHI_GEM_VM_PRIVATE, vm);
   uint64_t va = UINT64_C(0x3000000000);
   struct drm_asahi_gem_bind_op op = {.flags = DRM_ASAHI_BIND_READ, .handle = bo, .range = 0x4000, .addr = va};
   CHECK_EQUAL(client_bind(client, vm, op), 0);
   const uint32_t stream[] = {0x40000000, 0};
   uint8_t *map = client_map(client, bo, 0x4000);
   memcpy(map, stream, sizeof(stream));
   CHECK_EQUAL(client->kernel->munmap(client->kernel, map, 0x4000), 0);
   uint32_t queue = client_queue(client, vm, va);
   struct commands commands;
   commands.size = 0;
   add_slot(&commands, (struct drm_asahi_cmd_compute){.cdm_ctrl_stream_base = va}, NONE);
   struct drm_asahi_sync sync = {0, out, 0};
   CHECK_EQUAL(client_submit(client, queue, &commands, &sync, 0, 1), 0);
   CHECK_EQUAL(client_wait(client, out, PATIENCE), 0);
   CHECK_EQUAL(client_status(client, out), 1);
   /* Closing the handle unmaps. */
   struct drm_gem_close close_args = {.handle = bo};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_GEM_CLOSE, &close_args), 0);
   CHECK_EQUAL(client_submit(client, queue, &commands, &sync, 0, 1), 0);
   CHECK_EQUAL(client_wait(client, out, PATIENCE), 0);
   CHECK_EQUAL(client_status(client, out), -EIO);
   /* So does destroying the VM, which the queue keeps alive as an empty one. */
   op.handle = bo = client_bo(client, 0x4000, DRM_ASAHI_GEM_VM_PRIVATE, vm);
   CHECK_EQUAL(client_bind(client, vm, op), 0);
   struct drm_asahi_vm_destroy destroy = {.vm_id = vm};
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_VM_DESTROY, &destroy), 0);
   CHECK_EQUAL(client_submit(client, queue, &commands, &sync, 0, 1), 0);
   CHECK_EQUAL(client_wait(client, out, PATIENCE), 0);
   CHECK_EQUAL(client_status(client, out), -EIO);

   /* While it runs, and its timestamp object too. */
   kit_program(kit, 0, (struct test_program){TEST_APPEND, 1, 1, 50}, 0);
   struct drm_asahi_gem_bind_object unbind = {.op = DRM_ASAHI_BIND_OBJECT_OP_UNBIND,
                                              .object_handle = kit->stamp_object};
   struct drm_asahi_cmd_compute command = kit_command(0);
   command.ts.end = (struct drm_asahi_timestamp){kit->stamp_object, 8};
   commands.size = 0;
   add_slot(&commands, command, NONE);
   kit->stamps[1] = 0;
   CHECK_EQUAL(client_submit(client, kit->queue, &commands, &sync, 0, 1), 0);
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &unbind), 0);
   close_args.handle = kit->data_bo;
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_GEM_CLOSE, &close_args), 0);
   close_args.handle = kit->stamp_bo;
   CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_GEM_CLOSE, &close_args), 0);
   CHECK_EQUAL(client_wait(client, out, PATIENCE), 0);
   CHECK_EQUAL(client_status(client, out), 1);
   CHECK(kit->stamps[1] != 0); /* the job kept the object, our view kept the memory */
}

struct waiter {
   struct kit *kit;
   uint32_t syncobj;
   int error;
};

static void *wait_thread(void *argument)
{
   struct waiter *waiter = argument;
   waiter->error = client_wait(&waiter->kit->client, waiter->syncobj, PATIENCE);
   return NULL;
}

/* Close with an endless job running, a hundred behind it and somebody waiting. */
static void test_close(void)
{
   struct kit kit;
   pthread_t thread;
   kit_open(&kit, "m1");
   struct waiter waiter = {&kit, client_syncobj(&kit.client, 0), -1};
   kit_program(&kit, 0, (struct test_program){TEST_SPIN, 1, 1, 0}, 0);
   for (unsigned i = 0; i < 100; i++) {
      CHECK_EQUAL(kit_submit(&kit, 0, waiter.syncobj), 0);
   }
   struct drm_asahi_queue_destroy destroy = {.queue_id = kit.queue}; /* now the jobs alone hold it */
   CHECK_EQUAL(client_ioctl(&kit.client, DRM_IOCTL_ASAHI_QUEUE_DESTROY, &destroy), 0);
   CHECK_EQUAL(pthread_create(&thread, NULL, wait_thread, &waiter), 0);
   CHECK_EQUAL(client_wait(&kit.client, waiter.syncobj, 50), ETIME);
   int64_t start = after_ms(0);
   client_close(&kit.client); /* without unmapping anything */
   CHECK(after_ms(0) - start < INT64_C(5000000000));
   CHECK_EQUAL(pthread_join(thread, NULL), 0);
   /* The last job was cancelled: the wait ended with that, or with the device. */
   CHECK(waiter.error == 0 || waiter.error == ENODEV);
   kit.data[0] = 1; /* what was mapped still is */
   CHECK_EQUAL(kit.data[0], 1);
}

/* Several threads at once on one device, for the thread sanitizer. */
static void *busy_thread(void *argument)
{
   struct kit *kit = argument;
   struct client *client = &kit->client;
   uint32_t out = client_syncobj(client, 0);
   for (unsigned i = 0; i < 40; i++) {
      uint32_t bo = client_bo(client, 0x8000, 0, 0);
      uint64_t va = UINT64_C(0x4000000000) + (uint64_t)out * 0x1000000;
      uint8_t *map = client_map(client, bo, 0x8000);
      map[0x4000] = 1;
      CHECK_EQUAL(client_bind(client, kit->vm,
                              (struct drm_asahi_gem_bind_op){
                                  .flags = DRM_ASAHI_BIND_READ, .handle = bo, .range = 0x8000, .addr = va}),
                  0);
      CHECK_EQUAL(kit_submit(kit, out % 8, out), 0);
      CHECK_EQUAL(client->kernel->munmap(client->kernel, map, 0x8000), 0);
      CHECK_EQUAL(client_ioctl(client, DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){.handle = bo}), 0);
      CHECK_EQUAL(client_wait(client, out, PATIENCE), 0);
      CHECK_EQUAL(client_status(client, out), 1);
   }
   return NULL;
}

static void test_threads(void)
{
   struct kit kit;
   pthread_t threads[4];
   kit_open(&kit, "m1");
   for (unsigned i = 0; i < 8; i++) {
      kit_program(&kit, i, (struct test_program){TEST_APPEND, 1, i, 0}, 0);
   }
   for (unsigned i = 0; i < 4; i++) {
      CHECK_EQUAL(pthread_create(&threads[i], NULL, busy_thread, &kit), 0);
   }
   for (unsigned i = 0; i < 4; i++) {
      CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
   }
   CHECK_EQUAL(kit.data[0], 160);
   CHECK_EQUAL(counters(&kit.client).jobs, 160);
   kit_close(&kit);
}

int main(void)
{
   struct kit kit;
   kit_open(&kit, "m1");
   test_timestamps(&kit);
   test_faults(&kit);
   test_render(&kit);
   test_order(&kit);
   test_priority(&kit);
   test_thousand(&kit);
   test_pulled_memory(&kit);
   kit_close(&kit);
   test_timing_off();
   test_load();
   test_bad_streams();
   test_lost();
   test_client_work();
   test_classes();
   test_close();
   test_threads();
   return check_result();
}
