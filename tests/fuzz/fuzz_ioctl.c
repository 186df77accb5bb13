/* SPDX-License-Identifier: MIT
 *
 * Sequences of requests with any arguments against the virtual device: each is answered with success or an errno that
 * the uAPI knows, nothing hangs, and closing gives back all there was.
 *
 * Input: a byte that picks the device and whether a working client's objects exist from the start, then requests. A
 * request is a byte that picks its row in the table below and, for each field of the row, a byte that picks one of the
 * values that make sense there, or asks for raw bytes. Pointers never come from raw bytes: a good one would let the
 * device write into the fuzzer itself, as a client may ask of it.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"
#include "tests/vgpu/driver/client.h"
#include "vgpu/driver/device.h"
#include "vgpu/vgpu.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM ((size_t)65536) /* the client's arrays; what lies behind is no memory */
#define REQUESTS_MAX 64u
#define DEVICE_INPUTS 1000u /* run on one device, before another is opened */

enum kind { END, ID, FLAGS, COUNT, SIZE, ADDRESS, POINTER, TIMEOUT, DESCRIPTOR, RAW32, RAW64 };

struct field {
   uint8_t kind, offset; /* enum kind; bytes */
};

#define FIELD(type, name, kind)                                                                                        \
   {                                                                                                                   \
      kind, (uint8_t)offsetof(struct type, name)                                                                       \
   }
struct row {
   unsigned long request;
   struct field fields[10];
};

static const struct row rows[] = {
    {DRM_IOCTL_ASAHI_GET_PARAMS,
     {FIELD(drm_asahi_get_params, param_group, FLAGS), FIELD(drm_asahi_get_params, pad, FLAGS),
      FIELD(drm_asahi_get_params, pointer, POINTER), FIELD(drm_asahi_get_params, size, SIZE)}},
    {DRM_IOCTL_ASAHI_GET_TIME, {FIELD(drm_asahi_get_time, flags, FLAGS)}},
    {DRM_IOCTL_ASAHI_VM_CREATE,
     {FIELD(drm_asahi_vm_create, kernel_start, ADDRESS), FIELD(drm_asahi_vm_create, kernel_end, ADDRESS),
      FIELD(drm_asahi_vm_create, pad, FLAGS)}},
    {DRM_IOCTL_ASAHI_VM_DESTROY, {FIELD(drm_asahi_vm_destroy, vm_id, ID), FIELD(drm_asahi_vm_destroy, pad, FLAGS)}},
    {DRM_IOCTL_ASAHI_VM_BIND,
     {FIELD(drm_asahi_vm_bind, vm_id, ID), FIELD(drm_asahi_vm_bind, num_binds, COUNT),
      FIELD(drm_asahi_vm_bind, stride, COUNT), FIELD(drm_asahi_vm_bind, pad, FLAGS),
      FIELD(drm_asahi_vm_bind, userptr, POINTER)}},
    {DRM_IOCTL_ASAHI_GEM_CREATE,
     {FIELD(drm_asahi_gem_create, size, SIZE), FIELD(drm_asahi_gem_create, flags, FLAGS),
      FIELD(drm_asahi_gem_create, vm_id, ID), FIELD(drm_asahi_gem_create, pad, FLAGS)}},
    {DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET,
     {FIELD(drm_asahi_gem_mmap_offset, handle, ID), FIELD(drm_asahi_gem_mmap_offset, flags, FLAGS)}},
    {DRM_IOCTL_ASAHI_GEM_BIND_OBJECT,
     {FIELD(drm_asahi_gem_bind_object, op, FLAGS), FIELD(drm_asahi_gem_bind_object, flags, FLAGS),
      FIELD(drm_asahi_gem_bind_object, handle, ID), FIELD(drm_asahi_gem_bind_object, vm_id, FLAGS),
      FIELD(drm_asahi_gem_bind_object, offset, SIZE), FIELD(drm_asahi_gem_bind_object, range, SIZE),
      FIELD(drm_asahi_gem_bind_object, object_handle, ID), FIELD(drm_asahi_gem_bind_object, pad, FLAGS)}},
    {DRM_IOCTL_ASAHI_QUEUE_CREATE,
     {FIELD(drm_asahi_queue_create, flags, FLAGS), FIELD(drm_asahi_queue_create, vm_id, ID),
      FIELD(drm_asahi_queue_create, priority, FLAGS), FIELD(drm_asahi_queue_create, usc_exec_base, ADDRESS)}},
    {DRM_IOCTL_ASAHI_QUEUE_DESTROY,
     {FIELD(drm_asahi_queue_destroy, queue_id, ID), FIELD(drm_asahi_queue_destroy, pad, FLAGS)}},
    {DRM_IOCTL_ASAHI_SUBMIT,
     {FIELD(drm_asahi_submit, syncs, POINTER), FIELD(drm_asahi_submit, cmdbuf, POINTER),
      FIELD(drm_asahi_submit, flags, FLAGS), FIELD(drm_asahi_submit, queue_id, ID),
      FIELD(drm_asahi_submit, in_sync_count, FLAGS), FIELD(drm_asahi_submit, out_sync_count, FLAGS),
      FIELD(drm_asahi_submit, cmdbuf_size, COUNT), FIELD(drm_asahi_submit, pad, FLAGS)}},
    {DRM_IOCTL_GEM_CLOSE, {FIELD(drm_gem_close, handle, ID)}},
    {DRM_IOCTL_PRIME_HANDLE_TO_FD,
     {FIELD(drm_prime_handle, handle, ID), FIELD(drm_prime_handle, flags, RAW32), FIELD(drm_prime_handle, fd, ID)}},
    {DRM_IOCTL_PRIME_FD_TO_HANDLE, {FIELD(drm_prime_handle, fd, DESCRIPTOR)}},
    {DRM_IOCTL_SYNCOBJ_CREATE, {FIELD(drm_syncobj_create, flags, FLAGS)}},
    {DRM_IOCTL_SYNCOBJ_DESTROY, {FIELD(drm_syncobj_destroy, handle, ID), FIELD(drm_syncobj_destroy, pad, FLAGS)}},
    {DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD,
     {FIELD(drm_syncobj_handle, handle, ID), FIELD(drm_syncobj_handle, flags, FLAGS),
      FIELD(drm_syncobj_handle, pad, FLAGS)}},
    {DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE,
     {FIELD(drm_syncobj_handle, handle, ID), FIELD(drm_syncobj_handle, flags, FLAGS),
      FIELD(drm_syncobj_handle, fd, DESCRIPTOR), FIELD(drm_syncobj_handle, pad, FLAGS)}},
    {DRM_IOCTL_SYNCOBJ_WAIT,
     {FIELD(drm_syncobj_wait, handles, POINTER), FIELD(drm_syncobj_wait, timeout_nsec, TIMEOUT),
      FIELD(drm_syncobj_wait, count_handles, COUNT), FIELD(drm_syncobj_wait, flags, FLAGS),
      FIELD(drm_syncobj_wait, pad, FLAGS)}},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
     {FIELD(drm_syncobj_timeline_wait, handles, POINTER), FIELD(drm_syncobj_timeline_wait, points, POINTER),
      FIELD(drm_syncobj_timeline_wait, timeout_nsec, TIMEOUT), FIELD(drm_syncobj_timeline_wait, count_handles, COUNT),
      FIELD(drm_syncobj_timeline_wait, flags, FLAGS), FIELD(drm_syncobj_timeline_wait, pad, FLAGS)}},
    {DRM_IOCTL_SYNCOBJ_RESET,
     {FIELD(drm_syncobj_array, handles, POINTER), FIELD(drm_syncobj_array, count_handles, COUNT),
      FIELD(drm_syncobj_array, pad, FLAGS)}},
    {DRM_IOCTL_SYNCOBJ_SIGNAL,
     {FIELD(drm_syncobj_array, handles, POINTER), FIELD(drm_syncobj_array, count_handles, COUNT),
      FIELD(drm_syncobj_array, pad, FLAGS)}},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL,
     {FIELD(drm_syncobj_timeline_array, handles, POINTER), FIELD(drm_syncobj_timeline_array, points, POINTER),
      FIELD(drm_syncobj_timeline_array, count_handles, COUNT), FIELD(drm_syncobj_timeline_array, flags, FLAGS)}},
    {DRM_IOCTL_SYNCOBJ_QUERY,
     {FIELD(drm_syncobj_timeline_array, handles, POINTER), FIELD(drm_syncobj_timeline_array, points, POINTER),
      FIELD(drm_syncobj_timeline_array, count_handles, COUNT), FIELD(drm_syncobj_timeline_array, flags, FLAGS)}},
    {DRM_IOCTL_SYNCOBJ_TRANSFER,
     {FIELD(drm_syncobj_transfer, src_handle, ID), FIELD(drm_syncobj_transfer, dst_handle, ID),
      FIELD(drm_syncobj_transfer, src_point, RAW64), FIELD(drm_syncobj_transfer, dst_point, RAW64),
      FIELD(drm_syncobj_transfer, flags, FLAGS), FIELD(drm_syncobj_transfer, pad, FLAGS)}},
    {DRM_IOCTL_VERSION,
     {FIELD(drm_version, name_len, COUNT), FIELD(drm_version, name, POINTER), FIELD(drm_version, desc_len, COUNT),
      FIELD(drm_version, desc, POINTER)}},
    {DRM_IOCTL_GET_CAP, {FIELD(drm_get_cap, capability, COUNT)}},
};

/* What is no request: the client writes into its arrays, maps a buffer, opens and closes. */
enum action { WRITE_RAW, WRITE_BIND, WRITE_SYNC, WRITE_COMPUTE, WRITE_IDS, MAP, REOPEN, CLOSE, ODD_REQUEST, ACTIONS };

struct fuzz {
   struct fuzz_input input;
   struct client client;
   int second;    /* device file, or -1 */
   uint8_t *room; /* ROOM bytes, then no memory */
};

static uint64_t raw_or(struct fuzz *fuzz, const uint64_t *values, size_t count)
{
   uint8_t choice = fuzz_byte(&fuzz->input);
   if (choice < 0xF0) {
      return values[choice % count];
   }
   return fuzz_number(&fuzz->input, choice & 1 ? 8 : 4);
}
#define RAW_OR(fuzz, ...)                                                                                              \
   raw_or(fuzz, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static uint64_t pointer(struct fuzz *fuzz)
{
   uint8_t choice = fuzz_byte(&fuzz->input);
   uintptr_t room = (uintptr_t)fuzz->room;
   switch (choice >> 5) {
   case 0:
      return 0;
   case 1:
      return room + ROOM - (choice & 31); /* reaches over the end */
   case 2:
      return room + ROOM;
   case 3:
      return UINT64_C(0xdead000000000000) + choice;
   case 4:
      return UINT64_MAX - choice;
   default:
      return room + (choice & 63) * 64u;
   }
}

/* Soon, long ago, or at once; never a time that would keep the fuzzer waiting. */
static uint64_t timeout(struct fuzz *fuzz)
{
   uint8_t choice = fuzz_byte(&fuzz->input);
   return choice < 128 ? 0 : choice < 192 ? (uint64_t)after_ms(0) + choice : (uint64_t)INT64_MIN + choice;
}

/* Few, or far too many. What lies between is legal in places too, but ASan takes milliseconds to mark a large block. */
static uint64_t count_of(uint64_t value)
{
   return (uint32_t)value < UINT32_C(1) << 31 ? value & 0x1FFF : value;
}

static uint64_t value_of(struct fuzz *fuzz, unsigned kind)
{
   switch ((enum kind)kind) {
   case ID:
      return RAW_OR(fuzz, 1, 2, 3, 4, 0, 1, 2, UINT32_MAX, 5, 1);
   case FLAGS:
      return RAW_OR(fuzz, 0, 1, 2, 3, 4, 8, 0, 0, 0, 0);
   case COUNT:
      return count_of(RAW_OR(fuzz, 1, 2, 32, 72, 0, 3, 144, 31, 33, 64, 24, 48, 1024, 8, 71, 65));
   case SIZE:
      return RAW_OR(fuzz, 0x4000, 0, 1, 0x8000, 0x3fff, 0x4001, 592, 24, UINT64_MAX, 0x10000, 0x20000000, 8);
   case ADDRESS:
      return RAW_OR(fuzz, KIT_USC, KIT_DATA, 0, 0x4000, 0x7800000000, 0x7fffff8000, 0x7fffff4000, 0x7fdfff8000,
                    KIT_USC + 0x4000, 1, UINT64_MAX, UINT64_MAX - 0x3fff);
   case POINTER:
      return pointer(fuzz);
   case TIMEOUT:
      return timeout(fuzz);
   case DESCRIPTOR:
      return RAW_OR(fuzz, (uint64_t)fuzz->client.fd, (uint64_t)fuzz->client.fd + 1, (uint64_t)fuzz->client.fd + 2,
                    UINT32_MAX, 0, (uint64_t)fuzz->client.fd + 3);
   case RAW32:
      return fuzz_number(&fuzz->input, 4);
   case RAW64:
      return fuzz_number(&fuzz->input, fuzz_byte(&fuzz->input) & 7);
   case END:
      break;
   }
   return 0;
}

/* A field is as wide as its kind, or wider. */
static size_t width_of(unsigned kind)
{
   return kind == SIZE || kind == ADDRESS || kind == POINTER || kind == TIMEOUT || kind == RAW64 ? 8 : 4;
}

static bool known_errno(int error)
{
   static const int known[] = {0,      EINVAL, ENOENT, EFAULT, ENOMEM, ENOSPC,     EACCES, EBADF, ETIME,
                               ERANGE, ENODEV, ENOTTY, EPERM,  EMFILE, EOPNOTSUPP, EBUSY,  EXDEV};
   for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
      if (known[i] == error) {
         return true;
      }
   }
   return false;
}

static void call(struct fuzz *fuzz, unsigned long request, void *argument)
{
   int fd = fuzz->second >= 0 && fuzz_byte(&fuzz->input) & 1 ? fuzz->second : fuzz->client.fd;
   int error = client_fd_ioctl(&fuzz->client, fd, request, argument);
   if (!known_errno(error)) {
      fprintf(stderr, "request 0x%lx: errno %d\n", request, error);
   }
   FUZZ_REQUIRE(known_errno(error));
}

static void call_row(struct fuzz *fuzz, const struct row *row)
{
   union {
      uint8_t bytes[256];
      uint64_t align;
   } argument = {.align = 0};
   for (const struct field *field = row->fields; field->kind != END; field++) {
      uint64_t value = value_of(fuzz, field->kind);
      memcpy(argument.bytes + field->offset, &value, width_of(field->kind));
   }
   if (row->request == DRM_IOCTL_SYNCOBJ_TRANSFER) { /* with this flag, it rightly waits for 5 seconds */
      ((struct drm_syncobj_transfer *)(void *)argument.bytes)->flags &=
          ~(uint32_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
   }
   call(fuzz, row->request, argument.bytes);
}

/* Another size, direction or number than any row's. What it points to is as long as it may say. */
static void call_odd(struct fuzz *fuzz)
{
   const struct row *row = &rows[fuzz_byte(&fuzz->input) % (sizeof(rows) / sizeof(rows[0]))];
   uint8_t what = fuzz_byte(&fuzz->input);
   unsigned long request = row->request;
   if (what & 1) {
      request = (request & ~(0x3FFFul << 16)) | (unsigned long)(fuzz_number(&fuzz->input, 2) & 0x3FFF) << 16;
   }
   if (what & 2) {
      request ^= (unsigned long)(what >> 6) << 30;
   }
   if (what & 4) { /* no other field is filled: zero pointers, whatever the request takes them for */
      request = (request & ~0xFFul) | fuzz_byte(&fuzz->input);
   }
   static uint8_t argument[1 << 14];
   memset(argument, 0, sizeof(argument));
   call(fuzz, request, argument);
}

static void write_array(struct fuzz *fuzz, const void *from, size_t size)
{
   size_t at = fuzz_byte(&fuzz->input) % 64u * 64u;
   memcpy(fuzz->room + at, from, size);
}

static void write_bind(struct fuzz *fuzz)
{
   struct drm_asahi_gem_bind_op op = {
       .flags = (uint32_t)value_of(fuzz, FLAGS),
       .handle = (uint32_t)value_of(fuzz, ID),
       .offset = value_of(fuzz, SIZE),
       .range = value_of(fuzz, SIZE),
       .addr = value_of(fuzz, ADDRESS),
   };
   if (op.range <= UINT64_C(1) << 39) {
      op.range &= 0x3FFFFFFF; /* more is legal too, and takes seconds of page tables */
   }
   write_array(fuzz, &op, sizeof(op));
}

static void write_sync(struct fuzz *fuzz)
{
   struct drm_asahi_sync sync = {
       .sync_type = (uint32_t)value_of(fuzz, FLAGS),
       .handle = (uint32_t)value_of(fuzz, ID),
       .timeline_value = value_of(fuzz, FLAGS),
   };
   write_array(fuzz, &sync, sizeof(sync));
}

static void write_compute(struct fuzz *fuzz)
{
   struct {
      struct drm_asahi_cmd_header header;
      struct drm_asahi_cmd_compute compute;
   } command = {
       .header = {(uint16_t)(value_of(fuzz, FLAGS) ^ DRM_ASAHI_CMD_COMPUTE), (uint16_t)RAW_OR(fuzz, 64, 0, 65, 24, 48),
                  (uint16_t)RAW_OR(fuzz, 0xFFFF, 0, 1, 2), (uint16_t)RAW_OR(fuzz, 0xFFFF, 0, 1, 2)},
       .compute = {.flags = (uint32_t)value_of(fuzz, FLAGS),
                   .cdm_ctrl_stream_base = RAW_OR(fuzz, KIT_USC + 0x2000, KIT_USC, 0),
                   .ts = {{(uint32_t)value_of(fuzz, ID), (uint32_t)value_of(fuzz, COUNT)},
                          {(uint32_t)value_of(fuzz, ID), (uint32_t)value_of(fuzz, COUNT)}}},
   };
   write_array(fuzz, &command, sizeof(command));
}

static void write_ids(struct fuzz *fuzz)
{
   uint32_t ids[4];
   for (size_t i = 0; i < 4; i++) {
      ids[i] = (uint32_t)value_of(fuzz, ID);
   }
   write_array(fuzz, ids, sizeof(ids));
}

/* Maps a buffer as far as it goes, writes to it and lets go of a part. */
static void map(struct fuzz *fuzz)
{
   struct asahi_kernel *kernel = fuzz->client.kernel;
   struct drm_asahi_gem_mmap_offset args = {.handle = (uint32_t)value_of(fuzz, ID)};
   size_t length = (size_t)value_of(fuzz, SIZE), unmapped = (size_t)value_of(fuzz, SIZE);
   if (client_ioctl(&fuzz->client, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &args)) {
      return;
   }
   uint8_t *bytes = kernel->mmap(kernel, length, PROT_READ | PROT_WRITE, MAP_SHARED, fuzz->client.fd, args.offset);
   if (bytes != MAP_FAILED) {
      fuzz_bytes(&fuzz->input, bytes, length < 64 ? length : 64);
      if (unmapped < length) {
         (void)kernel->munmap(kernel, bytes, unmapped);
      }
      FUZZ_REQUIRE(kernel->munmap(kernel, bytes, length) == 0);
   }
}

static void act(struct fuzz *fuzz, enum action action)
{
   struct asahi_kernel *kernel = fuzz->client.kernel;
   switch (action) {
   case WRITE_RAW: {
      size_t at = fuzz_byte(&fuzz->input) % 64u * 64u;
      fuzz_bytes(&fuzz->input, fuzz->room + at, fuzz_byte(&fuzz->input) % 64u);
      break;
   }
   case WRITE_BIND:
      write_bind(fuzz);
      break;
   case WRITE_SYNC:
      write_sync(fuzz);
      break;
   case WRITE_COMPUTE:
      write_compute(fuzz);
      break;
   case WRITE_IDS:
      write_ids(fuzz);
      break;
   case MAP:
      map(fuzz);
      break;
   case REOPEN:
      if (fuzz->second < 0) {
         fuzz->second = kernel->reopen(kernel, fuzz->client.fd);
      }
      break;
   case CLOSE: { /* a descriptor that some export may have made; the first file stays */
      int fd = fuzz->client.fd + 1 + fuzz_byte(&fuzz->input) % 4;
      (void)kernel->close(kernel, fd);
      if (fd == fuzz->second) {
         fuzz->second = -1;
      }
      break;
   }
   case ODD_REQUEST:
      call_odd(fuzz);
      break;
   case ACTIONS:
      break;
   }
}

/* A VM, buffers with a program and its stream, a timestamp object, a queue, a syncobj: all with identifier 1. */
static void prepare(struct fuzz *fuzz)
{
   struct client *client = &fuzz->client;
   struct asahi_kernel *kernel = client->kernel;
   const uint32_t stream[] = {0x1202, 0x40, 64, 1, 1, 32, 1, 1, 0x600FFFFF, 0x40000000, 0};
   const uint8_t usc[] = {0x4D, 0x90, 0, 0, 0x0D, 0x0C, 0x80, 0, 0, 0, 0x8D, 0x01, 0, 0, 0x88, 0};
   const uint8_t stop[] = {0x88, 0x00};
   uint32_t vm = client_vm(client), bo = client_bo(client, 0x8000, DRM_ASAHI_GEM_WRITEBACK, 0);
   uint8_t *bytes = client_map(client, bo, 0x8000);
   memcpy(bytes + 0x2000, stream, sizeof(stream));
   memcpy(bytes + 0x40, usc, sizeof(usc));
   memcpy(bytes + 0x80, stop, sizeof(stop));
   FUZZ_REQUIRE(kernel->munmap(kernel, bytes, 0x8000) == 0);
   struct drm_asahi_gem_bind_op op = {
       .flags = DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE, .handle = bo, .range = 0x8000, .addr = KIT_USC};
   FUZZ_REQUIRE(client_bind(client, vm, op) == 0);
   struct drm_asahi_gem_bind_object object = {
       .flags = DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS, .handle = bo, .range = 0x4000};
   FUZZ_REQUIRE(client_ioctl(client, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &object) == 0);
   client_queue(client, vm, KIT_USC);
   client_syncobj(client, 0);
}

/* A count may ask for more memory than there is: ENOMEM is the right answer, and ASan is to let it be given. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
   return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

static uint8_t *make_room(void)
{
   size_t page = (size_t)sysconf(_SC_PAGESIZE);
   uint8_t *room = mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   FUZZ_REQUIRE(room != MAP_FAILED && mprotect(room + ROOM, page, PROT_NONE) == 0);
   return room;
}

/* Opening a device takes as long as many requests (memory, a thread), so inputs share one, each with a device file of
 * its own. A leak in the device itself shows when it is closed. */
static void open_file(struct fuzz *fuzz, uint8_t mode)
{
   static const char *const specs[] = {"m1,timing=off,threads=1,work=2000", "m2-max,threads=1,work=2000",
                                       "m1-ultra,strict,threads=1,work=2000", "m2,threads=2,work=2000"};
   static struct {
      struct client client;
      unsigned inputs;
   } devices[4];
   const size_t which = mode & 3;
   struct client *device = &devices[which].client;
   if (devices[which].inputs % DEVICE_INPUTS == 0) {
      if (device->kernel) {
         client_close(device);
      }
      client_open(device, specs[which]);
   }
   devices[which].inputs++;
   fuzz->client = (struct client){device->kernel, device->kernel->reopen(device->kernel, device->fd)};
   FUZZ_REQUIRE(fuzz->client.fd >= 0);
}

/* Nothing is left on the device but the file that keeps it open. */
static void close_files(struct fuzz *fuzz)
{
   struct asahi_kernel *kernel = fuzz->client.kernel;
   const struct vgpu_device *device = (const struct vgpu_device *)kernel;
   if (fuzz->second >= 0) {
      FUZZ_REQUIRE(kernel->close(kernel, fuzz->second) == 0);
   }
   for (int fd = fuzz->client.fd + 1; fd < fuzz->client.fd + 80; fd++) {
      (void)kernel->close(kernel, fd); /* what exports have left open */
   }
   FUZZ_REQUIRE(kernel->close(kernel, fuzz->client.fd) == 0);
   FUZZ_REQUIRE(device->files == 1 && device->queues == NULL && device->object_bytes == 0);
   FUZZ_REQUIRE(device->heap.live == NULL && device->heap.retired == NULL && device->heap.view_count == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   static uint8_t *room;
   if (room == NULL) {
      room = make_room();
   }
   memset(room, 0, 4096);
   struct fuzz fuzz = {.input = {data, size}, .second = -1, .room = room};
   uint8_t mode = fuzz_byte(&fuzz.input);
   open_file(&fuzz, mode);
   if (mode & 4) {
      prepare(&fuzz);
   }
   const size_t count = sizeof(rows) / sizeof(rows[0]);
   for (unsigned i = 0; i < REQUESTS_MAX && fuzz.input.size != 0; i++) {
      size_t choice = fuzz_byte(&fuzz.input) % (count + ACTIONS);
      if (choice < count) {
         call_row(&fuzz, &rows[choice]);
      } else {
         act(&fuzz, (enum action)(choice - count));
      }
   }
   close_files(&fuzz);
   return 0;
}
