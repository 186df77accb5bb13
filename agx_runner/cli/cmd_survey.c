/* SPDX-License-Identifier: MIT
 *
 * survey: facts that only a real machine can give, as one archive.
 */
#include "agx_runner/survey/survey.h"

#include "agx_runner/cli/options.h"

int cmd_survey(const struct options *options)
{
   const struct survey_settings settings = {
       .device = options->run.device,
       .folder = options->folder,
       .resume = options->resume,
       .output = options->output,
       .seed = options->run.seed,
       .timeout = options->run.timeout,
       .step_timeout = options->run.test_timeout,
       .ffma_cycles = options->run.ffma_cycles,
       .hazardous = options->hazardous,
       .list = options->list_steps,
       .steps = (const char *const *)options->operands.items,
       .step_count = options->operands.count,
   };

   return survey_run(&settings);
}
