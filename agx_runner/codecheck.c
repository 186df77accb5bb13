/* SPDX-License-Identifier: MIT */
#include "agx_runner/codecheck.h"

#include <stdio.h>

static void find_loop(const struct agx_program *program, struct codecheck_body *body)
{
   const uint32_t end = program->main_offset + program->main_size;
   struct isa_insn insn;

   for (uint32_t at = program->main_offset; at < end; at += insn.length) {
      isa_decode(program->code + at, end - at, &insn);
      if (isa_is_branch(&insn) && insn.mod[ISA_MOD_TARGET] < 0 &&
          (uint32_t)-insn.mod[ISA_MOD_TARGET] <= at - program->main_offset) {
         body->loops++;
         body->start = at - (uint32_t)-insn.mod[ISA_MOD_TARGET];
         body->end = at + insn.length;
      }
   }
}

void codecheck_count(const struct agx_program *program, const struct bench_codegen *codegen,
                     struct codecheck_body *body)
{
   struct isa_insn insn;

   *body = (struct codecheck_body){0};
   find_loop(program, body);
   if (codegen->whole_program) {
      body->start = program->main_offset;
      body->end = program->main_offset + program->main_size;
   }
   for (uint32_t at = body->start; at < body->end; at += insn.length) {
      isa_decode(program->code + at, body->end - at, &insn);
      if (bench_matches(codegen, &insn)) {
         body->found++;
      } else {
         body->others++;
      }
   }
}

bool codecheck_pair(const struct benchmark *benchmark, const struct bench_variant variants[2],
                    const struct agx_program *const programs[2], unsigned *expected, unsigned *found, char *why,
                    size_t why_size)
{
   const struct bench_codegen *codegen = &benchmark->codegen;
   struct codecheck_body bodies[2];

   for (unsigned i = 0; i < 2; i++) {
      codecheck_count(programs[i], codegen, &bodies[i]);
   }
   for (unsigned i = 0; i < 2; i++) {
      *expected = bench_expected(benchmark, &variants[i]);
      *found = bodies[i].found;
      if (!codegen->whole_program && bodies[i].loops != 1) {
         snprintf(why, why_size, "invalid codegen: expected one loop, found %u", bodies[i].loops);
         return false;
      }
      if (*found != *expected) {
         snprintf(why, why_size, "invalid codegen: expected %u %s, found %u", *expected, codegen->instruction, *found);
         return false;
      }
   }
   const long more = (long)bodies[1].others - (long)bodies[0].others;
   const long companions = (long)codegen->companions * ((long)(variants[1].steps * variants[1].chains) -
                                                        (long)(variants[0].steps * variants[0].chains));
   *expected = bench_expected(benchmark, &variants[0]);
   *found = bodies[0].found;
   if (more != companions) {
      snprintf(why, why_size, "invalid codegen: besides %s the two loops differ by %ld instructions, not %ld",
               codegen->instruction, more, companions);
      return false;
   }
   return true;
}
