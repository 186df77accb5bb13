/* SPDX-License-Identifier: MIT
 *
 * GET_TIME: spec/uapi.md 1.4.
 */
#include <time.h>

#include "uapi/test.h"

static void monotonic(struct uapi *u)
{
   uint64_t last = uapi_time(u);
   for (unsigned i = 0; i < 1000; i++) {
      uint64_t now = uapi_time(u);
      uapi_true(u, now >= last, "time went from %llu to %llu", (unsigned long long)last, (unsigned long long)now);
      last = now;
   }
}

/* Against the system's clock, to 1 % and a millisecond for the calls themselves. */
static void nanoseconds(struct uapi *u)
{
   const int64_t sleep_ns = 50000000, slack = 1000000;
   int64_t before = uapi_after(0);
   uint64_t start = uapi_time(u);
   int64_t after_start = uapi_after(0);
   nanosleep(&(struct timespec){.tv_nsec = sleep_ns}, NULL);
   int64_t before_end = uapi_after(0);
   int64_t passed = (int64_t)(uapi_time(u) - start);
   int64_t least = before_end - after_start, most = uapi_after(0) - before;
   uapi_true(u, passed >= least - least / 100 - slack && passed <= most + most / 100 + slack,
             "%lld ns of the device between %lld and %lld of the system", (long long)passed, (long long)least,
             (long long)most);
}

static void both_files(struct uapi *u)
{
   struct uapi other;
   if (uapi_reopen(u, &other)) {
      uint64_t first = uapi_time(u), second = uapi_time(&other), third = uapi_time(u);
      uapi_true(u, first <= second && second <= third, "two files of one device have different clocks");
   }
   uapi_close(&other);
}

static const struct uapi_test tests[] = {
    {"time/flags", "flags must be zero", .request = uapi_call_get_time, .edits = {ARG(drm_asahi_get_time, flags, 1)},
     .answers = E(EINVAL)},
    {"time/flags-high", "flags must be zero", .request = uapi_call_get_time,
     .edits = {ARG(drm_asahi_get_time, flags, UINT64_C(1) << 63)}, .answers = E(EINVAL)},
    {"time/input-ignored", "gpu_timestamp only goes out", .request = uapi_call_get_time,
     .edits = {ARG(drm_asahi_get_time, gpu_timestamp, UINT64_MAX)}, .answers = OK},
    {"time/monotonic", "time does not go back", .run = monotonic},
    {"time/nanoseconds", "time is in nanoseconds", .run = nanoseconds},
    {"time/files", "one clock for all files of a device", .run = both_files},
};
UAPI_AREA(time);
