/* SPDX-License-Identifier: MIT
 *
 * Selects how a benchmark's metric is measured. Every result has a figure or the reason why there is none.
 */
#include "agx_runner/measure/measure.h"

#include <math.h>
#include <string.h>

#include "agx_runner/measure/launches.h"
#include "agx_runner/measure/prepare.h"
#include "agx_runner/measure/residency.h"
#include "agx_runner/measure/run.h"
#include "agx_runner/program/check_reports.h"

/* Instruction budget of a large benchmark on a virtual device, which emulates it for minutes. The usual budget, which
 * detects endless programs, is too small for it. The time limits of the test and of its process remain. */
#define LARGE_BUDGET (UINT64_C(1) << 40)

bool measure_start(struct measure *measure, struct session *session, const struct measure_settings *settings, char *why,
                   size_t why_size)
{
   return sampler_start(&measure->sampler, session, settings, why, why_size);
}

void measure_finish(struct measure *measure)
{
   sampler_finish(&measure->sampler);
}

/* Returns why this chip has no 64-bit atomics; NULL: it has them. */
static const char *no_atomics_64(const struct asahi_device_info *info)
{
   return info->atomics_64         ? NULL
          : info->generation <= 13 ? "instruction absent on G13 (M1 family)"
                                   : "on a chip of several dies its encoding may mean another (spec/isa.md 4.3)";
}

/* One dispatch gives one figure without an interval, because no time is measured. */
static void measure_once(struct benchmark_pair *pair)
{
   struct result *result = pair->session->result;
   const struct benchmark *benchmark = pair->benchmark;
   char why[160] = "";

   if (!run_side(pair, 0)) {
      return;
   }
   if (benchmark->finding != NULL) {
      benchmark->finding(benchmark_pair_output(pair, 0), result->finding, sizeof(result->finding));
   }
   if (benchmark->figure != NULL) {
      const struct bench_io io = benchmark_pair_io(pair, 0);
      const double value =
          benchmark->figure(benchmark, pair->metric, &io, benchmark_pair_output(pair, 0), why, sizeof(why));

      if (isnan(value)) {
         result->check = RESULT_CHECK_FAIL;
         result_set(result, RESULT_FAIL, "%s", why);
         return;
      }
      if (pair->metric != BENCH_CHECK) {
         result->value = result->low = result->high = value;
      }
   }
   result->check = RESULT_CHECK_PASS;
}

static void measure_pair(struct measure *measure, struct benchmark_pair *pair)
{
   if (pair->benchmark->launch != NULL) {
      launches_measure(pair, &measure->sampler);
   } else if (bench_is_timed(pair->metric)) {
      const struct measure_settings *settings = &measure->sampler.settings;

      if (sampler_measure(&measure->sampler, pair) && settings->after != NULL) {
         settings->after(settings->after_data, pair);
      }
   } else if (pair->metric == BENCH_RESIDENCY) {
      residency_measure(pair);
   } else {
      measure_once(pair);
   }
}

static void finding(void *data, const char *text)
{
   struct result *result = data;

   if (result->status == RESULT_PASS || result->status == RESULT_INVALID) {
      result_set(result, RESULT_FAIL, "%.239s", text);
   }
}

bool measure_benchmark(struct measure *measure, const struct benchmark *benchmark, enum bench_metric metric,
                       struct result *result)
{
   struct sampler *sampler = &measure->sampler;
   struct session *session = sampler->session;
   const char *absent = benchmark->needs_atomics_64 ? no_atomics_64(session->info) : NULL;

   session_set_result(session, result);
   if (benchmark->skip != NULL || (absent != NULL && bench_is_timed(metric))) {
      result_set(result, RESULT_SKIP, "%s", benchmark->skip != NULL ? benchmark->skip : absent);
      return true;
   }
   if (benchmark->large && session->info->is_virtual) {
      const int ret = asahi_device_set_budget(session->device, LARGE_BUDGET);

      if (ret < 0) {
         (void)measure_device_failed(session, "budget", ret);
         return !session->lost;
      }
   }
   struct benchmark_pair *pair = prepare_pair(session, benchmark, metric, sampler->settings.seed);
   const bool other_code = result->status == RESULT_INVALID;
   char why[sizeof(result->reason)];

   memcpy(why, result->reason, sizeof(why));
   if (pair != NULL) {
      check_reports_forget(session->device);
      measure_pair(measure, pair);
      if (other_code) {
         prepare_settle_other_code(result, why);
      }
      (void)check_reports_each(session->device, pair->checked, finding, result);
   }
   if (absent != NULL && result->status == RESULT_FAIL && !session->lost) {
      char said[sizeof(result->reason)];

      memcpy(said, result->reason, sizeof(said));
      result_set(result, RESULT_SKIP, "%s: run anyway: %.150s", absent, said);
   }
   benchmark_pair_destroy(pair);
   if (benchmark->large && session->info->is_virtual && !session->lost) {
      (void)asahi_device_set_budget(session->device, 0);
   }
   return !session->lost;
}
