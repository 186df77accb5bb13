/* SPDX-License-Identifier: MIT
 *
 * The option table of `run`.
 */
#include "agx_runner/cli/run_options.h"

#include "agx_runner/options/shared.h"
#include "agx_runner/report/formats.h"

static const char *const clock_names[] = {
    [MEASURE_CLOCK_AUTO] = "auto", [MEASURE_CLOCK_INFER] = "infer", [MEASURE_CLOCK_NOMINAL] = "nominal", NULL};

#define FIELD(member) .field = offsetof(struct run_options, member)
/* clang-format off */
const struct option_info option_clock = {
   .name = "clock", .metavar = "SOURCE", .kind = KIND_CHOICE, .choices = clock_names, .initial = "auto",
   .help = "clock that turns time into cycles. auto: the model's clock on a virtual device with a steady clock, else "
           "inferred; infer: inferred beside each sample; nominal: the highest clock that the kernel reports, assumed "
           "constant (a real clock is not)"};

const struct option_row run_rows[] = {
   {&option_device, FIELD(kept.run.device)},
   {&option_samples, FIELD(kept.run.samples)},
   {OPTION(.name = "precision", .metavar = "N%", .kind = KIND_PERCENT, .max = 50,
           .help = "take samples of a figure until half of its interval is within N% of it, up to 32 times --samples; a "
                   "figure that does not get there says so [default: as many as the noise of the first ones asks for]"),
    FIELD(kept.run.precision)},
   {&option_seed, FIELD(kept.run.seed)},
   {OPTION(.name = "full", .kind = KIND_FLAG,
           .help = "measure the whole catalogue, the benchmarks that take a virtual device minutes included [default: "
                   "one or two benchmarks of each kind; patterns choose from all]"), FIELD(full)},
   {OPTION(.name = "hazardous", .kind = KIND_FLAG,
           .help = "on hardware, select tests that may hang or reset the GPU without naming them"), FIELD(hazardous)},
   {&option_clock, FIELD(kept.run.clock)},
   {&option_ffma_cycles, FIELD(kept.run.ffma_cycles)},
   {OPTION(.name = "mix", .metavar = "NAME*COUNT;...", .kind = KIND_LIST,
           .help = "measure a mix of operations instead of benchmarks; names as in results/reference/instr.csv; may be "
                   "given several times"), FIELD(mixes)},
   {OPTION(.name = "ilp", .metavar = "N", .kind = KIND_U32, .min = 1, .max = 8,
           .help = "with --mix: number of independent chains of each operation [default: 4, or what the registers "
                   "allow]"), FIELD(ilp)},
   {OPTION(.name = "simds", .metavar = "N", .kind = KIND_U32, .min = 1, .max = 96,
           .help = "with --mix: simdgroups a core [default: 24]"), FIELD(simds)},
   {&option_timeout, FIELD(kept.run.timeout)},
   {&option_compile_timeout, FIELD(compile_seconds)},
   {&option_compile_memory, FIELD(compile_mib)},
   {OPTION(.name = "compiler", .metavar = "PROGRAM", .kind = KIND_LIST,
           .help = "the agx-compile that compiles [default: AGX_RUNNER_COMPILER, else that of this agx-runner]; given "
                   "twice: measure with A and B in the order A, B, B, A, and compare; --format text, json or markdown"),
    FIELD(compilers)},
   {&option_mesa, FIELD(kept.run.mesa)},
   {&option_no_cache, FIELD(no_cache)},
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &run_formats,
           .initial = "text"), FIELD(kept.format)},
   {OPTION(.name = "power", .kind = KIND_FLAG,
           .help = "measure the energy of each dispatch, rate, throughput and latency by the power rail; print ALU "
                   "ceiling, best matrix products and their energy on stderr"), FIELD(kept.run.power)},
   {OPTION(.name = "fail-on", .metavar = "WHAT[:N%]", .kind = KIND_LIST,
           .help = "with two compilers: the same as for compare"), FIELD(fail_on)},
   {&option_store, FIELD(store)},
   {&option_results, FIELD(kept.run.results)},
   {&option_resume, FIELD(kept.resume)},
   {OPTION(.name = "fails", .metavar = "FILE", .kind = KIND_STRING, .min = 1,
           .help = "expected failures: lines \"NAME,Status\", the format of failures.csv in --results"), FIELD(fails)},
   {OPTION(.name = "skips", .metavar = "FILE", .kind = KIND_STRING, .min = 1,
           .help = "tests that are not run: one regular expression a line"), FIELD(skips)},
   {OPTION(.name = "flakes", .metavar = "FILE", .kind = KIND_STRING, .min = 1,
           .help = "tests whose failures do not count: one regular expression a line"), FIELD(flakes)},
   {&option_reruns, FIELD(kept.run.reruns)},
   {&option_test_timeout, FIELD(kept.run.test_timeout)},
   {&option_idle_timeout, FIELD(kept.run.idle_timeout)},
   {&option_run_timeout, FIELD(kept.run.run_timeout)},
   {&option_output, FIELD(kept.output)},
   {0},
};
