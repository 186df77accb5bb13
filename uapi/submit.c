/* SPDX-License-Identifier: MIT
 *
 * SUBMIT as a whole, and the order of jobs: spec/uapi.md 1.13 and 3.1.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uapi/test.h"

#define SUBMIT(subtest, text, answers_, ...)                                                                           \
   {                                                                                                                   \
      "submit/" subtest, text, .request = uapi_call_submit, .edits = {__VA_ARGS__}, .answers = answers_                \
   }
#define S(member, value) ARG(drm_asahi_submit, member, value)

static void one(struct uapi *u)
{
   uapi_equal(u, (uint64_t)uapi_run_command(u, uapi_append(u, 7, UAPI_NO_GATE)), 1, "the status of a job");
   UAPI_LIST_IS(u, 7);
}

static void no_syncs(struct uapi *u)
{
   uapi_expect(u, uapi_submit_one(u, uapi_append(u, 1, UAPI_NO_GATE), 0), OK, "SUBMIT without syncs");
   uapi_run_command(u, uapi_append(u, 2, UAPI_NO_GATE));
   UAPI_LIST_IS(u, 1, 2);
}

/* Valid commands, but the buffer's last byte is in memory that cannot be read. */
static void end_unreadable(struct uapi *u)
{
   const size_t page = (size_t)sysconf(_SC_PAGESIZE);
   uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (!uapi_true(u, pages != MAP_FAILED && !mprotect(pages + page, page, PROT_NONE), "out of memory")) {
      return;
   }
   struct uapi_call call = {0};
   uapi_call_submit(u, &call);
   memcpy(pages + page - call.commands.size, call.commands.bytes, call.commands.size);
   call.args.submit.cmdbuf = (uintptr_t)(pages + page - call.commands.size);
   call.args.submit.cmdbuf_size++;
   uapi_expect(u, uapi_ioctl(u, call.request, &call.args), E(EFAULT), "a command buffer with an unreadable last byte");
   call.args.submit.cmdbuf_size--;
   uapi_expect(u, uapi_ioctl(u, call.request, &call.args), OK, "a command buffer up to unreadable memory");
   uapi_done(u, call.syncs[1].handle);
   UAPI_LIST_IS(u, 1);
   munmap(pages, 2 * page);
}

static void copies(struct uapi *u)
{
   for (uint32_t i = 0; i < 32; i++) {
      u->data[UAPI_SPARE + i] = 0x1000 + i;
   }
   uapi_equal(u,
              (uint64_t)uapi_run_command(u, uapi_copy(u, UAPI_DATA + UAPI_SPARE * 4, UAPI_DATA + UAPI_SPARE * 4 + 256)),
              1, "the status of a job");
   for (uint32_t i = 0; i < 32; i++) {
      uapi_equal(u, u->data[UAPI_SPARE + 64 + i], 0x1000 + i, "word %u of the copy", i);
   }
}

static void same_command_twice(struct uapi *u)
{
   struct drm_asahi_cmd_compute command = uapi_append(u, 3, UAPI_NO_GATE);
   uapi_run_command(u, command);
   uapi_run_command(u, command);
   UAPI_LIST_IS(u, 3, 3);
}

/* The client may reuse the request's buffers when the request has returned. */
static void buffers_reused(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_sync sync = {.handle = uapi_syncobj(u, 0)};
   struct drm_asahi_cmd_compute first = uapi_append(u, 1, 0);
   uapi_add_compute(&commands, first, 0);
   uint32_t out = sync.handle;
   uapi_expect(u, uapi_submit(u, u->queue, &commands, &sync, 0, 1), OK, "SUBMIT");
   for (size_t i = 0; i < sizeof(commands.bytes); i++) {
      commands.bytes[i] = 0xFF;
   }
   sync.handle = 0;
   uapi_open_gate(u, 0);
   uapi_done(u, out);
   UAPI_LIST_IS(u, 1);
}

/* Jobs of one queue, each with barriers that wait for the earlier ones. */
static void in_order(struct uapi *u)
{
   uint32_t out = uapi_syncobj(u, 0), expected[50];
   struct drm_asahi_cmd_compute first = uapi_append(u, 0, 0);
   uapi_expect(u, uapi_submit_one(u, first, 0), OK, "SUBMIT");
   expected[0] = 0;
   for (uint32_t i = 1; i < 50; i++) {
      expected[i] = i;
      uapi_expect(u, uapi_submit_one(u, uapi_append(u, i, UAPI_NO_GATE), i == 49 ? out : 0), OK, "SUBMIT %u", i);
   }
   uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run before a closed gate");
   uapi_open_gate(u, 0);
   uapi_done(u, out);
   uapi_list(u, expected, 50);
}

/* A request returns before its work is done. */
static void asynchronous(struct uapi *u)
{
   uint32_t out = uapi_syncobj(u, 0);
   struct drm_asahi_cmd_compute command = uapi_append(u, 1, 0);
   uapi_expect(u, uapi_submit_one(u, command, out), OK, "SUBMIT");
   uapi_equal(u, (uint64_t)(int64_t)uapi_fence_status(u, out), 0, "the fence's status before the gate opens");
   uapi_expect(u, uapi_wait(u, out, 0), E(ETIME), "a wait of no time");
   uapi_expect(u, uapi_wait(u, out, 20), E(ETIME), "a wait of 20 ms");
   uapi_open_gate(u, 0);
   uapi_done(u, out);
}

/* Two queues: the second waits for the first by a syncobj, and for nothing else. */
static void queues_ordered(struct uapi *u)
{
   uint32_t second = uapi_queue(u, u->vm, DRM_ASAHI_PRIORITY_MEDIUM), middle = uapi_syncobj(u, 0),
            out = uapi_syncobj(u, 0);
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_sync syncs[] = {{.handle = middle}, {.handle = out}};
   struct drm_asahi_cmd_compute first = uapi_append(u, 1, 0);
   uapi_add_compute(&commands, uapi_append(u, 2, UAPI_NO_GATE), UAPI_NONE);
   uapi_expect(u, uapi_submit_one(u, first, middle), OK, "SUBMIT to the first queue");
   uapi_expect(u, uapi_submit(u, second, &commands, syncs, 1, 1), OK, "SUBMIT to the second queue");
   uapi_expect(u, uapi_wait(u, out, 20), E(ETIME), "a wait for the second queue while the first is held up");
   uapi_open_gate(u, 0);
   uapi_done(u, out);
   UAPI_LIST_IS(u, 1, 2);
}

/* A queue of each priority waits for the subtest's queue, whose priority is higher. */
static void queues_priorities(struct uapi *u)
{
   for (uint32_t priority = DRM_ASAHI_PRIORITY_LOW; priority <= DRM_ASAHI_PRIORITY_MEDIUM; priority++) {
      uint32_t blocked = uapi_queue(u, u->vm, priority), middle = uapi_syncobj(u, 0), out = uapi_syncobj(u, 0);
      struct drm_asahi_sync syncs[] = {{.handle = middle}, {.handle = out}};
      struct uapi_commands gate = {.size = 0}, held = {.size = 0};
      u->data[UAPI_LIST] = 0;
      struct drm_asahi_cmd_compute first = uapi_append(u, 1, priority);
      uapi_add_compute(&gate, first, UAPI_NONE);
      uapi_add_compute(&held, uapi_append(u, 2, UAPI_NO_GATE), UAPI_NONE);
      uapi_expect(u, uapi_submit(u, u->queue, &gate, syncs, 0, 1), OK, "SUBMIT");
      uapi_expect(u, uapi_submit(u, blocked, &held, syncs, 1, 1), OK, "SUBMIT that waits");
      uapi_expect(u, uapi_wait(u, out, 10), E(ETIME), "a wait before the gate opens");
      uapi_open_gate(u, priority);
      uapi_done(u, out);
      UAPI_LIST_IS(u, 1, 2);
   }
}

/* A chain through two queues, there and back. */
static void queues_chained(struct uapi *u)
{
   uint32_t queues[] = {u->queue, uapi_queue(u, u->vm, DRM_ASAHI_PRIORITY_LOW)}, expected[20], last = 0;
   for (uint32_t i = 0; i < 20; i++) {
      struct uapi_commands commands = {.size = 0};
      struct drm_asahi_sync syncs[] = {{.handle = last}, {.handle = uapi_syncobj(u, 0)}};
      uapi_add_compute(&commands, uapi_append(u, i, UAPI_NO_GATE), UAPI_NONE);
      uapi_expect(u, uapi_submit(u, queues[i % 2], &commands, i ? syncs : syncs + 1, i != 0, 1), OK, "SUBMIT %u", i);
      last = syncs[1].handle;
      expected[i] = i;
   }
   uapi_done(u, last);
   uapi_list(u, expected, 20);
}

static void two_vms(struct uapi *u)
{
   struct uapi second;
   if (uapi_second(u, &second)) {
      uapi_equal(u, (uint64_t)uapi_run_command(u, uapi_append(u, 1, UAPI_NO_GATE)), 1, "a job in the first VM");
      uapi_equal(u, (uint64_t)uapi_run_command(&second, uapi_append(&second, 2, UAPI_NO_GATE)), 1,
                 "a job in the second VM");
      UAPI_LIST_IS(u, 1);
      UAPI_LIST_IS(&second, 2);
      uapi_unmap_all(&second);
   }
}

/* Another file's syncobj and queue are unknown here. */
static void per_file(struct uapi *u)
{
   struct uapi other;
   if (uapi_reopen(u, &other)) {
      struct uapi_commands commands = {.size = 0};
      uapi_add_compute(&commands, uapi_append(u, 1, UAPI_NO_GATE), UAPI_NONE);
      uapi_expect(u, uapi_submit(&other, u->queue, &commands, NULL, 0, 0), E(ENOENT), "SUBMIT to another file's queue");
      uint32_t theirs = 0;
      for (unsigned i = 0; i < 8; i++) {
         theirs = uapi_syncobj(&other, 0);
      }
      uapi_expect(u, uapi_submit(u, u->queue, &commands, &(struct drm_asahi_sync){.handle = theirs}, 0, 1), E(ENOENT),
                  "SUBMIT with another file's syncobj");
   }
   uapi_close(&other);
}

/* The order of the checks: flags, queue, syncs, commands. */
static const struct uapi_test tests[] = {
    SUBMIT("flags", "flags must be zero", E(EINVAL), S(flags, 1)),
    SUBMIT("flags-high", "flags must be zero", E(EINVAL), S(flags, UINT32_C(1) << 31)),
    SUBMIT("pad", "pad must be zero", E(EINVAL), S(pad, 1)),
    SUBMIT("queue-zero", "0 is no queue: ENOENT", E(ENOENT), S(queue_id, 0)),
    SUBMIT("queue-unknown", "an unknown queue: ENOENT", E(ENOENT), S(queue_id, 1000)),
    SUBMIT("queue-max", "an unknown queue: ENOENT", E(ENOENT), S(queue_id, UINT32_MAX)),
    SUBMIT("cmdbuf-null", "a command buffer that cannot be read: EFAULT", E(EFAULT), S(cmdbuf, 0)),
    SUBMIT("cmdbuf-wild", "a command buffer that cannot be read: EFAULT", E(EFAULT),
           S(cmdbuf, UINT64_C(0xDEAD000000000000))),
    SUBMIT("cmdbuf-empty", "no commands: EINVAL", E(EINVAL), S(cmdbuf_size, 0)),
    SUBMIT("syncs-null", "syncs that cannot be read: EFAULT", E(EFAULT), S(syncs, 0)),
    SUBMIT("syncs-wild", "syncs that cannot be read: EFAULT", E(EFAULT), S(syncs, UINT64_C(0xDEAD000000000000))),
    {"submit/sync-count-overflow", "more syncs than 32 bits count: EINVAL", .request = uapi_call_submit,
     .edits = {S(in_sync_count, UINT32_MAX), S(out_sync_count, 2)}, .answers = E(EINVAL) | E(ENOMEM),
     .hazard = "today's kernel adds in 32 bits and panics or wraps"},
    SUBMIT("flags-before-queue", "flags are checked before the queue is looked up", E(EINVAL), S(flags, 1),
           S(queue_id, 1000)),
    SUBMIT("queue-before-syncs", "the queue is looked up before the syncs are read", E(ENOENT), S(queue_id, 1000),
           S(syncs, 0)),
    SUBMIT("syncs-before-cmdbuf", "the syncs are checked before the commands are read", E(ENOENT),
           SYNC(0, handle, 1000), S(cmdbuf, 0)),
    SUBMIT("cmdbuf-before-scan", "the commands are read before they are checked", E(EFAULT), S(cmdbuf, 0),
           HEADER(cmd_type, 77)),
    {"submit/cmdbuf-end", "a command buffer whose end cannot be read: EFAULT", .run = end_unreadable},
    {"submit/one", "a job runs", .run = one},
    {"submit/without-syncs", "a job without syncs runs", .run = no_syncs},
    {"submit/copies", "a job reads and writes memory", .run = copies},
    {"submit/again", "one stream can be submitted again", .run = same_command_twice},
    {"submit/buffers-reused", "the request's buffers are copied", .run = buffers_reused},
    {"submit/asynchronous", "a request returns before its work is done", .run = asynchronous},
    {"submit/in-order", "barrier 0 orders the jobs of a queue", .run = in_order},
    {"submit/queues-ordered", "a syncobj orders the jobs of two queues", .run = queues_ordered},
    {"submit/queues-priorities", "queues of all priorities wait for each other by syncobjs", .run = queues_priorities},
    {"submit/queues-chained", "a chain of jobs through two queues", .run = queues_chained},
    {"submit/two-vms", "two VMs of a file work side by side", .run = two_vms},
    {"submit/per-file", "another file's queue and syncobj are unknown: ENOENT", .run = per_file},
};
UAPI_AREA(submit);
