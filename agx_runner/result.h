/* SPDX-License-Identifier: MIT
 *
 * What a run found: one model in memory, of which every output format is a rendering. docs/result-schema.md
 * describes the JSON.
 */
#ifndef AGX_RUNNER_RESULT_H
#define AGX_RUNNER_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "drm/asahi.h"

#define RESULT_SCHEMA 1
#define RESULT_NAME_MAX 512
#define RESULT_VIRTUAL_NOTE "virtual, modelled: not a measurement of hardware"

enum result_status {
   RESULT_PASS,
   RESULT_FAIL,    /* a wrong answer, or the device failed */
   RESULT_SKIP,    /* cannot be measured here */
   RESULT_INVALID, /* the machine code is not what the figure would be about */
   RESULT_STATUS_COUNT
};
extern const char *const result_status_names[RESULT_STATUS_COUNT];

enum result_check { RESULT_CHECK_NONE, RESULT_CHECK_PASS, RESULT_CHECK_FAIL };

struct result {
   char name[RESULT_NAME_MAX]; /* group/instruction/metric, or a mix as it was given */
   enum result_status status;
   char reason[240]; /* "" for a pass */
   const char *unit; /* "cycles", "Gop/s", "GB/s" */

   /* Of a pass: the median, its 95 % interval, and the samples. */
   double value, low, high;
   double *samples;
   size_t sample_count;

   double reference; /* NAN: none */
   const char *reference_qualifier;
   char reference_source[128];

   char instruction[32]; /* "": no code was looked at */
   unsigned expected, found;
   enum result_check check; /* of the answer */
   unsigned occupancy;      /* simdgroups a core; 0: not reached */
   uint64_t clock_hz;       /* that cycles were counted with, the samples' median; 0: none needed or known */
   uint64_t program_hash;   /* 0: no program */
};

struct result_run {
   struct asahi_device_info device;
   char mesa[64], kernel[160], host[72], time[32];
   const char *command_line;
   uint64_t seed;
   struct result *results;
   size_t count;
};

/* Fills all but the results. */
void result_run_init(struct result_run *run, const struct asahi_device_info *device, const char *command_line,
                     uint64_t seed);
void result_run_finish(struct result_run *run);
/* A new result, or NULL: out of memory. Valid until the next call. */
struct result *result_add(struct result_run *run, const char *name);
/* Status and reason. Keeps a figure from being shown unless it is a pass. */
__attribute__((format(printf, 3, 4))) void result_set(struct result *result, enum result_status status,
                                                      const char *format, ...);
size_t result_count_status(const struct result_run *run, enum result_status status);

/* Renderers. Text: colour when asked. JSON: 0 or -ENOMEM. */
void result_write_text(const struct result_run *run, bool colour, FILE *file);
int result_write_json(const struct result_run *run, FILE *file);

#endif
