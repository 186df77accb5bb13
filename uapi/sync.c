/* SPDX-License-Identifier: MIT
 *
 * The syncs of SUBMIT: spec/uapi.md 3.2.
 */
#include "uapi/test.h"

#define TIMELINE DRM_ASAHI_SYNC_TIMELINE_SYNCOBJ

static int submit(struct uapi *u, struct drm_asahi_cmd_compute command, const struct drm_asahi_sync *syncs,
                  uint32_t ins, uint32_t outs)
{
   struct uapi_commands commands = {.size = 0};
   uapi_add_compute(&commands, command, 0);
   return uapi_submit(u, u->queue, &commands, syncs, ins, outs);
}

static void signal_point(struct uapi *u, uint32_t syncobj, uint64_t point)
{
   struct drm_syncobj_timeline_array args = {
       .handles = (uintptr_t)&syncobj, .points = (uintptr_t)&point, .count_handles = 1};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &args), OK, "SYNCOBJ_TIMELINE_SIGNAL");
}

static struct drm_asahi_sync point(uint32_t handle, uint64_t value)
{
   return (struct drm_asahi_sync){.sync_type = TIMELINE, .handle = handle, .timeline_value = value};
}

/* A job that is refused for its in-sync has no effect. */
static void refuse_in(struct uapi *u, struct drm_asahi_sync in, uint64_t answers, const char *what)
{
   struct drm_asahi_sync syncs[] = {in, {.handle = uapi_syncobj(u, 0)}};
   uapi_expect(u, submit(u, uapi_append(u, 9, UAPI_NO_GATE), syncs, 1, 1), answers, "%s", what);
   uapi_expect(u, uapi_wait(u, syncs[1].handle, 0), E(EINVAL), "the out-sync afterwards");
   uapi_run_command(u, uapi_append(u, 1, UAPI_NO_GATE));
   UAPI_LIST_IS(u, 1);
}

static void in_binary_empty(struct uapi *u)
{
   refuse_in(u, (struct drm_asahi_sync){.handle = uapi_syncobj(u, 0)}, E(EINVAL), "an in-sync without a fence");
}

static void in_timeline_empty(struct uapi *u)
{
   refuse_in(u, point(uapi_syncobj(u, 0), 1), E(EINVAL), "a timeline in-sync without any point");
}

static void in_timeline_empty_zero(struct uapi *u)
{
   refuse_in(u, point(uapi_syncobj(u, 0), 0), E(EINVAL), "a timeline in-sync without any point, value 0");
}

static void in_timeline_later(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   signal_point(u, timeline, 5);
   refuse_in(u, point(timeline, 6), E(EINVAL), "a point later than any submitted");
}

static void in_timeline_binary(struct uapi *u)
{
   refuse_in(u, point(uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED), 1), E(EINVAL),
             "a point of a syncobj whose fence is no timeline's");
}

/* A job with that in-sync runs. */
static void accept_in(struct uapi *u, struct drm_asahi_sync in)
{
   struct drm_asahi_sync syncs[] = {in, {.handle = uapi_syncobj(u, 0)}};
   if (uapi_expect(u, submit(u, uapi_append(u, 1, UAPI_NO_GATE), syncs, 1, 1), OK, "SUBMIT")) {
      uapi_done(u, syncs[1].handle);
      UAPI_LIST_IS(u, 1);
   }
}

static void in_binary_signaled(struct uapi *u)
{
   accept_in(u, (struct drm_asahi_sync){.handle = uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED)});
}

static void in_timeline_signaled(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   signal_point(u, timeline, 5);
   accept_in(u, point(timeline, 5));
}

static void in_timeline_past(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   signal_point(u, timeline, 5);
   signal_point(u, timeline, 8);
   accept_in(u, point(timeline, 3));
}

static void in_timeline_zero(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   signal_point(u, timeline, 5);
   accept_in(u, point(timeline, 0));
}

/* The job waits for the fence that the in-sync had when the job was submitted. out: sync of the stopped job; in: the
 * sync to wait for. */
static void waits(struct uapi *u, struct drm_asahi_sync out, struct drm_asahi_sync in)
{
   uint32_t second = uapi_queue(u, u->vm, DRM_ASAHI_PRIORITY_MEDIUM), first = u->queue;
   struct drm_asahi_sync syncs[] = {in, {.handle = uapi_syncobj(u, 0)}};
   uapi_expect(u, submit(u, uapi_append(u, 1, 0), &out, 0, 1), OK, "SUBMIT of the job to wait for");
   u->queue = second;
   uapi_expect(u, submit(u, uapi_append(u, 2, UAPI_NO_GATE), syncs, 1, 1), OK, "SUBMIT of the job that waits");
   u->queue = first;
   uapi_expect(u, uapi_wait(u, syncs[1].handle, 20), E(ETIME), "a wait for the second job before the gate opens");
   uapi_open_gate(u, 0);
   uapi_done(u, syncs[1].handle);
   UAPI_LIST_IS(u, 1, 2);
}

static void in_binary_waits(struct uapi *u)
{
   struct drm_asahi_sync sync = {.handle = uapi_syncobj(u, 0)};
   waits(u, sync, sync);
}

static void in_timeline_waits(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   waits(u, point(timeline, 10), point(timeline, 10));
}

/* A value between two points means the later one. */
static void in_timeline_between(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   signal_point(u, timeline, 5);
   waits(u, point(timeline, 10), point(timeline, 7));
}

static void in_timeline_latest(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   signal_point(u, timeline, 5);
   waits(u, point(timeline, 10), point(timeline, 0));
}

/* One binary object as in- and out-sync of a job: it waits for the old fence and gets the new one. */
static void in_and_out(struct uapi *u)
{
   struct drm_asahi_sync sync = {.handle = uapi_syncobj(u, 0)}, both[] = {sync, sync};
   uapi_expect(u, submit(u, uapi_append(u, 1, 0), &sync, 0, 1), OK, "SUBMIT");
   uapi_expect(u, submit(u, uapi_append(u, 2, UAPI_NO_GATE), both, 1, 1), OK, "SUBMIT with one object in and out");
   uapi_open_gate(u, 0);
   uapi_done(u, sync.handle);
   UAPI_LIST_IS(u, 1, 2);
}

static void in_reset_afterwards(struct uapi *u)
{
   struct drm_asahi_sync syncs[] = {{.handle = uapi_syncobj(u, 0)}, {.handle = uapi_syncobj(u, 0)}};
   struct drm_syncobj_array reset = {.handles = (uintptr_t)&syncs[0].handle, .count_handles = 1};
   uapi_expect(u, submit(u, uapi_append(u, 1, 0), syncs, 0, 1), OK, "SUBMIT");
   uapi_expect(u, submit(u, uapi_append(u, 2, UAPI_NO_GATE), syncs, 1, 1), OK, "SUBMIT that waits");
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_RESET, &reset), OK, "SYNCOBJ_RESET of the in-sync");
   uapi_expect(u, uapi_wait(u, syncs[1].handle, 10), E(ETIME), "a wait before the gate opens");
   uapi_open_gate(u, 0);
   uapi_done(u, syncs[1].handle);
   UAPI_LIST_IS(u, 1, 2);
}

static void in_destroyed_afterwards(struct uapi *u)
{
   struct drm_asahi_sync syncs[] = {{.handle = uapi_syncobj(u, 0)}, {.handle = uapi_syncobj(u, 0)}};
   struct drm_syncobj_destroy destroy = {.handle = syncs[0].handle};
   uapi_expect(u, submit(u, uapi_append(u, 1, 0), syncs, 0, 1), OK, "SUBMIT");
   uapi_expect(u, submit(u, uapi_append(u, 2, UAPI_NO_GATE), syncs, 1, 1), OK, "SUBMIT that waits");
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), OK, "SYNCOBJ_DESTROY of the in-sync");
   uapi_open_gate(u, 0);
   uapi_done(u, syncs[1].handle);
   UAPI_LIST_IS(u, 1, 2);
}

/* Sixteen in-syncs, the last one pending; sixteen out-syncs of both kinds, which all end. */
static void many(struct uapi *u)
{
   struct drm_asahi_sync syncs[32];
   for (unsigned i = 0; i < 16; i++) {
      syncs[i] = (struct drm_asahi_sync){.handle = uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED)};
      syncs[16 + i] = (struct drm_asahi_sync){.handle = uapi_syncobj(u, 0)};
      if (i % 2) {
         syncs[16 + i] = point(syncs[16 + i].handle, i);
      }
   }
   uapi_expect(u, submit(u, uapi_append(u, 1, 0), &syncs[15], 0, 1), OK, "SUBMIT");
   uapi_expect(u, submit(u, uapi_append(u, 2, UAPI_NO_GATE), syncs, 16, 16), OK, "SUBMIT with 32 syncs");
   uapi_expect(u, uapi_wait(u, syncs[16].handle, 10), E(ETIME), "a wait before the gate opens");
   uapi_open_gate(u, 0);
   for (unsigned i = 0; i < 16; i++) {
      if (i % 2) {
         uapi_expect(u, uapi_wait_point(u, syncs[16 + i].handle, i, 0, UAPI_PATIENCE), OK, "point %u", i);
      } else {
         uapi_done(u, syncs[16 + i].handle);
      }
   }
   UAPI_LIST_IS(u, 1, 2);
}

static void out_replaces(struct uapi *u)
{
   struct drm_asahi_sync sync = {.handle = uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED)};
   uapi_expect(u, submit(u, uapi_append(u, 1, 0), &sync, 0, 1), OK, "SUBMIT");
   uapi_expect(u, uapi_wait(u, sync.handle, 0), E(ETIME), "a wait for an object that was signalled before");
   uapi_open_gate(u, 0);
   uapi_done(u, sync.handle);
}

static void out_timeline(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   struct drm_asahi_sync out = point(timeline, 10);
   uapi_expect(u, submit(u, uapi_append(u, 1, 0), &out, 0, 1), OK, "SUBMIT");
   uapi_equal(u, uapi_query(u, timeline), 0, "the point reached before the gate opens");
   uapi_expect(u, uapi_wait_point(u, timeline, 10, 0, 10), E(ETIME), "a wait for the point before the gate opens");
   uapi_expect(u, uapi_wait_point(u, timeline, 10, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE, 0), OK,
               "a wait for the point to be there");
   uapi_expect(u, uapi_wait_point(u, timeline, 11, 0, 0), E(EINVAL), "a wait for a point that is not there");
   uapi_open_gate(u, 0);
   uapi_expect(u, uapi_wait_point(u, timeline, 10, 0, UAPI_PATIENCE), OK, "a wait for the point");
   uapi_equal(u, uapi_query(u, timeline), 10, "the point reached");
   UAPI_LIST_IS(u, 1);
}

static void out_timeline_steps(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   for (uint32_t i = 1; i <= 5; i++) {
      struct drm_asahi_sync syncs[] = {point(timeline, 10 * (i - 1)), point(timeline, 10 * i)};
      uapi_expect(u, submit(u, uapi_append(u, i, i == 1 ? 0 : UAPI_NO_GATE), i == 1 ? syncs + 1 : syncs, i != 1, 1), OK,
                  "SUBMIT %u", i);
   }
   uapi_open_gate(u, 0);
   uapi_expect(u, uapi_wait_point(u, timeline, 50, 0, UAPI_PATIENCE), OK, "a wait for the last point");
   uapi_equal(u, uapi_query(u, timeline), 50, "the point reached");
   UAPI_LIST_IS(u, 1, 2, 3, 4, 5);
}

/* The driver does not check that values increase. */
static void out_timeline_falls(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   signal_point(u, timeline, 10);
   struct drm_asahi_sync out = point(timeline, 4);
   uapi_expect(u, submit(u, uapi_append(u, 1, UAPI_NO_GATE), &out, 0, 1), OK, "SUBMIT with a point before the last");
   uapi_run_command(u, uapi_append(u, 2, UAPI_NO_GATE));
   UAPI_LIST_IS(u, 1, 2);
}

/* All points of a job are signalled at once, and one object can get two. */
static void out_twice(struct uapi *u)
{
   uint32_t timeline = uapi_syncobj(u, 0);
   struct drm_asahi_sync outs[] = {point(timeline, 1), point(timeline, 2)};
   uapi_expect(u, submit(u, uapi_append(u, 1, UAPI_NO_GATE), outs, 0, 2), OK, "SUBMIT");
   uapi_expect(u, uapi_wait_point(u, timeline, 2, 0, UAPI_PATIENCE), OK, "a wait for the second point");
   uapi_equal(u, uapi_query(u, timeline), 2, "the point reached");
}

/* The out-syncs before a bad one are unchanged, like those after it. */
static void out_untouched(struct uapi *u)
{
   struct drm_asahi_sync outs[] = {{.handle = uapi_syncobj(u, 0)}, {.handle = 1000}, {.handle = uapi_syncobj(u, 0)}};
   uint32_t signaled = uapi_syncobj(u, DRM_SYNCOBJ_CREATE_SIGNALED), timeline = uapi_syncobj(u, 0);
   signal_point(u, timeline, 3);
   uapi_expect(u, submit(u, uapi_append(u, 1, UAPI_NO_GATE), outs, 0, 3), E(ENOENT), "SUBMIT with a bad out-sync");
   uapi_expect(u, uapi_wait(u, outs[0].handle, 0), E(EINVAL), "the out-sync before the bad one");
   uapi_expect(u, uapi_wait(u, outs[2].handle, 0), E(EINVAL), "the out-sync after the bad one");

   struct drm_asahi_sync more[] = {{.handle = signaled}, point(timeline, 9)};
   struct uapi_commands none = {.size = 0};
   uapi_expect(u, uapi_submit(u, u->queue, &none, more, 0, 2), E(EINVAL), "SUBMIT of no commands");
   uapi_expect(u, uapi_wait(u, signaled, 0), OK, "an out-sync that was signalled before");
   uapi_equal(u, uapi_query(u, timeline), 3, "the point of a timeline out-sync");
   uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run");
}

#define SUBMIT(subtest, text, answers_, ...)                                                                           \
   {                                                                                                                   \
      "sync/" subtest, text, .request = uapi_call_submit, .edits = {__VA_ARGS__}, .answers = answers_                  \
   }
#define S(member, value) ARG(drm_asahi_submit, member, value)

static const struct uapi_test tests[] = {
    SUBMIT("in-type", "an unknown type: EINVAL", E(EINVAL), SYNC(0, sync_type, 2)),
    SUBMIT("out-type", "an unknown type: EINVAL", E(EINVAL), SYNC(1, sync_type, 2)),
    SUBMIT("type-max", "an unknown type: EINVAL", E(EINVAL), SYNC(0, sync_type, UINT32_MAX)),
    SUBMIT("in-binary-value", "a binary sync has no value: EINVAL", E(EINVAL), SYNC(0, timeline_value, 1)),
    SUBMIT("out-binary-value", "a binary sync has no value: EINVAL", E(EINVAL), SYNC(1, timeline_value, 1)),
    SUBMIT("binary-value-high", "a binary sync has no value: EINVAL", E(EINVAL),
           SYNC(0, timeline_value, UINT64_C(1) << 63)),
    SUBMIT("in-zero", "0 is no syncobj: ENOENT", E(ENOENT), SYNC(0, handle, 0)),
    SUBMIT("in-unknown", "an unknown syncobj: ENOENT", E(ENOENT), SYNC(0, handle, 1000)),
    SUBMIT("out-zero", "0 is no syncobj: ENOENT", E(ENOENT), SYNC(1, handle, 0)),
    SUBMIT("out-unknown", "an unknown syncobj: ENOENT", E(ENOENT), SYNC(1, handle, 1000)),
    SUBMIT("type-before-handle", "the type is checked before the syncobj is looked up", E(EINVAL),
           SYNC(0, sync_type, 2), SYNC(0, handle, 1000)),
    SUBMIT("value-before-handle", "the value is checked before the syncobj is looked up", E(EINVAL),
           SYNC(0, timeline_value, 1), SYNC(0, handle, 1000)),
    SUBMIT("in-before-out", "syncs are checked in their order", E(ENOENT), SYNC(0, handle, 1000),
           SYNC(1, sync_type, 2)),
    {"sync/in-binary-empty", "an in-sync without a fence: EINVAL", .run = in_binary_empty},
    {"sync/in-timeline-empty", "no wait before signal: EINVAL", .run = in_timeline_empty},
    {"sync/in-timeline-empty-zero", "no wait before signal, value 0: EINVAL", .run = in_timeline_empty_zero},
    {"sync/in-timeline-later", "a point later than any submitted: EINVAL", .run = in_timeline_later},
    {"sync/in-timeline-binary", "a point of a binary fence: EINVAL", .run = in_timeline_binary},
    {"sync/in-binary-signaled", "a signalled in-sync does not hold up", .run = in_binary_signaled},
    {"sync/in-timeline-signaled", "a signalled point does not hold up", .run = in_timeline_signaled},
    {"sync/in-timeline-past", "a point long past does not hold up", .run = in_timeline_past},
    {"sync/in-timeline-zero", "value 0 stands for the latest point", .run = in_timeline_zero},
    {"sync/in-binary-waits", "a job waits for its binary in-sync", .run = in_binary_waits},
    {"sync/in-timeline-waits", "a job waits for its timeline in-sync", .run = in_timeline_waits},
    {"sync/in-timeline-between", "a value between points waits for the later", .run = in_timeline_between},
    {"sync/in-timeline-latest", "value 0 waits for the latest point", .run = in_timeline_latest},
    {"sync/in-and-out", "one syncobj in and out", .run = in_and_out},
    {"sync/in-reset", "an in-sync may be reset after the request", .run = in_reset_afterwards},
    {"sync/in-destroyed", "an in-sync may be destroyed after the request", .run = in_destroyed_afterwards},
    {"sync/many", "16 in-syncs and 16 out-syncs of both kinds", .run = many},
    {"sync/out-replaces", "a binary out-sync gets the job's fence instead of what it had", .run = out_replaces},
    {"sync/out-timeline", "a timeline out-sync gets a point", .run = out_timeline},
    {"sync/out-timeline-steps", "a timeline that grows with each job", .run = out_timeline_steps},
    {"sync/out-timeline-falls", "the driver takes points in any order", .run = out_timeline_falls},
    {"sync/out-twice", "two points of one timeline in a submit", .run = out_twice},
    {"sync/out-untouched", "a refusal leaves all out-syncs alone", .run = out_untouched},
};
UAPI_AREA(sync);
