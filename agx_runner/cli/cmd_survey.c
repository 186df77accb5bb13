/* SPDX-License-Identifier: MIT
 *
 * survey: facts that only a real machine can give, as one archive; or the answer to one question, as a text.
 */
#include "agx_runner/survey/survey.h"

#include <limits.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/question/question.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

#define QUESTION_SAMPLES 9

struct survey_options {
   struct command_line line;
   struct survey_settings survey; /* but for the steps */
   const char *ask;               /* a question's file; NULL: a survey */
   const char *compiler;          /* compiler_choose() */
};

#define FIELD(member) .field = offsetof(struct survey_options, survey.member)
/* clang-format off */
static const struct option_row rows[] = {
   {&option_device, FIELD(device)},
   {&option_seed, FIELD(seed)},
   {&option_ffma_cycles, FIELD(ffma_cycles)},
   {OPTION(.name = "ask", .metavar = "FILE", .kind = KIND_STRING, .min = 1,
           .help = "ask one question of results/questions instead, in about a minute, and write a text to paste into an "
                   "issue [default: to standard output]; docs/questions.md"),
    .field = offsetof(struct survey_options, ask)},
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
           .help = "write the archive, or the text of --ask, there [default: survey-CHIP-DATE.tar.zst]"), FIELD(output)},
   {OPTION(.name = "steps", .kind = KIND_FLAG, .help = "list the steps and stop"), FIELD(list)},
   {&option_timeout, FIELD(timeout)},
   {&option_compiler, .field = offsetof(struct survey_options, compiler)},
   {0},
};
/* clang-format on */

/* Nothing of a survey goes with a question. */
static int ask(const struct survey_options *options)
{
   const struct survey_settings *survey = &options->survey;
   const struct question_settings settings = {.device = survey->device,
                                              .seed = survey->seed,
                                              .ffma_cycles = survey->ffma_cycles,
                                              .timeout = survey->timeout,
                                              .samples = QUESTION_SAMPLES};
   struct output output;

   if (options->line.operands.count > 0 || survey->folder != NULL || survey->resume != NULL || survey->list ||
       survey->hazardous) {
      return complain(EXIT_INVALID, "--ask asks one question: leave out steps, --folder, --resume, --steps and "
                                    "--hazardous");
   }
   int code = output_open(&output, survey->output);
   if (code == EXIT_OK) {
      code = question_ask(options->ask, &settings, output.file);
      code = code == EXIT_OK ? output_commit(&output) : code;
      output_discard(&output);
   }
   return code;
}

static int cmd_survey(const void *data)
{
   const struct survey_options *options = data;
   struct survey_settings settings = options->survey;

   settings.steps = (const char *const *)options->line.operands.items;
   settings.step_count = options->line.operands.count;
   const int code = compiler_choose(options->compiler);
   return code != EXIT_OK ? code : options->ask != NULL ? ask(options) : survey_run(&settings);
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
