/* SPDX-License-Identifier: MIT
 *
 * By how much the timing model errs, by kind of figure: the record of `agx-runner correlate` (results/correlation.csv),
 * which bands.py turns into a table. Invariant: a band is of figures that no parameter was fitted to, if there are any.
 */
#ifndef AGX_RUNNER_BANDS_H
#define AGX_RUNNER_BANDS_H

#include <stddef.h>

struct error_band {
   const char *group, *role;
   unsigned figures;
   double median, ninetieth; /* absolute errors in percent */
};
extern const struct error_band error_bands[];
extern const unsigned error_band_count;

/* The groups of figures that predictions are of. */
#define BAND_ARITHMETIC "mixes"
#define BAND_FEW_SIMDGROUPS "chains and occupancy"
#define BAND_LATENCY "latency of memory"
#define BAND_BANDWIDTH "bandwidth"
#define BAND_FEW_MOST 8 /* simdgroups of a core: with so many, figures are those of BAND_FEW_SIMDGROUPS */

/* The band of blind figures of a group, else of seen ones, else of fitted ones. NULL: there is no such group. */
const struct error_band *error_band(const char *group);
/* Writes "the model errs in mixes by 1.0 % (median) and 7.5 % (90th percentile) of 33 seen figures". */
#define BAND_TEXT 160
void error_band_text(const char *group, char text[BAND_TEXT]);

#endif
