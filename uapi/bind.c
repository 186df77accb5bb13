/* SPDX-License-Identifier: MIT
 *
 * What VM_BIND accepts and refuses: spec/uapi.md 1.7. map.c tests what a mapping then does.
 */
#include <string.h>

#include "util/array.h"

#include "uapi/test.h"

#define VM_START UINT64_C(0x4000)
#define VM_END UINT64_C(0x7FFFFF8000)
#define KERNEL_START (VM_END - UAPI_KERNEL_SIZE)
#define RANGE (4 * UAPI_PAGE) /* range of the valid request, and size of its buffer */
#define READ DRM_ASAHI_BIND_READ
#define WRITE DRM_ASAHI_BIND_WRITE
#define SINGLE DRM_ASAHI_BIND_SINGLE_PAGE
#define UNBIND DRM_ASAHI_BIND_UNBIND

static struct drm_asahi_gem_bind_op data_op(const struct uapi *u, uint64_t page, uint64_t address)
{
   return (struct drm_asahi_gem_bind_op){
       .flags = READ | WRITE, .handle = u->data_bo, .offset = page * UAPI_PAGE, .range = UAPI_PAGE, .addr = address};
}

static int bind_array(struct uapi *u, uint32_t vm, const void *ops, uint32_t count, uint32_t stride)
{
   struct drm_asahi_vm_bind args = {.vm_id = vm, .num_binds = count, .stride = stride, .userptr = (uintptr_t)ops};
   return uapi_ioctl(u, DRM_IOCTL_ASAHI_VM_BIND, &args);
}

/* Marks the spare page and the list's, so that a job can tell which page it sees. */
static void mark(struct uapi *u)
{
   u->data[UAPI_SPARE] = 0x33333333;
   u->data[UAPI_LIST] = 0x44444444;
}
#define SPARE_PAGE (UAPI_SPARE * 4 / UAPI_PAGE)
#define LIST_PAGE (UAPI_LIST * 4 / UAPI_PAGE)

static void no_binds(struct uapi *u)
{
   uapi_expect(u, bind_array(u, 1000, NULL, 0, sizeof(struct drm_asahi_gem_bind_op)), OK,
               "no binds, an unknown VM and no array");
   uapi_expect(u, bind_array(u, 1000, NULL, 0, 0), E(EINVAL), "no binds with stride 0");
}

static void array(struct uapi *u)
{
   struct drm_asahi_gem_bind_op ops[] = {data_op(u, SPARE_PAGE, UAPI_FREE),
                                         data_op(u, LIST_PAGE, UAPI_FREE + UAPI_PAGE),
                                         data_op(u, SPARE_PAGE, UAPI_FREE + 2 * UAPI_PAGE)};
   mark(u);
   uapi_expect(u, bind_array(u, u->vm, ops, 3, sizeof(ops[0])), OK, "three binds at once");
   uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x33333333, "the first mapping");
   uapi_equal(u, uapi_peek(u, UAPI_FREE + UAPI_PAGE), 0x44444444, "the second mapping");
   uapi_equal(u, uapi_peek(u, UAPI_FREE + 2 * UAPI_PAGE), 0x33333333, "the third mapping");
}

static void array_in_order(struct uapi *u)
{
   struct drm_asahi_gem_bind_op ops[] = {data_op(u, SPARE_PAGE, UAPI_FREE),
                                         data_op(u, LIST_PAGE, UAPI_FREE),
                                         {.flags = UNBIND, .range = UAPI_PAGE, .addr = UAPI_FREE},
                                         data_op(u, LIST_PAGE, UAPI_FREE)};
   mark(u);
   uapi_expect(u, bind_array(u, u->vm, ops, 4, sizeof(ops[0])), OK, "bind, bind, unbind, bind of one page");
   uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x44444444, "the mapping of the last");
}

/* The ops before the mistake take effect, those after it do not. */
static void array_stops(struct uapi *u)
{
   struct drm_asahi_gem_bind_op ops[] = {data_op(u, SPARE_PAGE, UAPI_FREE),
                                         data_op(u, LIST_PAGE, UAPI_FREE + UAPI_PAGE),
                                         data_op(u, LIST_PAGE, UAPI_FREE + 2 * UAPI_PAGE)};
   mark(u);
   ops[1].handle = 1000;
   uapi_expect(u, bind_array(u, u->vm, ops, 3, sizeof(ops[0])), E(ENOENT), "three binds, the second wrong");
   uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x33333333, "the mapping before the mistake");
   if (uapi_soft_faults(u)) {
      uapi_equal(u, uapi_peek(u, UAPI_FREE + 2 * UAPI_PAGE), 0, "the mapping after the mistake");
   }
}

static void array_long(struct uapi *u)
{
   static struct drm_asahi_gem_bind_op ops[3000];
   for (size_t i = 0; i < ARRAY_COUNT(ops); i++) {
      ops[i] = data_op(u, i % 2 ? LIST_PAGE : SPARE_PAGE, UAPI_FREE + i * UAPI_PAGE);
   }
   mark(u);
   uapi_expect(u, bind_array(u, u->vm, ops, ARRAY_COUNT(ops), sizeof(ops[0])), OK, "3000 binds at once");
   uapi_equal(u, uapi_peek(u, UAPI_FREE + 2999 * UAPI_PAGE), 0x44444444, "the last mapping");
   uapi_equal(u, uapi_peek(u, UAPI_FREE + 2998 * UAPI_PAGE), 0x33333333, "the last mapping but one");
}

static void array_unreadable(struct uapi *u)
{
   uapi_expect(u, bind_array(u, u->vm, (void *)16, 1, sizeof(struct drm_asahi_gem_bind_op)), E(EFAULT),
               "an array that cannot be read");
}

/* The product, cut to 32 bits, is the size of one op. */
static void overflow_binds_nothing(struct uapi *u)
{
   struct drm_asahi_gem_bind_op op = data_op(u, SPARE_PAGE, UAPI_FREE);
   mark(u);
   uapi_expect(u, bind_array(u, u->vm, &op, (UINT32_C(1) << 27) + 1, sizeof(op)), E(EINVAL) | E(ENOMEM),
               "2^27 + 1 ops");
   if (uapi_soft_faults(u)) {
      uapi_equal(u, uapi_peek(u, UAPI_FREE), 0, "what is bound there");
   }
}

/* Address 0 is not the user's: the missing tail of an op reads as zero. */
static void stride_short(struct uapi *u)
{
   struct drm_asahi_gem_bind_op op = data_op(u, SPARE_PAGE, UAPI_FREE);
   uapi_expect(u, bind_array(u, u->vm, &op, 1, 24), E(EINVAL), "an op of 24 bytes, without its address");
   uapi_expect(u, bind_array(u, u->vm, &op, 1, 1), E(EINVAL), "an op of 1 byte");
}

struct wide {
   struct drm_asahi_gem_bind_op op;
   uint64_t more;
};

static void stride_wide_one(struct uapi *u)
{
   struct wide wide = {.op = data_op(u, SPARE_PAGE, UAPI_FREE)};
   mark(u);
   if (uapi_expect(u, bind_array(u, u->vm, &wide, 1, sizeof(wide)), OK, "one op with stride 40, zero beyond 32")) {
      uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x33333333, "the mapping");
   }
}

static void stride_wide_unknown(struct uapi *u)
{
   struct wide wide = {.op = data_op(u, SPARE_PAGE, UAPI_FREE), .more = 1};
   char name[24];
   int answer = bind_array(u, u->vm, &wide, 1, sizeof(wide));
   if (uapi_expect(u, answer, E(EINVAL) | OK, "one op with stride 40, not zero beyond 32")) {
      uapi_note(u, "%s: %s", uapi_answer_name(answer, name),
                answer ? "as the header promises" : "what is beyond 32 bytes is ignored, as by today's kernel");
   }
}

static void stride_wide_two(struct uapi *u)
{
   struct wide wide[] = {{.op = data_op(u, SPARE_PAGE, UAPI_FREE)},
                         {.op = data_op(u, LIST_PAGE, UAPI_FREE + UAPI_PAGE)}};
   mark(u);
   char name[24];
   int answer = bind_array(u, u->vm, wide, 2, sizeof(wide[0]));
   /* If the stride is ignored, the second op has flags and handle 0, and its offset and range are the first fields of
    * the real one, which are not aligned. */
   if (!uapi_expect(u, answer, OK | E(EINVAL) | E(ENOENT), "two ops with stride 40")) {
      return;
   }
   uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x33333333, "the first mapping");
   if (!answer) {
      uapi_equal(u, uapi_peek(u, UAPI_FREE + UAPI_PAGE), 0x44444444, "the second mapping");
   }
   uapi_note(u, "%s: %s", uapi_answer_name(answer, name),
             answer ? "all but the first op are misread, as by today's kernel" : "as the header promises");
}

static void other_vm(struct uapi *u)
{
   uint32_t vm = uapi_vm(u);
   mark(u);
   uapi_expect(u, uapi_bind(u, vm, data_op(u, SPARE_PAGE, UAPI_FREE)), OK, "VM_BIND in a second VM");
   uapi_expect(u, uapi_bind(u, u->vm, data_op(u, LIST_PAGE, UAPI_FREE)), OK, "VM_BIND there in the first VM");
   uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x44444444, "the first VM's mapping");
}

static void private_own(struct uapi *u)
{
   uint32_t bo = uapi_bo(u, UAPI_PAGE, DRM_ASAHI_GEM_VM_PRIVATE, u->vm);
   volatile uint32_t *map = uapi_map(u, bo, UAPI_PAGE);
   if (map && uapi_bind_at(u, bo, 0, UAPI_PAGE, UAPI_FREE)) {
      map[0] = 0x55555555;
      uapi_equal(u, uapi_peek(u, UAPI_FREE), 0x55555555, "a private buffer's word");
   }
}

static void private_foreign(struct uapi *u)
{
   uint32_t vm = uapi_vm(u), bo = uapi_bo(u, UAPI_PAGE, DRM_ASAHI_GEM_VM_PRIVATE, vm);
   struct drm_asahi_gem_bind_op op = {.flags = READ, .handle = bo, .range = UAPI_PAGE, .addr = UAPI_FREE};
   char name[24];
   int answer = uapi_bind(u, u->vm, op);
   uapi_expect(u, uapi_bind(u, vm, op), OK, "a private buffer in its own VM");
   if (uapi_expect(u, answer, E(EINVAL) | OK, "a private buffer in a VM that is not its own")) {
      uapi_note(u, "%s: %s", uapi_answer_name(answer, name),
                answer ? "as the header promises" : "today's kernel does not check it");
   }
}

/* Around the kernel's range, page by page. */
static void kernel_range(struct uapi *u)
{
   const uint64_t start = u->kernel_start, end = start + 0x20000000;
   uint32_t vm;
   struct drm_asahi_vm_create args = {.kernel_start = start, .kernel_end = end};
   if (!uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_VM_CREATE, &args), OK, "VM_CREATE")) {
      return;
   }
   vm = args.vm_id;
   /* start and end are multiples of 32 KiB but for vm_end's own offset: see vm/range-shrunk. */
   const struct {
      uint64_t address, pages;
      uint64_t answers;
   } cases[] = {
       {start - UAPI_PAGE, 1, OK},          {start + 2 * UAPI_PAGE, 1, E(EINVAL)},
       {end - 3 * UAPI_PAGE, 1, E(EINVAL)}, {end, 1, OK},
       {start - UAPI_PAGE, 4, E(EINVAL)},   {end - 3 * UAPI_PAGE, 4, E(EINVAL)},
   };
   for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
      struct drm_asahi_gem_bind_op op = data_op(u, 0, cases[i].address);
      op.range = cases[i].pages * UAPI_PAGE;
      uapi_expect(u, uapi_bind(u, vm, op), cases[i].answers, "bind of %u pages at 0x%llx", (unsigned)cases[i].pages,
                  (unsigned long long)cases[i].address);
      op = (struct drm_asahi_gem_bind_op){.flags = UNBIND, .range = op.range, .addr = op.addr};
      uapi_expect(u, uapi_bind(u, vm, op), cases[i].answers, "unbind of %u pages at 0x%llx", (unsigned)cases[i].pages,
                  (unsigned long long)cases[i].address);
   }
}

/* A range that contains the kernel's whole range. */
static void around_kernel_range(struct uapi *u)
{
   struct drm_asahi_vm_create args = {.kernel_start = UAPI_FREE, .kernel_end = UAPI_FREE + 0x20000000};
   struct drm_asahi_gem_bind_op op = data_op(u, 0, UAPI_FREE - UAPI_PAGE);
   uapi_expect(u, uapi_ioctl(u, DRM_IOCTL_ASAHI_VM_CREATE, &args), OK, "VM_CREATE");
   op.flags |= SINGLE;
   op.range = 0x20000000 + 2 * UAPI_PAGE;
   uapi_expect(u, uapi_bind(u, args.vm_id, op), E(EINVAL), "a bind around the kernel's range");
   op = (struct drm_asahi_gem_bind_op){.flags = UNBIND, .range = op.range, .addr = op.addr};
   uapi_expect(u, uapi_bind(u, args.vm_id, op), E(EINVAL), "an unbind around the kernel's range");
}

static void unbind_all(struct uapi *u)
{
   struct drm_asahi_gem_bind_op op = {.flags = UNBIND, .range = KERNEL_START - VM_START, .addr = VM_START};
   uapi_expect(u, uapi_bind(u, u->vm, op), OK, "an unbind of all that is the user's");
}

#define CALL(subtest, text, answers_, ...)                                                                             \
   {                                                                                                                   \
      "bind/" subtest, text, .request = uapi_call_vm_bind, .edits = {__VA_ARGS__}, .answers = answers_                 \
   }
#define UNCALL(subtest, text, answers_, ...)                                                                           \
   {                                                                                                                   \
      "bind/unbind-" subtest, text, .request = uapi_call_vm_unbind, .edits = {__VA_ARGS__}, .answers = answers_        \
   }
#define MAX_PAGE UINT64_C(0xFFFFFFFFFFFFC000)

static const struct uapi_test tests[] = {
    CALL("stride-zero", "stride 0: EINVAL", E(EINVAL), ARG(drm_asahi_vm_bind, stride, 0)),
    CALL("pad", "pad must be zero", E(EINVAL), ARG(drm_asahi_vm_bind, pad, 1)),
    CALL("userptr-null", "an array that cannot be read: EFAULT", E(EFAULT), ARG(drm_asahi_vm_bind, userptr, 0)),
    CALL("vm-zero", "0 is no VM: ENOENT", E(ENOENT), ARG(drm_asahi_vm_bind, vm_id, 0)),
    CALL("vm-unknown", "an unknown VM: ENOENT", E(ENOENT), ARG(drm_asahi_vm_bind, vm_id, 1000)),
    {"bind/count-overflow", "more binds than 32 bits of bytes hold: EINVAL", .request = uapi_call_vm_bind,
     .edits = {ARG(drm_asahi_vm_bind, num_binds, UINT32_C(1) << 28)}, .answers = E(EINVAL) | E(ENOMEM),
     .hazard = "today's kernel multiplies in 32 bits and panics or wraps"},
    {"bind/stride-overflow", "more bytes than 32 bits hold: EINVAL", .request = uapi_call_vm_bind,
     .edits = {ARG(drm_asahi_vm_bind, num_binds, 2), ARG(drm_asahi_vm_bind, stride, UINT32_C(1) << 31)},
     .answers = E(EINVAL) | E(ENOMEM), .hazard = "today's kernel multiplies in 32 bits and panics or wraps"},
    {"bind/overflow-binds-nothing", "more bytes than 32 bits hold: EINVAL, and nothing is bound",
     .run = overflow_binds_nothing, .hazard = "today's kernel multiplies in 32 bits and panics or wraps"},
    {"bind/none", "no binds: nothing happens, nothing is looked up", .run = no_binds},
    {"bind/array-unreadable", "an array that cannot be read: EFAULT", .run = array_unreadable},

    CALL("addr-unaligned", "addr is a multiple of 16 KiB", E(EINVAL), OP(addr, UAPI_FREE + 0x1000)),
    CALL("addr-odd", "addr is a multiple of 16 KiB", E(EINVAL), OP(addr, UAPI_FREE + 1)),
    CALL("range-unaligned", "range is a multiple of 16 KiB", E(EINVAL), OP(range, UAPI_PAGE + 0x1000)),
    CALL("range-odd", "range is a multiple of 16 KiB", E(EINVAL), OP(range, 1)),
    CALL("offset-unaligned", "offset is a multiple of 16 KiB", E(EINVAL), OP(offset, 0x2000), OP(range, UAPI_PAGE)),
    CALL("offset-odd", "offset is a multiple of 16 KiB", E(EINVAL), OP(offset, 1), OP(range, UAPI_PAGE)),
    {"bind/range-zero", "an empty range: EINVAL", "not established: it passes the checks", .request = uapi_call_vm_bind,
     .edits = {OP(range, 0)}, .answers = E(EINVAL), .today_answers = OK},
    CALL("flags-unknown", "unknown flags: EINVAL", E(EINVAL), OP(flags, READ | WRITE | 16)),
    CALL("flags-high", "unknown flags: EINVAL", E(EINVAL), OP(flags, READ | WRITE | UINT32_C(1) << 31)),
    CALL("flags-none", "neither READ nor WRITE: EINVAL", E(EINVAL), OP(flags, 0)),
    CALL("flags-single-alone", "neither READ nor WRITE: EINVAL", E(EINVAL), OP(flags, SINGLE)),
    CALL("flags-read", "READ alone is a mapping", OK, OP(flags, READ)),
    CALL("flags-write", "WRITE alone is a mapping", OK, OP(flags, WRITE)),
    CALL("handle-zero", "0 is no buffer: ENOENT", E(ENOENT), OP(handle, 0)),
    CALL("handle-unknown", "an unknown buffer: ENOENT", E(ENOENT), OP(handle, 1000)),
    CALL("handle-max", "an unknown buffer: ENOENT", E(ENOENT), OP(handle, UINT32_MAX)),
    CALL("beyond-buffer", "a range beyond the buffer: EINVAL", E(EINVAL), OP(range, RANGE + UAPI_PAGE)),
    CALL("offset-beyond", "offset and range beyond the buffer: EINVAL", E(EINVAL), OP(offset, UAPI_PAGE)),
    CALL("offset-at-end", "an offset at the buffer's end: EINVAL", E(EINVAL), OP(offset, RANGE), OP(range, UAPI_PAGE)),
    CALL("offset-last-page", "the buffer's last page", OK, OP(offset, RANGE - UAPI_PAGE), OP(range, UAPI_PAGE)),
    CALL("offset-overflow", "offset + range overflow: EINVAL", E(EINVAL), OP(offset, MAX_PAGE), OP(range, UAPI_PAGE)),
    CALL("offset-wraps-inside", "offset + range overflow to an end inside the buffer: EINVAL", E(EINVAL),
         OP(offset, MAX_PAGE), OP(range, 2 * UAPI_PAGE)),
    CALL("addr-overflow", "addr + range overflow: EINVAL", E(EINVAL), OP(addr, MAX_PAGE), OP(range, 2 * UAPI_PAGE)),
    CALL("addr-below", "addr below the window: EINVAL", E(EINVAL), OP(addr, 0), OP(range, UAPI_PAGE)),
    CALL("addr-first", "the window's first page", OK, OP(addr, VM_START), OP(range, UAPI_PAGE)),
    CALL("addr-at-end", "addr at the window's end: EINVAL", E(EINVAL), OP(addr, VM_END), OP(range, UAPI_PAGE)),
    CALL("addr-above", "addr above the window: EINVAL", E(EINVAL), OP(addr, UINT64_C(1) << 40)),
    CALL("addr-high-bits", "an address with high bits set: EINVAL", E(EINVAL), OP(addr, UINT64_C(0xFFFFFF8000000000))),
    CALL("kernel-start", "in the kernel's range: EINVAL", E(EINVAL), OP(addr, KERNEL_START + UAPI_PAGE)),
    CALL("kernel-into", "into the kernel's range: EINVAL", E(EINVAL), OP(addr, KERNEL_START - UAPI_PAGE)),
    CALL("kernel-end", "at the kernel range's end: EINVAL", E(EINVAL), OP(addr, VM_END - RANGE)),
    CALL("kernel-before", "right before the kernel's range", OK, OP(addr, KERNEL_START - RANGE)),
    CALL("single-longer", "SINGLE_PAGE: a range longer than the buffer", OK, OP(flags, READ | SINGLE),
         OP(range, UINT64_C(1) << 30)),
    CALL("single-last", "SINGLE_PAGE of the buffer's last page", OK, OP(flags, READ | SINGLE),
         OP(offset, RANGE - UAPI_PAGE)),
    CALL("single-beyond", "SINGLE_PAGE of a page beyond the buffer: EINVAL", E(EINVAL), OP(flags, READ | SINGLE),
         OP(offset, RANGE)),
    CALL("single-overflow", "SINGLE_PAGE of the last page of 64 bits: EINVAL", E(EINVAL), OP(flags, READ | SINGLE),
         OP(offset, MAX_PAGE)),
    CALL("handle-before-window", "the buffer is looked up before the address is checked", E(ENOENT), OP(handle, 1000),
         OP(addr, 0)),
    CALL("flags-before-handle", "flags are checked before the buffer is looked up", E(EINVAL), OP(handle, 1000),
         OP(flags, 16)),
    CALL("window-before-vm", "the address is checked before the VM is looked up", E(EINVAL), OP(addr, 0),
         ARG(drm_asahi_vm_bind, vm_id, 1000)),
    CALL("access-before-vm", "READ and WRITE are checked before the VM is looked up", E(EINVAL), OP(flags, 0),
         ARG(drm_asahi_vm_bind, vm_id, 1000)),

    UNCALL("hole", "unbinding where nothing is bound succeeds", OK, OP(range, RANGE)),
    UNCALL("offset", "an unbind has no offset: EINVAL", E(EINVAL), OP(offset, UAPI_PAGE)),
    UNCALL("handle", "an unbind has no buffer: EINVAL", E(EINVAL), OP(handle, 1)),
    UNCALL("read", "an unbind has no other flag: EINVAL", E(EINVAL), OP(flags, UNBIND | READ)),
    UNCALL("write", "an unbind has no other flag: EINVAL", E(EINVAL), OP(flags, UNBIND | WRITE)),
    UNCALL("single", "an unbind has no other flag: EINVAL", E(EINVAL), OP(flags, UNBIND | SINGLE)),
    UNCALL("flag-unknown", "an unbind has no other flag: EINVAL", E(EINVAL), OP(flags, UNBIND | 16)),
    UNCALL("addr-unaligned", "addr is a multiple of 16 KiB", E(EINVAL), OP(addr, UAPI_FREE + 0x1000)),
    UNCALL("range-unaligned", "range is a multiple of 16 KiB", E(EINVAL), OP(range, 0x1000)),
    {"bind/unbind-range-zero", "an empty range: EINVAL", "not established: it passes the checks",
     .request = uapi_call_vm_unbind, .edits = {OP(range, 0)}, .answers = E(EINVAL), .today_answers = OK},
    UNCALL("overflow", "addr + range overflow: EINVAL", E(EINVAL), OP(addr, MAX_PAGE)),
    UNCALL("below", "addr below the window: EINVAL", E(EINVAL), OP(addr, 0)),
    UNCALL("above", "addr above the window: EINVAL", E(EINVAL), OP(addr, VM_END)),
    UNCALL("kernel", "in the kernel's range: EINVAL", E(EINVAL), OP(addr, KERNEL_START + UAPI_PAGE)),
    UNCALL("into-kernel", "into the kernel's range: EINVAL", E(EINVAL), OP(addr, KERNEL_START - UAPI_PAGE)),
    UNCALL("vm-unknown", "an unknown VM: ENOENT", E(ENOENT), ARG(drm_asahi_vm_bind, vm_id, 1000)),
    {"bind/unbind-all", "the user's whole range can be unbound at once", .run = unbind_all},

    {"bind/array", "several binds in one request", .run = array},
    {"bind/array-in-order", "binds of one request happen in their order", .run = array_in_order},
    {"bind/array-stops", "a mistake ends the request; what came before stays done", .run = array_stops},
    {"bind/array-long", "3000 binds in one request", .run = array_long},
    {"bind/stride-short", "what a short op leaves out is zero", .run = stride_short},
    {"bind/stride-wide-one", "an op may be longer than the kernel knows", .run = stride_wide_one},
    {"bind/stride-wide-unknown", "unknown fields of an op must be zero: EINVAL", "they are not read",
     .run = stride_wide_unknown},
    {"bind/stride-wide-two", "stride says where the next op starts",
     "it goes on after 32 bytes, and misreads the second", .run = stride_wide_two},
    {"bind/other-vm", "VMs have their own mappings", .run = other_vm},
    {"bind/private-own", "a private buffer in its VM", .run = private_own},
    {"bind/private-foreign", "a private buffer in another VM: EINVAL", "it is not checked", .run = private_foreign},
    {"bind/kernel-range", "the pages around the ends of the kernel's range", .run = kernel_range},
    {"bind/around-kernel-range", "a range that holds the kernel's: EINVAL", .run = around_kernel_range},
};
UAPI_AREA(bind);
