/* SPDX-License-Identifier: MIT
 *
 * The results that patterns ask for: one for each benchmark and metric, and for each subtest of the uAPI.
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

/* How much is selected where patterns do not say it. */
struct selection_scope {
   bool brief;   /* without patterns not all, but the benchmarks that bench_is_brief() names */
   bool guarded; /* tests that may hang or reset the GPU (uapi_risk()) only by name: by their full name, or a pattern
                    that begins with the group "fault" */
   bool small;   /* benchmarks that take a virtual device minutes (struct benchmark, large) only by their full name */
};

/* Tests that may hang or reset the GPU come last. Messages are printed: a pattern that matches nothing is a mistake. An
 * enum exit_code. selection_finish() must follow. */
int selection_make(struct selection *selection, const struct string_list *patterns,
                   const struct selection_scope *scope);
/* How many of the selected tests may hang or reset the GPU. */
size_t selection_risks(const struct selection *selection);
/* Whether both run in one process: metrics of a benchmark, subtests of an area. A job that must fail has its own. */
bool selected_together(const struct selected *a, const struct selected *b);
/* One line of what it is about. */
const char *selected_summary(const struct selected *item);
/* The same for mixes: parsed, and freed by selection_finish() too. ilp and simds: 0 for the default. */
int selection_make_mixes(struct selection *selection, const struct string_list *mixes, unsigned ilp, unsigned simds);
void selection_finish(struct selection *selection);

#endif
