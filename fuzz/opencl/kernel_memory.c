/* SPDX-License-Identifier: MIT
 *
 * A kernel's inputs and arguments as bytes.
 */
#include "fuzz/opencl/kernel_memory.h"

#include <stdlib.h>
#include <string.h>

void kernel_put(uint8_t *to, uint8_t base, uint64_t value)
{
   for (unsigned i = 0; i < ocl_bits(base) / 8; i++) {
      to[i] = (uint8_t)(value >> 8 * i);
   }
}

uint64_t kernel_get(const uint8_t *from, uint8_t base)
{
   uint64_t value = 0;

   for (unsigned i = 0; i < ocl_bits(base) / 8; i++) {
      value |= (uint64_t)from[i] << 8 * i;
   }
   return value;
}

static void fill_globals(const struct ocl_program *kernel, uint8_t *bytes)
{
   uint64_t values[OCL_GLOBAL_ELEMENTS][OCL_WIDTH];
   struct ocl_type type;

   for (uint32_t i = 0; i < OCL_GLOBALS; i++) {
      const uint32_t count = ocl_global_values(kernel, i, values);
      uint8_t *at = bytes + i * KERNEL_SLOT_BYTES;
      (void)ocl_global_type(kernel, i, &type);
      for (uint32_t j = 0; j < count; j++) {
         for (unsigned k = 0; k < type.width; k++, at += ocl_bits(type.base) / 8) {
            kernel_put(at, type.base, values[j][k]);
         }
      }
   }
}

void kernel_fill_inputs(const struct ocl_program *kernel, uint8_t *bytes)
{
   fill_globals(kernel, bytes + OCL_INPUTS * KERNEL_SLOT_BYTES);
   for (uint32_t i = 0; i < kernel->inputs; i++) {
      const struct ocl_type type = kernel->input_type[i];
      uint8_t *at = bytes + i * KERNEL_SLOT_BYTES;
      for (uint32_t lane = 0; lane < kernel->lanes; lane++) {
         for (unsigned j = 0; j < type.width; j++, at += ocl_bits(type.base) / 8) {
            kernel_put(at, type.base, kernel->input[i][lane][j]);
         }
      }
   }
}

bool kernel_set_arguments(const struct ocl_program *kernel, const struct agx_program *code, uint64_t outputs,
                          uint64_t inputs, uint8_t *block)
{
   for (size_t i = 0; i < code->argument_count; i++) {
      const struct agx_argument *argument = &code->arguments[i];
      const char *digits = argument->name + strcspn(argument->name, "0123456789");
      const unsigned long number = strtoul(digits, NULL, 10);

      if (strncmp(argument->name, "out", 3) == 0 && number < OCL_OUTPUTS) {
         kernel_put(block + argument->offset, OCL_ULONG, outputs + number * KERNEL_SLOT_BYTES);
      } else if (argument->name[0] == 'g' && number < OCL_GLOBALS) {
         kernel_put(block + argument->offset, OCL_ULONG, inputs + (OCL_INPUTS + number) * KERNEL_SLOT_BYTES);
      } else if (strncmp(argument->name, "in", 2) == 0 && number < OCL_INPUTS) {
         kernel_put(block + argument->offset, OCL_ULONG, inputs + number * KERNEL_SLOT_BYTES);
      } else if (argument->name[0] == 'a' && number < OCL_SCALARS) {
         const struct ocl_type type = kernel->scalar_type[number];
         for (unsigned j = 0; j < type.width; j++) {
            kernel_put(block + argument->offset + j * ocl_bits(type.base) / 8, type.base, kernel->scalar[number][j]);
         }
      } else {
         return false;
      }
   }
   return true;
}

/* Returns where the code reads struct agx_dispatch_block. 0: it does not read it; the arguments are there. */
static uint32_t dispatch_uniform(const struct agx_program *code)
{
   for (size_t i = 0; i < code->uniform_count; i++) {
      if (code->uniforms[i].source == AGX_UNIFORM_DISPATCH) {
         return code->uniforms[i].start;
      }
   }
   return 0;
}

bool kernel_memory_make(struct kernel_memory *memory, const struct ocl_program *kernel, const struct agx_program *code,
                        uint64_t outputs, uint64_t inputs)
{
   *memory = (struct kernel_memory){.bytes = calloc(1, KERNEL_INPUT_BYTES + code->argument_bytes + 8)};
   memory->memory = (struct fuzz_memory){.arguments = memory->bytes + KERNEL_INPUT_BYTES,
                                         .argument_bytes = code->argument_bytes,
                                         .argument_offset = memory->offsets,
                                         .argument_count = (uint32_t)code->argument_count,
                                         .inputs = memory->bytes,
                                         .input_bytes = KERNEL_INPUT_BYTES,
                                         .output_bytes = KERNEL_OUTPUT_BYTES,
                                         .lanes = (UINT64_C(1) << kernel->lanes) - 1,
                                         .dispatch_uniform = dispatch_uniform(code)};
   if (memory->bytes == NULL || code->argument_count > KERNEL_ARGUMENTS ||
       !kernel_set_arguments(kernel, code, outputs, inputs, memory->bytes + KERNEL_INPUT_BYTES)) {
      kernel_memory_finish(memory);
      return false;
   }
   for (size_t i = 0; i < code->argument_count; i++) {
      memory->offsets[i] = code->arguments[i].offset;
   }
   kernel_fill_inputs(kernel, memory->bytes);
   return true;
}

void kernel_memory_finish(struct kernel_memory *memory)
{
   free(memory->bytes);
   memory->bytes = NULL;
}
