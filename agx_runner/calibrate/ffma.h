/* SPDX-License-Identifier: MIT
 *
 * What one FFMA takes, by a survey's own evidence. A survey infers its clock from the time of FFMAs, so that all its
 * cycles are off by one factor where it took a wrong number of cycles for one.
 */
#ifndef AGX_RUNNER_CALIBRATE_FFMA_H
#define AGX_RUNNER_CALIBRATE_FFMA_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

struct calibrate_ffma {
   double assumed;      /* cycles of one FFMA that the survey took */
   double found;        /* that its evidence says; NAN: there is none */
   double other;        /* another number that fits as well; NAN: none does */
   double hints;        /* time of one with register-cache hints over one without; NAN: not measured */
   size_t clocks;       /* samples whose clock was inferred */
   size_t fitted, fits; /* of them, those that are operating points with `assumed`, and with `found` */
   bool points;         /* the operating points are known */
};

/* steps: of a survey. Where the operating points are known, `found` makes the most inferred clocks operating points;
 * the times of an FFMA while the clock rises say which, because they lie apart as the points do. Without points `found`
 * is the published number, which is for code with hints, times what code without them takes more. */
void calibrate_ffma(struct json_object *steps, struct calibrate_ffma *ffma);
/* What it found, for people. used: the number that the fit takes. */
void calibrate_ffma_print(const struct calibrate_ffma *ffma, double used);

#define CALIBRATE_FFMA_ERROR 0.005 /* of the number: operating points are met by so much */

#endif
