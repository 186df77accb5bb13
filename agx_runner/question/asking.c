/* SPDX-License-Identifier: MIT
 *
 * Measures the figures of a question in this process: they are a kernel or two. Invariant: a question never waits for
 * another process, and the device is open for one question.
 */
#include <math.h>
#include <string.h>

#include "agx_runner/correlate/ask.h"
#include "agx_runner/question/question.h"
#include "agx_runner/terminal/runner.h"

int asking_open(struct asking *asking, const struct question_settings *settings)
{
   const struct measure_settings measuring = {
       .samples = settings->samples, .seed = settings->seed, .ffma_cycles = settings->ffma_cycles};
   char why[240];

   *asking = (struct asking){0};
   const int code = session_open(&asking->session, settings->device, settings->timeout);
   if (code == EXIT_OK && !measure_start(&asking->measure, &asking->session, &measuring, why, sizeof(why))) {
      session_close(&asking->session);
      return complain(EXIT_INVALID, "%s", why);
   }
   return code;
}

void asking_close(struct asking *asking)
{
   measure_finish(&asking->measure);
   session_close(&asking->session);
}

static void take_result(struct question_figure *figure, const struct result *result)
{
   if (result->status == RESULT_PASS) {
      figure->value = result->value;
      figure->low = result->low;
      figure->high = result->high;
      figure->samples = result->sample_count;
      figure->clock_hz = (double)result->clock_hz;
      snprintf(figure->unit, sizeof(figure->unit), "%s", result->unit);
   } else {
      snprintf(figure->reason, sizeof(figure->reason), "%s: %.200s", result_status_names[result->status],
               result->reason);
   }
}

int asking_measure(struct asking *asking, const char *text, struct question_figure *figure)
{
   struct ask ask;
   struct result result;

   *figure = (struct question_figure){.value = NAN};
   int code = ask_parse(text, &ask);
   if (code == EXIT_OK && (ask.count != 1 || ask.parts[0].count != 1 || ask.parts[0].items[0].benchmark == NULL)) {
      code = complain(EXIT_INVALID, "'%s': a question asks one benchmark, or one mix", text);
   }
   if (code == EXIT_OK) {
      const struct selected *item = &ask.parts[0].items[0];

      result_init(&result, item->name);
      (void)measure_benchmark(&asking->measure, item->benchmark, item->metric, &result);
      take_result(figure, &result);
      result_finish(&result);
      code = session_interrupted(&asking->session) ? complain(EXIT_ABORTED, "interrupted") : EXIT_OK;
   }
   ask_finish(&ask);
   return code;
}
