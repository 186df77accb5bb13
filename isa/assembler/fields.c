/* SPDX-License-Identifier: MIT
 *
 * The directives that set fields of struct agx_program: names and numbers, uniforms, arguments.
 */
#include "isa/assembler/assembly.h"

#include <string.h>

#include "util/array.h"

/* Uniform ranges, and arguments: more than any program has. */
#define LIST_MAX 4096

/* ---- Numbers and names of the program ---- */

bool isa_read_kernel(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                     const char *start)
{
   (void)directive, (void)start;
   isa_skip_space(parser);
   return isa_read_string(parser, assembly->program->name, sizeof(assembly->program->name));
}

static void set_member(struct agx_program *program, const struct isa_directive *directive, uint32_t value)
{
   uint16_t half = (uint16_t)value;
   bool flag = value != 0;
   const void *from = directive->size == 2 ? (const void *)&half : directive->size == 1 ? (const void *)&flag : &value;
   memcpy((char *)program + directive->offset, from, directive->size);
}

bool isa_read_field(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                    const char *start)
{
   int64_t value;
   (void)start;
   if (!isa_read_integer(parser, directive->low, directive->high, &value)) {
      return false;
   }
   set_member(assembly->program, directive, (uint32_t)value);
   return true;
}

bool isa_read_threadgroup(struct isa_assembly *assembly, struct isa_parser *parser,
                          const struct isa_directive *directive, const char *start)
{
   if (!isa_read_field(assembly, parser, directive, start)) {
      return false;
   }
   if (assembly->program->threadgroup_bytes > AGX_THREADGROUP_BYTES) {
      isa_report(assembly, ISA_WARNING, isa_place_of(assembly, start),
                 "%u bytes of threadgroup memory: no threadgroup gets more than %u",
                 assembly->program->threadgroup_bytes, AGX_THREADGROUP_BYTES);
   }
   return true;
}

bool isa_read_workgroup(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                        const char *start)
{
   uint32_t *size = assembly->program->workgroup_size;
   (void)start;
   for (unsigned i = 0; i < 3; i++) {
      int64_t value = 1;
      if ((i == 0 || isa_accept(parser, ',')) && !isa_read_integer(parser, directive->low, directive->high, &value)) {
         return false;
      }
      size[i] = (uint32_t)value;
   }
   if ((uint64_t)size[0] * size[1] * size[2] > directive->high) {
      return isa_wrong(parser, start, "a workgroup of %llu threads: at most %u",
                       (unsigned long long)size[0] * size[1] * size[2], directive->high);
   }
   return true;
}

/* ---- Uniforms ---- */

static const char *const uniform_sources[] = {
    [AGX_UNIFORM_ARGUMENTS] = "arguments",
    [AGX_UNIFORM_CONSTANTS] = "constants",
    [AGX_UNIFORM_DISPATCH] = "dispatch",
    [AGX_UNIFORM_ARGUMENTS_ADDRESS] = "arguments_address",
    [AGX_UNIFORM_CONSTANTS_ADDRESS] = "constants_address",
};
#define UNIFORM_SOURCES ARRAY_COUNT(uniform_sources)

static const char *const argument_kinds[] = {
    [AGX_ARGUMENT_BUFFER] = "buffer", [AGX_ARGUMENT_LOCAL] = "local",     [AGX_ARGUMENT_VALUE] = "value",
    [AGX_ARGUMENT_IMAGE] = "image",   [AGX_ARGUMENT_SAMPLER] = "sampler",
};
#define ARGUMENT_KINDS ARRAY_COUNT(argument_kinds)

const char *isa_uniform_source_name(uint32_t source)
{
   return uniform_sources[source];
}

const char *isa_argument_kind_name(uint32_t kind)
{
   return argument_kinds[kind];
}

static bool add_uniform(struct isa_assembly *assembly, struct isa_parser *parser, const struct agx_uniform_range *range,
                        const char *start)
{
   struct agx_program *program = assembly->program;
   if (program->uniform_count == LIST_MAX) {
      return isa_wrong(parser, start, "more than %d uniform ranges", LIST_MAX);
   }
   if (!ARRAY_RESERVE_ONE(assembly->uniform_places, program->uniform_count) ||
       !ARRAY_RESERVE_ONE(program->uniforms, program->uniform_count)) {
      isa_no_memory(assembly);
      return true;
   }
   assembly->uniform_places[program->uniform_count] = isa_place_of(assembly, start);
   program->uniforms[program->uniform_count++] = *range;
   return true;
}

/* .uniform START, SIZE, SOURCE[, OFFSET] */
bool isa_read_uniform(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                      const char *start)
{
   struct agx_uniform_range range = {0};
   int64_t first, size, offset = 0;
   (void)directive;

   if (!isa_read_integer(parser, 0, AGX_UNIFORM_HALVES - 1, &first) || !isa_read_comma(parser) ||
       !isa_read_integer(parser, 1, AGX_UNIFORM_HALVES - first, &size) || !isa_read_comma(parser) ||
       !isa_read_choice(parser, uniform_sources, UNIFORM_SOURCES,
                        "where the uniforms come from: arguments, constants, dispatch, arguments_address, "
                        "constants_address",
                        &range.source)) {
      return false;
   }
   if (isa_accept(parser, ',') && !isa_read_integer(parser, 0, UINT32_MAX, &offset)) {
      return false;
   }
   range.start = (uint16_t)first;
   range.size = (uint16_t)size;
   range.offset = (uint32_t)offset;
   return add_uniform(assembly, parser, &range, start);
}

/* ---- Arguments ---- */

static uint32_t end_of_arguments(const struct agx_program *program)
{
   if (program->argument_count == 0) {
      return 0;
   }
   const struct agx_argument *last = &program->arguments[program->argument_count - 1];
   return last->offset + last->size;
}

#define ARGUMENT_BYTES_MAX (1 << 30) /* far past any; an end that fits 32 bits */

/* "type", offset=N, size=N, read_only: in any order, each once. */
static bool read_argument_option(struct isa_parser *parser, struct agx_argument *argument, unsigned *given)
{
   static const char *const words[] = {"offset", "size", "read_only"};
   uint32_t choice = 0;
   int64_t value;

   isa_skip_space(parser);
   const char *start = parser->at;
   if (isa_peek(parser) == '"') {
      choice = 3;
      if (!isa_read_string(parser, argument->type, sizeof(argument->type))) {
         return false;
      }
   } else if (!isa_read_choice(parser, words, 3, "\"type\", offset=, size= or read_only", &choice)) {
      return false;
   }
   if (*given >> choice & 1) {
      return isa_wrong(parser, start, "this is given twice");
   }
   *given |= 1u << choice;
   if (choice >= 2) {
      argument->read_only |= choice == 2;
      return true;
   }
   if (!isa_accept(parser, '=')) {
      return isa_expected(parser, "'='");
   }
   if (!isa_read_integer(parser, choice, ARGUMENT_BYTES_MAX, &value)) {
      return false;
   }
   *(choice == 0 ? &argument->offset : &argument->size) = (uint32_t)value;
   return true;
}

static bool add_argument(struct isa_assembly *assembly, const struct agx_argument *argument, const char *start)
{
   struct agx_program *program = assembly->program;
   if (!ARRAY_RESERVE_ONE(assembly->argument_places, program->argument_count) ||
       !ARRAY_RESERVE_ONE(program->arguments, program->argument_count)) {
      isa_no_memory(assembly);
      return true;
   }
   assembly->argument_places[program->argument_count] = isa_place_of(assembly, start);
   program->arguments[program->argument_count++] = *argument;
   return true;
}

/* .argument KIND, "name"[, option]... Without an offset, it follows the one before, aligned to its size. */
bool isa_read_argument(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                       const char *start)
{
   struct agx_program *program = assembly->program;
   struct agx_argument argument = {0};
   unsigned given = 0;
   (void)directive;

   if (program->argument_count == LIST_MAX) {
      return isa_wrong(parser, start, "more than %d arguments", LIST_MAX);
   }
   if (!isa_read_choice(parser, argument_kinds, ARGUMENT_KINDS,
                        "a kind of argument: buffer, local, value, image, sampler", &argument.kind) ||
       !isa_read_comma(parser)) {
      return false;
   }
   isa_skip_space(parser);
   if (!isa_read_string(parser, argument.name, sizeof(argument.name))) {
      return false;
   }
   argument.size = argument.kind == AGX_ARGUMENT_VALUE ? 4 : 8;
   while (isa_accept(parser, ',')) {
      if (!read_argument_option(parser, &argument, &given)) {
         return false;
      }
   }
   if ((given & 1) == 0) {
      uint32_t align = argument.size % 8 == 0 ? 8 : argument.size % 4 == 0 ? 4 : argument.size % 2 == 0 ? 2 : 1;
      argument.offset = (end_of_arguments(program) + align - 1) / align * align;
   }
   return add_argument(assembly, &argument, start);
}
