/* SPDX-License-Identifier: MIT
 *
 * End to end on virtual GPUs: machine code assembled by hand from the tables of spec/isa.md 2.2, 2.9 and 2.11 gives the
 * right memory and sensible times; a fault, an endless loop and an impatient caller give the right errors.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drm/asahi.h"
#include "vgpu/vgpu.h"
#include "tests/check.h"

#define SECOND UINT64_C(1000000000)
#define THREADS 4096u

/* The buffer's address is in u0_u1, the second argument in u2. */
static const uint8_t store_code[] = {
    0x72, 0x05, 0x10, 0x04,                         /* get_sr r1, sr80: thread position in grid, x */
    0x0E, 0x09, 0x42, 0x42, 0x18, 0x00, 0x00, 0x00, /* iadd r2, r1, u2 */
    0x45, 0x11, 0x20, 0x0E, 0x00, 0xC0, 0x12, 0x00, /* device_store i32 x: r2 at u0_u1 + 4 * r1 */
    0x88, 0x00,                                     /* stop */
};
static const uint8_t endless_code[] = {0x00, 0xC0, 0x00, 0x00, 0x00, 0x00, 0x88, 0x00}; /* jmp_exec_any itself */
static const uint8_t lost_code[] = {0x00, 0xC0, 0x00, 0x00, 0x00, 0x10, 0x88, 0x00};    /* jmp_exec_any 256 MiB on */
static const uint8_t alien_code[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x88, 0x00};

/* Each thread's index goes to its stack, comes back and is stored. Stack instructions: Mesa's disassembler test data,
 * other registers and offsets. */
static const uint8_t stack_code[] = {
    0x72, 0x05, 0x10, 0x04,                         /* get_sr r1, sr80 */
    0xB5, 0x00, 0x01, 0x05, 0x21, 0x00,             /* stack_adjust 16 */
    0xB5, 0x0A, 0x40, 0x05, 0x00, 0xC0, 0x12, 0x00, /* stack_store r1, 4, i32, x, a */
    0x38, 0x00,                                     /* wait a */
    0x35, 0x12, 0x40, 0x05, 0x00, 0xC0, 0x12, 0x00, /* stack_load r2, 4, i32, x, a */
    0x38, 0x00,                                     /* wait a */
    0x45, 0x11, 0x20, 0x0E, 0x00, 0xC0, 0x12, 0x00, /* device_store i32 x: r2 at u0_u1 + 4 * r1 */
    0xB5, 0x00, 0x01, 0x05, 0x2F, 0x80, 0x00, 0xFF, /* stack_adjust -16 */
    0x88, 0x00,                                     /* stop */
};
#define STACK_BYTES 64

static struct agx_uniform_range arguments_range = {.start = 0, .size = 6, .source = AGX_UNIFORM_ARGUMENTS};

struct arguments {
   uint64_t buffer;
   uint32_t addend, pad;
};

static int upload(struct asahi_device *device, const uint8_t *code, size_t size, struct asahi_program **out)
{
   uint8_t copy[64];
   memcpy(copy, code, size);
   const struct agx_program program = {
       .name = "by hand",
       .code = copy,
       .code_size = size,
       .main_size = (uint32_t)size,
       .half_registers = 8,
       .uniform_halves = 6,
       .uniforms = &arguments_range,
       .uniform_count = 1,
       .argument_bytes = sizeof(struct arguments),
       .scratch_bytes = code == stack_code ? STACK_BYTES : 0,
   };
   return asahi_program_upload(device, &program, out);
}

static struct asahi_device *open_device(const char *spec)
{
   char why[300];
   struct asahi_device *device;
   CHECK(asahi_device_open(spec, &device, why, sizeof(why)) == 0, "%s: %s", spec, why);
   return device;
}

static struct asahi_dispatch dispatch_of(struct asahi_program *program, const struct arguments *arguments)
{
   return (struct asahi_dispatch){.program = program,
                                  .grid = {THREADS, 1, 1},
                                  .group = {64, 1, 1},
                                  .arguments = arguments,
                                  .argument_bytes = sizeof(*arguments)};
}

static void expect_values(const uint32_t *values, uint32_t addend, const char *what)
{
   for (uint32_t i = 0; i < THREADS; i++) {
      if (!CHECK(values[i] == i + addend, "%s: word %u is %u, not %u", what, i, values[i], i + addend)) {
         return;
      }
   }
}

static void test_store(const char *spec, const char *name)
{
   struct asahi_device *device = open_device(spec);
   struct asahi_program *program;
   struct asahi_buffer *first, *second;
   struct asahi_timing timing = {0}, later = {0};
   struct vgpu_counters counters;
   uint64_t now = 0;

   if (device == NULL) {
      return;
   }
   const struct asahi_device_info *info = asahi_device_get_info(device);
   CHECK(strncmp(info->name, name, strlen(name)) == 0, "%s calls itself \"%s\"", spec, info->name);
   CHECK(info->is_virtual && strcmp(info->path, spec) == 0 && info->clock_hz > 100000000, "%s: path \"%s\", %llu Hz",
         spec, info->path, (unsigned long long)info->clock_hz);
   CHECK(asahi_device_time(device, &now) == 0 && now != 0, "%s: no time", spec);
   CHECK(asahi_buffer_create(device, THREADS * 4, &first) == 0, "%s", asahi_device_error(device));
   CHECK(asahi_buffer_create(device, THREADS * 4, &second) == 0, "%s", asahi_device_error(device));
   CHECK(upload(device, store_code, sizeof(store_code), &program) == 0, "%s", asahi_device_error(device));

   const struct arguments arguments[2] = {{asahi_buffer_address(first), 1000, 0},
                                          {asahi_buffer_address(second), 0xFFFFFFFF, 0}};
   const struct asahi_dispatch dispatches[2] = {dispatch_of(program, &arguments[0]),
                                                dispatch_of(program, &arguments[1])};
   CHECK(asahi_run(device, dispatches, 2, 30 * SECOND, &timing) == 0, "%s: %s", spec, asahi_device_error(device));
   expect_values(asahi_buffer_map(first), 1000, spec);
   expect_values(asahi_buffer_map(second), 0xFFFFFFFF, spec);
   CHECK(timing.start_ns != 0 && timing.end_ns > timing.start_ns && timing.end_ns - timing.start_ns < SECOND,
         "%s: from %llu to %llu ns", spec, (unsigned long long)timing.start_ns, (unsigned long long)timing.end_ns);

   memset(asahi_buffer_map(first), 0, THREADS * 4);
   CHECK(asahi_run(device, dispatches, 1, 30 * SECOND, &later) == 0, "%s: %s", spec, asahi_device_error(device));
   expect_values(asahi_buffer_map(first), 1000, "the second run");
   CHECK(later.start_ns >= timing.end_ns && later.end_ns - later.start_ns < timing.end_ns - timing.start_ns,
         "%s: one dispatch after two: from %llu to %llu ns", spec, (unsigned long long)later.start_ns,
         (unsigned long long)later.end_ns);
   CHECK(asahi_device_counters(device, &counters) == 0, "%s", asahi_device_error(device));
   CHECK(counters.jobs == 2 && counters.instructions == 3 * (THREADS / 32) * 4, "%s: %llu jobs, %llu instructions",
         spec, (unsigned long long)counters.jobs, (unsigned long long)counters.instructions);

   asahi_program_destroy(device, program);
   asahi_buffer_destroy(device, first);
   asahi_buffer_destroy(device, second);
   asahi_device_close(device);
}

static int set_helper(struct asahi_device *device)
{
   uint8_t stop[2] = {0x88, 0x00};
   const struct agx_program helper = {
       .name = "helper", .code = stop, .code_size = sizeof(stop), .main_size = sizeof(stop), .half_registers = 8};

   return asahi_device_set_helper(device, &helper);
}

/* The virtual GPU does not run the helper, but looks at it and at all of the scratch memory as strictly as it can. */
static void test_stack(const char *spec)
{
   struct asahi_device *device = open_device(spec);
   struct asahi_program *program;
   struct asahi_buffer *buffer;

   if (device == NULL) {
      return;
   }
   CHECK(asahi_buffer_create(device, THREADS * 4, &buffer) == 0, "%s", asahi_device_error(device));
   CHECK(upload(device, stack_code, sizeof(stack_code), &program) == 0, "%s", asahi_device_error(device));
   const struct arguments arguments = {asahi_buffer_address(buffer), 0, 0};
   struct asahi_dispatch dispatch = dispatch_of(program, &arguments);
   CHECK(asahi_run(device, &dispatch, 1, 30 * SECOND, NULL) == -ENOTSUP, "%s: a stack without a helper", spec);
   CHECK(set_helper(device) == 0, "%s", asahi_device_error(device));
   CHECK(asahi_run(device, &dispatch, 1, 30 * SECOND, NULL) == 0, "%s: %s", spec, asahi_device_error(device));
   expect_values(asahi_buffer_map(buffer), 0, spec);
   asahi_program_destroy(device, program);
   asahi_buffer_destroy(device, buffer);
   asahi_device_close(device);
}

/* The code fails with that error and words, and the device is as good as before. */
static void test_failure(const char *spec, const uint8_t *code, size_t size, uint64_t timeout, int expected,
                         const char *words)
{
   struct asahi_device *device = open_device(spec);
   struct asahi_program *bad, *good;
   struct asahi_buffer *buffer;

   if (device == NULL) {
      return;
   }
   CHECK(asahi_buffer_create(device, THREADS * 4, &buffer) == 0, "%s", asahi_device_error(device));
   CHECK(upload(device, code, size, &bad) == 0, "%s", asahi_device_error(device));
   CHECK(upload(device, store_code, sizeof(store_code), &good) == 0, "%s", asahi_device_error(device));
   const struct arguments arguments = {asahi_buffer_address(buffer), 7, 0};
   struct asahi_dispatch dispatch = dispatch_of(bad, &arguments);
   int error = asahi_run(device, &dispatch, 1, timeout, NULL);
   CHECK(error == expected && strstr(asahi_device_error(device), words) != NULL,
         "error %d, not %d; \"%s\" without \"%s\"", error, expected, asahi_device_error(device), words);

   if (expected != -ETIME) {
      dispatch.program = good;
      CHECK(asahi_run(device, &dispatch, 1, 30 * SECOND, NULL) == 0, "afterwards: %s", asahi_device_error(device));
      expect_values(asahi_buffer_map(buffer), 7, "afterwards");
   }
   asahi_program_destroy(device, bad);
   asahi_program_destroy(device, good);
   asahi_buffer_destroy(device, buffer);
   asahi_device_close(device);
}

/* Jobs on three queues, each with its own result. Programs with a stack are refused: their memory is one piece. */
static void test_queues(const char *spec)
{
   enum asahi_queue queues[9];
   struct asahi_device *device = open_device(spec);
   struct asahi_program *program, *stack;
   struct asahi_buffer *buffers[9];
   struct asahi_dispatch dispatches[9];
   struct asahi_command commands[9];
   struct arguments arguments[9];
   struct asahi_timing timings[9];

   CHECK(upload(device, store_code, sizeof(store_code), &program) == 0, "%s", asahi_device_error(device));
   CHECK(upload(device, stack_code, sizeof(stack_code), &stack) == 0, "%s", asahi_device_error(device));
   for (unsigned i = 0; i < 9; i++) {
      CHECK(asahi_buffer_create(device, THREADS * 4, &buffers[i]) == 0, "%s", asahi_device_error(device));
      arguments[i] = (struct arguments){.buffer = asahi_buffer_address(buffers[i]), .addend = 100 * i};
      dispatches[i] = dispatch_of(program, &arguments[i]);
      commands[i] = (struct asahi_command){.dispatches = &dispatches[i], .count = 1};
      queues[i] = (enum asahi_queue)(i % ASAHI_QUEUES);
   }
   for (unsigned round = 0; round < 3; round++) {
      const int error = asahi_submit_apart(device, commands, queues, 9, 10 * SECOND, timings);

      CHECK(error == 0, "%s: %s", spec, asahi_device_error(device));
      for (unsigned i = 0; i < 9; i++) {
         expect_values(asahi_buffer_map(buffers[i]), 100 * i, "a job of several queues");
         CHECK(i < ASAHI_QUEUES || timings[i].start_ns >= timings[i - ASAHI_QUEUES].end_ns,
               "job %u starts before the one before it on its queue has ended", i);
         memset(asahi_buffer_map(buffers[i]), 0, THREADS * 4);
      }
   }
   CHECK(set_helper(device) == 0, "%s", asahi_device_error(device));
   dispatches[4].program = stack;
   CHECK(asahi_submit_apart(device, commands, queues, 9, SECOND, timings) == -EINVAL &&
             strstr(asahi_device_error(device), "stack") != NULL,
         "%s", asahi_device_error(device));
   for (unsigned i = 0; i < 9; i++) {
      asahi_buffer_destroy(device, buffers[i]);
   }
   asahi_program_destroy(device, stack);
   asahi_program_destroy(device, program);
   asahi_device_close(device);
}

int main(void)
{
   static const char *const chips[][2] = {
       {"virtual:m1", "Apple M1 ("},       {"virtual:m1-pro", "Apple M1 Pro"},
       {"virtual:m1-max", "Apple M1 Max"}, {"virtual:m1-ultra", "Apple M1 Ultra"},
       {"virtual:m2", "Apple M2 ("},       {"virtual:m2-pro", "Apple M2 Pro"},
       {"virtual:m2-max", "Apple M2 Max"}, {"virtual:m2-ultra", "Apple M2 Ultra"},
   };
   for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
      test_store(chips[i][0], chips[i][1]);
   }
   test_stack("virtual:m1");
   test_stack("virtual:m2-pro");
   test_stack("virtual:m2-ultra");
   test_queues("virtual:m1");
   test_queues("virtual:m2-ultra");
   test_failure("virtual:m1", lost_code, sizeof(lost_code), 30 * SECOND, -EIO, "EIO");
   test_failure("virtual:m1", alien_code, sizeof(alien_code), 30 * SECOND, -EIO, "ff");
   test_failure("virtual:m1,budget=100000", endless_code, sizeof(endless_code), 30 * SECOND, -ETIMEDOUT, "ETIMEDOUT");
   test_failure("virtual:m1", endless_code, sizeof(endless_code), SECOND / 50, -ETIMEDOUT,
                "within 536870 simdgroup instructions");
   test_failure("virtual:m1,inject=hang@1", store_code, sizeof(store_code), SECOND / 50, -ETIME, "time limit");
   return check_result();
}
