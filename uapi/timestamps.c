/* SPDX-License-Identifier: MIT
 *
 * Timestamps of commands: spec/uapi.md 3.5 and 3.8.
 */
#include <string.h>

#include "uapi/test.h"

/* An object of a whole buffer, and the buffer. */
struct stamps {
   uint32_t bo, object;
   uint8_t *map;
};

static bool make_stamps(struct uapi *u, struct stamps *stamps, uint64_t pages, uint64_t first, uint64_t count)
{
   stamps->bo = uapi_bo(u, pages * UAPI_PAGE, DRM_ASAHI_GEM_WRITEBACK, 0);
   stamps->map = uapi_map(u, stamps->bo, pages * UAPI_PAGE);
   stamps->object = uapi_object(u, stamps->bo, first * UAPI_PAGE, count * UAPI_PAGE);
   return stamps->map && stamps->object;
}

static uint64_t stamp_at(const struct stamps *stamps, size_t offset)
{
   uint64_t value;
   memcpy(&value, stamps->map + offset, sizeof(value));
   return value;
}

static int run(struct uapi *u, struct drm_asahi_timestamp start, struct drm_asahi_timestamp end)
{
   struct drm_asahi_cmd_compute compute = uapi_append(u, 1, UAPI_NO_GATE);
   compute.ts = (struct drm_asahi_timestamps){start, end};
   return uapi_run_command(u, compute);
}

static void expect_run(struct uapi *u, struct drm_asahi_timestamp start, struct drm_asahi_timestamp end)
{
   uapi_equal(u, (uint64_t)run(u, start, end), 1, "the status of a job with timestamps");
}

/* Between the times before and after, if command timestamps and GET_TIME have the same epoch, which the uAPI does not
 * promise. */
static void both(struct uapi *u)
{
   struct stamps s;
   if (make_stamps(u, &s, 1, 0, 1)) {
      uint64_t before = uapi_time(u);
      expect_run(u, (struct drm_asahi_timestamp){s.object, 0}, (struct drm_asahi_timestamp){s.object, 8});
      uint64_t after = uapi_time(u), start = stamp_at(&s, 0), end = stamp_at(&s, 8);
      uapi_true(u, start > 0 && end >= start, "start %llu, end %llu", (unsigned long long)start,
                (unsigned long long)end);
      uapi_note(u, "%s GET_TIME's epoch",
                start >= before && end <= after ? "they count from" : "they do not count from");
   }
}

static void start_only(struct uapi *u)
{
   struct stamps s;
   if (make_stamps(u, &s, 1, 0, 1)) {
      expect_run(u, (struct drm_asahi_timestamp){s.object, 16}, (struct drm_asahi_timestamp){0, 24});
      uapi_true(u, stamp_at(&s, 16) > 0, "no start was written");
      uapi_equal(u, stamp_at(&s, 24), 0, "the end, which was not asked for");
   }
}

static void end_only(struct uapi *u)
{
   struct stamps s;
   if (make_stamps(u, &s, 1, 0, 1)) {
      expect_run(u, (struct drm_asahi_timestamp){0, 16}, (struct drm_asahi_timestamp){s.object, 24});
      uapi_equal(u, stamp_at(&s, 16), 0, "the start, which was not asked for");
      uapi_true(u, stamp_at(&s, 24) > 0, "no end was written");
   }
}

/* Eight bytes, no more. */
static void neighbours(struct uapi *u)
{
   struct stamps s;
   if (make_stamps(u, &s, 1, 0, 1)) {
      memset(s.map, 0xA5, UAPI_PAGE);
      expect_run(u, (struct drm_asahi_timestamp){s.object, 64}, (struct drm_asahi_timestamp){s.object, 128});
      for (size_t i = 0; i < 256; i += 8) {
         bool stamped = i == 64 || i == 128;
         uapi_true(u, (stamp_at(&s, i) != UINT64_C(0xA5A5A5A5A5A5A5A5)) == stamped, "the 8 bytes at %zu are %s", i,
                   stamped ? "not written" : "written");
      }
   }
}

/* Offsets count from the bound range, not from the buffer. */
static void relative(struct uapi *u)
{
   struct stamps s;
   if (make_stamps(u, &s, 4, 2, 1)) {
      expect_run(u, (struct drm_asahi_timestamp){s.object, 32}, (struct drm_asahi_timestamp){0});
      uapi_true(u, stamp_at(&s, 2 * UAPI_PAGE + 32) > 0, "no start in the third page");
      uapi_equal(u, stamp_at(&s, 32), 0, "the same place in the first page");
   }
}

static void last_place(struct uapi *u)
{
   struct stamps s;
   if (make_stamps(u, &s, 2, 0, 1)) {
      expect_run(u, (struct drm_asahi_timestamp){s.object, (uint32_t)UAPI_PAGE - 8}, (struct drm_asahi_timestamp){0});
      uapi_true(u, stamp_at(&s, UAPI_PAGE - 8) > 0, "nothing at the object's end");
   }
}

static void two_objects(struct uapi *u)
{
   struct stamps a, b;
   if (make_stamps(u, &a, 1, 0, 1) && make_stamps(u, &b, 1, 0, 1)) {
      expect_run(u, (struct drm_asahi_timestamp){a.object, 0}, (struct drm_asahi_timestamp){b.object, 0});
      uapi_true(u, stamp_at(&a, 0) > 0 && stamp_at(&b, 0) >= stamp_at(&a, 0), "start %llu, end %llu",
                (unsigned long long)stamp_at(&a, 0), (unsigned long long)stamp_at(&b, 0));
   }
}

/* Each command of a submit has its own; in order, as the barriers are. */
static void each_command(struct uapi *u)
{
   struct stamps s;
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_sync out = {.handle = uapi_syncobj(u, 0)};
   if (!make_stamps(u, &s, 1, 0, 1)) {
      return;
   }
   for (uint32_t i = 0; i < 8; i++) {
      struct drm_asahi_cmd_compute compute = uapi_append(u, i, UAPI_NO_GATE);
      compute.ts = (struct drm_asahi_timestamps){{s.object, 16 * i}, {s.object, 16 * i + 8}};
      uapi_add_compute(&commands, compute, (uint16_t)i);
   }
   uapi_expect(u, uapi_submit(u, u->queue, &commands, &out, 0, 1), OK, "SUBMIT");
   uapi_done(u, out.handle);
   for (size_t i = 1; i < 16; i++) {
      uapi_true(u, stamp_at(&s, 8 * i) >= stamp_at(&s, 8 * i - 8), "timestamp %zu is before the one before", i);
   }
   uapi_true(u, stamp_at(&s, 0) > 0, "no timestamp was written");
}

/* A command that takes its time says so, in nanoseconds. */
static void duration(struct uapi *u)
{
   struct stamps s;
   struct drm_asahi_cmd_compute compute = uapi_append(u, 1, 0);
   if (!make_stamps(u, &s, 1, 0, 1)) {
      return;
   }
   compute.ts = (struct drm_asahi_timestamps){{s.object, 0}, {s.object, 8}};
   uint32_t out = uapi_syncobj(u, 0);
   uapi_expect(u, uapi_submit_one(u, compute, out), OK, "SUBMIT");
   uapi_expect(u, uapi_wait(u, out, 50), E(ETIME), "a wait of 50 ms for a closed gate");
   uapi_open_gate(u, 0);
   uapi_done(u, out);
   uint64_t taken = stamp_at(&s, 8) - stamp_at(&s, 0);
   /* The virtual device's time is a model's, not that of its emulation. */
   uapi_true(u, taken > (u->raw.is_virtual ? 0 : 30000000) && taken < UINT64_C(30000000000),
             "a command that took at least 50 ms says %llu ns", (unsigned long long)taken);
}

/* Timestamps are visible as soon as the fence is signalled. */
static void visible_with_fence(struct uapi *u)
{
   struct stamps s;
   if (make_stamps(u, &s, 1, 0, 1)) {
      for (uint32_t i = 0; i < 100 && uapi_good(u); i++) {
         expect_run(u, (struct drm_asahi_timestamp){s.object, 16 * i},
                    (struct drm_asahi_timestamp){s.object, 16 * i + 8});
         uapi_true(u, stamp_at(&s, 16 * i) && stamp_at(&s, 16 * i + 8), "job %u's timestamps are not there", i);
      }
   }
}

/* A job in flight holds the object and its memory. */
static void unbound_in_flight(struct uapi *u)
{
   struct stamps s;
   struct drm_asahi_cmd_compute compute = uapi_append(u, 1, 0);
   uint32_t out = uapi_syncobj(u, 0);
   if (!make_stamps(u, &s, 1, 0, 1)) {
      return;
   }
   compute.ts.end = (struct drm_asahi_timestamp){s.object, 0};
   uapi_expect(u, uapi_submit_one(u, compute, out), OK, "SUBMIT");
   uapi_expect(u, uapi_object_unbind(u, s.object), OK, "unbind of an object in use");
   uapi_expect(u, uapi_bo_close(u, s.bo), OK, "GEM_CLOSE of its buffer");
   compute.ts.end.offset = 8;
   uapi_expect(u, uapi_submit_one(u, compute, 0), E(ENOENT), "SUBMIT with the unbound object");
   uapi_open_gate(u, 0);
   uapi_done(u, out);
   uapi_true(u, stamp_at(&s, 0) > 0, "no timestamp in the buffer that was still mapped");
}

#define CALL(subtest, text, answers_, ...)                                                                             \
   {                                                                                                                   \
      "timestamps/" subtest, text, .request = uapi_call_stamped, .edits = {__VA_ARGS__}, .answers = answers_           \
   }
#define COMPUTE(member, value) COMMAND(drm_asahi_cmd_compute, member, value)
#define END ((uint32_t)UAPI_PAGE)

static const struct uapi_test tests[] = {
    CALL("start-unknown", "an unknown object: ENOENT", E(ENOENT), COMPUTE(ts.start.handle, 1000)),
    CALL("end-unknown", "an unknown object: ENOENT", E(ENOENT), COMPUTE(ts.end.handle, 1000)),
    CALL("start-last", "the object's last 8 bytes", OK, COMPUTE(ts.start.offset, END - 8)),
    CALL("start-range", "an offset beyond the object: ERANGE", E(ERANGE), COMPUTE(ts.start.offset, END)),
    CALL("start-across", "8 bytes across the object's end: ERANGE", E(ERANGE), COMPUTE(ts.start.offset, END - 4)),
    CALL("end-range", "an offset beyond the object: ERANGE", E(ERANGE), COMPUTE(ts.end.offset, END)),
    CALL("start-overflow", "an offset that overflows: EINVAL", E(EINVAL), COMPUTE(ts.start.offset, UINT32_MAX)),
    CALL("end-overflow", "an offset that overflows: EINVAL", E(EINVAL), COMPUTE(ts.end.offset, UINT32_MAX - 7)),
    CALL("offset-just-below-overflow", "the last offset that does not overflow: ERANGE", E(ERANGE),
         COMPUTE(ts.end.offset, UINT32_MAX - 8)),
    CALL("none-with-offset", "without an object the offset says nothing", OK, COMPUTE(ts.start.handle, 0),
         COMPUTE(ts.start.offset, UINT32_MAX)),
    CALL("start-before-end", "the start is checked before the end", E(ENOENT), COMPUTE(ts.start.handle, 1000),
         COMPUTE(ts.end.offset, END)),
    CALL("flags-before-stamps", "flags are checked before the timestamps", E(EINVAL), COMPUTE(flags, 1),
         COMPUTE(ts.start.handle, 1000)),
    {"timestamps/unaligned", "offsets need no alignment", .request = uapi_call_stamped,
     .edits = {COMPUTE(ts.start.offset, 101)}, .answers = OK, .risk = "the firmware writes 8 bytes at an odd address"},
    {"timestamps/both", "a start and an end in their order", .run = both},
    {"timestamps/start-only", "a start alone", .run = start_only},
    {"timestamps/end-only", "an end alone", .run = end_only},
    {"timestamps/neighbours", "8 bytes are written and no more", .run = neighbours},
    {"timestamps/relative", "offsets count from the bound range", .run = relative},
    {"timestamps/last-place", "the object's last 8 bytes are written", .run = last_place},
    {"timestamps/two-objects", "start and end in different objects", .run = two_objects},
    {"timestamps/each-command", "each command of a submit has its own", .run = each_command},
    {"timestamps/duration", "a long command has a long time", .run = duration},
    {"timestamps/visible", "timestamps are there when the fence is", .run = visible_with_fence},
    {"timestamps/unbound-in-flight", "a job in flight holds its object", .run = unbound_in_flight},
};
UAPI_AREA(timestamps);
