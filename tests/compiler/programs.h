/* SPDX-License-Identifier: MIT
 *
 * What the compiler's tests share: looks into a program's code.
 */
#ifndef TESTS_COMPILER_PROGRAMS_H
#define TESTS_COMPILER_PROGRAMS_H

#include "compiler/api/compiler.h"
#include "isa/isa.h"
#include "tests/check.h"

/* How often an operation stands in the main program. */
static inline unsigned check_count(const struct agx_program *program, enum isa_op op)
{
   unsigned count = 0;

   for (uint32_t at = 0; at < program->main_size;) {
      struct isa_insn insn;
      isa_decode(program->set, program->code + program->main_offset + at, program->main_size - at, &insn);
      count += insn.op == op;
      at += insn.length;
   }
   return count;
}

/* Every program that a compilation gave agrees with itself. */
static inline void check_programs(const struct compiler_result *result)
{
   for (size_t i = 0; i < result->count; i++) {
      const char *wrong = agx_program_check(result->programs[i]);
      if (wrong != NULL) {
         CHECK_FAIL("program %s: %s", result->programs[i]->name, wrong);
      }
   }
}

#endif
