/* SPDX-License-Identifier: MIT
 *
 * Converts the texts of buffers and by-value arguments to bytes. Values that do not fit are refused, never truncated
 * or repeated.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/launch/exec.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/terminal/runner.h"

#define NUMBER_TEXT 64

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

/* Numbers with commas between them. *end: the first that is none, or is one too many; NULL: all `count` are read. */
static void parse_list(const struct element_type *type, const char *text, size_t count, uint8_t *bytes, size_t *given,
                       const char **end)
{
   const char *at = text;

   for (*given = 0; at != NULL; (*given)++) {
      const size_t length = strcspn(at, ",");
      char number[NUMBER_TEXT];

      *end = at;
      if (*given == count || length >= sizeof(number)) {
         return;
      }
      snprintf(number, sizeof(number), "%.*s", (int)length, at);
      if (!element_parse(type, number, bytes + *given * type->size)) {
         return;
      }
      at = at[length] == ',' ? at + length + 1 : NULL;
   }
   *end = NULL;
}

static size_t count_list(const char *text)
{
   size_t count = 1;

   for (const char *at = text; *at != '\0'; at++) {
      count += *at == ',';
   }
   return count;
}

static int fill_list(const char *option, const char *text, const struct element_type *type, size_t count,
                     const char *init, uint8_t *bytes)
{
   const size_t wanted = count_list(init);
   const char *wrong;
   size_t given;

   if (wanted != count) {
      return complain(EXIT_INVALID, "--%s %s: %zu elements, and %zu numbers are given", option, text, count, wanted);
   }
   parse_list(type, init, count, bytes, &given, &wrong);
   return wrong == NULL ? EXIT_OK
                        : complain(EXIT_INVALID, "--%s %s: '%.*s' is no %s", option, text, (int)strcspn(wrong, ","),
                                   wrong, type->name);
}

int exec_fill(const char *option, const char *text, const struct element_type *type, size_t count, const char *init,
              uint64_t seed, uint8_t *bytes)
{
   struct util_random random = {seed};
   uint8_t constant[ELEMENT_SIZE_MAX];

   if (init[0] == '@') {
      return read_exactly(option, text, init + 1, count * type->size, bytes);
   }
   if (strchr(init, ',') != NULL) {
      return fill_list(option, text, type, count, init, bytes);
   }
   const bool is_random = !strcmp(init, "random"), is_iota = !strcmp(init, "iota") || !strcmp(init, "index");
   if (!strcmp(init, "zero")) {
      init = "0";
   }
   if (!is_random && !is_iota && !element_parse(type, init, constant)) {
      return complain(EXIT_INVALID, "--%s %s: '%s' is no %s, nor random, iota, a list or @FILE", option, text, init,
                      type->name);
   }
   for (size_t i = 0; i < count; i++) {
      uint8_t *element = bytes + i * type->size;

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

/* Every buffer is in memory twice. If there were not enough memory, the kernel would kill a process. */
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

int exec_allocate(struct exec *exec, size_t index, const char *option, const char *text)
{
   struct exec_argument *argument = &exec->arguments[index];
   const size_t bytes = argument->count * argument->type->size;

   if (!fits_memory(exec, bytes) || (argument->initial = calloc(1, bytes)) == NULL) {
      return complain(EXIT_FAILED, "--%s %s: out of memory: it needs %zu MiB, twice", option, text, bytes >> 20);
   }
   return EXIT_OK;
}

/* The count between the brackets; of a list it may be left out. */
static bool parse_count(const char *open, const char *close, uint64_t *count)
{
   const bool list = close[1] == ':' && strchr(close + 2, ',') != NULL;
   char digits[24];

   if (close == open + 1 && list) {
      *count = count_list(close + 2);
      return true;
   }
   if ((size_t)(close - open) > sizeof(digits)) {
      return false;
   }
   snprintf(digits, sizeof(digits), "%.*s", (int)(close - open - 1), open + 1);
   return number_parse(digits, 1, SIZE_MAX / ELEMENT_SIZE_MAX, count);
}

/* "a,b": the names of buffers. */
static int fill_addresses(struct exec *exec, size_t index, const char *text, const char *names)
{
   const struct exec_argument *argument = &exec->arguments[index];
   const size_t given = names[0] != '\0' ? count_list(names) : 0;
   if (given != argument->count) {
      return complain(EXIT_INVALID, "--buf %s: %zu elements, and %zu names of buffers are given", text, argument->count,
                      given);
   }
   for (size_t i = 0; i < given; i++) {
      const size_t length = strcspn(names, ",");
      const struct exec_address at = {.place = index, .offset = i * argument->type->size};
      const int code = exec_add_address(exec, at, "buf", text, names, length);
      if (code != EXIT_OK) {
         return code;
      }
      names += length + 1;
   }
   return EXIT_OK;
}

int exec_parse_buffer(struct exec *exec, size_t index, const char *text, const char *rest)
{
   struct exec_argument *argument = &exec->arguments[index];
   const size_t name = strcspn(rest, "[");
   uint64_t count;

   if (!strcmp(rest, "null")) {
      return EXIT_OK; /* its address in the block is 0 */
   }
   argument->type = element_find(rest, name);
   if (argument->type == NULL) {
      return complain(EXIT_INVALID,
                      "--buf %s: '%.*s' is no element type (f16 f32 f64 u8 i8 u16 i16 u32 i32 u64 i64 ptr), nor null",
                      text, (int)name, rest);
   }
   const char *open = rest + name, *close = strchr(open, ']');
   if (*open != '[' || close == NULL || (close[1] != '\0' && close[1] != ':')) {
      return complain(EXIT_INVALID, "--buf %s: expected N=TYPE[COUNT]:INIT, as in 0=f32[1024]:random", text);
   }
   if (!parse_count(open, close, &count)) {
      return complain(EXIT_INVALID, "--buf %s: '%.*s' is no count of elements", text, (int)(close - open - 1),
                      open + 1);
   }
   argument->count = (size_t)count;
   const int code = exec_allocate(exec, index, "buf", text);
   if (code != EXIT_OK) {
      return code;
   }
   if (argument->type->kind == ELEMENT_ADDRESS) {
      return fill_addresses(exec, index, text, close[1] == ':' ? close + 2 : "");
   }
   /* Each buffer has a random sequence of its own. */
   return exec_fill("buf", text, argument->type, argument->count, close[1] == ':' ? close + 2 : "0", exec->seed + index,
                    argument->initial);
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

/* The option that gave a value, and its text there: "--push f32:1", "--arg N=1". For printf's "%s %s". */
#define GIVEN(exec, text)                                                                                              \
   (text) == (exec)->push ? "--push" : "--arg", (text) == (exec)->push ? strchr(text, '=') + 1 : (text)

/* One number, or as many as the vector has. */
static int parse_vector(const struct exec *exec, const struct agx_argument *argument, const char *text,
                        const char *values, uint8_t *bytes)
{
   const char *name = argument->name[0] != '\0' ? argument->name : "it", *wrong;
   unsigned count;
   size_t given;
   const struct element_type *type = value_type(argument, values, &count);

   if (type == NULL) {
      return complain(EXIT_INVALID,
                      "%s %s: %s, %s of %u bytes, takes its fields with their types, as i32:1,f32[2]:0.5,1, or @FILE",
                      GIVEN(exec, text), name, argument->type[0] != '\0' ? argument->type : "a value", argument->size);
   }
   parse_list(type, values, count, bytes, &given, &wrong);
   return wrong == NULL && given == count
              ? EXIT_OK
              : complain(EXIT_INVALID, "%s %s: %s takes %u number%s of type %s", GIVEN(exec, text), name, count,
                         count == 1 ? "" : "s", type->opencl);
}

/* ---- Structs: TYPE:NUMBER, TYPE[COUNT]:NUMBERS (an array) or TYPExCOUNT:NUMBERS (a vector), with commas ---- */

struct field {
   const struct element_type *type;
   unsigned count, align;
   const char *values; /* where its numbers start */
};

/* OpenCL C 6.1.5: a type is aligned to its size, and a vector of 3 elements to that of 4. */
static bool parse_field(const char *text, struct field *field)
{
   const size_t name = strcspn(text, ":[x,");
   const bool array = text[name] == '[', vector = text[name] == 'x';
   const char *at = text + name;
   char *end;

   *field = (struct field){.type = element_find(text, name), .count = 1};
   if (field->type == NULL) {
      return false;
   }
   field->align = field->type->size;
   if (array || vector) {
      const unsigned long count = at[1] >= '1' && at[1] <= '9' ? strtoul(at + 1, &end, 10) : 0;

      if (count == 0 || count > (vector ? 16 : UINT16_MAX)) {
         return false;
      }
      field->count = (unsigned)count;
      while (vector && field->align < field->count * field->type->size) {
         field->align *= 2;
      }
      at = end + (array && *end == ']');
      if (array && end[0] != ']') {
         return false;
      }
   }
   field->values = at + 1;
   return *at == ':';
}

/* Lays the fields out as C does. */
static int parse_struct(struct exec *exec, size_t index, const char *text, const char *fields)
{
   const struct agx_argument *argument = &exec->program->arguments[index];
   uint8_t *bytes = exec->block + argument->offset;
   const char *at = fields;
   size_t size = 0, most = 1;

   memset(bytes, 0, argument->size);
   while (at != NULL) {
      struct field field;
      const char *end = at;

      if (!parse_field(at, &field)) {
         return complain(EXIT_INVALID, "%s %s: '%s': expected a field as i32:1, f32[2]:0.5,1 or f32x4:1,2,3,4",
                         GIVEN(exec, text), at);
      }
      const size_t bytes_each = field.type->size;
      const size_t start = (size + field.align - 1) / field.align * field.align;
      const size_t space = field.align > bytes_each ? field.align : bytes_each * field.count;
      if (start + space > argument->size) {
         return complain(EXIT_INVALID, "%s %s: the fields take more than %u bytes, the size of %s", GIVEN(exec, text),
                         argument->size, argument->type[0] != '\0' ? argument->type : "the argument");
      }
      at = field.values;
      for (unsigned i = 0; i < field.count; i++) {
         const size_t length = strcspn(at, ",");
         char number[NUMBER_TEXT] = "";

         if (length < sizeof(number)) {
            snprintf(number, sizeof(number), "%.*s", (int)length, at);
         }
         const struct exec_address place = {.place = index, .offset = start + i * bytes_each};
         if (field.type->kind == ELEMENT_ADDRESS) {
            const int code = exec_add_address(exec, place, "push", text, at, length);
            if (code != EXIT_OK) {
               return code;
            }
         } else if (!element_parse(field.type, number, bytes + start + i * bytes_each)) {
            return complain(EXIT_INVALID, "%s %s: '%.*s' is no %s: the field %.*s takes %u number%s", GIVEN(exec, text),
                            (int)length, at, field.type->name, (int)(field.values - end - 1), end, field.count,
                            field.count == 1 ? "" : "s");
         }
         at = at[length] == ',' ? at + length + 1 : i + 1 == field.count ? NULL : "";
      }
      size = start + space;
      most = field.align > most ? field.align : most;
   }
   /* Of push constants what lies behind the last field does not count. */
   const size_t padded = (size + most - 1) / most * most;
   return size == argument->size || padded == argument->size
              ? EXIT_OK
              : complain(EXIT_INVALID, "%s %s: the fields take %zu bytes, and %s has %u", GIVEN(exec, text), padded,
                         argument->type[0] != '\0' ? argument->type : "the argument", argument->size);
}

int exec_parse_value(struct exec *exec, size_t index, const char *text, const char *rest)
{
   const struct agx_argument *argument = &exec->program->arguments[index];
   const size_t name = strcspn(rest, ":[x,");
   uint8_t *bytes = exec->block + argument->offset;

   if (rest[0] == '@') {
      return read_exactly("arg", text, rest + 1, argument->size, bytes);
   }
   return rest[name] != '\0' && element_find(rest, name) != NULL ? parse_struct(exec, index, text, rest)
                                                                 : parse_vector(exec, argument, text, rest, bytes);
}
