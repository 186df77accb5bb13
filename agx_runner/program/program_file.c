/* SPDX-License-Identifier: MIT
 *
 * Writes programs in the form that the command line requests. A file is written completely or not at all.
 */
#include "agx_runner/program/program_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agx_runner/program/assembly.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/program/listing.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

enum program_form program_form(const struct program_settings *settings, const char *output, enum program_form usual)
{
   const char *dot = output == NULL ? NULL : strrchr(output, '.');

   if (settings->stats) {
      return PROGRAM_STATS;
   }
   if (settings->whole || (dot != NULL && !strcmp(dot, ".agx"))) {
      return PROGRAM_TEXT;
   }
   return dot != NULL && !strcmp(dot, ".bin") ? PROGRAM_CODE : usual;
}

static int write_all(const struct compiler_result *programs, enum program_form form,
                     const struct program_settings *settings, FILE *file)
{
   int ret = 0;

   for (size_t i = 0; ret == 0 && i < programs->count; i++) {
      const struct agx_program *program = programs->programs[i];

      if (settings->kernel != NULL && strcmp(settings->kernel, program->name) != 0) {
         continue;
      }
      if (i > 0) {
         fputc('\n', file);
      }
      ret = form == PROGRAM_STATS ? listing_stats(program, file) : listing_program(program, settings->syntax, file);
   }
   return ret < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
}

static int write_one(const struct agx_program *program, enum program_form form, FILE *file)
{
   if (form == PROGRAM_CODE) {
      fwrite(program->code, 1, program->code_size, file);
      return EXIT_OK;
   }
   return assembly_write(program, file) < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
}

/* FOLDER/NAME.agx; free() it. A program without a name gets that of its file. NULL: out of memory. */
static char *path_in(const char *folder, const struct agx_program *program, const char *source)
{
   const char *slash = strrchr(source, '/'), *name = slash != NULL ? slash + 1 : source;
   const char *dot = strrchr(name, '.');
   const int stem = dot != NULL && dot != name ? (int)(dot - name) : (int)strlen(name);
   char *path = NULL;
   const int length = program->name[0] != '\0' ? asprintf(&path, "%s%s.agx", folder, program->name)
                                               : asprintf(&path, "%s%.*s.agx", folder, stem, name);

   return length < 0 ? NULL : path;
}

/* Writes each kernel, or the requested one, to a file of the folder. */
static int write_folder(const char *source, const struct compiler_result *programs, const char *kernel,
                        const char *folder)
{
   int code =
       mkdir(folder, 0777) == 0 || errno == EEXIST ? EXIT_OK : complain(EXIT_FAILED, "%s: %s", folder, strerror(errno));

   for (size_t i = 0; code == EXIT_OK && i < programs->count; i++) {
      struct output output = {0};

      if (kernel != NULL && strcmp(kernel, programs->programs[i]->name) != 0) {
         continue;
      }
      /* the file must be inside the folder */
      if (strchr(programs->programs[i]->name, '/') != NULL) {
         return complain(EXIT_INVALID,
                         "%s: kernel '%s': the name has a slash, so that no file can have it: give -o FILE", source,
                         programs->programs[i]->name);
      }
      char *path = path_in(folder, programs->programs[i], source);
      if (path == NULL) {
         return complain(EXIT_FAILED, "out of memory");
      }
      code = output_open(&output, path);
      if (code == EXIT_OK) {
         code = write_one(programs->programs[i], PROGRAM_TEXT, output.file);
      }
      if (code == EXIT_OK) {
         code = output_commit(&output);
      }
      output_discard(&output);
      free(path);
   }
   return code;
}

int program_files_write(const char *path, const struct compiler_result *programs, enum program_form form,
                        const struct program_settings *settings, const char *path_out)
{
   const bool one = form == PROGRAM_TEXT || form == PROGRAM_CODE;
   const struct agx_program *program = NULL;
   struct output output;
   const bool folder = path_out != NULL && path_out[0] != '\0' && path_out[strlen(path_out) - 1] == '/';

   if ((one && !folder) || settings->kernel != NULL) {
      program = kernel_select(path, programs, settings->kernel);
      if (program == NULL) {
         return EXIT_INVALID;
      }
   }
   if (folder) {
      return write_folder(path, programs, settings->kernel, path_out);
   }
   if (form == PROGRAM_CODE && path_out == NULL && isatty(STDOUT_FILENO)) {
      return complain(EXIT_INVALID, "machine code does not go to a terminal: give -o FILE, or use --program or disasm");
   }
   int code = output_open(&output, path_out);
   if (code == EXIT_OK) {
      code = one ? write_one(program, form, output.file) : write_all(programs, form, settings, output.file);
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}

int code_write(const struct isa_set *set, const uint8_t *code, size_t size, enum program_form form,
               const struct program_settings *settings, const char *path_out)
{
   struct output output;
   int exit_code = output_open(&output, path_out);

   if (exit_code == EXIT_OK) {
      int ret = form == PROGRAM_STATS ? listing_code_stats(set, code, size, output.file)
                                      : listing_code(set, code, size, 0, settings->syntax, output.file);
      exit_code = ret < 0 ? complain(EXIT_FAILED, "out of memory") : output_commit(&output);
   }
   output_discard(&output);
   return exit_code;
}
