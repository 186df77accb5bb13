/* SPDX-License-Identifier: MIT
 *
 * Writes and reads the bytes that processes of the compile service exchange.
 */
#include "compiler/api/wire.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/api/result.h"
#include "util/array.h"

/* ---- Writing ---- */

void compiler_write(struct compiler_writer *writer, const void *data, size_t size)
{
   size_t needed;

   if (writer->failed || size == 0) {
      return;
   }
   if (__builtin_add_overflow(writer->size, size, &needed)) {
      writer->failed = true;
      return;
   }
   if (!ARRAY_RESERVE(writer->bytes, writer->room, needed)) {
      writer->failed = true;
      return;
   }
   memcpy(writer->bytes + writer->size, data, size);
   writer->size = needed;
}

/* Writes an array of bytes preceded by its size. */
static void write_array(struct compiler_writer *writer, const void *data, size_t size)
{
   compiler_write(writer, &size, sizeof(size));
   compiler_write(writer, data, size);
}

/* The size includes the terminating zero; 0 stands for NULL. */
void compiler_write_string(struct compiler_writer *writer, const char *text)
{
   write_array(writer, text, text != NULL ? strlen(text) + 1 : 0);
}

void compiler_write_options(struct compiler_writer *writer, const struct compiler_options *options)
{
   struct compiler_options flags;

   /* no addresses and no padding: the bytes are a part of the cache's key */
   memset(&flags, 0, sizeof(flags));
   flags.atomic_coherency = options->atomic_coherency;
   flags.soft_faults = options->soft_faults;
   flags.keep_atomics = options->keep_atomics;
   flags.lines = options->lines;
   memcpy(flags.group, options->group, sizeof(flags.group));
   compiler_write(writer, &flags, sizeof(flags));
   compiler_write_string(writer, options->kernel);
   compiler_write_string(writer, options->arguments);
}

static void write_program(struct compiler_writer *writer, const struct agx_program *program)
{
   compiler_write(writer, program, sizeof(*program));
   compiler_write_string(writer, isa_set_name(program->set));
   write_array(writer, program->code, program->code_size);
   write_array(writer, program->uniforms, program->uniform_count * sizeof(*program->uniforms));
   write_array(writer, program->constants, program->constants_size);
   write_array(writer, program->arguments, program->argument_count * sizeof(*program->arguments));
   write_array(writer, program->lines, program->line_count * sizeof(*program->lines));
   write_array(writer, program->line_files, program->line_files_size);
}

static void write_pending(struct compiler_writer *writer, const struct compiler_pending *pending)
{
   write_array(writer, pending->words, pending->count * sizeof(*pending->words));
   compiler_write(writer, &pending->kernel_count, sizeof(pending->kernel_count));
   for (size_t i = 0; i < pending->kernel_count; i++) {
      compiler_write_string(writer, pending->kernels[i]);
   }
}

void compiler_write_result(struct compiler_writer *writer, int ret, const struct compiler_result *result)
{
   compiler_write(writer, &ret, sizeof(ret));
   compiler_write(writer, &result->why, sizeof(result->why));
   compiler_write_string(writer, result->log);
   compiler_write(writer, &result->count, sizeof(result->count));
   for (size_t i = 0; i < result->count; i++) {
      write_program(writer, result->programs[i]);
   }
   compiler_write(writer, &result->refused_count, sizeof(result->refused_count));
   for (size_t i = 0; i < result->refused_count; i++) {
      const struct compiler_refusal *refusal = &result->refused[i];

      compiler_write(writer, &refusal->crash, sizeof(refusal->crash));
      compiler_write(writer, &refusal->why, sizeof(refusal->why));
      compiler_write_string(writer, refusal->kernel);
      compiler_write_string(writer, refusal->reason);
   }
   write_pending(writer, &result->pending);
}

void compiler_writer_finish(struct compiler_writer *writer)
{
   free(writer->bytes);
   *writer = (struct compiler_writer){0};
}

/* ---- Reading ---- */

/* Returns `size` bytes in place; NULL if there are fewer. */
static const void *take(struct compiler_reader *reader, size_t size)
{
   const uint8_t *bytes = reader->at;

   if (reader->failed || size > reader->left) {
      reader->failed = true;
      return NULL;
   }
   reader->at += size;
   reader->left -= size;
   return bytes;
}

void compiler_read(struct compiler_reader *reader, void *data, size_t size)
{
   const void *bytes = take(reader, size);

   if (bytes != NULL) {
      memcpy(data, bytes, size);
   } else {
      memset(data, 0, size);
   }
}

static const void *read_array(struct compiler_reader *reader, size_t *size)
{
   compiler_read(reader, size, sizeof(*size));
   return take(reader, *size);
}

const char *compiler_read_string(struct compiler_reader *reader)
{
   size_t size;
   const char *text = read_array(reader, &size);

   if (text == NULL || size == 0) {
      return NULL;
   }
   if (text[size - 1] != '\0') {
      reader->failed = true;
      return NULL;
   }
   return text;
}

void compiler_read_options(struct compiler_reader *reader, struct compiler_options *options)
{
   compiler_read(reader, options, sizeof(*options));
   options->kernel = compiler_read_string(reader);
   options->arguments = compiler_read_string(reader);
}

/* Returns a copy of an array that must have `count` elements. NULL for an empty one, and on failure. */
static void *copy_array(struct compiler_reader *reader, size_t count, size_t element)
{
   size_t size, expected;
   const void *bytes = read_array(reader, &size);

   if (bytes == NULL || __builtin_mul_overflow(count, element, &expected) || size != expected) {
      reader->failed = true;
      return NULL;
   }
   if (size == 0) {
      return NULL;
   }
   void *copy = malloc(size);
   if (copy == NULL) {
      reader->failed = true;
      return NULL;
   }
   return memcpy(copy, bytes, size);
}

static struct agx_program *read_program(struct compiler_reader *reader)
{
   struct agx_program *program = agx_program_create();

   if (program == NULL) {
      reader->failed = true;
      return NULL;
   }
   compiler_read(reader, program, sizeof(*program));
   const char *set = compiler_read_string(reader);
   program->set = set != NULL ? isa_set_find(set) : NULL;
   program->name[sizeof(program->name) - 1] = '\0';
   program->code = NULL;
   program->uniforms = NULL;
   program->constants = NULL;
   program->arguments = NULL;
   program->lines = NULL;
   program->line_files = NULL;
   program->code = copy_array(reader, program->code_size, 1);
   program->uniforms = copy_array(reader, program->uniform_count, sizeof(*program->uniforms));
   program->constants = copy_array(reader, program->constants_size, 1);
   program->arguments = copy_array(reader, program->argument_count, sizeof(*program->arguments));
   program->lines = copy_array(reader, program->line_count, sizeof(*program->lines));
   program->line_files = copy_array(reader, program->line_files_size, 1);
   if (reader->failed || program->set == NULL || agx_program_check(program) != NULL) {
      reader->failed = true;
      agx_program_destroy(program);
      return NULL;
   }
   return program;
}

static void read_programs(struct compiler_reader *reader, struct compiler_result *result)
{
   size_t count;

   compiler_read(reader, &count, sizeof(count));
   for (size_t i = 0; i < count && !reader->failed; i++) {
      struct agx_program *program = read_program(reader);
      if (program != NULL && compiler_result_add(result, program) < 0) {
         reader->failed = true;
      }
   }
}

/* Texts are terminated, whatever the bytes are. */
static void read_why(struct compiler_reader *reader, struct refusal *why)
{
   compiler_read(reader, why, sizeof(*why));
   why->what[sizeof(why->what) - 1] = '\0';
   why->file[sizeof(why->file) - 1] = '\0';
   why->kernel[sizeof(why->kernel) - 1] = '\0';
   why->function[sizeof(why->function) - 1] = '\0';
}

static void read_refusals(struct compiler_reader *reader, struct compiler_result *result)
{
   size_t count;

   compiler_read(reader, &count, sizeof(count));
   for (size_t i = 0; i < count && !reader->failed; i++) {
      struct compiler_refusal refusal;

      compiler_read(reader, &refusal.crash, sizeof(refusal.crash));
      read_why(reader, &refusal.why);
      refusal.kernel = (char *)(uintptr_t)compiler_read_string(reader);
      refusal.reason = (char *)(uintptr_t)compiler_read_string(reader);
      if (refusal.kernel == NULL || refusal.reason == NULL || compiler_result_add_refusal(result, &refusal) < 0) {
         reader->failed = true;
      }
   }
}

static void read_pending(struct compiler_reader *reader, struct compiler_result *result)
{
   struct compiler_pending *pending = &result->pending;
   size_t size, count;
   const void *words = read_array(reader, &size);

   compiler_read(reader, &count, sizeof(count));
   if (reader->failed || size == 0) {
      return;
   }
   pending->words = malloc(size);
   if (pending->words == NULL || size % sizeof(*pending->words) != 0) {
      reader->failed = true;
      return;
   }
   memcpy(pending->words, words, size);
   pending->count = size / sizeof(*pending->words);
   for (size_t i = 0; i < count && !reader->failed; i++) {
      const char *kernel = compiler_read_string(reader);

      if (kernel == NULL || compiler_result_add_pending(result, kernel) < 0) {
         reader->failed = true;
      }
   }
}

bool compiler_read_result(struct compiler_reader *reader, int *ret, struct compiler_result *result)
{
   *ret = 0;
   if (compiler_result_init(result) < 0) {
      return false;
   }
   compiler_read(reader, ret, sizeof(*ret));
   read_why(reader, &result->why);
   const char *log = compiler_read_string(reader);
   if (log != NULL) {
      compiler_log(result, "%s", log);
   }
   read_programs(reader, result);
   read_refusals(reader, result);
   read_pending(reader, result);
   if (reader->failed) {
      compiler_result_drop(result);
   }
   return !reader->failed;
}
