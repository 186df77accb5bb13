/* SPDX-License-Identifier: MIT
 *
 * survey: facts that only a real machine can give, as one archive.
 */
#include "agx_runner/survey/survey.h"

#include <limits.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/terminal/runner.h"

struct survey_options {
   struct command_line line;
   struct survey_settings survey; /* but for the steps */
   const char *compiler;          /* compiler_choose() */
};

#define FIELD(member) .field = offsetof(struct survey_options, survey.member)
/* clang-format off */
static const struct option_row rows[] = {
   {&option_device, FIELD(device)},
   {&option_seed, FIELD(seed)},
   {&option_ffma_cycles, FIELD(ffma_cycles)},
   {OPTION(.name = "folder", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
           .help = "folder of the survey; naming it again continues the survey [default: survey-CHIP]"), FIELD(folder)},
   {OPTION(.name = "resume", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
           .help = "continue the survey in this folder, on its device; steps that ended early are continued"),
    FIELD(resume)},
   {OPTION(.name = "hazardous", .kind = KIND_FLAG,
           .help = "run the steps that may cause a GPU fault, without asking"), FIELD(hazardous)},
   {OPTION(.name = "step-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .max = 86400,
           .help = "time limit of a step, counted as --test-timeout of run; what it measured is kept, and --resume "
                   "continues it [default: the step's own limit, up to 2 hours]"), FIELD(step_timeout)},
   {OPTION(.letter = 'o', .name = "output", .metavar = "FILE", .kind = KIND_STRING, .min = 1,
           .help = "write the archive there [default: survey-CHIP-DATE.tar.zst]"), FIELD(output)},
   {OPTION(.name = "steps", .kind = KIND_FLAG, .help = "list the steps and stop"), FIELD(list)},
   {&option_timeout, FIELD(timeout)},
   {&option_compiler, .field = offsetof(struct survey_options, compiler)},
   {0},
};
/* clang-format on */

static int cmd_survey(const void *data)
{
   const struct survey_options *options = data;
   struct survey_settings settings = options->survey;

   settings.steps = (const char *const *)options->line.operands.items;
   settings.step_count = options->line.operands.count;
   const int code = compiler_choose(options->compiler);
   return code == EXIT_OK ? survey_run(&settings) : code;
}

const struct command command_survey = {
    .name = "survey",
    .operands = "[STEP...]",
    .operands_min = 0,
    .operands_max = UINT_MAX,
    .summary = "measure what only a real machine can tell, and write one archive to send back",
    .rows = rows,
    .size = sizeof(struct survey_options),
    .run = cmd_survey,
};
