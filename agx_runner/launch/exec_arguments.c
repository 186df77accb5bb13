/* SPDX-License-Identifier: MIT
 *
 * What the command line gives a kernel.
 */
#include "agx_runner/launch/exec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/program/kernel_file.h"
#include "agx_runner/terminal/runner.h"

#define THREADS_MAX 1024 /* of a threadgroup */
#define THREADGROUP_BYTES_MAX 32768
#define LOCAL_ALIGNMENT 16 /* of the largest OpenCL vectors that are used in practice */
#define DEFAULT_GROUP 256

static const struct {
   const char *option, *what;
} kinds[] = {
    [AGX_ARGUMENT_BUFFER] = {"buf", "a buffer"},
    [AGX_ARGUMENT_LOCAL] = {"local", "threadgroup memory"},
    [AGX_ARGUMENT_VALUE] = {"arg", "a value"},
};

int exec_parse_index(const struct exec *exec, const char *option, const char *text, uint32_t kind, size_t *index,
                     const char **rest)
{
   const struct agx_program *program = exec->program;
   const size_t length = strcspn(text, "=");
   uint64_t number = 0;
   char digits[24];

   snprintf(digits, sizeof(digits), "%.*s", (int)(length < sizeof(digits) ? length : sizeof(digits) - 1), text);
   if (!number_parse(digits, 0, UINT32_MAX, &number)) {
      return complain(EXIT_INVALID, "--%s %s: begins with an argument's number (0 is the first)", option, text);
   }
   if (number >= program->argument_count) {
      return complain(EXIT_INVALID, "--%s %s: %s has %zu argument%s, numbered from 0", option, text,
                      agx_program_name(program), program->argument_count, program->argument_count == 1 ? "" : "s");
   }
   if (program->arguments[number].kind != kind) {
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

/* Finds the argument that an option's text is about; each is given once. */
static int take(struct exec *exec, uint32_t kind, const char *text, size_t *index, const char **rest)
{
   const char *option = kinds[kind].option;
   const int code = exec_parse_index(exec, option, text, kind, index, rest);

   if (code != EXIT_OK) {
      return code;
   }
   if ((*rest)[0] == '\0') {
      return complain(EXIT_INVALID, "--%s %s: N=... is missing its value", option, text);
   }
   if (exec->arguments[*index].text != NULL) {
      return complain(EXIT_INVALID, "--%s %s: argument %zu was given before", option, text, *index);
   }
   exec->arguments[*index].text = text;
   return EXIT_OK;
}

static int read_exactly(const char *option, const char *text, const char *path, size_t size, uint8_t *bytes)
{
   uint64_t got;
   const int code = file_read_into(path, bytes, size, &got);

   if (code == EXIT_OK && got == UINT64_MAX) {
      return complain(EXIT_INVALID, "--%s %s: %s holds more than %zu bytes", option, text, path, size);
   }
   if (code == EXIT_OK && got != size) {
      return complain(EXIT_INVALID, "--%s %s: %s holds %" PRIu64 " bytes, not %zu", option, text, path, got, size);
   }
   return code;
}

/* seed, argument number: each buffer has a random sequence of its own. */
static int fill(struct exec_argument *argument, const char *init, uint64_t seed)
{
   const struct element_type *type = argument->type;
   struct random random = {seed};
   uint8_t constant[ELEMENT_SIZE_MAX];

   if (init[0] == '@') {
      return read_exactly("buf", argument->text, init + 1, argument->count * type->size, argument->initial);
   }
   const bool is_random = !strcmp(init, "random"), is_iota = !strcmp(init, "iota") || !strcmp(init, "index");
   if (!is_random && !is_iota && !element_parse(type, init, constant)) {
      return complain(EXIT_INVALID, "--buf %s: '%s' is no %s, nor random, iota or @FILE", argument->text, init,
                      type->name);
   }
   for (size_t i = 0; i < argument->count; i++) {
      uint8_t *element = argument->initial + i * type->size;

      if (is_random) {
         element_random(type, &random, element);
      } else if (is_iota) {
         element_iota(type, i, element);
      } else {
         memcpy(element, constant, type->size);
      }
   }
   return EXIT_OK;
}

/* Every buffer is in memory twice. Asking for more than there is would end with the kernel killing somebody. */
static bool fits_memory(const struct exec *exec, size_t bytes)
{
   const size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
   size_t sum = bytes;

   for (size_t i = 0; i < exec->program->argument_count; i++) {
      const struct exec_argument *argument = &exec->arguments[i];

      if (argument->initial != NULL && __builtin_add_overflow(sum, argument->count * argument->type->size, &sum)) {
         return false;
      }
   }
   return sum <= memory / 2;
}

/* TYPE[COUNT]:INIT */
static int take_buffer(struct exec *exec, const char *text)
{
   size_t index, bytes;
   const char *rest;
   char digits[24];
   uint64_t count;

   const int code = take(exec, AGX_ARGUMENT_BUFFER, text, &index, &rest);
   if (code != EXIT_OK) {
      return code;
   }
   struct exec_argument *argument = &exec->arguments[index];
   const size_t name = strcspn(rest, "[");
   argument->type = element_find(rest, name);
   if (argument->type == NULL) {
      return complain(EXIT_INVALID, "--buf %s: '%.*s' is no element type (f16 f32 f64 u8 i8 u16 i16 u32 i32 u64 i64)",
                      text, (int)name, rest);
   }
   const char *open = rest + name, *close = strchr(open, ']');
   if (*open != '[' || close == NULL || (close[1] != '\0' && close[1] != ':') ||
       (size_t)(close - open) > sizeof(digits)) {
      return complain(EXIT_INVALID, "--buf %s: expected N=TYPE[COUNT]:INIT, as in 0=f32[1024]:random", text);
   }
   snprintf(digits, sizeof(digits), "%.*s", (int)(close - open - 1), open + 1);
   if (!number_parse(digits, 1, SIZE_MAX / ELEMENT_SIZE_MAX, &count)) {
      return complain(EXIT_INVALID, "--buf %s: '%s' is no count of elements", text, digits);
   }
   argument->count = (size_t)count;
   bytes = argument->count * argument->type->size;
   if (!fits_memory(exec, bytes) || (argument->initial = calloc(1, bytes)) == NULL) {
      return complain(EXIT_FAILED, "--buf %s: out of memory: it needs %zu MiB, twice", text, bytes >> 20);
   }
   return fill(argument, close[1] == ':' ? close + 2 : "0", exec->seed + index);
}

/* What a by-value argument of undeclared type is read as: its size, and how the text is written, decide. */
static const struct element_type *type_of_text(uint32_t size, const char *text)
{
   static const char *const names[3][9] = {
       [ELEMENT_FLOAT] = {[2] = "f16", [4] = "f32", [8] = "f64"},
       [ELEMENT_SIGNED] = {[1] = "i8", [2] = "i16", [4] = "i32", [8] = "i64"},
       [ELEMENT_UNSIGNED] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"},
   };
   const bool hexadecimal = strncmp(text, "0x", 2) == 0;
   const enum element_kind kind = !hexadecimal && strpbrk(text, ".eEn") != NULL ? ELEMENT_FLOAT
                                  : text[0] == '-'                              ? ELEMENT_SIGNED
                                                                                : ELEMENT_UNSIGNED;
   const char *name = size <= 8 ? names[kind][size] : NULL;

   return name != NULL ? element_find(name, strlen(name)) : NULL;
}

/* The declared type ("float4" has four elements of type float), else as above. NULL: not to be given as numbers. */
static const struct element_type *value_type(const struct agx_argument *argument, const char *text, unsigned *count)
{
   const size_t letters = strcspn(argument->type, "0123456789");
   const struct element_type *type = element_find_opencl(argument->type, letters);

   *count = 1;
   if (type == NULL) {
      return type_of_text(argument->size, text);
   }
   if (argument->type[letters] != '\0') {
      *count = (unsigned)strtoul(argument->type + letters, NULL, 10);
   }
   return type->size * *count <= argument->size ? type : NULL;
}

/* One number, or as many as the vector has. */
static int parse_vector(const struct agx_argument *argument, const char *text, const char *values, uint8_t *bytes)
{
   const char *name = argument->name[0] != '\0' ? argument->name : "it";
   unsigned count, given = 0;
   const struct element_type *type = value_type(argument, values, &count);

   if (type == NULL) {
      return complain(EXIT_INVALID, "--arg %s: %s, %s of %u bytes, can be given as @FILE only", text, name,
                      argument->type[0] != '\0' ? argument->type : "a value", argument->size);
   }
   for (const char *at = values; at != NULL; given++) {
      const size_t length = strcspn(at, ",");
      char number[64];

      snprintf(number, sizeof(number), "%.*s", (int)(length < sizeof(number) ? length : sizeof(number) - 1), at);
      if (given == count || !element_parse(type, number, bytes + (size_t)given * type->size)) {
         given = 0;
         break;
      }
      at = at[length] == ',' ? at + length + 1 : NULL;
   }
   return given == count ? EXIT_OK
                         : complain(EXIT_INVALID, "--arg %s: %s takes %u number%s of type %s", text, name, count,
                                    count == 1 ? "" : "s", type->opencl);
}

static int take_value(struct exec *exec, const char *text)
{
   size_t index;
   const char *rest;
   const int code = take(exec, AGX_ARGUMENT_VALUE, text, &index, &rest);

   if (code != EXIT_OK) {
      return code;
   }
   const struct agx_argument *argument = &exec->program->arguments[index];
   uint8_t *bytes = exec->block + argument->offset;
   return rest[0] == '@' ? read_exactly("arg", text, rest + 1, argument->size, bytes)
                         : parse_vector(argument, text, rest, bytes);
}

/* A threadgroup pointer is its offset in the threadgroup's memory, behind what the kernel declares itself. */
static int take_local(struct exec *exec, const char *text)
{
   size_t index;
   const char *rest;
   uint64_t bytes;
   const int code = take(exec, AGX_ARGUMENT_LOCAL, text, &index, &rest);

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
      if (exec->grid[i] % exec->group[i] != 0) {
         return complain(EXIT_INVALID, "--grid: %u is no multiple of the threadgroup's %u", exec->grid[i],
                         exec->group[i]);
      }
   }
   return EXIT_OK;
}

static int take_all(struct exec *exec)
{
   const struct exec_settings *settings = exec->settings;
   const struct {
      const struct string_list *list;
      int (*take)(struct exec *exec, const char *text);
   } sources[] = {{&settings->buffers, take_buffer}, {&settings->values, take_value}, {&settings->locals, take_local}};

   for (size_t i = 0; i < ARRAY_COUNT(sources); i++) {
      for (size_t j = 0; j < sources[i].list->count; j++) {
         const int code = sources[i].take(exec, sources[i].list->items[j]);
         if (code != EXIT_OK) {
            return code;
         }
      }
   }
   return EXIT_OK;
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
   return code == EXIT_OK ? exec_check_shows(exec) : code;
}
