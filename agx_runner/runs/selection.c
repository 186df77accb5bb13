/* SPDX-License-Identifier: MIT
 *
 * Selects results in the order of the catalogue, then the subtests of the uAPI.
 */
#include "agx_runner/runs/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/pattern.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/terminal/suggest.h"
#include "nir_kernels/mix.h"

static void list_tests(struct selection *selection)
{
   for (size_t i = 0; i < uapi_count(); i++) {
      struct selected *item = &selection->items[selection->count++];

      *item = (struct selected){.test = uapi_at(i)};
      uapi_full_name(item->test, item->name, sizeof(item->name));
   }
}

static int list_all(struct selection *selection, bool brief)
{
   selection->items = calloc(bench_count() * BENCH_METRIC_COUNT + uapi_count(), sizeof(*selection->items));
   if (selection->items == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < bench_count(); i++) {
      for (enum bench_metric metric = 0; metric < BENCH_METRIC_COUNT; metric++) {
         if (bench_at(i)->metrics & 1u << metric && (!brief || bench_is_brief(i))) {
            struct selected *item = &selection->items[selection->count++];

            *item = (struct selected){.benchmark = bench_at(i), .metric = metric};
            metric_name(item->benchmark, metric, item->name, sizeof(item->name));
         }
      }
   }
   if (!brief) {
      list_tests(selection);
   }
   return EXIT_OK;
}

bool selected_together(const struct selected *a, const struct selected *b)
{
   if (a->benchmark != NULL || b->benchmark != NULL) {
      return a->benchmark == b->benchmark;
   }
   const char *names[] = {uapi_name(a->test), uapi_name(b->test)};
   const size_t area = strcspn(names[0], "/") + 1;

   return !uapi_is_fault(a->test) && strncmp(names[0], names[1], area) == 0;
}

const char *selected_summary(const struct selected *item)
{
   return item->benchmark != NULL ? item->benchmark->summary : uapi_promise(item->test);
}

static bool matches_any(const struct selection *selection, const char *pattern)
{
   for (size_t i = 0; i < selection->count; i++) {
      if (pattern_matches(pattern, selection->items[i].name)) {
         return true;
      }
   }
   return false;
}

static bool is_risky(const struct selected *item)
{
   return item->test != NULL && uapi_risk(item->test) != NULL;
}

/* Whether a pattern is the test's full name, or names the group of tests whose jobs fail. */
static bool is_named(const struct string_list *patterns, const char *name)
{
   static const char group[] = UAPI_FAULTS;
   const size_t length = strlen(group);

   for (size_t i = 0; i < patterns->count; i++) {
      const char *pattern = patterns->items[i];
      const bool of_group = strncmp(pattern, group, length) == 0 && (pattern[length] == '/' || pattern[length] == '\0');

      if (strcmp(pattern, name) == 0 || (of_group && pattern_matches(pattern, name))) {
         return true;
      }
   }
   return false;
}

/* Numbers of results that were left out. */
struct left_out {
   size_t risks, large;
};

/* Selects the wanted results in order, and moves those that may hang the GPU to the end. */
static int choose(struct selection *selection, const struct string_list *patterns, const struct selection_scope *scope,
                  struct left_out *left_out)
{
   struct selected *risky = calloc(selection->count + 1, sizeof(*risky));
   size_t kept = 0, risks = 0;

   *left_out = (struct left_out){0};
   if (risky == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < selection->count; i++) {
      const struct selected *item = &selection->items[i];

      if (!pattern_selects(patterns->items, patterns->count, item->name)) {
         continue;
      }
      if (scope->small && item->benchmark != NULL && item->benchmark->large && !is_named(patterns, item->name)) {
         left_out->large++;
      } else if (!is_risky(item)) {
         selection->items[kept++] = *item;
      } else if (!scope->guarded || is_named(patterns, item->name)) {
         risky[risks++] = *item;
      } else {
         left_out->risks++;
      }
   }
   memcpy(selection->items + kept, risky, risks * sizeof(*risky));
   selection->count = kept + risks;
   free(risky);
   return EXIT_OK;
}

/* Suggests another group with the same rest of the name, or a similar name. */
static void suggest_pattern(const struct selection *selection, const char *pattern, char text[SUGGEST_TEXT])
{
   char group[64], meant[64];
   const size_t length = strcspn(pattern, "/");
   struct suggestion groups = {.word = group}, names = {.word = pattern};

   snprintf(group, sizeof(group), "%.*s", (int)length, pattern);
   for (size_t i = 0; i < selection->count; i++) {
      const char *name = selection->items[i].name;

      suggest_offer(&groups, name, strcspn(name, "/"));
      for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
         suggest_offer(&names, name, (size_t)(slash - name));
      }
      suggest_offer(&names, name, strlen(name));
   }
   if (groups.best[0] != '\0' && groups.distance > 0) {
      snprintf(meant, sizeof(meant), "%s%.20s", groups.best, pattern + length);
      snprintf(names.best, sizeof(names.best), "%s", matches_any(selection, meant) ? meant : groups.best);
   }
   suggest_print(&names, text);
}

int selection_make(struct selection *selection, const struct string_list *patterns, const struct selection_scope *scope)
{
   *selection = (struct selection){0};
   struct left_out left_out;
   int code = list_all(selection, scope->brief && patterns->count == 0);
   if (code != EXIT_OK) {
      return code;
   }
   for (size_t i = 0; i < patterns->count; i++) {
      const char *pattern = patterns->items[i];

      if (!matches_any(selection, pattern[0] == '!' ? pattern + 1 : pattern)) {
         char meant[SUGGEST_TEXT];

         suggest_pattern(selection, pattern[0] == '!' ? pattern + 1 : pattern, meant);
         return complain(EXIT_INVALID, "no benchmark matches '%s'%s (agx-runner list shows them)", pattern, meant);
      }
   }
   code = choose(selection, patterns, scope, &left_out);
   if (code != EXIT_OK) {
      return code;
   }
   if (left_out.risks > 0) {
      note("left out on hardware: %zu tests that may hang or reset the GPU; name them, or give --hazardous",
           left_out.risks);
   }
   if (left_out.large > 0) {
      note("left out on a virtual device: %zu benchmarks that take it minutes; name them in full, or give --full",
           left_out.large);
   }
   return selection->count == 0 ? complain(EXIT_INVALID, "the patterns exclude every benchmark") : EXIT_OK;
}

size_t selection_risks(const struct selection *selection)
{
   size_t count = 0;

   for (size_t i = 0; i < selection->count; i++) {
      count += is_risky(&selection->items[i]);
   }
   return count;
}

int selection_make_mixes(struct selection *selection, const struct string_list *mixes, unsigned ilp, unsigned simds)
{
   char why[320];

   *selection = (struct selection){
       .items = calloc(mixes->count, sizeof(*selection->items)),
       .mixes = calloc(mixes->count, sizeof(*selection->mixes)),
   };
   if (selection->items == NULL || selection->mixes == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < mixes->count; i++) {
      struct selected *item = &selection->items[selection->count++];
      const char *text = mixes->items[i];

      if (strlen(text) >= sizeof(item->name)) {
         return complain(EXIT_INVALID, "--mix: more than %zu characters: '%.40s...'", sizeof(item->name) - 1, text);
      }
      if (bench_mix_parse(text, ilp, simds, &selection->mixes[i], why, sizeof(why)) < 0) {
         return complain(EXIT_INVALID, "--mix '%s': %s", text, why);
      }
      *item = (struct selected){.benchmark = &selection->mixes[i].benchmark, .metric = BENCH_THROUGHPUT};
      snprintf(item->name, sizeof(item->name), "%s", text);
   }
   return EXIT_OK;
}

void selection_finish(struct selection *selection)
{
   free(selection->mixes);
   free(selection->items);
   *selection = (struct selection){0};
}
