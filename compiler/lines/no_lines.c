/* SPDX-License-Identifier: MIT
 *
 * The interface of compiler/lines for a Mesa whose internal functions are not known. Invariant: programs have no
 * lines.
 */
#include "compiler/lines/lines.h"

bool compiler_lines_start(const uint32_t *words, size_t count)
{
   (void)words, (void)count;
   return false;
}

void compiler_lines_strip(struct nir_shader *nir)
{
   (void)nir;
}

int compiler_lines_fill(struct agx_program *program)
{
   (void)program;
   return 0;
}

void compiler_lines_stop(void)
{
}

bool compiler_lines_find(const struct nir_instr *instr, struct compiler_source_place *place)
{
   (void)instr, (void)place;
   return false;
}
