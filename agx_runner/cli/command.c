/* SPDX-License-Identifier: MIT
 *
 * agx-runner: the list of its commands.
 */
#include "agx_runner/cli/command.h"

#include "agx_runner/cli/suite/suite.h"
#include "agx_runner/driver/compile.h"
#include "agx_runner/options/program.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

const struct command *const commands[] = {
    &command_devices,   &command_list,       &command_describe,    &command_run,     &command_sweep,  &command_exec,
    &command_explain,   &command_compile,    &command_corpus,      &command_disasm,  &command_asm,    &command_piglit,
    &command_fuzz,      &command_compare,    &command_report,      &command_history, &command_import, &command_survey,
    &command_calibrate, &command_correlate,  &command_with_device, &command_replay,  &command_mesas,  &command_apps,
    &command_merge,     &command_completion,
};
const unsigned command_count = ARRAY_COUNT(commands);

int main(int argc, char **argv)
{
   (void)compiler_choose(NULL);
   kernel_file_set_driver(driver_compile);
   const struct program program = {commands, command_count, environment_version, environment_check};

   return program_main(&program, argc, argv);
}
