/* SPDX-License-Identifier: MIT
 *
 * Control flow: the exec mask's counter, jumps, calls, special registers, barriers, preambles, and every way in
 * which a program can go wrong. spec/isa.md 1.
 */
#include <stdio.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"

#define IN(n) (lanes[lane][n])
#define CASE(name) static void name(const uint32_t(*lanes)[RIG_WORDS], unsigned lane, uint32_t *out)

/* ---- The counter, step by step ---- */

/* One operation of the exec stack on one lane, from the table in spec/isa.md 1.3. */
enum step_kind { IF, ELSE, WHILE, POP };
static uint32_t step(enum step_kind kind, uint32_t v, bool condition, uint32_t n)
{
   switch (kind) {
   case IF:
      return v != 0 ? v + n : condition ? 0 : 1;
   case ELSE:
      return v == 0 ? n : v == 1 ? !condition : v;
   case WHILE:
      return v < n ? (condition ? 0 : n) : v;
   default:
      return v > n ? v - n : 0;
   }
}

/* A random walk of such operations on comparisons of the inputs. In r8 each lane collects a bit for each step after
 * which it was active. At the end the counters are read by popping them one by one: r9 counts the pops after which a
 * lane was active. */
#define STEPS 12
#define POPS 40
static struct {
   enum step_kind kind;
   unsigned condition; /* index into integer_conditions */
   unsigned n;
} walk[STEPS];

static const char *const integer_conditions[] = {"ieq", "ult", "ugt", "slt", "sgt", "ine", "ugte", "sgte"};
static bool holds(unsigned condition, uint32_t a, uint32_t b)
{
   switch (condition) {
   case 0:
      return a == b;
   case 1:
      return a < b;
   case 2:
      return a > b;
   case 3:
      return (int32_t)a < (int32_t)b;
   case 4:
      return (int32_t)a > (int32_t)b;
   case 5:
      return a != b;
   case 6:
      return a >= b;
   default:
      return (int32_t)a >= (int32_t)b;
   }
}

CASE(expect_walk)
{
   uint32_t v = 0;
   out[0] = 0;
   for (unsigned i = 0; i < STEPS; i++) {
      v = step(walk[i].kind, v, holds(walk[i].condition, IN(i % 2 ? 2 : 0), IN(i % 2 ? 3 : 1)), walk[i].n);
      if (v == 0) {
         out[0] |= 1u << i;
      }
   }
   out[1] = v == 0 ? POPS : POPS - v + 1;
}

static void walks(void)
{
   static const char *const words[] = {"if", "else", "while"};
   for (unsigned round = 0; round < 60; round++) {
      char body[4096] = "ldimm r0l, 0\nldimm r8, 0\nldimm r9, 0\n";
      size_t used = strlen(body);
      for (unsigned i = 0; i < STEPS; i++) {
         walk[i].kind = (enum step_kind)(rig_random() % 4);
         walk[i].condition = rig_random() % 8;
         walk[i].n = rig_random() % 4;
         char operation[64] = "pop_exec";
         if (walk[i].kind != POP) {
            snprintf(operation, sizeof(operation), "%s %s,", words[walk[i].kind], i % 2 ? "r6, r7" : "r4, r5");
         }
         used += (size_t)snprintf(body + used, sizeof(body) - used, "%s %u%s%s\nldimm r3, %u\nor r8, r8, r3\n",
                                  operation, walk[i].n, walk[i].kind != POP ? ", " : "",
                                  walk[i].kind != POP ? integer_conditions[walk[i].condition] : "", 1u << i);
      }
      for (unsigned i = 0; i < POPS; i++) {
         used += (size_t)snprintf(body + used, sizeof(body) - used, "pop_exec 1\niadd r9, r9, 1\n");
      }
      struct rig_case test = {body, expect_walk};
      rig_cases_with(&test, 1, 256, rig_fill, (struct rig_wants){.interpreted = round % 10 != 0, .whole = true});
   }
}

/* ---- Structured code ---- */

/* Nested: if (a < b) { if (c == d) x = 1 else x = 2 } else x = 3, with jumps over branches that no lane takes. */
CASE(expect_nested)
{
   out[0] = IN(0) < IN(1) ? ((IN(2) & 1) == 0 ? 1 : 2) : 3;
}
static const char nested[] = "ldimm r0l, 0\nand r3, r6, 1\n"
                             "if r4, r5, 1, ult\njmp_none else1\n"
                             "if r3, 0, 1, ieq\nldimm r8, 1\n"
                             "else 0.0, 0.0, 1, feq\nldimm r8, 2\npop_exec 1\n"
                             "else1: else 0.0, 0.0, 1, feq\njmp_none end1\nldimm r8, 3\n"
                             "end1: pop_exec 1\n";

/* A loop of as many iterations as each lane's own count, with a continue for odd numbers and a break at 20. */
CASE(expect_loop)
{
   uint32_t sum = 0, iterations = IN(0) % 32;
   for (uint32_t i = 0; i < iterations; i++) {
      if (i == 20) {
         break;
      }
      if (i & 1) {
         continue;
      }
      sum += i * i;
   }
   out[0] = sum;
}
static const char loop[] = "ldimm r0l, 0\nldimm r8, 0\nldimm r12, 0\nand r13, r4, 31\n"
                           "if r13, 0, 1, ine\njmp_none after\n" /* the loop runs once at least */
                           "if 0.0, 0.0, 2, feq\n"
                           "top:\n"
                           "if r12, 20, 1, ieq\nldimm r0l, 3\npop_exec 1\n" /* break: two levels */
                           "and r3, r12, 1\n"
                           "if r3, 0, 1, ine\nldimm r0l, 2\npop_exec 1\n" /* continue: one level */
                           "imadd r8, r12, r12, r8\n"
                           "while 0, 0, 2, ieq\n"
                           "iadd r12, r12, 1\n"
                           "while r12, r13, 2, ult\n"
                           "jmp_any top\n"
                           "pop_exec 2\n"
                           "after: pop_exec 1\n";

/* A function, called directly and through a register. */
CASE(expect_call)
{
   out[0] = 3 * (IN(0) + 1) + 1;
}
static const char call[] = "mov r8, r4\nmov r9, r1\n" /* r1 is the link register */
                           "call function\n"
                           "imul r8, r8, 3\n"
                           "call function\n"
                           "mov r1, r9\nldimm r9, 0xdeadbeef\njmp_any over\n"
                           "function: iadd r8, r8, 1\nret r1\n"
                           "over:\n";

/* A stop in a branch ends the lanes that take it, of any number: Mesa 26.2.6's tessellator has one without a jump over
 * it. An ended lane stores nothing, whatever is popped later. */
CASE(expect_stop)
{
   if (IN(0) < IN(1) && IN(2) < IN(3)) {
      memset(out, 0, RIG_WORDS * sizeof(*out));
   } else {
      out[0] = IN(0) < IN(1) ? 1 : 2;
   }
}
static const char stop[] = "ldimm r0l, 0\n"
                           "if r4, r5, 1, ult\n"
                           "if r6, r7, 1, ult\nstop\npop_exec 1\n"
                           "ldimm r8, 1\n"
                           "else 0.0, 0.0, 1, feq\nldimm r8, 2\npop_exec 1\n"
                           "pop_exec 1\npop_exec 1\n";
CASE(expect_no_stop)
{
   (void)lanes;
   (void)lane;
   out[0] = 7;
}
static const char no_stop[] = "ldimm r0l, 0\nif r4, r4, 1, ult\nstop\npop_exec 1\nldimm r8, 7\n";
CASE(expect_all_stop)
{
   (void)lanes;
   (void)lane;
   memset(out, 0, RIG_WORDS * sizeof(*out));
}
static const char all_stop[] = "ldimm r0l, 0\nif r4, r4, 1, ieq\nstop\npop_exec 1\nldimm r8, 7\n";

static const struct rig_case flow[] = {{nested, expect_nested}, {loop, expect_loop},       {call, expect_call},
                                       {stop, expect_stop},     {no_stop, expect_no_stop}, {all_stop, expect_all_stop}};

int main(void)
{
   walks();
   rig_cases(flow, sizeof(flow) / sizeof(flow[0]), 1024, rig_fill);
   return rig_result();
}
