/* SPDX-License-Identifier: MIT
 *
 * sweep gemm: words choose cells, long cells must be named, and a table has no figure for a cell whose answer was
 * wrong. Times and bytes are recomputed here from the definition of the product.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/sweep/sweep_gemm.h"
#include "agx_runner/terminal/runner.h"
#include "tests/check.h"

static size_t select_cells(bool full, size_t count, const char *const *words, const char *must, const char *must_not)
{
   struct selection selection;
   bool found = must == NULL, wrong = false;

   (void)sweep_gemm_select(&selection, words, count, full);
   for (size_t i = 0; i < selection.count; i++) {
      found |= must != NULL && !strcmp(selection.items[i].name, must);
      wrong |= must_not != NULL && strstr(selection.items[i].name, must_not) != NULL;
   }
   const size_t cells = selection.count;
   selection_finish(&selection);
   return found && !wrong ? cells : 0;
}

#define SELECT(full, must, must_not, ...)                                                                              \
   select_cells(full, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__}, \
                must, must_not)

static void test_selection(void)
{
   const size_t all = select_cells(true, 0, NULL, "matrix/gemm-mixed-local-4096/dispatch", NULL);
   const size_t few = select_cells(false, 0, NULL, "matrix/gemm-mixed-local-64/dispatch", "-4096");

   CHECK(few > 20 && all > few, "%zu cells, %zu in all", few, all);
   CHECK(SELECT(false, "matrix/gemm-f32-naive-4096/dispatch", "mixed", "f32", "naive", "4096") == 1,
         "a long cell by name");
   CHECK(SELECT(false, "matrix/gemm-f16-direct-33x65x97/dispatch", "-naive-", "direct", "33x65x97") >= 3,
         "all forms of a size");
   CHECK(SELECT(false, NULL, NULL, "mixed", "frobnicate") == 0, "a word that is none");
}

static char *table(const struct result *result)
{
   struct result copy = *result;
   struct result_run run = {.results = &copy, .count = 1};
   char *text = NULL;
   size_t size;
   FILE *file = open_memstream(&text, &size);

   snprintf(run.device.path, sizeof(run.device.path), "virtual:m1");
   run.device.is_virtual = true;
   run.device.cores = 8;
   run.device.clock_hz = 1000000000;
   if (file == NULL) {
      exit(EXIT_FAILURE);
   }
   sweep_gemm_csv(&run, file);
   fclose(file);
   return text;
}

static void test_table(void)
{
   struct result result;

   result_init(&result, "matrix/gemm-mixed-local-512/dispatch");
   result.status = RESULT_PASS;
   result.check = RESULT_CHECK_PASS;
   result.value = 1;
   result.low = 0.5;
   result.high = 2;
   result.clock_hz = 500000000;
   char *text = table(&result);
   /* 2 * 512^3 operations at 1 TFLOP/s: 0.268435 ms. 8 cores of 256 operations at 0.5 GHz: 1.024 TFLOP/s. A and B in
    * halves, D in floats: 512 * 512 * (2 + 2 + 4) bytes. */
   CHECK(strstr(text, ",mixed,local,512,nn,64x64,") && strstr(text, ",0.268435,0.134218,0.536871,1,0.9766,"), "%s",
         text);
   CHECK(strstr(text, ",2097152,pass,") && strstr(text, "\"500 MHz\"") && strstr(text, "virtual (modelled)"), "%s",
         text);
   free(text);
   snprintf(result.clock_states, sizeof(result.clock_states), "984 MHz (5 samples), 1278 MHz (4)");
   result.check = RESULT_CHECK_FAIL;
   result_set(&result, RESULT_FAIL, "D x is \"not\" A (B x)");
   text = table(&result);
   CHECK(strstr(text, ",fail,0,\"984 MHz (5 samples), 1278 MHz (4)\",,,,,,"), "%s", text);
   CHECK(strstr(text, "fail,\"D x is \"\"not\"\" A (B x)\"\n"), "%s", text);
   free(text);
   result_finish(&result);
}

int main(void)
{

   test_selection();
   test_table();
   return check_result();
}
