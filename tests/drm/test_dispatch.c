/* SPDX-License-Identifier: MIT
 *
 * What lies in GPU memory when a job is submitted: a reader of its own, written from spec/uapi.md 4.2 and 4.3, follows
 * the command to its stream, the launches to their USC words, and these to the uniforms' values.
 */
#include <errno.h>
#include <string.h>

#include "drm/device.h"
#include "fake.h"
#include "tests/check.h"

#define ARGUMENT_BYTES 300
#define CONSTANT_BYTES 70

struct launch {
   uint32_t word0, usc_offset;
   uint32_t grid[3], group[3];
   uint16_t uniforms[512];
   bool loaded[512];
   uint32_t shared, registers, code, preamble;
   bool has_preamble;
};

static uint64_t get(const uint8_t *bytes, size_t size)
{
   uint64_t value = 0;
   for (size_t i = 0; i < size; i++) {
      value |= (uint64_t)bytes[i] << 8 * i;
   }
   return value;
}

static bool load_uniforms(struct fake *fake, uint64_t word, struct launch *launch)
{
   unsigned start = (unsigned)(word >> 8 & 0xFF) + ((word & 0xFF) == 0x3D ? 256 : 0);
   unsigned halves = (word >> 20 & 0x3F) != 0 ? (unsigned)(word >> 20 & 0x3F) : 64;
   size_t left;
   const uint8_t *memory = fake_memory(fake, word >> 26 << 2, &left);
   if (memory == NULL || left < halves * 2 || start + halves > 512) {
      return false;
   }
   for (unsigned i = 0; i < halves; i++) {
      launch->uniforms[start + i] = (uint16_t)get(memory + i * 2, 2);
      launch->loaded[start + i] = true;
   }
   return true;
}

static bool read_usc(struct fake *fake, struct launch *launch)
{
   size_t left;
   const uint8_t *word = fake_memory(fake, fake->queue.usc_exec_base + launch->usc_offset, &left);
   if (!CHECK(word != NULL && launch->usc_offset % 64 == 0, "USC words at offset 0x%x", launch->usc_offset)) {
      return false;
   }
   for (unsigned i = 0; i < 600; i++) {
      switch (word[0]) {
      case 0x1D:
      case 0x3D:
         if (!CHECK(load_uniforms(fake, get(word, 8), launch), "uniforms from unmapped memory")) {
            return false;
         }
         word += 8;
         break;
      case 0x4D:
         launch->shared = (uint32_t)get(word, 4);
         word += 4;
         break;
      case 0x0D:
         launch->code = (uint32_t)get(word + 2, 4);
         word += 6;
         break;
      case 0x8D:
         launch->registers = (uint32_t)get(word, 4);
         word += 4;
         break;
      case 0x38:
         launch->has_preamble = true;
         launch->preamble = (uint32_t)get(word + 4, 4);
         return true;
      case 0x88:
         return CHECK(word[1] == 0, "no preshader");
      default:
         return CHECK(false, "USC tag 0x%x", word[0]);
      }
   }
   return CHECK(false, "USC words without end");
}

/* The n-th launch of the stream last submitted to a G13 chip. */
static bool read_launch(struct fake *fake, size_t n, struct launch *launch)
{
   size_t left;
   const uint8_t *stream = fake_memory(fake, fake->compute.cdm_ctrl_stream_base, &left);
   size_t size = fake->compute.cdm_ctrl_stream_end - fake->compute.cdm_ctrl_stream_base;
   const uint8_t *at = stream + 36 * n;
   *launch = (struct launch){.word0 = (uint32_t)get(at, 4), .usc_offset = (uint32_t)get(at + 4, 4)};
   for (size_t i = 0; i < 3; i++) {
      launch->grid[i] = (uint32_t)get(at + 8 + 4 * i, 4);
      launch->group[i] = (uint32_t)get(at + 20 + 4 * i, 4);
   }
   return CHECK(size >= 36 * (n + 1) + 8 && get(at + 32, 4) == 0x600FFFFF, "launch %zu: no barrier", n) &&
          CHECK(get(stream + size - 8, 8) == 0x40000000, "no terminate at the end") && read_usc(fake, launch);
}

static uint8_t code[1024], constants[CONSTANT_BYTES], arguments[ARGUMENT_BYTES];
static struct agx_uniform_range ranges[] = {
    {.start = 0, .size = 4, .source = AGX_UNIFORM_ARGUMENTS_ADDRESS},
    {.start = 4, .size = 4, .source = AGX_UNIFORM_CONSTANTS_ADDRESS},
    {.start = 8, .size = 130, .source = AGX_UNIFORM_ARGUMENTS, .offset = 40},
    {.start = 200, .size = 31, .source = AGX_UNIFORM_CONSTANTS, .offset = 8},
    {.start = 240, .size = 32, .source = AGX_UNIFORM_DISPATCH, .offset = 0},
    {.start = 510, .size = 2, .source = AGX_UNIFORM_ARGUMENTS, .offset = 296},
};
static const struct agx_program program = {
    .name = "all",
    .code = code,
    .code_size = sizeof(code),
    .main_offset = 256,
    .main_size = 700,
    .has_preamble = true,
    .preamble_offset = 128,
    .preamble_size = 100,
    .half_registers = 20,
    .preamble_half_registers = 33,
    .uniform_halves = 512,
    .uniforms = ranges,
    .uniform_count = sizeof(ranges) / sizeof(ranges[0]),
    .constants = constants,
    .constants_size = sizeof(constants),
    .argument_bytes = ARGUMENT_BYTES,
    .threadgroup_bytes = 300,
};
static const struct agx_program bare = {
    .name = "bare", .code = code, .code_size = 100, .main_size = 100, .half_registers = 256};

static const struct asahi_dispatch all = {
    .grid = {96, 10, 6},
    .group = {32, 5, 2},
    .work_dim = 3,
    .global_offset = {7, 8, 9},
    .arguments = arguments,
    .argument_bytes = ARGUMENT_BYTES,
    .extra_threadgroup_bytes = 1000,
};

static void check_uniforms(struct fake *fake, const struct launch *launch)
{
   const uint32_t block[16] = {3, 2, 3, 3, 7, 8, 9, 0, 96, 10, 6, 0, 32, 5, 2, 0};
   const uint8_t *blob = (const uint8_t *)block;
   size_t left;
   bool expected_loads[512] = {false};

   for (size_t r = 0; r < program.uniform_count; r++) {
      for (unsigned i = 0; i < ranges[r].size; i++) {
         unsigned half = ranges[r].start + i;
         size_t at = ranges[r].offset + i * 2;
         expected_loads[half] = true;
         const uint8_t *source = ranges[r].source == AGX_UNIFORM_ARGUMENTS   ? arguments
                                 : ranges[r].source == AGX_UNIFORM_CONSTANTS ? constants
                                 : ranges[r].source == AGX_UNIFORM_DISPATCH  ? blob
                                                                             : NULL;
         if (source != NULL) {
            CHECK(launch->uniforms[half] == get(source + at, 2), "half uniform %u is 0x%x, not 0x%x", half,
                  launch->uniforms[half], (unsigned)get(source + at, 2));
         }
      }
   }
   CHECK(memcmp(expected_loads, launch->loaded, sizeof(expected_loads)) == 0,
         "other half uniforms are loaded than the program says");
   uint64_t address = get((const uint8_t *)&launch->uniforms[0], 8);
   const uint8_t *memory = fake_memory(fake, address, &left);
   CHECK(memory != NULL && left >= ARGUMENT_BYTES && memcmp(memory, arguments, ARGUMENT_BYTES) == 0,
         "the argument block's address, 0x%llx, is not where the block is", (unsigned long long)address);
   address = get((const uint8_t *)&launch->uniforms[4], 8);
   memory = fake_memory(fake, address, &left);
   CHECK(memory != NULL && left >= CONSTANT_BYTES && memcmp(memory, constants, CONSTANT_BYTES) == 0,
         "the constants' address, 0x%llx, is not where they are", (unsigned long long)address);
}

static struct asahi_device *open_fake(struct fake *fake)
{
   char why[256];
   struct asahi_device *device;
   fake_init(fake);
   CHECK(asahi_device_start(&fake->base, FAKE_FD, "fake", false, &device, why, sizeof(why)) == 0, "%s", why);
   return device;
}

static void close_fake(struct fake *fake, struct asahi_device *device)
{
   asahi_device_close(device);
   const char *wrong = fake_end(fake);
   CHECK(wrong == NULL, "%s", wrong);
}

static void test_memory(void)
{
   struct fake fake;
   struct launch launch;
   struct asahi_device *device = open_fake(&fake);
   struct asahi_program *uploaded, *simple;
   size_t left;

   CHECK(asahi_program_upload(device, &program, &uploaded) == 0, "%s", asahi_device_error(device));
   CHECK(asahi_program_upload(device, &bare, &simple) == 0, "%s", asahi_device_error(device));
   struct asahi_dispatch dispatches[3] = {all, {.program = simple, .grid = {384, 1, 1}, .group = {384, 1, 1}}, all};
   dispatches[0].program = dispatches[2].program = uploaded;
   dispatches[2].half_registers = 104;
   CHECK(asahi_run(device, dispatches, 3, 1000, NULL) == 0, "%s", asahi_device_error(device));

   if (read_launch(&fake, 0, &launch)) {
      CHECK(launch.word0 == 0x3200, "launch word 0x%x: all uniforms, 3 groups of preamble registers", launch.word0);
      CHECK(memcmp(launch.grid, all.grid, 12) == 0 && memcmp(launch.group, all.group, 12) == 0, "sizes");
      CHECK(launch.shared == 0x0600914D, "1300 bytes of threadgroup memory are 0x%x", launch.shared);
      CHECK(launch.registers == 0x0000038D, "20 half registers are 0x%x", launch.registers);
      CHECK(launch.has_preamble && launch.preamble + 128 == launch.code, "preamble at 0x%x, main at 0x%x",
            launch.preamble, launch.code);
      const uint8_t *main = fake_memory(&fake, fake.queue.usc_exec_base + launch.code, &left);
      CHECK(launch.code % 128 == 0 && main != NULL && left > 768 + 128 && memcmp(main, code + 256, 768) == 0,
            "the code is not where the USC words say");
      CHECK(main != NULL && main[768] == 0x08 && main[769] == 0 && main[768 + 126] == 0x08, "no traps behind the code");
      check_uniforms(&fake, &launch);
   }
   if (read_launch(&fake, 1, &launch)) {
      CHECK(launch.word0 == 0x1202 && !launch.has_preamble && launch.shared == 0x0000904D &&
                launch.registers == 0x0000008D,
            "the bare program: 0x%x, 0x%x, 0x%x", launch.word0, launch.shared, launch.registers);
   }
   if (read_launch(&fake, 2, &launch)) {
      CHECK(launch.registers == 0x00000D8D, "104 half registers are 0x%x", launch.registers);
      check_uniforms(&fake, &launch);
   }
   asahi_program_destroy(device, uploaded);
   asahi_program_destroy(device, simple);
   close_fake(&fake, device);
}

/* Stream and USC words are at new addresses in the next submission, and after any number of them still right. */
static void test_many(void)
{
   static struct asahi_dispatch dispatches[2000];
   struct fake fake;
   struct launch launch;
   struct asahi_device *device = open_fake(&fake);
   struct asahi_program *uploaded;

   CHECK(asahi_program_upload(device, &program, &uploaded) == 0, "%s", asahi_device_error(device));
   for (size_t i = 0; i < 2000; i++) {
      dispatches[i] = all;
      dispatches[i].program = uploaded;
   }
   uint64_t before = 0;
   for (unsigned run = 0; run < 300; run++) {
      size_t count = run % 7 == 6 ? run % 50 + 1 : 1;
      CHECK(asahi_run(device, dispatches, count, 1000, NULL) == 0, "%s", asahi_device_error(device));
      CHECK(fake.compute.cdm_ctrl_stream_base != before, "run %u: the stream's address again", run);
      before = fake.compute.cdm_ctrl_stream_base;
      if (read_launch(&fake, count - 1, &launch)) {
         check_uniforms(&fake, &launch);
      }
   }
   CHECK(asahi_run(device, dispatches, 2000, 1000, NULL) == 0, "%s", asahi_device_error(device));
   for (size_t i = 0; i < 2000; i += 1999) {
      if (read_launch(&fake, i, &launch)) {
         check_uniforms(&fake, &launch);
      }
   }
   asahi_program_destroy(device, uploaded);
   close_fake(&fake, device);
}

static void test_scratch(void)
{
   struct fake fake;
   struct launch launch;
   struct asahi_device *device = open_fake(&fake);
   struct asahi_program *main_stack, *preamble_stack;
   struct agx_program stacked = program, helper = bare;
   size_t left;

   stacked.scratch_bytes = 66; /* 17 words: bucket 3, three blocks of 8 */
   CHECK(asahi_program_upload(device, &stacked, &main_stack) == 0, "%s", asahi_device_error(device));
   stacked.scratch_bytes = 0;
   stacked.preamble_scratch_bytes = 400;
   CHECK(asahi_program_upload(device, &stacked, &preamble_stack) == 0, "%s", asahi_device_error(device));
   struct asahi_dispatch dispatch = all;
   dispatch.program = main_stack;
   CHECK(asahi_run(device, &dispatch, 1, 1000, NULL) == -ENOTSUP, "scratch without a helper");
   CHECK(asahi_device_set_helper(device, &program) == -EINVAL, "a helper with uniforms");

   helper.code_size = 512;
   helper.main_offset = 128;
   memset(code, 0x11, 128);
   CHECK(asahi_device_set_helper(device, &helper) == 0, "%s", asahi_device_error(device));
   CHECK(asahi_run(device, &dispatch, 1, 1000, NULL) == 0, "%s", asahi_device_error(device));
   const uint8_t *memory = fake_memory(&fake, fake.queue.usc_exec_base + (fake.compute.helper.binary & ~1u), &left);
   CHECK((fake.compute.helper.binary & 0x7F) == 1 && memory != NULL && memcmp(memory, code + 128, 100) == 0,
         "helper at 0x%x", fake.compute.helper.binary);
   memory = fake_memory(&fake, fake.compute.helper.data, &left);
   CHECK(fake.compute.helper.cfg == 0 && memory != NULL && get(memory, 4) == 128, "scratch header");
   uint64_t first = fake.compute.helper.data;
   if (read_launch(&fake, 0, &launch)) {
      CHECK(launch.registers == (0x0000038D | 3 << 18), "registers with stack: 0x%x", launch.registers);
   }

   dispatch.program = preamble_stack;
   CHECK(asahi_run(device, &dispatch, 1, 1000, NULL) == 0, "%s", asahi_device_error(device));
   CHECK(fake.compute.helper.cfg == 0x10000 && fake.compute.helper.data != first, "a larger preamble stack");
   if (read_launch(&fake, 0, &launch)) {
      CHECK(launch.registers == 0x0000038D && launch.word0 == 0x0200, "preamble stack: 0x%x, 0x%x", launch.registers,
            launch.word0);
   }
   uint64_t second = fake.compute.helper.data;
   dispatch.program = main_stack;
   CHECK(asahi_run(device, &dispatch, 1, 1000, NULL) == 0 && fake.compute.helper.data == second,
         "a smaller stack takes what is there");
   asahi_program_destroy(device, main_stack);
   asahi_program_destroy(device, preamble_stack);
   close_fake(&fake, device);
}

/* What no device takes, with words that the message must have. */
static void test_refusals(void)
{
   struct fake fake;
   struct asahi_device *device = open_fake(&fake);
   struct asahi_program *uploaded, *fixed, *wide;
   struct agx_program other = program;

   CHECK(asahi_program_upload(device, &program, &uploaded) == 0, "%s", asahi_device_error(device));
   CHECK(asahi_program_upload(device, &bare, &wide) == 0, "%s", asahi_device_error(device));
   other.workgroup_size[0] = 64;
   other.workgroup_size[1] = other.workgroup_size[2] = 1;
   CHECK(asahi_program_upload(device, &other, &fixed) == 0, "%s", asahi_device_error(device));

   struct {
      const char *words;
      struct asahi_dispatch dispatch;
   } rows[] = {
       {"without a program", all}, {"0 x 10", all},        {"multiple", all},         {"at most 1024", all},
       {"64 in z", all},           {"requires 64", all},   {"kernel all takes", all}, {"kernel all takes", all},
       {"at most 32768", all},     {"at most 32768", all}, {"there are 256", all},    {"there are 256", all},
       {"at most 3", all},         {"holds 384", all},     {"group 0", all},          {"at most 1024", all},
   };
   size_t count = sizeof(rows) / sizeof(rows[0]);
   for (size_t i = 1; i < count; i++) {
      rows[i].dispatch.program = uploaded;
   }
   rows[1].dispatch.grid[0] = 0;
   rows[2].dispatch.grid[1] = 11;
   rows[3].dispatch = (struct asahi_dispatch){.program = wide, .grid = {2048, 2, 1}, .group = {512, 2, 2}};
   rows[3].dispatch.grid[2] = 2;
   rows[4].dispatch.group[0] = rows[4].dispatch.group[1] = 1;
   rows[4].dispatch.grid[2] = rows[4].dispatch.group[2] = 65;
   rows[5].dispatch.program = fixed;
   rows[6].dispatch.argument_bytes = 299;
   rows[7].dispatch.arguments = NULL;
   rows[8].dispatch.extra_threadgroup_bytes = 32769 - 300;
   rows[9].dispatch.extra_threadgroup_bytes = UINT32_MAX;
   rows[10].dispatch.half_registers = 19;
   rows[11].dispatch.half_registers = 257;
   rows[12].dispatch.work_dim = 4;
   rows[13].dispatch = (struct asahi_dispatch){.program = wide, .grid = {385, 1, 1}, .group = {385, 1, 1}};
   rows[14].dispatch.group[2] = 0;
   rows[14].words = "32 x 5 x 0";
   rows[15].dispatch.grid[0] = rows[15].dispatch.group[0] = UINT32_MAX;

   for (size_t i = 0; i < count; i++) {
      int error = asahi_run(device, &rows[i].dispatch, 1, 1000, NULL);
      CHECK(error == -EINVAL && strstr(asahi_device_error(device), rows[i].words) != NULL,
            "row %zu, \"%s\": error %d, \"%s\"", i, rows[i].words, error, asahi_device_error(device));
   }
   CHECK(fake.submits == 0, "a refused dispatch was submitted");
   asahi_program_destroy(device, uploaded);
   asahi_program_destroy(device, fixed);
   asahi_program_destroy(device, wide);

   other.half_registers = 257;
   CHECK(asahi_program_upload(device, &other, &uploaded) == -EINVAL && uploaded == NULL, "257 half registers");
   CHECK(strstr(asahi_device_error(device), "half registers") != NULL, "\"%s\"", asahi_device_error(device));
   close_fake(&fake, device);
}

/* The published rows of results/reference/occupancy_registers.csv: half registers, threads. */
static void test_occupancy(void)
{
   static const uint16_t rows[][2] = {{104, 1024}, {112, 896}, {120, 832}, {128, 832}, {136, 768}, {144, 704},
                                      {152, 640},  {160, 640}, {168, 576}, {184, 576}, {192, 512}, {208, 512},
                                      {216, 448},  {232, 448}, {240, 384}, {256, 384}};
   struct fake fake;
   struct asahi_device *device = open_fake(&fake);
   struct asahi_program *uploaded;
   struct agx_program small = bare;

   small.half_registers = 1;
   CHECK(asahi_program_upload(device, &small, &uploaded) == 0, "%s", asahi_device_error(device));
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      uint32_t threads = rows[i][1];
      struct asahi_dispatch dispatch = {
          .program = uploaded, .grid = {threads, 1, 1}, .group = {threads, 1, 1}, .half_registers = rows[i][0]};
      CHECK(asahi_run(device, &dispatch, 1, 1000, NULL) == 0, "%u half registers, %u threads: %s", rows[i][0], threads,
            asahi_device_error(device));
      dispatch.grid[0] = ++dispatch.group[0];
      CHECK(asahi_run(device, &dispatch, 1, 1000, NULL) == -EINVAL, "%u half registers, %u threads", rows[i][0],
            threads + 1);
   }
   asahi_program_destroy(device, uploaded);
   close_fake(&fake, device);
}

int main(void)
{
   for (size_t i = 0; i < sizeof(code); i++) {
      code[i] = (uint8_t)(i * 7 + 3);
   }
   for (size_t i = 0; i < sizeof(constants); i++) {
      constants[i] = (uint8_t)(i * 5 + 1);
   }
   for (size_t i = 0; i < sizeof(arguments); i++) {
      arguments[i] = (uint8_t)(i * 3 + 2);
   }
   test_memory();
   test_many();
   test_scratch();
   test_refusals();
   test_occupancy();
   return check_result();
}
