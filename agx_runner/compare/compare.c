/* SPDX-License-Identifier: MIT
 *
 * Compares two runs row by row. A changed answer comes before any change of a figure.
 */
#include "agx_runner/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/results/direction.h"

static bool has_code(const struct result *result)
{
   return result->status == RESULT_PASS || result->status == RESULT_INVALID;
}

static enum compare_change change_of(const struct result *a, const struct result *b)
{
   if (a == NULL || b == NULL) {
      return a == NULL ? COMPARE_NEW : COMPARE_MISSING;
   }
   if (a->check != b->check && (a->check == RESULT_CHECK_FAIL || b->check == RESULT_CHECK_FAIL)) {
      return b->check == RESULT_CHECK_FAIL     ? COMPARE_WRONG
             : b->check == RESULT_CHECK_PASS   ? COMPARE_RIGHT
             : result_status_is_bad(b->status) ? COMPARE_BOTH
                                               : COMPARE_STATUS;
   }
   if ((a->status == RESULT_INVALID || b->status == RESULT_INVALID) && has_code(a) && has_code(b)) {
      return COMPARE_OTHER_CODE;
   }
   const bool was_bad = result_status_is_bad(a->status), is_bad = result_status_is_bad(b->status);
   if (was_bad != is_bad) {
      return is_bad ? COMPARE_BROKEN : COMPARE_FIXED;
   }
   return is_bad ? COMPARE_BOTH : a->status == b->status ? COMPARE_NONE : COMPARE_STATUS;
}

static int by_name(const void *x, const void *y)
{
   const struct compare_row *a = x, *b = y;
   const int order = strcmp(a->name, b->name);

   /* The first of equal names stays the first: `a` and `b` point into one array. */
   return order != 0 ? order : a->a != NULL ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

static struct compare_row *index_run(const struct result_run *run)
{
   struct compare_row *index = calloc(run->count + 1, sizeof(*index));

   for (size_t i = 0; index != NULL && i < run->count; i++) {
      index[i] = (struct compare_row){.name = run->results[i].name, .b = &run->results[i]};
   }
   if (index != NULL) {
      qsort(index, run->count, sizeof(*index), by_name);
   }
   return index;
}

static int search(const void *key, const void *element)
{
   return strcmp(key, ((const struct compare_row *)element)->name);
}

/* Whether the figure is counted and not sampled, as the largest error of a function is. */
static bool is_exact(const struct result_figure *figure, const char *unit)
{
   return figure->sample_count == 0 && figure->value >= 0 && figure->low == figure->value &&
          figure->high == figure->value && unit[0] != '\0';
}

/* Noise can make a small sample negative, and a file can contain any number. Such samples have no ratio. */
static bool is_sampled(const struct result_figure *figure)
{
   for (size_t i = 0; i < figure->sample_count; i++) {
      if (!(figure->samples[i] > 0)) {
         return false;
      }
   }
   return figure->sample_count > 0 && figure->value > 0;
}

static struct result_figure figure_of(const struct result *result)
{
   const struct result_figure none = {NAN, NAN, NAN, NULL, 0};

   return result->status == RESULT_PASS
              ? (struct result_figure){result->value, result->low, result->high, result->samples, result->sample_count}
          : result->status == RESULT_INVALID ? result->other_code
                                             : none;
}

/* Whether both have the same samples in the same order, as a model without noise gives for the same code. */
static bool are_identical(const struct result_figure *a, const struct result_figure *b)
{
   return a->sample_count == b->sample_count &&
          memcmp(a->samples, b->samples, a->sample_count * sizeof(*a->samples)) == 0;
}

static int compare_figures(struct compare_row *row, compare_floor_fn *floor_of, void *floor_data,
                           struct significance_work *work)
{
   row->figures[0] = figure_of(row->a);
   row->figures[1] = figure_of(row->b);
   const struct result_figure *a = &row->figures[0], *b = &row->figures[1];
   const char *unit = row->a->unit;

   row->exact = is_exact(a, unit) && is_exact(b, row->b->unit);
   row->timed = !strcmp(unit, row->b->unit) && (row->exact || (is_sampled(a) && is_sampled(b)));
   row->odd = !isnan(a->value) && !isnan(b->value) && !row->timed;
   if (!row->timed) {
      return 0;
   }
   const int more_is_better = direction_more_is_better(row->name, unit);
   if (row->exact) {
      const double ratio = a->value == b->value ? 1 : b->value / a->value;

      row->significance = (struct significance){ratio, ratio, ratio, ratio == 1};
      row->verdict = significance_verdict(&row->significance, 0, more_is_better);
      return 0;
   }
   const double known = floor_of != NULL ? floor_of(floor_data, row->name) : NAN;
   row->floor = known > SIGNIFICANCE_FLOOR ? known : SIGNIFICANCE_FLOOR;
   const int ret = significance_of(a->samples, a->sample_count, b->samples, b->sample_count, work, &row->significance);
   if (!(row->significance.low > 0) || !isfinite(row->significance.high)) { /* the ratio is out of range */
      row->timed = false;
      row->odd = true;
   }
   row->verdict =
       are_identical(a, b) ? VERDICT_SAME : significance_verdict(&row->significance, row->floor, more_is_better);
   return ret;
}

static void count_programs(struct comparison *comparison, struct compare_row *row)
{
   const struct result *a = row->a, *b = row->b;

   row->code_changed = a->program_hash != b->program_hash && a->program_hash != 0 && b->program_hash != 0;
   comparison->code_changed += row->code_changed;
   if (!a->program.known || !b->program.known) {
      return;
   }
   comparison->programs++;
   for (unsigned i = 0; i < PROGRAM_STAT_COUNT; i++) {
      const double before = a->program.values[i], after = b->program.values[i];

      if (isnan(before) || isnan(after)) {
         continue;
      }
      comparison->stats[i].before += before;
      comparison->stats[i].after += after;
      if (fabs(after - before) > 1e-6 * fabs(before)) {
         const bool hurt = (after > before) != program_stat_infos[i].more_is_better;

         *(hurt ? &comparison->stats[i].hurt : &comparison->stats[i].helped) += 1;
      }
   }
}

static int compare_row(struct comparison *comparison, const struct result *a, const struct result *b,
                       compare_floor_fn *floor_of, void *floor_data, struct significance_work *work)
{
   struct compare_row *row = &comparison->rows[comparison->count++];
   int ret = 0;

   *row = (struct compare_row){.name = a != NULL ? a->name : b->name, .a = a, .b = b, .change = change_of(a, b)};
   comparison->changes[row->change]++;
   if (a != NULL && b != NULL) {
      ret = compare_figures(row, floor_of, floor_data, work);
      count_programs(comparison, row);
   }
   comparison->odd += row->odd;
   if (row->timed) {
      comparison->timed++;
      comparison->exact += row->exact;
      comparison->verdicts[row->verdict]++;
   }
   return ret;
}

int compare_runs(const struct result_run *a, const struct result_run *b, compare_floor_fn *floor_of, void *floor_data,
                 struct comparison *comparison)
{
   *comparison = (struct comparison){.rows = calloc(a->count + b->count + 1, sizeof(*comparison->rows))};
   struct compare_row *index = index_run(b);
   struct significance_work work = {0};
   int ret = comparison->rows == NULL || index == NULL ? -ENOMEM : 0;

   for (size_t i = 0; ret == 0 && i < a->count; i++) {
      struct compare_row *found = bsearch(a->results[i].name, index, b->count, sizeof(*index), search);

      /* if b has a name twice, take the first that is still unpaired */
      while (found != NULL && found > index && !strcmp(found[-1].name, found->name)) {
         found--;
      }
      while (found != NULL && found->code_changed) {
         found++;
         found = found < index + b->count && !strcmp(found->name, a->results[i].name) ? found : NULL;
      }
      if (found != NULL) {
         found->code_changed = true; /* marks an index entry as paired */
      }
      ret = compare_row(comparison, &a->results[i], found != NULL ? found->b : NULL, floor_of, floor_data, &work);
   }
   for (size_t i = 0; ret == 0 && i < b->count; i++) {
      if (!index[i].code_changed) {
         ret = compare_row(comparison, NULL, index[i].b, floor_of, floor_data, &work);
      }
   }
   significance_work_finish(&work);
   free(index);
   return ret;
}

void comparison_finish(struct comparison *comparison)
{
   free(comparison->rows);
   *comparison = (struct comparison){0};
}

double compare_worse_by(const struct compare_row *row)
{
   if (!row->timed || (row->verdict != VERDICT_WORSE && row->verdict != VERDICT_BETTER)) {
      return 0;
   }
   const double ratio = row->significance.ratio, by = ratio > 1 ? ratio - 1 : 1 / ratio - 1;

   return row->verdict == VERDICT_WORSE ? by : -by;
}

double compare_hurt_by(const struct compare_row *row, enum program_stat stat)
{
   if (row->a == NULL || row->b == NULL || !row->a->program.known || !row->b->program.known) {
      return 0;
   }
   const bool more = program_stat_infos[stat].more_is_better;
   const double before = row->a->program.values[stat], after = row->b->program.values[stat];
   const double less = before < after ? before : after, most = before < after ? after : before;

   if (isnan(before) || isnan(after) || most - less <= 1e-6 * less) {
      return 0;
   }
   const double by = less > 0 ? most / less - 1 : 1;

   return (after > before) != more ? by : -by;
}
