/* SPDX-License-Identifier: MIT
 *
 * Writes a program as a listing for people: the settings for the hardware, then the machine code.
 */
#include "agx_runner/program/listing.h"

#include <inttypes.h>

#include "isa/listing.h"

int listing_code(const struct isa_set *set, const uint8_t *code, size_t size, uint32_t base, enum isa_syntax syntax,
                 FILE *file)
{
   const struct isa_listing_options options = {.syntax = syntax, .base = base};

   return isa_list(set, code, size, &options, file);
}

int listing_code_stats(const struct isa_set *set, const uint8_t *code, size_t size, FILE *file)
{
   struct isa_stats stats;
   const int ret = isa_count(set, code, size, &stats);

   if (ret == 0) {
      isa_stats_print(&stats, file);
   }
   return ret;
}

static void print_arguments(const struct agx_program *program, FILE *file)
{
   static const char *const kinds[] = {[AGX_ARGUMENT_BUFFER] = "buffer",
                                       [AGX_ARGUMENT_LOCAL] = "threadgroup memory",
                                       [AGX_ARGUMENT_VALUE] = "value",
                                       [AGX_ARGUMENT_IMAGE] = "image",
                                       [AGX_ARGUMENT_SAMPLER] = "sampler"};

   for (size_t i = 0; i < program->argument_count; i++) {
      const struct agx_argument *argument = &program->arguments[i];

      fprintf(file, "  argument %zu: %s%s, %u bytes at %u", i, argument->read_only ? "read-only " : "",
              kinds[argument->kind], argument->size, argument->offset);
      if (argument->name[0] != '\0') {
         fprintf(file, ", %s%s%s", argument->type, argument->type[0] != '\0' ? " " : "", argument->name);
      }
      fputc('\n', file);
   }
}

static void print_uniforms(const struct agx_program *program, FILE *file)
{
   static const char *const sources[] = {[AGX_UNIFORM_ARGUMENTS] = "arguments",
                                         [AGX_UNIFORM_CONSTANTS] = "constants",
                                         [AGX_UNIFORM_DISPATCH] = "dispatch block",
                                         [AGX_UNIFORM_ARGUMENTS_ADDRESS] = "address of the arguments",
                                         [AGX_UNIFORM_CONSTANTS_ADDRESS] = "address of the constants"};

   for (size_t i = 0; i < program->uniform_count; i++) {
      const struct agx_uniform_range *range = &program->uniforms[i];

      fprintf(file, "  uniform halves %u..%u: %s", range->start, range->start + range->size - 1,
              sources[range->source]);
      if (range->source <= AGX_UNIFORM_DISPATCH) {
         fprintf(file, " from byte %u", range->offset);
      }
      fputc('\n', file);
   }
}

static void print_facts(const struct agx_program *program, FILE *file)
{
   const uint32_t *size = program->workgroup_size;

   fprintf(file, "kernel %s\n", agx_program_name(program));
   fprintf(file, "  main %u bytes, %u half registers, %u uniform halves\n", program->main_size, program->half_registers,
           program->uniform_halves);
   if (program->has_preamble) {
      fprintf(file, "  preamble %u bytes, %u half registers\n", program->preamble_size,
              program->preamble_half_registers);
   }
   if (size[0] != 0) {
      fprintf(file, "  threadgroup of %u x %u x %u required\n", size[0], size[1], size[2]);
   }
   if (program->threadgroup_bytes != 0) {
      fprintf(file, "  threadgroup memory %u bytes\n", program->threadgroup_bytes);
   }
   if (program->scratch_bytes != 0 || program->preamble_scratch_bytes != 0) {
      fprintf(file, "  scratch %u bytes a thread, preamble %u\n", program->scratch_bytes,
              program->preamble_scratch_bytes);
   }
   if (program->constants_size != 0) {
      fprintf(file, "  constants %zu bytes\n", program->constants_size);
   }
   print_arguments(program, file);
   print_uniforms(program, file);
   fprintf(file, "  hash %016" PRIx64 "\n", agx_program_hash(program));
}

/* The preamble and the main program, each by `part`. */
static int each_part(const struct agx_program *program, enum isa_syntax syntax, FILE *file,
                     int (*part)(const struct isa_set *, const uint8_t *code, size_t size, uint32_t base,
                                 enum isa_syntax syntax, FILE *file))
{
   int ret = 0;

   print_facts(program, file);
   if (program->has_preamble) {
      fputs("\npreamble:\n", file);
      ret = part(program->set, program->code + program->preamble_offset, program->preamble_size,
                 program->preamble_offset, syntax, file);
   }
   if (ret == 0) {
      fputs("\nmain:\n", file);
      ret = part(program->set, program->code + program->main_offset, program->main_size, program->main_offset, syntax,
                 file);
   }
   return ret;
}

int listing_program(const struct agx_program *program, enum isa_syntax syntax, FILE *file)
{
   return each_part(program, syntax, file, listing_code);
}

static int part_stats(const struct isa_set *set, const uint8_t *code, size_t size, uint32_t base,
                      enum isa_syntax syntax, FILE *file)
{
   (void)base;
   (void)syntax;
   return listing_code_stats(set, code, size, file);
}

int listing_stats(const struct agx_program *program, FILE *file)
{
   return each_part(program, ISA_SYNTAX_MESA, file, part_stats);
}
