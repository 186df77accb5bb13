/* SPDX-License-Identifier: MIT
 *
 * struct agx_program: life, consistency, identity.
 */
#include "isa/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "util/array.h"

/* Code entries are aligned as Mesa aligns them (AGX_CODE_ALIGN): an instruction cache line. */
#define CODE_ALIGN 128

#define THREADS_MAX 1024

struct agx_program *agx_program_create(void)
{
   struct agx_program *program = calloc(1, sizeof(*program));

   if (program != NULL) {
      program->set = isa_set_default();
   }
   return program;
}

void agx_program_destroy(struct agx_program *program)
{
   if (program == NULL) {
      return;
   }
   free(program->code);
   free(program->uniforms);
   free(program->constants);
   free(program->arguments);
   free(program->lines);
   free(program->line_files);
   free(program);
}

/* A copy of count * size bytes; false: out of memory. An empty array is copied as NULL. */
static bool copy_array(void *copy, const void *array, size_t count, size_t size)
{
   void **target = copy;
   *target = NULL;
   if (count == 0) {
      return true;
   }
   *target = calloc(count, size);
   if (*target == NULL) {
      return false;
   }
   memcpy(*target, array, count * size);
   return true;
}

struct agx_program *agx_program_copy(const struct agx_program *program)
{
   struct agx_program *copy = agx_program_create();
   if (copy == NULL) {
      return NULL;
   }
   *copy = *program;
   copy->code = NULL;
   copy->uniforms = NULL;
   copy->constants = NULL;
   copy->arguments = NULL;
   copy->lines = NULL;
   copy->line_files = NULL;
   if (!copy_array(&copy->code, program->code, program->code_size, 1) ||
       !copy_array(&copy->uniforms, program->uniforms, program->uniform_count, sizeof(*program->uniforms)) ||
       !copy_array(&copy->constants, program->constants, program->constants_size, 1) ||
       !copy_array(&copy->arguments, program->arguments, program->argument_count, sizeof(*program->arguments)) ||
       !copy_array(&copy->lines, program->lines, program->line_count, sizeof(*program->lines)) ||
       !copy_array(&copy->line_files, program->line_files, program->line_files_size, 1)) {
      agx_program_destroy(copy);
      return NULL;
   }
   return copy;
}

/* Whether offset + size stays within limit, without overflow. */
static bool fits(size_t offset, size_t size, size_t limit)
{
   return offset <= limit && size <= limit - offset;
}

static const char *check_code(const struct agx_program *program)
{
   if (program->code == NULL || program->main_size == 0) {
      return "the program has no code";
   }
   if (program->main_offset % CODE_ALIGN != 0) {
      return "the main program does not start at a multiple of 128 bytes";
   }
   if (!fits(program->main_offset, program->main_size, program->code_size)) {
      return "the main program goes past the end of the code";
   }
   if (program->main_size % 2 != 0) {
      return "the main program has an odd number of bytes";
   }
   if (!program->has_preamble) {
      return NULL;
   }
   if (program->preamble_offset % CODE_ALIGN != 0) {
      return "the preamble does not start at a multiple of 128 bytes";
   }
   if (program->preamble_size == 0) {
      return "the preamble is empty";
   }
   if (!fits(program->preamble_offset, program->preamble_size, program->code_size)) {
      return "the preamble goes past the end of the code";
   }
   if (program->preamble_size % 2 != 0) {
      return "the preamble has an odd number of bytes";
   }
   if (program->preamble_half_registers < 1 || program->preamble_half_registers > 256) {
      return "the preamble's half registers are not within 1..256";
   }
   return NULL;
}

static const char *check_range(const struct agx_program *program, const struct agx_uniform_range *range)
{
   if (range->size == 0) {
      return "a uniform range is empty";
   }
   if (range->start % 2 != 0) {
      return "a uniform range starts at an odd half uniform";
   }
   if (!fits(range->start, range->size, AGX_UNIFORM_HALVES)) {
      return "a uniform range goes past the last of the 512 half uniforms";
   }
   if (range->offset % 4 != 0) {
      return "a uniform range's offset is not a multiple of 4 bytes";
   }

   size_t bytes = (size_t)range->size * 2;
   switch (range->source) {
   case AGX_UNIFORM_ARGUMENTS:
      return fits(range->offset, bytes, program->argument_bytes)
                 ? NULL
                 : "a uniform range reads past the end of the argument block";
   case AGX_UNIFORM_CONSTANTS:
      return fits(range->offset, bytes, program->constants_size)
                 ? NULL
                 : "a uniform range reads past the end of the constants";
   case AGX_UNIFORM_DISPATCH:
      return fits(range->offset, bytes, sizeof(struct agx_dispatch_block))
                 ? NULL
                 : "a uniform range reads past the end of the dispatch block";
   case AGX_UNIFORM_ARGUMENTS_ADDRESS:
   case AGX_UNIFORM_CONSTANTS_ADDRESS:
      return range->size == 4 && range->offset == 0
                 ? NULL
                 : "a uniform range for an address is not 4 half uniforms at offset 0";
   default:
      return "a uniform range has an unknown source";
   }
}

static const char *check_uniforms(const struct agx_program *program)
{
   bool taken[AGX_UNIFORM_HALVES] = {false};

   if (program->uniform_halves > AGX_UNIFORM_HALVES) {
      return "more than 512 half uniforms";
   }
   if (program->uniform_count != 0 && program->uniforms == NULL) {
      return "the uniform ranges are missing";
   }
   if (program->constants_size != 0 && program->constants == NULL) {
      return "the constants are missing";
   }
   for (size_t i = 0; i < program->uniform_count; i++) {
      const struct agx_uniform_range *range = &program->uniforms[i];
      const char *wrong = check_range(program, range);
      if (wrong != NULL) {
         return wrong;
      }
      for (unsigned half = range->start; half < (unsigned)range->start + range->size; half++) {
         if (taken[half]) {
            return "two uniform ranges overlap";
         }
         taken[half] = true;
      }
   }
   return NULL;
}

static const char *check_arguments(const struct agx_program *program)
{
   if (program->argument_count != 0 && program->arguments == NULL) {
      return "the arguments are missing";
   }
   for (size_t i = 0; i < program->argument_count; i++) {
      const struct agx_argument *argument = &program->arguments[i];
      if (argument->kind >= AGX_ARGUMENT_KINDS) {
         return "an argument is of an unknown kind";
      }
      if (argument->size == 0 || !fits(argument->offset, argument->size, program->argument_bytes)) {
         return "an argument does not lie within the argument block";
      }
      if (argument->kind == AGX_ARGUMENT_BUFFER && argument->size != 8) {
         return "a buffer argument is not 8 bytes long";
      }
      if (memchr(argument->name, 0, sizeof(argument->name)) == NULL ||
          memchr(argument->type, 0, sizeof(argument->type)) == NULL) {
         return "an argument's name or type has no end";
      }
   }
   return NULL;
}

static const char *check_resources(const struct agx_program *program)
{
   const uint32_t *group = program->workgroup_size;

   if (memchr(program->name, 0, sizeof(program->name)) == NULL) {
      return "the program's name has no end";
   }
   if (program->half_registers < 1 || program->half_registers > 256) {
      return "the half registers are not within 1..256";
   }
   if (program->threadgroup_bytes > AGX_THREADGROUP_BYTES) {
      return "more than 32768 bytes of threadgroup memory";
   }
   if (group[0] == 0 && group[1] == 0 && group[2] == 0) {
      return NULL;
   }
   if (group[0] == 0 || group[1] == 0 || group[2] == 0) {
      return "the workgroup size is zero in one dimension";
   }
   if (group[0] > THREADS_MAX || group[1] > THREADS_MAX || group[2] > THREADS_MAX ||
       (uint64_t)group[0] * group[1] * group[2] > THREADS_MAX) {
      return "the workgroup size is more than 1024 threads";
   }
   return NULL;
}

const char *agx_program_check(const struct agx_program *program)
{
   const char *(*const checks[])(const struct agx_program *) = {check_code, check_uniforms, check_arguments,
                                                                check_resources};
   for (size_t i = 0; i < ARRAY_COUNT(checks); i++) {
      const char *wrong = checks[i](program);
      if (wrong != NULL) {
         return wrong;
      }
   }
   return NULL;
}

/* Each part's hash seeds the next one's. */
static uint64_t add(uint64_t hash, const void *data, size_t size)
{
   return size == 0 ? hash : XXH3_64bits_withSeed(data, size, hash);
}

uint64_t agx_program_hash(const struct agx_program *program)
{
   /* Field by field, so that neither padding nor host addresses count. Names reach no hardware. */
   const uint64_t numbers[] = {
       program->code_size,
       program->main_offset,
       program->main_size,
       program->has_preamble,
       program->has_preamble ? program->preamble_offset : 0,
       program->has_preamble ? program->preamble_size : 0,
       program->half_registers,
       program->has_preamble ? program->preamble_half_registers : 0,
       program->uniform_halves,
       program->uniform_count,
       program->constants_size,
       program->argument_bytes,
       program->argument_count,
       program->threadgroup_bytes,
       program->scratch_bytes,
       program->has_preamble ? program->preamble_scratch_bytes : 0,
       program->workgroup_size[0],
       program->workgroup_size[1],
       program->workgroup_size[2],
       program->uses_atomics,
   };
   uint64_t hash = XXH3_64bits(numbers, sizeof(numbers));
   hash = add(hash, program->code, program->code_size);
   hash = add(hash, program->constants, program->constants_size);
   for (size_t i = 0; i < program->uniform_count; i++) {
      const struct agx_uniform_range *range = &program->uniforms[i];
      const uint32_t fields[] = {range->start, range->size, range->source, range->offset};
      hash = add(hash, fields, sizeof(fields));
   }
   for (size_t i = 0; i < program->argument_count; i++) {
      const struct agx_argument *argument = &program->arguments[i];
      const uint32_t fields[] = {argument->kind, argument->offset, argument->size};
      hash = add(hash, fields, sizeof(fields));
   }
   return hash;
}

const char *agx_program_name(const struct agx_program *program)
{
   return program->name[0] != '\0' ? program->name : "(no name)";
}

void agx_program_buffer_name(const struct agx_program *program, size_t index, char text[AGX_BUFFER_NAME])
{
   const char *name = program->arguments[index].name;
   const bool image = program->arguments[index].kind == AGX_ARGUMENT_IMAGE;

   snprintf(text, AGX_BUFFER_NAME, "%s %zu%s%s%s", image ? "image" : "buffer", index, name[0] != '\0' ? " (" : "", name,
            name[0] != '\0' ? ")" : "");
}

const struct agx_line *agx_program_line(const struct agx_program *program, uint32_t offset)
{
   for (size_t i = 0; i < program->line_count; i++) {
      if (program->lines[i].offset == offset) {
         return &program->lines[i];
      }
   }
   return NULL;
}

const char *agx_program_line_operation(const struct agx_program *program, const struct agx_line *line)
{
   return line->operation > 0 && line->operation < program->line_files_size ? program->line_files + line->operation
                                                                            : NULL;
}

const char *agx_program_line_file(const struct agx_program *program, const struct agx_line *line)
{
   return line->file < program->line_files_size ? program->line_files + line->file : "";
}
