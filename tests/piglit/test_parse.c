/* SPDX-License-Identifier: MIT
 *
 * Well-formed program tests: all that the format has, read back field by field.
 */
#include <stdlib.h>

#include "agx_runner/piglit/format/program_test.h"
#include "tests/check.h"

static const char everything[] =
    "# a comment\n"
    "[config]\n"
    "name: All of it   # another\n"
    "clc_version_min: 11\n"
    "clc_version_max: 20\n"
    "platform_regex: .*runner\n"
    "device_regex: Apple.*\n"
    "require_platform_extensions: a b\n"
    "require_device_extensions: cl_khr_fp16 c\n"
    "build_options: -D A=1 -DB\n"
    "kernel_name: first\n"
    "dimensions: 2\n"
    "global_size: 8 4 1\n"
    "local_size: 2 2 1\n"
    "global_offset: 1 2 0\n"
    "expect_test_fail: true\n"
    "\n"
    "[test]\n"
    "name: defaults\n"
    "[ test ]\n"
    "name: own values\n"
    "kernel_name: second\n"
    "expect_test_fail: 0\n"
    "dimensions: 1\n"
    "global_size: 16 0 0\n"
    "local_size: NULL\n"
    "global_offset: null\n"
    "arg_in: 0 buffer int[4] 1 -2 \\ # goes on\n"
    "                        0x7f 010\n"
    "arg_in: 1 buffer uchar3[2] 1 2 3 4 5 6\n"
    "arg_in: 2 float4 1.5 -2 inf nan\n"
    "arg_in: 3 buffer uint[4] NULL\n"
    "arg_in: 4 buffer short[5] repeat 1 2\n"
    "arg_in: 5 buffer float[3] random\n"
    "arg_in: 6 ulong 18446744073709551615\n"
    "arg_out: 0 buffer uint[4] 1 2 3 4 tolerance 7\n"
    "arg_out: 7 buffer half2[2] 0x1.8p1 -0.0 65504 1e-7 tolerance 3 ulp\n"
    "arg_out: 8 buffer float[2] REPEAT 0.5 tolerance 0.25\n"
    "arg_in: 9 image uchar repeat 0 image_type 2d image_width 4 image_height 2 image_channel_order RGBA "
    "image_channel_data_type unsigned_int8\n"
    "arg_in: 10 sampler normalized_coords 0 addressing_mode repeat filter_mode nearest\n"
    "\n"
    "[program source]\n"
    "kernel void first(global int *x) { x[0] = 1; } # no comment here\n"
    "[not a section, for it goes on\n";

static struct piglit_file *parse(const char *path, const char *text)
{
   struct piglit_file *file;
   char message[256] = "";

   if (piglit_file_parse(path, text, strlen(text), &file, message, sizeof(message)) < 0) {
      printf("%s\n", message);
      exit(1);
   }
   return file;
}

static void check_config(const struct piglit_file *file)
{
   CHECK_TEXT(file->name, "All of it");
   CHECK(file->clc_version_min == 11 && file->clc_version_max == 20);
   CHECK_TEXT(file->platform_regex, ".*runner");
   CHECK_TEXT(file->device_regex, "Apple.*");
   CHECK_TEXT(file->require_platform_extensions, "a b");
   CHECK_TEXT(file->require_device_extensions, "cl_khr_fp16 c");
   CHECK_TEXT(file->build_options, "-D A=1 -DB");
   CHECK(!file->expect_build_fail && !file->need_image_support);
   CHECK_TEXT(file->source, "kernel void first(global int *x) { x[0] = 1; } # no comment here\n"
                            "[not a section, for it goes on\n");
   CHECK(file->source_size == strlen(file->source));
   CHECK_TEXT(file->source_name, "all.program_test");
}

static void check_launches(const struct piglit_file *file)
{
   const struct piglit_launch *defaults = &file->tests[0].launch, *own = &file->tests[1].launch;

   CHECK_TEXT(file->tests[0].name, "defaults");
   CHECK(file->tests[0].line == 18);
   CHECK_TEXT(file->launch.kernel_name, "first");
   CHECK(defaults->kernel_name == NULL && defaults->expect_test_fail && defaults->dimensions == 2);
   CHECK(defaults->global_size[0] == 8 && defaults->global_size[1] == 4 && defaults->global_size[2] == 1);
   CHECK(defaults->local_size[0] == 2 && defaults->local_size[1] == 2 && !defaults->local_size_null);
   CHECK(defaults->global_offset[0] == 1 && defaults->global_offset[1] == 2);

   CHECK_TEXT(own->kernel_name, "second");
   CHECK(!own->expect_test_fail && own->dimensions == 1 && own->global_size[0] == 16 && own->local_size_null);
   CHECK(own->global_offset[0] == 0 && own->global_offset[1] == 0);
}

static bool bytes_are(const struct piglit_argument *argument, size_t size, const void *bytes)
{
   return argument->size == size && argument->data != NULL && memcmp(argument->data, bytes, size) == 0;
}

static void check_inputs(const struct piglit_arguments *in)
{
   const int32_t ints[] = {1, -2, 127, 8};
   const uint8_t chars[] = {1, 2, 3, 0, 4, 5, 6, 0};
   const uint32_t floats[] = {0x3fc00000, 0xc0000000, 0x7f800000, 0x7fc00000};
   const int16_t shorts[] = {1, 2, 1, 2, 1};
   const uint64_t all_ones = UINT64_MAX;

   CHECK(in->count == 9);
   CHECK(in->list[0].kind == PIGLIT_BUFFER && bytes_are(&in->list[0], sizeof(ints), ints) && in->list[0].line == 28);
   CHECK(in->list[1].type.components == 3 && in->list[1].length == 2);
   CHECK(bytes_are(&in->list[1], sizeof(chars), chars));
   CHECK(in->list[2].kind == PIGLIT_VALUE && bytes_are(&in->list[2], sizeof(floats), floats));
   CHECK(in->list[3].data == NULL && in->list[3].size == 16);
   CHECK(bytes_are(&in->list[4], sizeof(shorts), shorts));
   CHECK(in->list[5].data != NULL && in->list[5].size == 12);
   CHECK(bytes_are(&in->list[6], 8, &all_ones));
   CHECK(in->list[7].kind == PIGLIT_IMAGE && in->list[7].index == 9 && in->list[7].length == 8);
   CHECK(in->list[8].kind == PIGLIT_SAMPLER && in->list[8].index == 10);
}

static void check_outputs(const struct piglit_arguments *out)
{
   /* 1.5 * 2; minus zero; the largest half; 1e-7 is 1.68 units of 2^-24, nearest 2. */
   const uint16_t halves[] = {0x4200, 0x8000, 0x7bff, 0x0002};

   CHECK(out->count == 3);
   CHECK(out->list[0].tolerance.kind == PIGLIT_ABSOLUTE && out->list[0].tolerance.value.u == 7);
   CHECK(bytes_are(&out->list[1], sizeof(halves), halves));
   CHECK(out->list[1].tolerance.kind == PIGLIT_ULP && out->list[1].tolerance.value.u == 3);
   CHECK(out->list[2].tolerance.kind == PIGLIT_ABSOLUTE && out->list[2].tolerance.value.f == 0.25);
}

static void check_everything(void)
{
   struct piglit_file *file = parse("all.program_test", everything);

   CHECK(file->test_count == 2);
   if (file->test_count == 2) {
      check_config(file);
      check_launches(file);
      check_inputs(&file->tests[1].in);
      check_outputs(&file->tests[1].out);
   }
   piglit_file_destroy(file);
}

/* A .cl file: the configuration in its comment, the whole file as the program. */
static void check_comment(void)
{
   static const char text[] = "\n/* not this */\n/*!\n[config]\nname: c\nexpect_build_fail: true\n!*/\nkernel int x;\n";
   struct piglit_file *file = parse("dir/c.cl", text);

   CHECK_TEXT(file->name, "c");
   CHECK(file->expect_build_fail && file->test_count == 0);
   CHECK_TEXT(file->source, text);
   CHECK_TEXT(file->source_name, "dir/c.cl");
   piglit_file_destroy(file);
}

/* Without a configuration a program only has to build; Piglit's defaults are one work-item in a group of one. */
static void check_bare(void)
{
   struct piglit_file *file = parse("bare.cl", "kernel void k() {}\n");

   CHECK(file->name == NULL && file->test_count == 0 && !file->expect_build_fail);
   CHECK(file->launch.dimensions == 1 && file->launch.global_size[0] == 1 && file->launch.local_size[0] == 1);
   piglit_file_destroy(file);
}

int main(void)
{
   check_everything();
   check_comment();
   check_bare();
   return check_result();
}
