/* SPDX-License-Identifier: MIT
 *
 * Programs as files: what is written is read back the same, garbage is an error that names the line, and whatever is
 * read from a damaged file is a valid program or an error.
 */
#include <errno.h>
#include <stdlib.h>

#include "util/random.h"
#include "fuzz/nir/registers.h"
#include "tests/fuzzing/check.h"

static struct fuzz_program program, again;

static int read_text(const char *text, size_t size, unsigned *line)
{
   FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");

   if (file == NULL) {
      perror("fmemopen");
      exit(1);
   }
   const int ret = fuzz_read(file, &again, line);
   fclose(file);
   return ret;
}

static char *written(size_t *size)
{
   char *text = NULL;
   FILE *file = open_memstream(&text, size);

   if (file == NULL || fuzz_write(file, &program) < 0 || fclose(file) != 0) {
      perror("open_memstream");
      exit(1);
   }
   return text;
}

static void test_round_trip(void)
{
   static struct fuzz_outputs first, second;
   struct fuzz_difference difference;

   for (uint64_t seed = 0; seed < 24; seed++) {
      unsigned line = 0;
      size_t size = 0;
      fuzz_generate(&program, seed, (enum fuzz_family)(seed % 3), (int32_t)(seed * 7 % fuzz_rule_count()));
      fuzz_compact(&program);
      program.registers = seed < 12 ? (uint32_t)seed % FUZZ_REGISTER_FILES : (uint32_t)seed * FUZZ_REGISTERS_STEP;
      char *text = written(&size);
      CHECK_EQUAL(read_text(text, size, &line), 0);
      CHECK_EQUAL(again.count, program.count);
      CHECK_EQUAL(again.registers, program.registers);
      CHECK_EQUAL(memcmp(again.nodes, program.nodes, program.count * sizeof(program.nodes[0])), 0);
      CHECK_EQUAL(memcmp(again.input, program.input, sizeof(program.input)), 0);
      fuzz_evaluate(&program, &first);
      fuzz_evaluate(&again, &second);
      CHECK_EQUAL(first.valid, second.valid);
      CHECK(!fuzz_differ(&first, &second, &difference));
      free(text);
   }
}

static void test_garbage(void)
{
   static const struct {
      const char *text;
      unsigned line;
   } rows[] = {
       {"nonsense\n", 1},
       {"# fine\nnode\n", 2},
       {"node 99 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\n", 1},                                          /* kind */
       {"node 1 33 1 0 - 0 0x0 0.0 0.0 0.0 0.0\n", 1},                                           /* width */
       {"node 1 32 5 0 - 0 0x0 0.0 0.0 0.0 0.0\n", 1},                                           /* components */
       {"node 2 32 1 0 - 96 0x0 0.0 0.0 0.0 0.0\n", 1},                                          /* input slot */
       {"node 3 32 1 0 - 16 0x0 0.0 0.0 0.0 0.0\n", 1},                                          /* argument */
       {"node 1 32 1 0 - 0 0x10000000000000000 0.0 0.0 0.0 0.0\n", 1},                           /* 65 bits */
       {"node 4 32 1 0 no_such_op 0 0x0 0.0 0.0 0.0 0.0\n", 1},                                  /* op */
       {"node 4 32 1 0 iadd 0 0x0 0.0 0.0 0.0 0.0\n", 1},                                        /* reads itself */
       {"node 1 16 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 4 32 1 0 ineg 0 0x0 0.0 0.0 0.0 0.0\n", 2}, /* type */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 4 32 1 0 ineg 0 0x0 0.1 0.0 0.0 0.0\n", 2}, /* component */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0\n", 1},                                               /* cut short */
       {"node 10 0 0 0 - 0 0x0 0.0 0.0 0.0 0.0\n", 1},                                           /* end without if */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 18 16 1 0 - 0 0x0 0.0 0.0 0.0 0.0\n", 2},   /* atomic of 16 bits */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 18 32 1 0 - 0 0x14 0.0 0.0 0.0 0.0\n", 2},  /* no such atomic */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 15 32 2 0 - 0 0x0 0.0 0.0 0.0 0.0\n", 2},  /* a scalar as vector */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 15 1 1 0 - 0 0x0 0.0 0.0 0.0 0.0\n", 2},   /* a bit in memory */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 14 16 1 0 - 2 0x0 0.0 0.0 0.0 0.0\n", 2},  /* no less aligned */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 17 32 1 0 - 0 0x26 0.0 0.0 0.0 0.0\n", 2}, /* no such operation */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 17 1 1 0 - 0 0x25 0.0 0.0 0.0 0.0\n", 2},  /* a vote of numbers */
       {"node 1 1 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 1 8 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 17 1 1 0 - 0 0x1 0.0 1.0 0.0 "
        "0.0\n",
        3},                                                                                   /* a sum of booleans */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 11 0 0 0 - 0 0xa 0.0 0.0 0.0 0.0\n", 2}, /* no such counter */
       {"node 1 32 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 8 0 0 0 - 0 0x0 0.0 0.0 0.0 0.0\n", 2}, /* a number as condition */
       {"node 1 1 1 0 - 0 0x0 0.0 0.0 0.0 0.0\nnode 20 0 0 0 - 0 0x0 0.0 0.0 0.0 0.0\n", 2}, /* continue in no loop */
       {"input 96 0\n", 1},
       {"input 0 1 2 3\n", 1},
       {"uniform 16 0\n", 1},
       {"variable 0 7\n", 1},
       {"registers no\n", 1},
       {"registers 16\n", 1},  /* too few */
       {"registers 50\n", 1},  /* not aligned */
       {"registers 264\n", 1}, /* too many */
   };
   for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
      unsigned line = 0;
      const int ret = read_text(rows[i].text, strlen(rows[i].text), &line);
      if (ret != -EINVAL || line != rows[i].line) {
         fprintf(stderr, "row %zu: %s", i, rows[i].text);
      }
      CHECK_EQUAL(ret, -EINVAL);
      CHECK_EQUAL(line, rows[i].line);
   }
}

/* Damaged files: bytes changed, cut. What is read all the same can be interpreted. */
static void test_damage(void)
{
   static const char bytes[] = "0123456789.x- \n\t#ndfi\xff";
   static struct fuzz_outputs outputs;
   struct util_random random = {17};
   unsigned read = 0, refused = 0;

   for (uint64_t seed = 0; seed < 400; seed++) {
      size_t size = 0;
      unsigned line = 0;
      fuzz_generate(&program, seed / 40, (enum fuzz_family)(seed / 40 % 3), 0);
      char *text = written(&size);
      size_t left = size;
      for (unsigned i = 0; i < 1 + seed % 3; i++) {
         text[util_random_below(&random, (uint32_t)size)] = bytes[util_random_below(&random, sizeof(bytes) - 1)];
      }
      left -= seed % 4 == 0 ? util_random_below(&random, (uint32_t)size) : 0;
      if (read_text(text, left, &line) == 0) {
         fuzz_evaluate(&again, &outputs);
         read++;
      } else {
         refused++;
      }
      free(text);
   }
   CHECK(read > 0);
   CHECK(refused > 0);
}

int main(void)
{
   test_round_trip();
   test_garbage();
   test_damage();
   return check_result();
}
