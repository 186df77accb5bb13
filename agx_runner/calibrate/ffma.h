/* SPDX-License-Identifier: MIT
 *
 * The cycles of one FFMA by a survey's own evidence. A survey infers its clock from the time of FFMAs, so all its
 * cycles are off by one factor if it assumed a wrong number of cycles.
 */
#ifndef AGX_RUNNER_CALIBRATE_FFMA_H
#define AGX_RUNNER_CALIBRATE_FFMA_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

struct calibrate_ffma {
   double assumed;      /* cycles of one FFMA that the survey assumed */
   double found;        /* cycles by its evidence; NAN: there is none */
   double other;        /* another number that fits as well; NAN: there is none */
   double hints;        /* time of one with register-cache hints relative to one without; NAN: not measured */
   size_t clocks;       /* samples whose clock was inferred */
   size_t fitted, fits; /* how many of these clocks are operating points with `assumed`, and with `found` */
   bool points;         /* the operating points are known */
};

/* steps: those of a survey. If the operating points are known, `found` turns the most inferred clocks into operating
 * points; the times of an FFMA while the clock rises determine it, because their ratios are those of the points.
 * Without points, `found` is the published number, which is for code with hints, times the measured ratio for code
 * without them. */
void calibrate_ffma(struct json_object *steps, struct calibrate_ffma *ffma);
/* Prints what it found. used: the number that the fit uses. */
void calibrate_ffma_print(const struct calibrate_ffma *ffma, double used);

#define CALIBRATE_FFMA_ERROR 0.005 /* relative error of the number, from the tolerance of operating points */

#endif
