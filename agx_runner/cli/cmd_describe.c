/* SPDX-License-Identifier: MIT
 *
 * describe: everything about the figures of one benchmark. Needs no device.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/program_rows.h"
#include "agx_runner/measure/codecheck.h"
#include "agx_runner/results/published.h"
#include "agx_runner/program/listing.h"
#include "agx_runner/program/program_file.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/runs/selection.h"
#include "nir_kernels/chain.h"
#include "nir_kernels/source_text.h"

/* Prints a note if the two figures are about different code. */
static void describe_likeness(const struct benchmark *benchmark, const struct published *published)
{
   const char *sequence =
       benchmark->codegen.sequence != NULL ? benchmark->codegen.sequence : benchmark->codegen.instruction;

   printf("              %s: ", reference_likeness_names[published->likeness]);
   switch (published->likeness) {
   case REFERENCE_SAME_INSTRUCTION:
      printf("it is about %s too\n", benchmark->codegen.instruction);
      break;
   case REFERENCE_UNKNOWN_SEQUENCE:
      printf("the source does not say which instructions; here they are %s\n", sequence);
      break;
   case REFERENCE_SAME_SEQUENCE:
      printf("%s, counted as %s\n", published->made_of != NULL ? published->made_of : "the instructions known of it",
             sequence);
      break;
   default:
      printf("%s there, %s here\n", published->made_of != NULL ? published->made_of : "one instruction", sequence);
   }
}

static void describe_reference(const struct benchmark *benchmark, enum bench_metric metric)
{
   struct published published;

   if (!published_find(benchmark, metric, &published)) {
      printf("  reference   none published%s%s\n", benchmark->reference != NULL ? ", of " : "",
             benchmark->reference != NULL ? benchmark->reference : "");
      return;
   }
   printf("  reference   %s%.2f cycles: %s (" REFERENCE_SOURCE ")\n", published.qualifier, published.value,
          published.row);
   if (metric != BENCH_CONTROL) {
      describe_likeness(benchmark, &published);
   }
}

/* Prints what the loop must contain. */
static void describe_check(const struct benchmark *benchmark, const struct bench_variant variants[2])
{
   const struct bench_codegen *codegen = &benchmark->codegen;

   if (codegen->sequence == NULL && codegen->instruction == NULL) {
      return;
   }
   if (codegen->sequence != NULL) {
      printf("  code check  each operation adds to the loop: %s\n", codegen->sequence);
      if (codegen->companion != NULL) {
         printf("              and each step besides, on both sides of a latency: %s\n", codegen->companion);
      }
      return;
   }
   printf("  code check  %u %s in %s", bench_expected(benchmark, &variants[0]), codegen->instruction,
          codegen->whole_program ? "the program" : "the loop");
   if (benchmark->scale == BENCH_SCALE_REPEAT && variants[1].repeat > variants[0].repeat) {
      printf(", and %u", bench_expected(benchmark, &variants[1]));
   }
   if (codegen->companions > 0 && (!codegen->single_chain || variants[0].chains == 1)) {
      printf("; %u other instruction%s with each, the same on both sides of a latency", codegen->companions,
             codegen->companions == 1 ? "" : "s");
   }
   fputc('\n', stdout);
}

static void describe_kernel(const struct benchmark *benchmark, const struct bench_variant variants[2])
{
   printf("  kernel      %s, ", bench_source_language(benchmark));
   if (benchmark->source != NULL) {
      printf("%s in nir_kernels/%s.cl", benchmark->kernel, benchmark->source);
   } else {
      printf("nir_kernels/%s", benchmark->file);
   }
   if (benchmark->scale == BENCH_SCALE_REPEAT && variants[1].repeat > variants[0].repeat) {
      printf(": %u chain%s of %u and of %u operations in a loop", variants[0].chains,
             variants[0].chains == 1 ? "" : "s", variants[0].repeat, variants[1].repeat);
   }
   fputc('\n', stdout);
   if (benchmark->chain != NULL && benchmark->chain->agx != NULL) {
      const char *more = strchr(benchmark->chain->agx, '\n');

      printf("  step        %.*s%s%s\n", (int)strcspn(benchmark->chain->agx, "\n"), benchmark->chain->agx,
             more != NULL ? "; " : "", more != NULL ? more + 1 : "");
   }
}

static int describe_source(const struct benchmark *benchmark)
{
   char *text = bench_source_text(benchmark);

   if (text == NULL) {
      return complain(EXIT_FAILED, "%s/%s: no source: out of memory, or it does not build", benchmark->group,
                      benchmark->name);
   }
   printf("\n  source%s:\n", benchmark->control.repetitions > 0 ? ""
                             : benchmark->nir != NULL           ? ""
                             : benchmark->source == NULL        ? ", with one operation in the loop"
                             : benchmark->chain != NULL ? ", the step (nir_kernels/alu/source.clh makes kernels of it)"
                                                        : "");
   for (const char *line = text; *line != '\0';) {
      const int length = (int)strcspn(line, "\n");

      printf("%s%.*s\n", length > 0 ? "      " : "", length, line);
      line += length + (line[length] == '\n');
   }
   free(text);
   return EXIT_OK;
}

static int describe_code(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct compiler_options options = {.keep_atomics = !benchmark->fold_atomics};
   struct bench_codegen codegen = benchmark->codegen;
   struct codecheck_body body;
   struct compiler_result compiled;
   int code = EXIT_OK;

   if (bench_build(benchmark, variant, &options, &compiled) < 0) {
      code = complain(EXIT_FAILED, "%s/%s does not compile: %s", benchmark->group, benchmark->name,
                      compiled.log != NULL ? compiled.log : "");
   } else {
      const struct agx_program *program = compiled.programs[0];

      codegen.whole_program |= codegen.instruction == NULL && codegen.sequence == NULL;
      codecheck_count(program, &codegen, &body);
      printf("\n  %s, %u instructions", codegen.whole_program ? "main program" : "loop", body.found + body.others);
      if (codegen.instruction != NULL) {
         printf(" of which %u %s", body.found, benchmark->codegen.instruction);
      }
      puts(":");
      if (listing_code(program->set, program->code + body.start, body.end - body.start, body.start, ISA_SYNTAX_MESA,
                       stdout) < 0) {
         code = complain(EXIT_FAILED, "out of memory");
      }
   }
   compiler_result_finish(&compiled);
   return code;
}

static int describe_test(const struct selected *item, bool first)
{
   const char *today = uapi_today(item->test);

   printf("%s%s\n", first ? "" : "\n", item->name);
   printf("  promise     %s\n", uapi_promise(item->test));
   printf("  today       %s\n", today != NULL ? today : "the kernel keeps the promise");
   printf("  result      pass, fail or skip, without a figure; warn: a remark on which of the two a device follows\n");
   return EXIT_OK;
}

static int describe(const struct selected *item, bool first)
{
   if (item->benchmark == NULL) {
      return describe_test(item, first);
   }
   const struct bench_metric_info *metric = &bench_metrics[item->metric];
   const struct benchmark *benchmark = item->benchmark;
   struct bench_variant variants[2];

   metric_variants(benchmark, item->metric, variants);
   printf("%s%s: %s\n", first ? "" : "\n", item->name, benchmark->summary);
   printf("  metric      %s: %s\n", metric->name, metric->definition);
   if (metric_unit(benchmark, item->metric)[0] != '\0') {
      printf("  unit        %s\n", metric_unit(benchmark, item->metric));
   }
   printf("  formula     %s\n", metric->formula);
   const struct bench_occupancy occupancy = metric_occupancy(benchmark, item->metric);
   if (occupancy.group != 0) {
      printf("  occupancy   %u simdgroups a core: %u threadgroup%s of %u threads\n",
             occupancy.group / 32 * occupancy.threadgroups_per_core, occupancy.threadgroups_per_core,
             occupancy.threadgroups_per_core == 1 ? "" : "s", occupancy.group);
   } else {
      printf("  dispatch    %u threadgroup%s of %u threads\n", benchmark->dispatch.groups,
             benchmark->dispatch.groups == 1 ? "" : "s", benchmark->dispatch.group);
   }
   describe_reference(benchmark, item->metric);
   if (benchmark->skip != NULL) {
      printf("  skipped     %s\n", benchmark->skip);
      return EXIT_OK;
   }
   describe_kernel(benchmark, variants);
   describe_check(benchmark, variants);
   const int code = describe_source(benchmark);
   return code != EXIT_OK ? code : describe_code(benchmark, &variants[0]);
}

/* Writes the first program of one benchmark as .agx text, and nothing else, so that two builds can be compared with
 * diff. */
static int write_program(const struct selected *item, const struct program_settings *settings)
{
   struct compiler_result compiled;
   struct bench_variant variants[2];

   if (item->benchmark == NULL || item->benchmark->skip != NULL) {
      return complain(EXIT_INVALID, "%s has no program", item->name);
   }
   const struct compiler_options options = {.keep_atomics = !item->benchmark->fold_atomics};
   metric_variants(item->benchmark, item->metric, variants);
   const int code =
       bench_build(item->benchmark, &variants[0], &options, &compiled) < 0
           ? complain(EXIT_FAILED, "%s does not compile: %s", item->name, compiled.log != NULL ? compiled.log : "")
           : program_files_write(item->name, &compiled, PROGRAM_TEXT, settings, NULL);
   compiler_result_finish(&compiled);
   return code;
}

struct describe_options {
   struct command_line line;
   struct program_settings program;
};

#define FIELD(member) .field = offsetof(struct describe_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {&option_program, FIELD(program.whole)},
   {&option_compiler, FIELD(program.compiler)},
   {0},
};
/* clang-format on */

static int cmd_describe(const void *data)
{
   const struct describe_options *options = data;
   struct selection selection;
   int code = compiler_choose(options->program.compiler);

   if (code != EXIT_OK) {
      return code;
   }
   code = selection_make(&selection, &options->line.operands, &(struct selection_scope){0});
   if (code == EXIT_OK && options->program.whole && selection.count > 1) {
      code = complain(EXIT_INVALID, "describe --program: '%s' names %zu rows", options->line.operands.items[0],
                      selection.count);
   }
   for (size_t i = 0; code == EXIT_OK && i < selection.count; i++) {
      code = options->program.whole ? write_program(&selection.items[i], &options->program)
                                    : describe(&selection.items[i], i == 0);
   }
   selection_finish(&selection);
   return code;
}

const struct command command_describe = {
    .name = "describe",
    .operands = "NAME",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "describe one benchmark: purpose, formula, published figure, kernel, machine code",
    .rows = rows,
    .size = sizeof(struct describe_options),
    .run = cmd_describe,
};
