/* SPDX-License-Identifier: MIT
 *
 * Barriers between commands and between submits: spec/uapi.md 3.4.
 */
#include "uapi/test.h"

static int submit_barriers(struct uapi *u, const uint16_t *cdm_barriers, unsigned count)
{
   struct uapi_commands commands = {.size = 0};
   uint32_t out = uapi_syncobj(u, 0);
   for (unsigned i = 0; i < count; i++) {
      uapi_add_compute(&commands, uapi_append(u, i, UAPI_NO_GATE), cdm_barriers[i]);
   }
   int answer = uapi_submit(u, u->queue, &commands, &(struct drm_asahi_sync){.handle = out}, 0, 1);
   if (!answer) {
      uapi_done(u, out);
   } else {
      uapi_expect(u, uapi_wait(u, out, 0), E(EINVAL), "the out-sync of a refused submit");
      uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run");
   }
   return answer;
}
#define BARRIERS(u, ...)                                                                                               \
   submit_barriers(u, (const uint16_t[]){__VA_ARGS__}, sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t))

static void each_previous(struct uapi *u)
{
   uapi_expect(u, BARRIERS(u, UAPI_NONE, 1, 2, 3, 4), OK, "each command after the one before");
   UAPI_LIST_IS(u, 0, 1, 2, 3, 4);
}

static void first_idle(struct uapi *u)
{
   uapi_expect(u, BARRIERS(u, 0), OK, "barrier 0 on a queue that has never run");
   UAPI_LIST_IS(u, 0);
}

/* Copies, which may overlap: what a barrier does not name need not be waited for. */
static void long_before(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   uint32_t out = uapi_syncobj(u, 0);
   const uint64_t at = UAPI_DATA + UAPI_SPARE * 4;
   u->data[UAPI_SPARE] = 0x4711;
   for (unsigned i = 0; i < 6; i++) {
      uapi_add_compute(&commands, uapi_copy(u, i ? at + 256 : at, at + (i + 1) * 256), i ? 1 : UAPI_NONE);
   }
   uapi_expect(u, uapi_submit(u, u->queue, &commands, &(struct drm_asahi_sync){.handle = out}, 0, 1), OK,
               "five commands that wait for the first");
   uapi_done(u, out);
   for (unsigned i = 1; i <= 6; i++) {
      uapi_equal(u, u->data[UAPI_SPARE + i * 64], 0x4711, "what command %u has written", i);
   }
}

static void forward(struct uapi *u)
{
   uapi_expect(u, BARRIERS(u, UAPI_NONE, 2), E(EINVAL), "a barrier to the command itself");
}

static void forward_first(struct uapi *u)
{
   uapi_expect(u, BARRIERS(u, 1), E(EINVAL), "a barrier of the first command to itself");
}

static void far_forward(struct uapi *u)
{
   uapi_expect(u, BARRIERS(u, UAPI_NONE, 1, 64), E(EINVAL), "a barrier to a command that is not there");
}

static void largest(struct uapi *u)
{
   uapi_expect(u, BARRIERS(u, UAPI_NONE, 0xFFFE), E(EINVAL), "the largest index");
}

/* A barrier to an earlier submit of the queue, which waits at a gate. */
static void earlier_submit(struct uapi *u)
{
   uint32_t out = uapi_syncobj(u, 0);
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_cmd_compute gated = uapi_append(u, 10, 0);
   uapi_expect(u, uapi_submit_one(u, gated, 0), OK, "SUBMIT");
   uapi_add_compute(&commands, uapi_append(u, 11, UAPI_NO_GATE), 0);
   uapi_add_compute(&commands, uapi_append(u, 12, UAPI_NO_GATE), 1);
   uapi_expect(u, uapi_submit(u, u->queue, &commands, &(struct drm_asahi_sync){.handle = out}, 0, 1), OK, "SUBMIT");
   uapi_expect(u, uapi_wait(u, out, 20), E(ETIME), "a wait before the gate opens");
   uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run before the gate opens");
   uapi_open_gate(u, 0);
   uapi_done(u, out);
   UAPI_LIST_IS(u, 10, 11, 12);
}

/* Within a submit: the second command must not start before the gate of the first opens. */
static void earlier_command(struct uapi *u)
{
   uint32_t out = uapi_syncobj(u, 0);
   struct uapi_commands commands = {.size = 0};
   uapi_add_compute(&commands, uapi_append(u, 10, 0), UAPI_NONE);
   uapi_add_compute(&commands, uapi_append(u, 11, UAPI_NO_GATE), 1);
   uapi_expect(u, uapi_submit(u, u->queue, &commands, &(struct drm_asahi_sync){.handle = out}, 0, 1), OK, "SUBMIT");
   uapi_expect(u, uapi_wait(u, out, 20), E(ETIME), "a wait before the gate opens");
   uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run before the gate opens");
   uapi_open_gate(u, 0);
   uapi_done(u, out);
   UAPI_LIST_IS(u, 10, 11);
}

/* Commands without barriers, each with its own place. */
static void fence_waits_for_all(struct uapi *u)
{
   uint32_t out = uapi_syncobj(u, 0);
   struct uapi_commands commands = {.size = 0};
   const uint64_t from = UAPI_DATA + UAPI_SPARE * 4;
   u->data[UAPI_SPARE] = 0x4711;
   for (unsigned i = 1; i <= 8; i++) {
      uapi_add_compute(&commands, uapi_copy(u, from, from + i * 256), UAPI_NONE);
   }
   uapi_expect(u, uapi_submit(u, u->queue, &commands, &(struct drm_asahi_sync){.handle = out}, 0, 1), OK, "SUBMIT");
   uapi_done(u, out);
   for (unsigned i = 1; i <= 8; i++) {
      uapi_equal(u, u->data[UAPI_SPARE + i * 64], 0x4711, "what command %u has written", i);
   }
}

/* vdm barrier 0 with nothing ever rendered: there is nothing to wait for. */
static void vdm_idle(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_cmd_compute compute = uapi_append(u, 5, UAPI_NO_GATE);
   uint32_t out = uapi_syncobj(u, 0);
   uapi_add(&commands, DRM_ASAHI_CMD_COMPUTE, &compute, sizeof(compute), 0, 0);
   uapi_expect(u, uapi_submit(u, u->queue, &commands, &(struct drm_asahi_sync){.handle = out}, 0, 1), OK,
               "barriers 0 and 0");
   uapi_done(u, out);
   UAPI_LIST_IS(u, 5);
}

#define CALL(subtest, text, answers_, ...)                                                                             \
   {                                                                                                                   \
      "barriers/" subtest, text, .request = uapi_call_submit, .edits = {__VA_ARGS__}, .answers = answers_              \
   }

static const struct uapi_test tests[] = {
    CALL("cdm-own", "a barrier to the command itself: EINVAL", E(EINVAL), HEADER(cdm_barrier, 1)),
    CALL("cdm-max", "a barrier to a command that is not there: EINVAL", E(EINVAL), HEADER(cdm_barrier, 0xFFFE)),
    CALL("cdm-zero", "barrier 0 on an idle queue", OK, HEADER(cdm_barrier, 0)),
    CALL("vdm-one", "a barrier to a render command that is not there: EINVAL", E(EINVAL), HEADER(vdm_barrier, 1)),
    CALL("vdm-max", "a barrier to a render command that is not there: EINVAL", E(EINVAL), HEADER(vdm_barrier, 0xFFFE)),
    CALL("vdm-zero", "barrier 0 on an idle queue", OK, HEADER(vdm_barrier, 0)),
    {"barriers/vdm-idle", "barriers 0 and 0", .run = vdm_idle},
    {"barriers/first-idle", "barrier 0 on a queue that has never run", .run = first_idle},
    {"barriers/each-previous", "index k is the k-th command of the submit", .run = each_previous},
    {"barriers/long-before", "a command can wait for any that came before", .run = long_before},
    {"barriers/forward", "a barrier to the command itself: EINVAL", .run = forward},
    {"barriers/forward-first", "a barrier of the first command to itself: EINVAL", .run = forward_first},
    {"barriers/far-forward", "a barrier to a command that is not there: EINVAL", .run = far_forward},
    {"barriers/largest", "the largest index: EINVAL", .run = largest},
    {"barriers/earlier-submit", "barrier 0 waits for all earlier submits", .run = earlier_submit},
    {"barriers/earlier-command", "barrier k waits for the k-th command", .run = earlier_command},
    {"barriers/fence", "the job's fence waits for all its commands", .run = fence_waits_for_all},
};
UAPI_AREA(barriers);
