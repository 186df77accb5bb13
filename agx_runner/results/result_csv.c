/* SPDX-License-Identifier: MIT
 *
 * A run as CSV: one row for each result, or for each sample. Every row names its run, so that files can be
 * concatenated.
 */
#include <inttypes.h>
#include <math.h>

#include "agx_runner/terminal/markup.h"
#include "agx_runner/results/result.h"

static void text(const char *value, FILE *file)
{
   fputc(',', file);
   markup_csv(value, file);
}

static void number(double value, FILE *file)
{
   fputc(',', file);
   if (isfinite(value)) {
      fprintf(file, "%.9g", value);
   }
}

/* 0 means "none" in the model. */
static void integer(uint64_t value, FILE *file)
{
   fputc(',', file);
   if (value != 0) {
      fprintf(file, "%" PRIu64, value);
   }
}

static void hash(uint64_t value, FILE *file)
{
   fputc(',', file);
   if (value != 0) {
      fprintf(file, "%016" PRIx64, value);
   }
}

static void write_run(const struct result_run *run, FILE *file)
{
   text(run->device.path, file);
   text(run->device.is_virtual ? "virtual" : "hardware", file);
   text(run->device.chip, file);
   text(run->agx_runner, file);
   text(run->commit, file);
   text(run->mesa, file);
   text(run->mesa_commit, file);
   text(run->mesa_debug, file);
   text(run->kernel, file);
   text(run->host, file);
   text(run->time, file);
   fprintf(file, ",%" PRIu64 "\n", run->seed);
}

#define RUN_COLUMNS "device,kind,chip,agx_runner,commit,mesa,mesa_commit,mesa_debug,kernel,host,time,seed"

static void write_row(const struct result_run *run, const struct result *result, FILE *file)
{
   static const char *const checks[] = {"", "pass", "fail"};

   markup_csv(result->name, file);
   text(result_status_names[result->status], file);
   text(result->reason, file);
   text(result->unit, file);
   number(result->value, file);
   number(result->low, file);
   number(result->high, file);
   integer(result->sample_count, file);
   number(result->reference, file);
   text(result->reference_qualifier, file);
   text(result->reference_source, file);
   text(result->instruction, file);
   integer(result->expected, file);
   integer(result->found, file);
   text(checks[result->check], file);
   integer(result->occupancy, file);
   integer(result->clock_hz, file);
   text(result->clock_states, file);
   hash(result->program_hash, file);
   hash(result->source_hash, file);
   for (unsigned i = 0; i < PROGRAM_STAT_COUNT; i++) {
      number(result->program.known ? result->program.values[i] : NAN, file);
   }
   write_run(run, file);
}

int result_write_csv(const struct result_run *run, FILE *file)
{
   fputs("name,status,reason,unit,value,low,high,samples,reference,reference_qualifier,reference_source,instruction,"
         "expected,found,check,occupancy,clock_hz,clock_states,program_hash,source_hash",
         file);
   for (unsigned i = 0; i < PROGRAM_STAT_COUNT; i++) {
      fprintf(file, ",program_%s", program_stat_infos[i].key);
   }
   fputs("," RUN_COLUMNS "\n", file);
   for (size_t i = 0; i < run->count; i++) {
      write_row(run, &run->results[i], file);
   }
   return 0;
}

int result_write_csv_samples(const struct result_run *run, FILE *file)
{
   fputs("name,unit,sample,value," RUN_COLUMNS "\n", file);
   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];

      for (size_t s = 0; s < result->sample_count; s++) {
         markup_csv(result->name, file);
         text(result->unit, file);
         fprintf(file, ",%zu", s + 1);
         number(result->samples[s], file);
         write_run(run, file);
      }
   }
   return 0;
}
