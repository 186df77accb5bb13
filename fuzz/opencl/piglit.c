/* SPDX-License-Identifier: MIT
 *
 * A generated kernel as a Piglit test: source, arguments and the right answer. Invariant: the buffers are those of
 * attempt_kernel().
 */
#include <inttypes.h>
#include <math.h>

#include "fuzz/opencl/print.h"
#include "fuzz/nir/registers.h"

static void print_data(FILE *file, struct ocl_type type, uint32_t lanes, const uint64_t (*data)[OCL_WIDTH])
{
   for (uint32_t lane = 0; lane < lanes; lane++) {
      for (unsigned i = 0; i < type.width; i++) {
         if (ocl_real(type.base)) {
            fprintf(file, " %a", (double)ocl_real_value(type.base, data[lane][i]));
         } else if (ocl_signed(type.base)) {
            fprintf(file, " %" PRId64, ocl_sext(type.base, data[lane][i]));
         } else {
            fprintf(file, " %" PRIu64, data[lane][i]);
         }
      }
   }
   fputc('\n', file);
}

static void print_buffer(FILE *file, const char *which, unsigned number, struct ocl_type type, uint32_t lanes,
                         const uint64_t (*data)[OCL_WIDTH])
{
   fprintf(file, "%s: %u buffer %s[%u]", which, number, ocl_type_name(type.width == 3 ? ocl_scalar_of(type) : type),
           lanes * (type.width == 3 ? 3 : 1));
   print_data(file, type, lanes, data);
}

/* Whether an output is stored in a branch or a loop. */
static bool stored_in_block(const struct ocl_program *program, uint32_t slot)
{
   unsigned depth = 0;

   for (uint32_t i = 0; i < program->count; i++) {
      const uint8_t kind = program->nodes[i].kind;
      depth += kind == OCL_IF || kind == OCL_LOOP || kind == OCL_SWITCH ? 1 : 0;
      depth -= kind == OCL_ENDIF || kind == OCL_ENDLOOP || kind == OCL_ENDSWITCH ? 1 : 0;
      if (kind == OCL_OUTPUT && program->nodes[i].slot == slot) {
         return depth != 0;
      }
   }
   return false;
}

void ocl_print_piglit(FILE *file, const struct ocl_program *program, const struct ocl_outputs *outputs,
                      const char *title)
{
   struct printer printer = {.file = file, .program = program};
   unsigned number = 0;

   ocl_needed(program, printer.needed);
   fprintf(file,
           "/*!\n[config]\nname: %s\nbuild_options: %s\ndimensions: 1\nglobal_size: %u 0 0\nlocal_size: %u 0 0\n\n",
           title, ocl_build_options(program), program->lanes, program->lanes);
   fprintf(file, "[test]\nname: %s\nkernel_name: k\n", title);
   for (uint32_t i = 0; i < program->outputs; i++) {
      if (ocl_slot_used(&printer, OCL_OUTPUT, i)) {
         if (stored_in_block(program, i)) { /* not every lane stores there */
            static const uint64_t zeros[OCL_LANES][OCL_WIDTH];
            print_buffer(file, "arg_in", number, program->output_type[i], program->lanes, zeros);
         }
         print_buffer(file, "arg_out", number++, program->output_type[i], program->lanes, outputs->value[i]);
      }
   }
   for (uint32_t i = 0; i < program->inputs; i++) {
      if (ocl_slot_used(&printer, OCL_INPUT, i)) {
         print_buffer(file, "arg_in", number++, program->input_type[i], program->lanes, program->input[i]);
      }
   }
   for (uint32_t i = 0; i < OCL_GLOBALS; i++) {
      static uint64_t values[OCL_GLOBAL_ELEMENTS][OCL_WIDTH];
      struct ocl_type type;
      if (ocl_global_type(program, i, &type)) {
         print_buffer(file, "arg_in", number++, type, ocl_global_values(program, i, values), values);
      }
   }
   for (uint32_t i = 0; i < program->scalars; i++) {
      if (ocl_slot_used(&printer, OCL_SCALAR, i)) {
         fprintf(file, "arg_in: %u %s", number++, ocl_type_name(program->scalar_type[i]));
         print_data(file, program->scalar_type[i], 1, &program->scalar[i]);
      }
   }
   fputs("!*/\n", file);
   if (program->registers != FUZZ_REGISTERS_ALL) {
      fprintf(file, "/* It fails with AGX_MESA_DEBUG=%s. */\n", fuzz_registers_name(program->registers));
   }
   ocl_print(file, program);
}
