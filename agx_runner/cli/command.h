/* SPDX-License-Identifier: MIT
 *
 * The commands: one file each (cmd_*.c), with its option table and the struct that its values go to.
 */
#ifndef AGX_RUNNER_COMMAND_H
#define AGX_RUNNER_COMMAND_H

#include "agx_runner/options/options.h"

extern const struct command command_devices, command_list, command_describe, command_run, command_sweep, command_exec,
    command_explain, command_compile, command_corpus, command_disasm, command_asm, command_piglit, command_fuzz,
    command_compare, command_report, command_history, command_import, command_survey, command_calibrate,
    command_correlate, command_with_device, command_replay, command_mesas, command_completion;

/* In the order of --help. */
extern const struct command *const commands[];
extern const unsigned command_count;

#endif
