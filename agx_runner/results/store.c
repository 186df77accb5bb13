/* SPDX-License-Identifier: MIT
 *
 * The store: runs in an SQLite file. A run is appended completely or not at all.
 */
#include "agx_runner/results/store.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agx_runner/terminal/values.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/results/store_private.h"
#include "util/array.h"

#define APPLICATION_ID 0x61677872 /* "agxr" in the file's header, which identifies it for file(1) and this program */
#define BUSY_MS 60000             /* how long to wait for another writer */
#define BUSY_STEP_MS 5

/* The migrations from one version (user_version) to the next. Released ones never change; new ones are appended. */
static const char *const migrations[] = {
    "CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, device TEXT NOT NULL, chip TEXT NOT NULL,"
    " virtual INTEGER NOT NULL, time TEXT NOT NULL, mesa TEXT NOT NULL, mesa_commit TEXT NOT NULL,"
    " git_commit TEXT NOT NULL, count INTEGER NOT NULL, header TEXT NOT NULL);"
    "CREATE TABLE result (run INTEGER NOT NULL REFERENCES run(id), place INTEGER NOT NULL, name TEXT NOT NULL,"
    " status TEXT NOT NULL, unit TEXT NOT NULL, value REAL, low REAL, high REAL, program_hash INTEGER NOT NULL,"
    " line TEXT NOT NULL, PRIMARY KEY (run, place)) WITHOUT ROWID;"
    "CREATE INDEX series ON result (name, run, status, unit, value, low, high, program_hash);",
};
#define VERSION ((int)ARRAY_COUNT(migrations))

static int failed(const struct store *store, const char *what)
{
   return complain(EXIT_FAILED, "%s: %s: %s", store->path, what, sqlite3_errmsg(store->database));
}

static int execute(struct store *store, const char *sql, const char *what)
{
   return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK ? EXIT_OK : failed(store, what);
}

/* Returns the number that a pragma gives; -1: it cannot be read. */
static int pragma(struct store *store, const char *sql)
{
   sqlite3_stmt *statement = NULL;
   int value = -1;

   if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK &&
       sqlite3_step(statement) == SQLITE_ROW) {
      value = sqlite3_column_int(statement, 0);
   }
   sqlite3_finalize(statement);
   return value;
}

/* Checks that the file is not damaged, before anything is added to it. */
static int check_sound(struct store *store)
{
   sqlite3_stmt *statement = NULL;
   const char *text = NULL;
   int code = EXIT_OK;

   if (sqlite3_prepare_v2(store->database, "PRAGMA quick_check(1)", -1, &statement, NULL) == SQLITE_OK &&
       sqlite3_step(statement) == SQLITE_ROW) {
      text = (const char *)sqlite3_column_text(statement, 0);
   }
   if (text == NULL || strcmp(text, "ok") != 0) {
      code = complain(EXIT_FAILED, "%s: damaged, and left as it is: %s", store->path,
                      text != NULL ? text : sqlite3_errmsg(store->database));
   }
   sqlite3_finalize(statement);
   return code;
}

/* Checks that the file is a store of a known version. An empty file is a store without tables. */
static int check_kind(struct store *store, int *version)
{
   *version = pragma(store, "PRAGMA user_version");
   const int id = pragma(store, "PRAGMA application_id");
   const int tables = pragma(store, "SELECT count(*) FROM sqlite_master");

   if (*version < 0 || tables < 0) {
      const int error = sqlite3_errcode(store->database);

      if (error == SQLITE_READONLY || error == SQLITE_CANTOPEN) { /* its log and index, in the same folder */
         return failed(store, "the file or its folder cannot be written");
      }
      return complain(EXIT_INVALID, "%s: not a store, or damaged, and left as it is: %s", store->path,
                      sqlite3_errmsg(store->database));
   }
   if (id != APPLICATION_ID && (*version != 0 || tables != 0 || id != 0)) {
      return complain(EXIT_INVALID, "%s: a database, but not of agx-runner; left as it is", store->path);
   }
   if (*version > VERSION) {
      return complain(EXIT_INVALID, "%s: made by a newer agx-runner (version %d, this one knows %d); left as it is",
                      store->path, *version, VERSION);
   }
   return EXIT_OK;
}

static int migrate(struct store *store)
{
   char sql[96];
   int version, code = execute(store, "BEGIN IMMEDIATE", "cannot be written");

   if (code == EXIT_OK) {
      code = check_kind(store, &version); /* another process may have been faster */
      for (; code == EXIT_OK && version < VERSION; version++) {
         code = execute(store, migrations[version], "cannot be brought up to date");
      }
      snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APPLICATION_ID,
               VERSION);
      code = code == EXIT_OK ? execute(store, sql, "cannot be written") : code;
      if (code != EXIT_OK) {
         sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
      }
   }
   return code;
}

/* Switching to write-ahead logging upgrades a lock. If two processes do that at the same time, SQLite reports "busy" to
 * one of them at once, to prevent a deadlock. That process tries again. */
static int set_modes(struct store *store)
{
   static const struct timespec pause = {.tv_nsec = BUSY_STEP_MS * 1000000L};
   /* FULL: an acknowledged run survives even a power failure. */
   static const char sql[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON";
   int result = SQLITE_BUSY;

   for (unsigned waited = 0; result == SQLITE_BUSY && waited < BUSY_MS; waited += BUSY_STEP_MS) {
      result = sqlite3_exec(store->database, sql, NULL, NULL, NULL);
      if (result == SQLITE_BUSY) {
         nanosleep(&pause, NULL);
      }
   }
   return result == SQLITE_OK ? EXIT_OK : failed(store, "cannot be written");
}

static int prepare_to_write(struct store *store, int version)
{
   int code = version == 0 ? EXIT_OK : check_sound(store);

   if (code == EXIT_OK) {
      code = set_modes(store);
   }
   return code == EXIT_OK && version < VERSION ? migrate(store) : code;
}

/* SQLite creates the index of the write-ahead log in the folder of a store that it reads. If it cannot, and no log has
 * content that the file lacks, the store is opened as immutable: no other process can write to it either. */
static bool is_frozen(const char *path)
{
   char *folder = strdup(path), *log = NULL;
   struct stat status;
   bool frozen = folder != NULL && (access(path, W_OK) < 0 || access(dirname(folder), W_OK) < 0);

   if (frozen && asprintf(&log, "%s-wal", path) >= 0) {
      frozen = stat(log, &status) < 0 || status.st_size == 0;
      free(log);
   }
   free(folder);
   return frozen;
}

/* free() it; NULL: out of memory. */
static char *frozen_uri(const char *path)
{
   char *uri = NULL;
   size_t size;
   FILE *file = open_memstream(&uri, &size);

   if (file == NULL) {
      return NULL;
   }
   fputs("file:", file);
   for (; *path != '\0'; path++) {
      fprintf(file, strchr("?#%", *path) != NULL ? "%%%02x" : "%c", (unsigned)(unsigned char)*path);
   }
   fputs("?immutable=1", file);
   if (fclose(file) != 0) {
      free(uri);
      return NULL;
   }
   return uri;
}

static int open_database(struct store *store, bool write)
{
   const bool frozen = !write && is_frozen(store->path);
   char *uri = frozen ? frozen_uri(store->path) : NULL;

   if (frozen && uri == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   const int flags = frozen  ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                     : write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                             : SQLITE_OPEN_READWRITE;
   const int result = sqlite3_open_v2(frozen ? uri : store->path, &store->database, flags, NULL);
   free(uri);
   return result == SQLITE_OK ? EXIT_OK : failed(store, "cannot be opened");
}

int store_open(const char *path, bool write, struct store **out)
{
   struct store *store = calloc(1, sizeof(*store));
   struct stat status;
   int version, code = EXIT_OK;

   *out = NULL;
   if (store == NULL || (store->path = strdup(path)) == NULL) {
      free(store);
      return complain(EXIT_FAILED, "out of memory");
   }
   const bool there = stat(path, &status) == 0;
   const int error = errno;
   if (!there && (!write || error != ENOENT)) {
      code = complain(EXIT_INVALID, "%s: %s", path, strerror(error));
   } else if (there && !S_ISREG(status.st_mode)) {
      code = complain(EXIT_INVALID, "%s: a store is a file", path);
   } else if (write && there && access(path, W_OK) < 0) {
      code = complain(EXIT_FAILED, "%s: cannot be written: %s", path, strerror(errno));
   } else {
      code = open_database(store, write);
   }
   if (code == EXIT_OK) {
      sqlite3_busy_timeout(store->database, BUSY_MS);
      /* Uses a snapshot: another process may be creating the store, or adding to it. A reader stays in one transaction,
       * which also saves a lock for each query. */
      code = execute(store, "BEGIN", "cannot be read");
      code = code == EXIT_OK ? check_kind(store, &version) : code;
      if (write) {
         sqlite3_exec(store->database, "COMMIT", NULL, NULL, NULL);
      }
   }
   if (code == EXIT_OK && write) {
      code = prepare_to_write(store, version);
   } else if (code == EXIT_OK && version == 0) {
      code = complain(EXIT_INVALID, "%s: holds no run yet", path);
   }
   if (code != EXIT_OK) {
      store_close(store);
      return code;
   }
   *out = store;
   return EXIT_OK;
}

void store_close(struct store *store)
{
   if (store != NULL) {
      sqlite3_finalize(store->floor);
      sqlite3_close(store->database);
      free(store->path);
      free(store);
   }
}

/* Returns the run without its results, as JSON. free() releases it. */
static char *make_header(const struct result_run *run)
{
   struct result_run header = *run;
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);

   header.count = 0;
   header.results = NULL;
   const bool written = file != NULL && result_write_json(&header, file) == 0;
   if ((file != NULL && fclose(file) != 0) || !written) {
      free(text);
      return NULL;
   }
   return text;
}

static sqlite3_stmt *prepare(struct store *store, const char *sql)
{
   sqlite3_stmt *statement = NULL;

   return sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK ? statement : NULL;
}

static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
   sqlite3_bind_text(statement, column, text, -1, SQLITE_TRANSIENT);
}

static int append_run(struct store *store, const struct result_run *run)
{
   sqlite3_stmt *statement = prepare(store, "INSERT INTO run (device, chip, virtual, time, mesa, mesa_commit,"
                                            " git_commit, count, header) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
   char *header = make_header(run);
   int code = EXIT_OK;

   if (statement == NULL || header == NULL) {
      code = failed(store, "the run could not be stored");
   } else {
      bind_text(statement, 1, run->device.path);
      bind_text(statement, 2, run->device.chip);
      sqlite3_bind_int(statement, 3, run->device.is_virtual);
      bind_text(statement, 4, run->time);
      bind_text(statement, 5, run->mesa);
      bind_text(statement, 6, run->mesa_commit);
      bind_text(statement, 7, run->commit);
      sqlite3_bind_int64(statement, 8, (sqlite3_int64)run->count);
      bind_text(statement, 9, header);
      code = sqlite3_step(statement) == SQLITE_DONE ? EXIT_OK : failed(store, "the run could not be stored");
   }
   free(header);
   sqlite3_finalize(statement);
   return code;
}

static void bind_number(sqlite3_stmt *statement, int column, double value)
{
   if (isfinite(value)) {
      sqlite3_bind_double(statement, column, value);
   } else {
      sqlite3_bind_null(statement, column);
   }
}

static int append_result(struct store *store, sqlite3_stmt *statement, int64_t id, size_t place,
                         const struct result *result)
{
   char *line = result_to_line(result);

   if (line == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   sqlite3_bind_int64(statement, 1, id);
   sqlite3_bind_int64(statement, 2, (sqlite3_int64)place);
   bind_text(statement, 3, result->name);
   bind_text(statement, 4, result_status_names[result->status]);
   bind_text(statement, 5, result->unit);
   bind_number(statement, 6, result->value);
   bind_number(statement, 7, result->low);
   bind_number(statement, 8, result->high);
   sqlite3_bind_int64(statement, 9, (sqlite3_int64)result->program_hash);
   sqlite3_bind_text(statement, 10, line, -1, free);
   const bool done = sqlite3_step(statement) == SQLITE_DONE;
   sqlite3_reset(statement);
   return done ? EXIT_OK : failed(store, "a result could not be stored");
}

int store_append(struct store *store, const struct result_run *run, int64_t *id)
{
   int code = execute(store, "BEGIN IMMEDIATE", "cannot be written");
   sqlite3_stmt *statement = NULL;

   if (code != EXIT_OK) {
      return code;
   }
   code = append_run(store, run);
   *id = sqlite3_last_insert_rowid(store->database);
   statement = prepare(store, "INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
   if (code == EXIT_OK && statement == NULL) {
      code = failed(store, "the run could not be stored");
   }
   for (size_t i = 0; code == EXIT_OK && i < run->count; i++) {
      code = append_result(store, statement, *id, i, &run->results[i]);
   }
   sqlite3_finalize(statement);
   if (code == EXIT_OK) {
      code = execute(store, "COMMIT", "the run could not be stored");
   }
   if (code != EXIT_OK) {
      sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
   }
   return code;
}

int store_probe(const char *path)
{
   struct store *store;
   const int code = store_open(path, true, &store);

   store_close(store);
   return code;
}

int store_keep(const char *path, const struct result_run *run)
{
   struct store *store;
   int64_t id = 0;
   int code = store_open(path, true, &store);

   if (code == EXIT_OK) {
      code = store_append(store, run, &id);
      store_close(store);
   }
   if (code == EXIT_OK) {
      note("%s: stored as run %" PRId64, path, id);
   }
   return code;
}

int64_t store_find(struct store *store, const char *name)
{
   uint64_t number = 0;
   int64_t id = -1;
   const bool latest = !strncmp(name, "latest", 6);
   const char *digits = !latest ? name : name[6] == '~' ? name + 7 : name[6] == '\0' ? "0" : "";

   if (!number_parse(digits, 0, INT64_MAX, &number)) {
      return -1;
   }
   sqlite3_stmt *statement = prepare(store, latest ? "SELECT id FROM run ORDER BY id DESC LIMIT 1 OFFSET ?"
                                                   : "SELECT id FROM run WHERE id = ?");
   sqlite3_bind_int64(statement, 1, (sqlite3_int64)number);
   if (statement != NULL && sqlite3_step(statement) == SQLITE_ROW) {
      id = sqlite3_column_int64(statement, 0);
   }
   sqlite3_finalize(statement);
   return id;
}

static int load_results(struct store *store, int64_t id, struct result_run *run)
{
   sqlite3_stmt *statement = prepare(store, "SELECT line FROM result WHERE run = ? ORDER BY place");
   char message[256];
   int code = statement != NULL ? EXIT_OK : failed(store, "cannot be read");
   int step = SQLITE_DONE;

   sqlite3_bind_int64(statement, 1, id);
   while (code == EXIT_OK && (step = sqlite3_step(statement)) == SQLITE_ROW) {
      struct result *result = result_add(run, "");

      if (result == NULL) {
         code = complain(EXIT_FAILED, "out of memory");
      } else if (result_from_line((const char *)sqlite3_column_text(statement, 0), result, message, sizeof(message)) <
                 0) {
         code = complain(EXIT_FAILED, "%s: run %" PRId64 ": %s", store->path, id, message);
      }
   }
   if (code == EXIT_OK && step != SQLITE_DONE) {
      code = failed(store, "cannot be read");
   }
   sqlite3_finalize(statement);
   return code;
}

int store_load(struct store *store, const char *name, struct result_run *run)
{
   const int64_t id = store_find(store, name);
   sqlite3_stmt *statement = prepare(store, "SELECT header FROM run WHERE id = ?");
   char message[256];
   int code;

   sqlite3_bind_int64(statement, 1, id);
   if (id < 0) {
      code = complain(EXIT_INVALID, "%s: no run '%s': runs are named by number, latest, latest~1 and so on",
                      store->path, name);
   } else if (statement == NULL || sqlite3_step(statement) != SQLITE_ROW) {
      code = failed(store, "cannot be read");
   } else {
      const char *header = (const char *)sqlite3_column_text(statement, 0);
      const int ret =
          header == NULL ? -ENOMEM : result_run_parse(header, strlen(header), run, message, sizeof(message));

      code = ret == 0 ? load_results(store, id, run)
                      : complain(EXIT_FAILED, "%s: run %" PRId64 ": %s", store->path, id,
                                 ret == -ENOMEM ? "out of memory" : message);
      if (ret == 0 && code != EXIT_OK) {
         result_run_finish(run);
      }
   }
   sqlite3_finalize(statement);
   return code;
}
