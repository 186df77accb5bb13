/* SPDX-License-Identifier: MIT
 *
 * Which benchmark determines which parameter of the timing model: a survey measures them for `calibrate`.
 */
#ifndef AGX_RUNNER_SURVEY_PARAMETERS_H
#define AGX_RUNNER_SURVEY_PARAMETERS_H

#include <stddef.h>

struct survey_parameter {
   const char *parameter; /* name as in vgpu/timing/params_file.h; cycles */
   const char *benchmark; /* name of a result of `run`; cycles */
};
extern const struct survey_parameter survey_parameters[];
extern const size_t survey_parameter_count;

#endif
