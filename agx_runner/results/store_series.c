/* SPDX-License-Identifier: MIT
 *
 * The runs of one benchmark in a store.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/statistics/stats.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/results/store.h"
#include "agx_runner/results/store_private.h"
#include "util/array.h"

static double number(sqlite3_stmt *statement, int column)
{
   return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, column);
}

static const char *text(sqlite3_stmt *statement, int column)
{
   const unsigned char *value = sqlite3_column_text(statement, column);

   return value != NULL ? (const char *)value : "";
}

static enum result_status status_of(const char *name)
{
   for (unsigned i = 0; i < RESULT_STATUS_COUNT; i++) {
      if (!strcmp(result_status_names[i], name)) {
         return i;
      }
   }
   return RESULT_INCOMPLETE; /* status of a later version */
}

int store_each(struct store *store, const char *name, bool (*visit)(void *data, const struct store_point *point),
               void *data)
{
   sqlite3_stmt *statement = NULL;
   int step = SQLITE_DONE;
   bool going = true;

   if (sqlite3_prepare_v2(store->database,
                          "SELECT name, device, chip, unit, time, mesa, mesa_commit, git_commit, virtual, run, status,"
                          " value, low, high, program_hash FROM result CROSS JOIN run ON run.id = result.run"
                          " WHERE ?1 IS NULL OR name = ?1 ORDER BY name, device, run",
                          -1, &statement, NULL) != SQLITE_OK) {
      return complain(EXIT_FAILED, "%s: cannot be read: %s", store->path, sqlite3_errmsg(store->database));
   }
   if (name != NULL) {
      sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
   }
   while (going && (step = sqlite3_step(statement)) == SQLITE_ROW) {
      const struct store_point point = {
          .name = text(statement, 0),
          .device = text(statement, 1),
          .chip = text(statement, 2),
          .unit = text(statement, 3),
          .time = text(statement, 4),
          .mesa = text(statement, 5),
          .mesa_commit = text(statement, 6),
          .commit = text(statement, 7),
          .is_virtual = sqlite3_column_int(statement, 8) != 0,
          .run = sqlite3_column_int64(statement, 9),
          .status = status_of(text(statement, 10)),
          .value = number(statement, 11),
          .low = number(statement, 12),
          .high = number(statement, 13),
          .program_hash = (uint64_t)sqlite3_column_int64(statement, 14),
      };
      going = visit(data, &point);
   }
   sqlite3_finalize(statement);
   return !going || step == SQLITE_DONE
              ? EXIT_OK
              : complain(EXIT_FAILED, "%s: cannot be read: %s", store->path, sqlite3_errmsg(store->database));
}

double store_floor(struct store *store, const char *name, const char *chip, bool is_virtual, int64_t before)
{
   sqlite3_stmt *statement = store->floor;
   double changes[256], last = NAN;
   sqlite3_int64 last_hash = 0;
   size_t count = 0;

   if (statement == NULL &&
       sqlite3_prepare_v2(store->database,
                          "SELECT value, program_hash FROM result CROSS JOIN run ON run.id = result.run"
                          " WHERE name = ? AND chip = ? AND virtual = ? AND run < ? AND value > 0 ORDER BY run DESC",
                          -1, &statement, NULL) != SQLITE_OK) {
      return NAN;
   }
   store->floor = statement;
   sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
   sqlite3_bind_text(statement, 2, chip, -1, SQLITE_STATIC);
   sqlite3_bind_int(statement, 3, is_virtual);
   sqlite3_bind_int64(statement, 4, before);
   while (count < ARRAY_COUNT(changes) && sqlite3_step(statement) == SQLITE_ROW) {
      const double value = sqlite3_column_double(statement, 0);
      const sqlite3_int64 hash = sqlite3_column_int64(statement, 1);

      if (last > 0 && hash == last_hash && hash != 0) {
         changes[count++] = fabs(log(value / last));
      }
      last = value;
      last_hash = hash;
   }
   sqlite3_reset(statement);
   if (count < FLOOR_PAIRS) {
      return NAN;
   }
   qsort(changes, count, sizeof(*changes), stats_compare);
   return exp(changes[(count * 9 - 1) / 10]) - 1;
}
