/* SPDX-License-Identifier: MIT
 *
 * Assigns options to the kernel's arguments, and determines the sizes of the launch. exec_values.c parses the values.
 */
#include "agx_runner/launch/exec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "agx_runner/terminal/suggest.h"
#include "util/array.h"

#define THREADS_MAX 1024 /* of a threadgroup */
#define THREADGROUP_BYTES_MAX 32768
#define LOCAL_ALIGNMENT 16 /* of the largest OpenCL vectors that are used in practice */
#define DEFAULT_GROUP 256

static const struct {
   const char *option, *what;
} kinds[] = {
    [AGX_ARGUMENT_BUFFER] = {"buf", "a buffer"},       [AGX_ARGUMENT_LOCAL] = {"local", "threadgroup memory"},
    [AGX_ARGUMENT_VALUE] = {"arg", "a value"},         [AGX_ARGUMENT_IMAGE] = {"image", "an image"},
    [AGX_ARGUMENT_SAMPLER] = {"sampler", "a sampler"},
};

/* Whether an argument of that kind is what an option is about. A sampler may be given to an image, too. */
static bool suits(uint32_t actual, uint32_t wanted)
{
   return actual == wanted || (wanted == AGX_ARGUMENT_SAMPLER && actual == AGX_ARGUMENT_IMAGE) ||
          (wanted == EXEC_CONTENTS && (actual == AGX_ARGUMENT_BUFFER || actual == AGX_ARGUMENT_IMAGE));
}

/* The argument whose name is `length` letters of text. Longer names than an argument's are cut in the program. */
static bool find_name(const struct agx_program *program, const char *text, size_t length, uint64_t *index)
{
   const size_t most = sizeof(program->arguments[0].name) - 1;
   const size_t compared = length > most ? most : length;

   for (size_t i = 0; i < program->argument_count; i++) {
      const char *name = program->arguments[i].name;

      if (compared > 0 && strlen(name) == compared && strncmp(name, text, compared) == 0) {
         *index = i;
         return true;
      }
   }
   return false;
}

static int unknown_argument(const struct agx_program *program, const char *option, const char *text, size_t length)
{
   char word[64], meant[SUGGEST_TEXT];
   struct suggestion suggestion = {.word = word};

   snprintf(word, sizeof(word), "%.*s", (int)length, text);
   for (size_t i = 0; i < program->argument_count; i++) {
      suggest_offer(&suggestion, program->arguments[i].name, strlen(program->arguments[i].name));
   }
   suggest_print(&suggestion, meant);
   return complain(EXIT_INVALID,
                   "--%s %s: %s has no argument '%s'%s (takes an argument's name, or its number: 0 is the first)",
                   option, text, agx_program_name(program), word, meant);
}

int exec_parse_index(const struct exec *exec, const char *option, const char *text, uint32_t kind, size_t *index,
                     const char **rest)
{
   const struct agx_program *program = exec->program;
   const size_t length = strcspn(text, "=");
   uint64_t number = 0;
   char digits[24];

   snprintf(digits, sizeof(digits), "%.*s", (int)(length < sizeof(digits) ? length : sizeof(digits) - 1), text);
   if (!find_name(program, text, length, &number) && !number_parse(digits, 0, UINT32_MAX, &number)) {
      return unknown_argument(program, option, text, length);
   }
   if (number >= program->argument_count) {
      return complain(EXIT_INVALID, "--%s %s: %s has %zu argument%s, numbered from 0", option, text,
                      agx_program_name(program), program->argument_count, program->argument_count == 1 ? "" : "s");
   }
   if (!suits(program->arguments[number].kind, kind)) {
      const uint32_t actual = program->arguments[number].kind;
      const char *name = program->arguments[number].name;
      return complain(EXIT_INVALID, "--%s %s: argument %" PRIu64 "%s%s%s is %s: use --%s", option, text, number,
                      name[0] != '\0' ? " (" : "", name, name[0] != '\0' ? ")" : "", kinds[actual].what,
                      kinds[actual].option);
   }
   *index = (size_t)number;
   *rest = text[length] == '=' ? text + length + 1 : text + length;
   return EXIT_OK;
}

int exec_take(struct exec *exec, uint32_t kind, const char *text, size_t *index, const char **rest)
{
   const char *option = kinds[kind].option;
   const int code = exec_parse_index(exec, option, text, kind, index, rest);

   if (code != EXIT_OK) {
      return code;
   }
   if ((*rest)[0] == '\0') {
      return complain(EXIT_INVALID, "--%s %s: N=... is missing its value", option, text);
   }
   if (kind == AGX_ARGUMENT_SAMPLER && exec->program->arguments[*index].kind == AGX_ARGUMENT_IMAGE) {
      return EXIT_OK;
   }
   if (exec->arguments[*index].text != NULL) {
      return complain(EXIT_INVALID, "--%s %s: argument %zu was given before", option, text, *index);
   }
   exec->arguments[*index].text = text;
   return EXIT_OK;
}

int exec_add_address(struct exec *exec, struct exec_address at, const char *option, const char *text, const char *name,
                     size_t length)
{
   uint64_t index;
   if (!find_name(exec->program, name, length, &index) || exec->program->arguments[index].kind != AGX_ARGUMENT_BUFFER) {
      return complain(EXIT_INVALID, "--%s %s: '%.*s' is the name of no buffer", option, text, (int)length, name);
   }
   if (!ARRAY_RESERVE_ONE(exec->addresses, exec->address_count)) {
      return complain(EXIT_FAILED, "out of memory");
   }
   at.buffer = (size_t)index;
   exec->addresses[exec->address_count++] = at;
   return EXIT_OK;
}

static int take_buffer(struct exec *exec, const char *text)
{
   size_t index;
   const char *rest;
   const int code = exec_take(exec, AGX_ARGUMENT_BUFFER, text, &index, &rest);

   return code == EXIT_OK ? exec_parse_buffer(exec, index, text, rest) : code;
}

static int take_value(struct exec *exec, const char *text)
{
   size_t index;
   const char *rest;
   const int code = exec_take(exec, AGX_ARGUMENT_VALUE, text, &index, &rest);

   return code == EXIT_OK ? exec_parse_value(exec, index, text, rest) : code;
}

/* A threadgroup pointer is its offset in the threadgroup's memory, behind what the kernel declares itself. */
static int take_local(struct exec *exec, const char *text)
{
   size_t index;
   const char *rest;
   uint64_t bytes;
   const int code = exec_take(exec, AGX_ARGUMENT_LOCAL, text, &index, &rest);

   if (code != EXIT_OK) {
      return code;
   }
   if (!number_parse(rest, 1, THREADGROUP_BYTES_MAX, &bytes)) {
      return complain(EXIT_INVALID, "--local %s: takes 1 to %u bytes", text, THREADGROUP_BYTES_MAX);
   }
   exec->arguments[index].local_bytes = (uint32_t)bytes;
   return EXIT_OK;
}

static int place_locals(struct exec *exec)
{
   const struct agx_program *program = exec->program;
   uint32_t end = program->threadgroup_bytes;

   for (size_t i = 0; i < program->argument_count; i++) {
      const struct agx_argument *argument = &program->arguments[i];

      if (argument->kind == AGX_ARGUMENT_LOCAL) {
         const uint32_t start = (end + LOCAL_ALIGNMENT - 1) / LOCAL_ALIGNMENT * LOCAL_ALIGNMENT;

         memcpy(exec->block + argument->offset, &start, sizeof(start));
         end = start + exec->arguments[i].local_bytes;
         if (end > THREADGROUP_BYTES_MAX) {
            return complain(EXIT_INVALID, "--local %s: more than %u bytes of threadgroup memory in all",
                            exec->arguments[i].text, THREADGROUP_BYTES_MAX);
         }
      }
   }
   exec->threadgroup_bytes = end - program->threadgroup_bytes;
   return EXIT_OK;
}

static int check_given(const struct exec *exec)
{
   for (size_t i = 0; i < exec->program->argument_count; i++) {
      const struct agx_argument *argument = &exec->program->arguments[i];

      if (exec->arguments[i].text == NULL) {
         return complain(EXIT_INVALID, "argument %zu of %s is missing: %s%s%s, --%s %zu=...", i,
                         agx_program_name(exec->program),
                         argument->type[0] != '\0' ? argument->type : kinds[argument->kind].what,
                         argument->name[0] != '\0' ? " " : "", argument->name, kinds[argument->kind].option, i);
      }
   }
   return EXIT_OK;
}

/* The largest divisor of `threads` that is a reasonable threadgroup. */
static uint32_t default_group(uint32_t threads)
{
   uint32_t group = threads < DEFAULT_GROUP ? threads : DEFAULT_GROUP;

   while (threads % group != 0) {
      group--;
   }
   return group;
}

static int choose_sizes(struct exec *exec)
{
   const struct exec_settings *settings = exec->settings;
   const uint32_t *required = exec->program->workgroup_size;

   if (settings->grid.count == 0) {
      return complain(EXIT_INVALID, "--grid is missing: the number of threads, for instance --grid 1024");
   }
   exec->work_dim = settings->grid.count;
   for (unsigned i = 0; i < 3; i++) {
      exec->grid[i] = settings->grid.size[i];
      exec->group[i] = settings->group.count != 0 ? settings->group.size[i]
                       : required[0] != 0         ? required[i]
                       : i == 0                   ? default_group(exec->grid[0])
                                                  : 1;
   }
   const uint64_t threads = (uint64_t)exec->group[0] * exec->group[1] * exec->group[2];
   if (threads > THREADS_MAX) {
      return complain(EXIT_INVALID, "--group %u,%u,%u: %" PRIu64 " threads are more than the %u of a threadgroup",
                      exec->group[0], exec->group[1], exec->group[2], threads, THREADS_MAX);
   }
   for (unsigned i = 0; i < 3; i++) {
      if (required[0] != 0 && exec->group[i] != required[i]) {
         return complain(EXIT_INVALID, "--group %u,%u,%u: the kernel requires %u,%u,%u", exec->group[0], exec->group[1],
                         exec->group[2], required[0], required[1], required[2]);
      }
      if (required[0] != 0 && exec->grid[i] % exec->group[i] != 0) {
         return complain(EXIT_INVALID, "--grid: %u is no multiple of the %u that the kernel requires of a threadgroup",
                         exec->grid[i], exec->group[i]);
      }
   }
   return EXIT_OK;
}

/* The values of all --push, one behind the other, are that of the argument "push". */
static int take_push(struct exec *exec)
{
   const struct string_list *list = &exec->settings->push;
   size_t size;

   if (list->count == 0) {
      return EXIT_OK;
   }
   FILE *text = open_memstream(&exec->push, &size);
   for (size_t i = 0; text != NULL && i < list->count; i++) {
      fprintf(text, "%s%s", i == 0 ? "push=" : ",", list->items[i]);
   }
   if (text == NULL || fclose(text) != 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   return take_value(exec, exec->push);
}

static int take_all(struct exec *exec)
{
   const struct exec_settings *settings = exec->settings;
   const struct {
      const struct string_list *list;
      int (*take)(struct exec *exec, const char *text);
   } sources[] = {{&settings->buffers, take_buffer},
                  {&settings->values, take_value},
                  {&settings->locals, take_local},
                  {&settings->images, exec_take_image},
                  {&settings->samplers, exec_take_sampler}};

   for (size_t i = 0; i < ARRAY_COUNT(sources); i++) {
      for (size_t j = 0; j < sources[i].list->count; j++) {
         const int code = sources[i].take(exec, sources[i].list->items[j]);
         if (code != EXIT_OK) {
            return code;
         }
      }
   }
   return take_push(exec);
}

int exec_init(struct exec *exec, const struct agx_program *program, const struct exec_settings *settings, uint64_t seed)
{
   *exec = (struct exec){.settings = settings, .seed = seed, .program = program};
   /* One more than needed: an allocation of nothing may be NULL. */
   exec->arguments = calloc(program->argument_count + 1, sizeof(*exec->arguments));
   exec->block = calloc(1, (size_t)program->argument_bytes + 1);
   if (exec->arguments == NULL || exec->block == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   int code = take_all(exec);
   if (code == EXIT_OK) {
      code = check_given(exec);
   }
   if (code == EXIT_OK) {
      code = place_locals(exec);
   }
   if (code == EXIT_OK) {
      code = choose_sizes(exec);
   }
   if (code == EXIT_OK) {
      code = exec_check_shows(exec);
   }
   return code == EXIT_OK ? exec_check_expects(exec) : code;
}
