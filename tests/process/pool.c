/* SPDX-License-Identifier: MIT
 *
 * The pool with units that have no results: what it tells its caller about units that end, crash, hang or talk
 * nonsense, and about a device that does not survive one.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/child/child.h"
#include "process/pool.h"
#include "process/worker.h"
#include "util/exit_code.h"
#include "tests/check.h"

enum { FINE, ABORTS, HANGS, NONSENSE, UNOPENED, FAILS, UNITS };

static const char *const names[UNITS] = {"fine", "aborts", "hangs", "nonsense", "unopened", "fails"};

/* What the pool has said about each unit. */
static struct {
   int fate; /* enum unit_fate; -1: it ended */
   char text[200];
   bool done, ended;
} seen[UNITS];
static void check(bool good, unsigned unit, const char *what)
{
   if (!good) {
      printf("%s: %s; fate %d, \"%s\"\n", names[unit], what, seen[unit].fate, seen[unit].text);
      check_failures++;
   }
}

static const char *name(const void *data, size_t unit)
{
   (void)data;
   return names[unit];
}

static bool run(struct worker *worker, size_t unit)
{
   if (unit == ABORTS) {
      abort();
   }
   while (unit == HANGS) {
      pause();
   }
   if (unit == UNOPENED) {
      fprintf(stderr, "no such device\n");
      worker_unopened(worker);
   }
   child_report(worker->reports, "%s %s of %s", unit == NONSENSE ? "nonsense" : "value", names[unit], worker->device);
   return unit != FAILS;
}

static bool wanted(const void *data, size_t unit, unsigned *number)
{
   (void)data;
   *number = 1;
   return !seen[unit].done;
}

static bool begin(void *data, struct unit_try *try)
{
   (void)data;
   seen[try->unit].fate = -1;
   return true;
}

static bool report(void *data, struct unit_try *try, const char *word, const char *rest)
{
   (void)data;
   snprintf(seen[try->unit].text, sizeof(seen[0].text), "%s", rest);
   return strcmp(word, "value") == 0;
}

static bool complete(void *data, struct unit_try *try, bool *failed)
{
   (void)data;
   *failed = try->unit == FAILS;
   seen[try->unit].ended = true;
   return true;
}

static bool lose(void *data, struct unit_try *try, enum unit_fate fate, const char *why, double seconds)
{
   (void)data, (void)seconds;
   seen[try->unit].fate = (int)fate;
   snprintf(seen[try->unit].text, sizeof(seen[0].text), "%s", why);
   return true;
}

static enum try_end end(void *data, struct unit_try *try, char **line)
{
   (void)data, (void)line;
   seen[try->unit].done = true;
   return TRY_COUNTS;
}

static void forget(void *data, struct unit_try *try)
{
   (void)data, (void)try;
}

static int broken(void *data, int orders, int reports)
{
   (void)orders;
   child_report(reports, strcmp(data, "bad") == 0 ? "broken it burns" : "works");
   return 0;
}

static int run_pool(struct pool *pool)
{
   static const struct tries tries = {.wanted = wanted,
                                      .begin = begin,
                                      .report = report,
                                      .complete = complete,
                                      .lose = lose,
                                      .end = end,
                                      .forget = forget};
   static const struct work work = {.count = UNITS, .name = name, .run = run};

   memset(seen, 0, sizeof(seen));
   pool->limits = (struct pool_limits){.unit = 1, .idle = 60};
   pool->work = &work;
   pool->tries = &tries;
   pool->by_work = true;
   if (pool_open(pool) < 0) {
      return EXIT_FAILED;
   }
   const int code = pool_run(pool);
   pool_close(pool);
   return code;
}

static void check_unit(unsigned unit, int fate, const char *text)
{
   check(seen[unit].done, unit, "not recorded");
   check(seen[unit].fate == fate, unit, "another fate");
   check(strncmp(seen[unit].text, text, strlen(text)) == 0, unit, "another text");
}

int main(void)
{
   struct pool pool = {.jobs = 2, .device = "good", .check = broken};

   const int code = run_pool(&pool);
   check(code == EXIT_OK, FINE, "the run ended early");
   check_unit(FINE, -1, "fine of good");
   check_unit(ABORTS, UNIT_CRASHED, "killed by signal 6");
   check_unit(HANGS, UNIT_LATE, "no end after 1 s");
   check_unit(NONSENSE, UNIT_CRASHED, "killed by signal 9");
   check_unit(UNOPENED, UNIT_UNOPENED, "no such device");
   check_unit(FAILS, -1, "fails of good");
   /* The device does not survive the first failure: no unit after it runs. */
   pool = (struct pool){.jobs = 1, .device = "bad", .check = broken};
   check(run_pool(&pool) == EXIT_LOST, ABORTS, "the lost device was not noticed");
   check_unit(FINE, -1, "fine of bad");
   check_unit(ABORTS, UNIT_LOST, "it burns");
   check(!seen[HANGS].done, HANGS, "it was run");
   check(strstr(pool.why, "after aborts: it burns") != NULL, ABORTS, "the reason is not said");
   return check_failures != 0;
}
