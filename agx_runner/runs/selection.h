/* SPDX-License-Identifier: MIT
 *
 * The results that patterns select: one for each benchmark and metric, and for each subtest of the uAPI.
 */
#ifndef AGX_RUNNER_SELECTION_H
#define AGX_RUNNER_SELECTION_H

#include "agx_runner/measure/measure.h"
#include "agx_runner/terminal/values.h"
#include "uapi/uapi.h"

struct selected {
   const struct benchmark *benchmark; /* NULL: a subtest of the uAPI */
   enum bench_metric metric;
   const struct uapi_test *test;
   char name[RESULT_NAME_MAX];
};

struct selection {
   struct selected *items;
   size_t count;
   struct bench_mix *mixes; /* NULL: the catalogue */
};

/* Tests that are left out unless patterns name them. */
struct selection_scope {
   bool brief; /* without patterns, select only the benchmarks that bench_is_brief() names */
   /* select tests that may hang or reset the GPU (uapi_risk()) only by their full name, or by a pattern that begins
    * with the group "fault" */
   bool guarded;
   /* select benchmarks that take a virtual device minutes (struct benchmark, large) only by their full name */
   bool small;
};

/* Tests that may hang or reset the GPU come last. A pattern that matches nothing is an error. Prints messages; returns
 * an enum exit_code. selection_finish() must follow. */
int selection_make(struct selection *selection, const struct string_list *patterns,
                   const struct selection_scope *scope);
/* Returns how many of the selected tests may hang or reset the GPU. */
size_t selection_risks(const struct selection *selection);
/* Whether both run in one process: metrics of a benchmark, or subtests of an area. A job that must fail has its own. */
bool selected_together(const struct selected *a, const struct selected *b);
/* Returns a one-line description. */
const char *selected_summary(const struct selected *item);
/* The same for mixes, which are parsed here and freed by selection_finish(). ilp and simds: 0 for the default. */
int selection_make_mixes(struct selection *selection, const struct string_list *mixes, unsigned ilp, unsigned simds);
void selection_finish(struct selection *selection);

#endif
