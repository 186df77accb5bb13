/* SPDX-License-Identifier: MIT
 *
 * The command buffer and compute commands: spec/uapi.md 3.3 and 3.5.
 */
#include <string.h>

#include "util/array.h"

#include "uapi/test.h"

#define SIZE_HEADER sizeof(struct drm_asahi_cmd_header)
#define SIZE_COMPUTE sizeof(struct drm_asahi_cmd_compute)
#define SIZE_ONE ((uint32_t)(SIZE_HEADER + SIZE_COMPUTE))

/* Submits and waits. Returns the answer; an accepted job must end without an error. */
static int submit(struct uapi *u, const struct uapi_commands *commands)
{
   uint32_t out = uapi_syncobj(u, 0);
   int answer = uapi_submit(u, u->queue, commands, &(struct drm_asahi_sync){.handle = out}, 0, 1);
   if (!answer) {
      uapi_done(u, out);
   } else {
      uapi_expect(u, uapi_wait(u, out, 0), E(EINVAL), "the out-sync of a refused submit");
   }
   return answer;
}

static void add_many(struct uapi *u, struct uapi_commands *commands, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      uapi_add_compute(commands, uapi_append(u, i, UAPI_NO_GATE), (uint16_t)i);
   }
}

static void expect_counted(struct uapi *u, uint32_t count)
{
   uint32_t expected[64];
   for (uint32_t i = 0; i < count; i++) {
      expected[i] = i;
   }
   uapi_list(u, expected, count);
}

static void most(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   add_many(u, &commands, 64);
   uapi_expect(u, submit(u, &commands), OK, "64 commands");
   expect_counted(u, 64);
}

static void too_many(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   add_many(u, &commands, 65);
   uapi_expect(u, submit(u, &commands), E(EINVAL), "65 commands");
   uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run");
}

/* Software commands are not counted. */
static void most_and_attachments(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   for (unsigned i = 0; i < 64; i++) {
      uapi_add(&commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, NULL, 0, UAPI_NONE, UAPI_NONE);
      uapi_add_compute(&commands, uapi_append(u, i, UAPI_NO_GATE), (uint16_t)i);
   }
   uapi_expect(u, submit(u, &commands), OK, "64 commands and 64 attachment commands");
   expect_counted(u, 64);
}

static void only_attachments(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   uapi_add(&commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, NULL, 0, UAPI_NONE, UAPI_NONE);
   uapi_expect(u, submit(u, &commands), E(EINVAL), "no commands but one for attachments");
}

static void cut_after(struct uapi *u, uint32_t size, const char *what)
{
   struct uapi_commands commands = {.size = 0};
   add_many(u, &commands, 2);
   commands.size = size;
   uapi_expect(u, submit(u, &commands), E(EINVAL), "%s", what);
   uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run");
}

static void header_one_byte(struct uapi *u)
{
   cut_after(u, 1, "a buffer of 1 byte");
}

static void header_cut(struct uapi *u)
{
   cut_after(u, 7, "a buffer of 7 bytes, a byte short of a header");
}

static void second_header_cut(struct uapi *u)
{
   cut_after(u, SIZE_ONE + 7, "a second header of 7 bytes");
}

static void trailing_byte(struct uapi *u)
{
   cut_after(u, SIZE_ONE + 1, "one byte after a whole command");
}

static void payload_cut(struct uapi *u)
{
   cut_after(u, SIZE_ONE - 1, "a payload a byte short");
}

static void payload_missing(struct uapi *u)
{
   cut_after(u, SIZE_HEADER, "a header without its payload");
}

static void second_payload_cut(struct uapi *u)
{
   cut_after(u, 2 * SIZE_ONE - 8, "a second payload 8 bytes short");
}

/* `size` bytes of payload, of which those beyond the struct are `fill`, followed by a second command. */
static int submit_long(struct uapi *u, uint16_t size, uint8_t fill, bool second)
{
   struct uapi_commands commands = {.size = 0};
   uint8_t payload[SIZE_COMPUTE + 64];
   struct drm_asahi_cmd_compute compute = uapi_append(u, 0, UAPI_NO_GATE);
   memset(payload, fill, sizeof(payload));
   memcpy(payload, &compute, sizeof(compute));
   uapi_add(&commands, DRM_ASAHI_CMD_COMPUTE, payload, size, UAPI_NONE, UAPI_NONE);
   if (second) {
      uapi_add_compute(&commands, uapi_append(u, 1, UAPI_NO_GATE), 1);
   }
   return submit(u, &commands);
}

static void say(struct uapi *u, int answer, bool promised, const char *today)
{
   char name[24];
   uapi_note(u, "%s: %s", uapi_answer_name(answer, name), promised ? "as the header promises" : today);
}

static void long_zero_last(struct uapi *u)
{
   if (uapi_expect(u, submit_long(u, SIZE_COMPUTE + 8, 0, false), OK | E(EINVAL),
                   "a command of 72 bytes, zero beyond "
                   "64, at the end")) {
      say(u, u->data[UAPI_LIST] ? 0 : EINVAL, u->data[UAPI_LIST] == 1, "what is beyond is parsed as a header");
   }
}

/* Eight zero bytes misread as a header are a render command without a payload, which no check accepts. */
static void long_zero(struct uapi *u)
{
   int answer = submit_long(u, SIZE_COMPUTE + 8, 0, true);
   if (uapi_expect(u, answer, OK | E(EINVAL), "a command of 72 bytes, zero beyond 64, and another")) {
      uapi_equal(u, u->data[UAPI_LIST], answer ? 0 : 2, "commands that have run");
      say(u, answer, !answer, "what is beyond 64 bytes is parsed as the next header");
   }
}

static void long_unknown(struct uapi *u)
{
   int answer = submit_long(u, SIZE_COMPUTE + 8, 0x5A, true);
   if (uapi_expect(u, answer, E(EINVAL), "a command of 72 bytes, not zero beyond 64, and another")) {
      uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run");
   }
}

static void long_unknown_last(struct uapi *u)
{
   int answer = submit_long(u, SIZE_COMPUTE + 8, 0x5A, false);
   if (uapi_expect(u, answer, E(EINVAL) | OK, "a command of 72 bytes, not zero beyond 64, at the end")) {
      uapi_equal(u, u->data[UAPI_LIST], !answer, "commands that have run");
      say(u, answer, answer != 0, "what is beyond 64 bytes at the end is not read");
   }
}

/* A payload that ends before the timestamps has none. */
static void payload_short(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_cmd_compute compute = uapi_append(u, 0, UAPI_NO_GATE);
   uapi_add(&commands, DRM_ASAHI_CMD_COMPUTE, &compute, offsetof(struct drm_asahi_cmd_compute, sampler_heap), UAPI_NONE,
            UAPI_NONE);
   uapi_add_compute(&commands, uapi_append(u, 1, UAPI_NO_GATE), 1);
   uapi_expect(u, submit(u, &commands), OK, "a command of 24 bytes, and another");
   expect_counted(u, 2);
}

/* Together with a known command: alone it would be refused because there are no commands. */
static void type_beside(struct uapi *u)
{
   static const uint16_t types[] = {5, 6, 0x100, 0xFFFF};
   for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
      struct uapi_commands commands = {.size = 0};
      uapi_add_compute(&commands, uapi_append(u, 0, UAPI_NO_GATE), UAPI_NONE);
      uapi_add(&commands, types[i], NULL, 0, UAPI_NONE, UAPI_NONE);
      uapi_expect(u, submit(u, &commands), E(EINVAL), "a command of type %u after one that is known", types[i]);
   }
   uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run");
}

/* Parsed first to last: the first mistake decides, and no command before it has run. */
static void second_wrong(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_cmd_compute wrong = uapi_append(u, 1, UAPI_NO_GATE);
   wrong.flags = 1;
   uapi_add_compute(&commands, uapi_append(u, 0, UAPI_NO_GATE), UAPI_NONE);
   uapi_add_compute(&commands, wrong, UAPI_NONE);
   uapi_expect(u, submit(u, &commands), E(EINVAL), "a second command with flags");
   uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run");
}

/* The kernel copies the buffer, so its alignment does not matter. */
static void unaligned(struct uapi *u)
{
   struct uapi_commands commands = {.size = 0};
   struct drm_asahi_attachment attachment = {.pointer = UAPI_DATA, .size = 128};
   struct drm_asahi_cmd_compute compute = uapi_append(u, 0, UAPI_NO_GATE);
   uapi_add(&commands, DRM_ASAHI_SET_COMPUTE_ATTACHMENTS, &attachment, sizeof(attachment), UAPI_NONE, UAPI_NONE);
   uapi_add_compute(&commands, compute, UAPI_NONE);
   struct drm_asahi_sync sync = {.handle = uapi_syncobj(u, 0)};
   uint8_t moved[sizeof(commands.bytes) + 1];
   memcpy(moved + 1, commands.bytes, commands.size);
   struct drm_asahi_submit args = {.syncs = (uintptr_t)&sync,
                                   .cmdbuf = (uintptr_t)(moved + 1),
                                   .queue_id = u->queue,
                                   .out_sync_count = 1,
                                   .cmdbuf_size = commands.size};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_SUBMIT, &args), OK, "a command buffer at an odd address");
   uapi_done(u, sync.handle);
   expect_counted(u, 1);
}

#define CALL(subtest, text, answers_, ...)                                                                             \
   {                                                                                                                   \
      "commands/" subtest, text, .request = uapi_call_submit, .edits = {__VA_ARGS__}, .answers = answers_              \
   }
#define COMPUTE(member, value) COMMAND(drm_asahi_cmd_compute, member, value)

static const struct uapi_test tests[] = {
    {"commands/most", "64 commands in a submit", .run = most},
    {"commands/too-many", "65 commands: EINVAL", .run = too_many},
    {"commands/most-and-attachments", "attachment commands do not count", .run = most_and_attachments},
    {"commands/only-attachments", "a submit needs a command for the hardware: EINVAL", .run = only_attachments},
    {"commands/header-one-byte", "a truncated header: EINVAL", .run = header_one_byte},
    {"commands/header-cut", "a truncated header: EINVAL", .run = header_cut},
    {"commands/second-header-cut", "a truncated header: EINVAL", .run = second_header_cut},
    {"commands/trailing-byte", "trailing bytes: EINVAL", .run = trailing_byte},
    {"commands/payload-missing", "a payload beyond the end: EINVAL", .run = payload_missing},
    {"commands/payload-cut", "a payload beyond the end: EINVAL", .run = payload_cut},
    {"commands/second-payload-cut", "a payload beyond the end: EINVAL", .run = second_payload_cut},
    {"commands/payload-short", "what a short payload leaves out is zero", .run = payload_short},
    {"commands/long-zero", "a payload may be longer than the kernel knows",
     "what it does not know is parsed as the next header", .run = long_zero},
    {"commands/long-zero-last", "a payload may be longer than the kernel knows, at the end",
     "what it does not know is not read", .run = long_zero_last},
    {"commands/long-unknown", "unknown fields must be zero: EINVAL", .run = long_unknown},
    {"commands/long-unknown-last", "unknown fields must be zero, at the end: EINVAL", "they are not read",
     .run = long_unknown_last},
    {"commands/second-wrong", "all commands are checked before any runs", .run = second_wrong},
    {"commands/unaligned", "command buffers have any alignment", .run = unaligned},
    {"commands/type-beside", "an unknown type beside a known one: EINVAL", .run = type_beside},
    CALL("type-unknown", "an unknown type: EINVAL", E(EINVAL), HEADER(cmd_type, 5)),
    CALL("type-max", "an unknown type: EINVAL", E(EINVAL), HEADER(cmd_type, 0xFFFF)),
    {"commands/size-past-end", "a payload beyond the end: EINVAL", "at the very end it passes, as the struct is there",
     .request = uapi_call_submit, .edits = {HEADER(size, SIZE_COMPUTE + 8)}, .answers = E(EINVAL), .today_answers = OK},
    {"commands/size-max", "a payload beyond the end: EINVAL", "at the very end it passes, as the struct is there",
     .request = uapi_call_submit, .edits = {HEADER(size, 0xFFFF)}, .answers = E(EINVAL), .today_answers = OK},
    CALL("flags", "flags must be zero", E(EINVAL), COMPUTE(flags, 1)),
    CALL("flags-high", "flags must be zero", E(EINVAL), COMPUTE(flags, UINT32_C(1) << 31)),
    {"commands/sampler-count", "a sampler count without samplers in use", .request = uapi_call_submit,
     .edits = {COMPUTE(sampler_count, 16)}, .answers = OK, .strict = E(EINVAL)},
    {"commands/sampler-count-max", "a sampler count that overflows: EINVAL", .request = uapi_call_submit,
     .edits = {COMPUTE(sampler_count, UINT32_MAX)}, .answers = E(EINVAL),
     .hazard = "today's kernel adds 1 in 32 bits and panics or wraps"},
    {"commands/stream-end", "the stream's end is not checked", .request = uapi_call_submit,
     .edits = {COMPUTE(cdm_ctrl_stream_end, 0)}, .answers = OK, .strict = E(EINVAL)},
};
UAPI_AREA(commands);
