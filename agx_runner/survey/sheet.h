/* SPDX-License-Identifier: MIT
 *
 * A sheet is the result of one step of a survey: figures, facts and benchmark results. A step runs in a process of its
 * own and writes its sheet as a JSON file.
 *
 * Invariant: a figure names the clock by which it was taken, so that a reader knows which figures depend on the host.
 */
#ifndef AGX_RUNNER_SHEET_H
#define AGX_RUNNER_SHEET_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

enum sheet_clock {
   SHEET_DEVICE, /* the device's timestamps, or a count */
   SHEET_HOST,   /* the host's clock, or both: differs from run to run even on a virtual device */
};

/* {"status", "reason", "facts": {}, "figures": [], "results": [], "run": {}}. results are complete results as in result
 * files (docs/result-schema.md) except for what belongs to the host; run: their "device" and "environment". */
struct sheet {
   struct json_object *root;
   bool out_of_memory;
};

bool sheet_init(struct sheet *sheet);
void sheet_finish(struct sheet *sheet);
void sheet_fact(struct sheet *sheet, const char *name, const char *text);
/* at: the condition of the figure (number of launches, bytes, ...). low and high: the quartiles of several samples, or
 * value. */
void sheet_figure(struct sheet *sheet, const char *quantity, double at, const char *unit, enum sheet_clock clock,
                  double low, double value, double high);
/* Adds the median and quartiles of the samples, and sorts them. */
void sheet_samples(struct sheet *sheet, const char *quantity, double at, const char *unit, enum sheet_clock clock,
                   double *samples, size_t count);
/* "done", or "failed", "skipped" or "partial" with the reason. A partial step was interrupted and can be resumed. */
__attribute__((format(printf, 3, 4))) void sheet_status(struct sheet *sheet, const char *status, const char *format,
                                                        ...);
/* Takes the results of a result file of `run`. Returns 0 or -EINVAL. */
int sheet_take_results(struct sheet *sheet, const char *path);
/* Takes the results so far from a folder of `run --results`. Returns their number. */
size_t sheet_take_journal(struct sheet *sheet, const char *folder);
/* Reads a sheet. Returns false if it is missing or damaged; otherwise sheet_finish() must follow. */
bool sheet_load(struct sheet *sheet, const char *path);
bool sheet_is(const struct sheet *sheet, const char *status);
bool sheet_reason_is(const struct sheet *sheet, const char *reason);
bool sheet_has_results(const struct sheet *sheet);
/* Writes the file, completely or not at all. Returns 0 or a negative errno. */
int sheet_write(const struct sheet *sheet, const char *path);

#endif
