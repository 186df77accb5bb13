/* SPDX-License-Identifier: MIT
 *
 * SPIR-V: modules from the build, and what must not be taken for one.
 */
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/compiler/programs.h"

extern const struct compiler_module test_modules[];
extern const size_t test_modules_size;

static const struct compiler_options options = {0};

static char at_work[80]; /* what is being compiled */

static void report_crash(int number)
{
   void *frames[64];

   (void)!write(STDERR_FILENO, at_work, strlen(at_work));
   backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
   signal(number, SIG_DFL);
   raise(number);
}

static void test_modules_compile(void)
{
   static const struct {
      const char *name, *kernels[2];
      size_t count;
   } expected[] = {{"module_a", {"scale", "count"}, 2}, {"module_b", {"wave"}, 1}};

   CHECK_EQUAL(test_modules_size, 4);
   for (size_t i = 0; i < 2; i++) {
      const struct compiler_module *module = &test_modules[i];
      struct compiler_result result;
      CHECK(strcmp(module->name, expected[i].name) == 0);
      CHECK_EQUAL(compiler_spirv(module->name, module->words, module->size, &options, &result), 0);
      CHECK_EQUAL(result.count, expected[i].count);
      check_programs(&result);
      for (size_t k = 0; k < result.count; k++) {
         CHECK(strcmp(result.programs[k]->name, expected[i].kernels[k]) == 0);
      }
      compiler_result_finish(&result);
   }
}

/* The handler has a stack of its own: the crash may be that the stack has no more room. */
static void watch_crashes(void)
{
   static uint8_t bytes[1 << 16];
   const stack_t stack = {.ss_sp = bytes, .ss_size = sizeof(bytes)};
   const struct sigaction action = {.sa_handler = report_crash, .sa_flags = SA_ONSTACK};
   void *frame;

   (void)backtrace(&frame, 1); /* loads what the handler needs */
   CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(SIGSEGV, &action, NULL) == 0 &&
         sigaction(SIGABRT, &action, NULL) == 0);
}

/* The same module with its bytes the other way round is the same program. */
static void test_byte_order(void)
{
   size_t count = test_modules[0].size / 4;
   uint32_t *swapped = malloc(test_modules[0].size);
   struct compiler_result native, foreign;

   CHECK(swapped != NULL);
   for (size_t i = 0; i < count; i++) {
      swapped[i] = __builtin_bswap32(test_modules[0].words[i]);
   }
   CHECK_EQUAL(compiler_spirv("native", test_modules[0].words, count * 4, &options, &native), 0);
   CHECK_EQUAL(compiler_spirv("foreign", swapped, count * 4, &options, &foreign), 0);
   CHECK_EQUAL(foreign.count, native.count);
   for (size_t i = 0; i < native.count && i < foreign.count; i++) {
      CHECK(agx_program_hash(native.programs[i]) == agx_program_hash(foreign.programs[i]));
   }
   compiler_result_finish(&native);
   compiler_result_finish(&foreign);
   free(swapped);
}

static void refuse(const char *what, const void *bytes, size_t size, const char *reason)
{
   struct compiler_result result;
   snprintf(at_work, sizeof(at_work), "%s, %zu bytes\n", what, size);
   int ret = compiler_spirv(what, bytes, size, &options, &result);

   if (ret != -EINVAL || result.count != 0 || compiler_result_is_unsupported(&result) ||
       strstr(result.log, reason) == NULL) {
      fprintf(stderr, "%s (%zu bytes) -> %d, %zu kernels:\n%s", what, size, ret, result.count, result.log);
      check_failures++;
   }
   compiler_result_finish(&result);
}

static void test_garbage(void)
{
   const struct compiler_module *module = &test_modules[0];
   static const char text[] = "kernel void this_is_not_spirv(void) { }..";
   uint32_t header[5];

   memcpy(header, module->words, sizeof(header));
   refuse("nothing", "", 0, "not SPIR-V");
   refuse("text", text, sizeof(text) / 4 * 4, "not SPIR-V: it starts with");
   refuse("a header", header, sizeof(header), "not valid SPIR-V");
   refuse("an odd size", module->words, module->size - 1, "whole words");
   refuse("no kernel", test_modules[2].words, test_modules[2].size, "no kernel");
   header[1] = 0x00020000;
   refuse("version 2.0", header, sizeof(header), "not valid SPIR-V");
   for (size_t size = 4; size < module->size; size += 4) {
      refuse("a part", module->words, size, "");
   }
}

/* Compiles the first module with its decoration as GlobalInvocationId changed to another one of as many words. */
static void refuse_changed_global_id(const char *name, const uint32_t decoration[2], const char *reason)
{
   static const uint32_t global_id[] = {11, 28}; /* BuiltIn */
   size_t size = test_modules[0].size;
   uint32_t *words = malloc(size);
   struct compiler_result result;
   unsigned changed = 0;

   CHECK(words != NULL);
   memcpy(words, test_modules[0].words, size);
   for (size_t i = 0; i + 4 <= size / 4; i++) {
      if (words[i] == 0x00040047 && memcmp(&words[i + 2], global_id, sizeof(global_id)) == 0) {
         memcpy(&words[i + 2], decoration, sizeof(global_id));
         changed++;
      }
   }
   CHECK_EQUAL(changed, 1);
   snprintf(at_work, sizeof(at_work), "%s\n", name);
   CHECK_EQUAL(compiler_spirv(name, words, size, &options, &result), -EINVAL);
   CHECK_CONTAINS(result.log, reason);
   compiler_result_finish(&result);
   free(words);
}

/* Valid to the validator, which has no rules for OpenCL's variables. */
static void test_system_values(void)
{
   static const uint32_t local_index[] = {11, 29}, alignment[] = {44, 16};

   refuse_changed_global_id("one component as a vector of three", local_index, "a system value of a wrong type");
   refuse_changed_global_id("an input that is no system value", alignment,
                            "neither in the kernel's memory nor a system value");
}

/* One bit of one word changed: whatever comes of it, the result is in order. `bits` of each word are tried. */
static void test_changed_words(size_t bits)
{
   for (size_t m = 0; m < 2; m++) {
      size_t count = test_modules[m].size / 4;
      uint32_t *words = malloc(count * 4);
      CHECK(words != NULL);
      for (size_t i = 0; i < count * bits; i++) {
         struct compiler_result result;
         memcpy(words, test_modules[m].words, count * 4);
         words[i / bits] ^= 1u << (bits == 32 ? i % 32 : i * 2654435761u >> 20 & 31);
         snprintf(at_work, sizeof(at_work), "%s, word %zu changed to %#x\n", test_modules[m].name, i / bits,
                  words[i / bits]);
         int ret = compiler_spirv("changed", words, count * 4, &options, &result);
         CHECK((ret == 0) == (result.count > 0));
         CHECK(ret == 0 || ret == -EINVAL);
         CHECK(ret == 0 || result.log[0] != 0);
         check_programs(&result);
         compiler_result_finish(&result);
      }
      free(words);
   }
}

/* Kernels with images have arguments that spirv_to_nir gives no location. Run under valgrind, too. */
static void test_images(void)
{
   struct compiler_result result;

   CHECK_EQUAL(compiler_spirv("images", test_modules[3].words, test_modules[3].size, &options, &result), 0);
   CHECK_EQUAL(result.count, 1);
   const struct compiler_refusal *refusal = compiler_result_refusal(&result, "copy");
   CHECK(refusal != NULL && refusal->why.who == REFUSAL_RUNNER && strstr(refusal->reason, "images") != NULL);
   check_programs(&result);
   compiler_result_finish(&result);
}

int main(int argc, char **argv)
{
   if (argc == 2 && strcmp(argv[1], "images") == 0) {
      compiler_set_in_process(true);
      test_images();
      return check_result();
   }
   watch_crashes();
   const bool thorough = argc == 2 && strcmp(argv[1], "thorough") == 0;

   test_modules_compile();
   test_byte_order();
   compiler_set_in_process(true); /* thousands of them, and a crash is to be seen here */
   test_garbage();
   test_system_values();
   test_images();
   test_changed_words(thorough ? 32 : 4);
   return check_result();
}
