/* SPDX-License-Identifier: MIT
 *
 * The program that hands out stack memory to kernels with scratch: Mesa compiles it when it is built.
 */
#include "compiler/api/compiler.h"

#include <stdlib.h>
#include <string.h>

#include "asahi/compiler/agx_compile.h"
#include "libagx_shaders.h"

struct agx_program *compiler_helper_program(void)
{
   const uint32_t *words = libagx_g13g[LIBAGX_HELPER];
   struct agx_precompiled_kernel_info info;
   struct agx_program *program = agx_program_create();

   memcpy(&info, words, sizeof(info));
   if (program == NULL) {
      return NULL;
   }
   program->code = malloc(info.binary_size);
   if (program->code == NULL) {
      agx_program_destroy(program);
      return NULL;
   }
   memcpy(program->code, (const uint8_t *)words + sizeof(info), info.binary_size);
   strcpy(program->name, "helper");
   program->code_size = info.binary_size;
   program->main_offset = info.main_offset;
   program->main_size = info.main_size;
   program->half_registers = info.nr_gprs;
   program->uniform_halves = info.push_count;
   return program;
}
