/* SPDX-License-Identifier: MIT
 *
 * The command stream and the USC words as Mesa's own decoder reads them: what a dispatch leaves in GPU memory goes to
 * libasahi_decode, and the text it prints is compared with a golden file. Regenerate with `test_drm_decode FILE
 * --write` and read the difference.
 *
 * The decoder knows a chip by its id: it expects the extra launch words for 0x6020 to 0x6022 (G14X), and takes any
 * id that it has not heard of for an M1.
 */
#include <stdlib.h>
#include <string.h>

#include "drm/device.h"
#include "fake.h"
#include "mesa_decoder.h"
#include "tests/check.h"

static const struct {
   const char *name;
   uint32_t chip_id, generation, variant, clusters;
} chips[] = {
    {"M1", 0x8103, 13, 'G', 1},
    {"M1 Max", 0x6001, 13, 'C', 4},
    {"M2", 0x8112, 14, 'G', 1},
    {"M2 Max", 0x6021, 14, 'C', 4},
};

/* The decoder's callback takes no pointer of ours. */
static struct fake *memory;

static size_t read_memory(uint64_t address, size_t size, void *data)
{
   size_t left = 0;
   const uint8_t *source = fake_memory(memory, address, &left);
   size = source == NULL ? 0 : size < left ? size : left;
   if (size != 0) {
      memcpy(data, source, size);
   }
   return size;
}

static uint8_t code[512] = {0x88, 0x00};
static uint8_t constants[200], arguments[24];
static struct agx_uniform_range ranges[] = {
    {.start = 0, .size = 12, .source = AGX_UNIFORM_ARGUMENTS},
    {.start = 12, .size = 100, .source = AGX_UNIFORM_CONSTANTS},
    {.start = 250, .size = 32, .source = AGX_UNIFORM_DISPATCH},
    {.start = 508, .size = 4, .source = AGX_UNIFORM_CONSTANTS_ADDRESS},
};
static const struct agx_program simple = {
    .name = "simple",
    .code = code,
    .code_size = sizeof(code),
    .main_size = 2,
    .half_registers = 8,
    .uniform_halves = 12,
    .uniforms = ranges,
    .uniform_count = 1,
    .argument_bytes = 24,
};
static const struct agx_program full = {
    .name = "full",
    .code = code,
    .code_size = sizeof(code),
    .main_offset = 256,
    .main_size = 2,
    .has_preamble = true,
    .preamble_offset = 128,
    .preamble_size = 2,
    .half_registers = 256,
    .preamble_half_registers = 40,
    .uniform_halves = 512,
    .uniforms = ranges,
    .uniform_count = 4,
    .constants = constants,
    .constants_size = sizeof(constants),
    .argument_bytes = 24,
    .threadgroup_bytes = 4096,
    .scratch_bytes = 256,
};

static void test_chip(size_t chip, FILE *text)
{
   struct fake fake;
   char why[256];
   struct asahi_device *device;
   struct asahi_program *first, *second;

   fake_init(&fake);
   fake.params.chip_id = chips[chip].chip_id;
   fake.params.gpu_generation = chips[chip].generation;
   fake.params.gpu_variant = chips[chip].variant;
   fake.params.num_clusters_total = chips[chip].clusters;
   if (!CHECK(asahi_device_start(&fake.base, FAKE_FD, "fake", false, &device, why, sizeof(why)) == 0, "%s", why)) {
      return;
   }
   CHECK(asahi_program_upload(device, &simple, &first) == 0, "%s", asahi_device_error(device));
   CHECK(asahi_program_upload(device, &full, &second) == 0, "%s", asahi_device_error(device));
   struct agx_program helper = simple;
   helper.uniform_count = 0;
   CHECK(asahi_device_set_helper(device, &helper) == 0, "%s", asahi_device_error(device));
   const struct asahi_dispatch dispatches[] = {
       {.program = first, .grid = {64, 1, 1}, .group = {32, 1, 1}, .arguments = arguments, .argument_bytes = 24},
       {.program = second, .grid = {96, 10, 6}, .group = {32, 5, 2}, .arguments = arguments, .argument_bytes = 24},
   };
   if (CHECK(asahi_run(device, dispatches, 2, 1000, NULL) == 0, "%s", asahi_device_error(device))) {
      memory = &fake;
      fprintf(text, "# %s\n", chips[chip].name);
      CHECK(mesa_decoder_print(chips[chip].chip_id, fake.queue.usc_exec_base, fake.compute.cdm_ctrl_stream_base,
                               read_memory, text),
            "out of memory");
      fprintf(text, "\n");
   }
   asahi_program_destroy(device, first);
   asahi_program_destroy(device, second);
   asahi_device_close(device);
   const char *wrong = fake_end(&fake);
   CHECK(wrong == NULL, "%s", wrong);
}

/* Prints the first line that differs. */
static void compare(const char *found, const char *path)
{
   char expected[256];
   unsigned line = 0;
   FILE *golden = fopen(path, "r");
   if (!CHECK(golden != NULL, "%s cannot be read", path)) {
      return;
   }
   while (fgets(expected, sizeof(expected), golden) != NULL) {
      size_t length = strlen(expected);
      line++;
      if (!CHECK(strncmp(found, expected, length) == 0, "%s:%u: expected \"%.*s\", found \"%.*s\"", path, line,
                 (int)strcspn(expected, "\n"), expected, (int)strcspn(found, "\n"), found)) {
         break;
      }
      found += length;
   }
   CHECK(line > 100 && (check_failures != 0 || *found == 0), "%s: ends after line %u, the decoder goes on", path, line);
   fclose(golden);
}

int main(int argc, char **argv)
{
   char *found = NULL;
   size_t size;
   FILE *text = open_memstream(&found, &size);
   if (argc < 2 || text == NULL) {
      fprintf(stderr, "usage: %s GOLDEN [--write]\n", argv[0]);
      return 1;
   }
   for (size_t i = 0; i < sizeof(constants); i++) {
      constants[i] = (uint8_t)i;
   }
   for (size_t i = 0; i < sizeof(arguments); i++) {
      arguments[i] = (uint8_t)(0xF0 + i);
   }
   for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
      test_chip(i, text);
   }
   fclose(text);
   if (argc == 3 && strcmp(argv[2], "--write") == 0) {
      FILE *golden = fopen(argv[1], "w");
      CHECK(golden != NULL && fputs(found, golden) >= 0 && fclose(golden) == 0, "%s: not written", argv[1]);
   } else {
      compare(found, argv[1]);
   }
   free(found);
   return check_result();
}
