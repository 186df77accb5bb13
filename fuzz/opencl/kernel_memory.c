/* SPDX-License-Identifier: MIT
 *
 * A kernel's inputs and arguments as bytes.
 */
#include "fuzz/opencl/kernel_memory.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/opencl/arguments.h"

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

void kernel_put_argument(uint8_t *to, const struct ocl_program *kernel, const struct ocl_argument *argument)
{
   uint64_t values[OCL_GLOBAL_ELEMENTS][OCL_WIDTH];
   const uint64_t(*data)[OCL_WIDTH] = ocl_argument_data(kernel, argument, values);
   const struct ocl_type type = argument->type;

   for (uint32_t i = 0; i < argument->count * type.width; i++, to += ocl_bits(type.base) / 8) {
      kernel_put(to, type.base, data[i / type.width][i % type.width]);
   }
}

void kernel_get_output(const struct ocl_program *kernel, uint32_t output, const uint8_t *from,
                       uint64_t value[OCL_LANES][OCL_WIDTH])
{
   const struct ocl_type type = kernel->output_type[output];

   for (uint32_t i = 0; i < kernel->lanes * type.width; i++, from += ocl_bits(type.base) / 8) {
      value[i / type.width][i % type.width] = kernel_get(from, type.base);
   }
}

/* Returns the slot of a buffer among the inputs. */
static size_t input_slot(const struct ocl_argument *argument)
{
   return argument->kind == OCL_READ ? OCL_INPUTS + argument->slot : argument->slot;
}

void kernel_fill_inputs(const struct ocl_program *kernel, uint8_t *bytes)
{
   struct ocl_arguments list;

   ocl_list_arguments(kernel, &list);
   for (unsigned i = 0; i < list.count; i++) {
      if (list.item[i].kind == OCL_INPUT || list.item[i].kind == OCL_READ) {
         kernel_put_argument(bytes + input_slot(&list.item[i]) * KERNEL_SLOT_BYTES, kernel, &list.item[i]);
      }
   }
}

static const struct ocl_argument *find_argument(const struct ocl_arguments *list, const char *wanted)
{
   char name[16];

   for (unsigned i = 0; i < list->count; i++) {
      snprintf(name, sizeof(name), "%s%u", list->item[i].name, list->item[i].slot);
      if (strcmp(name, wanted) == 0) {
         return &list->item[i];
      }
   }
   return NULL;
}

bool kernel_set_arguments(const struct ocl_program *kernel, const struct agx_program *code, uint64_t outputs,
                          uint64_t inputs, uint8_t *block)
{
   struct ocl_arguments list;

   ocl_list_arguments(kernel, &list);
   for (size_t i = 0; i < code->argument_count; i++) {
      const struct ocl_argument *argument = find_argument(&list, code->arguments[i].name);
      uint8_t *to = block + code->arguments[i].offset;
      if (argument == NULL) {
         return false;
      }
      if (argument->kind == OCL_SCALAR) {
         kernel_put_argument(to, kernel, argument);
      } else {
         kernel_put(to, OCL_ULONG,
                    (argument->kind == OCL_OUTPUT ? outputs : inputs) + input_slot(argument) * KERNEL_SLOT_BYTES);
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
