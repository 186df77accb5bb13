/* SPDX-License-Identifier: MIT
 *
 * Many objects at a time, which are closed or unbound while jobs run.
 */
#include "uapi/test.h"

#define MANY 1000u

/* All jobs wait at a gate, so that they are in flight together. */
static void in_flight(struct uapi *u)
{
   static uint32_t expected[MANY];
   struct drm_asahi_cmd_compute command = uapi_append(u, 1, 0);
   uint32_t out = uapi_syncobj(u, 0);
   expected[0] = 1;
   uapi_expect(u, uapi_submit_one(u, command, 0), OK, "SUBMIT");
   for (uint32_t i = 1; i < MANY && uapi_good(u); i++) {
      expected[i] = i + 1;
      uapi_expect(u, uapi_submit_one(u, uapi_append(u, i + 1, UAPI_NO_GATE), i == MANY - 1 ? out : 0), OK, "SUBMIT %u",
                  i);
   }
   uapi_open_gate(u, 0);
   uapi_done(u, out);
   uapi_list(u, expected, MANY);
}

static void full_submits(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0), expected[16 * 64];
   for (uint32_t i = 0; i < 16 && uapi_good(u); i++) {
      struct uapi_commands commands = {.size = 0};
      struct drm_asahi_sync out = {
          .sync_type = DRM_ASAHI_SYNC_TIMELINE_SYNCOBJ, .handle = timeline, .timeline_value = i + 1};
      for (uint32_t j = 0; j < 64; j++) {
         expected[i * 64 + j] = i * 64 + j;
         uapi_add_compute(&commands, uapi_append(u, i * 64 + j, UAPI_NO_GATE), (uint16_t)j);
      }
      uapi_expect(u, uapi_submit(u, u->queue, &commands, &out, 0, 1), OK, "SUBMIT %u of 64 commands", i);
   }
   uapi_expect(u, uapi_wait_point(u, timeline, 16, 0, UAPI_PATIENCE), OK, "waiting for the last");
   uapi_list(u, expected, 16 * 64);
}

/* Eight queues, each with a page of its own to copy into. */
static void queues_at_once(struct uapi *u)
{
   uint32_t queues[8], outs[8], first = u->queue;
   const uint64_t from = UAPI_DATA + UAPI_SPARE * 4;
   u->data[UAPI_SPARE] = 0x1D;
   for (unsigned i = 0; i < 8; i++) {
      queues[i] = uapi_queue(u, u->vm, i % 2);
      outs[i] = uapi_syncobj(u, 0);
   }
   for (unsigned round = 0; round < 25 && uapi_good(u); round++) {
      for (unsigned i = 0; i < 8; i++) {
         u->queue = queues[i];
         uapi_expect(u, uapi_submit_one(u, uapi_copy(u, from, from + (i + 1) * 256), outs[i]), OK, "SUBMIT to queue %u",
                     i);
      }
   }
   u->queue = first;
   for (unsigned i = 0; i < 8; i++) {
      uapi_done(u, outs[i]);
      uapi_equal(u, u->data[UAPI_SPARE + (i + 1) * 64], 0x1D, "what queue %u has copied", i);
   }
}

/* Binds and unbinds elsewhere while a job runs. */
static void bind_while_running(struct uapi *u)
{
   uint32_t out = uapi_syncobj(u, 0), bo = uapi_bo(u, 8 * UAPI_PAGE, 0, 0);
   struct drm_asahi_cmd_compute command = uapi_append(u, 1, 0);
   uapi_expect(u, uapi_submit_one(u, command, out), OK, "SUBMIT");
   for (unsigned i = 0; i < 200 && uapi_good(u); i++) {
      uapi_bind_at(u, bo, 0, 8 * UAPI_PAGE, UAPI_FREE + i * UAPI_PAGE);
      uapi_unbind(u, UAPI_FREE + i * UAPI_PAGE, UAPI_PAGE);
   }
   uapi_open_gate(u, 0);
   uapi_done(u, out);
   UAPI_LIST_IS(u, 1);
}

/* Closes the file while one job runs and others wait; afterwards the device still works. */
static void close_running(struct uapi *u)
{
   struct uapi_result result;
   struct uapi again;
   struct drm_asahi_cmd_compute command = uapi_append(u, 1, 0);
   for (unsigned i = 0; i < 10; i++) {
      uapi_expect(u, uapi_submit_one(u, command, 0), OK, "SUBMIT");
   }
   int64_t start = uapi_after(0);
   uapi_close(u);
   uapi_true(u, uapi_after(0) - start < INT64_C(10000000000), "close took more than 10 s");
   if (uapi_open(&again, u->spec, u->watch, &result)) {
      uapi_run_command(&again, uapi_append(&again, 7, UAPI_NO_GATE));
      UAPI_LIST_IS(&again, 7);
   }
   uapi_close(&again);
   uapi_true(u, result.status == UAPI_PASS, "opened again: %s", result.message);
}

/* A second file of the device is closed with work pending; the first file's work continues. */
static void close_other(struct uapi *u)
{
   struct uapi other, inner;
   if (!uapi_reopen(u, &other)) {
      return;
   }
   if (uapi_second(&other, &inner)) {
      struct drm_asahi_cmd_compute command = uapi_append(&inner, 1, 0);
      uapi_expect(u, uapi_submit_one(&inner, command, 0), OK, "SUBMIT in the second file");
      uapi_unmap_all(&inner);
   }
   uapi_close(&other);
   uapi_run_command(u, uapi_append(u, 7, UAPI_NO_GATE));
   UAPI_LIST_IS(u, 7);
}

static void open_close(struct uapi *u)
{
   struct uapi other;
   for (unsigned i = 0; i < 50 && uapi_good(u); i++) {
      if (uapi_reopen(u, &other)) {
         uapi_vm(&other);
         uapi_bo(&other, UAPI_PAGE, 0, 0);
         uapi_syncobj(&other, 0);
      }
      uapi_close(&other);
   }
}

static void objects_come_and_go(struct uapi *u)
{
   for (unsigned i = 0; i < 300 && uapi_good(u); i++) {
      uint32_t bo = uapi_bo(u, 4 * UAPI_PAGE, 0, 0), vm = uapi_vm(u), queue = uapi_queue(u, vm, 0);
      uint32_t object = uapi_object(u, bo, 0, UAPI_PAGE);
      uapi_bind_at(u, bo, 0, 4 * UAPI_PAGE, UAPI_FREE);
      uapi_expect(u, uapi_bo_close(u, bo), OK, "GEM_CLOSE");
      uapi_expect(u, uapi_object_unbind(u, object), OK, "unbind of an object");
      uapi_expect(u, uapi_queue_destroy(u, queue), OK, "QUEUE_DESTROY");
      uapi_expect(u, uapi_vm_destroy(u, vm), OK, "VM_DESTROY");
      uapi_equal(u, vm, 2, "the VM's id in round %u", i);
   }
}

static const struct uapi_test tests[] = {
    {"stress/in-flight", "1000 submits in flight, in their order", .run = in_flight},
    {"stress/full-submits", "16 submits of 64 commands in flight", .run = full_submits},
    {"stress/queues-at-once", "8 queues of both priorities at once", .run = queues_at_once},
    {"stress/bind-while-running", "binds elsewhere while a job runs", .run = bind_while_running},
    {"stress/close-running", "close with work running and waiting", .run = close_running},
    {"stress/close-other", "another file closes with work running", .run = close_other},
    {"stress/open-close", "50 files of the device, one after the other", .run = open_close},
    {"stress/objects", "300 rounds of all objects made and destroyed", .run = objects_come_and_go},
};
UAPI_AREA(stress);
