/* SPDX-License-Identifier: MIT
 *
 * Attachment commands: spec/uapi.md 3.7.
 */
#include <string.h>

#include "util/array.h"

#include "uapi/test.h"

#define SIZE sizeof(struct drm_asahi_attachment)

/* Submits `size` bytes of valid attachments of that kind before a compute command. */
static int submit_sized(struct uapi *u, uint16_t type, uint16_t size, uint16_t vdm_barrier, uint16_t cdm_barrier)
{
   struct drm_asahi_attachment attachments[20];
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_sync out = {.handle = uapi_syncobj(u, 0)};
   memset(attachments, 0, sizeof(attachments));
   for (unsigned i = 0; i < ARRAY_COUNT(attachments); i++) {
      attachments[i].pointer = UAPI_DATA;
      attachments[i].size = 128;
   }
   uapi_add(&commands, type, attachments, size, vdm_barrier, cdm_barrier);
   uapi_add_compute(&commands, uapi_append(u, 1, UAPI_NO_GATE), UAPI_NONE);
   int answer = uapi_submit(u, u->queue, &commands, &out, 0, 1);
   if (!answer) {
      uapi_done(u, out.handle);
      UAPI_LIST_IS(u, 1);
   } else {
      uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run");
   }
   return answer;
}

static int submit_count(struct uapi *u, uint16_t type, unsigned count)
{
   return submit_sized(u, type, (uint16_t)(count * SIZE), UAPI_NONE, UAPI_NONE);
}

static void most(struct uapi *u)
{
   uapi_expect(u, submit_count(u, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, 16), OK, "16 attachments");
}

static void too_many(struct uapi *u)
{
   uapi_expect(u, submit_count(u, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, 17), E(EINVAL), "17 attachments");
}

static void none(struct uapi *u)
{
   uapi_expect(u, submit_count(u, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, 0), OK, "0 attachments");
}

static void vertex(struct uapi *u)
{
   uapi_expect(u, submit_count(u, DRM_ASAHI_SET_VERTEX_ATTACHMENTS, 2), OK, "vertex attachments");
}

static void fragment(struct uapi *u)
{
   uapi_expect(u, submit_count(u, DRM_ASAHI_SET_FRAGMENT_ATTACHMENTS, 2), OK, "fragment attachments");
}

static void vertex_too_many(struct uapi *u)
{
   uapi_expect(u, submit_count(u, DRM_ASAHI_SET_VERTEX_ATTACHMENTS, 17), E(EINVAL), "17 vertex attachments");
}

static void fragment_too_many(struct uapi *u)
{
   uapi_expect(u, submit_count(u, DRM_ASAHI_SET_FRAGMENT_ATTACHMENTS, 17), E(EINVAL), "17 fragment attachments");
}

/* A size with eight extra bytes: read as a header, they begin a compute or render command. */
static void not_whole(struct uapi *u)
{
   char name[24];
   int answer = submit_sized(u, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, SIZE + 8, UAPI_NONE, UAPI_NONE);
   if (uapi_expect(u, answer, E(EINVAL), "one attachment and a third")) {
      uapi_note(u, "%s", uapi_answer_name(answer, name));
   }
}

/* The same at the end of the buffer, where nothing follows that could be read; and with one byte missing, so that a
 * device that ignores the size probably finds no other error. */
static void not_whole_at_end(struct uapi *u)
{
   const uint8_t zeros[2 * SIZE] = {0};
   for (uint16_t size = 1; size < 2 * SIZE; size++) {
      struct uapi_commands commands = {.size = 0};
      uapi_add_compute(&commands, uapi_append(u, 1, UAPI_NO_GATE), UAPI_NONE);
      uapi_add(&commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, zeros, size, UAPI_NONE, UAPI_NONE);
      uapi_expect(u, uapi_submit(u, u->queue, &commands, NULL, 0, 0), size % SIZE || uapi_strict(u) ? E(EINVAL) : OK,
                  "%u bytes of attachments at the end", size);
   }
}

static void expect_barrier(struct uapi *u, uint16_t vdm_barrier, uint16_t cdm_barrier)
{
   char name[24];
   int answer = submit_sized(u, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, SIZE, vdm_barrier, cdm_barrier);
   if (uapi_expect(u, answer, E(EINVAL) | OK, "an attachment command with a barrier 0")) {
      uapi_note(u, "%s: %s", uapi_answer_name(answer, name),
                answer ? "as the header promises" : "with nothing to wait for it passes, as in today's kernel");
   }
}

static void cdm_barrier_zero(struct uapi *u)
{
   expect_barrier(u, UAPI_NONE, 0);
}

static void vdm_barrier_zero(struct uapi *u)
{
   expect_barrier(u, 0, UAPI_NONE);
}

static void barrier_forward(struct uapi *u)
{
   uapi_expect(u, submit_sized(u, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, SIZE, UAPI_NONE, 1), E(EINVAL),
               "an attachment command with barrier 1");
}

/* The first command of the submission, with an event to wait for. */
static void barrier_live(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_attachment attachment = {.pointer = UAPI_DATA, .size = 128};
   uapi_add_compute(&commands, uapi_append(u, 1, UAPI_NO_GATE), UAPI_NONE);
   uapi_add(&commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, &attachment, sizeof(attachment), UAPI_NONE, 1);
   uapi_add_compute(&commands, uapi_append(u, 2, UAPI_NO_GATE), 1);
   uapi_expect(u, uapi_submit(u, u->queue, &commands, NULL, 0, 0), E(EINVAL),
               "an attachment command that waits for a command");
}

/* Attachments hold until they are replaced; only their acceptance is visible. */
static void replaced(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_attachment attachment = {.pointer = UAPI_DATA, .size = 128};
   struct drm_asahi_sync out = {.handle = uapi_syncobj(u, 0)};
   uapi_add(&commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, &attachment, sizeof(attachment), UAPI_NONE, UAPI_NONE);
   uapi_add_compute(&commands, uapi_append(u, 1, UAPI_NO_GATE), UAPI_NONE);
   uapi_add(&commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, NULL, 0, UAPI_NONE, UAPI_NONE);
   uapi_add_compute(&commands, uapi_append(u, 2, UAPI_NO_GATE), 1);
   uapi_add(&commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, &attachment, sizeof(attachment), UAPI_NONE, UAPI_NONE);
   uapi_expect(u, uapi_submit(u, u->queue, &commands, &out, 0, 1), OK, "attachments set, cleared, set");
   uapi_done(u, out.handle);
   UAPI_LIST_IS(u, 1, 2);
}

#define CALL(subtest, text, answers_, ...)                                                                             \
   {                                                                                                                   \
      "attachments/" subtest, text, .request = uapi_call_attachments, .edits = {__VA_ARGS__}, .answers = answers_      \
   }
#define FIRST(member, value) COMMAND(drm_asahi_attachment, member, value)
#define SECOND(member, value)                                                                                          \
   FIELD(UAPI_COMMANDS, sizeof(struct drm_asahi_cmd_header) + SIZE, drm_asahi_attachment, member, value)
/* (size + 127) / 128 fills 32 bits */
#define MOST_BYTES (UINT64_C(0xFFFFFFFF) << 7)

static const struct uapi_test tests[] = {
    CALL("flags", "flags must be zero", E(EINVAL), FIRST(flags, 1)),
    CALL("pad", "pad must be zero", E(EINVAL), FIRST(pad, 1)),
    CALL("second-flags", "flags must be zero, in each attachment", E(EINVAL), SECOND(flags, UINT32_C(1) << 31)),
    CALL("second-pad", "pad must be zero, in each attachment", E(EINVAL), SECOND(pad, UINT32_C(1) << 31)),
    CALL("size-most", "the largest size, 2^39 - 128 bytes", OK, FIRST(size, MOST_BYTES)),
    CALL("size-too-large", "a size whose count of cache lines is beyond 32 bits: EINVAL", E(EINVAL),
         FIRST(size, MOST_BYTES + 1)),
    CALL("size-2-40", "a size whose count of cache lines is beyond 32 bits: EINVAL", E(EINVAL),
         FIRST(size, UINT64_C(1) << 40)),
    {"attachments/size-max", "a size that overflows: EINVAL", .request = uapi_call_attachments,
     .edits = {FIRST(size, UINT64_MAX)}, .answers = E(EINVAL),
     .hazard = "today's kernel adds 127 in 64 bits and panics or wraps"},
    {"attachments/pointer", "addresses are not checked", .request = uapi_call_attachments,
     .edits = {FIRST(pointer, UINT64_MAX)}, .answers = OK, .strict = E(EINVAL)},
    CALL("truncated", "attachments beyond the end of the buffer: EINVAL", E(EINVAL),
         ARG(drm_asahi_submit, cmdbuf_size, sizeof(struct drm_asahi_cmd_header) + SIZE)),
    {"attachments/most", "16 attachments", .run = most},
    {"attachments/too-many", "17 attachments: EINVAL", .run = too_many},
    {"attachments/none", "0 attachments clear them", .run = none},
    {"attachments/vertex", "vertex attachments", .run = vertex},
    {"attachments/fragment", "fragment attachments", .run = fragment},
    {"attachments/vertex-too-many", "17 vertex attachments: EINVAL", .run = vertex_too_many},
    {"attachments/fragment-too-many", "17 fragment attachments: EINVAL", .run = fragment_too_many},
    {"attachments/remainder", "a size that is no multiple of 24: EINVAL", .run = not_whole},
    {"attachments/remainder-at-end", "a size that is no multiple of 24, at the end: EINVAL", .run = not_whole_at_end},
    {"attachments/cdm-barrier", "no barrier: EINVAL", "barrier 0 with nothing to wait for passes",
     .run = cdm_barrier_zero},
    {"attachments/vdm-barrier", "no barrier: EINVAL", "barrier 0 with nothing to wait for passes",
     .run = vdm_barrier_zero},
    {"attachments/barrier-forward", "no barrier: EINVAL", .run = barrier_forward},
    {"attachments/barrier-live", "no barrier: EINVAL", .run = barrier_live},
    {"attachments/replaced", "attachments are set and cleared within a submit", .run = replaced},
};
UAPI_AREA(attachments);
