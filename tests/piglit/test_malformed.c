/* SPDX-License-Identifier: MIT
 *
 * Malformed program tests: each has one message with file and line, and none takes the reader down.
 */
#include <errno.h>
#include <stdlib.h>

#include "agx_runner/piglit/format/program_test.h"
#include "tests/check.h"

#define HEAD "[config]\nkernel_name: k\n"
#define TAIL "\n[program source]\nkernel void k() {}\n"

static const struct {
   const char *text;
   const char *message; /* its beginning */
} cases[] = {
    {"", "t.program_test:1: there is no [config] section"},
    {"# nothing\n\n", "t.program_test:2: there is no [config] section"},
    {HEAD, "t.program_test:1: there is no program"},
    {"[config]\n[test]\nname: x" TAIL, "t.program_test:2: the test has no kernel_name"},
    {"[test]\n", "t.program_test:1: [config] must stand before"},
    {"[test]\n[config]\n", "t.program_test:1: [config] must stand before"},
    {HEAD "[test]\n[config]\n", "t.program_test:4: a second [config] section"},
    {"name: x\n", "t.program_test:1: the key \"name\" stands in no section"},
    {"[confg]\n", "t.program_test:1: unknown section \"confg\": did you mean 'config'?"},
    {"[config]\nnmae: x\n", "t.program_test:2: unknown key of a [config] section \"nmae\": did you mean 'name'?"},
    {HEAD "arg_in: 0 int 1\n", "t.program_test:3: the key \"arg_in\" belongs into [test]"},
    {HEAD "[test]\nbuild_options: -w\n", "t.program_test:4: the key \"build_options\" belongs into [config]"},
    {"[config]\ngarbage\n", "t.program_test:2: \"garbage\": expected \"[section]\" or \"key: value\""},
    {"[config]\nname:\n", "t.program_test:2: the key \"name\" has no value"},
    {"[config]\nname: a/b\n", "t.program_test:2: a name cannot contain \"/\""},
    {"[config]\nname: 100%\n", "t.program_test:2: a name cannot contain \"%\""},
    {"[config]\nclc_version_min: 1.1\n", "t.program_test:2: \"1.1\": not an integer"},
    {"[config]\nclc_version_min: -1\n", "t.program_test:2: \"-1\": an unsigned number"},
    {"[config]\nclc_version_min: 20\nclc_version_max: 12" TAIL, "t.program_test:1: clc_version_max 12 is lower"},
    {"[config]\nexpect_build_fail: maybe\n", "t.program_test:2: \"maybe\": expected true or false"},
    {"[config]\nexpect_build_fail: true\n[test]\n", "t.program_test:3: expect_build_fail leaves nothing"},
    {"[config]\nexpect_build_fail: true\nkernel_name: k" TAIL, "t.program_test:1: kernel_name has no meaning"},
    {"[config]\ndimensions: 4\n", "t.program_test:2: 4 dimensions"},
    {"[config]\ndimensions: 0\n", "t.program_test:2: 0 dimensions"},
    {"[config]\nglobal_size: 1 2\n", "t.program_test:2: expected three numbers, found 2"},
    {"[config]\nglobal_size: 1 2 3 4\n", "t.program_test:2: expected three numbers, found more"},
    {"[config]\nglobal_size: 99999999999999999999 1 1\n",
     "t.program_test:2: \"99999999999999999999\": the number does"},
    {"[config]\nlocal_size: a b c\n", "t.program_test:2: \"a\": not an integer"},
    {"[config]\nprogram_source_file: nowhere.cl\n", "t.program_test:2: program_source_file nowhere.cl: No such file"},
    {HEAD "[program source]\nx\n[program source]\ny\n", "t.program_test:5: a second program"},
    {HEAD "[test]\narg_in: x int 1\n", "t.program_test:4: \"x\": not an integer"},
    {HEAD "[test]\narg_in: 5000 int 1\n", "t.program_test:4: argument 5000"},
    {HEAD "[test]\narg_in: 0\n", "t.program_test:4: argument 0: expected a type"},
    {HEAD "[test]\narg_in: 0 int\n", "t.program_test:4: expected values"},
    {HEAD "[test]\narg_in: 0 int5 1\n",
     "t.program_test:4: unknown kind or type of an argument \"int5\": did you mean 'int'?"},
    {HEAD "[test]\narg_in: 0 int 1 2\n", "t.program_test:4: argument 0 has 2 values, expected 1"},
    {HEAD "[test]\narg_in: 0 int 1x\n", "t.program_test:4: value 1 of argument 0, \"1x\": not an integer"},
    {HEAD "[test]\narg_in: 0 uint -1\n", "t.program_test:4: value 1 of argument 0, \"-1\": an unsigned number"},
    {HEAD "[test]\narg_in: 0 int 99999999999999999999\n", "t.program_test:4: value 1 of argument 0, \"9999"},
    {HEAD "[test]\narg_in: 0 float 1.0f\n", "t.program_test:4: value 1 of argument 0, \"1.0f\": not a number"},
    {HEAD "[test]\narg_in: 0 float nan(1)\n", "t.program_test:4: value 1 of argument 0, \"nan(1)\": not a number"},
    {HEAD "[test]\narg_out: 0 bufer int[1] 1\n",
     "t.program_test:4: unknown kind of an output \"bufer\": did you mean 'buffer'?"},
    {HEAD "[test]\narg_out: 0 buffer int[1] 1 tolerence 1\n",
     "t.program_test:4: value 2 of argument 0, \"tolerence\": not an integer: did you mean 'tolerance'?"},
    {HEAD "[test]\narg_out: 0 buffer float[1] 1 tolerance 1 upl\n",
     "t.program_test:4: \"upl\": expected the end of the argument: did you mean 'ulp'?"},
    {HEAD "[test]\nglobal_sise: 1 1 1\n",
     "t.program_test:4: unknown key of a [test] section \"global_sise\": did you mean 'global_size'?"},
    {HEAD "[test]\nxyzzy: 1\n",
     "t.program_test:4: unknown key of a [test] section \"xyzzy\": expected name, kernel_name"},
    {HEAD "[programm source]\n",
     "t.program_test:3: unknown section \"programm source\": did you mean 'program source'?"},
    {HEAD "[test]\narg_in: 0 buffer\n", "t.program_test:4: \"\": expected TYPE[LENGTH]"},
    {HEAD "[test]\narg_in: 0 buffer int 1\n", "t.program_test:4: \"int\": expected TYPE[LENGTH]"},
    {HEAD "[test]\narg_in: 0 buffer int[] 1\n", "t.program_test:4: \"\": not an integer"},
    {HEAD "[test]\narg_in: 0 buffer int[0] 1\n", "t.program_test:4: argument of length 0"},
    {HEAD "[test]\narg_in: 0 buffer int[-1] 1\n", "t.program_test:4: \"-1\": an unsigned number"},
    {HEAD "[test]\narg_in: 0 buffer int[4000000000] repeat 1\n",
     "t.program_test:4: an argument of 4000000000 elements"},
    {HEAD "[test]\narg_in: 0 buffer double16[18446744073709551615] random\n", "t.program_test:4: an argument of 1844"},
    {HEAD "[test]\narg_in: 0 buffer int[2] 1\n", "t.program_test:4: argument 0 has 1 values, expected 2"},
    {HEAD "[test]\narg_in: 0 buffer int[1] repeat\n", "t.program_test:4: expected values"},
    {HEAD "[test]\narg_in: 0 buffer int[1] 1 tolerance 1\n", "t.program_test:4: arg_in has no tolerance"},
    {HEAD "[test]\narg_out: 0 int 1\n", "t.program_test:4: arg_out must be a buffer"},
    {HEAD "[test]\narg_out: 0 buffer int[1] NULL\n", "t.program_test:4: arg_out: nothing can be expected of NULL"},
    {HEAD "[test]\narg_out: 0 buffer int[1] random\n", "t.program_test:4: arg_out: nothing can be expected to be"},
    {HEAD "[test]\narg_out: 0 buffer int[1] 1 tolerance\n", "t.program_test:4: tolerance \"\": not an integer"},
    {HEAD "[test]\narg_out: 0 buffer int[1] 1 tolerance -1\n", "t.program_test:4: tolerance -1: expected"},
    {HEAD "[test]\narg_out: 0 buffer int[1] 1 tolerance 1 ulp\n", "t.program_test:4: a tolerance in ulp for int"},
    {HEAD "[test]\narg_out: 0 buffer float[1] 1 tolerance 1 ulps\n", "t.program_test:4: \"ulps\": expected the end"},
    {HEAD "[test]\narg_in: 0 int 1\narg_in: 0 int 1\n", "t.program_test:5: argument 0 is already given in line 4"},
    {HEAD "[test]\narg_in: 0 buffer int[2] 1 2\narg_out: 0 buffer int[1] 1\n",
     "t.program_test:5: argument 0 has 4 bytes"},
    {HEAD "[test]\narg_in: 0 image\n", "t.program_test:4: \"\": no type that an image"},
    {HEAD "[test]\narg_in: 0 image float random\n", "t.program_test:4: expected image_type"},
    {HEAD "[test]\narg_in: 0 image float random image_type 4d\n", "t.program_test:4: unknown image_type \"4d\""},
    {HEAD "[test]\narg_in: 0 image float random image_type 2d image_width 4294967296 image_height 4294967296 "
          "image_channel_order r image_channel_data_type float\n",
     "t.program_test:4: an image of more than 1 GiB"},
    {HEAD "[test]\narg_in: 0 sampler normalized_coords 2\n", "t.program_test:4: unknown normalized_coords \"2\""},
    {HEAD "[test]\narg_out: 0 sampler\n", "t.program_test:4: arg_out must be a buffer"},
};

static void check_case(const char *text, size_t size, const char *wanted)
{
   struct piglit_file *file;
   char message[256] = "";

   int ret = piglit_file_parse("t.program_test", text, size, &file, message, sizeof(message));
   if (ret != -EINVAL || file != NULL || strncmp(message, wanted, strlen(wanted)) != 0) {
      printf("of %s\n   got %d \"%s\"\n   wanted \"%s...\"\n", text, ret, message, wanted);
      check_failures++;
   }
   piglit_file_destroy(file);
}

/* Any text is read, or refused with a message that names the file. */
static void check_survives(const char *path, const char *text, size_t size)
{
   struct piglit_file *file;
   char message[256] = "";
   /* Exactly so large that reading behind it is seen by a sanitizer. */
   char *copy = malloc(size + 1);

   if (copy == NULL) {
      exit(1);
   }
   memcpy(copy, text, size);
   char *tight = realloc(copy, size > 0 ? size : 1);
   int ret = piglit_file_parse(path, tight, size, &file, message, sizeof(message));
   CHECK((ret == 0) == (file != NULL));
   CHECK(ret == 0 || strncmp(message, path, strlen(path)) == 0);
   piglit_file_destroy(file);
   free(tight);
}

static const char sample[] =
    "/*!\n[config]\nname: x # y\nclc_version_min: 10\nbuild_options: -D A\nglobal_size: 4 0 0\nlocal_size: NULL\n"
    "[test]\nname: t\nkernel_name: k\narg_in: 0 buffer half3[2] 1 2 3 \\\n 4 5 -6\narg_in: 1 float2 1 0x1p3\n"
    "arg_in: 2 buffer int[3] repeat 1 2\narg_out: 2 buffer uint[3] 1 2 3 tolerance 1\n"
    "arg_out: 3 buffer double[1] inf tolerance 2 ulp\narg_in: 4 sampler normalized_coords 0 addressing_mode none "
    "filter_mode linear\n!*/\nkernel void k() {}\n";

static void check_prefixes(void)
{
   for (size_t size = 0; size < sizeof(sample); size++) {
      check_survives("p.cl", sample, size);
      check_survives("p.program_test", sample + 3, size > 3 ? size - 3 : 0);
   }
}

/* Bytes changed, left out and doubled at random, always the same. */
static void check_mutations(void)
{
   static const char bytes[] = "\0\n\\#:[]!*/ 0-x.\xff,9e";
   char text[2 * sizeof(sample)];
   uint32_t state = 1;

   for (unsigned round = 0; round < 20000; round++) {
      size_t size = sizeof(sample) - 1;
      memcpy(text, sample, size);
      for (unsigned change = 0; change < 4; change++) {
         state = state * 1664525u + 1013904223u;
         size_t at = (state >> 8) % size;
         size_t span = 1 + (state >> 4) % 8;
         if (state >> 30 == 0 && at + span < size) {
            memmove(text + at, text + at + span, size - at - span);
            size -= span;
         } else if (state >> 30 == 1 && size + span < sizeof(text) && at + span < size) {
            memmove(text + at + span, text + at, size - at);
            size += span;
         } else {
            text[at] = bytes[state % (sizeof(bytes) - 1)];
         }
      }
      check_survives("m.cl", text, size);
   }
}

int main(void)
{
   static const char nul[] = "[config]\nname: a\0b\n";
   struct piglit_file *file;
   char message[256];

   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      check_case(cases[i].text, strlen(cases[i].text), cases[i].message);
   }
   check_case(nul, sizeof(nul) - 1, "t.program_test:2: not text");
   CHECK(piglit_file_parse("t.txt", "", 0, &file, message, sizeof(message)) == -EINVAL);
   CHECK_TEXT(message, "t.txt:1: not a program test: expected a name ending in .cl or .program_test");
   CHECK(piglit_file_parse("t.cl", "\n/*!\n[config]\n", 14, &file, message, sizeof(message)) == -EINVAL);
   CHECK_TEXT(message, "t.cl:2: the configuration comment has no end \"!*/\"");
   CHECK(piglit_file_load("/nowhere/x.cl", &file, message, sizeof(message)) == -ENOENT);
   CHECK_TEXT(message, "/nowhere/x.cl: No such file or directory");
   CHECK(piglit_file_load("/", &file, message, sizeof(message)) == -EISDIR);
   check_prefixes();
   check_mutations();
   return check_result();
}
