/* SPDX-License-Identifier: MIT
 *
 * The option table. One row describes one option: parsing, --help, completions, defaults and what --interleave passes
 * on all read it.
 */
#include "agx_runner/cli/options_table.h"

#include "agx_runner/compare/compare.h"
#include "agx_runner/fuzz/fuzz.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/runner.h"
#include "isa/isa.h"

#define LAUNCH_COMMANDS (COMMAND_EXEC | COMMAND_EXPLAIN)
#define DEVICE_COMMANDS (COMMAND_RUN | LAUNCH_COMMANDS | COMMAND_SWEEP | COMMAND_SURVEY)
#define SOURCE_COMMANDS (LAUNCH_COMMANDS | COMMAND_COMPILE | COMMAND_DISASM)
#define ASSEMBLY_COMMANDS (SOURCE_COMMANDS | COMMAND_ASM)
#define PROGRAM_COMMANDS (COMMAND_COMPILE | COMMAND_DISASM | COMMAND_ASM)
#define ALL_COMMANDS 0xffffffffu
#define FIELD(member) offsetof(struct options, member)

static const char *const syntaxes[] = {[ISA_SYNTAX_MESA] = "mesa", [ISA_SYNTAX_APPLEGPU] = "applegpu", NULL};
static const char *const piglit_formats[] = {[PIGLIT_FORMAT_SUMMARY] = "summary", [PIGLIT_FORMAT_JSON] = "json",
                                             [PIGLIT_FORMAT_CSV] = "csv",         [PIGLIT_FORMAT_JUNIT] = "junit",
                                             [PIGLIT_FORMAT_TAP] = "tap",         [PIGLIT_FORMAT_MARKDOWN] = "markdown",
                                             [PIGLIT_FORMAT_PIGLIT] = "piglit",   NULL};
static const char *const compare_formats[] = {
    [COMPARE_FORMAT_TEXT] = "text", [COMPARE_FORMAT_MARKDOWN] = "markdown", [COMPARE_FORMAT_JSON] = "json", NULL};
static const char *const explain_formats[] = {"text", "json", NULL};
static const char *const fuzz_formats[] = {
    [FUZZ_FORMAT_TEXT] = "text", [FUZZ_FORMAT_JSON] = "json", [FUZZ_FORMAT_MARKDOWN] = "markdown", NULL};
static const char *const fuzz_languages[] = {[FUZZ_ALL] = "all", [FUZZ_NIR] = "nir", [FUZZ_OPENCL] = "opencl", NULL};
static const char *const clock_names[] = {
    [MEASURE_CLOCK_AUTO] = "auto", [MEASURE_CLOCK_INFER] = "infer", [MEASURE_CLOCK_NOMINAL] = "nominal", NULL};

/* clang-format off */
const struct option_row option_rows[] = {
   {.letter = 'd', .name = "device", .metavar = "DEVICE", .kind = KIND_STRING, .field = FIELD(run.device),
    .commands = DEVICE_COMMANDS | COMMAND_PIGLIT | COMMAND_DEVICES | COMMAND_FUZZ | COMMAND_WITH_DEVICE, .initial = "auto",
    .help = "auto (the first Apple GPU; virtual:m1 where there is none), a render node, or virtual:CHIP[,OPTION...]"},
   {.name = "stats", .kind = KIND_FLAG, .field = FIELD(stats), .commands = COMMAND_WITH_DEVICE,
    .help = "list the programs that were launched: launches, threads, instructions, modelled cycles"},
   {.letter = 'n', .name = "samples", .metavar = "N", .kind = KIND_U32, .field = FIELD(run.samples),
    .commands = COMMAND_RUN | COMMAND_SWEEP, .min = 9, .max = 100000, .initial = "9",
    .help = "number of timings for each figure, at least 9"},
   {.name = "seed", .metavar = "N", .kind = KIND_U64, .field = FIELD(run.seed), .commands = DEVICE_COMMANDS,
    .max = UINT64_MAX, .initial = "1",
    .help = "seed of random inputs and of the order of timings"},
   {.name = "seed", .metavar = "N", .kind = KIND_U64, .field = FIELD(run.seed), .commands = COMMAND_FUZZ,
    .max = UINT64_MAX, .initial = "1",
    .help = "seed of the generated programs: the same seed gives the same programs on any machine"},
   {.name = "count", .metavar = "N", .kind = KIND_U64, .field = FIELD(count), .commands = COMMAND_FUZZ,
    .max = UINT64_MAX,
    .help = "stop after N programs [default: no limit]"},
   {.name = "time", .metavar = "SECONDS", .kind = KIND_SECONDS, .field = FIELD(seconds), .commands = COMMAND_FUZZ,
    .max = 8640000,
    .help = "time limit of the search [default: 60, or none with --count]"},
   {.name = "against", .metavar = "DEVICE", .kind = KIND_STRING, .field = FIELD(against), .commands = COMMAND_FUZZ,
    .min = 1,
    .help = "run each program on this device too, and look for differences between the two instead of the compiler's faults"},
   {.name = "corpus", .metavar = "DIR", .kind = KIND_STRING, .field = FIELD(corpus), .commands = COMMAND_FUZZ,
    .min = 1,
    .help = "try the programs there first, and keep those of findings there"},
   {.name = "known", .metavar = "FILE", .kind = KIND_STRING, .field = FIELD(known), .commands = COMMAND_FUZZ,
    .min = 1,
    .help = "signatures of findings that are known, one a line: they are shown, and the exit code is 0"},
   {.name = "language", .metavar = "LANGUAGE", .kind = KIND_CHOICE, .field = FIELD(language),
    .commands = COMMAND_FUZZ, .choices = fuzz_languages, .initial = "all",
    .help = "what programs are generated in: nir, opencl (OpenCL C), or all"},
   {.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_CHOICE, .field = FIELD(fuzz_format),
    .commands = COMMAND_FUZZ, .choices = fuzz_formats, .initial = "text",
    .help = "text, json or markdown"},
   {.name = "full", .kind = KIND_FLAG, .field = FIELD(full), .commands = COMMAND_RUN, .stays = true,
    .help = "measure the whole catalogue [default: one or two benchmarks of each kind; patterns choose from all], and on a "
            "virtual device what takes it minutes, too"},
   {.name = "hazardous", .kind = KIND_FLAG, .field = FIELD(hazardous), .commands = COMMAND_RUN, .stays = true,
    .help = "on hardware, select tests that may hang or reset the GPU without naming them"},
   {.name = "clock", .metavar = "SOURCE", .kind = KIND_CHOICE, .field = FIELD(run.clock),
    .commands = COMMAND_RUN | COMMAND_SWEEP, .choices = clock_names, .initial = "auto",
    .help = "where cycles come from. auto: the model's clock on a virtual device with a steady clock, else inferred; "
            "infer: inferred beside each sample; nominal: the highest clock that the kernel names, taken as constant "
            "(a real clock is not)"},
   {.name = "clock", .kind = KIND_FLAG, .field = FIELD(show_clock), .commands = COMMAND_DEVICES,
    .help = "instead of the list, measure the clock of --device and compare it with the device tree's"},
   {.name = "mix", .metavar = "NAME*COUNT;...", .kind = KIND_LIST, .field = FIELD(mixes), .commands = COMMAND_RUN,
    .stays = true,
    .help = "measure a mix of operations instead of benchmarks; names as in results/reference/instr.csv; may be given "
            "several times"},
   {.name = "ilp", .metavar = "N", .kind = KIND_U32, .field = FIELD(ilp), .commands = COMMAND_RUN, .min = 1,
    .max = 8,
    .help = "with --mix: number of independent chains of each operation [default: 4, or what the registers allow]"},
   {.name = "simds", .metavar = "N", .kind = KIND_U32, .field = FIELD(simds), .commands = COMMAND_RUN, .min = 1,
    .max = 96,
    .help = "with --mix: simdgroups a core [default: 24]"},
   {.name = "folder", .metavar = "DIR", .kind = KIND_STRING, .field = FIELD(folder), .commands = COMMAND_SURVEY,
    .min = 1,
    .help = "keep the survey there; the same folder again continues it [default: survey-CHIP]"},
   {.name = "hazardous", .kind = KIND_FLAG, .field = FIELD(hazardous), .commands = COMMAND_SURVEY,
    .help = "run the steps that may cause a GPU fault, without asking"},
   {.letter = 'o', .name = "output", .metavar = "FILE", .kind = KIND_STRING, .field = FIELD(output),
    .commands = COMMAND_SURVEY, .min = 1,
    .help = "write the archive there [default: survey-CHIP-DATE.tar.zst]"},
   {.letter = 'o', .name = "output", .metavar = "FILE", .kind = KIND_STRING, .field = FIELD(output),
    .commands = COMMAND_CALIBRATE, .min = 1,
    .help = "write the parameter file there [default: CHIP.params]"},
   {.name = "steps", .kind = KIND_FLAG, .field = FIELD(list_steps), .commands = COMMAND_SURVEY,
    .help = "list the steps and stop"},
   {.name = "full", .kind = KIND_FLAG, .field = FIELD(full), .commands = COMMAND_SWEEP,
    .help = "measure every number of simdgroups from 1 to 96 and every register count [default: 14 occupancies]; of "
            "sweep memory: rings up to 256 MiB [default: 32]; of sweep gemm: also cells that take a virtual device "
            "minutes"},
   {.name = "fit", .kind = KIND_FLAG, .field = FIELD(fit), .commands = COMMAND_SWEEP,
    .help = "of sweep memory: print size and latency of each level; the table of points is then written with -o alone"},
   {.name = "plot", .metavar = "FILE.svg", .kind = KIND_STRING, .field = FIELD(plot), .commands = COMMAND_SWEEP,
    .min = 1,
    .help = "also draw the curves; needs gnuplot"},
   {.name = "kernel", .metavar = "NAME", .kind = KIND_STRING, .field = FIELD(program.kernel),
    .commands = SOURCE_COMMANDS, .min = 1,
    .help = "name of the kernel, where the file has several"},
   {.letter = 'b', .name = "buf", .metavar = "N=TYPE[COUNT]:INIT", .kind = KIND_LIST, .field = FIELD(exec.buffers),
    .commands = LAUNCH_COMMANDS,
    .help = "argument N is a buffer. TYPE: f16 f32 f64 u8 i8 u16 i16 u32 i32 u64 i64; INIT: a number, random, iota, "
            "or @FILE [default: 0]"},
   {.letter = 'a', .name = "arg", .metavar = "N=VALUE", .kind = KIND_LIST, .field = FIELD(exec.values),
    .commands = LAUNCH_COMMANDS,
    .help = "value of argument N; vectors as 1,2,3,4; or @FILE"},
   {.name = "local", .metavar = "N=BYTES", .kind = KIND_LIST, .field = FIELD(exec.locals), .commands = LAUNCH_COMMANDS,
    .help = "argument N points to BYTES of threadgroup memory"},
   {.letter = 'g', .name = "grid", .metavar = "X[,Y[,Z]]", .kind = KIND_SIZES, .field = FIELD(exec.grid),
    .commands = LAUNCH_COMMANDS, .min = 1, .max = UINT32_MAX,
    .help = "number of threads; required"},
   {.letter = 't', .name = "group", .metavar = "X[,Y[,Z]]", .kind = KIND_SIZES, .field = FIELD(exec.group),
    .commands = LAUNCH_COMMANDS, .min = 1, .max = 1024,
    .help = "threads of a threadgroup, at most 1024 [default: what the kernel requires, else up to 256 along X]"},
   {.name = "dump", .metavar = "N=FILE", .kind = KIND_LIST, .field = FIELD(exec.dumps), .commands = COMMAND_EXEC,
    .help = "write buffer N to a file after the run"},
   {.letter = 'p', .name = "print", .metavar = "N", .kind = KIND_LIST, .field = FIELD(exec.prints),
    .commands = COMMAND_EXEC,
    .help = "print buffer N after the run [default: the beginning of every buffer that the kernel may write]"},
   {.letter = 'r', .name = "repeat", .metavar = "N", .kind = KIND_U32, .field = FIELD(exec.repeat),
    .commands = COMMAND_EXEC, .min = 1, .max = 1000000, .initial = "1",
    .help = "run the kernel N times, each time from the same inputs, and print the times"},
   {.name = "timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .field = FIELD(run.timeout),
    .commands = DEVICE_COMMANDS | COMMAND_DEVICES, .max = 86400, .initial = "10",
    .help = "time limit of a submission"},
   {.name = "options", .metavar = "WORDS", .kind = KIND_STRING, .field = FIELD(build_options),
    .commands = SOURCE_COMMANDS,
    .help = "OpenCL build options, for instance \"-DN=4 -cl-fast-relaxed-math\""},
   {.name = "compile-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .field = FIELD(program.compile_seconds),
    .commands = SOURCE_COMMANDS | COMMAND_RUN, .max = 86400, .initial = "300",
    .help = "limit of the compiler's processor time, for each kernel of a file"},
   {.name = "compile-memory", .metavar = "MIB", .kind = KIND_U32, .field = FIELD(program.compile_mib),
    .commands = SOURCE_COMMANDS | COMMAND_RUN, .max = 1 << 20, .initial = "4096",
    .help = "limit of the compiler's memory; 0: no limit"},
   {.name = "in-process", .kind = KIND_FLAG, .field = FIELD(program.in_process), .commands = SOURCE_COMMANDS,
    .help = "compile in this process, without limits: for a debugger"},
   {.name = "no-cache", .kind = KIND_FLAG, .field = FIELD(no_cache),
    .commands = CACHED_COMMANDS,
    .help = "compile everything: take no program from the compilation cache, and keep none there"},
   {.letter = 'D', .name = "define", .metavar = "NAME=NUMBER", .kind = KIND_LIST, .field = FIELD(program.defines),
    .commands = ASSEMBLY_COMMANDS,
    .help = "define a constant for assembly; it overrides an .equ of the file"},
   {.name = "long-forms", .kind = KIND_FLAG, .field = FIELD(program.long_forms), .commands = ASSEMBLY_COMMANDS,
    .help = "assemble the long form of every instruction that has two"},
   {.name = "hex", .kind = KIND_FLAG, .field = FIELD(hex), .commands = COMMAND_DISASM | COMMAND_ASM,
    .help = "machine code as hex digits: asm writes them, an instruction a line; disasm reads them"},
   {.name = "predict", .kind = KIND_FLAG, .field = FIELD(predict), .commands = COMMAND_COMPILE,
    .help = "print what the timing model predicts for each basic block (its bound and its cycles) instead of the "
            "machine code"},
   {.name = "stats", .kind = KIND_FLAG, .field = FIELD(program.stats), .commands = PROGRAM_COMMANDS,
    .help = "print counts instead: instructions by class, bytes, registers, the occupancy they allow, loops"},
   {.name = "program", .kind = KIND_FLAG, .field = FIELD(program.whole), .commands = PROGRAM_COMMANDS,
    .help = "write the whole program as .agx text (as for an output file NAME.agx; NAME.bin gets the code only)"},
   {.name = "syntax", .metavar = "NAME", .kind = KIND_CHOICE, .field = FIELD(program.syntax),
    .commands = COMMAND_COMPILE | COMMAND_DISASM | COMMAND_ASM, .choices = syntaxes, .initial = "mesa",
    .help = "instructions as mesa or as applegpu writes them"},
   {.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_CHOICE, .field = FIELD(format),
    .commands = COMMAND_RUN, .choices = result_format_names, .initial = "text", .stays = true,
    .help = "text, json, csv (a row for each result), csv-samples (a row for each sample), junit, tap, markdown or "
            "html"},
   {.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_CHOICE, .field = FIELD(piglit_format),
    .commands = COMMAND_PIGLIT, .choices = piglit_formats, .initial = "summary",
    .help = "summary, json, csv, junit, tap, markdown, or piglit (the output of Piglit's own tester)"},
   {.letter = 'j', .name = "jobs", .metavar = "N", .kind = KIND_U32, .field = FIELD(jobs),
    .commands = COMMAND_PIGLIT | COMMAND_FUZZ, .min = 1, .max = 1024,
    .help = "number of worker processes [default: one for each core]"},
   {.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_CHOICE, .field = FIELD(explain_format),
    .commands = COMMAND_EXPLAIN, .choices = explain_formats, .initial = "text",
    .help = "text or json"},
   {.name = "schedule", .metavar = "OUT.agx", .kind = KIND_STRING, .field = FIELD(schedule),
    .commands = COMMAND_EXPLAIN, .min = 1,
    .help = "search a better order of the instructions, run it on the same data, and write it when all buffers are equal"},
   {.name = "schedules", .kind = KIND_FLAG, .field = FIELD(schedules), .commands = COMMAND_EXPLAIN,
    .help = "run nothing: rank the kernels of all files and folders by what the order of their instructions loses"},
   {.name = "check", .kind = KIND_FLAG, .field = FIELD(check), .commands = COMMAND_EXEC | COMMAND_PIGLIT,
    .help = "let the virtual device check what it executes: bounds, races, undefined values, hazards; a finding is a "
            "failure"},
   {.name = "timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .field = FIELD(file_timeout),
    .commands = COMMAND_PIGLIT, .max = 86400, .initial = "60",
    .help = "time limit of a test file"},
   {.name = "expect", .metavar = "DIR", .kind = KIND_STRING, .field = FIELD(expect), .commands = COMMAND_PIGLIT,
    .min = 1,
    .help = "folder with fails.txt, skips.txt and flakes.txt in deqp-runner's formats"},
   {.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_CHOICE, .field = FIELD(compare_format),
    .commands = COMMAND_COMPARE, .choices = compare_formats, .initial = "text",
    .help = "text, markdown or json"},
   {.name = "fail-on", .metavar = "WHAT[:N%]", .kind = KIND_LIST, .field = FIELD(fail_on),
    .commands = COMMAND_COMPARE,
    .help = "exit with 98 when an answer changed, and for each rule: worse (a figure is worse by more than N %), hurt "
            "(a count of the code is worse by more than N %), missing (B lacks a benchmark); may be given several "
            "times"},
   {.name = "interleave", .metavar = "PROGRAM", .kind = KIND_STRING, .field = FIELD(interleave),
    .commands = COMMAND_RUN, .min = 1, .stays = true,
    .help = "measure with this build of agx-runner (A) and with PROGRAM (B) in the order A, B, B, A, and compare; "
            "--format text, json or markdown"},
   {.name = "fail-on", .metavar = "WHAT[:N%]", .kind = KIND_LIST, .field = FIELD(fail_on), .commands = COMMAND_RUN,
    .stays = true,
    .help = "with --interleave: the same as for compare"},
   {.name = "store", .metavar = "FILE", .kind = KIND_STRING, .field = FIELD(store),
    .commands = COMMAND_RUN | COMMAND_COMPARE | COMMAND_HISTORY | COMMAND_REPORT | COMMAND_IMPORT, .min = 1,
    .stays = true,
    .help = "SQLite file that keeps runs. run appends to it; compare and report then name runs by number, latest, "
            "latest~1 and so on"},
   {.name = "sweep", .metavar = "FILE.csv", .kind = KIND_STRING, .field = FIELD(sweep), .commands = COMMAND_REPORT,
    .min = 1,
    .help = "show the curves of this table of `sweep ilp`"},
   {.name = "across", .kind = KIND_FLAG, .field = FIELD(across), .commands = COMMAND_COMPARE,
    .help = "compare a virtual device with hardware"},
   {.name = "results", .metavar = "DIR", .kind = KIND_STRING, .field = FIELD(run.results), .commands = COMMAND_RUN | COMMAND_SWEEP | COMMAND_PIGLIT,
    .min = 1, .stays = true,
    .help = "keep a journal and the results in this folder, so that an interrupted run can be resumed"},
   {.name = "resume", .metavar = "DIR", .kind = KIND_STRING, .field = FIELD(resume), .commands = COMMAND_RUN | COMMAND_SWEEP | COMMAND_PIGLIT,
    .min = 1, .stays = true,
    .help = "resume the run in this folder with the options it was started with; only --format and --output may "
            "differ"},
   {.name = "fails", .metavar = "FILE", .kind = KIND_STRING, .field = FIELD(fails), .commands = COMMAND_RUN,
    .min = 1,
    .help = "expected failures: lines \"NAME,Status\", the format of failures.csv in --results"},
   {.name = "skips", .metavar = "FILE", .kind = KIND_STRING, .field = FIELD(skips), .commands = COMMAND_RUN,
    .min = 1,
    .help = "tests that are not run: one regular expression a line"},
   {.name = "flakes", .metavar = "FILE", .kind = KIND_STRING, .field = FIELD(flakes), .commands = COMMAND_RUN,
    .min = 1,
    .help = "tests whose failures do not count: one regular expression a line"},
   {.name = "reruns", .metavar = "N", .kind = KIND_U32, .field = FIELD(run.reruns), .commands = COMMAND_RUN | COMMAND_SWEEP | COMMAND_PIGLIT,
    .max = 100, .initial = "1",
    .help = "run a test that fails unexpectedly up to N more times; a pass makes it a flake"},
   {.name = "test-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .field = FIELD(run.test_timeout),
    .commands = COMMAND_RUN | COMMAND_SWEEP, .min = 1, .max = 86400, .initial = "600",
    .help = "time limit of a figure or test, at least 1"},
   {.name = "idle-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .field = FIELD(run.idle_timeout),
    .commands = COMMAND_RUN | COMMAND_SWEEP, .min = 1, .max = 86400, .initial = "300",
    .help = "time limit without a submission, at least 1"},
   {.name = "run-timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .field = FIELD(run.run_timeout),
    .commands = COMMAND_RUN | COMMAND_SWEEP | COMMAND_PIGLIT, .max = 8640000, .stays = true,
    .help = "time limit of the whole run [default: never]"},
   {.letter = 'o', .name = "output", .metavar = "FILE", .kind = KIND_STRING, .field = FIELD(output),
    .commands = COMMAND_RUN | COMMAND_SWEEP | COMMAND_EXPLAIN | COMMAND_PIGLIT | COMMAND_COMPARE | COMMAND_HISTORY | COMMAND_REPORT | COMMAND_FUZZ | PROGRAM_COMMANDS,
    .min = 1, .stays = true,
    .help = "write to this file, completely or not at all [default: standard output]"},
   {.letter = 'h', .name = "help", .kind = KIND_HELP, .commands = ALL_COMMANDS,
    .help = "show this and stop"},
   {.name = "version", .kind = KIND_VERSION, .commands = ALL_COMMANDS,
    .help = "show the version and stop"},
};
/* clang-format on */
const size_t option_row_count = ARRAY_COUNT(option_rows);
_Static_assert(ARRAY_COUNT(option_rows) <= OPTION_ROWS_MAX, "getopt's tables have room for all");
