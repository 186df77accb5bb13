/* SPDX-License-Identifier: MIT
 *
 * Work for the device: two programs in machine code, and commands that run them. Each command has a slot of its own in
 * the USC window, which is not rewritten while the command may run.
 *
 * The programs use no atomics and no scratch, so the same bytes run on every chip class; the launch words differ
 * (spec/uapi.md section 6), which drm/stream.h knows. Encodings: spec/isa.md 2.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "drm/stream.h"
#include "uapi/test.h"

/* out[i] = in[i] for each thread i */
static const uint8_t copy_code[] = {
    0x72, 0x05, 0x10, 0x04,                         /* mov      r1, thread_in_grid_x */
    0x05, 0x11, 0x20, 0x0E, 0x00, 0xC0, 0x12, 0x00, /* load     r2, du0, r1, i32, x, a */
    0x38, 0x00,                                     /* wait     a */
    0x45, 0x11, 0x24, 0x0E, 0x00, 0xC0, 0x12, 0x00, /* store    r2, du2, r1, i32, x, a */
    0x88, 0x00,                                     /* stop */
};

/* for (n = 1; !*gate && n < limit; n++); list[0]++; list[list[0]] = value; */
static const uint8_t append_code[] = {
    0x62, 0x00, 0x00, 0x00,                         /* ldimm    r0l, 0 */
    0x62, 0x05, 0x00, 0x00, 0x00, 0x00,             /* ldimm    r1, 0 */
    0x05, 0x11, 0x04, 0x0D, 0x00, 0xF0, 0x12, 0x00, /* load     r2, du2, 0, i32, x, coherent3, a */
    0x0E, 0x05, 0x42, 0x12, 0x00, 0x00, 0x00, 0x00, /* iadd     r1, r1, 1 */
    0x38, 0x00,                                     /* wait     a */
    0x12, 0x09, 0x42, 0x82, 0x18, 0x44, 0x10, 0x30, /* csel     r2, r1, u4, r2, 1, ult */
    0x52, 0x0C, 0x44, 0x02, 0x00, 0x00,             /* while    r2, 0, 1, ieq */
    0x00, 0xC0, 0xE0, 0xFF, 0xFF, 0xFF,             /* jmp_any  -32 */
    0x52, 0x0E, 0x00, 0x00, 0x00, 0x00,             /* pop_exec 1 */
    0x05, 0x19, 0x00, 0x0D, 0x00, 0xC0, 0x12, 0x00, /* load     r3, du0, 0, i32, x, a */
    0x7E, 0x15, 0x8A, 0x09, 0x80, 0x00,             /* mov      r5, u5 */
    0x38, 0x00,                                     /* wait     a */
    0x0E, 0x0D, 0x46, 0x12, 0x00, 0x00, 0x00, 0x00, /* iadd     r3, r3, 1 */
    0x45, 0x29, 0x60, 0x0E, 0x00, 0xC0, 0x12, 0x00, /* store    r5, du0, r3, i32, x, a */
    0x45, 0x19, 0x00, 0x0D, 0x00, 0xC0, 0x12, 0x00, /* store    r3, du0, 0, i32, x, a */
    0x88, 0x00,                                     /* stop */
};
static const uint8_t trap_code[] = {0x08, 0x00};
#define TRAPS 8u /* prefetched after a stop: spec/uapi.md 4.3 */

/* A window page: the programs. Then slots: the stream, the uniforms, the USC words. */
#define COPY_CODE 0x0u
#define APPEND_CODE 0x400u
#define OWN_CODE 0x800u
#define HELPER_CODE 0x1000u
#define HELPER_ROOM ((uint32_t)(SLOTS - HELPER_CODE - TRAPS * sizeof(trap_code)))
#define SLOTS UAPI_PAGE
#define SLOT_SIZE 0x100u
#define SLOT_STREAM 0x0u
#define SLOT_UNIFORMS 0x80u
#define SLOT_USC 0xC0u
#define COPY_THREADS 32u
/* du0, du2, u4 and u5, rounded up to whole words of the launch */
#define UNIFORM_HALVES 12u
#define HALF_REGISTERS 16u

/* The time that a closed gate stops a command, and the rounds with which the time of one round is measured. The maximum
 * stays below the virtual device's instruction budget. */
#define GATE_NS INT64_C(1500000000)
#define GATE_TRIAL 20000u
#define GATE_TRIALS 5u /* the fastest counts: other work on the machine makes a trial slow */
#define GATE_MOST 25000000u

struct uniforms {
   uint64_t first, second; /* du0, du2 */
   uint32_t limit, value;  /* u4, u5 */
};

static void put_code(struct uapi *u, size_t at, const uint8_t *code, size_t size)
{
   memcpy(u->exec + at, code, size);
   for (size_t i = 0; i < TRAPS; i++) {
      memcpy(u->exec + at + size + i * sizeof(trap_code), trap_code, sizeof(trap_code));
   }
}

void uapi_load_programs(struct uapi *u)
{
   put_code(u, COPY_CODE, copy_code, sizeof(copy_code));
   put_code(u, APPEND_CODE, append_code, sizeof(append_code));
   u->data[UAPI_GATES + UAPI_NO_GATE * UAPI_GATE_STEP] = 1;
}

static struct drm_asahi_cmd_compute make_command(struct uapi *u, uint32_t code, uint32_t threads, unsigned bucket,
                                                 const struct uniforms *uniforms)
{
   size_t at = SLOTS + (size_t)u->slots * SLOT_SIZE;
   struct drm_asahi_cmd_compute compute = {0};
   if (!uapi_true(u, at + SLOT_SIZE <= UAPI_EXEC_SIZE, "the subtest makes more commands than there is room for")) {
      return compute;
   }
   u->slots++;
   memcpy(u->exec + at + SLOT_UNIFORMS, uniforms, sizeof(*uniforms));

   uint32_t exec_offset = (uint32_t)(UAPI_EXEC - UAPI_USC);
   struct asahi_stream usc = {.data = u->exec + at + SLOT_USC, .size = SLOT_SIZE - SLOT_USC};
   asahi_usc_uniform(&usc, 0, UNIFORM_HALVES, UAPI_EXEC + at + SLOT_UNIFORMS);
   asahi_usc_shared(&usc, 0);
   asahi_usc_shader(&usc, exec_offset + code);
   asahi_usc_registers(&usc, HALF_REGISTERS, bucket);
   asahi_usc_no_preshader(&usc);

   struct asahi_stream stream = {.data = u->exec + at + SLOT_STREAM, .size = SLOT_UNIFORMS - SLOT_STREAM};
   struct asahi_launch launch = {.usc_offset = exec_offset + (uint32_t)at + SLOT_USC,
                                 .uniform_halves = UNIFORM_HALVES,
                                 .grid = {threads, 1, 1},
                                 .group = {threads, 1, 1}};
   asahi_cdm_launch(&stream, u->info.chip_class, &launch);
   asahi_cdm_barrier(&stream, asahi_cdm_defaults.barrier);
   asahi_cdm_terminate(&stream);
   uapi_true(u, !usc.overflow && !stream.overflow, "a command is larger than its slot");
   compute.cdm_ctrl_stream_base = UAPI_EXEC + at + SLOT_STREAM;
   compute.cdm_ctrl_stream_end = compute.cdm_ctrl_stream_base + stream.used;
   return compute;
}

struct drm_asahi_cmd_compute uapi_copy(struct uapi *u, uint64_t from, uint64_t to)
{
   return make_command(u, COPY_CODE, COPY_THREADS, 0, &(struct uniforms){.first = from, .second = to});
}

struct drm_asahi_cmd_compute uapi_program(struct uapi *u, const uint8_t *code, size_t size)
{
   put_code(u, OWN_CODE, code, size);
   return make_command(u, OWN_CODE, 1, 0, &(struct uniforms){0});
}

struct drm_asahi_cmd_compute uapi_stack_program(struct uapi *u, const uint8_t *code, size_t size, unsigned bucket,
                                                uint64_t du0)
{
   const struct agx_program *helper = u->helper;
   put_code(u, OWN_CODE, code, size);
   struct drm_asahi_cmd_compute command = make_command(u, OWN_CODE, 1, bucket, &(struct uniforms){.first = du0});
   if (!helper) { /* the virtual device only checks that there is one, and does not run it */
      put_code(u, HELPER_CODE, trap_code, sizeof(trap_code));
   } else if (uapi_true(u, helper->code_size <= HELPER_ROOM, "the helper program is longer than %u bytes",
                        HELPER_ROOM)) {
      put_code(u, HELPER_CODE, helper->code, helper->code_size);
   }
   command.helper.binary = ((uint32_t)(UAPI_EXEC - UAPI_USC) + HELPER_CODE + (helper ? helper->main_offset : 0)) | 1;
   return command;
}

uint8_t *uapi_stream_of(struct uapi *u, const struct drm_asahi_cmd_compute *command)
{
   return u->exec + (command->cdm_ctrl_stream_base - UAPI_EXEC);
}

uint8_t *uapi_usc_of(struct uapi *u, const struct drm_asahi_cmd_compute *command)
{
   return uapi_stream_of(u, command) + SLOT_USC - SLOT_STREAM;
}

static struct drm_asahi_cmd_compute make_append(struct uapi *u, uint32_t value, unsigned gate, uint32_t limit)
{
   return make_command(u, APPEND_CODE, 1, 0,
                       &(struct uniforms){.first = UAPI_DATA + UAPI_LIST * sizeof(uint32_t),
                                          .second = UAPI_DATA + (UAPI_GATES + gate * UAPI_GATE_STEP) * sizeof(uint32_t),
                                          .limit = limit,
                                          .value = value});
}

/* Measures the rounds after which a command passes a closed gate. Undoes what the trials append. */
static void measure_gate(struct uapi *u)
{
   int64_t least = GATE_NS;
   for (unsigned i = 0; i < GATE_TRIALS; i++) {
      const int64_t start = uapi_after(0);
      uapi_run_command(u, make_append(u, 0, UAPI_NO_GATE - 1, GATE_TRIAL));
      const int64_t taken = uapi_after(0) - start;
      least = taken < least ? taken : least;
   }
   const int64_t limit = GATE_TRIAL * GATE_NS / (least > 0 ? least : 1);
   u->gate_limit = limit < GATE_MOST ? (uint32_t)limit : GATE_MOST;
   u->data[UAPI_LIST] = 0;
}

struct drm_asahi_cmd_compute uapi_append(struct uapi *u, uint32_t value, unsigned gate)
{
   if (gate != UAPI_NO_GATE && !u->gate_limit) {
      measure_gate(u);
   }
   return make_append(u, value, gate, gate == UAPI_NO_GATE ? 1 : u->gate_limit);
}

void uapi_open_gate(struct uapi *u, unsigned gate)
{
   u->data[UAPI_GATES + gate * UAPI_GATE_STEP] = 1;
}

bool uapi_list(struct uapi *u, const uint32_t *values, uint32_t count)
{
   const volatile uint32_t *list = u->data + UAPI_LIST;
   bool good = uapi_equal(u, list[0], count, "commands that have run");
   for (uint32_t i = 0; i < count && good; i++) {
      good = uapi_equal(u, list[1 + i], values[i], "the command that ran as number %u", i + 1);
   }
   return good;
}

void uapi_add(struct uapi_commands *commands, uint16_t type, const void *payload, uint16_t size, uint16_t vdm_barrier,
              uint16_t cdm_barrier)
{
   struct drm_asahi_cmd_header header = {type, size, vdm_barrier, cdm_barrier};
   memcpy(commands->bytes + commands->size, &header, sizeof(header));
   if (size) {
      memcpy(commands->bytes + commands->size + sizeof(header), payload, size);
   }
   commands->size += (uint32_t)sizeof(header) + size;
}

void uapi_add_compute(struct uapi_commands *commands, struct drm_asahi_cmd_compute compute, uint16_t cdm_barrier)
{
   uapi_add(commands, DRM_ASAHI_CMD_COMPUTE, &compute, sizeof(compute), UAPI_NONE, cdm_barrier);
}

int uapi_submit(struct uapi *u, uint32_t queue, const struct uapi_commands *commands,
                const struct drm_asahi_sync *syncs, uint32_t ins, uint32_t outs)
{
   struct drm_asahi_submit args = {.syncs = (uintptr_t)syncs,
                                   .cmdbuf = (uintptr_t)commands->bytes,
                                   .queue_id = queue,
                                   .in_sync_count = ins,
                                   .out_sync_count = outs,
                                   .cmdbuf_size = commands->size};
   return uapi_ioctl(u, DRM_IOCTL_ASAHI_SUBMIT, &args);
}

int uapi_submit_one(struct uapi *u, struct drm_asahi_cmd_compute command, uint32_t out)
{
   struct uapi_commands commands = {.size = 0};
   uapi_add_compute(&commands, command, 0);
   return uapi_submit(u, u->queue, &commands, &(struct drm_asahi_sync){.handle = out}, 0, out != 0);
}

int uapi_run_command(struct uapi *u, struct drm_asahi_cmd_compute command)
{
   uint32_t out = uapi_syncobj(u, 0);
   int status = -ENODATA;
   if (out && uapi_expect(u, uapi_submit_one(u, command, out), OK, "SUBMIT") &&
       uapi_expect(u, uapi_wait(u, out, UAPI_PATIENCE), OK, "waiting for a job")) {
      status = uapi_fence_status(u, out);
   }
   struct drm_syncobj_destroy args = {.handle = out};
   uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
   return status;
}

static void run_copy(struct uapi *u, uint64_t from, uint64_t to)
{
   char name[24];
   int status = uapi_run_command(u, uapi_copy(u, from, to));
   uapi_true(u, status == 1, "a job that copies from 0x%llx to 0x%llx: expected success, seen %s",
             (unsigned long long)from, (unsigned long long)to, uapi_answer_name(-status, name));
}

#define SCRATCH_ADDRESS (UAPI_DATA + UAPI_SCRATCH * sizeof(uint32_t))

uint32_t uapi_peek(struct uapi *u, uint64_t address)
{
   u->data[UAPI_SCRATCH] = 0xBADBAD;
   run_copy(u, address, SCRATCH_ADDRESS);
   return u->data[UAPI_SCRATCH];
}

void uapi_poke(struct uapi *u, uint64_t address, uint32_t value)
{
   u->data[UAPI_SCRATCH] = value;
   run_copy(u, SCRATCH_ADDRESS, address);
}

bool uapi_strict(const struct uapi *u)
{
   return u->raw.is_virtual && !(u->params.features & DRM_ASAHI_FEATURE_SOFT_FAULTS);
}

bool uapi_soft_faults(struct uapi *u)
{
   if (!(u->params.features & DRM_ASAHI_FEATURE_SOFT_FAULTS)) {
      uapi_skip(u, "this device has no soft faults: unmapped memory cannot be looked at without a fault");
      return false;
   }
   return true;
}
