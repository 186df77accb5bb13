/* SPDX-License-Identifier: MIT
 *
 * Source lines of machine code (compiler_options.lines): each kind of instruction that a statement alone can make has
 * that statement's line, and the code is the same as without lines.
 */
#include <stdlib.h>

#include "tests/compiler/programs.h"

/* Each marked statement makes instructions that no other line makes. */
static const char statements[] = "int twice(int x)\n"                                      /* 1 */
                                 "{\n"                                                     /* 2 */
                                 "   return popcount(x);\n"                                /* 3 */
                                 "}\n"                                                     /* 4 */
                                 "kernel void f(global float *o, global const float *x,\n" /* 5 */
                                 "              global int *k, local int *l, int n)\n"     /* 6 */
                                 "{\n"                                                     /* 7 */
                                 "   size_t i = get_global_id(0);\n"                       /* 8 */
                                 "   float a = x[i];\n"                                    /* 9 */
                                 "   float b = native_rsqrt(a);\n"                         /* 10 */
                                 "   float c = native_log2(b);\n"                          /* 11 */
                                 "   o[i] = c;\n"                                          /* 12 */
                                 "   l[get_local_id(0)] = twice((int)i) + 1;\n"            /* 13 */
                                 "   barrier(CLK_LOCAL_MEM_FENCE);\n"                      /* 14 */
                                 "   for (int j = 0; j < n; j++) {\n"                      /* 15 */
                                 "      int v = l[j];\n"                                   /* 16 */
                                 "      if (v > 3) {\n"                                    /* 17 */
                                 "         atomic_add(&k[j], v);\n"                        /* 18 */
                                 "      }\n"                                               /* 19 */
                                 "   }\n"                                                  /* 20 */
                                 "   o[i + 1000] = (float)(k[i] >> 7);\n"                  /* 21 */
                                 "   o[i + 2000] = i < 77 ? a : b;\n"                      /* 22 */
                                 "   o[i + 3000] = 1;\n"                                   /* 23 */
                                 "}\n";

static struct agx_program *compile(const char *name, const char *source, bool lines)
{
   const struct compiler_options options = {.lines = lines};
   struct compiler_result result;
   struct agx_program *program = NULL;

   compiler_opencl(name, source, strlen(source), &options, &result);
   CHECK_EQUAL(result.count, 1);
   if (result.count == 1) {
      program = agx_program_copy(result.programs[0]);
   } else {
      fputs(result.log, stderr);
   }
   compiler_result_finish(&result);
   return program;
}

/* The lines of all instructions of a name in the main program, in order; "16~" is inferred. */
struct expected {
   const char *name;
   const char *lines;
};

static void find_lines(const struct agx_program *program, const char *name, char *lines, size_t size)
{
   struct isa_insn insn;
   size_t used = 0;

   lines[0] = '\0';
   for (uint32_t at = program->main_offset; at < program->main_offset + program->main_size; at += insn.length) {
      const struct agx_line *line = agx_program_line(program, at);
      char text[256];

      isa_decode(program->set, program->code + at, program->code_size - at, &insn);
      isa_print(&insn, ISA_SYNTAX_MESA, text, sizeof(text));
      text[strcspn(text, " ")] = '\0';
      if (strcmp(text, name) == 0 && used < size) {
         used += (size_t)snprintf(lines + used, size - used, "%s%u%s", used > 0 ? " " : "",
                                  line != NULL ? line->line : 0, line != NULL && line->inferred ? "~" : "");
      }
   }
}

static void check_lines(const char *source, const struct expected *table, size_t count)
{
   struct agx_program *program = compile("f.cl", source, true);

   for (size_t i = 0; program != NULL && i < count; i++) {
      char lines[128];

      find_lines(program, table[i].name, lines, sizeof(lines));
      if (strcmp(lines, table[i].lines) != 0) {
         fprintf(stderr, "%s: of line %s, not %s\n", table[i].name, lines, table[i].lines);
         check_failures++;
      }
   }
   if (program != NULL && program->line_count > 0) {
      CHECK_CONTAINS(agx_program_line_file(program, &program->lines[0]), "f.cl");
   }
   agx_program_destroy(program);
}

/* A loop's jump back belongs to its condition, not to the last statement of its body. */
static void test_loops(void)
{
   static const char source[] = "kernel void f(global float *o, int n)\n"   /* 1 */
                                "{\n"                                       /* 2 */
                                "   float x = o[get_global_id(0)];\n"       /* 3 */
                                "   int it = 0;\n"                          /* 4 */
                                "   while (x * x + x < 4.0f && it < n) {\n" /* 5 */
                                "      x = x * 1.01f;\n"                    /* 6 */
                                "      it++;\n"                             /* 7 */
                                "   }\n"                                    /* 8 */
                                "   do {\n"                                 /* 9 */
                                "      x *= 1.5f;\n"                        /* 10 */
                                "      it += o[it];\n"                      /* 11 */
                                "   } while (x < n);\n"                     /* 12 */
                                "   o[get_global_id(0)] = x + it;\n"        /* 13 */
                                "}\n";
   static const struct expected table[] = {
       {"jmp_any", "5~ 12~"}, {"while", "5~ 12~"}, {"fmul", "6 10"}, {"ffma", "5"}, {"store", "13"},
   };

   check_lines(source, table, sizeof(table) / sizeof(table[0]));
}

/* An operation that the compiler makes many instructions of has its name at all of them, and nothing else has. */
static void test_operations(void)
{
   static const char source[] = "kernel void f(global ulong *o, global float *x, ulong n)\n" /* 1 */
                                "{\n"                                                        /* 2 */
                                "   size_t i = get_global_id(0);\n"                          /* 3 */
                                "   ulong a = o[i] / n;\n"                                   /* 4 */
                                "   float b = pow(x[i], x[i + 1]);\n"                        /* 5 */
                                "   o[i] = a; x[i] = b;\n"                                   /* 6 */
                                "}\n";
   static const char *const names[] = {"64-bit division", "pow"};
   struct agx_program *program = compile("f.cl", source, true);
   unsigned counts[2] = {0}, others = 0, wrong = 0;

   for (size_t i = 0; program != NULL && i < program->line_count; i++) {
      const struct agx_line *line = &program->lines[i];
      const char *operation = agx_program_line_operation(program, line);

      for (unsigned k = 0; k < 2; k++) {
         counts[k] += operation != NULL && strcmp(operation, names[k]) == 0;
         wrong += operation != NULL && strcmp(operation, names[k]) == 0 && line->line != 4 + k;
      }
      others += operation == NULL;
   }
   CHECK(counts[0] > 100);
   CHECK(counts[1] > 20);
   CHECK(others < 100);
   CHECK_EQUAL(wrong, 0);
   agx_program_destroy(program);
}

static void test_statements(void)
{
   static const struct expected table[] = {
       {"load", "9 21"}, {"store", "12 21 22 23"}, {"popcnt", "3"},  {"rsqrt", "10"},    {"log2", "11"},
       {"lstore", "13"}, {"barrier", "14"},        {"while", "15~"}, {"csel", "22~"},    {"lload", "16"},
       {"if", "17~"},    {"atomic", "18"},         {"asr", "21"},    {"s32_to_f", "21"}, {"jmp_any", "15~"},
   };
   check_lines(statements, table, sizeof(table) / sizeof(table[0]));
}

static char *read_file(const char *path)
{
   FILE *file = fopen(path, "rb");
   char *text = calloc(1, 1 << 20);

   if (file == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, file) == 0) {
      fprintf(stderr, "%s cannot be read\n", path);
      exit(1);
   }
   fclose(file);
   return text;
}

/* Instructions of the files, by what is known about their lines. */
static unsigned certain, inferred, unknown;

static void count_lines(const struct agx_program *program)
{
   struct isa_insn insn;

   for (uint32_t at = program->main_offset; at < program->main_offset + program->main_size; at += insn.length) {
      const struct agx_line *line = agx_program_line(program, at);

      isa_decode(program->set, program->code + at, program->code_size - at, &insn);
      if (insn.op != ISA_OP_TRAP) {
         *(line == NULL ? &unknown : line->inferred ? &inferred : &certain) += 1;
      }
   }
}

/* The code of all kernels of a file, with and without lines. */
static void test_same_code(const char *path)
{
   const struct compiler_options with = {.lines = true}, without = {.lines = false};
   struct compiler_result lines, plain;
   char *source = read_file(path);

   compiler_opencl(path, source, strlen(source), &with, &lines);
   compiler_opencl(path, source, strlen(source), &without, &plain);
   free(source);
   CHECK_EQUAL(lines.count, plain.count);
   CHECK_EQUAL(lines.refused_count, plain.refused_count);
   for (size_t i = 0; i < plain.count && i < lines.count; i++) {
      const struct agx_program *one = plain.programs[i], *two = lines.programs[i];

      if (agx_program_hash(one) != agx_program_hash(two)) {
         fprintf(stderr, "%s: %s: the code with lines is another one\n", path, one->name);
         check_failures++;
      }
      CHECK_EQUAL(one->line_count, 0);
      CHECK(two->line_count > 0);
      count_lines(two);
   }
   compiler_result_finish(&lines);
   compiler_result_finish(&plain);
}

int main(int count, char **arguments)
{
   test_statements();
   test_loops();
   test_operations();
   for (int i = 1; i < count; i++) {
      test_same_code(arguments[i]);
   }
   printf("instructions: %u with a line, %u with an inferred one, %u with none\n", certain, inferred, unknown);
   CHECK(count == 1 || (certain > inferred && unknown * 50 <= certain));
   return check_result();
}
