/* SPDX-License-Identifier: MIT
 *
 * Runs kept in one file (SQLite, write-ahead log): what `run --store` and `import` append to, and `history`, `compare`
 * and `report` read. Several processes may use it at once.
 *
 * A file that is no store, that is damaged, or that a newer agx-runner made is refused and left as it is.
 */
#ifndef AGX_RUNNER_STORE_H
#define AGX_RUNNER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agx_runner/results/result.h"

struct store;

/* Messages are printed by all of these; what they return is an enum exit_code. */

/* To write: makes the file where there is none, and brings an older store up to date. */
int store_open(const char *path, bool write, struct store **store);
void store_close(struct store *store); /* NULL is fine */

/* All of the run or, if anything fails, nothing. When it returns EXIT_OK the run is on the disk; *id is its number. */
int store_append(struct store *store, const struct result_run *run, int64_t *id);
/* Can the store be written to? Better known before a run than after it. */
int store_probe(const char *path);
/* open, append, close, and a note with the number. */
int store_keep(const char *path, const struct result_run *run);

/* `name`: a run's number, "latest", or "latest~N": the N-th before it. On success result_run_finish() must follow. */
int store_load(struct store *store, const char *name, struct result_run *run);

/* What history is made of, ordered by name, device, run. The text lives until the next call. */
struct store_point {
   const char *name, *device, *chip, *unit, *time, *mesa, *mesa_commit, *commit;
   bool is_virtual;
   int64_t run;
   enum result_status status;
   double value, low, high; /* NAN unless pass */
   uint64_t program_hash;
};
/* One point of `name` after the other (NULL: of all names) to `visit`, until it says false. */
int store_each(struct store *store, const char *name, bool (*visit)(void *data, const struct store_point *point),
               void *data);

/* The number of the run that `name` means; -1: there is none. */
int64_t store_find(struct store *store, const char *name);

/* The noise floor of a benchmark on a kind of chip: of the changes from one run to the next with the same machine code,
 * what nine in ten stay below, as a share. Runs from number `before` on have no say. NAN: fewer than FLOOR_PAIRS such
 * changes. */
#define FLOOR_PAIRS 5
double store_floor(struct store *store, const char *name, const char *chip, bool is_virtual, int64_t before);

#endif
