/* SPDX-License-Identifier: MIT
 *
 * VM_CREATE and VM_DESTROY: spec/uapi.md 1.5 and 1.6.
 */
#include "uapi/test.h"

#define VM_START UINT64_C(0x4000)
#define VM_END UINT64_C(0x7FFFFF8000)
#define MIN_SIZE UINT64_C(0x20000000)

static int create(struct uapi *u, uint64_t start, uint64_t end, uint32_t *vm)
{
   struct drm_asahi_vm_create args = {.kernel_start = start, .kernel_end = end};
   int answer = uapi_ioctl(u, DRM_IOCTL_ASAHI_VM_CREATE, &args);
   *vm = args.vm_id;
   return answer;
}

static int bind_page(struct uapi *u, uint32_t vm, uint64_t address)
{
   return uapi_bind(u, vm,
                    (struct drm_asahi_gem_bind_op){
                        .flags = DRM_ASAHI_BIND_READ, .handle = u->data_bo, .range = UAPI_PAGE, .addr = address});
}

/* The subtest's own VM is number 1. */
static void ids(struct uapi *u)
{
   uint32_t second = uapi_vm(u), third = uapi_vm(u);
   uapi_equal(u, u->vm, 1, "the first VM's id");
   uapi_equal(u, second, 2, "the second VM's id");
   uapi_equal(u, third, 3, "the third VM's id");
   uapi_expect(u, uapi_vm_destroy(u, second), OK, "VM_DESTROY");
   uapi_equal(u, uapi_vm(u), 2, "the id after VM 2 has gone");
}

static void per_file(struct uapi *u)
{
   struct uapi other;
   if (uapi_reopen(u, &other)) {
      uapi_expect(u, uapi_vm_destroy(&other, u->vm), E(ENOENT), "VM_DESTROY of another file's VM");
      uapi_equal(u, uapi_vm(&other), 1, "the first VM's id of the second file");
   }
   uapi_close(&other);
}

static void destroy_twice(struct uapi *u)
{
   uint32_t vm = uapi_vm(u);
   uapi_expect(u, uapi_vm_destroy(u, vm), OK, "VM_DESTROY");
   uapi_expect(u, uapi_vm_destroy(u, vm), E(ENOENT), "VM_DESTROY for the second time");
}

static void unknown_after_destroy(struct uapi *u)
{
   uint32_t vm = uapi_vm(u);
   uapi_expect(u, uapi_vm_destroy(u, vm), OK, "VM_DESTROY");
   uapi_expect(u, bind_page(u, vm, UAPI_FREE), E(ENOENT), "VM_BIND after VM_DESTROY");
   struct drm_asahi_queue_create queue = {.vm_id = vm, .usc_exec_base = UAPI_USC};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_QUEUE_CREATE, &queue), E(ENOENT), "QUEUE_CREATE after VM_DESTROY");
   struct drm_asahi_gem_create bo = {.size = UAPI_PAGE, .flags = DRM_ASAHI_GEM_VM_PRIVATE, .vm_id = vm};
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_GEM_CREATE, &bo), E(ENOENT), "a private buffer after VM_DESTROY");
}

/* After the VM is destroyed its queue exists, and can be destroyed. */
static void destroy_under_queue(struct uapi *u)
{
   uint32_t vm = uapi_vm(u), queue = uapi_queue(u, vm, DRM_ASAHI_PRIORITY_LOW);
   uapi_expect(u, uapi_vm_destroy(u, vm), OK, "VM_DESTROY with a queue");
   uapi_expect(u, uapi_queue_destroy(u, queue), OK, "QUEUE_DESTROY after its VM");
   uapi_equal(u, uapi_peek(u, UAPI_DATA + UAPI_GATES * 4), 0, "a word of the subtest's own VM");
}

/* All is unmapped at once, so what the queue is given cannot be fetched. */
static void destroy_unmaps(struct uapi *u)
{
   struct drm_asahi_cmd_compute command = uapi_append(u, 1, UAPI_NO_GATE);
   uapi_expect(u, uapi_vm_destroy(u, u->vm), OK, "VM_DESTROY");
   if (uapi_strict(u)) {
      uapi_expect(u, uapi_submit_one(u, command, 0), E(EINVAL), "SUBMIT of an unmapped stream");
      return;
   }
   int status = uapi_run_command(u, command);
   char name[24];
   uapi_true(u, status == -EIO, "a job in a destroyed VM: expected EIO, seen %s", uapi_answer_name(-status, name));
   uapi_equal(u, u->data[UAPI_LIST], 0, "commands that have run");
}

/* The user's part of the addresses, with a kernel range of an odd number of pages at both ends: the range is shrunk to
 * 32 KiB. */
static void shrunk(struct uapi *u)
{
   uint64_t start = UAPI_FREE + UAPI_PAGE, end = start + MIN_SIZE + 2 * UAPI_PAGE;
   uint32_t vm;
   if (!uapi_expect(u, create(u, start, end, &vm), OK, "VM_CREATE with ends that are 16 KiB aligned only")) {
      return;
   }
   int first = bind_page(u, vm, start), last = bind_page(u, vm, end - UAPI_PAGE);
   char name[24];
   uapi_expect(u, first, OK | E(EINVAL), "VM_BIND of the kernel range's first, odd page");
   uapi_equal(u, (uint64_t)last, (uint64_t)first, "the answer for the last, odd page, and for the first");
   uapi_expect(u, bind_page(u, vm, start + UAPI_PAGE), E(EINVAL), "VM_BIND of the kernel range's second page");
   uapi_expect(u, bind_page(u, vm, end - 2 * UAPI_PAGE), E(EINVAL), "VM_BIND of the kernel range's last page but one");
   uapi_note(u, "%s: %s", uapi_answer_name(first, name),
             first ? "all of the range is the kernel's" : "the range is shrunk to 32 KiB, as today's kernel does");
}

/* The kernel's range is the VM's own: another VM can use the same addresses. */
static void own_range(struct uapi *u)
{
   uint32_t vm;
   uapi_expect(u, create(u, UAPI_FREE, UAPI_FREE + MIN_SIZE, &vm), OK, "VM_CREATE");
   uapi_expect(u, bind_page(u, vm, UAPI_FREE), E(EINVAL), "VM_BIND in the VM's kernel range");
   uapi_expect(u, bind_page(u, u->vm, UAPI_FREE), OK, "VM_BIND there in another VM");
   uapi_expect(u, bind_page(u, vm, u->kernel_start), OK, "VM_BIND in the other VM's kernel range");
}

static void many(struct uapi *u)
{
   uint32_t vms[64];
   for (unsigned i = 0; i < 64; i++) {
      vms[i] = uapi_vm(u);
      uapi_expect(u, bind_page(u, vms[i], UAPI_FREE), OK, "VM_BIND in VM %u", i);
   }
   for (unsigned i = 0; i < 64; i++) {
      uapi_expect(u, uapi_vm_destroy(u, vms[i]), OK, "VM_DESTROY of VM %u", i);
   }
}

#define CREATE(subtest, text, answers_, start, end)                                                                    \
   {                                                                                                                   \
      "vm/" subtest, text,                                                                                             \
          .request = uapi_call_vm_create,                                                                              \
          .edits = {ARG(drm_asahi_vm_create, kernel_start, start), ARG(drm_asahi_vm_create, kernel_end, end)},         \
          .answers = answers_                                                                                          \
   }
#define DESTROY(subtest, text, answers_, ...)                                                                          \
   {                                                                                                                   \
      "vm/" subtest, text, .request = uapi_call_vm_destroy, .edits = {__VA_ARGS__}, .answers = answers_                \
   }

static const struct uapi_test tests[] = {
    CREATE("range-empty", "an empty kernel range: EINVAL", E(EINVAL), 0x100000000, 0x100000000),
    CREATE("range-zero", "no kernel range: EINVAL", E(EINVAL), 0, 0),
    CREATE("range-inverted", "a kernel range that ends before it starts: EINVAL", E(EINVAL), 0x140000000, 0x100000000),
    CREATE("range-small", "a kernel range a page short of the least: EINVAL", E(EINVAL), 0x100000000,
           0x100000000 + MIN_SIZE - UAPI_PAGE),
    CREATE("range-least", "the least kernel range is enough", OK, 0x100000000, 0x100000000 + MIN_SIZE),
    CREATE("range-whole", "a kernel range of the whole window", OK, VM_START, VM_END),
    CREATE("range-from-start", "a kernel range at the window's start", OK, VM_START, VM_START + MIN_SIZE),
    CREATE("range-below", "a kernel range that starts below the window: EINVAL", E(EINVAL), 0, MIN_SIZE),
    CREATE("range-above", "a kernel range that ends above the window: EINVAL", E(EINVAL), VM_END - MIN_SIZE,
           VM_END + UAPI_PAGE),
    CREATE("range-far-above", "a kernel range far above the window: EINVAL", E(EINVAL), UINT64_C(1) << 40,
           (UINT64_C(1) << 40) + MIN_SIZE),
    CREATE("range-max", "a kernel range up to 2^64: EINVAL", E(EINVAL), 0x100000000, UINT64_C(0xFFFFFFFFFFFFC000)),
    CREATE("start-unaligned", "kernel_start is a multiple of 16 KiB", E(EINVAL), 0x100001000, 0x140000000),
    CREATE("start-odd", "kernel_start is a multiple of 16 KiB", E(EINVAL), 0x100000001, 0x140000000),
    CREATE("end-unaligned", "kernel_end is a multiple of 16 KiB", E(EINVAL), 0x100000000, 0x140002000),
    CREATE("end-odd", "kernel_end is a multiple of 16 KiB", E(EINVAL), 0x100000000, 0x13FFFFFFF),
    {"vm/create-pad", "pad must be zero", "it is not checked", .request = uapi_call_vm_create,
     .edits = {ARG(drm_asahi_vm_create, pad, 1)}, .answers = E(EINVAL), .today_answers = OK},
    {"vm/create-id-ignored", "vm_id only goes out", .request = uapi_call_vm_create,
     .edits = {ARG(drm_asahi_vm_create, vm_id, UINT32_MAX)}, .answers = OK},
    DESTROY("destroy-zero", "0 is no VM: ENOENT", E(ENOENT), ARG(drm_asahi_vm_destroy, vm_id, 0)),
    DESTROY("destroy-unknown", "an unknown VM: ENOENT", E(ENOENT), ARG(drm_asahi_vm_destroy, vm_id, 1000)),
    DESTROY("destroy-max", "an unknown VM: ENOENT", E(ENOENT), ARG(drm_asahi_vm_destroy, vm_id, UINT32_MAX)),
    {"vm/destroy-pad", "pad must be zero", "it is not checked", .request = uapi_call_vm_destroy,
     .edits = {ARG(drm_asahi_vm_destroy, pad, 1)}, .answers = E(EINVAL), .today_answers = OK},
    {"vm/destroy-twice", "a VM can be destroyed once: ENOENT", .run = destroy_twice},
    {"vm/unknown-after-destroy", "a destroyed VM is unknown to all requests", .run = unknown_after_destroy},
    {"vm/destroy-under-queue", "a VM can be destroyed before its queue", .run = destroy_under_queue},
    {"vm/destroy-unmaps", "destroying a VM unmaps all, also under its queues", .run = destroy_unmaps,
     .risk = "its job runs in a VM without mappings"},
    {"vm/ids", "ids are the lowest free ones from 1", .run = ids},
    {"vm/per-file", "ids are the file's own", .run = per_file},
    {"vm/range-shrunk", "the kernel's range is the client's choice, page by page",
     "it is shrunk to a granularity of 32 KiB", .run = shrunk},
    {"vm/range-own", "each VM has its own kernel range", .run = own_range},
    {"vm/many", "64 VMs at a time, more than the hardware has slots for", .run = many},
};
UAPI_AREA(vm);
