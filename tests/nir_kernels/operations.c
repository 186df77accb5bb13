/* SPDX-License-Identifier: MIT
 *
 * Every operation that a mix can be made of assembles to the instructions that its row counts, alone and in number.
 */
#include "nir_kernels/operations.h"

#include <stdio.h>
#include <string.h>

#include "nir_kernels/mix.h"
#include "tests/check.h"

static void test_operation(const struct bench_operation *operation, unsigned repeat)
{
   struct compiler_result built = {0};
   struct bench_mix mix;
   char text[128], why[320] = "";
   unsigned expected = 0, found = 0;

   snprintf(text, sizeof(text), "%s%s%s*3", operation->section, operation->section[0] ? "/" : "", operation->name);
   if (operation->text == NULL) {
      CHECK(bench_mix_parse(text, 0, 0, &mix, why, sizeof(why)) < 0 && strstr(why, operation->why), "%s: %s", text,
            why);
      return;
   }
   CHECK(bench_mix_parse(text, 0, 0, &mix, why, sizeof(why)) == 0, "%s: %s", text, why);
   if (why[0] != '\0') {
      return;
   }
   CHECK(mix.items[0].operation == operation, "%s names %s", text, mix.items[0].operation->name);
   CHECK(bench_mix_build(&mix, repeat, &built) == 0, "%s: %s", text, built.log ? built.log : "");
   if (built.count == 1) {
      CHECK(bench_mix_check(&mix, repeat, built.programs[0], &expected, &found, why, sizeof(why)), "%s: %s", text, why);
      CHECK(expected > 0 && expected == found, "%s: %u of %u", text, found, expected);
   }
   compiler_result_finish(&built);
}

int main(void)
{

   for (size_t i = 0; i < bench_operation_count(); i++) {
      test_operation(bench_operation_at(i), 1);
      test_operation(bench_operation_at(i), 2);
   }
   printf("%zu operations\n", bench_operation_count());
   return check_result();
}
