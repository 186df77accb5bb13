/* SPDX-License-Identifier: MIT
 *
 * calibrate: the parameters of the timing model that fit a survey, or the answers of questions.
 */
#include "agx_runner/calibrate/calibrate.h"

#include "agx_runner/calibrate/answers.h"
#include "agx_runner/cli/command.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/question/answer.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/terminal/runner.h"

struct calibrate_options {
   struct command_line line;
   double ffma_cycles;   /* 0: not given */
   const char *output;   /* NULL: CHIP.params */
   const char *params;   /* NULL: the published ones */
   const char *compiler; /* compiler_choose() */
};

#define FIELD(member) .field = offsetof(struct calibrate_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {OPTION(.name = "ffma-cycles", .metavar = "CYCLES", .kind = KIND_CYCLES, .max = 100,
           .help = "cycles of one FFMA on a scheduler [default: determined from the survey's clocks and operating "
                   "points, else the survey's own]"), FIELD(ffma_cycles)},
   {OPTION(.letter = 'o', .name = "output", .metavar = "FILE", .kind = KIND_STRING, .min = 1,
           .help = "write the parameter file there [default: CHIP.params]"), FIELD(output)},
   {OPTION(.name = "params", .metavar = "FILE", .kind = KIND_STRING, .min = 1,
           .help = "of answers: begin with these parameters, as an earlier calibrate wrote them [default: the published "
                   "ones]"), FIELD(params)},
   {&option_compiler, FIELD(compiler)},
   {0},
};
/* clang-format on */

static int cmd_calibrate(const void *data)
{
   const struct calibrate_options *options = data;

   const char *path = options->line.operands.items[0];
   const int code = compiler_choose(options->compiler);

   if (code != EXIT_OK) {
      return code;
   }
   if (!answers_are_in(path)) {
      if (options->params != NULL) {
         return complain(EXIT_INVALID,
                         "--params is for answers of survey --ask: %s has none, and a survey has them all", path);
      }
      return calibrate_run(path, options->output, options->ffma_cycles);
   }
   if (options->ffma_cycles > 0) {
      return complain(EXIT_INVALID, "--ffma-cycles is for surveys: ask again with survey --ask FILE --ffma-cycles %g",
                      options->ffma_cycles);
   }
   return calibrate_answers(
       &(const struct calibrate_answers_settings){.text = path, .params = options->params, .output = options->output});
}

const struct command command_calibrate = {
    .name = "calibrate",
    .operands = "SURVEY.tar.zst|ANSWERS.txt",
    .operands_min = 1,
    .operands_max = 1,
    .summary =
        "fit the timing model's parameters to a survey or to answers of survey --ask, for virtual:CHIP,params=FILE",
    .rows = rows,
    .size = sizeof(struct calibrate_options),
    .run = cmd_calibrate,
};
