/* SPDX-License-Identifier: MIT
 *
 * The table of metrics in docs/measuring.md says what the rows of nir_kernels/metrics.h say: metrics FILE.md. Costs
 * equal what the written formulas give for a sample worked out by hand.
 */
#include "nir_kernels/benchmark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

static const char head[] = "| metric | unit | better | definition | formula |\n|---|---|---|---|---|\n";

static void write_table(FILE *file)
{
   fputs(head, file);
   for (size_t i = 0; i < BENCH_METRIC_COUNT; i++) {
      const struct bench_metric_info *metric = &bench_metrics[i];
      const bool figure = metric->unit == NULL || metric->unit[0] != '\0';

      fprintf(file, "| %s | %s | %s | %s | `%s` |\n", metric->name,
              !figure                ? "-"
              : metric->unit == NULL ? "the benchmark's"
                                     : metric->unit,
              !figure                  ? "-"
              : metric->more_is_better ? "more"
                                       : "less",
              metric->definition, metric->formula);
   }
   fputc('\n', file);
}

static char *slurp(FILE *file)
{
   static char text[1 << 17];
   const size_t size = fread(text, 1, sizeof(text) - 1, file);

   text[size] = '\0';
   return text;
}

static void test_document(const char *path)
{
   char *table = NULL;
   size_t size;
   FILE *memory = open_memstream(&table, &size), *file = fopen(path, "r");

   if (memory == NULL || file == NULL) {
      fprintf(stderr, "%s: cannot read\n", path);
      exit(EXIT_FAILURE);
   }
   write_table(memory);
   if (fclose(memory) != 0) {
      exit(EXIT_FAILURE);
   }
   const bool found = strstr(slurp(file), table) != NULL;
   fclose(file);
   CHECK(found, "%s lacks this table:\n%s", path, table);
   free(table);
}

/* 1000 ns at 1 GHz are 1000 cycles. */
static void test_costs(void)
{
   static const struct {
      enum bench_metric metric;
      bool per_cycle;
      double cost;
   } cases[] = {
       {BENCH_THROUGHPUT, false, 1000.0 / 500}, /* a scheduler issues 500 operations more in 1000 cycles */
       {BENCH_LATENCY, false, 1000.0 / 250},    {BENCH_RAW_LATENCY, false, 1000.0 / 250 + 3000.0 / 100},
       {BENCH_CONTROL, false, 2000.0 / 100},    {BENCH_RATE, false, 8000.0 / 1000},
       {BENCH_RATE, true, 128.0 * 500 / 1000}, /* 128 lanes a core, every second cycle */
   };
   struct bench_sample sample = {2000, 3000, 3000, 1e9, 500, 250, 8000, 128, 100, false};

   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      const struct bench_metric_info *metric = &bench_metrics[cases[i].metric];

      sample.per_cycle = cases[i].per_cycle;
      const double cost = metric->cost(&sample);
      CHECK(fabs(cost - cases[i].cost) < 1e-9, "%s: %g, not %g", metric->name, cost, cases[i].cost);
   }
   sample.longer_ns = 1000;
   CHECK(isnan(bench_metrics[BENCH_RATE].cost(&sample)), "a rate of a negative time");
   CHECK(bench_metrics[BENCH_LATENCY].cost(&sample) < 0, "noise keeps its sign");
}

int main(int argc, char **argv)
{

   if (argc != 2) {
      return EXIT_FAILURE;
   }
   test_document(argv[1]);
   test_costs();
   return check_result();
}
