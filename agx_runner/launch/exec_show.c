/* SPDX-License-Identifier: MIT
 *
 * Shows what a kernel left in its buffers.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/launch/exec.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

#define ELEMENTS_SHOWN 64 /* of a buffer, unless all of it is asked for */
#define ELEMENTS_A_LINE 8

static int check_not_null(const struct exec *exec, const char *option, const char *text, size_t index)
{
   return exec->arguments[index].initial != NULL
              ? EXIT_OK
              : complain(EXIT_INVALID, "--%s %s: the buffer is a null pointer", option, text);
}

int exec_check_shows(const struct exec *exec)
{
   const struct exec_settings *settings = exec->settings;
   const char *rest;
   size_t index;

   for (size_t i = 0; i < settings->prints.count; i++) {
      const char *text = settings->prints.items[i];
      const int code = exec_parse_index(exec, "print", text, EXEC_CONTENTS, &index, &rest);
      if (code != EXIT_OK) {
         return code;
      }
      if (check_not_null(exec, "print", text, index) != EXIT_OK) {
         return EXIT_INVALID;
      }
      if (rest[0] != '\0') {
         return complain(EXIT_INVALID, "--print %s: takes an argument's number or name only", text);
      }
   }
   for (size_t i = 0; i < settings->dumps.count; i++) {
      const char *text = settings->dumps.items[i];
      const int code = exec_parse_index(exec, "dump", text, EXEC_CONTENTS, &index, &rest);
      if (code != EXIT_OK) {
         return code;
      }
      if (check_not_null(exec, "dump", text, index) != EXIT_OK) {
         return EXIT_INVALID;
      }
      if (rest[0] == '\0') {
         return complain(EXIT_INVALID, "--dump %s: expected N=FILE", text);
      }
   }
   return EXIT_OK;
}

static void print_buffer(const struct exec *exec, size_t index, size_t limit)
{
   const struct exec_argument *argument = &exec->arguments[index];

   const uint8_t *data = exec_bytes(argument);
   if (data == NULL) {
      return;
   }
   const size_t shown = argument->count < limit ? argument->count : limit;

   char shape[EXEC_SHAPE];

   exec_shape(exec, index, shape);
   printf("\n%s %zu %s%s%s\n", exec->program->arguments[index].kind == AGX_ARGUMENT_IMAGE ? "image" : "buffer", index,
          exec->program->arguments[index].name, exec->program->arguments[index].name[0] != '\0' ? ", " : "", shape);
   for (size_t i = 0; i < shown; i++) {
      char text[ELEMENT_TEXT_MAX];

      if (i % ELEMENTS_A_LINE == 0) {
         printf("%s%8zu:", i == 0 ? "" : "\n", i);
      }
      element_print(argument->type, data + i * argument->type->size, text);
      printf(" %s", text);
   }
   putchar('\n');
   if (shown < argument->count) {
      printf("%8s  (%zu more: --print %zu)\n", "...", argument->count - shown, index);
   }
}

static int dump_buffer(const struct exec *exec, const char *text)
{
   struct output output;
   const char *path;
   size_t index;
   int code = exec_parse_index(exec, "dump", text, EXEC_CONTENTS, &index, &path);

   if (code == EXIT_OK) {
      code = output_open(&output, path);
   }
   if (code == EXIT_OK) {
      const struct exec_argument *argument = &exec->arguments[index];

      /* A short write shows in the stream's error, which the commit reports. */
      (void)!fwrite(exec_bytes(argument), argument->type->size, argument->count, output.file);
      code = output_commit(&output);
      output_discard(&output);
   }
   return code;
}

bool exec_is_shown(const struct exec *exec, size_t index)
{
   const struct exec_settings *settings = exec->settings;
   const struct agx_argument *argument = &exec->program->arguments[index];
   const char *rest;
   size_t printed;

   for (size_t i = 0; i < settings->prints.count; i++) {
      if (exec_parse_index(exec, "print", settings->prints.items[i], EXEC_CONTENTS, &printed, &rest) == EXIT_OK &&
          printed == index) {
         return true;
      }
   }
   return settings->prints.count == 0 && !argument->read_only &&
          (argument->kind == AGX_ARGUMENT_BUFFER || argument->kind == AGX_ARGUMENT_IMAGE);
}

int exec_show(const struct exec *exec)
{
   const struct exec_settings *settings = exec->settings;

   for (size_t i = 0; settings->format == FORMAT_TEXT && i < exec->program->argument_count; i++) {
      if (exec_is_shown(exec, i)) {
         print_buffer(exec, i, settings->prints.count > 0 ? SIZE_MAX : ELEMENTS_SHOWN);
      }
   }
   int code = EXIT_OK;
   for (size_t i = 0; code == EXIT_OK && i < settings->dumps.count; i++) {
      code = dump_buffer(exec, settings->dumps.items[i]);
   }
   return code;
}
