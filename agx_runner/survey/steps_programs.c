/* SPDX-License-Identifier: MIT
 *
 * Stores the machine code that a survey ran: that of its own kernels and of the benchmarks of the default run, so that
 * figures can be compared with the code. Invariant: a program is stored under its hash, which results name, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "agx_runner/measure/metric.h"
#include "agx_runner/program/count.h"
#include "agx_runner/survey/kernels.h"
#include "agx_runner/survey/step.h"

#define HASH_SIZE 17 /* 16 digits */

static int add_program(struct sheet *sheet, const struct agx_program *program, char hash[HASH_SIZE])
{
   char *text = malloc(2 * program->code_size + 1), name[32];

   if (text == NULL) {
      return -ENOMEM;
   }
   text[0] = '\0';
   for (size_t i = 0; i < program->code_size; i++) {
      snprintf(text + 2 * i, 3, "%02x", program->code[i]);
   }
   snprintf(hash, HASH_SIZE, "%016" PRIx64, agx_program_hash(program));
   snprintf(name, sizeof(name), "code %s", hash);
   sheet_fact(sheet, name, text);
   free(text);
   return 0;
}

static int add_kernels(struct session *session, struct sheet *sheet)
{
   struct compiler_result compiled;
   char hash[HASH_SIZE], name[AGX_NAME_SIZE + 16];
   int ret = survey_kernels_compile(session, session->info->atomic_coherency, &compiled);

   for (size_t i = 0; ret == 0 && i < compiled.count; i++) {
      ret = add_program(sheet, compiled.programs[i], hash);
      snprintf(name, sizeof(name), "program survey/%s", agx_program_name(compiled.programs[i]));
      sheet_fact(sheet, name, hash);
   }
   compiler_result_finish(&compiled);
   return ret;
}

/* Adds the two programs of a metric; some metrics have one. */
static int add_benchmark(struct session *session, struct sheet *sheet, const struct benchmark *benchmark,
                         enum bench_metric metric)
{
   const struct compiler_options options = benchmark_compiler_options(benchmark, session->info);
   struct bench_variant variants[2];
   char row[160], name[192], hashes[2][HASH_SIZE] = {"", ""}, both[2 * HASH_SIZE];
   int ret = 0;

   metric_name(benchmark, metric, row, sizeof(row));
   metric_variants(benchmark, metric, variants);
   for (unsigned i = 0; ret == 0 && i < (benchmark->scale == BENCH_SCALE_REPEAT ? 2u : 1u); i++) {
      struct compiler_result compiled;

      ret = bench_build(benchmark, &variants[i], &options, &compiled);
      ret = ret == 0 ? add_program(sheet, compiled.programs[0], hashes[i]) : ret == -ENOMEM ? ret : 0;
      compiler_result_finish(&compiled);
   }
   snprintf(name, sizeof(name), "program %s", row);
   snprintf(both, sizeof(both), "%s%s%s", hashes[0], hashes[1][0] != '\0' ? " " : "", hashes[1]);
   sheet_fact(sheet, name, both[0] != '\0' ? both : "does not compile");
   return ret;
}

int survey_programs(struct session *session, struct sheet *sheet)
{
   int ret = add_kernels(session, sheet);

   for (size_t i = 0; ret == 0 && i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);

      for (enum bench_metric metric = 0; ret == 0 && metric < BENCH_METRIC_COUNT; metric++) {
         if (bench_is_brief(i) && benchmark->skip == NULL && benchmark->metrics & 1u << metric &&
             bench_is_timed(metric)) {
            ret = session_interrupted(session) ? -EINTR : add_benchmark(session, sheet, benchmark, metric);
         }
      }
   }
   return ret;
}
