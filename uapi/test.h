/* SPDX-License-Identifier: MIT
 *
 * What the files of this room share: the description of a subtest, and the objects that it uses.
 */
#ifndef UAPI_TEST_H
#define UAPI_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/uapi/asahi_drm.h"
#include "drm/raw.h"
#include "isa/program.h"
#include "uapi/uapi.h"
#include "util/array.h"

#define UAPI_PAGE ((uint64_t)DRM_ASAHI_PAGE_SIZE)

/* A set of answers to a request: bit 0 success, bit n errno n. All errnos of the uAPI are below 64. */
#define OK UINT64_C(1)
#define E(error) (UINT64_C(1) << (error))

/* ---- The device that a subtest gets ---- */

#define UAPI_MAPS 24u
/* GPU addresses. The USC window starts with a page that stays unmapped. */
#define UAPI_USC UINT64_C(0x1100000000)
#define UAPI_EXEC (UAPI_USC + UAPI_PAGE)
#define UAPI_EXEC_SIZE UINT64_C(0x84000) /* a page of code, then slots for 2,048 commands */
#define UAPI_DATA UINT64_C(0x1200000000)
#define UAPI_DATA_SIZE UINT64_C(0x10000)
#define UAPI_FREE UINT64_C(0x1300000000) /* nothing is bound from here up to the kernel's range */
#define UAPI_KERNEL_SIZE (UINT64_C(32) << 30)
/* Contents of the data buffer, as indices of words. */
#define UAPI_LIST 0u       /* the list that append commands write: count, then values */
#define UAPI_GATES 0x1000u /* words that commands wait for, UAPI_GATE_STEP apart; 1: open */
#define UAPI_GATE_STEP 32u
#define UAPI_SCRATCH 0x2000u /* words for uapi_peek() and uapi_poke() */
#define UAPI_SPARE 0x3000u   /* a page for the subtest itself */
#define UAPI_NO_GATE 31u     /* a gate that is always open */

struct uapi {
   const char *spec;
   const struct asahi_watch *watch;  /* NULL: none */
   const struct agx_program *helper; /* for scratch memory; NULL: none at hand */
   struct asahi_raw raw;             /* fd -1: closed */
   struct drm_asahi_params_global params;
   struct asahi_device_info info;
   struct uapi_result *result;
   uint32_t vm, queue, exec_bo, data_bo;
   uint64_t kernel_start, kernel_end; /* of the VM */
   uint8_t *exec;
   volatile uint32_t *data;
   unsigned slots;      /* used */
   uint32_t gate_limit; /* rounds that a closed gate holds a command; 0: not measured yet */
   struct {
      void *address;
      size_t size;
   } maps[UAPI_MAPS];
};

/* Opens the device, with memory, queue and programs. Returns false if that failed; the result says why. */
bool uapi_open(struct uapi *u, const char *spec, const struct asahi_watch *watch, struct uapi_result *result);
/* A second device file of the same device, bare: no VM, no queue. Close it before the first. */
bool uapi_reopen(const struct uapi *u, struct uapi *other);
void uapi_close(struct uapi *u); /* twice is fine */
/* A second VM in the same file, with memory, queue and programs of its own; end it with uapi_unmap_all(). */
bool uapi_second(const struct uapi *u, struct uapi *second);
void uapi_unmap_all(struct uapi *u);

/* ---- Results ---- */

/* The first failure counts. */
void uapi_fail(struct uapi *u, const char *format, ...) __attribute__((format(printf, 2, 3)));
void uapi_skip(struct uapi *u, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Records which of two allowed behaviours this device has. */
void uapi_note(struct uapi *u, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool uapi_good(const struct uapi *u); /* nothing has failed */
/* Compares an answer (0 or errno) with a set of answers. Returns whether it is one of them. The text names the
 * request. */
bool uapi_expect(struct uapi *u, int answer, uint64_t answers, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Compares numbers. Returns whether they are equal. */
bool uapi_equal(struct uapi *u, uint64_t seen, uint64_t expected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool uapi_true(struct uapi *u, bool condition, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "success", "EINVAL", "errno 200". */
const char *uapi_answer_name(int answer, char buffer[24]);

/* ---- Requests. Those that return a handle fail the subtest and return 0 when they are refused. ---- */

int uapi_ioctl(struct uapi *u, unsigned long request, void *argument); /* 0 or errno */
int uapi_fd_ioctl(struct uapi *u, int fd, unsigned long request, void *argument);
uint32_t uapi_vm(struct uapi *u);
int uapi_vm_destroy(struct uapi *u, uint32_t vm); /* 0 or errno */
uint32_t uapi_bo(struct uapi *u, uint64_t size, uint32_t flags, uint32_t vm);
int uapi_bo_close(struct uapi *u, uint32_t bo);                                             /* 0 or errno */
void *uapi_map(struct uapi *u, uint32_t bo, size_t size);                                   /* NULL: failed */
int uapi_mmap(struct uapi *u, int fd, uint64_t offset, size_t size, int flags, void **out); /* 0 or errno */
void uapi_unmap(struct uapi *u, void *address);
int uapi_bind(struct uapi *u, uint32_t vm, struct drm_asahi_gem_bind_op op); /* 0 or errno */
/* READ | WRITE from the buffer's offset; fails the subtest. */
bool uapi_bind_at(struct uapi *u, uint32_t bo, uint64_t offset, uint64_t range, uint64_t address);
bool uapi_unbind(struct uapi *u, uint64_t address, uint64_t range);
uint32_t uapi_queue(struct uapi *u, uint32_t vm, uint32_t priority);
int uapi_queue_destroy(struct uapi *u, uint32_t queue); /* 0 or errno */
uint32_t uapi_object(struct uapi *u, uint32_t bo, uint64_t offset, uint64_t range);
int uapi_object_unbind(struct uapi *u, uint32_t object); /* 0 or errno */
uint32_t uapi_syncobj(struct uapi *u, uint32_t flags);
uint64_t uapi_time(struct uapi *u);

/* Waits for a binary syncobj, or for a timeline's point: 0 or errno (ETIME: not yet). */
#define UAPI_PATIENCE 30000 /* ms: longer than any job here takes, also under valgrind */
int uapi_wait(struct uapi *u, uint32_t syncobj, int milliseconds);
int uapi_wait_point(struct uapi *u, uint32_t syncobj, uint64_t point, uint32_t flags, int milliseconds);
int64_t uapi_after(int milliseconds); /* CLOCK_MONOTONIC, ns */
uint64_t uapi_query(struct uapi *u, uint32_t syncobj);
/* Returns the status of the fence in a syncobj, through a sync_file: 1 done, 0 pending, or a negative errno. */
int uapi_fence_status(struct uapi *u, uint32_t syncobj);
/* Waits for it, and fails the subtest unless it is done without error. */
bool uapi_done(struct uapi *u, uint32_t syncobj);

/* ---- Work. Programs are hand-made machine code: job.c. ---- */

#define UAPI_NONE DRM_ASAHI_BARRIER_NONE

struct uapi_commands {
   uint8_t bytes[8192];
   uint32_t size;
};
void uapi_add(struct uapi_commands *commands, uint16_t type, const void *payload, uint16_t size, uint16_t vdm_barrier,
              uint16_t cdm_barrier);
void uapi_add_compute(struct uapi_commands *commands, struct drm_asahi_cmd_compute compute, uint16_t cdm_barrier);

void uapi_load_programs(struct uapi *u); /* called by uapi_open() */
/* Copies 32 words from one GPU address to another. */
struct drm_asahi_cmd_compute uapi_copy(struct uapi *u, uint64_t from, uint64_t to);
/* Waits for the gate to open (or for about a second and a half), then appends the value to the list. Accesses the list
 * without atomics: two such commands must not run at the same time. */
struct drm_asahi_cmd_compute uapi_append(struct uapi *u, uint32_t value, unsigned gate);
/* A command that runs the subtest's own machine code with one thread; a second call overwrites the code of the first.
 * And the addresses of a command's stream and USC words, for tests that corrupt them. */
struct drm_asahi_cmd_compute uapi_program(struct uapi *u, const uint8_t *code, size_t size);
/* The same with a stack in scratch memory: the spill bucket that it declares, du0, and the helper program; helper.data,
 * the scratch header, is the caller's to set. */
struct drm_asahi_cmd_compute uapi_stack_program(struct uapi *u, const uint8_t *code, size_t size, unsigned bucket,
                                                uint64_t du0);
uint8_t *uapi_stream_of(struct uapi *u, const struct drm_asahi_cmd_compute *command);
uint8_t *uapi_usc_of(struct uapi *u, const struct drm_asahi_cmd_compute *command);
void uapi_open_gate(struct uapi *u, unsigned gate);
/* Returns whether the list holds just these values in this order. */
bool uapi_list(struct uapi *u, const uint32_t *values, uint32_t count);
#define UAPI_LIST_IS(u, ...)                                                                                           \
   uapi_list(u, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* syncs: the in-syncs, then the out-syncs. Returns 0 or errno. */
int uapi_submit(struct uapi *u, uint32_t queue, const struct uapi_commands *commands,
                const struct drm_asahi_sync *syncs, uint32_t ins, uint32_t outs);
/* Submits one command on the subtest's queue with one binary out-sync (0: none), after all of the queue's earlier
 * work. */
int uapi_submit_one(struct uapi *u, struct drm_asahi_cmd_compute command, uint32_t out);
/* The same, and waits. Returns the fence's status. */
int uapi_run_command(struct uapi *u, struct drm_asahi_cmd_compute command);
/* A job that must fail. Runs it; the device must go on working. answer: the virtual device's errno. (fault.c) */
void uapi_expect_fault(struct uapi *u, struct drm_asahi_cmd_compute command, int answer);
/* The GPU's view of a word. They fail the subtest unless the job ends well. */
uint32_t uapi_peek(struct uapi *u, uint64_t address);
void uapi_poke(struct uapi *u, uint64_t address, uint32_t value);
/* Whether what is unmapped reads as 0 and swallows stores on this device; else the subtest is skipped. */
bool uapi_soft_faults(struct uapi *u);
/* A virtual device that refuses what no client should send: vgpu/vgpu.h. */
bool uapi_strict(const struct uapi *u);

/* ---- A subtest: a function, or a request with something changed in it ---- */

enum uapi_part { UAPI_ARGS, UAPI_OP, UAPI_COMMANDS, UAPI_SYNCS, UAPI_HANDLES };

/* A valid request, made by a builder. */
struct uapi_call {
   unsigned long request;
   union {
      uint8_t bytes[64];
      struct drm_asahi_get_params get_params;
      struct drm_asahi_get_time get_time;
      struct drm_asahi_vm_create vm_create;
      struct drm_asahi_vm_destroy vm_destroy;
      struct drm_asahi_vm_bind vm_bind;
      struct drm_asahi_gem_create gem_create;
      struct drm_asahi_gem_mmap_offset gem_mmap_offset;
      struct drm_asahi_gem_bind_object gem_bind_object;
      struct drm_asahi_queue_create queue_create;
      struct drm_asahi_queue_destroy queue_destroy;
      struct drm_asahi_submit submit;
      struct drm_gem_close gem_close;
      struct drm_prime_handle prime;
      struct drm_syncobj_create syncobj_create;
      struct drm_syncobj_destroy syncobj_destroy;
      struct drm_syncobj_handle syncobj_handle;
      struct drm_syncobj_wait syncobj_wait;
      struct drm_syncobj_timeline_wait syncobj_timeline_wait;
      struct drm_syncobj_array syncobj_array;
      struct drm_syncobj_timeline_array syncobj_timeline_array;
      struct drm_syncobj_transfer syncobj_transfer;
   } args;
   struct drm_asahi_params_global params; /* what arguments point to, likewise below */
   struct drm_asahi_gem_bind_op op;
   struct uapi_commands commands;
   struct drm_asahi_sync syncs[2]; /* an in-sync, signalled, and the out-sync */
   uint32_t handles[2];
   uint64_t points[2];
   uint64_t plain; /* the answers to it as it is; 0: success */
};
typedef void uapi_builder(struct uapi *u, struct uapi_call *call);

struct uapi_edit {
   enum uapi_part part;
   uint16_t offset, size; /* size 0: no edit */
   uint64_t value;
};
#define FIELD(part, base, type, member, value)                                                                         \
   {                                                                                                                   \
      part, (base) + offsetof(struct type, member), sizeof(((struct type *)0)->member), value                          \
   }
#define ARG(type, member, value) FIELD(UAPI_ARGS, 0, type, member, value)
#define OP(member, value) FIELD(UAPI_OP, 0, drm_asahi_gem_bind_op, member, value)
#define SYNC(index, member, value)                                                                                     \
   FIELD(UAPI_SYNCS, (index) * sizeof(struct drm_asahi_sync), drm_asahi_sync, member, value)
#define HANDLE(index, value)                                                                                           \
   {                                                                                                                   \
      UAPI_HANDLES, (index) * sizeof(uint32_t), sizeof(uint32_t), value                                                \
   }
#define HEADER(member, value) FIELD(UAPI_COMMANDS, 0, drm_asahi_cmd_header, member, value)
#define COMMAND(type, member, value) FIELD(UAPI_COMMANDS, sizeof(struct drm_asahi_cmd_header), type, member, value)

struct uapi_test {
   const char *name;    /* area/subtest */
   const char *promise; /* what the header promises */
   const char *today;   /* what today's kernel does instead, if so */
   void (*run)(struct uapi *u);
   /* Or: this request with these changes gets one of these answers. After a refusal the same request without the
    * changes must succeed, so that the change is the cause of the refusal. */
   uapi_builder *request;
   struct uapi_edit edits[4];
   uint64_t answers;       /* what the header promises */
   uint64_t today_answers; /* what today's kernel says besides */
   uint64_t strict;        /* what a strict virtual device says instead, of what no client should send */
   const char *risk;   /* why it may hang or reset a real GPU, beside those of the group fault; NULL: it should not */
   const char *hazard; /* why no kernel must be asked this: on hardware the subtest is skipped */
};

struct uapi_area {
   const struct uapi_test *tests;
   size_t count;
};
#define UAPI_AREA(name) const struct uapi_area uapi_area_##name = {tests, ARRAY_COUNT(tests)}

/* request.c */
uapi_builder uapi_call_get_params, uapi_call_get_time, uapi_call_vm_create, uapi_call_vm_destroy, uapi_call_vm_bind,
    uapi_call_vm_unbind, uapi_call_gem_create, uapi_call_gem_private, uapi_call_mmap_offset, uapi_call_object_bind,
    uapi_call_object_unbind, uapi_call_queue_create, uapi_call_queue_destroy, uapi_call_submit, uapi_call_stamped,
    uapi_call_render, uapi_call_attachments;
/* request_drm.c: what the DRM core answers for all drivers */
uapi_builder uapi_call_gem_close, uapi_call_prime_export, uapi_call_prime_import, uapi_call_syncobj_create,
    uapi_call_syncobj_destroy, uapi_call_syncobj_export, uapi_call_syncobj_import, uapi_call_sync_file_export,
    uapi_call_sync_file_import, uapi_call_syncobj_wait, uapi_call_timeline_wait, uapi_call_syncobj_reset,
    uapi_call_syncobj_signal, uapi_call_timeline_signal, uapi_call_syncobj_query, uapi_call_syncobj_transfer;

#endif
