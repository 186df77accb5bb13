/* SPDX-License-Identifier: MIT
 *
 * Which benchmark decides which parameter of the timing model: what a survey measures for `calibrate` to read.
 */
#ifndef AGX_RUNNER_SURVEY_PARAMETERS_H
#define AGX_RUNNER_SURVEY_PARAMETERS_H

#include <stddef.h>

struct survey_parameter {
   const char *parameter; /* vgpu/timing/params_file.h; cycles */
   const char *benchmark; /* a result of `run`; cycles */
};
extern const struct survey_parameter survey_parameters[];
extern const size_t survey_parameter_count;

#endif
