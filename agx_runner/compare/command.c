/* SPDX-License-Identifier: MIT
 *
 * Writes the shell command that prints a difference. Each run records where its agx-runner was.
 */
#include "agx_runner/compare/finding_rows.h"

#include <stdlib.h>
#include <string.h>

/* Writes a word, quoted for a shell. */
static void word(FILE *file, const char *text, size_t length)
{
   static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";

   if (length > 0 && strspn(text, plain) >= length) {
      fprintf(file, "%.*s", (int)length, text);
      return;
   }
   fputc('\'', file);
   for (size_t i = 0; i < length; i++) {
      if (text[i] == '\'') {
         fputs("'\\''", file);
      } else {
         fputc(text[i], file);
      }
   }
   fputc('\'', file);
}

static void argument(FILE *file, const char *text)
{
   fputc(' ', file);
   word(file, text, strlen(text));
}

/* Writes the run's agx-runner, with the environment that changes its compiler's output. */
static void program(FILE *file, const struct result_run *run)
{
   const char *path = run->program[0] != '\0' ? run->program : "agx-runner";

   if (run->mesa_debug[0] != '\0') {
      fputs("AGX_MESA_DEBUG=", file);
      word(file, run->mesa_debug, strlen(run->mesa_debug));
      fputc(' ', file);
   }
   if (run->mesa_name[0] != '\0') {
      fputs("AGX_RUNNER_MESA=", file);
      word(file, run->mesa_name, strlen(run->mesa_name));
      fputc(' ', file);
   }
   word(file, path, strlen(path));
}

static bool same_compiler(const struct result_run *a, const struct result_run *b)
{
   return !strcmp(a->compiler, b->compiler);
}

static bool same_program(const struct result_run *a, const struct result_run *b)
{
   return !strcmp(a->program, b->program) && same_compiler(a, b) && !strcmp(a->mesa_debug, b->mesa_debug) &&
          !strcmp(a->mesa_name, b->mesa_name);
}

/* Writes the option that names the run's agx-compile, where the other run has another one. */
static void compiler(FILE *file, const struct result_run *run, const struct result_run *other)
{
   if (!same_compiler(run, other) && run->compiler[0] != '\0') {
      fputs(" --compiler", file);
      argument(file, run->compiler);
   }
}

/* Returns the part behind the last slash of the name, unless that is the file. NULL: nothing. */
static const char *kernel_of(const struct result *result)
{
   const char *last = strrchr(result->name, '/'), *file = strrchr(result->file, '/');

   last = last != NULL ? last + 1 : result->name;
   file = file != NULL ? file + 1 : result->file;
   return strcmp(last, file) != 0 ? last : NULL;
}

/* Writes the arguments of a benchmark. The names of mixes contain no slash, except those that `run` knows. */
static void benchmark(FILE *file, const struct compare_row *row)
{
   if (strchr(row->name, '*') != NULL) {
      fputs(" --mix", file);
   }
   argument(file, row->name);
}

/* Writes the command that prints the program of a row as text without addresses. Returns false if there is no such
 * command. */
static bool print_code(FILE *file, const struct compare_row *row, enum compare_kind kind, const struct result *result,
                       const struct result_run *run, const struct result_run *other)
{
   if (kind == KIND_BENCHMARKS && strchr(row->name, '*') == NULL) {
      program(file, run);
      fputs(" describe --program", file);
      compiler(file, run, other);
      argument(file, row->name);
      return true;
   }
   if (kind == KIND_COMPILED && result->file != NULL) {
      const char *kernel = kernel_of(result);

      program(file, run);
      fputs(" compile --program", file);
      compiler(file, run, other);
      if (kernel != NULL) {
         fputs(" --kernel", file);
         argument(file, kernel);
      }
      argument(file, result->file);
      return true;
   }
   return false;
}

static bool same_file(const struct result *a, const struct result *b)
{
   return a->file == NULL || b->file == NULL || !strcmp(a->file, b->file);
}

static void difference_of_code(FILE *file, const struct compare_row *row, enum compare_kind kind,
                               const struct result_run *a, const struct result_run *b)
{
   if (kind == KIND_COMPILED && row->a->file == NULL) { /* two folders of programs */
      fputs("diff -u ", file);
      word(file, a->device.path, strlen(a->device.path));
      fputc('/', file);
      word(file, row->name, strlen(row->name));
      fputc(' ', file);
      word(file, b->device.path, strlen(b->device.path));
      fputc('/', file);
      word(file, row->name, strlen(row->name));
      return;
   }
   if (same_program(a, b) &&
       same_file(row->a,
                 row->b)) { /* perhaps it was rebuilt between the two runs, and only its present code is available */
      (void)print_code(file, row, kind, row->b, b, a);
      return;
   }
   fputs("diff -u <(", file);
   if (print_code(file, row, kind, row->a, a, b)) {
      fputs(") <(", file);
      (void)print_code(file, row, kind, row->b, b, a);
   }
   fputs(")", file);
}

/* Writes the command that runs the row again. */
static void run_again(FILE *file, const struct compare_row *row, enum compare_kind kind, const struct result_run *a,
                      const struct result_run *b)
{
   const struct result *result = row->b != NULL ? row->b : row->a;

   if (kind == KIND_COMPILED) {
      (void)print_code(file, row, kind, result, b, a);
      return;
   }
   if (kind == KIND_TESTS) {
      if (result->file != NULL) {
         program(file, b);
         fputs(" piglit --device", file);
         argument(file, b->device.path);
         compiler(file, b, a);
         argument(file, result->file);
      }
      return;
   }
   const bool both = row->a != NULL && row->b != NULL && row->timed && a->compiler[0] != '\0' &&
                     a->mesa_debug[0] == '\0' && b->mesa_debug[0] == '\0';

   program(file, b);
   fputs(" run --device", file);
   argument(file, b->device.path);
   if (both) {
      compiler(file, a, b);
   }
   compiler(file, b, a);
   benchmark(file, row);
}

char *compare_command(const struct compare_row *row, enum compare_kind kind, enum compare_harm harm,
                      const struct result_run *a, const struct result_run *b)
{
   const bool about_code = row->code_changed && harm != HARM_WRONG && harm != HARM_BROKEN && harm != HARM_BOTH &&
                           (kind == KIND_COMPILED || strchr(row->name, '*') == NULL);
   char *text = NULL;
   size_t size;
   FILE *file = open_memstream(&text, &size);

   if (file == NULL) {
      return NULL;
   }
   if (about_code) {
      difference_of_code(file, row, kind, a, b);
   } else {
      run_again(file, row, kind, a, b);
   }
   if (fclose(file) != 0) {
      free(text);
      return NULL;
   }
   return text;
}
