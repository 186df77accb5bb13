/* SPDX-License-Identifier: MIT
 *
 * The cases of a run of applications, in a fixed order: so that a run that ended goes on, and shards do not overlap.
 */
#ifndef AGX_RUNNER_APPS_CASES_H
#define AGX_RUNNER_APPS_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "agx_runner/apps/table.h"
#include "drivers/find.h"

struct app_unit {
   const struct application *application;
   char *name;        /* "clblast@gemm" */
   char *words;       /* what "%" stands for */
   const char *wants; /* a text that must be printed; NULL: none */
};

struct app_units {
   struct app_unit *items;
   size_t count;
};

/* Adds the application's cases: those whose name is `only` or begins with `only` and '@'; NULL: all. device: where
 * programs that list their cases run. Returns an enum exit_code, with a message. */
int app_units_add(struct app_units *units, const struct application *application, const char *only,
                  const struct mesa *mesa, const char *device);
/* Keeps each `of`th case, from `number` on, which counts from 1. */
void app_units_shard(struct app_units *units, unsigned number, unsigned of);
void app_units_finish(struct app_units *units);

/* Why the application cannot run with this Mesa, as a packet is missing; false: it can. */
bool application_lacks(const struct application *application, const struct mesa *mesa, char *why, size_t size);

#endif
