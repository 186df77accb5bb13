/* SPDX-License-Identifier: MIT
 *
 * A run of which most programs were not tried says so: no finding means little then. And kernels in OpenCL C name a
 * rounding mode of a conversion between integers only where the kernel is to try that.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/coverage.h"
#include "fuzz/opencl/ops.h"
#include "fuzz/nir/generate/generate.h"
#include "fuzz/report.h"
#include "tests/compiler/programs.h"

static const struct {
   uint64_t programs, kernels, refused, undefined, kernels_untried;
   const char *warning; /* what the text holds; NULL: nothing is written */
   bool none;           /* no program was tried */
} rows[] = {
    {100, 0, 10, 10, 0, NULL, false},
    {100, 0, 30, 30, 0, "60 of 100 programs in NIR", false},
    {100, 20, 15, 5, 19, "19 of 20 programs in OpenCL C", false}, /* of 80 in NIR 1 */
    {20, 20, 20, 0, 20, "20 of 20 programs in OpenCL C", true},
    {0, 0, 0, 0, 0, NULL, false},
};

static void check_untried(void)
{
   for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      char *text = NULL;
      size_t size = 0;
      FILE *file = open_memstream(&text, &size);
      const struct fuzz_summary summary = {
          .programs = rows[i].programs,
          .counts.tried = {[LANGUAGE_NIR] = rows[i].programs - rows[i].kernels, [LANGUAGE_OPENCL] = rows[i].kernels},
          .counts.refused = rows[i].refused,
          .counts.undefined = rows[i].undefined,
          .counts.untried = {[LANGUAGE_NIR] = rows[i].refused + rows[i].undefined - rows[i].kernels_untried,
                             [LANGUAGE_OPENCL] = rows[i].kernels_untried},
          .refusal = "why"};
      CHECK(file != NULL);
      if (file != NULL) {
         CHECK_EQUAL(fuzz_untried(&summary, file), rows[i].none);
         fclose(file);
         CHECK(rows[i].warning != NULL ? strstr(text, rows[i].warning) != NULL : size == 0);
      }
      free(text);
   }
}

/* The text of a kernel that converts with rounding toward zero. */
static char *conversion(uint8_t from, uint8_t to, bool integer_modes)
{
   static struct ocl_program program;
   char *text = NULL;
   size_t size = 0;
   unsigned op = 0;

   memset(&program, 0, sizeof(program));
   while (ocl_ops[op].shape != OCL_SHAPE_CONVERT || ocl_ops[op].rounding != OCL_TO_ZERO) {
      op++;
   }
   program.lanes = program.inputs = program.outputs = 1;
   program.integer_modes = integer_modes;
   program.input_type[0] = (struct ocl_type){.base = from, .width = 1};
   program.output_type[0] = (struct ocl_type){.base = to, .width = 1};
   program.nodes[0] = (struct ocl_node){.kind = OCL_INPUT, .type = program.input_type[0]};
   program.nodes[1] =
       (struct ocl_node){.kind = OCL_OP, .type = program.output_type[0], .op = (uint8_t)op, .count = 1, .source = {0}};
   program.nodes[2] = (struct ocl_node){.kind = OCL_OUTPUT, .type = program.output_type[0], .count = 1, .source = {1}};
   program.count = 3;
   FILE *file = open_memstream(&text, &size);
   if (file != NULL) {
      ocl_print(file, &program);
      fclose(file);
   }
   return text;
}

static void check_modes(void)
{
   static const struct {
      uint8_t from, to;
      bool integer_modes, named;
   } conversions[] = {{OCL_ULONG, OCL_UINT, false, false},
                      {OCL_ULONG, OCL_UINT, true, true},
                      {OCL_FLOAT, OCL_UINT, false, true},
                      {OCL_UINT, OCL_FLOAT, false, true}};

   for (unsigned i = 0; i < sizeof(conversions) / sizeof(conversions[0]); i++) {
      char *text = conversion(conversions[i].from, conversions[i].to, conversions[i].integer_modes);
      CHECK(text != NULL && strstr(text, "convert_") != NULL);
      CHECK_EQUAL(text != NULL && strstr(text, "_rtz(") != NULL, conversions[i].named);
      free(text);
   }
}

/* Each rule that did not fire is in the list, with a reason. One of sines, which programs do not have, names its op. */
static void check_coverage(void)
{
   static uint8_t states[FUZZ_RULES] = {[0] = RULE_FIRED, [1] = RULE_TRIED};
   struct json_object *list, *why;
   char *text = NULL;
   size_t size = 0;
   bool sine = false;

   for (uint32_t i = 2; i < fuzz_rule_count(); i++) {
      states[i] = RULE_IMPOSSIBLE;
   }
   struct json_object *rules = coverage_json(states);
   CHECK(json_object_object_get_ex(rules, "not_reached", &list));
   CHECK_EQUAL(json_object_array_length(list), fuzz_rule_count() - 1);
   for (size_t i = 0; i < json_object_array_length(list); i++) {
      CHECK(json_object_object_get_ex(json_object_array_get_idx(list, i), "why", &why) &&
            json_object_get_string_len(why) != 0);
      sine |= strncmp(json_object_get_string(why), "op fsin", 7) == 0;
   }
   CHECK(sine);
   json_object_put(rules);
   FILE *file = open_memstream(&text, &size);
   if (file != NULL) {
      coverage_write(file, states, false);
      fclose(file);
   }
   CHECK(text != NULL && strstr(text, ": 1 fired, 1 did not") != NULL &&
         strstr(text, "not built, most of all: ") != NULL);
   free(text);
}

int main(void)
{
   check_coverage();
   check_untried();
   check_modes();
   return check_result();
}
