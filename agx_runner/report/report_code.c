/* SPDX-License-Identifier: MIT
 *
 * The source and the machine code of a result's kernel.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/program/blocks.h"
#include "agx_runner/terminal/markup.h"
#include "agx_runner/measure/measure.h"
#include "agx_runner/report/report.h"
#include "agx_runner/program/sources.h"

#define LINES_MAX 96 /* of machine code: bodies repeat the same steps up to a hundred times */

static const char *const pipe_names[VGPU_PIPES] = {
    [VGPU_PIPE_FAST] = "fast",       [VGPU_PIPE_COMPLEX] = "complex", [VGPU_PIPE_CROSS] = "cross-lane",
    [VGPU_PIPE_CONTROL] = "control", [VGPU_PIPE_LOCAL] = "local",     [VGPU_PIPE_DEVICE] = "device",
};

/* The benchmark and metric of a result's name; NULL: not of this program's catalogue. */
static const struct benchmark *find(const char *name, enum bench_metric *metric)
{
   char candidate[RESULT_NAME_MAX];

   for (size_t i = 0; i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);
      const size_t length = strlen(benchmark->group);

      if (strncmp(name, benchmark->group, length) != 0 || name[length] != '/') {
         continue;
      }
      for (*metric = 0; *metric < BENCH_METRIC_COUNT; (*metric)++) {
         metric_name(benchmark, *metric, candidate, sizeof(candidate));
         if (benchmark->metrics & 1u << *metric && !strcmp(candidate, name)) {
            return benchmark;
         }
      }
   }
   return NULL;
}

static void write_line(const struct agx_program *program, const struct blocks *blocks, uint32_t i, FILE *file)
{
   const struct vgpu_cost *cost = &blocks->costs[i];
   struct isa_insn insn;
   char line[256];

   isa_decode(program->set, program->code + blocks->at[i], blocks->at[i + 1] - blocks->at[i], &insn);
   isa_print(&insn, ISA_SYNTAX_MESA, line, sizeof(line));
   fprintf(file, "%s%5" PRIx32 "  %6.2f %6.2f  %-10s  ", i > 0 && blocks->leader[i] ? "\n" : "",
           blocks->at[i] - blocks->start, (double)cost->interval / VGPU_TICKS, (double)cost->latency / VGPU_TICKS,
           pipe_names[cost->pipe]);
   markup_xml(line, file);
   fputc('\n', file);
}

static void write_listing(const struct agx_program *program, FILE *file)
{
   struct blocks blocks;
   uint32_t i = 0;

   if (blocks_decode(program, program->main_offset, program->main_size, &blocks)) {
      fputs("<details><summary>machine code, with each instruction's cycles as modelled</summary><pre>   at   pipe "
            "latency  pipe        instruction\n",
            file);
      for (; i < blocks.count && i < LINES_MAX && !blocks_is_padding(&blocks, i); i++) {
         write_line(program, &blocks, i, file);
      }
      if (i == LINES_MAX && i < blocks.count) {
         fprintf(file, "... %" PRIu32 " more\n", blocks.count - i);
      }
      fputs("</pre></details>\n", file);
   }
   blocks_finish(&blocks);
}

static void write_machine_code(const struct result_run *run, const struct result *result,
                               const struct benchmark *benchmark, enum bench_metric metric, FILE *file)
{
   const struct compiler_options options = benchmark_compiler_options(benchmark, &run->device);
   struct bench_variant variants[2];
   struct compiler_result compiled;

   metric_variants(benchmark, metric, variants);
   if (bench_build(benchmark, &variants[0], &options, &compiled) == 0) {
      if (agx_program_hash(compiled.programs[0]) == result->program_hash) {
         write_listing(compiled.programs[0], file);
      } else {
         fputs("<p class=\"soft\">The agx-runner that wrote this page compiles this kernel to other machine code than "
               "the "
               "one that measured it, so no code is shown.</p>\n",
               file);
      }
   }
   compiler_result_finish(&compiled);
}

void report_code(const struct result_run *run, const struct result *result, FILE *file)
{
   enum bench_metric metric;
   const struct benchmark *benchmark = result->program_hash != 0 ? find(result->name, &metric) : NULL;

   if (benchmark == NULL) {
      return;
   }
   const char *name = benchmark->source != NULL ? benchmark->source : benchmark->file;
   const struct source_file *source = name != NULL ? source_file_find(name) : NULL;
   if (source != NULL && source_hash(benchmark) == result->source_hash) {
      fprintf(file, "<p>Kernel source: <a href=\"#source-%s\">nir_kernels/%s</a>, ", source->name, source->name);
      markup_xml(benchmark->summary, file);
      fputs("</p>\n", file);
   } else if (source != NULL) {
      fprintf(file,
              "<p class=\"soft\">Kernel source: nir_kernels/%s. The file has changed since the measurement, so it is "
              "not shown.</p>\n",
              source->name);
   }
   write_machine_code(run, result, benchmark, metric, file);
}

/* The source file that a result's kernel stands in, as this program has it; NULL: none. */
static const struct source_file *source_of(const struct result *result)
{
   enum bench_metric metric;
   const struct benchmark *benchmark = result->program_hash != 0 ? find(result->name, &metric) : NULL;
   const char *name = benchmark == NULL ? NULL : benchmark->source != NULL ? benchmark->source : benchmark->file;

   return name != NULL && source_hash(benchmark) == result->source_hash ? source_file_find(name) : NULL;
}

int report_sources(const struct result_run *run, FILE *file)
{
   bool *used = calloc(source_file_count + 1, sizeof(*used));
   bool any = false;

   if (used == NULL) {
      return -ENOMEM;
   }
   for (size_t i = 0; i < run->count; i++) {
      const struct source_file *source = source_of(&run->results[i]);

      if (source != NULL) {
         used[source - source_files] = true;
      }
   }
   for (unsigned i = 0; i < source_file_count; i++) {
      if (!used[i]) {
         continue;
      }
      fputs(any ? "" : "<h2>Kernel sources</h2>\n", file);
      any = true;
      fprintf(file, "<details id=\"source-%s\"><summary>nir_kernels/%s</summary><pre>", source_files[i].name,
              source_files[i].name);
      markup_xml(source_files[i].text, file);
      fputs("</pre></details>\n", file);
   }
   free(used);
   return 0;
}
