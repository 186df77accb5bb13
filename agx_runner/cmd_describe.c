/* SPDX-License-Identifier: MIT
 *
 * describe: all that stands behind one benchmark's figures. Needs no device.
 */
#include <math.h>
#include <string.h>

#include "agx_runner/codecheck.h"
#include "agx_runner/listing.h"
#include "agx_runner/reference.h"
#include "agx_runner/runner.h"
#include "agx_runner/selection.h"

static void describe_reference(const struct benchmark *benchmark, enum bench_metric metric)
{
   const struct reference *reference = benchmark->reference != NULL ? reference_find(benchmark->reference) : NULL;
   const double value = reference == NULL || metric == BENCH_RATE ? NAN
                        : metric == BENCH_LATENCY                 ? reference->latency
                                                                  : reference->throughput;

   if (isnan(value)) {
      printf("  reference   none published\n");
      return;
   }
   printf("  reference   %s%.2f cycles: %s, %s (" REFERENCE_SOURCE ")\n",
          metric == BENCH_LATENCY ? reference->latency_qualifier : reference->throughput_qualifier, value,
          reference->name, metric == BENCH_LATENCY ? "adjusted latency" : "throughput");
}

static void describe_kernel(const struct benchmark *benchmark, const struct bench_variant variants[2])
{
   const struct bench_codegen *codegen = &benchmark->codegen;

   if (benchmark->chain != NULL) {
      printf("  kernel      NIR, nir_kernels/%s.c: %u chain%s of %u and of %u operations in a loop\n", benchmark->group,
             variants[0].chains, variants[0].chains == 1 ? "" : "s", variants[0].repeat, variants[1].repeat);
   } else {
      printf("  kernel      OpenCL C, %s in nir_kernels/%s.cl\n", benchmark->kernel, benchmark->source);
   }
   printf("  code check  %u %s in %s", bench_expected(benchmark, &variants[0]), codegen->instruction,
          codegen->whole_program ? "the program" : "the loop");
   if (benchmark->scale == BENCH_SCALE_REPEAT) {
      printf(", and %u", bench_expected(benchmark, &variants[1]));
   }
   if (codegen->companions > 0) {
      printf("; %u other instruction%s with each, the same on both sides of a latency", codegen->companions,
             codegen->companions == 1 ? "" : "s");
   }
   fputc('\n', stdout);
}

static int describe_code(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct compiler_options options = {.keep_atomics = true};
   struct codecheck_body body;
   struct compiler_result compiled;
   int code = EXIT_OK;

   if (bench_build(benchmark, variant, &options, &compiled) < 0) {
      code = complain(EXIT_FAILED, "%s/%s does not compile: %s", benchmark->group, benchmark->name,
                      compiled.log != NULL ? compiled.log : "");
   } else {
      const struct agx_program *program = compiled.programs[0];

      codecheck_count(program, &benchmark->codegen, &body);
      printf("\n  %s, %u instructions of which %u %s:\n", benchmark->codegen.whole_program ? "main program" : "loop",
             body.found + body.others, body.found, benchmark->codegen.instruction);
      if (listing_code(program->code + body.start, body.end - body.start, body.start, ISA_SYNTAX_MESA, stdout) < 0) {
         code = complain(EXIT_FAILED, "out of memory");
      }
   }
   compiler_result_finish(&compiled);
   return code;
}

static int describe(const struct selected *item, bool first)
{
   const struct metric_info *metric = &metric_infos[item->metric];
   const struct benchmark *benchmark = item->benchmark;
   struct bench_variant variants[2];

   metric_variants(benchmark, item->metric, variants);
   printf("%s%s: %s\n", first ? "" : "\n", item->name, benchmark->summary);
   printf("  metric      %s: %s\n", metric->name, metric->definition);
   printf("  unit        %s\n", metric_unit(benchmark, item->metric));
   printf("  formula     %s\n", metric->formula);
   printf("  occupancy   %u simdgroups a core: %u threadgroup%s of %u threads\n",
          metric->group / 32 * metric->threadgroups_per_core, metric->threadgroups_per_core,
          metric->threadgroups_per_core == 1 ? "" : "s", metric->group);
   describe_reference(benchmark, item->metric);
   describe_kernel(benchmark, variants);
   return describe_code(benchmark, &variants[0]);
}

int cmd_describe(const struct options *options)
{
   struct selection selection;
   int code = selection_make(&selection, &options->operands);

   for (size_t i = 0; code == EXIT_OK && i < selection.count; i++) {
      code = describe(&selection.items[i], i == 0);
   }
   selection_finish(&selection);
   return code;
}
