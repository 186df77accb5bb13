/* SPDX-License-Identifier: MIT
 *
 * Reads kernel files, and compiles or assembles them. Invariant: each refusal is printed once, in one line.
 */
#include "agx_runner/program/kernel_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agx_runner/program/assembly.h"
#include "agx_runner/program/collected/collected.h"
#include "agx_runner/results/environment.h"
#include "compiler/refusal/file_kind.h"
#include "agx_runner/terminal/runner.h"
#include "util/text.h"
#include "util/file.h"

#define FILE_BYTES_MAX ((size_t)256 << 20)

static int too_large(const char *path)
{
   return complain(EXIT_FAILED, "%s: larger than %zu MiB, which no kernel is", path, FILE_BYTES_MAX >> 20);
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
   char *bytes;
   const int ret = util_read_stream(file, FILE_BYTES_MAX, &bytes, size);
   *data = (uint8_t *)bytes;
   return ret == 0         ? EXIT_OK
          : ret == -EFBIG  ? too_large(path)
          : ret == -ENOMEM ? complain(EXIT_FAILED, "%s: out of memory", path)
                           : complain(EXIT_FAILED, "%s: cannot be read: %s", path, strerror(-ret));
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

bool kernel_file_is_source(const char *path, const uint8_t *data, size_t size)
{
   return util_has_suffix(path, ".cl") || util_has_suffix(path, ".spv") || util_has_suffix(path, ".agx") ||
          util_has_suffix(path, ".built") || collected_is_program(path) || file_kind_is_spirv(data, size);
}

static int exit_of(const struct refusal *why)
{
   return why->who == REFUSAL_REQUEST ? EXIT_INVALID : refusal_is_unsupported(why->who) ? EXIT_SKIPPED : EXIT_FAILED;
}

int kernel_refused_code(const struct compiler_result *result, const char *kernel)
{
   int code = EXIT_OK;

   for (size_t i = 0; i < result->refused_count; i++) {
      if ((kernel == NULL || !strcmp(kernel, result->refused[i].kernel)) && code != EXIT_FAILED) {
         code = exit_of(&result->refused[i].why);
      }
   }
   return code;
}

/* Quotes the text for a shell. */
static void print_quoted(const char *text)
{
   fputc('\'', stderr);
   for (; *text != '\0'; text++) {
      fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, stderr);
   }
   fputc('\'', stderr);
}

/* Prints the command that reproduces the crash. A kernel from standard input is in no file. */
static void print_reproduction(const char *path, const struct compiler_options *options,
                               const struct compiler_crash *crash)
{
   fprintf(stderr, "reproduce it in a debugger: %s", compiler_program());
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
   fputc('\n', stderr);
}

static void print_reproductions(const char *path, const struct compiler_options *options,
                                const struct compiler_result *result)
{
   bool each = false;

   for (size_t i = 0; i < result->refused_count; i++) {
      if (result->refused[i].why.who == REFUSAL_CRASH) {
         print_reproduction(path, options, &result->refused[i].crash);
         each = true;
      }
   }
   if (result->why.who == REFUSAL_CRASH && result->crash.crashed && !each) {
      print_reproduction(path, options, &result->crash);
   }
}

/* ---- Places ---- */

/* The compiler knows a place in the source only if lines were requested, which costs time. Otherwise it may know the
 * kernel's first line, without a column. */
static bool lacks_place(const struct refusal *why)
{
   return why->column == 0 && why->kernel[0] != '\0' && why->who != REFUSAL_MEMORY && why->who != REFUSAL_TIME &&
          why->who != REFUSAL_CRASH;
}

/* Rewrites the refusal's line with the place that another compilation found. */
static void replace_line(const char *name, const struct refusal *better, struct refusal *why,
                         struct compiler_result *result)
{
   char old[2 * REFUSAL_WHAT], new[2 * REFUSAL_WHAT];

   refusal_line(why, name, old, sizeof(old));
   refusal_line(better, name, new, sizeof(new));
   char *at = strstr(result->log, old);
   char *log = NULL;
   if (at != NULL && asprintf(&log, "%.*s%s%s", (int)(at - result->log), result->log, new, at + strlen(old)) >= 0) {
      free(result->log);
      result->log = log;
   }
   *why = *better;
}

static int compile_bytes(const char *name, const uint8_t *data, size_t size, const struct compiler_options *options,
                         struct compiler_result *result)
{
   return file_kind_is_spirv(data, size) ? compiler_spirv(name, data, size, options, result)
                                         : compiler_opencl(name, (const char *)data, size, options, result);
}

static void add_places(const char *name, const uint8_t *data, size_t size, const struct compiler_options *options,
                       struct compiler_result *result)
{
   struct compiler_options with_lines = *options;
   struct compiler_result again;
   bool needed = false;

   for (size_t i = 0; i < result->refused_count; i++) {
      needed |= lacks_place(&result->refused[i].why);
   }
   if (!needed || options->lines) {
      return;
   }
   with_lines.lines = true;
   if (result->refused_count == 1) {
      with_lines.kernel = result->refused[0].kernel;
   }
   (void)compile_bytes(name, data, size, &with_lines, &again);
   for (size_t i = 0; i < result->refused_count; i++) {
      struct compiler_refusal *refused = &result->refused[i];
      const struct compiler_refusal *other = compiler_result_refusal(&again, refused->kernel);

      if (other != NULL && lacks_place(&refused->why) && other->why.line != 0) {
         replace_line(name, &other->why, &refused->why, result);
      }
   }
   compiler_result_finish(&again);
}

/* ---- Compiling ---- */

static int compile(const char *path, const uint8_t *data, size_t size, const struct compiler_options *options,
                   struct compiler_result *result)
{
   const char *name = strcmp(path, "-") ? path : "<stdin>"; /* clang would read "-" itself */
   char line[2 * REFUSAL_WHAT];
   int ret;

   if (file_kind_refuse(path, data, size, &result->why)) {
      refusal_line(&result->why, name, line, sizeof(line));
      fprintf(stderr, "%s\n", line);
      if (util_has_suffix(path, ".comp")) {
         note("a Mesa's Vulkan driver compiles GLSL: give --mesa (agx-runner mesas lists them)");
      }
      return exit_of(&result->why);
   }
   ret = compile_bytes(name, data, size, options, result);
   if (ret != -ENOMEM) {
      add_places(name, data, size, options, result);
   }
   if (result->log != NULL && result->log[0] != '\0') {
      fflush(stdout);
      fprintf(stderr, "%s%s", result->log, result->log[strlen(result->log) - 1] == '\n' ? "" : "\n");
   }
   if (ret == -ENOMEM) {
      return complain(EXIT_FAILED, "%s: out of memory", path);
   }
   print_reproductions(path, options, result);
   if (ret == -ECANCELED) {
      return EXIT_ABORTED;
   }
   if (ret < 0) {
      /* the log has the reason */
      return result->why.who != REFUSAL_NONE ? exit_of(&result->why)
                                             : complain(EXIT_FAILED, "%s: does not compile: %s", path, strerror(-ret));
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

/* The one program of a file that no compiler reads. */
static int take_collected(const char *path, const uint8_t *data, size_t size, struct compiler_result *result)
{
   const char *why;
   result->programs = calloc(1, sizeof(struct agx_program *));
   struct agx_program *program = result->programs != NULL ? collected_program(data, size, &why) : NULL;
   if (program == NULL) {
      return complain(EXIT_INVALID, "%s: %s", path, result->programs != NULL ? why : "out of memory");
   }
   result->programs[0] = program;
   result->count = 1;
   return EXIT_OK;
}

static int read_collected(const char *path, struct compiler_result *result)
{
   uint8_t *data;
   size_t size;

   *result = (struct compiler_result){0};
   const int code = file_read(path, &data, &size);
   if (code != EXIT_OK) {
      return code;
   }
   const int taken = take_collected(path, data, size, result);
   free(data);
   return taken;
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

static kernel_file_compiler *compile_by_driver;

void kernel_file_set_driver(kernel_file_compiler *compile_file)
{
   compile_by_driver = compile_file;
}

bool kernel_file_has_driver(const char *path, const struct program_settings *settings)
{
   return compile_by_driver != NULL && settings->mesa != NULL && strcmp(settings->mesa, "linked") != 0 &&
          !util_has_suffix(path, ".agx") && !collected_is_program(path);
}

int kernel_file_compile(const char *path, const struct program_settings *settings,
                        const struct compiler_options *compiler_options, struct compiler_result *result)
{
   uint8_t *data;
   size_t size;

   if (util_has_suffix(path, ".agx")) {
      return kernel_file_assemble(path, settings, result);
   }
   if (collected_is_program(path)) {
      return read_collected(path, result);
   }
   if (util_has_suffix(path, ".built") && !kernel_file_has_driver(path, settings)) {
      *result = (struct compiler_result){0};
      return complain(EXIT_INVALID, "%s: a Mesa's drivers compile it: give --mesa (agx-runner mesas lists them)", path);
   }
   if (kernel_file_has_driver(path, settings)) {
      return compile_by_driver(path, settings, compiler_options, result);
   }
   *result = (struct compiler_result){0};
   if (settings->constants.count > 0) {
      return complain(EXIT_INVALID,
                      "--spec %s: specialization constants go to a Mesa's Vulkan driver: give --mesa (agx-runner mesas "
                      "lists them)",
                      settings->constants.items[0]);
   }
   struct compiler_options only = *compiler_options;

   only.kernel = settings->kernel;
   int code = compiler_choose(settings->compiler);
   if (code != EXIT_OK) {
      return code;
   }
   compiler_set_limits(
       &(struct compiler_limits){.seconds = settings->compile_seconds, .memory_mib = settings->compile_mib});
   compiler_set_cache(!settings->no_cache);
   code = file_read(path, &data, &size);
   if (code == EXIT_OK) {
      code = compile(path, data, size, &only, result);
      free(data);
   }
   if (code == EXIT_OK && settings->kernel != NULL) {
      code = kernel_refused_code(result, settings->kernel);
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
   char *names = NULL;
   for (size_t i = 0; i < result->count; i++) {
      char *longer = NULL;

      if (asprintf(&longer, "%s%s%s", i > 0 ? names : "", i > 0 ? ", " : "", agx_program_name(result->programs[i])) <
          0) {
         break;
      }
      free(names);
      names = longer;
   }
   if (name == NULL) {
      (void)complain(EXIT_INVALID, "%s: has %zu kernels: choose one with --kernel: %s", path,
                     result->count + result->refused_count, names != NULL ? names : "");
   } else {
      (void)complain(EXIT_INVALID, "%s: no kernel is called '%s'; there %s %s", path, name,
                     result->count == 1 ? "is" : "are", names != NULL ? names : "none");
   }
   free(names);
   return NULL;
}
