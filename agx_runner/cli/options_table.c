/* SPDX-License-Identifier: MIT */
#include "agx_runner/cli/options_table.h"

#include "agx_runner/compare/compare.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/runner.h"
#include "isa/isa.h"

#define DEVICE_COMMANDS (COMMAND_RUN | COMMAND_EXEC | COMMAND_SWEEP)
#define SOURCE_COMMANDS (COMMAND_EXEC | COMMAND_COMPILE | COMMAND_DISASM)
#define ASSEMBLY_COMMANDS (SOURCE_COMMANDS | COMMAND_ASM)
#define PROGRAM_COMMANDS (COMMAND_COMPILE | COMMAND_DISASM | COMMAND_ASM)
#define ALL_COMMANDS 0xffffffffu
#define FIELD(member) offsetof(struct options, member)

static const char *const syntaxes[] = {[ISA_SYNTAX_MESA] = "mesa", [ISA_SYNTAX_APPLEGPU] = "applegpu", NULL};
static const char *const piglit_formats[] = {
    [PIGLIT_FORMAT_SUMMARY] = "summary", [PIGLIT_FORMAT_JSON] = "json", [PIGLIT_FORMAT_PIGLIT] = "piglit", NULL};
static const char *const compare_formats[] = {
    [COMPARE_FORMAT_TEXT] = "text", [COMPARE_FORMAT_MARKDOWN] = "markdown", [COMPARE_FORMAT_JSON] = "json", NULL};
const char *const clock_names[] = {[CLOCK_AUTO] = "auto", [CLOCK_INFER] = "infer", [CLOCK_NOMINAL] = "nominal", NULL};

/* clang-format off */
const struct option_row option_rows[] = {
   {'d', "device", "DEVICE", KIND_STRING, FIELD(device), DEVICE_COMMANDS | COMMAND_PIGLIT, 0, 0, NULL,
    "auto (an Apple GPU if there is one, else virtual:m1), a render node, or virtual:CHIP[,OPTION...] "
    "[default: auto]"},
   {'n', "samples", "N", KIND_U32, FIELD(samples), COMMAND_RUN | COMMAND_SWEEP, 9, 100000, NULL,
    "timings of each figure, at least 9 [default: 9]"},
   {0, "seed", "N", KIND_U64, FIELD(seed), DEVICE_COMMANDS, 0, UINT64_MAX, NULL,
    "of random inputs, orders and resampling [default: 1]"},
   {0, "full", NULL, KIND_FLAG, FIELD(full), COMMAND_RUN, 0, 0, NULL,
    "measure the whole catalogue [default: one or two benchmarks of each kind; patterns choose from all]"},
   {0, "clock", "SOURCE", KIND_CHOICE, FIELD(clock), COMMAND_RUN | COMMAND_SWEEP, 0, 0, clock_names,
    "auto: a virtual device's own unless it wanders, else inferred; infer: always inferred beside each sample; "
    "nominal: the highest that the kernel names, taken for constant, which a real one is not [default: auto]"},
   {0, "mix", "NAME*COUNT;...", KIND_LIST, FIELD(mixes), COMMAND_RUN, 0, 0, NULL,
    "instead of benchmarks, a mix of operations, named as in results/reference/instr.csv; may be given several times"},
   {0, "ilp", "N", KIND_U32, FIELD(ilp), COMMAND_RUN, 1, 8, NULL,
    "with --mix: independent chains of each operation [default: 4, or what the registers allow]"},
   {0, "simds", "N", KIND_U32, FIELD(simds), COMMAND_RUN, 1, 96, NULL,
    "with --mix: simdgroups a core [default: 24]"},
   {0, "full", NULL, KIND_FLAG, FIELD(full), COMMAND_SWEEP, 0, 0, NULL,
    "every number of simdgroups from 1 to 96, every register count [default: 14 occupancies]"},
   {0, "plot", "FILE.svg", KIND_STRING, FIELD(plot), COMMAND_SWEEP, 1, 0, NULL,
    "draw it, too; needs gnuplot"},
   {0, "kernel", "NAME", KIND_STRING, FIELD(kernel), SOURCE_COMMANDS, 1, 0, NULL,
    "which kernel, where the file has several"},
   {'b', "buf", "N=TYPE[COUNT]:INIT", KIND_LIST, FIELD(buffers), COMMAND_EXEC, 0, 0, NULL,
    "argument N is a buffer. TYPE: f16 f32 f64 u8 i8 u16 i16 u32 i32 u64 i64; "
    "INIT: a number, random, iota, or @FILE [default: 0]"},
   {'a', "arg", "N=VALUE", KIND_LIST, FIELD(values), COMMAND_EXEC, 0, 0, NULL,
    "argument N by value; vectors as 1,2,3,4; or @FILE"},
   {0, "local", "N=BYTES", KIND_LIST, FIELD(locals), COMMAND_EXEC, 0, 0, NULL,
    "argument N is so much threadgroup memory"},
   {'g', "grid", "X[,Y[,Z]]", KIND_SIZES, FIELD(grid), COMMAND_EXEC, 1, UINT32_MAX, NULL,
    "threads in all; must be given"},
   {'t', "group", "X[,Y[,Z]]", KIND_SIZES, FIELD(group), COMMAND_EXEC, 1, 1024, NULL,
    "threads of a threadgroup, at most 1024 in all [default: what the kernel requires, else up to 256 along X]"},
   {0, "dump", "N=FILE", KIND_LIST, FIELD(dumps), COMMAND_EXEC, 0, 0, NULL,
    "write buffer N to a file afterwards"},
   {'p', "print", "N", KIND_LIST, FIELD(prints), COMMAND_EXEC, 0, 0, NULL,
    "print all of buffer N afterwards [default: the beginning of all buffers that the kernel may write]"},
   {'r', "repeat", "N", KIND_U32, FIELD(repeat), COMMAND_EXEC, 1, 1000000, NULL,
    "run so often, from the same inputs each time, and print the times [default: 1]"},
   {0, "timeout", "SECONDS", KIND_SECONDS, FIELD(timeout), DEVICE_COMMANDS, 0, 86400, NULL,
    "give up on a submission after so long [default: 10]"},
   {0, "options", "WORDS", KIND_STRING, FIELD(build_options), SOURCE_COMMANDS, 0, 0, NULL,
    "OpenCL build options, for instance \"-DN=4 -cl-fast-relaxed-math\""},
   {'D', "define", "NAME=NUMBER", KIND_LIST, FIELD(defines), ASSEMBLY_COMMANDS, 0, 0, NULL,
    "a constant for assembly, which wins over the file's own .equ"},
   {0, "long-forms", NULL, KIND_FLAG, FIELD(long_forms), ASSEMBLY_COMMANDS, 0, 0, NULL,
    "assemble the long form of every instruction that has two"},
   {0, "hex", NULL, KIND_FLAG, FIELD(hex), COMMAND_DISASM | COMMAND_ASM, 0, 0, NULL,
    "one instruction a line: hex digits on one side, assembly on the other"},
   {0, "predict", NULL, KIND_FLAG, FIELD(predict), COMMAND_COMPILE, 0, 0, NULL,
    "instead of the machine code, what the timing model says of each basic block: what bounds it, and its cycles"},
   {0, "stats", NULL, KIND_FLAG, FIELD(stats), PROGRAM_COMMANDS, 0, 0, NULL,
    "count instead: instructions by class, bytes, registers, the occupancy they allow, loops"},
   {0, "program", NULL, KIND_FLAG, FIELD(program), PROGRAM_COMMANDS, 0, 0, NULL,
    "write the whole program as .agx text (also when the output's name ends with .agx; .bin: the code alone)"},
   {0, "syntax", "NAME", KIND_CHOICE, FIELD(syntax), COMMAND_COMPILE | COMMAND_DISASM, 0, 0, syntaxes,
    "mnemonics of mesa or applegpu [default: mesa]"},
   {'f', "format", "FORMAT", KIND_CHOICE, FIELD(format), COMMAND_RUN, 0, 0, result_format_names,
    "text, json, csv (a row a result), csv-samples (a row a sample), junit, tap, markdown or html [default: text]"},
   {'f', "format", "FORMAT", KIND_CHOICE, FIELD(piglit_format), COMMAND_PIGLIT, 0, 0, piglit_formats,
    "summary, json, or piglit: what Piglit's own tester prints [default: summary]"},
   {'j', "jobs", "N", KIND_U32, FIELD(jobs), COMMAND_PIGLIT, 1, 1024, NULL,
    "worker processes [default: one a core]"},
   {0, "timeout", "SECONDS", KIND_SECONDS, FIELD(file_timeout), COMMAND_PIGLIT, 0, 86400, NULL,
    "end a file's worker after so long [default: 60]"},
   {0, "expect", "DIR", KIND_STRING, FIELD(expect), COMMAND_PIGLIT, 1, 0, NULL,
    "folder with fails.txt, skips.txt and flakes.txt in deqp-runner's formats"},
   {'f', "format", "FORMAT", KIND_CHOICE, FIELD(compare_format), COMMAND_COMPARE, 0, 0, compare_formats,
    "text, markdown or json [default: text]"},
   {0, "fail-on", "WHAT[:N%]", KIND_LIST, FIELD(fail_on), COMMAND_COMPARE, 0, 0, NULL,
    "exit 98 at a changed answer, and at: worse (a figure, by more than N %), hurt (a count of the code, likewise), "
    "missing (a benchmark that B lacks); may be given several times"},
   {0, "interleave", "PROGRAM", KIND_STRING, FIELD(interleave), COMMAND_RUN, 1, 0, NULL,
    "measure with this build of agx-runner (A) and another one (B) in turns, and compare; --format text, json or markdown"},
   {0, "fail-on", "WHAT[:N%]", KIND_LIST, FIELD(fail_on), COMMAND_RUN, 0, 0, NULL,
    "with --interleave: as of compare"},
   {0, "store", "FILE", KIND_STRING, FIELD(store),
    COMMAND_RUN | COMMAND_COMPARE | COMMAND_HISTORY | COMMAND_REPORT | COMMAND_IMPORT, 1, 0, NULL,
    "file of runs (SQLite): run appends to it; compare and report then take runs, named by number, latest, latest~1 and so on"},
   {0, "sweep", "FILE.csv", KIND_STRING, FIELD(sweep), COMMAND_REPORT, 1, 0, NULL,
    "show the curves of this table of `sweep ilp` too"},
   {0, "across", NULL, KIND_FLAG, FIELD(across), COMMAND_COMPARE, 0, 0, NULL,
    "compare a virtual device's figures with hardware's all the same"},
   {0, "results", "DIR", KIND_STRING, FIELD(results), COMMAND_RUN, 1, 0, NULL,
    "keep a journal and the results there: what is cut short can be resumed"},
   {0, "resume", "DIR", KIND_STRING, FIELD(resume), COMMAND_RUN, 1, 0, NULL,
    "go on with the run whose results are there, as it was started; only --format and --output may be others"},
   {0, "fails", "FILE", KIND_STRING, FIELD(fails), COMMAND_RUN, 1, 0, NULL,
    "what is expected to fail, and how: lines \"NAME,Status\", as failures.csv of --results has them"},
   {0, "skips", "FILE", KIND_STRING, FIELD(skips), COMMAND_RUN, 1, 0, NULL,
    "what is not run: a regular expression a line"},
   {0, "flakes", "FILE", KIND_STRING, FIELD(flakes), COMMAND_RUN, 1, 0, NULL,
    "whose failures say nothing: a regular expression a line"},
   {0, "reruns", "N", KIND_U32, FIELD(reruns), COMMAND_RUN, 0, 100, NULL,
    "tries more of what fails unexpectedly; a pass makes it a flake [default: 1]"},
   {0, "test-timeout", "SECONDS", KIND_SECONDS, FIELD(test_timeout), COMMAND_RUN, 1, 86400, NULL,
    "end a figure's or test's process after so long, at least 1 [default: 600]"},
   {0, "idle-timeout", "SECONDS", KIND_SECONDS, FIELD(idle_timeout), COMMAND_RUN, 1, 86400, NULL,
    "end it when it has submitted nothing for so long, at least 1 [default: 300]"},
   {0, "run-timeout", "SECONDS", KIND_SECONDS, FIELD(run_timeout), COMMAND_RUN, 0, 8640000, NULL,
    "end the run after so long [default: never]"},
   {'o', "output", "FILE", KIND_STRING, FIELD(output),
    COMMAND_RUN | COMMAND_SWEEP | COMMAND_PIGLIT | COMMAND_COMPARE | COMMAND_HISTORY | COMMAND_REPORT | PROGRAM_COMMANDS, 1, 0, NULL,
    "write there, all or nothing [default: standard output]"},
   {'h', "help", NULL, KIND_HELP, 0, ALL_COMMANDS, 0, 0, NULL, "show this and stop"},
   {0, "version", NULL, KIND_VERSION, 0, ALL_COMMANDS, 0, 0, NULL, "show the version and stop"},
};
/* clang-format on */
const size_t option_row_count = ARRAY_COUNT(option_rows);
_Static_assert(ARRAY_COUNT(option_rows) <= OPTION_ROWS_MAX, "getopt's tables have room for all");
