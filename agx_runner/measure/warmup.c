/* SPDX-License-Identifier: MIT
 *
 * The clock controller of these GPUs filters the load with time constants of 40 and 400 ms, and the GPU powers off
 * after 2 ms without work (docs/hardware.md). So the load runs without pauses, in submissions of many commands, until
 * the device's settling time has passed.
 */
#include "agx_runner/measure/warmup.h"

#include <math.h>
#include <stdlib.h>

#include "util/hash.h"

#define SUBMISSION_NS 125e6  /* device time of one submission of the load */
#define CLOCK_TOLERANCE 0.02 /* relative tolerance of the rates of the two clocks */
#define SUBMISSIONS_MAX 4096

double warm_up_clock_ratio(const struct session_span *shorter, const struct session_span *longer)
{
   return (longer->device - shorter->device) / (longer->host - shorter->host);
}

/* Compares the times of commands by their timestamps with those of the host's clock. Returns false if they differ. On
 * an M2 this is the only evidence that the end timestamp is written when the work has ended (spec/hardware-audit.md,
 * 7). */
static bool clocks_agree(const struct session_span *shorter, const struct session_span *longer, struct result *result)
{
   const double ratio = warm_up_clock_ratio(shorter, longer);

   if (fabs(ratio - 1) <= CLOCK_TOLERANCE) {
      return true;
   }
   result_set(result, RESULT_FAIL,
              "the commands' timestamps run at %.3f times the rate of CLOCK_MONOTONIC: no figure can be trusted",
              ratio);
   return false;
}

/* The same for commands that do the same work; not 0. */
static uint32_t load_number(const struct benchmark_pair *load)
{
   const struct benchmark_side *side = &load->sides[1];
   const uint64_t parts[] = {(uintptr_t)load, (uintptr_t)load->benchmark, side->iterations, side->threads,
                             load->part_threads};

   return util_hash_bytes(parts, sizeof(parts)) | 1;
}

/* A virtual device executes the load only as often as it must to know its time. */
static bool tell_load(struct session *session, uint32_t load)
{
   const int ret = asahi_device_set_load(session->device, load);

   return ret == 0 || measure_device_failed(session, "warm-up", ret);
}

bool warm_up(struct benchmark_pair *load)
{
   struct result *result = load->session->result;
   struct session *session = load->session;
   const double settle = (double)session->info->settle_ns, each = load->sides[1].nanoseconds;
   struct asahi_dispatch dispatches[ASAHI_COMMANDS_MAX];
   double nanoseconds[ASAHI_COMMANDS_MAX];
   struct session_span shorter = {0}, span;
   bool agree = true;

   if (settle <= 0 || each <= 0) {
      return true;
   }
   uint8_t *block = calloc(1, load->argument_bytes + 1);
   if (block == NULL) {
      return measure_no_memory(load->session);
   }
   size_t most = SUBMISSION_NS / each < 2 ? 2 : (size_t)(SUBMISSION_NS / each);
   most = most > session->info->commands_max ? session->info->commands_max : most;
   for (size_t i = 0; i < most; i++) {
      dispatches[i] = benchmark_pair_dispatch(load, 1, 0, block);
   }
   double passed = 0;
   agree = tell_load(session, load_number(load));
   for (unsigned i = 0; agree && i < SUBMISSIONS_MAX && (i < 3 || passed < settle); i++) {
      const size_t count = i == 1 ? most / 2 : most;
      const int ret = session_submit(session, dispatches, count, nanoseconds, &span);

      if (ret < 0) {
         agree = measure_device_failed(session, "warm-up", ret);
         break;
      }
      passed += span.device;
      /* the first submission may include the GPU's power-up */
      shorter = i == 1 ? span : shorter;
      agree = i != 2 || session->info->is_virtual || clocks_agree(&shorter, &span, result);
   }
   free(block);
   return tell_load(session, 0) && agree;
}
