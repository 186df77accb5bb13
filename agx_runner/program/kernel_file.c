/* SPDX-License-Identifier: MIT
 *
 * Reads kernel files, and compiles or assembles them. What the backend cannot do is told from what is wrong.
 */
#include "agx_runner/program/kernel_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agx_runner/program/assembly.h"
#include "agx_runner/terminal/runner.h"

#define FILE_BYTES_MAX ((size_t)256 << 20)
#define SPIRV_MAGIC 0x07230203u
#define SPIRV_MAGIC_SWAPPED 0x03022307u

static int too_large(const char *path)
{
   return complain(EXIT_FAILED, "%s: larger than %zu MiB, which no kernel is", path, FILE_BYTES_MAX >> 20);
}

static int read_stream(const char *path, FILE *file, uint8_t **data, size_t *size)
{
   size_t room = 0;

   *data = NULL;
   *size = 0;
   for (;;) {
      if (*size + 1 >= room) {
         room = room == 0 ? 65536 : room * 2;
         uint8_t *larger = realloc(*data, room);
         if (larger == NULL) {
            return complain(EXIT_FAILED, "%s: out of memory", path);
         }
         *data = larger;
      }
      const size_t got = fread(*data + *size, 1, room - 1 - *size, file);
      *size += got;
      if (ferror(file)) {
         return complain(EXIT_FAILED, "%s: cannot be read: %s", path, strerror(errno));
      }
      if (*size > FILE_BYTES_MAX) {
         return too_large(path);
      }
      if (got == 0) {
         (*data)[*size] = '\0';
         return EXIT_OK;
      }
   }
}

static int read_open_file(const char *path, FILE *file, uint8_t **data, size_t *size)
{
   struct stat status;

   if (fstat(fileno(file), &status) == 0) {
      if (S_ISDIR(status.st_mode)) {
         return complain(EXIT_INVALID, "%s: is a directory", path);
      }
      if (S_ISREG(status.st_mode) && (uint64_t)status.st_size > FILE_BYTES_MAX) {
         return too_large(path);
      }
   }
   return read_stream(path, file, data, size);
}

int file_read(const char *path, uint8_t **data, size_t *size)
{
   const bool standard = !strcmp(path, "-");
   FILE *file = standard ? stdin : fopen(path, "rb");

   *data = NULL;
   if (file == NULL) {
      return complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   }
   const int code = read_open_file(path, file, data, size);
   if (!standard) {
      fclose(file);
   }
   if (code != EXIT_OK) {
      free(*data);
      *data = NULL;
   }
   return code;
}

static int read_into(const char *path, FILE *file, uint8_t *bytes, size_t size, uint64_t *got)
{
   struct stat status;

   *got = fread(bytes, 1, size, file);
   const bool more = *got == size && getc(file) != EOF;
   if (ferror(file)) {
      return complain(EXIT_FAILED, "%s: cannot be read: %s", path, strerror(errno));
   }
   if (more) {
      const bool regular = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
      *got = regular ? (uint64_t)status.st_size : UINT64_MAX;
   }
   return EXIT_OK;
}

int file_read_into(const char *path, uint8_t *bytes, size_t size, uint64_t *got)
{
   const bool standard = !strcmp(path, "-");
   FILE *file = standard ? stdin : fopen(path, "rb");

   *got = 0;
   if (file == NULL) {
      return complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   }
   const int code = read_into(path, file, bytes, size, got);
   if (!standard) {
      fclose(file);
   }
   return code;
}

static bool is_spirv(const uint8_t *data, size_t size)
{
   uint32_t word;

   if (size < sizeof(word)) {
      return false;
   }
   memcpy(&word, data, sizeof(word));
   return word == SPIRV_MAGIC || word == SPIRV_MAGIC_SWAPPED;
}

static bool has_suffix(const char *path, const char *suffix)
{
   const size_t length = strlen(path), wanted = strlen(suffix);

   return length >= wanted && !strcmp(path + length - wanted, suffix);
}

bool kernel_file_is_source(const char *path, const uint8_t *data, size_t size)
{
   return has_suffix(path, ".cl") || has_suffix(path, ".spv") || has_suffix(path, ".agx") || is_spirv(data, size);
}

static const char *refusal_words(bool unsupported)
{
   return unsupported ? "needs what Mesa's AGX compiler cannot do" : "does not compile";
}

static const char *crash_words(const struct compiler_crash *crash)
{
   return crash->late ? "the compiler took too long" : "the compiler crashed";
}

int kernel_report_refused(const char *path, const struct compiler_result *result, const char *kernel)
{
   int code = EXIT_OK;

   for (size_t i = 0; i < result->refused_count; i++) {
      const struct compiler_refusal *refusal = &result->refused[i];

      if (kernel == NULL || !strcmp(kernel, refusal->kernel)) {
         const int one = refusal->unsupported ? EXIT_SKIPPED : EXIT_FAILED;

         if (refusal->crash.crashed) {
            (void)complain(one, "%s: kernel %s is not compiled: %s", path, refusal->kernel,
                           crash_words(&refusal->crash));
         } else {
            (void)complain(one, "%s: kernel %s %s", path, refusal->kernel, refusal_words(refusal->unsupported));
         }
         code = code == EXIT_FAILED ? code : one;
      }
   }
   return code;
}

/* As a shell reads it back. */
static void print_quoted(const char *text)
{
   fputc('\'', stderr);
   for (; *text != '\0'; text++) {
      fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, stderr);
   }
   fputc('\'', stderr);
}

/* The command that shows the crash again. A kernel that comes from standard input is in no file. */
static void print_reproduction(const char *path, const struct compiler_options *options,
                               const struct compiler_crash *crash)
{
   fputs("reproduce it with: agx-runner compile", stderr);
   if (options->arguments != NULL) {
      fputs(" --options ", stderr);
      print_quoted(options->arguments);
   }
   if (crash->kernel[0] != '\0') {
      fputs(" --kernel ", stderr);
      print_quoted(crash->kernel);
   }
   fputc(' ', stderr);
   print_quoted(path);
   fputs("\nAdd --in-process to run it in a debugger.\n", stderr);
}

static void print_reproductions(const char *path, const struct compiler_options *options,
                                const struct compiler_result *result)
{
   bool each = false;

   for (size_t i = 0; i < result->refused_count; i++) {
      if (result->refused[i].crash.crashed) {
         print_reproduction(path, options, &result->refused[i].crash);
         each = true;
      }
   }
   if (result->crash.crashed && !each) {
      print_reproduction(path, options, &result->crash);
   }
}

static int compile(const char *path, const uint8_t *data, size_t size, const struct compiler_options *options,
                   struct compiler_result *result)
{
   int ret;

   if (is_spirv(data, size)) {
      ret = compiler_spirv(path, data, size, options, result);
   } else if (memchr(data, '\0', size) != NULL) {
      return complain(EXIT_FAILED,
                      "%s: neither OpenCL C (it holds zero bytes) nor SPIR-V (its first word is not "
                      "0x07230203)",
                      path);
   } else {
      ret = compiler_opencl(path, (const char *)data, size, options, result);
   }
   if (result->log != NULL && result->log[0] != '\0') {
      fflush(stdout);
      fprintf(stderr, "%s%s", result->log, result->log[strlen(result->log) - 1] == '\n' ? "" : "\n");
   }
   if (ret == -ENOMEM) {
      return complain(EXIT_FAILED, "%s: out of memory", path);
   }
   print_reproductions(path, options, result);
   if (result->crash.crashed) {
      return complain(EXIT_FAILED, "%s: not compiled: %s", path, crash_words(&result->crash));
   }
   if (result->no_such_kernel) {
      return complain(EXIT_INVALID, "%s: has no kernel '%s'", path, options->kernel);
   }
   if (ret < 0) {
      return complain(result->unsupported ? EXIT_SKIPPED : EXIT_FAILED, "%s: %s", path,
                      refusal_words(result->unsupported));
   }
   return result->count == 0 ? complain(EXIT_FAILED, "%s: has no kernel", path) : EXIT_OK;
}

static int assemble(const char *path, const uint8_t *data, size_t size, const struct program_settings *settings,
                    struct compiler_result *result)
{
   result->programs = calloc(1, sizeof(struct agx_program *));
   if (result->programs == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   const int code = assembly_program(path, data, size, settings, &result->programs[0]);
   result->count = code == EXIT_OK;
   return code;
}

int kernel_file_assemble(const char *path, const struct program_settings *settings, struct compiler_result *result)
{
   uint8_t *data;
   size_t size;

   *result = (struct compiler_result){0};
   int code = file_read(path, &data, &size);
   if (code == EXIT_OK) {
      code = assemble(path, data, size, settings, result);
      free(data);
   }
   return code;
}

int kernel_file_compile(const char *path, const struct program_settings *settings,
                        const struct compiler_options *compiler_options, struct compiler_result *result)
{
   uint8_t *data;
   size_t size;

   if (has_suffix(path, ".agx")) {
      return kernel_file_assemble(path, settings, result);
   }
   struct compiler_options only = *compiler_options;

   only.kernel = settings->kernel;
   *result = (struct compiler_result){0};
   compiler_set_limits(
       &(struct compiler_limits){.seconds = settings->compile_seconds, .memory_mib = settings->compile_mib});
   compiler_set_in_process(settings->in_process);
   int code = file_read(path, &data, &size);
   if (code == EXIT_OK) {
      code = compile(path, data, size, &only, result);
      free(data);
   }
   if (code == EXIT_OK && settings->kernel != NULL) {
      code = kernel_report_refused(path, result, settings->kernel);
   }
   return code;
}

const struct agx_program *kernel_select(const char *path, const struct compiler_result *result, const char *name)
{
   for (size_t i = 0; i < result->count; i++) {
      if (name != NULL && !strcmp(result->programs[i]->name, name)) {
         return result->programs[i];
      }
   }
   if (name == NULL && result->count + result->refused_count == 1) {
      return result->programs[0];
   }
   (void)complain(EXIT_INVALID,
                  name == NULL ? "%s: has %zu kernels: choose one with --kernel"
                               : "%s: none of its %zu kernels is called '%s'",
                  path, result->count + result->refused_count, name);
   for (size_t i = 0; i < result->count; i++) {
      fprintf(stderr, "  %s\n", agx_program_name(result->programs[i]));
   }
   return NULL;
}
