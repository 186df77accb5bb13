/* SPDX-License-Identifier: MIT
 *
 * What one step of a survey found: figures, facts and benchmark results. A step fills a sheet in a process of its own;
 * the sheet travels as a JSON file.
 *
 * Invariant: a figure says which clock it was taken with, so that a reader knows which ones depend on the host.
 */
#ifndef AGX_RUNNER_SHEET_H
#define AGX_RUNNER_SHEET_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

enum sheet_clock {
   SHEET_DEVICE, /* the device's timestamps, or a count */
   SHEET_HOST,   /* the host's clock, or both: differs from run to run on a virtual device too */
};

/* {"status", "reason", "facts": {}, "figures": [], "results": [], "run": {}}. results are whole ones of result files
 * (docs/result-schema.md) but for what is the host's; run: "device" and "environment" of these. */
struct sheet {
   struct json_object *root;
   bool out_of_memory;
};

bool sheet_init(struct sheet *sheet);
void sheet_finish(struct sheet *sheet);
void sheet_fact(struct sheet *sheet, const char *name, const char *text);
/* at: what the figure was taken at (launches, bytes, ...). low and high: the quartiles of several samples, or value. */
void sheet_figure(struct sheet *sheet, const char *quantity, double at, const char *unit, enum sheet_clock clock,
                  double low, double value, double high);
/* The median and quartiles of the samples, which are sorted. */
void sheet_samples(struct sheet *sheet, const char *quantity, double at, const char *unit, enum sheet_clock clock,
                   double *samples, size_t count);
/* "done", or "failed", "skipped" or "partial" with the reason. Partial: it ended before its time, and can go on. */
__attribute__((format(printf, 3, 4))) void sheet_status(struct sheet *sheet, const char *status, const char *format,
                                                        ...);
/* Takes over the results of a result file of `run`. 0 or -EINVAL. */
int sheet_take_results(struct sheet *sheet, const char *path);
/* Takes over what a folder of `run --results` has so far. The number of results. */
size_t sheet_take_journal(struct sheet *sheet, const char *folder);
/* One that was written. False: it is not there, or damaged; otherwise sheet_finish() must follow. */
bool sheet_load(struct sheet *sheet, const char *path);
bool sheet_is(const struct sheet *sheet, const char *status);
bool sheet_reason_is(const struct sheet *sheet, const char *reason);
bool sheet_has_results(const struct sheet *sheet);
/* Writes the file, whole or not at all. 0 or a negative errno. */
int sheet_write(const struct sheet *sheet, const char *path);

#endif
