/* SPDX-License-Identifier: MIT
 *
 * Steps about time: the spread of short jobs, offset and rate of the clocks, and the clock after a pause.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/launches.h"
#include "agx_runner/survey/kernels.h"
#include "agx_runner/survey/step.h"
#include "agx_runner/terminal/runner.h"
#include "util/clock.h"
#include "util/array.h"

#define JOBS_HARDWARE 10000
#define JOBS_VIRTUAL 500

/* Returns the smallest difference between two different times, which is the counter's step if there are enough
 * times. */
static double smallest_step(const double *sorted, size_t count)
{
   double step = 0;

   for (size_t i = 1; i < count; i++) {
      const double difference = sorted[i] - sorted[i - 1];

      if (difference > 0 && (step <= 0 || difference < step)) {
         step = difference;
      }
   }
   return step;
}

static int time_jobs(struct survey_kernels *kernels, struct sheet *sheet, double *times, size_t count)
{
   struct session *session = kernels->session;
   const struct asahi_dispatch empty = survey_dispatch(kernels, SURVEY_EMPTY, 32, 32);
   size_t before_start = 0, before_end = 0;
   double first = 0;

   for (size_t i = 0; i < count; i++) {
      const struct asahi_command command = {.dispatches = &empty, .count = 1};
      struct asahi_timing timing;
      uint64_t before, after;
      int ret = session_interrupted(session) ? -EINTR : asahi_device_time(session->device, &before);

      ret = ret == 0 ? asahi_submit(session->device, &command, 1, session->timeout_ns, &timing) : ret;
      ret = ret == 0 ? asahi_device_time(session->device, &after) : ret;
      if (ret < 0) {
         return ret;
      }
      before_start += before <= timing.start_ns;
      before_end += timing.end_ns <= after;
      times[i] = (double)(timing.end_ns - timing.start_ns);
      first = i == 0 ? (double)timing.start_ns - (double)before : first;
   }
   sheet_figure(sheet, "get-time-before-start", (double)count, "jobs", SHEET_DEVICE, (double)before_start,
                (double)before_start, (double)before_start);
   sheet_figure(sheet, "end-before-get-time", (double)count, "jobs", SHEET_DEVICE, (double)before_end,
                (double)before_end, (double)before_end);
   sheet_figure(sheet, "submit-to-start", 1, "ns", SHEET_HOST, first, first, first);
   return 0;
}

int survey_timestamps(struct session *session, struct sheet *sheet)
{
   const size_t count = session->info->is_virtual ? JOBS_VIRTUAL : JOBS_HARDWARE;
   static const double percentiles[] = {0, 1, 5, 25, 50, 75, 95, 99, 100};
   double *times = calloc(count, sizeof(*times));
   struct survey_kernels kernels;
   int ret = times == NULL ? -ENOMEM : survey_kernels_init(&kernels, session, sheet);

   if (times == NULL) {
      return ret;
   }
   ret = ret == 0 ? time_jobs(&kernels, sheet, times, count) : ret;
   if (ret == 0) {
      sheet_samples(sheet, "empty-job", (double)count, "ns", SHEET_DEVICE, times, count);
      for (size_t i = 0; i < ARRAY_COUNT(percentiles); i++) {
         const double value = times[(size_t)(percentiles[i] / 100 * (double)(count - 1))];

         sheet_figure(sheet, "empty-job-percentile", percentiles[i], "ns", SHEET_DEVICE, value, value, value);
      }
      const double step = smallest_step(times, count);
      sheet_figure(sheet, "smallest-difference", (double)count, "ns", SHEET_DEVICE, step, step, step);
   }
   survey_kernels_finish(&kernels);
   free(times);
   return ret;
}

int survey_slope(struct session *session, struct sheet *sheet)
{
   static const double lengths_ms[] = {1, 5, 20};
   const size_t last = ARRAY_COUNT(lengths_ms) - 1;
   double device[ARRAY_COUNT(lengths_ms)], host[ARRAY_COUNT(lengths_ms)];
   struct survey_kernels kernels;
   int ret = survey_kernels_init(&kernels, session, sheet);
   uint32_t iterations = 0;

   ret = ret == 0 ? survey_warm_up(&kernels) : ret;
   for (size_t i = 0; ret == 0 && i < ARRAY_COUNT(lengths_ms); i++) {
      const struct asahi_dispatch loop = survey_dispatch(&kernels, SURVEY_LOOP, 32, 32);
      double ns = 0;

      ret = survey_iterations(&kernels, lengths_ms[i] * 1e6, &iterations);
      survey_input(&kernels)[0] = iterations;
      const uint64_t before = util_clock_ns();
      ret = ret == 0 ? launches_submit(session, &loop, 1, NULL, &ns) : ret;
      host[i] = (double)(util_clock_ns() - before);
      device[i] = ns;
      const double ratio = device[i] / host[i];
      if (ret == 0) {
         sheet_figure(sheet, "job", lengths_ms[i], "ns", SHEET_DEVICE, ns, ns, ns);
         sheet_figure(sheet, "device-over-host", lengths_ms[i], "ratio", SHEET_HOST, ratio, ratio, ratio);
      }
   }
   /* the overhead of a round trip cancels */
   if (ret == 0) {
      const double slope = (device[last] - device[0]) / (host[last] - host[0]);

      sheet_figure(sheet, "slope", lengths_ms[last], "ratio", SHEET_HOST, slope, slope, slope);
   }
   survey_kernels_finish(&kernels);
   return ret;
}

/* Runs one empty job after each pause. By the device's clock: from a GET_TIME right before the submission to the job's
 * start (queue, firmware, power-up). By the host's: the whole round trip. Both depend on the host. */
int survey_overheads(struct session *session, struct sheet *sheet)
{
   static const double pauses_ms[] = {0, 1, 3, 10, 20, 50};
   struct survey_kernels kernels;
   double waits[9], trips[9];
   int ret = survey_kernels_init(&kernels, session, sheet);

   for (size_t i = 0; ret == 0 && i < ARRAY_COUNT(pauses_ms); i++) {
      const struct asahi_dispatch empty = survey_dispatch(&kernels, SURVEY_EMPTY, 32, 32);

      ret = launches_after_pause(session, &empty, pauses_ms[i], waits, trips, ARRAY_COUNT(waits));
      if (ret == 0) {
         sheet_samples(sheet, "submit-to-start-after-pause-ms", pauses_ms[i], "ns", SHEET_HOST, waits,
                       ARRAY_COUNT(waits));
         sheet_samples(sheet, "round-trip-after-pause-ms", pauses_ms[i], "ns", SHEET_HOST, trips, ARRAY_COUNT(trips));
      }
   }
   survey_kernels_finish(&kernels);
   return ret;
}

/* Runs the same work after each pause. On a virtual device with a constant clock it always takes the same time. */
int survey_ramp(struct session *session, struct sheet *sheet)
{
   static const double pauses_ms[] = {0, 1, 3, 10, 50};
   const enum sheet_clock clock = session->info->clock_hz != 0 ? SHEET_DEVICE : SHEET_HOST;
   struct survey_kernels kernels;
   double times[9];
   uint32_t iterations = 0;
   int ret = survey_kernels_init(&kernels, session, sheet);

   ret = ret == 0 ? survey_iterations(&kernels, 1e6, &iterations) : ret;
   for (size_t i = 0; ret == 0 && i < ARRAY_COUNT(pauses_ms); i++) {
      ret = survey_warm_up(&kernels);
      survey_input(&kernels)[0] = iterations;
      for (size_t k = 0; ret == 0 && k < ARRAY_COUNT(times); k++) {
         const struct asahi_dispatch loop = survey_dispatch(&kernels, SURVEY_LOOP, 32, 32);

         survey_pause(pauses_ms[i]);
         ret = launches_submit(session, &loop, 1, NULL, &times[k]);
      }
      if (ret == 0) {
         sheet_samples(sheet, "loop-after-pause-ms", pauses_ms[i], "ns", clock, times, ARRAY_COUNT(times));
      }
   }
   survey_kernels_finish(&kernels);
   return ret;
}
