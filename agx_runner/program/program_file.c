/* SPDX-License-Identifier: MIT */
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

enum program_form program_form(const struct options *options, enum program_form usual)
{
   const char *dot = options->output == NULL ? NULL : strrchr(options->output, '.');

   if (options->stats) {
      return PROGRAM_STATS;
   }
   if (options->program || (dot != NULL && !strcmp(dot, ".agx"))) {
      return PROGRAM_TEXT;
   }
   return dot != NULL && !strcmp(dot, ".bin") ? PROGRAM_CODE : usual;
}

static int write_all(const struct compiler_result *programs, enum program_form form, const struct options *options,
                     FILE *file)
{
   int ret = 0;

   for (size_t i = 0; ret == 0 && i < programs->count; i++) {
      const struct agx_program *program = programs->programs[i];

      if (options->kernel != NULL && strcmp(options->kernel, program->name) != 0) {
         continue;
      }
      if (i > 0) {
         fputc('\n', file);
      }
      ret = form == PROGRAM_STATS ? listing_stats(program, file) : listing_program(program, options->syntax, file);
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

/* Each kernel to FOLDER/NAME.agx. */
static int write_folder(const struct compiler_result *programs, const char *folder)
{
   int code =
       mkdir(folder, 0777) == 0 || errno == EEXIST ? EXIT_OK : complain(EXIT_FAILED, "%s: %s", folder, strerror(errno));

   for (size_t i = 0; code == EXIT_OK && i < programs->count; i++) {
      struct output output = {0};
      char *path = NULL;

      if (asprintf(&path, "%s%s.agx", folder, programs->programs[i]->name) < 0) {
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
                        const struct options *options)
{
   const bool one = form == PROGRAM_TEXT || form == PROGRAM_CODE;
   const struct agx_program *program = NULL;
   struct output output;

   if (options->output != NULL && options->output[0] != '\0' && options->output[strlen(options->output) - 1] == '/') {
      return write_folder(programs, options->output);
   }
   if (one || options->kernel != NULL) {
      program = kernel_select(path, programs, options->kernel);
      if (program == NULL) {
         return EXIT_INVALID;
      }
   }
   if (form == PROGRAM_CODE && options->output == NULL && isatty(STDOUT_FILENO)) {
      return complain(EXIT_INVALID, "machine code does not go to a terminal: give -o FILE, or use --program or disasm");
   }
   int code = output_open(&output, options->output);
   if (code == EXIT_OK) {
      code = one ? write_one(program, form, output.file) : write_all(programs, form, options, output.file);
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}

int code_write(const uint8_t *code, size_t size, enum program_form form, const struct options *options)
{
   struct output output;
   int exit_code = output_open(&output, options->output);

   if (exit_code == EXIT_OK) {
      int ret = form == PROGRAM_STATS ? listing_code_stats(code, size, output.file)
                                      : listing_code(code, size, 0, options->syntax, output.file);
      exit_code = ret < 0 ? complain(EXIT_FAILED, "out of memory") : output_commit(&output);
   }
   output_discard(&output);
   return exit_code;
}
