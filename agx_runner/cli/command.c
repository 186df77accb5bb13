/* SPDX-License-Identifier: MIT
 *
 * agx-runner: the table of its commands. One row describes one command; cmd_*.c holds its code.
 */
#include "agx_runner/cli/command.h"

#include <limits.h>

#include "agx_runner/terminal/runner.h"
#include "util/array.h"

/* clang-format off */
const struct command commands[] = {
   {"devices", COMMAND_DEVICES, "", 0, 0,
    "list the devices, and why some cannot be opened", cmd_devices},
   {"list", COMMAND_LIST, "[PATTERN...]", 0, UINT_MAX,
    "list the benchmarks", cmd_list},
   {"describe", COMMAND_DESCRIBE, "NAME", 1, 1,
    "describe one benchmark: purpose, formula, published figure, kernel, machine code", cmd_describe},
   {"run", COMMAND_RUN, "[PATTERN...]", 0, UINT_MAX,
    "run benchmarks and tests; patterns are globs on group/name, ! excludes", cmd_run},
   {"sweep", COMMAND_SWEEP, "ilp|gemm|memory|bandwidth|atomics|launch|layout [WORD...]", 0, UINT_MAX,
    "ilp: measure arithmetic over parallel chains and simdgroups a core; writes CSV and a plot. gemm: matrix products "
    "by form, kernel, size and tile (words choose). memory: latency of loads by size. bandwidth, atomics, launch: "
    "curves of the catalogue's benchmarks. layout: which lane holds which element of a matrix "
    "operand", cmd_sweep},
   {"exec", COMMAND_EXEC, "FILE.cl|FILE.spv|FILE.agx|JOB.agxjob", 1, 1,
    "run one kernel with the given buffers and arguments, or a saved job", cmd_exec},
   {"explain", COMMAND_EXPLAIN, "FILE.cl|FILE.spv|FILE.agx|JOB.agxjob", 1, UINT_MAX,
    "run one kernel, or a saved job, on a virtual device, and show where its modelled time goes and what would make it faster", cmd_explain},
   {"compile", COMMAND_COMPILE, "FILE.cl|FILE.spv|FILE.agx", 1, 1,
    "compile, and show the launch parameters and the machine code", cmd_compile},
   {"corpus", COMMAND_CORPUS, "DIR|FILE...", 1, UINT_MAX,
    "compile all kernels of files and folders, and show statistics of each; compare takes two such files", cmd_corpus},
   {"disasm", COMMAND_DISASM, "[FILE]", 0, 1,
    "disassemble machine code, or the program of a source file or of a saved job; without FILE, standard input", cmd_disasm},
   {"asm", COMMAND_ASM, "[FILE]", 0, 1,
    "assemble AGX assembly to machine code; without FILE, standard input", cmd_asm},
   {"piglit", COMMAND_PIGLIT, "FILE|DIR...", 0, UINT_MAX,
    "run OpenCL program tests in Piglit's format, in parallel", cmd_piglit},
   COMMAND_FUZZ_ROW(cmd_fuzz),
   {"compare", COMMAND_COMPARE, "[A B]...", 0, UINT_MAX,
    "compare two result files, runs of a store, or folders of .agx programs; several pairs give one verdict", cmd_compare},
   {"report", COMMAND_REPORT, "FILE|RUN", 0, 1,
    "write a result file, or a run of a store with its history, as an HTML page", cmd_report},
   {"history", COMMAND_HISTORY, "[PATTERN...]", 0, UINT_MAX,
    "show the figures of a store run by run, and where they changed", cmd_history},
   {"import", COMMAND_IMPORT, "FILE...", 1, UINT_MAX,
    "append result files to a store", cmd_import},
   {"survey", COMMAND_SURVEY, "[STEP...]", 0, UINT_MAX,
    "find out what only a real machine can tell: one archive to send back", cmd_survey},
   {"calibrate", COMMAND_CALIBRATE, "SURVEY.tar.zst", 1, 1,
    "fit the timing model's parameters to a survey, for virtual:CHIP,params=FILE", cmd_calibrate},
   {"with-device", COMMAND_WITH_DEVICE, "[--] COMMAND [ARGUMENT...]", 1, UINT_MAX,
    "run any program with a virtual GPU as its render node, and say what it ran there", cmd_with_device},
   {"replay", COMMAND_REPLAY, "JOB.agxjob|DIR...", 1, UINT_MAX,
    "run saved jobs again (with-device --trace or --record), and compare the memory that they leave", cmd_replay},
   {"completion", COMMAND_COMPLETION, "bash|zsh", 1, 1,
    "print the completion script of a shell", cmd_completion},
};
/* clang-format on */
const unsigned command_count = ARRAY_COUNT(commands);

int main(int argc, char **argv)
{
   return command_main(argc, argv);
}
