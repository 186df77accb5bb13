/* SPDX-License-Identifier: MIT
 *
 * What the compiler's tests share: checks that count, and a look into a program's code.
 */
#ifndef TESTS_COMPILER_CHECK_H
#define TESTS_COMPILER_CHECK_H

#include <stdio.h>
#include <string.h>

#include "compiler/api/compiler.h"
#include "isa/isa.h"

static unsigned check_failures;

#define CHECK(condition)                                                                                               \
   do {                                                                                                                \
      if (!(condition)) {                                                                                              \
         fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                       \
         check_failures++;                                                                                             \
      }                                                                                                                \
   } while (0)

#define CHECK_EQUAL(found, expected)                                                                                   \
   do {                                                                                                                \
      long long found_ = (long long)(found), expected_ = (long long)(expected);                                        \
      if (found_ != expected_) {                                                                                       \
         fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #found, found_, expected_);              \
         check_failures++;                                                                                             \
      }                                                                                                                \
   } while (0)

#define CHECK_CONTAINS(text, part)                                                                                     \
   do {                                                                                                                \
      if (strstr(text, part) == NULL) {                                                                                \
         fprintf(stderr, "%s:%d: there is no \"%s\" in \"%s\"\n", __FILE__, __LINE__, part, text);                     \
         check_failures++;                                                                                             \
      }                                                                                                                \
   } while (0)

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
         fprintf(stderr, "program %s: %s\n", result->programs[i]->name, wrong);
         check_failures++;
      }
   }
}

#endif
