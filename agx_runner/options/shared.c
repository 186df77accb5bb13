/* SPDX-License-Identifier: MIT
 *
 * The options that several commands have, with one text of help.
 */
#include "agx_runner/options/shared.h"

#include "drivers/find.h"

/* clang-format off */
const struct option_info option_device = {
   .letter = 'd', .name = "device", .metavar = "DEVICE", .kind = KIND_STRING, .initial = "auto",
   .variable = "AGX_RUNNER_DEVICE",
   .help = "auto (the first Apple GPU; virtual:m1 where there is none), a render node, or virtual:CHIP[,OPTION...]; "
           "AGX_RUNNER_DEVICE names another default"};
const struct option_info option_timeout = {
   .name = "timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .max = 86400, .initial = "10",
   .help = "limit of a submission: time on hardware; on a virtual device instructions, 2^28 for 10 seconds"};
const struct option_info option_seed = {
   .name = "seed", .metavar = "N", .kind = KIND_U64, .max = UINT64_MAX, .initial = "1",
   .help = "seed of random inputs and of the order of timings"};
const struct option_info option_check = {
   .name = "check", .kind = KIND_FLAG,
   .help = "check the program on the virtual device: bounds, races, undefined values, hazards; a finding is a failure"};

const struct option_info option_samples = {
   .letter = 'n', .name = "samples", .metavar = "N", .kind = KIND_U32, .min = 9, .max = 100000, .initial = "9",
   .help = "number of timings for each figure, at least 9"};
const struct option_info option_ffma_cycles = {
   .name = "ffma-cycles", .metavar = "CYCLES", .kind = KIND_CYCLES, .max = 100, .initial = "1.02",
   .help = "cycles of one FFMA on a scheduler, from which clocks are inferred"};

const struct option_info option_jobs = {
   .letter = 'j', .name = "jobs", .metavar = "N", .kind = KIND_U32, .min = 1, .max = 1024,
   .help = "number of worker processes [default: one for each core]"};
const struct option_info option_results = {
   .name = "results", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
   .help = "store a journal and the results in this folder, so that an interrupted run can be resumed"};
const struct option_info option_expect = {
   .name = "expect", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
   .help = "folder with fails.txt, skips.txt and flakes.txt in deqp-runner's formats"};
const struct option_info option_resume = {
   .name = "resume", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
   .help = "resume the run in this folder with the options it was started with; only --format and --output may differ"};
const struct option_info option_reruns = {
   .name = "reruns", .metavar = "N", .kind = KIND_U32, .max = 100, .initial = "1",
   .help = "run a test that fails unexpectedly up to N more times; a pass makes it a flake"};
const struct option_info option_test_timeout = {
   .name = "test-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .min = 1, .max = 86400, .initial = "600",
   .help = "limit of a figure or test, at least 1: time on hardware; on a virtual device the time that its process "
           "works or sleeps"};
const struct option_info option_idle_timeout = {
   .name = "idle-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .min = 1, .max = 86400, .initial = "300",
   .help = "limit without a submission, at least 1; counts as --test-timeout does"};
const struct option_info option_run_timeout = {
   .name = "run-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .max = 8640000,
   .help = "time limit of the whole run, on any device [default: never]"};

const struct option_info option_kernel = {
   .name = "kernel", .metavar = "NAME", .kind = KIND_STRING, .min = 1,
   .help = "name of the kernel, where the file has several"};
const struct option_info option_build_options = {
   .name = "options", .metavar = "WORDS", .kind = KIND_STRING,
   .help = "OpenCL build options, for instance \"-DN=4 -cl-fast-relaxed-math\""};
const struct option_info option_compile_timeout = {
   .name = "compile-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .max = 86400, .initial = "300",
   .help = "limit of the compiler's processor time, for each kernel of a file"};
const struct option_info option_compile_memory = {
   .name = "compile-memory", .metavar = "MIB", .kind = KIND_U32, .max = 1 << 20, .initial = "4096",
   .help = "limit of the compiler's memory; 0: no limit"};
const struct option_info option_compiler = {
   .name = "compiler", .metavar = "PROGRAM", .kind = KIND_STRING, .min = 1,
   .help = "the agx-compile that compiles [default: AGX_RUNNER_COMPILER, else that of this agx-runner]"};
const struct option_info option_mesa = {
   .name = "mesa", .metavar = "WHICH", .kind = KIND_STRING, .min = 1, .variable = MESA_VARIABLE,
   .help = "compile with the drivers of this Mesa (agx-runner mesas): a folder of ci/mesa-get, of a build or of an "
           "installation, or linked [default: linked]"};
const struct option_info option_no_cache = {
   .name = "no-cache", .kind = KIND_FLAG,
   .help = "compile everything: neither read nor write the compilation cache, nor the virtual device's compiled "
           "code"};
const struct option_info option_define = {
   .letter = 'D', .name = "define", .metavar = "NAME=NUMBER", .kind = KIND_LIST,
   .help = "define a constant for assembly; it overrides an .equ of the file"};
const struct option_info option_long_forms = {
   .name = "long-forms", .kind = KIND_FLAG, .help = "assemble the long form of every instruction that has two"};
const struct option_info option_hex = {
   .name = "hex", .kind = KIND_FLAG,
   .help = "machine code as hex digits: asm writes them, an instruction a line; disasm reads them"};

const struct option_info option_output = {
   .letter = 'o', .name = "output", .metavar = "FILE", .kind = KIND_STRING, .min = 1,
   .help = "write to this file, completely or not at all [default: standard output]"};
const struct option_info option_store = {
   .name = "store", .metavar = "FILE", .kind = KIND_STRING, .min = 1,
   .help = "SQLite file that stores runs. run appends to it; compare and report then name runs by number, latest, "
           "latest~1 and so on"};
/* clang-format on */
