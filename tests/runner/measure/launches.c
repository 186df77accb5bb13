/* SPDX-License-Identifier: MIT
 *
 * The group launch/ recovers the costs that a virtual device was given, which it does not know; it gives no figure
 * where the device models none, and notices launches that read too early and kernels that write something wrong. The
 * linker puts the function below in front of asahi_submit().
 */
#include "agx_runner/measure/launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/measure/measure.h"
#include "agx_runner/terminal/runner.h"
#include "tests/check.h"
#include "tests/runner/measure/measure_one.h"
#include "util/array.h"

static double busy_ns; /* of all submissions, by the device's clock */
static bool reversed;  /* the launches of a command run in the reverse order, as without a barrier */

int __real_asahi_submit(struct asahi_device *device, const struct asahi_command *commands, size_t count,
                        uint64_t timeout_ns, struct asahi_timing *timings);
int __wrap_asahi_submit(struct asahi_device *device, const struct asahi_command *commands, size_t count,
                        uint64_t timeout_ns, struct asahi_timing *timings);

int __wrap_asahi_submit(struct asahi_device *device, const struct asahi_command *commands, size_t count,
                        uint64_t timeout_ns, struct asahi_timing *timings)
{
   if (!reversed || count != 1 || commands[0].count != 2) {
      const int ret = __real_asahi_submit(device, commands, count, timeout_ns, timings);

      busy_ns += ret == 0 && timings != NULL ? (double)(timings[count - 1].end_ns - timings[0].start_ns) : 0;
      return ret;
   }
   const struct asahi_dispatch turned[2] = {commands[0].dispatches[1], commands[0].dispatches[0]};
   const struct asahi_command command = {turned, 2, commands[0].cdm};

   return __real_asahi_submit(device, &command, 1, timeout_ns, timings);
}

static struct benchmark find(const char *name)
{
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->group, "launch") && !strcmp(bench_at(i)->name, name)) {
         return *bench_at(i);
      }
   }
   fprintf(stderr, "no benchmark launch/%s\n", name);
   exit(EXIT_FAILURE);
}

static struct result measure(struct session *session, const struct benchmark *benchmark)
{
   const enum bench_metric metric = (enum bench_metric)__builtin_ctz(benchmark->metrics);
   return measure_one(session, benchmark, metric, 3);
}

static void open_device(struct session *session, const char *device)
{
   if (session_open(session, device, 30) != EXIT_OK) {
      exit(EXIT_FAILURE);
   }
}

/* Parameters that no chip's row has. */
static const char parameters[] = "command/launch 271\n"
                                 "command/barrier-full 5310\n"
                                 "command/barrier-part 433\n"
                                 "command/concurrent 57\n"
                                 "command/concurrent-part 3\n"
                                 "command/concurrent-bit-2 19\n"
                                 "command/stream-start 3900\n"
                                 "command/stream-gap 17000\n";

static const struct {
   const char *name;
   double value;
} recovered[] = {
    {"empty", 271},
    {"empty-full", 271 + 5310},
    {"stream-1", 3900 + 271 + 5310},
    {"stream-16", 3900 + 16 * (271 + 5310)},
    {"gap-2", 17000},
    {"gap-8", 17000},
    {"barrier-bit-4", 433},
    {"barrier-bit-8", 5310},
    {"barrier-full", 5310},
    {"side-by-side-bit-2", 19},
    {"side-by-side-bit-16", 3},
    {"side-by-side-bit-9", 1},
    {"side-by-side-1", 57},
};

static void test_recovered(void)
{
   char path[] = "/tmp/launches-XXXXXX", device[160];
   const int file = mkstemp(path);
   struct session session;

   if (file < 0 || write(file, parameters, sizeof(parameters) - 1) != sizeof(parameters) - 1 || close(file) != 0) {
      perror(path);
      exit(EXIT_FAILURE);
   }
   snprintf(device, sizeof(device), "virtual:m1-pro,dvfs=command,hosttime=50us,params=%s", path);
   open_device(&session, device);
   for (size_t i = 0; i < ARRAY_COUNT(recovered); i++) {
      const struct benchmark benchmark = find(recovered[i].name);
      const struct result result = measure(&session, &benchmark);

      CHECK(result.status == RESULT_PASS && fabs(result.value / recovered[i].value - 1) < 0.01, "%s: %g, given %g: %s",
            recovered[i].name, result.value, recovered[i].value, result.reason);
   }
   /* A bit that waits for nothing has no price. */
   const struct benchmark seven = find("barrier-bit-7");
   struct result result = measure(&session, &seven);
   CHECK(result.status == RESULT_PASS && fabs(result.value) < 1, "bit 7: %g ns: %s", result.value, result.reason);
   const struct benchmark preamble = find("preamble-64");
   result = measure(&session, &preamble);
   CHECK(result.status == RESULT_SKIP && strstr(result.reason, "preamble") != NULL, "%s", result.reason);
   session_close(&session);
   unlink(path);
}

static void test_plain_device(void)
{
   struct session session;

   open_device(&session, "virtual:m1");
   static const char *const skipped[] = {"empty", "stream-4", "gap-4", "barrier-bit-3", "side-by-side-4", "idle-1"};
   for (size_t i = 0; i < ARRAY_COUNT(skipped); i++) {
      const struct benchmark benchmark = find(skipped[i]);
      const struct result result = measure(&session, &benchmark);

      CHECK(result.status == RESULT_SKIP && strstr(result.reason, "dvfs=command") != NULL, "%s: %s", skipped[i],
            result.reason);
   }
   /* A partial simdgroup takes as long as a whole one; one thread more than a simdgroup takes two. */
   const struct benchmark small = find("group-31"), whole = find("group-32"), more = find("group-1024");
   const struct result times[] = {measure(&session, &small), measure(&session, &whole), measure(&session, &more)};
   CHECK(times[0].status == RESULT_PASS && fabs(times[0].value / times[1].value - 1) < 0.05,
         "31 threads: %g ns, 32 threads: %g ns", times[0].value, times[1].value);
   CHECK(times[2].value > 8 * times[1].value, "1024 threads: %g ns, 32 threads: %g ns", times[2].value, times[1].value);
   session_close(&session);
}

static void expect_nothing(const struct benchmark *benchmark, const struct bench_variant *variant,
                           const struct bench_io *io, uint8_t *expected)
{
   (void)benchmark, (void)variant;
   memset(expected, 0, io->threads * sizeof(uint32_t));
}

static void test_answers(void)
{
   struct session session;

   open_device(&session, "virtual:m1");
   struct benchmark order = find("order-default");
   struct result result = measure(&session, &order);
   CHECK(result.status == RESULT_PASS && result.value == 0, "in order: %g: %s", result.value, result.reason);
   reversed = true;
   result = measure(&session, &order);
   reversed = false;
   CHECK(result.status == RESULT_FAIL && strstr(result.reason, "were read before") != NULL, "consumer first: %s",
         result.reason);
   struct benchmark stack = find("stack-1024");
   stack.expect = expect_nothing;
   result = measure(&session, &stack);
   CHECK(result.status == RESULT_FAIL && strstr(result.reason, "wrong answer") != NULL, "%s", result.reason);
   session_close(&session);
}

/* Which jobs of several queues meet is the host's affair on a virtual device: a skip. As if it were hardware, the
 * figures are those of one job at a time, and a wrong answer is noticed. */
static void test_queues(void)
{
   static const struct {
      const char *name;
      double low, high; /* jobs at once; ns that a job waits behind 16 of about 2 ms, below 0: before all */
   } rows[] = {{"two-queues", 0.01, 1}, {"overtaken-same", 30e6, 1e9}, {"overtaken-low", -1e9, 1e9}};
   struct session session;

   open_device(&session, "virtual:m1,dvfs=command,hosttime=1us");
   struct asahi_device_info as_hardware = *session.info;
   as_hardware.is_virtual = false;
   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      struct benchmark benchmark = find(rows[i].name);
      struct result result = measure(&session, &benchmark);

      CHECK(result.status == RESULT_SKIP && strstr(result.reason, "host") != NULL, "%s", result.reason);
      const struct asahi_device_info *info = session.info;
      session.info = &as_hardware;
      result = measure(&session, &benchmark);
      CHECK(result.status == RESULT_PASS && result.value >= rows[i].low && result.value <= rows[i].high, "%s: %g: %s",
            rows[i].name, result.value, result.reason);
      benchmark.expect = expect_nothing;
      result = measure(&session, &benchmark);
      CHECK(result.status == RESULT_FAIL && strstr(result.reason, "wrong answer") != NULL, "%s", result.reason);
      session.info = info;
   }
   session_close(&session);
}

/* Where the clock follows the load, the load runs before the launches; before a figure about pauses it does not. */
static void test_load(void)
{
   const struct benchmark gap = find("gap-8"), idle = find("idle-3");
   struct session session;

   open_device(&session, "virtual:m1,dvfs=real,hosttime=100us");
   const double settle = (double)session.info->settle_ns;
   struct result result = measure(&session, &gap);
   CHECK(result.status == RESULT_PASS, "%s", result.reason);
   CHECK(busy_ns >= settle, "%g ns of load, not %g", busy_ns, settle);
   result_finish(&result);
   busy_ns = 0;
   result = measure(&session, &idle);
   CHECK(result.status == RESULT_PASS && busy_ns < settle, "%s: %g ns", result.reason, busy_ns);
   result_finish(&result);
   session_close(&session);
}

int main(void)
{

   test_recovered();
   test_plain_device();
   test_answers();
   test_queues();
   test_load();
   return check_result();
}
