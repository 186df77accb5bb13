/* SPDX-License-Identifier: MIT
 *
 * `agx-runner calibrate SURVEY`: finds the parameters of the timing model that give the figures of a survey.
 *
 * Each fitted parameter is paired with the figure that determines it: a benchmark (agx_runner/survey/parameters.h), or
 * a step of the survey for the costs of commands. A virtual device of the survey's chip measures the same figures. All
 * parameters are moved by the differences at the same time, until the figures agree.
 *
 * Invariant: the interval of a parameter covers the survey's own interval, the residue of the fit and the resolution
 * of the figure.
 */
#ifndef AGX_RUNNER_CALIBRATE_H
#define AGX_RUNNER_CALIBRATE_H

/* output: the parameter file; NULL: CHIP.params. ffma_cycles: cycles of one FFMA; 0: as calibrate/ffma.h finds. Prints
 * messages; returns an enum exit_code. */
int calibrate_run(const char *survey, const char *output, double ffma_cycles);

#endif
