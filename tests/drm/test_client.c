/* SPDX-License-Identifier: MIT
 *
 * The client's whole life over the fake kernel: it works, and when any one call fails, with any errno, or any one
 * allocation, the failure is reported and nothing is left behind. The linker turns malloc, calloc and realloc into
 * the functions below.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "drm/device.h"
#include "drm/dispatch.h"
#include "fake.h"
#include "tests/check.h"

/* Allocations until the next one fails; 0: none fails. */
static unsigned allocations_left;

static bool starve(void)
{
   return allocations_left != 0 && --allocations_left == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);

void *__wrap_malloc(size_t size)
{
   return starve() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
   return starve() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *pointer, size_t size)
{
   return starve() ? NULL : __real_realloc(pointer, size);
}

static uint8_t code[256] = {0x88, 0x00};
static uint8_t constants[12] = "constants..";
static struct agx_uniform_range ranges[] = {
    {.start = 0, .size = 4, .source = AGX_UNIFORM_ARGUMENTS},
    {.start = 4, .size = 6, .source = AGX_UNIFORM_CONSTANTS},
};

static const struct agx_program plain = {
    .name = "plain",
    .code = code,
    .code_size = sizeof(code),
    .main_size = 2,
    .half_registers = 8,
    .uniform_halves = 10,
    .uniforms = ranges,
    .uniform_count = 2,
    .constants = constants,
    .constants_size = sizeof(constants),
    .argument_bytes = 8,
};
static const struct agx_program helper = {
    .name = "helper", .code = code, .code_size = sizeof(code), .main_size = 2, .half_registers = 8};

struct outcome {
   int error;
   char message[512];
};

static const struct asahi_dispatch group32 = {.grid = {64, 1, 1}, .group = {32, 1, 1}, .work_dim = 1};

static int keep(struct outcome *outcome, struct asahi_device *device, int error)
{
   if (error != 0) {
      snprintf(outcome->message, sizeof(outcome->message), "%s", asahi_device_error(device));
   }
   outcome->error = error;
   return error;
}

/* All that a client does, in order, up to the first failure; and then everything is given back. */
static struct outcome live(struct fake *fake, struct asahi_timing *timing)
{
   struct outcome outcome = {0};
   struct asahi_device *device;
   struct asahi_buffer *buffer = NULL, *more[16] = {NULL};
   struct asahi_program *program = NULL, *stacked = NULL;
   struct agx_program with_stack = plain;
   with_stack.scratch_bytes = 64;
   uint64_t argument = 0, now;

   outcome.error =
       asahi_device_start(&fake->base, FAKE_FD, "fake", true, &device, outcome.message, sizeof(outcome.message));
   if (outcome.error != 0) {
      return outcome;
   }
   if (keep(&outcome, device, asahi_buffer_create(device, 100000, &buffer)) == 0 &&
       keep(&outcome, device, asahi_program_upload(device, &plain, &program)) == 0 &&
       keep(&outcome, device, asahi_program_upload(device, &with_stack, &stacked)) == 0 &&
       keep(&outcome, device, asahi_device_set_helper(device, &helper)) == 0 &&
       keep(&outcome, device, asahi_device_set_helper(device, &helper)) == 0) {
      /* Enough buffers to make the address allocator grow. */
      for (size_t i = 0; i < 16 && outcome.error == 0; i++) {
         keep(&outcome, device, asahi_buffer_create(device, 1, &more[i]));
      }
      argument = asahi_buffer_address(buffer);
      struct asahi_dispatch dispatches[2] = {group32, group32};
      dispatches[0].program = program;
      dispatches[1].program = stacked;
      for (size_t i = 0; i < 2; i++) {
         dispatches[i].arguments = &argument;
         dispatches[i].argument_bytes = sizeof(argument);
      }
      if (outcome.error == 0 && keep(&outcome, device, asahi_run(device, dispatches, 2, 1000, timing)) == 0) {
         keep(&outcome, device, asahi_device_time(device, &now));
      }
   }
   for (size_t i = 0; i < 16; i++) {
      asahi_buffer_destroy(device, more[i]);
   }
   asahi_program_destroy(device, stacked);
   asahi_program_destroy(device, program);
   asahi_buffer_destroy(device, buffer);
   asahi_device_close(device);
   return outcome;
}

/* The number of calls that a life takes. */
static unsigned test_success(void)
{
   struct fake fake;
   struct asahi_timing timing = {0};
   fake_init(&fake);
   struct outcome outcome = live(&fake, &timing);
   const char *wrong = fake_end(&fake);
   CHECK(outcome.error == 0, "error %d: %s", outcome.error, outcome.message);
   CHECK(timing.start_ns == 5000 && timing.end_ns == 7500, "timestamps %llu to %llu",
         (unsigned long long)timing.start_ns, (unsigned long long)timing.end_ns);
   CHECK(fake.submits == 1, "%u submissions", fake.submits);
   CHECK(wrong == NULL, "%s", wrong);
   return fake.calls;
}

static void test_every_call_fails(unsigned calls)
{
   static const int errnos[] = {ENOMEM, EINVAL, ENODEV, ENOENT, EFAULT, EACCES, ENOSPC, ENOTTY, EIO, ETIME, EINTR};

   for (unsigned call = 1; call <= calls; call++) {
      for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++) {
         struct fake fake;
         struct asahi_timing timing;
         fake_init(&fake);
         fake.fail_at = call;
         fake.fail_with = errnos[i];
         fake.busy = errnos[i] == ETIME; /* the job does not end after the wait either */
         struct outcome outcome = live(&fake, &timing);
         const char *wrong = fake_end(&fake), *name = asahi_errno_name(errnos[i]);
         /* GET_PARAMS, the first, takes a kernel that does not know it for one that is not supported. */
         int expected = call == 1 && (errnos[i] == EINVAL || errnos[i] == ENOTTY) ? -ENOTSUP : -errnos[i];
         bool named = strstr(outcome.message, name) != NULL || strstr(outcome.message, "time limit") != NULL;
         CHECK(outcome.error == expected && named, "call %u fails with %s: error %d, \"%s\"", call, name, outcome.error,
               outcome.message);
         CHECK(wrong == NULL, "call %u fails with %s: %s", call, name, wrong);
      }
   }
}

static void test_every_allocation_fails(void)
{
   for (unsigned n = 1; n < 1000; n++) {
      struct fake fake;
      struct asahi_timing timing;
      fake_init(&fake);
      allocations_left = n;
      struct outcome outcome = live(&fake, &timing);
      bool survived = allocations_left != 0;
      allocations_left = 0;
      const char *wrong = fake_end(&fake);
      CHECK(wrong == NULL, "allocation %u fails: %s", n, wrong);
      if (survived) {
         CHECK(outcome.error == 0 && n > 10, "%u allocations, error %d", n, outcome.error);
         return;
      }
      CHECK(outcome.error == -ENOMEM && outcome.message[0] != 0, "allocation %u fails: error %d, \"%s\"", n,
            outcome.error, outcome.message);
   }
   CHECK(false, "the client never ran to its end");
}

/* The fence's error is the run's error, with a name and, from a virtual device, the details. */
static void test_fences(void)
{
   static const int statuses[] = {-ETIMEDOUT, -EIO, -ECANCELED, -ENODEV, -ENODATA, -EPERM};
   for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
      struct fake fake;
      struct asahi_timing timing;
      fake_init(&fake);
      fake.fence_status = statuses[i];
      struct outcome outcome = live(&fake, &timing);
      const char *wrong = fake_end(&fake);
      CHECK(outcome.error == statuses[i] && strstr(outcome.message, asahi_errno_name(-statuses[i])) != NULL &&
                strstr(outcome.message, "unit, address") != NULL,
            "fence status %d: error %d, \"%s\"", statuses[i], outcome.error, outcome.message);
      CHECK((statuses[i] == -ECANCELED) == (strstr(outcome.message, "run it again") != NULL), "fence status %d: \"%s\"",
            statuses[i], outcome.message);
      CHECK(wrong == NULL, "fence status %d: %s", statuses[i], wrong);
   }

   struct fake fake;
   struct asahi_timing timing;
   fake_init(&fake);
   fake.fence_status = 0;
   CHECK(live(&fake, &timing).error == -EPROTO, "a pending fence after the wait");
   CHECK(fake_end(&fake) == NULL, "a pending fence leaves something");
   fake_init(&fake);
   fake.end_ns = fake.start_ns - 1;
   CHECK(live(&fake, &timing).error == -ENODATA, "an end before the start");
   CHECK(fake_end(&fake) == NULL, "timestamps that make no sense leave something");
   fake_init(&fake);
   fake.start_ns = fake.end_ns = 0;
   CHECK(live(&fake, &timing).error == -ENODATA, "no timestamps");
   CHECK(fake_end(&fake) == NULL, "missing timestamps leave something");
   fake_init(&fake);
   fake.start_ns = fake.end_ns = 0;
   CHECK(live(&fake, NULL).error == 0, "timestamps that were not asked for");
   CHECK(fake_end(&fake) == NULL, "a run without timestamps leaves something");
   fake_init(&fake);
   fake.params.command_timestamp_frequency_hz = 500000000;
   struct outcome outcome = live(&fake, &timing);
   CHECK(outcome.error == 0 && timing.start_ns == 10000 && timing.end_ns == 15000,
         "ticks of 2 ns: error %d, %llu to %llu", outcome.error, (unsigned long long)timing.start_ns,
         (unsigned long long)timing.end_ns);
   CHECK(fake_end(&fake) == NULL, "ticks of 2 ns leave something");
}

static unsigned live_objects(const struct fake *fake)
{
   unsigned count = 0;
   for (size_t i = 0; i < FAKE_OBJECTS; i++) {
      count += fake->objects[i].live;
   }
   return count;
}

/* What a job that outlived our time limit may use stays until it has ended. */
static void test_in_flight(bool ends)
{
   struct fake fake;
   char why[256];
   struct asahi_device *device;
   struct asahi_program *program;
   struct asahi_buffer *buffer;
   uint64_t argument = 0;

   fake_init(&fake);
   CHECK(asahi_device_start(&fake.base, FAKE_FD, "fake", false, &device, why, sizeof(why)) == 0, "%s", why);
   CHECK(asahi_program_upload(device, &plain, &program) == 0, "%s", asahi_device_error(device));
   CHECK(asahi_buffer_create(device, 1, &buffer) == 0, "%s", asahi_device_error(device));
   struct asahi_dispatch dispatch = group32;
   dispatch.program = program;
   dispatch.arguments = &argument;
   dispatch.argument_bytes = sizeof(argument);

   fake.busy = true;
   int error = asahi_run(device, &dispatch, 1, 1000000, NULL);
   CHECK(error == -ETIME && strstr(asahi_device_error(device), "still runs") != NULL, "error %d, \"%s\"", error,
         asahi_device_error(device));
   unsigned before = live_objects(&fake);
   asahi_buffer_destroy(device, buffer);
   CHECK(live_objects(&fake) == before, "a buffer went while a job was in flight");
   error = asahi_run(device, &dispatch, 1, 1000000, NULL);
   CHECK(error == -ETIME && strstr(asahi_device_error(device), "earlier job") != NULL && fake.submits == 1,
         "error %d, %u submissions", error, fake.submits);
   if (ends) {
      fake.busy = false;
      error = asahi_run(device, &dispatch, 1, 1000000, NULL);
      CHECK(error == 0 && fake.submits == 2, "error %d, %u submissions", error, fake.submits);
      CHECK(live_objects(&fake) == before - 1, "the buffer was not freed after the job");
   }
   asahi_program_destroy(device, program);
   /* A job that still runs gets seconds to end in before its queue goes; one that has ended does not hold up the close.
    */
   const unsigned waits = fake.waits;
   asahi_device_close(device);
   CHECK(fake.queue_waits == waits + !ends, "%u waits at the close before the queue went", fake.queue_waits - waits);
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   CHECK(ends || fake.wait_deadline > ((int64_t)now.tv_sec + 2) * 1000000000, "the close does not wait seconds");
   const char *wrong = fake_end(&fake);
   CHECK(wrong == NULL, "%s", wrong);
}

/* Of the fake device, with this GPU behind it: the message for a job that the firmware gave up. */
static void test_too_long(uint32_t generation, uint32_t clusters, bool one_command)
{
   struct fake fake;
   struct asahi_timing timing;

   fake_init(&fake);
   fake.params.gpu_generation = generation;
   fake.params.num_clusters_total = clusters;
   fake.fence_status = -ETIMEDOUT;
   const struct outcome outcome = live(&fake, &timing);
   CHECK(outcome.error == -ETIMEDOUT, "error %d", outcome.error);
   CHECK((strstr(outcome.message, "too long for one command") != NULL) == one_command, "G%u, %u clusters: \"%s\"",
         generation, clusters, outcome.message);
   CHECK(fake_end(&fake) == NULL, "something is left");
}

/* On hardware the total is bounded; what was given back does not count. */
static void test_memory_limit(bool is_virtual)
{
   struct fake fake;
   char why[256];
   struct asahi_device *device;
   struct asahi_buffer *buffer, *more;

   fake_init(&fake);
   CHECK(asahi_device_start(&fake.base, FAKE_FD, "fake", is_virtual, &device, why, sizeof(why)) == 0, "%s", why);
   const uint64_t before = device->buffer_bytes;
   CHECK(before >= DRM_ASAHI_PAGE_SIZE, "the client's own buffers are not counted");
   CHECK(asahi_buffer_create(device, 100000, &buffer) == 0, "%s", asahi_device_error(device));
   CHECK(device->buffer_bytes == before + 7 * DRM_ASAHI_PAGE_SIZE, "%llu bytes after %llu",
         (unsigned long long)device->buffer_bytes, (unsigned long long)before);
   asahi_buffer_destroy(device, buffer);
   CHECK(device->buffer_bytes == before, "a destroyed buffer counts");

   /* As if the rest were taken: a page goes, two do not. */
   device->buffer_bytes = asahi_memory_limit() / DRM_ASAHI_PAGE_SIZE * DRM_ASAHI_PAGE_SIZE - DRM_ASAHI_PAGE_SIZE;
   int error = asahi_buffer_create(device, 2 * DRM_ASAHI_PAGE_SIZE, &more);
   CHECK(error == (is_virtual ? 0 : -ENOMEM), "beyond the limit: error %d", error);
   CHECK(is_virtual || strstr(asahi_device_error(device), "pinned") != NULL, "\"%s\"", asahi_device_error(device));
   asahi_buffer_destroy(device, more);
   CHECK(asahi_buffer_create(device, 1, &buffer) == 0, "%s", asahi_device_error(device));
   asahi_buffer_destroy(device, buffer);
   device->buffer_bytes = before;
   asahi_device_close(device);
   CHECK(fake_end(&fake) == NULL, "something is left");
}

/* Timestamps of the job before are not taken for this one's. */
static void test_stale_timestamps(void)
{
   struct fake fake;
   char why[256];
   struct asahi_device *device;
   struct asahi_program *program;
   struct asahi_timing timing;
   uint64_t argument = 0;

   fake_init(&fake);
   CHECK(asahi_device_start(&fake.base, FAKE_FD, "fake", false, &device, why, sizeof(why)) == 0, "%s", why);
   CHECK(asahi_program_upload(device, &plain, &program) == 0, "%s", asahi_device_error(device));
   struct asahi_dispatch dispatch = group32;
   dispatch.program = program;
   dispatch.arguments = &argument;
   dispatch.argument_bytes = sizeof(argument);
   CHECK(asahi_run(device, &dispatch, 1, 1000, &timing) == 0, "%s", asahi_device_error(device));
   fake.silent = true;
   CHECK(asahi_run(device, &dispatch, 1, 1000, &timing) == -ENODATA, "old timestamps were taken");
   asahi_program_destroy(device, program);
   asahi_device_close(device);
   CHECK(fake_end(&fake) == NULL, "something is left");
}

/* Several commands of one submission: the fake looks at their barriers, streams and places of timestamps. */
static void test_submission(void)
{
   struct fake fake;
   char why[256];
   struct asahi_device *device;
   struct asahi_program *program;
   struct asahi_dispatch dispatches[3];
   struct asahi_command commands[65];
   struct asahi_timing timings[65];
   uint64_t argument = 0;

   fake_init(&fake);
   CHECK(asahi_device_start(&fake.base, FAKE_FD, "fake", false, &device, why, sizeof(why)) == 0, "%s", why);
   CHECK(asahi_program_upload(device, &plain, &program) == 0, "%s", asahi_device_error(device));
   for (size_t i = 0; i < 3; i++) {
      dispatches[i] = group32;
      dispatches[i].program = program;
      dispatches[i].arguments = &argument;
      dispatches[i].argument_bytes = sizeof(argument);
   }
   for (size_t i = 0; i < 65; i++) {
      commands[i] = (struct asahi_command){.dispatches = dispatches, .count = i % 3 + 1};
   }
   for (unsigned round = 0; round < 40; round++) {
      const size_t count = round % 2 == 0 ? 64 : round;
      int error = asahi_submit(device, commands, count, 1000, timings);
      CHECK(error == 0 && fake.commands == count && fake.submits == round + 1, "%s, %zu commands of %zu",
            asahi_device_error(device), fake.commands, count);
      for (size_t i = 0; error == 0 && i < count; i++) {
         CHECK(timings[i].start_ns == fake.start_ns + 1000 * i && timings[i].end_ns == fake.end_ns + 1000 * i,
               "command %zu: another's timestamps", i);
      }
   }
   CHECK(asahi_submit(device, commands, 65, 1000, timings) == -EINVAL && fake.submits == 40, "65 commands");
   CHECK(asahi_submit(device, commands, 0, 1000, timings) == -EINVAL && fake.submits == 40, "0 commands");
   commands[1].count = 0;
   CHECK(asahi_submit(device, commands, 2, 1000, timings) == -EINVAL && fake.submits == 40, "no dispatches");
   asahi_program_destroy(device, program);
   asahi_device_close(device);
   CHECK(fake_end(&fake) == NULL, "something is left");
}

/* Each command is a job of its own, on the queue that was asked for; one wait serves all of them. */
static void test_queues(void)
{
   static const enum asahi_queue queues[] = {ASAHI_QUEUE_LOW, ASAHI_QUEUE_MAIN, ASAHI_QUEUE_LOW};
   struct fake fake;
   char why[256];
   struct asahi_device *device;
   struct asahi_program *program;
   struct asahi_command commands[3];
   struct asahi_timing timings[3];
   uint64_t argument = 0;

   fake_init(&fake);
   CHECK(asahi_device_start(&fake.base, FAKE_FD, "fake", false, &device, why, sizeof(why)) == 0, "%s", why);
   CHECK(asahi_program_upload(device, &plain, &program) == 0, "%s", asahi_device_error(device));
   struct asahi_dispatch dispatch = group32;
   dispatch.program = program;
   dispatch.arguments = &argument;
   dispatch.argument_bytes = sizeof(argument);
   for (size_t i = 0; i < 3; i++) {
      commands[i] = (struct asahi_command){.dispatches = &dispatch, .count = 1};
   }
   for (unsigned round = 1; round < 4; round++) {
      const int error = asahi_submit_apart(device, commands, queues, 3, 1000, timings);

      CHECK(error == 0 && fake.commands == 1 && fake.waits == round && fake.waited == 3, "%s, %u waits for %u",
            asahi_device_error(device), fake.waits, fake.waited);
      CHECK(fake.queue_submits[0] == round && fake.queue_submits[1] == 2 * round, "%u and %u", fake.queue_submits[0],
            fake.queue_submits[1]);
   }
   CHECK(fake.queues == 2 && fake.priorities[0] == 1 && fake.priorities[1] == 0, "%u queues", fake.queues);
   fake.busy = true;
   CHECK(asahi_submit_apart(device, commands, queues, 3, 1000, timings) == -ETIME, "a wait that is too long");
   fake.busy = false;
   CHECK(asahi_submit(device, commands, 1, 1000, timings) == 0 && fake.waited == 1, "the next submission");
   asahi_program_destroy(device, program);
   asahi_device_close(device);
   CHECK(fake_end(&fake) == NULL, "something is left");
}

/* Memory that is too small is not written past its end, whatever the sizes promised. */
static void test_small_memory(void)
{
   struct fake fake;
   char why[256];
   struct asahi_device *device;
   struct asahi_program *program;
   uint64_t argument = 0;
   uint8_t bytes[2][1024];

   fake_init(&fake);
   CHECK(asahi_device_start(&fake.base, FAKE_FD, "fake", false, &device, why, sizeof(why)) == 0, "%s", why);
   CHECK(asahi_program_upload(device, &plain, &program) == 0, "%s", asahi_device_error(device));
   struct asahi_dispatch dispatch = group32;
   dispatch.program = program;
   dispatch.arguments = &argument;
   dispatch.argument_bytes = sizeof(argument);
   const size_t usc_size = asahi_dispatch_usc_size(&dispatch), data_size = asahi_dispatch_data_size(&dispatch);
   for (unsigned lack = 0; lack < 3; lack++) {
      struct asahi_piece usc = {bytes[0], device->usc_base + 0x4000, usc_size - (lack == 1)};
      struct asahi_piece data = {bytes[1], 0x2000000000, data_size - (lack == 2)};
      struct asahi_launch launch;

      memset(bytes, 0xAA, sizeof(bytes));
      const int error = asahi_dispatch_write(device, &dispatch, &usc, &data, &launch);
      CHECK(error == (lack == 0 ? 0 : -EOVERFLOW), "lack %u: error %d", lack, error);
      CHECK(bytes[0][usc_size - (lack == 1)] == 0xAA && bytes[1][data_size - (lack == 2)] == 0xAA,
            "lack %u: written past the end", lack);
      CHECK(lack != 0 || (usc.size == 0 && data.size == 0), "%zu and %zu bytes are left", usc.size, data.size);
   }
   asahi_program_destroy(device, program);
   asahi_device_close(device);
   CHECK(fake_end(&fake) == NULL, "something is left");
}

/* A bind that fails gives its addresses back; so does a buffer that goes. */
static void test_addresses(void)
{
   struct fake fake;
   char why[256];
   struct asahi_device *device;
   struct asahi_buffer *buffer;

   fake_init(&fake);
   CHECK(asahi_device_start(&fake.base, FAKE_FD, "fake", false, &device, why, sizeof(why)) == 0, "%s", why);
   size_t pieces = device->user_heap.pieces;
   fake.fail_at = fake.calls + 4; /* GEM_CREATE, GEM_MMAP_OFFSET, mmap, VM_BIND */
   fake.fail_with = ENOMEM;
   CHECK(asahi_buffer_create(device, 1, &buffer) == -ENOMEM && strstr(asahi_device_error(device), "bind"), "\"%s\"",
         asahi_device_error(device));
   CHECK(device->user_heap.pieces == pieces, "addresses of a failed bind are lost");
   CHECK(asahi_buffer_create(device, 1, &buffer) == 0, "%s", asahi_device_error(device));
   CHECK(device->user_heap.pieces == pieces + 1, "a buffer without addresses");
   asahi_buffer_destroy(device, buffer);
   CHECK(device->user_heap.pieces == pieces, "addresses of a destroyed buffer are lost");
   asahi_device_close(device);
   CHECK(fake_end(&fake) == NULL, "something is left");
}

static void test_bad_sizes(void)
{
   struct fake fake;
   char why[256];
   struct asahi_device *device;
   struct asahi_buffer *buffer;
   struct vgpu_counters *counters = NULL;

   fake_init(&fake);
   CHECK(asahi_device_start(&fake.base, FAKE_FD, "fake", false, &device, why, sizeof(why)) == 0, "%s", why);
   CHECK(asahi_buffer_create(device, 0, &buffer) == -EINVAL && buffer == NULL, "a buffer of 0 bytes");
   CHECK(asahi_buffer_create(device, SIZE_MAX, &buffer) == -ENOMEM && buffer == NULL, "a buffer of all bytes");
   CHECK(asahi_device_counters(device, counters) == -ENOTTY, "counters of hardware");
   CHECK(asahi_run(device, NULL, 0, 0, NULL) == -EINVAL, "a run of nothing");
   asahi_buffer_destroy(device, NULL);
   asahi_program_destroy(device, NULL);
   asahi_device_close(device);
   asahi_device_close(NULL);
   CHECK(fake_end(&fake) == NULL, "something is left");
}

int main(void)
{
   unsigned calls = test_success();
   test_every_call_fails(calls);
   test_every_allocation_fails();
   test_fences();
   test_in_flight(true);
   test_in_flight(false);
   test_too_long(13, 1, false);
   test_too_long(13, 2, false);
   test_too_long(14, 1, false);
   test_too_long(14, 2, true);
   test_memory_limit(false);
   test_memory_limit(true);
   test_stale_timestamps();
   test_submission();
   test_queues();
   test_small_memory();
   test_addresses();
   test_bad_sizes();
   return check_result();
}
