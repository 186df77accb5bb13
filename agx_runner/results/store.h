/* SPDX-License-Identifier: MIT
 *
 * A file of runs (SQLite, write-ahead log): `run --store` and `import` append to it, and `history`, `compare` and
 * `report` read it. Several processes may use it at the same time.
 *
 * A file that is no store, that is damaged, or that a newer agx-runner made is refused and not changed.
 */
#ifndef AGX_RUNNER_STORE_H
#define AGX_RUNNER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agx_runner/results/result.h"

struct store;

/* All of these print messages and return an enum exit_code. */

/* For writing, creates the file if needed, and migrates an older store. */
int store_open(const char *path, bool write, struct store **store);
void store_close(struct store *store); /* NULL is fine */

/* Appends the whole run or, if anything fails, nothing. When it returns EXIT_OK, the run is on the disk; *id is its
 * number. */
int store_append(struct store *store, const struct result_run *run, int64_t *id);
/* Checks whether the store can be written, before a run rather than after it. */
int store_probe(const char *path);
/* Opens, appends, closes, and prints the run's number. */
int store_keep(const char *path, const struct result_run *run);

/* `name`: a run's number, "latest", or "latest~N": the N-th run before it. On success result_run_finish() must
 * follow. */
int store_load(struct store *store, const char *name, struct result_run *run);

/* A point of a history, ordered by name, device, run. The text is valid until the next call. */
struct store_point {
   const char *name, *device, *chip, *unit, *time, *mesa, *mesa_commit, *commit;
   bool is_virtual;
   int64_t run;
   enum result_status status;
   double value, low, high; /* NAN unless it passed */
   uint64_t program_hash;
};
/* Calls `visit` for each point of `name` (NULL: of all names), until it returns false. */
int store_each(struct store *store, const char *name, bool (*visit)(void *data, const struct store_point *point),
               void *data);

/* Returns the number of the run that `name` means; -1: there is none. */
int64_t store_find(struct store *store, const char *name);

/* Returns the noise floor of a benchmark on a kind of chip: the fraction that nine in ten changes from one run to the
 * next with the same machine code do not exceed. Runs from number `before` on do not count. NAN: fewer than FLOOR_PAIRS
 * such changes. */
#define FLOOR_PAIRS 5
double store_floor(struct store *store, const char *name, const char *chip, bool is_virtual, int64_t before);

#endif
