/* SPDX-License-Identifier: MIT
 *
 * struct agx_program: what is refused, copies, and what the hash depends on.
 */
#include "isa/program.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program with something in every field. */
static struct agx_program *make_program(void)
{
   struct agx_program *program = agx_program_create();
   if (program == NULL) {
      return NULL;
   }
   program->code = calloc(1, 256);
   program->uniforms = calloc(2, sizeof(*program->uniforms));
   program->constants = calloc(1, 8);
   program->arguments = calloc(2, sizeof(*program->arguments));
   if (program->code == NULL || program->uniforms == NULL || program->constants == NULL || program->arguments == NULL) {
      agx_program_destroy(program);
      return NULL;
   }
   strcpy(program->name, "kernel");
   program->code_size = 256;
   program->main_offset = 128;
   program->main_size = 128;
   program->has_preamble = true;
   program->preamble_size = 64;
   program->half_registers = 20;
   program->preamble_half_registers = 4;
   program->uniform_halves = 10;
   program->uniforms[0] = (struct agx_uniform_range){0, 6, AGX_UNIFORM_ARGUMENTS, 0};
   program->uniforms[1] = (struct agx_uniform_range){6, 4, AGX_UNIFORM_CONSTANTS, 0};
   program->uniform_count = 2;
   program->constants_size = 8;
   program->argument_bytes = 12;
   program->arguments[0] = (struct agx_argument){.kind = AGX_ARGUMENT_BUFFER, .size = 8, .name = "out"};
   program->arguments[1] = (struct agx_argument){.kind = AGX_ARGUMENT_VALUE, .offset = 8, .size = 4, .name = "n"};
   program->argument_count = 2;
   program->threadgroup_bytes = 1024;
   program->workgroup_size[0] = program->workgroup_size[1] = 8;
   program->workgroup_size[2] = 1;
   return program;
}

/* Each breaks one field in a way that agx_program_check() must name (word), and that changes the hash. */
#define BREAKAGES(BREAK)                                                                                               \
   BREAK(program->main_offset = 64, "128")                                                                             \
   BREAK(program->main_size = 130, "past the end")                                                                     \
   BREAK(program->main_size = 127, "odd number")                                                                       \
   BREAK(program->main_size = 0, "no code")                                                                            \
   BREAK(program->preamble_offset = 2, "128")                                                                          \
   BREAK(program->preamble_offset = UINT32_MAX - 127, "past the end")                                                  \
   BREAK(program->preamble_size = 0, "empty")                                                                          \
   BREAK(program->preamble_half_registers = 0, "1..256")                                                               \
   BREAK(program->half_registers = 257, "1..256")                                                                      \
   BREAK(program->uniform_halves = 513, "512")                                                                         \
   BREAK(program->uniforms[0].size = 0, "empty")                                                                       \
   BREAK(program->uniforms[0].start = 1, "odd")                                                                        \
   BREAK(program->uniforms[1].start = 4, "overlap")                                                                    \
   BREAK(program->uniforms[1].start = 510, "past the last")                                                            \
   BREAK(program->uniforms[1].offset = 4, "past the end of the constants")                                             \
   BREAK(program->uniforms[0].offset = 2, "multiple of 4")                                                             \
   BREAK(program->uniforms[0].offset = UINT32_MAX - 3, "past the end of the argument block")                           \
   BREAK(program->uniforms[0].source = 99, "unknown source")                                                           \
   BREAK(program->uniforms[0].source = AGX_UNIFORM_ARGUMENTS_ADDRESS, "4 half uniforms")                               \
   BREAK(program->arguments[0].size = 4, "8 bytes")                                                                    \
   BREAK(program->arguments[1].offset = UINT32_MAX, "argument block")                                                  \
   BREAK(program->arguments[1].kind = 9, "unknown kind")                                                               \
   BREAK(program->argument_bytes = 8, "argument block")                                                                \
   BREAK(program->threadgroup_bytes = 32769, "32768")                                                                  \
   BREAK(program->workgroup_size[2] = 0, "zero")                                                                       \
   BREAK(program->workgroup_size[2] = 17, "1024")                                                                      \
   BREAK(program->workgroup_size[0] = 0x80000000u, "1024")

static void check_breakage(struct agx_program *program, uint64_t hash, const char *word, const char *what)
{
   const char *wrong = agx_program_check(program);
   if (wrong == NULL || strstr(wrong, word) == NULL) {
      printf("%s: %s\n", what, wrong == NULL ? "accepted" : wrong);
      check_failures++;
   }
   if (agx_program_hash(program) == hash) {
      printf("%s: same hash\n", what);
      check_failures++;
   }
   agx_program_destroy(program);
}

int main(void)
{
   struct agx_program *good = make_program();
   struct agx_program *copy = good == NULL ? NULL : agx_program_copy(good);
   if (copy == NULL) {
      printf("out of memory\n");
      return 1;
   }
   const char *wrong = agx_program_check(good);
   CHECK(wrong == NULL, "%s", wrong == NULL ? "" : wrong);

   uint64_t hash = agx_program_hash(good);
   CHECK(agx_program_hash(copy) == hash, "a copy hashes differently");
   CHECK(copy->code != good->code && copy->uniforms != good->uniforms && copy->constants != good->constants &&
             copy->arguments != good->arguments,
         "a copy shares memory");
   strcpy(copy->name, "other");
   strcpy(copy->arguments[0].name, "result");
   CHECK(agx_program_hash(copy) == hash, "names change the hash");
   copy->code[200] ^= 1;
   CHECK(agx_program_hash(copy) != hash, "code does not change the hash");
   copy->code[200] ^= 1;
   copy->constants[3] ^= 1;
   CHECK(agx_program_hash(copy) != hash, "constants do not change the hash");
   agx_program_destroy(copy);

#define BREAK(change, word)                                                                                            \
   {                                                                                                                   \
      struct agx_program *program = agx_program_copy(good);                                                            \
      if (program == NULL) {                                                                                           \
         printf("out of memory\n");                                                                                    \
         return 1;                                                                                                     \
      }                                                                                                                \
      change;                                                                                                          \
      check_breakage(program, hash, word, #change);                                                                    \
   }
   BREAKAGES(BREAK)

   agx_program_destroy(good);
   agx_program_destroy(NULL);
   printf("program: %u failures\n", check_failures);
   return check_result();
}
