/* SPDX-License-Identifier: MIT
 *
 * Jobs that must fail: unmapped memory, garbage at each level, endless loops. The fence of each must carry an error
 * that spec/uapi.md 3.10 names, and the device must still work afterwards, for the same file and for another one.
 *
 * Which error hardware gives has not been seen: there any but "the firmware is gone" is taken, and told. The virtual
 * device's is fixed.
 */
#include <stdio.h>
#include <string.h>

#include "uapi/test.h"
#include "vgpu/vgpu.h"
#include "util/array.h"

#define NOWHERE (UAPI_FREE + UINT64_C(0x10000000))
/* in the window of programs, beyond all that uapi/job.c binds there */
#define EDGE (UAPI_USC + UINT64_C(0x10000000))
#define EDGE_STEP (4 * UAPI_PAGE)
#define USED (UAPI_DATA + UAPI_SPARE * sizeof(uint32_t))
#define OTHER (UAPI_DATA + UAPI_SPARE * sizeof(uint32_t) + 128)

/* A lane that is never masked off, and a jump to itself. */
static const uint8_t endless_code[] = {
    0x62, 0x00, 0x00, 0x00,             /* ldimm    r0l, 0 */
    0x00, 0xC0, 0x00, 0x00, 0x00, 0x00, /* jmp_any  0 */
    0x88, 0x00,                         /* stop */
};
/* A jump past the end of all bound memory. */
static const uint8_t jump_code[] = {
    0x62, 0x00, 0x00, 0x00,             /* ldimm    r0l, 0 */
    0x00, 0xC0, 0x00, 0x00, 0x00, 0x40, /* jmp_any  1 GiB */
    0x88, 0x00,                         /* stop */
};
static const uint8_t scratch_code[] = {
    0xB5, 0x00, 0x01, 0x05, 0x21, 0x00,             /* stack_adjust 16 */
    0xB5, 0x12, 0x40, 0x05, 0x00, 0xC0, 0x12, 0x00, /* stack_store  r2, 4, i32, x, a */
    0x38, 0x00,                                     /* wait         a */
    0x88, 0x00,                                     /* stop */
};
static const uint8_t garbage_code[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                       0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
static const uint8_t zero_code[16] = {0};

/* Returns what the virtual device's kernel log would say; "" on hardware, whose log the runner reads. */
static const char *log_line(struct uapi *u, struct vgpu_counters *counters)
{
   *counters = (struct vgpu_counters){0};
   if (!u->raw.is_virtual || uapi_ioctl(u, VGPU_IOCTL_COUNTERS, counters)) {
      return "";
   }
   counters->last_fault[sizeof(counters->last_fault) - 1] = '\0';
   return counters->last_fault;
}

static void check_alive(struct uapi *u)
{
   struct uapi other, second;
   u->data[UAPI_SPARE] = 0xA11BE;
   uapi_equal(u, uapi_peek(u, USED), 0xA11BE, "what a job reads after the fault");
   if (!uapi_good(u) || !uapi_reopen(u, &other)) {
      return;
   }
   if (uapi_second(&other, &second)) {
      second.data[UAPI_SPARE] = 0xA11BE;
      uapi_equal(&second, uapi_peek(&second, USED), 0xA11BE, "what another file's job reads after the fault");
      uapi_unmap_all(&second);
   }
   uapi_close(&other);
}

/* Returns whether the fence of a job that must fail may carry this error. answer: the virtual device's. */
static bool is_expected(const struct uapi *u, int error, int answer)
{
   return error == answer ||
          (!u->raw.is_virtual && (error == EIO || error == ETIMEDOUT || error == ECANCELED || error == ENODATA));
}

void uapi_expect_fault(struct uapi *u, struct drm_asahi_cmd_compute command, int answer)
{
   struct vgpu_counters counters;
   char name[24], wanted[24];
   if (!uapi_good(u)) {
      return;
   }
   int status = uapi_run_command(u, command);
   char line[sizeof(counters.last_fault)];
   snprintf(line, sizeof(line), "%s", log_line(u, &counters));
   if (!uapi_good(u) ||
       !uapi_true(u, status < 0 && is_expected(u, -status, answer), "a job that must fail ended with %s, expected %s",
                  uapi_answer_name(status < 0 ? -status : 0, name), uapi_answer_name(answer, wanted))) {
      return;
   }
   check_alive(u);
   uapi_note(u, "%s%s%s", uapi_answer_name(-status, name), line[0] ? ": " : "", line);
}

/* Loads and stores of shaders: without an error where the device has soft faults. */
static void expect_soft(struct uapi *u, uint64_t from, uint64_t to)
{
   struct drm_asahi_cmd_compute command = uapi_copy(u, from, to);
   if (!(u->params.features & DRM_ASAHI_FEATURE_SOFT_FAULTS)) {
      uapi_expect_fault(u, command, EIO);
      return;
   }
   u->data[UAPI_SPARE] = u->data[UAPI_SPARE + 32] = 0xBAD;
   uapi_equal(u, (uint64_t)(int64_t)uapi_run_command(u, command), 1, "the status of the job's fence (soft faults)");
   uapi_equal(u, u->data[UAPI_SPARE + 32], to == OTHER ? 0 : 0xBAD, "what the job stored");
   check_alive(u);
   uapi_note(u, "a soft fault: no error, loads give 0 and stores vanish");
}

static void load_unmapped(struct uapi *u)
{
   expect_soft(u, NOWHERE, OTHER);
}

static void store_unmapped(struct uapi *u)
{
   expect_soft(u, USED, NOWHERE);
}

static void stream_unmapped(struct uapi *u)
{
   struct drm_asahi_cmd_compute command = uapi_copy(u, USED, OTHER);
   command.cdm_ctrl_stream_base = NOWHERE;
   command.cdm_ctrl_stream_end = NOWHERE + 0x40;
   if (uapi_strict(u)) {
      uapi_expect(u, uapi_submit_one(u, command, 0), E(EINVAL), "SUBMIT of an unmapped stream to a strict device");
      check_alive(u);
      uapi_note(u, "EINVAL of SUBMIT: the device is strict");
   } else {
      uapi_expect_fault(u, command, EIO);
   }
}

static void stream_garbage(struct uapi *u)
{
   struct drm_asahi_cmd_compute command = uapi_copy(u, USED, OTHER);
   memset(uapi_stream_of(u, &command), 0xFF, (size_t)(command.cdm_ctrl_stream_end - command.cdm_ctrl_stream_base));
   uapi_expect_fault(u, command, EIO);
}

/* A link to itself. */
static void stream_endless(struct uapi *u)
{
   struct drm_asahi_cmd_compute command = uapi_copy(u, USED, OTHER);
   const uint32_t link[] = {1u << 29 | (uint32_t)(command.cdm_ctrl_stream_base >> 32),
                            (uint32_t)command.cdm_ctrl_stream_base};
   memcpy(uapi_stream_of(u, &command), link, sizeof(link));
   uapi_expect_fault(u, command, ETIMEDOUT);
}

/* Terminate in place of the barrier block. */
static void stream_no_barrier(struct uapi *u)
{
   static const uint32_t barrier = 0x600FFFFF, terminate[] = {0x40000000, 0};
   struct drm_asahi_cmd_compute command = uapi_copy(u, USED, OTHER);
   uint8_t *at = uapi_stream_of(u, &command), *end = at + (command.cdm_ctrl_stream_end - command.cdm_ctrl_stream_base);
   while (at + sizeof(terminate) <= end && memcmp(at, &barrier, sizeof(barrier)) != 0) {
      at += sizeof(barrier);
   }
   if (uapi_true(u, at + sizeof(terminate) <= end, "the stream has no barrier block to leave out")) {
      memcpy(at, terminate, sizeof(terminate));
      uapi_expect_fault(u, command, ETIMEDOUT);
   }
}

static void usc_garbage(struct uapi *u)
{
   struct drm_asahi_cmd_compute command = uapi_copy(u, USED, OTHER);
   memset(uapi_usc_of(u, &command), 0xFF, 16);
   uapi_expect_fault(u, command, EIO);
}

static void usc_unmapped(struct uapi *u)
{
   struct drm_asahi_cmd_compute command = uapi_copy(u, USED, OTHER);
   const uint32_t nowhere = 0x40000000; /* from the window's start */
   memcpy(uapi_stream_of(u, &command) + sizeof(uint32_t), &nowhere, sizeof(nowhere));
   uapi_expect_fault(u, command, EIO);
}

static void code_unmapped(struct uapi *u)
{
   uapi_expect_fault(u, uapi_program(u, jump_code, sizeof(jump_code)), EIO);
}

static void code_garbage(struct uapi *u)
{
   uapi_expect_fault(u, uapi_program(u, garbage_code, sizeof(garbage_code)), EIO);
}

static void code_zero(struct uapi *u)
{
   uapi_expect_fault(u, uapi_program(u, zero_code, sizeof(zero_code)), EIO);
}

/* Runs a program whose stop is this many bytes before unmapped memory, with traps in between. Each has a page of its
 * own, which no cache contains. */
static int run_near_edge(struct uapi *u, unsigned index, unsigned room)
{
   static const uint8_t stop[] = {0x88, 0x00}, trap[] = {0x08, 0x00};
   struct drm_asahi_cmd_compute command = uapi_program(u, stop, sizeof(stop));
   const uint64_t address = EDGE + index * EDGE_STEP;
   const uint32_t code = (uint32_t)(address + UAPI_PAGE - room - sizeof(stop) - UAPI_USC);
   uint32_t bo = uapi_bo(u, UAPI_PAGE, 0, 0);
   uint8_t *page = uapi_map(u, bo, UAPI_PAGE);
   if (!page || !uapi_bind_at(u, bo, 0, UAPI_PAGE, address)) {
      return 0;
   }
   for (uint64_t at = 0; at < UAPI_PAGE; at += sizeof(trap)) {
      memcpy(page + at, at == UAPI_PAGE - room - sizeof(stop) ? stop : trap, sizeof(trap));
   }
   memcpy(uapi_usc_of(u, &command) + 14, &code, sizeof(code)); /* SHADER's offset: spec/uapi.md 4.3 */
   return uapi_run_command(u, command);
}

/* It is not known how far ahead of a program's end instructions are fetched. */
static void code_edge(struct uapi *u)
{
   static const unsigned rooms[] = {0, 16, 32, 64, 128, 256, 512, 1024, 4096};
   for (unsigned i = 0; i < ARRAY_COUNT(rooms) && uapi_good(u); i++) {
      int status = run_near_edge(u, i, rooms[i]);
      check_alive(u);
      if (status == 1) {
         uapi_note(u, "a program may end %u bytes before unmapped memory", rooms[i]);
         return;
      }
      uapi_true(u, status < 0 && is_expected(u, -status, EIO), "a job whose code is fetched too far ended with %d",
                status);
   }
   uapi_fail(u, "a program that ends 4096 bytes before unmapped memory fails");
}

static void scratch(struct uapi *u)
{
   uapi_expect_fault(u, uapi_program(u, scratch_code, sizeof(scratch_code)), EIO);
}

static void endless(struct uapi *u)
{
   uapi_expect_fault(u, uapi_program(u, endless_code, sizeof(endless_code)), ETIMEDOUT);
}

static const struct uapi_test tests[] = {
    {"fault/load-unmapped", "a load of unmapped memory gives 0 (soft faults) or fails the job", .run = load_unmapped},
    {"fault/store-unmapped", "a store to unmapped memory vanishes (soft faults) or fails the job",
     .run = store_unmapped},
    {"fault/stream-unmapped", "a command stream that is not mapped fails the job", .run = stream_unmapped},
    {"fault/stream-garbage", "a command stream of ones fails the job", .run = stream_garbage},
    {"fault/stream-endless", "a command stream that links to itself is ended", .run = stream_endless},
    {"fault/stream-no-barrier", "a launch without a barrier block after it is ended", .run = stream_no_barrier,
     .hazard = "the GPU hangs, without a fault report, and other clients' jobs are lost in the recovery"},
    {"fault/usc-unmapped", "USC words that are not mapped fail the job", .run = usc_unmapped},
    {"fault/usc-garbage", "USC words of ones fail the job", .run = usc_garbage},
    {"fault/code-unmapped", "a jump to unmapped memory fails the job", .run = code_unmapped},
    {"fault/code-garbage", "machine code of ones fails the job", .run = code_garbage},
    {"fault/code-zero", "machine code of zeros fails the job", .run = code_zero},
    {"fault/code-edge", "a program that ends right before unmapped memory runs, or some bytes before it",
     .run = code_edge},
    {"fault/scratch", "a store to scratch memory that was not provided fails the job", .run = scratch},
    {"fault/endless", "a program that never ends is ended", .run = endless},
};
UAPI_AREA(fault);
