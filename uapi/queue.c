/* SPDX-License-Identifier: MIT
 *
 * QUEUE_CREATE and QUEUE_DESTROY: spec/uapi.md 1.11, 1.12 and 3.9.
 */
#include "uapi/test.h"

static void ids(struct uapi *u)
{
   uint32_t second = uapi_queue(u, u->vm, 0), third = uapi_queue(u, u->vm, 0);
   uapi_equal(u, u->queue, 1, "the first queue's id");
   uapi_equal(u, second, 2, "the second queue's id");
   uapi_equal(u, third, 3, "the third queue's id");
   uapi_expect(u, uapi_queue_destroy(u, second), OK, "QUEUE_DESTROY");
   uapi_equal(u, uapi_queue(u, u->vm, 0), 2, "the id after queue 2 has gone");
}

static void per_file(struct uapi *u)
{
   struct uapi other;
   if (uapi_reopen(u, &other)) {
      uapi_expect(u, uapi_queue_destroy(&other, u->queue), E(ENOENT), "QUEUE_DESTROY of another file's queue");
   }
   uapi_close(&other);
}

static void destroy_twice(struct uapi *u)
{
   uint32_t queue = uapi_queue(u, u->vm, 0);
   uapi_expect(u, uapi_queue_destroy(u, queue), OK, "QUEUE_DESTROY");
   uapi_expect(u, uapi_queue_destroy(u, queue), E(ENOENT), "QUEUE_DESTROY for the second time");
}

static void works(struct uapi *u, uint32_t priority)
{
   u->queue = uapi_queue(u, u->vm, priority);
   uapi_equal(u, (uint64_t)uapi_run_command(u, uapi_append(u, 7, UAPI_NO_GATE)), 1, "the status of a job");
   UAPI_LIST_IS(u, 7);
}

static void low_works(struct uapi *u)
{
   works(u, DRM_ASAHI_PRIORITY_LOW);
}

static void medium_works(struct uapi *u)
{
   works(u, DRM_ASAHI_PRIORITY_MEDIUM);
}

static void many(struct uapi *u)
{
   for (unsigned i = 0; i < 32 && uapi_good(u); i++) {
      works(u, i % 2);
      u->data[UAPI_LIST] = 0;
   }
}

/* Running jobs keep the objects that they need. */
static void destroy_running(struct uapi *u)
{
   uint32_t out = uapi_syncobj(u, 0);
   struct drm_asahi_cmd_compute first = uapi_append(u, 1, 0), second = uapi_append(u, 2, UAPI_NO_GATE);
   uapi_expect(u, uapi_submit_one(u, first, 0), OK, "SUBMIT");
   uapi_expect(u, uapi_submit_one(u, second, out), OK, "SUBMIT");
   uapi_expect(u, uapi_queue_destroy(u, u->queue), OK, "QUEUE_DESTROY with jobs");
   uapi_expect(u, uapi_submit_one(u, second, 0), E(ENOENT), "SUBMIT to a destroyed queue");
   uapi_open_gate(u, 0);
   uapi_done(u, out);
   UAPI_LIST_IS(u, 1, 2);
}

/* Each queue's programs are found from its own base. */
static void exec_base(struct uapi *u)
{
   struct drm_asahi_queue_create args = {.vm_id = u->vm, .usc_exec_base = UAPI_FREE & ~UINT64_C(0xFFFFFFFF)};
   const uint64_t shift = args.usc_exec_base - UAPI_USC;
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_QUEUE_CREATE, &args), OK, "QUEUE_CREATE");
   uapi_bind_at(u, u->exec_bo, 0, UAPI_EXEC_SIZE, UAPI_EXEC + shift);
   struct drm_asahi_cmd_compute command = uapi_append(u, 5, UAPI_NO_GATE);
   uint32_t first = u->queue;
   u->queue = args.queue_id;
   uapi_equal(u, (uint64_t)uapi_run_command(u, command), 1, "the status of a job from the second window");
   u->queue = first;
   uapi_unbind(u, UAPI_EXEC + shift, UAPI_EXEC_SIZE);
   uapi_equal(u, (uint64_t)uapi_run_command(u, command), 1, "the status of the same job from the first window");
   UAPI_LIST_IS(u, 5, 5);
}

#define CREATE(subtest, text, answers_, ...)                                                                           \
   {                                                                                                                   \
      "queue/" subtest, text, .request = uapi_call_queue_create, .edits = {__VA_ARGS__}, .answers = answers_           \
   }
#define DESTROY(subtest, text, answers_, ...)                                                                          \
   {                                                                                                                   \
      "queue/destroy-" subtest, text, .request = uapi_call_queue_destroy, .edits = {__VA_ARGS__}, .answers = answers_  \
   }
#define QUEUE(member, value) ARG(drm_asahi_queue_create, member, value)

static const struct uapi_test tests[] = {
    CREATE("flags", "flags must be zero", E(EINVAL), QUEUE(flags, 1)),
    CREATE("flags-high", "flags must be zero", E(EINVAL), QUEUE(flags, UINT32_C(1) << 31)),
    CREATE("vm-zero", "0 is no VM: ENOENT", E(ENOENT), QUEUE(vm_id, 0)),
    CREATE("vm-unknown", "an unknown VM: ENOENT", E(ENOENT), QUEUE(vm_id, 1000)),
    CREATE("priority-low", "LOW is for everybody", OK, QUEUE(priority, DRM_ASAHI_PRIORITY_LOW)),
    CREATE("priority-medium", "MEDIUM is for everybody", OK, QUEUE(priority, DRM_ASAHI_PRIORITY_MEDIUM)),
    CREATE("priority-unknown", "an unknown priority: EINVAL", E(EINVAL), QUEUE(priority, 4)),
    CREATE("priority-max", "an unknown priority: EINVAL", E(EINVAL), QUEUE(priority, UINT32_MAX)),
    {"queue/priority-high", "HIGH is for the privileged", "it is refused for everybody: EINVAL",
     .request = uapi_call_queue_create, .edits = {QUEUE(priority, DRM_ASAHI_PRIORITY_HIGH)},
     .answers = OK | E(EACCES) | E(EPERM), .today_answers = E(EINVAL)},
    {"queue/priority-realtime", "REALTIME is for the privileged", "it is refused for everybody: EINVAL",
     .request = uapi_call_queue_create, .edits = {QUEUE(priority, DRM_ASAHI_PRIORITY_REALTIME)},
     .answers = OK | E(EACCES) | E(EPERM), .today_answers = E(EINVAL)},
    CREATE("flags-before-vm", "flags are checked before the VM is looked up", E(EINVAL), QUEUE(flags, 1),
           QUEUE(vm_id, 1000)),
    CREATE("id-ignored", "queue_id only goes out", OK, QUEUE(queue_id, UINT32_MAX)),
    {"queue/base-zero", "the exec base is not validated", .request = uapi_call_queue_create,
     .edits = {QUEUE(usc_exec_base, 0)}, .answers = OK, .strict = E(EINVAL)},
    DESTROY("zero", "0 is no queue: ENOENT", E(ENOENT), ARG(drm_asahi_queue_destroy, queue_id, 0)),
    DESTROY("unknown", "an unknown queue: ENOENT", E(ENOENT), ARG(drm_asahi_queue_destroy, queue_id, 1000)),
    DESTROY("max", "an unknown queue: ENOENT", E(ENOENT), ARG(drm_asahi_queue_destroy, queue_id, UINT32_MAX)),
    {"queue/destroy-pad", "pad must be zero", "it is not checked", .request = uapi_call_queue_destroy,
     .edits = {ARG(drm_asahi_queue_destroy, pad, 1)}, .answers = E(EINVAL), .today_answers = OK},
    {"queue/destroy-twice", "a queue can be destroyed once: ENOENT", .run = destroy_twice},
    {"queue/destroy-running", "a destroyed queue's jobs run to their end", .run = destroy_running},
    {"queue/ids", "ids are the lowest free ones from 1", .run = ids},
    {"queue/per-file", "ids are the file's own", .run = per_file},
    {"queue/low-works", "a LOW queue runs jobs", .run = low_works},
    {"queue/medium-works", "a MEDIUM queue runs jobs", .run = medium_works},
    {"queue/many", "32 queues", .run = many},
    {"queue/exec-base", "each queue has its own window of programs", .run = exec_base},
};
UAPI_AREA(queue);
