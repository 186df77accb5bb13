/* SPDX-License-Identifier: MIT
 *
 * Judges each figure by the answer of its question, and sums the errors up.
 */
#include "agx_runner/correlate/correlation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/correlate/ask.h"
#include "agx_runner/correlate/correlate_work.h"

const char *const figure_role_names[FIGURE_ROLES] = {"fitted", "seen", "blind", "not asked"};

static const struct result *answer_of(const struct result_run *run, const struct figure *figure)
{
   char name[RESULT_NAME_MAX];

   correlate_unit_name(figure, name);
   for (size_t i = 0; i < run->count; i++) {
      if (strcmp(run->results[i].name, name) == 0) {
         return &run->results[i];
      }
   }
   return NULL;
}

/* A change is compared by what it makes of 100. */
static double whole_of(const struct figure *figure, double value)
{
   return figure->unit[0] == '%' ? 100 + value : value;
}

static void judge(struct correlated *row, const struct result_run *run)
{
   const struct figure *figure = row->figure;
   const struct result *answer = figure->role == FIGURE_NOT_ASKED ? NULL : answer_of(run, figure);

   row->model = row->factor = row->error = NAN;
   row->reason = figure->note;
   if (figure->role == FIGURE_NOT_ASKED) {
      return;
   }
   if (answer == NULL || answer->status != RESULT_PASS) {
      row->reason = answer != NULL ? answer->reason : "the run was stopped before it";
      return;
   }
   row->model = ask_value(figure->value, answer->value);
   const double nearest = row->model < figure->low    ? figure->low
                          : row->model > figure->high ? figure->high
                                                      : row->model;
   row->factor = nearest == row->model ? 1 : whole_of(figure, row->model) / whole_of(figure, nearest);
   row->error = 100 * (row->factor - 1);
}

/* The larger distance first, whichever side of 1; rows without a factor last. */
static int by_miss(const void *left, const void *right)
{
   const struct correlated *a = left, *b = right;
   const double x = isnan(a->factor) ? -1 : fabs(log(a->factor)), y = isnan(b->factor) ? -1 : fabs(log(b->factor));

   return x < y ? 1 : x > y ? -1 : a->figure < b->figure ? -1 : a->figure > b->figure;
}

static int by_size(const void *left, const void *right)
{
   const double a = *(const double *)left, b = *(const double *)right;

   return a < b ? -1 : a > b;
}

/* The errors of a group (NULL: of all) with this role. */
static void sum_up(struct correlation *correlation, const char *group, enum figure_role role, double *errors)
{
   struct error_summary *summary = &correlation->summaries[correlation->summary_count];
   size_t count = 0;

   for (size_t i = 0; i < correlation->judged; i++) {
      const struct correlated *row = &correlation->rows[i];

      if (row->figure->role == role && (group == NULL || strcmp(row->figure->group, group) == 0)) {
         errors[count++] = fabs(row->error);
      }
   }
   if (count == 0) {
      return;
   }
   qsort(errors, count, sizeof(*errors), by_size);
   *summary = (struct error_summary){.role = role,
                                     .count = count,
                                     .median = errors[count / 2],
                                     .ninetieth = errors[count * 9 / 10],
                                     .worst = errors[count - 1]};
   snprintf(summary->name, sizeof(summary->name), "%s", group != NULL ? group : "all");
   correlation->summary_count++;
}

/* Whether an earlier figure has this one's group. */
static bool is_known(unsigned figure)
{
   for (unsigned i = 0; i < figure; i++) {
      if (strcmp(figures[i].group, figures[figure].group) == 0) {
         return true;
      }
   }
   return false;
}

static bool sum_all(struct correlation *correlation)
{
   double *errors = calloc(correlation->count + 1, sizeof(*errors));

   correlation->summaries = calloc((figure_count + 1) * (size_t)FIGURE_ROLES, sizeof(*correlation->summaries));
   if (errors == NULL || correlation->summaries == NULL) {
      free(errors);
      return false;
   }
   for (enum figure_role role = 0; role < FIGURE_NOT_ASKED; role++) {
      sum_up(correlation, NULL, role, errors);
   }
   for (unsigned i = 0; i < figure_count; i++) {
      for (enum figure_role role = 0; !is_known(i) && role < FIGURE_NOT_ASKED; role++) {
         sum_up(correlation, figures[i].group, role, errors);
      }
   }
   free(errors);
   return true;
}

bool correlation_make(struct correlation *correlation, const struct result_run *run, const struct string_list *patterns)
{
   *correlation = (struct correlation){.run = run, .rows = calloc(figure_count, sizeof(*correlation->rows))};
   for (unsigned i = 0; correlation->rows != NULL && i < figure_count; i++) {
      if (correlate_chooses(patterns, &figures[i])) {
         struct correlated *row = &correlation->rows[correlation->count++];

         row->figure = &figures[i];
         judge(row, run);
         correlation->judged += isnan(row->factor) ? 0 : 1;
      }
   }
   if (correlation->rows == NULL) {
      return false;
   }
   qsort(correlation->rows, correlation->count, sizeof(*correlation->rows), by_miss);
   return sum_all(correlation);
}

void correlation_finish(struct correlation *correlation)
{
   free(correlation->rows);
   free(correlation->summaries);
   *correlation = (struct correlation){0};
}
