/* SPDX-License-Identifier: MIT
 *
 * The published figures, and how the model is asked for each: results/reference/asked.csv, joined with the tables of
 * the figures by figures.py. Invariant: every published figure of results/reference is one of them, also those that
 * nothing can ask, whose note says why.
 */
#ifndef AGX_RUNNER_CORRELATE_FIGURES_H
#define AGX_RUNNER_CORRELATE_FIGURES_H

/* What the model knew of the figure. */
enum figure_role {
   FIGURE_FITTED,    /* a parameter was read from it */
   FIGURE_SEEN,      /* a rule, or the class of an instruction, was chosen with it in view */
   FIGURE_BLIND,     /* neither */
   FIGURE_NOT_ASKED, /* nothing asks the model for it */
   FIGURE_ROLES
};
extern const char *const figure_role_names[FIGURE_ROLES];

struct figure {
   const char *group;              /* the kind of figure, by which errors are summed up */
   const char *table, *row, *name; /* where it stands: results/reference/TABLE.csv */
   const char *source, *chip, *unit;
   const char *text;   /* as published, its qualifier in front */
   const char *device; /* the virtual device that is asked */
   const char *ask;    /* what it is asked: ask.h; "": nothing */
   const char *value;  /* the model's value from the answer x, by operations from left to right: "x/1.278" */
   const char *note;   /* what differs, or why nothing asks */
   enum figure_role role;
   double low, high; /* the published values; an infinity where a bound is published */
};

extern const struct figure figures[];
extern const unsigned figure_count;

#endif
