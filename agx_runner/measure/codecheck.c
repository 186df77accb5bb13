/* SPDX-License-Identifier: MIT
 *
 * Counts the instructions of the decoded machine code. Two programs pass if they differ only in the instruction under
 * test.
 */
#include "agx_runner/measure/codecheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void find_loop(const struct agx_program *program, struct codecheck_body *body)
{
   const uint32_t end = program->main_offset + program->main_size;
   struct isa_insn insn;

   for (uint32_t at = program->main_offset; at < end; at += insn.length) {
      isa_decode(program->set, program->code + at, end - at, &insn);
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
      isa_decode(program->set, program->code + at, body->end - at, &insn);
      if (bench_matches(codegen, &insn)) {
         body->found++;
      } else {
         body->others++;
      }
   }
}

/* Counts of instructions, sorted by name. */
#define CENSUS_MAX 64

struct census {
   struct {
      const char *name;
      long count;
   } rows[CENSUS_MAX];
   unsigned size;
};

/* Returns false if there are more names than CENSUS_MAX. */
static bool census_add(struct census *census, const char *name, size_t length, long count)
{
   unsigned i = 0;
   int order = 1;

   while (i < census->size && (order = strncmp(census->rows[i].name, name, length)) < 0) {
      i++;
   }
   if (i == census->size || order != 0 || census->rows[i].name[length] != '\0') {
      if (census->size == CENSUS_MAX) {
         return false;
      }
      memmove(&census->rows[i + 1], &census->rows[i], (census->size - i) * sizeof(census->rows[0]));
      census->rows[i].name = name;
      census->rows[i].count = 0;
      census->size++;
   }
   census->rows[i].count += count;
   return true;
}

static bool census_take(struct census *census, const struct agx_program *program, long weight)
{
   struct codecheck_body body = {0};
   struct isa_insn insn;
   bool taken = true;

   find_loop(program, &body);
   for (uint32_t at = body.start; taken && at < body.end; at += insn.length) {
      isa_decode(program->set, program->code + at, body.end - at, &insn);
      taken = census_add(census, isa_name(&insn), strlen(isa_name(&insn)), weight);
   }
   return taken && body.loops == 1;
}

/* Prints the counts, divided by `operations`, as "2 imadd, bitop". */
static void census_print(const struct census *census, long operations, char *text, size_t size)
{
   size_t used = 0;

   text[0] = '\0';
   for (unsigned i = 0; i < census->size && used < size; i++) {
      const long count = census->rows[i].count;
      int printed = 0;

      if (count == 0) {
         continue;
      }
      if (count % operations != 0) {
         printed = snprintf(text + used, size - used, "%s%ld/%ld %s", used > 0 ? ", " : "", count, operations,
                            census->rows[i].name);
      } else if (count == operations) {
         printed = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", census->rows[i].name);
      } else {
         printed = snprintf(text + used, size - used, "%s%ld %s", used > 0 ? ", " : "", count / operations,
                            census->rows[i].name);
      }
      used += printed > 0 ? (size_t)printed : 0;
   }
}

/* Between the sequences of a text with several. */
#define OR " | "

/* The sequence after the first one of the text; NULL: there is none. */
static const char *next_sequence(const char *sequence)
{
   const char *after = strstr(sequence, OR);

   return after != NULL ? after + strlen(OR) : NULL;
}

/* Removes the instructions of the first sequence of a text like "2 imadd, bitop" from the census, `times` times. NULL
 * is an empty sequence. Returns the sum of the sequence's counts. */
static long census_subtract(struct census *census, const char *sequence, long times)
{
   long sum = 0;

   while (sequence != NULL && *sequence != '\0' && strncmp(sequence, OR, strlen(OR)) != 0) {
      char *end;
      const long given = strtol(sequence, &end, 10), count = end == sequence ? 1 : given;

      sequence = end + strspn(end, " ");
      const size_t length = strcspn(sequence, ", ");
      if (!census_add(census, sequence, length, -count * times)) {
         break;
      }
      sum += count;
      sequence += length;
      sequence += *sequence == ',' ? strspn(sequence, ", ") : 0;
   }
   return sum;
}

/* Whether what the second loop has more than the first is the text's first sequence, once for each operation. */
static bool check_sequence(const struct census *more, const char *sequence, long operations, unsigned slack,
                           unsigned *expected, unsigned *found)
{
   struct census left = *more;
   unsigned rest = 0;

   *expected = (unsigned)(census_subtract(&left, sequence, operations) * operations);
   *found = *expected;
   for (unsigned i = 0; i < left.size; i++) {
      *found += (unsigned)left.rows[i].count;
      rest += (unsigned)labs(left.rows[i].count);
   }
   return rest <= slack;
}

/* Whether the second loop has exactly one of the sequences, for each additional operation, and the companions more than
 * the first. */
static bool check_sequences(const struct bench_codegen *codegen, const struct bench_variant variants[2],
                            const struct agx_program *const programs[2], unsigned *expected, unsigned *found, char *why,
                            size_t why_size)
{
   const long operations =
       (long)(variants[1].repeat * variants[1].chains) - (long)(variants[0].repeat * variants[0].chains);
   const long steps = (long)(variants[1].steps * variants[1].chains) - (long)(variants[0].steps * variants[0].chains);
   struct census more = {.size = 0};
   char text[512];

   if (!census_take(&more, programs[1], 1) || !census_take(&more, programs[0], -1)) {
      snprintf(why, why_size, "invalid codegen: not one loop in each program");
      return false;
   }
   (void)census_subtract(&more, codegen->companion, steps);
   census_print(&more, operations > 0 ? operations : 1, text, sizeof(text));
   for (const char *sequence = codegen->sequence; sequence != NULL; sequence = next_sequence(sequence)) {
      if (check_sequence(&more, sequence, operations, codegen->slack, expected, found)) {
         return true;
      }
   }
   snprintf(why, why_size, "invalid codegen: an operation is '%s', not '%s'", text, codegen->sequence);
   return false;
}

bool codecheck_pair(const struct benchmark *benchmark, const struct bench_variant variants[2],
                    const struct agx_program *const programs[2], unsigned *expected, unsigned *found, char *why,
                    size_t why_size)
{
   const struct bench_codegen *codegen = &benchmark->codegen;
   struct codecheck_body bodies[2];

   if (codegen->sequence != NULL) {
      return check_sequences(codegen, variants, programs, expected, found, why, why_size);
   }

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
   const bool companions_count = !codegen->single_chain || variants[0].chains == 1;
   const long companions =
       (companions_count ? (long)codegen->companions : 0) *
       ((long)(variants[1].steps * variants[1].chains) - (long)(variants[0].steps * variants[0].chains));
   *expected = bench_expected(benchmark, &variants[0]);
   *found = bodies[0].found;
   if (more != companions) {
      snprintf(why, why_size, "invalid codegen: besides %s the two loops differ by %ld instructions, not %ld",
               codegen->instruction, more, companions);
      return false;
   }
   return true;
}
