/* SPDX-License-Identifier: MIT
 *
 * A generated kernel as a Piglit test: source, arguments and the right answer. Invariant: the buffers are those of
 * attempt_kernel().
 */
#include <inttypes.h>
#include <math.h>

#include "fuzz/nir/registers.h"
#include "fuzz/opencl/arguments.h"
#include "fuzz/opencl/print.h"

static void print_data(FILE *file, struct ocl_type type, uint32_t count, const uint64_t (*data)[OCL_WIDTH])
{
   for (uint32_t i = 0; i < count * type.width; i++) {
      const uint64_t number = data[i / type.width][i % type.width];
      if (ocl_real(type.base)) {
         fprintf(file, " %a", (double)ocl_real_value(type.base, number));
      } else if (ocl_signed(type.base)) {
         fprintf(file, " %" PRId64, ocl_sext(type.base, number));
      } else {
         fprintf(file, " %" PRIu64, number);
      }
   }
   fputc('\n', file);
}

static void print_buffer(FILE *file, const char *which, unsigned number, const struct ocl_argument *argument,
                         const uint64_t (*data)[OCL_WIDTH], bool by_value)
{
   const struct ocl_type type = argument->type;

   if (argument->kind == OCL_SCALAR && by_value) {
      fprintf(file, "%s: %u %s", which, number, ocl_type_name(type));
   } else {
      fprintf(file, "%s: %u buffer %s[%u]", which, number, ocl_type_name(ocl_stored_type(type)),
              argument->count * (type.width == 3 ? 3 : 1));
   }
   print_data(file, type, argument->count, data);
}

/* Whether an output is stored in a branch or a loop. */
static bool stored_in_block(const struct ocl_program *program, uint32_t slot)
{
   int depth = 0;

   for (uint32_t i = 0; i < program->count; i++) {
      depth += ocl_nesting(&program->nodes[i]);
      if (program->nodes[i].kind == OCL_OUTPUT && program->nodes[i].slot == slot) {
         return depth != 0;
      }
   }
   return false;
}

void ocl_print_test_comment(FILE *file, const struct ocl_program *program, const struct ocl_outputs *outputs,
                            const struct ocl_test_words *words)
{
   static uint64_t values[OCL_GLOBAL_ELEMENTS][OCL_WIDTH];
   struct ocl_arguments list;

   ocl_list_arguments(program, &list);
   fprintf(file, "/*!\n[config]\nname: %s\n", words->title);
   if (words->options != NULL) {
      fprintf(file, "build_options: %s\n", words->options);
   }
   fprintf(file, "dimensions: 1\nglobal_size: %u 0 0\nlocal_size: %u 0 0\n\n", program->lanes, program->lanes);
   fprintf(file, "[test]\nname: %s\nkernel_name: %s\n", words->title, words->entry);
   for (unsigned i = 0; i < list.count; i++) {
      const struct ocl_argument *argument = &list.item[i];
      const bool output = argument->kind == OCL_OUTPUT;
      if (!output || stored_in_block(program, argument->slot)) { /* not every lane stores there */
         print_buffer(file, "arg_in", i, argument, ocl_argument_data(program, argument, values), words->by_value);
      }
      if (output) {
         print_buffer(file, "arg_out", i, argument, outputs->value[argument->slot], true);
      }
   }
   fputs("!*/\n", file);
}

void ocl_print_piglit(FILE *file, const struct ocl_program *program, const struct ocl_outputs *outputs,
                      const char *title)
{
   ocl_print_test_comment(file, program, outputs,
                          &(struct ocl_test_words){title, ocl_build_options(program), "k", true});
   if (program->registers != FUZZ_REGISTERS_ALL) {
      fprintf(file, "/* It fails with AGX_MESA_DEBUG=%s. */\n", fuzz_registers_name(program->registers));
   }
   ocl_print(file, program);
}
